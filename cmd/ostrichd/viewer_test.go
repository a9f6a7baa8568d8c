package main

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"slurm-ostrich/cmd/internal/access"
	"slurm-ostrich/cmd/internal/api"
	"slurm-ostrich/cmd/internal/configuration"
	"slurm-ostrich/cmd/internal/live"
	"slurm-ostrich/cmd/internal/socket"
	"slurm-ostrich/cmd/internal/statuspage"
	"slurm-ostrich/cmd/internal/statuspage/statuspagetest"
	"slurm-ostrich/cmd/internal/view"
	"slurm-ostrich/priority/slurm"
)

// asking is a daemon that knows some users.
func asking(header string) *daemon {
	d := &daemon{metrics: newMetrics("test"), now: time.Now, config: configuration.Default(), page: page{shown: make(chan struct{})}}
	d.config.Status.UserHeader = header
	d.users = access.NewDirectory(func(context.Context) (slurm.Users, error) {
		return slurm.Users{List: []slurm.User{
			{Name: "root", UID: 0, Operator: true},
			{Name: "alice", UID: 1},
			{Name: "oscar", UID: 2, Operator: true},
			{Name: "carla", UID: 3, Coordinates: []string{"physics"}},
		}}, nil
	}, func(error) {}, time.Now)
	return d
}

// TestCompareHides: the comparison names at both addresses whom the page names.
func TestCompareHides(t *testing.T) {
	d := asking("X-Remote-User")
	d.config.Status.Listen = "127.0.0.1:0"
	r := live.New().Report()
	for _, user := range []string{"alice", "bob"} {
		r.Campaigns.Last = append(r.Campaigns.Last, &live.Finished{User: user})
	}
	c := &view.Cycle{}
	c.Options.Controller.PrivateData = []string{"jobs"}
	d.page.show(c, r, d.now())
	for who, want := range map[string]string{"": "", "alice": "alice", "oscar": "alice bob"} {
		for name, h := range map[string]http.Handler{"listen": d.handler(), "status.listen": d.pages()} {
			request := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/v1/compare", nil)
			request.Host, request.RemoteAddr = "localhost", "127.0.0.1:4711"
			if who != "" {
				request.Header.Set("X-Remote-User", who)
			}
			w := httptest.NewRecorder()
			h.ServeHTTP(w, request)
			var got live.Report
			if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil || w.Code != http.StatusOK {
				t.Fatalf("%s at %s: %d %v", who, name, w.Code, err)
			}
			var users []string
			for _, f := range got.Campaigns.Last {
				users = append(users, f.User)
			}
			if named := strings.Join(users, " "); named != want {
				t.Errorf("%q at %s sees the campaigns of %q, want %q", who, name, named, want)
			}
		}
	}
	request := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/v1/compare", nil)
	request.Host, request.RemoteAddr = "localhost", "127.0.0.1:4711"
	request.Header["X-Remote-User"] = []string{"a", "b"}
	w := httptest.NewRecorder()
	d.handler().ServeHTTP(w, request)
	if w.Code != http.StatusBadRequest || !strings.Contains(w.Body.String(), "the header X-Remote-User is there 2 times") {
		t.Errorf("several: %d %s", w.Code, w.Body)
	}
}

// TestOneAPI: the same question has the same answer at the socket and on the web, byte by byte.
func TestOneAPI(t *testing.T) {
	d := asking("X-Remote-User")
	d.now = func() time.Time { return time.Unix(int64(statuspagetest.Now), 0) }
	s, err := statuspagetest.New(4, 120).Sidecar(configuration.Default())
	if err != nil {
		t.Fatal(err)
	}
	c, err := s.Run(t.Context(), false)
	if err != nil {
		t.Fatal(err)
	}
	if err = d.metrics.compared.observe(c, s); err != nil {
		t.Fatal(err)
	}
	d.page.show(view.Describe(s, c, nil), d.metrics.compared.latest.Load(), d.now())
	path := filepath.Join(t.TempDir(), "s.sock")
	var seconds atomic.Int64 // a request each
	clock := func() time.Time { return time.Unix(seconds.Add(1), 0) }
	server, err := socket.Open(t.Context(), path, d.api(), clock, func(err error) { t.Error(err) })
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = server.Close() }() // It has answered.
	client := http.Client{Transport: &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "unix", path)
	}}}
	for _, q := range statuspage.Questions() {
		for _, query := range []string{"", "?user=user001", "?job=40", "?account=physics&limit=3", "?nothing=1"} {
			asked := api.Folder + q.Name + query
			r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, asked, nil)
			r.Host, r.RemoteAddr = "localhost", "127.0.0.1:4711"
			r.Header.Set("X-Remote-User", "oscar") // an operator, who sees what the daemon's user sees at the socket
			web := httptest.NewRecorder()
			d.pages().ServeHTTP(web, r)
			request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://ostrichd"+asked, nil)
			if err != nil {
				t.Fatal(err)
			}
			local, err := client.Do(request)
			if err != nil {
				t.Fatal(err)
			}
			body, err := io.ReadAll(local.Body)
			if err = errors.Join(err, local.Body.Close()); err != nil {
				t.Fatal(err)
			}
			if local.StatusCode != web.Code || string(body) != web.Body.String() {
				t.Errorf("%s: %d %s at the socket, %d %s on the web", asked, local.StatusCode, body, web.Code, web.Body)
			}
		}
	}
}

package main

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"slurm-ostrich/cmd/internal/live"
	"slurm-ostrich/cmd/internal/sidecar"
	"slurm-ostrich/cmd/internal/socket"
	"slurm-ostrich/cmd/internal/view"
	"slurm-ostrich/priority/slurm"
)

// asking is a daemon that hides what is private and knows some users.
func asking(header string, private ...string) *daemon {
	d := &daemon{metrics: newMetrics("test"), now: time.Now, config: sidecar.Default()}
	d.config.Status.UserHeader = header
	d.private.Store(&private)
	d.users = socket.NewDirectory(func(context.Context) (slurm.Users, error) {
		return slurm.Users{List: []slurm.User{
			{Name: "root", UID: 0, Operator: true},
			{Name: "alice", UID: 1},
			{Name: "oscar", UID: 2, Operator: true},
			{Name: "carla", UID: 3, Coordinates: []string{"physics"}},
		}}, nil
	}, func(error) {}, time.Now)
	return d
}

// TestViewer: without the header everybody sees what Slurm shows everybody. It is
// believed only if it is configured and comes from this host, and once.
func TestViewer(t *testing.T) {
	const header = "X-Remote-User"
	everybody := &view.Viewer{}
	for _, tt := range []struct {
		name, configured, from string
		sent                   []string
		want                   *view.Viewer
		err                    string
	}{
		{"not configured", "", "127.0.0.1:4711", []string{"oscar"}, everybody, ""},
		{"absent", header, "127.0.0.1:4711", nil, everybody, ""},
		{"empty", header, "127.0.0.1:4711", []string{""}, everybody, ""},
		{"user", header, "127.0.0.1:4711", []string{"alice"}, &view.Viewer{Names: []string{"alice"}}, ""},
		{"user by IPv6", header, "[::1]:4711", []string{"alice"}, &view.Viewer{Names: []string{"alice"}}, ""},
		{"user by IPv4 in IPv6", header, "[::ffff:127.0.0.1]:4711", []string{"alice"}, &view.Viewer{Names: []string{"alice"}}, ""},
		{"operator", header, "127.0.0.1:4711", []string{"oscar"}, view.Everything(), ""},
		{"coordinator", header, "127.0.0.1:4711", []string{"carla"}, &view.Viewer{Names: []string{"carla"}, Accounts: []string{"physics"}}, ""},
		{"unknown user", header, "127.0.0.1:4711", []string{"mallory"}, &view.Viewer{Names: []string{"mallory"}}, ""},
		{"forged from elsewhere", header, "192.0.2.7:4711", []string{"oscar"}, everybody, ""},
		{"forged twice from elsewhere", header, "[2001:db8::1]:4711", []string{"oscar", "alice"}, everybody, ""},
		{"from nowhere", header, "@", []string{"oscar"}, everybody, ""},
		{"several", header, "127.0.0.1:4711", []string{"oscar", "alice"}, nil, "the header X-Remote-User is there 2 times; the proxy must replace what clients send"},
		{"several in one", header, "127.0.0.1:4711", []string{"oscar,alice"}, nil, `the header X-Remote-User is no name of a user: "oscar,alice"`},
		{"a space", header, "127.0.0.1:4711", []string{"oscar "}, nil, `the header X-Remote-User is no name of a user: "oscar "`},
		{"long", header, "127.0.0.1:4711", []string{strings.Repeat("o", 257)}, nil, `the header X-Remote-User is no name of a user: "` + strings.Repeat("o", 100) + `..."`},
	} {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil)
		r.RemoteAddr = tt.from
		r.Header[header] = tt.sent
		got, err := asking(tt.configured, "jobs", "usage").viewers()(r)
		if diff := cmp.Diff(tt.want, got); diff != "" || tt.err == "" != (err == nil) || err != nil && err.Error() != tt.err {
			t.Errorf("%s: %v %s", tt.name, err, diff)
		}
	}
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil)
	if got, err := asking("").viewers()(r); err != nil || !got.Jobs || !got.Shares {
		t.Errorf("without PrivateData: %+v %v", got, err)
	}
	d := asking("")
	d.private.Store(nil)
	if got, err := d.viewers()(r); err != nil || got.Jobs || got.Shares {
		t.Errorf("before the first cycle: %+v %v", got, err)
	}
	d = asking(header, "jobs")
	d.users = socket.NewDirectory(func(context.Context) (slurm.Users, error) { return slurm.Users{}, errors.New("slurmctld is away") }, func(error) {}, time.Now)
	r.RemoteAddr = "127.0.0.1:4711"
	r.Header.Set(header, "oscar")
	if got, err := d.viewers()(r); err != nil || got.Jobs || !slices.Equal(got.Names, []string{"oscar"}) {
		t.Errorf("an operator of whom Slurm does not tell: %+v %v", got, err)
	}
}

// TestCompareHides: the comparison names at both addresses whom the page names.
func TestCompareHides(t *testing.T) {
	d := asking("X-Remote-User", "jobs")
	d.config.Status.Listen = "127.0.0.1:0"
	r := live.New().Report()
	for _, user := range []string{"alice", "bob"} {
		r.Campaigns.Last = append(r.Campaigns.Last, &live.Finished{User: user})
	}
	d.metrics.compared.latest.Store(r)
	for who, want := range map[string]string{"": "", "alice": "alice", "oscar": "alice bob"} {
		for name, h := range map[string]http.Handler{"listen": d.handler(), "status.listen": d.pages()} {
			request := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/api/v1/compare.json", nil)
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
	request := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/api/v1/compare.json", nil)
	request.Host, request.RemoteAddr = "localhost", "127.0.0.1:4711"
	request.Header["X-Remote-User"] = []string{"a", "b"}
	w := httptest.NewRecorder()
	d.handler().ServeHTTP(w, request)
	if w.Code != http.StatusBadRequest || !strings.Contains(w.Body.String(), "the header X-Remote-User is there 2 times") {
		t.Errorf("several: %d %s", w.Code, w.Body)
	}
}

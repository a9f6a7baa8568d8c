package socket

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"slurm-ostrich/cmd/internal/access"
	"slurm-ostrich/cmd/internal/configuration"
	"slurm-ostrich/cmd/internal/live"
	"slurm-ostrich/cmd/internal/socket/client"
	"slurm-ostrich/cmd/internal/statuspage"
	"slurm-ostrich/cmd/internal/statuspage/statuspagetest"
	"slurm-ostrich/cmd/internal/view"
	"slurm-ostrich/priority/slurm"
)

// asUser makes this test binary a client, which another user runs: it asks the socket
// of the first argument the question of the second, about the users of the third.
const asUser = "OSTRICH_SOCKET_TEST_ASK"

func TestMain(m *testing.M) {
	if os.Getenv(asUser) == "" {
		os.Exit(m.Run())
	}
	by := &view.Selection{Users: view.Split(os.Args[3])}
	if os.Args[2] == view.AskExplain.Name {
		by = &view.Selection{Jobs: view.Split(os.Args[3])}
	}
	answer, err := client.Ask(context.Background(), os.Args[1], os.Args[2], by)
	if err != nil {
		fmt.Fprint(os.Stderr, err)
		os.Exit(1)
	}
	if _, err = os.Stdout.Write(answer.JSON); err != nil {
		os.Exit(2)
	}
	os.Exit(0)
}

// shared returns a folder that every user may enter.
func shared(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for _, one := range []string{filepath.Dir(dir), dir} {
		if err := os.Chmod(one, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// asker returns a function that asks as another user.
func asker(t *testing.T, path string) func(uid uint32, question, what string) (string, error) {
	t.Helper()
	if os.Getuid() != 0 {
		t.Skip("LEFT OUT: only root can ask as another user")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	raw, err := os.ReadFile(self)
	if err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(filepath.Dir(path), "client")
	if err = os.WriteFile(program, raw, 0o755); err != nil { //nolint:gosec // another user runs it
		t.Fatal(err)
	}
	return func(uid uint32, question, what string) (string, error) {
		cmd := exec.CommandContext(t.Context(), program, path, question, what)
		cmd.Env, cmd.Dir = []string{asUser + "=1"}, "/"
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uid, Gid: uid}}
		out, err := cmd.Output()
		if bad, ok := errors.AsType[*exec.ExitError](err); ok {
			err = errors.New(string(bad.Stderr))
		}
		return string(out), err
	}
}

// state is the state after the first cycle of a cluster, whose users have the uids
// from 0 on.
func state(tb testing.TB, users, pending int, private ...string) *statuspage.State {
	tb.Helper()
	s, err := statuspagetest.New(users, pending).Sidecar(configuration.Default())
	if err != nil {
		tb.Fatal(err)
	}
	c, err := s.Run(tb.Context(), false)
	if err != nil {
		tb.Fatal(err)
	}
	compared := live.New()
	compared.Observe(c, s)
	report := compared.Report()
	for i := range users {
		name := fmt.Sprintf("user%03d", i)
		report.Campaigns.Last = append(report.Campaigns.Last, &live.Finished{User: name})
		report.Campaigns.Promise.Users = append(report.Campaigns.Promise.Users, live.PromiseUser{User: name, Account: "physics"})
	}
	described := view.Describe(s, c, nil)
	described.Options.Controller.PrivateData = private
	described.Options.Controller.SlurmUser = slurmUID
	return &statuspage.State{
		Cycle: described, Report: report, Ended: time.Unix(1000, 0), Snapshot: func() *statuspage.Snapshot { return statuspage.New(described, report) },
	}
}

// before is the state before the first cycle.
func before() *statuspage.State {
	return &statuspage.State{Report: live.New().Report(), Snapshot: func() *statuspage.Snapshot { return statuspage.New(nil, nil) }}
}

// Users of the tests, beside those of the cluster.
const (
	slurmUID    = 64030
	operatorUID = 500
	strangerUID = 501
)

// directory knows the users of a Slurm whose user 1 coordinates an account.
func directory() *access.Directory {
	return access.NewDirectory(func(context.Context) (slurm.Users, error) {
		return slurm.Users{List: []slurm.User{
			{Name: "op", UID: operatorUID, Operator: true},
			{Name: "stranger", UID: strangerUID},
			{Name: "user001", UID: 1, Coordinates: []string{"chemistry"}},
		}}, nil
	}, func(error) {}, now)
}

func now() time.Time { return time.Unix(1001, 0) }

// answering is a server that answers of a state, at a time.
func answering(st *statuspage.State, users *access.Directory, clock func() time.Time) *Server {
	return newServer(statuspage.NewAPI(statuspage.Options{
		State:  func(context.Context) *statuspage.State { return st },
		Viewer: (&access.Rules{Users: users, Own: uint32(os.Getuid())}).Viewer,
		Late:   func(ended, now time.Time) bool { return now.Sub(ended) > time.Minute },
		Past:   func(error) {},
		Now:    clock,
	}), clock)
}

// get asks a server as a user, without a socket.
func get(s *Server, uid uint32, method, target string) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	p, words := s.limits.connect(uid, nil)
	if words != "" {
		w.WriteHeader(http.StatusTooManyRequests)
		return w
	}
	defer s.limits.disconnect(p)
	r := httptest.NewRequestWithContext(context.WithValue(context.Background(), peerKey{}, &conn{&net.UnixConn{}, p, s.limits}), method, "/", nil)
	r.URL.Path, r.URL.RawQuery, _ = strings.Cut(target, "?") // not through url.Parse: what comes may be any rubbish
	s.ServeHTTP(w, r)
	return w
}

// usersIn lists the users of a cluster that a text names.
func usersIn(text string, users int) (list []string) {
	for i := range users {
		if name := fmt.Sprintf("user%03d", i); strings.Contains(text, name) {
			list = append(list, name)
		}
	}
	return slices.Clip(list)
}

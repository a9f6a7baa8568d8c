package access

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"slurm-ostrich/cmd/internal/view"
	"slurm-ostrich/priority/slurm"
)

// directory knows some users.
func directory() *Directory {
	return NewDirectory(func(context.Context) (slurm.Users, error) {
		return slurm.Users{List: []slurm.User{
			{Name: "root", UID: 0, Operator: true},
			{Name: "alice", UID: 1},
			{Name: "oscar", UID: 2, Operator: true},
			{Name: "carla", UID: 3, Coordinates: []string{"physics"}},
		}}, nil
	}, func(error) {}, time.Now)
}

// after is a cycle in a Slurm that hides what is private.
func after(private ...string) *view.Cycle {
	c := &view.Cycle{}
	c.Options.Controller.PrivateData, c.Options.Controller.SlurmUser = private, 64030
	return c
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
		rules := Rules{Users: directory(), Header: tt.configured}
		got, err := rules.Viewer(r, after("jobs", "usage"), true)
		if diff := cmp.Diff(tt.want, got); diff != "" || tt.err == "" != (err == nil) || err != nil && err.Error() != tt.err {
			t.Errorf("%s: %v %s", tt.name, err, diff)
		}
	}
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil)
	rules := Rules{Users: directory()}
	if got, err := rules.Viewer(r, after(), true); err != nil || !got.Jobs || !got.Shares || !got.Ended {
		t.Errorf("without PrivateData: %+v %v", got, err)
	}
	if got, err := rules.Viewer(r, nil, true); err != nil || got.Jobs || got.Shares {
		t.Errorf("before the first cycle: %+v %v", got, err)
	}
	never := Rules{Header: header, Users: NewDirectory(func(context.Context) (slurm.Users, error) {
		t.Error("Slurm was asked, though nothing of jobs that have ended is to be seen")
		return slurm.Users{}, nil
	}, func(error) {}, time.Now)}
	if got, err := never.Viewer(r, after(), false); err != nil || !got.Jobs {
		t.Errorf("nothing of jobs that have ended: %+v %v", got, err)
	}
	away := Rules{Header: header, Users: NewDirectory(func(context.Context) (slurm.Users, error) { return slurm.Users{}, errors.New("slurmctld is away") }, func(error) {}, time.Now)}
	r.RemoteAddr = "127.0.0.1:4711"
	r.Header.Set(header, "oscar")
	if got, err := away.Viewer(r, after("jobs"), true); err != nil || got.Jobs || !slices.Equal(got.Names, []string{"oscar"}) {
		t.Errorf("an operator of whom Slurm does not tell: %+v %v", got, err)
	}
}

// At the socket the kernel says who asks, and a header says nothing. Ended jobs of others are
// slurmdbd's to show.
func TestViewerAtTheSocket(t *testing.T) {
	for _, private := range []string{"", "jobs"} { // of slurmdbd.conf
		rules := Rules{Own: 900, Header: "X-Remote-User", Users: NewDirectory(func(context.Context) (slurm.Users, error) {
			return slurm.Users{List: []slurm.User{{Name: "alice", UID: 1}, {Name: "oscar", UID: 2, Operator: true}}, Private: []string{private}}, nil
		}, func(error) {}, time.Now)}
		for uid, want := range map[uint32]*view.Viewer{
			0: view.Everything(), 900: view.Everything(), 64030: view.Everything(), 2: view.Everything(),
			1: {Names: []string{"alice"}, Jobs: true, Shares: true, Ended: private == ""},
		} {
			r := httptest.NewRequestWithContext(WithUID(t.Context(), uid), http.MethodGet, "/", nil)
			r.RemoteAddr = "127.0.0.1:4711"
			r.Header.Set("X-Remote-User", "oscar")
			got, err := rules.Viewer(r, after(), true)
			if diff := cmp.Diff(want, got); diff != "" || err != nil {
				t.Errorf("PrivateData=%s of slurmdbd, uid %d: %v %s", private, uid, err, diff)
			}
		}
	}
	r := httptest.NewRequestWithContext(WithUID(t.Context(), 900), http.MethodGet, "/", nil)
	if got, err := (&Rules{Own: 900}).Viewer(r, nil, true); err != nil || !got.Jobs {
		t.Errorf("the daemon's user, before the first cycle: %+v %v", got, err)
	}
}

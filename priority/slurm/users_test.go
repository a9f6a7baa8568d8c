package slurm

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// What Slurm 22.05 prints of users and of those who coordinate accounts.
const (
	printedUsers = `Current Association Manager state
User Records
UserName=alice(999) DefAccount=astro DefWckey= AdminLevel=None
UserName=gone(4294967294) DefAccount=astro DefWckey= AdminLevel=Operator
UserName=grace(990) DefAccount=bio DefWckey= AdminLevel=None
UserName=ostrich(988) DefAccount=root DefWckey= AdminLevel=Operator
UserName=root(0) DefAccount=root DefWckey= AdminLevel=Administrator
`
	printedCoordinators = "alice|\ngrace|astro,lab\nostrich|\nroot|\nstranger|bio\n"
)

func TestParseUsers(t *testing.T) {
	got, err := parseUsers(printedUsers)
	if err == nil {
		err = parseCoordinators(printedCoordinators, got)
	}
	if err != nil {
		t.Fatal(err)
	}
	want := []User{
		{Name: "alice", UID: 999},
		{Name: "grace", UID: 990, Coordinates: []string{"astro", "lab"}},
		{Name: "ostrich", UID: 988, Operator: true},
		{Name: "root", UID: 0, Operator: true},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	for _, bad := range []string{"UserName=alice AdminLevel=Operator\n", "UserName=alice(-1) AdminLevel=None\n", "UserName=(0) AdminLevel=None\n", "UserName=\n"} {
		if _, err := parseUsers(bad); err == nil || !strings.HasPrefix(err.Error(), "scontrol show assoc_mgr: ") {
			t.Errorf("%q: %v", bad, err)
		}
	}
	if err := parseCoordinators("alice\n", nil); err == nil || !strings.HasPrefix(err.Error(), "sacctmgr: ") {
		t.Error(err)
	}
}

// slurmdbd has a PrivateData of its own, which sacctmgr shows after that of slurm.conf.
func TestParsePrivate(t *testing.T) {
	const printed = "Configuration data as of 2026-11-23T12:30:34\nPrivateData            = users\nTrackWCKey             = No\n\n" +
		"SlurmDBD configuration:\nPluginDir              = /usr/lib/x86_64-linux-gnu/slurm-wlm\nPrivateData            = "
	for text, want := range map[string][]string{"none\nPurgeEventAfter        = NONE\n": nil, "jobs,usage\n": {"jobs", "usage"}, "Jobs\n": {"jobs"}} {
		if diff := cmp.Diff(want, parsePrivate(printed+text)); diff != "" {
			t.Errorf("%q:\n%s", text, diff)
		}
	}
	for _, other := range []string{"", "PrivateData            = none\n", "SlurmDBD configuration:\n"} {
		if got := parsePrivate(other); !slices.Equal(got, []string{"jobs"}) {
			t.Errorf("%q: %q", other, got)
		}
	}
}

func FuzzParseUsers(f *testing.F) {
	f.Add(printedUsers, printedCoordinators)
	f.Fuzz(func(t *testing.T, users, coordinators string) {
		list, err := parseUsers(users)
		if err == nil {
			_ = parseCoordinators(coordinators, list) // only a panic is wrong
		}
		for _, u := range list {
			if u.Name == "" || u.UID >= unknownUID {
				t.Errorf("%+v", u)
			}
		}
	})
}

// PrivateData and SlurmUser decide who sees what.
func TestPrivateData(t *testing.T) {
	for text, want := range map[string][]string{
		"PrivateData = none\n": nil, "PrivateData = (null)\n": nil, "PrivateData = jobs\n": {"jobs"}, "PrivateData = Jobs,usage,Users\n": {"jobs", "usage", "users"},
	} {
		c, err := parseConfig("ClusterName = c\nPriorityType = priority/basic\nSLURM_VERSION = 22.05.8\n" + text)
		if diff := cmp.Diff(want, c.PrivateData); diff != "" || err != nil {
			t.Errorf("%q: %v\n%s", text, err, diff)
		}
	}
	for text, want := range map[string]uint32{"slurm(64030)": 64030, "root(0)": 0, "slurm": 0, "slurm(x)": 0, "": 0, "slurm(99999999999)": 0} {
		if got := uidOf(text); got != want {
			t.Errorf("%q: %d, want %d", text, got, want)
		}
	}
}

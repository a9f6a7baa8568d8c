package slurm

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/priority"
)

func changes(ids ...ostrich.JobID) []priority.Change {
	list := make([]priority.Change, len(ids))
	for i, id := range ids {
		list[i] = priority.Change{Job: id, To: 100 * int64(id)}
	}
	return list
}

type became struct {
	Job    ostrich.JobID
	Status priority.Status
	Words  string
}

func outcomes(r priority.Result) []became {
	list := make([]became, len(r.Outcomes))
	for i, o := range r.Outcomes {
		list[i] = became{o.Job, o.Status, o.Words}
	}
	return list
}

func TestUpdateOutcomes(t *testing.T) {
	f := newFake(
		t, "id=1", "id=2 refuse=Job~update~not~available~right~now~for~job~2", "id=3 ignore=yes", "id=5",
		`id=6 refuse=one~line\nand~another`, "id=7 ignore=yes reason=Dependency",
	)
	r, err := f.Update(t.Context(), priority.SiteFactor, changes(1, 2, 3, 4, 5, 6, 7))
	if err != nil {
		t.Fatal(err)
	}
	want := []became{
		{1, priority.Applied, ""},
		{2, priority.Refused, "Job update not available right now for job 2"},
		{3, priority.NotApplied, ""},
		{4, priority.Gone, "Invalid job id specified for job 4"},
		{5, priority.Applied, ""},
		{6, priority.Refused, "one line; and another"},
		{7, priority.Unknown, ""},
	}
	if diff := cmp.Diff(want, outcomes(r)); diff != "" {
		t.Errorf("outcomes (-want +got):\n%s", diff)
	}
	if ran := f.Ran("scontrol"); ran != 1 {
		t.Errorf("scontrol ran %d times for one burst", ran)
	}
	if len(r.Queue) != 6 || r.Count(priority.Applied) != 2 {
		t.Errorf("%d jobs read back, %d applied", len(r.Queue), r.Count(priority.Applied))
	}
}

func TestUpdateEveryChannel(t *testing.T) {
	for _, ch := range []priority.Channel{priority.SiteFactor, priority.Nice, priority.Priority} {
		f := newFake(t, "id=1")
		r, err := f.Update(t.Context(), ch, changes(1))
		if err != nil || r.Count(priority.Applied) != 1 {
			t.Errorf("%s: %+v, %v", ch, outcomes(r), err)
		}
	}
}

func TestUpdateStops(t *testing.T) {
	tests := []struct {
		name   string
		queue  []string
		change func(*fake)
		want   []became
		is     error
		says   string
	}{
		{
			"slurmctld is away",
			[]string{"id=1", "id=2 refuse=slurm_update~error:~Unable~to~contact~slurm~controller~(connect~failure)", "id=3"},
			nil,
			[]became{{1, priority.Unknown, ""}, {2, priority.Unknown, ""}, {3, priority.Unsent, ""}},
			ErrUnreachable, "connect failure",
		},
		{
			"munge is away",
			[]string{"id=1", "id=2 refuse=slurm_update~error:~Invalid~authentication~credential", "id=3"},
			nil,
			[]became{{1, priority.Unknown, ""}, {2, priority.Unknown, ""}, {3, priority.Unsent, ""}},
			ErrUnreachable, "authentication",
		},
		{
			"whether the right is lost is not known",
			[]string{"id=1", "id=2 refuse=Access/permission~denied~for~job~2", "id=3 refuse=Access/permission~denied~for~job~3"},
			func(f *fake) { f.Set("users", "UserName=us AdminLevel=Operator\n") },
			[]became{{1, priority.Applied, ""}, {2, priority.Unsent, "Access/permission denied for job 2"}, {3, priority.Unsent, ""}},
			nil, "denied for job 2; whether the right to change jobs is lost is not known: scontrol show assoc_mgr: line",
		},
		{
			"the right is lost",
			[]string{
				"id=1", "id=2 refuse=Access/permission~denied~for~job~2", "id=3 refuse=Access/permission~denied~for~job~3",
				"id=4 refuse=Access/permission~denied~for~job~4",
			},
			func(f *fake) {
				f.Set("users", fmt.Sprintf("UserName=us(%d) AdminLevel=None\nUserName=other(%d) AdminLevel=Operator\n", os.Geteuid(), os.Geteuid()+1))
			},
			[]became{{1, priority.Applied, ""}, {2, priority.Unsent, "Access/permission denied for job 2"}, {3, priority.Unsent, ""}, {4, priority.Unsent, ""}},
			ErrDenied, "denied for job 2; is AdminLevel=Operator still set?",
		},
		{
			"scontrol was ahead of its words",
			[]string{"id=1 refuse=Invalid~user~id~for~job~1", "id=2 ahead=200"},
			nil,
			[]became{{1, priority.Unsent, "Invalid user id for job 1"}, {2, priority.Applied, ""}},
			ErrDenied, "Invalid user id for job 1",
		},
		{
			"scontrol hangs",
			[]string{"id=1", "id=2 hang=yes", "id=3"},
			func(f *fake) { f.BurstTimeout = 3 * time.Second },
			[]became{{1, priority.Applied, ""}, {2, priority.Unknown, ""}, {3, priority.Unsent, ""}},
			context.DeadlineExceeded, "1 of 3 changes",
		},
		{
			"scontrol dies",
			[]string{"id=1", "id=2", "id=3 die=yes"},
			nil,
			[]became{{1, priority.Applied, ""}, {2, priority.Applied, ""}, {3, priority.Unsent, ""}},
			nil, "scontrol: ended after 2 of 3 changes: exit status 1: scontrol: fatal: out of luck",
		},
		{
			"scontrol fails at once",
			[]string{"id=1"},
			func(f *fake) { f.Set("fail-scontrol", "scontrol: fatal: no configuration") },
			[]became{{1, priority.Unsent, ""}},
			nil, "no configuration",
		},
		{
			"squeue fails afterwards",
			[]string{"id=1"},
			func(f *fake) { f.Set("fail-squeue", "squeue: error: no") },
			[]became{{1, priority.Unknown, ""}},
			nil, "read back: squeue: exit status 1: squeue: error: no",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := newFake(t, tt.queue...)
			if tt.change != nil {
				tt.change(f)
			}
			ids := make([]ostrich.JobID, len(tt.want))
			for i := range ids {
				ids[i] = tt.want[i].Job
			}
			r, err := f.Update(t.Context(), priority.SiteFactor, changes(ids...))
			if diff := cmp.Diff(tt.want, outcomes(r)); diff != "" {
				t.Errorf("outcomes (-want +got):\n%s", diff)
			}
			if err == nil || !strings.Contains(err.Error(), tt.says) || (tt.is != nil && !errors.Is(err, tt.is)) {
				t.Errorf("error %v, want %q in it", err, tt.says)
			}
		})
	}
}

// A plugin of job_submit may deny single jobs in the words of a lost right.
func TestUpdateGoesOnPastDeniedJobs(t *testing.T) {
	const denied = "Access/permission denied for job "
	f := newFake(t, "id=1 refuse=Access/permission~denied~for~job~1", "id=2", "id=3 refuse=Access/permission~denied~for~job~3", "id=4")
	f.Set("users", fmt.Sprintf("UserName=us(%d) DefAccount=root DefWckey= AdminLevel=Operator\n", os.Geteuid()))
	r, err := f.Update(t.Context(), priority.SiteFactor, changes(1, 2, 3, 4))
	want := []became{{1, priority.Refused, denied + "1"}, {2, priority.Applied, ""}, {3, priority.Refused, denied + "3"}, {4, priority.Applied, ""}}
	if diff := cmp.Diff(want, outcomes(r)); err != nil || diff != "" {
		t.Errorf("%v; outcomes (-want +got):\n%s", err, diff)
	}
}

func TestUpdateCancelled(t *testing.T) {
	f := newFake(t, "id=1", "id=2 hang=yes", "id=3")
	ctx, cancel := context.WithCancel(t.Context())
	var cancelled time.Time
	go func() {
		defer cancel()
		for ctx.Err() == nil && f.Ran("hang") == 0 {
			time.Sleep(20 * time.Millisecond)
		}
		cancelled = time.Now()
	}()
	r, err := f.Update(ctx, priority.SiteFactor, changes(1, 2, 3))
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("error %v, want canceled", err)
	}
	// Reading back has a second, which a slow machine may exceed.
	first := priority.Applied
	if errors.Is(err, context.DeadlineExceeded) {
		if took := time.Since(cancelled); took < time.Second {
			t.Errorf("reading back was given up %v after the end", took)
		}
		first = priority.Unknown
	}
	if diff := cmp.Diff([]priority.Status{first, priority.Unknown, priority.Unsent}, []priority.Status{r.Outcomes[0].Status, r.Outcomes[1].Status, r.Outcomes[2].Status}); diff != "" {
		t.Errorf("outcomes, %v (-want +got):\n%s", err, diff)
	}
}

// TestTimeoutsHoldAroundScripts hides the commands behind scripts, as sites do.
func TestTimeoutsHoldAroundScripts(t *testing.T) {
	for name, how := range map[string]string{"child": "sleep 10", "child of another group": "setsid sleep 10"} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			pid := filepath.Join(dir, "pid")
			script := "#!/bin/sh\n" + how + " &\necho $! > " + pid + "\nwait\n"
			for _, command := range []string{"scontrol", "sprio"} {
				if err := os.WriteFile(filepath.Join(dir, command), []byte(script), 0o700); err != nil {
					t.Fatal(err)
				}
			}
			s := Commands{Dir: dir, Timeout: time.Second, BurstTimeout: time.Second}
			within := func(what string, err error, began time.Time) {
				t.Helper()
				if took := time.Since(began); !errors.Is(err, context.DeadlineExceeded) || took > 6*time.Second {
					t.Errorf("%s: %v after %v", what, err, took)
				}
				text, err := os.ReadFile(pid)
				if err != nil {
					t.Fatal(err)
				}
				alive := func() bool { // a killed process is so for another moment
					stat, err := os.ReadFile(filepath.Join("/proc", strings.TrimSpace(string(text)), "stat"))
					return err == nil && !strings.Contains(string(stat), ") Z ")
				}
				for name == "child" && alive() {
					if time.Since(began) > 6*time.Second {
						t.Fatalf("%s: the child was not killed", what)
					}
					time.Sleep(time.Millisecond)
				}
			}
			began := time.Now()
			_, err := s.Queue(t.Context())
			within("sprio", err, began)
			began = time.Now()
			_, err = s.Update(t.Context(), priority.SiteFactor, changes(1))
			within("scontrol", err, began)
		})
	}
}

func TestUpdateRejectsBadChanges(t *testing.T) {
	bad := map[string]struct {
		ch     priority.Channel
		change priority.Change
	}{
		"job 0":              {priority.SiteFactor, priority.Change{To: 5}},
		"large site":         {priority.SiteFactor, priority.Change{Job: 1, To: math.MaxInt32 - 1}},
		"large nice":         {priority.Nice, priority.Change{Job: 1, To: -math.MaxInt32 + 1}},
		"priority too large": {priority.Priority, priority.Change{Job: 1, To: math.MaxUint32 - 1}},
		"negative priority":  {priority.Priority, priority.Change{Job: 1, To: -1}},
		"two commands":       {priority.SiteFactor, priority.Change{Job: 1, To: 5, Spec: "1\nshutdown"}},
		"two words":          {priority.SiteFactor, priority.Change{Job: 1, To: 5, Spec: "1 priority"}},
		"other channel":      {"comment", priority.Change{Job: 1, To: 5}},
	}
	for name, b := range bad {
		f := newFake(t, "id=1")
		r, err := f.Update(t.Context(), b.ch, []priority.Change{{Job: 2, To: 1}, b.change, {Job: 3, To: 1}})
		if err == nil {
			t.Errorf("%s: accepted", name)
		}
		want := []became{{2, priority.Unsent, ""}, {b.change.Job, priority.Unsent, ""}, {3, priority.Unsent, ""}}
		if diff := cmp.Diff(want, outcomes(r)); diff != "" {
			t.Errorf("%s: outcomes (-want +got):\n%s", name, diff)
		}
		if ran := f.Ran("scontrol"); ran != 0 {
			t.Errorf("%s: scontrol ran", name)
		}
	}
}

func TestCommandErrors(t *testing.T) {
	t.Run("missing", func(t *testing.T) {
		s := Commands{Dir: t.TempDir()}
		_, err := s.Queue(t.Context())
		if !errors.Is(err, os.ErrNotExist) || !strings.HasPrefix(err.Error(), "sprio: ") {
			t.Errorf("error %v", err)
		}
		r, err := s.Update(t.Context(), priority.SiteFactor, changes(1))
		if !errors.Is(err, os.ErrNotExist) || !strings.HasPrefix(err.Error(), "scontrol: ") || r.Outcomes[0].Status != priority.Unsent {
			t.Errorf("error %v", err)
		}
	})
	t.Run("hanging", func(t *testing.T) {
		f := newFake(t)
		f.Set("fail-sprio", "nothing yet")
		f.Set("hang-sprio", "")
		f.Timeout = 300 * time.Millisecond
		_, err := f.Queue(t.Context())
		if !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "sprio: no answer within 300ms") {
			t.Errorf("error %v", err)
		}
	})
	t.Run("unreachable", func(t *testing.T) {
		f := newFake(t)
		f.Set("fail-sprio", "Unable to contact slurm controller (connect failure)")
		if _, err := f.Queue(t.Context()); !errors.Is(err, ErrUnreachable) {
			t.Errorf("error %v", err)
		}
	})
	t.Run("no multifactor", func(t *testing.T) {
		f := newFake(t, "id=1")
		f.Set("fail-sprio", "You are not running a supported priority plugin\n(priority/basic).")
		queue, err := f.Queue(t.Context())
		if err != nil || len(queue) != 1 || queue[0].Listed {
			t.Errorf("%+v, %v", queue, err)
		}
	})
	t.Run("bad user name", func(t *testing.T) {
		if _, err := (Commands{Dir: t.TempDir()}).AdminLevel(t.Context(), "a b"); err == nil {
			t.Error("accepted")
		}
	})
}

func TestEnvironment(t *testing.T) {
	got := slices.DeleteFunc([]string{"PATH=/bin", "SQUEUE_FORMAT=%i", "SPRIO_LOCAL=1", "SLURM_TIME_FORMAT=relative", "SLURM_CONF=/etc/x", "SLURM_CLUSTERS=other", "OSTRICH_DATABASE_PASSWORD=secret"}, unwanted.MatchString)
	if diff := cmp.Diff([]string{"PATH=/bin", "SLURM_CONF=/etc/x"}, got); diff != "" {
		t.Errorf("environment (-want +got):\n%s", diff)
	}
	cmd := Commands{Conf: "/c", Cluster: "far", Dir: "/opt"}.command(t.Context(), "squeue", "-h")
	if diff := cmp.Diff([]string{"/opt/squeue", "-M", "far", "-h"}, cmd.Args); diff != "" {
		t.Errorf("arguments (-want +got):\n%s", diff)
	}
	own := []string{"LC_ALL=C", "SLURM_TIME_FORMAT=%s", "SLURM_BITSTR_LEN=0", "SLURM_CONF=/c"}
	if diff := cmp.Diff(own, cmd.Env[len(cmd.Env)-len(own):]); diff != "" {
		t.Errorf("the last variables (-want +got):\n%s", diff)
	}
	if cmd.Path != "/opt/squeue" {
		t.Errorf("path %s", cmd.Path)
	}
	cmd = Commands{Cluster: "far", Dir: "/opt"}.command(t.Context(), "sacctmgr", "show", "qos")
	if diff := cmp.Diff([]string{"/opt/sacctmgr", "show", "qos"}, cmd.Args); diff != "" { // its -M has another meaning
		t.Errorf("arguments (-want +got):\n%s", diff)
	}
}

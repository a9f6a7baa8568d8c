package sidecar

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"slurm-ostrich/cmd/internal/configuration"
	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/accounting/ledger"
	"slurm-ostrich/priority/slurm"
)

// remarks is a site whose slurmctld knows comments.
type remarks struct {
	*site

	comments []slurm.Comment
}

func (r *remarks) Comments(context.Context) ([]slurm.Comment, error) {
	return slices.Clone(r.comments), r.did("comments")
}

// remark puts a job of user 7 with a comment into the accounting and into the queue.
func (r *remarks) remark(id int, at ostrich.Time, comment string) {
	r.submit(id, 7, at, "main")
	r.comments = append(r.comments, slurm.Comment{Job: ostrich.JobID(id), Array: ostrich.JobID(id), Text: comment})
}

// begin starts a sidecar of the site.
func (r *remarks) begin(t *testing.T, edit ...func(*configuration.Config)) *Sidecar {
	t.Helper()
	c := configuration.Default()
	c.Cluster, c.Schedule.Hints, c.Campaign.Declared = r.Conf.ClusterName, configuration.HintsComment, ledger.InComment
	for _, e := range edit {
		e(&c)
	}
	sc, err := New(c, r.site, r, r.Conf, r.Parts)
	if err != nil {
		t.Fatal(err)
	}
	return sc
}

// campaigns lists the campaigns of the only pool: name, work and pending jobs.
func campaigns(t *testing.T, sc *Sidecar) string {
	t.Helper()
	c, err := sc.Run(t.Context(), false)
	if err != nil {
		t.Fatal(err)
	}
	if len(c.Odd) != 0 {
		t.Fatal(c.Odd)
	}
	var list []string
	for _, in := range c.Pools {
		for _, one := range in.Schedule.Campaigns() {
			list = append(list, fmt.Sprintf("%s %v %v", one.Name, one.Work, slices.Sorted(slices.Values(append(one.Pending, one.Running...)))))
		}
	}
	slices.Sort(list)
	return strings.Join(list, ", ")
}

// asked is how often the site was asked for comments.
func (r *remarks) asked() (n int) {
	for _, call := range r.calls {
		if call == "comments" {
			n++
		}
	}
	return n
}

func TestComments(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := &remarks{site: newSite()}
		r.remark(1, 9000, "campaign:a,expect=1")
		r.remark(2, 9001, "just words")
		r.remark(3, 9002, "campaign:a")
		sc := r.begin(t)
		check := func(want string) {
			t.Helper()
			if got := campaigns(t, sc); got != want {
				t.Errorf("live: %s, want %s", got, want)
			}
			// A second daemon that starts now is told of all jobs as they are.
			again := &remarks{site: newSite(), comments: r.comments}
			again.Now = r.Now
			for _, rec := range r.Records {
				j := rec.Job
				again.Records[j.ID] = rec
				pending := j
				pending.Start = 0
				again.Events = append(again.Events, ostrich.Event{At: j.Submit, Kind: ostrich.Submit, Job: pending})
				if j.Start != 0 {
					again.Events = append(again.Events, ostrich.Event{At: j.Start, Kind: ostrich.Start, Job: j})
				}
			}
			if got := campaigns(t, again.begin(t)); got != want {
				t.Errorf("restarted: %s, want %s", got, want)
			}
		}
		// 2 processors for the hint, or for the limit of 600 s.
		check(" 1200 [2], a 1320 [1 3]")
		if n := r.asked(); n != 1 {
			t.Errorf("asked %d times, want once", n)
		}
		// A job that started at once was never pending.
		r.remark(4, 9990, "campaign:a")
		started := r.Records[4].Job
		started.Start = 9991
		r.Records[4] = &ledger.Record{Job: started}
		r.Pending = r.Pending[:3]
		r.Events = append(r.Events, ostrich.Event{At: 9991, Kind: ostrich.Start, Job: started})
		check(" 1200 [2], a 2520 [1 3 4]")
		if n := r.asked(); n != 2 {
			t.Errorf("asked %d times, want twice", n)
		}
		check(" 1200 [2], a 2520 [1 3 4]")
		if n := r.asked(); n != 2 {
			t.Errorf("asked %d times although nothing is new", n)
		}
	})
}

// TestCommentsChange: what users change is read a minute later.
func TestCommentsChange(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := &remarks{site: newSite()}
		r.remark(1, 9000, "campaign:a")
		r.remark(2, 9001, "")
		sc := r.begin(t)
		want := func(want string) {
			t.Helper()
			if got := campaigns(t, sc); got != want {
				t.Errorf("got %s, want %s", got, want)
			}
		}
		want(" 1200 [2], a 1200 [1]")
		r.comments[0].Text, r.comments[1].Text = "expect=1", "campaign:b"
		want(" 1200 [2], a 1200 [1]")
		time.Sleep(configAge)
		r.Now += 60
		want(" 120 [1], b 1200 [2]")
		if asked := r.asked(); asked != 2 {
			t.Errorf("asked %d times, want twice", asked)
		}
	})
}

// TestCommentsFail: a cycle that cannot read comments fails, and the next one
// makes up for it.
func TestCommentsFail(t *testing.T) {
	r := &remarks{site: newSite()}
	r.remark(1, 9000, "campaign:a")
	sc := r.begin(t)
	r.fail["comments"] = errors.New("squeue: away")
	if _, err := sc.Run(t.Context(), false); err == nil || err.Error() != "squeue: away" {
		t.Errorf("err = %v", err)
	}
	delete(r.fail, "comments")
	if got, want := campaigns(t, sc), "a 1200 [1]"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	r.remark(2, 9001, "campaign:b") // within a minute, so only a new job makes it ask
	r.fail["comments"] = errors.New("squeue: away")
	if _, err := sc.Run(t.Context(), false); err == nil {
		t.Error("no error")
	}
	delete(r.fail, "comments")
	// The campaign that it opened before it was known to belong to another one stays in line, empty.
	if got, want := campaigns(t, sc), " 0 [], a 1200 [1], b 1200 [2]"; got != want {
		t.Errorf("after another failure: %s, want %s", got, want)
	}
}

// A task has the comment of its array, whichever record of that squeue shows; what
// accounting has stored counts where slurmctld says nothing; and what has ended is forgotten.
func TestCommentsOfTasks(t *testing.T) {
	whole, task := slurm.Comment{Job: 7, Array: 7, Text: "expect=2"}, slurm.Comment{Job: 9, Array: 7, Text: "expect=1"}
	for _, tt := range []struct {
		known []slurm.Comment
		want  ostrich.Duration
	}{
		{[]slurm.Comment{whole, task}, 120},
		{[]slurm.Comment{task, whole}, 120},
		{[]slurm.Comment{task}, 60},
		{[]slurm.Comment{{Job: 7, Array: 7}}, 5},
		{nil, 5},
	} {
		c := configuration.Default()
		c.Schedule.Hints = configuration.HintsComment
		m := newComments(&c, &remarks{site: newSite(), comments: tt.known})
		e := ostrich.Event{Kind: ostrich.Submit, Job: ostrich.Job{ID: 11, Group: 7, Hint: 5}}
		for i, kind := range []ostrich.Kind{ostrich.Submit, ostrich.End} {
			e.Kind = kind
			events := []ostrich.Event{e}
			equal(t, "hint", tt.want, m.join(t.Context(), events)[0].Job.Hint)
			equal(t, "remembered", 1-i, len(m.passed))
		}
	}
}

// TestCommentsOff: comments are read only where a setting asks for them.
func TestCommentsOff(t *testing.T) {
	for _, tt := range []struct {
		hints    string
		declared ledger.DeclareBy
		asked    int
		want     string
	}{
		{"off", ledger.NotDeclared, 0, " 2400 [1 2]"},
		{"off", ledger.InName, 0, " 2400 [1 2]"},
		{"comment", ledger.NotDeclared, 1, " 1320 [1 2]"},
		{"off", ledger.InComment, 1, " 1200 [2], a 1200 [1]"},
	} {
		r := &remarks{site: newSite()}
		r.remark(1, 9000, "campaign:a,expect=1")
		r.remark(2, 9001, "")
		sc := r.begin(t, func(c *configuration.Config) { c.Schedule.Hints, c.Campaign.Declared = tt.hints, tt.declared })
		if got := campaigns(t, sc); got != tt.want || r.asked() != tt.asked {
			t.Errorf("hints %s, declared %s: %s, asked %d times; want %s", tt.hints, tt.declared, got, r.asked(), tt.want)
		}
	}
}

package livecompare

import (
	"cmp"
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"slurm-ostrich/cmd/internal/sidecar"
	"slurm-ostrich/ostrich"
)

// obedient is a Slurm that starts jobs in OStrich's order, with EASY
// backfilling: what it does, OStrich would have done.
type obedient struct {
	*site
	procs int
	order []ostrich.JobID // of the latest cycle
	runs  map[ostrich.JobID]ostrich.Duration
}

// pass starts what can start now. It looks for the reservation second by second.
func (o *obedient) pass() {
	free := o.procs
	for _, r := range o.Records {
		if j := &r.Job; j.Start != 0 {
			free -= j.Procs
		}
	}
	reserved, spare := ostrich.Time(0), 0
	for _, id := range o.candidates() {
		j := &o.Records[id].Job
		until := o.Now + ostrich.Time(j.Estimate)
		switch {
		case j.Procs > free, reserved != 0 && until > reserved && j.Procs > spare:
			for at := o.Now; reserved == 0 && j.Procs <= o.procs; at++ {
				if idle := o.idleAt(at); idle >= j.Procs {
					reserved, spare = at, idle-j.Procs
				}
			}
		default:
			free -= j.Procs
			if reserved != 0 && until > reserved {
				spare -= j.Procs
			}
			o.start(int(id))
		}
	}
}

// idleAt is how many processors are idle at a time if all goes as expected.
func (o *obedient) idleAt(at ostrich.Time) int {
	idle := o.procs
	for _, r := range o.Records {
		if j := &r.Job; j.Start != 0 && j.Start+ostrich.Time(j.Estimate) > at {
			idle -= j.Procs
		}
	}
	return idle
}

// candidates are the pending jobs in the latest order, and those that came
// since after them.
func (o *obedient) candidates() []ostrich.JobID {
	var list []ostrich.JobID
	for _, id := range o.order {
		if o.Find(id) != nil {
			list = append(list, id)
		}
	}
	ordered := len(list)
	for i := range o.Pending {
		if id := o.Pending[i].Job; !slices.Contains(o.order, id) {
			list = append(list, id)
		}
	}
	slices.SortFunc(list[ordered:], func(a, b ostrich.JobID) int {
		return cmp.Or(cmp.Compare(o.Find(a).Submit, o.Find(b).Submit), cmp.Compare(a, b))
	})
	return list
}

// Where Slurm does as OStrich would, all starts are the same: whatever comes,
// ends early or is cancelled, and however short jobs are expected to be.
func TestObedient(t *testing.T) { inBothOrders(t, obedience) }

func obedience(t *testing.T, order func(*sidecar.Config)) {
	t.Helper()
	rapid.Check(t, func(r *rapid.T) {
		procs := rapid.IntRange(2, 12).Draw(r, "procs")
		o := &obedient{site: newSite(t, procs, order, accepts12), procs: procs, runs: make(map[ostrich.JobID]ostrich.Duration)}
		o.cycle()
		next, started := 1, 0
		for range rapid.IntRange(1, 40).Draw(r, "cycles") {
			o.Now += 3
			for range rapid.IntRange(0, 3).Draw(r, "submissions") {
				limit := ostrich.Duration(rapid.IntRange(1, 30).Draw(r, "limit") * 10)
				o.submit(next, rapid.IntRange(1, 4).Draw(r, "user"), rapid.IntRange(1, procs).Draw(r, "width"), limit)
				o.runs[ostrich.JobID(next)] = ostrich.Duration(rapid.IntRange(10, int(limit)).Draw(r, "length"))
				next++
			}
			o.Now += 3
			for _, id := range sorted(o.Records) {
				switch j := &o.Records[id].Job; {
				case j.Start == 0 && rapid.IntRange(0, 30).Draw(r, fmt.Sprint("cancel ", id)) == 0:
					o.end(int(id))
				case j.Start != 0 && o.Now >= j.Start+ostrich.Time(o.runs[id]):
					o.end(int(id))
				}
			}
			before := len(o.Pending)
			o.pass()
			started += before - len(o.Pending)
			o.Now += 4
			c, err := o.sidecar.Run(t.Context(), false)
			if err != nil {
				r.Fatal(err)
			}
			o.shadow.Observe(c, o)
			o.order = o.order[:0]
			for _, e := range c.Plan.Entries {
				o.order = append(o.order, e.Job)
			}
			if a := o.shadow.Report().Satisfaction; a.Real != a.Shadow || a.Accepted != "1,0.2" {
				r.Fatalf("at %d: in time %+v", o.Now, a)
			}
			got := o.shadow.Report().Starts
			if got.Earlier != 0 || got.Later != 0 || int(got.Same+got.NotCompared) != started {
				r.Fatalf("at %d: %d started; %+v", o.Now, started, got)
			}
		}
	})
}

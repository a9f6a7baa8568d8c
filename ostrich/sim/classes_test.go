package sim

import (
	"slices"
	"testing"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/campaign"
)

// TestClassed: all of the first class go before the second, and inside a class the
// shorter campaign goes first. Without classes it does in the whole queue.
func TestClassed(t *testing.T) {
	var campaigns []Campaign
	for i, run := range []ostrich.Duration{100, 10, 500, 50, 300} { // the first runs when the others come
		job := Job{ID: ostrich.JobID(i + 1), Procs: 1, Run: run, Estimate: run}
		campaigns = append(campaigns, NewCampaign(ostrich.UserID(i+1), ostrich.Time(min(i, 1)), 0, job))
	}
	first := Classes{Number: 2, Of: func(id ostrich.JobID) int {
		if id == 2 || id == 5 {
			return 1
		}
		return 0
	}}
	o := ostrich.Options{Machine: ostrich.Parallel, Settle: true, Gate: ostrich.Off}
	for _, tt := range []struct {
		name    string
		classes Classes
		want    []ostrich.JobID
	}{
		{"two", first, []ostrich.JobID{1, 4, 3, 2, 5}},
		{"none", Classes{}, []ostrich.JobID{1, 2, 4, 5, 3}},
	} {
		loop := Machine{Procs: 1, Open: true, Policy: Classed(o, tt.classes)}
		jobs, err := loop.Run(campaigns)
		if err != nil {
			t.Fatal(err)
		}
		starts := make(map[ostrich.JobID]ostrich.Time)
		var got []ostrich.JobID
		for _, j := range jobs {
			starts[j.ID] = j.Start
			got = append(got, j.ID)
		}
		slices.SortFunc(got, func(a, b ostrich.JobID) int { return int(starts[a] - starts[b]) })
		if !slices.Equal(got, tt.want) {
			t.Errorf("%s: order %v, want %v", tt.name, got, tt.want)
		}
	}
}

// TestClassedLate: what the class above takes does not bring a campaign's virtual
// completion nearer.
func TestClassedLate(t *testing.T) {
	o := ostrich.Options{Machine: ostrich.Parallel, Settle: true, Gate: ostrich.Off}
	late := func(classes Classes) bool {
		made, err := Classed(o, classes)(1)
		if err != nil {
			t.Fatal(err)
		}
		r := made.(*sidecar)
		job := func(id ostrich.JobID, run ostrich.Duration, start ostrich.Time) ostrich.Job {
			return ostrich.Job{ID: id, User: ostrich.UserID(id), Procs: 1, Estimate: run, Submit: 1, Start: start}
		}
		for _, e := range []ostrich.Event{
			{At: 1, Kind: ostrich.Submit, Job: job(1, 1000, 0)},
			{At: 1, Kind: ostrich.Submit, Job: job(2, 100, 0)},
			{At: 1, Kind: ostrich.Start, Job: job(1, 1000, 1)},
		} {
			if err := r.Step(e); err != nil {
				t.Fatal(err)
			}
		}
		if err := r.AdvanceTo(900); err != nil {
			t.Fatal(err)
		}
		last := r.schedules[len(r.schedules)-1]
		for _, c := range last.Campaigns() {
			if c.User == 2 {
				return c.Completed
			}
		}
		t.Fatal("no campaign of user 2")
		return false
	}
	alone := late(Classes{})
	classed := late(Classes{Number: 2, Of: func(id ostrich.JobID) int { return int(id) - 1 }})
	if !alone || classed {
		t.Errorf("the campaign that waits is completed virtually: %t without classes and %t with two, want true and false", alone, classed)
	}
}

// TestClassedAsPools: at every event of a history the order is that of the daemon's pools.
func TestClassedAsPools(t *testing.T) {
	o := ostrich.Options{Procs: 4, Machine: ostrich.Parallel, Settle: true, Gate: ostrich.Off, Rule: campaign.Rule{By: campaign.Window, Threshold: 60}}
	class := func(id ostrich.JobID) int { return int(id) % 3 / 2 } // every third is normal
	names := []string{"urgent", "normal"}
	pools, err := ostrich.NewPools(o, 0, ostrich.Classes{Names: names, Of: func(_, qos string) int { return slices.Index(names, qos) }}, ostrich.Pool{})
	if err != nil {
		t.Fatal(err)
	}
	made, err := Classed(o, Classes{Number: 2, Of: class})(4)
	if err != nil {
		t.Fatal(err)
	}
	r := made.(*sidecar)
	add := func(e ostrich.Event) {
		t.Helper()
		e.Job.QOS = names[class(e.Job.ID)]
		pools.Add(e)
		if err := r.Step(e); err != nil {
			t.Fatal(err)
		}
		if err := r.AdvanceTo(e.At); err != nil {
			t.Fatal(err)
		}
		views, errs := pools.At(e.At)
		var want []ostrich.JobID
		for i, v := range views {
			if errs != nil && errs[i] != nil {
				t.Fatal(errs[i])
			}
			want = slices.AppendSeq(want, v.Schedule.Pending())
		}
		if got := r.Jobs(); !slices.Equal(got, want) {
			t.Errorf("at %d: order %v, want the daemon's %v", e.At, got, want)
		}
	}
	jobs := make([]ostrich.Job, 12)
	for i := range jobs {
		at := ostrich.Time(10 + 7*i)
		jobs[i] = ostrich.Job{ID: ostrich.JobID(i + 1), User: ostrich.UserID(1 + i%4), Procs: 1 + i%2, Estimate: ostrich.Duration(50 + 37*(i%5)), Submit: at}
		add(ostrich.Event{At: at, Kind: ostrich.Submit, Job: jobs[i]})
	}
	for i := range 4 {
		j := &jobs[(5*i)%12]
		j.Start = ostrich.Time(100 + 60*i)
		add(ostrich.Event{At: j.Start, Kind: ostrich.Start, Job: *j})
		j.End = j.Start + 50
		add(ostrich.Event{At: j.End, Kind: ostrich.End, Job: *j})
	}
}

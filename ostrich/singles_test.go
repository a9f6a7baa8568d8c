package ostrich

import (
	"testing"

	"slurm-ostrich/ostrich/campaign"
)

// TestSingles is what was seen on a live cluster: 30 single submissions of a
// minute each, two seconds apart, fell behind larger campaigns that came as
// one array. It prints when the singles end by the rule and by what a late job
// does, and when they end if they come as one array.
func TestSingles(t *testing.T) {
	run := func(o Options, single bool) (last, mean float64, others Time) {
		o.Procs = 32
		r := newMachine(t, o)
		ends := Time(0)
		r.until(2000, func(now Time) {
			if now == 0 {
				for i := range JobID(3 * 64) { // three larger campaigns, as arrays
					r.submit(Job{ID: 1000 + i, Group: 1000 + i/64*64, User: UserID(2 + i/64), Procs: 1, Estimate: 60})
				}
			}
			switch {
			case single && now%2 == 0 && now < 60:
				r.submit(Job{ID: 1 + JobID(now/2), User: 1, Procs: 1, Estimate: 60})
			case !single && now == 0:
				for i := range JobID(30) {
					r.submit(Job{ID: 1 + i, Group: 1, User: 1, Procs: 1, Estimate: 60})
				}
			}
		})
		for _, j := range r.ended {
			if j.User == 1 {
				ends = max(ends, j.End)
				mean += float64(j.End) / 30
			} else {
				others = max(others, j.End)
			}
		}
		return float64(ends), mean, others
	}
	for _, rule := range []campaign.Rule{{By: campaign.Max}, {By: campaign.Arrival, Threshold: 1800}, {By: campaign.Window, Threshold: 1800}} {
		for late := range Append + 1 {
			for _, machine := range []Machine{Sequential, Parallel} {
				for gate := range Off + 1 {
					if gate == Strict {
						continue
					}
					o := Options{Rule: rule, Late: late, Machine: machine, Gate: gate}
					last, mean, others := run(o, true)
					array, _, _ := run(o, false)
					t.Logf("%-8v %-7v %-10v %-7v singles end at %3.0f, on average %3.0f; as an array at %3.0f; others end at %d",
						rule.By, late, machine, gate, last, mean, array, others)
					// Their share is a quarter: 30 minutes on 8 processors are 240 s,
					// and one job may be in the way.
					if last > 60+240+60 {
						t.Errorf("singles end at %v", last)
					}
				}
			}
		}
	}
}

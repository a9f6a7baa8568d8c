package orderbench

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/report"
	"slurm-ostrich/ostrich/satisfaction"
	"slurm-ostrich/ostrich/sim"
)

var measures = report.Bench

// Figures has one of each measure, in their order. In JSON it is an object.
type Figures[T any] []T

// Measures are the figures of a run.
type Measures = Figures[float64]

// Ratios are those of all measures.
type Ratios = Figures[Ratio]

// Of returns the figure of the measure with a key in JSON, nil if there is none.
func (f Figures[T]) Of(key string) *T {
	for i := range f {
		if measures[i].Key == key {
			return &f[i]
		}
	}
	return nil
}

// MarshalJSON writes a field for each measure.
func (f Figures[T]) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	write := json.NewEncoder(&b)
	write.SetEscapeHTML(false)
	for i := range f {
		fmt.Fprintf(&b, "%c%q:", "{,"[min(i, 1)], measures[i].Key)
		if err := write.Encode(f[i]); err != nil {
			return nil, err
		}
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// UnmarshalJSON reads what MarshalJSON wrote. All fields must be there.
func (f *Figures[T]) UnmarshalJSON(raw []byte) error {
	fields := make(map[string]T)
	if err := json.Unmarshal(raw, &fields); err != nil {
		return err
	}
	*f = make(Figures[T], len(measures))
	for i, m := range measures {
		x, ok := fields[m.Key]
		if !ok {
			return fmt.Errorf("no measure %q", m.Key)
		}
		(*f)[i] = x
	}
	return nil
}

// MarshalJSON writes the names of the policy, then a field for each measure.
func (p PolicyRatios) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	write := json.NewEncoder(&b)
	write.SetEscapeHTML(false)
	type names PolicyRatios // without this method
	if err := write.Encode(names(p)); err != nil {
		return nil, err
	}
	b.Truncate(bytes.LastIndexByte(b.Bytes(), '}'))
	ratios, err := p.Ratios.MarshalJSON()
	if err != nil {
		return nil, err
	}
	b.WriteByte(',')
	b.Write(ratios[1:])
	return b.Bytes(), nil
}

// measured measures the jobs of a run on procs processors.
func measured(jobs []report.Job, procs int, floor ostrich.Duration, accept satisfaction.Acceptance) (Measures, error) {
	campaigns := report.Campaigns(jobs)
	report.SetFloor(campaigns, floor)
	if len(campaigns) == 0 {
		return nil, fmt.Errorf("nothing to measure: %w", sim.ErrWorkload)
	}
	all := report.Sample{Busy: utilisation(jobs, procs)}
	late := report.Late(jobs, campaigns, procs, accept)
	waits := make([]float64, len(jobs))
	for i := range jobs {
		all.AddJob(&jobs[i], jobs[i].Late(accept))
		waits[i] = float64(jobs[i].Start - jobs[i].Submit)
	}
	stretches := make([]float64, len(campaigns))
	type user struct{ sum, count, most float64 }
	index := make(map[ostrich.UserID]int)
	var users []user
	for i := range campaigns {
		c := &campaigns[i]
		all.AddCampaign(c, procs, late[i])
		stretches[i] = c.Stretch(procs)
		n, ok := index[c.User]
		if !ok {
			n = len(users)
			index[c.User], users = n, append(users, user{})
		}
		u := &users[n]
		u.sum, u.count, u.most = u.sum+stretches[i], u.count+1, max(u.most, stretches[i])
	}
	for _, u := range users {
		all.AddUser(u.sum/u.count, u.most, 1)
	}
	all.Stretch, all.Wait = report.PercentilesOf(stretches), report.PercentilesOf(waits)
	behind, err := sim.SharedLateness(jobs, procs)
	if err != nil {
		return nil, err
	}
	for _, late := range behind {
		all.AddBehind(late)
	}
	// Flows on a machine that all users with work share evenly, by true lengths.
	shared, err := sim.SharedFlows(jobs, procs, nil)
	if err != nil {
		return nil, err
	}
	rhos := make([]float64, len(campaigns))
	for i := range campaigns {
		rhos[i] = report.Rho(float64(campaigns[i].End-campaigns[i].Submit), shared[i], float64(floor))
	}
	slices.Sort(rhos)
	for _, rho := range rhos {
		all.AddRho(rho)
	}
	m := make(Measures, len(measures))
	for i := range measures {
		m[i] = measures[i].Of(&all)
	}
	return m, nil
}

// utilisation returns the part of the processors that is busy from the first
// submission to the last one. What runs later shows the end of the log more than
// the work of the order: one long job can double the time. If all jobs came at
// once, the period ends with the last end.
func utilisation(jobs []report.Job, procs int) float64 {
	first, end := report.Span(jobs)
	last := first
	for i := range jobs {
		last = max(last, jobs[i].Submit)
	}
	if last == first {
		last = end
	}
	return report.Utilisations(jobs, procs, first, last, ostrich.Duration(last-first))[0]
}

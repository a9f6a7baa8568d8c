package replay

import (
	"fmt"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/accounting"
	"slurm-ostrich/ostrich/sim"
	"slurm-ostrich/ostrich/trace"
)

// FromLog converts a workload log to accounting on a machine of m processors. Its
// users and groups are numbers, and become user5 in group2. Times are those of the
// log, from 1 on; the window is that of the submissions. Without a job it returns
// sim.ErrNoJobs.
func FromLog(log *trace.Log, m int) (*accounting.History, error) {
	jobs, in, err := sim.FromLog(log, m, sim.Asked)
	if err != nil {
		return nil, err
	}
	h := &accounting.History{Procs: m, Partitions: []string{""}, QOS: []string{""}, From: jobs[0].Submit + 1}
	for _, note := range in.Notes() {
		h.Notes = append(h.Notes, note+".")
	}
	groups := make(map[int64]int64)
	for i := range log.Records {
		groups[log.Records[i].User] = log.Records[i].Group
	}
	places := make(map[accounting.Association]int32)
	for i := range jobs {
		l := &jobs[i]
		a := accounting.Association{User: "nobody"}
		if l.User != sim.Nobody {
			a.User = fmt.Sprintf("user%d", l.User)
			if group := groups[int64(l.User)]; group >= 0 {
				a.Account = fmt.Sprintf("group%d", group)
			}
		}
		place, ok := places[a]
		if !ok {
			place = int32(len(h.Associations))
			places[a] = place
			h.Associations = append(h.Associations, a)
		}
		j := accounting.Job{
			ID: l.ID, Association: place, State: accounting.Completed, Procs: int32(l.Procs), Asked: int32(l.Procs),
			Submit: l.Submit + 1, Start: l.Start + 1, End: l.Start + 1 + ostrich.Time(l.Run), Limit: l.Estimate,
			Class: l.Class, NameClass: l.Class, // field 14, the program
		}
		h.Jobs = append(h.Jobs, j)
		h.To = max(h.To, j.Submit+1)
	}
	return h, nil
}

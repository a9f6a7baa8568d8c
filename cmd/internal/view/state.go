// Package view turns what a cycle of the sidecar found into what people ask:
// the plan, campaigns, shares, and why a job stands where it stands. The command
// ostrich and the status page of ostrichd say the same, as both say it from here.
package view

import (
	"cmp"
	"slices"

	"slurm-ostrich/cmd/internal/sidecar"
	"slurm-ostrich/ostrich"
	"slurm-ostrich/priority"
	"slurm-ostrich/slurmdb"
)

// Source is what is asked beside the cycle. *sidecar.Sidecar is one.
type Source interface {
	Config() sidecar.Config
	Live() []slurmdb.Record
	UserName(id ostrich.UserID) string
}

// State is what a cycle holds. It is a copy of what later cycles change, and
// shares with the cycle what they leave as it is, so it may be read while cycles
// run, and by several at once. Nothing in it may be changed.
type State struct {
	Cluster string
	Time    ostrich.Time // of the virtual schedule
	Channel string       // what is written, see sidecar.Config
	Mode    string       // of the priorities: strict or weight

	// Options are those of the plan, without what the journal knows.
	Options priority.Options

	Summary priority.Summary
	Entries []sidecar.Entry // the plan
	Untold  int             // of them, jobs of which accounting has not told yet
	Pools   []Pool          // in the order of the configuration

	Names map[ostrich.UserID]Owner

	live  []slurmdb.Record      // by id
	works []ostrich.Work        // of the entries
	more  map[ostrich.JobID]int // jobs that a record stands for beyond the first
}

// Pool is one pool's virtual schedule at the time of the state.
type Pool struct {
	ostrich.Pool
	Procs, Busy int
	Active      int                // users with a campaign that is not completed virtually
	Campaigns   []ostrich.Campaign // by user and number
	Users       []ostrich.User     // by id
}

// Owner is what competes for the machine. The account is empty with flat shares,
// where it is a user.
type Owner struct{ Account, User string }

// Look copies what a cycle found. No cycle of the same sidecar may run meanwhile.
func Look(from Source, c *sidecar.Cycle) *State {
	config := from.Config()
	s := &State{
		Cluster: config.Cluster, Time: c.Time, Channel: config.Priority.Channel, Mode: config.Priority.Mode,
		Summary: c.Plan.Summary, Entries: c.Plan.Entries, live: withProvisional(from.Live(), c.Provisional), Untold: len(c.Provisional),
		works: make([]ostrich.Work, len(c.Plan.Entries)), Names: make(map[ostrich.UserID]Owner),
		more: make(map[ostrich.JobID]int),
	}
	for i := range s.Entries {
		if s.Entries[i].Why == priority.Unheard {
			s.Untold++
		}
	}
	for i := range s.live {
		if j := &s.live[i].Job; j.Count() > 1 {
			s.more[j.ID] = j.Count() - 1
		}
	}
	s.Options = priority.Options{
		Channel: priority.Channel(s.Channel), Mode: priority.Mode(s.Mode), Weight: int64(config.Priority.Weight),
		Depth: config.Priority.Depth, Controller: c.Controller, Include: config.Include, Exclude: config.Exclude,
	}
	for _, in := range c.Pools {
		p := Pool{
			Pool: in.Pool, Procs: in.Schedule.Procs(), Busy: in.Schedule.Busy(), Active: in.Schedule.Active(),
			Campaigns: in.Schedule.Campaigns(), Users: in.Schedule.Users(),
		}
		for _, u := range p.Users {
			account, user := sidecar.Owner(from.UserName(u.User))
			s.Names[u.User] = Owner{account, user}
		}
		s.Pools = append(s.Pools, p)
	}
	for i := range s.Entries {
		for _, in := range c.Pools {
			if w, ok := in.Schedule.WorkOf(s.Entries[i].Job); ok {
				s.works[i] = w
				break
			}
		}
	}
	return s
}

// withProvisional adds the records that are made of the queue to those of accounting,
// all by id.
func withProvisional(live, provisional []slurmdb.Record) []slurmdb.Record {
	if len(provisional) == 0 {
		return live
	}
	live = slices.Concat(live, provisional)
	slices.SortFunc(live, func(a, b slurmdb.Record) int { return cmp.Compare(a.Job.ID, b.Job.ID) })
	return live
}

// record is what accounting knows of a job that has not ended.
func (s *State) record(id ostrich.JobID) (slurmdb.Record, bool) {
	i, ok := slices.BinarySearchFunc(s.live, id, func(r slurmdb.Record, id ostrich.JobID) int { return cmp.Compare(r.Job.ID, id) })
	if !ok {
		return slurmdb.Record{}, false
	}
	return s.live[i], true
}

// sample is the accounting record of some job of a campaign that has not
// ended, for the names that its jobs share.
func (s *State) sample(v *ostrich.Campaign) slurmdb.Record {
	for _, list := range [][]ostrich.JobID{v.Pending, v.Running} {
		for _, id := range list {
			if r, ok := s.record(id); ok {
				return r
			}
		}
	}
	return slurmdb.Record{}
}

// Tasks counts the jobs that records stand for: an array's waiting tasks are
// one record.
func (s *State) Tasks(records []ostrich.JobID) int {
	n := len(records)
	if len(s.more) > 0 {
		for _, id := range records {
			n += s.more[id]
		}
	}
	return n
}

// Owner is account and user of what competes for the machine.
func (s *State) Owner(id ostrich.UserID) (account, user string) {
	o := s.Names[id]
	return o.Account, o.User
}

package view

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/accounting/ledger"
	"slurm-ostrich/priority"
)

// mostExplained is how many jobs an answer explains.
const mostExplained = 50

// ParseJobs reads lists of jobs, such as "38,42" and "35_[1-3,7]". It returns each job
// once, in their order. An error quotes the text that is no job.
func ParseJobs(lists ...string) ([]JobName, error) {
	var names []JobName
	for _, list := range lists {
		for _, text := range Split(list) {
			name, err := ParseJob(text)
			if err != nil {
				return nil, err
			}
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	if len(names) > mostExplained {
		return nil, fmt.Errorf("%d jobs are named, and at most %d are explained at a time", len(names), mostExplained)
	}
	return names, nil
}

// Answer explains jobs.
type Answer struct {
	Cluster string         `json:"cluster"`
	Time    ostrich.Time   `json:"time"`
	Jobs    []*Explanation `json:"jobs"`
	// LeftOut counts further jobs of the user.
	LeftOut int `json:"left_out"`
	// Hidden reports whether the user may have jobs that are hidden.
	Hidden bool `json:"hidden"`
	// Unknown are the names of jobs that are not known or that the viewer may not see.
	Unknown []string `json:"unknown"`
	// Unsettled are the names of jobs of which the next cycles will say something else: they
	// have just been submitted, started or queued again.
	Unsettled []string `json:"unsettled,omitempty"`
	// Incomplete says why something may be missing; "" if nothing is.
	Incomplete string `json:"incomplete,omitempty"`

	// Asked reports whether the past was asked, and Failed why it did not answer. Failed
	// is for administrators: it may name hosts and accounts of the database.
	Asked  bool  `json:"-"`
	Failed error `json:"-"`
}

// HasUser reports whether a job of a user is explained.
func (a *Answer) HasUser(name string) bool {
	return slices.ContainsFunc(a.Jobs, func(e *Explanation) bool { return e.User == name })
}

// AskExplain asks to explain the jobs of a selection or, if it names none, the unfinished
// jobs of its users, see Cycle.Answer.
var AskExplain = Query[*Answer]{
	"explain",
	func(*Cycle, *Viewer, *Selection) int { return mostExplained },
	func(ctx context.Context, s *Cycle, v *Viewer, by *Selection) (*Answer, error) {
		return s.Answer(ctx, v, by)
	},
}

// Answer explains the jobs of a selection or, if it names none, the unfinished jobs of its
// users. Jobs that are not known or that v may not see are in Answer.Unknown and are no
// error. Without a past, or if it cannot be asked, jobs that have ended are not known, and
// the answer lacks what started while a job waited. The past is asked at most once for
// each name, and a few times for all jobs together.
func (s *Cycle) Answer(ctx context.Context, v *Viewer, by *Selection) (*Answer, error) {
	names, err := ParseJobs(by.Jobs...)
	if err != nil {
		return nil, err
	}
	a := &Answer{Cluster: s.Cluster, Time: s.Time, Jobs: []*Explanation{}, Unknown: []string{}}
	switch {
	case len(names) > 0:
	case len(by.Users) > 0:
		a.Jobs, a.LeftOut = s.jobsOf(v, by)
		for _, e := range a.Jobs {
			if s.settling(e) {
				a.Unsettled = append(a.Unsettled, e.Job)
			}
		}
		a.Hidden = slices.ContainsFunc(by.Users, func(name string) bool { return !v.Job(name, "") })
	default:
		return nil, errors.New("name a job or a user")
	}
	for _, name := range names {
		e := s.find(ctx, name, a)
		hidden := e != nil && !v.explained(e)
		if e == nil || hidden {
			a.Unknown = append(a.Unknown, name.String())
		} else {
			a.Jobs = append(a.Jobs, e)
		}
		if !hidden && (e == nil && s.coming(v, name) || e != nil && s.settling(e)) {
			a.Unsettled = append(a.Unsettled, name.String())
		}
	}
	for _, e := range a.Jobs {
		e.Hide(v)
	}
	if s.Past != nil && a.Failed == nil {
		s.addPast(ctx, a)
	}
	if a.Failed != nil {
		a.Incomplete = "accounting or the journal cannot be read now"
	}
	return a, nil
}

// find explains a job of the cycle or of the past, for an answer. It returns nil if the
// job is not known. It also asks the past about a job that accounting calls pending and
// the queue does not have: such a job may have ended.
func (s *Cycle) find(ctx context.Context, name JobName, of *Answer) *Explanation {
	e, err := s.Explain(name)
	if err != nil {
		e = nil
	}
	if s.Past == nil || of.Failed != nil || (e != nil && (e.Slurm != nil || e.Started != nil)) {
		return e
	}
	r, ok, err := s.Past.Find(ctx, name.id, name.task, name.offset)
	of.Asked, of.Failed = true, err
	if !ok || err != nil {
		return e
	}
	return s.ranAs(name, &r)
}

// jobsOf explains the unfinished jobs of users that v may see, those first that are next
// to start, then those that run, and counts further ones.
func (s *Cycle) jobsOf(v *Viewer, by *Selection) (list []*Explanation, more int) {
	list = []*Explanation{}
	for i := range s.Plan.Entries {
		switch {
		case !s.sees(v, by, i) || s.started(s.Plan.Entries[i].Job):
		case len(list) < mostExplained:
			list = append(list, s.waiting(i))
		default:
			more++
		}
	}
	for i := range s.live {
		r := s.live[i]
		switch {
		case r.Job.Start == 0 || !by.chosen(r.UserName, r.Account, r.Partition) || !v.Job(r.UserName, r.Account):
		case len(list) < mostExplained:
			list = append(list, s.ran(r))
		default:
			more++
		}
	}
	return list, more
}

// started reports whether a job has started since the queue was read.
func (s *Cycle) started(id ostrich.JobID) bool {
	r, ok := s.record(id)
	return ok && r.Job.Start != 0
}

// nameOf returns the name of a started job as squeue shows it.
func nameOf(r *ledger.Record) string {
	switch {
	case r.ArrayJob != 0 && r.ArrayTask != ledger.NoTask:
		return fmt.Sprintf("%d_%d", r.ArrayJob, r.ArrayTask)
	case r.HetJob != 0:
		return fmt.Sprintf("%d+%d", r.HetJob, r.Job.ID-r.HetJob)
	}
	return strconv.FormatUint(uint64(r.Job.ID), 10)
}

// Query is a question about a described cycle. A command asks it about a cycle of its own
// or, through the socket, about the latest one of ostrichd.
type Query[Answer any] struct {
	Name string
	// Rows returns about how many rows the answer has, without making it.
	Rows func(s *Cycle, v *Viewer, by *Selection) int
	Of   func(ctx context.Context, s *Cycle, v *Viewer, by *Selection) (Answer, error)
}

// The queries.
var (
	AskPlan = Query[Plan]{
		"plan",
		func(s *Cycle, v *Viewer, by *Selection) (n int) {
			for i := range s.Plan.Entries {
				if (by.Limit == 0 || n < by.Limit) && s.sees(v, by, i) {
					n++
				}
			}
			return n
		},
		func(_ context.Context, s *Cycle, v *Viewer, by *Selection) (Plan, error) { return s.Chosen(v, by), nil },
	}
	AskCampaigns = Query[Campaigns]{
		"campaigns",
		func(s *Cycle, v *Viewer, by *Selection) (n int) {
			seen := s.seen(v, by)
			for i := range s.Campaigns {
				if c := &s.Campaigns[i]; seen(c) {
					n += 1 + (len(c.Pending)+len(c.Running)+len(c.CannotStart))/idsInRow
				}
			}
			return n
		},
		func(_ context.Context, s *Cycle, v *Viewer, by *Selection) (Campaigns, error) {
			return s.Unfinished(v, by), nil
		},
	}
	AskShares = Query[Shares]{
		"shares",
		func(s *Cycle, _ *Viewer, _ *Selection) (n int) {
			for i := range s.Pools {
				n += len(s.Pools[i].Users)
			}
			return n
		},
		func(_ context.Context, s *Cycle, v *Viewer, by *Selection) (Shares, error) {
			return s.Shares(v, by), nil
		},
	}
)

// idsInRow is how many ids of jobs take as much room as the other fields of a campaign.
const idsInRow = 64

const (
	// newJobs is by how much the id of a job that was submitted since a cycle may be above
	// all that the cycle knows. What is farther away is no new job but a slip.
	newJobs = 1000

	// unheard is for how many seconds after its submission a job may not be in accounting
	// yet, as slurmctld tells of new jobs every five.
	unheard = 30
)

// coming reports whether a job that neither the cycle nor accounting knows may be there
// in a moment: it is newer than the cycle, or it is a task of an unfinished array that v
// may see, which leaves the waiting ones before accounting tells of its start.
func (s *Cycle) coming(v *Viewer, name JobName) bool {
	newest, array := ostrich.JobID(0), false
	for i := range s.Plan.Entries {
		e := s.Plan.Entries[i]
		newest = max(newest, e.Job)
		array = array || e.Array == name.id && v.Job(e.User, e.Account)
	}
	for i := range s.live {
		r := s.live[i]
		newest = max(newest, r.Job.ID)
		array = array || r.ArrayJob == name.id && v.Job(r.UserName, r.Account)
	}
	return name.id > newest && name.id-newest <= newJobs || array && name.task >= 0
}

// settling reports whether the next cycles will say something else of a job: Slurm has not
// computed its priority yet, accounting does not have it yet, or the queue and accounting,
// which are read one after the other, contradict each other.
func (s *Cycle) settling(e *Explanation) bool {
	switch {
	case e.Slurm != nil:
		return e.Code == priority.NotListed || e.Code == priority.Unheard && s.Time-e.Submitted < unheard
	case e.Ended != nil:
		return false
	case e.Started == nil:
		return true
	}
	return slices.ContainsFunc(s.Plan.Entries, func(p *priority.Entry) bool { return p.Job == e.JobID }) // just started, or queued again
}

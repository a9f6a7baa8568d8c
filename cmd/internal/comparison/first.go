package comparison

import (
	"cmp"
	"fmt"

	"slurm-ostrich/cmd/internal/format"
	"slurm-ostrich/ostrich"
)

// StartDifference is when and where a job really started, and when and where in the simulated
// baseline.
type StartDifference struct {
	Job    ostrich.JobID  `json:"job"`
	User   ostrich.UserID `json:"-"`
	Name   string         `json:"user"`
	Procs  int            `json:"processors"`
	Submit ostrich.Time   `json:"submitted"`

	Start      ostrich.Time `json:"start"`     // really
	Replayed   ostrich.Time `json:"simulated"` // in the baseline
	On         string       `json:"nodes"`     // "" if they are not known
	ReplayedOn string       `json:"simulated_nodes"`

	Later  string        `json:"later"`  // "the replay", "what happened", or "" where both are about as early
	Held   Holder        `json:"held"`   // what held it there when it started in the other
	Behind ostrich.JobID `json:"behind"` // the job that came before it, 0 where that is not what held it
}

// Holder says what kept a job from starting.
type Holder string

// The holders.
const (
	NotSubmitted  Holder = "not submitted" // the job was not there yet
	ByLimit       Holder = "limit"         // of its association or QOS
	ByGRES        Holder = "gres"          // generic resources, such as GPUs
	ByFeature     Holder = "feature"       // nodes with its features
	ByMemory      Holder = "memory"
	ByProcessors  Holder = "processors"   // or whole nodes
	ByOutage      Holder = "outage"       // of nodes that it would have had
	ByReservation Holder = "reservation"  // of such nodes
	ByPriority    Holder = "priority"     // of another job, which could have started too
	ByMap         Holder = "backfill map" // what another job that waited for nodes had been promised
	ByScheduler   Holder = "scheduler"    // nothing: no scheduler had looked
)

// firstDifferenceTable lists the jobs from the first that starts at another time.
func (c *Comparison) firstDifferenceTable() format.Table {
	t := format.Table{
		Title: "Jobs in the order of their real starts, from the first that starts at another time under " + c.Baseline, Names: 2,
		Header: []string{"job", "user", "processors", "submitted", "started", "on", "simulated", "on nodes", "later in", "held by"},
	}
	for i := range c.FirstDifference {
		d := &c.FirstDifference[i]
		held := string(d.Held)
		if d.Behind != 0 {
			held += fmt.Sprintf(" of job %d", d.Behind)
		}
		at := func(x ostrich.Time) format.Cell { return secondCell(x, c.s.in.Location) }
		t.Add(fmt.Sprint(d.Job), d.Name, d.Procs, at(d.Submit), at(d.Start), cmp.Or(d.On, "–"), at(d.Replayed), cmp.Or(d.ReplayedOn, "–"), d.Later, held)
	}
	return t
}

// Package statuspage answers questions to ostrichd: the API of both its listeners, and the
// status page. Both show a State; what is drawn or is the daemon's own is in a Snapshot, which
// is made when somebody looks.
//
// Times are Unix seconds. Those of the virtual schedule, of jobs and of campaigns
// are on the database's clock, those of the daemon (Health) on this host's. A
// null stands for what is not known or never comes.
package statuspage

import (
	"slurm-ostrich/cmd/internal/live"
	"slurm-ostrich/cmd/internal/view"
	"slurm-ostrich/ostrich"
	"slurm-ostrich/priority"
)

// Snapshot is a described cycle as the page and the API show it. It never changes
// once it is made, so it may be shared.
type Snapshot struct {
	Health    Health
	Resource  string // by which work is counted: a TRES of Slurm's; "" before the first cycle
	Pools     []Pool // in the order of the configuration
	Lanes     []Lane // pool by pool, in the order in which their first blocks end
	Running   []Running
	Shares    []*view.User
	Campaigns []*view.Campaign // in the order of virtual completion
	Finished  []*live.Finished // the latest first
	Promise   live.Promise
	Trends    Trends
	Nights    []live.Night
	Writes    []Write // the latest first, at most 50
	Checks    []Check

	// Users are the names of all that appear above and in the queue, sorted. A user's
	// place in it gives the colour of each of their rows.
	Users []string

	// Left is what the drawing leaves out, because its size is bounded.
	Left Left

	cycle  *view.Cycle  // nil before the first
	viewer *view.Viewer // who looks; nil: somebody who may see everything
}

// TrialArm is where a trial is.
type TrialArm struct {
	Arm     string       `json:"arm"`     // stock or ostrich: what orders the queue; stock once the trial is over
	Until   ostrich.Time `json:"until"`   // when the other arm begins, or the trial ends; 0: it is over
	Washout ostrich.Time `json:"washout"` // until when nothing is measured; 0: it is
	End     ostrich.Time `json:"end"`     // of the trial
	Words   string       `json:"words"`   // all this in a sentence
}

// Health is the strip at the head of the page.
type Health struct {
	Cluster      string           `json:"cluster"`
	Version      string           `json:"version"`       // of ostrichd
	Slurm        string           `json:"slurm"`         // version of slurmctld; empty before the first cycle
	Mode         string           `json:"mode"`          // observe or enforce
	Channel      string           `json:"channel"`       // sitefactor, nice or priority
	PriorityMode string           `json:"priority_mode"` // strict or weight
	Interval     ostrich.Duration `json:"interval_seconds"`
	Now          ostrich.Time     `json:"now"`     // when this was asked
	Started      ostrich.Time     `json:"started"` // of the daemon
	Time         ostrich.Time     `json:"time"`    // up to which the virtual schedule has run; 0 before the first cycle

	LastSuccess ostrich.Time     `json:"last_success"`    // end of the latest cycle that succeeded; 0: none yet
	Took        float64          `json:"cycle_seconds"`   // how long that took
	Lag         ostrich.Duration `json:"lag_seconds"`     // how far accounting is behind; 0 where it is not
	Failures    int              `json:"failures"`        // cycles in a row that failed, up to now
	Since       ostrich.Time     `json:"failing_since"`   // when the first of them failed; 0: the latest one succeeded
	LastError   string           `json:"last_error"`      // of the latest cycle that failed; kept after a recovery
	LastErrorAt ostrich.Time     `json:"last_error_time"` // 0: none since the start
	Ready       bool             `json:"ready"`           // as /readyz tells
	Trial       *TrialArm        `json:"trial,omitempty"` // of mode trial, else nil
	StandsBy    string           `json:"stands_by"`       // why it is another daemon's turn to write; empty if it is ours
	Slowdown    int              `json:"slowdown"`        // by how much cycles and writes come slower because slurmctld is loaded: 1 to 8
	Loaded      string           `json:"loaded"`          // why; empty if they do not
	Pending     int              `json:"pending"`         // jobs in the queue, arrays count once
	Managed     int              `json:"managed"`         // of them ordered
	Planned     int              `json:"planned_writes"`  // that the plan of the latest cycle wanted
	Undone      int              `json:"undone"`          // jobs whose written value the backfill scheduler had undone
	KendallTau  float64          `json:"kendall_tau"`     // rank correlation of both orders, -1 to 1
	Behind      ostrich.Duration `json:"behind_seconds"`  // Now less LastSuccess; 0 before the first cycle
	Words       string           `json:"words"`           // all this in a sentence
}

// Pool is the processors that one virtual schedule shares. Where there are classes it is one
// of a pool's, the first first.
type Pool struct {
	Pool       string   `json:"pool"`         // empty where the whole cluster is one pool
	Class      string   `json:"class"`        // empty where there are no classes; each of a pool has a virtual schedule
	Partitions []string `json:"partitions"`   // empty: all that no other pool names
	Procs      float64  `json:"processors"`   // in what Snapshot.Resource names, as Busy
	Busy       float64  `json:"busy"`         // of them, jobs of the class hold
	Active     int      `json:"active_users"` // with a campaign that is not completed virtually
	Campaigns  int      `json:"campaigns"`    // unfinished
	Pending    int      `json:"pending"`      // ordered jobs, arrays count once
}

// Lane is one line of the drawn virtual schedule: what one user is entitled to in
// one pool.
type Lane struct {
	Pool    string  `json:"pool"`
	Class   string  `json:"class"`   // empty where there are no classes
	Account string  `json:"account"` // with shares from the association tree; else empty
	User    string  `json:"user"`
	Blocks  []Block `json:"blocks"` // by virtual start; bounded
	More    int     `json:"more"`   // further blocks that are left out
	Work    float64 `json:"more_core_hours"`
}

// Block is a campaign in a lane that is not completed virtually.
type Block struct {
	Campaign ostrich.JobID `json:"campaign"`
	User     string        `json:"user"`
	Account  string        `json:"account"`
	Start    *float64      `json:"virtual_start"` // may lie in the past; null: Waiting, or never, as the pool has no processors
	End      *float64      `json:"virtual_completion"`
	Work     float64       `json:"work_core_hours"`
	Progress float64       `json:"progress"` // served virtually, 0 to 1
	Share    *float64      `json:"share"`    // of the pool, 0 to 1; null: hidden
	Pending  int           `json:"pending"`  // jobs, each task of an array counts
	Running  int           `json:"running"`
	Waiting  bool          `json:"waiting"` // none of its jobs could start yet; Start and End are null
}

// Left is what a bounded list leaves out.
type Left struct {
	Lanes  int     `json:"lanes"`
	Blocks int     `json:"blocks"` // of lanes that are there and of those that are not
	Work   float64 `json:"core_hours"`
}

// Running is what a user really holds in a pool, in the order of Lanes.
type Running struct {
	Pool    string  `json:"pool"`
	Class   string  `json:"class"`   // empty where there are no classes
	Account string  `json:"account"` // with shares from the association tree; else empty
	User    string  `json:"user"`
	Procs   float64 `json:"processors"` // in what Snapshot.Resource names
	Jobs    int     `json:"jobs"`       // started, suspended ones too
}

// Trends is how wait and stretch went lately.
type Trends struct {
	Step   ostrich.Duration `json:"step_seconds"` // that a point stands for
	Points []live.Point     `json:"points"`       // the oldest first
}

// Write is a line of the journal: a priority that was written.
type Write struct {
	Time    ostrich.Time     `json:"time"`
	Job     ostrich.JobID    `json:"job_id"`
	Channel priority.Channel `json:"channel"`
	From    int64            `json:"from"`
	To      int64            `json:"to"`
	Why     string           `json:"why"`
	Code    priority.Code    `json:"code"`   // of Why; "" in the lines of older journals
	Result  string           `json:"result"` // applied, refused, ...; intended: not known yet
	Words   string           `json:"words"`  // Slurm's own of a refusal
}

// Check is one health check of a running daemon.
type Check struct {
	Name  string `json:"check"`
	OK    bool   `json:"ok"`
	Words string `json:"words"` // what was found
	Fix   string `json:"mend"`  // what to do; empty if nothing
}

// Query is what a request for the page asks for. The zero value asks for everything within the
// usual bounds.
type Query struct {
	User string // only rows of this user
	Job  string // of the queue only this job, as squeue names it; not with Ask
	All  bool   // all rows, not only the first
	Ask  string // the job in the explain box, as it was typed
}

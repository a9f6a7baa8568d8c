package statuspage

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"slurm-ostrich/cmd/internal/format"
	"slurm-ostrich/ostrich"
	"slurm-ostrich/priority"
	"slurm-ostrich/priority/journal"
)

// ErrNoCycle means that no cycle has succeeded yet.
var ErrNoCycle = errors.New("no cycle has succeeded yet")

// Daemon is what the daemon knows besides its cycles. Of Health it has what With does not
// set.
type Daemon struct {
	Health
	Unready  error     // as /readyz tells; nil: ready
	Unloaded time.Time // when new settings were refused, and those before stayed; zero: those in effect are the latest

	// Of the latest cycle: invalid rows, rejected events, and writes by their
	// outcome.
	Skipped, Odd      int
	Written           int
	Refused, NoEffect int

	Orphans int    // jobs with values that a daemon may have left and the journal does not know
	Mend    string // what to do about them

	Journal string           // its file; empty: none
	Writes  []journal.Record // the latest first, see journal.Tail
	Unread  error            // why the journal could not be read
}

// With returns a copy of the snapshot that has what the daemon knows at a time.
func (s *Snapshot) With(d *Daemon, now time.Time) *Snapshot {
	with := *s
	with.Health = s.health(d, now)
	with.Writes = make([]Write, 0, len(d.Writes))
	for _, r := range d.Writes {
		with.Writes = append(with.Writes, Write{
			Time: r.Time, Job: r.Job, Channel: r.Channel, From: r.From, To: r.To, Why: r.Why, Code: r.Code, Result: string(r.Result), Words: r.Words,
		})
	}
	with.Checks = with.check(d)
	with.Health.Words = with.words()
	return &with
}

// Unix returns a time in seconds, 0 for the zero time.
func Unix(t time.Time) ostrich.Time {
	if t.IsZero() {
		return 0
	}
	return ostrich.Time(t.Unix())
}

// health adds to what the daemon knows what its latest cycle says.
func (s *Snapshot) health(d *Daemon, now time.Time) Health {
	h := d.Health
	h.Now, h.Ready, h.Slowdown = Unix(now), d.Unready == nil, max(h.Slowdown, 1)
	if h.LastSuccess != 0 {
		h.Behind = max(0, ostrich.Duration(h.Now-h.LastSuccess))
	}
	if c := s.cycle; c != nil {
		summary := &c.Plan.Summary
		h.Cluster, h.Slurm, h.Time = c.Cluster, c.Options.Controller.Version, c.Time
		h.Pending, h.Managed, h.Planned, h.KendallTau, h.Undone = summary.Pending, summary.Managed, summary.Writes, summary.KendallTau, summary.Undone
	}
	return h
}

func (s *Snapshot) failed() []string {
	var names []string
	for _, c := range s.Checks {
		if !c.OK {
			names = append(names, c.Name)
		}
	}
	return names
}

// words returns the strip in a sentence.
func (s *Snapshot) words() string {
	h := &s.Health
	does := "observes " + h.Cluster + " and writes nothing"
	switch {
	case h.StandsBy != "":
		does = "stands by: " + h.StandsBy
	case h.Trial != nil && h.Trial.Arm != "ostrich":
		does = "leaves the queue of " + h.Cluster + " to Slurm for now"
	case h.Mode == "enforce", h.Mode == "trial":
		does = "orders the queue of " + h.Cluster + " through " + h.Channel
	}
	var b strings.Builder
	fmt.Fprintf(&b, "ostrichd %s. ", strings.Join(strings.Fields(does), " "))
	switch {
	case h.Failures > 0:
		fmt.Fprintf(&b, "%s failed since %s: %s.", format.Plural(h.Failures, "cycle"), format.Moment(float64(h.Since)), h.LastError)
		if h.LastSuccess != 0 {
			fmt.Fprintf(&b, " What is shown is from before.")
		}
	case h.LastSuccess == 0:
		b.WriteString("The first cycle is not over yet.")
	case !h.Ready:
		fmt.Fprintf(&b, "The latest cycle that succeeded ended at %s, which is long ago.", format.Moment(float64(h.LastSuccess)))
	case h.Lag > 0:
		fmt.Fprintf(&b, "Accounting is %d s behind, so the virtual schedule stands still.", h.Lag)
	case len(s.failed()) > 0:
		fmt.Fprintf(&b, "Cycles succeed, but these checks fail: %s.", strings.Join(s.failed(), ", "))
	default:
		fmt.Fprintf(&b, "All is well: %d of %s ordered.", h.Managed, format.Plural(h.Pending, "pending job"))
	}
	if h.Trial != nil {
		fmt.Fprintf(&b, " %s.", capital(h.Trial.Words))
	}
	if h.Loaded != "" {
		fmt.Fprintf(&b, " slurmctld is loaded: %s; cycles and writes come %d times as slowly.", h.Loaded, h.Slowdown)
	}
	return b.String()
}

// check lists what a running daemon knows of its own health. "ostrich check" looks
// at more.
func (s *Snapshot) check(d *Daemon) []Check {
	list := []Check{}
	add := func(name string, ok bool, fix, format string, args ...any) {
		if ok {
			fix = ""
		}
		list = append(list, Check{Name: name, OK: ok, Words: fmt.Sprintf(format, args...), Fix: fix})
	}
	switch h := &s.Health; {
	case h.Failures > 0:
		add("cycles", false, "see the words; ostrich check looks at the whole installation", "%s failed since %s, the latest: %s",
			format.Plural(h.Failures, "cycle"), format.Moment(float64(h.Since)), h.LastError)
	case d.Unready != nil:
		add("cycles", false, "wait for the first one, or look into ostrichd's log", "%v", d.Unready)
	default:
		add("cycles", true, "", "the latest took %.3f s", h.Took)
	}
	if !d.Unloaded.IsZero() {
		add("settings", false, "look into ostrichd's log, which says what and in which line; then reload again",
			"those read at %s were refused, and the ones before stay in effect", format.Moment(float64(d.Unloaded.Unix())))
	}
	add("accounting", d.Lag == 0, "look whether slurmdbd runs and keeps up; until then the virtual schedule stands still",
		"%s", behind(d.Lag))
	add("rows", d.Skipped == 0 && d.Odd == 0, "look into ostrichd's log, which names them; OStrich leaves such jobs alone",
		"%s invalid and %s rejected in the latest cycle", format.Plural(d.Skipped, "accounting row"), format.Plural(d.Odd, "event"))
	s.checkCycle(add)
	unmade := d.Refused + d.NoEffect
	switch {
	case d.Mode == "observe":
		add("writes", true, "", "mode observe: nothing is written")
	case d.StandsBy != "":
		add("writes", true, "", "stands by: %s", d.StandsBy)
	default:
		add("writes", unmade == 0, "look at the last writes, which have Slurm's words; the jobs are left alone",
			"of the latest cycle's %d took effect, %d were refused and %d had none", d.Written, d.Refused, d.NoEffect)
	}
	if n := s.Health.Undone; n > 0 {
		add("backfill", false, "look at bf_continue in ostrich check; such writes are made again, five times in ten minutes at most",
			"the latest cycle found that the backfill scheduler had undone the writes of %s", format.Plural(n, "job"))
	}
	if s.cycle != nil {
		refused, others := s.cycle.Plan.Reasons[priority.WasRefused], s.cycle.Plan.Reasons[priority.OtherWriter]
		add("other writers", others == 0, "look for another daemon, a site factor plugin or a script that writes them; the queue names the jobs",
			"%s left alone because somebody else changed them", format.Plural(others, "job"))
		if d.Orphans > 0 {
			add("former values", false, d.Mend,
				"%s not ordered: a daemon may have left their values, and the journal does not know them", format.Plural(d.Orphans, "job"))
		}
		add("refusals", refused == 0, "look at the last writes, which have Slurm's words; each job is tried again",
			"%s left alone because Slurm refused", format.Plural(refused, "job"))
	}
	if n := len(s.Nights); n > 0 {
		longest := &s.Nights[n-1] // if a job has run in a shorter period, it has in this one
		add("nightly comparison", s.Health.Now-longest.Made <= 2*86400, "look at systemctl status ostrich-compare on the daemon's host",
			"the latest of a %s was made at %s", longest.Period, format.Moment(float64(longest.Made)))
	}
	switch {
	case d.Unread != nil:
		add("journal", false, "let the user of ostrichd read it", "%v", d.Unread)
	case d.Journal == "":
		add("journal", d.Mode == "observe", "set journal", "none")
	default:
		add("journal", true, "", "%s", d.Journal)
	}
	return list
}

// capital begins a sentence.
func capital(words string) string { return strings.ToUpper(words[:1]) + words[1:] }

func behind(lag ostrich.Duration) string {
	if lag == 0 {
		return "up to date"
	}
	return fmt.Sprintf("%d s behind", lag)
}

// checkCycle looks at what the latest cycle found.
func (s *Snapshot) checkCycle(add func(name string, ok bool, fix, format string, args ...any)) {
	if s.cycle == nil {
		return
	}
	for i, p := range s.Pools {
		if i > 0 && p.Pool == s.Pools[i-1].Pool {
			continue // another class of it
		}
		for _, o := range s.Pools[i+1:] {
			if o.Pool == p.Pool {
				p.Busy += o.Busy
			}
		}
		name, fix, unit := "processors", "look whether the nodes are up (sinfo), and are registered in accounting (sacctmgr show events)", format.UnitOf(s.Resource)
		if p.Pool != "" {
			name += " of " + p.Pool
		}
		add(name, p.Procs > 0, fix, "%s, of which jobs hold %s", unit.Of(p.Procs), unit.Amount(p.Busy))
	}
	options := s.cycle.Options
	if err := priority.Check(options); err != nil {
		add("priority", false, "choose another channel or mode, or change slurm.conf as said", "%v", err)
	} else {
		add("priority", true, "", "channel %s, mode %s under %s", options.Channel, options.Mode, options.Controller.PriorityType)
	}
	for _, h := range priority.Advice(options) {
		add("priority", false, h.Fix, "%s", h.Found)
	}
	for _, h := range priority.Harms(options, priority.Surroundings{}) {
		add(h.Setting, false, h.Fix, "%s", h.Found)
	}
	add("queue", s.cycle.Unheard == 0 || s.Health.Lag == 0, "look whether slurmdbd runs and keeps up",
		"%s, of which accounting has not told of %d yet", format.Plural(s.Health.Pending, "pending job"), s.cycle.Unheard)
}

package main

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/rs/zerolog"

	"slurm-ostrich/cmd/internal/sidecar"
	"slurm-ostrich/cmd/internal/statuspage"
	"slurm-ostrich/ostrich/plural"
	"slurm-ostrich/priority"
)

// news is what has been logged. A lasting state is logged once when it begins and once
// when it is over.
type news struct {
	counted   string    // by what work is counted
	frozen    bool      // accounting is behind
	harm      bool      // there is a setting under which nothing may be written
	refused   int       // priorities that the latest cycle could not change
	undoing   time.Time // when the backfill scheduler last undid a write; zero: not recently
	server    string    // the database server read in the latest cycle, "" if there is but one
	passed    bool      // it is not the first of several
	standsBy  bool      // another daemon has the right to write
	slow      bool      // writes were left to the next cycle
	orphans   bool      // jobs have values of a daemon whose journal is gone
	contest   bool      // another writer changes priorities
	contested time.Time // when it was last seen
	trial     string    // where the trial is
}

// report logs a cycle: what it did, at level quiet if it did nothing, and what an
// administrator may want to look at.
func (d *daemon) report(o outcome, quiet zerolog.Level) {
	c := o.cycle
	if c == nil {
		return
	}
	if err := d.metrics.compared.observe(c, d.sidecar); err != nil { // valid even if writing failed
		d.log.Warn().Err(err).Msg("a comparison of last night is not shown")
	}
	d.status.observe(c)
	d.metrics.wrote(c.Outcomes)
	d.unchanged(c.Outcomes)
	if c.Names != nil {
		d.log.Warn().Err(c.Names).Msg("settings name what Slurm does not know; with them, mode enforce does not start")
	}
	if c.Limits != nil {
		d.log.Warn().Err(c.Limits).Msg("forecasts go on with the limits that were read before, if any were")
	}
	if c.Journal != nil {
		d.log.Warn().Err(c.Journal).Msg("the journal was not as it was left")
	}
	d.otherWriters(c)
	d.governed(c)
	if o.err != nil {
		return
	}
	if by := c.Counted.String(); c.Counted.Why != "" && by != d.news.counted {
		d.news.counted = by
		d.log.Info().Str("resource", c.Counted.Name).Str("why", c.Counted.Why).Msg("work is counted by this resource")
		for _, warning := range c.Counted.Warnings {
			d.log.Warn().Msg(warning)
		}
	}
	d.metrics.observe(c, d.sidecar, d.now())
	d.learn(c)
	d.status.succeed(d.now())
	d.leftOut(c)
	d.orphans(c)
	d.harmful(c)
	d.undone(c)
	d.turn(c)
	d.moved(c)
	if frozen := c.Lag > 0; frozen != d.news.frozen {
		d.news.frozen = frozen
		if frozen {
			d.log.Warn().Int64("behind_seconds", int64(c.Lag)).Msg("accounting is behind: messages for slurmdbd wait in slurmctld, or it does not tell of new jobs; the virtual schedule stands still")
		} else {
			d.log.Info().Msg("accounting is up to date again")
		}
	}
	summary, written := c.Plan.Summary, count(c.Outcomes, priority.Applied)
	level := quiet
	if len(c.Outcomes) > 0 {
		level = zerolog.InfoLevel
	}
	d.log.WithLevel(level).Int("pending", summary.Pending).Int("managed", summary.Managed).Int("planned", summary.Writes).
		Int("written", written).Float64("kendall_tau", summary.KendallTau).
		Int("rows", c.Rows).Float64("took_seconds", c.Took.Seconds()).Msg("cycle")
	mode := d.config.Mode
	if c.StandsBy != "" {
		mode += ", stands by"
	}
	d.notify.status(fmt.Sprintf("%s: %d pending, %d planned, %d written", mode, summary.Pending, summary.Writes, written))
}

// mostLines is how many lines of one kind a cycle logs.
const mostLines = 10

// leftOut logs the accounting rows that were left out and the events that were
// rejected.
func (d *daemon) leftOut(c *sidecar.Cycle) {
	for _, s := range c.Skipped[:min(len(c.Skipped), mostLines)] {
		d.log.Warn().Uint32("job", uint32(s.Job)).Str("why", s.Why).Msg("accounting row left out")
	}
	for _, err := range c.Odd[:min(len(c.Odd), mostLines)] {
		d.log.Warn().Err(err).Msg("event rejected")
	}
	if more := max(0, len(c.Skipped)-mostLines) + max(0, len(c.Odd)-mostLines); more > 0 {
		d.log.Warn().Int("more", more).Msg("more rows left out and events rejected")
	}
}

// unchanged logs priorities that were not changed. It logs again only when their
// number grows, because the next cycles try again.
func (d *daemon) unchanged(outcomes []priority.Change) {
	refused, ignored := count(outcomes, priority.Refused), count(outcomes, priority.NotApplied)
	before := d.news.refused
	d.news.refused = refused + ignored
	if d.news.refused <= before {
		return
	}
	first := firstUnchanged(outcomes)
	d.log.Warn().Int("refused", refused).Int("unchanged", ignored).Uint32("job", uint32(first.Job)).
		Int64("from", first.From).Int64("to", first.To).Str("words", first.Words).Msg("priorities not changed; the journal names each job")
}

// firstUnchanged returns the first write that was refused or had no effect; there
// is one.
func firstUnchanged(outcomes []priority.Change) priority.Change {
	return outcomes[slices.IndexFunc(outcomes, func(o priority.Change) bool {
		return o.Status == priority.Refused || o.Status == priority.NotApplied
	})]
}

func count(outcomes []priority.Change, status priority.Status) int {
	return priority.Result{Outcomes: outcomes}.Count(status)
}

// notChanged returns an error if Slurm did not make all changes of a cycle.
func notChanged(c *sidecar.Cycle) error {
	switch {
	case c == nil:
		return nil
	case c.StandsBy != "":
		return fmt.Errorf("nothing was written: %s", c.StandsBy)
	}
	bad := count(c.Outcomes, priority.Refused) + count(c.Outcomes, priority.NotApplied)
	if bad == 0 {
		return notInForce(c.Outcomes)
	}
	first := firstUnchanged(c.Outcomes)
	return plural.Errorf("%d of %d priorit{y|ies} not changed, first that of job %d: %s",
		bad, len(c.Outcomes), first.Job, cmp.Or(first.Words, string(first.Status)))
}

// turn logs whether we have the right to write, and what else keeps jobs from
// being written: once when it begins and once when it is over.
func (d *daemon) turn(c *sidecar.Cycle) {
	d.metrics.turn(c, d.config.Writes())
	d.status.change(func(is *statuspage.Daemon) { is.StandsBy = c.StandsBy })
	d.onTrial(c)
	if by := c.StandsBy != ""; by != d.news.standsBy {
		d.news.standsBy = by
		if by {
			d.log.Info().Str("why", c.StandsBy).Msg("stands by: computes the order and writes nothing")
		} else {
			d.log.Info().Msg("takes over: writes priorities from now on")
		}
	}
	if slow := c.Slow != nil; slow != d.news.slow {
		d.news.slow = slow
		if slow {
			d.log.Warn().Err(c.Slow).Msg("the controller is slow; each cycle goes on with the rest, the head of the queue first")
		} else {
			d.log.Info().Msg("the controller keeps up again")
		}
	}
}

// orphans logs jobs whose values a daemon of ours has left and the journal does not know: once
// when they are found, and once when none is left.
func (d *daemon) orphans(c *sidecar.Cycle) {
	d.metrics.orphans.Set(float64(c.Orphans))
	d.status.change(func(is *statuspage.Daemon) { is.Orphans, is.Mend = c.Orphans, sidecar.Mend(c.Contested) })
	if c.Adopted > 0 {
		d.log.Info().Int("jobs", c.Adopted).Msg("took over values that a daemon had left whose journal is gone; nobody changed them in a term of the lock, and reset gives such jobs 0, as what they had before is not known")
	}
	found := c.Orphans > 0
	if found == d.news.orphans {
		return
	}
	switch d.news.orphans = found; {
	case !found:
		d.log.Info().Msg("no job has a value any more that the journal does not know and a daemon may have left")
	case c.Hurry:
		d.log.Warn().Int("jobs", c.Orphans).Str("journal", d.config.Journal).Msg("jobs have values that only a daemon gives and the journal does not know: it is gone or another one; they are taken over soon, unless somebody changes them")
	default:
		d.log.Warn().Int("jobs", c.Orphans).Str("journal", d.config.Journal).Str("mend", sidecar.Mend(c.Contested)).Msg("jobs have values that a daemon may have left and the journal does not know; they are left alone, and not ordered")
	}
}

// longestContest is how long another writer must stay away to count as gone:
// longer than any job is left alone because of one.
const longestContest = 65 * time.Minute

// otherWriters logs other writers, also after a cycle whose writing failed.
func (d *daemon) otherWriters(c *sidecar.Cycle) {
	if len(c.OtherWriters) > 0 {
		d.news.contested = d.now()
		if !d.news.contest {
			first := c.OtherWriters[0]
			d.log.Warn().Int("jobs", len(c.OtherWriters)).Uint32("job", uint32(first.Job)).Int64("ours", first.From).Int64("theirs", first.To).
				Msg("another writer changes priorities that are ours; those jobs are left alone for a while, see the journal")
		}
		d.news.contest = true
	}
	if d.news.contest && c.Plan.Reasons[priority.OtherWriter] == 0 && d.now().Sub(d.news.contested) > longestContest {
		d.news.contest = false
		d.log.Info().Msg("no other writer changes priorities any more")
	}
}

// calm is how long no write must have been undone until it counts as over: one
// backfill cycle undoes some writes, and the next one others.
const calm = 10 * time.Minute

// undone logs that the backfill scheduler undoes writes, once when it begins and
// once when it is over.
func (d *daemon) undone(c *sidecar.Cycle) {
	n := c.Plan.Summary.Undone + count(c.Outcomes, priority.Undone)
	switch began := !d.news.undoing.IsZero(); {
	case n > 0:
		if !began {
			d.log.Warn().Int("jobs", n).Msg("the backfill scheduler undoes writes; they are made again. ostrich check tells of bf_continue, and plan names the jobs")
		}
		d.news.undoing = d.now()
	case began && d.now().Sub(d.news.undoing) >= calm:
		d.news.undoing = time.Time{}
		d.log.Info().Stringer("for", calm).Msg("the backfill scheduler has undone no write for some time")
	}
}

func repeated(outcomes []priority.Change) int {
	n := 0
	for i := range outcomes {
		if outcomes[i].Undone {
			n++
		}
	}
	return n
}

// notInForce returns an error if the backfill scheduler undid writes before they
// were read back.
func notInForce(outcomes []priority.Change) error {
	if n := count(outcomes, priority.Undone); n > 0 {
		return plural.Errorf("%d of %d priorit{y|ies} undone by the backfill scheduler; another cycle writes them again", n, len(outcomes))
	}
	return nil
}

// moved logs at which of several database servers accounting is read: once when it
// is another one, and once when it is the first again.
func (d *daemon) moved(c *sidecar.Cycle) {
	before := d.news.server
	d.news.server = c.Server
	switch {
	case c.Passed != nil && c.Server != before:
		d.log.Warn().Str("address", c.Server).AnErr("error", c.Passed).Msg("accounting is read at another database server")
	case c.Passed == nil && d.news.passed:
		d.log.Info().Str("address", c.Server).Msg("accounting is read at the first database server again")
	}
	d.news.passed = c.Passed != nil
}

// harmful logs a setting of Slurm under which an order can do harm, once when it
// is found and once when it is gone. A daemon that enforces does no cycle under
// it, and reports that like any failure.
func (d *daemon) harmful(c *sidecar.Cycle) {
	found := c.Harm != nil
	if found == d.news.harm {
		return
	}
	d.news.harm = found
	if found {
		d.log.Warn().Err(c.Harm).Msg("an order can do harm under Slurm's present settings; mode enforce refuses to write")
	} else {
		d.log.Info().Msg("an order can do no harm any more under Slurm's settings")
	}
}

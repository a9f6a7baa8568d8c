package priority

import (
	"errors"
	"fmt"

	"slurm-ostrich/ostrich"
)

// Options say how an order is turned into priorities.
type Options struct {
	Channel Channel
	Mode    Mode
	// Weight is what the first job of the order gets in mode Weight; the last
	// one gets close to 0.
	Weight int64
	// Depth is how many jobs get ranks of their own in mode Strict; later ones
	// stand below them in any order. 0 means those that Procs, the processors of
	// the machine, could start at once, and beyond them as many as Slurm's
	// schedulers look at; see Controller.Depth.
	Depth int
	Procs int
	// Margin is the percentage by which ostrich.Place.Distance of a campaign that stands
	// before another may exceed the other's without being overtaken; behind the head it
	// is five times that. 0 is no margin. A campaign without a distance keeps its place
	// in the order wanted.
	Margin     int
	Classes    ostrich.Classes // in mode Strict; each goes before all of the next
	ClassBy    ClassBy         // what Classes were made from, for Harms
	Controller Controller
	Include    Selection // a managed job is named by each of its lists that is not empty
	Exclude    Selection // a managed job is named by none of its lists

	// Journal knows what was written. Channel Priority needs it to tell our pins from
	// those of administrators. nil is the same as an empty one: nothing is ours, and
	// nothing is given back.
	Journal History
	Now     ostrich.Time // for Journal.Repeat

	// Outside reports whether a job's partitions, a comma-separated list, belong
	// to nothing that is ordered; nil means that none does.
	Outside func(partitions string) bool

	// Alone returns why a job is left alone and keeps what it has, because of what became
	// of earlier writes: Slurm refused them, or somebody else wrote its value. It returns
	// the zero value for other jobs; nil is the same as a function that always does.
	Alone func(q *Queued) Why
}

// ErrImpossible means that the channel cannot order the jobs of this cluster.
var ErrImpossible = errors.New("cannot work here")

// ImpossibleError is the error of kind ErrImpossible.
type ImpossibleError struct{ Hint }

func (e *ImpossibleError) Error() string {
	return fmt.Sprintf("%v: %s; %s", ErrImpossible, e.Found, e.Fix)
}

// Is reports that the error is of kind ErrImpossible.
func (*ImpossibleError) Is(target error) bool { return target == ErrImpossible }

// impossible returns the error of what was found, with what to do about it.
func impossible(fix, format string, args ...any) error {
	return &ImpossibleError{Hint{fmt.Sprintf(format, args...), fix}}
}

// Check returns why the channel and mode cannot work under the controller's
// configuration, and what to do about it, or nil if they can.
func Check(o Options) error {
	if err := o.Channel.Check(); err != nil {
		return err
	}
	if err := o.Mode.Check(); err != nil {
		return err
	}
	if o.Depth < 0 {
		return fmt.Errorf("depth %d: must not be negative", o.Depth)
	}
	if o.Margin < 0 {
		return fmt.Errorf("margin %d: must not be negative", o.Margin)
	}
	if err := o.checkPlugin(); err != nil {
		return fmt.Errorf("channel %s: %w", o.Channel, err)
	}
	if o.Mode == Weight {
		if o.Weight < 1 || o.Weight > limit {
			return fmt.Errorf("weight %d: must be in [1, %d]", o.Weight, limit)
		}
		return nil
	}
	_, err := o.window(o.Controller.Weights.Sum(), 0)
	return err
}

// channelOr is the way out under priority/basic.
const channelOr = "set priority.channel: priority, or PriorityType=priority/multifactor in slurm.conf"

// checkPlugin checks the channel against the priority plugin.
func (o Options) checkPlugin() error {
	c := o.Controller
	switch {
	case c.Basic() && o.Mode == Weight:
		return impossible("set priority.mode: strict and priority.channel: priority, or PriorityType=priority/multifactor in slurm.conf",
			"mode weight adds to the factors of priority/multifactor, and this cluster has priority/basic")
	case c.Basic() && o.Channel == SiteFactor:
		return impossible(channelOr, "priority/basic accepts a SiteFactor and ignores it")
	case c.Basic() && o.Channel == Nice:
		return impossible(channelOr, "under priority/basic a new nice value releases held jobs")
	case c.Basic():
		return nil
	case !c.Multifactor():
		return impossible("set PriorityType=priority/multifactor in slurm.conf", "PriorityType is %q; only priority/multifactor and priority/basic are known", c.PriorityType)
	case o.Channel == Priority && o.Mode == Weight:
		return impossible("set priority.mode: strict, or priority.channel: sitefactor", "a pinned priority has no other factors to be weighed against")
	case o.Channel == SiteFactor && c.SiteFactorPlugin != "":
		return impossible("set priority.channel: nice, or remove PrioritySiteFactorPlugin from slurm.conf",
			"PrioritySiteFactorPlugin=%s writes the SiteFactor itself", c.SiteFactorPlugin)
	case o.Channel != Priority && c.Flag("INCR_ONLY"):
		return impossible("remove INCR_ONLY from slurm.conf's PriorityFlags, or set priority.channel: priority", "PriorityFlags=INCR_ONLY keeps priorities from falling")
	}
	if o.Channel == SiteFactor {
		if major, minor, ok := c.Release(); !ok || major < 19 || (major == 19 && minor < 5) {
			return impossible("set priority.channel: nice", "Slurm %s has no SiteFactor, which came with 19.05", c.Version)
		}
	}
	return nil
}

// Hint is something in the configuration that could be better.
type Hint struct {
	Found string // what was found and what it leads to
	Fix   string // what to do about it
}

// Advice lists settings of the controller that slow writes down or weaken the
// order.
func Advice(o Options) []Hint {
	c := o.Controller
	// Channel sitefactor is better than the others wherever it works.
	fix := "set priority.channel: sitefactor"
	if (Options{Channel: SiteFactor, Mode: o.Mode, Controller: c}).checkPlugin() != nil {
		fix = "nothing; channel sitefactor cannot work here"
	}
	var all []Hint
	if c.RateLimited && c.RefillRate < enoughRefill {
		all = append(all, Hint{
			fmt.Sprintf("SlurmctldParameters=rl_enable holds every user but root and SlurmUser to %g requests a second: writing many changes takes minutes", c.RefillRate),
			fmt.Sprintf("add rl_refill_rate=%d,rl_refill_period=1 to slurm.conf's SlurmctldParameters, in place of what it has of them", enoughRefill),
		})
	}
	if !c.BackfillContinue {
		all = append(all, Hint{
			"SchedulerParameters lacks bf_continue: a backfill cycle that yields while priorities are written ends early" +
				" (measured with 120 writes in 50 s on 60 jobs: it looks at 14 of them, with bf_continue at 41)," +
				" and undoes writes all the same (15 stood undone at a time; 19 with it, as it goes on; such writes are made again)",
			"add bf_continue to slurm.conf's SchedulerParameters",
		})
	}
	if o.Channel == Nice {
		all = append(all, Hint{"channel nice: a job's owner can undo it, and every change is a record for slurmdbd", fix})
	}
	if o.Channel == Priority && c.Multifactor() {
		all = append(all, Hint{"channel priority: age, fairshare and QOS no longer count for pinned jobs, and sprio does not show them", fix})
	}
	return all
}

// enoughRefill is a rate limit, in requests a second, that hardly slows writes down: half
// of what one scontrol does.
const enoughRefill = 500

// window is the range of values for managed jobs and the step between two
// ranks, in numbers as ahead makes them.
type window struct{ lo, hi, step int64 }

// ranks returns how many gaps of a step the window holds.
func (w window) ranks() int64 { return (w.hi - w.lo) / w.step }

// window returns the range for mode Strict. base is the most that the other
// factors add up to; other is the highest computed priority of a job that is
// not managed, for channel Priority.
func (o *Options) window(base, other int64) (window, error) {
	var w window
	switch {
	case o.Channel == Priority && o.Controller.Basic():
		w = window{lo: topPriority + 1, hi: maxPriority, step: 1}
	case o.Channel == Priority:
		// The floor moves in powers of two, so that it hardly ever moves. Above a job that has
		// more than half of what there is, there is no room.
		w = window{lo: ceilPow2(max(base, min(other, 1<<31), 1)) + 1, hi: maxPriority, step: 1}
	default:
		// One more than the factors can differ by; priorities stay below
		// 2^32-1, where Slurm cuts them off.
		w = window{lo: base + 1, hi: min(limit, maxPriority-base), step: base + 1}
	}
	if w.ranks() < 1 {
		return w, fmt.Errorf("channel %s: %w", o.Channel, impossible(o.divide(2),
			"the weights of priority/multifactor add up to %d, which leaves no room for two ranks in mode strict", base))
	}
	return w, nil
}

// divide returns the advice to divide the weights so that the ranks needed are left, of
// which a plan uses half, or to use mode weight with as much weight as all the others have.
func (o *Options) divide(needed int64) string {
	sum := o.Controller.Weights.Sum()
	most := max(1, limit/(2*needed+1)-1)
	return fmt.Sprintf("divide all PriorityWeight* of slurm.conf by %d, or set priority.mode: weight=%d",
		(sum+most-1)/most, min(limit, max(sum, needed)))
}

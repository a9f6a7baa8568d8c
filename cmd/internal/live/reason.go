package live

// Reason says why a campaign may have ended after its bound. Each is decided from
// what accounting and the queue reported while the campaign was unfinished.
// Several may hold, and one that holds need not be the only cause. Smaller ones
// come first.
type Reason uint8

// The reasons.
const (
	// Overrun: one of its jobs ran longer than expected, or one of the pool for
	// more than a minute longer than its time limit.
	Overrun Reason = iota
	// Outage: the pool lost processors while jobs of it waited.
	Outage
	// HigherTier: jobs of a higher PriorityTier or of a reservation, which came
	// after it in OStrich's order or are not in it, started while it waited.
	HigherTier
	// Unmanaged: jobs that OStrich leaves alone (excluded, pinned, held until
	// then) started while it waited, or belong to it.
	Unmanaged
	// NotWritten: in mode observe, jobs that come after it in OStrich's order
	// started while it waited. As the order is not written, that is the reason
	// to expect.
	NotWritten
	// Passed is the same in mode enforce: backfilling, which the bound does not
	// allow for, or a job that had no place in the order yet.
	Passed
	// Ineligible: jobs of it were held, had an unmet dependency or a begin time.
	Ineligible
	// Requeued: jobs of it were requeued.
	Requeued
	// Throttled: the array's own limit of running tasks held jobs of it back.
	Throttled
	// Limited: a limit of an association, a QOS or a partition, missing nodes
	// or licenses held jobs of it back; squeue's reason is neither Priority nor
	// Resources.
	Limited
	// NotKnown: none of the above was seen.
	NotKnown
	reasons
)

var reasonTexts = [reasons]struct{ name, words string }{
	Overrun:    {"overrun", "a job ran longer than expected or than its limit"},
	Outage:     {"outage", "the pool lost processors while it waited"},
	HigherTier: {"higher_tier", "jobs of a higher PriorityTier or of a reservation started before it"},
	Unmanaged:  {"unmanaged", "jobs that OStrich leaves alone (excluded, pinned, held) started before it or belong to it"},
	NotWritten: {"not_written", "the order was not written (observe mode), and Slurm started others before it: to be expected"},
	Passed:     {"passed", "jobs behind it in the order started before it (backfill, or too new to be ordered)"},
	Ineligible: {"ineligible", "jobs of it were held, or had an unmet dependency or a begin time"},
	Requeued:   {"requeued", "jobs of it were requeued"},
	Throttled:  {"throttled", "an array's own limit of running tasks held jobs of it back"},
	Limited:    {"limited", "a limit or missing nodes held jobs of it back"},
	NotKnown:   {"not_known", "not known"},
}

// String returns the reason's name in metrics and JSON.
func (r Reason) String() string { return reasonTexts[r].name }

// Words returns the reason in words.
func (r Reason) Words() string { return reasonTexts[r].words }

// Reasons lists all of them, in their order.
func Reasons() []Reason {
	list := make([]Reason, reasons)
	for i := range list {
		list[i] = Reason(i)
	}
	return list
}

// blame is a set of reasons.
type blame uint16

func (b *blame) add(r Reason) { *b |= 1 << r }

func (b blame) has(r Reason) bool { return b&(1<<r) != 0 }

// list returns the reasons of the set, NotKnown if it is empty.
func (b blame) list() []Reason {
	var list []Reason
	for r := range NotKnown {
		if b.has(r) {
			list = append(list, r)
		}
	}
	if list == nil {
		list = []Reason{NotKnown}
	}
	return list
}

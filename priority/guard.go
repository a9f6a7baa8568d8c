package priority

import (
	"slices"
	"strings"

	"slurm-ostrich/ostrich"
)

// guard returns why a job is left alone; the zero value if it is not.
func (o *Options) guard(q *Queued) Why {
	multifactor := o.Controller.Multifactor()
	switch {
	case q.Held():
		return Why{Code: IsHeld}
	case multifactor && q.Pinned && (o.Channel != Priority || !o.ours(q)), !multifactor && q.Priority > topPriority && !o.ours(q):
		return Why{Code: IsPinned}
	case q.Reservation != "":
		return Why{Code: Reserved, About: q.Reservation}
	}
	if is := o.Exclude.first(q, slices.Contains[[]string]); is != "" {
		return Why{Code: Excluded, About: is}
	}
	if is := o.Include.first(q, lacks); is != "" {
		return Why{Code: NotIncluded, About: is}
	}
	switch {
	case o.Outside != nil && o.Outside(q.Partition):
		return Why{Code: NoPool}
	case multifactor && !q.Listed && ForItsTurn(q.Reason) && q.Dependency == "":
		return Why{Code: NotListed}
	case multifactor && !q.Listed, ineligible(q.Reason):
		return Why{Code: NotEligible, About: q.Reason}
	case !multifactor && q.Dependency != "":
		return Why{Code: NotEligible, About: "Dependency"} // before the scheduler gives it the reason
	case o.Channel == Nice && q.Nice > 0:
		return Why{Code: OwnNice}
	}
	if o.Alone == nil {
		return Why{}
	}
	return o.Alone(q)
}

// ineligible reports whether a reason says that the job may not start yet.
func ineligible(reason string) bool {
	w := reasonOf(reason)
	return w == Later || w == Dependent
}

// Selection names jobs by what they belong to.
type Selection struct {
	Users, Accounts, QOS, Partitions []string
}

// first returns the first thing that the job belongs to, such as "user ann", for which says
// is true of the selection's list, or "". A job that can start in several partitions, or with
// several QOS, belongs to all of them: its priority counts in each.
func (s *Selection) first(q *Queued, says func(list []string, name string) bool) string {
	switch {
	case says(s.Users, q.User):
		return "user " + q.User
	case says(s.Accounts, q.Account):
		return "account " + q.Account
	}
	for _, of := range []struct {
		what  string
		list  []string
		names string
	}{{"QOS ", s.QOS, q.QOS}, {"partition ", s.Partitions, q.Partition}} {
		if len(of.list) == 0 {
			continue
		}
		for name := range strings.SplitSeq(of.names, ",") {
			if says(of.list, name) {
				return of.what + name
			}
		}
	}
	return ""
}

// lacks reports whether a list names others and not this one. An empty list names all.
func lacks(list []string, name string) bool { return len(list) > 0 && !slices.Contains(list, name) }

// recordCounts counts the pending records of each array. No order depends on it.
type recordCounts map[ostrich.JobID]int

func recordsPerArray(queue []Queued) recordCounts {
	counts := make(recordCounts)
	for i := range queue {
		if queue[i].Array != 0 {
			counts[queue[i].Array]++
		}
	}
	return counts
}

// spec names the record for scontrol. An update of an array's own id reaches
// every task with a record of its own too, held ones included, so the waiting
// tasks are named one by one. That splits no array: tasks only ever leave the
// set, and an update of all that are left is an update of the record.
//
// It returns false if other tasks of the array have records of their own and the name would
// be longer than most bytes.
func (a recordCounts) spec(q *Queued, most int) (string, bool) {
	switch {
	case q.Array == 0 && strings.Contains(q.Full, "+"):
		return q.Full, true // a component of a heterogeneous job
	case q.Array == 0, q.Array != q.Job:
		return "", true
	}
	if ranges, err := ParseTasks(q.Tasks); err == nil {
		if named, ok := arraySpec(q.Array, ranges, most); ok {
			return named, true
		}
	}
	return "", a[q.Array] <= 1
}

// takeBack plans to remove a value of ours from a job that is left alone.
// Otherwise the owner of the job could choose when the value freezes, and keep it
// where nobody else has one.
//
// A job that is held, pinned or not eligible keeps its value until it is released:
// it cannot start with it, and Slurm does not show it. So does a job that
// accounting has not reported, because nobody knows yet whether it is managed.
func (o *Options) takeBack(e *Entry, arrays recordCounts) {
	q := e.Queued
	multifactor := o.Controller.Multifactor()
	switch {
	case o.Journal == nil, e.Why.Code == Unheard, q.Held(), ineligible(q.Reason), multifactor && !q.Listed:
		return
	case o.Channel != Priority && q.Pinned:
		return
	case o.Alone != nil && o.Alone(q) != (Why{}):
		return
	}
	to, nice, ours := o.Journal.Stock(o.Channel, q)
	undone := ours && to == e.From && o.Controller.undone(q)
	if !ours && o.Channel == Priority {
		to = 0
		nice, undone = o.restored(q)
		ours = undone
	}
	if !ours || to == e.From && !undone {
		return
	}
	spec, named := arrays.long(q)
	if !named {
		return
	}
	e.To, e.Write, e.spec, e.nice = to, true, spec, nice
	if undone {
		why := e.Why
		if o.again(e, true); e.Write {
			e.Why = why
		}
	}
}

// maxArgument is the longest name of a record that a command line takes: Linux
// ends an argument at 128 KiB.
const maxArgument = 120_000

// long names a record as spec does, but also where the name does not fit a line of
// scontrol's standard input. It returns false for a name that does not fit a
// command line either.
func (a recordCounts) long(q *Queued) (string, bool) {
	if spec, named := a.spec(q, maxSpec); named {
		return spec, true
	}
	return a.spec(q, maxArgument)
}

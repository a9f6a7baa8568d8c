package priority

// takeBack plans to remove a value of ours from a job that is left alone.
// Otherwise the owner of the job could choose when the value freezes, and keep it
// where nobody else has one.
//
// A job that is held, pinned or not eligible keeps its value until it is released:
// it cannot start with it, and Slurm does not show it. So does a job that
// accounting has not reported, because nobody knows yet whether it is managed.
func (o Options) takeBack(e *Entry, arrays apart) {
	q := &e.Queued
	multifactor := o.Controller.Multifactor()
	switch {
	case o.Journal == nil, e.Why == Unheard, q.Held(), ineligible(q.Reason), multifactor && !q.Listed:
		return
	case o.Channel != Priority && q.Pinned:
		return
	case o.Alone != nil && o.Alone(q) != "":
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
func (a apart) long(q *Queued) (string, bool) {
	spec, why := a.spec(q)
	if why == "" {
		return spec, true
	}
	ranges, err := ParseTasks(q.Tasks)
	if err != nil {
		return "", false
	}
	return arraySpec(q.Array, ranges, maxArgument)
}

package priority

// block is a run of jobs of one campaign in the order wanted.
type block struct {
	from, to int   // its jobs are from up to, not including, to
	value    int64 // the greatest that one of them has, in numbers of which the greater goes first; 0 for none
	distance float64
	wait     Wait // why its jobs cannot start
	stays    bool // before one that was wanted before it
}

// keep lets a campaign that stands before others stay there unless their virtual
// completion is nearer by more than the margin. Without that, campaigns of similar
// size change places again and again as they are served and as their jobs turn out
// shorter than expected, and each change writes to all their jobs.
//
// The present values tell what stands before what, so that the plan is a function of
// what was read and a restart forgets nothing. No pair stands against the order
// wanted whose distances differ by more than the margin, and none of which one has a
// place for another reason, as what is overdue.
//
// kept tells that some stays. How much farther it may be changes with time.
//
// Only the first jobs are looked at, twice the depth: what is deeper has no order. And
// where jobs share values, these do not tell what stands before what.
func (o Options) keep(jobs []Entry, queue []Queued) (kept bool) {
	depth := min(o.depth(jobs), len(jobs))
	if o.Margin == 0 || o.Mode == Strict && o.crowded(depth, queue) {
		return false
	}
	jobs = jobs[:min(len(jobs), 2*depth)]
	var blocks []block
	for i := range jobs {
		e := &jobs[i]
		if wait := e.Wait(); i == 0 || e.Campaign != jobs[i-1].Campaign || e.distance != jobs[i-1].distance || wait != jobs[i-1].Wait() {
			blocks = append(blocks, block{from: i, distance: e.distance, wait: wait})
		}
		b := &blocks[len(blocks)-1]
		b.to = i + 1
		if o.Channel != Priority || o.inForce(&e.Queued) {
			b.value = max(b.value, o.ahead(e.From))
		}
	}
	for i := range blocks {
		for k := i; k > 0 && o.stays(&blocks[k], &blocks[k-1]); k-- {
			blocks[k-1], blocks[k] = blocks[k], blocks[k-1]
			blocks[k-1].stays, kept = true, true
		}
	}
	if !kept {
		return false
	}
	order := make([]Entry, 0, len(jobs))
	for _, b := range blocks {
		for _, e := range jobs[b.from:b.to] {
			if b.stays && b.wait == Able {
				e.Why = whyMargin
			}
			order = append(order, e)
		}
	}
	copy(jobs, order)
	return true
}

// crowded reports whether so many jobs have to share values.
func (o Options) crowded(jobs int, queue []Queued) bool {
	w, err := o.window(o.base(queue), 0)
	return err != nil || int64(jobs) > w.ranks()/2
}

// stays reports whether b, wanted after a, stands before it and is hardly farther away.
func (o Options) stays(b, a *block) bool {
	return a.wait == b.wait && a.value > 0 && b.value > a.value && a.distance > 0 && b.distance > 0 &&
		b.distance <= a.distance*(1+float64(o.Margin)/100)
}

package ledger

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/accounting"
	"slurm-ostrich/ostrich/lengths"
)

// Skip is a row that was left out because it cannot be true.
type Skip struct {
	Job ostrich.JobID
	Why string
}

// tracked is a job that has not ended, as the events reported it.
type tracked struct {
	row  row
	job  ostrich.Job
	poll uint64       // the poll that last saw it
	live ostrich.Time // when that was

	closed  ostrich.Time     // end of a row whose successor has not come, or 0
	resized bool             // the row continues a run that began in an earlier row
	prior   ostrich.Duration // suspended in earlier rows of the run
	pauses  int              // reported suspensions of the row
	paused  bool             // the last of them goes on

	told *Record // as Live returned it last; nil: it has not

	entry  int // place of the job's last report in the log of the poll logged
	logged uint64
}

// history turns rows into events. It holds the jobs that have not ended and the
// keys of the rows that ended lately. It reads nothing itself.
type history struct {
	config Config
	names  *names
	jobs   map[ostrich.JobID]*tracked
	closed map[accounting.Key]ostrich.Time // rows reported to their end, while they may be read again
	stale  map[accounting.Key]uint64       // live rows whose id belongs to a later job, and the poll that last saw them
	bad    map[accounting.Key]uint64       // skipped rows, and the poll that last saw them
	kept   map[ostrich.JobID]struct{}      // pending jobs reported as unable to start

	spare   *tracked // for the next job
	poll    uint64
	now     ostrich.Time // the database's clock in this poll
	window  ostrich.Time // rows that ended before this are not read again
	pauses  map[uint64][]interval
	splits  map[ostrich.JobID]ostrich.Time // when tasks first left an array, by array
	log     log
	made    map[int]*ostrich.Job // by again: those that have not ended yet, of rows that need no other, by row
	unused  *ostrich.Job         // for the next one made
	skipped []Skip

	redefined bool // partitions may have changed since the last poll
}

func newHistory(c Config, n *names) *history {
	return &history{
		config: c,
		names:  n,
		jobs:   map[ostrich.JobID]*tracked{},
		closed: map[accounting.Key]ostrich.Time{},
		stale:  map[accounting.Key]uint64{},
		bad:    map[accounting.Key]uint64{},
		kept:   map[ostrich.JobID]struct{}{},
	}
}

// update reports the events of new and changed rows, which are sorted by job and
// submission. gone are jobs whose rows have left the database.
func (h *history) update(now, window ostrich.Time, rows *rows, pauses map[uint64][]interval, gone []ostrich.JobID) {
	h.now, h.window, h.pauses = now, window, pauses
	h.log.events = slices.Grow(h.log.events, 3*rows.len())
	h.findSplits(rows)
	for i := range rows.len() {
		w := rows.at(i)
		if i+1 < rows.len() && rows.list[i+1].id == uint32(w.ID) {
			next := rows.at(i + 1)
			w.yield(&next)
		}
		events, jobs := len(h.log.events), len(h.log.jobs)
		simple := rows.special(i) == nil && rows.single(i) && h.jobs[w.ID] == nil
		h.row(&w)
		t := h.jobs[w.ID]
		if t != nil && t.row.Key == w.Key {
			t.poll, t.live = h.poll, now
		}
		if simple && t == nil {
			h.log.replace(events, jobs, i)
		}
	}
	for _, id := range gone {
		if t := h.jobs[id]; t != nil && t.poll != h.poll && t.closed == 0 {
			h.vanish(t)
		}
	}
	h.redefine()
	h.releaseDue()
	h.giveUp()
	h.endRunaways()
	h.forget()
}

// findSplits records when the first of each array's new tasks started.
func (h *history) findSplits(rows *rows) {
	h.splits = map[ostrich.JobID]ostrich.Time{}
	for i := range rows.len() {
		w := rows.at(i)
		if w.array == 0 || w.task == accounting.NoVal || !w.started() || h.jobs[w.ID] != nil {
			continue
		}
		if first, ok := h.splits[w.array]; !ok || w.start < first {
			h.splits[w.array] = w.start
		}
	}
}

func (h *history) row(w *row) {
	t := h.jobs[w.ID]
	continues := t != nil && t.row.Key != w.Key && t.awaits(w)
	resized := t != nil && (t.row.Key == w.Key && t.resized || continues && t.row.state == accounting.Resizing)
	if why := w.impossible(h.now, resized); why != "" {
		h.skip(w, t, why)
		return
	}
	fresh := t == nil || t.row.Key != w.Key
	switch {
	case t == nil:
		if w.state == accounting.Revoked {
			h.closed[w.Key] = w.end
			return
		}
		t = h.submit(w)
	case w.Submit < t.row.Submit:
		// A later job has replaced this one under its id.
		if w.end == 0 {
			h.stale[w.Key] = h.poll
		} else {
			h.closed[w.Key] = w.end
		}
		return
	case w.Key == t.row.Key:
		keepNames(w, &t.row)
	case continues:
		h.follow(t, w)
	default:
		if t.closed == 0 {
			h.stale[t.row.Key] = h.poll
		}
		h.replace(t, w.Submit)
		t = h.submit(w)
	}
	h.eligible(t, w, fresh)
	h.advance(t, w)
}

// again makes an event of a row anew, see log.replace.
func (h *history) again(rows *rows, e logged) ostrich.Event {
	event := ostrich.Event{At: e.at(), Kind: e.kind()}
	if job := h.made[e.entry()]; job != nil {
		if event.Job = as(e.kind(), *job); e.kind() == ostrich.End {
			delete(h.made, e.entry())
			h.unused = job
		}
		return event
	}
	h.log.clear()
	w := rows.at(e.entry())
	h.row(&w)
	delete(h.kept, w.ID) // as releaseDue has done after the first time
	for _, again := range h.log.events {
		if again.at() == e.at() && again.kind() == e.kind() {
			event = h.log.event(again)
		}
	}
	if len(h.log.jobs) == 1 {
		job := h.unused
		if job == nil {
			job = new(ostrich.Job)
		}
		*job, h.unused = h.log.jobs[0], nil
		h.made[e.entry()] = job
	}
	return event
}

// awaits reports whether w is the next row of the same job.
func (t *tracked) awaits(w *row) bool {
	return t.closed != 0 && w.uid == t.row.uid && follows(&t.row, w)
}

// follows reports whether b can be the row that a requeue or a resize opened when
// it closed a.
func follows(a, b *row) bool {
	return a.uid == b.uid && a.Submit < b.Submit && a.state.GoesOn(a.end, b.Submit)
}

func (h *history) skip(w *row, t *tracked, why string) {
	waits := w.unfinished && h.now <= max(w.Submit, w.start, w.end)+unfinishedFor
	if !waits {
		if _, known := h.bad[w.Key]; !known {
			h.skipped = append(h.skipped, Skip{w.ID, why})
		}
		h.bad[w.Key] = h.poll
	}
	if t == nil || t.row.Key != w.Key {
		return
	}
	if w.end == 0 || waits {
		t.poll, t.live = h.poll, h.now // It is still there; only its row cannot be read.
		return
	}
	h.vanish(t)
	h.closed[w.Key] = max(w.end, t.live)
}

// submit begins a job.
func (h *history) submit(w *row) *tracked {
	t := h.spare
	if t == nil {
		t = new(tracked)
	}
	h.spare = nil
	*t = tracked{row: *w, entry: noEntry}
	t.job = h.job(w)
	h.jobs[w.ID] = t
	h.report(t, ostrich.Submit, w.Submit)
	return t
}

// job makes the job that a row submits.
func (h *history) job(w *row) ostrich.Job {
	j := ostrich.Job{ID: w.ID, Submit: w.Submit}
	h.asks(w).of(&j)
	h.describe(&j, w)
	return j
}

// describe sets the fields of a job from a row, except its id, processors and times.
func (h *history) describe(j *ostrich.Job, w *row) {
	j.User = ostrich.UserID(w.uid)
	if h.config.Shares == Tree {
		j.User = ostrich.UserID(w.assoc)
	}
	j.Group = w.array
	if j.Group == 0 {
		j.Group = w.het
	}
	j.Partition, j.QOS = w.partition, cmp.Or(w.anyQOS, h.names.qos[w.qos])
	j.Tasks, j.Needs = int(w.tasks), w.needs
	j.Estimate = h.estimate(w)
	h.say(j, w)
}

// estimate returns the time limit of a row in seconds.
func (h *history) estimate(w *row) ostrich.Duration {
	if w.limit != 0 {
		return 60 * ostrich.Duration(w.limit)
	}
	var longest ostrich.Duration
	for name := range strings.SplitSeq(w.partition, ",") {
		longest = max(longest, h.config.Partitions[name].MaxTime)
	}
	return cmp.Or(longest, h.config.DefaultLimit)
}

// redefine reports the jobs whose limit or size follows from a partition that has changed.
func (h *history) redefine() {
	if !h.redefined {
		return
	}
	h.redefined = false
	other := func(t *tracked) bool {
		takes := extent{t.job.Procs, t.job.Size}
		return t.closed == 0 && (t.job.Estimate != h.estimate(&t.row) || t.job.Start == 0 && h.asks(&t.row) != takes ||
			t.job.Start != 0 && h.holds(&t.row) != takes)
	}
	for _, id := range h.those(other) {
		h.change(h.jobs[id], &h.jobs[id].row, h.now)
	}
}

// follow begins the next row of a job. It reports differences at the time of the
// row's submission.
func (h *history) follow(t *tracked, w *row) {
	resized := t.row.state == accounting.Resizing
	if t.row.state.Returns() && t.job.Start != 0 {
		h.backInQueue(t, t.closed)
	}
	keepNames(w, &t.row)
	if resized {
		t.prior = t.job.Suspended
	} else {
		t.prior = 0
	}
	t.resized, t.closed, t.pauses, t.paused = resized, 0, 0, false
	t.row.Key, t.row.state = w.Key, w.state
	at := w.Submit
	if w.end != 0 && w.end <= at {
		return
	}
	if resized || !w.started() {
		h.change(t, w, at)
	}
}

// change reports what differs from the last report, if anything does.
func (h *history) change(t *tracked, w *row, at ostrich.Time) {
	next := t.job
	h.describe(&next, w)
	h.asks(w).of(&next)
	if next.Start != 0 {
		next.Start = w.start
		h.holds(w).of(&next)
	}
	if t.job.Needs = next.Needs; next == t.job { // what it asks of nodes is no event: the virtual schedule knows none
		return
	}
	t.job = next
	h.report(t, ostrich.Change, at)
}

// advance reports how far a row has come: started, suspended, ended.
func (h *history) advance(t *tracked, w *row) {
	switch {
	case t.job.Start == 0 && w.started() && (w.state != accounting.Requeued || w.end > w.start):
		h.start(t, w)
	case t.job.Start != 0 && !w.started():
		// This run never happened: Slurm never takes a start back in the same
		// row.
		w.start, w.alloc, w.held, w.state = t.job.Start, uint32(t.job.Procs), t.row.held, max(w.state, accounting.Running)
	case w.end == 0:
		at := h.now
		if split, ok := h.splits[w.array]; ok && int(w.tasks) < t.job.Tasks {
			at = min(at, split)
		}
		h.change(t, w, at)
	default: // An ended row's values count, but are no event of their own.
		h.describe(&t.job, w)
		h.asks(w).of(&t.job)
		if t.job.Start != 0 {
			t.job.Start = w.start
			h.holds(w).of(&t.job)
		}
	}
	t.row = *w
	if t.job.Start != 0 {
		h.suspensions(t, w)
	}
	if w.end != 0 {
		h.end(t, w)
	}
}

// start reports the start, with what the row says of the job since then.
func (h *history) start(t *tracked, w *row) {
	next := t.job
	h.describe(&next, w)
	if next.Tasks != t.job.Tasks {
		t.job.Tasks = next.Tasks
		h.report(t, ostrich.Change, w.start)
	}
	next.Start = w.start
	h.holds(w).of(&next)
	t.job = next
	h.report(t, ostrich.Start, w.start)
}

// end closes a row: the job has ended, or waits for its next row.
func (h *history) end(t *tracked, w *row) {
	if w.end >= h.window {
		h.closed[w.Key] = w.end
	}
	switch {
	case w.state == accounting.Requeued:
		t.closed = w.end
		if t.job.Start != 0 {
			h.backInQueue(t, w.end)
		}
	case w.state == accounting.Resizing, w.state.Returns(): // the latter go on running until it is known what became of them
		t.closed = w.end
	default:
		t.job.Outcome = lengths.Stopped // by whoever closed the row of a job that ran or waited
		if w.state.Ended() {
			t.job.Outcome = w.state.Outcome()
		}
		h.finish(t, w.end)
	}
}

func (h *history) backInQueue(t *tracked, at ostrich.Time) {
	t.job.Start, t.job.Suspended = 0, 0
	h.asks(&t.row).of(&t.job)
	h.report(t, ostrich.Requeue, at)
}

// finish reports the end of a job.
func (h *history) finish(t *tracked, at ostrich.Time) {
	t.job.End = at
	if t.job.Start != 0 {
		t.job.Suspended = t.suspended(at)
	}
	h.report(t, ostrich.End, at)
	delete(h.jobs, t.job.ID)
	h.spare = t
}

// report adds an event about the present state of a job.
func (h *history) report(t *tracked, k ostrich.Kind, at ostrich.Time) {
	if t.logged != h.poll {
		t.logged, t.entry = h.poll, noEntry
	}
	t.entry = h.log.add(k, at, &t.job, t.entry)
}

// forget drops what no poll can read again: keys of rows closed before the
// window, and marks of rows that this poll did not see.
func (h *history) forget() {
	maps.DeleteFunc(h.closed, func(_ accounting.Key, end ostrich.Time) bool { return end < h.window })
	for k, poll := range h.stale {
		if poll != h.poll {
			delete(h.stale, k)
			h.closed[k] = h.now
		}
	}
	maps.DeleteFunc(h.bad, func(_ accounting.Key, poll uint64) bool { return poll != h.poll })
}

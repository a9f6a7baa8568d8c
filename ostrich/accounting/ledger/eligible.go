package ledger

import (
	"slices"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/accounting"
)

// kept reports whether the job of a row cannot start: it is held, depends on
// another job or is throttled (all have no time_eligible), or it begins later.
func (w *row) kept(now ostrich.Time) bool {
	return w.eligible == 0 || w.eligible >= accounting.NoVal || w.eligible > max(now, w.Submit)
}

// eligible reports from when a pending job can start. time_eligible holds only
// the latest such moment. So a cold start assumes that the job was kept back from
// its submission until then. A live reader sees it kept back from the poll that
// finds no such moment. fresh is true when the row is read for the first time.
func (h *history) eligible(t *tracked, w *row, fresh bool) {
	if t.job.Start != 0 {
		return
	}
	until := h.now
	switch {
	case w.started():
		until = w.start
	case w.end != 0:
		until = w.end
	}
	kept := w.kept(until)
	_, held := h.kept[w.ID]
	switch {
	case kept && !held && fresh:
		h.keep(t, w.Submit)
	case kept && !held && w.end == 0 && !w.started():
		h.keep(t, h.now)
	case kept, w.eligible <= w.Submit && !held:
	case fresh:
		h.keep(t, w.Submit)
	case !held && w.eligible > t.row.eligible && t.row.eligible != 0: // kept back and released since
		h.keep(t, w.eligible)
	}
	at := max(w.eligible, w.Submit)
	over := w.end != 0 && !w.started() && at >= w.end // released no sooner than it ended
	if _, held = h.kept[w.ID]; held && !kept && !over {
		h.release(t, at)
	}
	if w.started() || over {
		delete(h.kept, w.ID)
	}
}

func (h *history) keep(t *tracked, at ostrich.Time) {
	h.kept[t.job.ID] = struct{}{}
	h.report(t, ostrich.Hold, at)
}

func (h *history) release(t *tracked, at ostrich.Time) {
	delete(h.kept, t.job.ID)
	h.report(t, ostrich.Release, at)
}

// releaseDue releases the jobs whose begin time has passed since their rows were
// read.
func (h *history) releaseDue() {
	var due []ostrich.JobID
	for id := range h.kept {
		switch t := h.jobs[id]; {
		case t == nil:
			delete(h.kept, id)
		case t.closed == 0 && !t.row.kept(h.now):
			due = append(due, id)
		}
	}
	slices.Sort(due)
	for _, id := range due {
		t := h.jobs[id]
		h.release(t, max(t.row.eligible, t.row.Submit))
	}
}

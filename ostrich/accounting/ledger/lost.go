package ledger

// Jobs that Slurm lost: their rows are gone, or say what is no longer true.

import (
	"fmt"
	"slices"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/accounting"
	"slurm-ostrich/ostrich/lengths"
)

// yield ends a row if a later job has its id: Slurm lost the earlier job and
// closed its row afterwards.
func (w *row) yield(next *row) {
	if w.end > next.Submit && !follows(w, next) {
		w.end = next.Submit
	}
}

// missed lists the jobs that the poll has not seen, by id, and the keys of the rows that
// it has read.
func (h *history) missed(rows *rows) (missed []ostrich.JobID, found map[accounting.Key]bool) {
	if len(h.jobs) == 0 {
		return nil, nil // a cold start, whose rows may be millions
	}
	found = make(map[accounting.Key]bool, rows.len())
	for i := range rows.len() {
		found[rows.at(i).Key] = true
	}
	return h.those(func(t *tracked) bool { return t.poll != h.poll && t.closed == 0 && !found[t.row.Key] }), found
}

// those lists the jobs for which is returns true, by id.
func (h *history) those(is func(*tracked) bool) []ostrich.JobID {
	var ids []ostrich.JobID
	for id, t := range h.jobs {
		if is(t) {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}

// vanish ends a job whose row is gone or unreadable, at the time it was last
// seen.
func (h *history) vanish(t *tracked) {
	h.closed[t.row.Key] = t.live
	t.job.Outcome = lengths.Stopped
	h.finish(t, max(t.live, t.job.Start))
}

// replace ends a job that Slurm lost: another job has its id since at.
func (h *history) replace(t *tracked, at ostrich.Time) {
	if t.closed != 0 {
		at = t.closed
	}
	t.job.Outcome = lengths.Stopped
	h.finish(t, max(at, t.job.Start))
}

// returnsBy is how long after a row ended that does not tell whether its job returns the job is taken to have ended with
// it. A Timeline with the default delay still puts that end in its place.
const returnsBy = ostrich.Time(accounting.ReturnGap) + 60

// giveUp ends the jobs whose next row did not come, at the time the last row
// closed.
func (h *history) giveUp() {
	late := func(t *tracked) bool {
		wait := ostrich.Time(accounting.LinkGap)
		if t.row.state.Returns() {
			wait = returnsBy
		}
		return t.closed != 0 && h.now > t.closed+wait
	}
	for _, id := range h.those(late) {
		h.jobs[id].job.Outcome = lengths.Stopped
		h.finish(h.jobs[id], h.jobs[id].closed)
	}
}

// pastLimit is how long after its time limit a row may still say that the job
// runs. Slurm kills such a job within minutes, or within hours under
// OverTimeLimit.
const pastLimit = ostrich.Time(86400)

// endRunaways ends, at their time limit, the jobs that slurmctld lost and whose
// rows say for ever that they run (sacctmgr show runawayjobs). Otherwise they
// would hold processors and use a share for ever.
func (h *history) endRunaways() {
	lost := func(t *tracked) bool {
		w := &t.row
		return w.end == 0 && w.state == accounting.Running && t.job.Start != 0 && w.suspended == 0 && t.pauses == 0 &&
			w.limit != 0 && h.now > t.limited()+pastLimit
	}
	for _, id := range h.those(lost) {
		t := h.jobs[id]
		h.skipped = append(h.skipped, Skip{id, fmt.Sprintf(
			"has run a day past its time limit of %d min: taken to have ended then; see sacctmgr show runawayjobs", t.row.limit)})
		h.stale[t.row.Key] = h.poll
		t.job.Outcome = lengths.Stopped
		h.finish(t, t.limited())
	}
}

// limited returns when a running job reaches its time limit.
func (t *tracked) limited() ostrich.Time { return t.job.Start + 60*ostrich.Time(t.row.limit) }

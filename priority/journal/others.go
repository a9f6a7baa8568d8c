package journal

import (
	"slurm-ostrich/ostrich"
	"slurm-ostrich/priority"
)

const (
	// anothers marks a value that somebody else wrote over one of ours: To is
	// that value, From our last one.
	anothers priority.Status = "another writer"
	// adopted marks a value that another daemon wrote while it held the lock.
	// From then on it is ours.
	adopted priority.Status = "taken over"
)

// otherWrites records what another writer did to a job.
type otherWrites struct {
	retry

	value int64 // its latest one
	lost  bool  // nothing has been written to the job since
}

// Writer says who wrote a value.
type Writer uint8

const (
	// Known values are ours, or those of stock Slurm.
	Known Writer = iota
	// Foreign values were there before our first write to the job: job_submit
	// plugins and administrators set them.
	Foreign
	// Overwritten jobs had a value of ours.
	Overwritten
)

// WroteBy returns who wrote the job's value in channel SiteFactor or Nice. In
// channel Priority it is always Known: there a pin that is not ours is an
// administrator's, and Slurm itself restores earlier priorities.
//
// A value of 0 belongs to nobody: a reset, a requeue or an administrator restores
// it.
func (j *Journal) WroteBy(ch priority.Channel, q *priority.Queued) Writer {
	value := ch.Value(q)
	if ch == priority.Priority || value == 0 || (ch == priority.SiteFactor && !q.SiteKnown) || (ch == priority.Nice && value > 0) {
		return Known
	}
	if stock, _, ours := j.Stock(ch, q); ours && stock != value { // else it was given back
		return Known
	}
	for _, id := range []ostrich.JobID{q.Job, q.Array} {
		w := j.jobs[subject{ch, id}]
		if w != nil && w.submit == q.Submit && (w.applied || w.intended) && len(w.former) > 0 && ch.Settable(value) != w.first {
			return Overwritten
		}
	}
	return Foreign
}

// OtherWriters returns a record for each job in which another writer has just been
// found: we had written the job, it now has a value that is not ours, and that is
// not recorded yet.
func (j *Journal) OtherWriters(ch priority.Channel, queue []priority.Queued, now ostrich.Time) []Record {
	var list []Record
	for i := range queue {
		q := &queue[i]
		if j.WroteBy(ch, q) != Overwritten {
			continue
		}
		w := j.nearest(ch, q)
		if w.others.lost && w.others.value == ch.Value(q) {
			continue
		}
		list = append(list, Record{
			Time: now, Job: q.Job, Submit: q.Submit, Channel: ch, From: w.last, To: ch.Value(q), Why: "neither ours nor the former value", Result: anothers,
		})
	}
	return list
}

// Lost reports whether another writer's value has, as far as we know, replaced
// ours, with no write since.
func (j *Journal) Lost(ch priority.Channel, q *priority.Queued) bool {
	w := j.nearest(ch, q)
	return w != nil && w.others.lost
}

// nearest returns what is known of a job, or else of the array that it belonged
// to.
func (j *Journal) nearest(ch priority.Channel, q *priority.Queued) *written {
	if w := j.jobs[subject{ch, q.Job}]; w != nil {
		return w
	}
	return j.jobs[subject{ch, q.Array}]
}

// OtherWriter returns the value of another writer because of which we leave a job
// alone, and until when; 0 means that the job may be written. The pause doubles
// each time the other writer returns, from 5 min up to an hour.
func (j *Journal) OtherWriter(ch priority.Channel, q *priority.Queued, now ostrich.Time) (value int64, until ostrich.Time) {
	w := j.nearest(ch, q)
	if w == nil || w.others.times == 0 || j.WroteBy(ch, q) != Overwritten {
		return 0, 0
	}
	return w.others.value, w.others.next(afterOther, now)
}

// Note adds records that are not about our writes, and waits until they are on
// disk.
func (j *Journal) Note(now ostrich.Time, recs []Record) error {
	if len(recs) == 0 {
		return nil
	}
	if err := j.keep(now); err != nil {
		return err
	}
	return j.add(recs)
}

// Empty reports whether the journal knows no write.
func (j *Journal) Empty() bool { return len(j.jobs) == 0 }

// Adoptions returns records that make values ours which another daemon wrote
// while it held the lock: values that the options could have given. With all it
// considers all jobs of the queue, else only those that the journal knows. In
// channel Priority there are none, because a pin may also be an administrator's.
func (j *Journal) Adoptions(o priority.Options, queue []priority.Queued, all bool, now ostrich.Time) []Record {
	var list []Record
	could := o.Could(queue)
	for i := range queue {
		q := &queue[i]
		whose := j.WroteBy(o.Channel, q)
		if whose == Known || (whose == Foreign && !all) || !could(o.Channel.Value(q)) {
			continue
		}
		list = append(list, Record{
			Time: now, Job: q.Job, Submit: q.Submit, Channel: o.Channel, To: o.Channel.Value(q), Why: "another daemon's", Result: adopted,
		})
	}
	return list
}

// Orphans returns records that make values ours which the journal does not know, though
// only a plan gives such: those of a daemon whose journal is gone. Nobody knows what the jobs
// had before, so a reset gives them 0, which is what stock Slurm has. sure is false if others
// may have given them as well.
func (j *Journal) Orphans(o priority.Options, queue []priority.Queued, now ostrich.Time) (list []Record, sure bool) {
	var values []int64
	could := o.Could(queue)
	for i := range queue {
		q := &queue[i]
		if value := o.Channel.Value(q); j.WroteBy(o.Channel, q) == Foreign && could(value) && j.unwritten(o.Channel, q) {
			values = append(values, value)
			list = append(list, Record{
				Time: now, Job: q.Job, Submit: q.Submit, Channel: o.Channel, To: value, Result: adopted,
				Why: "left by a daemon whose journal is gone; what the job had before is taken to be 0",
			})
		}
	}
	return list, o.OnlyOurs(queue, values)
}

// unwritten reports whether the journal has no value of ours for a job, nor for its array.
func (j *Journal) unwritten(ch priority.Channel, q *priority.Queued) bool {
	for _, id := range []ostrich.JobID{q.Job, q.Array} {
		if w := j.jobs[subject{ch, id}]; w != nil && w.submit == q.Submit {
			return false
		}
	}
	return true
}

// backOff is a pause that doubles with each time in a row, up to the longest.
type backOff struct{ first, longest ostrich.Duration }

var (
	// afterRefusal is the pause for a job that Slurm refused to change.
	afterRefusal = backOff{30, 15 * 60}
	// afterOther is the pause for a job that another writer changed. Two writers
	// that both pause like this meet some 24 times a day.
	afterOther = backOff{5 * 60, 60 * 60}
)

// pause returns the pause after so many times in a row.
func (b backOff) pause(times int) ostrich.Duration {
	d := b.first
	for ; times > 1 && d < b.longest; times-- {
		d *= 2
	}
	return min(d, b.longest)
}

// retry counts vain attempts, and says when to try again.
type retry struct {
	times int
	since ostrich.Time // the latest time
}

// fail counts another time.
func (r *retry) fail(now ostrich.Time) { r.times, r.since = r.times+1, now }

// next returns when to try again; 0 means now. A moment further ahead than any
// pause was recorded by a clock that has been set back since.
func (r retry) next(b backOff, now ostrich.Time) ostrich.Time {
	at := r.since + ostrich.Time(b.pause(r.times))
	if r.times == 0 || now >= at || at-now > ostrich.Time(b.longest) {
		return 0
	}
	return at
}

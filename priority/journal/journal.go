// Package journal records what was written to jobs: which values are ours, what a
// job had before, what was refused or undone, and who else writes.
package journal

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/priority"
	"slurm-ostrich/priority/privilege"
)

// Journal is the record of every write, one JSON object a line: the intention,
// and the result. It distinguishes our pins from administrators', and knows what
// value a job had before our first write.
//
// A journal has one writer at a time, which holds a lock on the file's name with
// ".lock" added. Both files belong to their folder's owner. The journal opens
// nothing else, follows no link, and as root opens files as that user.
type Journal struct {
	path string
	as   privilege.Owner
	file *os.File // nil when read only
	lock *os.File
	size int64
	jobs map[subject]*written

	carries int64 // bytes at the head of the file that carry jobs over; 0 if not known

	version  uint64
	repaired error // see Repaired
}

// Record is one line of the journal.
type Record struct {
	Time    ostrich.Time     `json:"time"`
	Job     ostrich.JobID    `json:"job"`
	Submit  ostrich.Time     `json:"submit"`
	Channel priority.Channel `json:"channel"`
	From    int64            `json:"from"`
	To      int64            `json:"to"`
	// Nice is the nice value that the job had before it was pinned in channel
	// Priority; 0 means none.
	Nice int64         `json:"nice,omitempty"`
	Why  string        `json:"why,omitempty"`
	Code priority.Code `json:"code,omitempty"` // of Why, see priority.Why; "" in the lines of older files
	// Result is a Status, "intended" before the burst, or "kept" in the first
	// lines of a new file. There To is the last value written and From the one
	// before the first write.
	Result priority.Status `json:"result"`
	Words  string          `json:"words,omitempty"`
	// Undone says that the value was written before, and undone.
	Undone bool `json:"undone,omitempty"`
	// Former are the values written before the file began. One of the first lines
	// of a job has them.
	Former []int64 `json:"former,omitempty"`
	// Carried is set in those first lines: they report results of writes before
	// the file began.
	Carried bool `json:"carried,omitempty"`
}

const (
	// intended marks a write that is about to begin. If no result follows, the
	// writer was killed and the job may have either value.
	intended priority.Status = "intended"
	// kept carries a job over from the file before.
	kept priority.Status = "kept"
)

type subject struct {
	channel priority.Channel
	job     ostrich.JobID
}

// written is what the journal knows of a job in a channel.
type written struct {
	submit   ostrich.Time
	first    int64   // the value before the first write, as it can be given back
	last     int64   // the value of the last write that took effect
	applied  bool    // last is set
	pending  int64   // the value of a write whose result is not known
	intended bool    // pending is set
	nice     int64   // the owner's, taken by the first pin
	former   []int64 // every value written, in rising order
	words    string
	refused  retry          // words is set
	repeats  []ostrich.Time // when a write that was undone was made again, in order
	others   otherWrites
	at       ostrich.Time // time of the latest intention
	dropped  int          // how often in a row Slurm accepted the value drop and did not keep it
	drop     int64        // set if dropped > 0
}

// A job_submit plugin may drop a value without a message. After mostDropped times
// in a row the job counts as refused.
const (
	mostDropped  = 3
	droppedWords = "Slurm takes the value and drops it"
)

// ErrLocked means that another process writes the journal.
var ErrLocked = errors.New("another process writes it")

// Version grows whenever what the journal knows may have changed.
func (j *Journal) Version() uint64 { return j.version }

// Close gives up the right to write. A second Close does nothing.
func (j *Journal) Close() error {
	var err error
	if j.file != nil {
		err = j.file.Close()
		j.file = nil
	}
	if j.lock != nil {
		err = errors.Join(err, j.lock.Close())
		j.lock = nil
	}
	return err
}

func parseRecord(line []byte) (Record, error) {
	var rec Record
	dec := json.NewDecoder(bytes.NewReader(line))
	if err := dec.Decode(&rec); err != nil {
		return rec, fmt.Errorf("not a record: %w", err)
	}
	if rec.Job == 0 {
		return rec, errors.New("a record without a job")
	}
	if err := rec.Channel.Check(); err != nil {
		return rec, err
	}
	return rec, nil
}

// apply updates what is known of a job from a record.
func apply(jobs map[subject]*written, rec Record) {
	key := subject{rec.Channel, rec.Job}
	w, first := jobs[key], rec.Channel.Settable(rec.From)
	switch {
	case w == nil:
		w = &written{submit: rec.Submit, first: first}
		jobs[key] = w
	case w.submit != rec.Submit && !w.wrote(rec.From) && !rec.Undone:
		// Slurm has given the id to another job. (A requeued job has a new
		// submission too, but keeps the value that we gave it.)
		*w = written{submit: rec.Submit, first: first}
	default:
		w.submit = rec.Submit
	}
	if rec.Nice != 0 || !w.wrote(rec.From) && !rec.Undone {
		// Slurm shows nice 0 for a job that is pinned already.
		w.nice = rec.Nice
	}
	w.remember(rec.Former...)
	if rec.Channel == priority.Priority && rec.From != 0 && !w.had(rec.From) {
		w.first = first // what Slurm computed this time
	}
	switch rec.Result {
	case intended:
		if rec.Undone {
			w.repeats = append(w.repeats, rec.Time)
			w.repeats = w.repeats[max(0, len(w.repeats)-mostRepeats):]
		}
		switch {
		case rec.Carried: // From is not what the job had
		case w.intended && w.pending == rec.From, !w.applied && w.had(rec.From): // it took effect
			w.last, w.applied = rec.From, true
		case !w.intended && !w.applied && w.others.times == 0: // the first write that may take effect
			w.first = first
		}
		w.pending, w.intended, w.at, w.others.lost = rec.To, true, rec.Time, false
		w.remember(rec.To)
	case priority.Applied, priority.Undone, kept:
		w.remember(rec.To)
		if rec.Channel == priority.Priority && rec.To == 0 && rec.Result == priority.Applied {
			w.former = nil // released: a later pin belongs to somebody else
		}
		w.last, w.applied, w.intended, w.words, w.dropped, w.refused = rec.To, true, false, "", 0, retry{}
	case priority.Refused:
		w.intended = false
		if !unanswered(rec.Words) {
			w.words = rec.Words
			w.refused.fail(rec.Time)
		}
	case priority.NotApplied:
		w.intended = false
		if w.drop != rec.To {
			w.drop, w.dropped = rec.To, 0
		}
		if w.dropped++; w.dropped >= mostDropped {
			w.words = droppedWords
			w.refused.fail(rec.Time)
		}
	case adopted:
		w.remember(rec.To)
		w.last, w.applied, w.intended, w.others = rec.To, true, false, otherWrites{}
	case anothers:
		w.others = otherWrites{retry: w.others.retry, value: rec.To, lost: true}
		w.others.fail(rec.Time)
		w.words, w.dropped, w.refused = "", 0, retry{} // Slurm did not drop the value
	case priority.Unsent:
		w.intended = false
	case priority.Gone, priority.Unknown:
		// Either value is possible: pending stays.
	}
}

// wrote reports whether a value may be ours.
func (w *written) wrote(value int64) bool {
	return (w.applied && w.last == value) || (w.intended && w.pending == value)
}

// Intend records writes that are about to begin, and waits until the records are
// on disk. If the open files are no longer the journal's, it first begins new
// ones, see Repaired, or returns ErrLocked if another process did.
func (j *Journal) Intend(now ostrich.Time, ch priority.Channel, changes []priority.Change) error {
	begun := make([]priority.Change, len(changes))
	for i, c := range changes {
		begun[i] = c.Outcome(intended, "")
	}
	return j.Conclude(now, ch, begun)
}

// Conclude records the results of a burst, and waits until they are on disk. Like
// Intend, it makes sure that they will be found.
func (j *Journal) Conclude(now ostrich.Time, ch priority.Channel, outcomes []priority.Change) error {
	if err := j.keep(now); err != nil {
		return err
	}
	recs := make([]Record, len(outcomes))
	for i, o := range outcomes {
		recs[i] = Record{
			Time: now, Job: o.Job, Submit: o.Submit, Channel: ch, From: o.From, To: o.To, Nice: o.Nice, Why: o.Why.String(), Code: o.Why.Code, Undone: o.Undone,
			Result: o.Status, Words: o.Words,
		}
	}
	return j.add(recs)
}

func (j *Journal) add(recs []Record) error {
	if len(recs) == 0 {
		return nil
	}
	if j.file == nil {
		return fmt.Errorf("journal %s: not open for writing", j.path)
	}
	text, err := encode(recs)
	if err != nil {
		return fmt.Errorf("journal %s: %w", j.path, err)
	}
	if err := writeSync(j.file, text); err != nil {
		// The next record must not continue half a line.
		_, seekErr := j.file.Seek(j.size, io.SeekStart)
		return fmt.Errorf("journal: %w", errors.Join(err, j.file.Truncate(j.size), seekErr))
	}
	j.size += int64(len(text))
	for _, rec := range recs {
		apply(j.jobs, rec)
	}
	j.version++
	return nil
}

func encode(recs []Record) ([]byte, error) {
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false)
	for i := range recs {
		if recs[i].Job == 0 {
			return nil, errors.New("a record without a job") // It could not be read back.
		}
		if err := enc.Encode(&recs[i]); err != nil {
			return nil, fmt.Errorf("job %d: %w", recs[i].Job, err)
		}
	}
	return text.Bytes(), nil
}

func writeSync(f *os.File, text []byte) error {
	if _, err := f.Write(text); err != nil {
		return err
	}
	return f.Sync()
}

// Ours reports whether we wrote, or may have written, a value of a channel to the
// job at any time.
func (j *Journal) Ours(ch priority.Channel, job ostrich.JobID, value int64) bool {
	w := j.jobs[subject{ch, job}]
	return w != nil && w.had(value)
}

// Written returns the value that a job had before the first write, and the last
// value written. ok is false for a job that was never written.
func (j *Journal) Written(ch priority.Channel, job ostrich.JobID) (first, last int64, ok bool) {
	w := j.jobs[subject{ch, job}]
	switch {
	case w == nil:
		return 0, 0, false
	case w.intended:
		return w.first, w.pending, true
	default:
		return w.first, w.last, w.applied
	}
}

// unanswered reports whether Slurm's words mean that slurmctld could not answer, which says
// nothing about the job.
func unanswered(words string) bool {
	return priority.Says(words, "slurm controller", "standby mode", "Protocol")
}

// Refused returns Slurm's words if it refused the last change of the job and it
// is too early to try again, and when that will be; else "". The pause doubles
// with each refusal in a row, from 30 s up to 15 min. A value that Slurm accepted
// and dropped three times in a row counts as refused too. A journal open for
// writing counts only refusals since it was opened, so that a new start tries
// again. A lost right is no refusal, see priority.Unsent.
func (j *Journal) Refused(ch priority.Channel, job ostrich.JobID, now ostrich.Time) (words string, again ostrich.Time) {
	w := j.jobs[subject{ch, job}]
	if w == nil || w.words == "" {
		return "", 0
	}
	if again = w.refused.next(afterRefusal, now); again == 0 {
		return "", 0
	}
	return w.words, again
}

// Rotate starts a new file once more than limit bytes have been added to the present
// one. The old file stays with ".1" added and replaces the one before. The new file
// begins with what is known of jobs that are alive, which may be longer than the
// limit itself. Rotate reports whether it did so.
func (j *Journal) Rotate(now ostrich.Time, limit int64, alive func(ostrich.JobID) bool) (bool, error) {
	if j.file == nil || j.size-j.carries <= limit {
		return false, nil
	}
	jobs, recs := j.carried(now, alive)
	text, err := encode(recs)
	if err != nil {
		return false, fmt.Errorf("journal %s: %w", j.path, err)
	}
	if err = j.replace(text, ".1"); err != nil {
		return false, fmt.Errorf("journal: rotate: %w", err)
	}
	j.jobs = jobs
	j.version++
	return true, nil
}

// carried returns the first records of a new file, and the jobs they are about:
// what is known of those that are alive.
func (j *Journal) carried(now ostrich.Time, alive func(ostrich.JobID) bool) (map[subject]*written, []Record) {
	jobs := make(map[subject]*written)
	var recs []Record
	for key, w := range j.jobs {
		if !alive(key.job) {
			continue
		}
		jobs[key] = w
		base := Record{Time: now, Job: key.job, Submit: w.submit, Channel: key.channel, From: w.first, Nice: w.nice, Former: w.former, Carried: true}
		other := func() {
			r := base
			r.Time, r.To, r.Result = w.others.since, w.others.value, anothers
			recs = append(recs, r)
			base.Former = nil // once is enough
		}
		if w.others.times > 0 && !w.others.lost {
			other()
			if w.applied { // the value is ours again, see Lost
				again := base
				again.Time, again.To, again.Result = w.at, w.last, intended
				recs = append(recs, again)
			}
		}
		if w.applied {
			base.To, base.Result = w.last, kept
			recs = append(recs, base)
			base.Former = nil
		}
		if w.words != "" {
			refused := base
			refused.Time, refused.Result, refused.Words = w.refused.since, priority.Refused, w.words
			recs = append(recs, refused)
		}
		if w.intended {
			base.Time, base.To, base.Result = w.at, w.pending, intended
			recs = append(recs, base)
			base.Former = nil
		}
		if w.others.lost { // since the latest intention
			other()
		}
		if base.Former != nil {
			base.To, base.Result = w.first, priority.Unsent // nothing else is known
			recs = append(recs, base)
		}
	}
	// Stable, because the order of one job's records must stay.
	slices.SortStableFunc(recs, func(a, b Record) int {
		return cmp.Or(cmp.Compare(a.Job, b.Job), cmp.Compare(a.Channel, b.Channel))
	})
	return jobs, recs
}

// Submitted returns when Slurm said that the job was submitted; 0 if it was never written.
func (j *Journal) Submitted(ch priority.Channel, job ostrich.JobID) ostrich.Time {
	if w := j.jobs[subject{ch, job}]; w != nil {
		return w.submit
	}
	return 0
}

package accounting

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/plural"
)

// Texts keeps one copy of each text that many records share.
type Texts map[string]string

// Of returns the copy of a text.
func (t Texts) Of(b []byte) string {
	if s, ok := t[string(b)]; ok {
		return s
	}
	s := string(b)
	t[s] = s
	return s
}

// Builder builds a History from records in any order. The zero value is ready.
type Builder struct {
	h            History
	associations map[Association]int32
	partitions   map[string]int32
	qos          map[string]int32
	needs        map[Needs]int32
	where        map[string]int32
	resized      map[ostrich.JobID]bool // jobs with a record that a resize closed
	early        []early
}

// early is a job that started before its submission.
type early struct {
	job ostrich.JobID
	by  ostrich.Duration
}

// Association returns the index of an association in the history, and adds it if
// needed.
func (b *Builder) Association(a Association) int32 {
	return place(&b.associations, &b.h.Associations, a)
}

// Partition returns the index of a partition in the history, and adds it if
// needed. Of several, between which a job that waits has the choice, it is the first.
func (b *Builder) Partition(name string) int32 {
	name, _, _ = strings.Cut(name, ",")
	return place(&b.partitions, &b.h.Partitions, name)
}

// QOS returns the index of a QOS in the history, and adds it if needed.
func (b *Builder) QOS(name string) int32 { return place(&b.qos, &b.h.QOS, name) }

func place[K comparable](places *map[K]int32, all *[]K, k K) int32 {
	i, ok := (*places)[k]
	if !ok {
		if *places == nil {
			*places = map[K]int32{}
		}
		i = int32(len(*all))
		(*places)[k] = i
		*all = append(*all, k)
	}
	return i
}

// Add adds a record of a job. The record that follows a resize has the job's first
// start, which is before the record's own submission: Add moves it to the submission.
func (b *Builder) Add(j Job) {
	if j.State == Resizing {
		if b.resized == nil {
			b.resized = map[ostrich.JobID]bool{}
		}
		b.resized[j.ID] = true
	}
	if by := ostrich.Duration(j.Submit - j.Start); j.Start > 0 && by > 0 {
		b.early = append(b.early, early{j.ID, by})
		j.Start = j.Submit
		if j.End > 0 {
			j.End = max(j.End, j.Start)
			j.Suspended = min(j.Suspended, ostrich.Duration(j.End-j.Start))
		}
	}
	if len(b.h.Jobs) == cap(b.h.Jobs) {
		b.h.Jobs = slices.Grow(b.h.Jobs, max(1024, len(b.h.Jobs)/2))
	}
	b.h.Jobs = append(b.h.Jobs, j)
}

// Expect makes room for so many records in all.
func (b *Builder) Expect(records int) {
	b.h.Jobs = slices.Grow(b.h.Jobs, max(0, records-len(b.h.Jobs)))
}

// Early counts the jobs that started more than a second before their submission, but no
// more than most, though none of their records was closed by a resize.
func (b *Builder) Early(most ostrich.Duration) (jobs int) {
	for _, e := range b.early {
		if 1 < e.by && e.by <= most && !b.resized[e.job] {
			jobs++
		}
	}
	return jobs
}

// Skip counts a record that was left out because it cannot be true.
func (b *Builder) Skip(why error) {
	b.h.Skipped++
	if len(b.h.Faults) < MaxFaults {
		b.h.Faults = append(b.h.Faults, why)
	}
}

// Skipped returns how many records were left out, and why the first one was.
func (b *Builder) Skipped() (records int, first error) {
	if len(b.h.Faults) > 0 {
		first = b.h.Faults[0]
	}
	return b.h.Skipped, first
}

// Note adds a note on what was left out or changed, once, in the format of plural.Sprintf.
func (b *Builder) Note(format string, args ...any) {
	if note := plural.Sprintf(format, args...); !slices.Contains(b.h.Notes, note) {
		b.h.Notes = append(b.h.Notes, note)
	}
}

// Len returns how many records were added.
func (b *Builder) Len() int { return len(b.h.Jobs) }

// History returns the result: sorted, with each run of a job once, and with the
// records of a resized job joined. Do not use the builder afterwards.
func (b *Builder) History(cluster string, from, to ostrich.Time) *History {
	h := &b.h
	h.Cluster, h.From, h.To = cluster, from, to
	if twice := h.settle(); twice > 0 {
		b.Note("%d record{|s} tell{s|} of the same run of a job as another: dropped.", twice)
	}
	joined, alone := b.join()
	if joined > 0 {
		b.Note("%d job{|s} {was|were} resized while running: counted as one job of the mean size.", joined)
	}
	if alone > 0 {
		b.Note("%d job{|s} {was|were} resized and the record of what followed is missing: ended there.", alone)
	}
	if h.Skipped > 0 {
		b.Note("%d record{|s} {is|are} malformed or impossible: left out. The first: %v.", h.Skipped, h.Faults[0])
	}
	return h
}

// compareJobs sorts as a History does. Of two records of one run it puts the one
// first that knows more of its end, or else of its start.
func compareJobs(a, b *Job) int {
	return cmp.Or(
		cmp.Compare(a.Submit, b.Submit),
		cmp.Compare(a.ID, b.ID),
		-cmp.Compare(a.End, b.End),
		-cmp.Compare(a.Start, b.Start),
	)
}

// settle sorts the jobs and drops second records of a run. Slurm has one record
// for each id and submission (the key of its job table). It may have been read
// twice: while the job waited or ran, and after its end.
func (h *History) settle() (twice int) {
	sorted, again := true, false
	for i := 1; i < len(h.Jobs) && sorted; i++ {
		a, b := &h.Jobs[i-1], &h.Jobs[i]
		sorted, again = compareJobs(a, b) <= 0, again || a.ID == b.ID && a.Submit == b.Submit
	}
	switch {
	case sorted && !again:
		return 0
	case !sorted:
		slices.SortStableFunc(h.Jobs, func(a, b Job) int { return compareJobs(&a, &b) })
	}
	n := len(h.Jobs)
	h.Jobs = slices.CompactFunc(h.Jobs, func(a, b Job) bool { return a.ID == b.ID && a.Submit == b.Submit })
	return n - len(h.Jobs)
}

// join joins the records of a job that was resized: each but the last is Resizing,
// and the next begins when it ends. The job keeps its submission, its first start
// and its processor-seconds.
func (b *Builder) join() (joined, alone int) {
	if len(b.resized) == 0 {
		return 0, 0
	}
	h := &b.h
	parts := map[ostrich.JobID][]int{}
	for i := range h.Jobs {
		if id := h.Jobs[i].ID; b.resized[id] {
			parts[id] = append(parts[id], i)
		}
	}
	gone := map[int]bool{}
	for i := range h.Jobs {
		first := &h.Jobs[i]
		if first.State != Resizing || gone[i] {
			continue
		}
		work, cost, units := first.ran()*float64(first.Procs), first.ran()*first.Billing, first.ran()*first.Units
		for _, k := range parts[first.ID] {
			next := &h.Jobs[k]
			if k <= i || gone[k] || first.State != Resizing || !first.State.GoesOn(first.End, next.Submit) {
				continue
			}
			gone[k] = true
			work, cost, units = work+next.ran()*float64(next.Procs), cost+next.ran()*next.Billing, units+next.ran()*next.Units
			first.State, first.End, first.Suspended = next.State, next.End, first.Suspended+next.Suspended
			first.Limit = max(first.Limit, next.Limit)
			if first.End == 0 {
				first.Procs, first.Billing, first.Units = next.Procs, next.Billing, next.Units // its present size
			}
		}
		if first.State == Resizing {
			first.State = Requeued
			alone++
			continue
		}
		joined++
		first.Resized = true
		if length := first.End - first.Start; first.End > 0 && length > 0 {
			first.Procs, first.Billing, first.Units = int32(max(1, math.Round(work/float64(length)))), cost/float64(length), units/float64(length)
		}
	}
	kept := h.Jobs[:0]
	for i, j := range h.Jobs {
		if !gone[i] {
			kept = append(kept, j)
		}
	}
	h.Jobs = kept
	return joined, alone
}

// ran returns the seconds from start to end, suspensions included; 0 before the end.
func (j *Job) ran() float64 {
	if j.Start == 0 || j.End == 0 {
		return 0
	}
	return float64(j.End - j.Start)
}

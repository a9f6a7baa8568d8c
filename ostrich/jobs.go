package ostrich

import "iter"

// jobTable finds jobs by id: a hash table with open addressing and linear
// probing, as each event of a Schedule begins with a look into it. The zero value
// is empty.
type jobTable struct {
	slots []jobSlot // a power of two of them, or none
	shift uint8     // of a hash, to a slot
	count int       // jobs
}

type jobSlot struct {
	id  JobID
	job *job // nil in an empty slot
}

// home is where a job is if nothing was in the way (Fibonacci hashing). Ids in a
// row, as Slurm gives them, are spread evenly.
func (t *jobTable) home(id JobID) int { return int(uint32(id) * 0x9e3779b9 >> t.shift) }

// get returns the job with an id, or nil.
func (t *jobTable) get(id JobID) *job {
	if t.count == 0 {
		return nil
	}
	for i := t.home(id); t.slots[i].job != nil; i = (i + 1) & (len(t.slots) - 1) {
		if t.slots[i].id == id {
			return t.slots[i].job
		}
	}
	return nil
}

// put adds a job, in place of one with the same id.
func (t *jobTable) put(j *job) {
	if 2*t.count >= len(t.slots) {
		t.grow()
	}
	i := t.home(j.ID)
	for t.slots[i].job != nil && t.slots[i].id != j.ID {
		i = (i + 1) & (len(t.slots) - 1)
	}
	if t.slots[i].job == nil {
		t.count++
	}
	t.slots[i] = jobSlot{id: j.ID, job: j}
}

func (t *jobTable) grow() {
	old := t.slots
	if len(old) == 0 {
		t.slots, t.shift = make([]jobSlot, 16), 32-4
	} else {
		t.slots, t.shift = make([]jobSlot, 2*len(old)), t.shift-1
	}
	t.count = 0
	for _, s := range old {
		if s.job != nil {
			t.put(s.job)
		}
	}
}

// remove removes a job, if it is there. Those behind it that were not at home
// move up, so that no gap comes between a job and its home.
func (t *jobTable) remove(id JobID) {
	if t.get(id) == nil {
		return
	}
	mask := len(t.slots) - 1
	gap := t.home(id)
	for t.slots[gap].id != id {
		gap = (gap + 1) & mask
	}
	for i := (gap + 1) & mask; t.slots[i].job != nil; i = (i + 1) & mask {
		if (i-t.home(t.slots[i].id))&mask >= (i-gap)&mask {
			t.slots[gap] = t.slots[i]
			gap = i
		}
	}
	t.slots[gap] = jobSlot{}
	t.count--
}

// sized is an empty table with room for as many jobs.
func (t *jobTable) sized() jobTable {
	return jobTable{slots: make([]jobSlot, len(t.slots)), shift: t.shift}
}

// all lists the jobs in an order that means nothing.
func (t *jobTable) all() iter.Seq[*job] {
	return func(yield func(*job) bool) {
		for i := range t.slots {
			if j := t.slots[i].job; j != nil && !yield(j) {
				return
			}
		}
	}
}

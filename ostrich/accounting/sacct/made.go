package sacct

import (
	"bytes"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/internal/lines"
)

// Made are the ids that are made up for array tasks of dumps without JobIDRaw, which alone
// tells them. Dumps that are read with the same Made have one id for one task. The zero
// value has none yet.
type Made struct {
	ids    map[task]ostrich.JobID
	next   ostrich.JobID              // id of the next task
	slurms map[ostrich.JobID]struct{} // ids of Slurm's among those that can be made up
	told   bool                       // a dump tells the real id of an array task
}

// task is a task of an array.
type task struct {
	array  ostrich.JobID
	number int64
}

// madeFrom is the first id that is made up. Slurm gives none as high, except on the
// clusters 32 to 63 of a federation.
const madeFrom = ostrich.JobID(1 << 31)

// of returns the id of a task. It is false when there are no more.
func (m *Made) of(t task) (ostrich.JobID, bool) {
	if id, is := m.ids[t]; is {
		return id, true
	}
	if m.ids == nil {
		m.ids, m.next = make(map[task]ostrich.JobID), madeFrom
	}
	for {
		id := m.next
		if id == 0 { // after the highest one
			return 0, false
		}
		m.next++
		if _, taken := m.slurms[id]; !taken {
			m.ids[t] = id
			return id, true
		}
	}
}

// give records that an id is one of Slurm's. It is false if it has been made up for a task.
func (m *Made) give(id ostrich.JobID) bool {
	if id < madeFrom {
		return true
	}
	if _, known := m.slurms[id]; known {
		return true
	}
	if len(m.ids) > 0 && (id < m.next || m.next == 0) {
		return false
	}
	if m.slurms == nil {
		m.slurms = make(map[ostrich.JobID]struct{})
	}
	m.slurms[id] = struct{}{}
	return true
}

// mixed reports whether the ids of some tasks are known and those of others made up.
func (m *Made) mixed() bool { return m.told && len(m.ids) > 0 }

// id reads the id of a job. Without JobIDRaw it follows from JobID, except that of an array
// task. Components of a heterogeneous job have ids in a row.
func (d *dump) id() (ostrich.JobID, error) {
	made := d.options.Made
	if raw := d.values[colRaw]; raw != nil {
		id, ok := readID(raw)
		if !ok {
			return 0, d.bad(colRaw, "not the id of a job")
		}
		if _, number, array := bytes.Cut(d.values[colID], []byte{'_'}); array && !bytes.HasPrefix(number, []byte{'['}) {
			made.told = true
		}
		return id, d.given(id, colRaw)
	}
	name := d.values[colID]
	if leader, component, het := bytes.Cut(name, []byte{'+'}); het {
		first, ok := readID(leader)
		n, number := lines.Digits(component)
		if !ok || !number || n >= 1<<16 {
			return 0, d.bad(colID, "not the id of a job")
		}
		id := first + ostrich.JobID(n)
		return id, d.given(id, colID)
	}
	master, number, array := bytes.Cut(name, []byte{'_'})
	id, ok := readID(master)
	if !ok {
		return 0, d.bad(colID, "not the id of a job")
	}
	if !array || bytes.HasPrefix(number, []byte{'['}) {
		return id, d.given(id, colID)
	}
	n, ok := lines.Digits(number)
	if ok {
		id, ok = made.of(task{id, n})
	}
	if !ok {
		return 0, d.bad(colID, "not a task of an array")
	}
	return id, nil
}

// given returns a fault if an id of Slurm's has been made up for another job.
func (d *dump) given(id ostrich.JobID, c column) error {
	if !d.options.Made.give(id) {
		return d.bad(c, "an array task before it was given this id, as its own is not there: run sacct again with JobIDRaw")
	}
	return nil
}

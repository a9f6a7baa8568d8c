package ledger

import (
	"cmp"
	"math"
	"slices"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/accounting"
)

// rows are the rows of a poll. Those of a cold start may be millions, nearly all of jobs that
// have ended and of which there is nothing special to keep. These are packed: into less memory,
// and without pointers, so that the garbage collector does not look at them.
type rows struct {
	list  []packed
	whole []row        // those that do not fit, in any order
	units [][2]float64 // asked and held, of packed rows that have them; the first has none
	whos  []who
	of    map[who]uint32 // places in whos
}

// who is what many rows have in common.
type who struct {
	uid, assoc, qos uint32
	needs           uint32
	partition       string
	exclusive       bool
}

// packed is a row, or a place in rows.whole.
type packed struct {
	id, submit           uint32 // of a whole row too, if they fit
	start, end, eligible uint32 // start is the place of a whole row
	limit, array, task   uint32
	req, alloc, nodes    uint32
	who, units           uint32 // places
	state                uint32 // isWhole: a whole row
	class                uint64
}

const isWhole = math.MaxUint32

func (r *rows) len() int { return len(r.list) }

func (r *rows) add(w *row) {
	if r.units == nil {
		r.units, r.of = make([][2]float64, 1), map[who]uint32{}
	}
	of := who{w.uid, w.assoc, w.qos, w.needs, w.partition, w.extra == &alone}
	place, known := r.of[of]
	if !known {
		place = uint32(len(r.whos))
		r.of[of], r.whos = place, append(r.whos, of)
	}
	p := packed{
		id: uint32(w.ID), submit: uint32(w.Submit), start: uint32(w.start), end: uint32(w.end), eligible: uint32(w.eligible),
		limit: w.limit, array: uint32(w.array), task: w.task, req: w.req, alloc: w.alloc, nodes: w.nodes,
		who: place, state: uint32(w.state), class: w.class,
	}
	if units := [2]float64{w.asked, w.held}; units != [2]float64{} {
		p.units = uint32(len(r.units))
		r.units = append(r.units, units)
	}
	if w.end == 0 || w.state == accounting.Suspended || w.state == isWhole || r.row(&p) != *w {
		p = packed{id: uint32(w.ID), submit: uint32(min(max(w.Submit, 0), math.MaxUint32)), start: uint32(len(r.whole)), state: isWhole}
		r.whole = append(r.whole, *w)
	}
	r.list = append(r.list, p)
}

func (r *rows) at(i int) row { return r.row(&r.list[i]) }

func (r *rows) row(p *packed) row {
	if p.state == isWhole {
		return r.whole[p.start]
	}
	of := &r.whos[p.who]
	w := row{
		Key:   accounting.Key{ID: ostrich.JobID(p.id), Submit: ostrich.Time(p.submit)},
		start: ostrich.Time(p.start), end: ostrich.Time(p.end), eligible: ostrich.Time(p.eligible), limit: p.limit,
		uid: of.uid, assoc: of.assoc, qos: of.qos, array: ostrich.JobID(p.array), task: p.task, tasks: 1,
		req: p.req, alloc: p.alloc, nodes: p.nodes, partition: of.partition, state: accounting.State(p.state),
		asked: r.units[p.units][0], held: r.units[p.units][1], class: p.class, needs: of.needs, extra: &none,
	}
	if of.exclusive {
		w.extra = &alone
	}
	return w
}

// special returns the row at a place to be changed if it is whole, else nil.
func (r *rows) special(i int) *row {
	if p := &r.list[i]; p.state == isWhole {
		return &r.whole[p.start]
	}
	return nil
}

// sort sorts the rows, see compareRows, and keeps the first of those with the same key.
func (r *rows) sort() {
	compare := func(a, b packed) int {
		if c := cmp.Or(cmp.Compare(a.id, b.id), cmp.Compare(a.submit, b.submit)); c != 0 || a.state != isWhole && b.state != isWhole {
			return c
		}
		return compareRows(r.row(&a), r.row(&b))
	}
	if !slices.IsSortedFunc(r.list, compare) {
		slices.SortFunc(r.list, compare)
	}
	r.list = slices.CompactFunc(r.list, func(a, b packed) bool { return a.id == b.id && r.row(&a).Key == r.row(&b).Key })
}

// only keeps the rows at the places of which keep is true.
func (r *rows) only(keep []bool) {
	list := r.list[:0]
	for i := range r.list {
		if keep[i] {
			list = append(list, r.list[i])
		}
	}
	r.list = list
}

// single reports whether there is no other row of the same job.
func (r *rows) single(i int) bool {
	id := r.list[i].id
	return (i == 0 || r.list[i-1].id != id) && (i+1 == len(r.list) || r.list[i+1].id != id)
}

package slurmdb

import (
	"bytes"
	"context"
	"database/sql/driver"
	"strconv"

	"slurm-ostrich/ostrich/accounting"
)

// needs is what is kept to read what jobs ask for.
type needs struct {
	resources    map[uint64]string // names of TRES, by number
	reservations map[uint64]string // names, by id_resv
	asked        map[string]string // names and counts of a tres_req, but of what every database has
	of           accounting.Needs  // of the latest row
	missing      []string          // what cannot be read, in words
}

func (n *needs) unread(what string) { n.missing = append(n.missing, what) }

// maxSubmission is how much is read of a line of submission. What follows the options is a
// script's name and its arguments, or the text of --wrap.
const maxSubmission = 2048

// perCPU is the part of mem_req that says that it is for each processor (MEM_PER_CPU in slurm/slurm.h).
const perCPU = 1 << 63

// The parts of flags that say what started a job, of which it has one (SLURMDB_JOB_FLAG_ in slurm/slurmdb.h).
const (
	startedBy  = 0xf
	byBackfill = 1 << 3
)

// readNeeds reads what a row's job asks for beside processors and time, and where it ran.
func (p *parser) readNeeds(r *accounting.Row, v []driver.Value) {
	y, n := &p.saying, &p.needs.of
	*n = accounting.Needs{
		TRES: p.asked(text(v[colReq])), Features: p.texts.Of(text(optional(v, y.constraints))), Licenses: p.texts.Of(text(optional(v, y.licenses))),
		Layout: accounting.ParseSubmission(submission(text(optional(v, y.submitted))), accounting.Component(r.ID, r.Het)),
	}
	if id := number(optional(v, y.reservation)); id != 0 {
		name, is := p.needs.reservations[id]
		if !is {
			name = strconv.FormatUint(id, 10)
		}
		n.Reservation = name
	}
	if y.licenses == 0 {
		n.Licenses = n.Wanted
	}
	if n.Exclusive == "" {
		n.Exclusive = accounting.Exclusivity(p.texts.Of(text(optional(v, y.exclusive))))
	}
	r.Needs, r.Backfilled = n, number(optional(v, y.flags))&startedBy == byBackfill
	if p := number(optional(v, y.priority)); p < accounting.NoVal {
		r.Priority = uint32(p)
	}
	if nodes := text(optional(v, y.nodes)); string(nodes) != "None assigned" {
		r.Where = p.texts.Of(nodes)
	}
	memory := number(optional(v, y.memory))
	switch of := memory &^ perCPU; {
	case of == 0 || of >= 1<<53: // none of its own, or NO_VAL64
		n.Memory = int64(min(r.Asked.Memory, 1<<53))
	case memory != of:
		n.Memory, n.Per = int64(of), accounting.PerCPU
	default:
		n.Memory, n.Per = int64(of), accounting.PerNode
	}
	n.Divide(int64(min(r.Req, accounting.MaxProcs)), int64(min(r.Asked.Nodes, accounting.MaxProcs)), &r.Held)
}

// submission returns a line of submission, without its last word if it was cut off.
func submission(line []byte) string {
	if len(line) >= maxSubmission {
		line = line[:max(0, bytes.LastIndexByte(line, ' '))]
	}
	return string(line)
}

// asked returns what a TRES string has beside what every database has, by names.
func (p *parser) asked(s []byte) string {
	if all, is := p.needs.asked[string(s)]; is {
		return all
	}
	if p.needs.asked == nil {
		p.needs.asked = make(map[string]string)
	}
	var all []byte
	for item := range bytes.SplitSeq(s, []byte{','}) {
		number, count, _ := bytes.Cut(item, []byte{'='})
		id, err := strconv.ParseUint(string(number), 10, 32)
		name, is := p.needs.resources[id]
		if n, bad := strconv.ParseUint(string(count), 10, 64); err != nil || bad != nil || !is || id <= lastOfAll || n > accounting.MaxProcs {
			continue // readTRES refuses a string that is none
		}
		if len(all) > 0 {
			all = append(all, ',')
		}
		all = append(append(append(all, name...), '='), count...)
	}
	text := string(all)
	p.needs.asked[string(s)] = text
	return text
}

// lastOfAll is the last number of a TRES that every database has (TRES_PAGES in slurm/slurmdb.h).
const lastOfAll = 8

// nameReservations reads the names of reservations, if it is read what jobs ask for.
func (r *Reader) nameReservations(ctx context.Context) error {
	if !r.config.Needs {
		return nil
	}
	found, err := readable(ctx, r.db, r.schema.cluster+"_resv_table")
	if err != nil {
		return err
	}
	if !found["id_resv"] || !found["resv_name"] {
		r.parser.needs.unread(r.schema.cluster + "_resv_table, which has the names of reservations")
		return nil
	}
	r.parser.needs.reservations = make(map[uint64]string)
	err = r.db.scan(ctx, func(scan func(...any) error) error {
		var (
			id   uint64
			name string
		)
		failed := scan(&id, &name)
		r.parser.needs.reservations[id] = name
		return failed
	}, "SELECT DISTINCT id_resv, resv_name FROM "+r.schema.table("resv_table"))
	if err != nil {
		return r.failed("the names of reservations", err)
	}
	return nil
}

// Needs reports whether it is read what jobs ask for.
func (r *Reader) Needs() bool { return r.config.Needs }

// Unread lists what the account may not read of what jobs ask for, in words.
func (r *Reader) Unread() []string { return r.parser.needs.missing }

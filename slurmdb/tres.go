package slurmdb

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"slurm-ostrich/ostrich/accounting"
)

var errTRES = errors.New("not a TRES string")

// readTRES reads a TRES string such as "1=4,2=1000,4=1". Counts are 64-bit: Slurm
// writes 18446744073709551614 for an unknown one. A resource that the string does
// not name counts 0. If the string is malformed, all do. named are the names of further
// resources that are read; nil: none.
func readTRES(s []byte, named *names) (accounting.TRES, error) {
	var (
		t   accounting.TRES
		bad error
	)
	number := func(digits []byte, size int) uint64 {
		n, err := strconv.ParseUint(string(digits), 10, size)
		if err != nil {
			bad = err
		}
		return n
	}
	for item := range bytes.SplitSeq(s, []byte{','}) {
		if len(item) == 0 { // Slurm has written leading commas.
			continue
		}
		name, count, _ := bytes.Cut(item, []byte{'='})
		id, n := number(name, 32), number(count, 64)
		if bad != nil {
			return accounting.TRES{}, fmt.Errorf("%w: %q", errTRES, shorten(string(s)))
		}
		if n >= math.MaxUint64-1 {
			continue
		}
		switch id { // these are the same in every database
		case 1:
			t.CPUs = n
		case 2:
			t.Memory = n
		case 4:
			t.Nodes = n
		case 5:
			t.Billing = n
		default:
			if name := named.of(id); name != "" {
				t.Others = append(t.Others, accounting.Count{Name: name, N: n})
			}
		}
	}
	return t, nil
}

// names are names by number, as they were read last.
type names struct {
	byID  map[uint64]string // "": a number that has no name, or one that nobody wants
	unmet []uint64          // numbers that came up since then
}

// of returns the name of a number, "" if it has none. A number that comes up for the first time
// is one to look up, see nameAnew. Every database has those up to lastOfAll.
func (n *names) of(id uint64) string {
	if n == nil || n.byID == nil {
		return ""
	}
	name, is := n.byID[id]
	if !is && id > lastOfAll {
		n.byID[id] = "" // it is looked up once
		n.unmet = append(n.unmet, id)
	}
	return name
}

// anew keeps the numbers without a name in names that were read again, and reports whether one
// that came up has one now.
func (n *names) anew(before *names) (found bool) {
	for id := range before.byID {
		if _, is := n.byID[id]; !is && n.byID != nil {
			n.byID[id] = ""
		}
	}
	for _, id := range before.unmet {
		found = found || n.byID[id] != ""
	}
	return found
}

// nameAnew reads the names of resources again if rows have numbers that have come up for the
// first time, and reports whether some of them have names now: a site that adds a GRES to
// AccountingStorageTRES gives it a number. The rows are to be read once more then.
func (r *Reader) nameAnew(ctx context.Context) (found bool, err error) {
	before := r.parser.named
	if len(before.unmet) == 0 {
		return false, nil
	}
	if err = r.nameTRES(ctx); err != nil {
		return false, err
	}
	found = r.parser.named.anew(&before)
	r.parser.named.unmet, r.parser.needs.asked = nil, nil
	return found, nil
}

// nameTRES finds the numbers of the resources that the unit of work needs, beside those
// that every database has, and those of all if it is read what jobs ask for.
func (r *Reader) nameTRES(ctx context.Context) error {
	wanted := r.config.Named()
	resources := map[uint64]string{1: "cpu", 2: "mem", 4: "node", 5: "billing"} // the same in every database
	r.parser.needs.resources = resources
	if len(wanted) == 0 && !r.config.Needs {
		return nil
	}
	found, err := readable(ctx, r.db, "tres_table")
	switch {
	case err != nil:
		return err
	case len(found) == 0 && len(r.config.Unit.Named()) == 0:
		r.parser.needs.unread("tres_table, which has the names of GRES and licences")
		return nil
	case len(found) == 0:
		return fmt.Errorf("slurmdb: unit of work %s: table tres_table: %w, or not readable for %s", r.config.Unit.Resource, ErrColumns, r.config.User)
	}
	named := make(map[uint64]string)
	var known []string
	err = r.db.scan(ctx, func(scan func(...any) error) error {
		var (
			id   uint64
			name string
		)
		failed := scan(&id, &name)
		known = append(known, name)
		resources[id], named[id] = name, accounting.Wanted(wanted, name)
		return failed
	}, "SELECT id, CONCAT(type, IF(COALESCE(name, '') = '', '', '/'), COALESCE(name, '')) FROM tres_table WHERE deleted = 0 ORDER BY id")
	if err != nil {
		return r.failed("the names of resources", err)
	}
	for _, w := range r.config.Unit.Named() {
		if !slices.ContainsFunc(known, func(name string) bool { return strings.EqualFold(name, w) }) {
			return fmt.Errorf("slurmdb: unit of work %s: %w: accounting has no resource %s (AccountingStorageTRES of slurm.conf); it has %s",
				r.config.Unit.Resource, ErrConfig, w, strings.Join(known, ", "))
		}
	}
	r.parser.named.byID = named
	return nil
}

package replay

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/accounting"
	"slurm-ostrich/ostrich/accounting/sacct"
	"slurm-ostrich/ostrich/sim/nodes"
	"slurm-ostrich/priority/slurm"
)

// reserve adds the reservations of whole nodes, of accounting and of Slurm's files.
func (s *Study) reserve(p *placement) error {
	all := slices.Clone(s.Reserved)
	for i := range s.Records {
		if r := &s.Records[i]; r.Kind == slurm.ReservationRecord {
			one, err := reservationOf(r, cmp.Or(s.Location, time.UTC))
			if err != nil {
				return fmt.Errorf("%s: %w", r.Where, err)
			}
			if !slices.ContainsFunc(s.Reserved, func(r accounting.Reservation) bool { return r.Name == one.Name && r.From == one.From }) {
				all = append(all, one)
			}
		}
	}
	parts := 0
	for i := range all {
		r := &all[i]
		if r.Nodes == "" || r.Floats || r.To <= r.From || r.To <= p.history.From {
			continue
		}
		where, err := p.list(r.Nodes)
		switch {
		case err != nil && !s.Present:
			return fmt.Errorf("reservation %s of %s: %w: %s", r.Name, r.Nodes, err, errGone)
		case err != nil, r.CPUs > 0 && int(r.CPUs) < p.cpus(where):
			parts++
			continue
		}
		p.cluster.Reservations = append(p.cluster.Reservations, nodes.Reservation{Name: r.Name, Nodes: where, From: r.From, To: r.To, Known: s.known(p, r, where), Flex: r.Flex})
		p.reservations[r.Name] = true
	}
	if n := len(p.cluster.Reservations); n > 0 {
		s.Notes = append(s.Notes, fmt.Sprintf("Reservations of nodes since the window began: %d. They keep their nodes as they did, and count as known since a job last started there that could have run into them.", n))
	}
	if parts > 0 {
		s.Notes = append(s.Notes, fmt.Sprintf("Reservations of parts of nodes, or of nodes that are no more: %d, left out.", parts))
	}
	return nil
}

// known returns since when a reservation may have been known, which neither accounting nor Slurm's files have: behind the last start
// on one of its nodes of a job that could have run into it. Then Slurm knew nothing of it (reservation.c, job_test_resv).
func (s *Study) known(p *placement, r *accounting.Reservation, where []int) (since ostrich.Time) {
	h := p.history
	for i := range h.Jobs {
		j := &h.Jobs[i]
		if j.Start <= since || j.Start >= r.From {
			continue
		}
		limit := cmp.Or(j.Limit, s.Priority.Partitions[j.Partition].MaxTime, j.Ran())
		if j.Start+ostrich.Time(limit) <= r.From || h.NeedsOf(j).Reservation != "" {
			continue
		}
		if on, err := p.list(h.WhereRan(j)); err == nil && slices.ContainsFunc(on, func(at int) bool { return slices.Contains(where, at) }) {
			since = j.Start + 1
		}
	}
	return since
}

// reservationOf reads what scontrol shows of a reservation.
func reservationOf(r *slurm.Record, zone *time.Location) (one accounting.Reservation, err error) {
	flags := strings.ToUpper(r.Get("flags"))
	one = accounting.Reservation{
		Name: r.Name, Nodes: r.Get("nodes"), Flex: strings.Contains(flags, "FLEX"), Floats: strings.Contains(flags, "TIME_FLOAT"),
	}
	for _, x := range []struct {
		key string
		to  *ostrich.Time
	}{{"starttime", &one.From}, {"endtime", &one.To}} {
		text := r.Get(x.key)
		seconds, bad := strconv.ParseUint(text, 10, 40) // with SLURM_TIME_FORMAT=%s, and in JSON
		if *x.to = ostrich.Time(seconds); bad != nil {
			if *x.to, err = sacct.ParseTime(text, time.Time{}, zone); err != nil {
				return one, fmt.Errorf("%s=%q: not a time", x.key, text)
			}
		}
	}
	for item := range strings.SplitSeq(r.Get("tres"), ",") {
		if count, is := strings.CutPrefix(item, "cpu="); is {
			if one.CPUs, err = strconv.ParseUint(count, 10, 32); err != nil {
				return one, fmt.Errorf("tres=%q: not a number of processors", r.Get("tres"))
			}
		}
	}
	return one, nil
}

package accounting

import (
	"errors"
	"fmt"
	"slices"

	"slurm-ostrich/ostrich"
)

// Merge merges several histories, which may overlap. If a run of a job (its id
// and submission) occurs more than once, it keeps the record that knows most of
// it; a note says how many it dropped. Histories of two clusters are an error, and
// histories without a job are ErrEmpty.
func Merge(all ...*History) (*History, error) {
	var (
		b       Builder
		cluster string
		from    ostrich.Time
		to      ostrich.Time
		procs   int
		nodes   int
	)
	jobs := 0
	for _, h := range all {
		jobs += len(h.Jobs)
	}
	if jobs == 0 {
		return nil, ErrEmpty
	}
	if len(all) == 1 {
		return all[0], nil
	}
	b.h.Jobs = make([]Job, 0, jobs)
	notes := map[string]bool{}
	for i, h := range all {
		switch {
		case cluster == "":
			cluster = h.Cluster
		case h.Cluster != "" && h.Cluster != cluster:
			return nil, fmt.Errorf("histories of two clusters, %s and %s", cluster, h.Cluster)
		}
		if i == 0 || h.From < from {
			from = h.From
		}
		if h.Procs > 0 && (h.To > to || procs == 0) {
			procs, nodes = h.Procs, h.Nodes
		}
		to = max(to, h.To)
		b.merge(h)
		for _, n := range h.Notes {
			if !notes[n] {
				notes[n] = true
				b.h.Notes = append(b.h.Notes, n)
			}
		}
	}
	b.h.Unstarted = all[0].Unstarted
	for _, h := range all {
		for _, name := range h.Lacks {
			if !slices.Contains(b.h.Lacks, name) {
				b.h.Lacks = append(b.h.Lacks, name)
			}
		}
		if h.Unstarted != b.h.Unstarted {
			return nil, errors.New("histories of which some tell when jobs started, and others do not")
		}
	}
	skipped, faults := b.h.Skipped, b.h.Faults
	b.h.Skipped = 0 // The notes of each history count them.
	h := b.History(cluster, from, to)
	h.Procs, h.Nodes, h.Skipped, h.Faults = procs, nodes, skipped, faults
	return h, nil
}

func (b *Builder) merge(h *History) {
	var (
		associations = make([]int32, len(h.Associations))
		partitions   = make([]int32, len(h.Partitions))
		qos          = make([]int32, len(h.QOS))
		needs        = make([]int32, max(1, len(h.Needs)))
		where        = make([]int32, max(1, len(h.Where)))
	)
	for i, a := range h.Associations {
		associations[i] = b.Association(a)
	}
	for i, p := range h.Partitions {
		partitions[i] = b.Partition(p)
	}
	for i, q := range h.QOS {
		qos[i] = b.QOS(q)
	}
	for i, n := range h.Needs {
		needs[i] = b.Needs(n)
	}
	for i, w := range h.Where {
		where[i] = b.Where([]byte(w))
	}
	for _, j := range h.Jobs {
		j.Association, j.Partition, j.QOS = associations[j.Association], partitions[j.Partition], qos[j.QOS]
		j.Needs, j.Where = needs[j.Needs], where[j.Where]
		b.Add(j)
	}
	b.h.Skipped += h.Skipped
	for _, f := range h.Faults {
		if len(b.h.Faults) < MaxFaults {
			b.h.Faults = append(b.h.Faults, f)
		}
	}
}

package multifactor

import (
	"cmp"
	"fmt"
	"math"

	"slurm-ostrich/ostrich"
)

// Request is what a job's priority depends on.
type Request struct {
	// Association, Partition and QOS are indices of the Config. Below 0 there is
	// none, and its factors are 0. Without an association, usage is not booked
	// either.
	Association, Partition, QOS int

	Procs, Nodes int              // requested at least; 0 nodes counts as 1
	Found        int              // processors that slurmctld finds for it in its first test, as those of whole nodes; 0 for Procs
	Limit        ostrich.Duration // time limit; 0 for that of the partition

	Submit   ostrich.Time
	Place    int32        // among those of equal priority that were submitted together
	Eligible ostrich.Time // when age begins to grow; 0 while it does not

	Aged ostrich.Duration // what it had of age by then

	Nice, Site int64
	TRES       []float64 // requested, by Config.TRES; may be shorter

	Billing float64 // the cost of a second of the job; 0 means Procs
	Free    bool    // it costs nothing, whatever Billing is
}

// Factors are the parts of a priority before the weights (sprio's normalized
// factors); only TRES includes its weights.
type Factors struct {
	Age, Assoc, Fairshare, JobSize, Partition, QOS float64

	TRES       float64 // sum over all, with their weights
	Nice, Site int64
}

// Check returns an ErrConfig if the cluster lacks what a request names, or if a number of
// the request is out of range. Other methods need requests that pass Check, and may panic
// with others.
func (m *Multifactor) Check(r *Request) error {
	for _, index := range []struct {
		name  string
		i, of int
	}{
		{"association", r.Association, len(m.c.Associations)},
		{"partition", r.Partition, len(m.c.Partitions)},
		{"QOS", r.QOS, len(m.c.QOS)},
	} {
		if index.i >= index.of {
			return fmt.Errorf("%s number %d of %d: %w", index.name, index.i, index.of, ErrConfig)
		}
	}
	if r.Procs < 0 || r.Found < 0 || r.Nodes < 0 || r.Limit < 0 || !(r.Billing >= 0 && r.Billing < math.Inf(1)) {
		return fmt.Errorf("%d processors on %d nodes for %d s, billed %v a second: %w", r.Procs, r.Nodes, r.Limit, r.Billing, ErrConfig)
	}
	return m.counts("request", r.TRES)
}

// Factors returns the factors of a request at a moment (set_priority_factors).
// The fair share is that of the latest calculation. As in Slurm, a factor whose
// weight is 0 is 0.
func (m *Multifactor) Factors(r *Request, now ostrich.Time) Factors {
	w := &m.c.Weights
	f := Factors{Age: m.Age(r, now), Nice: r.Nice, Site: r.Site}
	if r.Association >= 0 {
		if w.Fairshare > 0 {
			f.Fairshare = m.Fairshare(r.Association)
		}
		if w.Assoc > 0 {
			f.Assoc = m.normal(m.c.Associations[r.Association].Priority, m.maxAssoc, NoNormalAssoc)
		}
	}
	if w.JobSize > 0 {
		f.JobSize = m.JobSize(r)
	}
	if r.Partition >= 0 && w.Partition > 0 {
		f.Partition = m.normal(m.c.Partitions[r.Partition].JobFactor, m.maxPart, NoNormalPart)
	}
	if r.QOS >= 0 && w.QOS > 0 {
		f.QOS = m.normal(m.c.QOS[r.QOS].Priority, m.maxQOS, NoNormalQOS)
	}
	f.TRES = m.tres(r)
	return f
}

// Priority returns the priority that the factors give (_get_priority_internal).
// It is a whole number and at least 1, because 0 is for held jobs.
func (m *Multifactor) Priority(f *Factors) uint32 {
	w := &m.c.Weights
	sum := f.Age*w.Age + f.Assoc*w.Assoc + f.Fairshare*w.Fairshare + f.JobSize*w.JobSize +
		f.Partition*w.Partition + f.QOS*w.QOS + f.TRES + float64(f.Site) - float64(f.Nice)
	return uint32(min(max(sum, 1), math.MaxUint32))
}

// Age returns the age factor.
func (m *Multifactor) Age(r *Request, now ostrich.Time) float64 {
	since, begin := r.Eligible, r.Eligible-ostrich.Time(r.Aged)
	if m.c.Flags&AccrueAlways != 0 {
		since, begin = r.Submit, r.Submit
	}
	if m.c.Weights.Age == 0 || since == 0 || now <= begin {
		return 0
	}
	return min(1, float64(now-begin)/float64(m.c.MaxAge))
}

// normal returns a number as part of the largest one, or as it is if a flag says
// so.
func (m *Multifactor) normal(n int, largest float64, flag Flags) float64 {
	if n == 0 || m.c.Flags&flag != 0 {
		return float64(n)
	}
	return float64(n) / largest
}

// JobSize returns the job size factor. slurmctld looks for the nodes of a job once its first priority is set, so what it
// finds counts from the next calculation on (job_mgr.c, job_allocate; job_test.c, total_cpus).
func (m *Multifactor) JobSize(r *Request) float64 {
	procs, nodes := float64(r.Procs), float64(max(r.Nodes, 1))
	if r.Found > 0 && m.Latest() > r.Submit {
		procs = float64(r.Found)
	}
	allProcs, allNodes := float64(m.c.Procs), float64(m.c.Nodes)
	size := 0.0
	switch {
	case m.c.Flags&SmallRelativeToTime != 0:
		size = max(nodes*allProcs/allNodes, procs) / m.minutes(r) / allProcs
		if m.c.FavorSmall {
			size = 1 - size
		}
	case m.c.FavorSmall:
		size = max(0, allNodes-nodes) / allNodes
		if procs > 0 {
			size = (size + (allProcs-procs)/allProcs) / 2
		}
	default:
		size = nodes / allNodes
		if procs > 0 {
			size = (size + procs/allProcs) / 2
		}
	}
	return min(max(size, 0), 1)
}

// minutes returns the time limit in whole minutes, as Slurm counts it.
func (m *Multifactor) minutes(r *Request) float64 {
	limit := r.Limit
	if limit == 0 && r.Partition >= 0 {
		if limit = m.c.Partitions[r.Partition].MaxTime; limit == 0 {
			return math.MaxUint32 // INFINITE
		}
	}
	return float64(max(1, (limit+59)/60))
}

// tres returns the sum of the weighted TRES factors (_get_tres_factors,
// _get_tres_prio_weighted).
func (m *Multifactor) tres(r *Request) float64 {
	sum := 0.0
	for i, weight := range m.c.Weights.TRES {
		switch {
		case i >= len(r.TRES):
		case m.c.Flags&NoNormalTRES != 0:
			sum += r.TRES[i] * weight
		case r.Partition >= 0:
			if has := m.c.Partitions[r.Partition].TRES; i < len(has) && has[i] > 0 {
				sum += r.TRES[i] / has[i] * weight
			}
		}
	}
	return sum
}

// billing returns the cost of a second of a job, with the usage factor of its QOS.
func (m *Multifactor) billing(r *Request) float64 {
	if r.Free {
		return 0
	}
	bill := cmp.Or(r.Billing, float64(r.Procs))
	if r.QOS >= 0 && m.c.QOS[r.QOS].UsageFactor >= 0 {
		bill *= m.c.QOS[r.QOS].UsageFactor
	}
	return bill
}

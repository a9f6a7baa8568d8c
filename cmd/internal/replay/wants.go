package replay

import (
	"cmp"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/accounting"
	"slurm-ostrich/ostrich/multifactor"
)

// wants is what jobs ask for.
type wants struct {
	request multifactor.Request // but for its moments
	devices string              // names of the generic resources, as "gpu"; "" for none
}

// request returns what priority/multifactor knows of the job.
func (j *Job) request() *multifactor.Request {
	r := j.wants.request
	r.Submit, r.Place, r.Eligible, r.Aged = j.came, j.Queued, j.Submit, j.aged
	return &r
}

// request returns what priority/multifactor knows of a job: what it asks for, and
// what its allocation costs.
func (s *Study) request(h *accounting.History, j *accounting.Job) multifactor.Request {
	procs, nodes, billing := int(cmp.Or(j.Asked, j.Procs)), int(cmp.Or(j.AskedNodes, j.Nodes)), s.billing(j)
	return multifactor.Request{
		Association: int(j.Association), Partition: int(j.Partition), QOS: int(j.QOS), Procs: procs, Nodes: nodes, Found: int(foundProcs(j)),
		Limit: j.Limit, Submit: j.Submit, Eligible: j.Eligible, Nice: h.NeedsOf(j).Nice, Billing: billing, Free: billing == 0, TRES: s.asks(h, j, procs, nodes),
	}
}

// foundProcs returns how many processors slurmctld finds for a job in its first test, if they are others than it asks for: those that it got.
func foundProcs(j *accounting.Job) int32 {
	if j.Resized || j.Procs == j.Asked || j.Asked == 0 {
		return 0
	}
	return j.Procs
}

// wantsKey decides what a job wants.
type wantsKey struct {
	association, partition, qos, needs, procs, found, nodes int32
	memory                                                  int64
	limit                                                   ostrich.Duration
	billing                                                 float64
}

// wanted returns what a job wants: what is known already, or anew.
func (s *Study) wanted(h *accounting.History, j *accounting.Job, known map[wantsKey]*wants) *wants {
	k := wantsKey{j.Association, j.Partition, j.QOS, j.Needs, cmp.Or(j.Asked, j.Procs), foundProcs(j), cmp.Or(j.AskedNodes, j.Nodes), j.Memory, j.Limit, s.billing(j)}
	w := known[k]
	if w == nil {
		w = &wants{s.request(h, j), devicesOf(h.NeedsOf(j))}
		known[k] = w
	}
	return w
}

// billing returns what a second of a job is charged. Slurm charges fractions, of which
// accounting has the whole numbers; where OStrich counts work by billing, the fractions are known. A job that never started, or ended in the second in
// which it started, has used nothing (priority_multifactor.c, _apply_new_usage), though it runs for a second in the replay.
func (s *Study) billing(j *accounting.Job) float64 {
	if j.End != 0 && (j.Start == 0 || j.Start == j.End) {
		return 0
	}
	if s.Counted.Unit.Charges() {
		return j.Units
	}
	return cmp.Or(j.Billing, float64(j.Procs))
}

package ledger

import (
	"cmp"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/accounting"
	"slurm-ostrich/ostrich/accounting/tools"
)

// Waiting is a pending job as slurmctld describes it. slurmdbd hears of new jobs
// up to five seconds late, and of none while it is away.
type Waiting struct {
	ID             ostrich.JobID
	Array          ostrich.JobID // 0 unless the job belongs to an array
	Het            ostrich.JobID // leader of a heterogeneous job, or 0
	UID            uint32
	User, Account  string
	Partition, QOS string
	Name, WCKey    string
	Comment        string
	Tasks, Procs   int              // pending tasks, and processors of one
	TRES           accounting.TRES  // that one asks for, as far as it is known
	Limit          ostrich.Duration // 0 without one
	Submit         ostrich.Time
}

// Record returns the record of the job, but for its user's name and its tool.
func (q *Waiting) Record(j ostrich.Job) Record {
	return Record{
		Job: j, Account: q.Account, Partition: q.Partition, QOS: q.QOS, Name: q.Name, UID: q.UID,
		ArrayJob: q.Array, ArrayTask: NoTask, HetJob: q.Het, State: accounting.Pending, Limit: q.Limit,
	}
}

// Expect returns the record, but for its user's name, that the tables will show once accounting
// knows the job. slurmctld shows neither scripts nor lines of submission, so a class by script is one by
// name until the row comes, of the line the comment counts alone, and an exclusive job counts for what it asks for, unless its
// partition makes it one. It returns false if the job's processors or, with Tree, its
// association are not known.
func (l *Ledger) Expect(q *Waiting) (Record, bool) {
	if q.Procs < 1 || q.Procs > accounting.MaxProcs || q.Tasks < 1 || q.Submit <= 0 {
		return Record{}, false
	}
	r := accounting.Row{
		ID: q.ID, Submit: q.Submit, UID: q.UID, Array: q.Array, Het: q.Het, Task: -1, Tasks: uint32(min(q.Tasks, accounting.MaxTasks)), Partition: q.Partition,
		Req: uint64(q.Procs), Asked: q.TRES, Limit: q.Limit,
	}
	if r.Asked.CPUs == 0 {
		r.Asked.CPUs = r.Req
	}
	for id, name := range l.names.qos {
		if name == q.QOS {
			r.QOSNumber = id
		}
	}
	known := false
	if r.Assoc, known = l.names.association(q); !known && l.config.Shares == Tree {
		return Record{}, false
	}
	if _, seen := l.names.uids[q.UID]; known && !seen {
		l.names.uids[q.UID] = r.Assoc
	}
	texts := tools.Texts{Name: []byte(q.Name), WCKey: []byte(q.WCKey)}
	if q.Comment != "" {
		texts.Line = []byte("sbatch --comment=" + q.Comment)
	}
	l.config.Say(&r, &texts, 0)
	w := l.row(&r)
	j := l.history.job(&w)
	j.QOS = q.QOS
	rec := q.Record(j)
	rec.Tool, rec.Kind = r.Tool, r.Kind
	return rec, true
}

// owner identifies the associations of a user in an account.
type owner struct{ user, account string }

// association finds the association of a job: that of its user in its account for
// its partition, else for all partitions. A job that may run in several
// partitions gets the latter until its row names one.
func (n *names) association(q *Waiting) (id uint32, known bool) {
	if n.owned == nil {
		n.owned = make(map[owner][]Association)
		for _, a := range n.assocs {
			if !a.Deleted && a.User != "" {
				o := owner{a.User, a.Account}
				n.owned[o] = append(n.owned[o], a)
			}
		}
	}
	user := q.User
	if a, seen := n.assocs[n.uids[q.UID]]; seen && a.User != "" {
		user = a.User // if the host does not know the user, squeue shows a number
	}
	var best Association
	for _, a := range n.owned[owner{user, q.Account}] {
		if a.Partition != "" && a.Partition != q.Partition {
			continue
		}
		if !known || cmp.Or(-cmp.Compare(a.Partition, best.Partition), cmp.Compare(a.ID, best.ID)) < 0 {
			best, known = a, true
		}
	}
	return best.ID, known
}

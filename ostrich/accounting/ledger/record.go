package ledger

import (
	"cmp"
	"maps"
	"slices"
	"strconv"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/accounting"
)

// NoTask is the ArrayTask of a job that is not a task of an array.
const NoTask = accounting.NoVal

// Record describes a job as the tables have it. It is for display and for comparison with
// squeue.
type Record struct {
	Job ostrich.Job // as the events reported it; of an ended job, from its row

	UserName  string // from the association; the uid in digits without one
	Account   string
	Partition string // a comma-separated list while it may be any of several
	QOS       string
	Name      string
	Tool      string // the workflow tool that submitted it, see accounting.Row; "" if that is not known
	Kind      string // of the job, in the tool's words
	UID       uint32
	Assoc     uint32

	ArrayJob  ostrich.JobID // 0 unless the job belongs to an array
	ArrayTask uint32        // NoTask for a single job and for the pending tasks of an array
	HetJob    ostrich.JobID // leader of a heterogeneous job, or 0

	State     accounting.State
	Eligible  ostrich.Time     // 0: held or waiting for a dependency; may lie in the future
	Throttled bool             // held back by the array's own limit of running tasks
	Limit     ostrich.Duration // the job's own time limit, 0 without one
}

// Record returns what is known of a job that has not ended.
func (l *Ledger) Record(id ostrich.JobID) (Record, bool) {
	t := l.history.jobs[id]
	if t == nil {
		return Record{}, false
	}
	return l.record(t), true
}

// Live returns the jobs that have not ended as of the last poll, sorted by id. Nobody may
// edit a record: as long as it stays the same, Live returns it in the same memory.
func (l *Ledger) Live() []*Record {
	all := make([]*Record, 0, len(l.history.jobs))
	for _, id := range slices.Sorted(maps.Keys(l.history.jobs)) {
		t := l.history.jobs[id]
		if is := l.record(t); t.told == nil || *t.told != is {
			told := is
			t.told = &told
		}
		all = append(all, t.told)
	}
	return all
}

func (l *Ledger) record(t *tracked) Record {
	w := &t.row
	rec := Record{
		Job:       t.job,
		UserName:  l.names.user(w.uid),
		Account:   w.account,
		Partition: w.partition,
		QOS:       cmp.Or(w.anyQOS, l.names.qos[w.qos]),
		Name:      w.name,
		Tool:      w.tool,
		Kind:      w.kind,
		UID:       w.uid,
		Assoc:     w.assoc,
		ArrayJob:  w.array,
		ArrayTask: w.task,
		HetJob:    w.het,
		State:     w.state,
		Eligible:  w.eligible,
		Limit:     60 * ostrich.Duration(w.limit),
	}
	if a, ok := l.names.assocs[w.assoc]; ok {
		rec.Account = a.Account
		if a.User != "" {
			rec.UserName = a.User
		}
	}
	if w.eligible == accounting.Infinite {
		rec.Eligible, rec.Throttled = 0, true
	}
	if w.end != 0 { // A requeue closed it, and the next row is not there yet.
		rec.State = accounting.Pending
	}
	return rec
}

// RecordOf returns the record of a row of the tables, ended or not. It does not depend on polls
// and does not change what polls report.
func (l *Ledger) RecordOf(r *accounting.Row, suspended ostrich.Duration) Record {
	w := l.row(r)
	named := *w.extra
	named.account, named.name = r.Account, r.Name
	t := &tracked{row: w, job: l.history.job(&w)}
	t.row.extra = &named
	if w.started() {
		t.job.Start, t.job.Suspended = w.start, suspended
		l.history.holds(&w).of(&t.job)
	}
	t.job.End = w.end
	found := l.record(t)
	found.State = w.state
	return found
}

// UserName returns the name of a competitor: with Flat a user's name, with Tree
// "account/user". If the tables have none, it returns the number.
func (l *Ledger) UserName(id ostrich.UserID) string {
	if l.config.Shares == Flat {
		return l.names.user(uint32(id))
	}
	a, ok := l.names.assocs[uint32(id)]
	if !ok {
		return strconv.FormatUint(uint64(id), 10)
	}
	return a.Account + "/" + a.User
}

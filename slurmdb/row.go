package slurmdb

import (
	"bytes"
	"cmp"
	"database/sql/driver"
	"fmt"
	"hash/maphash"
	"math"
	"strings"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/accounting"
	"slurm-ostrich/ostrich/accounting/ledger"
	"slurm-ostrich/ostrich/plural"
)

// rowColumns are the columns read of each job. The first two are the row's key.
const rowColumns = "id_job, time_submit, time_end, job_db_inx, state, time_eligible, time_start, time_suspended, " +
	"timelimit, id_user, id_assoc, id_qos, id_array_job, id_array_task, het_job_id, array_task_pending, cpus_req, " +
	"`partition`, array_task_str, tres_req, tres_alloc"

// nameColumns follow rowColumns for jobs that have not ended.
const nameColumns = ", account, job_name"

// digestColumns are rowColumns and nameColumns without NULL, see saying.digest.
var digestColumns = strings.NewReplacer("array_task_str", "COALESCE(array_task_str, '')").Replace(rowColumns) +
	", COALESCE(account, ''), job_name"

// Positions in rowColumns.
const (
	colID = iota
	colSubmit
	colEnd
	colInx
	colState
	colEligible
	colStart
	colSuspended
	colLimit
	colUser
	colAssoc
	colQOS
	colArray
	colTask
	colHet
	colPending
	colCPUs
	colPartition
	colMask
	colReq
	colAlloc
	colAccount // the first after rowColumns; the columns of saying move it further
)

// parser turns values into rows.
type parser struct {
	row    accounting.Row // the latest, of which the memory is used again
	texts  accounting.Texts
	named  names // resources of which the counts are read, beside those that every database has
	needs  needs
	config *Config
	saying saying
	seed   maphash.Seed
}

func newParser(c *Config, s *schema) *parser {
	return &parser{texts: accounting.Texts{}, config: c, saying: newSaying(c, s), seed: maphash.MakeSeed()}
}

// sum is a hash of a row's values: equal rows have equal sums.
func (p *parser) sum(values []byte) uint64 { return maphash.Bytes(p.seed, values) }

func rowKey(v []driver.Value) accounting.Key {
	return accounting.Key{ID: ostrich.JobID(number(v[colID])), Submit: ostrich.Time(number(v[colSubmit]))}
}

// parse reads rowColumns, the columns of saying, and nameColumns if they are
// there. The row is valid until the next one.
func (p *parser) parse(v []driver.Value) *accounting.Row {
	r, y := &p.row, &p.saying
	*r = accounting.Row{
		ID:        ostrich.JobID(number(v[colID])),
		Submit:    ostrich.Time(number(v[colSubmit])),
		Start:     ostrich.Time(number(v[colStart])),
		End:       ostrich.Time(number(v[colEnd])),
		State:     accounting.State(number(v[colState])),
		UID:       uint32(number(v[colUser])),
		Assoc:     uint32(number(v[colAssoc])),
		QOSNumber: uint32(number(v[colQOS])),
		Array:     ostrich.JobID(number(v[colArray])),
		Het:       ostrich.JobID(number(v[colHet])),
		Task:      -1,
		Tasks:     1,
		Partition: p.texts.Of(text(v[colPartition])),
		Exclusive: string(text(optional(v, y.exclusive))) == "NODE", // NO, NODE, USER, MCS or TOPO; with the last three it holds what it asks for
		Record:    number(v[colInx]),
		Suspended: ostrich.Duration(min(number(v[colSuspended]), math.MaxInt64)),
	}
	if at := number(v[colEligible]); at < accounting.NoVal {
		r.Eligible = ostrich.Time(at)
	} else {
		r.Throttled = at == accounting.Infinite
	}
	if minutes := uint32(number(v[colLimit])); minutes < accounting.NoVal {
		r.Limit = 60 * ostrich.Duration(minutes)
	}
	if task := uint32(number(v[colTask])); task != ledger.NoTask {
		r.Task = int64(task)
	}
	if at := colAccount + len(y.columns); at < len(v) {
		r.Account = p.texts.Of(text(v[at]))
		if at++; at < len(v) {
			r.Name = string(text(v[at]))
		}
	}
	p.config.Say(r, y.texts(v), number(optional(v, y.script)))
	if list := text(optional(v, y.qos)); !r.Started() && bytes.IndexByte(list, ',') >= 0 {
		r.QOS = p.texts.Of(list)
	}
	if err := p.readSize(r, v); err != nil {
		r.Impossible = err.Error()
	}
	if p.config.Needs {
		p.readNeeds(r, v)
	}
	return r
}

// readSize reads the tasks and the processors.
func (p *parser) readSize(r *accounting.Row, v []driver.Value) (err error) {
	if r.Asked, err = readTRES(text(v[colReq]), &p.named); err != nil {
		return fmt.Errorf("tres_req: %w", err)
	}
	if r.Held, err = readTRES(text(v[colAlloc]), &p.named); err != nil {
		return fmt.Errorf("tres_alloc: %w", err)
	}
	cpus := number(v[colCPUs])
	r.Req, r.Alloc = cmp.Or(r.Asked.CPUs, cpus), r.Held.CPUs
	if r.Settle(); r.Req == 0 {
		r.Impossible += fmt.Sprintf(" (cpus_req %d, tres_req %q)", cpus, shorten(string(text(v[colReq]))))
	}
	if r.Impossible != "" || r.Array == 0 || r.Task >= 0 {
		return nil
	}
	tasks := number(v[colPending])
	if mask := text(v[colMask]); len(mask) > 0 && len(mask) < maskTruncated {
		n, err := maskTasks(mask)
		if err != nil {
			return fmt.Errorf("array_task_str: %w", err)
		}
		tasks = uint64(n)
	}
	if tasks == 0 && r.End == 0 && !r.Started() {
		return fmt.Errorf("array record with no pending task (array_task_str %q)", shorten(string(text(v[colMask]))))
	}
	if tasks > accounting.MaxTasks {
		return plural.Errorf("array of %d task{|s}", tasks)
	}
	r.Tasks = uint32(max(tasks, 1))
	return nil
}

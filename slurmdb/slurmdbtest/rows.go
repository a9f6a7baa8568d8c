package slurmdbtest

import (
	"cmp"
	"fmt"
	"strings"
)

// Slurm's values for "none".
const (
	NoVal    = 0xfffffffe // no value: no time limit, not a task of an array
	Infinite = 0xffffffff // unlimited; an array throttled by its own limit
)

// Job is a row of the job table. Put replaces zero fields by those of a plain
// job: state by its times, one processor, one hour.
type Job struct {
	Inx     uint64 // 0: the database's choice, or a SLUID since 24.11
	ID      uint32
	User    uint32
	Assoc   uint32
	QOS     uint32 // 0 means 1, normal
	AnyQOS  string // the list of QOS that it asks for, since 24.11
	Submit  int64
	Start   int64
	End     int64
	State   uint32 // 0 with a start means running, with an end completed, else pending
	Limit   uint32 // minutes; 0 means 60
	CPUs    uint32 // cpus_req; 0 means 1
	Procs   uint32 // allocated processors; 0 means CPUs
	TRESReq string // empty: as CPUs says; "-": empty
	TRES    string // tres_alloc; empty: as Procs says

	Eligible  int64  // 0 means Submit; -1 means 0, held
	Suspended uint64 // time_suspended
	Array     uint32 // id_array_job
	Task      int64  // id_array_task; 0 with Mask or without Array means none
	Mask      string // array_task_str
	Tasks     uint32 // array_task_pending
	Het       uint32 // het_job_id
	Partition string // empty means main
	Account   string // empty means root
	Name      string // empty means job<ID>
	Comment   string // derived_es; empty means NULL
	WCKey     string
	Script    uint64 // script_hash_inx; left out before 22.05
	Exclusive string // empty means NO; left out before 26.05
	Deleted   int

	Constraints string
	Memory      uint64 // mem_req
	Flags       uint32
	Reservation uint32 // id_resv
	Nodes       string // nodelist
	Licenses    string // left out before 23.02
	Submitted   string // submit_line; left out before 21.08
	Folder      string // work_dir
}

// Put writes rows, or writes them again.
func (db *DB) Put(jobs ...Job) {
	db.t.Helper()
	for _, j := range jobs {
		columns, values := db.columns(j)
		var updates []string
		for _, c := range columns {
			if c != "job_db_inx" {
				updates = append(updates, fmt.Sprintf("`%s` = VALUES(`%[1]s`)", c))
			}
		}
		db.Run(fmt.Sprintf("INSERT INTO `%s_job_table` (`%s`) VALUES (?%s) ON DUPLICATE KEY UPDATE %s", db.Cluster,
			strings.Join(columns, "`, `"), strings.Repeat(", ?", len(columns)-1), strings.Join(updates, ", ")), values...)
	}
}

func (db *DB) columns(j Job) (columns []string, values []any) {
	add := func(column string, value any) {
		columns = append(columns, column)
		values = append(values, value)
	}
	j = j.withDefaults()
	switch {
	case j.Inx != 0:
		add("job_db_inx", j.Inx)
	case db.Release >= R2411:
		db.sluid++
		add("job_db_inx", uint64(1)<<63+db.sluid)
	}
	add("id_job", j.ID)
	add("id_user", j.User)
	add("id_assoc", j.Assoc)
	add("id_qos", j.QOS)
	if db.Release >= R2411 {
		add("qos_req", nullable(j.AnyQOS))
		add("licenses", nullable(j.Licenses))
	}
	add("time_submit", j.Submit)
	add("time_eligible", max(j.Eligible, 0))
	add("time_start", j.Start)
	add("time_end", j.End)
	add("time_suspended", j.Suspended)
	add("state", j.State)
	add("timelimit", j.Limit)
	add("cpus_req", j.CPUs)
	add("tres_req", strings.TrimPrefix(j.TRESReq, "-"))
	add("tres_alloc", j.TRES)
	add("id_array_job", j.Array)
	add("id_array_task", j.Task)
	add("array_task_str", nullable(j.Mask))
	add("array_task_pending", j.Tasks)
	add("het_job_id", j.Het)
	add("het_job_offset", NoVal)
	add("partition", j.Partition)
	add("account", j.Account)
	add("job_name", j.Name)
	add("derived_es", nullable(j.Comment))
	add("wckey", j.WCKey)
	if db.Release != R2011 {
		add("script_hash_inx", j.Script)
		add("submit_line", nullable(j.Submitted))
	}
	if db.Release >= R2605 {
		add("exclusive", cmp.Or(j.Exclusive, "NO"))
	}
	add("work_dir", j.Folder)
	add("deleted", j.Deleted)
	add("constraints", j.Constraints)
	add("mem_req", j.Memory)
	add("flags", j.Flags)
	add("id_resv", j.Reservation)
	add("nodelist", nullable(j.Nodes))
	for _, c := range []string{"id_wckey", "id_group", "state_reason_prev", "nodes_alloc", "priority"} {
		add(c, 0)
	}
	return columns, values
}

func nullable(s string) any {
	if s == "" {
		return nil
	}
	return s
}

func (j Job) withDefaults() Job {
	j.QOS = cmp.Or(j.QOS, 1)
	if j.State == 0 && j.End != 0 {
		j.State = 3
	} else if j.State == 0 && j.Start != 0 {
		j.State = 1
	}
	j.Limit = cmp.Or(j.Limit, 60)
	j.CPUs = cmp.Or(j.CPUs, 1)
	j.Procs = cmp.Or(j.Procs, j.CPUs)
	j.TRESReq = cmp.Or(j.TRESReq, fmt.Sprintf("1=%d,2=1000,4=1,5=%[1]d", j.CPUs))
	if j.TRES == "" && j.Start != 0 {
		j.TRES = fmt.Sprintf("1=%d,2=1000,3=18446744073709551614,4=1,5=%[1]d", j.Procs)
	}
	j.Eligible = cmp.Or(j.Eligible, j.Submit)
	if j.Task == 0 && (j.Array == 0 || j.Mask != "" || j.Tasks != 0) {
		j.Task = NoVal
	}
	j.Partition = cmp.Or(j.Partition, "main")
	j.Account = cmp.Or(j.Account, "root")
	j.Name = cmp.Or(j.Name, fmt.Sprintf("job%d", j.ID))
	return j
}

// Remove purges a row.
func (db *DB) Remove(id uint32, submit int64) {
	db.t.Helper()
	db.Run("DELETE FROM `"+db.Cluster+"_job_table` WHERE id_job = ? AND time_submit = ?", id, submit)
}

// Pause writes a suspension of the row that began at submit. End 0 means that
// it goes on.
func (db *DB) Pause(id uint32, submit, start, end int64) {
	db.t.Helper()
	db.Run("REPLACE INTO `"+db.Cluster+"_suspend_table` (job_db_inx, id_assoc, time_start, time_end) "+
		"SELECT job_db_inx, id_assoc, ?, ? FROM `"+db.Cluster+"_job_table` WHERE id_job = ? AND time_submit = ?",
		start, end, id, submit)
}

// Reservation is a row of the reservation table. A change of a reservation makes a new one.
type Reservation struct {
	ID           uint32
	Name         string
	Nodes        string // as Slurm lists them
	Start, End   int64
	Flags        uint64
	Associations string // ids with commas
}

// Reserve writes reservations.
func (db *DB) Reserve(all ...Reservation) {
	db.t.Helper()
	for _, r := range all {
		db.Run("REPLACE INTO `"+db.Cluster+"_resv_table` (id_resv, resv_name, nodelist, time_start, time_end, flags, assoclist) VALUES (?, ?, ?, ?, ?, ?, ?)",
			r.ID, r.Name, r.Nodes, r.Start, r.End, r.Flags, r.Associations)
	}
}

// Resource writes a TRES beside those that every database has, which has an id above 1000.
func (db *DB) Resource(id uint32, kind, name string) {
	db.t.Helper()
	db.Run("REPLACE INTO tres_table (creation_time, id, type, name) VALUES (1, ?, ?, ?)", id, kind, name)
}

// Size writes the size of the cluster from start to end.
func (db *DB) Size(cpus, nodes int, start, end int64) {
	db.t.Helper()
	db.event("", 0, fmt.Sprintf("1=%d,2=64000,4=%d,5=%[1]d", cpus, nodes), start, end)
}

// Machine writes the size of the cluster from start to end as a TRES string.
func (db *DB) Machine(tres string, start, end int64) {
	db.t.Helper()
	db.event("", 0, tres, start, end)
}

// Node writes an outage of a node in the state, with its flags.
func (db *DB) Node(name string, state uint32, cpus int, start, end int64) {
	db.t.Helper()
	db.event(name, state, fmt.Sprintf("1=%d,2=4000", cpus), start, end)
}

func (db *DB) event(name string, state uint32, tres string, start, end int64) {
	db.t.Helper()
	db.Run("REPLACE INTO `"+db.Cluster+"_event_table` (node_name, state, tres, time_start, time_end, reason) "+
		"VALUES (?, ?, ?, ?, ?, '')", name, state, tres, start, end)
}

// Assoc is a row of the association table.
type Assoc struct {
	ID                              uint32
	User, Account, Partition, Above string // Above is parent_acct, for accounts
	Shares                          int
	Deleted                         int
}

// Associate writes associations, or writes them again, as changed now.
func (db *DB) Associate(all ...Assoc) {
	db.t.Helper()
	for _, a := range all {
		nested, zeros := ", lft, rgt", ", 0, 0"
		if db.Release >= R2505 {
			nested, zeros = "", ""
		}
		db.Run("REPLACE INTO `"+db.Cluster+"_assoc_table` (creation_time, mod_time, id_assoc, `user`, acct, "+
			"`partition`, parent_acct, shares, deleted"+nested+") VALUES (1, UNIX_TIMESTAMP(), ?, ?, ?, ?, ?, ?, ?"+zeros+")",
			a.ID, a.User, a.Account, a.Partition, a.Above, a.Shares, a.Deleted)
	}
}

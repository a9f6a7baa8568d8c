package slurmdb

import (
	"database/sql/driver"
	"strconv"
	"strings"

	"slurm-ostrich/ostrich/accounting"
	"slurm-ostrich/ostrich/accounting/ledger"
	"slurm-ostrich/ostrich/accounting/tools"
)

// saying are the columns from which a job's class, hint, campaign and list of QOS follow,
// and that of exclusive jobs. They stand between rowColumns and nameColumns, as far as the
// configuration asks for them and the table has them.
type saying struct {
	columns                                      []string
	name, script, comment, wckey, exclusive, qos int // positions in a row; 0 where it is not read

	folder, line int // the same, of jobs whose names say that they matter

	// Of what jobs ask for.
	constraints, memory, reservation, licenses, submitted, flags, nodes, priority int
}

// newSaying decides which of the columns are read.
func newSaying(c *Config, s *schema) (y saying) {
	read := func(wanted bool, column, expression string) int {
		if !wanted || !s.columns["job_table"][column] {
			return 0
		}
		y.columns = append(y.columns, expression)
		return colAccount + len(y.columns) - 1
	}
	byTool := c.Class == ledger.ByKind || c.Declared == ledger.ByTool || c.Classes
	y.name = read(c.Class != ledger.NoClass || byTool || c.Declared == ledger.InName, "job_name", "job_name")
	y.script = read(c.Class == ledger.ByScript || c.Classes, "script_hash_inx", "script_hash_inx")
	y.comment = read(c.Hints || c.Declared == ledger.InComment, "derived_es",
		"LEFT(COALESCE(derived_es, ''), "+strconv.Itoa(accounting.MaxComment+1)+")")
	y.wckey = read(c.Declared == ledger.InWCKey, "wckey", "wckey")
	y.folder = read(byTool, "work_dir", named(c.Tools.Like(tools.Folder), "LEFT(work_dir, "+strconv.Itoa(tools.MaxLine)+")"))
	y.submitted = read(c.Needs, "submit_line", "LEFT(submit_line, "+strconv.Itoa(maxSubmission)+")")
	if y.line = y.submitted; y.line == 0 { // that is of all jobs
		y.line = read(byTool, "submit_line", named(c.Tools.Like(tools.Line), "LEFT(submit_line, "+strconv.Itoa(tools.MaxLine)+")"))
	}
	y.exclusive = read(true, "exclusive", "exclusive")
	y.qos = read(true, "qos_req", "IF(state = 0, qos_req, NULL)") // later id_qos is the one that it runs with
	y.constraints = read(c.Needs, "constraints", "constraints")
	y.memory = read(c.Needs, "mem_req", "mem_req")
	y.reservation = read(c.Needs, "id_resv", "id_resv")
	y.licenses = read(c.Needs, "licenses", "licenses")
	y.flags = read(c.Needs, "flags", "flags")
	y.priority = read(c.Needs, "priority", "priority")
	y.nodes = read(c.Needs, "nodelist", "nodelist")
	return y
}

// named reads an expression of rows whose names are like one of the patterns.
func named(like []string, expression string) string {
	tests := make([]string, 0, len(like))
	for _, pattern := range like {
		tests = append(tests, "job_name LIKE '"+pattern+"'")
	}
	return "IF(" + strings.Join(tests, " OR ") + ", " + expression + ", '')"
}

// ended lists what is read of a row that has ended.
func (y *saying) ended() string {
	return strings.Join(append([]string{rowColumns}, y.columns...), ", ")
}

// live lists what is read of a row that has not ended.
func (y *saying) live() string { return y.ended() + nameColumns }

// digest joins what is read of a live row into one value, by which its changes are seen. No part
// may be NULL, because CONCAT_WS would leave it out. The folder and the line of submission
// are not in it: to look at them by name costs as much as all the rest, the line stays, and a folder that
// scontrol changes is read with the row's next change.
func (y *saying) digest() string {
	columns := []string{digestColumns}
	for i, c := range y.columns {
		if at := colAccount + i; at != y.name && at != y.folder && at != y.line { // The name is there already.
			columns = append(columns, "COALESCE("+c+", '')")
		}
	}
	return "CONCAT_WS(',', " + strings.Join(columns, ", ") + ")"
}

// optional returns the value at a position of a row, nil where it is not read.
func optional(v []driver.Value, position int) driver.Value {
	if position == 0 {
		return nil
	}
	return v[position]
}

// texts returns what the columns say of a job's submission.
func (y *saying) texts(v []driver.Value) *tools.Texts {
	return &tools.Texts{
		Name: text(optional(v, y.name)), Comment: text(optional(v, y.comment)), WCKey: text(optional(v, y.wckey)),
		Folder: text(optional(v, y.folder)), Line: text(optional(v, y.line)),
	}
}

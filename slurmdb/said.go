package slurmdb

import (
	"cmp"
	"database/sql/driver"
	"strconv"
	"strings"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/accounting"
)

// saying are the columns from which a job's class, hint, campaign and list of QOS follow,
// and that of exclusive jobs. They stand between rowColumns and nameColumns, as far as the
// configuration asks for them and the table has them.
type saying struct {
	columns                                      []string
	name, script, comment, wckey, exclusive, qos int // positions in a row; 0 where it is not read
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
	y.name = read(c.Class != NoClass || c.Classes || c.Declared == InName, "job_name", "job_name")
	y.script = read(c.Class == ByScript || c.Classes, "script_hash_inx", "script_hash_inx")
	y.comment = read(c.Hints || c.Declared == InComment, "derived_es",
		"LEFT(COALESCE(derived_es, ''), "+strconv.Itoa(accounting.MaxComment+1)+")")
	y.wckey = read(c.Declared == InWCKey, "wckey", "wckey")
	y.exclusive = read(true, "exclusive", "exclusive")
	y.qos = read(true, "qos_req", "IF(state = 0, qos_req, NULL)") // later id_qos is the one that it runs with
	return y
}

// ended lists what is read of a row that has ended.
func (y *saying) ended() string {
	return strings.Join(append([]string{rowColumns}, y.columns...), ", ")
}

// live lists what is read of a row that has not ended.
func (y *saying) live() string { return y.ended() + nameColumns }

// digest joins all that is read of a live row into one value. No part may be
// NULL, because CONCAT_WS would leave it out.
func (y *saying) digest() string {
	columns := []string{digestColumns}
	for i, c := range y.columns {
		if colAccount+i != y.name { // The name is there already.
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

// said is what the columns of saying hold, or what slurmctld and sacct show in their
// place; empty where it is not known.
type said struct {
	name, comment, wckey []byte
	script               uint64
}

// say sets the class, the hint and the campaign of a row.
func (c *Config) say(r *accounting.Row, v said) {
	switch c.Class {
	case ByScript:
		r.Class = cmp.Or(accounting.ScriptClass(v.script), accounting.NameClass(v.name))
	case ByName:
		r.Class = accounting.NameClass(v.name)
	case NoClass:
	}
	s := accounting.ReadComment(v.comment)
	if !c.Hints {
		s.Hint = 0
	}
	switch c.Declared {
	case InWCKey:
		s.Campaign = accounting.CampaignOfWCKey(v.wckey)
	case InName:
		s.Campaign = accounting.CampaignOfName(v.name)
	case NotDeclared:
		s.Campaign = ""
	case InComment:
	}
	r.Said = s
}

// say sets the class, the hint and the campaign of a job from its row. Slurm stores a
// comment when a row ends, and the job's next row, without one, does not remove it.
func (h *history) say(j *ostrich.Job, w *row) {
	j.Class = w.class
	if w.said.Hint != 0 {
		j.Hint = w.said.Hint
	}
	if w.said.Campaign != "" || h.config.Declared != InComment {
		j.Campaign = w.said.Campaign
	}
}

// keepNames copies the names from the old row, because rows that have ended are
// read without names.
func keepNames(w, old *row) {
	if w.account == "" && w.name == "" {
		named := *w.extra
		named.account, named.name = old.account, old.name
		w.extra = &named
	}
}

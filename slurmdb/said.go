package slurmdb

import (
	"cmp"
	"database/sql/driver"
	"strconv"
	"strings"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/accounting"
)

// saying says which further columns are read of a job: those that its class, its
// hint and its campaign follow from. They stand between rowColumns and
// nameColumns, as far as the configuration asks for them and the table has them.
type saying struct {
	columns               []string
	name, script, comment int // positions in a row; 0 where it is not read
	wckey                 int
	class                 ClassBy
	classes               bool
	hints                 bool
	declared              DeclareBy
}

// newSaying decides which of the columns are read.
func newSaying(c Config, s *schema) saying {
	y := saying{class: c.Class, classes: c.Classes, hints: c.Hints, declared: c.Declared}
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
		"LEFT(COALESCE(derived_es, ''), "+strconv.Itoa(accounting.MaxComment)+")")
	y.wckey = read(c.Declared == InWCKey, "wckey", "wckey")
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

// said is what the further columns hold of a job; columns that are not read are
// empty.
type said struct {
	name, comment, wckey []byte
	script               uint64
}

// read fills in a row from the further columns.
func (y *saying) read(w *row, v []driver.Value) {
	var s said
	if y.name > 0 {
		s.name = text(v[y.name])
	}
	if y.script > 0 {
		s.script = number(v[y.script])
	}
	if y.comment > 0 {
		s.comment = text(v[y.comment])
	}
	if y.wckey > 0 {
		s.wckey = text(v[y.wckey])
	}
	y.fill(w, s)
}

// expect fills in what a row will say, as far as slurmctld knows it.
func (y *saying) expect(w *row, q *Waiting) {
	var s said
	if y.name > 0 {
		s.name = []byte(q.Name)
	}
	if y.wckey > 0 {
		s.wckey = []byte(q.WCKey)
	}
	y.fill(w, s)
}

// fill sets the class, the hint and the campaign of a row.
func (y *saying) fill(w *row, v said) {
	switch y.class {
	case ByScript:
		w.class = cmp.Or(accounting.ScriptClass(v.script), accounting.NameClass(v.name))
	case ByName:
		w.class = accounting.NameClass(v.name)
	case NoClass:
	}
	s := accounting.ReadComment(v.comment)
	if !y.hints {
		s.Hint = 0
	}
	switch y.declared {
	case InWCKey:
		s.Campaign = accounting.CampaignOfWCKey(v.wckey)
	case InName:
		s.Campaign = accounting.CampaignOfName(v.name)
	case NotDeclared:
		s.Campaign = ""
	case InComment:
	}
	if s == (accounting.Said{}) {
		return
	}
	if w.extra == &none {
		w.extra = new(extra)
	}
	w.said = s
}

// both sets both classes of a row.
func (y *saying) both(j *Row, v []driver.Value) {
	if !y.classes {
		return
	}
	if y.name > 0 {
		j.NameClass = accounting.NameClass(text(v[y.name]))
	}
	if y.script > 0 {
		j.ScriptClass = accounting.ScriptClass(number(v[y.script]))
	}
}

// say copies what its row says to a job. Slurm stores a comment when a row ends,
// and the job's next row does not take the comment back.
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

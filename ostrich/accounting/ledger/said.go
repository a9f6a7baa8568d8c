package ledger

import (
	"cmp"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/accounting"
)

// Say sets the class, the hint and the campaign of a row from the job's texts, and from the
// number of its script; empty where it is not known.
func (c *Config) Say(r *accounting.Row, name, comment, wckey []byte, script uint64) {
	switch c.Class {
	case ByScript:
		r.Class = cmp.Or(accounting.ScriptClass(script), accounting.NameClass(name))
	case ByName:
		r.Class = accounting.NameClass(name)
	case NoClass:
	}
	s := accounting.ReadComment(comment)
	if !c.Hints {
		s.Hint = 0
	}
	switch c.Declared {
	case InWCKey:
		s.Campaign = accounting.CampaignOfWCKey(wckey)
	case InName:
		s.Campaign = accounting.CampaignOfName(name)
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

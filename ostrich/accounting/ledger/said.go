package ledger

import (
	"cmp"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/accounting"
	"slurm-ostrich/ostrich/accounting/tools"
)

// Say sets the class, the hint and the campaign of a row from the texts of the job's
// submission, and from the number of its script; empty where it is not known.
func (c *Config) Say(r *accounting.Row, texts *tools.Texts, script uint64) {
	var told tools.Said
	if c.Class == ByKind || c.Declared == ByTool {
		if told = c.Tools.Read(texts); told.Tool != "" && r.End == 0 {
			r.Tool, r.Kind = told.Tool, told.Kind
		}
	}
	switch c.Class {
	case ByScript:
		r.Class = cmp.Or(accounting.ScriptClass(script), accounting.NameClass(accounting.StoredName(texts.Name)))
	case ByName:
		r.Class = accounting.NameClass(accounting.StoredName(texts.Name))
	case ByKind:
		r.Class = told.Class()
	case NoClass:
	}
	s := accounting.ReadComment(texts.Comment)
	if !c.Hints {
		s.Hint = 0
	}
	if s.Hint == 0 && told.Pilot && c.Class == ByKind {
		s.Hint = r.Limit
	}
	switch c.Declared {
	case InWCKey:
		if s.Campaign = ""; !tools.DefaultWCKey(texts.WCKey) {
			s.Campaign = accounting.CampaignOfWCKey(texts.WCKey)
		}
	case InName:
		s.Campaign = accounting.CampaignOfName(texts.Name)
	case ByTool:
		s.Campaign = told.Campaign
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

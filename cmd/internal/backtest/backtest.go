// Package backtest back-tests the predictors of job lengths on a site's own
// history, and recommends one.
package backtest

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/accounting"
	"slurm-ostrich/ostrich/accounting/ledger"
	"slurm-ostrich/ostrich/accounting/tools"
	"slurm-ostrich/ostrich/lengths"
	"slurm-ostrich/ostrich/plural"
	"slurm-ostrich/ostrich/scalar"
)

// Options are the settings of a site.
type Options struct {
	Predictor string // schedule.predictor
	Class     string // schedule.class
	Tree      bool   // a user counts once for each association, as with schedule.shares tree

	Tools tools.Table // by which kinds were found

	MaxTime      map[string]ostrich.Duration // time limits of partitions
	DefaultLimit ostrich.Duration            // of jobs without any limit
}

// Row says how well a predictor would have done. See lengths.Accuracy.
type Row struct {
	Predictor string   `json:"predictor"`
	Class     string   `json:"class"` // "" for predictors without classes
	Jobs      int      `json:"jobs"`
	LogError  float64  `json:"log_error"`
	WorkError float64  `json:"work_error"`
	Within2   float64  `json:"within_2"`
	ShortAUC  *float64 `json:"short_auc"` // null without both kinds of jobs
	Set       bool     `json:"set"`       // the settings name it
	Best      bool     `json:"best"`      // recommended; none is with too few jobs
}

// Tool says how well the lengths of the jobs of a workflow tool would have been predicted.
type Tool struct {
	Tool   string  `json:"tool"` // see tools.Tool; "" for jobs of none
	Jobs   int     `json:"jobs"`
	ByLine int     `json:"by_line"`        // of them, those of which the line of submission tells the kind or the run
	Name   float64 `json:"log_error_name"` // see Row.LogError, with schedule.class: name
	Kind   float64 `json:"log_error_auto"` // and with auto
}

// Factors returns by which factors predictions are off, as geometric means, by name and by kind.
func (t *Tool) Factors() (name, kind string) {
	return fmt.Sprintf("%.2f", math.Exp(t.Name)), fmt.Sprintf("%.2f", math.Exp(t.Kind))
}

// Result has a row for each predictor and kind of classes; none without jobs.
type Result struct {
	Jobs  int // that ran and have ended
	Rows  []Row
	Tools []Tool // those with the most jobs first, and jobs of none last; none if no job is of a tool

	class string // schedule.class
}

// Fewest is how many jobs a recommendation needs.
const Fewest = 100

// tie is the relative difference below which errors count as equal.
const tie = 0.02

// The classes by their names in schedule.class.
var (
	off    = ledger.NoClass.String()
	name   = ledger.ByName.String()
	script = ledger.ByScript.String()
	kind   = ledger.ByKind.String()
)

// standard are the default settings.
var standard = Row{Predictor: lengths.Alike.String(), Class: kind}

// Test replays the jobs of a history that ran and have ended. It leaves out those
// that Slurm ended, because nobody knows how long they would have run.
func Test(h *accounting.History, o Options) Result {
	most := len(h.Jobs)
	jobs, rows := make([]lengths.Run, 0, most), make([]uint8, 0, most)
	names, scripts, kinds := make([]uint64, 0, most), make([]uint64, 0, most), make([]uint64, 0, most)
	byLine := make(map[uint8]int)
	users := make(map[string]ostrich.UserID)
	hasName, hasScript, hasKind := false, false, false
	for i := range h.Jobs {
		j := &h.Jobs[i]
		if !j.State.Ended() || j.State.Lost() || j.Start == 0 || j.Start < j.Submit || j.End < j.Start || j.Procs < 1 {
			continue
		}
		user := ostrich.UserID(j.Association + 1)
		if !o.Tree {
			u, ok := users[h.Associations[j.Association].User]
			if !ok {
				u = ostrich.UserID(len(users) + 1)
				users[h.Associations[j.Association].User] = u
			}
			user = u
		}
		jobs = append(jobs, lengths.Run{
			Request: lengths.Request{
				Limit: max(1, cmp.Or(j.Limit, o.MaxTime[h.Partitions[j.Partition]], o.DefaultLimit)), Procs: int(j.Procs),
			},
			ID: j.ID, User: user, Submit: j.Submit, Departs: scalar.Departs(j.Submit, j.Start, j.End), Outcome: j.State.Outcome(),
			Ran: max(0, ostrich.Duration(j.End-j.Start)-j.Suspended),
		})
		names, scripts = append(names, j.NameClass), append(scripts, cmp.Or(j.ScriptClass, j.NameClass))
		kinds, rows = append(kinds, j.KindClass), append(rows, j.Tool)
		if j.ByLine {
			byLine[j.Tool]++
		}
		hasKind = hasKind || j.KindClass != 0 && j.KindClass != j.NameClass // else they are the same classes
		hasName, hasScript = hasName || j.NameClass != 0, hasScript || j.ScriptClass != 0
	}
	r := Result{Jobs: len(jobs), class: o.Class}
	if len(jobs) == 0 {
		return r
	}
	var variants []lengths.Variant
	add := func(p lengths.Predictor, class string, classes []uint64) {
		variants = append(variants, lengths.Variant{Predictor: p, Classes: classes, Groups: rows})
		r.Rows = append(r.Rows, Row{Predictor: p.String(), Class: class})
	}
	// Those of the bags-of-tasks paper, which come after Alike, are tested if one is set.
	for p := range lengths.Predictor(len(lengths.PredictorNames)) {
		if p < lengths.Alike || p > lengths.Alike && p.String() == o.Predictor {
			add(p, "", nil)
		}
	}
	add(lengths.Alike, off, nil)
	if hasName {
		add(lengths.Alike, name, names)
	}
	if hasScript {
		add(lengths.Alike, script, scripts)
	}
	if hasName && hasKind {
		add(lengths.Alike, kind, kinds)
	}
	all := lengths.Backtest(jobs, variants)
	r.tools(o.Tools, all, byLine)
	for i, a := range all {
		row := &r.Rows[i]
		row.Jobs, row.LogError, row.WorkError, row.Within2 = a.Jobs, a.LogError, a.WorkError, a.Within2
		if !math.IsNaN(a.ShortAUC) {
			row.ShortAUC = &a.ShortAUC
		}
	}
	r.choose(o)
	return r
}

// tools adds up how well lengths would have been predicted by tool.
func (r *Result) tools(table tools.Table, all []lengths.Accuracy, byLine map[uint8]int) {
	of := func(class string) []lengths.Group {
		i := slices.IndexFunc(r.Rows, func(w Row) bool { return w.Predictor == standard.Predictor && w.Class == class })
		if i < 0 {
			return nil
		}
		return all[i].Groups
	}
	byName, byKind := of(name), of(kind)
	if len(byName) < 2 || byKind == nil { // no job is of a tool, or all kinds are names
		return
	}
	for row, g := range byName {
		if g.Jobs == 0 {
			continue
		}
		tool := table.Name(row)
		i := slices.IndexFunc(r.Tools, func(t Tool) bool { return t.Tool == tool })
		if i < 0 {
			i = len(r.Tools)
			r.Tools = append(r.Tools, Tool{Tool: tool})
		}
		t := &r.Tools[i]
		whole := float64(t.Jobs + g.Jobs)
		t.Name = (t.Name*float64(t.Jobs) + g.LogError*float64(g.Jobs)) / whole
		t.Kind = (t.Kind*float64(t.Jobs) + byKind[row].LogError*float64(g.Jobs)) / whole
		t.Jobs, t.ByLine = t.Jobs+g.Jobs, t.ByLine+byLine[uint8(row)] //nolint:gosec // it is one
	}
	slices.SortFunc(r.Tools, func(a, b Tool) int {
		switch {
		case a.Tool == "":
			return 1
		case b.Tool == "":
			return -1
		}
		return cmp.Or(cmp.Compare(b.Jobs, a.Jobs), cmp.Compare(a.Tool, b.Tool))
	})
}

// ToolGain returns by which part the mean |ln(p^/p)| of the tools' jobs is smaller by kind than by
// name, and how many these are; 0 with too few of them.
func (r *Result) ToolGain() (gain float64, jobs int) {
	var byName, byKind float64
	for _, t := range r.Tools {
		if t.Tool != "" {
			jobs += t.Jobs
			byName, byKind = byName+t.Name*float64(t.Jobs), byKind+t.Kind*float64(t.Jobs)
		}
	}
	if jobs < Fewest || byName == 0 {
		return 0, jobs
	}
	return 1 - byKind/byName, jobs
}

// choose marks the row that is set and the recommended one: the row with the
// least mean |ln(p^/p)|, or the default if that is as good.
func (r *Result) choose(o Options) {
	find := func(predictor string, classes ...string) *Row {
		for _, class := range classes {
			if row := r.find(func(w Row) bool { return w.Predictor == predictor && (w.Class == "" || w.Class == class) }); row != nil {
				return row
			}
		}
		return nil
	}
	// If no job has a script, or all kinds are names, names count; without names there are no classes.
	classes := []string{o.Class}
	if o.Class == script || o.Class == kind {
		classes = append(classes, name)
	}
	if set := find(o.Predictor, append(classes, off)...); set != nil {
		set.Set = true
	}
	if r.Jobs < Fewest {
		return
	}
	best := &r.Rows[0]
	for i := range r.Rows {
		if r.Rows[i].LogError < best.LogError {
			best = &r.Rows[i]
		}
	}
	if usual := find(standard.Predictor, standard.Class, name, off); usual != nil && best.LogError >= (1-tie)*usual.LogError {
		best = usual
	}
	best.Best = true
}

// Set returns the row of the settings; nil if they name no predictor.
func (r *Result) Set() *Row { return r.find(func(w Row) bool { return w.Set }) }

// Best returns the recommended row; nil with too few jobs.
func (r *Result) Best() *Row { return r.find(func(w Row) bool { return w.Best }) }

func (r *Result) find(is func(Row) bool) *Row {
	if i := slices.IndexFunc(r.Rows, is); i >= 0 {
		return &r.Rows[i]
	}
	return nil
}

// Gain returns the part by which the recommended predictor has a smaller mean
// |ln(p^/p)| than the one that is set; 0 if that is as good, or with too few
// jobs.
func (r *Result) Gain() float64 {
	set, best := r.Set(), r.Best()
	if set == nil || best == nil || best.LogError >= (1-tie)*set.LogError {
		return 0
	}
	return 1 - best.LogError/set.LogError
}

// Name returns the predictor with its classes, in words.
func (w *Row) Name() string {
	switch w.Class {
	case "":
		return w.Predictor
	case off:
		return w.Predictor + " without classes"
	}
	return w.Predictor + " by " + w.Class
}

// Settings returns the lines of the configuration for a row, without
// schedule.class if that has no choice.
func (r *Result) Settings(w *Row) string {
	text := "schedule.predictor: " + w.Predictor
	choice := slices.ContainsFunc(r.Rows, func(o Row) bool { return o.Class != "" && o.Class != w.Class })
	class := w.Class
	if all := func(o Row) bool { return o.Class == kind }; class == name && r.class == kind && !slices.ContainsFunc(r.Rows, all) {
		class = kind // the kinds are names
	}
	if w.Class != "" && choice && (!w.Set || class == r.class) {
		text += " and schedule.class: " + class
	}
	return text
}

// Factor returns the factor by which predictions are off, as geometric mean.
func (w *Row) Factor() string { return fmt.Sprintf("%.2f", math.Exp(w.LogError)) }

// Sentence says which predictor to set, and what that would change.
func (r *Result) Sentence() string {
	set, best := r.Set(), r.Best()
	switch {
	case r.Jobs == 0:
		return "No job has ended, so nothing tells which predictor to set."
	case best == nil:
		return plural.Sprintf("Only %d job{|s} {has|have} ended, too few to choose a predictor by.", r.Jobs)
	case set == nil:
		return fmt.Sprintf("Set %s: predicted lengths are off by a factor of %s on average.", r.Settings(best), best.Factor())
	case r.Gain() == 0:
		return fmt.Sprintf("Keep %s: predicted lengths are off by a factor of %s on average, and none is clearly better%s.",
			r.Settings(set), set.Factor(), r.limits(set))
	}
	return fmt.Sprintf("Set %s: predicted lengths would be off by a factor of %s on average, in place of %s with %s, which is set.",
		r.Settings(best), best.Factor(), set.Factor(), set.Name())
}

// limits compares time limits with what is set.
func (r *Result) limits(set *Row) string {
	limit := r.find(func(w Row) bool { return w.Predictor == lengths.ByLimit.String() })
	if limit == nil || limit == set {
		return ""
	}
	return " (time limits: " + limit.Factor() + ")"
}

package view

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"slurm-ostrich/cmd/internal/format"
	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/accounting/ledger"
	"slurm-ostrich/ostrich/accounting/tools"
)

// Found says how a campaign was found.
type Found struct {
	By   string `json:"by"`             // rule, or where it was declared: comment, wckey, name, or auto (a workflow tool)
	Rule string `json:"rule,omitempty"` // the setting campaign.rule, by a rule
	Tool string `json:"tool,omitempty"` // that submitted its jobs, as far as it is known
	Run  string `json:"run,omitempty"`  // what the tool calls the run
	// Kinds are the first mostKinds kinds of its unfinished jobs, or that of the one that is
	// explained, in the tool's words, sorted, and shortened to kindLength.
	Kinds     []string `json:"kinds,omitempty"`
	MoreKinds int      `json:"more_kinds,omitempty"` // that Kinds leaves out
}

// Users may write what they like, so what is shown of it has bounds.
const (
	mostKinds  = 20
	kindLength = 64 // characters
	namedKinds = 3  // in words
)

// byRule is how a campaign was found that nobody declared.
const byRule = "rule"

// found says how a campaign was found, from the records of some of its jobs. Of a run one tool is
// told, that of the first of its jobs whose tool is known, and the kinds are those of its jobs.
func (s *Cycle) found(name string, jobs ...[]ostrich.JobID) *Found {
	f := &Found{By: byRule, Rule: s.Rule}
	if name != "" {
		f.By, f.Rule = s.Declared.String(), ""
		if s.Declared == ledger.ByTool {
			f.Run = tools.Run(name)
		}
	}
	if !s.ByTool {
		return f
	}
	kinds := make(map[string]bool)
	for _, list := range jobs {
		for _, id := range list {
			r, known := s.record(id)
			if !known || r.Tool == "" || f.Tool != "" && r.Tool != f.Tool {
				continue
			}
			if f.Tool = r.Tool; r.Kind != "" {
				kinds[r.Kind] = true
			}
		}
	}
	f.Kinds = slices.Sorted(maps.Keys(kinds))
	shown := min(len(f.Kinds), mostKinds)
	f.MoreKinds, f.Kinds = len(f.Kinds)-shown, slices.Clip(f.Kinds[:shown])
	for i, kind := range f.Kinds {
		if runes := []rune(kind); len(runes) > kindLength {
			f.Kinds[i] = string(runes[:kindLength-1]) + "…"
		}
	}
	return f
}

// String returns it in words: "Snakemake run 3f2a9c51-…, rule align"; "" of nil.
func (f *Found) String() string {
	switch {
	case f == nil:
		return ""
	case f.By == byRule && f.Tool == "":
		return "by campaign.rule: " + f.Rule
	case f.By == byRule:
		return format.Plain(f.Tool + f.steps() + "; by " + f.Rule)
	case f.Run != "": // without a tool if all its jobs have ended
		return format.Plain(strings.TrimSpace(f.Tool+" run "+f.Run) + f.steps())
	}
	return "declared by " + f.By
}

// steps names some of the kinds: ", rules align, sort"; "" without any.
func (f *Found) steps() string {
	if len(f.Kinds) == 0 {
		return ""
	}
	named := f.Kinds[:min(len(f.Kinds), namedKinds)]
	step, steps := tools.Step(f.Tool)
	if len(f.Kinds) > 1 {
		step = steps
	}
	text := ", " + step + " " + strings.Join(named, ", ")
	if more := len(f.Kinds) + f.MoreKinds - len(named); more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

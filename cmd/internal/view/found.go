package view

import (
	"fmt"
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
	// Kinds are the kinds of its unfinished jobs, or of the one that is explained, in the
	// words of the tool, sorted.
	Kinds []string `json:"kinds,omitempty"`
}

// byRule is how a campaign was found that nobody declared.
const byRule = "rule"

// found says how a campaign was found, from the records of some of its jobs.
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
	for _, list := range jobs {
		for _, id := range list {
			r, known := s.record(id)
			if !known || r.Tool == "" {
				continue
			}
			if f.Tool == "" {
				f.Tool = r.Tool
			}
			if at, there := slices.BinarySearch(f.Kinds, r.Kind); r.Tool == f.Tool && r.Kind != "" && !there {
				f.Kinds = slices.Insert(f.Kinds, at, r.Kind)
			}
		}
	}
	return f
}

// mostKinds is how many kinds are named.
const mostKinds = 3

// String returns it in words: "Snakemake run 3f2a9c51-…, rule align".
func (f *Found) String() string {
	var text string
	switch {
	case f.By == byRule && f.Tool == "":
		return "by campaign.rule: " + f.Rule
	case f.By == byRule:
		text = f.Tool + " by campaign.rule: " + f.Rule
	case f.Run != "" && f.Tool == "": // all its jobs have ended
		return "run " + f.Run
	case f.Run != "":
		text = f.Tool + " run " + f.Run
	default:
		return "declared by " + f.By
	}
	if len(f.Kinds) == 0 {
		return text
	}
	step := tools.Step(f.Tool)
	if len(f.Kinds) == 1 {
		return text + ", " + step + " " + f.Kinds[0]
	}
	some := f.Kinds[:min(len(f.Kinds), mostKinds)]
	text += fmt.Sprintf(", %ss %s", step, strings.Join(some, ", "))
	if more := len(f.Kinds) - len(some); more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return format.Plain(text)
}

package sacctsource

import (
	"context"
	"slices"
	"strings"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/accounting"
	"slurm-ostrich/ostrich/accounting/sacct"
	"slurm-ostrich/ostrich/accounting/tools"
)

// texts are what a workflow tool may tell of a job beside its name: at most tools.MaxLine bytes of each.
type texts struct{ folder, line string }

func keyOf(r *accounting.Row) accounting.Key { return accounting.Key{ID: r.ID, Submit: r.Submit} }

// looks reports whether the texts of a row's job may tell something.
func (s *Source) looks(r *accounting.Row) bool {
	return slices.ContainsFunc(s.like, func(pattern string) bool { return tools.Like(pattern, r.Name) })
}

// tell completes rows with the texts of their jobs, which do not change. It asks sacct for those that are not known; since is
// before any of them has ended.
func (s *Source) tell(ctx context.Context, since ostrich.Time, rows []*accounting.Row) error {
	unknown := make(map[accounting.Key]bool)
	var ids []ostrich.JobID
	for _, r := range rows {
		if _, known := s.texts[keyOf(r)]; !known {
			unknown[keyOf(r)] = true
			ids = append(ids, r.ID)
		}
	}
	cut := func(text string) string { return strings.Clone(text[:min(len(text), tools.MaxLine)]) }
	slices.Sort(ids)
	for some := range slices.Chunk(slices.Compact(ids), chunk) {
		err := s.rows(ctx, s.format+sacct.TextColumns, func(r accounting.Row) error {
			if unknown[keyOf(&r)] {
				s.texts[keyOf(&r)] = texts{cut(r.Folder), cut(r.Line)}
			}
			return nil
		}, "--starttime", uts(since), "--endtime", "now+1day", "--jobs", list(some))
		if err != nil {
			return err
		}
	}
	for _, r := range rows {
		t := s.texts[keyOf(r)]
		r.Folder, r.Line = t.folder, t.line
	}
	return nil
}

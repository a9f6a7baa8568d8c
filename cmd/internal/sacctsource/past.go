package sacctsource

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/accounting"
	"slurm-ostrich/ostrich/accounting/ledger"
	"slurm-ostrich/ostrich/accounting/sacct"
	"slurm-ostrich/slurmdb"
)

// Find returns the newest record of a job as slurmdb.Reader.Find does. It does not depend
// on polls and does not change what polls report.
func (s *Source) Find(ctx context.Context, id ostrich.JobID, task, offset int) (ledger.Record, bool, error) {
	name := strconv.FormatUint(uint64(id), 10)
	is := func(r *accounting.Row) bool { return r.ID == id }
	switch {
	case task >= 0:
		name += "_" + strconv.Itoa(task)
		is = func(r *accounting.Row) bool { return r.Array == id && r.Task == int64(task) }
	case offset >= 0:
		name += "+" + strconv.Itoa(offset)
		is = func(r *accounting.Row) bool { return r.Het == id && r.ID == id+ostrich.JobID(offset) }
	}
	var newest *accounting.Row
	err := s.each(ctx, func(r accounting.Row) error {
		if is(&r) && (newest == nil || r.Submit > newest.Submit) {
			newest = &r
		}
		return nil
	}, "--jobs", name)
	if err == nil && newest != nil && s.looks(newest) {
		_, kept := s.texts[keyOf(newest)]
		if err = s.tell(ctx, newest.Submit, []*accounting.Row{newest}); !kept {
			delete(s.texts, keyOf(newest)) // a poll keeps those of jobs that have not ended
		}
	}
	if err != nil || newest == nil {
		return ledger.Record{}, false, err
	}
	return s.Describe(newest), true, nil
}

// mostStarted is how many rows Started reads.
const mostStarted = 200_000

// Started visits the rows of jobs that started in [from, to), as slurmdb.Reader.Started
// does, and with the same limits.
func (s *Source) Started(ctx context.Context, from, to ostrich.Time, visit func(*accounting.Row)) error {
	diag, err := s.commands.Diag(ctx)
	if err != nil {
		return err
	}
	if from < diag.At-ostrich.Time(s.config.History) {
		return fmt.Errorf("%w: it was submitted earlier than sacct is asked for", slurmdb.ErrTooMuch)
	}
	n := 0
	return s.each(ctx, func(r accounting.Row) error {
		if n++; n > mostStarted {
			return fmt.Errorf("%w: more than %d jobs have started or ended since its submission", slurmdb.ErrTooMuch, mostStarted)
		}
		if r.Start >= from && r.Start < to && r.State != accounting.Pending {
			visit(&r)
		}
		return nil
	}, "--allusers", "--starttime", uts(from), "--endtime", "now+1day", "--state", "R,S,"+ended)
}

// Known reads the names that accounting has, deleted ones too.
func (s *Source) Known(ctx context.Context) (known slurmdb.Known, err error) {
	read := func(command string, columns ...string) [][]string {
		names := make([][]string, len(columns))
		if err != nil {
			return names
		}
		var out io.Reader
		if out, err = s.sacctmgr(ctx, command, "withdeleted"); err == nil {
			names, err = sacct.ReadNames(out, command, columns...)
		}
		return names
	}
	all := slices.Concat(read(sacct.AssociationsCommand, "User", "Account"), read(sacct.QOSCommand, "Name"))
	return slurmdb.Known{Users: all[0], Accounts: all[1], QOS: all[2]}, err
}

// historyColumns are those that sacct.Read needs to test predictors, but for the state, which stands behind all texts, as these may
// have several lines.
const historyColumns = "jobidraw,jobid,cluster,partition,qos,account,user,uid,submit,eligible,start,end,elapsedraw,reqcpus,alloctres," +
	"timelimitraw,jobname"

// History reads the jobs that ended since a time, or have not ended. If that is more than
// so many rows, it is a slurmdb.ErrTooMuch.
func (s *Source) History(ctx context.Context, since ostrich.Time, most int) (*accounting.History, error) {
	if err := s.columns(ctx); err != nil {
		return nil, err
	}
	format, mark := historyColumns, newMark()
	if len(s.like) > 0 {
		format += ",workdir,submitline"
	}
	format += ",state"
	from, to := io.Pipe()
	done := make(chan error, 1)
	go func() {
		err := s.commands.Run(ctx, &atMost{to: to, mark: []byte(mark), left: most * strings.Count(format, ",")}, "sacct", "--allusers", "--allocations", "--duplicates", "--parsable2",
			"--delimiter", mark, "--format", format, "--starttime", uts(since), "--endtime", "now")
		_ = to.CloseWithError(err) // never fails
		done <- err
	}()
	h, err := sacct.Read(from, "sacct", sacct.Options{Cluster: s.config.Cluster, Tools: s.config.Tools, Delimiter: mark, Lenient: true})
	_ = from.CloseWithError(err) // ends the command, if it has not ended
	if failed := <-done; failed != nil {
		return nil, failed
	}
	if err == nil {
		h.From = since
	}
	return h, err
}

// atMost passes on rows with a number of marks between their cells, which may have several lines. More are an error.
type atMost struct {
	to   io.Writer
	mark []byte
	left int
	end  []byte // of what was passed on, which may begin a mark
}

func (a *atMost) Write(p []byte) (int, error) {
	a.end = append(a.end, p...)
	if a.left -= bytes.Count(a.end, a.mark); a.left < 0 {
		return 0, slurmdb.ErrTooMuch
	}
	begun := 0
	for n := 1; n < len(a.mark) && n <= len(a.end); n++ {
		if bytes.HasPrefix(a.mark, a.end[len(a.end)-n:]) {
			begun = n
		}
	}
	a.end = append(a.end[:0], a.end[len(a.end)-begun:]...)
	return a.to.Write(p)
}

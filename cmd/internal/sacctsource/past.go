package sacctsource

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/accounting"
	"slurm-ostrich/ostrich/accounting/sacct"
	"slurm-ostrich/slurmdb"
)

// Find returns the newest record of a job as slurmdb.Reader.Find does. It does not depend
// on polls and does not change what polls report.
func (s *Source) Find(ctx context.Context, id ostrich.JobID, task, offset int) (slurmdb.Record, bool, error) {
	name := strconv.FormatUint(uint64(id), 10)
	is := func(e *slurmdb.Entry) bool { return e.ID == id }
	switch {
	case task >= 0:
		name += "_" + strconv.Itoa(task)
		is = func(e *slurmdb.Entry) bool { return e.Array == id && e.Task == uint32(task) }
	case offset >= 0:
		name += "+" + strconv.Itoa(offset)
		is = func(e *slurmdb.Entry) bool { return e.Het == id && e.ID == id+ostrich.JobID(offset) }
	}
	var newest *slurmdb.Entry
	err := s.each(ctx, func(e *slurmdb.Entry) error {
		if is(e) && (newest == nil || e.Submit > newest.Submit) {
			newest = e
		}
		return nil
	}, "--jobs", name)
	if err != nil || newest == nil {
		return slurmdb.Record{}, false, err
	}
	return s.Describe(newest), true, nil
}

// mostStarted is how many rows Started reads.
const mostStarted = 200_000

// Started visits the rows of jobs that started in [from, to), as slurmdb.Reader.Started
// does, and with the same limits.
func (s *Source) Started(ctx context.Context, from, to ostrich.Time, visit func(*slurmdb.Row)) error {
	diag, err := s.commands.Diag(ctx)
	if err != nil {
		return err
	}
	if from < diag.At-ostrich.Time(s.config.History) {
		return fmt.Errorf("%w: it was submitted earlier than sacct is asked for", slurmdb.ErrTooMuch)
	}
	n := 0
	return s.each(ctx, func(e *slurmdb.Entry) error {
		if n++; n > mostStarted {
			return fmt.Errorf("%w: more than %d jobs have started or ended since its submission", slurmdb.ErrTooMuch, mostStarted)
		}
		if e.Start >= from && e.Start < to && e.State != slurmdb.Pending {
			visit(&e.Row)
		}
		return nil
	}, "--allusers", "--starttime", uts(from), "--endtime", "now+1day", "--state", "R,S,"+ended)
}

// Known reads the names that accounting has, deleted ones too.
func (s *Source) Known(ctx context.Context) (known slurmdb.Known, err error) {
	read := func(command string, columns []string, to ...*[]string) {
		var out strings.Builder
		if err == nil {
			err = s.commands.Run(ctx, &out, "sacctmgr", append(strings.Fields(command)[1:], "withdeleted")...)
		}
		var names [][]string
		if err == nil {
			names, err = sacct.ReadNames(strings.NewReader(out.String()), command, columns...)
		}
		for i := range names {
			*to[i] = names[i]
		}
	}
	read(sacct.AssociationsCommand, []string{"User", "Account"}, &known.Users, &known.Accounts)
	read(sacct.QOSCommand, []string{"Name"}, &known.QOS)
	return known, err
}

// historyColumns are those that sacct.Read needs to test predictors.
const historyColumns = "jobidraw,jobid,cluster,partition,qos,account,user,uid,submit,eligible,start,end,elapsedraw,state,reqcpus,alloctres," +
	"timelimitraw,jobname"

// History reads the jobs that ended since a time, or have not ended. If that is more than
// so many rows, it is a slurmdb.ErrTooMuch.
func (s *Source) History(ctx context.Context, since ostrich.Time, most int) (*accounting.History, error) {
	from, to := io.Pipe()
	done := make(chan error, 1)
	go func() {
		err := s.commands.Run(ctx, &atMost{to: to, lines: most}, "sacct", "--allusers", "--allocations", "--duplicates", "--parsable2",
			"--format", historyColumns, "--starttime", uts(since), "--endtime", "now")
		_ = to.CloseWithError(err) // never fails
		done <- err
	}()
	h, err := sacct.Read(from, "sacct", sacct.Options{Cluster: s.config.Cluster, Lenient: true})
	_ = from.CloseWithError(err) // ends the command, if it has not ended
	if failed := <-done; failed != nil {
		return nil, failed
	}
	if err == nil {
		h.From = since
	}
	return h, err
}

// atMost passes on a number of lines. More are an error.
type atMost struct {
	to    io.Writer
	lines int
}

func (a *atMost) Write(p []byte) (int, error) {
	if a.lines -= bytes.Count(p, []byte{'\n'}); a.lines < 0 {
		return 0, slurmdb.ErrTooMuch
	}
	return a.to.Write(p)
}

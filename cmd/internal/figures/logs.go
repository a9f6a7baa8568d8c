package figures

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"time"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/campaign"
	"slurm-ostrich/ostrich/sim"
	"slurm-ostrich/ostrich/sim/swf"
	"slurm-ostrich/ostrich/trace"
)

const (
	lcgFile   = "LCG-2005-1.swf.gz"
	lpcFile   = "LPC-EGEE-2004-1.2-cln.swf.gz"
	sdscFile  = "SDSC-SP2-1998-4.2-cln.swf.gz"
	hpc2nFile = "HPC2N-2002-2.2-cln.swf.gz"
	kthFile   = "KTH-SP2-1996-2.1-cln.swf.gz"
	thetaFile = "Theta-2022-cqsim.swf.gz"
)

// workload is a log with its campaigns.
type workload struct {
	name    string
	procs   int
	records int       // lines of the log, with those of jobs that did not run
	begin   time.Time // moment 0 of the log
	users   int       // 0 if the log names none
	jobs    []sim.Job
	numbers []int // of their campaigns
}

// read reads a log, for a machine of so many processors or of those in its header.
func (in Input) read(ctx context.Context, file, name string, procs int, estimates swf.Estimates, rule campaign.Rule) (*workload, error) {
	log, err := trace.Open(filepath.Join(in.Traces, file), trace.Options{})
	if err != nil {
		return nil, fmt.Errorf("figures: %w", err)
	}
	procs = cmp.Or(procs, int(log.Number("MaxProcs")))
	w := &workload{name: name, procs: procs, records: len(log.Records), begin: time.Unix(log.Number("UnixStartTime"), 0).In(paris)}
	if w.jobs, _, err = swf.Jobs(log, procs, estimates); err == nil {
		w.numbers, err = sim.Numbers(w.jobs, rule)
	}
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return nil, fmt.Errorf("figures: %s: %w", file, err)
	}
	users := make(map[ostrich.UserID]bool)
	for i := range w.jobs {
		if u := w.jobs[i].User; u != sim.Nobody {
			users[u] = true
		}
	}
	w.users = len(users)
	return w, nil
}

// readLCG reads the log LCG, and finds its bags by a rule.
func readLCG(ctx context.Context, in Input, rule campaign.Rule) (*workload, error) {
	return in.read(ctx, lcgFile, "LCG", 1, swf.Exact, rule)
}

// readLPC reads the log of thesis section 5.5.
func readLPC(ctx context.Context, in Input) (*workload, error) {
	w, err := in.read(ctx, lpcFile, "LPC", lpcProcs, swf.Exact, campaign.Rule{})
	if err == nil && w.begin.Unix() < 1 {
		err = fmt.Errorf("figures: %s: header: no UnixStartTime", lpcFile)
	}
	return w, err
}

// readMILP reads a log from which scenarios are taken.
func readMILP(ctx context.Context, in Input, file, name string) (*workload, error) {
	return in.read(ctx, file, name, 0, swf.ByLimit, campaign.Rule{})
}

// date converts a time of the log to a date.
func (w *workload) date(t ostrich.Time) time.Time { return w.begin.Add(time.Duration(t) * time.Second) }

// moment converts a date to a time of the log.
func (w *workload) moment(t time.Time) ostrich.Time { return ostrich.Time(t.Unix() - w.begin.Unix()) }

package simulation

import (
	"fmt"

	"slurm-ostrich/cmd/internal/format"
	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/report"
	"slurm-ostrich/ostrich/trace"
)

// LogPeak returns the most processors that jobs of a log used at once, and when;
// of jobs that name no wait, the widest. Those that do ran as given.
func LogPeak(log *trace.Log, ran []report.Job) (procs int, at ostrich.Time) {
	for i := range log.Records {
		r := &log.Records[i]
		if n := int(r.Procs()); r.Runnable() && r.Wait < 0 && n > procs {
			procs, at = n, ostrich.Time(r.Submit)
		}
	}
	if n, since := report.Peak(ran); n > procs {
		return n, since
	}
	return procs, at
}

// LogRan returns the jobs of a log that ran and name a wait, as they ran.
func LogRan(log *trace.Log) []report.Job {
	jobs := make([]report.Job, 0, len(log.Records))
	for i := range log.Records {
		if r := &log.Records[i]; r.Runnable() && r.Wait >= 0 {
			start := ostrich.Time(r.Submit + r.Wait)
			jobs = append(jobs, report.Job{
				ID: ostrich.JobID(r.Number), User: ostrich.UserID(max(0, r.User)), Campaign: -1, Procs: int(r.Procs()),
				Submit: ostrich.Time(r.Submit), Start: start, End: start + ostrich.Time(r.Run), Estimate: ostrich.Duration(max(0, r.Limit)),
				Killed: r.Limit > 0 && r.Run >= r.Limit, Cancelled: r.Status == trace.Cancelled, Failed: r.Status == trace.Failed,
			})
		}
	}
	return jobs
}

// LogDoubts returns notes on what the header of a log says more than once.
func LogDoubts(log *trace.Log) (notes []string) {
	for _, name := range []string{"MaxProcs", "MaxNodes", "UnixStartTime"} {
		if all := log.Values(name); len(all) > 1 {
			notes = append(notes, fmt.Sprintf("%s is in the header as %s, of which the first counts: if several logs were joined, their times are not those of one",
				name, format.List(all)))
		}
	}
	return notes
}

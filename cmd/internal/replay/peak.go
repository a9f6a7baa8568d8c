package replay

import (
	"fmt"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/accounting"
	"slurm-ostrich/ostrich/report"
	"slurm-ostrich/ostrich/trace"
)

// peak returns the most processors that jobs of the history used at once in its
// window, and when. It leaves out jobs that were suspended or resized, because
// others ran in their place for a while.
func peak(h *accounting.History) (procs int, at ostrich.Time) {
	var jobs []report.Job
	for i := range h.Jobs {
		j := &h.Jobs[i]
		end := j.End
		if end == 0 {
			end = lastSeen(h, j, j.Limit)
		}
		if j.Start > 0 && j.Suspended == 0 && !j.Resized && end >= h.From {
			jobs = append(jobs, report.Job{Start: j.Start, End: end, Procs: int(j.Procs)})
		}
	}
	return report.Peak(jobs)
}

// logPeak returns the most processors that jobs of a log used at once, and when;
// of jobs that name no wait, the widest.
func logPeak(log *trace.Log) (procs int, at ostrich.Time) {
	var jobs []report.Job
	for i := range log.Records {
		r := &log.Records[i]
		if !r.Runnable() {
			continue
		}
		if start := ostrich.Time(r.Submit + r.Wait); r.Wait >= 0 {
			jobs = append(jobs, report.Job{Start: start, End: start + ostrich.Time(r.Run), Procs: int(r.Procs())})
		} else if n := int(r.Procs()); n > procs {
			procs, at = n, ostrich.Time(r.Submit)
		}
	}
	if n, since := report.Peak(jobs); n > procs {
		return n, since
	}
	return procs, at
}

// offer names a size of a machine that nothing tells; "" if no job tells it either.
func offer(peak int) string {
	if peak < 1 {
		return ""
	}
	return fmt.Sprintf("; --procs %d, the most that were in use at once, would do", peak)
}

// checkProcs refuses a machine that is smaller than what was in use, unless it has
// the processors that are enough.
func (o *SiteOptions) checkProcs(peak, enough int, when string) error {
	if !o.given("procs") || o.Procs >= enough {
		return nil
	}
	return fmt.Errorf("--procs %d: jobs used %d processors at once, %s: at least --procs %d", o.Procs, peak, when, enough)
}

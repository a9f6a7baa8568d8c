package report

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"slurm-ostrich/ostrich"
)

// jobColumns are Batsim's columns, so that tools made for it read our runs, and
// two of our own.
var jobColumns = []string{
	"job_id", "workload_name", "profile", "submission_time", "requested_number_of_resources", "requested_time", "success",
	"final_state", "starting_time", "execution_time", "finish_time", "waiting_time", "turnaround_time", "stretch",
	"allocated_resources",
	"user", "campaign",
}

// WriteJobs writes one line for each job as CSV, in Batsim's columns and then
// user and campaign. Each line has the workload's name. Times are in seconds, and
// stretch is (C−t)/p of the job. The allocated resources of a job are the
// lowest-numbered of m processors that are free when it starts; the jobs must
// fit.
func WriteJobs(w io.Writer, workload string, jobs []Job, m int) error {
	var named bytes.Buffer // the workload, quoted if it must be
	head := csv.NewWriter(&named)
	if err := head.Write([]string{workload}); err != nil {
		return fmt.Errorf("report: %w", err)
	}
	head.Flush()
	profile := strings.TrimSuffix(named.String(), "\n") + ",rigid,"

	places := Allocate(jobs, m)
	out := bufio.NewWriterSize(w, 1<<16)
	if _, err := out.WriteString(strings.Join(jobColumns, ",") + "\n"); err != nil {
		return fmt.Errorf("report: %w", err)
	}
	var row []byte
	for i := range jobs {
		j := &jobs[i]
		row = append(wholes(row[:0], int64(j.ID)), profile...)
		row = wholes(row, int64(j.Submit), int64(j.Procs))
		if j.Estimate > 0 {
			row = strconv.AppendInt(row, int64(j.Estimate), 10)
		}
		switch {
		case j.Cancelled:
			row = append(row, ",0,COMPLETED_KILLED,"...)
		case j.Killed:
			row = append(row, ",0,COMPLETED_WALLTIME_REACHED,"...)
		case j.Failed:
			row = append(row, ",0,COMPLETED_FAILED,"...)
		default:
			row = append(row, ",1,COMPLETED_SUCCESSFULLY,"...)
		}
		row = wholes(row, int64(j.Start), int64(j.Ran()), int64(j.End), int64(j.Start-j.Submit), int64(j.End-j.Submit))
		row = append(strconv.AppendFloat(row, j.Stretch(), 'f', 6, 64), ',')
		row = append(places[i].appendTo(row), ',')
		row = wholes(row, int64(j.User))
		if j.Campaign >= 0 {
			row = strconv.AppendInt(row, int64(j.Campaign), 10)
		}
		row = append(row, '\n')
		if _, err := out.Write(row); err != nil {
			return fmt.Errorf("report: job %d: %w", j.ID, err)
		}
	}
	if err := out.Flush(); err != nil {
		return fmt.Errorf("report: %w", err)
	}
	return nil
}

// wholes appends numbers with a comma behind each.
func wholes(row []byte, numbers ...int64) []byte {
	for _, n := range numbers {
		row = append(strconv.AppendInt(row, n, 10), ',')
	}
	return row
}

// WriteCampaigns writes a CSV line for each campaign on a machine of m processors.
// Times are in seconds, work in processor-seconds.
func WriteCampaigns(w io.Writer, campaigns []Campaign, m int) error {
	rows := [][]string{{"campaign", "user", "jobs", "submission_time", "finish_time", "work", "longest", "flow_time", "stretch"}}
	for i := range campaigns {
		k := &campaigns[i]
		rows = append(rows, []string{
			strconv.Itoa(i), strconv.FormatUint(uint64(k.User), 10), strconv.Itoa(k.Jobs), strconv.FormatInt(int64(k.Submit), 10),
			strconv.FormatInt(int64(k.End), 10), strconv.FormatFloat(float64(k.Work), 'f', -1, 64),
			strconv.FormatInt(int64(k.Longest), 10), strconv.FormatInt(int64(k.End-k.Submit), 10),
			strconv.FormatFloat(k.Stretch(m), 'f', 6, 64),
		})
	}
	return csv.NewWriter(w).WriteAll(rows)
}

// WriteUtilisation writes the utilisation of m processors over time, a CSV line for
// each step. More steps than mostSteps are an error.
func WriteUtilisation(w io.Writer, jobs []Job, m int, step ostrich.Duration) error {
	first, last := Span(jobs)
	if n := int64(last-first) / max(1, int64(step)); n > mostSteps {
		return fmt.Errorf("report: %d steps of %d s from %d to %d: at most %d, so make them longer", n, step, first, last, mostSteps)
	}
	out := csv.NewWriter(w)
	if err := out.Write([]string{"time", "utilisation"}); err != nil {
		return err
	}
	for i, u := range Utilisations(jobs, m, first, last, step) {
		at := int64(first) + int64(i)*int64(step)
		if err := out.Write([]string{strconv.FormatInt(at, 10), strconv.FormatFloat(u, 'f', 6, 64)}); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}

// mostSteps is more than the seconds of three years.
const mostSteps = 100_000_000

// span is a range of processors.
type span struct{ First, Last int }

// Blocks are processors in ascending order, from 0.
type Blocks []span

// appendTo appends Batsim's interval set, "0-3 7".
func (s Blocks) appendTo(to []byte) []byte {
	for i, p := range s {
		if i > 0 {
			to = append(to, ' ')
		}
		to = strconv.AppendInt(to, int64(p.First), 10)
		if p.Last > p.First {
			to = strconv.AppendInt(append(to, '-'), int64(p.Last), 10)
		}
	}
	return to
}

// Allocate gives each job the lowest of m processors that are free when it starts.
// The jobs must fit, and each must run for at least a second.
func Allocate(jobs []Job, m int) []Blocks {
	n := len(jobs)
	places := make([]Blocks, n)
	free := Blocks{{0, m - 1}}
	var room Blocks // for places, so that few of them need memory of their own
	for _, e := range endsAndStarts(jobs) {
		i := int(e)
		if i < n {
			free = free.give(places[i])
			continue
		}
		if cap(room) < len(free) {
			room = make(Blocks, 0, max(len(free), 1<<12))
		}
		var place Blocks
		place, free = free.take(jobs[i-n].Procs, room)
		places[i-n], room = slices.Clip(place), place[len(place):]
	}
	return places
}

// take splits off the first n processors, and appends them to taken.
func (s Blocks) take(n int, taken Blocks) (_, rest Blocks) {
	i := 0
	for ; i < len(s) && n > 0; i++ {
		p := s[i]
		if width := p.Last - p.First + 1; width > n {
			taken = append(taken, span{p.First, p.First + n - 1})
			s[i].First += n
			break
		}
		taken = append(taken, p)
		n -= p.Last - p.First + 1
	}
	return taken, slices.Delete(s, 0, i)
}

// give puts processors back.
func (s Blocks) give(back Blocks) Blocks {
	for _, p := range back {
		i, _ := slices.BinarySearchFunc(s, p, func(a, b span) int { return a.First - b.First })
		before, behind := i > 0 && s[i-1].Last+1 == p.First, i < len(s) && p.Last+1 == s[i].First
		switch {
		case before && behind:
			s[i-1].Last = s[i].Last
			s = slices.Delete(s, i, i+1)
		case before:
			s[i-1].Last = p.Last
		case behind:
			s[i].First = p.First
		default:
			s = slices.Insert(s, i, p)
		}
	}
	return s
}

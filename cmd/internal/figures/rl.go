package figures

import (
	"cmp"
	"context"
	"crypto/sha512"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"math/bits"
	"path/filepath"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mathext/prng"

	"slurm-ostrich/cmd/internal/format"
	"slurm-ostrich/cmd/internal/svg"
	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/report"
	"slurm-ostrich/ostrich/sim"
	"slurm-ostrich/ostrich/sim/orders"
	"slurm-ostrich/ostrich/trace"
)

// The protocol of SC 2020: sequences of so many jobs, of which so many are drawn with
// seed 1.
const (
	rlLength = 1024
	rlDraws  = 10
	rlSeed   = "1"
)

// rlLogs are the logs of the paper. The sequences are drawn from the first jobs of the
// two real ones, and printed are the means under the heuristics, without and with backfilling.
var rlLogs = []struct {
	name, file string
	first      int // 0 for all jobs
	printed    [2]string
}{
	{"SDSC-SP2", sdscFile, 10_000, [2]string{"1727.54, 3000.88, 1848.45, 2680.55, 1232.06", "1595.12, 1083.12, 548.01, 2167.84, 1098.22"}},
	{"HPC2N", hpc2nFile, 10_000, [2]string{"297.18, 426.99, 609.77, 157.71, 118.01", "127.38, 97.39, 175.12, 122.04, 71.95"}},
	{"Lublin-1", "lublin_256.swf", 0, [2]string{"7273.77, 19753.53, 22274.74, 277.35, 258.37", "235.82, 133.87, 307.23, 73.31, 75.07"}},
	{"Lublin-2", "lublin_256_new2", 0, [2]string{"7842.47, 9523.18, 11265.31, 787.89, 698.34", "247.61, 318.35, 379.59, 91.99, 148.25"}},
}

// rlBackfill are the two halves of the table.
var rlBackfill = []string{"without backfilling", "with backfilling"}

// heuristic is an order of the paper: a fixed one, or by a score, the greatest first.
type heuristic struct {
	name  string
	order sim.Order
	score orders.Score
}

var heuristics = []heuristic{
	{"FCFS", sim.FCFS, nil}, {"WFP3", sim.Order{}, orders.WFP3}, {"UNICEP", sim.Order{}, orders.UNICEP}, {"SJF", sim.SPT, nil}, {"F1", orders.F1, nil},
}

// rlMachine replays a sequence as the paper's simulator does. The job that is next when the
// last one has started stays the next one until it fits, whoever comes meanwhile.
type rlMachine struct {
	procs, free int
	easy        bool
	published   bool // the wait by which a score ranks is −1 − submission, as the paper's code has it
	heuristic
	now              ostrich.Time
	coming, waiting  []*sim.Job
	running, reports []report.Job
}

// next returns the waiting job that goes first.
func (m *rlMachine) next() *sim.Job {
	score := func(j *sim.Job) float64 {
		wait := m.now - j.Submit
		if m.published {
			wait = -1 - j.Submit
		}
		return m.score(float64(wait), float64(j.Estimate), j.Procs)
	}
	switch {
	case m.score != nil:
		return slices.MaxFunc(m.waiting, func(a, b *sim.Job) int { return cmp.Compare(score(a), score(b)) })
	case m.order.Compare != nil:
		return slices.MinFunc(m.waiting, m.order.Compare)
	default:
		return m.waiting[0]
	}
}

func (m *rlMachine) start(j *sim.Job) {
	ran := report.Job{
		ID: j.ID, Submit: j.Submit, Start: m.now, End: m.now + ostrich.Time(j.Run), Procs: j.Procs, Estimate: j.Estimate,
	}
	m.free -= j.Procs
	m.running, m.reports = append(m.running, ran), append(m.reports, ran)
	m.waiting = slices.DeleteFunc(m.waiting, func(o *sim.Job) bool { return o == j })
}

// step lets time pass to the next submission or end, the submission first.
func (m *rlMachine) step() {
	slices.SortStableFunc(m.running, func(a, b report.Job) int { return cmp.Compare(a.End, b.End) })
	if len(m.coming) > 0 && (len(m.running) == 0 || m.coming[0].Submit <= m.running[0].End) {
		m.now = max(m.now, m.coming[0].Submit)
		m.waiting, m.coming = append(m.waiting, m.coming[0]), m.coming[1:]
		return
	}
	m.now = max(m.now, m.running[0].End)
	m.free += m.running[0].Procs
	m.running = m.running[1:]
}

// shadow returns when a job fits at the latest if what runs ends at its estimates.
func (m *rlMachine) shadow(procs int) ostrich.Time {
	due := func(j *report.Job) ostrich.Time { return j.Start + ostrich.Time(j.Estimate) }
	slices.SortStableFunc(m.running, func(a, b report.Job) int { return cmp.Compare(due(&a), due(&b)) })
	at, free := m.now, m.free
	for i := range m.running {
		at = due(&m.running[i])
		if free += m.running[i].Procs; free >= procs {
			break
		}
	}
	return at
}

// run replays a sequence, which is in the order of submission, and returns the mean bounded
// slowdown. While the next job does not fit, those start that would end before it can,
// first come, first served; no job starts beside it on processors that it leaves.
func (m rlMachine) run(jobs []*sim.Job) float64 {
	m.free, m.coming = m.procs, jobs
	for len(m.coming) > 0 || len(m.waiting) > 0 {
		if len(m.waiting) == 0 {
			m.step()
			continue
		}
		head := m.next()
		var end ostrich.Time
		if m.easy && head.Procs > m.free {
			end = m.shadow(head.Procs)
		}
		for ; head.Procs > m.free; m.step() {
			for _, j := range slices.Clone(m.waiting) {
				if m.easy && j.Procs <= m.free && m.now+ostrich.Time(j.Estimate) < end {
					m.start(j)
				}
			}
		}
		m.start(head)
	}
	return report.BoundedSlowdown(m.reports)
}

// rlJobs returns the jobs of a log as the paper's code reads them, by their numbers: as many
// processors as were asked for or given, whichever is more. A job with a run time below 0, which
// never ran, is one of 10 s, and in idle.
func rlJobs(log *trace.Log) (jobs []*sim.Job, idle map[*sim.Job]bool) {
	idle = make(map[*sim.Job]bool)
	for i := range log.Records {
		r := &log.Records[i]
		if r.Run == 0 {
			continue
		}
		j := &sim.Job{
			ID: ostrich.JobID(r.Number), Submit: ostrich.Time(r.Submit), Run: ostrich.Duration(r.Run), Estimate: ostrich.Duration(r.Limit),
			Procs: int(max(r.Allocated, r.Requested)),
		}
		if r.Limit == -1 {
			j.Estimate = j.Run
		}
		if j.Run < 0 {
			j.Run, idle[j] = 10, true
		}
		jobs = append(jobs, j)
	}
	slices.SortStableFunc(jobs, func(a, b *sim.Job) int { return cmp.Compare(a.ID, b.ID) })
	return jobs, idle
}

// rlStarts draws where the paper's sequences begin among n jobs. It draws as Gym and NumPy do:
// the Mersenne Twister, begun with the first half of the hash's first 16 bytes, and as many bits
// as the range has until they are in it.
func rlStarts(seed string, n, length, draws int) []int {
	hash := sha512.Sum512([]byte(seed))
	random := prng.NewMT19937()
	random.SeedFromKeys([]uint32{binary.LittleEndian.Uint32(hash[:]), binary.LittleEndian.Uint32(hash[4:])})
	last := uint32(n - 2*length - 2)
	var starts []int
	for len(starts) < draws {
		if v := random.Uint32() & (1<<bits.Len32(last) - 1); v <= last {
			starts = append(starts, length+int(v))
		}
	}
	return starts
}

// rlReading is a set of sequences, and how they are replayed.
type rlReading struct {
	name      string
	published bool
	simulated bool // by package sim, where all waiting jobs are ranked whenever something happens, and EASY is whole
	sequences [][]*sim.Job
}

// readRL reads a log, and returns its readings: the paper's; the same sequences without jobs that
// never ran, and ranked by the waits that jobs have had; so the whole log, in which no two
// sequences share a job; and that as other figures simulate.
func readRL(in Input, number int) (procs int, readings []rlReading, err error) {
	l := &rlLogs[number]
	log, err := trace.Open(filepath.Join(in.Traces, l.file), trace.Options{})
	if err != nil {
		return 0, nil, fmt.Errorf("figures: %w", err)
	}
	procs = int(cmp.Or(log.Number("MaxProcs"), log.Number("MaxNodes")))
	jobs, idle := rlJobs(log)
	if slices.ContainsFunc(jobs, func(j *sim.Job) bool { return j.Procs < 1 || j.Procs > procs }) {
		return 0, nil, fmt.Errorf("figures: %s: not all jobs have from 1 to %d processors", l.file, procs)
	}
	isIdle := func(j *sim.Job) bool { return idle[j] }
	readings = []rlReading{{name: "as published", published: true}, {name: "corrected"}, {name: "whole log"}, {name: "whole log, simulated", simulated: true}}
	for part := range slices.Chunk(slices.DeleteFunc(slices.Clone(jobs), isIdle), rlLength) {
		if whole := &readings[2].sequences; len(part) == rlLength && len(*whole) < in.either(4, len(jobs)) {
			*whole = append(*whole, part)
		}
	}
	readings[3].sequences = readings[2].sequences
	if l.first > 0 {
		jobs = jobs[:min(l.first, len(jobs))]
	}
	if len(jobs) < 2*rlLength+2 {
		return 0, nil, fmt.Errorf("figures: %s: %d jobs are too few to draw sequences of %d", l.file, len(jobs), rlLength)
	}
	for _, at := range rlStarts(rlSeed, len(jobs), rlLength, rlDraws) {
		sequence := jobs[at : at+rlLength]
		readings[0].sequences = append(readings[0].sequences, sequence)
		readings[1].sequences = append(readings[1].sequences, slices.DeleteFunc(slices.Clone(sequence), isIdle))
	}
	return procs, readings, nil
}

// rlCell is a number of the table: a heuristic, by how it was replayed.
type rlCell struct {
	rlReading
	machine rlMachine
	values  []float64 // of the sequences
}

// run returns the mean bounded slowdown of a sequence.
func (c *rlCell) run(jobs []*sim.Job) (float64, error) {
	if !c.simulated {
		return c.machine.run(jobs), nil
	}
	m := sim.Machine{Procs: c.machine.procs, Order: c.machine.order, Open: true}
	if c.machine.score != nil {
		m.Policy = orders.Scored(c.machine.score)
	}
	if c.machine.easy {
		m.Backfill = sim.EASY
	}
	campaigns := make([]sim.Campaign, len(jobs))
	for i, j := range jobs {
		campaigns[i] = sim.NewCampaign(0, j.Submit, 0, sim.Job{ID: j.ID, Procs: j.Procs, Run: j.Run, Estimate: j.Estimate})
	}
	ran, err := m.Run(campaigns)
	if err != nil {
		return 0, fmt.Errorf("figures: %w", err)
	}
	return report.BoundedSlowdown(ran), nil
}

// replayRL replays all readings of the logs that are there, and returns the cells of each log by
// backfilling, reading and heuristic, the last one fastest. A log of the model may be missing.
func replayRL(ctx context.Context, in Input) ([][]rlCell, error) {
	logs := make([][]rlCell, len(rlLogs))
	var tasks []func() error
	for number := range rlLogs {
		procs, readings, err := readRL(in, number)
		switch {
		case rlLogs[number].first == 0 && errors.Is(err, fs.ErrNotExist):
			continue
		case err != nil:
			return nil, err
		}
		for i := range 2 * len(readings) * len(heuristics) {
			r := readings[i/len(heuristics)%len(readings)]
			logs[number] = append(logs[number], rlCell{r, rlMachine{
				procs: procs, easy: i >= len(readings)*len(heuristics), published: r.published, heuristic: heuristics[i%len(heuristics)],
			}, make([]float64, len(r.sequences))})
		}
		for i := range logs[number] {
			c := &logs[number][i]
			for k, s := range c.sequences {
				tasks = append(tasks, func() (err error) {
					c.values[k], err = c.run(s)
					return errors.Join(err, ctx.Err())
				})
			}
		}
	}
	_, err := instances(ctx, in, len(tasks), func(i int) (struct{}, error) { return struct{}{}, tasks[i]() })
	return logs, err
}

// drawRL draws Table V of SC 2020, for its heuristics.
func drawRL(ctx context.Context, in Input) (*Result, error) {
	logs, err := replayRL(ctx, in)
	if err != nil {
		return nil, err
	}
	names := strings.Join(format.Texts(heuristics, func(h heuristic) string { return h.name }), ", ")
	table := Table{Name: "rl-5", Header: []string{"log", "backfilling", "reading", "sequences", "heuristic", "bounded_slowdown_mean", "half_interval"}}
	result := &Result{Text: rlText}
	for number, cells := range logs {
		if len(cells) == 0 {
			continue
		}
		l := &rlLogs[number]
		chart := svg.Chart{
			Name: "rl-5-" + strings.ToLower(l.name), Title: l.name, Width: 860, Right: true,
			Text: "Mean bounded slowdown of each heuristic on " + l.name + ": as published, corrected, and corrected on the whole log; without and with backfilling.",
			X:    svg.Axis{Title: rlBackfill[0] + ", and " + rlBackfill[1], Min: -0.6, Max: float64(2*len(heuristics)) + 0.8},
			Series: []svg.Series{
				{Name: "as published", Class: "bar " + old, Base: 1},
				{Name: "corrected", Class: "bar " + fair, Base: 1},
				{Name: "corrected, whole log", Class: "line r0", Marks: "dot r0", Apart: true},
				{Name: "the same, simulated", Class: "line ink", Marks: "dot ink", Apart: true},
			},
		}
		most := 0.0
		for k, row := range slices.Collect(slices.Chunk(cells, len(heuristics))) { // of a backfilling and a reading
			b, reading := k/len(chart.Series), k%len(chart.Series)
			var ours []string
			for i := range row {
				c := &row[i]
				mean, half := confident(c.values)
				most = max(most, mean+half)
				table.add(l.name, rlBackfill[b], c.name, len(c.values), c.machine.name, decimals(mean, 4), decimals(half, 4))
				at := float64(i + b*(len(heuristics)+1))
				if c.published {
					chart.X.Ticks = append(chart.X.Ticks, svg.Tick{At: at, Label: c.machine.name})
					ours = append(ours, decimals(mean, 2))
				} else {
					ours = append(ours, plusMinus(c.values, withDecimals(1)))
				}
				if s := &chart.Series[reading]; reading < 2 {
					from := at - 0.42 + 0.32*float64(reading)
					s.Bars = append(s.Bars, svg.Bar{From: from, To: from + 0.28, Height: mean})
				} else {
					s.Points = append(s.Points, svg.Point{X: at - 0.08 + 0.16*float64(reading), Y: mean})
					s.Error = append(s.Error, half)
				}
			}
			n := Number{
				What: fmt.Sprintf("%s %s, %s, %d sequences: %s", l.name, rlBackfill[b], row[0].name, len(row[0].values), names), Ours: strings.Join(ours, ", "),
			}
			if row[0].published {
				n.Paper = l.printed[b]
			}
			result.Numbers = append(result.Numbers, n)
		}
		chart.Y = svg.Log("mean bounded slowdown", 1, 4*most) // with room for the legend
		result.Pictures = append(result.Pictures, chart.Draw())
	}
	result.Tables = []Table{table}
	return result, nil
}

const rlText = "The paper draws ten sequences of 1024 jobs of each log with a seed, replays each by itself on an empty machine, and prints the mean bounded " +
	"slowdown; ours are the same sequences. Corrected are two things. The paper's code ranks jobs while it takes their start to be −1, so the wait of WFP3 and " +
	"UNICEP is −1 − submission: both prefer long jobs, which they are made to put off, and WFP3 narrow ones. And a job that never ran, as one of ten in SDSC-SP2, is one of 10 s there, " +
	"with the processors and the time that it asked for.\n\n" +
	"In both the job that is next stays it until it fits, whoever comes meanwhile, and backfilling starts jobs, first come, first served, that would end before the next one can start, and " +
	"none beside it. Points: all jobs of the log that ran, cut into sequences that share none, with 95 % intervals, and the same under ostrich simulate, which ranks all waiting jobs " +
	"whenever something happens, and has EASY whole. The ten drawn sequences overlap, so theirs are intervals of the draw alone.\n\n" +
	"The logs of a model, lublin_256.swf and lublin_256_new2 of the paper's repository, are drawn if they are in the folder."

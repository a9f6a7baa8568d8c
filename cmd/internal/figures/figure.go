// Package figures draws the figures of the source papers from our own
// computations, and compares the papers' numbers with ours.
package figures

import (
	"context"
	"fmt"

	"slurm-ostrich/cmd/internal/format"
	"slurm-ostrich/cmd/internal/svg"
)

// Figure is a figure of a paper.
type Figure struct {
	Name  string // on the command line: "thesis-5.6"
	Title string
	From  string   // paper, section and figure: "Pinheiro, thesis (2014), section 5.5, Fig. 5.6"
	Logs  []string // files of the workload logs that it needs, in Input.Traces

	// Draw computes the figure. The same input gives the same result, whatever
	// Workers is.
	Draw drawing
}

// drawing computes a figure.
type drawing func(ctx context.Context, in Input) (*Result, error)

// Input is the input of a figure.
type Input struct {
	Traces  string // folder of workload logs
	Workers int    // goroutines that compute, at least 1
	Short   bool   // fewer random instances than the paper, for a quick look
	small   bool   // of tests: workloads of HPDC 2008 are a fortieth, and the log LCG a fiftieth, of what they are

	// Progress is called by any worker with the progress of the figure. It may be
	// nil.
	Progress func(done, total int)
}

// either returns the number for a quick look, or that of the paper.
func (in Input) either(short, whole int) int {
	if in.Short {
		return short
	}
	return whole
}

// Result is a computed figure.
type Result struct {
	Pictures []*svg.Picture // named as their files, without extension
	Tables   []Table
	Numbers  []Number
	Text     string // what is drawn, which reading was used, and why it differs; paragraphs separated by empty lines
}

// Table is the data of a picture, written as CSV.
type Table struct {
	Name   string // of the file, without extension
	Header []string
	Rows   [][]string
}

func (t *Table) add(cells ...any) {
	t.Rows = append(t.Rows, format.Texts(cells, func(c any) string { return fmt.Sprint(c) }))
}

// Number is a number of the paper and ours.
type Number struct {
	What  string
	Paper string // as printed: "68.6 %"; "" if the paper has none
	Ours  string // in the same form
	Why   string // why it differs, or ""
}

const (
	hipcPaper = "Pinheiro, Rzadca, Trystram, HiPC 2012, section "
	milpPaper = "Schlagkamp, Hofmann, Eufinger, Ferreira da Silva, HPCS 2016, section V."
)

// All lists the figures in the order of the papers, which is that of their names,
// and then by number.
func All() []Figure {
	return []Figure{
		hpdc("1", "Variability of run times by the size of a bag", "3.6", drawVariability, lcgFile),
		hpdc("2", "Inaccuracy of predicted run times in bags-of-tasks", "3.7", drawPredictors, lcgFile),
		hpdc("3", "Bags by size under each scheduling policy", "5.1", drawClasses, lcgFile),
		hpdc("4", "Scheduling policies by load", "5.1", drawLoads),
		hpdc("5", "Scheduling policies by when bags arrive", "5.2", drawArrivals),
		hpdc("6", "Scheduling policies by the size of the bags", "5.2", drawSizes),
		hpdc("7", "Scheduling policies by the run time of the tasks", "5.2", drawRuns),
		hpdc("8", "Scheduling policies by the inaccuracy of run times", "5.3", drawErrors),
		hpdc("9", "Selections by load", "5.4", drawSelections),
		hpdc("10", "Selections by the size of a bag", "5.4", drawSelectionClasses),
		hpdc("11", "Architectures by load", "5.5", drawArchitectures),
		{
			"hipc-3", "FCFS has no bound on the max-stretch", hipcPaper + "VI.B, Fig. 3; thesis (2014), section 3.6.2, Fig. 3.3", nil, drawCompetitiveness,
		},
		{
			"hipc-4", "Max-stretch of FCFS and FairCamp by the number of users", hipcPaper + "VII, Fig. 4; thesis (2014), section 4.6, Fig. 4.3", nil, drawMaxStretch,
		},
		{
			"hipc-5", "Max-stretch of FCFS and FairCamp with 20 users", hipcPaper + "VII, Fig. 5; thesis (2014), section 4.6, Fig. 4.4", nil, drawDensity,
		},
		{"milp-3", "Two logs, and how many jobs wait in them", milpPaper + "B, Table II and Fig. 3", []string{kthFile, thetaFile}, drawQueues},
		{"milp-4", "Late jobs under backfilling and under an optimiser", milpPaper + "C, Fig. 4", []string{thetaFile, kthFile}, drawLate},
		{"milp-5", "Tardiness under backfilling and under an optimiser", milpPaper + "C, Fig. 5", []string{kthFile}, drawTardy},
		{
			"ppam-2", "Stretch of short and long users under FCFS and OStrich",
			"Emeras, Pinheiro, Rzadca, Trystram, PPAM 2013, section 6, Fig. 2; thesis (2014), section 5.5, Fig. 5.12 and 5.13", nil, drawProfiles,
		},
		{
			"rl-5", "Heuristics by their mean bounded slowdown on drawn sequences of jobs",
			"Zhang, Dai, He, Bao, Xie, SC 2020, Table V",
			[]string{sdscFile, hpc2nFile},
			drawRL,
		},
		example("2.6", "Pareto optimality for two users", "2.3", figure26),
		example("2.9", "Space sharing and time sharing with two users", "2.4", figure29),
		example("2.10", "The worst case of FCFS with two users", "2.4", figure210),
		example("2.11", "Starvation under LPT with two users", "2.4", figure211),
		example("2.12", "Starvation under SPT with two users", "2.4", figure212),
		example("2.13", "Pools of Hadoop's fair scheduler with three users", "2.4", figure213),
		example("2.14", "Slurm's fair-share factor with three users", "2.4", figure214),
		example("3.3", "FCFS and the optimum for max-stretch", "3.6.2", figure33),
		example("4.1", "Deadlines of FairCamp", "4.2", figure41),
		example("4.2", "The schedule of FairCamp", "4.2", figure42),
		example("5.1", "The virtual and the real schedule of OStrich", "5.2", figure51),
		example("5.3", "A campaign according to MAX", "5.4.2", figure53),
		example("5.4", "The dependencies inside the campaign of Figure 5.3", "5.4.3", figure54),
		thesis("5.5", "Stretch of the campaigns in the log", "5.5", drawLoggedStretch, lpcFile),
		thesis("5.6", "Stretch of the campaigns under OStrich", "5.5", drawReplayedStretch, lpcFile),
		thesis("5.7", "Utilisation over the whole log", "5.5", drawUtilisation("thesis-5.7", logged, true), lpcFile),
		thesis("5.8", "Utilisation over the whole log under OStrich", "5.5", drawUtilisation("thesis-5.8", dependent, true), lpcFile),
		thesis("5.9", "Utilisation in December and January", "5.5", drawUtilisation("thesis-5.9", logged, false), lpcFile),
		thesis("5.10", "Utilisation in December and January under OStrich", "5.5", drawUtilisation("thesis-5.10", dependent, false), lpcFile),
		thesis("5.11", "Utilisation in December and January under OStrich without dependencies", "5.5", drawUtilisation("thesis-5.11", independent, false), lpcFile),
		example("6.1", "The real schedule falls behind the virtual one", "6.1.1", figure61),
		example("6.2", "The schedules of Figure 6.1 with a resized virtual one", "6.1.1", figure62),
		example("6.3", "The virtual and the real schedule of parallel OStrich", "6.3", figure63),
		example("6.4", "Parallel jobs under FCFS", "6.4", figure64),
		example("6.5", "Parallel jobs under space sharing", "6.4", figure65),
		example("6.6", "Parallel jobs under OStrich", "6.4", figure66),
	}
}

// hpdc returns a figure of the paper on bags-of-tasks.
func hpdc(number, title, section string, draw drawing, logs ...string) Figure {
	return Figure{"bot-" + number, title, "Iosup, Sonmez, Anoep, Epema, HPDC 2008, section " + section + ", Fig. " + number, logs, draw}
}

func thesis(number, title, section string, draw drawing, logs ...string) Figure {
	return Figure{"thesis-" + number, title, "Pinheiro, thesis (2014), section " + section + ", Fig. " + number, logs, draw}
}

// example returns a figure of the thesis that shows a small worked example and does
// not depend on its Input.
func example(number, title, section string, draw func(name string) *Result) Figure {
	return thesis(number, title, section, func(ctx context.Context, _ Input) (result *Result, err error) {
		defer found(&err)
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		return draw("thesis-" + number), nil
	})
}

package main

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"time"

	"github.com/urfave/cli/v2"

	"slurm-ostrich/cmd/internal/atomicfile"
	"slurm-ostrich/cmd/internal/replay"
	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/report"
)

// csvOptions name the files that simulate writes.
var csvOptions = []string{"jobs-csv", "campaigns-csv", "utilisation-csv"}

// csvAllowed refuses files of several replays: there is one file for each option.
func csvAllowed(c *cli.Context, replays int) error {
	taken := make(map[string]string)
	for _, option := range csvOptions {
		if path := c.String(option); path != "" {
			path = filepath.Clean(path)
			if other, ok := taken[path]; ok {
				return fmt.Errorf("--%s %s is the file of --%s", option, path, other)
			}
			taken[path] = option
		}
		if c.IsSet(option) && replays > 1 {
			return fmt.Errorf("--%s: one log and one policy at a time, not %d replays", option, replays)
		}
	}
	if c.IsSet("step") && !c.IsSet("utilisation-csv") {
		return errors.New("--step goes with --utilisation-csv")
	}
	return nil
}

// writeCSVs writes the files that the options ask for.
func writeCSVs(c *cli.Context, s *replay.Simulation) error {
	o := s.Outcome
	for _, f := range []struct {
		option string
		write  func(io.Writer) error
	}{
		{"jobs-csv", func(w io.Writer) error { return report.WriteJobs(w, s.Workload.Name, o.Jobs, s.Run.Procs) }},
		{"campaigns-csv", func(w io.Writer) error { return writeCampaignRows(w, o.Campaigns, s.Run.Procs) }},
		{"utilisation-csv", func(w io.Writer) error {
			return writeUtilisation(w, o.Jobs, s.Run.Procs, ostrich.Duration(c.Duration("step")/time.Second))
		}},
	} {
		path := c.String(f.option)
		if path == "" {
			continue
		}
		if err := atomicfile.Write(path, f.write); err != nil {
			return fmt.Errorf("--%s: %w", f.option, err)
		}
	}
	return nil
}

func writeCampaignRows(w io.Writer, campaigns []report.Campaign, m int) error {
	out := csv.NewWriter(w)
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
	return out.WriteAll(rows)
}

func writeUtilisation(w io.Writer, jobs []report.Job, m int, step ostrich.Duration) error {
	out := csv.NewWriter(w)
	if err := out.Write([]string{"time", "utilisation"}); err != nil {
		return err
	}
	first, last := report.Span(jobs)
	for i, u := range report.Utilisations(jobs, m, first, last, step) {
		at := int64(first) + int64(i)*int64(step)
		if err := out.Write([]string{strconv.FormatInt(at, 10), strconv.FormatFloat(u, 'f', 6, 64)}); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}

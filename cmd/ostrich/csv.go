package main

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/urfave/cli/v2"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/report"
)

// csvAllowed refuses files of several replays: there is one file for each option.
func csvAllowed(c *cli.Context, replays int) error {
	for _, option := range []string{"jobs-csv", "campaigns-csv", "utilisation-csv"} {
		if c.IsSet(option) && replays > 1 {
			return fmt.Errorf("--%s: one log and one policy at a time, not %d replays", option, replays)
		}
	}
	return nil
}

// writeCSVs writes the files that the options ask for.
func writeCSVs(c *cli.Context, s *simulation) error {
	o := s.outcome
	for _, f := range []struct {
		option string
		write  func(io.Writer) error
	}{
		{"jobs-csv", func(w io.Writer) error { return report.WriteJobs(w, s.workload.name, o.jobs, s.replay.procs) }},
		{"campaigns-csv", func(w io.Writer) error { return writeCampaignRows(w, o.campaigns, s.replay.procs) }},
		{"utilisation-csv", func(w io.Writer) error {
			return writeUtilisation(w, o.jobs, s.replay.procs, ostrich.Duration(c.Duration("step")/time.Second))
		}},
	} {
		path := c.String(f.option)
		if path == "" {
			continue
		}
		if err := writeFile(path, f.write); err != nil {
			return fmt.Errorf("--%s: %w", f.option, err)
		}
	}
	return nil
}

// writeFile writes a file whole or not at all.
func writeFile(path string, write func(io.Writer) error) (err error) {
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(f.Name()))
		}
	}()
	if err = errors.Join(write(f), f.Chmod(0o644), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
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
	rows := [][]string{{"time", "utilisation"}}
	first, last := report.Span(jobs)
	for i, u := range report.Utilisations(jobs, m, first, last, step) {
		rows = append(rows, []string{
			strconv.FormatInt(int64(first)+int64(i)*int64(step), 10), strconv.FormatFloat(u, 'f', 6, 64),
		})
	}
	return out.WriteAll(rows)
}

package slurm

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/priority"
)

// Partitions returns the partitions in slurmctld's order.
func (s Commands) Partitions(ctx context.Context) ([]priority.Partition, error) {
	out, err := s.output(ctx, "scontrol", "-a", "-o", "show", "partition")
	if err != nil {
		return nil, err
	}
	parts, lists, err := parsePartitions(string(out))
	if err != nil {
		return nil, err
	}
	expanded := make(map[string][]string)
	for i, list := range lists {
		if list == "" {
			continue
		}
		if _, ok := expanded[list]; !ok {
			out, err := s.output(ctx, "scontrol", "show", "hostnames", list)
			if err != nil {
				return nil, err
			}
			expanded[list] = strings.Fields(string(out))
		}
		parts[i].Nodes = expanded[list]
	}
	return parts, nil
}

// parsePartitions reads "scontrol -o show partition": the partitions, and the
// lists of their nodes as Slurm abbreviates them.
func parsePartitions(out string) (parts []priority.Partition, lists []string, err error) {
	for line := range strings.Lines(out) {
		line = strings.TrimSpace(line)
		if line == "" || line == "No partitions in the system" {
			continue
		}
		p, list, err := parsePartition(line)
		if err != nil {
			return nil, nil, fmt.Errorf("scontrol show partition: %w", err)
		}
		parts, lists = append(parts, p), append(lists, list)
	}
	return parts, lists, nil
}

func parsePartition(line string) (p priority.Partition, nodes string, err error) {
	for field := range strings.FieldsSeq(line) {
		key, value, _ := strings.Cut(field, "=")
		switch key {
		case "PartitionName":
			p.Name = value
		case "Default":
			p.Default = value == "YES"
		case "MaxTime":
			p.MaxTime, err = parseTimeLimit(value)
		case "TotalCPUs":
			p.TotalCPUs, err = strconv.Atoi(value)
		case "PriorityTier":
			p.PriorityTier, err = strconv.Atoi(value)
		case "PriorityJobFactor":
			p.PriorityJobFactor, err = strconv.Atoi(value)
		case "PreemptMode":
			p.PreemptMode = unless(value, "OFF")
		case "QoS":
			p.QOS = none(value)
		case "Nodes":
			nodes = none(value)
		}
		if err != nil {
			return p, "", fmt.Errorf("partition %s: %s=%q: not a value for it", p.Name, key, clip(value))
		}
	}
	if p.Name == "" {
		return p, "", fmt.Errorf("line %q: no PartitionName", clip(line))
	}
	return p, nodes, nil
}

// parseTimeLimit reads "1-00:00:00", "00:30:00", "30:00", "UNLIMITED" or "NONE" (0).
func parseTimeLimit(s string) (ostrich.Duration, error) {
	switch s {
	case "UNLIMITED", "INFINITE":
		return priority.Unlimited, nil
	case "NONE", "N/A", "(null)":
		return 0, nil
	}
	c, ok := parseClock(s)
	switch {
	case ok && c.parts == 3:
		return ostrich.Duration(c.days*86400 + c.n[0]*3600 + c.n[1]*60 + c.n[2]), nil
	case ok && c.parts == 2 && !c.hasDays:
		return ostrich.Duration(c.n[0]*60 + c.n[1]), nil
	}
	return 0, fmt.Errorf("time limit %q: not [days-]hours:minutes:seconds", clip(s))
}

// clock is a time as Slurm writes it: up to three numbers, and maybe days before them.
type clock struct {
	days    uint64
	hasDays bool
	n       [3]uint64
	parts   int // how many numbers there are
}

func parseClock(text string) (c clock, ok bool) {
	var err error
	days, rest, hasDays := strings.Cut(text, "-")
	if c.hasDays = hasDays; !hasDays {
		rest = text
	} else if c.days, err = strconv.ParseUint(days, 10, 24); err != nil {
		return c, false
	}
	for part := range strings.SplitSeq(rest, ":") {
		if c.parts == len(c.n) {
			return c, false
		}
		if c.n[c.parts], err = strconv.ParseUint(part, 10, 24); err != nil {
			return c, false
		}
		c.parts++
	}
	return c, true
}

package slurm

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/priority"
)

// Partitions returns the partitions in slurmctld's order.
func (s Commands) Partitions(ctx context.Context) ([]priority.Partition, error) {
	out, err := s.shownPartitions(ctx)
	if err != nil {
		return nil, err
	}
	return s.partitions(ctx, out)
}

func (s Commands) shownPartitions(ctx context.Context) (string, error) {
	return s.output(ctx, "scontrol", "-a", "-o", "show", "partition")
}

// partitions returns the partitions that scontrol showed, with the sizes of their nodes.
func (s Commands) partitions(ctx context.Context, shown string) ([]priority.Partition, error) {
	parts, lists, err := parsePartitions(shown)
	if err != nil {
		return nil, err
	}
	expanded := make(map[string][]string)
	for i, list := range lists {
		if list == "" {
			continue
		}
		if _, ok := expanded[list]; !ok {
			out, failed := s.output(ctx, "scontrol", "show", "hostnames", list)
			if failed != nil {
				return nil, failed
			}
			expanded[list] = strings.Fields(out)
		}
		parts[i].Nodes = expanded[list]
	}
	if len(expanded) == 0 {
		return parts, nil
	}
	sizes, err := parsed(ctx, s, parseNodes, "scontrol", "-a", "-F", "-o", "show", "node")
	if err != nil {
		return nil, err
	}
	sizeNodes(parts, sizes)
	return parts, nil
}

// nodeSize is how many processors a node has, how many of them are for jobs, all that it
// has of what Slurm counts, and its active features.
type nodeSize struct {
	all, effective int
	tres, features string
}

// ErrShownNode means that what scontrol shows of a node cannot be read.
var ErrShownNode = errors.New("scontrol show node")

// parseNodes reads "scontrol -F show node", with or without -o. Nodes of state FUTURE are
// not there yet, and have nothing for jobs. The others count in every state: they come back, or are
// switched on when jobs need them.
func parseNodes(out string) (map[string]nodeSize, error) {
	sizes := make(map[string]nodeSize)
	for record := range strings.SplitSeq("\n"+out, "\nNodeName=") {
		name, rest, _ := strings.Cut(strings.ReplaceAll(record, "\n", " "), " ")
		all := field(" "+rest, "CPUTot")
		if name == "" || all == "" {
			continue
		}
		effective := cmp.Or(field(" "+rest, "CPUEfctv"), all) // cores may be set aside; shown since 22.05
		var size nodeSize
		for _, n := range []struct {
			text string
			to   *int
		}{{all, &size.all}, {effective, &size.effective}} {
			count, err := strconv.ParseUint(n.text, 10, 31)
			if err != nil {
				return nil, fmt.Errorf("%w: node %s: %q processors: not a number", ErrShownNode, clip(name), clip(n.text))
			}
			*n.to = int(count)
		}
		if size.tres = field(" "+rest, "CfgTRES"); future(field(" "+rest, "State")) {
			size.effective, size.tres = 0, ""
		}
		size.features = none(field(" "+rest, "ActiveFeatures"))
		sizes[name] = size
	}
	return sizes, nil
}

// sizeNodes gives the partitions the sizes of their nodes, unless none is known.
func sizeNodes(parts []priority.Partition, sizes map[string]nodeSize) {
	if len(sizes) == 0 {
		return
	}
	for i := range parts {
		p := &parts[i]
		if len(p.Nodes) == 0 {
			continue
		}
		p.NodeCPUs, p.NodeTRES, p.NodeFeatures = make([]int, len(p.Nodes)), make([]string, len(p.Nodes)), make([]string, len(p.Nodes))
		left, hidden := p.TotalCPUs, false
		for k, name := range p.Nodes {
			if size, shown := sizes[name]; shown {
				p.NodeCPUs[k], p.NodeTRES[k], p.NodeFeatures[k] = size.effective, size.tres, size.features
				left -= size.all
			} else {
				p.NodeCPUs[k] = priority.Hidden
				hidden = true
			}
		}
		if hidden {
			p.HiddenCPUs = max(0, left)
		}
	}
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
		case "DefaultTime":
			p.DefaultTime, err = parseTimeLimit(value)
		case "State":
			p.State = unless(value, "UP")
		case "MaxNodes":
			if value != "UNLIMITED" {
				p.MaxNodes, err = strconv.Atoi(value)
			}
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
		case "TRESBillingWeights":
			p.BillingWeights = none(value)
		case "OverSubscribe", "Exclusive":
			p.Exclusive = p.Exclusive || ExclusiveNodes(value)
		case "AllowAccounts", "AllowGroups", "AllowQos", "DenyAccounts", "DenyQos":
			if names := none(unless(value, "ALL")); names != "" {
				p.Gates = append(p.Gates, priority.Gate{Key: key, Names: strings.Split(names, ",")})
			}
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

// ExclusiveNodes reports whether with this value of OverSubscribe, or of Exclusive, which took over since 26.05, the jobs of
// a partition have their nodes for themselves.
func ExclusiveNodes(value string) bool {
	switch strings.ToUpper(value) {
	case "EXCLUSIVE", "NODE", "TOPO":
		return true
	}
	return false
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

// ErrNoPartition means that a text has no partition.
var ErrNoPartition = errors.New("no partition")

// ParsePartitions reads a saved "scontrol show partition", with or without -o, or
// a slurm.conf, where it counts TotalCPUs from the NodeName lines. A saved
// "scontrol show node" may stand before or behind the partitions, and other output of
// scontrol before them.
func ParsePartitions(text string, include Include) ([]priority.Partition, error) {
	text = strings.TrimPrefix(text, byteOrderMark)
	if !shown(text) && !saved(text) {
		return confPartitions(text, include)
	}
	shown, nodes := records(text)
	parts, lists, err := parsePartitions(shown)
	if err != nil {
		return nil, err
	}
	for i, list := range lists {
		if parts[i].Nodes, err = ExpandNodes(list); err != nil {
			return nil, fmt.Errorf("scontrol show partition: partition %s: Nodes=%q: %w", parts[i].Name, clip(list), err)
		}
	}
	if len(parts) == 0 {
		return nil, fmt.Errorf("scontrol show partition: %w", ErrNoPartition)
	}
	sizes, err := parseNodes(nodes)
	if err != nil {
		return nil, err
	}
	sizeNodes(parts, sizes)
	return parts, nil
}

// records returns the partitions, each on one line as with -o, and the lines of the nodes.
func records(text string) (partitions, nodes string) {
	var parts, other strings.Builder
	in := &other // nil in a reservation
	for line := range strings.Lines(text) {
		line = strings.TrimLeft(line, " \t")
		switch {
		case strings.HasPrefix(line, "PartitionName="):
			in = &parts
			parts.WriteString("\n")
		case beginsReservation(line):
			in = nil
		case beginsNode(line):
			in = &other
		}
		switch in {
		case nil:
		case &parts:
			parts.WriteString(strings.TrimRight(line, "\r\n") + " ")
		default:
			other.WriteString(line)
		}
	}
	return parts.String(), other.String()
}

package slurm

import (
	"context"
	"errors"
	"fmt"
	"slices"
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
	parts, lists, err := parsePartitions(out)
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
			expanded[list] = strings.Fields(out)
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

var errNoPartition = errors.New("no partition")

// ParsePartitions reads a saved "scontrol show partition", with or without -o, or
// a slurm.conf, where it counts TotalCPUs from the NodeName lines. It does not
// follow an Include; it returns an error.
func ParsePartitions(text string) ([]priority.Partition, error) {
	if !strings.Contains(text, "TotalCPUs=") {
		return confPartitions(text)
	}
	parts, lists, err := parsePartitions(records(text))
	if err != nil {
		return nil, err
	}
	for i, list := range lists {
		if parts[i].Nodes, err = expandNodes(list); err != nil {
			return nil, fmt.Errorf("scontrol show partition: partition %s: Nodes=%q: %w", parts[i].Name, clip(list), err)
		}
	}
	if len(parts) == 0 {
		return nil, fmt.Errorf("scontrol show partition: %w", errNoPartition)
	}
	return parts, nil
}

// records puts each partition on one line, as -o does.
func records(text string) string {
	var out strings.Builder
	for word := range strings.FieldsSeq(text) {
		if strings.HasPrefix(word, "PartitionName=") {
			out.WriteString("\n")
		}
		out.WriteString(word)
		out.WriteString(" ")
	}
	return out.String()
}

// confPartitions reads the partitions of a slurm.conf. A line for DEFAULT applies
// to the lines after it.
func confPartitions(text string) ([]priority.Partition, error) {
	lines, err := confLines(text)
	if err != nil {
		return nil, err
	}
	var (
		cpus     = map[string]int{} // of each node
		nodes    []string           // in the order of the file
		nodeCPUs = 1                // of NodeName=DEFAULT
		parts    []priority.Partition
		standard = priority.Partition{MaxTime: priority.Unlimited, PriorityTier: 1, PriorityJobFactor: 1}
		lists    []string
		list     string // of PartitionName=DEFAULT
	)
	for _, line := range lines {
		switch first := line.words[0]; strings.ToLower(first.key) {
		case "nodename":
			n, bad := line.cpus(nodeCPUs)
			if bad != nil {
				return nil, bad
			}
			if strings.EqualFold(first.value, "DEFAULT") {
				nodeCPUs = n
				continue
			}
			names, bad := expandNodes(first.value)
			if bad != nil {
				return nil, fmt.Errorf("slurm.conf: line %d: NodeName=%q: %w", line.number, clip(first.value), bad)
			}
			for _, name := range names {
				if _, twice := cpus[name]; !twice {
					nodes = append(nodes, name)
				}
				cpus[name] = n
			}
		case "partitionname":
			p, l, bad := line.partition(standard, list)
			if bad != nil {
				return nil, bad
			}
			if strings.EqualFold(first.value, "DEFAULT") {
				standard, list = p, l
				continue
			}
			p.Name = first.value
			parts, lists = append(parts, p), append(lists, l)
		}
	}
	if len(parts) == 0 {
		return nil, fmt.Errorf("slurm.conf: %w", errNoPartition)
	}
	for i := range parts {
		p := &parts[i]
		if p.Nodes = slices.Clone(nodes); !strings.EqualFold(lists[i], "ALL") {
			if p.Nodes, err = expandNodes(lists[i]); err != nil {
				return nil, fmt.Errorf("slurm.conf: partition %s: Nodes=%q: %w", p.Name, clip(lists[i]), err)
			}
		}
		for _, name := range p.Nodes {
			n, ok := cpus[name]
			if !ok {
				return nil, fmt.Errorf("slurm.conf: partition %s: node %q: no NodeName line has it", p.Name, clip(name))
			}
			p.TotalCPUs += n
		}
	}
	return parts, nil
}

// cpus returns the processors of the nodes of a NodeName line.
func (l confLine) cpus(standard int) (int, error) {
	number := func(key string) (int, error) {
		text := l.value(key)
		if text == "" {
			return 0, nil
		}
		n, err := strconv.ParseUint(text, 10, 16)
		if err != nil || n == 0 {
			return 0, fmt.Errorf("slurm.conf: line %d: %s=%q: not a number of them", l.number, key, clip(text))
		}
		return int(n), nil
	}
	for _, key := range []string{"CPUs", "Procs"} {
		if n, err := number(key); n > 0 || err != nil {
			return n, err
		}
	}
	product, counted := 1, false
	for _, key := range []string{"Boards", "Sockets", "SocketsPerBoard", "CoresPerSocket", "ThreadsPerCore"} {
		n, err := number(key)
		if err != nil {
			return 0, err
		}
		if n > 0 {
			counted = true
			if key != "Boards" || l.value("Sockets") == "" { // Sockets counts those of all boards
				product *= n
			}
		}
	}
	if !counted {
		return standard, nil
	}
	return product, nil
}

// partition reads a PartitionName line, and its list of nodes.
func (l confLine) partition(p priority.Partition, list string) (priority.Partition, string, error) {
	for _, w := range l.words[1:] {
		var err error
		switch strings.ToLower(w.key) {
		case "default":
			p.Default, err = yes(w.value)
		case "maxtime":
			p.MaxTime, err = confTime(w.value)
		case "priorityjobfactor":
			p.PriorityJobFactor, err = confNumber(w.value)
		case "prioritytier":
			p.PriorityTier, err = confNumber(w.value)
		case "priority":
			p.PriorityTier, err = confNumber(w.value)
			p.PriorityJobFactor = p.PriorityTier
		case "nodes":
			list = none(w.value)
		}
		if err != nil {
			return p, "", fmt.Errorf("slurm.conf: line %d: %s=%q: %w", l.number, w.key, clip(w.value), err)
		}
	}
	return p, list, nil
}

var errNumber = errors.New("not a number from 0 to 65535")

func confNumber(text string) (int, error) {
	n, err := strconv.ParseUint(text, 10, 16)
	if err != nil {
		return 0, errNumber
	}
	return int(n), nil
}

// mostNodes is the most nodes that a list may stand for; a larger list is broken.
// Slurm's own limit is 64 000 for one range (MAX_RANGE in src/common/hostlist.c).
const mostNodes = 1 << 20

var errNodes = errors.New("not a list of nodes")

// expandNodes expands a list of nodes such as "n[1-2,08-10],login,r[0-3]c[0-7]".
// Numbers keep their leading zeros. Its items end at commas outside of brackets.
func expandNodes(list string) (all []string, err error) {
	depth, from := 0, 0
	for i, c := range []byte(list + ",") {
		switch {
		case c == '[':
			depth++
		case c == ']':
			depth--
		case c == ',' && depth == 0:
			if item := list[from:i]; item != "" {
				if all, err = expandItem(all, "", item); err != nil {
					return nil, err
				}
			}
			from = i + 1
		}
		if depth < 0 {
			return nil, fmt.Errorf("%w: a bracket too many", errNodes)
		}
	}
	if depth != 0 {
		return nil, fmt.Errorf("%w: a bracket that does not end", errNodes)
	}
	return all, nil
}

// expandItem appends the names of one item, whose beginning done is expanded
// already.
func expandItem(all []string, done, item string) ([]string, error) {
	before, rest, ok := strings.Cut(item, "[")
	if done += before; !ok {
		if len(all) >= mostNodes {
			return nil, fmt.Errorf("%w: more than %d", errNodes, mostNodes)
		}
		return append(all, done), nil
	}
	ranges, rest, _ := strings.Cut(rest, "]")
	for r := range strings.SplitSeq(ranges, ",") {
		first, last, ranged := strings.Cut(r, "-")
		if !ranged {
			last = first
		}
		from, err1 := strconv.ParseUint(first, 10, 32)
		to, err2 := strconv.ParseUint(last, 10, 32)
		if err1 != nil || err2 != nil || to < from || to-from >= mostNodes {
			return nil, fmt.Errorf("%w: %q", errNodes, clip(r))
		}
		for n := from; n <= to; n++ {
			var err error
			if all, err = expandItem(all, done+fmt.Sprintf("%0*d", len(first), n), rest); err != nil {
				return nil, err
			}
		}
	}
	return all, nil
}

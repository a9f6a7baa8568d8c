package slurm

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"slurm-ostrich/priority"
)

// confTable is the lines of a slurm.conf that begin with one of NodeName and
// PartitionName. A line for DEFAULT applies to the lines after it, key by key.
type confTable struct{ own, standard map[string]string }

// of reads a line. It reports whether it names something else than DEFAULT.
func (t *confTable) of(l *confLine) (named bool) {
	t.own = l.keys()
	if !strings.EqualFold(l.words[0].value, "DEFAULT") {
		return true
	}
	for key, value := range t.standard {
		if _, is := t.own[key]; !is {
			t.own[key] = value
		}
	}
	t.standard = t.own
	return false
}

// keys returns all keys of the line, and those of the lines for DEFAULT that it has not, by the
// present names of keys that had others.
func (t *confTable) keys() map[string]string {
	all := make(map[string]string, len(t.own)+len(t.standard))
	for _, from := range []map[string]string{t.standard, t.own} {
		maps.Copy(all, from)
		for _, former := range [][2]string{{"feature", "features"}, {"shared", "oversubscribe"}} {
			value, is := from[former[0]]
			if _, both := from[former[1]]; is && !both {
				all[former[1]] = value
			}
		}
	}
	return all
}

// text returns the value of the first of these keys, in lower case, that the line or the
// lines for DEFAULT have.
func (t *confTable) text(keys ...string) (value string, is bool) {
	for _, key := range keys {
		if value, is = t.own[key]; is {
			return value, true
		}
		if value, is = t.standard[key]; is {
			return value, true
		}
	}
	return "", false
}

// number returns what text does, as a number. Lines with other values are refused before.
func (t *confTable) number(standard int, keys ...string) (n int, is bool) {
	text, is := t.text(keys...)
	if n, err := confNumber(text); is && err == nil {
		return n, true
	}
	return standard, false
}

// numbers refuses a line on which one of these keys, in lower case, is not a number.
func (l *confLine) numbers(keys ...string) error {
	for _, w := range l.words {
		if slices.Contains(keys, strings.ToLower(w.key)) {
			if _, err := confNumber(w.value); err != nil {
				return l.fault("%s=%q: %w", w.key, clip(w.value), err)
			}
		}
	}
	return nil
}

var errNumber = errors.New("not a number from 0 to 65535")

// confNumber reads a number of 16 bits. As in C, "0x" begins a hexadecimal and "0" an
// octal one (s_p_handle_uint16 in Slurm's src/common/parse_value.c).
func confNumber(text string) (int, error) {
	if strings.EqualFold(text, "UNLIMITED") || strings.EqualFold(text, "INFINITE") {
		return math.MaxUint16, nil
	}
	n, err := strconv.ParseUint(text, 0, 16)
	if err != nil || strings.ContainsAny(text, "_oO") || strings.HasPrefix(strings.ToLower(text), "0b") {
		return 0, errNumber
	}
	return int(n), nil
}

type confNodes struct {
	names []string // in the order of the file
	of    map[string]*confNode
	sets  []confSet
}

type confNode struct {
	confSize
	tres     string // see priority.Partition.NodeTRES; with all GRES, as accounting may count them
	features []string
	future   bool
	line     *confLine
	keys     map[string]string // of the line and of DEFAULT, in lower case
}

// confSize is how many processors a node has.
type confSize struct {
	cpus                    int // all
	effective               int // that are not set aside
	sockets, cores, threads int // of the node, of a socket and of a core
}

// confSet is a NodeSet: some nodes, and those with a feature.
type confSet struct {
	name, nodes, feature string
	line                 *confLine
}

// nodesOfConf reads the lines that begin with NodeName, NodeSet and DownNodes.
func nodesOfConf(lines []confLine) (*confNodes, error) {
	all := &confNodes{of: make(map[string]*confNode)}
	var table confTable
	for i := range lines {
		l := &lines[i]
		first := l.words[0]
		switch strings.ToLower(first.key) {
		case "nodename":
			if err := all.add(l, &table); err != nil {
				return nil, err
			}
		case "nodeset":
			keys := l.keys()
			all.sets = append(all.sets, confSet{first.value, keys["nodes"], keys["feature"], l})
		}
	}
	for i := range lines {
		l := &lines[i]
		if first := l.words[0]; strings.EqualFold(first.key, "downnodes") && future(l.keys()["state"]) {
			names, err := ExpandNodes(first.value)
			if err != nil {
				return nil, l.fault("DownNodes=%q: %w", clip(first.value), err)
			}
			for _, name := range names {
				if n := all.of[name]; n != nil {
					n.future = true
				}
			}
		}
	}
	return all, nil
}

// future reports whether a state is that of nodes that are not there yet.
func future(state string) bool {
	state, _, _ = strings.Cut(state, "+")
	return strings.EqualFold(state, "FUTURE")
}

// add reads a line that begins with NodeName.
func (all *confNodes) add(l *confLine, table *confTable) error {
	if err := l.numbers("boards", "corespeccount", "corespersocket", "cpus", "procs", "sockets", "socketsperboard", "threadspercore"); err != nil {
		return err
	}
	if !table.of(l) {
		return nil
	}
	list := l.words[0].value
	names, err := ExpandNodes(list)
	if err != nil {
		return l.fault("NodeName=%q: %w", clip(list), err)
	}
	n := confNode{line: l}
	if n.confSize, err = table.cpus(); err != nil {
		return l.fault("%w", err)
	}
	n.keys = table.keys()
	if n.tres, err = table.tres(n.effective); err != nil {
		return l.fault("%w", err)
	}
	for _, from := range []map[string]string{table.own, table.standard} {
		for _, key := range []string{"feature", "features"} {
			if text, is := from[key]; is && n.features == nil {
				n.features = strings.Split(text, ",")
			}
		}
	}
	state, _ := table.text("state")
	n.future = future(state)
	for _, name := range names {
		if before := all.of[name]; before != nil {
			return l.fault("node %s: line %d of %s has it already", clip(name), before.line.number, before.line.file)
		}
		node := n
		all.of[name] = &node
		all.names = append(all.names, name)
	}
	return nil
}

// tres returns what a node of the line has, as scontrol shows it: processors, memory and GRES,
// these by name, and by name and type.
func (t *confTable) tres(cpus int) (string, error) {
	memory, _ := t.text("realmemory")
	if memory = cmp.Or(memory, "1"); strings.Trim(memory, "0123456789") != "" {
		return "", fmt.Errorf("RealMemory=%q: not a number of megabytes", clip(memory))
	}
	list, _ := t.text("gres")
	var names []string
	counts := make(map[string]uint64)
	count := func(name string, n uint64) {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
		counts[name] += n
	}
	all, err := ParseGRES(list)
	if err != nil {
		return "", fmt.Errorf("gres=%q: %w", clip(list), err)
	}
	for _, g := range all {
		count("gres/"+g.Name, uint64(g.Count))
		if g.Type != "" {
			count("gres/"+g.Name+":"+g.Type, uint64(g.Count))
		}
	}
	words := []string{"cpu=" + strconv.Itoa(cpus), "mem=" + memory + "M"}
	for _, name := range names {
		words = append(words, fmt.Sprintf("%s=%d", name, counts[name]))
	}
	return strings.Join(words, ","), nil
}

// cpus returns how many processors a node of the line has, and how many of them are for
// jobs, as _parse_nodename decides it in Slurm's src/common/read_config.c.
func (t *confTable) cpus() (confSize, error) {
	boards, _ := t.number(1, "boards")
	cores, _ := t.number(1, "corespersocket")
	threads, _ := t.number(1, "threadspercore")
	sockets, bySockets := t.number(1, "sockets")
	perBoard, byBoard := t.number(1, "socketsperboard")
	cpus, given := t.number(1, "cpus")
	if !given {
		cpus, given = t.number(1, "procs")
	}
	for _, n := range []*int{&boards, &cores, &threads, &sockets, &perBoard, &cpus} {
		*n = max(1, *n) // Slurm takes 1 for 0
	}
	switch {
	case byBoard:
		sockets = boards * perBoard
	case bySockets:
	case given && cpus >= cores*threads && cpus%(cores*threads) == 0:
		sockets = cpus / (cores * threads)
	default:
		sockets = boards
	}
	if all := sockets * cores * threads; !given || cpus != sockets && cpus != sockets*cores && cpus != all {
		cpus = all
	}
	spare, _ := t.number(0, "corespeccount")
	perCore := threads // that are scheduled
	if cpus <= sockets*cores {
		perCore = 1
	}
	if spare >= sockets*cores {
		spare = 1
	}
	if list, is := t.text("cpuspeclist"); is {
		ids, err := ExpandNodes("[" + list + "]")
		if err != nil {
			return confSize{}, fmt.Errorf("CPUSpecList=%q: %w", clip(list), errNumber)
		}
		taken := make(map[int]bool)
		for _, id := range ids {
			n, err := strconv.Atoi(id)
			if err != nil || n >= cpus { // Slurm ignores a list that does not fit
				clear(taken)
				break
			}
			taken[n/perCore] = true
		}
		spare = len(taken)
	}
	return confSize{cpus, max(0, cpus-spare*perCore), sockets, cores, threads}, nil
}

// list expands the nodes of a partition: "ALL", or names of nodes and of NodeSets
// (nodespec_to_hostlist in Slurm's src/slurmctld/read_config.c).
func (all *confNodes) list(text string) ([]string, error) {
	if strings.EqualFold(text, "ALL") {
		return slices.Clone(all.names), nil
	}
	if strings.Contains(text, "{") {
		return nil, fmt.Errorf("%w: functions such as feature{x} are not followed: %w", errNodes, errInclude)
	}
	names, err := ExpandNodes(text)
	if err != nil {
		return nil, err
	}
	for i := range all.sets {
		s := &all.sets[i]
		at := slices.Index(names, s.name)
		if at < 0 {
			continue
		}
		names = slices.Delete(names, at, at+1)
		if s.feature != "" {
			for _, name := range all.names {
				if slices.Contains(all.of[name].features, s.feature) {
					names = append(names, name)
				}
			}
		}
		if strings.EqualFold(s.nodes, "ALL") {
			names = append(names, all.names...)
			continue
		}
		more, err := ExpandNodes(s.nodes)
		if err != nil {
			return nil, s.line.fault("NodeSet %s: Nodes=%q: %w", clip(s.name), clip(s.nodes), err)
		}
		names = append(names, more...)
	}
	seen := make(map[string]bool, len(names))
	return slices.DeleteFunc(names, func(name string) bool {
		again := seen[name]
		seen[name] = true
		return again
	}), nil
}

func confPartitions(text string, include Include) ([]priority.Partition, error) {
	lines, err := confLines(text, include)
	if err != nil {
		return nil, err
	}
	nodes, err := nodesOfConf(lines)
	if err != nil {
		return nil, err
	}
	var (
		parts []priority.Partition
		table confTable
		at    = make(map[string]*confLine)
		main  = -1 // the last that says Default=YES
	)
	for i := range lines {
		l := &lines[i]
		if !strings.EqualFold(l.words[0].key, "PartitionName") {
			continue
		}
		if err := l.numbers("priority", "priorityjobfactor", "prioritytier"); err != nil {
			return nil, err
		}
		named := table.of(l)
		p, err := table.partition(l)
		if err == nil && named {
			err = nodes.fill(&p, l, &table)
		}
		if err != nil {
			return nil, err
		}
		if !named {
			continue
		}
		if before := at[p.Name]; before != nil {
			return nil, l.fault("partition %s: line %d of %s has it already", clip(p.Name), before.number, before.file)
		}
		at[p.Name] = l
		if p.Default {
			main = len(parts)
		}
		parts = append(parts, p)
	}
	if len(parts) == 0 {
		return nil, fmt.Errorf("slurm.conf: %w", ErrNoPartition)
	}
	for i := range parts {
		parts[i].Default = i == main
	}
	return parts, nil
}

// partition returns the partition of a line, without its nodes.
func (t *confTable) partition(l *confLine) (priority.Partition, error) {
	p := priority.Partition{Name: l.words[0].value, MaxTime: priority.Unlimited}
	p.PriorityTier, _ = t.number(1, "prioritytier")
	p.PriorityJobFactor, _ = t.number(1, "priorityjobfactor")
	if n, is := t.number(0, "priority"); is {
		p.PriorityTier, p.PriorityJobFactor = n, n
	}
	var err error
	if text, is := t.text("default"); is {
		if p.Default, err = yes(text); err != nil {
			return p, l.fault("Default=%q: %w", clip(text), err)
		}
	}
	if text, is := t.text("maxtime"); is {
		if p.MaxTime, err = confTime(text); err != nil {
			return p, l.fault("MaxTime=%q: %w", clip(text), err)
		}
	}
	text, _ := t.text("preemptmode")
	p.PreemptMode = unless(strings.ToUpper(text), "OFF")
	p.QOS, _ = t.text("qos")
	p.BillingWeights, _ = t.text("tresbillingweights")
	text, _ = t.text("oversubscribe", "shared") // the latter is its former name
	exclusive, _ := t.text("exclusive")
	p.Exclusive = ExclusiveNodes(text) || ExclusiveNodes(exclusive)
	return p, nil
}

// partition expands the nodes of the partition of a line.
func (all *confNodes) partition(l *confLine, text string) ([]string, error) {
	list, err := all.list(strings.Join(strings.Fields(none(text)), ","))
	if err != nil {
		return nil, l.fault("partition %s: Nodes=%q: %w", clip(l.words[0].value), clip(text), err)
	}
	return list, nil
}

func (all *confNodes) fill(p *priority.Partition, l *confLine, t *confTable) error {
	text, _ := t.text("nodes")
	var err error
	if p.Nodes, err = all.partition(l, text); err != nil {
		return err
	}
	for _, name := range p.Nodes {
		n := all.of[name]
		if n == nil {
			return l.fault("partition %s: node %q: no NodeName line has it", clip(p.Name), clip(name))
		}
		p.TotalCPUs += n.cpus
		effective, tres := n.effective, n.tres
		if n.future {
			effective, tres = 0, ""
		}
		p.NodeCPUs, p.NodeTRES = append(p.NodeCPUs, effective), append(p.NodeTRES, tres)
	}
	return nil
}

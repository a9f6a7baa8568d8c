// Package inventory reads which nodes a machine has, and how Slurm chooses among them: from what
// Slurm's files and commands say of a site, or from an option of a command.
package inventory

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/accounting"
	"slurm-ostrich/ostrich/sim/nodes"
	"slurm-ostrich/priority"
	"slurm-ostrich/priority/slurm"
)

// ErrNoNodes means that the files of a site do not tell which nodes its partitions have.
var ErrNoNodes = errors.New("no file has the nodes")

// Of makes the cluster of what Slurm's files have: nodes, partitions, and how slurmctld
// chooses among them. Several files may have a node: the first counts. Without partitions that have
// nodes it returns what there is, and [ErrNoNodes].
func Of(records []slurm.Record) (*nodes.Cluster, error) {
	c := &nodes.Cluster{Select: nodes.Select{Unit: nodes.Core, Memory: true}} // slurm.conf's default since 23.02
	seen, lines := make(map[string]bool), make(map[string]int)
	for i := range records {
		r := &records[i]
		if r.Kind != slurm.NodeRecord || seen[r.Name] || r.Future() {
			continue
		}
		seen[r.Name] = true
		n, err := siteNode(r)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", r.Where, err)
		}
		alike := n
		alike.Name = ""
		what := fmt.Sprintf("%+v", alike)
		if _, is := lines[what]; !is {
			lines[what] = len(lines)
		}
		n.Line = lines[what] // nodes that are alike are of a line
		c.Nodes = append(c.Nodes, n)
	}
	slices.SortStableFunc(c.Nodes, func(a, b nodes.Node) int { return nodes.CompareNames(a.Name, b.Name) })
	at := Places(c.Nodes)
	for i := range records {
		r := &records[i]
		var err error
		if r.Kind == slurm.ConfigRecord {
			err = configure(c, r)
		}
		if r.Kind == slurm.PartitionRecord {
			if slices.ContainsFunc(c.Partitions, func(p nodes.Partition) bool { return p.Name == r.Name }) {
				continue
			}
			var p nodes.Partition
			p, err = partitionOf(r, at)
			c.Partitions = append(c.Partitions, p)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", r.Where, err)
		}
	}
	if !slices.ContainsFunc(c.Partitions, func(p nodes.Partition) bool { return len(p.Nodes) > 0 }) {
		return c, ErrNoNodes
	}
	return c, nil
}

// Places returns the places of nodes by their names.
func Places(list []nodes.Node) map[string]int {
	at := make(map[string]int, len(list))
	for i := range list {
		at[list[i].Name] = i
	}
	return at
}

// numbers reads several keys of a record. A key that is not there, or without a limit, leaves 0.
func numbers(r *slurm.Record, to map[string]*int) error {
	for _, key := range slices.Sorted(maps.Keys(to)) {
		n, err := numberOf(r, key)
		if err != nil {
			return err
		}
		*to[key] = int(n)
	}
	return nil
}

func numberOf(r *slurm.Record, key string) (int64, error) {
	text := r.Get(key)
	switch strings.ToUpper(text) {
	case "", "UNLIMITED", "INFINITE", "NONE":
		return 0, nil
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 0 || n > math.MaxInt32*1024 {
		return 0, fmt.Errorf("%s%s=%q: not a number", r.Line(key), key, text)
	}
	return n, nil
}

func siteNode(r *slurm.Record) (nodes.Node, error) {
	n := nodes.Node{Name: r.Name, Weight: 1}
	var all int
	err := numbers(r, map[string]*int{"sockets": &n.Sockets, "corespersocket": &n.Cores, "threadspercore": &n.Threads, "cpuefctv": &n.CPUs, "cputot": &all})
	if err != nil {
		return n, err
	}
	n.CPUs = cmp.Or(n.CPUs, all)
	var set int64
	for _, x := range []struct {
		key string
		to  *int64
	}{{"realmemory", &n.Memory}, {"memspeclimit", &set}, {"weight", &n.Weight}} {
		if r.Get(x.key) == "" {
			continue
		}
		if *x.to, err = numberOf(r, x.key); err != nil {
			return n, err
		}
	}
	n.Memory = max(0, n.Memory-set)
	if n.GRES, err = GRES(r.Get("gres")); err != nil {
		return n, fmt.Errorf("gres=%q: %w", r.Get("gres"), err)
	}
	if features := cmp.Or(r.Get("activefeatures"), r.Get("availablefeatures")); features != "" {
		n.Features = strings.Split(features, ",")
	}
	return n, nil
}

// GRES reads generic resources, without those that nobody consumes.
func GRES(text string) ([]nodes.GRES, error) {
	all, err := slurm.ParseGRES(text)
	var list []nodes.GRES
	for _, g := range all {
		if !g.Free {
			list = append(list, nodes.GRES{Name: g.Name, Type: g.Type, Count: g.Count})
		}
	}
	slices.SortStableFunc(list, func(a, b nodes.GRES) int { return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.Type, b.Type)) })
	return list, err
}

// memoryOf reads the memory that jobs have for each node, or for each CPU. Where both are set, that for each node counts (read_config.c,
// _parse_partitionname), though only DEFAULT has it, or it is 0, which is none.
func memoryOf(r *slurm.Record, what string) (nodes.Memory, error) {
	if node := what + "mempernode"; r.Get(node) != "" {
		n, err := numberOf(r, node)
		return nodes.Memory{MiB: n}, err
	}
	cpu, err := numberOf(r, what+"mempercpu")
	return nodes.Memory{MiB: cpu, PerCPU: cpu > 0}, err
}

func partitionOf(r *slurm.Record, at map[string]int) (nodes.Partition, error) {
	p := nodes.Partition{Name: r.Name}
	list, err := slurm.ExpandNodes(r.Get("nodes"))
	if err != nil {
		return p, fmt.Errorf("nodes=%q: %w", r.Get("nodes"), err)
	}
	for _, name := range list {
		if i, is := at[name]; is { // those of the future are not
			p.Nodes = append(p.Nodes, i)
		}
	}
	slices.Sort(p.Nodes)
	if err = numbers(r, map[string]*int{"minnodes": &p.MinNodes, "maxnodes": &p.MaxNodes, "maxcpuspernode": &p.MaxCPUsPerNode, "prioritytier": &p.Tier}); err != nil {
		return p, err
	}
	if r.Get("prioritytier") == "" {
		p.Tier = 1
	}
	if p.DefMemory, err = memoryOf(r, "def"); err != nil {
		return p, err
	}
	if p.MaxMemory, err = memoryOf(r, "max"); err != nil {
		return p, err
	}
	over, jobs, counted := strings.Cut(strings.ToUpper(r.Get("oversubscribe")), ":")
	n, _ := strconv.Atoi(jobs) // on each CPU; one, or what is no number, is NO (read_config.c)
	switch share := !counted || n > 1; {
	case over == "EXCLUSIVE":
		p.OverSubscribe = nodes.Exclusive
	case over == "YES" && share:
		p.OverSubscribe = nodes.ShareAsked
	case over == "FORCE" && share:
		p.OverSubscribe = nodes.ShareForced
	}
	if slurm.ExclusiveNodes(r.Get("exclusive")) {
		p.OverSubscribe = nodes.Exclusive
	}
	p.ExclusiveUser, p.LLN = strings.EqualFold(r.Get("exclusiveuser"), "YES") || strings.EqualFold(r.Get("exclusive"), "USER"), strings.EqualFold(r.Get("lln"), "YES")
	p.PreemptMode = PreemptMode(r.Get("preemptmode"))
	if grace, bad := strconv.ParseUint(r.Get("gracetime"), 10, 31); bad == nil {
		p.GraceTime = ostrich.Duration(grace)
	}
	return p, nil
}

// PreemptMode reads a PreemptMode. GANG and WITHIN are no modes of a job.
func PreemptMode(text string) nodes.PreemptMode {
	mode := nodes.PreemptDefault
	for word := range strings.SplitSeq(strings.ToUpper(text), ",") {
		switch word {
		case "OFF":
			mode = nodes.PreemptOff
		case "CANCEL":
			mode = nodes.PreemptCancel
		case "REQUEUE":
			mode = nodes.PreemptRequeue
		case "SUSPEND":
			mode = nodes.PreemptSuspend
		}
	}
	return mode
}

// configure reads how slurmctld chooses nodes.
func configure(c *nodes.Cluster, r *slurm.Record) (err error) {
	s := &c.Select
	if kind := r.Get("selecttype"); kind != "" {
		s.Linear = strings.Contains(kind, "linear")
	}
	if text := strings.ToUpper(r.Get("selecttypeparameters")); text != "" && text != "NONE" {
		s.Memory = strings.Contains(text, "MEMORY")
		for word := range strings.SplitSeq(text, ",") {
			switch name, _, _ := strings.Cut(strings.TrimSuffix(word, "_MEMORY"), "_MEMORY"); name {
			case "CR_CPU":
				s.Unit = nodes.CPU
			case "CR_CORE":
				s.Unit = nodes.Core
			case "CR_SOCKET":
				s.Unit = nodes.Socket
			case "CR_ONE_TASK_PER_CORE":
				s.OneTaskPerCore = true
			case "CR_LLN":
				s.LLN = true
			case "CR_PACK_NODES":
				s.PackNodes = true
			}
		}
	} else if s.Linear {
		s.Memory = false
	}
	scheduling, err := r.Scheduling()
	if err != nil {
		return err
	}
	s.SerialAtEnd, s.BusyNodes = scheduling.PackSerialAtEnd, scheduling.BackfillBusyNodes
	if c.DefMemory, err = memoryOf(r, "def"); err != nil {
		return err
	}
	if c.MaxMemory, err = memoryOf(r, "max"); err != nil {
		return err
	}
	if c.Licenses, err = Licenses(r.Get("licenses")); err != nil {
		return fmt.Errorf("%slicenses=%q: %w", r.Line("licenses"), r.Get("licenses"), err)
	}
	return nil
}

// Licenses reads the licenses of a cluster: NAME:COUNT, comma-separated.
func Licenses(text string) (list []nodes.License, err error) {
	read, err := accounting.ReadLicenses(text)
	for _, l := range read {
		list = append(list, nodes.License{Name: l.Name, Count: int64(l.N)})
	}
	return list, err
}

// Preemption reads which jobs make room for others.
func Preemption(k *priority.Controller) nodes.Preempt {
	p := nodes.Preempt{Mode: PreemptMode(k.PreemptMode), Exempt: k.PreemptExemptTime}
	switch k.PreemptType {
	case "preempt/qos":
		p.By = nodes.PreemptByQOS
	case "preempt/partition_prio":
		p.By = nodes.PreemptByTier
	}
	words := slices.Clone(k.SchedulerParameters)
	for _, word := range k.PreemptParameters { // the later place of these
		words = append(words, "preempt_"+word)
	}
	for _, word := range words {
		switch name, count, _ := strings.Cut(strings.ToLower(word), "="); name {
		case "preempt_youngest_first":
			p.YoungestFirst = true
		case "preempt_strict_order":
			p.StrictOrder = true
		case "preempt_reorder_count":
			if n, err := strconv.Atoi(count); err == nil && n >= 0 { // Slurm keeps its default in place of another value
				p.Reorder = cmp.Or(n, -1)
			}
		}
	}
	return p
}

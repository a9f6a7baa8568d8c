package replay

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"slurm-ostrich/ostrich/accounting"
	"slurm-ostrich/ostrich/plural"
	"slurm-ostrich/priority"
)

// Pool is a set of partitions that share nodes, and share none with others.
type Pool struct {
	Partitions []string // empty for all
	Procs      int
	Size       int // of the unit of work, see ostrich.Schedule.Size; 0: by processors
}

// findPools puts partitions that share nodes into one pool. There is one pool of a machine
// whose partitions are not known. If the size of the machine is given, the pools have their parts
// of it.
func (s *Study) findPools(h *accounting.History, given, givenNodes int) error {
	have := slices.DeleteFunc(slices.Clone(s.Partitions), func(p priority.Partition) bool { return empty(&p) })
	used := slices.DeleteFunc(slices.Clone(have), func(p priority.Partition) bool { return !slices.Contains(h.Partitions, p.Name) })
	if unnamed := len(used) == 0 && s.Procs == 0 && !slices.ContainsFunc(h.Partitions, hasName); len(have) > 0 && unnamed {
		s.Procs, s.Nodes = s.measure(have)
		s.Notes = append(s.Notes, "The jobs name no partition (column Partition): the nodes of all partitions are one machine.")
	}
	if len(used) == 0 {
		return s.onePool(h)
	}
	s.lacking(h, have)
	s.Pools = nil
	all, nodes := 0, 0
	for _, parts := range together(used) {
		procs, n := s.measure(parts)
		pool := Pool{Procs: procs, Size: s.Counted.Size(parts)}
		for _, p := range parts {
			pool.Partitions = append(pool.Partitions, p.Name)
		}
		all, nodes = all+procs, nodes+n
		s.Pools = append(s.Pools, pool)
	}
	s.Procs, s.Nodes = all, cmp.Or(givenNodes, nodes)
	if whole, _ := s.measure(have); given > 0 && given != all && given != whole {
		s.Procs = max(len(s.Pools), int(math.Round(float64(all)*float64(given)/float64(whole))))
		if s.Procs >= math.MaxInt32 {
			return fmt.Errorf("a machine of %d processors", s.Procs)
		}
		s.Pools = resize(s.Pools, all, s.Procs)
		s.Notes = append(s.Notes, plural.Sprintf("The machine is taken to have %d processor{|s} (--procs), but its partitions have %d: they count with %.4g %% of theirs.",
			given, whole, 100*float64(given)/float64(whole)))
	}
	return nil
}

// notePools says what several pools mean.
func (s *Study) notePools() {
	if len(s.Pools) < 2 {
		return
	}
	const apart = "each is scheduled by itself, and usage and limits in one do not count in another"
	note := fmt.Sprintf("%d pools of nodes that no partitions share: ", len(s.Pools))
	switch {
	case !s.whole() && s.Divided:
		note += apart
	case !s.whole():
		note += apart + "; but ostrichd has one virtual schedule for the whole cluster unless pools is set"
	case s.Divided:
		note += "under ostrich " + apart + "; under the other policies all are one cluster, as in Slurm"
	default:
		note += "usage, limits and OStrich's virtual schedule are of the whole cluster, as pools is not set"
	}
	s.Notes = append(s.Notes, note+".")
}

// whole reports whether a replay may have one pool, of the whole cluster: the requests of the jobs say on which nodes they may run.
func (s *Study) whole() bool { return s.placement != nil && !s.Run.Closed }

func (s *Study) together() *Study {
	c := *s
	var all Pool
	for _, p := range s.Pools {
		all.Procs, all.Size = all.Procs+p.Procs, all.Size+p.Size
	}
	c.Pools = []Pool{all}
	c.split = &splits{of: make(map[splitBy]found)}
	return &c
}

// hasName reports whether a partition has a name; in a dump without the column none has.
func hasName(partition string) bool { return partition != "" }

// empty reports whether a partition has no processors for jobs.
func empty(p *priority.Partition) bool {
	return len(p.Nodes) == 0 || p.TotalCPUs < 1 || p.NodeCPUs != nil && p.HiddenCPUs < 1 && slices.Max(p.NodeCPUs) < 1
}

// onePool makes one pool of a machine whose partitions are not known.
func (s *Study) onePool(h *accounting.History) error {
	gone := ""
	if s.Partitions != nil {
		gone = fmt.Sprintf("no partition in which jobs ran (%s) has nodes now; those that do: %s", list(h.Partitions),
			list(slices.Collect(maps.Values(namesOf(s.Partitions)))))
	}
	switch {
	case s.Procs < 1:
		text := cmp.Or(gone, "nothing tells how many processors the machine has") + ": give --procs"
		if most, _ := peak(h); most > 0 && h.Unstarted {
			text += fmt.Sprintf("; at least --procs %d, for the widest job", most)
		} else if most > 0 {
			text += fmt.Sprintf("; --procs %d, the most that were in use at once, would do", most)
		}
		if gone != "" {
			text += "; or the partitions of that time"
		}
		return errors.New(text)
	case s.Procs >= math.MaxInt32:
		return fmt.Errorf("a machine of %d processors", s.Procs)
	}
	if gone != "" && slices.ContainsFunc(h.Partitions, hasName) {
		s.Notes = append(s.Notes, strings.ToUpper(gone[:1])+gone[1:]+". The machine is one pool.")
	}
	s.Pools = []Pool{{Procs: s.Procs, Size: s.Counted.Size(s.Partitions)}}
	return nil
}

// lacking notes in which partitions jobs ran that have no nodes now.
func (s *Study) lacking(h *accounting.History, have []priority.Partition) {
	known := namesOf(have)
	gone := slices.DeleteFunc(slices.Clone(h.Partitions), func(name string) bool { return known[name] != "" })
	if len(gone) > 0 && !s.Happened {
		s.Notes = append(s.Notes, fmt.Sprintf("Partitions without nodes now: %s. To have their jobs too, give with --slurm-config the partitions of that time, or name them in slurm.conf.", list(gone)))
	}
}

func namesOf(parts []priority.Partition) map[string]string {
	names := make(map[string]string, len(parts))
	for i := range parts {
		if !empty(&parts[i]) {
			names[parts[i].Name] = parts[i].Name
		}
	}
	return names
}

// list names some partitions.
func list(names []string) string {
	names = slices.Sorted(slices.Values(names))
	const most = 5
	for i, name := range names {
		names[i] = cmp.Or(name, "one without a name")
	}
	if more := len(names) - most; more > 0 {
		names = append(names[:most:most], fmt.Sprintf("%d more", more))
	}
	return cmp.Or(strings.Join(names, ", "), "none")
}

// together returns the partitions that share nodes, each of these sets once.
func together(parts []priority.Partition) (sets [][]priority.Partition) {
	pool := make(map[string]int) // of a node
	of := make([]int, len(parts))
	for i, p := range parts {
		of[i] = i
		for _, n := range p.Nodes {
			other, ok := pool[n]
			if !ok {
				pool[n] = i
				continue
			}
			from, to := of[i], of[other]
			for k := range of[:i+1] {
				if of[k] == from {
					of[k] = to
				}
			}
		}
	}
	for lead := range parts {
		var set []priority.Partition
		for i, p := range parts {
			if of[i] == lead {
				set = append(set, p)
			}
		}
		if len(set) > 0 {
			sets = append(sets, set)
		}
	}
	return sets
}

// measure returns how many processors and nodes partitions have together.
func (s *Study) measure(parts []priority.Partition) (procs, nodes int) {
	cpus := priority.NodeCPUs(parts)
	sum := 0.0
	for _, name := range slices.Sorted(maps.Keys(cpus)) {
		sum += cpus[name]
	}
	procs = int(math.Round(sum))
	if a, b := priority.Unclear(parts); a != "" {
		note := fmt.Sprintf("Partitions %s and %s share some nodes, and their nodes differ: their sums do not tell how many processors there are, and %d are taken. "+
			"Give --slurm-config a file that has what \"scontrol show node\" wrote, too, or a slurm.conf.", a, b, procs)
		if !slices.Contains(s.Notes, note) {
			s.Notes = append(s.Notes, note)
		}
	}
	return procs, len(cpus)
}

// resize changes the sum of the pools, each in proportion.
func resize(pools []Pool, from, to int) []Pool {
	pools = slices.Clone(pools)
	rest := to
	for i := range pools {
		p := &pools[i]
		p.Procs, p.Size = max(1, int(int64(p.Procs)*int64(to)/int64(from))), int(int64(p.Size)*int64(to)/int64(from))
		if rest -= p.Procs; i == len(pools)-1 {
			p.Procs = max(1, p.Procs+rest)
		}
	}
	return pools
}

// poolOf returns the pool of a partition; -1 for one without nodes.
func (s *Study) poolOf(partition string) int {
	if len(s.Pools) == 1 && len(s.Pools[0].Partitions) == 0 {
		return 0
	}
	return slices.IndexFunc(s.Pools, func(p Pool) bool { return slices.Contains(p.Partitions, partition) })
}

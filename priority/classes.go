package priority

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"slurm-ostrich/ostrich"
)

// ClassBy says which of Slurm's settings put a job into a class. Jobs of one class go before
// all jobs of the next, whoever they belong to.
type ClassBy uint8

const (
	// ClassesAuto takes QOS and partitions, as far as they differ on the cluster. It is
	// the zero value.
	ClassesAuto ClassBy = iota
	// ClassesQOS takes QOS alone.
	ClassesQOS
	// ClassesPartition takes partitions alone.
	ClassesPartition
	// ClassesBoth takes both.
	ClassesBoth
	// ClassesOff makes one class of all jobs.
	ClassesOff
)

// ClassByNames lists the choices in the order of their constants.
var ClassByNames = []string{"auto", "qos", "partition", "qos,partition", "off"}

func (by ClassBy) String() string { return ClassByNames[by] }

func (by ClassBy) byQOS() bool       { return by != ClassesPartition && by != ClassesOff }
func (by ClassBy) byPartition() bool { return by != ClassesQOS && by != ClassesOff }

// Classes returns the classes of a cluster, none if there is only one.
//
// A class is what has the same PriorityTier and the same sum of what priority/multifactor
// adds for QOS and partition: these do not change while a job waits. A higher tier goes
// first, and then a greater sum. A QOS that may preempt another goes at least just before
// it, in whatever partitions (sort_job_queue2 in Slurm's src/slurmctld/job_scheduler.c);
// QOS that may preempt one another in a circle are equal. The QOS of a partition itself
// sets limits, and no priority.
//
// A job that may run in several partitions, or with several QOS, is in the last of their
// classes, so that nobody gains by naming more. A QOS or partition that is not known counts
// as one of priority 0, and has no class of its own.
func (by ClassBy) Classes(c Controller, parts []Partition) ostrich.Classes {
	if by == ClassesOff {
		return ostrich.Classes{}
	}
	g := grid{controller: c}
	if by.byPartition() {
		g.parts = parts
	}
	if by.byQOS() {
		g.qos = c.QOS
	}
	classes := g.fill()
	if classes < 2 {
		return ostrich.Classes{}
	}
	return ostrich.Classes{Names: g.names(classes), Of: g.of()}
}

// grid has a place for each partition with each QOS. Its last row stands for partitions that
// are not known, its last column for such QOS.
type grid struct {
	controller Controller
	parts      []Partition
	qos        []QOS
	class      [][]int // by partition and QOS
}

// cell is a partition with a QOS.
type cell struct {
	part, qos int
	height    height
}

// height is what Slurm sorts by of a partition with a QOS.
type height struct {
	tier int
	sum  int64
}

func (a height) compare(b height) int {
	return cmp.Or(cmp.Compare(a.tier, b.tier), cmp.Compare(a.sum, b.sum))
}

// known reports whether jobs may be of the cell: of a partition and a QOS that are known,
// or of any if none is.
func (g *grid) known(c cell) bool {
	return (c.part < len(g.parts) || len(g.parts) == 0) && (c.qos < len(g.qos) || len(g.qos) == 0)
}

// fill finds the class of each cell, and returns how many classes there are. It goes from
// the last class to the first: always the lowest next, of those that may preempt only
// what has a class already.
func (g *grid) fill() int {
	below := g.preempted()
	left := g.cells(below)
	of := make([]int, len(g.qos)+1) // cells without a class, by QOS
	for _, c := range left {
		of[c.qos]++
	}
	var steps [][]cell
	known := false
	for len(left) > 0 {
		free := make([]bool, len(of))
		for q := range free {
			free[q] = q == len(g.qos) || !slices.ContainsFunc(below[q], func(b int) bool { return of[b] > 0 && !slices.Contains(below[b], q) })
		}
		lowest := left[slices.IndexFunc(left, func(c cell) bool { return free[c.qos] })].height
		var step []cell
		left = slices.DeleteFunc(left, func(c cell) bool {
			if !free[c.qos] || c.height != lowest {
				return false
			}
			step = append(step, c)
			return true
		})
		for _, c := range step {
			of[c.qos]--
		}
		// What only unknown jobs are of belongs to the class before it, or to the first.
		is := slices.ContainsFunc(step, g.known)
		if last := len(steps) - 1; last < 0 || is && known {
			steps = append(steps, step)
		} else {
			steps[last] = append(steps[last], step...)
		}
		known = known || is
	}
	classes := len(steps)
	g.class = make([][]int, len(g.parts)+1)
	for i := range g.class {
		g.class[i] = make([]int, len(g.qos)+1)
	}
	for i, step := range steps {
		for _, c := range step {
			g.class[c.part][c.qos] = classes - 1 - i
		}
	}
	return classes
}

// cells lists all cells from the lowest to the highest. QOS of one circle are as high as the highest of them.
func (g *grid) cells(below [][]int) []cell {
	w := g.controller.Weights
	if !g.controller.Multifactor() {
		w = Weights{}
	}
	ofPart := g.factors(len(g.parts), "NO_NORMAL_PART", func(i int) float64 { return float64(g.parts[i].PriorityJobFactor) })
	ofQOS := g.factors(len(g.qos), "NO_NORMAL_QOS", func(i int) float64 { return float64(g.qos[i].Priority) })
	tiers := make([]int, len(g.parts)+1)
	for i, p := range g.parts {
		tiers[i] = p.PriorityTier
	}
	if len(g.parts) > 0 {
		tiers[len(g.parts)] = slices.Min(tiers[:len(g.parts)])
	}
	equal := slices.Clone(ofQOS)
	for q := range g.qos {
		for _, b := range below[q] {
			if slices.Contains(below[b], q) {
				equal[q] = max(equal[q], ofQOS[b])
			}
		}
	}
	var all []cell
	for i := range ofPart {
		for k := range equal {
			sum := min(ofPart[i]*float64(w.Partition)+equal[k]*float64(w.QOS), math.MaxUint32)
			all = append(all, cell{i, k, height{tiers[i], int64(math.Round(sum))}})
		}
	}
	slices.SortStableFunc(all, func(a, b cell) int { return a.height.compare(b.height) })
	return all
}

// factors returns those of n partitions or QOS, and 0 for what is not known.
func (g *grid) factors(n int, flag string, priority func(i int) float64) []float64 {
	all, most := make([]float64, n+1), 1.0
	for i := range n {
		all[i] = priority(i)
		most = max(most, all[i])
	}
	if !g.controller.Flag(flag) && !g.controller.Flag("NO_NORMAL_ALL") {
		for i := range all {
			all[i] /= most
		}
	}
	return all
}

// preempted returns which QOS each one may preempt, by their places: itself, or through
// those that it may preempt.
func (g *grid) preempted() [][]int {
	all := make([][]int, len(g.qos))
	if g.controller.PreemptType != "preempt/qos" {
		return all
	}
	place := make(map[string]int)
	for i, q := range g.qos {
		place[q.Name] = i
	}
	for i := range g.qos {
		seen := make([]bool, len(g.qos))
		for next := []int{i}; len(next) > 0; {
			q := next[0]
			next = next[1:]
			for _, name := range g.qos[q].Preempts {
				if b, known := place[name]; known && !seen[b] {
					seen[b] = true
					next = append(next, b)
				}
			}
		}
		for b := range seen {
			if seen[b] && b != i {
				all[i] = append(all[i], b)
			}
		}
	}
	return all
}

// of returns ostrich.Classes.Of.
func (g *grid) of() func(partitions, qos string) int {
	part, column := make(map[string]int), make(map[string]int)
	for i, p := range g.parts {
		part[p.Name] = i
	}
	for i, q := range g.qos {
		column[q.Name] = i
	}
	class, otherPart, otherQOS := g.class, len(g.parts), len(g.qos)
	return func(partitions, qos string) int {
		last := 0
		for p := range strings.SplitSeq(partitions, ",") {
			i, known := part[p]
			if !known {
				i = otherPart
			}
			for q := range strings.SplitSeq(qos, ",") {
				k, known := column[q]
				if !known {
					k = otherQOS
				}
				last = max(last, class[i][k])
			}
		}
		return last
	}
}

// names returns the names of the classes: those of its QOS, of its partitions, or of both,
// as far as they make a difference.
func (g *grid) names(classes int) []string {
	rows := max(1, len(g.parts))
	columns := max(1, len(g.qos))
	byPart, byQOS := false, false
	for i := range rows {
		for k := range columns {
			byPart = byPart || g.class[i][k] != g.class[0][k]
			byQOS = byQOS || g.class[i][k] != g.class[i][0]
		}
	}
	all := make([]string, classes)
	for class := range all {
		// The partitions with the same QOS in this class stand together.
		var order []string
		parts := make(map[string][]string)
		for i := range rows {
			var qos []string
			for k := range columns {
				if g.class[i][k] == class && byQOS {
					qos = append(qos, g.qos[k].Name)
				}
			}
			if byQOS && len(qos) == 0 || !byQOS && g.class[i][0] != class {
				continue
			}
			slices.Sort(qos)
			key := strings.Join(qos, "+")
			if len(qos) == columns {
				key = ""
			}
			if _, there := parts[key]; !there {
				order = append(order, key)
			}
			if byPart {
				parts[key] = append(parts[key], g.parts[i].Name)
			} else {
				parts[key] = nil
			}
		}
		var words []string
		for _, key := range order {
			slices.Sort(parts[key])
			word := strings.Join(parts[key], "+")
			if word != "" && key != "" {
				word += "/"
			}
			words = append(words, word+key)
		}
		slices.Sort(words)
		name := shorten(strings.Join(words, ","))
		if slices.Contains(all[:class], name) {
			name += "#" + strconv.Itoa(class+1)
		}
		all[class] = name
	}
	return all
}

// longestName is how long the name of a class may be before names in it are left out.
const longestName = 40

// shorten leaves out the last of the names in a class's name if there are too many, and says
// how many.
func shorten(name string) string {
	if len(name) <= longestName {
		return name
	}
	between := func(c rune) bool { return c == '+' || c == ',' }
	end := strings.IndexFunc(name, between)
	for end >= 0 {
		next := strings.IndexFunc(name[end+1:], between)
		if next < 0 || end+1+next > longestName-len("+99 more") {
			break
		}
		end += 1 + next
	}
	if end < 0 {
		return name
	}
	left := len(strings.FieldsFunc(name[end+1:], between))
	return name[:end] + "+" + strconv.Itoa(left) + " more"
}

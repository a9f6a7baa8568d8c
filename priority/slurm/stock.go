package slurm

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"slurm-ostrich/ostrich/plural"
	"slurm-ostrich/priority"
)

// stock is what jobs can ask for by name, and what the running jobs of their owners hold
// of it. It tells a job that its owner keeps from starting from one that waits for others.
type stock struct {
	nodes    []node // in slurmctld's order
	at       map[string]int
	licenses map[string]int // how many there are
	lent     map[uint32]*loan
}

type node struct {
	name       string
	cpus       int
	up         bool // new jobs can start there
	reserved   bool // only jobs of a reservation
	features   []string
	partitions []string
}

// loan is what the running jobs of a user hold.
type loan struct {
	cpus     map[string]int // by node
	licenses map[string]int
}

// wanting reports whether jobs of the queue ask for nodes or for licenses by name.
func wanting(queue []priority.Queued) (nodes, licenses bool) {
	for i := range queue {
		if queue[i].Wants == "" {
			continue
		}
		w := queue[i].Wants.Asked()
		licenses = licenses || w.Licenses != ""
		nodes = nodes || w.Nodes != "" || w.Without != "" || w.Features != ""
	}
	return nodes, licenses
}

// showStock returns what parseStock reads: nodes, licenses and running jobs. It runs no
// command for a queue that asks for neither.
func (s Commands) showStock(ctx context.Context, queue []priority.Queued) (text [3]string, err error) {
	nodes, licenses := wanting(queue)
	if nodes {
		if text[0], err = s.output(ctx, "scontrol", "-a", "-o", "show", "node"); err != nil {
			return text, err
		}
		text[0] = lasting(text[0])
	}
	if licenses {
		if text[1], err = s.output(ctx, "scontrol", "-o", "show", "licenses"); err != nil {
			return text, err
		}
	}
	if nodes || licenses {
		text[2], err = s.squeue(ctx, "%U|%C|%N|%W", "-t", "RUNNING,CONFIGURING")
	}
	return text, err
}

// lasting keeps of each node what parseStock reads, as load and free memory change all
// the time.
func lasting(out string) string {
	var b strings.Builder
	for line := range strings.Lines(out) {
	fields:
		for field := range strings.FieldsSeq(line) {
			switch key, _, _ := strings.Cut(field, "="); key {
			case "NodeName", "CPUTot", "ActiveFeatures", "State", "Partitions":
				b.WriteString(field + " ")
			case "Reason", "Comment", "Extra": // what people write, at the end
				break fields
			}
		}
		b.WriteString("\n")
	}
	return b.String()
}

func parseStock(text [3]string) (*stock, error) {
	s := &stock{at: make(map[string]int), licenses: make(map[string]int), lent: make(map[uint32]*loan)}
	for line := range strings.Lines(text[0]) {
		if n, err := parseNode(line); err != nil {
			return nil, fmt.Errorf("scontrol show node: %w", err)
		} else if n.name != "" {
			s.at[n.name] = len(s.nodes)
			s.nodes = append(s.nodes, n)
		}
	}
	for line := range strings.Lines(text[1]) {
		name, total := "", ""
		for field := range strings.FieldsSeq(line) {
			switch key, value, _ := strings.Cut(field, "="); key {
			case "LicenseName":
				name = value
			case "Total":
				total = value
			}
		}
		if n, err := strconv.Atoi(total); err == nil && name != "" {
			s.licenses[name] = n
		}
	}
	for line := range strings.Lines(text[2]) {
		if line = strings.TrimSpace(line); line == "" || strings.HasPrefix(line, "CLUSTER:") {
			continue
		}
		if err := s.lend(line); err != nil {
			return nil, fmt.Errorf("squeue: %w", err)
		}
	}
	return s, nil
}

// away are the words of a node's state with which no new job starts there.
var away = []string{
	"DOWN", "DRAIN", "ERROR", "FAIL", "FUTURE", "INVAL", "INVALID_REG", "UNKNOWN", "NOT_RESPONDING", "MAINTENANCE", "MAINT", "BLOCKED",
	"REBOOT_ISSUED", "DYNAMIC_FUTURE",
}

func parseNode(line string) (n node, err error) {
	for field := range strings.FieldsSeq(line) {
		key, value, _ := strings.Cut(field, "=")
		switch key {
		case "NodeName":
			n.name = value
		case "CPUTot":
			if n.cpus, err = strconv.Atoi(value); err != nil {
				return n, fmt.Errorf("node %s: CPUTot=%q: not a number", n.name, clip(value))
			}
		case "ActiveFeatures":
			n.features = strings.Split(none(value), ",")
		case "State":
			base, mark := strings.TrimRight(value, "*~#$@%!^-"), strings.HasSuffix(value, "*")
			words := strings.Split(base, "+")
			n.up = !mark && !slices.ContainsFunc(words, func(w string) bool { return slices.Contains(away, w) })
			n.reserved = slices.Contains(words, "RESERVED")
		case "Partitions":
			n.partitions = strings.Split(value, ",")
		}
	}
	return n, nil
}

// lend adds what a running job holds.
func (s *stock) lend(line string) error {
	f := strings.SplitN(line, "|", 4)
	if len(f) != 4 {
		return plural.Errorf("record %q: %d field{|s}, want 4", clip(line), len(f))
	}
	uid, err := strconv.ParseUint(f[0], 10, 32)
	if err != nil {
		return fmt.Errorf("record %q: not a uid", clip(line))
	}
	cpus, err := strconv.Atoi(f[1])
	if err != nil {
		return fmt.Errorf("record %q: not a number of processors", clip(line))
	}
	nodes, err := ExpandNodes(none(f[2]))
	if err != nil {
		return fmt.Errorf("record %q: %w", clip(line), err)
	}
	l := s.lent[uint32(uid)]
	if l == nil {
		l = &loan{cpus: make(map[string]int), licenses: make(map[string]int)}
		s.lent[uint32(uid)] = l
	}
	for _, name := range nodes {
		l.cpus[name] += (cpus + len(nodes) - 1) / len(nodes)
	}
	for name, n := range licensesOf(f[3]) {
		l.licenses[name] += n
	}
	return nil
}

// licensesOf reads "matlab:2,ansys". Of alternatives, "a|b", the first counts.
func licensesOf(list string) map[string]int {
	counts := make(map[string]int)
	for _, item := range strings.FieldsFunc(none(list), func(r rune) bool { return r == ',' || r == ';' }) {
		item, _, _ = strings.Cut(item, "|")
		name, count, _ := strings.Cut(item, ":")
		n, err := strconv.Atoi(count)
		if err != nil {
			n = 1
		}
		counts[name] += n
	}
	return counts
}

// bar returns what keeps the job from starting even if no job of another user ran, of
// what it asks for by name; "" if nothing does. What others hold it waits for like
// everybody.
func (s *stock) bar(q *priority.Queued) string {
	own := s.lent[q.UID]
	if own == nil {
		own = &loan{}
	}
	w := q.Wants.Asked()
	wanted := licensesOf(w.Licenses)
	for _, name := range slices.Sorted(maps.Keys(wanted)) {
		if all, known := s.licenses[name]; known && own.licenses[name] > 0 && all-own.licenses[name] < wanted[name] {
			return "its user's jobs hold license " + name
		}
	}
	if w.Nodes == "" && w.Without == "" && w.Features == "" {
		return ""
	}
	named, bad := ExpandNodes(w.Nodes)
	without, worse := ExpandNodes(w.Without)
	if bad != nil || worse != nil {
		return "" // A list that only Slurm can read says nothing, and must not end the cycle.
	}
	apart := make(map[string]bool, len(named)+len(without))
	for _, name := range slices.Concat(named, without) {
		apart[name] = true
	}
	can := func(n *node) bool { return n.up && (!n.reserved || q.Reservation != "") }
	asked, all, room := max(q.CPUs, 1), 0, 0
	for _, name := range named {
		i, known := s.at[name]
		switch {
		case !known:
			return "" // of a release or a cloud that lists it not
		case !can(&s.nodes[i]):
			return "it asks for " + name + ", where no job can start"
		case s.nodes[i].cpus <= own.cpus[name]:
			return "it asks for " + name + ", which its user's jobs hold"
		}
		all += s.nodes[i].cpus
		room += s.nodes[i].cpus - own.cpus[name]
	}
	if len(named) > 0 && asked <= all {
		if room < asked {
			return "it asks for nodes that its user's jobs hold"
		}
		return ""
	}
	up, free := all, room // of the nodes that the job can use
	partitions := strings.Split(q.Partition, ",")
	for i := range s.nodes {
		n := &s.nodes[i]
		if apart[n.name] || !n.has(w.Features) || !can(n) ||
			!slices.ContainsFunc(n.partitions, func(p string) bool { return slices.Contains(partitions, p) }) {
			continue
		}
		up += n.cpus
		free += max(0, n.cpus-own.cpus[n.name])
	}
	switch {
	case up < asked:
		return "of the nodes that it allows, too few are up"
	case free < asked:
		return "its user's jobs hold the nodes that it allows"
	}
	return ""
}

// has reports whether a node has the features of an expression, which Slurm reads from left to
// right: "a|b&c" is "(a|b)&c". In brackets any of them will do. With a count, "a*1", the
// other nodes of the job need none of them, so that each node will do.
func (n *node) has(features string) bool {
	if features == "" || strings.Contains(features, "*") {
		return true
	}
	is := func(name string) bool { return slices.Contains(n.features, strings.TrimSpace(name)) }
	if strings.ContainsAny(features, "[]()") {
		return slices.ContainsFunc(strings.FieldsFunc(features, func(r rune) bool { return strings.ContainsRune("[]()&|,", r) }), is)
	}
	has := true
	for from := 0; from <= len(features); {
		to := from + strings.IndexAny(features[from:]+"&", "&|,")
		if one := is(features[from:to]); from > 0 && features[from-1] == '|' {
			has = has || one
		} else {
			has = has && one
		}
		from = to + 1
	}
	return has
}

// bars sets Barred of the jobs, from what showStock printed.
func bars(queue []priority.Queued, text [3]string) error {
	if text == ([3]string{}) {
		return nil
	}
	s, err := parseStock(text)
	if err != nil {
		return err
	}
	type request struct {
		uid       uint32
		cpus      int
		wants     priority.Wants
		partition string
		reserved  bool
	}
	known := make(map[request]string) // many jobs ask for the same
	for i := range queue {
		q := &queue[i]
		r := request{q.UID, q.CPUs, q.Wants, q.Partition, q.Reservation != ""}
		why, is := known[r]
		if !is {
			why = s.bar(q)
			known[r] = why
		}
		q.Barred = why
	}
	return nil
}

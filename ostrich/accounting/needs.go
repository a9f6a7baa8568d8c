package accounting

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/scalar"
)

// Needs is what a job asks for beside processors, nodes and time, as its record tells. Jobs that
// ask for the same share one. Texts are Slurm's; "" and 0 are not asked for, or not known.
type Needs struct {
	TRES        string // but cpu, node, mem and billing, of the whole job: "gres/gpu=2,gres/gpu:a100=2"
	Memory      int64  // MiB for each of Per
	Per         Per
	Features    string // constraints
	Reservation string
	Licenses    string // "matlab:2,ansys:1", of a column or the line of submission; see AllLicenses
	Layout
}

// Per says what an amount of memory is for.
type Per uint8

// What memory may be for.
const (
	PerJob Per = iota // all of the job; the zero value
	PerCPU
	PerNode
)

// Layout is how a job wants its processors on nodes. The record has it of jobs whose line of
// submission has it, and no more of those that say it in a script.
type Layout struct {
	Known              bool // there is a line of submission
	Tasks              int  // --ntasks
	CPUsPerTask        int  // --cpus-per-task
	TasksPerNode       int  // --ntasks-per-node
	TasksPerSocket     int  // --ntasks-per-socket
	TasksPerCore       int  // --ntasks-per-core
	Sockets, Cores     int  // of a node, and of a socket of it, at least: --sockets-per-node, --cores-per-socket, --extra-node-info
	Threads            int  // of a core that it uses: --threads-per-core, --hint=nomultithread
	MinNodes, MaxNodes int  // --nodes
	Memory             int64
	MemoryPer          Per    // of Memory: --mem, --mem-per-cpu
	AllMemory          bool   // --mem=0: all memory of its nodes, of which Slurm records the least that a node has
	GRES               string // --gres, or --gpus-per-node as "gpu:N": for each node
	GPUs, GPUsPerTask  string // --gpus, --gpus-per-task, as "gpu:N" or "gpu:TYPE:N"
	Exclusive          string // --exclusive: "node" without a value
	Share              bool   // --oversubscribe
	Contiguous, Spread bool   // --contiguous, --spread-job
	NoRequeue          bool   // --no-requeue, or no batch job
	NodeList, Exclude  string
	Wanted             string // --licenses, where the record has no column of them: until 22.05
	Nice               int64  // --nice
	Partitions         string // --partition, if it names several: "short,long"
	Overcommit         bool   // --overcommit: the tasks share the CPUs of one on each node
}

// AllLicenses returns the licences that a job asks for: where the record has none of its own, those that accounting counts as TRES.
func (n *Needs) AllLicenses() string {
	if n.Licenses != "" || !strings.Contains(n.TRES, "license/") {
		return n.Licenses
	}
	return strings.Join(slices.DeleteFunc(strings.Split(n.TRES, ","), func(item string) bool { return !strings.HasPrefix(item, "license/") }), ",")
}

// ReadLicenses reads a list of licences such as "matlab:2,ansys@server:1". One without a number is one. Of
// alternatives, "matlab:2|octave:1", the first counts.
func ReadLicenses(text string) (list []Count, err error) {
	text, _, _ = strings.Cut(text, "|")
	for item := range strings.FieldsFuncSeq(text, func(c rune) bool { return c == ',' || c == ';' }) {
		l := Count{Name: item, N: 1}
		if i := strings.LastIndexAny(item, ":*="); i >= 0 {
			l.Name = item[:i]
			l.N, err = strconv.ParseUint(item[i+1:], 10, 31)
		}
		if l.Name = strings.TrimPrefix(l.Name, "license/"); err != nil || l.Name == "" || strings.ContainsAny(l.Name, " \t\n\"'()[]{}") {
			return nil, fmt.Errorf("%q: not NAME:COUNT", item)
		}
		list = append(list, l)
	}
	return list, nil
}

// submitOptions are the options of sbatch, srun and salloc that are read, by their short names.
var submitOptions = map[string]string{
	"n": "ntasks", "c": "cpus-per-task", "N": "nodes", "w": "nodelist", "x": "exclude", "s": "oversubscribe", "L": "licenses", "p": "partition", "G": "gpus",
	"O": "overcommit", "B": "extra-node-info",
}

// valued are the options of which a line of submission has the value in the next word, if not behind "=".
var valued = map[string]bool{
	"ntasks": true, "cpus-per-task": true, "nodes": true, "nodelist": true, "exclude": true, "ntasks-per-node": true, "mem": true, "mem-per-cpu": true, "gres": true, "gpus-per-node": true,
	"tasks-per-node": true, "gpus": true, "gpus-per-task": true,
	// These are not read, but their values are no script.
	"account": true, "partition": true, "qos": true, "time": true, "job-name": true, "output": true, "error": true, "chdir": true, "constraint": true, "licenses": true,
	"dependency": true, "begin": true, "array": true, "comment": true, "export": true, "mail-type": true, "mail-user": true, "reservation": true, "wrap": true, "input": true,
	"acctg-freq": true, "batch": true, "bb": true, "bbf": true, "cluster-constraint": true, "clusters": true, "container": true, "core-spec": true, "cores-per-socket": true,
	"cpu-bind": true, "cpu-freq": true, "cpus-per-gpu": true, "deadline": true, "delay-boot": true, "distribution": true, "epilog": true, "export-file": true, "extra": true, "extra-node-info": true,
	"gid": true, "gpu-bind": true, "gpu-freq": true, "gpus-per-socket": true, "gres-flags": true, "hint": true, "kill-on-invalid-dep": true, "mcs-label": true,
	"mem-bind": true, "mem-per-gpu": true, "mincpus": true, "mpi": true, "network": true, "nodefile": true, "ntasks-per-core": true, "ntasks-per-gpu": true, "ntasks-per-socket": true,
	"open-mode": true, "prefer": true, "priority": true, "profile": true, "prolog": true, "relative": true, "segment": true, "signal": true, "sockets-per-node": true, "switches": true,
	"task-epilog": true, "task-prolog": true, "thread-spec": true, "threads-per-core": true, "time-min": true, "tmp": true, "tres-bind": true, "tres-per-task": true, "uid": true, "wckey": true,
	"accel-bind": true, "bcast-exclude": true, "cluster": true, "container-id": true, "context": true, "cpu_bind": true, "het-group": true, "ignore-signals": true, "jobid": true,
	"mem-update": true, "msg-timeout": true, "ntasks-per-tres": true, "pack-group": true, "power": true, "resources": true, "slurmd-debug": true, "threads": true, "treewidth": true, "wait-all-nodes": true,
	"A": true, "p": true, "q": true, "t": true, "J": true, "o": true, "e": true, "D": true, "C": true, "L": true, "d": true, "b": true, "a": true, "G": true, "i": true, "M": true,
	"B": true, "F": true, "m": true, "r": true, "S": true, "T": true,
}

// ParseSubmission reads the line of a command that submitted a job (sacct's SubmitLine), up to the
// script, whose own arguments look like options. What it cannot read it leaves out. All components of a
// heterogeneous job have the same line; others are component 0. Each has its part of it between colons, and
// what Slurm passes on from the parts before. Where the script tells the components apart ("#SBATCH hetjob"),
// there is no colon, and the line counts for each of them.
func ParseSubmission(line string, component int) Layout {
	words := strings.Fields(line)
	if len(words) == 0 {
		return Layout{}
	}
	command := path.Base(words[0])
	l := Layout{Known: true, NoRequeue: command == "srun" || command == "salloc"}
	words = l.options(words[1:], command)
	for range component {
		colon := slices.Index(words, ":")
		if colon < 0 || colon > 0 && command != "srun" { // behind a script it is one of its arguments
			break
		}
		l = l.passed()
		words = l.options(words[colon+1:], command)
	}
	return l
}

// Component returns which component of a heterogeneous job a job is, by the id of the first one: they have ids one
// after the other. It is 0 if the ids are none of one job.
func Component(id, first ostrich.JobID) int {
	const most = 128 // MAX_HET_JOB_COMPS in Slurm's src/common/slurm_protocol_defs.h
	if first == 0 || id < first || id-first >= most {
		return 0
	}
	return int(id - first)
}

// passed returns what the next component of a heterogeneous job has of this one's options: of those that are
// read, the ones without reset_each_pass in Slurm's src/common/slurm_opt.c.
func (l *Layout) passed() Layout {
	next := Layout{Known: true, NoRequeue: l.NoRequeue, Exclude: l.Exclude, Nice: l.Nice}
	if l.MemoryPer == PerNode {
		next.Memory, next.MemoryPer, next.AllMemory = l.Memory, PerNode, l.AllMemory
	}
	return next
}

// options reads options up to the first word that is none, and returns the words from that one on.
func (l *Layout) options(words []string, command string) []string {
	for i := 0; i < len(words); i++ {
		name, value, has := strings.Cut(words[i], "=")
		switch {
		case strings.HasPrefix(name, "--"):
			name = name[2:]
		case len(name) > 1 && name[0] == '-':
			short := name[1:2]
			if len(words[i]) > 2 { // -N2
				value, has = words[i][2:], true
			}
			if name = submitOptions[short]; name == "" {
				name = short
			}
		default:
			return words[i:]
		}
		waits := command == "srun" && (name == "wait" || name == "W") // sbatch's has no value
		if !has && (valued[name] || waits) && i+1 < len(words) {
			i++
			value = words[i]
		}
		l.set(name, value)
	}
	return nil
}

func (l *Layout) set(name, value string) {
	number := func(to *int) {
		if n, err := strconv.ParseUint(value, 10, 31); err == nil {
			*to = int(n)
		}
	}
	memory := func(per Per) {
		if n, ok := scalar.Mebibytes(strings.TrimRight(value, "Bb")); ok {
			l.Memory, l.MemoryPer, l.AllMemory = n, per, n == 0
		}
	}
	switch name {
	case "ntasks":
		number(&l.Tasks)
	case "cpus-per-task":
		number(&l.CPUsPerTask)
	case "ntasks-per-node", "tasks-per-node":
		number(&l.TasksPerNode)
	case "ntasks-per-socket":
		number(&l.TasksPerSocket)
	case "ntasks-per-core":
		number(&l.TasksPerCore)
	case "sockets-per-node":
		number(&l.Sockets)
	case "cores-per-socket":
		number(&l.Cores)
	case "extra-node-info": // sockets:cores:threads, each may be "*"
		to := []*int{&l.Sockets, &l.Cores, &l.Threads}
		for i, part := range strings.SplitN(value, ":", len(to)) {
			value = part
			number(to[i])
		}
	case "overcommit":
		l.Overcommit = true
	case "threads-per-core":
		number(&l.Threads)
	case "hint":
		if value == "nomultithread" {
			l.Threads = 1
		}
	case "nodes":
		low, high, ranged := strings.Cut(value, "-")
		if !ranged {
			high = low
		}
		value = low
		number(&l.MinNodes)
		value = high
		number(&l.MaxNodes)
	case "mem":
		memory(PerNode)
	case "mem-per-cpu":
		memory(PerCPU)
	case "gres":
		if !strings.EqualFold(value, "none") {
			l.GRES = value
		}
	case "gpus-per-node":
		l.GRES = strings.Trim(l.GRES+","+gpus(value), ",")
	case "gpus":
		l.GPUs = gpus(value)
	case "gpus-per-task":
		l.GPUsPerTask = gpus(value)
	case "exclusive":
		if l.Exclusive = value; value == "" {
			l.Exclusive = "node"
		}
	case "oversubscribe":
		l.Share = true
	case "no-requeue":
		l.NoRequeue = true
	case "nice":
		if n, err := strconv.ParseInt(cmp.Or(value, "100"), 10, 32); err == nil { // as sbatch takes it
			l.Nice = n
		}
	case "contiguous":
		l.Contiguous = true
	case "spread-job":
		l.Spread = true
	case "partition":
		if l.Partitions = ""; strings.Contains(value, ",") {
			l.Partitions = value
		}
	case "nodelist":
		l.NodeList = value
	case "exclude":
		l.Exclude = value
	case "licenses":
		if _, err := ReadLicenses(value); err == nil {
			l.Wanted = value
		}
	}
}

// gpus returns generic resources for a list of GPUs such as "2" or "a100:1,v100:1".
func gpus(list string) string { return "gpu:" + strings.ReplaceAll(list, ",", ",gpu:") }

// typesOf is the list of which gpus makes generic resources.
func typesOf(gres string) string {
	return strings.TrimPrefix(strings.ReplaceAll(","+gres, ",gpu:", ","), ",")
}

// Line returns a line of submission that says what the layout does; "" if there is none.
func (l *Layout) Line() string {
	if !l.Known {
		return ""
	}
	line := "sbatch"
	add := func(option, value string) {
		if value != "" {
			line += " --" + option + "=" + value
		}
	}
	count := func(option string, n int) {
		if n > 0 {
			add(option, strconv.Itoa(n))
		}
	}
	flag := func(option string, is bool) {
		if is {
			line += " --" + option
		}
	}
	count("ntasks", l.Tasks)
	count("cpus-per-task", l.CPUsPerTask)
	count("ntasks-per-node", l.TasksPerNode)
	count("ntasks-per-socket", l.TasksPerSocket)
	count("ntasks-per-core", l.TasksPerCore)
	count("sockets-per-node", l.Sockets)
	count("cores-per-socket", l.Cores)
	count("threads-per-core", l.Threads)
	if l.MinNodes > 0 || l.MaxNodes > 0 {
		add("nodes", fmt.Sprintf("%d-%d", l.MinNodes, l.MaxNodes))
	}
	switch l.MemoryPer {
	case PerCPU:
		add("mem-per-cpu", fmt.Sprintf("%dM", l.Memory))
	case PerNode:
		add("mem", fmt.Sprintf("%dM", l.Memory))
	case PerJob: // the line says nothing of it
	}
	add("partition", l.Partitions)
	add("gres", l.GRES)
	add("gpus", typesOf(l.GPUs))
	add("gpus-per-task", typesOf(l.GPUsPerTask))
	add("exclusive", l.Exclusive)
	flag("oversubscribe", l.Share)
	flag("overcommit", l.Overcommit)
	flag("contiguous", l.Contiguous)
	flag("spread-job", l.Spread)
	flag("no-requeue", l.NoRequeue)
	add("nodelist", l.NodeList)
	add("exclude", l.Exclude)
	add("licenses", l.Wanted)
	if l.Nice != 0 {
		add("nice", strconv.FormatInt(l.Nice, 10))
	}
	return line
}

// Divide tells of memory as a whole for what it was asked, where what the job held allows one of them only: each
// of the processors, each of the nodes that it asked for, each of its GPUs (DefMemPerGPU, --mem-per-gpu: Slurm records what it would
// have had without; gres_select_util.c, gres_select_util_job_set_defs), or all of a node, of which Slurm records the least that a node
// has. Since 21.08 sacct has the whole. The tables still say for what it was asked, but of memory for each GPU they have that by
// DefMemPerCPU or DefMemPerNode.
func (n *Needs) Divide(cpus, asked int64, held *TRES) {
	got, nodes := int64(held.Memory), max(1, asked)
	if n.Layout.Memory != 0 || n.AllMemory || got == 0 || n.Memory == 0 || held.Nodes == 0 || held.CPUs == 0 || cpus < 1 {
		return
	}
	whole := n.Memory * [...]int64{PerJob: 1, PerCPU: cpus, PerNode: nodes}[n.Per]
	byCPU := n.Per != PerNode && whole%cpus == 0 && whole/cpus*int64(held.CPUs) == got
	byNode := n.Per != PerCPU && whole%nodes == 0 && whole/nodes*int64(held.Nodes) == got
	gpus := n.gpus()
	switch {
	case byCPU && byNode:
	case byCPU:
		n.Memory, n.Per = whole/cpus, PerCPU
	case byNode:
		n.Memory, n.Per = whole/nodes, PerNode
	case gpus > 0 && got > whole && got%gpus == 0 && gpus%int64(held.Nodes) == 0:
		n.Memory, n.Per = got/int64(held.Nodes), PerNode
	case n.Per == PerJob:
		n.AllMemory = held.Nodes == 1 && got > whole
	}
}

// gpus is how many GPUs the whole job asks for.
func (n *Needs) gpus() int64 {
	for item := range strings.SplitSeq(n.TRES, ",") {
		if number, is := strings.CutPrefix(item, "gres/gpu="); is {
			count, _ := strconv.ParseInt(number, 10, 32) // it was read as TRES before
			return count
		}
	}
	return 0
}

// Exclusivity reads Slurm's column exclusive (since 26.05: NO, NODE, USER, MCS or TOPO;
// job_exclusive_display_string in src/common/slurm_protocol_defs.c) as Layout has it.
func Exclusivity(column string) string {
	if strings.EqualFold(column, "NO") {
		return ""
	}
	return strings.ToLower(column)
}

// Needs returns the number of what jobs ask for, for Job.Needs.
func (b *Builder) Needs(n Needs) int32 {
	if len(b.h.Needs) == 0 {
		place(&b.needs, &b.h.Needs, Needs{}) // 0 is that of jobs of which nothing is known
	}
	return place(&b.needs, &b.h.Needs, n)
}

// Where returns the number of a list of nodes, for Job.Where.
func (b *Builder) Where(nodes []byte) int32 {
	if len(b.h.Where) == 0 {
		place(&b.where, &b.h.Where, "")
	}
	if i, known := b.where[string(nodes)]; known { // this makes no text
		return i
	}
	return place(&b.where, &b.h.Where, string(nodes))
}

// NeedsOf returns what a job asks for.
func (h *History) NeedsOf(j *Job) *Needs {
	if int(j.Needs) < len(h.Needs) {
		return &h.Needs[j.Needs]
	}
	return &Needs{}
}

// WhereRan returns the nodes on which a job ran, as Slurm lists them; "" if they are not known.
func (h *History) WhereRan(j *Job) string {
	if int(j.Where) < len(h.Where) {
		return h.Where[j.Where]
	}
	return ""
}

package slurm

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/priority"
)

// Record is something that a file of Slurm's describes: a node, a partition, a reservation, or
// what slurmctld is configured to do. Its keys are those of scontrol, whatever the file is.
type Record struct {
	Kind  Kind
	Name  string            // of a node, a partition or a reservation
	Where string            // it stands, for messages: "slurm.conf: line 4"
	keys  map[string]string // in lower case
	lines map[string]string // of keys of a slurm.conf's configuration, which has no line of its own
}

// Kind says what a record describes.
type Kind uint8

// The kinds.
const (
	ConfigRecord Kind = iota
	NodeRecord
	PartitionRecord
	ReservationRecord
)

// kindKeys are the keys with which a record of each kind begins.
var kindKeys = []string{NodeRecord: "NodeName", PartitionRecord: "PartitionName", ReservationRecord: "ReservationName"}

// Get returns the value of a key in lower case; "" if it is not there, or stands for none.
func (r *Record) Get(key string) string { return unless(none(r.keys[key]), "N/A") }

// Line says on which line a key stands, if Where does not, to stand before what is wrong with it: "line 3: ".
func (r *Record) Line(key string) string {
	if line := r.lines[key]; line != "" {
		return line + ": "
	}
	return ""
}

// Future reports whether a node is not there yet.
func (r *Record) Future() bool { return future(r.Get("state")) }

// Scheduling returns how slurmctld's schedulers look for jobs, as far as a configuration says it;
// what it does not say has the defaults of the newest release, or is 0.
func (r *Record) Scheduling() (priority.Scheduling, error) {
	c := priority.Controller{SchedulerParameters: list(r.Get("schedulerparameters"))}
	err := schedulerParameters(&c)
	if err != nil {
		err = fmt.Errorf("%s%w", r.Line("schedulerparameters"), err)
	}
	for _, x := range []struct {
		key, unit string // scontrol adds it
		seconds   ostrich.Duration
		to        *ostrich.Duration
	}{{"KillWait", "sec", 1, &c.Scheduling.KillWait}, {"CompleteWait", "sec", 1, &c.Scheduling.CompleteWait}, {"OverTimeLimit", "min", 60, &c.Scheduling.OverTime}} {
		text := r.Get(strings.ToLower(x.key))
		if err != nil || text == "" || Endless(text) {
			continue
		}
		var n uint64
		if n, err = strconv.ParseUint(strings.TrimSuffix(text, " "+x.unit), 10, 16); err != nil {
			err = fmt.Errorf("%s%s=%q: not a number of %s", r.Line(strings.ToLower(x.key)), x.key, clip(text), map[string]string{"sec": "seconds", "min": "minutes"}[x.unit])
		}
		*x.to = ostrich.Duration(n) * x.seconds
	}
	return c.Scheduling, err
}

// Endless reports whether a setting of slurm.conf, a number, says that there is no end to it (parse_value.c, s_p_handle_uint16).
func Endless(text string) bool {
	return strings.EqualFold(text, "UNLIMITED") || strings.EqualFold(text, "INFINITE")
}

// ParseRecords reads a slurm.conf, what scontrol shows of nodes, partitions, reservations and
// the configuration (with or without -o, one after the other; of --json, see package fromjson). In a
// slurm.conf, Nodes of a partition are names, and the sizes of nodes are what slurmctld makes of them.
func ParseRecords(text string, include Include) ([]Record, error) {
	text = strings.TrimPrefix(text, byteOrderMark)
	switch {
	case saved(text), shown(text), begins(text, "ReservationName="):
		return shownRecords(text), nil
	}
	return confRecords(text, include)
}

// Records returns the nodes, the partitions and the configuration of slurmctld.
func (s Commands) Records(ctx context.Context) (all []Record, err error) {
	for _, show := range [][]string{{"-a", "-o", "show", "node"}, {"-a", "-o", "show", "partition"}, {"show", "config"}} {
		out, err := s.output(ctx, "scontrol", show...)
		if err != nil {
			return nil, err
		}
		all = append(all, shownRecords(out)...)
	}
	return all, nil
}

func begins(text, with string) bool {
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, with) {
			return true
		}
	}
	return false
}

// shownRecords reads what scontrol shows. A word without "=" belongs to the value before it.
func shownRecords(text string) []Record {
	config := Record{Kind: ConfigRecord, Where: "scontrol show config", keys: make(map[string]string)}
	var all []Record
	at := -1 // of all; below 0: in the configuration
	for raw := range strings.Lines(text) {
		line := strings.TrimSpace(raw)
		kind := slices.IndexFunc(kindKeys, func(key string) bool { return key != "" && strings.HasPrefix(line, key+"=") })
		switch {
		case at >= 0 && strings.TrimLeft(raw, " \t") != raw && all[at].tells(Kind(max(0, kind)), line):
		case kind >= 0:
			show := strings.ToLower(strings.TrimSuffix(kindKeys[kind], "Name"))
			at = len(all)
			all = append(all, Record{Kind: Kind(kind), keys: make(map[string]string)})
			all[at].words(line)
			all[at].Name = all[at].keys[strings.ToLower(kindKeys[kind])]
			all[at].Where = fmt.Sprintf("scontrol show %s: %s %s", show, show, clip(all[at].Name))
			continue
		case line == "": // behind a record; but scontrol shows several of a kind with lines between them
			continue
		}
		if key, value, ok := strings.Cut(line, " = "); ok && !strings.Contains(key, "=") {
			at = -1
			config.keys[strings.ToLower(strings.TrimSpace(key))] = strings.TrimSpace(value)
			continue
		}
		if at >= 0 {
			all[at].words(line)
		}
	}
	if len(config.keys) > 0 {
		all = append(all, config)
	}
	return all
}

// tells reports whether an indented line that begins as a record of a kind does is about this one: a node tells the name of its
// reservation, and a reservation the cores of its nodes. Records that somebody has pasted may all be indented.
func (r *Record) tells(kind Kind, line string) bool {
	return r.Kind == NodeRecord && kind == ReservationRecord && !beginsReservation(line) || r.Kind == ReservationRecord && kind == NodeRecord && !beginsNode(line)
}

// beginsReservation reports whether a line begins what is shown of a reservation, and is not that of a node that tells its name.
func beginsReservation(line string) bool {
	return strings.HasPrefix(line, "ReservationName=") && strings.Contains(line, " StartTime=")
}

// beginsNode reports whether a line begins what is shown of a node, and is not that of a reservation that tells which cores it has of it.
func beginsNode(line string) bool {
	return strings.HasPrefix(line, "NodeName=") && !strings.Contains(line, " CoreIDs=")
}

func (r *Record) words(line string) {
	last := ""
	for word := range strings.FieldsSeq(line) {
		key, value, ok := strings.Cut(word, "=")
		switch {
		case ok:
			last = strings.ToLower(key)
			r.keys[last] = value
		case last != "":
			r.keys[last] += " " + word
		}
	}
}

func confRecords(text string, include Include) ([]Record, error) {
	lines, err := confLines(text, include)
	if err != nil {
		return nil, err
	}
	nodes, err := nodesOfConf(lines)
	if err != nil {
		return nil, err
	}
	var all []Record
	for _, name := range nodes.names {
		n := nodes.of[name]
		r := Record{NodeRecord, name, fmt.Sprintf("%s: line %d: node %s", n.line.file, n.line.number, clip(name)), maps.Clone(n.keys), nil}
		for key, value := range map[string]int{
			"cputot": n.cpus, "cpuefctv": n.effective, "sockets": n.sockets, "corespersocket": n.cores, "threadspercore": n.threads,
		} {
			r.keys[key] = strconv.Itoa(value)
		}
		r.keys["activefeatures"] = strings.Join(n.features, ",")
		if n.future {
			r.keys["state"] = "FUTURE"
		}
		all = append(all, r)
	}
	config := Record{ConfigRecord, "", "slurm.conf", make(map[string]string), make(map[string]string)}
	var table confTable
	for i := range lines {
		l := &lines[i]
		switch strings.ToLower(l.words[0].key) {
		case "nodename", "nodeset", "downnodes", "frontendname":
		case "partitionname":
			if !table.of(l) {
				continue
			}
			p := Record{PartitionRecord, l.words[0].value, fmt.Sprintf("%s: line %d: partition %s", l.file, l.number, clip(l.words[0].value)), table.keys(), nil}
			list, bad := nodes.partition(l, p.keys["nodes"])
			if bad != nil {
				return nil, bad
			}
			p.keys["nodes"] = strings.Join(list, ",")
			all = append(all, p)
		default:
			for _, w := range l.words {
				key := strings.ToLower(w.key)
				config.keys[key], config.lines[key] = w.value, fmt.Sprintf("line %d", l.number)
				if l.file != config.Where {
					config.lines[key] = fmt.Sprintf("%s: line %d", l.file, l.number)
				}
			}
		}
	}
	return append(all, config), nil
}

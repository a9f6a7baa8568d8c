package sacct

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"strconv"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/internal/lines"
)

// EventsCommand is the command whose output ReadEvents reads, with
// SLURM_TIME_FORMAT=%s.
const EventsCommand = "sacctmgr --parsable2 show event format=NodeName,Start,End,StateRaw,TRES"

// Event is what happened to a node, or to the cluster if Node is "": then it had this
// size from then on.
type Event struct {
	Node        string
	From, To    ostrich.Time // From is 0 if nobody knows since when, To while it lasts
	State       uint32       // of the node, as Slurm stores it
	CPUs, Nodes int64
}

// ReadEvents reads the output of EventsCommand. The name is for messages.
func ReadEvents(r io.Reader, name string) ([]Event, error) {
	t := &table{name: name, in: reader(bufio.NewReader(r))}
	if err := t.header(EventsCommand, []string{"NodeName"}, []string{"TimeStart", "Start"}, []string{"TimeEnd", "End"},
		[]string{"StateRaw"}, []string{"TRES"}); err != nil {
		return nil, err
	}
	var all []Event
	err := t.each(func() error {
		e := Event{Node: t.text(t.column("NodeName"))}
		var ok bool
		if e.From, ok = readMoment(t.text(t.column("TimeStart", "Start"))); !ok {
			return t.fault(fmt.Sprintf("start %q: not the seconds since 1970", t.text(t.column("TimeStart", "Start"))))
		}
		if e.To, ok = readMoment(t.text(t.column("TimeEnd", "End"))); !ok {
			return t.fault(fmt.Sprintf("end %q: not the seconds since 1970", t.text(t.column("TimeEnd", "End"))))
		}
		state, err := strconv.ParseUint(t.text(t.column("StateRaw")), 10, 32)
		if err != nil {
			return t.fault(fmt.Sprintf("state %q: not a number", t.text(t.column("StateRaw"))))
		}
		size := readResources([]byte(t.text(t.column("TRES"))))
		e.State, e.CPUs, e.Nodes = uint32(state), int64(min(size.cpus, math.MaxUint32)), int64(min(size.nodes, math.MaxUint32))
		all = append(all, e)
		return nil
	})
	return all, err
}

// readMoment reads the seconds since 1970, or 0 for a time that is not known.
func readMoment(text string) (ostrich.Time, bool) {
	switch text {
	case "", "Unknown", "None", "N/A":
		return 0, true
	}
	n, ok := lines.Digits([]byte(text))
	return ostrich.Time(n), ok && n < 1<<40
}

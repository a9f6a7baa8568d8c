package sacct

import (
	"io"
	"math"
	"strconv"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/accounting"
	"slurm-ostrich/ostrich/internal/lines"
)

// EventsCommand is the command whose output ReadEvents reads, with
// SLURM_TIME_FORMAT=%s.
const EventsCommand = "sacctmgr --parsable2 show event format=NodeName,Start,End,StateRaw,TRES"

// ReadEvents reads the output of EventsCommand. The name is for messages.
func ReadEvents(r io.Reader, name string) ([]accounting.NodeEvent, error) {
	need := [][]string{{"NodeName"}, {"TimeStart", "Start"}, {"TimeEnd", "End"}, {"StateRaw"}, {"TRES"}}
	var all []accounting.NodeEvent
	err := readTable(r, name, EventsCommand, need, func(t *table) error {
		e := accounting.NodeEvent{Node: t.text("NodeName")}
		var ok bool
		if e.From, ok = readMoment([]byte(t.text("TimeStart", "Start"))); !ok {
			return t.fault("start %q: not the seconds since 1970", t.text("TimeStart", "Start"))
		}
		if e.To, ok = readMoment([]byte(t.text("TimeEnd", "End"))); !ok {
			return t.fault("end %q: not the seconds since 1970", t.text("TimeEnd", "End"))
		}
		state, err := strconv.ParseUint(t.text("StateRaw"), 10, 32)
		if err != nil {
			return t.fault("state %q: not a number", t.text("StateRaw"))
		}
		size := readResources([]byte(t.text("TRES")))
		e.State, e.CPUs, e.Nodes = uint32(state), uint64(min(size.cpus, math.MaxUint32)), uint64(min(size.nodes, math.MaxUint32))
		all = append(all, e)
		return nil
	})
	return all, err
}

// readMoment reads the seconds since 1970, or 0 for a time that is not known.
func readMoment(text []byte) (ostrich.Time, bool) {
	switch string(text) {
	case "", "Unknown", "None", "N/A":
		return 0, true
	}
	n, ok := lines.Digits(text)
	return ostrich.Time(n), ok && n < 1<<40
}

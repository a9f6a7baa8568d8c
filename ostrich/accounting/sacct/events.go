package sacct

import (
	"io"
	"math"
	"strconv"
	"strings"
	"time"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/accounting"
	"slurm-ostrich/ostrich/internal/lines"
)

// EventsCommand is the command whose output ReadEvents reads, with
// SLURM_TIME_FORMAT=%s.
const EventsCommand = "sacctmgr --parsable2 show event format=NodeName,Start,End,StateRaw,TRES"

// ReadEvents reads the output of EventsCommand. The name is for messages. named are
// further resources of which the counts are read.
func ReadEvents(r io.Reader, name string, named []string) ([]accounting.NodeEvent, error) {
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
		e.State = uint32(state)
		if e.TRES, err = ReadResources([]byte(t.text("TRES")), named); err != nil {
			return t.fault("TRES %q: %v", t.text("TRES"), err)
		}
		e.CPUs, e.Nodes = min(e.CPUs, math.MaxUint32), min(e.Nodes, math.MaxUint32)
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

// ReadOutages reads the outages of nodes in what sacctmgr --parsable2 show event shows, with its
// usual columns or others, and times in a zone, or in seconds since 1970. Sizes of the cluster are
// left out, and so are other clusters, see ReadAssociations. The name is for messages; now is for times such as now-1day, which
// sacctmgr does not write.
func ReadOutages(r io.Reader, name, cluster string, zone *time.Location, now ostrich.Time) ([]accounting.NodeEvent, error) {
	need := [][]string{{"NodeName"}, {"TimeStart", "Start"}, {"TimeEnd", "End"}, {"State", "StateRaw"}}
	var all []accounting.NodeEvent
	only := cluster
	err := readTable(r, name, "sacctmgr --parsable2 show event", need, func(t *table) error {
		if other, err := t.ofOther(&only, cluster, "events"); other || err != nil {
			return err
		}
		e := accounting.NodeEvent{Node: t.text("NodeName")}
		if e.Node == "" {
			return nil
		}
		if err := t.fromTo(zone, now, &e.From, &e.To); err != nil {
			return err
		}
		e.State = outageState(t.text("State"), t.text("StateRaw"))
		all = append(all, e)
		return nil
	})
	return all, err
}

// fromTo reads when something began and ended.
func (t *table) fromTo(zone *time.Location, now ostrich.Time, from, to *ostrich.Time) error {
	for _, x := range []struct {
		names []string
		to    *ostrich.Time
	}{{[]string{"TimeStart", "Start"}, from}, {[]string{"TimeEnd", "End"}, to}} {
		text := t.text(x.names...)
		at, ok := readMoment([]byte(text))
		if !ok {
			var err error
			if at, err = ParseTime(text, time.Unix(int64(now), 0), zone); err != nil {
				return t.fault("%s %q: not a time", x.names[0], text)
			}
		}
		*x.to = at
	}
	return nil
}

// ReservationsCommand is the command whose output ReadReservations reads.
const ReservationsCommand = "sacctmgr --parsable2 show reservation Start=now-30days format=Cluster,Name,NodeNames,Start,End,Flags,TRES"

// ReadReservations reads the output of ReservationsCommand, with times in a zone, or in seconds since 1970. The name
// is for messages; now is for times such as now-1day, which sacctmgr does not write. Other clusters are left out, see
// ReadAssociations.
func ReadReservations(r io.Reader, name, cluster string, zone *time.Location, now ostrich.Time) ([]accounting.Reservation, error) {
	need := [][]string{{"Name"}, {"NodeName", "NodeNames"}, {"TimeStart", "Start"}, {"TimeEnd", "End"}, {"Flags"}, {"TRES"}}
	var all []accounting.Reservation
	only := cluster
	err := readTable(r, name, ReservationsCommand, need, func(t *table) error {
		if other, err := t.ofOther(&only, cluster, "reservations"); other || err != nil {
			return err
		}
		flags := strings.ToUpper(t.text("Flags"))
		one := accounting.Reservation{
			Name: t.text("Name"), Nodes: t.text("NodeName", "NodeNames"), Flex: strings.Contains(flags, "FLEX"), Floats: strings.Contains(flags, "TIME_FLOAT"),
		}
		if err := t.fromTo(zone, now, &one.From, &one.To); err != nil {
			return err
		}
		tres, err := ReadResources([]byte(t.text("TRES")), nil)
		if err != nil {
			return t.fault("TRES %q: %v", t.text("TRES"), err)
		}
		one.CPUs = tres.CPUs
		all = append(all, one)
		return nil
	})
	return all, err
}

// outageState returns the state of a node as Slurm stores it, of which only two parts matter:
// whether it was down, and whether it was drained (NODE_STATE_DOWN and NODE_STATE_DRAIN in slurm/slurm.h).
func outageState(shown, raw string) (state uint32) {
	if n, err := strconv.ParseUint(raw, 10, 32); err == nil {
		return uint32(n)
	}
	shown = strings.ToUpper(shown)
	if strings.Contains(shown, "DOWN") || strings.Contains(shown, "FAIL") {
		state |= accounting.NodeDown
	}
	if strings.Contains(shown, "DRAIN") || strings.Contains(shown, "DRNG") {
		state |= accounting.NodeDrain
	}
	return state
}

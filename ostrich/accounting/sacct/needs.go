package sacct

import (
	"bytes"
	"math"
	"strings"

	"slurm-ostrich/ostrich/accounting"
)

// needs reads what the job asks for beside processors and time, and where it ran.
func (d *dump) needs(j *accounting.Job) error {
	n := accounting.Needs{
		Features: d.some(colConstraints), Reservation: d.some(colReservation), Licenses: d.some(colLicenses),
	}
	asked, memory, err := d.resources()
	if err != nil {
		return err
	}
	n.TRES = asked
	if n.Memory, n.Per, err = d.asksMemory(memory); err != nil {
		return err
	}
	if line := d.values[colSubmitLine]; len(line) > 0 {
		layout, is := d.submits[string(line)]
		if !is {
			if d.submits == nil {
				d.submits = make(map[string]accounting.Layout)
			}
			layout = accounting.ParseSubmission(string(line))
			d.submits[string(line)] = layout
		}
		n.Layout = layout
	}
	if gres := d.some(colGRES); gres != "" && n.TRES == "" && n.GRES == "" {
		n.GRES = gres // of each node; until 20.11
	}
	if n.Exclusive == "" {
		n.Exclusive = accounting.Exclusivity(d.some(colExclusive))
	}
	if asks, ok := amount(d.values[colAskedNodes], false); len(d.values[colAskedNodes]) > 0 {
		if !ok || asks > maxProcs {
			return d.bad(colAskedNodes, "not a number of nodes")
		}
		if j.AskedNodes == 0 {
			j.AskedNodes = int32(asks)
		}
	}
	j.Backfilled = bytes.Contains(d.values[colFlags], []byte("SchedBackfill"))
	if p, ok := amount(d.values[colPriority], false); ok && p <= math.MaxUint32 {
		j.Priority = uint32(p)
	}
	j.Needs = d.jobs.Needs(n)
	if nodes := d.some(colNodeList); nodes != noNodes {
		j.Where = d.jobs.Where(nodes)
	}
	return nil
}

// some returns a text, "" for what Slurm writes in place of none.
func (d *dump) some(c column) string {
	switch text := d.text(c); text {
	case "(null)", "N/A", "None", "none", "Unknown":
		return ""
	default:
		return text
	}
}

// resources returns the requested TRES but those that have columns of their own or no meaning
// for where a job can run, and the memory of the whole job in MiB.
func (d *dump) resources() (tres string, memory int64, err error) {
	var other []string
	for item := range bytes.SplitSeq(d.values[colReqTRES], []byte{','}) {
		name, count, _ := bytes.Cut(item, []byte{'='})
		switch string(name) {
		case "", "cpu", "node", "billing", "energy", "vmem", "pages":
			continue
		case "mem":
			if m, ok := amount(count, true); ok {
				memory = int64(m)
			}
			continue
		}
		if n, ok := amount(count, false); !ok || n > maxProcs {
			return "", 0, d.bad(colReqTRES, "no number of "+string(name))
		}
		other = append(other, string(item))
	}
	return d.texts.Of([]byte(strings.Join(other, ","))), memory, nil
}

// asksMemory returns the memory that the job asks for. ReqMem says since when of what, see memory.
func (d *dump) asksMemory(whole int64) (int64, accounting.Per, error) {
	b := d.values[colMemory]
	if len(b) == 0 || string(b) == "?" {
		return whole, accounting.PerJob, nil
	}
	per := accounting.PerJob
	switch b[len(b)-1] {
	case 'c':
		per = accounting.PerCPU
	case 'n':
		per = accounting.PerNode
	}
	n, ok := amount(bytes.TrimRight(b, "cn"), true)
	if !ok {
		return 0, per, d.bad(colMemory, "not an amount of memory")
	}
	if per == accounting.PerJob && whole > 0 {
		return whole, per, nil
	}
	return int64(n), per, nil
}

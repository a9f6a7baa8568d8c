package sacct

import (
	"bytes"
	"strconv"
	"strings"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/accounting"
	"slurm-ostrich/ostrich/internal/lines"
)

// asking is what a job asks for and has, but for when.
type asking struct {
	procs, asked, nodes, askedNodes int32
	memory                          int64
	billing, units                  float64
	needs                           int32
	limit                           ostrich.Duration
}

// ask reads what the job asks for and has, but for when.
func (d *dump) ask(j *accounting.Job) error {
	v, told := &d.values, []byte{0, 0} // whether it has started, and whether there is a column of licences
	if j.Start != 0 {
		told[0] = 1
	}
	if v[colLicenses] != nil {
		told[1] = 1
	}
	layout := d.layout()
	a, known := d.asks.find(
		v[colNodes], v[colProcs], v[colAsked], v[colAskedNodes], v[colMemory], v[colReqTRES], v[colAllocTRES], v[colPartition],
		v[colConstraints], v[colReservation], v[colLicenses], v[colGRES], v[colExclusive], v[colLimit], v[colLimitRaw], layout.number, told,
	)
	if known {
		j.Procs, j.Asked, j.Nodes, j.AskedNodes = a.procs, a.asked, a.nodes, a.askedNodes
		j.Memory, j.Billing, j.Units, j.Needs, j.Limit = a.memory, a.billing, a.units, a.needs, a.limit
		return nil
	}
	if err := d.limit(j); err != nil {
		return err
	}
	held, err := d.size(j)
	if err != nil {
		return err
	}
	if err := d.needs(j, &layout.Layout, held); err != nil {
		return err
	}
	d.asks.keep(asking{j.Procs, j.Asked, j.Nodes, j.AskedNodes, j.Memory, j.Billing, j.Units, j.Needs, j.Limit})
	return nil
}

// layoutOf is how a job wants its processors on nodes, and a name of that.
type layoutOf struct {
	accounting.Layout
	number []byte
}

// layout reads the line of submission.
func (d *dump) layout() layoutOf {
	line := d.values[colSubmitLine]
	if len(line) == 0 {
		return layoutOf{}
	}
	_, offset, _ := bytes.Cut(d.values[colID], []byte{'+'}) // of the component of a heterogeneous job
	l, known := d.layouts.find(line, offset)
	if known {
		return l
	}
	component, _ := lines.Digits(offset)
	l.Layout = accounting.ParseSubmission(string(line), int(component))
	number, is := d.numbers[l.Layout]
	if !is {
		if d.numbers == nil {
			d.numbers = make(map[accounting.Layout]int)
		}
		number = len(d.numbers) + 1
		d.numbers[l.Layout] = number
	}
	l.number = strconv.AppendInt(nil, int64(number), 10)
	d.layouts.keep(l)
	return l
}

// needs reads what the job asks for beside processors and time.
func (d *dump) needs(j *accounting.Job, layout *accounting.Layout, held *accounting.TRES) error {
	n := accounting.Needs{
		Features: d.some(colConstraints), Reservation: d.some(colReservation), Licenses: d.some(colLicenses),
	}
	if _, err := accounting.ReadLicenses(n.Licenses); err != nil {
		return d.bad(colLicenses, "not licences such as matlab:2,ansys:1")
	}
	asked, memory, err := d.resources()
	if err != nil {
		return err
	}
	n.TRES = asked
	if n.Memory, n.Per, err = d.asksMemory(memory); err != nil {
		return err
	}
	if n.Layout = *layout; d.values[colLicenses] == nil {
		n.Licenses = layout.Wanted
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
	n.Divide(int64(j.Asked), int64(j.AskedNodes), held)
	j.Needs = d.jobs.Needs(n)
	return nil
}

// some returns a text, "" for what Slurm writes in place of none.
func (d *dump) some(c column) string {
	if !some(d.values[c]) {
		return ""
	}
	return d.text(c)
}

// some reports whether a cell has a text, and not what Slurm writes in place of none.
func some(cell []byte) bool {
	switch string(cell) {
	case "", "(null)", "N/A", "None", "none", "Unknown":
		return false
	}
	return true
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
		if err := accounting.KnownTRES(string(name)); err != nil {
			return "", 0, d.bad(colReqTRES, err.Error())
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

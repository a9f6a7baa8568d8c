package sacct

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"math"
	"strconv"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/accounting"
	"slurm-ostrich/ostrich/internal/lines"
	"slurm-ostrich/ostrich/scalar"
)

var errElapsed = errors.New("not [days-]hours:minutes:seconds")

// parseElapsed reads "1-02:03:04", "02:03:04" or "03:04", perhaps with a
// fraction, which is dropped (_elapsed_time in Slurm's src/sacct/print.c).
func parseElapsed(b []byte) (ostrich.Duration, error) {
	if len(b) == 8 && b[2] == ':' && b[5] == ':' { // as most are
		if h, m, s := two(b, 0), two(b, 3), two(b, 6); h|m|s >= 0 {
			return ostrich.Duration(3600*h + 60*m + s), nil
		}
	}
	b, _, _ = bytes.Cut(b, []byte{'.'})
	colons := bytes.Count(b, []byte{':'})
	seconds, ok := accounting.ReadTime(b)
	if !ok || colons == 0 || colons == 1 && bytes.IndexByte(b, '-') >= 0 {
		return 0, errElapsed
	}
	return ostrich.Duration(seconds), nil
}

// amount reads a number such as "1000M", "2.50G" or "12". With mebi the result is
// in mebibytes, and "12" means 12 of them (convert_num_unit in Slurm's
// src/common/slurm_protocol_api.c).
func amount(b []byte, mebi bool) (float64, bool) {
	n, lettered, ok := scalar.Amount(b)
	if mebi && lettered {
		n /= 1 << 20
	}
	return n, ok
}

// ReadResources reads a TRES string as Slurm's commands print it, such as
// "billing=4,cpu=4,gres/gpu=2,mem=1000M,node=1", with those of the other resources that are
// named. A count that is none, or more than can be, is left out and an error; one that Slurm does not know is 0.
func ReadResources(b []byte, named []string) (t accounting.TRES, err error) {
	for len(b) > 0 {
		var item []byte
		item, b, _ = bytes.Cut(b, []byte{','})
		name, count, ok := bytes.Cut(item, []byte{'='})
		if !ok {
			continue
		}
		var to *uint64
		most := float64(maxProcs)
		switch string(name) {
		case "cpu":
			to = &t.CPUs
		case "mem":
			to, most = &t.Memory, maxMemory
		case "node":
			to = &t.Nodes
		case accounting.Billing:
			to, most = &t.Billing, maxMemory
		default:
			wanted := accounting.Wanted(named, string(name))
			if wanted == "" {
				continue
			}
			t.Others = append(t.Others, accounting.Count{Name: wanted})
			to, most = &t.Others[len(t.Others)-1].N, maxMemory
		}
		if n, is := amount(count, string(name) == "mem"); is && n <= most {
			*to = uint64(n)
		} else if number, wrong := strconv.ParseUint(string(bytes.TrimSuffix(count, []byte{'M'})), 10, 64); (wrong != nil || number < unknown) && err == nil {
			err = fmt.Errorf("not an amount of %s", name)
		}
	}
	return t, err
}

// unknown is what Slurm writes for an amount that it does not know (NO_VAL64), or one more.
const unknown = math.MaxUint64 - 1

// maxProcs is the most processors that a record may have; a line with more is
// broken.
const maxProcs = 1 << 30

// maxMemory is the most MiB that a record may have, or of another resource the most of it: up to there all numbers are exact.
const maxMemory = 1 << 53

// size reads processors, nodes, memory and billing.
func (d *dump) size(j *accounting.Job) (*accounting.TRES, error) {
	var procs [2]int64
	for i, c := range []column{colProcs, colAsked} {
		b := d.values[c]
		if len(b) == 0 {
			continue
		}
		n, ok := amount(b, false)
		if !ok || n > maxProcs {
			return nil, d.bad(c, "not a number of processors")
		}
		procs[i] = int64(n)
	}
	asked, err := ReadResources(d.values[colReqTRES], d.named)
	if err != nil {
		return nil, d.bad(colReqTRES, err.Error())
	}
	held, err := ReadResources(d.values[colAllocTRES], d.named)
	if err != nil {
		return nil, d.bad(colAllocTRES, err.Error())
	}
	asks := cmp.Or(procs[1], int64(asked.CPUs))
	holds := cmp.Or(procs[0], int64(held.CPUs))
	asks, holds = cmp.Or(asks, holds), cmp.Or(holds, asks)
	if asks == 0 {
		return nil, d.fault("a job without processors")
	}
	if j.Start == 0 {
		holds = asks
	}
	j.Procs, j.Asked = int32(holds), int32(asks)
	nodes, ok := amount(d.values[colNodes], false)
	if !ok && len(d.values[colNodes]) > 0 {
		return nil, d.bad(colNodes, "not a number of nodes")
	}
	j.Nodes = int32(min(cmp.Or(nodes, float64(held.Nodes), float64(asked.Nodes)), maxProcs))
	j.AskedNodes = int32(asked.Nodes)
	j.Billing = float64(held.Billing)
	memory, err := d.memory(j)
	if err != nil {
		return nil, err
	}
	j.Memory = int64(cmp.Or(asked.Memory, uint64(memory), held.Memory))
	if asked.CPUs == 0 { // the other columns tell of it
		asked.CPUs, asked.Nodes, asked.Memory = uint64(holds), uint64(j.Nodes), uint64(j.Memory)
		if d.options.Unit != nil && d.values[colReqTRES] == nil && d.values[colAllocTRES] == nil {
			d.jobs.Note("A dump has neither ReqTRES nor AllocTRES: its jobs count with their processors, nodes and memory (ReqMem), and with no other resource that has a weight.")
		}
	}
	j.Units = d.options.Unit.Run(&asked, &held, string(d.values[colPartition]))
	return &held, nil
}

// holdsNone reports whether the job held no processors, as Slurm says of one that has not started.
func (d *dump) holdsNone() bool {
	procs, held := d.values[colProcs], d.values[colAllocTRES]
	return len(held) == 0 && (len(procs) == 0 || string(procs) == "0")
}

// memory reads ReqMem. Until Slurm 21.08 it is "4000Mc" for each processor or
// "4Gn" for each node; since then it is "4G" for the whole job.
func (d *dump) memory(j *accounting.Job) (float64, error) {
	b := d.values[colMemory]
	if len(b) == 0 || string(b) == "?" {
		return 0, nil
	}
	each := 1.0
	switch b[len(b)-1] {
	case 'c':
		each, b = float64(j.Asked), b[:len(b)-1]
	case 'n':
		each, b = float64(max(j.Nodes, 1)), b[:len(b)-1]
	}
	n, ok := amount(b, true)
	if !ok || n*each > maxMemory {
		return 0, d.bad(colMemory, "not an amount of memory")
	}
	return n * each, nil
}

// person is for whom a job runs, and where.
type person struct {
	association, partition, qos int32
	unnamed                     bool // the uid stands for the user
}

// who reads the job's account, user, partition and QOS.
func (d *dump) who(j *accounting.Job) error {
	p, known := d.people.find(d.values[colUser], d.values[colUID], d.values[colAccount], d.values[colPartition], d.values[colQOS])
	if !known {
		var err error
		if p, err = d.person(); err != nil {
			return err
		}
		d.people.keep(p)
	}
	if p.unnamed {
		d.unnamed++
	}
	j.Association, j.Partition, j.QOS = p.association, p.partition, p.qos
	return nil
}

func (d *dump) person() (p person, err error) {
	user := d.text(colUser)
	if user == "" {
		if user = d.text(colUID); user == "" {
			return p, d.bad(colUser, "nobody, and no uid either")
		}
		p.unnamed = true
	} else if _, number := lines.Digits(d.values[colUser]); number {
		p.unnamed = true
	}
	p.association = d.jobs.Association(accounting.Association{User: user, Account: d.text(colAccount)})
	partition := d.text(colPartition)
	if i := bytes.IndexByte(d.values[colPartition], ','); i >= 0 {
		partition = partition[:i]
	}
	p.partition = d.jobs.Partition(partition)
	p.qos = d.jobs.QOS(d.text(colQOS))
	return p, nil
}

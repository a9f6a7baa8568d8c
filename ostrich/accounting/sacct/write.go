package sacct

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"strconv"
	"strings"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/accounting"
)

// Write writes jobs that were not read from a dump as one, in the form of Copy. What
// a history does not have is made up or missing: the tasks of an array are numbered in the order of their ids,
// jobs of one class have one name, that of their number, the TRES of an allocation are those that were asked
// for, but for processors, nodes and billing, and the line of submission has what is read of it.
func Write(to io.Writer, h *accounting.History, anonymous bool) error {
	out := bufio.NewWriterSize(to, 1<<16)
	c := &Copy{To: out, Anonymous: anonymous}
	tasks := make(map[ostrich.JobID]int)
	for i := range h.Jobs {
		j := h.Jobs[i]
		j.NameClass = cmp.Or(j.KindClass, j.NameClass)
		a, n := &h.Associations[j.Association], h.NeedsOf(&j)
		id := digits(j.ID)
		if j.Het > 0 {
			id = fmt.Sprintf("%d+%d", j.Het, accounting.Component(j.ID, j.Het))
		}
		if j.Array > 0 {
			task := digits(tasks[j.Array])
			if j.Tasks > 1 {
				task = fmt.Sprintf("[%d-%d]", tasks[j.Array], tasks[j.Array]+int(j.Tasks)-1)
			}
			id = digits(j.Array) + "_" + task
			tasks[j.Array] += int(j.Tasks)
		}
		elapsed, held, where, flags := ostrich.Duration(0), "", noNodes, ""
		if j.Start > 0 {
			elapsed, where = j.Ran(), h.WhereRan(&j)
			held = resources(int64(j.Procs), int64(j.Nodes), j.Memory, j.Billing, n.TRES)
		}
		if j.Backfilled {
			flags = "SchedBackfill"
		}
		limit := "UNLIMITED"
		if j.Limit > 0 {
			limit = clock(j.Limit)
		}
		none := []byte{} // there, and empty
		values := [columns][]byte{
			colRaw: []byte(digits(j.ID)), colID: []byte(id), colCluster: []byte(h.Cluster), colPartition: []byte(h.Partitions[j.Partition]),
			colQOS: []byte(h.QOS[j.QOS]), colAccount: []byte(a.Account), colUser: []byte(a.User),
			colSubmit: none, colEligible: none, colStart: none, colEnd: none, // see Copy.job
			colElapsedRaw: []byte(digits(elapsed)), colSuspended: []byte(clock(j.Suspended)), colState: []byte(j.State.String()),
			colNodes: []byte(digits(j.Nodes)), colProcs: []byte(digits(j.Procs)), colAsked: []byte(digits(j.Asked)), colMemory: []byte(memoryOf(n)),
			colReqTRES:   []byte(resources(int64(j.Asked), int64(j.AskedNodes), j.Memory, 0, n.TRES)),
			colAllocTRES: []byte(held), colLimit: []byte(limit),
			colConstraints: []byte(n.Features), colReservation: []byte(n.Reservation), colLicenses: []byte(n.Licenses), colFlags: []byte(flags),
			colPriority: []byte(digits(j.Priority)), colNodeList: []byte(where), colName: append([]byte{}, c.letters(j.NameClass)...), colSubmitLine: []byte(n.Line()),
		}
		if _, err := c.begin(func(one column) bool { return values[one] != nil }); err != nil {
			return err
		}
		if err := c.job(&values, &j); err != nil {
			return err
		}
	}
	return out.Flush()
}

func digits[T ~int | ~int32 | ~int64 | ~uint32](n T) string { return strconv.FormatInt(int64(n), 10) }

// clock writes a length as "1-02:03:04".
func clock(d ostrich.Duration) string {
	return fmt.Sprintf("%d-%02d:%02d:%02d", d/86400, d/3600%24, d/60%60, d%60)
}

// memoryOf writes ReqMem as Slurm did until 21.08, which says for what it is.
func memoryOf(n *accounting.Needs) string {
	if n.Memory == 0 {
		return ""
	}
	return digits(n.Memory) + [...]string{accounting.PerJob: "M", accounting.PerCPU: "Mc", accounting.PerNode: "Mn"}[n.Per]
}

func resources(cpus, nodes, memory int64, billing float64, others string) string {
	list := []string{"cpu=" + digits(cpus)}
	if nodes > 0 {
		list = append(list, "node="+digits(nodes))
	}
	if memory > 0 {
		list = append(list, "mem="+digits(memory)+"M")
	}
	if billing > 0 {
		list = append(list, accounting.Billing+"="+digits(int64(billing)))
	}
	if others != "" {
		list = append(list, others)
	}
	return strings.Join(list, ",")
}

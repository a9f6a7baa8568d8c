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

// written are the columns of Write.
var written = []string{
	"JobIDRaw", "JobID", "Cluster", "Partition", "QOS", "Account", "User", "Submit", "Eligible", "Start", "End", "ElapsedRaw", "Suspended", "State",
	"NNodes", "NCPUS", "ReqCPUS", "ReqMem", "ReqTRES", "AllocTRES", "Timelimit", "Constraints", "Reservation", "Licenses", "Flags", "Priority", "NodeList",
	"JobName", "SubmitLine",
}

// Write writes jobs that were not read from a dump as one: a header, tabs between the columns, times in UTC. What
// a history does not have is made up or missing: the tasks of an array are numbered in the order of their ids,
// jobs of one class have one name, that of their number, the TRES of an allocation are those that were asked
// for, but for processors, nodes and billing, and the line of submission has what is read of it. If it is to be
// anonymous, users and accounts are numbered.
func Write(to io.Writer, h *accounting.History, anonymous bool) error {
	out := bufio.NewWriterSize(to, 1<<16)
	row := func(cells ...string) { // its errors stay until Flush
		for i, cell := range cells {
			if i > 0 {
				_ = out.WriteByte('\t')
			}
			_, _ = out.WriteString(ends.Replace(cell))
		}
		_ = out.WriteByte('\n')
	}
	row(written...)
	tasks := make(map[ostrich.JobID]int)
	names := Copy{Anonymous: anonymous}
	for i := range h.Jobs {
		j := &h.Jobs[i]
		a, n := &h.Associations[j.Association], h.NeedsOf(j)
		id := digits(j.ID)
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
			elapsed, where = j.Ran(), h.WhereRan(j)
			held = resources(int64(j.Procs), int64(j.Nodes), j.Memory, j.Billing, n.TRES)
		}
		if j.Backfilled {
			flags = "SchedBackfill"
		}
		limit := "UNLIMITED"
		if j.Limit > 0 {
			limit = clock(j.Limit)
		}
		row(
			digits(j.ID), id, h.Cluster, h.Partitions[j.Partition], h.QOS[j.QOS], string(names.name(&names.accounts, "account", []byte(a.Account))), string(names.name(&names.users, "user", []byte(a.User))),
			string(moment(j.Submit)), string(moment(j.Eligible)), string(moment(j.Start)), string(moment(j.End)), digits(elapsed), clock(j.Suspended), j.State.String(),
			digits(j.Nodes), digits(j.Procs), digits(j.Asked), memoryOf(n), resources(int64(j.Asked), int64(j.AskedNodes), j.Memory, 0, n.TRES), held, limit,
			n.Features, n.Reservation, n.Licenses, flags, digits(j.Priority), where, string(names.letters(cmp.Or(j.KindClass, j.NameClass))), n.Line(),
		)
	}
	return out.Flush()
}

// ends replaces what would end a cell.
var ends = strings.NewReplacer("\t", " ", "\n", " ", "\r", " ")

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

// resources writes a list of TRES.
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

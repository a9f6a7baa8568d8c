package simulation

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/accounting"
	"slurm-ostrich/ostrich/plural"
	"slurm-ostrich/ostrich/trace"
)

// ToLog converts accounting to a workload log: a record a job, with Slurm's id as its number. Users, accounts,
// QOS (field 15), partitions and classes of jobs (field 14) are numbered from 1 in the order of their first
// jobs; Log.Key has their names. The header has what was lost, a Note for each kind, and the size of the machine
// if the history has it. As compare does, it takes a job as submitted when it could first run.
func ToLog(h *accounting.History) (*trace.Log, error) {
	jobs := make([]*accounting.Job, 0, len(h.Jobs))
	for i := range h.Jobs {
		jobs = append(jobs, &h.Jobs[i])
	}
	if len(jobs) == 0 {
		return nil, accounting.ErrEmpty
	}
	slices.SortStableFunc(jobs, func(a, b *accounting.Job) int {
		return cmp.Or(cmp.Compare(a.Came(), b.Came()), cmp.Compare(a.ID, b.ID))
	})
	var (
		log                                                   = &trace.Log{Key: &trace.Key{}}
		users, groups, queues, partitions                     numbering[string]
		classes                                               numbering[uint64]
		late, open, never, together, instant, paused, resized int
		zero                                                  = jobs[0].Came()
		last                                                  = zero
	)
	for _, j := range jobs {
		a := &h.Associations[j.Association]
		r := trace.Record{
			Number: int64(j.ID), Submit: int64(j.Came() - zero), Wait: trace.Unknown, Run: trace.Unknown, Allocated: trace.Unknown, CPU: trace.Unknown, Memory: trace.Unknown,
			Requested: int64(j.Asked), Limit: trace.Unknown, RAM: trace.Unknown, Status: trace.Unknown,
			User: users.of(a.User), Group: groups.of(a.Account), App: trace.Unknown, Queue: queues.of(h.QOS[j.QOS]), Partition: partitions.of(h.Partitions[j.Partition]),
			Preceding: trace.Unknown, Think: trace.Unknown,
		}
		if j.Came() > j.Submit {
			late++
		}
		if j.Limit > 0 {
			r.Limit = int64(j.Limit)
		}
		if j.Memory > 0 {
			r.RAM = (j.Memory*1024 + int64(j.Asked) - 1) / int64(j.Asked)
		}
		if class := cmp.Or(j.KindClass, j.Class); class != 0 {
			r.App = classes.of(class)
		}
		switch {
		case j.State == accounting.Completed:
			r.Status = trace.Completed
		case j.State == accounting.Cancelled:
			r.Status = trace.Cancelled
		case j.State.Ended():
			r.Status = trace.Failed
		}
		if j.Start > 0 {
			r.Allocated = int64(j.Procs)
			if !h.Unstarted {
				r.Wait = int64(j.Start - j.Came())
			}
		}
		switch {
		case j.Start == 0:
			never++
			together += j.Count() - 1
			r.Run = 0
		case j.End == 0:
			open++
		default:
			if j.End == j.Start {
				instant++
			}
			r.Run = max(1, int64(j.Ran()))
		}
		if j.Suspended > 0 {
			paused++
		}
		if j.Resized {
			resized++
		}
		last = max(last, j.Came())
		log.Records = append(log.Records, r)
	}
	log.Key.Users, log.Key.Groups, log.Key.Queues, log.Key.Partitions = users.list, groups.list, queues.list, partitions.list
	oneLine := strings.NewReplacer("\n", " ", "\r", " ")
	head := func(name, text string) { log.Header = append(log.Header, " "+name+": "+oneLine.Replace(text)) }
	stamp := func(t ostrich.Time) string { return time.Unix(int64(t), 0).UTC().Format(time.UnixDate) }
	head("Version", "2.2")
	if h.Cluster != "" {
		head("Computer", h.Cluster)
	}
	head("Conversion", "by OStrich, from Slurm's accounting")
	head("MaxJobs", strconv.Itoa(len(jobs)))
	head("MaxRecords", strconv.Itoa(len(jobs)))
	if !h.Unstarted { // a trace without dates
		head("UnixStartTime", strconv.FormatInt(int64(zero), 10))
		head("TimeZoneString", "UTC")
		head("StartTime", stamp(zero))
		head("EndTime", stamp(last))
	}
	if h.Procs > 0 {
		head("MaxProcs", strconv.Itoa(h.Procs))
	}
	if h.Nodes > 0 {
		head("MaxNodes", strconv.Itoa(h.Nodes))
	}
	named := func(one string, list []string) {
		head("Max"+one+"s", strconv.Itoa(len(list)))
		for i, name := range list {
			head(one, fmt.Sprintf("%d %s", i+1, cmp.Or(name, "(none)")))
		}
	}
	named("Queue", queues.list)
	named("Partition", partitions.list)
	head("Note", "field 1 is the id that Slurm gave the job, 13 the account, 14 the kind of the job by its name, 15 the QOS, 16 the partition")
	for _, n := range []struct {
		count int
		text  string
	}{
		{late, "%d job{|s} could not run when submitted (held, dependent, with a begin time or at a limit): field 2 is when {it|they} could"},
		{never, "%d job{|s} never ran, as far as is known: run time 0"},
		{together, "%d job{|s} of arrays that never ran left out: each array is one"},
		{open, "%d job{|s} had not ended: run time -1"},
		{instant, "%d job{|s} ended in the second of {its|their} start: run time 1"},
		{paused, "%d job{|s} suspended for a while: field 4 is without that, and the end later than fields 2 to 4 say"},
		{resized, "%d job{|s} resized while {it|they} ran: field 5 is the mean"},
	} {
		if n.count > 0 {
			log.Key.Notes = append(log.Key.Notes, plural.Sprintf(n.text, n.count))
		}
	}
	for _, note := range h.Notes {
		log.Key.Notes = append(log.Key.Notes, strings.TrimSuffix(note, "."))
	}
	for _, note := range log.Key.Notes {
		head("Note", note)
	}
	head("Note", "lost are memory of nodes, GPUs and other resources, features, licences, reservations, nodes, and the CPU time and memory that was used")
	return log, nil
}

// numbering numbers things from 1 in the order in which they come.
type numbering[T comparable] struct {
	known map[T]int64
	list  []T
}

func (n *numbering[T]) of(thing T) int64 {
	if n.known == nil {
		n.known = make(map[T]int64)
	}
	k, is := n.known[thing]
	if !is {
		n.list = append(n.list, thing)
		k = int64(len(n.list))
		n.known[thing] = k
	}
	return k
}

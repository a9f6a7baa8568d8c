package trace

import (
	"bytes"
	"fmt"
	"math"
	"slices"

	"slurm-ostrich/ostrich/plural"
)

// GridFields is the number of fields of a line in the Grid Workload Format of the Grid
// Workloads Archive (Iosup and others, "The Grid Workloads Archive", FGCS 2008):
//
//	1 JobID, 2 SubmitTime, 3 WaitTime, 4 RunTime, 5 NProcs, 6 AverageCPUTimeUsed, 7 UsedMemory,
//	8 ReqNProcs, 9 ReqTime, 10 ReqMemory, 11 Status, 12 UserID, 13 GroupID, 14 ExecutableID,
//	15 QueueID, 16 PartitionID, 17 OrigSiteID, 18 LastRunSiteID, 19 JobStructure, …, 29 ProjectID
//
// The first eleven are those of the Standard Workload Format. Users, groups, executables,
// queues and sites may be words.
const GridFields = 29

// The fields of words, from 0.
const (
	gridUser, gridGroup, gridApp, gridQueue, gridPartition, gridSite = 11, 12, 13, 14, 15, 16
	gridNumbers                                                      = 11 // fields of numbers in front
)

// gridNames numbers the words of a log in the Grid Workload Format, from 1 in the order in
// which they come.
type gridNames struct {
	used    bool // the log is in that format
	numbers [GridFields]map[string]int64
	names   [GridFields][]string
}

// number returns the number of a word of a field; Unknown for none.
func (g *gridNames) number(field int, text []byte) int64 {
	if len(text) == 0 || string(text) == "-1" {
		return Unknown
	}
	n, known := g.numbers[field][string(text)]
	if !known {
		if g.numbers[field] == nil {
			g.numbers[field] = make(map[string]int64)
		}
		g.names[field] = append(g.names[field], string(text))
		n = int64(len(g.names[field]))
		g.numbers[field][string(text)] = n
	}
	return n
}

// gridFields reads the fields of a line in the Grid Workload Format. The partition is the
// site to which the job was submitted, or else the PartitionID.
func (r *Record) gridFields(texts [][]byte, g *gridNames) *Fault {
	if len(texts) != GridFields {
		return &Fault{Why: plural.Sprintf("%d field{|s} instead of %d, which the lines before have", len(texts), GridFields)}
	}
	wholes := r.wholes()
	for i, text := range texts[:gridNumbers] {
		if why := r.set(i, wholes[i], text); why != "" {
			return &Fault{Field: i + 1, Text: string(text), Why: why}
		}
	}
	r.User, r.Group, r.App = g.number(gridUser, texts[gridUser]), g.number(gridGroup, texts[gridGroup]), g.number(gridApp, texts[gridApp])
	r.Queue, r.Partition = g.number(gridQueue, texts[gridQueue]), g.number(gridSite, texts[gridSite])
	if r.Partition == Unknown {
		// Until all sites are known, numbers of partitions stand behind those that sites may get.
		if r.Partition = g.number(gridPartition, texts[gridPartition]); r.Partition != Unknown {
			r.Partition += partitionsFrom
		}
	}
	r.Preceding, r.Think = Unknown, Unknown
	return nil
}

// partitionsFrom is behind all numbers of sites.
const partitionsFrom = 1 << 20

// gridded finishes a log that was read in the Grid Workload Format: its times begin at 0, as
// in the Standard Workload Format, and its Key has the words.
func (l *Log) gridded(g *gridNames) {
	if !g.used || len(l.Records) == 0 {
		return
	}
	first, sites := int64(math.MaxInt64), int64(len(g.names[gridSite]))
	for i := range l.Records {
		if at := l.Records[i].Submit; at >= 0 { // else it is not known
			first = min(first, at)
		}
	}
	for i := range l.Records {
		r := &l.Records[i]
		if r.Submit >= 0 {
			r.Submit -= first
		}
		if r.Partition > partitionsFrom {
			r.Partition += sites - partitionsFrom
		}
	}
	const aYear = 365 * 24 * 3600
	if first > aYear && first < math.MaxInt64 { // a moment, and not a time since the start
		l.Header = append(l.Header, fmt.Sprintf(" UnixStartTime: %d", first))
	}
	l.Key = &Key{
		Users: g.names[gridUser], Groups: g.names[gridGroup], Queues: g.names[gridQueue],
		Partitions: slices.Concat(g.names[gridSite], g.names[gridPartition]),
	}
}

// words splits a line into its fields.
func words(line []byte) [][]byte {
	return bytes.FieldsFunc(line, func(c rune) bool { return c == ' ' || c == '\t' })
}

package priority

import (
	"slices"
	"strings"
)

// Include names the only jobs that are managed. An empty list names all; each of
// the others has to name the job.
type Include struct {
	Users, Accounts, QOS, Partitions []string
}

// match says why a job is left alone, "" if it is not. A job that can start in
// several partitions is named if all of them are: its priority counts in each.
func (i *Include) match(q *Queued) string {
	missing := func(list []string, name string) bool { return len(list) > 0 && !slices.Contains(list, name) }
	switch {
	case missing(i.Users, q.User):
		return "user " + q.User + " not included"
	case missing(i.Accounts, q.Account):
		return "account " + q.Account + " not included"
	case missing(i.QOS, q.QOS):
		return "QOS " + q.QOS + " not included"
	}
	for name := range strings.SplitSeq(q.Partition, ",") {
		if missing(i.Partitions, name) {
			return "partition " + name + " not included"
		}
	}
	return ""
}

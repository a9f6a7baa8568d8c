package scripttest

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
)

// entry is a record of the queue: words key=value.
type entry map[string]string

// number returns a numeric field, or 0.
func (e entry) number(key string) int64 {
	n, err := strconv.ParseInt(e[key], 10, 64)
	if err != nil {
		return 0
	}
	return n
}

// or returns a field, or other if the entry does not have it.
func (e entry) or(key, other string) string {
	if v, ok := e[key]; ok {
		return strings.ReplaceAll(v, "~", " ")
	}
	return other
}

// base returns the sum of the factors of priority/multifactor.
func (e entry) base() int64 {
	var sum int64
	for _, f := range []string{"age", "assoc", "fairshare", "jobsize", "partfactor", "qosfactor"} {
		sum += e.number(f)
	}
	return sum
}

// priority returns Slurm's priority: held, pinned, or computed.
func (e entry) priority() int64 {
	switch {
	case e["held"] != "":
		return 0
	case e["pinned"] != "":
		return e.number("pinned")
	case e["basic"] != "":
		return e.number("basic")
	}
	return max(1, e.base()+e.number("site")-e.number("nice"))
}

// array returns the id of the job array, or else of the job.
func (e entry) array() string { return e.or("array", e["id"]) }

// full returns the id as squeue shows it.
func (e entry) full() string {
	if e["tasks"] != "" {
		return e.array() + "_[" + e["tasks"] + "]"
	}
	if e["task"] != "" {
		return e.array() + "_" + e["task"]
	}
	return e.or("full", e["id"])
}

func (e entry) state() string {
	if e["start"] != "" {
		return "RUNNING"
	}
	return "PENDING"
}

// squeue returns the value of a field of squeue's format.
func (e entry) squeue(field byte) string {
	switch field {
	case 'A':
		return e["id"]
	case 'F':
		return e.array()
	case 'K':
		return e.or("tasks", e.or("task", "N/A"))
	case 'i':
		return e.full()
	case 'u':
		return e["user"]
	case 'U':
		return e["uid"]
	case 'a':
		return e.or("account", "root")
	case 'P':
		return e.or("partition", "main")
	case 'q':
		return e.or("qos", "normal")
	case 'Q':
		return e.or("restored", strconv.FormatInt(e.priority(), 10)) // by the backfill scheduler
	case 'y':
		return e.or("nice", "0")
	case 'T':
		return e.state()
	case 'V':
		return strconv.FormatInt(Epoch+e.number("submit"), 10)
	case 'v':
		return e.or("reservation", "(null)")
	case 'E':
		return e.or("dependency", "(null)")
	case 'r':
		if e["held"] != "" {
			return "JobHeldAdmin"
		}
		return e.or("reason", "Priority")
	case 'j':
		return e.or("name", "job")
	}
	return "?"
}

// sprio returns the value of a field of sprio's format.
func (e entry) sprio(field byte) string {
	pinned := e["pinned"] != ""
	key, ok := map[byte]string{
		'A': "age", 'B': "assoc", 'F': "fairshare", 'J': "jobsize", 'P': "partfactor", 'Q': "qosfactor", 'S': "site", 'N': "nice",
	}[field]
	switch {
	case field == 'i':
		return e["id"]
	case field == 'Y', field == 'y' && pinned:
		return strconv.FormatInt(e.priority(), 10)
	case field == 'y':
		return fmt.Sprintf("%.14f", float64(e.priority())/(1<<32-1))
	case field == 'T':
		return ""
	case ok && pinned:
		return "0"
	case ok:
		return strconv.FormatInt(e.number(key), 10)
	}
	return "?"
}

// listed reports whether sprio shows the job: it is pending, eligible and not held.
func (e entry) listed() bool {
	return e.state() == "PENDING" && e["held"] == "" && !slices.Contains([]string{"Dependency", "BeginTime"}, e["reason"])
}

// fill replaces the fields of a format.
func fill(format string, field func(byte) string) string {
	var b strings.Builder
	for i := 0; i < len(format); i++ {
		if format[i] == '%' && i+1 < len(format) {
			i++
			b.WriteString(field(format[i]))
			continue
		}
		b.WriteByte(format[i])
	}
	return b.String()
}

// queue holds the jobs that slurmctld knows.
type queue []entry

func loadQueue(file string) (queue, error) {
	raw, err := os.ReadFile(file)
	if os.IsNotExist(err) {
		return nil, nil
	}
	var q queue
	for line := range strings.Lines(string(raw)) {
		e, bad := parseEntry(strings.Fields(line))
		if bad != nil {
			return nil, bad
		}
		q = append(q, e)
	}
	return q, err
}

func (q queue) save(file string) error {
	var b strings.Builder
	for _, e := range q {
		for _, key := range slices.Sorted(maps.Keys(e)) {
			fmt.Fprintf(&b, "%s=%s ", key, e[key])
		}
		b.WriteByte('\n')
	}
	return os.WriteFile(file, []byte(b.String()), 0o600)
}

func parseEntry(words []string) (entry, error) {
	e := make(entry)
	for _, w := range words {
		key, value, ok := strings.Cut(w, "=")
		if !ok {
			return nil, fmt.Errorf("%q: not key=value", w)
		}
		e[key] = value
	}
	return e, nil
}

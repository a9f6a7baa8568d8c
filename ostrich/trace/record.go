package trace

// Unknown is the value of a field that the log does not know.
const Unknown = -1

// Record is one line of a log. Times are in seconds; a field that is not known
// is Unknown.
type Record struct {
	Number    int64   // 1: job number, from 1
	Submit    int64   // 2: submit time, since the start of the log
	Wait      int64   // 3: wait time
	Run       int64   // 4: run time
	Allocated int64   // 5: processors allocated
	CPU       float64 // 6: mean CPU time used by a processor
	Memory    int64   // 7: mean memory used by a processor, in kilobytes
	Requested int64   // 8: processors requested
	Limit     int64   // 9: run time requested
	RAM       int64   // 10: memory requested, in kilobytes a processor
	Status    int64   // 11: Failed, Completed, 2 to 4 parts of a job, Cancelled
	User      int64   // 12
	Group     int64   // 13
	App       int64   // 14: executable
	Queue     int64   // 15
	Partition int64   // 16
	Preceding int64   // 17: number of a job that had to end before this one was submitted
	Think     int64   // 18: from the end of that job to this one's submission
}

// Values of Record.Status.
const (
	Failed    = 0
	Completed = 1
	Cancelled = 5

	// Parts of a job that was stopped and went on: the first, or one in the middle, and the
	// last, which completed or failed.
	firstPart = 2
	lastPart  = 4
)

// Fields is the number of fields of a line.
const Fields = 18

// Fields from 0: the one that is no whole number, and the run time.
const (
	cpuField = 5
	runField = 3
)

// measured are the fields that are times or memory: some logs have fractions there.
var measured = [Fields]bool{1: true, 2: true, 3: true, 6: true, 8: true, 9: true, 17: true}

// fieldNames are the names of the fields in error messages.
var fieldNames = [Fields]string{
	"job number", "submit time", "wait time", "run time", "allocated processors", "CPU time", "used memory",
	"requested processors", "requested time", "requested memory", "status", "user", "group", "executable",
	"queue", "partition", "preceding job", "think time",
}

// wholes returns the fields in their order, with nil for the one that is no whole
// number.
func (r *Record) wholes() [Fields]*int64 {
	return [Fields]*int64{
		&r.Number, &r.Submit, &r.Wait, &r.Run, &r.Allocated, nil, &r.Memory, &r.Requested, &r.Limit, &r.RAM, &r.Status,
		&r.User, &r.Group, &r.App, &r.Queue, &r.Partition, &r.Preceding, &r.Think,
	}
}

// Procs returns the processors that the job ran on, else those it requested, else
// 0.
func (r *Record) Procs() int64 {
	if r.Allocated > 0 {
		return r.Allocated
	}
	return max(r.Requested, 0)
}

// Runnable reports whether the job ran, on at least one processor.
func (r *Record) Runnable() bool { return r.Run > 0 && r.Procs() > 0 }

package sacct

import (
	"bytes"
	"fmt"
	"math"
	"math/bits"
	"strconv"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/accounting"
	"slurm-ostrich/ostrich/internal/lines"
)

// array reads the array from a JobID such as 123_4 or 123_[5-9%2].
func (d *dump) array(j *accounting.Job) error {
	master, task, ok := bytes.Cut(d.values[colID], []byte{'_'})
	if !ok {
		if leader, _, het := bytes.Cut(master, []byte{'+'}); het { // of a heterogeneous job
			j.Het, _ = readID(leader)
		}
		return nil
	}
	if j.Array, ok = readID(master); !ok {
		return d.bad(colID, "not the id of a job")
	}
	list, ok := bytes.CutPrefix(task, []byte{'['})
	if !ok {
		if _, ok = lines.Digits(task); !ok {
			return d.bad(colID, "not a task of an array")
		}
		return nil
	}
	list, ok = bytes.CutSuffix(list, []byte{']'})
	list, _, _ = bytes.Cut(list, []byte{'%'})
	list, more := bytes.CutSuffix(list, []byte("..."))
	tasks, counts := countTasks(bytes.TrimSuffix(list, []byte{','}))
	if !ok || !counts {
		return d.bad(colID, "not tasks of an array")
	}
	if more {
		d.partial++
	}
	j.Tasks = tasks
	return nil
}

func readID(b []byte) (ostrich.JobID, bool) {
	n, ok := lines.Digits(b)
	return ostrich.JobID(n), ok && 0 < n && n <= math.MaxUint32
}

// countTasks counts the tasks in "1,3,5-9", in "0-20:4" with a step, and in slurmctld's mask "0x1F", of which each
// bit is a task (bit_fmt_hexmask in Slurm's src/common/bitstring.c).
func countTasks(list []byte) (int32, bool) {
	if mask, is := bytes.CutPrefix(list, []byte("0x")); is {
		return countBits(mask)
	}
	total := int64(0)
	for item := range bytes.SplitSeq(list, []byte{','}) {
		span, step, stepped := bytes.Cut(item, []byte{':'})
		from, to, isRange := bytes.Cut(span, []byte{'-'})
		a, ok := lines.Digits(from)
		b, every := a, int64(1)
		if ok && isRange {
			b, ok = lines.Digits(to)
		}
		if ok && stepped {
			every, ok = lines.Digits(step)
		}
		if !ok || b < a || every < 1 || b > accounting.MaxTasks {
			return 0, false
		}
		if total += (b-a)/every + 1; total > accounting.MaxTasks {
			return 0, false
		}
	}
	return int32(total), true
}

// listTasks returns an id with the tasks as sacct lists them in text (seen with 22.05.8), in place of slurmctld's
// mask of them: with a step, if there are more than five over more than ten numbers, else in ranges.
func listTasks(id []byte) []byte {
	array, mask, masked := bytes.Cut(id, []byte("_[0x"))
	if !masked {
		return id
	}
	end := bytes.IndexAny(mask, "%]")
	digits, more := bytes.CutSuffix(mask[:end], []byte("..."))
	digits = bytes.TrimSuffix(digits, []byte{','}) // as array does
	var tasks []int32
	for i := range digits {
		digit, _ := strconv.ParseUint(string(digits[len(digits)-1-i:len(digits)-i]), 16, 4) // see countBits
		for bit := range 4 {
			if digit>>bit&1 == 1 {
				tasks = append(tasks, int32(4*i+bit))
			}
		}
	}
	first, last := tasks[0], tasks[len(tasks)-1]
	list := fmt.Appendf(nil, "%s_[%d", array, first)
	stepped := len(tasks) > 5 && last-first > 10 && tasks[1] > first+1
	for i := 2; stepped && i < len(tasks); i++ {
		stepped = tasks[i]-tasks[i-1] == tasks[1]-first
	}
	if stepped {
		list = fmt.Appendf(list, "-%d:%d", last, tasks[1]-first)
	} else {
		begin := first
		for i := range tasks[1:] {
			if task := tasks[i+1]; task > tasks[i]+1 {
				list, begin = fmt.Appendf(upTo(list, begin, tasks[i]), ",%d", task), task
			}
		}
		list = upTo(list, begin, last)
	}
	if more {
		list = append(list, ",..."...)
	}
	return append(list, mask[end:]...)
}

// upTo ends a range of tasks that has begun.
func upTo(list []byte, first, last int32) []byte {
	if last > first {
		list = fmt.Appendf(list, "-%d", last)
	}
	return list
}

// countBits counts the bits that are set in hexadecimal digits. None is no mask of tasks.
func countBits(mask []byte) (int32, bool) {
	if len(mask) > accounting.MaxTasks/4 {
		return 0, false
	}
	total := 0
	for i := range mask {
		digit, err := strconv.ParseUint(string(mask[i:i+1]), 16, 4)
		if err != nil {
			return 0, false
		}
		total += bits.OnesCount64(digit)
	}
	return int32(total), total > 0
}

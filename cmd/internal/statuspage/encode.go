package statuspage

import (
	"bytes"
	"encoding/json"
	"strconv"
)

// encode writes an answer as encoding/json does. That would hold the plan of a large queue
// several times and look up each field of each job, so the jobs of a plan are written here.
func encode(w *bytes.Buffer, answer any) error {
	plan, is := answer.(PlanAnswer)
	if !is {
		return json.NewEncoder(w).Encode(answer)
	}
	jobs := plan.List
	plan.List = []Queued{}
	rest, err := json.Marshal(plan)
	if err != nil {
		return err
	}
	before, after, _ := bytes.Cut(rest, []byte(`"jobs":[]`)) // the first: a value before it has no unescaped quote
	w.Grow(len(rest) + 400*len(jobs))
	w.Write(before)
	w.WriteString(`"jobs":[`)
	for i := range jobs {
		if i > 0 {
			w.WriteByte(',')
		}
		row, err := queued(w.AvailableBuffer(), &jobs[i])
		if err != nil {
			return err
		}
		w.Write(row)
	}
	w.WriteByte(']')
	w.Write(after)
	w.WriteByte('\n')
	return nil
}

// queued appends a job of a plan, with all fields of Queued in their order.
func queued(b []byte, q *Queued) ([]byte, error) {
	b = number(append(b, '{'), "job_id", q.JobID)
	b = text(b, "job", q.Job.Job)
	b = text(b, "user", q.User)
	b = text(b, "account", q.Account)
	b = text(b, "partition", q.Partition)
	b = text(b, "qos", q.QOS)
	b = text(b, "pool", q.Pool)
	b = text(b, "class", q.Class)
	b = optional(b, "campaign", q.Campaign)
	b = optional(b, "rank", q.Rank)
	b = number(b, "slurm_rank", q.SlurmRank)
	b = number(b, "priority", q.Priority)
	b = number(b, "from", q.From)
	b = number(b, "to", q.To)
	b = strconv.AppendBool(name(b, "write"), q.Write)
	b = strconv.AppendBool(name(b, "undone"), q.Undone)
	b = text(b, "why", q.Why)
	b = text(b, "code", q.Code.String())
	b = optional(b, "due", q.Due)
	odds := []byte("null") // as in all large answers
	if q.Odds != nil {
		var err error
		if odds, err = json.Marshal(q.Odds); err != nil {
			return nil, err
		}
	}
	b = append(name(b, "odds"), odds...)
	b = text(b, "state", q.State)
	b = text(b, "reason", q.Reason)
	return append(b, '}'), nil
}

// name appends the name of a field to an object that has not ended.
func name(b []byte, name string) []byte {
	if b[len(b)-1] != '{' {
		b = append(b, ',')
	}
	b = append(append(b, '"'), name...)
	return append(b, `":`...)
}

func text(b []byte, field, value string) []byte {
	b = name(b, field)
	for i := range len(value) {
		if c := value[i]; c < ' ' || c > '~' || c == '"' || c == '\\' || c == '<' || c == '>' || c == '&' {
			escaped, _ := json.Marshal(value) // a string has no error
			return append(b, escaped...)
		}
	}
	b = append(append(b, '"'), value...)
	return append(b, '"')
}

func number[N ~int | ~int64 | ~uint32](b []byte, field string, value N) []byte {
	return strconv.AppendInt(name(b, field), int64(value), 10)
}

func optional[N ~int | ~int64 | ~uint32](b []byte, field string, value *N) []byte {
	if value == nil {
		return append(name(b, field), "null"...)
	}
	return number(b, field, *value)
}

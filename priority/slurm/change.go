package slurm

import (
	"fmt"

	"slurm-ostrich/priority"
)

// lines returns what scontrol must read to make a change: one line, or two if a
// release gives a nice value back.
func lines(c priority.Change, ch priority.Channel) (string, error) {
	if err := c.Check(ch); err != nil {
		return "", err
	}
	job := c.Target()
	switch {
	case ch != priority.Priority:
		return fmt.Sprintf("update jobid=%s %s=%d", job, ch, c.To), nil
	case c.To != 0:
		return fmt.Sprintf("update jobid=%s priority=%d", job, c.To), nil
	case c.Nice != 0:
		return fmt.Sprintf("release %s\nupdate jobid=%[1]s nice=%d", job, c.Nice), nil
	default:
		return "release " + job, nil
	}
}

// has reports whether the job has the value that the change writes.
func has(c priority.Change, ch priority.Channel, q *priority.Queued) bool {
	switch {
	case ch == priority.SiteFactor:
		return q.SiteKnown && q.Site == c.To
	case ch == priority.Nice:
		return q.Nice == c.To && !q.Pinned
	case c.To == 0:
		return q.Priority != 0 && int64(q.Priority) != c.From && !q.Pinned && (c.Nice == 0 || q.Nice == c.Nice)
	default:
		return int64(q.Priority) == c.To
	}
}

package priority

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"slurm-ostrich/ostrich"
)

// Status says what became of a change.
type Status string

// What becomes of a change.
const (
	// Applied: the job had the new value when the queue was read back.
	Applied Status = "applied"
	// Refused: Slurm said why not; see Outcome.Words.
	Refused Status = "refused"
	// NotApplied: Slurm said nothing, and the job still has another value.
	NotApplied Status = "not applied"
	// Undone: the job has the value, and slurmctld still schedules by the
	// priority before; see Options.Judge.
	Undone Status = "undone"
	// Gone: the job is no longer pending. It has started, ended or left.
	Gone Status = "gone"
	// Unknown: Slurm said nothing, and the value could not be read back: the
	// job is not eligible now, or the reading failed. So is the change that
	// was on its way when a burst was cut off, unless it shows.
	Unknown Status = "unknown"
	// Unsent: the burst ended before this change, and it does not show.
	Unsent Status = "not sent"
)

// ErrSlow tells that the time for a burst was over before its end. What was made
// until then is made.
var ErrSlow = errors.New("slow controller")

// Outcome is a change and what became of it.
type Outcome struct {
	Change

	Status Status
	Words  string // Slurm's own, on one line; "" if it said nothing

	interrupted bool // on its way when the burst ended
}

// Result is the outcome of a burst, in the order of its changes.
type Result struct {
	Outcomes []Outcome
	// Queue is the queue as it was read back, nil if that failed.
	Queue []Queued
}

// Count is the number of changes with the given status.
func (r Result) Count(status Status) int {
	n := 0
	for i := range r.Outcomes {
		if r.Outcomes[i].Status == status {
			n++
		}
	}
	return n
}

// Update makes the changes, in their order, with a single scontrol, and then
// reads the queue back to see what came of them. An error tells that the burst
// was not finished or not read back; the result holds what is known even then.
//
// A refused change is no error, but a refusal for want of a right, ErrDenied,
// ends the burst, as every further one would be refused too. A timeout or the end of ctx kills scontrol: a
// change that slurmctld already has takes effect all the same.
func (s Slurm) Update(ctx context.Context, ch Channel, changes []Change) (Result, error) {
	var r Result
	if len(changes) == 0 {
		return r, nil
	}
	r.Outcomes = make([]Outcome, len(changes))
	for i, c := range changes {
		r.Outcomes[i] = Outcome{Change: c, Status: Unsent}
	}
	var script bytes.Buffer
	for i, c := range changes {
		line, err := c.command(ch)
		if err != nil {
			return r, fmt.Errorf("scontrol: %w", err)
		}
		if len(line) > maxLine {
			if r.Outcomes[i].Words, err = s.direct(ctx, line); err != nil {
				return r, err
			}
			if r.Outcomes[i].Words != "" {
				r.Outcomes[i].Status = Refused
			}
		} else {
			script.WriteString(line)
			script.WriteByte('\n')
		}
		script.WriteString(barrier(i))
		script.WriteByte('\n')
	}
	sent, err := s.burst(ctx, &script, r.Outcomes)
	for i := range r.Outcomes[:sent] {
		if r.Outcomes[i].Words == "" {
			r.Outcomes[i].Status = Unknown
		}
	}
	if sent == 0 && err != nil && r.Outcomes[0].Status == Unsent {
		return r, err
	}
	if errors.Is(err, ErrUnreachable) {
		return r, err
	}
	// What was written is read back even if ctx ended meanwhile, but then
	// somebody waits for us to end.
	back := context.WithoutCancel(ctx)
	if ctx.Err() != nil {
		var cancel context.CancelFunc
		back, cancel = context.WithTimeout(back, time.Second)
		defer cancel()
	}
	queue, readErr := s.Queue(back)
	if readErr != nil {
		return r, errors.Join(err, fmt.Errorf("read back: %w", readErr))
	}
	r.Queue = queue
	readBack(ch, queue, r.Outcomes)
	return r, err
}

// readBack compares the outcomes with the queue.
func readBack(ch Channel, queue []Queued, outcomes []Outcome) {
	index := make(map[ostrich.JobID]int, len(queue))
	for i := range queue {
		index[queue[i].Job] = i
	}
	for i := range outcomes {
		out := &outcomes[i]
		at, pending := index[out.Job]
		switch {
		case out.Status == Unsent:
			// scontrol may have been ahead of its words when it was killed.
			if pending && out.From != out.To && out.has(ch, &queue[at]) {
				out.Status = Applied
			}
		case !pending:
			out.Status = Gone
		case out.has(ch, &queue[at]):
			out.Status = Applied
		case out.interrupted:
		case out.Words != "":
			out.Status = Refused
		case ch == SiteFactor && !queue[at].SiteKnown:
			out.Status = Unknown // sprio does not tell it of held, pinned or later eligible jobs
		default:
			out.Status = NotApplied
		}
	}
}

// has reports whether the job has the value that was to be written.
func (c Change) has(ch Channel, q *Queued) bool {
	switch {
	case ch == SiteFactor:
		return q.SiteKnown && q.Site == c.To
	case ch == Nice:
		return q.Nice == c.To && !q.Pinned
	case c.To == 0:
		return q.Priority != 0 && int64(q.Priority) != c.From && !q.Pinned && (c.Nice == 0 || q.Nice == c.Nice)
	default:
		return int64(q.Priority) == c.To
	}
}

const barrierWord = "ostrich-barrier-"

// barrier is a line that scontrol rejects in words that repeat it. Between two
// of them stand the words about one change.
func barrier(i int) string { return barrierWord + strconv.Itoa(i) }

// burst runs the script and files scontrol's words with the changes they are
// about. It returns how many changes were tried.
func (s Slurm) burst(ctx context.Context, script io.Reader, outcomes []Outcome) (sent int, err error) {
	limit := s.BurstTimeout
	if limit <= 0 {
		limit = s.timeout() + time.Duration(len(outcomes))*20*time.Millisecond
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	cmd := s.command(ctx, "scontrol")
	cmd.Stdin = script
	// With readline scontrol repeats every line on its standard output, which
	// is not read. What matters is said on the standard error.
	stderr, err := cmd.StderrPipe()
	if err != nil {
		return 0, fmt.Errorf("scontrol: %w", err)
	}
	if err := cmd.Start(); err != nil {
		return 0, fmt.Errorf("scontrol: %w", err)
	}
	// Until Wait is called nobody else closes the pipe.
	stop := context.AfterFunc(ctx, func() {
		time.AfterFunc(cmd.WaitDelay, func() { _ = stderr.Close() })
	})
	defer stop()
	var away, lacking error
	lines := bufio.NewScanner(stderr)
	lines.Buffer(nil, mostWords)
	room := mostWords + mostWordsEach*len(outcomes)
	for lines.Scan() {
		if room -= len(lines.Bytes()) + 1; room < 0 {
			break
		}
		line := strings.TrimSpace(lines.Text())
		if _, mark, ok := strings.Cut(line, barrierWord); ok {
			i, err := strconv.Atoi(strings.Trim(mark, "\"'"))
			if err == nil && i == sent && i < len(outcomes) {
				sent++
			}
			continue
		}
		if line == "" {
			continue
		}
		if unreachable(line) {
			// Every further change would wait for its own timeout.
			away = fmt.Errorf("scontrol: %w: %s", ErrUnreachable, oneLine(line))
			cancel()
			break
		}
		if sent < len(outcomes) {
			out := &outcomes[sent]
			out.Status = Refused
			if out.Words != "" {
				out.Words += "; "
			}
			out.Words = oneLine(out.Words + line)
		}
		if denied(line) {
			lacking = fmt.Errorf("scontrol: %w: %s; is AdminLevel=Operator still set?", ErrDenied, oneLine(line))
			cancel()
			break
		}
	}
	if room < 0 || lines.Err() != nil && ctx.Err() == nil {
		away = fmt.Errorf("scontrol: %w: its messages on %d changes are too long, and it was ended", ErrOutput, len(outcomes))
		cancel()
	}
	if lacking == nil && (away != nil || ctx.Err() != nil) && sent < len(outcomes) {
		// slurmctld may have this one, and may still do it.
		outcomes[sent].Status, outcomes[sent].interrupted = Unknown, true
	}
	timedOut := errors.Is(ctx.Err(), context.DeadlineExceeded)
	waitErr := cmd.Wait()
	timedOut = timedOut || errors.Is(ctx.Err(), context.DeadlineExceeded)
	switch {
	case away != nil:
		return sent, away
	case lacking != nil:
		return sent, lacking
	case sent == len(outcomes):
		// The barriers make scontrol end with 1 in any case.
		return sent, nil
	case timedOut:
		return sent, fmt.Errorf("scontrol: %w: killed after %v, %d of %d changes made: %w", ErrSlow, limit, sent, len(outcomes), context.DeadlineExceeded)
	case ctx.Err() != nil:
		return sent, fmt.Errorf("scontrol: %d of %d changes made: %w", sent, len(outcomes), ctx.Err())
	}
	words := outcomes[sent].Words
	outcomes[sent].Status, outcomes[sent].Words = Unsent, ""
	if words == "" {
		words = "it said nothing"
	}
	if waitErr == nil {
		return sent, fmt.Errorf("scontrol: ended after %d of %d changes: %s", sent, len(outcomes), words)
	}
	return sent, fmt.Errorf("scontrol: ended after %d of %d changes: %w: %s", sent, len(outcomes), waitErr, words)
}

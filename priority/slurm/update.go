package slurm

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/plural"
	"slurm-ostrich/priority"
)

// ErrSlow says that the time for a burst was over before its end. The changes
// made until then stay.
var ErrSlow = errors.New("slow controller")

// maxLine is the longest line that scontrol gets.
const maxLine = 4000

// Update makes the changes, in their order, with a single scontrol, and then
// reads the queue back to see their effect. Before these come changes that are too long
// for its input, which have a command of their own each. An error says that the burst was not
// finished or not read back; even then the result holds what is known.
//
// A refused change is no error. But ErrDenied, a lost right, ends the burst, because
// all further changes would be denied too; it does not count as a refusal, because it
// says nothing about the job. A timeout or the end of ctx kills scontrol: a change
// that slurmctld already has takes effect all the same.
func (s Commands) Update(ctx context.Context, ch priority.Channel, changes []priority.Change) (priority.Result, error) {
	var r priority.Result
	if len(changes) == 0 {
		return r, nil
	}
	r.Outcomes = make([]priority.Change, len(changes))
	for i, c := range changes {
		r.Outcomes[i] = c.Outcome(priority.Unsent, "")
	}
	var script bytes.Buffer
	for i, c := range changes {
		line, err := lines(c, ch)
		if err != nil {
			return r, fmt.Errorf("scontrol: %w", err)
		}
		if len(line) > maxLine {
			r.Outcomes[i].Status = priority.Unknown // unless it is read back
			if r.Outcomes[i].Words, err = s.direct(ctx, line); err != nil {
				return r, err
			}
			if r.Outcomes[i].Words != "" {
				r.Outcomes[i].Status = priority.Refused
			}
			if priority.Denied(r.Outcomes[i].Words) {
				if err = s.lack(ctx, r.Outcomes[i].Words); err != nil {
					r.Outcomes[i].Status = priority.Unsent
					return r, err
				}
			}
		} else {
			script.WriteString(line)
			script.WriteByte('\n')
		}
		script.WriteString(barrier(i))
		script.WriteByte('\n')
	}
	sent, cutOff, err := s.burst(ctx, &script, r.Outcomes)
	for i := range r.Outcomes[:sent] {
		if r.Outcomes[i].Words == "" {
			r.Outcomes[i].Status = priority.Unknown
		}
	}
	if sent == 0 && err != nil && r.Outcomes[0].Status == priority.Unsent && r.Outcomes[0].Words == "" {
		return r, err
	}
	if errors.Is(err, ErrUnreachable) {
		return r, err
	}
	// Read back what was written even if ctx has ended, but quickly, because a
	// caller waits for us to end.
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
	cut := -1
	if cutOff {
		cut = sent
	}
	readBack(ch, queue, r.Outcomes, cut)
	return r, err
}

// readBack compares the outcomes with the queue. cut is the change that was on
// its way when the burst was cut off, or -1.
func readBack(ch priority.Channel, queue []priority.Queued, outcomes []priority.Change, cut int) {
	index := make(map[ostrich.JobID]int, len(queue))
	for i := range queue {
		index[queue[i].Job] = i
	}
	for i := range outcomes {
		out := &outcomes[i]
		at, pending := index[out.Job]
		switch {
		case out.Status == priority.Unsent:
			// scontrol may have done more than it reported before it was killed.
			if pending && out.From != out.To && has(*out, ch, &queue[at]) {
				out.Status = priority.Applied
			}
		case !pending:
			out.Status = priority.Gone
		case has(*out, ch, &queue[at]):
			out.Status = priority.Applied
		case i == cut:
		case out.Words != "":
			out.Status = priority.Refused
		case ch == priority.SiteFactor && !queue[at].SiteKnown:
			out.Status = priority.Unknown // sprio does not show it for held, pinned or later eligible jobs
		default:
			out.Status = priority.NotApplied
		}
	}
}

const barrierWord = "ostrich-barrier-"

// barrier returns a line that scontrol rejects in words that repeat it.
// scontrol's words between two barriers belong to one change.
func barrier(i int) string { return barrierWord + strconv.Itoa(i) }

// burst runs the script and assigns scontrol's words to the changes. It returns
// how many changes were tried, and whether the next one was on its way when the
// burst was cut off.
func (s Commands) burst(ctx context.Context, script io.Reader, outcomes []priority.Change) (sent int, cutOff bool, err error) {
	limit := s.BurstTimeout
	if limit <= 0 {
		limit = s.timeout() + time.Duration(len(outcomes))*20*time.Millisecond
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	cmd := s.command(ctx, "scontrol")
	cmd.Stdin = script
	// With readline, scontrol repeats every line on standard output, which we do
	// not read. Its messages are on standard error.
	stderr, err := cmd.StderrPipe()
	if err != nil {
		return 0, false, fmt.Errorf("scontrol: %w", err)
	}
	runtime.LockOSThread() // see endWithUs
	defer runtime.UnlockOSThread()
	if err := cmd.Start(); err != nil {
		return 0, false, fmt.Errorf("scontrol: %w", err)
	}
	// Nobody else closes the pipe before Wait is called.
	stop := context.AfterFunc(ctx, func() {
		time.AfterFunc(cmd.WaitDelay, func() { _ = stderr.Close() })
	})
	defer stop()
	var away error // why the burst is ended before its time
	inFlight, entitled := true, false
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
			out.Status = priority.Refused
			if out.Words != "" {
				out.Words += "; "
			}
			out.Words = oneLine(out.Words + line)
		}
		if priority.Denied(line) && !entitled {
			lack := s.lack(ctx, oneLine(line))
			if lack != nil && ctx.Err() == nil {
				if away, inFlight = lack, false; sent < len(outcomes) {
					outcomes[sent].Status = priority.Unsent
				}
				cancel()
				break
			}
			entitled = lack == nil
		}
	}
	if room < 0 || lines.Err() != nil && ctx.Err() == nil {
		away = plural.Errorf("scontrol: %w: its messages on %d change{|s} are too long, and it was ended", ErrOutput, len(outcomes))
		cancel()
	}
	if inFlight && ctx.Err() != nil && sent < len(outcomes) {
		// slurmctld may have received this change, and may still make it.
		outcomes[sent].Status, cutOff = priority.Unknown, true
	}
	timedOut := errors.Is(ctx.Err(), context.DeadlineExceeded)
	waitErr := cmd.Wait()
	timedOut = timedOut || errors.Is(ctx.Err(), context.DeadlineExceeded)
	switch {
	case away != nil:
		return sent, cutOff, away
	case sent == len(outcomes):
		// The barriers always make scontrol end with 1.
		return sent, cutOff, nil
	case timedOut:
		return sent, cutOff, plural.Errorf("scontrol: %w: killed after %v, %d of %d change{|s} made: %w", ErrSlow, limit, sent, len(outcomes), context.DeadlineExceeded)
	case ctx.Err() != nil:
		return sent, cutOff, plural.Errorf("scontrol: %d of %d change{|s} made: %w", sent, len(outcomes), ctx.Err())
	}
	words := outcomes[sent].Words
	outcomes[sent].Status, outcomes[sent].Words = priority.Unsent, ""
	words = cmp.Or(words, "it said nothing")
	if waitErr == nil {
		return sent, cutOff, plural.Errorf("scontrol: ended after %d of %d change{|s}: %s", sent, len(outcomes), words)
	}
	return sent, cutOff, plural.Errorf("scontrol: ended after %d of %d change{|s}: %w: %s", sent, len(outcomes), waitErr, words)
}

// lack returns why Slurm's denial ends a burst: slurmctld does not know us as an
// operator, or it does not say. nil means that we are one and that the denial is the
// matter of one job: a plugin of job_submit can deny it in the words of a lost right.
func (s Commands) lack(ctx context.Context, words string) error {
	operator, err := s.Operator(ctx)
	switch {
	case err != nil:
		return fmt.Errorf("scontrol: %s; whether the right to change jobs is lost is not known: %w", words, err)
	case operator:
		return nil
	}
	return fmt.Errorf("scontrol: %w: %s; is AdminLevel=Operator still set?", ErrDenied, words)
}

// Operator reports whether slurmctld knows us as an operator.
func (s Commands) Operator(ctx context.Context) (bool, error) {
	uid := uint32(os.Geteuid()) //nolint:gosec // not negative on Linux
	if s.credential != nil {
		uid = s.credential.Uid
	}
	users, err := s.KnownUsers(ctx)
	return slices.ContainsFunc(users, func(u User) bool { return u.UID == uid && u.Operator }), err
}

// direct runs the lines of a change that is too long for scontrol's standard
// input as commands of their own. It returns Slurm's words if Slurm refused, which a
// controller that does not answer in time has not.
func (s Commands) direct(ctx context.Context, lines string) (words string, err error) {
	for line := range strings.Lines(lines) {
		_, err = s.output(ctx, "scontrol", strings.Fields(line)...)
		switch {
		case errors.Is(err, ErrUnreachable), ctx.Err() != nil:
			return "", err
		case errors.Is(err, context.DeadlineExceeded):
			return "", fmt.Errorf("%w: %w", ErrSlow, err)
		case err != nil:
			return oneLine(err.Error()), nil
		}
	}
	return "", nil
}

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

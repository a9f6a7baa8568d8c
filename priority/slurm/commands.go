// Package slurm runs Slurm's commands and parses their output.
//
// Queue joins squeue and sprio. Update makes a burst of changes with one scontrol
// and reads the queue back. Other methods read the configuration, the partitions,
// the counters, shares and comments. ParseController and ParsePartitions read
// saved output of these commands, or a slurm.conf.
package slurm

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"

	"slurm-ostrich/priority"
)

// Commands runs Slurm's commands. The zero value finds them in PATH, uses the
// cluster of the environment and gives each command 10 seconds.
type Commands struct {
	Dir     string        // folder of the commands; "" means PATH
	Conf    string        // SLURM_CONF; "" means the environment's or Slurm's default
	Cluster string        // -M; "" means the local cluster. Needs slurmdbd.
	Timeout time.Duration // of one command; 0 means 10 s

	// BurstTimeout limits one Update, however many changes it makes; 0 means
	// Timeout plus 20 ms for each change.
	BurstTimeout time.Duration

	// credential runs the commands as another user, for tests that run as root.
	credential *syscall.Credential
}

const defaultTimeout = 10 * time.Second

// ErrUnreachable says that slurmctld did not answer.
var ErrUnreachable = errors.New("slurmctld does not answer")

// ErrDenied says that Slurm denies us the right to change jobs.
var ErrDenied = errors.New("slurm denies the right to change jobs")

// ErrNoUser says that slurmdbd has no such user.
var ErrNoUser = errors.New("not known to slurmdbd")

// errNotMultifactor is sprio's answer under another priority plugin.
var errNotMultifactor = errors.New("priority/multifactor is not in force")

// Missing reports whether a command of Slurm's is not there, or may not be run.
func Missing(err error) bool {
	return errors.Is(err, exec.ErrNotFound) || errors.Is(err, os.ErrNotExist) || errors.Is(err, os.ErrPermission)
}

func (s Commands) timeout() time.Duration {
	if s.Timeout > 0 {
		return s.Timeout
	}
	return defaultTimeout
}

// command prepares a command of Slurm's with an environment of its own, without
// the user's preferences for output.
func (s Commands) command(ctx context.Context, name string, args ...string) *exec.Cmd {
	path := name
	if s.Dir != "" {
		path = filepath.Join(s.Dir, name)
	}
	if s.Cluster != "" && name != "sacctmgr" { // its -M has another meaning
		args = append([]string{"-M", s.Cluster}, args...)
	}
	cmd := exec.CommandContext(ctx, path, args...)
	cmd.Env = append(slices.DeleteFunc(os.Environ(), unwanted.MatchString),
		"LC_ALL=C", "SLURM_TIME_FORMAT=%s", "SLURM_BITSTR_LEN=0")
	if s.Conf != "" {
		cmd.Env = append(cmd.Env, "SLURM_CONF="+s.Conf)
	}
	// A command in PATH may be a script around the real one, so a kill goes to
	// the whole process group.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Credential: s.credential}
	endWithUs(cmd)
	cmd.Cancel = func() error {
		err := syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		if errors.Is(err, syscall.ESRCH) {
			return os.ErrProcessDone
		}
		return err
	}
	// Do not wait long for the pipes of a child that has left the group.
	cmd.WaitDelay = time.Second
	return cmd
}

// unwanted are the variables that change the output of Slurm's commands, and our own,
// which include the database's password.
var unwanted = regexp.MustCompile(`^((OSTRICH|SQUEUE|SPRIO|SCONTROL|SDIAG|SACCT)_[^=]*|` +
	`SLURM_(TIME_FORMAT|BITSTR_LEN|CLUSTERS|JSON|YAML|DEBUG_FLAGS))(=|$)`)

// output runs a command to its end and returns what it printed. An error names
// the command and repeats its message.
func (s Commands) output(ctx context.Context, name string, args ...string) (string, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	stdout := limited{most: mostOutput, full: cancel}
	err := s.run(ctx, &stdout, name, args...)
	if stdout.over {
		return "", fmt.Errorf("%s: %w: it printed more than %d MiB and was ended", name, ErrOutput, mostOutput>>20)
	}
	if err != nil {
		return "", err
	}
	return stdout.String(), nil
}

// parsed runs a command to its end and parses what it printed.
func parsed[T any](ctx context.Context, s Commands, parse func(out string) (T, error), name string, args ...string) (T, error) {
	out, err := s.output(ctx, name, args...)
	if err != nil {
		var none T
		return none, err
	}
	return parse(out)
}

// Run runs one of Slurm's commands that only read, such as sacct, to its end and passes
// on what it prints. An error of the writer ends the command.
func (s Commands) Run(ctx context.Context, to io.Writer, name string, args ...string) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	out := stopping{to: to, stop: cancel}
	err := s.run(ctx, &out, name, args...)
	if out.err != nil {
		return fmt.Errorf("%s: %w", name, out.err)
	}
	return err
}

// run runs a command to its end. An error names the command and repeats its message.
func (s Commands) run(ctx context.Context, to io.Writer, name string, args ...string) error {
	return s.fed(ctx, nil, to, name, args...)
}

// fed is run for a command that reads its input; nil is an empty one.
func (s Commands) fed(ctx context.Context, from io.Reader, to io.Writer, name string, args ...string) error {
	ctx, cancel := context.WithTimeout(ctx, s.timeout())
	defer cancel()
	cmd := s.command(ctx, name, args...)
	stderr := limited{most: mostWords, full: cancel}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = from, to, &stderr
	runtime.LockOSThread() // see endWithUs
	defer runtime.UnlockOSThread()
	err := cmd.Run()
	said, words := strings.TrimSpace(stderr.String()), ""
	if said != "" {
		words = ": " + oneLine(said)
	}
	switch {
	case stderr.over:
		return fmt.Errorf("%s: %w: more than %d KiB of messages, and it was ended%s", name, ErrOutput, mostWords>>10, words)
	case strings.Contains(said, "not running a supported priority plugin"):
		return errNotMultifactor
	case err == nil:
		return nil
	case strings.Contains(said, errNoOption.Error()):
		return fmt.Errorf("%s: %w%s", name, errNoOption, words)
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return fmt.Errorf("%s: no answer within %v: %w%s", name, s.timeout(), ctx.Err(), words)
	case ctx.Err() != nil:
		return fmt.Errorf("%s: %w", name, ctx.Err())
	case unreachable(said):
		return fmt.Errorf("%s: %w%s", name, ErrUnreachable, words)
	default:
		return fmt.Errorf("%s: %w%s", name, err, words)
	}
}

// unreachable reports whether a command's message says that slurmctld is away, or
// that munge is, without which it answers nobody. scontrol update of 22.05 only says
// "Unexpected message received" when its connection is refused.
func unreachable(said string) bool {
	return priority.Says(said, "Unable to contact slurm controller", "Could not establish a configuration source",
		"Unexpected message received", "Socket timed out", "Zero Bytes were transmitted", "authentication")
}

// oneLine returns text as one line of limited length.
func oneLine(s string) string {
	return shortened(strings.Join(strings.FieldsFunc(s, func(r rune) bool { return r == '\n' || r == '\r' }), "; "), 400)
}

// clip shortens text for an error message.
func clip(s string) string { return shortened(s, 80) }

func shortened(s string, most int) string {
	if len(s) <= most {
		return s
	}
	return s[:most] + "…"
}

// newMark returns a string that no job's name contains.
func newMark() string { return "\x1e" + rand.Text() + "\x1e" }

const (
	// mostOutput is how much a command may print. A record of squeue's takes some
	// 200 bytes besides the job's name or comment, and few of these are longer
	// than 1 kB. This is enough for 100 000 pending jobs with 2.6 kB each.
	mostOutput = 256 << 20
	// mostWords is how much a command may print on standard error, and
	// mostWordsEach how much more for each change of a burst: scontrol repeats a
	// line or two of each.
	mostWords     = 64 << 10
	mostWordsEach = 4 << 10
)

// ErrOutput says that a command printed more than any real answer has, and was
// ended.
var ErrOutput = errors.New("too much output")

// limited keeps what a command prints, up to most bytes. It drops the rest and
// calls full, which ends the command. The text is kept in parts, as one of megabytes that
// grows is copied again and again.
type limited struct {
	parts []string
	size  int // bytes in parts
	most  int
	full  func()
	over  bool // there was more
}

// Write never returns an error: full ends the command.
func (l *limited) Write(p []byte) (int, error) {
	part := p[:min(len(p), l.most-l.size)]
	if len(part) < len(p) && !l.over {
		l.over = true
		l.full()
	}
	if len(part) > 0 {
		l.parts, l.size = append(l.parts, string(part)), l.size+len(part)
	}
	return len(p), nil
}

// String returns what was printed.
func (l *limited) String() string { return strings.Join(l.parts, "") }

// stopping passes on what a command prints. The first error of the writer ends the command.
type stopping struct {
	to   io.Writer
	stop func()
	err  error
}

// Write never returns an error: stop ends the command.
func (s *stopping) Write(p []byte) (int, error) {
	if s.err != nil {
		return len(p), nil //nolint:nilerr // whoever runs the command looks at err
	}
	if _, s.err = s.to.Write(p); s.err != nil {
		s.stop()
	}
	return len(p), nil
}

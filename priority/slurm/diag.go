package slurm

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"slurm-ostrich/ostrich"
)

// Diag is what slurmctld counts about itself (sdiag).
type Diag struct {
	At           ostrich.Time // when it was asked, by slurmctld's clock
	ServerThread int          // requests being served
	AgentQueue   int          // messages to nodes that are to be sent again
	AgentPending int          // the same by type, as counted at most 30 s ago
	RPCQueue     int          // requests in queues of their own (enable_rpc_queue, since 24.05)
	DBDQueue     int          // messages that wait for slurmdbd
	Pending      int          // "Jobs pending", counting array tasks; refreshed twice a minute
	Running      int
	Jobs         JobCounts

	Main        CycleTimes // of the main scheduler
	Backfill    CycleTimes // of the backfill scheduler, without the time that it slept
	Backfilling bool       // a backfill cycle is running
}

// JobCounts is how many jobs have been submitted, have started and have ended
// since counting began: at midnight UTC, with the start of slurmctld or with
// "sdiag --reset". If two are equal, none of this has happened between them.
type JobCounts struct {
	Since                                           ostrich.Time // when counting began
	Submitted, Started, Completed, Canceled, Failed int
}

// CycleTimes is how long a scheduler holds slurmctld's locks.
type CycleTimes struct {
	Last time.Duration
	Mean time.Duration // since counting began
}

// Diag asks slurmctld for its counters.
func (s Commands) Diag(ctx context.Context) (Diag, error) {
	return parsed(ctx, s, parseDiag, "sdiag")
}

// The sections of sdiag that matter, by how their headings begin. Those of requests have
// lines of their own kind.
const (
	sectionMain     = "Main schedule statistics"
	sectionBackfill = "Backfilling stats"
	sectionByType   = "Remote Procedure Call statistics by message type"
	sectionByUser   = "Remote Procedure Call statistics by user"
	sectionPending  = "Pending RPC"
)

var sections = []string{sectionMain, sectionBackfill, sectionByType, sectionByUser, sectionPending}

// stores returns the function that stores the value of each key. The heading of a section
// stands before a key that counts only there.
func (d *Diag) stores() map[string]func(value string) error {
	return map[string]func(string) error{
		"Server thread count":          into(&d.ServerThread, number),
		"Agent queue size":             into(&d.AgentQueue, number),
		"DBD Agent queue size":         into(&d.DBDQueue, number),
		"Jobs pending":                 into(&d.Pending, number),
		"Jobs running":                 into(&d.Running, number),
		"Jobs submitted":               into(&d.Jobs.Submitted, number),
		"Jobs started":                 into(&d.Jobs.Started, number),
		"Jobs completed":               into(&d.Jobs.Completed, number),
		"Jobs canceled":                into(&d.Jobs.Canceled, number),
		"Jobs failed":                  into(&d.Jobs.Failed, number),
		sectionMain + "Last cycle":     into(&d.Main.Last, microseconds),
		sectionMain + "Mean cycle":     into(&d.Main.Mean, microseconds),
		sectionBackfill + "Last cycle": into(&d.Backfill.Last, microseconds),
		sectionBackfill + "Mean cycle": into(&d.Backfill.Mean, microseconds),
	}
}

// parseDiag reads what sdiag prints.
func parseDiag(out string) (Diag, error) {
	var d Diag
	stores := d.stores()
	section, seen := "", false
	for line := range strings.Lines(out) {
		line = strings.TrimSpace(line)
		if i := slices.IndexFunc(sections, func(heading string) bool { return strings.HasPrefix(line, heading) }); i >= 0 {
			if section = sections[i]; section == sectionBackfill {
				d.Backfilling = strings.Contains(line, "in the middle of backfilling")
			}
			continue
		}
		var err error
		switch {
		case strings.HasPrefix(line, "sdiag output at"):
			d.At, err = stamp(line)
			seen = true
		case strings.HasPrefix(line, "Data since"):
			d.Jobs.Since, err = stamp(line)
		case section == sectionByType, section == sectionPending:
			err = d.count(section, line)
		default:
			key, value, _ := strings.Cut(line, ":")
			store, known := stores[key]
			if !known {
				store, known = stores[section+key]
			}
			if known {
				err = store(strings.TrimSpace(value))
			}
		}
		if err != nil {
			return Diag{}, fmt.Errorf("sdiag: %q: %w", clip(line), err)
		}
	}
	if !seen {
		return Diag{}, fmt.Errorf("sdiag: unexpected output %q", clip(strings.TrimSpace(out)))
	}
	return d, nil
}

// count reads a line of the statistics of requests: how many wait.
func (d *Diag) count(section, line string) error {
	_, rest, ok := strings.Cut(line, "(")
	_, counts, found := strings.Cut(rest, "count:")
	fields := strings.Fields(counts)
	if !ok || !found || len(fields) == 0 {
		return nil
	}
	if section == sectionPending {
		n, err := number(fields[0])
		d.AgentPending += n
		return err
	}
	for _, f := range fields[1:] {
		if waiting, is := strings.CutPrefix(f, "queued:"); is {
			n, err := number(waiting)
			d.RPCQueue += n
			return err
		}
	}
	return nil
}

func number(text string) (int, error) {
	n, err := strconv.Atoi(text)
	if err != nil {
		return 0, errors.New("not a number")
	}
	return n, nil
}

func microseconds(text string) (time.Duration, error) {
	us, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		return 0, errors.New("not a number of microseconds")
	}
	return time.Duration(min(us, math.MaxInt64/1000)) * time.Microsecond, nil
}

// stamp reads the Unix time in parentheses at the end of a text.
func stamp(text string) (ostrich.Time, error) {
	_, number, ok := strings.Cut(text, "(")
	t, err := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(number), ")"), 10, 64)
	if !ok || err != nil {
		return 0, errors.New("no time in parentheses")
	}
	return ostrich.Time(t), nil
}

// AdminLevel returns the AdminLevel of a user: "None", "Operator" or
// "Administrator". A user unknown to slurmdbd is an error.
func (s Commands) AdminLevel(ctx context.Context, user string) (string, error) {
	if user == "" || strings.ContainsAny(user, " ,=\n") {
		return "", fmt.Errorf("user %q: not a user's name", user)
	}
	out, err := s.output(ctx, "sacctmgr", "-nP", "show", "user", "name="+user, "format=user,adminlevel")
	if err != nil {
		return "", err
	}
	for line := range strings.Lines(out) {
		name, level, ok := strings.Cut(strings.TrimSpace(line), "|")
		if ok && name == user {
			return level, nil
		}
	}
	return "", fmt.Errorf("user %s: %w", user, ErrNoUser)
}

package slurm

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"slurm-ostrich/ostrich"
)

// Diag is what slurmctld counts about itself (sdiag).
type Diag struct {
	At           ostrich.Time // when it was asked, by slurmctld's clock
	Since        ostrich.Time // when counting began
	ServerThread int          // requests being served
	AgentQueue   int          // messages to nodes that are to be sent again
	AgentPending int          // the same by type, as counted at most 30 s ago
	RPCQueue     int          // requests in queues of their own (enable_rpc_queue, since 24.05)
	DBDQueue     int          // messages that wait for slurmdbd
	Pending      int          // "Jobs pending", counting array tasks; refreshed twice a minute
	Running      int
	Jobs         JobCounts

	Main              CycleTimes   // of the main scheduler
	Backfill          CycleTimes   // of the backfill scheduler, without the time that it slept
	Backfilling       bool         // a backfill cycle is running
	LastBackfill      ostrich.Time // when the last backfill cycle ended; 0 for none
	LastBackfillDepth int

	Updates    int // REQUEST_UPDATE_JOB since counting began
	RPCs       map[string]int
	RPCsByUser map[string]int
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
	out, err := s.output(ctx, "sdiag")
	if err != nil {
		return Diag{}, err
	}
	return parseDiag(string(out))
}

// parseDiag reads what sdiag prints.
func parseDiag(out string) (Diag, error) {
	d := Diag{RPCs: make(map[string]int), RPCsByUser: make(map[string]int)}
	section, seen := "", false
	for line := range strings.Lines(out) {
		line = strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(line, "sdiag output at"):
			at, err := stamp(line)
			if err != nil {
				return Diag{}, fmt.Errorf("sdiag: %w", err)
			}
			d.At, seen = at, true
			continue
		case strings.HasPrefix(line, "Data since"):
			since, err := stamp(line)
			if err != nil {
				return Diag{}, fmt.Errorf("sdiag: %w", err)
			}
			d.Since, d.Jobs.Since = since, since
			continue
		case strings.HasPrefix(line, "Backfilling stats"):
			section = "backfill"
			d.Backfilling = strings.Contains(line, "in the middle of backfilling")
			continue
		case strings.HasPrefix(line, "Main schedule statistics"):
			section = "main"
			continue
		case strings.HasPrefix(line, "Remote Procedure Call statistics by message type"):
			section = "rpc"
			continue
		case strings.HasPrefix(line, "Remote Procedure Call statistics by user"):
			section = "user"
			continue
		case strings.HasPrefix(line, "Pending RPC"):
			section = "pending"
			continue
		}
		if err := d.set(section, line); err != nil {
			return Diag{}, fmt.Errorf("sdiag: %w", err)
		}
	}
	if !seen {
		return Diag{}, fmt.Errorf("sdiag: unexpected output %q", clip(strings.TrimSpace(out)))
	}
	d.Updates = d.RPCs["REQUEST_UPDATE_JOB"]
	return d, nil
}

func (d *Diag) set(section, line string) (err error) {
	if section == "rpc" || section == "user" || section == "pending" {
		return d.count(section, line)
	}
	key, value, _ := strings.Cut(line, ":")
	value = strings.TrimSpace(value)
	number := func(to *int) {
		if *to, err = strconv.Atoi(value); err != nil {
			err = fmt.Errorf("%q: not a number", clip(line))
		}
	}
	span := func(to *time.Duration) {
		us, bad := strconv.ParseUint(value, 10, 64)
		if bad != nil {
			err = fmt.Errorf("%q: not a number of microseconds", clip(line))
		}
		*to = time.Duration(min(us, math.MaxInt64/1000)) * time.Microsecond
	}
	switch {
	case key == "Server thread count":
		number(&d.ServerThread)
	case key == "Agent queue size":
		number(&d.AgentQueue)
	case key == "DBD Agent queue size":
		number(&d.DBDQueue)
	case key == "Jobs pending":
		number(&d.Pending)
	case key == "Jobs running":
		number(&d.Running)
	case key == "Jobs submitted":
		number(&d.Jobs.Submitted)
	case key == "Jobs started":
		number(&d.Jobs.Started)
	case key == "Jobs completed":
		number(&d.Jobs.Completed)
	case key == "Jobs canceled":
		number(&d.Jobs.Canceled)
	case key == "Jobs failed":
		number(&d.Jobs.Failed)
	case key == "Last cycle" && section == "main":
		span(&d.Main.Last)
	case key == "Mean cycle" && section == "main":
		span(&d.Main.Mean)
	case key == "Last cycle" && section == "backfill":
		span(&d.Backfill.Last)
	case key == "Mean cycle" && section == "backfill":
		span(&d.Backfill.Mean)
	case key == "Last cycle when" && section == "backfill":
		if strings.HasPrefix(value, "N/A") {
			return nil
		}
		d.LastBackfill, err = stamp(line)
	case key == "Last depth cycle" && section == "backfill":
		number(&d.LastBackfillDepth)
	}
	return err
}

// count reads a line of the statistics of requests.
func (d *Diag) count(section, line string) error {
	name, rest, ok := strings.Cut(line, "(")
	_, counts, found := strings.Cut(rest, "count:")
	fields := strings.Fields(counts)
	if !ok || !found || len(fields) == 0 {
		return nil
	}
	n, bad := strconv.Atoi(fields[0])
	if bad != nil {
		return fmt.Errorf("%q: count is not a number", clip(line))
	}
	name = strings.TrimSpace(name)
	switch section {
	case "user":
		d.RPCsByUser[name] = n
	case "pending":
		d.AgentPending += n
	default:
		d.RPCs[name] = n
		for _, f := range fields[1:] {
			waiting, is := strings.CutPrefix(f, "queued:")
			if !is {
				continue
			}
			if n, bad = strconv.Atoi(waiting); bad != nil {
				return fmt.Errorf("%q: queued is not a number", clip(line))
			}
			d.RPCQueue += n
		}
	}
	return nil
}

// stamp reads the Unix time in parentheses at the end of a line.
func stamp(line string) (ostrich.Time, error) {
	_, text, ok := strings.Cut(line, "(")
	t, err := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(text), ")"), 10, 64)
	if !ok || err != nil {
		return 0, fmt.Errorf("%q: no time in parentheses", clip(line))
	}
	return ostrich.Time(t), nil
}

// AdminLevel returns the AdminLevel of a user: "None", "Operator" or
// "Administrator". A user unknown to slurmdbd is an error.
func (s Commands) AdminLevel(ctx context.Context, user string) (string, error) {
	if user == "" || strings.ContainsAny(user, " ,=\n") {
		return "", fmt.Errorf("user %q: not a user's name", user)
	}
	// sacctmgr's -M has another meaning: users are common to all clusters.
	s.Cluster = ""
	out, err := s.output(ctx, "sacctmgr", "-nP", "show", "user", "name="+user, "format=user,adminlevel")
	if err != nil {
		return "", err
	}
	for line := range strings.Lines(string(out)) {
		name, level, ok := strings.Cut(strings.TrimSpace(line), "|")
		if ok && name == user {
			return level, nil
		}
	}
	return "", fmt.Errorf("user %s: %w", user, ErrNoUser)
}

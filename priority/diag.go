package priority

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"slurm-ostrich/ostrich"
)

// Diag is what slurmctld counts about itself (sdiag).
type Diag struct {
	At           ostrich.Time // when it was asked, by slurmctld's clock
	Since        ostrich.Time // when counting began
	ServerThread int          // requests being served
	AgentQueue   int
	DBDQueue     int // messages that wait for slurmdbd
	Pending      int // "Jobs pending", counting array tasks; refreshed twice a minute
	Running      int

	Backfilling       bool         // a backfill cycle is under way
	LastBackfill      ostrich.Time // when the last backfill cycle ended; 0 for none
	LastBackfillDepth int

	Updates    int // REQUEST_UPDATE_JOB since counting began
	RPCs       map[string]int
	RPCsByUser map[string]int
}

// Diag asks slurmctld for its counters.
func (s Slurm) Diag(ctx context.Context) (Diag, error) {
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
			d.Since = since
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
	if section == "rpc" || section == "user" {
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
		if section == "rpc" {
			d.RPCs[strings.TrimSpace(name)] = n
		} else {
			d.RPCsByUser[strings.TrimSpace(name)] = n
		}
		return nil
	}
	key, value, _ := strings.Cut(line, ":")
	value = strings.TrimSpace(value)
	number := func(to *int) {
		if *to, err = strconv.Atoi(value); err != nil {
			err = fmt.Errorf("%q: not a number", clip(line))
		}
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

// stamp reads the Unix seconds in parentheses at the end of a line.
func stamp(line string) (ostrich.Time, error) {
	_, text, ok := strings.Cut(line, "(")
	t, err := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(text), ")"), 10, 64)
	if !ok || err != nil {
		return 0, fmt.Errorf("%q: no time in parentheses", clip(line))
	}
	return ostrich.Time(t), nil
}

// AdminLevel returns the AdminLevel of a user: "None", "Operator" or
// "Administrator". A user that slurmdbd does not know is an error.
func (s Slurm) AdminLevel(ctx context.Context, user string) (string, error) {
	if user == "" || strings.ContainsAny(user, " ,=\n") {
		return "", fmt.Errorf("user %q: not a user's name", user)
	}
	// sacctmgr has no -M of the same meaning: users are common to all clusters.
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
	return "", fmt.Errorf("user %s: not known to slurmdbd; add it with sacctmgr add user %s account=… adminlevel=operator", user, user)
}

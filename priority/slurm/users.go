package slurm

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"slurm-ostrich/ostrich/plural"
)

// User is a user that slurmctld knows, and what they may see of others.
type User struct {
	Name        string
	UID         uint32
	Operator    bool     // AdminLevel Operator or Administrator
	Coordinates []string // accounts, with those below them
}

// Users are Slurm's users, and what slurmdbd hides from them.
type Users struct {
	List    []User
	Private []string // PrivateData of slurmdbd.conf; "jobs" if slurmdbd does not show it
}

// Users asks slurmctld and slurmdbd for the users. The list is the one that slurmctld
// itself uses, with uids, so no name service is asked. With PrivateData=users only an
// operator sees other users.
func (s Commands) Users(ctx context.Context) (Users, error) {
	users, err := s.KnownUsers(ctx)
	if err != nil {
		return Users{}, err
	}
	coordinators, err := s.output(ctx, "sacctmgr", "-nP", "show", "user", "withcoordinator", "format=user,coordinators")
	if err != nil {
		return Users{}, err
	}
	if err = parseCoordinators(coordinators, users); err != nil {
		return Users{}, err
	}
	private, err := s.Private(ctx)
	if err != nil {
		return Users{}, err
	}
	return Users{users, private}, nil
}

// Private returns PrivateData of slurmdbd.conf, see Users.
func (s Commands) Private(ctx context.Context) ([]string, error) {
	shown, err := s.output(ctx, "sacctmgr", "-nP", "show", "configuration")
	if err != nil {
		return nil, err
	}
	return parsePrivate(shown), nil
}

// DatabaseVersion returns the release of slurmdbd, "" if sacctmgr does not tell.
func (s Commands) DatabaseVersion(ctx context.Context) string {
	shown, err := s.output(ctx, "sacctmgr", "-nP", "show", "configuration")
	if err != nil {
		return ""
	}
	version, _ := valueOf(shown, "SLURMDBD_VERSION")
	return version
}

// valueOf returns a value of slurmdbd's from "sacctmgr show configuration".
func valueOf(out, wanted string) (value string, is bool) {
	_, out, _ = strings.Cut(out, "SlurmDBD configuration:\n")
	for line := range strings.Lines(out) {
		if key, value, found := strings.Cut(line, "="); found && strings.TrimSpace(key) == wanted {
			return strings.TrimSpace(value), true
		}
	}
	return "", false
}

// KnownUsers asks slurmctld for the users. It leaves Coordinates empty.
func (s Commands) KnownUsers(ctx context.Context) ([]User, error) {
	return parsed(ctx, s, parseUsers, "scontrol", "-o", "show", "assoc_mgr", "flags=users")
}

// parsePrivate reads slurmdbd's PrivateData from "sacctmgr show configuration", which
// shows that of slurm.conf first. If it does not show slurmdbd's, parsePrivate returns
// "jobs", so that too little is shown rather than too much.
func parsePrivate(out string) []string {
	if value, is := valueOf(out, "PrivateData"); is {
		return list(strings.ToLower(unless(value, "none")))
	}
	return []string{"jobs"}
}

// parseUsers reads "scontrol -o show assoc_mgr flags=users". It leaves out users whose
// uid slurmctld does not know.
func parseUsers(out string) ([]User, error) {
	var all []User
	for line := range strings.Lines(out) {
		who, found := strings.CutPrefix(line, "UserName=")
		if !found {
			continue
		}
		who, _, _ = strings.Cut(strings.TrimSpace(who), " ")
		name, id, _ := strings.Cut(strings.TrimSuffix(who, ")"), "(")
		uid, err := strconv.ParseUint(id, 10, 32)
		if err != nil || name == "" {
			return nil, fmt.Errorf("scontrol show assoc_mgr: line %q: no name and uid", clip(line))
		}
		if uid >= unknownUID {
			continue
		}
		all = append(all, User{Name: name, UID: uint32(uid), Operator: Operates(field(line, "AdminLevel"))})
	}
	return all, nil
}

// Operates reports whether an AdminLevel is that of an operator or more.
func Operates(level string) bool {
	return strings.HasPrefix(level, "Operator") || strings.HasPrefix(level, "Admin")
}

// unknownUID and all above it stand for no user (NO_VAL and SLURM_AUTH_NOBODY).
const unknownUID = 0xfffffffe

// parseCoordinators reads the accounts that users coordinate, which sacctmgr prints
// as "name|account,account".
func parseCoordinators(out string, users []User) error {
	accounts := make(map[string][]string)
	for line := range strings.Lines(out) {
		name, of, found := strings.Cut(strings.TrimRight(line, "\n"), "|")
		if !found {
			return fmt.Errorf("sacctmgr: line %q: not a user and accounts", clip(line))
		}
		if of != "" {
			accounts[name] = strings.Split(of, ",")
		}
	}
	for i := range users {
		users[i].Coordinates = accounts[users[i].Name]
	}
	return nil
}

// Values returns the values that a field of squeue's --format, such as "%u", has in the
// queue, each once and sorted. A job in several partitions counts for each. It runs one
// squeue.
func (s Commands) Values(ctx context.Context, field string) ([]string, error) {
	out, err := s.squeue(ctx, field, "-t", waiting+",RUNNING,SUSPENDED")
	if err != nil {
		return nil, err
	}
	values := strings.FieldsFunc(out, func(r rune) bool { return strings.ContainsRune(",\n ", r) })
	if strings.HasPrefix(field, "%i") { // the list of an array's tasks has commas
		values = strings.Fields(out)
	}
	slices.Sort(values)
	return slices.Compact(values), nil
}

// Share is what sshare shows of an association.
type Share struct {
	Account, User string // User is "" for an account
	RawUsage      float64
	NormShares    float64
	Effective     float64 // EffectvUsage
	FairShare     float64 // the factor, from 0 to 1; 0 for an account under Fair Tree
	LevelFS       float64 // +Inf without usage; 0 without Fair Tree
}

// shareColumns are sshare's columns for the fields of a Share.
const shareColumns = "Account%80,User%80,RawUsage%30,NormShares%30,EffectvUsage%30,FairShare%30,LevelFS%30"

// Shares returns what sshare shows of all associations.
func (s Commands) Shares(ctx context.Context) ([]Share, error) {
	return parsed(ctx, s, parseShares, "sshare", "-a", "-l", "-n", "-P", "-o", shareColumns)
}

// parseShares reads sshare -P, which indents accounts by their depth.
func parseShares(out string) ([]Share, error) {
	var list []Share
	for line := range strings.Lines(out) {
		line = strings.TrimRight(line, "\r\n")
		if line == "" {
			continue
		}
		f := strings.Split(line, "|")
		if len(f) != 7 {
			return nil, plural.Errorf("sshare: %q: %d field{|s}, want 7", clip(line), len(f))
		}
		x := Share{Account: strings.TrimSpace(f[0]), User: strings.TrimSpace(f[1])}
		for i, to := range []*float64{&x.RawUsage, &x.NormShares, &x.Effective, &x.FairShare, &x.LevelFS} {
			text := strings.TrimSpace(f[2+i])
			switch {
			case text == "":
				continue
			case strings.HasPrefix(strings.ToLower(text), "inf"):
				*to = math.Inf(1)
				continue
			}
			var err error
			if *to, err = strconv.ParseFloat(text, 64); err != nil || math.IsNaN(*to) {
				return nil, fmt.Errorf("sshare: %q: %q is no number", clip(line), clip(text))
			}
		}
		list = append(list, x)
	}
	return list, nil
}

package slurm

import (
	"context"
	"fmt"
	"strconv"
	"strings"
)

// User is a user that slurmctld knows, and what they may see of others.
type User struct {
	Name        string
	UID         uint32
	Operator    bool     // AdminLevel Operator or Administrator
	Coordinates []string // accounts, with those below them
}

// Users asks slurmctld and slurmdbd for the users. The users themselves are those by
// which slurmctld decides, with their uids, so that no name service is asked. With
// PrivateData=users only an operator sees others than itself.
func (s Commands) Users(ctx context.Context) ([]User, error) {
	known, err := s.output(ctx, "scontrol", "-o", "show", "assoc_mgr", "flags=users")
	if err != nil {
		return nil, err
	}
	users, err := parseUsers(string(known))
	if err != nil {
		return nil, err
	}
	s.Cluster = "" // sacctmgr's -M has another meaning
	coordinators, err := s.output(ctx, "sacctmgr", "-nP", "show", "user", "withcoordinator", "format=user,coordinators")
	if err != nil {
		return nil, err
	}
	return users, parseCoordinators(string(coordinators), users)
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
		level := field(line, "AdminLevel")
		all = append(all, User{Name: name, UID: uint32(uid), Operator: strings.HasPrefix(level, "Operator") || strings.HasPrefix(level, "Admin")})
	}
	return all, nil
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

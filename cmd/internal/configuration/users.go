package configuration

import (
	"context"
	"fmt"
	"os/user"
	"strconv"
	"strings"

	"slurm-ostrich/priority/slurm"
)

// NamesOfUIDs replaces uids by names, in place. An error names one that nobody has.
func (c *Config) NamesOfUIDs(ctx context.Context, users []string) error {
	for i, name := range users {
		if _, err := strconv.ParseUint(name, 10, 32); err != nil {
			continue
		}
		if u, err := user.LookupId(name); err == nil {
			users[i] = u.Username
			continue
		}
		found, ok := c.usersOfSlurm(ctx)[name]
		if !ok {
			return fmt.Errorf("invalid user: %s", name)
		}
		users[i] = found
	}
	return nil
}

// KnownUsers returns an error for a name that neither an answer, the system nor Slurm
// knows. A static program sees only those users of the system that are in /etc/passwd.
func (c *Config) KnownUsers(ctx context.Context, names []string, answer interface{ HasUser(name string) bool }) error {
	var ofSlurm map[string]string // nil until Slurm is asked
	for _, name := range names {
		if _, err := user.Lookup(name); err == nil || answer.HasUser(name) {
			continue
		}
		if ofSlurm == nil {
			ofSlurm = c.usersOfSlurm(ctx)
		}
		if ofSlurm[name] == "" {
			return fmt.Errorf("invalid user: %s", name)
		}
	}
	return nil
}

// usersOfSlurm returns the users that slurmctld knows or that have jobs, by name and by
// uid. What Slurm does not answer is left out.
func (c *Config) usersOfSlurm(ctx context.Context) map[string]string {
	slurm := c.Commands()
	found := make(map[string]string)
	add := func(uid, name string) {
		if _, isName := found[uid]; !isName {
			found[uid] = name
		}
		found[name] = name
	}
	if users, err := slurm.KnownUsers(ctx); err == nil {
		for _, u := range users {
			add(strconv.FormatUint(uint64(u.UID), 10), u.Name)
		}
	}
	if users, err := slurm.Values(ctx, "%U=%u"); err == nil {
		for _, u := range users {
			uid, name, _ := strings.Cut(u, "=")
			add(uid, name)
		}
	}
	return found
}

// Operator reports whether a user is an operator of Slurm, or more.
func (c *Config) Operator(ctx context.Context, user string) (bool, error) {
	level, err := c.Commands().AdminLevel(ctx, user)
	return slurm.Operates(level), err
}

// Owner splits a name of Accounting.UserName into account and user. With flat
// shares the name is a user's, and the account is empty.
func Owner(name string) (account, user string) {
	if account, user, ok := strings.Cut(name, "/"); ok {
		return account, user
	}
	return "", name
}

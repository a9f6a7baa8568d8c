package check

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/user"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"syscall"

	"slurm-ostrich/cmd/internal/configuration"
	"slurm-ostrich/cmd/internal/webserver"
	"slurm-ostrich/priority/slurm"
)

// units are where systemd finds the service, what wins first: what an administrator adds
// to it, and the unit itself.
var units = []string{
	"/etc/systemd/system/ostrichd.service.d/*.conf", "/etc/systemd/system/ostrichd.service",
	"/usr/local/lib/systemd/system/ostrichd.service", "/usr/lib/systemd/system/ostrichd.service", "/lib/systemd/system/ostrichd.service",
}

// unitUser matches the user of a unit.
var unitUser = regexp.MustCompile(`(?m)^User=([^\s%]+)\s*$`)

// serviceUsers returns the users as whom ostrichd may run here: the owner of the journal's
// folder, and the user of the installed unit. Root is none of them.
func serviceUsers(c *configuration.Config) (names []string) {
	if info, err := os.Stat(filepath.Dir(c.Journal)); err == nil && c.Journal != "" {
		if of, ok := info.Sys().(*syscall.Stat_t); ok && of.Uid != 0 {
			if u, err := user.LookupId(strconv.FormatUint(uint64(of.Uid), 10)); err == nil {
				names = append(names, u.Username)
			}
		}
	}
	for _, pattern := range units {
		files, _ := filepath.Glob(pattern) // The patterns are well formed.
		slices.Sort(files)
		slices.Reverse(files) // of several, the last wins
		for _, file := range files {
			raw, err := os.ReadFile(file)
			if found := unitUser.FindAllSubmatch(raw, -1); err == nil && len(found) > 0 {
				return append(names, string(found[len(found)-1][1]))
			}
		}
	}
	return names
}

// ServiceUser returns the user as whom ostrichd runs here, "ostrich" if that is not known.
func ServiceUser(c *configuration.Config) string { return append(serviceUsers(c), "ostrich")[0] }

// RunAs says how to run a command of ostrich as the service's user.
func RunAs(c *configuration.Config, command string) string {
	as := ServiceUser(c)
	return fmt.Sprintf("run it as %s: runuser -u %s -- ostrich %s", as, as, command)
}

// whose decides whose rights are checked. Somebody who is neither root nor the service's
// user and names nobody learns of the service's user, not of themselves.
func (l *checklist) whose(as, me string) {
	l.as, l.me = as, me
	if as != "" {
		return
	}
	l.as = me
	if services := serviceUsers(&l.Config); me != "root" && len(services) > 0 && !slices.Contains(services, me) {
		l.as, l.byOther = services[0], true
		l.add("user", Warn, RunAs(&l.Config, "check"), "%s runs this, and ostrichd runs as %s: what %s may read and write here says nothing of it", me, l.as, me)
	}
}

func (l *checklist) checkOperator(ctx context.Context) {
	as := l.as
	if as == "root" {
		l.ok("operator", "root may change every job; an unprivileged user with AdminLevel=Operator is enough")
		return
	}
	level, err := l.Commands().AdminLevel(ctx, as)
	missing := Fail
	if l.Mode == configuration.Observe {
		missing = Warn // nothing is written
	}
	// For an existing user, add changes only associations.
	add, modify := fmt.Sprintf("sacctmgr -i add user %s account=root adminlevel=operator", as), fmt.Sprintf("sacctmgr -i modify user %s set adminlevel=operator", as)
	_, absent := user.Lookup(as)
	switch {
	case err != nil && !errors.Is(err, slurm.ErrNoUser):
		l.add("operator", missing, "start slurmdbd, or let sacctmgr reach it from here", "AdminLevel of %s: %v", as, err)
	case err != nil && absent != nil:
		l.add("operator", missing, fmt.Sprintf("name a user who exists, such as that of ostrichd (--as %s), or create %s first", ServiceUser(&l.Config), as),
			"there is no such user: neither this host nor slurmdbd knows %s", as)
	case err != nil:
		l.add("operator", missing, add, "AdminLevel of %s: %v", as, err)
	case slurm.Operates(level):
		l.ok("operator", "%s has AdminLevel %s", as, level)
	default:
		l.add("operator", missing, modify, "%s has AdminLevel %s", as, level)
	}
}

// settingFile is a file of the configuration.
type settingFile struct{ setting, path string }

// files are those that ostrichd reads, from the root on.
func settingFiles(c *configuration.Config) (list []settingFile) {
	add := func(setting, path string) {
		if path != "" {
			if whole, err := filepath.Abs(path); err == nil {
				path = whole
			}
			list = append(list, settingFile{setting, path})
		}
	}
	add("configuration", c.File())
	if c.From == configuration.Tables {
		add("database.password_file", os.ExpandEnv(c.Database.PasswordFile))
		add("database.tls", c.Database.TLSCA)
	}
	add("slurm.conf", c.Slurm.Conf)
	add("web.config_file", c.WebFile())
	for _, file := range webserver.Files(c.WebFile()) {
		add("web.config_file", file)
	}
	return list
}

// checkFiles looks whether the user whose rights are checked, or that of ostrichd if this is root, may read the files of
// the configuration, where root runs this: root reads them all.
func (l *checklist) checkFiles(ctx context.Context) {
	as := l.as
	if services := serviceUsers(&l.Config); as == "root" && len(services) > 0 {
		as = services[0]
	}
	if l.me != "root" || as == "root" {
		return
	}
	u, err := user.Lookup(as)
	if err != nil {
		if as != l.as { // else it may be one of other hosts
			l.add("files", Fail, "create the user, or let User= of the unit name one who exists", "ostrichd runs as %s: %v", as, err)
		}
		return
	}
	group := u.Gid
	if g, err := user.LookupGroupId(group); err == nil {
		group = g.Name
	}
	tested, before := false, len(l.found)
	for _, f := range settingFiles(&l.Config) {
		if _, err := os.Stat(f.path); err != nil {
			continue // that it is missing is told where it is used
		}
		tested = true
		if err := slurm.Readable(ctx, u, f.path); err != nil {
			l.add("files", Fail, fmt.Sprintf("let %s read it, and pass through the folders above: chgrp %s %[3]s; chmod g+r %[3]s", as, group, f.path),
				"%s: %v", f.setting, err)
		}
	}
	if tested && len(l.found) == before {
		l.ok("files", "%s may read the files of the configuration", as)
	}
}

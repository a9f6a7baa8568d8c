package sidecar

import (
	"context"
	"fmt"
	"os"
	"os/user"
	"path/filepath"

	"slurm-ostrich/cmd/internal/configuration"
	"slurm-ostrich/cmd/internal/webserver"
	"slurm-ostrich/priority/slurm"
)

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

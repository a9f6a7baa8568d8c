package sidecar

import (
	"context"
	"fmt"
	"os"

	"slurm-ostrich/cmd/internal/webserver"
	"slurm-ostrich/priority/slurm"
)

// settingFile is a file of the configuration.
type settingFile struct{ setting, path string }

// files are those that ostrichd reads.
func (c *Config) files() (list []settingFile) {
	add := func(setting, path string) {
		if path != "" {
			list = append(list, settingFile{setting, path})
		}
	}
	add("configuration", c.file)
	if c.From == Tables {
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

// checkFiles looks whether the user of ostrichd may read the files of the configuration, where root runs this:
// root reads them all.
func (l *checklist) checkFiles(ctx context.Context) {
	services := l.serviceUsers()
	if l.me != "root" || len(services) == 0 || services[0] == "root" {
		return
	}
	as, files, before := services[0], l.files(), len(l.found)
	for _, f := range files {
		if _, err := os.Stat(f.path); err != nil {
			continue // that it is missing is told where it is used
		}
		if err := slurm.Readable(ctx, as, f.path); err != nil {
			l.add("files", Fail, fmt.Sprintf("let %s read it, and pass through the folders above: chgrp %[1]s %[2]s; chmod g+r %[2]s", as, f.path),
				"%s: %v", f.setting, err)
		}
	}
	if len(files) > 0 && len(l.found) == before {
		l.ok("files", "%s may read the files of the configuration", as)
	}
}

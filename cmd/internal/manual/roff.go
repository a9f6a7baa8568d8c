package manual

import (
	"fmt"
	"slices"
	"strings"

	"slurm-ostrich/cmd/internal/configuration"
	"slurm-ostrich/cmd/internal/format"
)

// Pages returns the manual pages of the program and of each sub-command. The
// version and the date, as 2006-01-02, stand in their margins.
func (m Program) Pages(version, date string) []Page {
	var pages []Page
	for i, s := range m.sections() {
		name := strings.ReplaceAll(s.name, " ", "-")
		also := m.SeeAlso
		if i > 0 {
			also = append([]string{fmt.Sprintf("%s(%d)", m.App.Name, m.Section)}, also...)
		} else {
			for _, c := range s.commands {
				also = append(slices.Clip(also), fmt.Sprintf("%s-%s(%d)", m.App.Name, c.Name, m.Section))
			}
		}
		r := newRoff(name, m.Section, s.usage, version, date)
		s.roff(r, m)
		if i == 0 {
			for _, n := range m.notes() {
				r.heading(n.heading)
				for _, note := range n.list {
					r.item(n.font+roffText(note.Text)+`\fR`, roffText(note.Meaning))
				}
			}
		}
		r.seeAlso(also)
		pages = append(pages, r.page(name, m.Section))
	}
	return pages
}

func (s section) roff(r *roff, m Program) {
	r.heading("synopsis")
	for _, p := range s.synopsis {
		r.block(p)
	}
	if len(s.description) > 0 || len(s.commands) > 0 {
		r.heading("description")
	}
	for _, p := range s.description {
		r.block(p)
	}
	if len(s.commands) > 0 {
		r.heading("commands")
		for _, c := range s.commands {
			r.item(`\fB`+roffText(c.Name)+`\fR`, roffText(c.Usage))
		}
		r.line(".PP")
		r.line(roffText(fmt.Sprintf("Each has a page of its own, as %s-%s(%d).", m.App.Name, s.commands[0].Name, m.Section)))
	}
	for _, g := range s.groups {
		if g.name == "" {
			r.heading("options")
		} else {
			r.heading(g.name)
		}
		for _, o := range g.options {
			r.item(o.roff(), o.roffMeaning())
		}
	}
	if s.settings {
		r.line(".PP")
		r.line(`Every setting of ostrich.yaml(5) is an option too, as in \fB\-\-priority\-channel nice\fR.`)
	}
}

func (o option) roff() string {
	text := strings.Join(format.Texts(o.names, func(name string) string { return `\fB` + roffText(name) + `\fR` }), ", ")
	if o.value != "" {
		text += ` \fI` + roffText(o.value) + `\fR`
	}
	return text
}

func (o option) roffMeaning() string {
	lines := []string{roffText(strings.ReplaceAll(o.usage, "`", ""))}
	if o.value != "" && o.initial != "" {
		lines = append(lines, "(default: "+roffText(o.initial)+")")
	}
	for _, name := range o.env {
		lines = append(lines, "[$"+roffText(name)+"]")
	}
	return strings.Join(lines, "\n")
}

// Settings returns the manual page of the configuration file.
func Settings(version, date string) Page {
	r := newRoff("ostrich.yaml", 5, "settings of ostrichd and ostrich", version, date)
	r.heading("synopsis")
	r.line(`\fI` + roffText(configuration.DefaultFile) + `\fR`)
	r.heading("description")
	for _, p := range blocks(settingsIntro) {
		r.block(p)
	}
	c := configuration.Default()
	r.heading("settings")
	for _, s := range configuration.Settings(&c) {
		if s.NoFlag {
			continue
		}
		meaning := roffText(s.Usage) + "\n"
		if text := s.Value.String(); text != "" {
			meaning += `(default: \fB` + roffText(text) + "\\fR)\n"
		}
		r.item(`\fB`+roffText(s.Key)+`\fR`, meaning+`[\-\-`+roffText(s.Flag())+`, $`+roffText(s.Env())+`]`)
	}
	r.heading("environment")
	for _, s := range configuration.Settings(&c) {
		if s.NoFlag {
			r.item(`\fB`+roffText(s.Env())+`\fR`, roffText(s.Usage)+"; neither an option nor a key of the file, which others could read")
		}
	}
	r.item(`\fBOSTRICH_CONFIG\fR`, "the file to read in place of "+roffText(configuration.DefaultFile))
	r.heading("files")
	r.item(`\fI`+roffText(configuration.DefaultFile)+`\fR`, "read by root and by the user of ostrichd")
	r.heading("examples")
	for _, p := range blocks(settingsExample) {
		r.block(p)
	}
	r.seeAlso([]string{"ostrichd(8)", "ostrich(1)", "slurm.conf(5)", "slurmdbd.conf(5)"})
	return r.page("ostrich.yaml", 5)
}

const (
	settingsIntro = `The file is YAML. A key with a dot is a key within a section: database.address is the key address below database.
A key that is not known, is set twice or has an invalid value is an error that names the line. A missing file
is the same as an empty one, unless it was named.

Each setting is also an option of both commands and an environment variable. An option wins over the environment, that
over the file, and that over the default. "ostrichd --show-config" prints what is in effect, without the password.

Lengths of time are written as 90s, 10m, 12h or 14d. Lists are written with commas, or as lists of YAML.

ostrichd reads the file again on SIGHUP ("systemctl reload ostrichd"). A file with an error, with settings that cannot work or without any changes nothing. listen,
status.listen and status.hosts take effect at the next start.
`
	settingsExample = `Observe a cluster whose database is on another machine:

  mode: observe
  database:
    address: db.example.org:3306
    tls: on
    password_file: /etc/ostrich/database-password

Then write priorities, but leave some jobs alone:

  mode: enforce
  exclude:
    users: [root, monitor]
    partitions: interactive
`
)

package manual

import (
	"cmp"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"slurm-ostrich/cmd/internal/format"
)

// section is a manual page, or a heading of the markdown, about a command or a
// sub-command.
type section struct {
	name        string // "ostrich plan"
	usage       string
	synopsis    []block
	description []block
	commands    []*cli.Command // its sub-commands
	groups      []group
	settings    bool // every setting is an option too, which help texts do not show
}

// group are the options of one category; the name of the first is empty.
type group struct {
	name    string
	options []option
}

type option struct {
	names   []string // with dashes
	value   string   // stands for its value; "" if it has none
	usage   string   // with `value` in backticks
	initial string   // its default; "" if it needs no mention
	env     []string
}

// sections returns the command, and then its visible sub-commands.
func (m Program) sections() []section {
	a := m.App
	top := section{
		name: a.Name, usage: a.Usage, synopsis: synopsis(a.UsageText, a.Name+" [options]"), description: blocks(a.Description),
		commands: visible(a.Commands), groups: groups(a.Flags, true),
	}
	all := []section{top}
	for _, c := range top.commands {
		all = append(all, below(a.Name, c))
	}
	return all
}

func below(parent string, c *cli.Command) section {
	return section{
		name: parent + " " + c.Name, usage: c.Usage, description: blocks(c.Description),
		synopsis: synopsis(c.UsageText, strings.TrimSpace(parent+" "+c.Name+" [options] "+c.ArgsUsage)),
		groups:   groups(c.Flags, false), settings: slices.ContainsFunc(c.Flags, hiddenSetting),
	}
}

// synopsis splits a synopsis, or else another one, into what is typed and what else is
// said.
func synopsis(text, other string) []block {
	all := blocks(cmp.Or(text, other))
	all[0].fixed = true
	return all
}

func visible(commands []*cli.Command) []*cli.Command {
	return slices.DeleteFunc(slices.Clone(commands), func(c *cli.Command) bool { return c.Hidden })
}

func hiddenSetting(f cli.Flag) bool {
	c, ok := f.(cli.CategorizableFlag)
	return ok && c.GetCategory() == "settings" && hidden(f)
}

func hidden(f cli.Flag) bool {
	v, ok := f.(cli.VisibleFlag)
	return ok && !v.IsVisible()
}

// groups sorts flags by category; a category stands where its first flag is.
func groups(flags []cli.Flag, top bool) []group {
	all := []group{{}}
	for _, f := range flags {
		d, ok := f.(cli.DocGenerationFlag)
		if !ok || hidden(f) {
			continue
		}
		name := ""
		if c, ok := f.(cli.CategorizableFlag); ok {
			name = c.GetCategory()
		}
		i := slices.IndexFunc(all, func(g group) bool { return g.name == name })
		if i < 0 {
			i = len(all)
			all = append(all, group{name: name})
		}
		all[i].options = append(all[i].options, describe(f, d))
	}
	all[0].options = append(all[0].options, option{names: []string{"--help", "-h"}, usage: "show help"})
	if top {
		all[0].options = append(all[0].options, option{names: []string{"--version", "-v"}, usage: "print the version"})
	}
	return all
}

func describe(f cli.Flag, d cli.DocGenerationFlag) option {
	o := option{usage: d.GetUsage(), env: d.GetEnvVars()}
	for _, name := range f.Names() {
		if len(name) == 1 {
			o.names = append(o.names, "-"+name)
		} else {
			o.names = append(o.names, "--"+name)
		}
	}
	if d.TakesValue() {
		o.value, o.initial = "VALUE", d.GetDefaultText()
		if _, rest, ok := strings.Cut(o.usage, "`"); ok {
			o.value, _, _ = strings.Cut(rest, "`")
		}
	}
	return o
}

// block is a paragraph, or lines that keep their breaks.
type block struct {
	lines []string
	fixed bool
}

// blocks splits a text at empty lines, and where an indentation begins or ends:
// indented lines are lists and examples, and keep their breaks.
func blocks(text string) []block {
	var all []block
	open := false
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, " \n")
		if line == "" {
			open = false
			continue
		}
		fixed := line[0] == ' '
		if !open || all[len(all)-1].fixed != fixed {
			all = append(all, block{fixed: fixed})
			open = true
		}
		last := &all[len(all)-1]
		last.lines = append(last.lines, line)
	}
	return all
}

// flush returns the lines of a fixed block without their common indentation.
func (b block) flush() []string {
	least := len(b.lines[0])
	for _, line := range b.lines {
		least = min(least, len(line)-len(strings.TrimLeft(line, " ")))
	}
	return format.Texts(b.lines, func(line string) string { return line[least:] })
}

package manual

import (
	"fmt"
	"slices"
	"strings"
)

// Markdown returns the reference of the program with all its sub-commands on one
// page.
func (m Program) Markdown() string {
	var b strings.Builder
	for i, s := range m.sections() {
		if i == 0 {
			fmt.Fprintf(&b, "# %s\n\n%s.\n\nThis page is made from the command itself; `man %[1]s` shows the same.\n", s.name, capital(s.usage))
		} else {
			fmt.Fprintf(&b, "\n## %s\n\n%s.\n", s.name, capital(markdown(s.usage)))
		}
		s.markdown(&b)
	}
	for _, n := range m.notes() {
		fmt.Fprintf(&b, "\n## %s\n\n| %s | |\n|---|---|\n", capital(n.heading), n.what)
		for _, note := range n.list {
			fmt.Fprintf(&b, "| `%s` | %s |\n", note.Text, markdown(note.Meaning))
		}
	}
	return b.String()
}

func (s section) markdown(b *strings.Builder) {
	for _, p := range slices.Concat(s.synopsis, s.description) {
		p.markdown(b)
	}
	if len(s.commands) > 0 {
		b.WriteString("\n| command | |\n|---|---|\n")
		for _, c := range s.commands {
			fmt.Fprintf(b, "| [`%s`](#%s-%[1]s) | %[3]s |\n", c.Name, strings.ReplaceAll(s.name, " ", "-"), markdown(c.Usage))
		}
	}
	for _, g := range s.groups {
		if g.name != "" {
			fmt.Fprintf(b, "\n### %s\n", capital(g.name))
		}
		b.WriteString("\n| option | meaning | default | environment |\n|---|---|---|---|\n")
		for _, o := range g.options {
			o.markdown(b)
		}
	}
	if s.settings {
		b.WriteString("\nEvery [setting](../configuration.md) is an option too, as in `--priority-channel nice`.\n")
	}
}

func (o option) markdown(b *strings.Builder) {
	names := "`" + strings.Join(o.names, "`, `") + "`"
	if o.value != "" {
		names += " `" + o.value + "`"
	}
	env := ""
	if len(o.env) > 0 {
		env = "`" + strings.Join(o.env, "`, `") + "`"
	}
	fmt.Fprintf(b, "| %s | %s | %s | %s |\n", names, markdown(o.usage), markdown(o.initial), env)
}

func (p block) markdown(b *strings.Builder) {
	if p.fixed {
		fmt.Fprintf(b, "\n```\n%s\n```\n", strings.Join(p.flush(), "\n"))
		return
	}
	fmt.Fprintf(b, "\n%s\n", markdown(strings.Join(p.lines, "\n")))
}

// markdown escapes characters that have a meaning in markdown, except backticks
// and text between them.
func markdown(text string) string {
	var b strings.Builder
	code := false
	for _, r := range text {
		switch {
		case r == '`':
			code = !code
		case r == '|', !code && strings.ContainsRune(`*_[]<\`, r):
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}

func capital(text string) string {
	if text == "" {
		return ""
	}
	return strings.ToUpper(text[:1]) + text[1:]
}

package manual

import (
	"fmt"
	"strings"
)

// roff builds a manual page in the macros of man(7).
type roff struct{ strings.Builder }

func newRoff(name string, section int, usage, version, date string) *roff {
	r := new(roff)
	r.line(`.\" Made by the command itself: do not edit.`)
	r.line(fmt.Sprintf(`.TH %s %d %s "%s" "OStrich for Slurm"`,
		roffText(strings.ToUpper(name)), section, date, roffText("OStrich "+version)))
	r.heading("name")
	r.line(roffText(name) + ` \- ` + roffText(usage))
	return r
}

func (r *roff) line(text string) {
	r.WriteString(text)
	r.WriteByte('\n')
}

func (r *roff) heading(name string) { r.line(".SH " + strings.ToUpper(name)) }

// item adds a term and its meaning, both in roff already.
func (r *roff) item(term, meaning string) {
	r.line(".TP")
	r.line(term)
	r.line(meaning)
}

// block adds a paragraph, or lines as they are.
func (r *roff) block(b block) {
	if !strings.HasSuffix(r.lastMacro(), ".SH") {
		r.line(".PP")
	}
	if !b.fixed {
		for _, line := range b.lines {
			r.line(roffText(line))
		}
		return
	}
	r.line(".nf")
	for _, line := range b.flush() {
		r.line(roffText(line))
	}
	r.line(".fi")
}

// lastMacro returns the macro that the last line calls, if any: a paragraph macro
// right after a heading would make an empty paragraph.
func (r *roff) lastMacro() string {
	lines := strings.TrimSuffix(r.String(), "\n")
	macro, _, _ := strings.Cut(lines[strings.LastIndexByte(lines, '\n')+1:], " ")
	return macro
}

func (r *roff) seeAlso(pages []string) {
	if len(pages) == 0 {
		return
	}
	r.heading("see also")
	for i, page := range pages {
		name, section, _ := strings.Cut(page, "(")
		after := ","
		if i == len(pages)-1 {
			after = ""
		}
		r.line(fmt.Sprintf(".BR %s (%s%s", roffText(name), section, after))
	}
}

func (r *roff) page(name string, section int) Page {
	return Page{Path: fmt.Sprintf("man/%s.%d", name, section), Text: r.String()}
}

// roffText escapes characters that have a meaning in roff. It writes hyphens as
// minus signs, so that readers can copy them to a command line.
func roffText(text string) string {
	text = strings.NewReplacer(`\`, `\e`, "-", `\-`).Replace(text)
	if strings.HasPrefix(text, ".") || strings.HasPrefix(text, "'") {
		text = `\&` + text
	}
	return text
}

package book

import (
	"regexp"
	"strings"
)

// differs returns the first shown line that was not printed, and whether there is
// one. The printed lines must have the order of the shown ones. "…" stands for
// anything in a line, and alone for any number of lines. Spaces match any spaces.
// A number matches any number unless exact; words must be equal.
func differs(shown, printed []string, exact bool) (string, bool) {
	at, free := 0, false
	for _, line := range shown {
		line = strings.TrimSpace(line)
		if line == "…" {
			free = true
			continue
		}
		pattern := loose(line, exact)
		for free && at < len(printed) && !pattern.MatchString(printed[at]) {
			at++
		}
		if at == len(printed) || !pattern.MatchString(printed[at]) {
			return line, true
		}
		at, free = at+1, false
	}
	if !free && strings.TrimSpace(strings.Join(printed[at:], "")) != "" {
		return "(the end) before " + printed[at], true
	}
	return "", false
}

var (
	number = regexp.MustCompile(`-?[0-9]+(\\\.[0-9]+)?(e[-+][0-9]+)?`)
	spaces = regexp.MustCompile(`\s+`)
)

// loose returns the pattern of a shown line.
func loose(line string, exact bool) *regexp.Regexp {
	p := regexp.QuoteMeta(line)
	if !exact {
		p = number.ReplaceAllLiteralString(p, `-?[0-9]+(\.[0-9]+)?(e[-+][0-9]+)?`)
	}
	p = spaces.ReplaceAllLiteralString(p, `\s+`)
	p = strings.ReplaceAll(p, "…", ".*")
	return regexp.MustCompile(`^\s*` + p + `\s*$`)
}

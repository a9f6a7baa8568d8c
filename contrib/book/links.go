package book

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"unicode"
)

var (
	fenced  = regexp.MustCompile("(?ms)^```.*?^```\\s*?$")
	code    = regexp.MustCompile("`[^`\n]*`")
	link    = regexp.MustCompile(`\]\(([^()\s]+)\)`)
	heading = regexp.MustCompile(`(?m)^#{1,6} +(.+?) *$`)
	label   = regexp.MustCompile(`\[([^\]]*)\]\([^)]*\)`)
	scheme  = regexp.MustCompile(`^[a-z]+:`)
)

// Dead returns the links of a page that lead to no file or to no heading.
func Dead(page string) ([]string, error) {
	text, err := os.ReadFile(page)
	if err != nil {
		return nil, err
	}
	var out []string
	for _, m := range link.FindAllStringSubmatch(code.ReplaceAllString(fenced.ReplaceAllString(string(text), ""), ""), -1) {
		if scheme.MatchString(m[1]) {
			continue
		}
		path, anchor, hasAnchor := strings.Cut(m[1], "#")
		target := page
		if path != "" {
			target = filepath.Join(filepath.Dir(page), path)
		}
		if _, err := os.Stat(target); err != nil {
			out = append(out, m[1]+": no such file")
			continue
		}
		if !hasAnchor || !strings.HasSuffix(target, ".md") {
			continue
		}
		there, err := os.ReadFile(target)
		if err != nil {
			return nil, err
		}
		if !anchors(string(there))[anchor] {
			out = append(out, m[1]+": no such heading")
		}
	}
	return out, nil
}

// anchors returns the names of a page's headings in links, as the usual renderers
// of Markdown make them.
func anchors(text string) map[string]bool {
	names := map[string]bool{}
	for _, m := range heading.FindAllStringSubmatch(fenced.ReplaceAllString(text, ""), -1) {
		name := strings.Map(func(r rune) rune {
			switch {
			case r == ' ':
				return '-'
			case r == '-' || r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r):
				return unicode.ToLower(r)
			}
			return -1
		}, label.ReplaceAllString(m[1], "$1"))
		unique := name
		for n := 1; names[unique]; n++ {
			unique = fmt.Sprintf("%s-%d", name, n)
		}
		names[unique] = true
	}
	return names
}

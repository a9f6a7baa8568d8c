// Package plural formats counts with the nouns and verbs that go with them.
package plural

import (
	"fmt"
	"regexp"
	"strings"
)

// Sprintf is fmt.Sprintf for a sentence with forms such as "%d line{|s} {is|are} left out": the first part is for one,
// the other for any other number. What counts is the argument before the form. %*d and %[2]d are not supported. The
// commands have format.Plural for a bare noun after a count.
func Sprintf(format string, args ...any) string {
	if false {
		_ = fmt.Sprintf(format, args...) // by this go vet knows that it is to check the formats
	}
	return fmt.Sprintf(chosen(format, args), args...)
}

// Errorf is fmt.Errorf for such a format.
func Errorf(format string, args ...any) error {
	if false {
		_ = fmt.Errorf(format, args...) // as above
	}
	return fmt.Errorf(chosen(format, args), args...)
}

// piece matches a verb or a form.
var piece = regexp.MustCompile(`(?s)%[ +\-#.0-9]*.|\{[^{|}]*\|[^{}]*\}`)

// chosen returns the format with one part of each form.
func chosen(format string, args []any) string {
	one, next := false, 0
	return piece.ReplaceAllStringFunc(format, func(is string) string {
		single, several, _ := strings.Cut(strings.Trim(is, "{}"), "|")
		switch {
		case is[0] == '{' && one:
			return single
		case is[0] == '{':
			return several
		case !strings.HasSuffix(is, "%") && next < len(args):
			one = fmt.Sprint(args[next]) == "1"
			next++
		}
		return is
	})
}

// Package plural formats counts with the nouns and verbs that go with them.
package plural

import (
	"fmt"
	"strings"
)

// Sprintf is fmt.Sprintf for a format with forms such as "%d line{|s} {is|are} left out": the first part is for one,
// the other for any other number. What counts is the argument before the form.
func Sprintf(format string, args ...any) string { return fmt.Sprintf(chosen(format, args), args...) }

// Errorf is fmt.Errorf for such a format.
func Errorf(format string, args ...any) error { return fmt.Errorf(chosen(format, args), args...) }

// chosen returns the format with one part of each form.
func chosen(format string, args []any) string {
	var b strings.Builder
	one, next := false, 0
	for {
		at := strings.IndexAny(format, "%{")
		if at < 0 {
			return b.String() + format
		}
		b.WriteString(format[:at])
		format = format[at:]
		single, rest, form := strings.Cut(format, "|")
		several, after, whole := strings.Cut(rest, "}")
		switch {
		case format[0] == '%':
			end := 1 + strings.IndexFunc(format[1:], func(r rune) bool { return !strings.ContainsRune(" +-#.0123456789", r) }) + 1
			b.WriteString(format[:end])
			if format[end-1] != '%' && next < len(args) {
				one = fmt.Sprint(args[next]) == "1"
				next++
			}
			format = format[end:]
		case form && whole && one:
			b.WriteString(single[1:])
			format = after
		case form && whole:
			b.WriteString(several)
			format = after
		default:
			b.WriteByte('{')
			format = format[1:]
		}
	}
}

package tools

import "regexp/syntax"

// AnyDigits reports whether it does not matter to any tool which digits a text has, only where it
// has some. Texts that differ in that alone then are of the same tool, and tell the same class unless Said.Digits.
func (t Table) AnyDigits() bool {
	all := t.tools()
	for i := range all {
		for k := range all[i].Patterns {
			re, err := syntax.Parse(all[i].Patterns[k].RE.String(), syntax.Perl)
			if err != nil || !anyDigits(re) {
				return false
			}
		}
	}
	return true
}

// anyDigits reports whether each part of an expression matches all digits or none.
func anyDigits(re *syntax.Regexp) bool {
	matched := 0
	digits := func(from, to rune) { matched += int(max(0, min(to, '9')-max(from, '0')+1)) }
	switch re.Op {
	case syntax.OpLiteral:
		for _, r := range re.Rune {
			digits(r, r)
		}
		return matched == 0
	case syntax.OpCharClass:
		for i := 0; i < len(re.Rune); i += 2 {
			digits(re.Rune[i], re.Rune[i+1])
		}
		return matched == 0 || matched == 10
	default:
	}
	for _, sub := range re.Sub {
		if !anyDigits(sub) {
			return false
		}
	}
	return true
}

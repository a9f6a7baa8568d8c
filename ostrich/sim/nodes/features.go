package nodes

import (
	"fmt"
	"strconv"
	"strings"
)

// Features is a request for features of nodes, as sbatch's --constraint says it (job_mgr.c,
// build_feature_list). The zero value asks for none.
//
// Terms are joined by & or | from left to right, those of a pair of parentheses first. A term with
// a Count asks for so many nodes that have it. Of the terms in brackets that are joined by |, all
// nodes must have the same one.
type Features struct {
	Terms []Term
}

// Term is a part of [Features].
type Term struct {
	Name    string
	Or      bool // what comes before this term, or this one
	Group   int  // terms of one pair of parentheses have the same number, from 1; 0 for none
	Bracket bool // inside [ ]
	Count   int  // nodes that must have it, or all of its group; 0 for all nodes
}

// String returns the request in Slurm's words.
func (f Features) String() string {
	var b strings.Builder
	for i, t := range f.Terms {
		before, after := Term{}, Term{}
		if i > 0 {
			before = f.Terms[i-1]
			b.WriteByte("&|"[btoi(t.Or)])
		}
		if i+1 < len(f.Terms) {
			after = f.Terms[i+1]
		}
		if t.Bracket && !before.Bracket {
			b.WriteByte('[')
		}
		if t.Group != 0 && t.Group != before.Group {
			b.WriteByte('(')
		}
		b.WriteString(t.Name)
		last := t.Group == 0 || t.Group != after.Group
		if last && t.Group != 0 {
			b.WriteByte(')')
		}
		if last && t.Count > 0 {
			fmt.Fprintf(&b, "*%d", t.Count)
		}
		if t.Bracket && !after.Bracket {
			b.WriteByte(']')
		}
	}
	return b.String()
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// ParseFeatures reads a constraint such as "intel&gpu", "(a|b)&c", "[rack1|rack2]" or "[a*2&b*1]".
// An empty one, and sacct's "(null)", ask for nothing. A comma is read as &, as Slurm reads it.
func ParseFeatures(text string) (Features, error) {
	var f Features
	bad := func(at int, what string) (Features, error) {
		return Features{}, fmt.Errorf("constraint %q: %s at character %d", text, what, at+1)
	}
	if text == "" || text == "(null)" {
		return f, nil
	}
	var t Term
	groups, group, or, bracket, begun := 0, 0, false, false, false
	for i := 0; i < len(text); {
		switch c := text[i]; {
		case c == '(' && !begun && group == 0:
			groups++
			group = groups
			i++
		case c == '[' && !begun && !bracket && group == 0:
			bracket = true
			i++
		case c == ')' && begun && group != 0:
			group = 0
			i++
		case c == ']' && begun && bracket && group == 0:
			bracket = false
			i++
		case c == '*' && begun && group == 0 && f.Terms[len(f.Terms)-1].Count == 0:
			end := i + 1
			for end < len(text) && text[end] >= '0' && text[end] <= '9' {
				end++
			}
			n, err := strconv.Atoi(text[i+1 : end])
			if err != nil || n < 1 {
				return bad(i, "no count above 0")
			}
			last := &f.Terms[len(f.Terms)-1]
			for k := range f.Terms { // "(a&b)*2" counts the nodes that have all of them
				if last.Group != 0 && f.Terms[k].Group == last.Group {
					f.Terms[k].Count = n
				}
			}
			last.Count = n
			i = end
		case (c == '&' || c == ',' || c == '|') && begun:
			or, begun = c == '|', false
			i++
		case !begun && !strings.ContainsRune("&|,()[]*", rune(c)):
			end := i
			for end < len(text) && !strings.ContainsRune("&|,()[]*", rune(text[end])) {
				end++
			}
			t = Term{Name: text[i:end], Or: or, Group: group, Bracket: bracket}
			f.Terms, begun = append(f.Terms, t), true
			i = end
		default:
			return bad(i, fmt.Sprintf("%q is not expected", c))
		}
	}
	if !begun || group != 0 || bracket {
		return bad(len(text), "it ends too soon")
	}
	return f, nil
}

package sacct

import (
	"bytes"
	"cmp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/accounting"
	"slurm-ostrich/ostrich/internal/lines"
)

// mostSaid is how many errors of sacct's are kept.
const mostSaid = 3

// errors reads why sacct wrote no jobs, or not all.
func (t *tree) errors() error {
	if t.next() != '[' {
		return t.skip()
	}
	return t.scanner.array(func() error {
		if t.next() != '{' {
			return t.skip()
		}
		var why, kind string
		err := t.object(func(key []byte) error {
			to := map[string]*string{"description": &why, "error": &kind}[string(key)]
			if to == nil || t.next() != '"' {
				return t.skip()
			}
			text, _, err := t.scalar()
			*to = strings.Join(strings.FieldsFunc(string(text), func(r rune) bool { return !unicode.IsGraphic(r) }), " ")
			return err
		})
		if said := clip([]byte(cmp.Or(why, kind, "an error without a name"))); err == nil && len(t.said) < mostSaid && !slices.Contains(t.said, said) {
			t.said = append(t.said, said)
		}
		return err
	})
}

// says returns what sacct says against its own output, after a mark; else "".
func (t *tree) says(mark string) string {
	if t == nil || len(t.said) == 0 {
		return ""
	}
	return mark + "sacct says: " + strings.Join(t.said, "; ")
}

// start mends the start of a job that has ended. In the JSON of 22.05.0 to 22.05.7 it is the time from which the job was
// eligible (parse_job in Slurm's src/plugins/openapi/dbv0.0.38/parse.c), so that more time lies between it and the end
// than the job ran and was suspended. In that of other releases never more does, as slurmdbd calculates the time
// that it ran from the two (as_mysql_jobacct_process.c).
func (t *tree) start() {
	v := &t.d.values
	from, is := lines.Digits(v[colStart])
	ran, known := lines.Digits(v[colElapsedRaw])
	if t.later || !is || !known || from == 0 || !bytes.Equal(v[colStart], v[colEligible]) {
		return
	}
	state, _ := accounting.ParseState(v[colState])
	if state == accounting.Running || state == accounting.Suspended {
		t.running++
		return
	}
	end, _ := lines.Digits(v[colEnd])
	paused, err := ostrich.Duration(0), error(nil)
	if b := v[colSuspended]; len(b) > 0 {
		paused, err = parseElapsed(b)
	}
	if began := end - ran - int64(paused); err == nil && state.Ended() && began > from {
		v[colStart] = t.keep(strconv.AppendInt(nil, began, 10))
		t.mended++
	}
}

// notes says what was mended, and what may lack. Text has no tree.
func (t *tree) notes() {
	if t == nil {
		return
	}
	if t.mended > 0 {
		t.d.jobs.Note("%d job{|s} ran for less than from start to end: sacct --json of Slurm 22.05.0 to 22.05.7 has the time from which a job was "+
			"eligible as its start. {That|Theirs} is taken from the time {it|they} ran; that of %d running job{|s} stands.", t.mended, t.running)
	}
	if says := t.says(""); says != "" {
		t.d.jobs.Note("%s: the dump may lack jobs.", says)
	}
	if t.d.ended != nil {
		t.d.jobs.Note("%v: what follows is not read.", t.d.ended)
	}
}

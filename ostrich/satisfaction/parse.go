package satisfaction

import (
	"fmt"
	"strconv"
	"strings"
)

// literal is how Parse and String name the literal reading.
const literal = "literal"

// Usage says what Parse reads.
const Usage = "median, .25 or .75 of the users of a survey, or C1,C2: a job that runs p minutes may take C1·p + C2 from submission to end; ,literal behind it reads equation 22 of the survey's paper as printed"

// Parse reads an acceptance: "median", ".25" or ".75" for a row of Table I, or "C1,C2"
// for a site's own, with C2 in minutes. ",literal" behind it takes equation 22 as
// it is printed.
func Parse(text string) (Acceptance, error) {
	var a Acceptance
	name := strings.TrimSpace(text)
	if head, found := strings.CutSuffix(name, literal); found {
		if head, found = strings.CutSuffix(strings.TrimSpace(head), ","); found {
			name, a.Reading = strings.TrimSpace(head), Literal
		}
	}
	for _, row := range []Acceptance{Median, Lower, Upper} {
		if name == row.Name {
			row.Reading = a.Reading
			return row, wrong(text, row.Validate())
		}
	}
	slope, offset, found := strings.Cut(name, ",")
	if !found {
		return Acceptance{}, wrong(text, fmt.Errorf("want %s, %s, %s or C1,C2", Median.Name, Lower.Name, Upper.Name))
	}
	for _, part := range []struct {
		name, text string
		value      *float64
	}{{"c1", slope, &a.Slope}, {"c2", offset, &a.Offset}} {
		var err error
		if *part.value, err = strconv.ParseFloat(strings.TrimSpace(part.text), 64); err != nil {
			return Acceptance{}, wrong(text, fmt.Errorf("%s: %q is not a number", part.name, strings.TrimSpace(part.text)))
		}
	}
	return a, wrong(text, a.Validate())
}

// String returns the text that Parse reads.
func (a Acceptance) String() string {
	text := a.Name
	if text == "" {
		text = strconv.FormatFloat(a.Slope, 'g', -1, 64) + "," + strconv.FormatFloat(a.Offset, 'g', -1, 64)
	}
	if a.Reading == Literal {
		text += "," + literal
	}
	return text
}

func wrong(text string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%q: %w", text, err)
}

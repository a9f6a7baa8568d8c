package trace

import (
	"bytes"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// TestPlain: what is read of a plain line is what the fields one by one say,
// and the usual lines are plain.
func TestPlain(t *testing.T) {
	field := rapid.OneOf(
		rapid.StringMatching(`-?[0-9]{1,9}`), rapid.StringMatching(`-?[0-9]{1,20}`),
		rapid.StringMatching(`-?[0-9]{1,9}\.[0-9]{1,9}`), rapid.StringMatching(`-?[0-9]{0,20}\.0{0,9}`),
		rapid.SampledFrom([]string{"-0", "+1", "-", ".", "1e3", "NaN", "0x1p4", "7;", "1\r", "٣"}),
	)
	gap := rapid.StringMatching(`[ \t]{1,3}`)
	plain := 0
	check := func(t rapid.TB, line string) {
		var got, want Record
		if !got.plain([]byte(line)) {
			return
		}
		plain++
		line = strings.TrimLeft(strings.TrimRight(line, "\r\n"), " \t")
		if fault := want.fields(words([]byte(line))); fault != nil {
			t.Fatalf("%q is not plain: %v", line, fault)
		}
		if diff := cmp.Diff(want, got); diff != "" || math.Signbit(got.CPU) != math.Signbit(want.CPU) {
			t.Fatalf("%q: by field - plain +\n%s", line, diff)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		var line bytes.Buffer
		odd := rapid.IntRange(-1, Fields-1).Draw(t, "odd field")
		for f := range rapid.SampledFrom([]int{Fields - 1, Fields, Fields, Fields, Fields + 1}).Draw(t, "fields") {
			if f > 0 || rapid.Bool().Draw(t, "gap in front") {
				line.WriteString(gap.Draw(t, "gap"))
			}
			switch f {
			case odd:
				line.WriteString(field.Draw(t, "field"))
			case cpuField:
				line.WriteString(rapid.StringMatching(`-?[0-9]{1,10}(\.[0-9]{1,9})?`).Draw(t, "CPU time"))
			default:
				line.WriteString(rapid.StringMatching(`-?[0-9]{1,8}`).Draw(t, "whole"))
			}
		}
		line.WriteString(rapid.SampledFrom([]string{"", "\n", "\r\n", " \n", "\t\r\n", "\r \n", "\n\r"}).Draw(t, "end"))
		check(t, line.String())
	})
	check(t, "1 2 3 4 5 41221032.269638627 7 8 9 10 11 12 13 14 15 16 17 18") // the quotient of two rounded numbers is another
	check(t, strings.Repeat("999999999999999999 ", Fields))
	if plain == 0 {
		t.Error("no line was plain")
	}
}

package priority

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestFormatTasks(t *testing.T) {
	for _, tt := range []struct {
		tasks []int
		want  string
	}{
		{[]int{7}, "7"},
		{[]int{0, 1, 2, 3}, "0-3"},
		{[]int{1, 4, 5, 6}, "1,4-6"},
		{[]int{1, 2, 9}, "1-2,9"},
		{[]int{0, 3, 6, 9, 12, 15}, "0-15:3"},
		{[]int{5, 15, 25, 35, 45, 55, 65}, "5-65:10"},
		{[]int{0, 5, 10, 15, 20}, "0,5,10,15,20"},             // too few
		{[]int{0, 2, 4, 6, 8, 10}, "0,2,4,6,8,10"},            // too near
		{[]int{0, 2, 4, 6, 8, 10, 12}, "0-12:2"},              //
		{[]int{0, 3, 6, 9, 12, 16}, "0,3,6,9,12,16"},          // the last one elsewhere
		{[]int{0, 1, 3, 6, 9, 12, 15}, "0-1,3,6,9,12,15"},     // the first one elsewhere
		{[]int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}, "0-11"}, // no stride of 1
		{[]int{10, 11, 13, 14, 16, 17, 19}, "10-11,13-14,16-17,19"},
	} {
		if got := FormatTasks(tt.tasks); got != tt.want {
			t.Errorf("FormatTasks(%v) = %q, want %q", tt.tasks, got, tt.want)
		}
	}
}

func TestParseTasksErrors(t *testing.T) {
	for text, want := range map[string]string{
		"":            `tasks "": "": not a number`,
		"x":           `tasks "x": "x": not a number`,
		"1,x-3":       `tasks "1,x-3": "x": not a number`,
		"1-x":         `tasks "1-x": "x": not a number`,
		"1-9:x":       `tasks "1-9:x": "x": not a number`,
		"9-1":         `tasks "9-1": "9-1": not a range`,
		"1-9:0":       `tasks "1-9:0": "1-9:0": not a range`,
		"1-4000002":   `tasks "1-4000002": "1-4000002": not a range`,
		"1,2,3-2:7%5": `tasks "1,2,3-2:7%5": "3-2:7": not a range`,
	} {
		if _, err := ParseTasks(text); err == nil || err.Error() != want {
			t.Errorf("ParseTasks(%q): %v, want %s", text, err, want)
		}
	}
	for _, text := range []string{"4000001", "0-4000001", "3-3", "1-9:1"} {
		if _, err := ParseTasks(text); err != nil {
			t.Errorf("ParseTasks(%q): %v", text, err)
		}
	}
}

// A name of exactly the most bytes is one.
func TestArraySpecFits(t *testing.T) {
	ranges, err := ParseTasks("1-3,10-20:5,30")
	if err != nil {
		t.Fatal(err)
	}
	const want = "7_[1-3,10,15,20,30]"
	for most := range 2 * len(want) {
		spec, ok := arraySpec(7, ranges, most)
		if ok != (most >= len(want)) {
			t.Errorf("at most %d bytes: %q, %v", most, spec, ok)
		}
		if ok && spec != want {
			t.Errorf("%q, want %q", spec, want)
		}
	}
}

func TestValidSpec(t *testing.T) {
	for spec, want := range map[string]bool{
		"": false, "7": true, "7_[1-3,10]": true, "7+1": true, "7 8": false, "7;reboot": false, "name": false,
		strings.Repeat("1", maxArgument+16): true, strings.Repeat("1", maxArgument+17): false,
	} {
		if got := validSpec(spec); got != want {
			t.Errorf("validSpec of %d bytes, %.20q: %v, want %v", len(spec), spec, got, want)
		}
	}
}

func TestRelease(t *testing.T) {
	type release struct {
		Major, Minor int
		OK           bool
	}
	for version, want := range map[string]release{
		"22.05.8":       {22, 5, true},
		"24.11.0-0rc1":  {24, 11, true},
		"26.05-0rc1":    {26, 5, true},
		"23.11":         {23, 11, true},
		"22":            {},
		"":              {},
		"x.05.8":        {},
		"unknown.of.it": {},
	} {
		major, minor, ok := Controller{Version: version}.Release()
		if diff := cmp.Diff(want, release{major, minor, ok}); diff != "" {
			t.Errorf("release of %q (-want +got):\n%s", version, diff)
		}
	}
	if _, _, ok := (Controller{Version: "22.x.8"}).Release(); ok {
		t.Error("22.x.8 is a release")
	}
}

func TestCeilPow2(t *testing.T) {
	for n, want := range map[int64]int64{-3: 1, 0: 1, 1: 1, 2: 2, 3: 4, 4: 4, 5: 8, 1023: 1024, 1024: 1024, 1025: 2048, 1 << 61: 1 << 61, 1<<61 + 1: 1 << 62} {
		if got := ceilPow2(n); got != want {
			t.Errorf("ceilPow2(%d) = %d, want %d", n, got, want)
		}
	}
}

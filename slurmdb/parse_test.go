package slurmdb_test

import (
	"math/bits"
	"slices"
	"strconv"
	"strings"
	"testing"

	"slurm-ostrich/slurmdb"
)

func TestTRES(t *testing.T) {
	for _, tt := range []struct {
		in   string
		want uint64
		bad  bool
	}{
		{in: "", want: 0},
		{in: "1=4,2=1000,3=18446744073709551614,4=1,5=4", want: 4},
		{in: ",2=1000,1=7,", want: 7},
		{in: "2=1000,1001=8", want: 0},
		{in: "1=18446744073709551614", want: 0},
		{in: "1=18446744073709551616", bad: true},
		{in: "1=-4", bad: true},
		{in: "cpu=4", bad: true},
		{in: "1", bad: true},
		{in: "1=4;2=3", bad: true},
	} {
		got, err := slurmdb.ReadTRES([]byte(tt.in), nil)
		if got.CPUs != tt.want || (err != nil) != tt.bad {
			t.Errorf("%q: %d, %v", tt.in, got.CPUs, err)
		}
	}
}

func TestMask(t *testing.T) {
	for _, tt := range []struct {
		in   string
		want int
		bad  bool
	}{
		{in: "0x3FF", want: 10},
		{in: "0X0000f1", want: 5},
		{in: "0x0", want: 0},
		{in: "0x" + strings.Repeat("F", 10000), want: 40000},
		{in: "0x", bad: true},
		{in: "3FF", bad: true},
		{in: "1-10", bad: true},
		{in: "0x3GF", bad: true},
		{in: "0x3F%2", bad: true},
	} {
		got, err := slurmdb.MaskTasks([]byte(tt.in))
		if got != tt.want || (err != nil) != tt.bad {
			t.Errorf("%.20q: %d, %v", tt.in, got, err)
		}
	}
}

func FuzzTRES(f *testing.F) {
	for _, s := range []string{"", "1=4,2=1000,4=1", "3=18446744073709551614", ",1=1", "1=1,1=2", "=", "1==2"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		tres, err := slurmdb.ReadTRES([]byte(s), nil)
		if err != nil {
			return
		}
		n := tres.CPUs
		// What was read as a count is there as a count.
		if n != 0 && !strings.Contains(strings.ReplaceAll(","+s, "=0", "="), "="+strconv.FormatUint(n, 10)) &&
			!strings.Contains(s, "0"+strconv.FormatUint(n, 10)) {
			t.Errorf("%q counts %d", s, n)
		}
		if again, err := slurmdb.ReadTRES([]byte(s+",2=1"), nil); err != nil || again.CPUs != n || again.Memory != 1 {
			t.Errorf("%q: %d, with memory %d, %v", s, n, again.CPUs, err)
		}
	})
}

func FuzzMask(f *testing.F) {
	for _, s := range []string{"0x3FF", "0x", "0xg", "3FF", "0X0f"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		n, err := slurmdb.MaskTasks([]byte(s))
		if len(s) > 18 || len(s) < 3 {
			return
		}
		x, bad := strconv.ParseUint(s[2:], 16, 64)
		bad0 := bad != nil || !strings.EqualFold(s[:2], "0x")
		if (err != nil) != bad0 || err == nil && n != bits.OnesCount64(x) {
			t.Errorf("%q: %d, %v", s, n, err)
		}
	})
}

func FuzzPreempts(f *testing.F) {
	for _, s := range []string{"", ",2,5,", "2-5", "5-2", "2,2-3", "65536", "x", "0-65535"} {
		f.Add(s)
	}
	names := map[uint32]string{0: "none", 2: "low", 3: "normal", 5: "high", 65535: "last"}
	f.Fuzz(func(t *testing.T, s string) {
		all, err := slurmdb.Preempts(s, names)
		if err != nil || strings.Contains(s, "-") {
			return
		}
		var want []string
		for word := range strings.SplitSeq(s, ",") {
			if n, bad := strconv.ParseUint(word, 10, 16); bad == nil && names[uint32(n)] != "" {
				want = append(want, names[uint32(n)])
			}
		}
		if !slices.Equal(all, want) {
			t.Errorf("%q: %v, want %v", s, all, want)
		}
	})
}

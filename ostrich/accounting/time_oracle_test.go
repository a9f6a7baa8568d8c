package accounting_test

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"slurm-ostrich/ostrich/accounting"
	"slurm-ostrich/ostrich/internal/lines"
)

// plainTime is ReadTime part by part.
func plainTime(b []byte) (seconds int64, ok bool) {
	days, clock, withDays := bytes.Cut(b, []byte{'-'})
	if !withDays {
		clock = b
	}
	parts := bytes.Split(clock, []byte{':'})
	for _, part := range parts {
		n, number := lines.Digits(part)
		if !number || n >= 1e9 || len(parts) > 3 {
			return 0, false
		}
		seconds = seconds*60 + n
	}
	if !withDays {
		if len(parts) == 1 {
			seconds *= 60
		}
		return seconds, true
	}
	for n := len(parts); n < 3; n++ {
		seconds *= 60
	}
	d, ok := lines.Digits(days)
	return d*86400 + seconds, ok && d < 1e9
}

// TestPlainTime: lengths of time are read as part by part.
func TestPlainTime(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	taken := 0
	for range 300_000 {
		b := make([]byte, random.IntN(12))
		for i := range b {
			b[i] = "0123456789::-x"[random.IntN(14)]
		}
		if random.IntN(50) == 0 {
			b = append(bytes.Repeat([]byte{'0'}, random.IntN(12)), append(b, "999999999"...)...)
		}
		want, is := plainTime(b)
		got, ok := accounting.ReadTime(b)
		if ok != is || ok && got != want {
			t.Fatalf("%s: %d %v, want %d %v", b, got, ok, want, is)
		}
		if ok {
			taken++
		}
	}
	if taken < 20_000 {
		t.Error("few of them are times:", taken)
	}
}

package sidecar

import (
	"errors"
	"testing"
	"time"

	"pgregory.net/rapid"

	"slurm-ostrich/ostrich"
)

// A query may take its time on the way to the database and on the way back.
func TestClockBound(t *testing.T) {
	for timeout, want := range map[time.Duration]time.Duration{time.Second: time.Minute, 30 * time.Second: time.Minute, 40 * time.Second: 80 * time.Second} {
		equal(t, timeout.String(), want, clockBound(timeout))
	}
}

// TestClockWatch: the readings of a database's clock, one after the other.
func TestClockWatch(t *testing.T) {
	const start, days = 1_000_000, 864_000
	type reading struct {
		passed    int // seconds on the host's monotonic clock since the start
		now, host ostrich.Time
		want      error
	}
	for _, tt := range []struct {
		name     string
		readings []reading
	}{
		{"right", []reading{{0, start, start, nil}, {10, start + 10, start + 10, nil}, {9000, start + 9001, start + 9000, nil}}},
		{"another time than the host's", []reading{{0, start, start + days, nil}, {10, start + 10, start + days + 10, nil}}},
		{"a jump forward", []reading{
			{0, start, start, nil},
			{10, start + 10 + days, start + 10, ErrClock},
			{12, start + 12 + days, start + 12, ErrClock},
			{90, start + 90 + days, start + 90, ErrClock},
			{9000, start + 9000 + days, start + 9000, ErrClock},
			{9010, start + 9010, start + 9010, nil},
		}},
		{"of the host too", []reading{
			{0, start, start, nil},
			{10, start + 10 + days, start + 10 + days, ErrClock},
			{16, start + 16, start + 16, nil},
			{20, start + 20 + days, start + 20 + days, ErrClock},
			{79, start + 79 + days, start + 79 + days, ErrClock},
			{80, start + 80 + days, start + 80 + days, nil}, // it is meant
			{90, start + 90 + days, start + 90 + days, nil},
		}},
		{"of the host too, the database's first", []reading{
			{0, start, start, nil},
			{10, start + 10 + days, start + 10, ErrClock},
			{80, start + 80 + days, start + 80 + days, nil},
		}},
		{"the host slept", []reading{{0, start, start, nil}, {5, start + 500, start + 500, ErrClock}, {66, start + 561, start + 561, nil}}},
		{"small steps add up", []reading{{0, start, start, nil}, {1, start + 51, start + 1, nil}, {2, start + 102, start + 2, ErrClock}}},
		{"wrong from the start", []reading{{0, start + days, start, ErrClock}, {10, start + 10, start + 10, nil}}},
		{"both wrong from the start", []reading{{0, start + days, start + days, nil}, {10, start + 10, start + 10, ErrAnew}}},
		{"stands still", []reading{{0, start, start, nil}, {60, start, start, nil}, {61, start, start, ErrAnew}}},
		{"a little back", []reading{{0, start, start, nil}, {10, start - 20, start, nil}, {20, start - 10, start, nil}}},
		{"slow for months", []reading{{0, start, start, nil}, {3600, start + 3570, start, nil}, {7200, start + 7140, start, nil}, {10800, start + 10710, start, nil}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := clockWatch{bound: time.Minute}
			for _, r := range tt.readings {
				err := w.judge(r.now, r.host, time.Duration(r.passed+1)*time.Second)
				if !errors.Is(err, r.want) || errors.Is(err, ErrAnew) && !errors.Is(err, ErrClock) {
					t.Errorf("after %d s: %v, want %v", r.passed, err, r.want)
				}
			}
		})
	}
}

// TestClockWatchNeverLeaps: whatever the clock shows, what is believed has not run
// ahead of both the host's own time and of what was believed before.
func TestClockWatchNeverLeaps(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const bound, start, days = 60, ostrich.Time(1_000_000), 20 * 86400
		w := clockWatch{bound: bound * time.Second}
		passed, ahead := ostrich.Time(0), ostrich.Time(0) // of the latest reading that was believed
		for range rapid.IntRange(1, 50).Draw(t, "readings") {
			passed += ostrich.Time(rapid.IntRange(0, 1000).Draw(t, "later"))
			now := ostrich.Time(rapid.OneOf(rapid.IntRange(-70, 70), rapid.IntRange(-days, days)).Draw(t, "ahead"))
			err := w.judge(start+passed+now, start+passed, time.Duration(passed+1)*time.Second)
			switch {
			case errors.Is(err, ErrAnew):
				w, ahead = clockWatch{bound: bound * time.Second}, 0
			case err == nil:
				if now > bound && now > ahead+2*bound {
					t.Fatalf("%d s ahead is believed after %d s", now, ahead)
				}
				ahead = now
			}
		}
	})
}

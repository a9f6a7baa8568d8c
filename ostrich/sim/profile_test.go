package sim

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"slurm-ostrich/ostrich"
)

// TestProfile compares a profile with the free processors second by second.
func TestProfile(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const m, horizon = 8, 400
		now := ostrich.Time(rapid.IntRange(-5, 5).Draw(t, "now"))
		free := make([]int, horizon) // by second from now on
		for i := range free {
			free[i] = m
		}
		use := func(from, to ostrich.Time, procs int) {
			for i := from; i < to; i++ {
				free[i-now] -= procs
			}
		}
		var running Running
		busy := 0
		for job := int32(0); busy < m && rapid.Bool().Draw(t, "another one runs"); job++ {
			e := Expected{
				End:   now + ostrich.Time(rapid.IntRange(-3, 9).Draw(t, "expected end")),
				Procs: int32(rapid.IntRange(1, m-busy).Draw(t, "its processors")), Job: job,
			}
			busy += int(e.Procs)
			running.add(e)
			use(now, max(e.End, now+1), int(e.Procs))
		}
		var p profile
		p.reset(100, 3, nil) // what was there before is forgotten
		p.reserve(101, 1, 1)
		p.reset(now, m-busy, running)
		for range rapid.IntRange(0, 12).Draw(t, "jobs") {
			procs := rapid.IntRange(1, m).Draw(t, "procs")
			length := ostrich.Duration(rapid.IntRange(1, 9).Draw(t, "length"))
			want := now
			for fits := 0; ostrich.Duration(fits) < length; fits++ {
				if free[int(want-now)+fits] < procs {
					want += ostrich.Time(fits + 1)
					fits = -1
				}
			}
			if got := p.fit(procs, length); got != want {
				t.Fatalf("%d processors fit for %d s at %d, not at %d", procs, length, want, got)
			}
			if p.shut(least{procs, length}) != (want > now) {
				t.Fatalf("%d processors fit for %d s at %d, and shut is %v", procs, length, want, want == now)
			}
			p.reserve(want, procs, length)
			use(want, want+ostrich.Time(length), procs)
			if p.idle() != free[0] {
				t.Fatalf("%d processors are idle, not %d", free[0], p.idle())
			}
		}
		if got := p.fit(m+1, 1); got != math.MaxInt64 {
			t.Fatalf("more processors than there are fit at %d", got)
		}
	})
}

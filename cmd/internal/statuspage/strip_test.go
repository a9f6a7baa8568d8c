package statuspage

import (
	"strings"
	"testing"
	"time"
)

func TestStrip(t *testing.T) {
	well := Health{Mode: "enforce", Channel: "nice", PriorityMode: "strict", Now: sampleNow, Time: sampleNow, LastSuccess: sampleNow, Ready: true}
	for _, test := range []struct {
		name        string
		health      func(h *Health)
		check       []Check
		class, says string
	}{
		{"well", func(*Health) {}, nil, "good", "Cycles succeed. Enforcing: the order is written to Slurm through nice, mode strict."},
		{"observing", func(h *Health) { h.Mode = "observe" }, nil, "good", "nothing is written to Slurm"},
		{"a check", func(*Health) {}, []Check{{Name: "rows"}, {Name: "queue", OK: true}, {Name: "journal"}}, "warn", "these checks fail: rows, journal."},
		{"first cycle", func(h *Health) { h.Time, h.LastSuccess, h.Ready = 0, 0, false }, nil, "warn", "No cycle has ended yet."},
		{"never", func(h *Health) { h.Time, h.Failures, h.LastError = 0, 3, "refused" }, nil, "bad", "No cycle has succeeded yet: refused"},
		{"failing", func(h *Health) { h.Failures, h.LastError, h.Since = 2, "timeout", sampleNow-60 }, []Check{{Name: "cycles"}}, "warn", "left as it is. The latest error: timeout"},
		{"for long", func(h *Health) { h.Ready, h.Failures, h.LastError = false, 9, "timeout" }, nil, "bad", "No cycle has succeeded lately"},
		{"loaded", func(h *Health) { h.Slowdown, h.Loaded = 4, "80 requests wait" }, nil, "good", "Slowed down: slurmctld is loaded, so cycles and writes come 4 times as slowly."},
		{"too slow", func(h *Health) { h.Ready = false }, nil, "bad", "the queue is left as it is. Enforcing"},
	} {
		s := &Snapshot{Health: well, Checks: test.check}
		test.health(&s.Health)
		b := builder{s: s, clock: clock{time.Unix(int64(sampleNow), 0).UTC()}}
		got := b.strip()
		if words := strings.Join(got.Lines, " "); got.Class != test.class || !strings.Contains(words, test.says) || got.Mark == "" {
			t.Errorf("%s: %s %q %q", test.name, got.Class, got.Mark, words)
		}
		// What moves by itself would be read out again and again.
		later := *s
		later.Health.Now += 40
		later.Health.Failures += min(1, later.Health.Failures)
		b = builder{s: &later, clock: clock{time.Unix(int64(later.Health.Now), 0).UTC()}}
		if again := b.strip(); strings.Join(again.Lines, " ") != strings.Join(got.Lines, " ") {
			t.Errorf("%s: other words a moment later: %q", test.name, again.Lines)
		}
	}
}

package statuspage

import (
	"fmt"
	"math"
	"strings"

	"slurm-ostrich/cmd/internal/format"
)

// strip is mode and health. A screen reader reads lines out when they change, so
// they hold no figure that moves by itself.
type strip struct {
	Class   string // good, warn or bad
	Mark    string // the same in a word
	Lines   []string
	Figures []figure
}

// figure is a name with a value, a moment, or both.
type figure struct {
	Name, Value string
	At          *moment
}

func (b *builder) strip() strip {
	h := &b.s.Health
	var s strip
	switch {
	case h.Time == 0 && h.Failures == 0:
		s.Class, s.Mark = "warn", "Starting."
		s.Lines = append(s.Lines, "No cycle has ended yet.")
	case h.Time == 0:
		s.Class, s.Mark = "bad", "Failing."
		s.Lines = append(s.Lines, "No cycle has succeeded yet: "+h.LastError)
	case !h.Ready:
		s.Class, s.Mark = "bad", "Not ready."
		s.Lines = append(s.Lines, "No cycle has succeeded lately; the queue is left as it is."+because(h.LastError))
	case h.Failures > 0:
		s.Class, s.Mark = "warn", "Failing."
		s.Lines = append(s.Lines, "The latest cycles failed; the queue is left as it is."+because(h.LastError))
	default:
		s.Class, s.Mark = "good", "Healthy."
		s.Lines = append(s.Lines, "Cycles succeed.")
	}
	if bad := b.s.failed(); len(bad) > 0 && s.Class == "good" {
		s.Class, s.Mark, s.Lines = "warn", "Look here:", []string{"cycles succeed, but these checks fail: " + strings.Join(bad, ", ") + "."}
	}
	switch t := h.Trial; {
	case h.Mode == "observe":
		s.Lines = append(s.Lines, "Observing: the order is computed, and nothing is written to Slurm.")
	case t != nil:
		s.Lines = append(s.Lines, capital(t.Words)+".")
	default:
		s.Lines = append(s.Lines, "Enforcing: the order is written to Slurm through "+h.Channel+", mode "+h.PriorityMode+".")
	}
	if h.Loaded != "" {
		s.Lines = append(s.Lines, fmt.Sprintf("Slowed down: slurmctld is loaded, so cycles and writes come %d times as slowly.", h.Slowdown))
	}
	add := func(name, value string) { s.Figures = append(s.Figures, figure{Name: name, Value: value}) }
	at := func(name string, t float64) {
		m := b.clock.at(t)
		s.Figures = append(s.Figures, figure{Name: name, At: &m})
	}
	at("latest good cycle", float64(h.LastSuccess))
	if h.Since != 0 {
		at("failing since", float64(h.Since))
		add("failures in a row", format.Count(h.Failures))
	}
	add("accounting lag", format.Span(float64(h.Lag)))
	for _, p := range b.s.Pools {
		name, unit := "busy "+b.unit().Many, b.unit()
		if of := p.named(); of != "" {
			name += ", " + of
		}
		add(name, fmt.Sprintf("%s of %s", unit.Amount(p.Busy), unit.Amount(p.Procs)))
	}
	add("pending jobs", fmt.Sprintf("%s, %s ordered", format.Count(h.Pending), format.Count(h.Managed)))
	add("planned writes", format.Count(h.Planned))
	if h.Managed > 1 {
		add("rank correlation", strings.Replace(fmt.Sprintf("%.2f", noZero(h.KendallTau)), "-", "−", 1))
	}
	if h.LastErrorAt != 0 && h.Failures == 0 {
		at("latest failure", float64(h.LastErrorAt))
	}
	if h.Loaded != "" {
		add("load of slurmctld", h.Loaded)
	}
	if h.Slurm != "" {
		add("Slurm", h.Slurm)
	}
	return s
}

// because adds the reason, in Slurm's or the database's own words.
func because(why string) string {
	if why == "" {
		return ""
	}
	return " The latest error: " + why
}

// noZero returns 0 for what would be written as -0.00.
func noZero(x float64) float64 {
	if math.Abs(x) < 0.005 {
		return 0
	}
	return x
}

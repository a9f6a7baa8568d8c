package lengths

import "testing"

// TestPastShared: copies share the lengths of classes until one of them learns.
func TestPastShared(t *testing.T) {
	for outcome, of := range map[Outcome]func(*Past) *alike{
		Done:    func(p *Past) *alike { return p.safe.alike },
		Stopped: func(p *Past) *alike { return p.every.alike },
	} {
		var p Past
		var all Used
		r := &Request{Procs: 1, Limit: 1000, Class: 3}
		p.Learn(Alike, &all, r, outcome, 100)
		p.Share()
		first, second := p, p
		if of(&p) == nil || of(&p) != of(&first) || of(&first) != of(&second) {
			t.Error("a copy that has learned nothing has its own lengths")
		}
		for range 2 {
			first.Learn(Alike, &all, r, outcome, 300)
			p.Learn(Alike, &all, r, outcome, 20)
		}
		for _, one := range []struct {
			what string
			p    *Past
			want Duration
		}{{"the original", &p, 20}, {"the copy that learned", &first, 300}, {"the copy that did not", &second, 100}} {
			if got, failing := one.p.Predict(Alike, &all, r, 1); got != one.want || failing != (outcome == Stopped) {
				t.Errorf("%s expects %d, want %d; of failures: %t", one.what, got, one.want, failing)
			}
		}
	}
}

package grid

import (
	"testing"

	"slurm-ostrich/ostrich"
)

// bagOf is a bag of one user, submitted at a moment.
func bagOf(user int, at ostrich.Time, runs ...ostrich.Duration) Bag {
	b := Bag{User: ostrich.UserID(user), Submit: at}
	for _, r := range runs {
		b.Tasks = append(b.Tasks, Task{ID: ostrich.JobID(100*user + len(b.Tasks)), Run: r})
	}
	return b
}

var two = Platform{Name: "two", Clusters: []Cluster{{"slow", 1, 1}, {"fast", 1, 2}}}

func TestSmoke(t *testing.T) {
	for _, a := range []Architecture{SepC, CSP, FCondor} {
		for _, s := range Selections() {
			for _, p := range Policies() {
				name := p.Name
				if name == "WQR-n" {
					name = "WQR-4"
				}
				x := Experiment{Platform: two, Architecture: a, Selection: s.Name, Policy: name, Predictor: ostrich.ByLast}
				r, err := x.Run([]Bag{bagOf(1, 0, 10, 4, 6), bagOf(2, 1, 8, 8)})
				if err != nil {
					t.Fatal(err)
				}
				t.Log(a, s.Name, name, r.Tasks, r.Measures().MS)
			}
		}
	}
}

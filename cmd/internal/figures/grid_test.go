//go:build !race

package figures

import (
	"slices"
	"strings"
	"testing"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/grid"
	"slurm-ostrich/ostrich/sim"
)

// TestGridFigures: every figure of HPDC 2008 that needs no log is drawn, has numbers,
// and OStrich and FairCamp take part in it.
func TestGridFigures(t *testing.T) {
	for _, name := range []string{"bot-4", "bot-5", "bot-8", "bot-10", "bot-11"} {
		r := drawShort(t, name)
		if len(r.Numbers) == 0 || len(r.Pictures) < 2 || len(r.Tables) != 1 {
			t.Errorf("%s: %d numbers, %d pictures, %d tables", name, len(r.Numbers), len(r.Pictures), len(r.Tables))
		}
		for _, order := range []string{"OStrich", "FairCamp"} {
			if !slices.ContainsFunc(r.Tables[0].Rows, func(row []string) bool { return strings.Contains(row[1], order) }) {
				t.Errorf("%s: no row has %s", name, order)
			}
		}
	}
}

// TestGridTable: all ways of a sample have the same tasks, and without an end all of
// them end. No replication uses more than what the copies that ended first need.
func TestGridTable(t *testing.T) {
	r := drawShort(t, "bot-5")
	tasks := make(map[string]string)
	for _, row := range r.Tables[0].Rows {
		if before, known := tasks[row[0]]; known && before != row[3] {
			t.Errorf("%s, %s: %s tasks, and %s in another row", row[0], row[1], row[3], before)
		}
		tasks[row[0]] = row[3]
		if row[5] != "1.0000" {
			t.Errorf("%s, %s: finished %s", row[0], row[1], row[5])
		}
		replicates := slices.Contains([]string{"RR", "WQR-4", "STFR"}, row[1])
		if (row[12] != row[13]) != replicates {
			t.Errorf("%s, %s: goodput %s of %s used", row[0], row[1], row[12], row[13])
		}
	}
	if len(tasks) != 3 {
		t.Errorf("%d patterns of arrivals, want 3", len(tasks))
	}
}

// TestGridModel: a workload puts its load on the platform, in its days.
func TestGridModel(t *testing.T) {
	p := grid.HPDC2008()
	bags, err := read2008.model(Input{}, 0.2).bags(1)
	if err != nil {
		t.Fatal(err)
	}
	if load := grid.Load(bags, p); load < 0.199 || load > 0.201 {
		t.Errorf("a load of %v, want 0.2", load)
	}
	homes := make(map[int]bool)
	for _, b := range bags {
		homes[b.Home] = true
	}
	if len(homes) != len(p.Clusters) {
		t.Errorf("bags come to %d clusters of %d", len(homes), len(p.Clusters))
	}
}

// TestVariability: Fig. 1 by hand. Bags of 2 have the variance 8 (and log2 3), one of
// 50 has 4 (and log2 2).
func TestVariability(t *testing.T) {
	l := &workload{name: "hand"}
	add := func(number int, runs ...int) {
		for _, r := range runs {
			l.jobs, l.numbers = append(l.jobs, sim.Job{Run: ostrich.Duration(r)}), append(l.numbers, number)
		}
	}
	add(0, 10, 14)
	add(1, 3, 7)
	add(2, 5, 5)
	add(3, 9)
	half := make([]int, 50)
	for i := range half {
		half[i] = 100 + 2*(i%2)
	}
	add(4, half...)
	logged, plain, counts := l.variability()
	if counts[0] != 2 || counts[4] != 1 || counts[8] != 2 {
		t.Errorf("%v bags", counts)
	}
	if logged[0] != 1 || plain[0] != 1 || logged[8] != 3 || plain[8] != 8 {
		t.Errorf("small bags: %v of %v, %v of %v", logged[0], logged[8], plain[0], plain[8])
	}
	if got, want := decimals(plain[4], 4), decimals(50.0/49/8, 4); got != want {
		t.Errorf("bags of 50: %s of the variance, want %s", got, want)
	}
}

// TestRealGrid: a log of a grid under 25 % (Fig. 3), and its variability (Fig. 1).
func TestRealGrid(t *testing.T) {
	in := lpcInput(t)
	in.Short, in.small = true, true
	for _, name := range []string{"bot-1", "bot-3"} {
		if r := drawFigure(t, name, in); len(r.Numbers) < 5 {
			t.Errorf("%s: %d numbers", name, len(r.Numbers))
		}
	}
}

// TestShortIsWhole: with Short there are fewer workloads, and each is what it is.
func TestShortIsWhole(t *testing.T) {
	short, whole := read2008.model(Input{Short: true}, 0.95), read2008.model(Input{}, 0.95)
	if short.Tasks != whole.Tasks || short.Days != whole.Days || whole.Tasks < 170_000 {
		t.Errorf("%d tasks in place of %d", short.Tasks, whole.Tasks)
	}
	if n := (Input{Short: true}).either(1, gridSeeds); n != 1 || gridSeeds < 5 {
		t.Errorf("%d workloads of %d", n, gridSeeds)
	}
}

// TestSingle: bags of one task are those in no class. Two bags of NSL 2 are in classes, and
// of three with a mean of 1 that leaves one with −1.
func TestSingle(t *testing.T) {
	m := grid.Measures{Measure: grid.Measure{Bags: 4, DoneBags: 3, NSL: 1, MS: 10}}
	m.Classes[0] = grid.Measure{Bags: 1, DoneBags: 1, NSL: 2, MS: 5}
	m.Classes[3] = grid.Measure{Bags: 1, DoneBags: 1, NSL: 2, MS: 7}
	if one := single(&m); one.Bags != 2 || one.DoneBags != 1 || one.NSL != -1 || one.MS != 18 {
		t.Errorf("%+v", one)
	}
	// Of three workloads only the first has bags of one task.
	none := grid.Measures{Measure: grid.Measure{Bags: 9, DoneBags: 9, NSL: 7, MS: 70}}
	none.Classes[0] = none.Measure
	if one := singles([]grid.Measures{m, none, none}); one.Bags != 2 || one.DoneBags != 1 || one.NSL != -1 || one.MS != 18 {
		t.Errorf("of three workloads %+v", one)
	}
	if one := single(&grid.Measures{Measure: grid.Measure{Bags: 2}}); one.Bags != 2 || one.NSL != 0 {
		t.Errorf("%+v", one)
	}
}

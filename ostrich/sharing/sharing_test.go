package sharing

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"slurm-ostrich/ostrich/scalar"
)

// TestEquations is the example of thesis 5.2 (Figure 5.1): six processors, three users of
// weight 1. The virtual completions are those of the text; the tags follow from them.
func TestEquations(t *testing.T) {
	tree := New(Options{Size: 6})
	lines := make(map[scalar.UserID]*Line)
	submit := func(u scalar.UserID, work scalar.Work) *Stage {
		if lines[u] == nil {
			lines[u] = &Line{User: u}
			tree.Plant(lines[u])
		}
		g := &Stage{Open: 1}
		tree.Append(lines[u], g)
		tree.Add(g, work)
		return g
	}
	at := func(moment float64) {
		for tree.Next() <= moment {
			tree.Complete(tree.Next())
		}
		tree.Change(moment)
	}
	check := func(g *Stage, clock, start, finish, end float64) {
		t.Helper()
		now := scalar.Time(tree.Moment())
		if got := tree.clockAt(tree.root, tree.moment); got != clock || g.start != start || g.finish != finish {
			t.Errorf("t = %d: V %v, start %v, F %v, want %v, %v, %v", now, got, g.start, g.finish, clock, start, finish)
		}
		if got := tree.VirtualEnd(g, now); math.Abs(got-end) > 1e-9 {
			t.Errorf("t = %d: C~ %v, want %v", now, got, end)
		}
	}
	c11, c21 := submit(1, 48), submit(2, 18)
	check(c11, 0, 0, 48, 16)
	check(c21, 0, 0, 18, 6)
	at(2)
	c31 := submit(3, 10)
	check(c11, 6, 0, 48, 23)
	check(c21, 6, 0, 18, 8)
	check(c31, 6, 6, 16, 7)
	at(5)
	c32 := submit(3, 8)
	tree.CatchUp()
	check(c32, 12, 16, 24, 11)
	at(8)
	c22 := submit(2, 10)
	check(c22, 18, 18, 28, 13)
	if c31.Completed != 7 || c32.Began != 7 || c21.Completed != 8 {
		t.Errorf("C~ of 3.1 %v, s~ of 3.2 %v, C~ of 2.1 %v, want 7, 7, 8", c31.Completed, c32.Began, c21.Completed)
	}
	at(14)
	if c32.Completed != 11 || math.Abs(c22.Completed-37./3) > 1e-9 || lines[2].Active() {
		t.Errorf("C~ of 3.2 %v, of 2.2 %v, want 11, 12 1/3", c32.Completed, c22.Completed)
	}
	c23, c33 := submit(2, 6), submit(3, 6)
	check(c23, 38, 38, 44, 17)
	check(c33, 38, 38, 44, 17)
	check(c11, 38, 0, 48, 19)
}

// history lets a tree live: users come, stages open, their work changes, jobs end, time
// passes and the machine is divided anew. It calls check after each event.
func history(t *rapid.T, check func(*Tree)) {
	draw := func(what string, from, to int) int { return rapid.IntRange(from, to).Draw(t, what) }
	tree := New(Options{Size: draw("m", 0, 6), Parallel: rapid.Bool().Draw(t, "parallel"), Settle: rapid.Bool().Draw(t, "settle")})
	lines := make(map[scalar.UserID]*Line)
	var stages []*Stage
	for range draw("events", 1, 60) {
		moment := tree.Moment() + float64(draw("wait", 0, 10))
		if moment > tree.Moment() {
			tree.Settle()
		}
		for tree.Next() <= moment {
			tree.Complete(tree.Next())
		}
		tree.Change(moment)
		action := draw("action", 0, 9)
		if len(stages) == 0 {
			action = 0
		}
		var g *Stage
		if action > 2 {
			g = stages[draw("stage", 0, len(stages)-1)]
		}
		switch action {
		case 0, 1:
			u := scalar.UserID(draw("user", 1, 3)) //nolint:gosec // small
			l := lines[u]
			if l == nil {
				l = &Line{User: u}
				lines[u] = l
				tree.Plant(l)
			}
			l.Open++
			g = &Stage{Open: 1}
			stages = append(stages, g)
			tree.Append(l, g)
			tree.Add(g, scalar.Work(draw("work", 0, 50)))
		case 2:
			shares := &Shares{Accounts: []Account{{Name: "a", Weight: float64(draw("a", 1, 3))}, {Name: "b", Parent: "a", Weight: 1}}}
			for u := range scalar.UserID(3) {
				account := rapid.SampledFrom([]string{"", "a", "b"}).Draw(t, "account")
				shares.Users = append(shares.Users, UserShare{User: u + 1, Account: account, Weight: float64(draw("w", 1, 4))})
			}
			tree.Divide(shares)
		case 3, 4, 5:
			tree.Add(g, max(-g.Work, scalar.Work(draw("more", -50, 50))))
		case 6:
			tree.Occupy(g.line, max(-tree.Busy(), draw("busy", -2, 2)))
		case 7:
			now := Remains(int64(draw("fixed", 0, 500)), 1, false)
			now.Add(Remains(int64(moment), int64(draw("running", 0, 2)), true))
			tree.Recount(g, g.left, now)
		default:
			if g.Open == 0 {
				break
			}
			tree.Recount(g, g.left, Left{})
			g.Open--
			g.line.Open--
			tree.Leave(g.line)
			g.line.Sweep()
			stages = slices.DeleteFunc(stages, func(o *Stage) bool { return o == g })
		}
		check(&tree)
	}
}

// copied is a copy of a tree, with its lines.
func (t *Tree) copied() (Tree, map[scalar.UserID]*Line) {
	lines, stages := make(map[scalar.UserID]*Line), make(map[*Stage]*Stage)
	for _, l := range t.lines {
		lines[l.User] = new(Line)
		for _, g := range l.stages {
			stages[g] = new(Stage)
			*stages[g] = *g
		}
	}
	return t.Clone(func(l *Line) *Line { return lines[l.User] }, func(g *Stage) *Stage { return stages[g] }), lines
}

func near(a, b float64) bool { return a == b || math.Abs(a-b) <= 1e-6*max(1, math.Abs(a), math.Abs(b)) }

// TestSurplus: the surplus that is kept is the one that is counted anew, to rounding.
func TestSurplus(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		history(t, func(tree *Tree) {
			owed := scalar.Work(0)
			for _, l := range tree.lines {
				sum := scalar.Work(0)
				for _, g := range l.stages {
					sum += tree.Pending(g, tree.moment)
				}
				if all := tree.Owed(l, tree.moment); !near(float64(all), float64(sum)) {
					t.Fatalf("user %d is owed %v, %v for all stages", l.User, all, sum)
				}
				owed += sum
			}
			if want := owed - tree.left.after(tree.moment); !near(float64(tree.surplus), float64(want)) {
				t.Fatalf("t = %v: surplus %v, want %v", tree.moment, tree.surplus, want)
			}
		})
	})
}

// TestSettled: nobody is owed anything once all jobs have ended.
func TestSettled(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		history(t, func(tree *Tree) {
			if !tree.options.Settle || tree.left != (Left{}) {
				return
			}
			c, _ := tree.copied()
			if c.Settle(); c.root.sharing != 0 {
				t.Fatalf("t = %v: weight %v is still served", c.moment, c.root.sharing)
			}
		})
	})
}

// TestTagsAreSetWhenRead: tags that are read are those that an event would have set
// at once, to the last bit, and what a line is to be served is their sum.
func TestTagsAreSetWhenRead(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		history(t, func(tree *Tree) {
			now, read := tree.copied()
			atOnce, all := tree.copied()
			for u, l := range read {
				all[u].laid = all[u].completed
				now.catchUp(l)
				atOnce.catchUp(all[u])
				sum := scalar.Work(0)
				for i, g := range l.stages {
					sum += g.unserved()
					if want := all[u].stages[i]; g.start != want.start || g.finish != want.finish || g.until != want.until {
						t.Fatalf("user %d, stage %d: tags %v, %v, %v, want %v, %v, %v",
							u, i, g.start, g.finish, g.until, want.start, want.finish, want.until)
					}
				}
				if !near(float64(sum), float64(l.unserved)) {
					t.Fatalf("user %d: %v processor-seconds, want %v", u, l.unserved, sum)
				}
				if l.Active() && !near(l.until, l.stages[len(l.stages)-1].until) {
					t.Fatalf("user %d: served until %v, want %v", u, l.until, l.stages[len(l.stages)-1].until)
				}
			}
		})
	})
}

// TestRaise: raising what is completed behind a stage does what laying it out would, to
// the last bit.
func TestRaise(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		history(t, func(tree *Tree) {
			for _, l := range tree.lines {
				now := tree.clockAt(l.leaf.parent, tree.moment)
				for i, g := range l.stages {
					if g.Completed == NotYet {
						continue
					}
					_, a := tree.copied()
					b, c := tree.copied()
					raised, laid := a[l.User], c[l.User]
					raised.reached[i] = max(raised.upTo(i), now-rapid.Float64Range(0, 10).Draw(t, "earlier"))
					laid.reached[i] = raised.reached[i]
					for k := i + 1; k <= raised.raise(i); k++ {
						b.layOut(laid, k)
					}
					for k, g := range raised.stages {
						if h := laid.stages[k]; g.start != h.start || g.finish != h.finish || raised.upTo(k) != laid.upTo(k) {
							t.Fatalf("user %d, stage %d behind %d: tags %v, %v, %v, want %v, %v, %v",
								l.User, k, i, g.start, g.finish, raised.upTo(k), h.start, h.finish, laid.upTo(k))
						}
					}
				}
			}
		})
	})
}

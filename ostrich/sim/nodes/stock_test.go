package nodes_test

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/sim/nodes"
)

// plain places jobs by the rule of Stock.Place, with a look at each node.
type plain struct {
	cpus, memory []int   // of each node
	now, then    [][]int // in use, CPUs and memory, of each node: by running jobs; at the shadow time, with the head
}

// kept is what is in use of a node now, or at the shadow time if that is more.
func (p *plain) kept(n int) []int {
	return []int{max(p.now[n][0], p.then[n][0]), max(p.now[n][1], p.then[n][1])}
}

// offer is how many CPUs a node offers, with memory for each.
func (p *plain) offer(n int, used []int, memory int) int {
	c := p.cpus[n] - used[0]
	if memory > 0 {
		c = min(c, (p.memory[n]-used[1])/memory)
	}
	return max(0, c)
}

func (p *plain) place(cpus, low, memory int, long bool) (at, got []int32) {
	type one struct {
		n, offer int
		put      bool
	}
	var list []one
	for n := range p.cpus {
		used := p.now[n]
		if long {
			used = p.kept(n)
		}
		if o := p.offer(n, used, memory); o > 0 {
			list = append(list, one{n, o, p.offer(n, p.kept(n), memory) < o})
		}
	}
	for cpus > 0 || low > 0 {
		slices.SortFunc(list, func(a, b one) int {
			alone := func(x one) int {
				if low <= 1 && x.offer >= cpus {
					return 0
				}
				return 1
			}
			put := func(x one) int {
				if x.put {
					return 0
				}
				return 1
			}
			size := cmp.Compare(a.offer, b.offer)
			if alone(a) == 1 {
				size = -size
			}
			return cmp.Or(cmp.Compare(alone(a), alone(b)), cmp.Compare(put(a), put(b)), size, cmp.Compare(a.n, b.n))
		})
		if len(list) == 0 {
			return nil, nil
		}
		x := list[0]
		list = list[1:]
		use := min(x.offer, max(cpus-max(low-1, 0), 1))
		at, got = append(at, int32(x.n)), append(got, int32(use))
		cpus, low = cpus-use, low-1
	}
	return at, got
}

// TestStockIsPlain places random jobs on random clusters beside random reservations: the counted placement
// chooses what a look at each node chooses, and whatever starts beside the head leaves it its nodes.
func TestStockIsPlain(t *testing.T) {
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 1))
		c := &nodes.Cluster{Select: nodes.Select{Memory: true}, DefMemory: nodes.Memory{MiB: 1, PerCPU: true}}
		p := &plain{}
		for range 1 + r.IntN(12) {
			cpus, memory := 1<<r.IntN(4), 8*(1+r.IntN(3))
			c.Nodes = append(c.Nodes, nodes.Node{CPUs: cpus, Memory: int64(memory)})
			p.cpus, p.memory = append(p.cpus, cpus), append(p.memory, memory)
			p.now, p.then = append(p.now, make([]int, 2)), append(p.then, make([]int, 2))
		}
		f, err := nodes.NewFloor(c)
		if err != nil {
			t.Fatal(err)
		}
		s := f.NewStock()
		type running struct {
			end    ostrich.Time
			a      *nodes.Allocation
			memory int
		}
		var runs []running
		change := func(of [][]int, a *nodes.Allocation, memory, sign int) {
			for i, n := range a.Nodes {
				of[n][0] += sign * int(a.CPUs[i])
				of[n][1] += sign * int(a.CPUs[i]) * memory
			}
		}
		shadow, headed := ostrich.Time(0), false
		var head *nodes.Want
		step := func(now ostrich.Time) string {
			cpus, low, memory, length := 1+r.IntN(10), 1+r.IntN(3), 1+r.IntN(6), ostrich.Time(1+r.IntN(50))
			w, err := f.Want(&nodes.Request{CPUs: cpus, Tasks: max(cpus, low), MinNodes: low, Memory: nodes.Memory{MiB: int64(memory), PerCPU: true}}, -1)
			if err != nil {
				return "" // it fits no nodes
			}
			cpus = max(cpus, low)
			long := headed && now+length > shadow
			at, got := p.place(cpus, low, memory, long)
			a, ok := s.Place(w, 1, long)
			switch {
			case ok != (at != nil):
				return fmt.Sprintf("placed is %t, plainly %v", ok, at)
			case ok && (!slices.Equal(a.Nodes, at) || !slices.Equal(a.CPUs, got)):
				return fmt.Sprintf("on %v with %v CPUs, plainly %v with %v", a.Nodes, a.CPUs, at, got)
			case ok:
				s.Add(a, long)
				change(p.now, a, memory, 1)
				if long {
					change(p.then, a, memory, 1)
				}
				runs = append(runs, running{now + length, a, memory})
				return ""
			case headed:
				return ""
			}
			head, headed = w, true
			slices.SortStableFunc(runs, func(a, b running) int { return cmp.Compare(a.end, b.end) })
			shadow = s.Reserve(w, 1, now, func(i int) (ostrich.Time, *nodes.Allocation) {
				if i >= len(runs) {
					return 0, nil
				}
				return runs[i].end, runs[i].a
			})
			// Plainly: what runs at the shadow time, and the head where the stock says that it is.
			for n, use := range s.Kept() {
				p.then[n] = []int{use[0], use[1]}
			}
			return ""
		}
		for now := ostrich.Time(1); now < 200; now++ {
			for i := 0; i < len(runs); {
				if runs[i].end > now {
					i++
					continue
				}
				s.Remove(runs[i].a)
				change(p.now, runs[i].a, runs[i].memory, -1)
				runs = slices.Delete(runs, i, i+1)
				if headed { // a pass begins anew
					s.Clear()
					headed = false
					for n := range p.then {
						p.then[n] = make([]int, 2)
					}
				}
			}
			if wrong := step(now); wrong != "" {
				t.Fatalf("seed %d at %d: %s", seed, now, wrong)
			}
			if headed {
				l := f.NewLoad()
				for _, x := range runs {
					if x.end > shadow {
						l.Add(x.a)
					}
				}
				if _, ok := f.NewChooser().Choose(head, 1, f.All(), l); !ok {
					t.Fatalf("seed %d at %d: the head finds no nodes at its shadow time %d", seed, now, shadow)
				}
			}
		}
	}
}

// TestPlaceGPUs: of GPUs for a whole job those of all kinds count, and once few are left a node that has just these is taken.
func TestPlaceGPUs(t *testing.T) {
	gpus := func(kind string, count int64) nodes.GRES { return nodes.GRES{Name: "gpu", Type: kind, Count: count} }
	ofJob := func(g nodes.GRES) nodes.GRESRequest { return nodes.GRESRequest{GRES: g, Per: nodes.PerJob} }
	two := []nodes.GRES{gpus("a", 2), gpus("b", 1)}
	for _, test := range []struct {
		name    string
		nodes   []nodes.Node
		request nodes.Request
		want    []int32
	}{
		{
			"two types",
			[]nodes.Node{{CPUs: 4, GRES: two}, {CPUs: 4, GRES: two}},
			nodes.Request{CPUs: 2, MinNodes: 2, GRES: []nodes.GRESRequest{ofJob(gpus("a", 3)), ofJob(gpus("b", 2))}},
			[]int32{0, 1},
		},
		{
			"five of 2, 2 and 3",
			[]nodes.Node{{CPUs: 4, GRES: []nodes.GRES{gpus("", 2)}}, {CPUs: 4, GRES: []nodes.GRES{gpus("", 2)}}, {CPUs: 4, GRES: []nodes.GRES{gpus("", 3)}}},
			nodes.Request{CPUs: 1, GRES: []nodes.GRESRequest{ofJob(gpus("", 5))}},
			[]int32{0, 2},
		},
	} {
		f, err := nodes.NewFloor(&nodes.Cluster{Nodes: test.nodes})
		if err != nil {
			t.Fatal(err)
		}
		w, bad := f.Want(&test.request, -1)
		if bad != nil {
			t.Fatalf("%s: %v", test.name, bad)
		}
		a, found := f.NewStock().Place(w, 1, false)
		if !found || !slices.Equal(a.Nodes, test.want) {
			t.Errorf("%s: %t %+v", test.name, found, a)
		}
	}
}

// TestFreedIsBounded: a stock remembers which nodes jobs have left, but not of all jobs that have ended.
func TestFreedIsBounded(t *testing.T) {
	f, err := nodes.NewFloor(&nodes.Cluster{Nodes: []nodes.Node{{CPUs: 4}, {CPUs: 4}}})
	if err != nil {
		t.Fatal(err)
	}
	w, bad := f.Want(&nodes.Request{CPUs: 8}, -1)
	if bad != nil {
		t.Fatal(bad)
	}
	s := f.NewStock()
	for range 10_000 {
		a, found := s.Place(w, 1, false)
		if !found {
			t.Fatal("no nodes")
		}
		s.Add(a, false)
		s.Remove(a)
	}
	if s.Freed() > 200 {
		t.Errorf("%d nodes", s.Freed())
	}
}

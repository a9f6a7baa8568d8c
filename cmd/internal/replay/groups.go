package replay

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"slurm-ostrich/cmd/internal/comparison"
	"slurm-ostrich/cmd/internal/inventory"
	"slurm-ostrich/ostrich/accounting"
	"slurm-ostrich/ostrich/multifactor"
)

// sizes are the classes of jobs by processors: at most so many, from the one before on.
var sizes = []int{1, 4, 16, 64, 256, 1024}

// groupings divide the measured jobs by account at every level, QOS, partition, size and
// resource. Divisions into one group, or by what is not known, are left out.
func (s *Study) groupings(h *accounting.History) []comparison.Grouping {
	var jobs []*Job
	for i := range s.Jobs {
		if s.Jobs[i].campaign >= 0 {
			jobs = append(jobs, &s.Jobs[i])
		}
	}
	list := []comparison.Grouping{s.byAccount(h, jobs)}
	size := func(j *Job) int { at, _ := slices.BinarySearch(sizes, j.Procs); return at }
	for _, by := range []struct {
		by, name string
		of       func(j *Job) (place int, name string)
	}{
		{"qos", "QOS", func(j *Job) (int, string) { return j.wants.request.QOS, h.QOS[j.wants.request.QOS] }},
		{"partition", "partition", func(j *Job) (int, string) {
			return j.wants.request.Partition, h.Partitions[j.wants.request.Partition]
		}},
		{"size", "processors", func(j *Job) (int, string) {
			switch at := size(j); {
			case at == 0:
				return 0, "1"
			case at == len(sizes):
				return at, fmt.Sprintf("above %d", sizes[at-1])
			default:
				return at, fmt.Sprintf("%d to %d", sizes[at-1]+1, sizes[at])
			}
		}},
		{"resource", "resource", func(j *Job) (int, string) {
			return len(j.wants.devices), cmp.Or(j.wants.devices, "processors only")
		}},
	} {
		g := comparison.Grouping{By: by.by, Name: by.name, Of: [][]int32{make([]int32, len(jobs))}}
		type key struct {
			place int
			name  string
		}
		var keys []key
		at := make(map[key]int)
		for _, j := range jobs {
			place, name := by.of(j)
			if k := (key{place, name}); at[k] == 0 {
				at[k] = 1
				keys = append(keys, k)
			}
		}
		slices.SortFunc(keys, func(a, b key) int { return cmp.Or(cmp.Compare(a.place, b.place), cmp.Compare(a.name, b.name)) })
		for i, k := range keys {
			at[k] = i
			g.Groups = append(g.Groups, comparison.Group{Name: cmp.Or(k.name, "none")})
		}
		for i, j := range jobs {
			place, name := by.of(j)
			g.Of[0][i] = int32(at[key{place, name}])
		}
		if len(g.Groups) > 1 {
			list = append(list, g)
		}
	}
	return slices.DeleteFunc(list, func(g comparison.Grouping) bool { return len(g.Groups) == 0 })
}

// byAccount divides jobs by their accounts and those above them. What an account paid for is
// its part of the machine by shares, as Slurm normalises them.
func (s *Study) byAccount(h *accounting.History, jobs []*Job) comparison.Grouping {
	g := comparison.Grouping{By: "account", Name: "account", Accounts: true}
	accounts := make(map[string]*multifactor.Account)
	below := make(map[string]float64) // shares of the accounts and users below one
	for i := range s.Priority.Accounts {
		a := &s.Priority.Accounts[i]
		accounts[a.Name] = a
		below[parentOf(a.Parent)] += float64(max(0, a.Shares))
	}
	for _, a := range s.Priority.Associations {
		below[parentOf(a.Account)] += float64(max(0, a.Shares))
	}
	path := func(name string) (up []string) { // from the top
		for a := accounts[name]; a != nil && len(up) <= len(accounts); a = accounts[a.Parent] {
			up = append(up, a.Name)
		}
		slices.Reverse(up)
		return up
	}
	paths := make([][]string, len(h.Associations))
	deepest := 0
	for i, a := range h.Associations {
		paths[i] = path(a.Account)
		deepest = max(deepest, len(paths[i]))
	}
	used := make(map[string]bool)
	for _, j := range jobs {
		used[strings.Join(paths[j.wants.request.Association], "\x00")] = true
	}
	places := make(map[string]int32)
	for _, p := range paths {
		if !used[strings.Join(p, "\x00")] {
			continue
		}
		for _, name := range p {
			places[name] = -1
		}
	}
	var names []string
	for name := range places {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int { return slices.Compare(path(a), path(b)) })
	for i, name := range names {
		places[name] = int32(i)
		group := comparison.Group{Name: name, Level: len(path(name)) - 1}
		if part, known := s.paid(path(name), accounts, below); known {
			group.Paid = &part
		}
		g.Groups = append(g.Groups, group)
	}
	for level := range deepest {
		of := make([]int32, len(jobs))
		for i, j := range jobs {
			if of[i] = -1; level < len(paths[j.wants.request.Association]) {
				of[i] = places[paths[j.wants.request.Association][level]]
			}
		}
		g.Of = append(g.Of, of)
	}
	return g
}

// parentOf returns the name of an account above others; that of the root is "".
func parentOf(name string) string {
	if name == accounting.RootAccount {
		return ""
	}
	return name
}

// paid returns the part of the machine that an account has by its shares and those above it.
// It is not known without a tree, nor of one that has no shares of its own.
func (s *Study) paid(path []string, accounts map[string]*multifactor.Account, below map[string]float64) (part float64, known bool) {
	part = 1
	for _, name := range path {
		a := accounts[name]
		all := below[parentOf(a.Parent)]
		if a.Shares < 0 || all <= 0 {
			return 0, false
		}
		part *= float64(a.Shares) / all
	}
	return part, s.Site != nil
}

// devicesOf returns the names of the generic resources that a job asks for, each once.
func devicesOf(n *accounting.Needs) string {
	if n.TRES == "" && n.GRES == "" {
		return ""
	}
	var names []string
	for item := range strings.SplitSeq(n.TRES, ",") {
		name, _, _ := strings.Cut(item, "=")
		if kind, is := strings.CutPrefix(name, "gres/"); is {
			kind, _, _ = strings.Cut(kind, ":")
			names = append(names, kind)
		}
	}
	if list, err := inventory.GRES(n.GRES); err == nil {
		for _, g := range list {
			names = append(names, g.Name)
		}
	}
	slices.Sort(names)
	return strings.Join(slices.Compact(names), ", ")
}

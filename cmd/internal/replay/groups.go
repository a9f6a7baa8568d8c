package replay

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"slurm-ostrich/cmd/internal/comparison"
	"slurm-ostrich/cmd/internal/inventory"
	"slurm-ostrich/ostrich/accounting"
	"slurm-ostrich/ostrich/multifactor"
)

// sizes are the classes of jobs by processors: at most so many, from the one before on.
var sizes = []int{1, 4, 16, 64, 256, 1024}

// kind is what jobs of a group have in common.
type kind struct {
	place int // of the group among others
	text  string
}

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
	for _, by := range []struct {
		by, name string
		of       func(j *Job) kind
		call     func(k kind) string
	}{
		{"qos", "QOS", func(j *Job) kind { return kind{j.wants.request.QOS, ""} }, func(k kind) string { return h.QOS[k.place] }},
		{"partition", "partition", func(j *Job) kind { return kind{j.wants.request.Partition, ""} }, func(k kind) string { return h.Partitions[k.place] }},
		{"size", "processors", func(j *Job) kind { at, _ := slices.BinarySearch(sizes, j.Procs); return kind{at, ""} }, func(k kind) string {
			switch k.place {
			case 0:
				return "1"
			case len(sizes):
				return fmt.Sprintf("above %d", sizes[k.place-1])
			default:
				return fmt.Sprintf("%d to %d", sizes[k.place-1]+1, sizes[k.place])
			}
		}},
		{"resource", "resource", func(j *Job) kind { return kind{len(j.wants.devices), j.wants.devices} }, func(k kind) string {
			return cmp.Or(k.text, "processors only")
		}},
	} {
		g := comparison.Grouping{By: by.by, Name: by.name}
		of, kinds := make([]kind, len(jobs)), make(map[kind]int32)
		for i, j := range jobs {
			if of[i] = by.of(j); i == 0 || of[i] != of[i-1] {
				kinds[of[i]] = 0
			}
		}
		sorted := slices.SortedFunc(maps.Keys(kinds), func(a, b kind) int { return cmp.Or(cmp.Compare(a.place, b.place), cmp.Compare(a.text, b.text)) })
		for i, k := range sorted {
			kinds[k] = int32(i)
			g.Groups = append(g.Groups, comparison.Group{Name: cmp.Or(by.call(k), "none")})
		}
		if len(g.Groups) < 2 {
			continue
		}
		g.Of = [][]int32{make([]int32, len(jobs))}
		for i, k := range of {
			g.Of[0][i] = kinds[k]
		}
		list = append(list, g)
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
	ran := make([]bool, len(paths))
	for _, j := range jobs {
		ran[j.wants.request.Association] = true
	}
	places := make(map[string]int32)
	for i, p := range paths {
		if !ran[i] {
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
		at, of := slices.Repeat([]int32{-1}, len(paths)), make([]int32, len(jobs))
		for i, p := range paths {
			if ran[i] && level < len(p) {
				at[i] = places[p[level]]
			}
		}
		for i, j := range jobs {
			of[i] = at[j.wants.request.Association]
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

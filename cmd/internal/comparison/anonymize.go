package comparison

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"slurm-ostrich/ostrich"
)

// Anonymize calls users user1, user2, … and accounts account1, account2, …, in
// the order in which they first submit a job. Users without a job come last, by
// id, as far as the virtual schedule knows them. A name is replaced in the same
// way everywhere: in tables and charts, and as a whole word in the title, the
// source, the notes, and after the first comma of the names of runs. It cannot
// replace names in these texts that belong to users without a job.
func Anonymize(in *Input) {
	if len(in.Runs) == 0 {
		return
	}
	jobs := in.Runs[0].Jobs
	order := make([]int, len(jobs))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Or(cmp.Compare(jobs[a].Submit, jobs[b].Submit), cmp.Compare(a, b)) })
	ids := make([]ostrich.UserID, 0, len(jobs)+len(in.Virtual))
	for _, i := range order {
		ids = append(ids, jobs[i].User)
	}
	var more []ostrich.UserID
	for _, b := range in.Virtual {
		more = append(more, b.User)
	}
	slices.Sort(more)
	ids = append(ids, more...)

	users, accounts := make(map[ostrich.UserID]string), make(map[ostrich.UserID]string)
	newUsers, newAccounts := make(map[string]string), make(map[string]string)
	rename := func(known map[string]string, prefix, name string) string {
		if name == "" {
			return ""
		}
		if _, ok := known[name]; !ok {
			known[name] = fmt.Sprint(prefix, len(known)+1)
		}
		return known[name]
	}
	for _, id := range ids {
		if _, ok := users[id]; !ok {
			users[id] = rename(newUsers, "user", in.userName(id))
			accounts[id] = rename(newAccounts, "account", in.AccountName(id))
		}
	}
	in.UserName = func(u ostrich.UserID) string {
		if name, ok := users[u]; ok {
			return name
		}
		return "user?"
	}
	in.AccountName = func(u ostrich.UserID) string { return accounts[u] }
	replace := func(text string) string { return words(text, newUsers, newAccounts) }
	in.Title, in.Source = replace(in.Title), replace(in.Source)
	in.Notes, in.Classes = slices.Clone(in.Notes), slices.Clone(in.Classes)
	for i := range in.Classes {
		in.Classes[i] = replace(in.Classes[i])
	}
	for i := range in.Notes {
		in.Notes[i] = replace(in.Notes[i])
	}
	in.Groupings = slices.Clone(in.Groupings)
	for i := range in.Groupings {
		g := &in.Groupings[i]
		g.Groups = slices.Clone(g.Groups)
		for k := range g.Groups {
			if g.Accounts {
				g.Groups[k].Name = rename(newAccounts, "account", g.Groups[k].Name)
			}
		}
	}
	in.Runs = slices.Clone(in.Runs)
	for i := range in.Runs {
		if name, options, ok := strings.Cut(in.Runs[i].Name, ","); ok {
			in.Runs[i].Name = name + "," + replace(options)
		}
	}
}

// word is what a login or an account may consist of: letters, digits, and "_", "-", "."
// and "@" inside.
var word = regexp.MustCompile(`[\pL\p{Nd}_\-.@]+`)

// words replaces words by the first list that has them.
func words(text string, lists ...map[string]string) string {
	return word.ReplaceAllStringFunc(text, func(one string) string {
		core := strings.TrimRight(one, ".-") // without the end of a sentence
		for _, list := range lists {
			if name, ok := list[one]; ok {
				return name
			}
			if name, ok := list[core]; ok {
				return name + one[len(core):]
			}
		}
		return one
	})
}

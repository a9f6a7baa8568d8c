package comparison

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"

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
	in.Notes = slices.Clone(in.Notes)
	for i := range in.Notes {
		in.Notes[i] = replace(in.Notes[i])
	}
	in.Runs = slices.Clone(in.Runs)
	for i := range in.Runs {
		if name, options, ok := strings.Cut(in.Runs[i].Name, ","); ok {
			in.Runs[i].Name = name + "," + replace(options)
		}
	}
}

// words replaces words by the first list that has them. A word is what a login or
// an account may consist of: letters, digits, and "_", "-", "." and "@" inside.
func words(text string, lists ...map[string]string) string {
	var out strings.Builder
	part := func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("_-.@", r) }
	for text != "" {
		first := strings.IndexFunc(text, part)
		if first < 0 {
			break
		}
		out.WriteString(text[:first])
		text = text[first:]
		after := strings.IndexFunc(text, func(r rune) bool { return !part(r) })
		if after < 0 {
			after = len(text)
		}
		word := text[:after]
		text = text[after:]
		core := strings.TrimRight(word, ".-") // without the end of a sentence
		tail := word[len(core):]
		for _, list := range lists {
			if name, ok := list[word]; ok {
				core, tail = name, ""
				break
			}
			if name, ok := list[core]; ok {
				core = name
				break
			}
		}
		out.WriteString(core + tail)
	}
	out.WriteString(text)
	return out.String()
}

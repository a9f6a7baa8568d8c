package comparison

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"slurm-ostrich/ostrich"
)

// TestAnonymize: no name is left anywhere, and one stays the same one.
func TestAnonymize(t *testing.T) {
	in := madeUp(20, 25)
	in.Title, in.Source = "alice and OStrich", "cluster of physics"
	in.Notes = []string{"12 jobs of bob left out, and those of carol.", "bobby stays"}
	in.Runs[2].Name = "ostrich, share:alice=2"
	plain := compare(t, in)
	Anonymize(&in)
	c := compare(t, in)
	text := htmlOf(t, c) + jsonOf(t, c) + fmt.Sprint(c.Tables(true))
	for _, u := range plain.Users {
		for _, name := range []string{u.Name, u.Account} {
			if regexp.MustCompile(`\b` + name + `\b`).MatchString(text) {
				t.Errorf("%s is still there", name)
			}
		}
	}
	if !strings.Contains(text, "bobby stays") {
		t.Error("part of a word was taken for a name")
	}
	// Who submits first is user1, and has the same figures as before.
	jobs := in.Runs[0].Jobs
	first := 0
	for i := range jobs {
		if jobs[i].Submit < jobs[first].Submit {
			first = i
		}
	}
	if name := in.UserName(jobs[first].User); name != "user1" {
		t.Errorf("the first to submit is %s", name)
	}
	if name := in.AccountName(jobs[first].User); name != "account1" {
		t.Errorf("the account of the first to submit is %s", name)
	}
	alice := in.UserName(1000)
	if c.Runs[2].Run != "ostrich, share:"+alice+"=2" || c.Title != alice+" and OStrich" {
		t.Errorf("run %q, title %q; alice is %s", c.Runs[2].Run, c.Title, alice)
	}
	if want := "12 jobs of " + in.UserName(1001) + " left out, and those of " + in.UserName(1002) + "."; c.Notes[0] != want {
		t.Errorf("note %q, want %q", c.Notes[0], want)
	}
	for i, u := range plain.Users {
		if c.Users[i].CoreHours != u.CoreHours || c.Users[i].Changes[1].Stretch.Difference != u.Changes[1].Stretch.Difference {
			t.Errorf("%s has other figures", u.Name)
		}
	}
}

// TestAnonymizeSameName: two associations of one person stay one person.
func TestAnonymizeSameName(t *testing.T) {
	in := madeUp(20, 3)
	in.UserName = func(u ostrich.UserID) string { return fmt.Sprint("p", u%5) }
	c := compare(t, in)
	Anonymize(&in)
	if in.UserName(1003) != in.UserName(1008) || in.UserName(1003) == in.UserName(1004) {
		t.Errorf("%s, %s, %s", in.UserName(1003), in.UserName(1008), in.UserName(1004))
	}
	seen := make(map[string]bool)
	for _, u := range c.Users {
		if seen[u.Name] {
			t.Errorf("two users are called %s", u.Name)
		}
		seen[u.Name] = true
	}
}

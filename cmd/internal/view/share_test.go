package view

import (
	"fmt"
	"testing"

	"slurm-ostrich/ostrich"
)

// Users who ask at the same moment are told the same: who shares the machine now is one
// thing, and whose work is late another.
func TestSharesAgree(t *testing.T) {
	const halfOf = "is entitled to 16 of 32 processors, "
	const none = "has no share now"
	const would = ": shared by all at all times, the machine of 32 processors would have done all of "
	name := func(id ostrich.UserID) string { return fmt.Sprintf("u%d", id) }
	for _, test := range []struct {
		name   string
		states string // of users 1, 2, …: a active, l late, c all campaigns cannot start, d both late and active
		want   []string
	}{
		{"alone", "a", []string{"is entitled to the whole machine of 32 processors, as no other user has work that runs or can start"}},
		{"alone with a held job of another", "ac", []string{"is entitled to the whole machine of 32 processors, as no other user has work that runs or can start"}},
		{"two", "aa", []string{halfOf + "as 1 other user has work too", halfOf + "as 1 other user has work too"}},
		{"one is late", "al", []string{
			"is entitled to the whole machine of 32 processors; the work of 1 other user is late and takes no share",
			none + would + "u2's work by now, and what is left is late; 1 other user has it now, and new work of u2's would get 16 of it",
		}},
		{"two and one late", "dal", []string{
			halfOf + "shared with 1 other user; the work of 1 other user is late and takes no share",
			halfOf + "shared with 1 other user; the work of 1 other user is late and takes no share",
			none + would + "u3's work by now, and what is left is late; 2 other users share it now, and new work of u3's would get 10.7 of it",
		}},
		{"all late", "ll", []string{
			none + ", and nobody has one: shared by all at all times, the machine of 32 processors would have done all work by now, and what is left is late",
			none + ", and nobody has one: shared by all at all times, the machine of 32 processors would have done all work by now, and what is left is late",
		}},
	} {
		active := 0
		for _, state := range test.states {
			if state == 'a' || state == 'd' {
				active++
			}
		}
		s := &Cycle{known: known{dues: make([]due, len(test.states)), works: make([]ostrich.Work, len(test.states))}, Pools: []Pool{{Procs: 32, Units: 32, Active: active}}, Enforced: true}
		var users []ostrich.User
		var campaigns []ostrich.Campaign
		for i, state := range test.states {
			id, job := ostrich.UserID(i+1), ostrich.JobID(10*(i+1))
			u := ostrich.User{User: id, Active: state == 'a' || state == 'd', Entitled: 32 / float64(active+1)}
			if u.Active {
				u.Entitled = 32 / float64(active)
			}
			if state == 'd' {
				campaigns = append(campaigns, ostrich.Campaign{User: id, Lead: job + 1, Running: []ostrich.JobID{job + 1}, Completed: true})
			}
			users = append(users, u)
			campaigns = append(campaigns, ostrich.Campaign{User: id, Lead: job, Pending: []ostrich.JobID{job}, Completed: state == 'l', Waiting: state == 'c'})
			p := pending(job, i+1)
			p.User = name(id)
			s.Plan.Entries = append(s.Plan.Entries, p)
		}
		s.describePool(&s.Pools[0], users, campaigns, name)
		for i, want := range test.want {
			want = name(users[i].User) + " " + want + "; the user's jobs hold 0 now"
			e := explainOne(t, s, fmt.Sprint(s.Plan.Entries[i].Job))
			if got := e.line("share"); got != want {
				t.Errorf("%s, user %d:\n%s, want\n%s", test.name, i+1, got, want)
			}
		}
	}
}

// A bound says something only if it is not far beyond what the campaign needs: the grace of
// a day says nothing of two minutes.
func TestTelling(t *testing.T) {
	for _, test := range []struct {
		completion, bound *float64 // since the submission
		want              bool
	}{
		{new(120.0), new(86_400.0), false},
		{new(120.0), new(1200.0), true},
		{new(120.0), new(1201.0), false},
		{new(21_600.0), new(108_000.0), true},
		{nil, new(100.0), false},
		{new(100.0), nil, false},
	} {
		for _, at := range []*float64{test.completion, test.bound} {
			if at != nil {
				*at += 1000
			}
		}
		if got := Telling(1000, test.completion, test.bound); got != test.want {
			t.Errorf("%+v: %v", test, got)
		}
	}
}

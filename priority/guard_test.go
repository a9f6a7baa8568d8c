package priority

import (
	"testing"

	"slurm-ostrich/ostrich"
)

// TestInclude: a job is left alone unless each list that is set names it, and
// what is excluded stays so.
func TestInclude(t *testing.T) {
	all := Selection{Users: []string{"ann"}, Accounts: []string{"lab"}, QOS: []string{"normal"}, Partitions: []string{"main", "fast"}}
	for _, tt := range []struct {
		name    string
		include Selection
		exclude Selection
		change  func(*Queued)
		want    string
	}{
		{"nothing set", Selection{}, Selection{}, nil, ""},
		{"all set", all, Selection{}, nil, ""},
		{"user", all, Selection{}, func(q *Queued) { q.User = "bob" }, "user bob not included"},
		{"account", all, Selection{}, func(q *Queued) { q.Account = "chem" }, "account chem not included"},
		{"QOS", all, Selection{}, func(q *Queued) { q.QOS = "urgent" }, "QOS urgent not included"},
		{"one of several QOS", all, Selection{}, func(q *Queued) { q.QOS = "normal,urgent" }, "QOS urgent not included"},
		{"partition", all, Selection{}, func(q *Queued) { q.Partition = "debug" }, "partition debug not included"},
		{"both partitions", all, Selection{}, func(q *Queued) { q.Partition = "fast,main" }, ""},
		{"one partition of two", all, Selection{}, func(q *Queued) { q.Partition = "main,debug" }, "partition debug not included"},
		{"a list alone", Selection{Accounts: []string{"lab"}}, Selection{}, func(q *Queued) { q.User, q.Partition = "bob", "debug" }, ""},
		{"excluded all the same", all, Selection{Users: []string{"ann"}}, nil, "excluded user ann"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			queue := []Queued{job(1, func(q *Queued) {
				q.User, q.Account, q.QOS, q.Partition = "ann", "lab", "normal", "main"
				if tt.change != nil {
					tt.change(q)
				}
			})}
			o := Options{Channel: SiteFactor, Mode: Strict, Controller: multifactor(), Include: tt.include, Exclude: tt.exclude}
			p, err := o.Plan([]ostrich.Place{{Job: ostrich.JobID(1), Campaign: 1}}, queue)
			if err != nil {
				t.Fatal(err)
			}
			managed := 1
			if tt.want != "" {
				managed = 0
			}
			if p.Managed != managed || managed == 0 && p.Entries[0].Why.String() != tt.want {
				t.Errorf("%d managed, why %q; want %q", p.Managed, p.Entries[0].Why, tt.want)
			}
		})
	}
}

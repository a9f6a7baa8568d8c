package priority

import (
	"testing"

	"slurm-ostrich/ostrich"
)

// TestInclude: a job is left alone unless each list that is set names it, and
// what is excluded stays so.
func TestInclude(t *testing.T) {
	all := Include{Users: []string{"ann"}, Accounts: []string{"lab"}, QOS: []string{"normal"}, Partitions: []string{"main", "fast"}}
	for _, tt := range []struct {
		name    string
		include Include
		exclude Exclude
		change  func(*Queued)
		want    string
	}{
		{"nothing set", Include{}, Exclude{}, nil, ""},
		{"all set", all, Exclude{}, nil, ""},
		{"user", all, Exclude{}, func(q *Queued) { q.User = "bob" }, "user bob not included"},
		{"account", all, Exclude{}, func(q *Queued) { q.Account = "chem" }, "account chem not included"},
		{"QOS", all, Exclude{}, func(q *Queued) { q.QOS = "urgent" }, "QOS urgent not included"},
		{"partition", all, Exclude{}, func(q *Queued) { q.Partition = "debug" }, "partition debug not included"},
		{"both partitions", all, Exclude{}, func(q *Queued) { q.Partition = "fast,main" }, ""},
		{"one partition of two", all, Exclude{}, func(q *Queued) { q.Partition = "main,debug" }, "partition debug not included"},
		{"a list alone", Include{Accounts: []string{"lab"}}, Exclude{}, func(q *Queued) { q.User, q.Partition = "bob", "debug" }, ""},
		{"excluded all the same", all, Exclude{Users: []string{"ann"}}, nil, "excluded user ann"},
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
			if p.Managed != managed || managed == 0 && p.Entries[0].Why != tt.want {
				t.Errorf("%d managed, why %q; want %q", p.Managed, p.Entries[0].Why, tt.want)
			}
		})
	}
}

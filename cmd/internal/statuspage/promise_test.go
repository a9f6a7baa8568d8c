package statuspage

import (
	"strings"
	"testing"

	"slurm-ostrich/cmd/internal/live"
	"slurm-ostrich/ostrich/report"
)

// What the comparison has found of the promise is on the page and in the API, all
// of it or of one user.
func TestPromise(t *testing.T) {
	want := live.Promise{
		Campaigns: 40, Rhos: report.Rhos{Le1: 0.725, Mean: 1.25, P50: 0.5, P95: 3, Max: 9},
		Users: []live.PromiseUser{{User: "bob", Account: "physics", Campaigns: 4, Le1: 0.25, Mean: 5.5, Max: 9}, {User: "alice", Campaigns: 2, Le1: 0.5, Mean: 2, Max: 3}},
	}
	s := New(nil, &live.Report{Campaigns: live.Campaigns{Promise: want}})
	for _, tt := range []struct {
		query    Query
		has, not []string
	}{
		{Query{}, []string{"72.5 % of 40 campaigns that ended within 24 hours", "mean ρ 1.25, 95th percentile 3.", "<td>25 %</td><td>5.50</td><td>9</td>", ">alice</a>"}, nil},
		{Query{User: "bob"}, []string{"72.5 %", "<td>5.50</td>"}, []string{">alice</a>"}},
		{Query{User: "carol"}, []string{"72.5 %"}, []string{"promise-t"}},
	} {
		page := written(t, s, tt.query)
		for _, text := range tt.has {
			if !strings.Contains(page, text) {
				t.Errorf("%+v: no %q on the page", tt.query, text)
			}
		}
		for _, text := range tt.not {
			if strings.Contains(page, text) {
				t.Errorf("%+v: %q on the page", tt.query, text)
			}
		}
	}

	known := sample(3, 5)
	known.Promise = want
	api := decoded[CampaignsAnswer](t, serving(known), "/v1/campaigns?user=bob").Promise
	if len(api.Users) != 1 || api.Users[0].User != "bob" || api.Campaigns != 40 || api.Le1 != 0.725 {
		t.Errorf("of bob: %+v", api)
	}
	if len(known.Promise.Users) != 2 {
		t.Error("a request has changed the snapshot")
	}

	if strings.Contains(written(t, New(nil, nil), Query{}), "private share") {
		t.Error("nothing is known, and the page has words for it")
	}
}

package socket

import (
	"net/http"
	"strconv"
	"testing"

	"slurm-ostrich/cmd/internal/api"
	"slurm-ostrich/cmd/internal/statuspage"
)

// BenchmarkAnswer is the time from a request to its whole answer, without the
// socket, with 20 000 pending jobs of 200 users.
func BenchmarkAnswer(b *testing.B) {
	public, private := state(b, 200, 20_000), state(b, 200, 20_000, "jobs")
	last := public.Cycle.Plan.Entries[len(public.Cycle.Plan.Entries)-1].Full
	for name, test := range map[string]struct {
		state  *statuspage.State
		uid    uint32
		target string
	}{
		"plan/all":       {public, 0, "plan"},
		"plan/user":      {public, 7, "plan?user=user007"},
		"plan/private":   {private, 7, "plan"},
		"campaigns/all":  {public, 0, "campaigns"},
		"campaigns/user": {public, 7, "campaigns?user=user007"},
		"shares/all":     {public, 0, "shares"},
		"explain":        {public, 0, "explain?job=" + last},
	} {
		b.Run(name, func(b *testing.B) {
			s := answering(test.state, directory(), now)
			var size int
			for b.Loop() {
				clear(s.limits.users) // there is no limit here
				w := get(s, test.uid, http.MethodGet, api.Folder+test.target)
				if w.Code != http.StatusOK {
					b.Fatal(strconv.Itoa(w.Code), w.Body)
				}
				size = w.Body.Len()
			}
			b.ReportMetric(float64(size), "bytes")
		})
	}
}

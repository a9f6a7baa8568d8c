package asking

import (
	"errors"
	"testing"
	"time"

	"slurm-ostrich/cmd/internal/view"
)

// A job that has just been submitted is asked for again until a cycle knows it, for a
// bounded time.
func TestSettle(t *testing.T) {
	fresh, known := &view.Answer{Unknown: []string{"9"}, Unsettled: []string{"9"}}, &view.Answer{Jobs: []*view.Explanation{{}}}
	none, later := &view.Answer{Time: 7}, &view.Answer{Time: 8}
	for _, test := range []struct {
		name    string
		first   *view.Answer
		answers []*view.Answer // nil is an error
		asked   int
		want    *view.Answer
	}{
		{"known at once", known, nil, 0, known},
		{"by the third cycle", fresh, []*view.Answer{fresh, fresh, known}, 3, known},
		{"of a user without a job, until the next cycle", none, []*view.Answer{none, later}, 2, later},
		{"which has the user's job", none, []*view.Answer{known}, 1, known},
		{"the daemon ends meanwhile", fresh, []*view.Answer{fresh, nil}, 2, fresh},
	} {
		asked := 0
		got := settle(t.Context(), test.first, time.Millisecond, time.Minute, func() (*view.Answer, error) {
			asked++
			if a := test.answers[asked-1]; a != nil {
				return a, nil
			}
			return nil, errors.New("no ostrichd answers")
		})
		if got != test.want || asked != test.asked {
			t.Errorf("%s: asked %d times: %+v", test.name, asked, got)
		}
	}
	if got := settle(t.Context(), fresh, time.Millisecond, 20*time.Millisecond, func() (*view.Answer, error) { return fresh, nil }); got != fresh {
		t.Errorf("never known: %+v", got)
	}
}

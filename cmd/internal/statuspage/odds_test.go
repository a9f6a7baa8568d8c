package statuspage

import (
	"strings"
	"testing"
	"time"

	"slurm-ostrich/cmd/internal/view"
	"slurm-ostrich/ostrich"
)

// TestOddsBars: bars begin at the earlier moment and end at the later one, on one axis, and never leave it.
func TestOddsBars(t *testing.T) {
	now := time.Unix(1_700_000_000, 0).UTC()
	b := &builder{clock: clock{now}}
	held := 0.8
	odds := func(job string, p10, p50, p90 ostrich.Time) jobOdds {
		at := ostrich.Time(now.Unix())
		return jobOdds{job, &view.Odds{P10: at + p10, P50: at + p50, P90: at + p90, Held: &held, Of: 50}}
	}
	bars := b.OddsBars([]jobOdds{odds("17", 900, 1800, 3600), odds("18", -60, -60, -60)})
	if got := bars[0]; got.From != 0.25 || got.Middle != 0.5 || got.To != 1 || got.Width() != 0.75 {
		t.Errorf("%+v", got)
	}
	if got := bars[1]; got.From != 0 || got.To != 0 || got.Width() <= 0 {
		t.Errorf("of a moment that has passed: %+v", got)
	}
	if len(b.OddsBars(nil)) != 0 {
		t.Error("bars of nothing")
	}

	var page strings.Builder
	e := &explained{Job: "17", Words: "job 17", Odds: []jobOdds{odds("17", 900, 1800, 3600)}}
	if err := render(&page, sample(3, 10), Query{Ask: "17"}, e, time.UTC); err != nil {
		t.Fatal(err)
	}
	if text := page.String(); !strings.Contains(text, "17 starts by <time") || !strings.Contains(text, `<rect class="half"`) {
		t.Error("the page lacks the bar")
	}
}

// TestOddsOf: the page draws the odds that the words tell, and no others.
func TestOddsOf(t *testing.T) {
	good, bad := 0.8, 0.5
	told := oddsOf(&view.Answer{Jobs: []*view.Explanation{
		{Job: "1"}, {Job: "2", Odds: &view.Odds{Of: 3}}, {Job: "3", Odds: &view.Odds{Held: &bad, Of: 500}}, {Job: "4", Odds: &view.Odds{Held: &good, Of: 500}},
	}})
	if len(told) != 1 || told[0].Job != "4" {
		t.Errorf("%+v", told)
	}
}

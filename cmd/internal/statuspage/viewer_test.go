package statuspage

import (
	"errors"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"slurm-ostrich/cmd/internal/api"
	"slurm-ostrich/cmd/internal/live"
	"slurm-ostrich/cmd/internal/statuspage/statuspagetest"
	"slurm-ostrich/cmd/internal/view"
	"slurm-ostrich/priority"
	"slurm-ostrich/priority/journal"
)

// hiddenKind is the kind of a job of user001 in another account than that of user001's other jobs.
const hiddenKind = "fold_of_chemistry"

// seenBy is the handler of a busy cluster of five users, for one viewer.
func seenBy(t *testing.T, v *view.Viewer) http.Handler {
	t.Helper()
	busy := statuspagetest.New(5, 160)
	last := slices.IndexFunc(busy.Pending, func(q priority.Queued) bool { return q.User == "user002" }) - 1
	other := &busy.Pending[last]
	other.Account = "chemistry"
	r := busy.Records[other.Job]
	r.Account, r.Tool, r.Kind = "chemistry", "Toil", hiddenKind
	s, c, _ := cycle(t, busy)
	report := &live.Report{}
	for _, user := range []string{"user000", "user001"} {
		report.Campaigns.Last = append(report.Campaigns.Last, &live.Finished{User: user, Campaign: 900})
		report.Campaigns.Promise.Users = append(report.Campaigns.Promise.Users, live.PromiseUser{User: user})
	}
	now := time.Unix(int64(statuspagetest.Now), 0)
	daemon := Daemon{Health: Health{Mode: "enforce", Channel: "sitefactor", Interval: 10, LastSuccess: Unix(now)}}
	for _, e := range c.Plan.Entries {
		daemon.Writes = append(daemon.Writes, journal.Record{Time: statuspagetest.Now, Job: e.Job, Why: "wrote for " + e.User})
	}
	daemon.Writes = append(daemon.Writes, journal.Record{Time: statuspagetest.Now, Job: 77_777, Why: "wrote for somebody who left"})
	snapshot := New(foresees(view.Describe(s, c, nil)), report).With(&daemon, now)
	return Handler(answering(snapshot, func(*http.Request, *view.Cycle, bool) (*view.Viewer, error) {
		if v == nil {
			return nil, errors.New("who are you")
		}
		return v, nil
	}), nil)
}

var anyUser = regexp.MustCompile(`user\d{3}`)

// named are the users that appear anywhere: in the page with all its rows, in its
// explanations, and in each file of the API.
func named(t *testing.T, h http.Handler) []string {
	t.Helper()
	targets := []string{"/?all=1", "/?user=user001", "/?job=40"}
	for _, q := range Questions() {
		if q.Name != "explain" {
			targets = append(targets, api.Folder+q.Name)
		}
	}
	for job := 1; job < 170; job += 9 { // running ones first, then thirty of each user
		id := strconv.Itoa(job)
		targets = append(targets, "/explain?job="+id, "/v1/explain?job="+id)
	}
	var found []string
	for _, target := range targets {
		w := request(h, http.MethodGet, target, "localhost")
		if w.Code != http.StatusOK && w.Code != http.StatusNotFound {
			t.Errorf("%s: %d %s", target, w.Code, w.Body)
		}
		asked := strings.Contains(target, "user=") // the form repeats what was asked for
		for _, name := range anyUser.FindAllString(w.Body.String(), -1) {
			if !asked || !strings.HasSuffix(target, name) {
				found = append(found, name)
			}
		}
		if !strings.Contains(target, "plan") && strings.Contains(w.Body.String(), "somebody who left") {
			found = append(found, "left")
		}
		if strings.Contains(w.Body.String(), hiddenKind) {
			found = append(found, hiddenKind)
		}
	}
	slices.Sort(found)
	return slices.Compact(found)
}

// TestViewers: neither the page nor the API names whom the viewer may not see, or the kinds of jobs
// that they may not see.
func TestViewers(t *testing.T) {
	for _, tt := range []struct {
		name  string
		v     *view.Viewer
		want  string
		words string
	}{
		{"everybody, nothing hidden", view.NewViewer(nil), hiddenKind + " left user000 user001 user002 user003 user004", ""},
		{"operator", view.Everything(), hiddenKind + " left user000 user001 user002 user003 user004", ""},
		{"everybody, jobs hidden", view.NewViewer([]string{"jobs"}), "", "You see what Slurm shows to everybody (PrivateData)."},
		{"user, jobs hidden", &view.Viewer{Names: []string{"user003"}}, "user003", "You see what Slurm shows to user003 (PrivateData)."},
		{"unknown user", &view.Viewer{Names: []string{"mallory"}}, "", "You see what Slurm shows to mallory (PrivateData)."},
		{"coordinator", &view.Viewer{Names: []string{"user000"}, Accounts: []string{"physics"}}, "user000 user001 user003", "shows to user000"},
		{"nobody yet", &view.Viewer{}, "", "everybody"},
	} {
		h := seenBy(t, tt.v)
		if got := strings.Join(named(t, h), " "); got != tt.want {
			t.Errorf("%s: %q are named, want %q", tt.name, got, tt.want)
		}
		page := request(h, http.MethodGet, "/", "localhost").Body.String()
		if !strings.Contains(page, tt.words) || tt.words == "" && strings.Contains(page, "PrivateData") {
			t.Errorf("%s: the page does not say %q", tt.name, tt.words)
		}
	}
	shares := decoded[view.Shares](t, seenBy(t, view.NewViewer([]string{"usage"})), "/v1/shares")
	campaigns := decoded[view.Campaigns](t, seenBy(t, view.NewViewer([]string{"usage"})), "/v1/campaigns")
	if len(shares.Shares) > 0 || len(campaigns.Campaigns) == 0 {
		t.Errorf("PrivateData=usage: %d shares and %d campaigns", len(shares.Shares), len(campaigns.Campaigns))
	}
}

// TestHiddenShares: where only shares are hidden, they do not stand beside jobs and
// campaigns of others either.
func TestHiddenShares(t *testing.T) {
	v := view.NewViewer([]string{"users"})
	v.Names = []string{"user003"}
	h := seenBy(t, v)
	check := func(what, user string, shown bool) {
		if shown != (user == "user003") {
			t.Errorf("%s of %s: shares are shown: %v", what, user, shown)
		}
	}
	drawn := decoded[ScheduleAnswer](t, h, "/v1/schedule")
	for _, lane := range drawn.Lanes {
		for _, block := range lane.Blocks {
			check("a block", block.User, block.Share != nil)
		}
	}
	for _, running := range drawn.Running {
		check("what runs", running.User, true)
	}
	listed := decoded[CampaignsAnswer](t, h, "/v1/campaigns")
	for _, c := range listed.List {
		check("a campaign", c.User, c.Share != nil)
	}
	if len(drawn.Lanes) != 5 || len(drawn.Running) != 1 || len(listed.List) < 5 {
		t.Errorf("%d lanes, %d users hold processors, %d campaigns", len(drawn.Lanes), len(drawn.Running), len(listed.List))
	}
	for job := 1; job < 170; job += 9 {
		for _, e := range decoded[ExplainAnswer](t, h, "/v1/explain?job="+strconv.Itoa(job)).List {
			if c := e.Campaign; c != nil {
				check("an explanation", e.User, c.Share != nil || c.Entitled != nil || c.Held != nil || strings.Contains(e.Words, "entitled"))
			}
		}
	}
	if page := request(h, http.MethodGet, "/?all=1", "localhost").Body.String(); strings.Count(page, "; share ") == 0 || !strings.Contains(page, "% served; ") {
		t.Error("the page has no shares, or no campaigns")
	}
}

// TestHiddenJob: a job that may not be seen is as unknown as one that does not exist,
// and counts are of all.
func TestHiddenJob(t *testing.T) {
	h := seenBy(t, &view.Viewer{Names: []string{"user003"}})
	queue := decoded[PlanAnswer](t, h, "/v1/plan")
	if len(queue.List) == 0 || queue.Pending <= len(queue.List) || queue.Matched != len(queue.List) {
		t.Errorf("%d jobs of %d, %d matched", len(queue.List), queue.Pending, queue.Matched)
	}
	all := decoded[PlanAnswer](t, seenBy(t, view.Everything()), "/v1/plan")
	other := all.List[slices.IndexFunc(all.List, func(j Queued) bool { return j.User != "user003" })]
	for _, job := range []string{other.Job.Job, "99999"} {
		if a := decoded[view.Answer](t, h, "/v1/explain?job="+job); len(a.Jobs) > 0 || !slices.Equal(a.Unknown, []string{job}) {
			t.Errorf("job %s: %+v", job, a)
		}
		if found := decoded[PlanAnswer](t, h, "/v1/plan?job="+job); len(found.List) > 0 {
			t.Errorf("job %s is in the queue", job)
		}
	}
}

// TestNoViewer: where it is not known who asks, the page and the API give the reason
// and nothing else. What the page loads is for everybody.
func TestNoViewer(t *testing.T) {
	h := seenBy(t, nil)
	for target, want := range map[string]string{
		"/": "who are you\n", "/explain?job=1": "who are you\n",
		"/v1/plan": `{"error":"who are you"}` + "\n", "/v1/compare": `{"error":"who are you"}` + "\n",
	} {
		if w := request(h, http.MethodGet, target, "localhost"); w.Code != http.StatusBadRequest || w.Body.String() != want {
			t.Errorf("%s: %d %s", target, w.Code, w.Body)
		}
	}
	if w := request(h, http.MethodGet, "/page.css", "localhost"); w.Code != http.StatusOK {
		t.Errorf("page.css: %d", w.Code)
	}
}

// TestHiddenPast: who sees all of the queue and not what has ended is not shown that by the page's
// own box either, and the page says nothing of hidden jobs.
func TestHiddenPast(t *testing.T) {
	s := (&Snapshot{}).For(&view.Viewer{Jobs: true, Shares: true})
	if s.sees().Ended {
		t.Error("the page shows what has ended")
	}
	if words := s.hidden(); words != "" {
		t.Errorf("%q", words)
	}
}

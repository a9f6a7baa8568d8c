package statuspage

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"slurm-ostrich/cmd/internal/live"
	"slurm-ostrich/cmd/internal/statuspage/statuspagetest"
	"slurm-ostrich/cmd/internal/view"
	"slurm-ostrich/priority/journal"
)

// shown is the handler of a busy cluster of five users, for one viewer.
func shown(t *testing.T, v *view.Viewer) http.Handler {
	t.Helper()
	s, c, _ := cycle(t, statuspagetest.New(5, 160))
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
	snapshot := New(view.Describe(s, c, nil), report).With(&daemon, now)
	return Handler(Options{
		Snapshot: func(context.Context) *Snapshot { return snapshot },
		Viewer: func(*http.Request) (*view.Viewer, error) {
			if v == nil {
				return nil, errors.New("who are you")
			}
			return v, nil
		},
		Compare: func(w http.ResponseWriter, v *view.Viewer) { _ = json.NewEncoder(w).Encode(report.Seen(v)) },
	})
}

var anyUser = regexp.MustCompile(`user\d{3}`)

// named are the users that appear anywhere: in the page with all its rows, in its
// explanations, and in each file of the API.
func named(t *testing.T, h http.Handler) []string {
	t.Helper()
	targets := []string{"/?all=1", "/?user=user001", "/?job=40", API + "compare.json"}
	for name := range files {
		if name != "explain" {
			targets = append(targets, API+name+".json")
		}
	}
	for job := 1; job < 170; job += 9 { // running ones first, then thirty of each user
		id := strconv.Itoa(job)
		targets = append(targets, "/explain?job="+id, API+"explain.json?job="+id)
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
		if !strings.Contains(target, "queue") && strings.Contains(w.Body.String(), "somebody who left") {
			found = append(found, "left")
		}
	}
	slices.Sort(found)
	return slices.Compact(found)
}

// TestViewers: neither the page nor the API names whom the viewer may not see.
func TestViewers(t *testing.T) {
	for _, tt := range []struct {
		name  string
		v     *view.Viewer
		want  string
		words string
	}{
		{"everybody, nothing hidden", view.NewViewer(nil), "left user000 user001 user002 user003 user004", ""},
		{"operator", view.Everything(), "left user000 user001 user002 user003 user004", ""},
		{"everybody, jobs hidden", view.NewViewer([]string{"jobs"}), "", "You see what Slurm shows to everybody (PrivateData)."},
		{"user, jobs hidden", &view.Viewer{Names: []string{"user003"}}, "user003", "You see what Slurm shows to user003 (PrivateData)."},
		{"unknown user", &view.Viewer{Names: []string{"mallory"}}, "", "You see what Slurm shows to mallory (PrivateData)."},
		{"coordinator", &view.Viewer{Names: []string{"user000"}, Accounts: []string{"physics"}}, "user000 user001 user003", "shows to user000"},
		{"nobody yet", &view.Viewer{}, "", "everybody"},
	} {
		h := shown(t, tt.v)
		if got := strings.Join(named(t, h), " "); got != tt.want {
			t.Errorf("%s: %q are named, want %q", tt.name, got, tt.want)
		}
		page := request(h, http.MethodGet, "/", "localhost").Body.String()
		if !strings.Contains(page, tt.words) || tt.words == "" && strings.Contains(page, "PrivateData") {
			t.Errorf("%s: the page does not say %q", tt.name, tt.words)
		}
	}
	shares := decoded[SharesAnswer](t, shown(t, view.NewViewer([]string{"usage"})), API+"shares.json")
	campaigns := decoded[CampaignsAnswer](t, shown(t, view.NewViewer([]string{"usage"})), API+"campaigns.json")
	if len(shares.Shares) > 0 || len(campaigns.Campaigns) == 0 {
		t.Errorf("PrivateData=usage: %d shares and %d campaigns", len(shares.Shares), len(campaigns.Campaigns))
	}
}

// TestHiddenShares: where only shares are hidden, they do not stand beside jobs and
// campaigns of others either.
func TestHiddenShares(t *testing.T) {
	v := view.NewViewer([]string{"users"})
	v.Names = []string{"user003"}
	h := shown(t, v)
	check := func(what, user string, shown bool) {
		if shown != (user == "user003") {
			t.Errorf("%s of %s: shares are shown: %v", what, user, shown)
		}
	}
	drawn := decoded[ScheduleAnswer](t, h, API+"schedule.json")
	for _, lane := range drawn.Lanes {
		for _, block := range lane.Blocks {
			check("a block", block.User, block.Share != nil)
		}
	}
	for _, running := range drawn.Running {
		check("what runs", running.User, true)
	}
	listed := decoded[CampaignsAnswer](t, h, API+"campaigns.json")
	for _, c := range listed.Campaigns {
		check("a campaign", c.User, c.Share != nil)
	}
	if len(drawn.Lanes) != 5 || len(drawn.Running) != 1 || len(listed.Campaigns) < 5 {
		t.Errorf("%d lanes, %d users hold processors, %d campaigns", len(drawn.Lanes), len(drawn.Running), len(listed.Campaigns))
	}
	for job := 1; job < 170; job += 9 {
		w := request(h, http.MethodGet, API+"explain.json?job="+strconv.Itoa(job), "localhost")
		var e ExplainAnswer
		if err := json.Unmarshal(w.Body.Bytes(), &e); err != nil {
			t.Fatal(err)
		}
		if c := e.Campaign; c != nil {
			check("an explanation", e.User, c.Share != nil || c.Entitled != nil || c.Held != nil || strings.Contains(e.Words, "entitled"))
		}
	}
	if page := request(h, http.MethodGet, "/?all=1", "localhost").Body.String(); strings.Count(page, "; share ") == 0 || !strings.Contains(page, "% served; ") {
		t.Error("the page has no shares, or no campaigns")
	}
}

// TestHiddenJob: a job that may not be seen is as unknown as one that does not exist,
// and counts are of all.
func TestHiddenJob(t *testing.T) {
	h := shown(t, &view.Viewer{Names: []string{"user003"}})
	queue := decoded[QueueAnswer](t, h, API+"queue.json")
	if len(queue.Jobs) == 0 || queue.Pending <= len(queue.Jobs) || queue.Matched != len(queue.Jobs) {
		t.Errorf("%d jobs of %d, %d matched", len(queue.Jobs), queue.Pending, queue.Matched)
	}
	all := decoded[QueueAnswer](t, shown(t, view.Everything()), API+"queue.json")
	other := all.Jobs[slices.IndexFunc(all.Jobs, func(j Queued) bool { return j.User != "user003" })]
	for _, job := range []string{other.Job.Job, "99999"} {
		w := request(h, http.MethodGet, API+"explain.json?job="+job, "localhost")
		if want := `{"error":"job ` + job + `: ` + view.ErrNoJob.Error() + `"}` + "\n"; w.Code != http.StatusNotFound || w.Body.String() != want {
			t.Errorf("job %s: %d %s, want %s", job, w.Code, w.Body, want)
		}
		if found := decoded[QueueAnswer](t, h, API+"queue.json?job="+job); len(found.Jobs) > 0 {
			t.Errorf("job %s is in the queue", job)
		}
	}
}

// TestNoViewer: where it is not known who asks, the page and the API give the reason
// and nothing else. What the page loads is for everybody.
func TestNoViewer(t *testing.T) {
	h := shown(t, nil)
	for target, want := range map[string]string{
		"/": "who are you\n", "/explain?job=1": "who are you\n",
		API + "queue.json": `{"error":"who are you"}` + "\n", API + "compare.json": `{"error":"who are you"}` + "\n",
	} {
		if w := request(h, http.MethodGet, target, "localhost"); w.Code != http.StatusBadRequest || w.Body.String() != want {
			t.Errorf("%s: %d %s", target, w.Code, w.Body)
		}
	}
	if w := request(h, http.MethodGet, "/page.css", "localhost"); w.Code != http.StatusOK {
		t.Errorf("page.css: %d", w.Code)
	}
}

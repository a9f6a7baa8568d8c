package socket

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"slurm-ostrich/cmd/internal/access"
	"slurm-ostrich/cmd/internal/api"
	"slurm-ostrich/cmd/internal/live"
	"slurm-ostrich/cmd/internal/socket/client"
	"slurm-ostrich/cmd/internal/view"
	"slurm-ostrich/priority/slurm"
)

// Each user sees of others what Slurm shows them, and always their own.
func TestWhoSeesWhat(t *testing.T) {
	const everybody = "user000 user001 user002 user003"
	for _, test := range []struct {
		private string // PrivateData
		uid     uint32
		jobs    string // whose jobs, campaigns and finished campaigns are seen
		shares  string // whose shares
	}{
		{"", strangerUID, everybody, everybody},
		{"", 1, everybody, everybody},
		{"nodes,accounts", strangerUID, everybody, everybody},
		{"jobs", strangerUID, "", ""},
		{"jobs", 3, "user003", "user003"},
		{"jobs", 1, "user000 user001 user002", "user001"}, // coordinator of chemistry
		{"usage", 3, everybody, "user003"},
		{"users", 3, everybody, "user003"},
		{"usage", strangerUID, everybody, ""},
		{"jobs,usage,users", 2, "user002", "user002"},
		{"jobs,usage,users", operatorUID, everybody, everybody},
		{"jobs,usage,users", 0, everybody, everybody},
		{"jobs,usage,users", slurmUID, everybody, everybody},
		{"jobs,usage,users", 7, "", ""}, // nobody knows them
	} {
		s := answering(state(t, 4, 240, strings.Split(test.private, ",")...), directory(), now)
		for question, want := range map[string]string{
			"plan": test.jobs, "campaigns": test.jobs, "shares": test.shares, "plan?user=user001": onlyOf(test.jobs, "user001"), "shares?user=user002": onlyOf(test.shares, "user002"),
		} {
			w := get(s, test.uid, http.MethodGet, api.Folder+question)
			if got := strings.Join(usersIn(w.Body.String(), 4), " "); got != want || w.Code != http.StatusOK {
				t.Errorf("PrivateData=%s, uid %d, %s: %d, %q, want %q", test.private, test.uid, question, w.Code, got, want)
			}
		}
		compared := get(s, test.uid, http.MethodGet, api.Folder+live.Compare)
		var report live.Report
		if err := json.Unmarshal(compared.Body.Bytes(), &report); err != nil {
			t.Fatal(err)
		}
		var finished, promised []string
		for _, f := range report.Campaigns.Last {
			finished = append(finished, f.User)
		}
		for _, u := range report.Campaigns.Promise.Users {
			promised = append(promised, u.User)
		}
		own := test.jobs
		if test.uid == 1 && own != everybody {
			own = "user001" // who coordinates neither the account physics nor, where shares are flat, any
		}
		if got := strings.Join(finished, " "); got != own {
			t.Errorf("PrivateData=%s, uid %d: finished campaigns of %q, want %q", test.private, test.uid, got, own)
		}
		if got := strings.Join(promised, " "); got != own {
			t.Errorf("PrivateData=%s, uid %d: promises to %q, want %q", test.private, test.uid, got, own)
		}
	}
}

func onlyOf(names, name string) string {
	if strings.Contains(names, name) {
		return name
	}
	return ""
}

// A hidden job is as unknown as one that does not exist; counts of what is ahead stay.
func TestHiddenJobs(t *testing.T) {
	st := state(t, 4, 240, "jobs")
	s := answering(st, directory(), now)
	of := make(map[string]string)
	for i := range st.Cycle.Plan.Entries {
		of[st.Cycle.Plan.Entries[i].User] = st.Cycle.Plan.Entries[i].Full // the last of each
	}
	w := get(s, 3, http.MethodGet, api.Folder+"explain?job="+of["user003"])
	var a view.Answer
	if err := json.Unmarshal(w.Body.Bytes(), &a); err != nil || len(a.Jobs) != 1 || a.Jobs[0].User != "user003" || a.Jobs[0].Ahead == nil || a.Jobs[0].Ahead.Users == 0 {
		t.Errorf("own job: %v %s", err, w.Body)
	}
	if got := usersIn(w.Body.String(), 4); len(got) != 1 {
		t.Errorf("the explanation names %q", got)
	}
	for _, job := range []string{of["user002"], "99999"} {
		w := get(s, 3, http.MethodGet, api.Folder+"explain?job="+job)
		if want := fmt.Sprintf(`,"left_out":0,"hidden":false,"unknown":["%s"],"jobs":[]}`, job); w.Code != http.StatusOK || !strings.HasSuffix(strings.TrimSpace(w.Body.String()), want) {
			t.Errorf("job %s: %d %s, want %s", job, w.Code, w.Body, want)
		}
	}
}

// The answers have all that --json of the commands prints.
func TestAnswers(t *testing.T) {
	st := state(t, 4, 240)
	s := answering(st, directory(), now)
	by := &view.Selection{Users: []string{"user001", "user002"}}
	same(t, s, "plan", st.Cycle.Chosen(view.Everything(), by))
	same(t, s, "campaigns", st.Cycle.Unfinished(view.Everything(), by))
	same(t, s, "shares", st.Cycle.Shares(view.Everything(), by))
}

// same asks about two users and compares the answer with the JSON of a command.
func same[Answer any](t *testing.T, s *Server, question string, want Answer) {
	t.Helper()
	w := get(s, strangerUID, http.MethodGet, api.Folder+question+"?user=user001,%20user002")
	var got Answer
	bad := json.Unmarshal(w.Body.Bytes(), &got)
	text, err := json.Marshal(got)
	printed, worse := json.Marshal(want)
	if diff := cmp.Diff(string(printed), string(text)); diff != "" || errors.Join(bad, err, worse) != nil || w.Header().Get("Content-Type") != "application/json" {
		t.Errorf("%s: %v %s", question, errors.Join(bad, err, worse), diff)
	}
}

func TestRefused(t *testing.T) {
	refusal(t, answering(before(), directory(), now), "GET /v1/plan", "503 ostrichd has not completed a cycle since its start; try again soon, or look into its log")
	s := answering(state(t, 2, 10), directory(), now)
	for target, want := range map[string]string{
		"POST /v1/plan":              "405 only GET and HEAD: nothing can be changed here",
		"GET /":                      `404 there is nothing at "/"`,
		"GET /v1/":                   `404 there is nothing at "/v1/"`,
		"GET /v1/nothing":            `404 there is nothing at "/v1/nothing"`,
		"GET /api/v1/queue.json":     `404 there is nothing at "/api/v1/queue.json"`,
		"GET /v1/../v1/plan":         `404 there is nothing at "/v1/../v1/plan"`,
		"GET /v1/shares?job=3":       `400 unknown argument "job"; there are user, account, partition`,
		"GET /v1/compare?user=a":     `400 unknown argument "user"; there are none`,
		"GET /v1/plan?user=a&user=b": `400 argument "user" is there twice`,
		"GET /v1/plan?user=%ff":      `400 argument "user" is not UTF-8`,
		"GET /v1/plan?user=" + strings.Repeat("a", 4097): `400 argument "user" is longer than 4096 bytes`,
		"GET /v1/explain":       "400 name a job or a user",
		"GET /v1/explain?job=x": `400 job "x": not a job id such as 17, 17_4 or 17+1`,
	} {
		s.limits = newLimits(now)
		refusal(t, s, target, want)
	}
	w := httptest.NewRecorder()
	s.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/v1/plan", nil))
	if w.Code != http.StatusForbidden {
		t.Errorf("nobody asks: %d %s", w.Code, w.Body)
	}
}

func refusal(t *testing.T, s *Server, target, want string) {
	t.Helper()
	method, path, _ := strings.Cut(target, " ")
	w := get(s, strangerUID, method, path)
	var said struct{ Error string }
	if err := json.Unmarshal(w.Body.Bytes(), &said); err != nil {
		t.Errorf("%s: %v: %s", target, err, w.Body)
	}
	if got := fmt.Sprintf("%d %s", w.Code, said.Error); got != want {
		t.Errorf("%s: %q, want %q", target, got, want)
	}
}

// Where slurmctld hides nothing, slurmdbd is asked whether it hides ended jobs, but only of
// those who ask for jobs.
func TestEnded(t *testing.T) {
	for _, private := range [][]string{nil, {"jobs"}, {"usage"}} {
		asked := 0
		users := access.NewDirectory(func(context.Context) (slurm.Users, error) {
			asked++
			return slurm.Users{List: []slurm.User{{Name: "op", UID: operatorUID, Operator: true}, {Name: "stranger", UID: strangerUID}}, Private: private}, nil
		}, func(error) {}, now)
		s := answering(state(t, 2, 10), users, now)
		for _, target := range []string{"plan?job=1", "explain?user=user001"} {
			if w := get(s, strangerUID, http.MethodGet, api.Folder+target); w.Code != http.StatusOK || asked != 0 {
				t.Errorf("%s: %d, Slurm was asked %d times", target, w.Code, asked)
			}
		}
		if w := get(s, strangerUID, http.MethodGet, api.Folder+"explain?job=99999"); w.Code != http.StatusOK || asked != 1 {
			t.Errorf("%d, Slurm was asked %d times", w.Code, asked)
		}
	}
}

// Whatever is asked, the answer is JSON and names nobody whom the user may not see.
func FuzzRequest(f *testing.F) {
	for _, target := range []string{
		"/v1/plan?user=user001", "/v1/campaigns?account=physics,&partition=main", "/v1/shares?user=%zz", "/v1/explain?job=17_[1-3,7]", "/v1/explain?job=60", "/v1/compare", "//", "?&=;",
	} {
		f.Add(target)
	}
	st := state(f, 4, 120, "jobs")
	f.Fuzz(func(t *testing.T, target string) {
		w := get(answering(st, directory(), now), 3, http.MethodGet, target)
		if !json.Valid(w.Body.Bytes()) {
			t.Errorf("%q: %d %q", target, w.Code, w.Body)
		}
		if got := usersIn(w.Body.String(), 3); w.Code == http.StatusOK && len(got) > 0 {
			t.Errorf("%q: %q", target, got)
		}
	})
}

// An old cycle is shown with a warning.
func TestLate(t *testing.T) {
	now := time.Unix(1030, 0)
	s := answering(state(t, 2, 10), directory(), func() time.Time { return now })
	if w := get(s, 0, http.MethodGet, "/v1/plan"); w.Header().Get(api.Warning) != "" {
		t.Errorf("after 30 s: %q", w.Header().Get(api.Warning))
	}
	now = time.Unix(1720, 0)
	want := "the daemon's last cycle was at " + time.Unix(1000, 0).Format("2006-01-02T15:04:05") + ", 12 min ago, and this is from then; its log says why there is no newer one"
	if w := get(s, 0, http.MethodGet, "/v1/plan"); w.Header().Get(api.Warning) != want || w.Code != http.StatusOK {
		t.Errorf("%d %q, want %q", w.Code, w.Header().Get(api.Warning), want)
	}
}

// Users of one host are told apart by the kernel, and nobody needs a right to ask.
func TestTwoUsers(t *testing.T) {
	path := filepath.Join(shared(t), "s.sock")
	ask := asker(t, path)
	s, err := Open(t.Context(), path, answering(state(t, 4, 240, "jobs", "usage"), directory(), now).answers, now, func(err error) { t.Error(err) })
	if err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode() != fs.ModeSocket|0o666 {
		t.Errorf("%v %v", info.Mode(), err)
	}
	for uid, want := range map[uint32]string{
		0: "user000 user001 user002 user003", operatorUID: "user000 user001 user002 user003", 2: "user002", 3: "user003", strangerUID: "",
	} {
		for _, question := range []string{"plan", "campaigns", "shares"} {
			out, err := ask(uid, question, "")
			if got := strings.Join(usersIn(out, 4), " "); got != want || err != nil {
				t.Errorf("uid %d asks for %s: %v %q, want %q", uid, question, err, got, want)
			}
		}
	}
	if out, err := ask(2, "explain", "99999"); err != nil || !strings.Contains(out, `"unknown":["99999"]`) {
		t.Errorf("unknown job: %v %s", err, out)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if _, err := os.Lstat(path); !os.IsNotExist(err) {
		t.Errorf("the socket stays: %v", err)
	}
	if _, err := ask(2, "plan", ""); err == nil || err.Error() != client.ErrNobody.Error()+" at "+path+": connect: no such file or directory" {
		t.Errorf("after the end: %v", err)
	}
}

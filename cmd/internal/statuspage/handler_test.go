package statuspage

import (
	"context"
	"encoding/json"
	"errors"
	"html/template"
	"net/http"
	"net/http/httptest"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"slurm-ostrich/cmd/internal/api"
	"slurm-ostrich/cmd/internal/live"
	"slurm-ostrich/cmd/internal/view"
	"slurm-ostrich/ostrich"
)

// serving is the handler of a snapshot.
func serving(s *Snapshot, hosts ...string) http.Handler {
	return Handler(answering(s, everybody), hosts)
}

// everybody sees everything.
func everybody(*http.Request, *view.Cycle, bool) (*view.Viewer, error) { return view.Everything(), nil }

// answering is the API of a snapshot.
func answering(s *Snapshot, viewer func(*http.Request, *view.Cycle, bool) (*view.Viewer, error)) *API {
	return NewAPI(Options{
		State: func(context.Context) *State { return stateOf(s) }, Viewer: viewer, Late: func(_, _ time.Time) bool { return false }, Past: func(error) {}, Now: time.Now,
	})
}

// stateOf is the state of which a snapshot was made.
func stateOf(s *Snapshot) *State {
	found := live.New().Report()
	found.Campaigns.Last, found.Campaigns.Promise, found.Nights = s.Finished, s.Promise, s.Nights
	return &State{Cycle: s.cycle, Report: found, Snapshot: func() *Snapshot { return s }}
}

// request asks a handler.
func request(h http.Handler, method, target, host string) *httptest.ResponseRecorder {
	r := httptest.NewRequestWithContext(context.Background(), method, "/", nil)
	r.Host = host
	// Not through url.Parse: what comes over the wire may be any rubbish.
	r.URL.Path, r.URL.RawQuery, _ = strings.Cut(target, "?")
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

// decoded is an answer of the API.
func decoded[T any](t *testing.T, h http.Handler, target string) T {
	t.Helper()
	w := request(h, http.MethodGet, target, "localhost:9344")
	var v T
	if w.Code != http.StatusOK {
		t.Fatalf("%s: %d %s", target, w.Code, w.Body)
	}
	if err := json.Unmarshal(w.Body.Bytes(), &v); err != nil {
		t.Fatalf("%s: %v", target, err)
	}
	return v
}

// Each answer is JSON that has the documented fields, and no browser may keep it
// or guess what it is.
func TestAPI(t *testing.T) {
	h := serving(taken(t, 5, 60))
	for _, q := range Questions() {
		name := q.Name
		target := api.Folder + name
		if name == "explain" {
			target += "?job=20"
		}
		w := request(h, http.MethodGet, target, "127.0.0.1")
		if w.Code != http.StatusOK {
			t.Errorf("%s: %d %s", target, w.Code, w.Body)
		}
		for header, want := range map[string]string{
			"Content-Type": "application/json", "Cache-Control": "no-store", "X-Content-Type-Options": "nosniff", "Content-Security-Policy": policy,
		} {
			if got := w.Header().Get(header); got != want {
				t.Errorf("%s: %s is %q", target, header, got)
			}
		}
		var got any
		if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil {
			t.Fatal(err)
		}
		documented := fields(reflect.TypeOf(answersByName[name]), "")
		for _, one := range present(got, "") {
			if !slices.Contains(documented, one) {
				t.Errorf("%s has %s, which is not documented", target, one)
			}
		}
		head := request(h, http.MethodHead, target, "127.0.0.1")
		if head.Code != http.StatusOK || head.Header().Get("Content-Length") != w.Header().Get("Content-Length") {
			t.Errorf("HEAD %s: %d, length %s", target, head.Code, head.Header().Get("Content-Length"))
		}
	}
}

// TestFormer: scripts that know the former paths get the same answers there.
func TestFormer(t *testing.T) {
	h := serving(taken(t, 5, 60))
	for former, now := range map[string]string{
		"status": "status", "queue": "plan", "queue?user=user001&limit=3": "plan?user=user001&limit=3", "shares?user=user002": "shares?user=user002", "campaigns": "campaigns",
		"schedule": "schedule", "explain?job=20": "explain?job=20", "trends": "trends", "writes": "writes", "checks": "checks", "compare": "compare", "queue?limit=0": "plan?limit=0",
	} {
		name, query, _ := strings.Cut(former, "?")
		got, want := request(h, http.MethodGet, Former+name+".json?"+query, "[::1]:9344"), request(h, http.MethodGet, api.Folder+now, "[::1]:9344")
		if got.Code != want.Code || got.Body.String() != want.Body.String() {
			t.Errorf("%s: %d %s, want %d %s", former, got.Code, got.Body, want.Code, want.Body)
		}
	}
}

// present lists the fields that an answer really has.
func present(v any, path string) []string {
	var list []string
	switch v := v.(type) {
	case map[string]any:
		for name, below := range v {
			at := strings.TrimPrefix(path+"."+name, ".")
			list = append(append(list, at), present(below, at)...)
		}
	case []any:
		for _, below := range v {
			list = append(list, present(below, path+"[]")...)
		}
	}
	return list
}

func TestRefused(t *testing.T) {
	h := serving(taken(t, 5, 60), "page.example.org")
	long := strings.Repeat("x", 5000)
	for _, test := range []struct {
		method, target, host string
		code                 int
		words                string
	}{
		{"", "/v1/plan?user=alice&user=bob", "", 400, `argument "user" is there twice`},
		{"", "/v1/plan?usr=alice", "", 400, `unknown argument "usr"; there are user, account, partition, job, limit`},
		{"", "/v1/status?x", "", 400, `unknown argument "x"; there are none`},
		{"", "/v1/plan?user=" + long, "", 400, `argument "user" is longer than 4096 bytes`},
		{"", "/v1/plan?user=%ff%fe", "", 400, `argument "user" is not UTF-8`},
		{"", "/v1/plan?user=%zz", "", 400, `invalid query in the address: invalid URL escape "%zz"`},
		{"", "/v1/plan?user=a;b", "", 400, `invalid query in the address: invalid semicolon separator in query`},
		{"", "/v1/plan?" + long, "", 400, `unknown argument "` + long[:100] + `..."; there are user, account, partition, job, limit`},
		{"", "/v1/plan?limit=0", "", 400, `limit "0": not a whole number above 0`},
		{"", "/v1/plan?limit=-1", "", 400, `limit "-1": not a whole number above 0`},
		{"", "/v1/plan?limit=99999999999999999999", "", 400, `limit "99999999999999999999": not a whole number above 0`},
		{"", "/v1/plan?limit=all", "", 400, `limit "all": not a whole number above 0`},
		{"", "/v1/plan?job=x", "", 400, `job "x": not a job id such as 17, 17_4 or 17+1`},
		{"", "/v1/explain", "", 400, "name a job or a user"},
		{"", "/v1/explain?job=", "", 400, "name a job or a user"},
		{"", "/v1/explain?job=0", "", 400, `job "0": not a job id such as 17, 17_4 or 17+1`},
		{"", "/v1/explain?job=-17", "", 400, `job "-17": not a job id such as 17, 17_4 or 17+1`},
		{"", "/v1/explain?job=4294967296", "", 400, `job "4294967296": not a job id such as 17, 17_4 or 17+1`},
		{"", "/v1/explain?job=17_99999999999999999999", "", 400, `job "17_99999999999999999999": 99999999999999999999 is too large`},
		{"", "/v1/explain?job=%3Cscript%3E", "", 400, `job "<script>": not a job id such as 17, 17_4 or 17+1`},
		{"", "/v1/nothing", "", 404, `there is nothing at "/v1/nothing"`},
		{"", "/v1/", "", 404, `there is nothing at "/v1/"`},
		{"", "/api/v1/status", "", 404, "there is nothing at /api/v1/status"},
		{"", "/favicon.ico", "", 404, "there is nothing at /favicon.ico\n"},
		{http.MethodPost, "/v1/plan", "", 405, "only GET and HEAD: nothing can be changed here"},
		{http.MethodDelete, "/", "", 405, "only GET and HEAD: nothing can be changed here\n"},
		{"BREW", "/v1/status", "", 405, "only GET and HEAD: nothing can be changed here"},
		{"", "/v1/status", "evil.example.org", 421, `the name "evil.example.org" is not known here; if it is right, add it to status.hosts`},
		{"", "/", "evil.example.org:9344", 421, "the name \"evil.example.org:9344\" is not known here; if it is right, add it to status.hosts\n"},
		{http.MethodPost, "/page.css", long, 421, "the name \"" + long[:100] + "...\" is not known here; if it is right, add it to status.hosts\n"},
	} {
		if test.method == "" {
			test.method = http.MethodGet
		}
		if test.host == "" {
			test.host = "localhost"
		}
		w := request(h, test.method, test.target, test.host)
		words := w.Body.String()
		if strings.HasPrefix(test.target, "/v1/") || strings.HasPrefix(test.target, Former) {
			var said struct{ Error string }
			if err := json.Unmarshal(w.Body.Bytes(), &said); err != nil || w.Header().Get("Content-Type") != "application/json" {
				t.Errorf("%s: %v in %s", test.target, err, words)
			}
			words = said.Error
		}
		if w.Code != test.code || words != test.words {
			t.Errorf("%s %s of %s: %d %q, want %d %q", test.method, test.target, test.host, w.Code, words, test.code, test.words)
		}
		if allow := w.Header().Get("Allow"); (test.code == http.StatusMethodNotAllowed) != (allow == "GET, HEAD") {
			t.Errorf("%s %s: Allow is %q", test.method, test.target, allow)
		}
		if w.Header().Get("Content-Security-Policy") != policy || w.Header().Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s: an error without the headers", test.target)
		}
	}
}

// Before the first cycle health is told, and the rest is not there yet.
func TestBeforeFirstCycle(t *testing.T) {
	now := time.Unix(1000, 0)
	h := serving(New(nil, nil).With(&Daemon{Health: Health{Mode: "observe", Started: Unix(now), Failures: 2, Since: Unix(now), LastError: "no connection"}, Unready: ErrNoCycle}, now))
	for _, q := range Questions() {
		name, want := q.Name, http.StatusServiceUnavailable
		if q.Early {
			want = http.StatusOK
		}
		target := api.Folder + name
		if name == "explain" {
			target += "?job=1"
		}
		w := request(h, http.MethodGet, target, "localhost")
		if w.Code != want {
			t.Errorf("%s: %d %s, want %d", name, w.Code, w.Body, want)
		}
		if want != http.StatusOK && w.Body.String() != `{"error":"ostrichd has not completed a cycle since its start; try again soon, or look into its log"}`+"\n" {
			t.Errorf("%s: %s", name, w.Body)
		}
	}
	s := decoded[HealthAnswer](t, h, "/v1/status")
	if s.Words != "ostrichd observes and writes nothing. 2 cycles failed since "+local(1000)+": no connection." || s.Ready {
		t.Errorf("health: %q, ready %v", s.Words, s.Ready)
	}
	if w := request(h, http.MethodGet, "/", "localhost"); w.Code != http.StatusOK {
		t.Errorf("the page: %d %s", w.Code, w.Body)
	}
}

func local(t int64) string { return time.Unix(t, 0).Format("2006-01-02T15:04:05") }

func TestHosts(t *testing.T) {
	own := machine()
	for _, test := range []struct {
		host  string
		names []string
		want  bool
	}{
		{"127.0.0.1:9344", nil, true},
		{"127.0.0.1", nil, true},
		{"192.0.2.7:80", nil, true},
		{"[::1]:9344", nil, true},
		{"[::1]", nil, true},
		{"[fe80::1%25eth0]:9344", nil, true},
		{"localhost", nil, true},
		{"LocalHost.:9344", nil, true},
		{own, nil, own != ""},
		{strings.ToUpper(own) + ":9344", nil, own != ""},
		{"", nil, false},
		{":9344", nil, false},
		{"localhost.example.org", nil, false},
		{"127.0.0.1.example.org", nil, false},
		{"1.2.3", nil, false},
		{"example.org", []string{"other.example.org"}, false},
		{"example.org", []string{"Example.Org."}, true},
		{"anything at all", []string{"*"}, true},
	} {
		if got := allowed(test.host, test.names); got != test.want {
			t.Errorf("%q with %q: %v", test.host, test.names, got)
		}
	}
}

// What is asked for by user, job and limit is a part of the whole.
func TestNarrowed(t *testing.T) {
	h := serving(taken(t, 5, 600))
	whole := decoded[PlanAnswer](t, h, "/v1/plan")
	if whole.Pending != 600 || whole.Matched != 600 || whole.More != 0 || len(whole.List) != 600 {
		t.Errorf("the whole queue: %d pending, %d matched, %d here, %d more", whole.Pending, whole.Matched, len(whole.List), whole.More)
	}
	const user = "user002"
	var want []Queued
	for _, j := range whole.List {
		if j.User == user {
			want = append(want, j)
		}
	}
	mine := decoded[PlanAnswer](t, h, "/v1/plan?limit=7&user="+user)
	if mine.Matched != len(want) || mine.More != len(want)-7 || mine.Pending != 600 {
		t.Errorf("of a user: %d matched, %d more", mine.Matched, mine.More)
	}
	if d := cmp.Diff(want[:7], mine.List); d != "" {
		t.Errorf("of a user (-want +got):\n%s", d)
	}
	one := decoded[PlanAnswer](t, h, "/v1/plan?job="+want[3].Job.Job)
	if d := cmp.Diff(want[3:4], one.List); d != "" {
		t.Errorf("of a job (-want +got):\n%s", d)
	}
	for _, query := range []string{"?user=nobody", "?job=4000000000", "?job=" + want[3].Job.Job + "&user=user001"} {
		if q := decoded[PlanAnswer](t, h, "/v1/plan"+query); q.Matched != 0 || q.List == nil || len(q.List) != 0 {
			t.Errorf("%s: %d", query, q.Matched)
		}
	}
	of := func(query string) (list []ostrich.JobID) {
		for _, row := range decoded[view.Campaigns](t, h, "/v1/campaigns"+query).Campaigns {
			if row.User == user || query != "" {
				list = append(list, row.Campaign)
			}
		}
		return list
	}
	if d := cmp.Diff(of(""), of("?user="+user)); d != "" || len(of("")) == 0 {
		t.Errorf("campaigns of %s (-in the whole list +asked for):\n%s", user, d)
	}
	if list := decoded[view.Shares](t, h, "/v1/shares?user="+user).Shares; len(list) != 1 || list[0].User != user {
		t.Errorf("shares of %s: %v", user, list)
	}
	if list := decoded[view.Shares](t, h, "/v1/shares?user=nobody").Shares; list == nil || len(list) != 0 {
		t.Errorf("shares of nobody: %v", list)
	}
}

// The box says what the command and the API say, for jobs that wait and for jobs that run.
func TestExplain(t *testing.T) {
	h := serving(taken(t, 5, 60))
	for job, want := range map[string]string{"1": "\nIt runs. It started at ", "40": "in OStrich's order", "%2040%20": "in OStrich's order"} {
		a := decoded[ExplainAnswer](t, h, "/v1/explain?job="+job)
		if len(a.List) != 1 || !strings.Contains(a.List[0].Words, want) || a.List[0].Job != strings.ReplaceAll(job, "%20", "") || (a.List[0].Rank == nil) != (job == "1") {
			t.Fatalf("job %q: %+v", job, a)
		}
		if page := request(h, http.MethodGet, "/explain?job="+job, "localhost").Body.String(); !strings.Contains(page, template.HTMLEscapeString(a.List[0].Words)) {
			t.Errorf("job %q: the page has other words", job)
		}
	}
	for _, job := range []string{"4294967295", "17+1"} {
		a := decoded[ExplainAnswer](t, h, "/v1/explain?job="+url.QueryEscape(job))
		if page := request(h, http.MethodGet, "/explain?job="+url.QueryEscape(job), "localhost").Body.String(); len(a.List) > 0 || len(a.Unknown) != 1 || !strings.Contains(page, "neither in the queue nor in accounting") {
			t.Errorf("job %s: %+v", job, a)
		}
	}
}

// turns counts the answers that are being made and the large ones that are in memory.
type turns struct{ making, large int }

func (n *turns) Begin(context.Context) (made func(), err error) {
	n.making++
	return func() { n.making-- }, nil
}

func (n *turns) Hold() (sent func(), err error) {
	n.large++
	return func() { n.large-- }, nil
}

// A large answer of which the making panics gives back its room, as one that fails.
func TestRoomGivenBack(t *testing.T) {
	a, n := answering(sample(2, 10), everybody), &turns{}
	for name, answer := range map[string]func(){"fails": func() {}, "panics": func() { panic(http.ErrAbortHandler) }} {
		a.asked[name] = Question{
			rows: func(*view.Cycle, *view.Viewer, *view.Selection) int { return largeRows + 1 },
			answer: func(context.Context, *State, *view.Viewer, *view.Selection) (any, error) {
				if *n != (turns{1, 1}) {
					t.Errorf("%s: while it is made %+v", name, *n)
				}
				answer()
				return nil, errors.New("no answer")
			},
		}
		func() {
			defer func() { _ = recover() }() // as net/http does
			a.ServeHTTP(httptest.NewRecorder(), httptest.NewRequestWithContext(api.WithTurn(t.Context(), n), http.MethodGet, api.Folder+name, nil))
		}()
		if *n != (turns{}) {
			t.Errorf("%s: then %+v", name, *n)
		}
	}
}

// The page is made when it is its turn, as every answer, so many readers need little memory.
func TestPageWaits(t *testing.T) {
	a := answering(sample(2, 10), everybody)
	gone, leave := context.WithCancel(t.Context())
	leave()
	for _, target := range []string{"/", "/explain?job=17", "/compare/2026-08-01.html"} {
		a.making <- struct{}{} // another answer
		w := httptest.NewRecorder()
		Handler(a, nil).ServeHTTP(w, httptest.NewRequestWithContext(gone, http.MethodGet, "http://localhost"+target, nil))
		if w.Code != http.StatusTooManyRequests || w.Header().Get("Retry-After") != "1" || !strings.HasPrefix(w.Body.String(), "ostrichd is busy") {
			t.Errorf("%s: %d %s", target, w.Code, w.Body)
		}
		<-a.making
	}
	if w := request(Handler(a, nil), http.MethodGet, "/", "localhost"); w.Code != http.StatusOK || len(a.making) != 0 {
		t.Errorf("alone: %d, and %d are made", w.Code, len(a.making))
	}
}

package statuspage

import (
	"context"
	"encoding/json"
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
	"slurm-ostrich/cmd/internal/view"
	"slurm-ostrich/ostrich"
)

// serving is the handler of a snapshot.
func serving(s *Snapshot, hosts ...string) http.Handler {
	return Handler(Options{
		Snapshot: func(context.Context) *Snapshot { return s }, Hosts: hosts,
		Compare: func(w http.ResponseWriter, _ *view.Viewer) { api.Answer(w, http.StatusOK, map[string]int{"cycles": 1}) },
	})
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
	for name := range files {
		target := API + name + ".json"
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
	if w := request(h, http.MethodGet, API+"compare.json", "[::1]:9344"); w.Body.String() != "{\"cycles\":1}\n" {
		t.Errorf("compare.json: %s", w.Body)
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
		{"", API + "queue.json?user=alice&user=bob", "", 400, `argument "user" is there twice`},
		{"", API + "queue.json?usr=alice", "", 400, `unknown argument "usr"; there are user, job, limit`},
		{"", API + "status.json?x", "", 400, `unknown argument "x"; there are none`},
		{"", API + "queue.json?user=" + long, "", 400, `argument "user" is longer than 4096 bytes`},
		{"", API + "queue.json?user=%ff%fe", "", 400, `argument "user" is not UTF-8`},
		{"", API + "queue.json?user=%zz", "", 400, `invalid query in the address: invalid URL escape "%zz"`},
		{"", API + "queue.json?user=a;b", "", 400, `invalid query in the address: invalid semicolon separator in query`},
		{"", API + "queue.json?" + long, "", 400, `unknown argument "` + long[:100] + `..."; there are user, job, limit`},
		{"", API + "queue.json?limit=0", "", 400, `limit "0": not a whole number above 0`},
		{"", API + "queue.json?limit=-1", "", 400, `limit "-1": not a whole number above 0`},
		{"", API + "queue.json?limit=99999999999999999999", "", 400, `limit "99999999999999999999": not a whole number above 0`},
		{"", API + "queue.json?limit=all", "", 400, `limit "all": not a whole number above 0`},
		{"", API + "queue.json?job=x", "", 400, `job "x": not a job id such as 17, 17_4 or 17+1`},
		{"", API + "explain.json", "", 400, "name one job: explain.json?job=17"},
		{"", API + "explain.json?job=", "", 400, "name one job: explain.json?job=17"},
		{"", API + "explain.json?job=0", "", 400, `job "0": not a job id such as 17, 17_4 or 17+1`},
		{"", API + "explain.json?job=-17", "", 400, `job "-17": not a job id such as 17, 17_4 or 17+1`},
		{"", API + "explain.json?job=4294967296", "", 400, `job "4294967296": not a job id such as 17, 17_4 or 17+1`},
		{"", API + "explain.json?job=17_99999999999999999999", "", 400, `job "17_99999999999999999999": 99999999999999999999 is too large`},
		{"", API + "explain.json?job=%3Cscript%3E", "", 400, `job "<script>": not a job id such as 17, 17_4 or 17+1`},
		{"", API + "explain.json?job=4294967295", "", 404, "job 4294967295: neither in the queue nor unfinished in accounting"},
		{"", API + "explain.json?job=17+1", "", 404, "job 17+1: neither in the queue nor unfinished in accounting"},
		{"", API + "nothing.json", "", 404, "there is nothing at /api/v1/nothing.json"},
		{"", API, "", 404, "there is nothing at /api/v1/"},
		{"", "/favicon.ico", "", 404, "there is nothing at /favicon.ico\n"},
		{http.MethodPost, API + "queue.json", "", 405, "only GET and HEAD: nothing can be changed here"},
		{http.MethodDelete, "/", "", 405, "only GET and HEAD: nothing can be changed here\n"},
		{"BREW", API + "status.json", "", 405, "only GET and HEAD: nothing can be changed here"},
		{"", API + "status.json", "evil.example.org", 421, `the name "evil.example.org" is not known here; if it is right, add it to status.hosts`},
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
		if strings.HasPrefix(test.target, API) {
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
	for name, a := range files {
		want := http.StatusServiceUnavailable
		if a.always {
			want = http.StatusOK
		}
		target := API + name + ".json"
		if name == "explain" {
			target += "?job=1"
		}
		w := request(h, http.MethodGet, target, "localhost")
		if w.Code != want {
			t.Errorf("%s: %d %s, want %d", name, w.Code, w.Body, want)
		}
		if want != http.StatusOK && w.Body.String() != `{"error":"no cycle has succeeded yet"}`+"\n" {
			t.Errorf("%s: %s", name, w.Body)
		}
	}
	s := decoded[HealthAnswer](t, h, API+"status.json")
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
	whole := decoded[QueueAnswer](t, h, API+"queue.json")
	if whole.Pending != 600 || whole.Matched != 600 || whole.More != 0 || len(whole.Jobs) != 600 {
		t.Errorf("the whole queue: %d pending, %d matched, %d here, %d more", whole.Pending, whole.Matched, len(whole.Jobs), whole.More)
	}
	const user = "user002"
	var want []Queued
	for _, j := range whole.Jobs {
		if j.User == user {
			want = append(want, j)
		}
	}
	mine := decoded[QueueAnswer](t, h, API+"queue.json?limit=7&user="+user)
	if mine.Matched != len(want) || mine.More != len(want)-7 || mine.Pending != 600 {
		t.Errorf("of a user: %d matched, %d more", mine.Matched, mine.More)
	}
	if d := cmp.Diff(want[:7], mine.Jobs); d != "" {
		t.Errorf("of a user (-want +got):\n%s", d)
	}
	one := decoded[QueueAnswer](t, h, API+"queue.json?job="+want[3].Job.Job)
	if d := cmp.Diff(want[3:4], one.Jobs); d != "" {
		t.Errorf("of a job (-want +got):\n%s", d)
	}
	for _, query := range []string{"?user=nobody", "?job=4000000000", "?job=" + want[3].Job.Job + "&user=user001"} {
		if q := decoded[QueueAnswer](t, h, API+"queue.json"+query); q.Matched != 0 || q.Jobs == nil || len(q.Jobs) != 0 {
			t.Errorf("%s: %d", query, q.Matched)
		}
	}
	of := func(query string) (list []ostrich.JobID) {
		for _, row := range decoded[CampaignsAnswer](t, h, API+"campaigns.json"+query).Campaigns {
			if row.User == user || query != "" {
				list = append(list, row.Campaign.Campaign)
			}
		}
		return list
	}
	if d := cmp.Diff(of(""), of("?user="+user)); d != "" || len(of("")) == 0 {
		t.Errorf("campaigns of %s (-in the whole list +asked for):\n%s", user, d)
	}
	if list := decoded[SharesAnswer](t, h, API+"shares.json?user="+user).Shares; len(list) != 1 || list[0].User.User != user {
		t.Errorf("shares of %s: %v", user, list)
	}
	if list := decoded[SharesAnswer](t, h, API+"shares.json?user=nobody").Shares; list == nil || len(list) != 0 {
		t.Errorf("shares of nobody: %v", list)
	}
}

// The box says what the command says, for jobs that wait and for jobs that run.
func TestExplain(t *testing.T) {
	s := taken(t, 5, 60)
	h := serving(s)
	for _, job := range []string{"1", "40", " 40 "} {
		e := decoded[ExplainAnswer](t, h, API+"explain.json?job="+url.QueryEscape(job))
		same, err := s.Explain(strings.TrimSpace(job))
		if err != nil || e.Words != same.String() || e.Job != strings.TrimSpace(job) {
			t.Errorf("job %q: %v %q", job, err, e.Words)
		}
	}
	if running := decoded[ExplainAnswer](t, h, API+"explain.json?job=1"); running.Rank != nil || !strings.Contains(running.Words, "\nIt runs. It started at ") {
		t.Errorf("a running job: %s", running.Words)
	}
	if waiting := decoded[ExplainAnswer](t, h, API+"explain.json?job=40"); waiting.Rank == nil || !strings.Contains(waiting.Words, "in OStrich's order") {
		t.Errorf("a waiting job: %s", waiting.Words)
	}
}

package statuspage

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"net/netip"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"slurm-ostrich/cmd/internal/api"
	"slurm-ostrich/cmd/internal/live"
	"slurm-ostrich/cmd/internal/view"
)

// policy is the Content-Security-Policy: nothing but what the daemon serves.
const policy = "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; connect-src 'self'; " +
	"form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

// Former is the folder in which the web listener answers too, as NAME.json.
const Former = "/api/v1/"

// Handler answers the page on /, the explain box on /explain, the pages of nightly
// comparisons below /compare/, what the page loads, and the API. It only reads. hosts are the
// names under which all this may be asked for, beside IP addresses, localhost and this
// machine's name; "*" allows any.
func Handler(answers *API, hosts []string) http.Handler {
	h := &handler{answers, hosts, http.NewServeMux()}
	h.mux.HandleFunc("/{$}", h.page)
	h.mux.HandleFunc("/explain", h.page)
	for name, kind := range map[string]string{"page.css": "text/css", "page.js": "text/javascript"} {
		h.mux.HandleFunc("/"+name, func(w http.ResponseWriter, _ *http.Request) { asset(w, name, kind) })
	}
	h.mux.HandleFunc("/compare/{file}", h.night)
	h.mux.Handle(api.Folder, answers)
	h.mux.HandleFunc(Former+"{file}", h.former)
	h.mux.HandleFunc("/", nothing)
	return h
}

// nothing answers where nothing is.
func nothing(w http.ResponseWriter, r *http.Request) {
	fail(w, r, http.StatusNotFound, "there is nothing at "+api.Shortened(r.URL.Path))
}

type handler struct {
	api   *API
	hosts []string
	mux   *http.ServeMux
}

// former answers at a former path of the API. The plan was called queue.
func (h *handler) former(w http.ResponseWriter, r *http.Request) {
	name, is := strings.CutSuffix(r.PathValue("file"), ".json")
	if !is {
		nothing(w, r)
		return
	}
	if name == "queue" {
		name = view.AskPlan.Name
	}
	now := r.Clone(r.Context())
	now.URL.Path = api.Folder + name
	h.api.ServeHTTP(w, now)
}

// seen calls show, in the client's turn, with what the client of the page may see. If that is
// not known or others are answered for too long, it answers with the error and returns false.
// ended says whether the page may tell of jobs that have ended, beside the nightly comparisons.
func (h *handler) seen(w http.ResponseWriter, r *http.Request, ended bool, show func(*Snapshot)) bool {
	s := h.api.State(r.Context())
	v, err := h.api.Viewer(r, s.Cycle, ended || len(s.Report.Nights) > 0)
	if err != nil {
		refuse(w, r, err)
		return false
	}
	made, err := h.api.turn(r.Context()).Begin(r.Context())
	if err != nil {
		refuse(w, r, err)
		return false
	}
	defer made()
	show(s.Snapshot().For(v))
	return true
}

// ServeHTTP refuses requests that come by a wrong name or want to change
// something.
func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	for name, value := range map[string]string{
		"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff", "Content-Security-Policy": policy,
		"Referrer-Policy": "no-referrer", "Cross-Origin-Resource-Policy": "same-origin",
	} {
		w.Header().Set(name, value)
	}
	switch {
	case !allowed(r.Host, h.hosts):
		misdirected(w, r)
	case r.Method != http.MethodGet && r.Method != http.MethodHead:
		onlyReads(w, r)
	default:
		h.mux.ServeHTTP(w, r)
	}
}

// Guard wraps a handler so that it answers only requests by a known name, as
// Handler does.
func Guard(handler http.Handler, hosts []string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !allowed(r.Host, hosts) {
			misdirected(w, r)
			return
		}
		handler.ServeHTTP(w, r)
	})
}

func misdirected(w http.ResponseWriter, r *http.Request) {
	fail(w, r, http.StatusMisdirectedRequest, fmt.Sprintf("the name %q is not known here; if it is right, add it to status.hosts", api.Shortened(r.Host)))
}

// fail answers with an error: JSON under the API, else plain text.
func fail(w http.ResponseWriter, r *http.Request, code int, words string) {
	if !strings.HasPrefix(r.URL.Path, api.Folder) && !strings.HasPrefix(r.URL.Path, Former) {
		http.Error(w, words, code)
		return
	}
	api.Fail(w, code, words)
}

// refuse answers with the error of one who may not see or has to wait, or whose request is
// invalid.
func refuse(w http.ResponseWriter, r *http.Request, err error) {
	code := http.StatusBadRequest
	if _, is := errors.AsType[api.Forbidden](err); is {
		code = http.StatusForbidden
	}
	if _, is := errors.AsType[api.Busy](err); is {
		w.Header().Set("Retry-After", "1")
		code = http.StatusTooManyRequests
	}
	fail(w, r, code, err.Error())
}

// page answers with the page, or with the explain box.
func (h *handler) page(w http.ResponseWriter, r *http.Request) {
	values, err := api.Arguments(r, nil)
	if err != nil {
		fail(w, r, http.StatusBadRequest, err.Error())
		return
	}
	q := Query{User: values.Get("user"), Job: values.Get("job"), All: values.Has("all")}
	if r.URL.Path == "/explain" {
		q.Ask, q.Job = q.Job, ""
	}
	var body bytes.Buffer
	if !h.seen(w, r, q.Ask != "", func(s *Snapshot) { err = render(&body, s, q, h.api.explained(r.Context(), s, q.Ask), time.Local) }) {
		return
	}
	if err != nil {
		fail(w, r, http.StatusInternalServerError, err.Error())
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Content-Length", strconv.Itoa(body.Len()))
	_, _ = body.WriteTo(w) // the client disconnected
}

// night answers with the page of a comparison that was made by night. It needs its own
// styles and nothing else, and is not to be trusted: it was made by another program.
func (h *handler) night(w http.ResponseWriter, r *http.Request) {
	var nights []live.Night
	if !h.seen(w, r, false, func(s *Snapshot) { nights = s.Nights }) {
		return
	}
	for _, n := range nights {
		if n.Page == "" || r.PathValue("file") != n.Period+".html" {
			continue
		}
		page, made, err := n.Open()
		if err != nil {
			break // it is being replaced, or has been removed
		}
		defer func() { _ = page.Close() }() // It was only read.
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Header().Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; sandbox")
		http.ServeContent(w, r, "", made, page)
		return
	}
	fail(w, r, http.StatusNotFound, "there is no comparison at "+api.Shortened(r.URL.Path))
}

// asset answers with a file that the page loads.
func asset(w http.ResponseWriter, name, kind string) {
	text, err := fs.ReadFile(Assets, name)
	if err != nil {
		http.Error(w, err.Error(), http.StatusNotFound)
		return
	}
	w.Header().Set("Content-Type", kind+"; charset=utf-8")
	w.Header().Set("Content-Length", strconv.Itoa(len(text)))
	_, _ = w.Write(text) // the client disconnected
}

// allowed reports whether a request may use this name: an IP address, localhost,
// this machine's name, or one of the names of a list; "*" in the list allows any.
// So a page of somebody else whose name points here (DNS rebinding) learns
// nothing.
func allowed(host string, names []string) bool {
	if slices.Contains(names, "*") {
		return true
	}
	name := host
	if only, _, err := net.SplitHostPort(host); err == nil {
		name = only
	}
	name = strings.TrimSuffix(strings.ToLower(name), ".")
	if _, err := netip.ParseAddr(strings.Trim(name, "[]")); err == nil {
		return true
	}
	return name == "localhost" || Named(name, names)
}

// Named reports whether a name, in lower case and without a final dot, is this machine's or in a
// list. No name in the list stands for others.
func Named(name string, names []string) bool {
	if name == "" {
		return false
	}
	own := machine()
	short, _, _ := strings.Cut(own, ".")
	return name == own || name == short ||
		slices.ContainsFunc(names, func(one string) bool { return strings.EqualFold(strings.TrimSuffix(one, "."), name) })
}

// machine returns this machine's name in lower case, "" if it has none.
var machine = sync.OnceValue(func() string {
	name, err := os.Hostname()
	if err != nil {
		return ""
	}
	return strings.ToLower(name)
})

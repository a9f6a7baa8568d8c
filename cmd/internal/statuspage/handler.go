package statuspage

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"unicode/utf8"

	"slurm-ostrich/cmd/internal/view"
)

// Options are what a handler needs.
type Options struct {
	// Snapshot is asked for each request. It never returns nil.
	Snapshot func(ctx context.Context) *Snapshot
	// Compare answers /api/v1/compare.json.
	Compare http.Handler
	// Hosts are the names under which the page may be asked for, beside IP
	// addresses and localhost; "*" allows any.
	Hosts []string
}

// API is the folder of the JSON answers.
const API = "/api/v1/"

// policy is the Content-Security-Policy: nothing but what the daemon serves.
const policy = "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; connect-src 'self'; " +
	"form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

// Handler answers the page on /, the explain box on /explain, what the page
// loads, and the API. It only reads.
func Handler(o Options) http.Handler {
	h := &handler{Options: o, mux: http.NewServeMux()}
	h.mux.HandleFunc("/{$}", h.page)
	h.mux.HandleFunc("/explain", h.page)
	for name, kind := range map[string]string{"page.css": "text/css", "page.js": "text/javascript"} {
		h.mux.HandleFunc("/"+name, func(w http.ResponseWriter, _ *http.Request) { asset(w, name, kind) })
	}
	for name, a := range apis {
		h.mux.HandleFunc(API+name+".json", func(w http.ResponseWriter, r *http.Request) { h.api(w, r, a) })
	}
	if o.Compare != nil {
		h.mux.Handle(API+"compare.json", o.Compare)
	}
	h.mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		fail(w, r, http.StatusNotFound, "there is nothing at "+shortened(r.URL.Path))
	})
	return h
}

type handler struct {
	Options
	mux *http.ServeMux
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
	case !allowed(r.Host, h.Hosts):
		misdirected(w, r)
	case r.Method != http.MethodGet && r.Method != http.MethodHead:
		w.Header().Set("Allow", "GET, HEAD")
		fail(w, r, http.StatusMethodNotAllowed, "only GET and HEAD: nothing can be changed here")
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
	fail(w, r, http.StatusMisdirectedRequest, fmt.Sprintf("the name %q is not known here; if it is right, add it to status.hosts", shortened(r.Host)))
}

// shortened returns a text from a request, cut for an error message.
func shortened(text string) string {
	const most = 100
	if len(text) > most {
		text = text[:most] + "..."
	}
	return strings.ToValidUTF8(text, "?")
}

// fail answers with an error: JSON under the API, else plain text.
func fail(w http.ResponseWriter, r *http.Request, code int, words string) {
	if !strings.HasPrefix(r.URL.Path, API) {
		http.Error(w, words, code)
		return
	}
	Fail(w, code, words)
}

// Fail answers with an error as JSON.
func Fail(w http.ResponseWriter, code int, words string) {
	w.Header().Set("Cache-Control", "no-store")
	answer(w, code, struct {
		Error string `json:"error"`
	}{words})
}

// answer writes JSON.
func answer(w http.ResponseWriter, code int, v any) {
	var body bytes.Buffer
	if err := json.NewEncoder(&body).Encode(v); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(body.Len()))
	w.WriteHeader(code)
	_, _ = body.WriteTo(w) // Who asked may be gone.
}

// page answers with the page, or with the explain box.
func (h *handler) page(w http.ResponseWriter, r *http.Request) {
	values, err := arguments(r, nil)
	if err != nil {
		fail(w, r, http.StatusBadRequest, err.Error())
		return
	}
	q := Query{User: values.Get("user"), Job: values.Get("job"), All: values.Has("all")}
	if r.URL.Path == "/explain" {
		q.Ask, q.Job = q.Job, ""
	}
	var body bytes.Buffer
	if err = Render(&body, h.Snapshot(r.Context()), q); err != nil {
		fail(w, r, http.StatusInternalServerError, err.Error())
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Content-Length", strconv.Itoa(body.Len()))
	_, _ = body.WriteTo(w) // Who asked may be gone.
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
	_, _ = w.Write(text) // Who asked may be gone.
}

// api answers with a file of the API.
func (h *handler) api(w http.ResponseWriter, r *http.Request, a api) {
	values, err := arguments(r, a.takes)
	if err != nil {
		Fail(w, http.StatusBadRequest, err.Error())
		return
	}
	s := h.Snapshot(r.Context())
	if !s.Known() && !a.always {
		Fail(w, http.StatusServiceUnavailable, ErrNoCycle.Error())
		return
	}
	v, err := a.answer(s, values)
	switch {
	case errors.Is(err, view.ErrNoJob):
		Fail(w, http.StatusNotFound, err.Error())
	case err != nil:
		Fail(w, http.StatusBadRequest, err.Error())
	default:
		answer(w, http.StatusOK, v)
	}
}

// longest is how long the value of an argument may be.
const longest = 256

// arguments returns the query of a request. Each argument may be given once. If
// takes is not nil, arguments that it does not name are refused.
func arguments(r *http.Request, takes []string) (url.Values, error) {
	values, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return nil, fmt.Errorf("invalid query in the address: %w", err)
	}
	for _, name := range sorted(values) {
		known := takes == nil
		for _, one := range takes {
			known = known || one == name
		}
		value := values[name]
		switch {
		case !known && len(takes) == 0:
			return nil, fmt.Errorf("unknown argument %q; there are none", shortened(name))
		case !known:
			return nil, fmt.Errorf("unknown argument %q; there are %s", shortened(name), strings.Join(takes, ", "))
		case len(value) != 1:
			return nil, fmt.Errorf("argument %q is there twice", shortened(name))
		case len(value[0]) > longest:
			return nil, fmt.Errorf("argument %q is longer than %d bytes", shortened(name), longest)
		case !utf8.ValidString(value[0]):
			return nil, fmt.Errorf("argument %q is not UTF-8", shortened(name))
		case name == "job":
			// In an address typed by hand 17+1 comes with a space.
			values.Set(name, strings.ReplaceAll(strings.TrimSpace(value[0]), " ", "+"))
		}
	}
	return values, nil
}

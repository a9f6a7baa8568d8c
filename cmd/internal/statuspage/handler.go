package statuspage

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"strconv"
	"strings"

	"slurm-ostrich/cmd/internal/api"
	"slurm-ostrich/cmd/internal/view"
)

// Options are what a handler needs.
type Options struct {
	// Snapshot is asked for each request. It never returns nil.
	Snapshot func(ctx context.Context) *Snapshot
	// Viewer returns what the client of a request may see. After an error the client
	// gets that error. A nil Viewer shows everything to everybody.
	Viewer func(r *http.Request) (*view.Viewer, error)
	// Compare answers /api/v1/compare.json.
	Compare func(w http.ResponseWriter, v *view.Viewer)
	// Hosts are the names under which the page may be asked for, beside IP
	// addresses, localhost and this machine's name; "*" allows any.
	Hosts []string
}

// API is the folder of the JSON answers.
const API = "/api/v1/"

// policy is the Content-Security-Policy: nothing but what the daemon serves.
const policy = "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; connect-src 'self'; " +
	"form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

// Handler answers the page on /, the explain box on /explain, the pages of nightly
// comparisons below /compare/, what the page loads, and the API. It only reads.
func Handler(o Options) http.Handler {
	h := &handler{Options: o, mux: http.NewServeMux()}
	h.mux.HandleFunc("/{$}", h.page)
	h.mux.HandleFunc("/explain", h.page)
	for name, kind := range map[string]string{"page.css": "text/css", "page.js": "text/javascript"} {
		h.mux.HandleFunc("/"+name, func(w http.ResponseWriter, _ *http.Request) { asset(w, name, kind) })
	}
	h.mux.HandleFunc("/compare/{file}", h.night)
	for name, a := range files {
		h.mux.HandleFunc(API+name+".json", func(w http.ResponseWriter, r *http.Request) { h.api(w, r, a) })
	}
	if o.Compare != nil {
		h.mux.HandleFunc(API+"compare.json", func(w http.ResponseWriter, r *http.Request) {
			if v, ok := h.viewer(w, r); ok {
				o.Compare(w, v)
			}
		})
	}
	h.mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		fail(w, r, http.StatusNotFound, "there is nothing at "+api.Shortened(r.URL.Path))
	})
	return h
}

type handler struct {
	Options
	mux *http.ServeMux
}

// viewer returns what the client may see. If that is not known, it answers with the error
// and returns false.
func (h *handler) viewer(w http.ResponseWriter, r *http.Request) (*view.Viewer, bool) {
	if h.Viewer == nil {
		return view.Everything(), true
	}
	v, err := h.Viewer(r)
	if err != nil {
		fail(w, r, http.StatusBadRequest, err.Error())
		return nil, false
	}
	return v, true
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
	fail(w, r, http.StatusMisdirectedRequest, fmt.Sprintf("the name %q is not known here; if it is right, add it to status.hosts", api.Shortened(r.Host)))
}

// fail answers with an error: JSON under the API, else plain text.
func fail(w http.ResponseWriter, r *http.Request, code int, words string) {
	if !strings.HasPrefix(r.URL.Path, API) {
		http.Error(w, words, code)
		return
	}
	api.Fail(w, code, words)
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
	v, ok := h.viewer(w, r)
	if !ok {
		return
	}
	var body bytes.Buffer
	if err = Render(&body, h.Snapshot(r.Context()).For(v), q); err != nil {
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
	v, ok := h.viewer(w, r)
	if !ok {
		return
	}
	for _, n := range h.Snapshot(r.Context()).For(v).Nights {
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

// api answers with a file of the API.
func (h *handler) api(w http.ResponseWriter, r *http.Request, a file) {
	values, err := api.Arguments(r, a.takes)
	if err != nil {
		api.Fail(w, http.StatusBadRequest, err.Error())
		return
	}
	who, ok := h.viewer(w, r)
	if !ok {
		return
	}
	s := h.Snapshot(r.Context()).For(who)
	if !s.Known() && !a.always {
		api.Fail(w, http.StatusServiceUnavailable, ErrNoCycle.Error())
		return
	}
	v, err := a.answer(s, values)
	switch {
	case errors.Is(err, view.ErrNoJob):
		api.Fail(w, http.StatusNotFound, err.Error())
	case err != nil:
		api.Fail(w, http.StatusBadRequest, err.Error())
	default:
		api.Answer(w, http.StatusOK, v)
	}
}

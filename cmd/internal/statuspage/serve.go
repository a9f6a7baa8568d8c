package statuspage

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"slurm-ostrich/cmd/internal/api"
	"slurm-ostrich/cmd/internal/format"
	"slurm-ostrich/cmd/internal/view"
)

// Options are what an API needs of the daemon.
type Options struct {
	// State is asked for each request. It never returns nil.
	State func(ctx context.Context) *State
	// Viewer returns what who makes a request may see. After an error they get that error.
	Viewer func(r *http.Request, c *view.Cycle, ended bool) (*view.Viewer, error)
	// Late reports whether a newer cycle than one that ended at a time should have ended by now.
	Late func(ended, now time.Time) bool
	// Past is called after each question to accounting and the journal, with its error or
	// nil. It may be called from any goroutine.
	Past func(error)
	Now  func() time.Time
}

// largeRows is from how many rows on an answer counts as large.
const largeRows = 2000

// API answers the questions of everybody, at the socket and on the web, from a State that
// nobody changes. No cycle waits for it.
type API struct {
	Options
	asked  map[string]Question
	making chan struct{} // has one, of those whose listener gives no turns: a second processor is left to the daemon
}

// NewAPI returns an API.
func NewAPI(o Options) *API {
	a := &API{o, make(map[string]Question), make(chan struct{}, 1)}
	for _, q := range Questions() {
		a.asked[q.Name] = q
	}
	return a
}

// ServeHTTP answers a request.
func (a *API) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	name, in := strings.CutPrefix(r.URL.Path, api.Folder)
	q, exists := a.asked[name]
	switch {
	case r.Method != http.MethodGet && r.Method != http.MethodHead:
		onlyReads(w, r)
	case !in || !exists:
		api.Fail(w, http.StatusNotFound, fmt.Sprintf("there is nothing at %q", api.Shortened(r.URL.Path)))
	default:
		a.answer(w, r, &q)
	}
}

// onlyReads refuses a request that wants to change something.
func onlyReads(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Allow", "GET, HEAD")
	fail(w, r, http.StatusMethodNotAllowed, "only GET and HEAD: nothing can be changed here")
}

func (a *API) answer(w http.ResponseWriter, r *http.Request, q *Question) {
	by, err := selection(r, q.Takes)
	if err != nil {
		api.Fail(w, http.StatusBadRequest, err.Error())
		return
	}
	s := a.State(r.Context())
	if s.Cycle == nil && !q.Early {
		api.Fail(w, http.StatusServiceUnavailable, "ostrichd has not completed a cycle since its start; try again soon, or look into its log")
		return
	}
	body, sent, err := a.body(r, q, s, by)
	if err != nil {
		refuse(w, r, err)
		return
	}
	defer sent()
	if now := a.Now(); s.Cycle != nil && a.Late(s.Ended, now) {
		w.Header().Set(api.Warning, fmt.Sprintf("the daemon's last cycle was at %s, %s ago, and this is from then; its log says why there is no newer one",
			format.Moment(float64(s.Ended.Unix())), format.Span(now.Sub(s.Ended).Seconds())))
	}
	api.Answer(w, http.StatusOK, body)
}

// body makes an answer. Call sent once it is sent.
func (a *API) body(r *http.Request, q *Question, s *State, by *view.Selection) (body []byte, sent func(), err error) {
	v, err := a.Viewer(r, s.Cycle, q.ended != nil && q.ended(s, by))
	if err != nil {
		return nil, nil, err
	}
	turn := a.turn(r.Context())
	made, err := turn.Begin(r.Context())
	if err != nil {
		return nil, nil, err
	}
	defer made()
	free := func() {}
	if q.rows != nil && q.rows(s.Cycle, v, by) > largeRows {
		if free, err = turn.Hold(); err != nil {
			return nil, nil, err
		}
	}
	defer func() {
		if sent == nil { // an error or a panic
			free()
		}
	}()
	ctx, cancel := context.WithTimeout(r.Context(), api.Asking)
	defer cancel()
	text := new(bytes.Buffer)
	is, err := q.answer(ctx, s, v, by)
	if err == nil {
		err = encode(text, is)
	}
	if err != nil {
		return nil, nil, err
	}
	if e, ok := is.(ExplainAnswer); ok {
		a.past(r.Context(), e.Answer)
	}
	return text.Bytes(), free, nil
}

// past tells the daemon how accounting and the journal have answered, unless the client has
// not waited for it.
func (a *API) past(ctx context.Context, e *view.Answer) {
	if e.Asked && ctx.Err() == nil {
		a.Past(e.Failed)
	}
}

// explained answers the page's box of questions, nil if nothing was asked.
func (a *API) explained(ctx context.Context, s *Snapshot, jobs string) *explained {
	if jobs == "" {
		return nil
	}
	e, err := s.explain(ctx, jobs)
	if err != nil {
		return &explained{Job: jobs, Error: err.Error()}
	}
	a.past(ctx, e)
	return &explained{Job: jobs, Words: textOf(e), Odds: oddsOf(e)}
}

// turn returns the turn that a listener has given a request, or one among all others.
func (a *API) turn(ctx context.Context) api.Turn {
	if t, ok := api.TurnOf(ctx); ok {
		return t
	}
	return inLine(a.making)
}

// inLine is a place in one line for all.
type inLine chan struct{}

func (l inLine) Begin(ctx context.Context) (made func(), err error) {
	ctx, cancel := context.WithTimeout(ctx, api.Patience)
	defer cancel()
	select {
	case l <- struct{}{}:
		return func() { <-l }, nil
	case <-ctx.Done():
		return nil, api.Busy("ostrichd is busy: other answers are being made; try again")
	}
}

// Hold has room: package webserver counts connections.
func (inLine) Hold() (sent func(), err error) { return func() {}, nil }

// selection returns what a request chooses.
func selection(r *http.Request, takes []string) (*view.Selection, error) {
	values, err := api.Arguments(r, append([]string{}, takes...))
	if err != nil {
		return nil, err
	}
	by := &view.Selection{}
	for name, list := range by.Lists() {
		*list = view.Split(values.Get(name))
	}
	if values.Has("limit") {
		n, err := strconv.ParseUint(values.Get("limit"), 10, 31)
		if err != nil || n == 0 {
			return nil, fmt.Errorf("limit %q: not a whole number above 0", api.Shortened(values.Get("limit")))
		}
		by.Limit = int(n)
	}
	for _, job := range by.Jobs {
		if _, err := view.ParseJob(job); err != nil {
			return nil, err
		}
	}
	return by, nil
}

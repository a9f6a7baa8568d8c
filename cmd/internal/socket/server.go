// Package socket lets users ask ostrichd for its latest cycle, over HTTP at a Unix
// socket: the server in ostrichd, and the client in the commands of ostrich.
//
// The kernel tells the server who asks (SO_PEERCRED), so nobody needs a password, and
// everybody sees what Slurm shows them: see [view.Viewer]. Answers are made of a state
// that nobody changes and that the daemon replaces after each cycle. No cycle waits for
// a request, whatever clients do: requests, connections, large answers and times are
// limited for each user and in all.
package socket

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"slurm-ostrich/cmd/internal/access"
	"slurm-ostrich/cmd/internal/api"
	"slurm-ostrich/cmd/internal/format"
	"slurm-ostrich/cmd/internal/live"
	"slurm-ostrich/cmd/internal/view"
)

// folder is where the answers are.
const folder = "/v1/"

// State is what answers are made of. Nobody may change it.
type State struct {
	Cycle  *view.Cycle
	Report *live.Report
	Ended  time.Time // of the cycle
}

// Options are what a server needs.
type Options struct {
	// Users knows Slurm's users.
	Users *access.Directory
	// Late reports whether a newer cycle should have ended by now.
	Late func(ended, now time.Time) bool
	// Past is called after each question to accounting and the journal, with its error or
	// nil. It may be called from any goroutine.
	Past func(error)
	Now  func() time.Time
}

// Server answers at a socket until it is closed.
type Server struct {
	Options

	asked  map[string]question
	latest atomic.Pointer[State]
	limits *limits
	server *http.Server

	listener *listener
}

// Open listens at a path and answers there. It calls failed if it cannot go on.
func Open(ctx context.Context, path string, o Options, failed func(error)) (*Server, error) {
	s := newServer(o)
	l, err := listen(ctx, path, s.limits)
	if err != nil {
		return nil, err
	}
	s.listener = l
	go func() {
		if err := s.server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
			failed(err)
		}
	}()
	return s, nil
}

func newServer(o Options) *Server {
	s := &Server{
		Options: o, asked: questions(), limits: newLimits(o.Now),
	}
	s.server = &http.Server{
		Handler: s, ConnContext: withPeer, MaxHeaderBytes: headerSize,
		ReadHeaderTimeout: headerTime, ReadTimeout: headerTime, WriteTimeout: headerTime + access.Patience + patience + asking + sending,
	}
	s.server.SetKeepAlivesEnabled(false) // a connection is for one request
	return s
}

// Show replaces what answers are made of.
func (s *Server) Show(state *State) { s.latest.Store(state) }

// Close drops all connections and removes the socket.
func (s *Server) Close() error { return errors.Join(s.server.Close(), s.listener.Close()) }

// question is a question with its answer as JSON encodes it.
type question struct {
	takes  []string // names of arguments
	past   bool     // the answer may tell of jobs that have ended
	rows   func(s *State, v *view.Viewer, by *view.Selection) int
	answer func(ctx context.Context, s *State, v *view.Viewer, by *view.Selection) (any, error)
}

// questions returns what can be asked, by the name that follows folder.
func questions() map[string]question {
	return map[string]question{
		view.AskPlan.Name:      of(view.AskPlan, "user", "account", "partition", "job"),
		view.AskCampaigns.Name: of(view.AskCampaigns, "user", "account", "partition", "job"),
		view.AskShares.Name:    of(view.AskShares, "user", "account", "partition"),
		view.AskExplain.Name:   of(view.AskExplain, "job", "user"),
		Compare: {
			past: true, // the nightly comparisons are of such jobs
			rows: func(*State, *view.Viewer, *view.Selection) int { return 0 },
			answer: func(_ context.Context, s *State, v *view.Viewer, _ *view.Selection) (any, error) {
				return s.Report.Seen(v), nil
			},
		},
	}
}

// Compare names the question for the live comparison.
const Compare = "compare"

func of[Answer any](q view.Query[Answer], takes ...string) question {
	return question{
		takes: takes, past: q.Past,
		rows: func(s *State, v *view.Viewer, by *view.Selection) int { return q.Rows(s.Cycle, v, by) },
		answer: func(ctx context.Context, s *State, v *view.Viewer, by *view.Selection) (any, error) {
			return q.Of(ctx, s.Cycle, v, by)
		},
	}
}

// ServeHTTP answers a request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p, known := r.Context().Value(peerKey{}).(*place)
	if !known {
		api.Fail(w, http.StatusForbidden, "who asks is not known")
		return
	}
	stays, may := s.limits.request(p, r.ContentLength != 0)
	name, inFolder := strings.CutPrefix(r.URL.Path, folder)
	q, exists := s.asked[name]
	switch {
	case !stays: // its connection is closed
	case !may:
		w.Header().Set("Retry-After", "1")
		api.Fail(w, http.StatusTooManyRequests, fmt.Sprintf("too many requests: a user may ask %d times a second; wait a moment", perSecond))
	case r.Method != http.MethodGet:
		w.Header().Set("Allow", http.MethodGet)
		api.Fail(w, http.StatusMethodNotAllowed, "only GET: nothing can be changed here")
	case !inFolder || !exists:
		api.Fail(w, http.StatusNotFound, fmt.Sprintf("there is nothing at %q", api.Shortened(r.URL.Path)))
	default:
		s.answer(w, r, p.uid, q)
	}
}

func (s *Server) answer(w http.ResponseWriter, r *http.Request, uid uint32, q question) {
	by, err := selection(r, q.takes)
	state := s.latest.Load()
	switch {
	case err != nil:
		api.Fail(w, http.StatusBadRequest, err.Error())
		return
	case state == nil:
		api.Fail(w, http.StatusServiceUnavailable, "ostrichd has not completed a cycle since its start; try again soon, or look into its log")
		return
	}
	body, sent, err := s.body(r.Context(), uid, q, state, by)
	var busy busyError
	switch {
	case errors.As(err, &busy):
		w.Header().Set("Retry-After", "1")
		api.Fail(w, http.StatusTooManyRequests, err.Error())
		return
	case err != nil:
		api.Fail(w, http.StatusBadRequest, err.Error())
		return
	}
	defer sent()
	if now := s.Now(); s.Late(state.Ended, now) {
		w.Header().Set(warning, fmt.Sprintf("the daemon's last cycle was at %s, %s ago, and this is from then; its log says why there is no newer one",
			format.Moment(float64(state.Ended.Unix())), format.Span(now.Sub(state.Ended).Seconds())))
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(body.Len()))
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(sending)) // else WriteTimeout counts
	_, _ = body.WriteTo(w)                                                      // The client may have disconnected.
}

// body makes the answer to a question of a user. Answers are made one at a time. Call sent
// once it is sent. The error is a busyError if the user has to wait.
func (s *Server) body(ctx context.Context, uid uint32, q question, state *State, by *view.Selection) (body *bytes.Buffer, sent func(), err error) {
	v := s.Users.OfUID(ctx, state.Cycle, uid, s.limits.own, q.past && (len(q.takes) == 0 || len(by.Jobs) > 0))
	made, err := s.limits.begin(ctx, uid)
	if err != nil {
		return nil, nil, err
	}
	defer made()
	sent = func() {}
	if q.rows(state, v, by) > largeRows {
		if sent, err = s.limits.hold(uid); err != nil {
			return nil, nil, err
		}
	}
	soon, cancel := context.WithTimeout(ctx, asking)
	defer cancel()
	body = new(bytes.Buffer)
	is, err := q.answer(soon, state, v, by)
	if err == nil {
		err = json.NewEncoder(body).Encode(is)
	}
	if err != nil {
		sent()
		return nil, nil, err
	}
	if a, ok := is.(*view.Answer); ok && a.Asked && ctx.Err() == nil {
		s.Past(a.Failed)
	}
	return body, sent, nil
}

// warning is the header with what the client should know of the answer.
const warning = "Ostrich-Warning"

// lists returns the lists of a selection by the names of their arguments.
func lists(by *view.Selection) map[string]*[]string {
	return map[string]*[]string{"user": &by.Users, "account": &by.Accounts, "partition": &by.Partitions, "job": &by.Jobs}
}

// selection returns what a request chooses.
func selection(r *http.Request, takes []string) (*view.Selection, error) {
	if takes == nil {
		takes = []string{}
	}
	values, err := api.Arguments(r, takes)
	if err != nil {
		return nil, err
	}
	by := &view.Selection{}
	for name, list := range lists(by) {
		*list = view.Split(values.Get(name))
	}
	return by, nil
}

// arguments returns a selection as the query of a request.
func arguments(by *view.Selection) string {
	values := url.Values{}
	for name, list := range lists(by) {
		if len(*list) > 0 {
			values.Set(name, strings.Join(*list, ","))
		}
	}
	return values.Encode()
}

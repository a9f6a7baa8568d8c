// Package socket lets users of this host ask ostrichd over HTTP at a Unix socket: the
// listener of ostrichd, and the client in the commands of ostrich. Who answers is another
// package's business.
//
// The kernel tells who asks (SO_PEERCRED), so nobody needs a password. No cycle waits for a
// request, whatever clients do: requests, connections, large answers and times are limited
// for each user and in all.
package socket

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"slurm-ostrich/cmd/internal/access"
	"slurm-ostrich/cmd/internal/api"
)

// Server answers at a socket until it is closed.
type Server struct {
	answers  http.Handler
	limits   *limits
	server   *http.Server
	listener *listener
}

// Open listens at a path, where a handler answers, see access.WithUID and api.WithTurn. It
// calls failed if it cannot go on.
func Open(ctx context.Context, path string, answers http.Handler, now func() time.Time, failed func(error)) (*Server, error) {
	s := newServer(answers, now)
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

func newServer(answers http.Handler, now func() time.Time) *Server {
	s := &Server{answers: answers, limits: newLimits(now)}
	s.server = &http.Server{
		Handler: s, ConnContext: withPeer, MaxHeaderBytes: headerSize,
		ReadHeaderTimeout: headerTime, ReadTimeout: headerTime, WriteTimeout: headerTime + api.First + access.Patience + api.Patience + api.Asking + sending,
	}
	s.server.SetKeepAlivesEnabled(false) // a connection is for one request
	return s
}

// Close drops all connections and removes the socket.
func (s *Server) Close() error { return errors.Join(s.server.Close(), s.listener.Close()) }

// ServeHTTP answers a request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c, known := r.Context().Value(peerKey{}).(*conn)
	if !known {
		api.Fail(w, http.StatusForbidden, "who asks is not known")
		return
	}
	switch stays, may := s.limits.request(c.place, r.ContentLength != 0); {
	case !stays: // its connection is closed
	case !may:
		w.Header().Set("Retry-After", "1")
		api.Fail(w, http.StatusTooManyRequests, fmt.Sprintf("too many requests: a user may ask %d times a second; wait a moment", perSecond))
	default:
		s.answers.ServeHTTP(w, r.WithContext(api.WithTurn(access.WithUID(r.Context(), c.place.uid), c)))
	}
}

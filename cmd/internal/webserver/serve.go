package webserver

import (
	"errors"
	"log/slog"
	"net"
	"net/http"
	"time"

	"github.com/prometheus/exporter-toolkit/web"
	"github.com/rs/zerolog"
)

// New returns a server that drops clients that send or read too slowly, or send too
// much. One connection carries few requests at a time: each may have to wait for the
// hash of a password, of which the toolkit computes one at a time.
func New(handler http.Handler) *http.Server {
	return &http.Server{
		Handler: handler, ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 10 * time.Second,
		WriteTimeout: time.Minute, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 16 << 10,
		HTTP2: &http.HTTP2Config{MaxConcurrentStreams: mostStreams},
	}
}

// mostStreams is how many requests a connection of HTTP/2 carries at a time.
const mostStreams = 16

// Serve answers requests at a listener as the file wants it, until the server is
// closed. It closes the listener. The file may be empty, see Read.
func Serve(server *http.Server, l net.Listener, file string, log zerolog.Logger) error {
	server.ErrorLog = slog.NewLogLogger(zerolog.NewSlogHandler(seldom(log, 1)), slog.LevelWarn)
	l = limit(l, seldom(log, 1))
	if file == "" {
		return server.Serve(l)
	}
	err := web.Serve(l, server, &web.FlagConfig{WebConfigFile: &file}, slog.New(zerolog.NewSlogHandler(seldom(log, 5))))
	if closed := l.Close(); !errors.Is(closed, net.ErrClosed) {
		err = errors.Join(err, closed)
	}
	return err
}

// seldom returns a log that takes a few lines a minute: what is logged depends on what
// clients send.
func seldom(log zerolog.Logger, lines uint32) zerolog.Logger {
	return log.Sample(&zerolog.BurstSampler{Burst: lines, Period: time.Minute})
}

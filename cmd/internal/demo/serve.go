package demo

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"

	"slurm-ostrich/cmd/internal/console"
)

// DefaultAddress is where the page is served by default.
const DefaultAddress = "127.0.0.1:9344"

// serve serves the page of a demonstration as it stands until stop is called. stop
// returns what went wrong meanwhile. The context that serve returns ends with the
// given one, or when the page cannot be served.
func serve(ctx context.Context, d *demo, address string, w io.Writer) (_ context.Context, stop func() error, err error) {
	address = cmp.Or(address, DefaultAddress)
	var config net.ListenConfig
	listener, err := config.Listen(ctx, "tcp", address)
	if err != nil {
		return nil, nil, fmt.Errorf("demo: --serve: %w", err)
	}
	ctx, cancel := context.WithCancel(ctx)
	server := &http.Server{Handler: d.handler(), ReadHeaderTimeout: 5 * time.Second, WriteTimeout: 30 * time.Second}
	served := make(chan error, 1)
	go func() {
		defer cancel()
		served <- server.Serve(listener)
	}()
	console.Say(w, "http://%s/ shows both schedules as they grow; Ctrl-C ends", listener.Addr())
	return ctx, func() error {
		err := server.Close()
		if bad := <-served; !errors.Is(bad, http.ErrServerClosed) {
			err = errors.Join(err, bad)
		}
		return err
	}, nil
}

// handler answers with the page.
func (d *demo) handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) {
		var page bytes.Buffer
		if err := d.result().WritePage(&page); err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Header().Set("Cache-Control", "no-store")
		w.Header().Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'")
		_, _ = page.WriteTo(w) // the client disconnected
	})
	return mux
}

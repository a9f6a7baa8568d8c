package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"time"

	"github.com/prometheus/client_golang/prometheus/promhttp"

	"slurm-ostrich/cmd/internal/statuspage"
)

// handler serves /metrics, /healthz (the process is alive), /readyz (cycles
// succeed) and /api/v1/compare.json (the comparison with what Slurm does).
func (d *daemon) handler() *http.ServeMux {
	mux := d.measures()
	mux.Handle("GET "+statuspage.API+"compare.json", statuspage.Guard(d.compare(), d.config.Status.Hosts))
	return mux
}

// measures serves what programs ask for. What can name users is served only under
// a known host name, as the page is.
func (d *daemon) measures() *http.ServeMux {
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", statuspage.Guard(promhttp.HandlerFor(d.metrics.registry, promhttp.HandlerOpts{}), d.config.Status.Hosts))
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, "ok\n") // the client disconnected
	})
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, _ *http.Request) {
		if err := d.status.ready(d.now()); err != nil {
			http.Error(w, err.Error(), http.StatusServiceUnavailable)
			return
		}
		if why := d.status.standsBy(); why != "" {
			_, _ = io.WriteString(w, "ok, stands by: "+why+"\n") // the client disconnected
			return
		}
		_, _ = io.WriteString(w, "ok\n") // the client disconnected
	})
	return mux
}

// pages serves the status page and its API.
func (d *daemon) pages() http.Handler {
	return statuspage.Handler(statuspage.Options{
		Snapshot: d.snapshot, Viewer: d.viewers(), Compare: d.metrics.compared.answer, Hosts: d.config.Status.Hosts,
	})
}

// servers serve requests until they are closed.
type servers []*http.Server

// Close drops all connections.
func (s servers) Close() error {
	var errs []error
	for _, one := range s {
		errs = append(errs, one.Close())
	}
	return errors.Join(errs...)
}

// serve serves requests at the configured addresses; if both are the same, with
// one server.
func (d *daemon) serve(ctx context.Context) (servers, error) {
	measures, pages := d.config.Listen, d.config.Status.Listen
	var all servers
	add := func(what, address string, handler http.Handler) error {
		server, err := d.listen(ctx, what, address, handler)
		if err != nil {
			return errors.Join(err, all.Close())
		}
		all = append(all, server)
		return nil
	}
	if pages != "" {
		d.exposed(pages)
	}
	if pages != "" && pages == measures {
		both := d.measures()
		both.Handle("/", d.pages())
		if err := add("metrics and status page", measures, both); err != nil {
			return nil, err
		}
		return all, nil
	}
	if measures != "" {
		if err := add("metrics", measures, d.handler()); err != nil {
			return nil, err
		}
	}
	if pages != "" {
		if err := add("status page", pages, d.pages()); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// newServer returns a server that drops clients that send or read too slowly, or
// send too much.
func newServer(handler http.Handler) *http.Server {
	return &http.Server{
		Handler: handler, ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 10 * time.Second,
		WriteTimeout: time.Minute, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 16 << 10,
	}
}

// listen serves requests at an address.
func (d *daemon) listen(ctx context.Context, what, address string, handler http.Handler) (*http.Server, error) {
	server := newServer(handler)
	var lc net.ListenConfig
	listener, err := lc.Listen(ctx, "tcp", address)
	if err != nil {
		return nil, fmt.Errorf("%s: listen: %w", what, err)
	}
	log := d.log
	go func() {
		if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			log.Error().Err(err).Msg(what + ": no longer served")
		}
	}()
	return server, nil
}

// exposed warns of an address that other hosts can reach: the page shows whose
// jobs wait, and asks for no password.
func (d *daemon) exposed(address string) {
	host, _, err := net.SplitHostPort(address)
	ip, bad := netip.ParseAddr(host)
	if err == nil && (host == "localhost" || (bad == nil && ip.IsLoopback())) {
		return
	}
	d.log.Warn().Str("listen", address).Msg("the status page is open to other hosts, without a password; a loopback address behind ssh or a proxy is safer")
}

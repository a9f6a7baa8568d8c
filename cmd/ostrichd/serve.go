package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"slices"

	"github.com/prometheus/client_golang/prometheus/promhttp"

	"slurm-ostrich/cmd/internal/access"
	"slurm-ostrich/cmd/internal/api"
	"slurm-ostrich/cmd/internal/configuration"
	"slurm-ostrich/cmd/internal/live"
	"slurm-ostrich/cmd/internal/statuspage"
	"slurm-ostrich/cmd/internal/view"
	"slurm-ostrich/cmd/internal/webserver"
	"slurm-ostrich/ostrich/plural"
)

// handler serves /metrics, /healthz (the process is alive), /readyz (cycles
// succeed) and the comparison with what Slurm does.
func (d *daemon) handler() *http.ServeMux {
	mux, pages := d.measures(), d.pages()
	mux.Handle(api.Folder+live.Compare, pages)
	mux.Handle(statuspage.Former+live.Compare+".json", pages)
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
		text, is := "ok\n", d.status.at(d.now())
		switch {
		case is.Unready != nil:
			if text = is.Unready.Error(); is.Failures > 0 {
				text += ": " + is.LastError
			}
			http.Error(w, text, http.StatusServiceUnavailable)
			return
		case is.StandsBy != "":
			text = "ok, stands by: " + is.StandsBy + "\n"
		}
		if is.Orphans > 0 {
			text += plural.Sprintf("%d job{|s} {is|are} not ordered: {it has|they have} values that a daemon may have left and the journal does not know; %s\n", is.Orphans, is.Mend)
		}
		if !is.Unloaded.IsZero() {
			text += "the settings read last were refused, and those before stay in effect; the log says why\n"
		}
		_, _ = io.WriteString(w, text) // the client disconnected
	})
	return mux
}

// pages serves the status page and the API.
func (d *daemon) pages() http.Handler {
	answers := d.api()
	return d.proof.Wrap(statuspage.Handler(answers, d.hosts))
}

// proofBy returns what verifies credentials of munge by a setting status.munge.
func (d *daemon) proofBy(setting string, hosts []string) *access.Proof {
	p := &access.Proof{
		Now: d.now, Named: func(name string) bool { return statuspage.Named(name, hosts) },
		Judged: func(verdict string) { d.metrics.credentials.WithLabelValues(verdict).Inc() },
	}
	if setting == configuration.MungeOff {
		return p
	}
	munge := configuration.MungeBy(setting)
	munge.Timeout = api.Patience
	p.Decode = munge.Decode
	return p
}

// api returns what answers questions at the socket and on the web.
func (d *daemon) api() *statuspage.API {
	d.asked.Do(func() {
		header := d.config.Status.UserHeader // A reload may change the configuration meanwhile.
		d.hosts = d.config.Status.Hosts
		d.proof = d.proofBy(d.config.Status.Munge, d.hosts)
		d.answering = statuspage.NewAPI(statuspage.Options{
			State: d.state, Late: d.status.late, Past: d.pastAsked(), Now: d.now,
			Viewer: func(r *http.Request, c *view.Cycle, ended bool) (*view.Viewer, error) {
				rules := access.Rules{Users: d.users, Own: uint32(os.Getuid()), Header: header}
				return rules.Viewer(r, c, ended)
			},
		})
	})
	return d.answering
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

// site is what is served at an address.
type site struct {
	what, address string
	handler       http.Handler
}

// serve serves requests at the configured addresses; if both are the same, with
// one server. What web.config_file asks for, it asks for everything that is served.
// Nothing is served unless every address is free.
func (d *daemon) serve(ctx context.Context) (servers, error) {
	log, file := d.log, d.config.WebFile() // A reload may change the configuration meanwhile.
	doors, err := webserver.Read(file)
	if err != nil {
		return nil, fmt.Errorf("configuration: %w", err)
	}
	d.exposed(doors)
	sites := []site{{"metrics", d.config.Listen, d.handler()}, {"status page", d.config.Status.Listen, d.pages()}}
	if d.config.Listen == d.config.Status.Listen {
		both := d.measures()
		both.Handle("/", d.pages())
		sites = []site{{"metrics and status page", d.config.Listen, both}}
	}
	sites = slices.DeleteFunc(sites, func(s site) bool { return s.address == "" })
	listeners, err := listen(ctx, sites)
	if err != nil {
		return nil, err
	}
	all := make(servers, len(sites))
	for i, s := range sites {
		all[i] = webserver.New(s.handler)
		go func() {
			if err := webserver.Serve(all[i], listeners[i], file, log); !errors.Is(err, http.ErrServerClosed) {
				log.Error().Err(err).Msg(s.what + ": no longer served")
			}
		}()
	}
	return all, nil
}

// listen returns a listener for each site, or none if an address is taken.
func listen(ctx context.Context, sites []site) (all []net.Listener, err error) {
	for _, s := range sites {
		listener, err := new(net.ListenConfig).Listen(ctx, "tcp", s.address)
		if err != nil {
			for _, earlier := range all {
				err = errors.Join(err, earlier.Close())
			}
			return nil, fmt.Errorf("%s: listen: %w", s.what, err)
		}
		all = append(all, listener)
	}
	return all, nil
}

// exposed warns of addresses that other hosts can reach: of the page if it asks
// nobody for a password, as it shows whose jobs wait; and of passwords that are sent
// unencrypted.
func (d *daemon) exposed(doors webserver.Doors) {
	if at := d.config.Status.Listen; !doors.Asks && webserver.Open(at) {
		d.log.Warn().Str("listen", at).Msg("the status page is open to other hosts, without a password; a loopback address behind ssh or a proxy is safer, or a password and TLS by web.config_file")
	}
	for _, at := range slices.Compact([]string{d.config.Listen, d.config.Status.Listen}) {
		if doors.Asks && !doors.TLS && webserver.Open(at) {
			d.log.Warn().Str("listen", at).Msg("passwords come over the network unencrypted; add tls_server_config to web.config_file")
		}
	}
}

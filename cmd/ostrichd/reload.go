package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"syscall"
	"time"

	"github.com/rs/zerolog"

	"slurm-ostrich/cmd/internal/configuration"
	"slurm-ostrich/cmd/internal/sidecar"
	"slurm-ostrich/cmd/internal/statuspage"
	"slurm-ostrich/slurmdb"
)

// reconfigure applies a changed configuration, or keeps the present one.
func (d *daemon) reconfigure(ctx context.Context) {
	d.notify.reloading()
	defer d.notify.ready()
	config, err := d.load()
	if err == nil {
		err = d.served(ctx, &config)
	}
	if err == nil {
		err = d.try(ctx, config)
	}
	if err != nil {
		d.log.Error().Err(err).Msg("configuration not reloaded; the old one stays")
		d.metrics.settings.reloaded.Set(0)
		d.status.change(func(is *statuspage.Daemon) { is.Unloaded = d.now() })
		return
	}
	if odd := d.took(&config); odd != "" {
		d.log.Warn().Msg(odd)
	}
	if config.Listen != d.config.Listen {
		d.log.Warn().Str("listen", config.Listen).Msg("the address takes effect at the next start")
		config.Listen = d.config.Listen
	}
	if config.Web != d.config.Web {
		d.log.Warn().Str("file", config.Web.ConfigFile).Msg("the path of web.config_file takes effect at the next start")
		config.Web = d.config.Web
	}
	if config.Socket != d.config.Socket {
		d.log.Warn().Str("socket", config.Socket).Msg("the socket's path takes effect at the next start")
		config.Socket = d.config.Socket
	}
	if config.Status.Listen != d.config.Status.Listen || !slices.Equal(config.Status.Hosts, d.config.Status.Hosts) ||
		config.Status.UserHeader != d.config.Status.UserHeader || config.Status.Munge != d.config.Status.Munge {
		d.log.Warn().Str("listen", config.Status.Listen).Msg("the status page's address, hosts, header and munge take effect at the next start")
		config.Status = d.config.Status
	}
	if level, err := zerolog.ParseLevel(config.Log.Level); err == nil { // never fails: it has been validated
		d.log = d.log.Level(level)
	}
	if err := d.close(); err != nil {
		d.log.Warn().Err(err).Msg("not closed cleanly")
	}
	d.config, d.stocked = config, 0
	if !config.Writes() {
		d.release()
	}
	d.configured()
	d.log.Info().Str("mode", config.Mode).Str("channel", string(config.Priority.Channel)).Msg("reloaded")
}

// took says that settings are in effect, and returns what is odd with their file.
func (d *daemon) took(config *configuration.Config) string {
	if d.loader == nil {
		return ""
	}
	return d.loader.Took(config)
}

// longestTrial is how long a new configuration is tried. No cycle begins meanwhile,
// and systemd's watchdog hears nothing: contrib/systemd gives it two minutes.
const longestTrial = 30 * time.Second

// try opens the sidecar of a new configuration, to see whether it can work here.
// It only reads, because the present sidecar holds the journal. That the database or the
// controller is away or slow says nothing about the configuration if the present one asks
// the same; and if that one fails too, nothing is lost with it.
func (d *daemon) try(ctx context.Context, config configuration.Config) error {
	ctx, cancel := context.WithTimeout(ctx, longestTrial)
	defer cancel()
	probe, err := d.open(ctx, config.Probe())
	if err == nil {
		_ = probe.Close() // It has written nothing.
		return nil
	}
	same := config.SamePlace(&d.config)
	if sidecar.Permanent(err) || errors.Is(err, slurmdb.ErrDenied) || !same && (d.works() || configuration.Misconfigured(err)) {
		return err
	}
	return nil
}

// works reports whether the latest cycle succeeded.
func (d *daemon) works() bool { return d.outage.failures == 0 && d.status.succeeded() }

// served returns why an address of a new configuration could not be served at the next
// start, which is when it takes effect. The folder of a socket may be made by then.
func (d *daemon) served(ctx context.Context, config *configuration.Config) error {
	ours := []string{d.config.Listen, d.config.Status.Listen}
	for _, at := range []struct{ key, address string }{{"listen", config.Listen}, {"status.listen", config.Status.Listen}} {
		if at.address == "" || slices.Contains(ours, at.address) {
			continue
		}
		l, err := new(net.ListenConfig).Listen(ctx, "tcp", at.address)
		switch {
		case err == nil:
			_ = l.Close() // Nobody has connected.
		case errors.Is(err, syscall.EADDRINUSE) && slices.ContainsFunc(ours, func(a string) bool { return port(a) == port(at.address) }):
			// It is we who use it.
		default:
			return fmt.Errorf("configuration: %s: %w", at.key, err)
		}
	}
	return nil
}

// port returns the port of an address, "" if there is none.
func port(address string) string {
	_, p, err := net.SplitHostPort(address)
	if err != nil {
		return ""
	}
	return p
}

// configured reports settings that are in effect from now on.
func (d *daemon) configured() {
	d.metrics.configured(d.config, d.now())
	d.status.configured(&d.config)
	commands := d.config.Commands()
	d.commands.Store(&commands)
	d.pace()
	if d.config.From == configuration.Sacct && d.config.Writes() {
		d.log.Warn().Str("journal", d.config.Journal).Msg("without a database, only daemons with this journal keep one another from writing: run one for this cluster")
	}
}

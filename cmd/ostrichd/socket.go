package main

import (
	"context"
	"sync/atomic"

	"slurm-ostrich/cmd/internal/access"
	"slurm-ostrich/cmd/internal/configuration"
	"slurm-ostrich/cmd/internal/socket"
	"slurm-ostrich/priority/slurm"
)

// answers opens the socket at which users ask. It returns nil if there is none: a
// default that does not work here, as without systemd, is no reason not to start.
func (d *daemon) answers(ctx context.Context) (*socket.Server, error) {
	if d.config.Socket == "" {
		return nil, nil
	}
	s, err := d.openSocket(ctx)
	if err != nil && d.config.Socket == configuration.DefaultSocket {
		d.log.Warn().Err(err).Msg("users cannot ask; set socket to another path, or to nothing")
		return nil, nil
	}
	return s, err
}

func (d *daemon) openSocket(ctx context.Context) (*socket.Server, error) {
	log := d.log
	return socket.Open(ctx, d.config.Socket, d.api(), d.now, func(err error) {
		log.Error().Err(err).Msg("socket: no longer served")
	})
}

// answersNow opens the socket if that failed at the start: another daemon of this host may
// have had it, and ended since.
func (d *daemon) answersNow(ctx context.Context) {
	if d.socket != nil || d.config.Socket == "" {
		return
	}
	s, err := d.openSocket(ctx)
	if err == nil {
		d.socket = s
		d.log.Info().Str("socket", d.config.Socket).Msg("users can ask")
	}
}

// pastAsked returns a function that logs when questions of users to accounting and the
// journal begin to fail, and when they are answered again.
func (d *daemon) pastAsked() func(error) {
	log := d.log
	var fails atomic.Bool
	return func(err error) {
		switch was := fails.Swap(err != nil); {
		case err != nil && !was:
			log.Warn().Err(err).Msg("users who ask of jobs that have started or ended are not told all")
		case err == nil && was:
			log.Info().Msg("users who ask of jobs that have started or ended are told all again")
		}
	}
}

// directory knows Slurm's users, for the socket and for status.user_header.
func (d *daemon) directory() *access.Directory {
	log := d.log
	return access.NewDirectory(func(ctx context.Context) (slurm.Users, error) { return d.commands.Load().Users(ctx) }, func(err error) {
		log.Warn().Err(err).Msg("who is an operator is not known; all but root are ordinary users until it is")
	}, d.now)
}

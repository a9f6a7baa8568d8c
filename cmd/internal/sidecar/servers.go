package sidecar

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/priority/slurm"
	"slurm-ostrich/slurmdb"
)

// Servers remembers how far accounting has been read, and at which of several
// servers. It outlives the sidecars of a daemon: one sidecar reads one server, and
// the next one must not read another that is behind. One sidecar at a time may
// use it.
type Servers struct {
	// Every is how often the servers before the one that is read are asked whether
	// they can be read again. 0 means a minute.
	Every time.Duration

	of      string // the addresses, the database and the cluster
	reached slurmdb.Reached
}

// ErrElsewhere means that the sidecar has to be opened anew, because another of
// several database servers is to be read.
var ErrElsewhere = errors.New("accounting is to be read at another address")

// known returns how far those servers have been read. It changes nothing, as a
// configuration may be tried while another one is in effect.
func (v *Servers) known(source *slurmdb.Config) slurmdb.Reached {
	if v == nil {
		return slurmdb.Reached{}
	}
	if serversOf(source) != v.of {
		return slurmdb.Reached{}
	}
	return v.reached
}

// serversOf names what is read, and where.
func serversOf(source *slurmdb.Config) string {
	return fmt.Sprintf("%q %s %s", source.Addresses, source.Database, source.Cluster)
}

// place says which server a sidecar reads. The zero value cannot read another one.
type place struct {
	reader  *slurmdb.Reader
	servers *Servers
	of      string    // see serversOf
	asked   time.Time // when the servers before it were asked last
}

// changing reports whether there is another server, and a daemon to go there.
func (p *place) changing() bool {
	return p.reader != nil && p.servers != nil && len(p.reader.Addresses()) > 1
}

// address returns that of the server, "" if there is no other.
func (p *place) address() string {
	if !p.changing() {
		return ""
	}
	return p.reader.Reached().Address
}

// passed says why no server before this one is read, nil if it is the first.
func (p *place) passed() error {
	if p.reader == nil {
		return nil
	}
	return p.reader.Passed()
}

// back returns an ErrElsewhere when a server before this one can be read again.
func (p *place) back(ctx context.Context) error {
	if !p.changing() || p.passed() == nil || time.Since(p.asked) < cmp.Or(p.servers.Every, configAge) {
		return nil
	}
	p.asked = time.Now()
	if p.reader.Earlier(ctx) {
		return ErrElsewhere
	}
	return nil
}

// failed returns the error of a poll, with ErrElsewhere if the server lets nobody
// in and there are others.
func (p *place) failed(err error) error {
	if p.changing() && errors.Is(err, slurmdb.ErrConnect) {
		return fmt.Errorf("%w: %w", err, ErrElsewhere)
	}
	return err
}

// read remembers how far a poll has come.
func (p *place) read() {
	if p.changing() {
		p.servers.of, p.servers.reached = p.of, p.reader.Reached()
	}
}

// lags returns an error if a server other than the first does not report jobs
// although slurmdbd has taken all that slurmctld had for it: a replica that lags.
// What it reports may be as old, so nothing may be written by it.
func (s *Sidecar) lags(now ostrich.Time, diag *slurm.Diag) error {
	if s.place.passed() == nil || diag.DBDQueue > 0 || !s.unheard(now) {
		return nil
	}
	return fmt.Errorf("slurmdb: %s: %w: jobs have waited for %d s or longer, and it does not tell of them: a replica that lags?",
		s.place.reader.Reached().Address, slurmdb.ErrStale, unheardFor)
}

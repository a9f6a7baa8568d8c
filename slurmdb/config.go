package slurmdb

import (
	"cmp"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/go-sql-driver/mysql"

	"slurm-ostrich/ostrich"
	"slurm-ostrich/ostrich/accounting/ledger"
)

// Errors that callers may test for.
var (
	// ErrConfig marks a Config that cannot work; retrying does not help.
	ErrConfig = errors.New("bad configuration")
	// ErrConnect marks a server that cannot be reached or that denies access.
	ErrConnect = errors.New("no connection")
	// ErrDenied marks an ErrConnect of a server that answers and does not let the account
	// in, or has no such database.
	ErrDenied = errors.New("access denied")
	// ErrStale marks a server whose newest data are older than what another one had: a
	// replica that lags, or a server that was away.
	ErrStale = errors.New("the data are older than what was read before")
	// ErrCluster marks a cluster that the database does not have.
	ErrCluster = errors.New("no such cluster")
	// ErrColumns marks a table or column that is missing or that the account may
	// not read.
	ErrColumns = errors.New("missing in the database")
)

// Config says how to connect, and what to read.
type Config struct {
	// Addresses are those of servers with the same data, each host:port or the
	// path of a socket, which begins with a slash. A host without a port gets
	// 3306. They are tried in turn: the first one whose server answers, and is
	// not behind Reached, is read. None means 127.0.0.1:3306.
	Addresses []string
	// Reached is how far another reader has come. A server at another address that
	// has nothing as late is refused with ErrStale.
	Reached  Reached
	User     string
	Password string // never part of an error
	Database string // empty means slurm_acct_db

	// TLS is "off" (the same as empty), "preferred" (if the server offers it,
	// without a check of its certificate), "skip-verify" (required, without a
	// check) or "on" (required, with a check of certificate and name).
	TLS string
	// TLSCA is a PEM file with the authority that signed the server's
	// certificate, for TLS "on". Empty means the system's authorities.
	TLSCA string

	Cluster string // ClusterName of slurm.conf; required

	// Config says what the rows mean. An Overlap of 0 means 120 s, a DefaultLimit of 0
	// 7 days.
	ledger.Config

	// Timeout bounds each query. 0 means 30 s.
	Timeout time.Duration

	// Classes makes a History have both classes, by name and by script, whatever
	// Class says.
	Classes bool

	// Needs makes a History have what jobs ask for beside processors and time, where they
	// ran and whether the backfill scheduler started them, as far as the database tells.
	Needs bool

	// Limits makes a Site have the limits of associations and QOS. So does Needs.
	Limits bool

	// Believe judges each poll's reading of the database's clock before the poll
	// reads anything. Its error ends the poll. It also ends the connection,
	// because a session can have a clock of its own. nil believes every reading.
	Believe func(now ostrich.Time) error
}

const (
	defaultDatabase = "slurm_acct_db"
	defaultAddress  = "127.0.0.1"
	defaultPort     = "3306"
	defaultOverlap  = ostrich.Duration(120)
	defaultTimeout  = 30 * time.Second
)

// DefaultLimit is what Config.DefaultLimit is if it is 0.
const DefaultLimit = ostrich.Duration(7 * 86400)

// NewLedger returns a ledger for rows that the caller reads, see ledger.Poll. It ignores the
// fields of Config that say how to connect.
func NewLedger(c Config) (*ledger.Ledger, error) {
	c, err := c.withDefaults()
	if err != nil {
		return nil, err
	}
	return ledger.New(c.Config), nil
}

// withDefaults fills in empty fields and refuses a Config that cannot work.
func (c Config) withDefaults() (Config, error) {
	c.Limits = c.Limits || c.Needs
	if len(c.Addresses) == 0 {
		c.Addresses = []string{defaultAddress}
	}
	c.Addresses = slices.Clone(c.Addresses)
	for i, address := range c.Addresses {
		if network(address) == "tcp" {
			if _, _, err := net.SplitHostPort(address); err != nil {
				c.Addresses[i] = net.JoinHostPort(strings.Trim(address, "[]"), defaultPort)
			}
		}
		if slices.Contains(c.Addresses[:i], c.Addresses[i]) {
			return c, fmt.Errorf("slurmdb: %w: the address %s is there twice", ErrConfig, c.Addresses[i])
		}
	}
	c.Database = cmp.Or(c.Database, defaultDatabase)
	c.Overlap = cmp.Or(c.Overlap, defaultOverlap)
	c.Timeout = cmp.Or(c.Timeout, defaultTimeout)
	c.DefaultLimit = cmp.Or(c.DefaultLimit, DefaultLimit)
	for _, d := range []struct {
		name   string
		length int64
	}{{"history", int64(c.History)}, {"overlap", int64(c.Overlap)}, {"timeout", int64(c.Timeout)}, {"default limit", int64(c.DefaultLimit)}} {
		if d.length < 0 {
			return c, fmt.Errorf("slurmdb: %w: %s is negative", ErrConfig, d.name)
		}
	}
	for i, p := range c.Pools {
		if slices.ContainsFunc(c.Pools[:i], func(other ledger.Pool) bool { return other.Name == p.Name }) {
			return c, fmt.Errorf("slurmdb: %w: two pools are named %q", ErrConfig, p.Name)
		}
		if len(p.Nodes) == 0 && len(c.Pools) > 1 {
			return c, fmt.Errorf("slurmdb: %w: pool %q has no nodes", ErrConfig, p.Name)
		}
	}
	return c, nil
}

func network(address string) string {
	if strings.HasPrefix(address, "/") {
		return "unix"
	}
	return "tcp"
}

// driver returns the configuration of the database driver for one of the addresses.
func (c Config) driver(address string) (*mysql.Config, error) {
	d := mysql.NewConfig()
	d.Net, d.Addr = network(address), address
	d.User, d.Passwd = c.User, c.Password
	d.DBName = c.Database
	d.InterpolateParams = true
	d.Timeout = c.patience()
	d.ReadTimeout = c.Timeout
	d.WriteTimeout = c.Timeout
	d.Logger = &mysql.NopLogger{}
	if c.TLSCA != "" && c.TLS != "on" {
		return nil, fmt.Errorf("slurmdb: %w: a CA is used with TLS \"on\" only, not with %q", ErrConfig, c.TLS)
	}
	switch c.TLS {
	case "", "off":
	case "preferred", "skip-verify":
		d.TLSConfig = c.TLS
	case "on":
		t := &tls.Config{MinVersion: tls.VersionTLS12, ServerName: "localhost"} // of a socket
		if host, _, err := net.SplitHostPort(address); err == nil && d.Net == "tcp" {
			t.ServerName = host
		}
		if c.TLSCA != "" {
			pem, err := os.ReadFile(c.TLSCA)
			if err != nil {
				return nil, fmt.Errorf("slurmdb: %w: CA: %s", ErrConfig, plain(err))
			}
			t.RootCAs = x509.NewCertPool()
			if !t.RootCAs.AppendCertsFromPEM(pem) {
				return nil, fmt.Errorf("slurmdb: %w: CA: %s holds no certificate in PEM form", ErrConfig, c.TLSCA)
			}
		}
		d.TLS = t
	default:
		return nil, fmt.Errorf("slurmdb: %w: TLS %q: want off, preferred, on or skip-verify", ErrConfig, c.TLS)
	}
	return d, nil
}

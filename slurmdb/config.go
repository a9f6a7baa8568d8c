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

// ShareBy says who competes for the machine.
type ShareBy uint8

const (
	// Flat makes every user a competitor: ostrich.UserID is the uid (id_user).
	// This is the even division of the papers.
	Flat ShareBy = iota
	// Tree makes every association a competitor: ostrich.UserID is id_assoc, and
	// the reader reports the association tree as shares. Jobs without an
	// association all belong to competitor 0.
	Tree
)

// ShareNames lists who can compete, in the order of the constants.
var ShareNames = []string{"flat", "tree"}

func (b ShareBy) String() string { return ShareNames[b] }

// ClassBy says which jobs of a user are alike, see ostrich.Job.Class.
type ClassBy uint8

const (
	// NoClass leaves every job's class 0.
	NoClass ClassBy = iota
	// ByName puts jobs of one name into a class, whatever the digits in it.
	ByName
	// ByScript puts jobs of one script into a class. If the script is not stored
	// (AccountingStoreFlags=job_script), it is ByName.
	ByScript
)

// ClassNames lists the kinds of classes in the order of their constants.
var ClassNames = []string{"off", "name", "script"}

func (b ClassBy) String() string { return ClassNames[b] }

// DeclareBy says where users declare to which campaign a job belongs, see
// ostrich.Job.Campaign.
type DeclareBy uint8

const (
	// NotDeclared leaves every campaign to the rule.
	NotDeclared DeclareBy = iota
	// InComment reads the word campaign:NAME of a job's comment, see
	// accounting.ReadComment. The tables hold the comments of ended jobs only,
	// and only with AccountingStoreFlags=job_comment.
	InComment
	// InWCKey reads the WCKey that a user gave. A default WCKey, which Slurm
	// stores with an asterisk, declares nothing.
	InWCKey
	// InName reads the part of a job's name before the first colon.
	InName
)

// DeclareNames lists where campaigns are declared in the order of the constants.
var DeclareNames = []string{"off", "comment", "wckey", "name"}

func (b DeclareBy) String() string { return DeclareNames[b] }

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

	Cluster string  // ClusterName of slurm.conf; required
	Shares  ShareBy // who competes
	Pools   []Pool  // empty: the whole cluster is pool ""

	// History is how far a cold start looks back: it reports the jobs that ended
	// within it. With 0 it reports the jobs that have not ended, and those of the
	// overlap.
	History ostrich.Duration
	// Overlap is how much of the closed rows each poll reads again, for rows that
	// become visible late. 0 means 120 s.
	Overlap ostrich.Duration
	// Timeout bounds each query. 0 means 30 s.
	Timeout time.Duration

	// Partitions are what only the controller knows of the partitions, by name. See also
	// Ledger.Partitions.
	Partitions map[string]Partition

	Class    ClassBy   // which jobs are alike
	Hints    bool      // whether comments say how long jobs run, see accounting.ReadComment
	Declared DeclareBy // where campaigns are declared

	// Classes makes a History have both classes, by name and by script, whatever
	// Class says.
	Classes bool

	// Believe judges each poll's reading of the database's clock before the poll
	// reads anything. Its error ends the poll. It also ends the connection,
	// because a session can have a clock of its own. nil believes every reading.
	Believe func(now ostrich.Time) error

	// DefaultLimit is for jobs without a limit in partitions without one. 0 means
	// 7 days.
	DefaultLimit ostrich.Duration
}

// Partition is what the controller says of a partition, and the tables do not.
type Partition struct {
	MaxTime   ostrich.Duration // of jobs without a limit of their own; 0 without one
	NodeProcs float64          // processors for jobs that its nodes have in the mean; 0 if that is not known
	Exclusive bool             // each job has its nodes for itself (OverSubscribe=EXCLUSIVE)
}

// Pool is a part of the cluster with a virtual schedule of its own.
type Pool struct {
	Name       string
	Partitions []string // for the caller; sizes need Nodes alone
	Nodes      []string // the nodes of the partitions, one name each
	Procs      int      // of these nodes, for jobs; 0: the pool has as large a part of the cluster's as of its nodes
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

// withDefaults fills in empty fields and refuses a Config that cannot work.
func (c Config) withDefaults() (Config, error) {
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
		if slices.ContainsFunc(c.Pools[:i], func(other Pool) bool { return other.Name == p.Name }) {
			return c, fmt.Errorf("slurmdb: %w: two pools are named %q", ErrConfig, p.Name)
		}
		if len(p.Nodes) == 0 && len(c.Pools) > 1 {
			return c, fmt.Errorf("slurmdb: %w: pool %q has no nodes", ErrConfig, p.Name)
		}
	}
	return c, nil
}

// network returns the network of an address.
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

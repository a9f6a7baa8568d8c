// Package slurmdbtest gives tests a private MariaDB or MySQL with slurmdbd's tables, and
// writes rows as slurmdbd does.
//
// The server is Debian's mariadb-server, else mysql-server-core, in a directory of its
// own with a socket of its own. A server that already runs on the machine is left
// alone. A package that uses it passes its tests to [Main]:
//
//	func TestMain(m *testing.M) { os.Exit(slurmdbtest.Main(m)) }
//
// If both are missing, tests that need a database are skipped.
package slurmdbtest

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"
)

// patience is how long the server may take to start or to stop.
const patience = time.Minute

// Server is a private MariaDB server, or a MySQL server where there is no MariaDB.
type Server struct {
	Socket string // path of its socket; root has no password there
	Addr   string // host:port if it listens on the network, else ""
	MySQL  bool   // else MariaDB

	dir    string
	cmd    *exec.Cmd
	output bytes.Buffer
	exited chan struct{} // closed when the server has ended
}

// Options say how to start a server.
type Options struct {
	Network   bool     // listen on a free port of 127.0.0.1
	Arguments []string // further options of mariadbd or mysqld
}

// ErrMissing means that the machine has neither MariaDB nor MySQL.
var ErrMissing = errors.New("mariadbd is not installed (on Debian: apt-get install mariadb-server)")

// Start starts a server and returns when it answers.
func Start(ctx context.Context, o Options) (*Server, error) {
	p, err := installed()
	if err != nil {
		return nil, err
	}
	// Socket paths must be short, so the directory is not below the test's own.
	dir, err := os.MkdirTemp("", "slurmdb")
	if err != nil {
		return nil, err
	}
	s := &Server{MySQL: p.mysql, dir: dir, Socket: filepath.Join(dir, "s"), exited: make(chan struct{})}
	if err := s.start(ctx, p, o); err != nil {
		s.Stop()
		return nil, err
	}
	return s, nil
}

// product is a server program.
type product struct {
	daemon string
	mysql  bool
	create []string // the program that makes a data directory, and its arguments
	more   []string // options that only this product has
}

// installed returns the product that this machine has.
func installed() (product, error) {
	if daemon, err := find("mariadbd"); err == nil {
		create, err := find("mariadb-install-db")
		return product{daemon, false, []string{create, "--auth-root-authentication-method=normal", "--skip-test-db"}, []string{"--innodb-log-file-size=256M"}}, err
	}
	daemon, err := find("mysqld")
	return product{
		daemon, true,
		[]string{daemon, "--initialize-insecure"},
		[]string{"--innodb-redo-log-capacity=256M", "--secure-file-priv=", "--mysqlx=OFF", "--auto-generate-certs=OFF", "--cte-max-recursion-depth=4294967295"},
	}, err
}

func find(program string) (string, error) {
	path, err := exec.LookPath(program)
	if err == nil {
		return path, nil
	}
	for _, dir := range []string{"/usr/sbin", "/usr/local/sbin"} {
		if path, err := exec.LookPath(filepath.Join(dir, program)); err == nil {
			return path, nil
		}
	}
	return "", ErrMissing
}

func (s *Server) start(ctx context.Context, p product, o Options) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	// A starting server removes the temporary tables in its tmpdir, also those of
	// another server.
	temporary := filepath.Join(s.dir, "tmp")
	if err := os.Mkdir(temporary, 0o700); err != nil {
		return err
	}
	options := append([]string{"--no-defaults", "--datadir=" + filepath.Join(s.dir, "data"), "--tmpdir=" + temporary}, p.more...)
	if os.Geteuid() == 0 {
		options = append(options, "--user=root")
	}
	// Both want --no-defaults first.
	out, err := exec.CommandContext(ctx, p.create[0], append(slices.Clone(options), p.create[1:]...)...).CombinedOutput() //nolint:gosec // a program of the server's packages
	if err != nil {
		return fmt.Errorf("%s: %w: %s", p.create[0], err, out)
	}
	options = append(options, "--socket="+s.Socket, "--pid-file="+filepath.Join(s.dir, "pid"),
		"--innodb-flush-log-at-trx-commit=0", "--innodb-doublewrite=0", "--innodb-buffer-pool-size=256M",
		"--skip-log-bin", "--skip-name-resolve")
	if o.Network {
		port, err := freePort(ctx)
		if err != nil {
			return err
		}
		s.Addr = net.JoinHostPort("127.0.0.1", strconv.Itoa(port))
		options = append(options, "--bind-address=127.0.0.1", "--port="+strconv.Itoa(port))
	} else {
		options = append(options, "--skip-networking")
	}
	s.cmd = exec.Command(p.daemon, append(options, o.Arguments...)...) //nolint:noctx // it outlives the start
	s.cmd.Stdout, s.cmd.Stderr = &s.output, &s.output
	endWithUs(s.cmd)
	started := make(chan error)
	go s.serve(started)
	if err := <-started; err != nil {
		return err
	}
	return s.wait(ctx)
}

// serve starts the server and returns when it has ended. To Linux the server's parent is
// the thread that started it, and the server ends with that thread. So this thread does
// nothing else, and lives as long as the server.
func (s *Server) serve(started chan<- error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	err := s.cmd.Start()
	started <- err
	if err == nil {
		_ = s.cmd.Wait() // failure tells how it ended.
		close(s.exited)
	}
}

// failure returns the error of a server that ended by itself.
func (s *Server) failure() error {
	return fmt.Errorf("the server ended (%v): %s", s.cmd.ProcessState, s.output.String())
}

func (s *Server) wait(ctx context.Context) error {
	db, err := s.Open("")
	if err != nil {
		return err
	}
	defer func() { _ = db.Close() }() // It is not needed once the server answers.
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for {
		if db.PingContext(ctx) == nil {
			return nil
		}
		select {
		case <-tick.C:
		case <-s.exited:
			return s.failure()
		case <-ctx.Done():
			return fmt.Errorf("the server does not answer: %w", ctx.Err())
		}
	}
}

func freePort(ctx context.Context) (int, error) {
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	return l.Addr().(*net.TCPAddr).Port, l.Close()
}

// Open opens a database as root. With an empty name it opens no database.
func (s *Server) Open(database string) (*sql.DB, error) {
	c := mysql.NewConfig()
	c.Net, c.Addr, c.User, c.DBName = "unix", s.Socket, "root", database
	c.InterpolateParams = true
	// As slurmdbd has it. MySQL else refuses its tables: texts that have a default value.
	c.Params = map[string]string{"sql_mode": "'NO_ENGINE_SUBSTITUTION'"}
	c.Logger = &mysql.NopLogger{}
	connector, err := mysql.NewConnector(c)
	if err != nil {
		return nil, err
	}
	return sql.OpenDB(connector), nil
}

// Stop stops the server and removes its files.
func (s *Server) Stop() {
	if s.cmd != nil && s.cmd.Process != nil {
		_ = s.cmd.Process.Signal(syscall.SIGTERM) // The server may have stopped by itself.
		select {
		case <-s.exited:
		case <-time.After(patience):
			_ = s.cmd.Process.Kill()
			<-s.exited
		}
	}
	_ = os.RemoveAll(s.dir) // A directory left behind harms no test.
}

// shared is the server of this test program.
var shared struct {
	sync.Mutex
	serving bool // Main runs the tests
	server  *Server
	err     error
}

// Main runs the tests of a package and stops the server that they shared.
func Main(m interface{ Run() int }) int {
	shared.serving = true
	code := m.Run()
	if shared.server != nil {
		shared.server.Stop()
	}
	return code
}

// Shared returns the server that the tests of the package share. It skips the test if
// there is neither MariaDB nor MySQL.
func Shared(t testing.TB) *Server {
	t.Helper()
	shared.Lock()
	defer shared.Unlock()
	if !shared.serving {
		t.Fatal("slurmdbtest: the package's TestMain does not call slurmdbtest.Main")
	}
	if shared.server == nil && shared.err == nil {
		// The first test that needs it starts it for all.
		shared.server, shared.err = Start(context.WithoutCancel(t.Context()), Options{})
	}
	if errors.Is(shared.err, ErrMissing) {
		t.Skip(shared.err)
	}
	if shared.err != nil {
		t.Fatal(shared.err)
	}
	select {
	case <-shared.server.exited:
		t.Fatalf("shared by the tests: %v", shared.server.failure())
	default:
	}
	return shared.server
}

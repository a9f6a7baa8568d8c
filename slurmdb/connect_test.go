package slurmdb_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"slurm-ostrich/ostrich/accounting/ledger"
	"slurm-ostrich/slurmdb"
	"slurm-ostrich/slurmdb/slurmdbtest"
)

// password must never be seen.
const password = "hunter2-pass%40word"

// account reads a test database as a user with the privileges and nothing else.
func account(t *testing.T, db *slurmdbtest.DB, privileges string) slurmdb.Config {
	t.Helper()
	c := config(db)
	c.User = strings.ReplaceAll(db.Name, "slurm_acct_db", "reader")
	c.Password = password
	db.Account(c.User, password, privileges)
	return c
}

func TestSelectIsEnough(t *testing.T) {
	db := slurmdbtest.New(t, slurmdbtest.R2411)
	now := db.Clock()
	db.Size(8, 2, now-500, 0)
	db.Put(
		slurmdbtest.Job{ID: 1, User: 1001, Submit: now - 100, Start: now - 90, State: 2, Suspended: uint64(now - 50)},
		slurmdbtest.Job{ID: 2, User: 1001, Submit: now - 90000, Start: now - 89000},
		slurmdbtest.Job{ID: 3, User: 1001, Submit: now - 100},
	)
	db.Pause(1, now-100, now-50, 0)
	c := account(t, db, "SELECT")
	c.Shares = ledger.Tree
	r := open(t, c)
	if b := poll(t, r); len(b.Events) != 8 { // Three jobs, two starts, a suspension, size and shares.
		t.Errorf("%d events: %v", len(b.Events), b.Events)
	}
	db.Remove(3, now-100) // The way by id.
	if b := poll(t, r); len(b.Events) != 1 {
		t.Errorf("%d events: %v", len(b.Events), b.Events)
	}
	grants, readOnly, err := r.Grants(t.Context())
	if err != nil || !readOnly || len(grants) != 2 {
		t.Errorf("Grants = %q, %v, %v", grants, readOnly, err)
	}
	for _, g := range grants {
		if strings.Contains(g, "IDENTIFIED") || strings.Contains(g, "'*") {
			t.Errorf("the password's hash is shown: %s", g)
		}
	}
}

func TestGrantsThatWrite(t *testing.T) {
	db := slurmdbtest.New(t, slurmdbtest.R2205)
	r := open(t, account(t, db, "SELECT, UPDATE"))
	if grants, readOnly, err := r.Grants(t.Context()); err != nil || readOnly {
		t.Errorf("Grants = %q, %v, %v", grants, readOnly, err)
	}
	for grant, want := range map[string]bool{
		"GRANT USAGE ON *.* TO `o`@`%`":                             true,
		"GRANT SELECT, SHOW VIEW ON `slurm_acct_db`.* TO `o`@`%`":   true,
		"GRANT SELECT (`id_job`, `state`) ON `d`.`t` TO `o`@`%`":    true,
		"GRANT `readers` TO `o`@`%`":                                true,
		"GRANT SELECT ON `d`.* TO `o`@`%` WITH GRANT OPTION":        false,
		"GRANT ALL PRIVILEGES ON *.* TO `root`@`localhost`":         false,
		"GRANT SELECT, INSERT ON `d`.* TO `o`@`%`":                  false,
		"GRANT SELECT, UPDATE (`state`) ON `d`.`t` TO `o`@`%`":      false,
		"GRANT PROXY ON ''@'%' TO 'root'@'localhost'":               false,
		"GRANT SELECT, CREATE TEMPORARY TABLES ON `d`.* TO `o`@`%`": false,
		"something else": false,
	} {
		if got := slurmdb.Reads(grant); got != want {
			t.Errorf("%s: reads only = %v", grant, got)
		}
	}
}

// TestSessionReadsOnly asks the server, not the account: even root may not
// write through the reader's connection.
func TestSessionReadsOnly(t *testing.T) {
	db := slurmdbtest.New(t, slurmdbtest.R2205)
	r := open(t, config(db))
	err := r.Exec(t.Context(), "DELETE FROM c1_job_table")
	if err == nil || !strings.Contains(err.Error(), "READ ONLY") {
		t.Errorf("err = %v", err)
	}
	session := map[string]string{"tx_isolation": "READ-COMMITTED", "autocommit": "ON", "max_statement_time": "30.000000"}
	if db.Server.MySQL {
		session = map[string]string{"transaction_isolation": "READ-COMMITTED", "autocommit": "ON", "max_execution_time": "30000"}
	}
	for variable, want := range session {
		if got, err := r.Variable(t.Context(), variable); err != nil || got != want {
			t.Errorf("%s = %q, %v; want %q", variable, got, err, want)
		}
	}
}

func TestErrors(t *testing.T) {
	db := slurmdbtest.New(t, slurmdbtest.R2205)
	db.Run("INSERT INTO cluster_table SELECT 1, 1, 0, 'c2', '', 0, 0, 0, 0, 1, 0, 0, '', '', 0, 0")
	good := account(t, db, "SELECT")
	bare := good
	bare.User = good.User + "_bare"
	db.Account(bare.User, password, "EXECUTE")
	narrow := good
	narrow.User = good.User + "_n"
	db.Account(narrow.User, password, "EXECUTE")
	db.Run("GRANT SELECT (name, deleted) ON cluster_table TO ?@'%'", narrow.User)
	db.Run("GRANT SELECT (id_job, state) ON c1_job_table TO ?@'%'", narrow.User)

	dir := t.TempDir()
	notPEM := filepath.Join(dir, "ca.pem")
	if err := os.WriteFile(notPEM, []byte("no certificate"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name string
		edit func(*slurmdb.Config)
		is   error
		want []string // parts of the text
	}{
		{"nobody listens", func(c *slurmdb.Config) { c.Addresses = []string{"127.0.0.1:1"} }, slurmdb.ErrConnect, []string{"tcp 127.0.0.1:1", "refused"}},
		{"no socket", func(c *slurmdb.Config) { c.Addresses = []string{dir + "/none"} }, slurmdb.ErrConnect, []string{"unix " + dir + "/none", "no such file"}},
		{"wrong password", func(c *slurmdb.Config) { c.Password = "wrong-" + password }, slurmdb.ErrDenied, []string{"Access denied", good.User}},
		{"wrong database", func(c *slurmdb.Config) { c.Database = "nowhere" }, slurmdb.ErrDenied, []string{"nowhere"}},
		{"not slurmdbd's", func(c *slurmdb.Config) { c.User, c.Password, c.Database = "root", "", "mysql" }, slurmdb.ErrColumns, []string{"mysql has no cluster_table"}},
		{"no privilege", func(c *slurmdb.Config) { *c = bare }, slurmdb.ErrDenied, []string{"SELECT command denied"}},
		{"some privileges", func(c *slurmdb.Config) { *c = narrow }, slurmdb.ErrColumns, []string{
			"c1_job_table.time_submit", "table c1_event_table", "table c1_assoc_table", "table qos_table",
		}},
		{"unknown cluster", func(c *slurmdb.Config) { c.Cluster = "c3" }, slurmdb.ErrCluster, []string{`"c3"`, "c1, c2"}},
		{"letter case", func(c *slurmdb.Config) { c.Cluster = "C1" }, slurmdb.ErrCluster, []string{`"C1"`, "c1, c2"}},
		{"injection", func(c *slurmdb.Config) { c.Cluster = "c1_job_table`; DROP TABLE c1_job_table; -- " }, slurmdb.ErrCluster, []string{"c1, c2"}},
		{"cluster without tables", func(c *slurmdb.Config) { c.Cluster = "c2" }, slurmdb.ErrColumns, []string{"table c2_job_table"}},
		{"no cluster", func(c *slurmdb.Config) { c.Cluster = "" }, slurmdb.ErrConfig, []string{"no cluster"}},
		{"an address twice", func(c *slurmdb.Config) { c.Addresses = []string{"db1", "db2", "db1:3306"} }, slurmdb.ErrConfig, []string{"db1:3306", "twice"}},
		{"bad TLS", func(c *slurmdb.Config) { c.TLS = "yes" }, slurmdb.ErrConfig, []string{`"yes"`, "skip-verify"}},
		{"no CA", func(c *slurmdb.Config) { c.TLS, c.TLSCA = "on", dir+"/none.pem" }, slurmdb.ErrConfig, []string{dir + "/none.pem", "no such file"}},
		{"no PEM", func(c *slurmdb.Config) { c.TLS, c.TLSCA = "on", notPEM }, slurmdb.ErrConfig, []string{notPEM, "no certificate in PEM form"}},
		{"CA without check", func(c *slurmdb.Config) { c.TLS, c.TLSCA = "preferred", notPEM }, slurmdb.ErrConfig, []string{`"preferred"`}},
		{"TLS where there is none", func(c *slurmdb.Config) { c.TLS = "on" }, slurmdb.ErrConnect, []string{"TLS"}},
		{"pools of one name", func(c *slurmdb.Config) {
			c.Pools = []ledger.Pool{{Name: "a", Nodes: []string{"n1"}}, {Name: "a", Nodes: []string{"n2"}}}
		}, slurmdb.ErrConfig, []string{`"a"`}},
		{"pools without nodes", func(c *slurmdb.Config) {
			c.Pools = []ledger.Pool{{Name: "a", Nodes: []string{"n1"}}, {Name: "b"}}
		}, slurmdb.ErrConfig, []string{`"b" has no nodes`}},
		{"negative history", func(c *slurmdb.Config) { c.History = -1 }, slurmdb.ErrConfig, []string{"history"}},
		{"negative overlap", func(c *slurmdb.Config) { c.Overlap = -1 }, slurmdb.ErrConfig, []string{"overlap"}},
		{"negative timeout", func(c *slurmdb.Config) { c.Timeout = -1 }, slurmdb.ErrConfig, []string{"timeout"}},
		{"negative default limit", func(c *slurmdb.Config) { c.DefaultLimit = -1 }, slurmdb.ErrConfig, []string{"default limit"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := good
			tt.edit(&c)
			r, err := slurmdb.Open(t.Context(), c)
			if err == nil {
				t.Fatal(errors.Join(errors.New("opened"), r.Close()))
			}
			if !errors.Is(err, tt.is) {
				t.Errorf("%v is not %v", err, tt.is)
			}
			text := err.Error()
			for _, part := range tt.want {
				if !strings.Contains(text, part) {
					t.Errorf("%q does not say %q", text, part)
				}
			}
			if !strings.HasPrefix(text, "slurmdb: ") || strings.Contains(text, "\n") {
				t.Errorf("%q is not one line of slurmdb", text)
			}
			if strings.Contains(text, password) || strings.Contains(fmt.Sprintf("%+v %#v", err, err), password) {
				t.Errorf("%q tells the password", text)
			}
		})
	}
	db.Clock() // which fails if the injection was one
	if got := open(t, good).Clusters(); !cmp.Equal(got, []string{"c1", "c2"}) {
		t.Errorf("Clusters = %q", got)
	}
}

func TestMissingColumns(t *testing.T) {
	db := slurmdbtest.New(t, slurmdbtest.R2205)
	db.Run("ALTER TABLE c1_job_table DROP COLUMN tres_req, DROP COLUMN deleted")
	db.Run("ALTER TABLE c1_assoc_table DROP COLUMN shares")
	_, err := slurmdb.Open(t.Context(), config(db))
	want := "c1_job_table.tres_req, c1_assoc_table.shares"
	if !errors.Is(err, slurmdb.ErrColumns) || !strings.HasSuffix(err.Error(), ": "+want) {
		t.Errorf("err = %v, want the end %q", err, want)
	}
}

func TestOptionalColumns(t *testing.T) {
	for release, want := range map[slurmdbtest.Release]slurmdb.Columns{
		slurmdbtest.R2011: {
			Found: []string{
				"c1_job_table.constraints", "c1_job_table.deleted", "c1_job_table.derived_es", "c1_job_table.flags", "c1_job_table.id_resv", "c1_job_table.mem_req",
				"c1_job_table.nodelist", "c1_job_table.priority", "c1_job_table.wckey", "c1_job_table.work_dir", "qos_table.preempt",
			},
			Missing: []string{
				"c1_job_table.exclusive", "c1_job_table.licenses", "c1_job_table.qos_req", "c1_job_table.script_hash_inx", "c1_job_table.submit_line",
				"c1_event_table.deleted", "c1_suspend_table.deleted",
			},
		},
		slurmdbtest.R2605: {Found: []string{
			"c1_job_table.constraints", "c1_job_table.deleted", "c1_job_table.derived_es", "c1_job_table.exclusive", "c1_job_table.flags", "c1_job_table.id_resv",
			"c1_job_table.licenses", "c1_job_table.mem_req", "c1_job_table.nodelist", "c1_job_table.priority", "c1_job_table.qos_req", "c1_job_table.script_hash_inx", "c1_job_table.submit_line",
			"c1_job_table.wckey", "c1_job_table.work_dir", "c1_event_table.deleted", "c1_suspend_table.deleted", "qos_table.preempt",
		}},
	} {
		if diff := cmp.Diff(want, open(t, config(slurmdbtest.New(t, release))).Columns()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", release, diff)
		}
	}
}

// certificates writes a throw-away authority and a server certificate.
func certificates(t *testing.T, dir string) (ca, cert, key string) {
	t.Helper()
	write := func(name, kind string, der []byte) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	template := func(serial int64) *x509.Certificate {
		return &x509.Certificate{
			SerialNumber: big.NewInt(serial), Subject: pkix.Name{CommonName: fmt.Sprintf("test %d", serial)},
			NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), BasicConstraintsValid: true,
		}
	}
	newKey := func() *ecdsa.PrivateKey {
		k, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
		if err != nil {
			t.Fatal(err)
		}
		return k
	}
	caKey, serverKey := newKey(), newKey()
	root := template(1)
	root.IsCA, root.KeyUsage = true, x509.KeyUsageCertSign
	rootDER, err := x509.CreateCertificate(rand.Reader, root, root, &caKey.PublicKey, caKey)
	if err != nil {
		t.Fatal(err)
	}
	server := template(2)
	server.IPAddresses, server.DNSNames = []net.IP{net.IPv4(127, 0, 0, 1)}, []string{"localhost"}
	serverDER, err := x509.CreateCertificate(rand.Reader, server, root, &serverKey.PublicKey, caKey)
	if err != nil {
		t.Fatal(err)
	}
	keyDER, err := x509.MarshalECPrivateKey(serverKey)
	if err != nil {
		t.Fatal(err)
	}
	return write("ca.pem", "CERTIFICATE", rootDER), write("cert.pem", "CERTIFICATE", serverDER),
		write("key.pem", "EC PRIVATE KEY", keyDER)
}

// TestTLS asks a server that takes encrypted connections only.
func TestTLS(t *testing.T) {
	dir := t.TempDir()
	ca, cert, key := certificates(t, dir)
	other := t.TempDir()
	otherCA, _, _ := certificates(t, other)
	s, err := slurmdbtest.Start(t.Context(), slurmdbtest.Options{
		Network: true, Arguments: []string{"--ssl-cert=" + cert, "--ssl-key=" + key, "--ssl-ca=" + ca},
	})
	if errors.Is(err, slurmdbtest.ErrMissing) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Stop)
	db := s.New(t, slurmdbtest.R2205)
	c := account(t, db, "SELECT")
	db.Run("ALTER USER ?@'%' REQUIRE SSL", c.User)
	for _, tt := range []struct {
		mode, ca, refused string
		socket            bool
	}{
		{mode: "on", ca: ca},
		{mode: "on", ca: ca, socket: true},
		{mode: "skip-verify"},
		{mode: "preferred"},
		{mode: "off", refused: "Access denied"},
		{mode: "on", refused: "unknown authority"},
		{mode: "on", ca: otherCA, refused: "unknown authority"},
	} {
		t.Run(tt.mode+" "+filepath.Base(tt.ca)+" "+tt.refused, func(t *testing.T) {
			c.TLS, c.TLSCA = tt.mode, tt.ca
			c.Addresses = []string{s.Addr}
			if tt.socket {
				c.Addresses = []string{s.Socket}
			}
			r, err := slurmdb.Open(t.Context(), c)
			if tt.refused != "" {
				if err == nil || !strings.Contains(err.Error(), tt.refused) || strings.Contains(err.Error(), password) {
					t.Errorf("err = %v", err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			cipher, err := r.Cipher(t.Context())
			if err != nil || cipher == "" {
				t.Errorf("cipher %q, %v", cipher, err)
			}
			poll(t, r)
			if err := r.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestOutage ends the server between two polls.
func TestOutage(t *testing.T) {
	db := slurmdbtest.New(t, slurmdbtest.R2205)
	now := db.Clock()
	c := account(t, db, "SELECT")
	r := open(t, c)
	poll(t, r)
	db.Put(slurmdbtest.Job{ID: 1, User: 1001, Submit: now - 10})
	db.Run("RENAME TABLE c1_event_table TO away")
	if b, err := tryPoll(t, r); err == nil || len(b.Events) != 0 || strings.Contains(err.Error(), password) {
		t.Errorf("PollEach: %v, %v", b, err)
	}
	db.Run("RENAME TABLE away TO c1_event_table")
	if b := poll(t, r); len(b.Events) != 1 {
		t.Errorf("after the error: %v", b.Events)
	}
	db.Cut(c.User)
	db.Put(slurmdbtest.Job{ID: 2, User: 1001, Submit: now - 5})
	if b := poll(t, r); len(b.Events) != 1 {
		t.Errorf("on a new connection: %v", b.Events)
	}
}

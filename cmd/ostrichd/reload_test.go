package main

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/urfave/cli/v2"

	"slurm-ostrich/cmd/internal/configuration"
	"slurm-ostrich/priority/privilege"
	"slurm-ostrich/slurmdb/slurmdbtest"
)

// loading returns what reads the settings of a daemon that was started with --config.
func loading(t *testing.T, file string) *configuration.Loader {
	t.Helper()
	var load *configuration.Loader
	a := &cli.App{Flags: configuration.Flags(false), Action: func(c *cli.Context) error {
		load = configuration.NewLoader(c)
		return nil
	}}
	if err := a.RunContext(t.Context(), []string{"ostrichd", "--config", file}); err != nil {
		t.Fatal(err)
	}
	return load
}

// ready returns what /readyz says.
func ready(d *daemon) string {
	w := httptest.NewRecorder()
	d.measures().ServeHTTP(w, httptest.NewRequestWithContext(context.Background(), http.MethodGet, "/readyz", http.NoBody))
	return w.Body.String()
}

// TestReloadOfWhatDoesNotWork: settings that cannot work leave those that do as they are.
func TestReloadOfWhatDoesNotWork(t *testing.T) {
	db := slurmdbtest.New(t, slurmdbtest.R2411)
	h := settle(t, db, db.Server.Socket)
	db.Account("reader", "s3cret", "SELECT")
	db.Account("stranger", "s3cret", "EXECUTE")
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	put := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(in(name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	taken, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = taken.Close() }()
	good := fmt.Sprintf("mode: enforce\ncluster: %s\nsocket: \"\"\nlisten: \"\"\njournal: %s\ndatabase:\n  address: %s\n  name: %s\n  user: reader\n  password_file: %s\nslurm:\n  bin: %s\n  timeout: 2m\n",
		db.Cluster, in("journal.jsonl"), db.Server.Socket, db.Name, in("password"), h.slurm.Folder)
	file := in("ostrich.yaml")
	restore := func() {
		t.Helper()
		if bad := os.RemoveAll(file); bad != nil {
			t.Fatal(bad)
		}
		put("ostrich.yaml", good)
		put("password", "s3cret\n")
		put("web.yml", "basic_auth_users: {}\n")
		for _, name := range []string{"fail-scontrol", "fail-squeue"} {
			if bad := os.RemoveAll(filepath.Join(h.slurm.Folder, name)); bad != nil {
				t.Fatal(bad)
			}
		}
	}
	restore()
	d := h.daemon
	d.loader = loading(t, file)
	who := privilege.Owner{UID: os.Getuid(), GID: os.Getgid()} // reads the settings
	d.load = func() (c configuration.Config, err error) {
		err = who.Do(func() error {
			c, err = settings(d.loader)
			return err
		})
		return c, err
	}
	if d.config, err = d.load(); err != nil {
		t.Fatal(err)
	}
	d.took(&d.config)
	d.configured()
	db.Size(8, 2, h.now-86400, 0)
	h.wait(1, 1001, 50, db)
	h.works(1)
	open := d.sidecar
	replace := func(before, after string) func() {
		return func() { put("ostrich.yaml", strings.Replace(good, before, after, 1)) }
	}
	more := func(text string) func() { return func() { put("ostrich.yaml", good+text) } }
	for _, tt := range []struct {
		name, words string
		do          func()
	}{
		{"empty", "it sets nothing", func() { put("ostrich.yaml", "") }},
		{"white space", "it sets nothing", func() { put("ostrich.yaml", " \n\n \n") }},
		{"comments", "it sets nothing", func() { put("ostrich.yaml", "# mode: enforce\n") }},
		{"a null document", "it sets nothing", func() { put("ostrich.yaml", "---\n") }},
		{"an empty mapping", "it sets nothing", func() { put("ostrich.yaml", "{}\n") }},
		{"empty sections", "it sets nothing", func() { put("ostrich.yaml", "database:\nslurm:\n") }},
		{"gone", "no such file", func() { _ = os.Remove(file) }},
		{"not readable", "permission denied", func() {
			_ = os.Chmod(file, 0)
			if os.Getuid() == 0 { // may read everything
				who = privilege.Owner{UID: 65534, GID: 65534}
			}
		}},
		{"a folder", "is a directory", func() { _ = os.Remove(file); _ = os.Mkdir(file, 0o700) }},
		{"a pipe without a writer", "no regular file any more", func() { _ = os.Remove(file); _ = syscall.Mkfifo(file, 0o600) }},
		{"a device without an end", "no regular file any more", func() { _ = os.Remove(file); _ = os.Symlink("/dev/zero", file) }},
		{"far too long", "longer than", more(strings.Repeat("# long\n", 1<<18))},
		{"written up to the mode", "mode: it is not set any more", replace("mode: enforce\n", "")},
		{"written to the middle of a word", "ostrich.yaml:1", func() { put("ostrich.yaml", good[:9]) }},
		{"a word that is none", `ostrich.yaml:1: mode: "enfroce" is none of observe, enforce, trial`, replace("enforce", "enfroce")},
		{"two documents", "a second document", more("---\nmode: observe\n")},
		{"no YAML", "ostrich.yaml:", more("\t: [\n")},
		{"no commands", "no such file", replace("bin: "+h.slurm.Folder, "bin: /nowhere")},
		{"another cluster", "", replace("cluster: "+db.Cluster, "cluster: elsewhere")},
		{"a wrong password", "Access denied", func() { put("password", "wrong\n") }},
		{"an empty password", "Access denied", func() { put("password", "") }},
		{"no file of the password", "no such file", func() { _ = os.Remove(in("password")) }},
		{"another account", "Access denied", replace("user: reader", "user: nobody")},
		{"an account without rights", "denied", replace("user: reader", "user: stranger")},
		{"another database", "denied", replace("name: "+db.Name, "name: elsewhere")},
		{"a database that does not answer", "refused", replace(db.Server.Socket, "127.0.0.1:1")},
		{"no socket of a database", "no such file", replace(db.Server.Socket, in("none.sock"))},
		{"no certificate of the database", "no such file", replace("  user: reader", "  user: reader\n  tls: "+in("none.pem"))},
		{"no TLS of the database", "TLS", replace("  user: reader", "  user: reader\n  tls: on")},
		{"no folder of the journal", "journal", replace(in("journal.jsonl"), in("nowhere/journal.jsonl"))},
		{"a partition that is none", "partition", more("include:\n  partitions: [mian]\n")},
		{"an address that is taken", "listen: ", replace(`listen: ""`, "listen: "+taken.Addr().String())},
		{"an address of another host", "listen: ", replace(`listen: ""`, "listen: 192.0.2.1:9343")},
		{"a page at an address that is taken", "status.listen: ", more("status:\n  listen: " + taken.Addr().String() + "\n")},
		{"no web file", "no such file", more("web:\n  config_file: " + in("nowhere.yml") + "\n")},
		{"no certificate of the web file", "cert", func() {
			put("web.yml", "tls_server_config:\n  cert_file: nowhere.crt\n  key_file: nowhere.key\n")
			more("web:\n  config_file: " + in("web.yml") + "\n")()
		}},
	} {
		tt.do()
		h.log.Reset()
		d.reconfigure(t.Context())
		if said := h.log.String(); strings.Count(said, "\n") != 1 || !strings.Contains(said, "configuration not reloaded") || !strings.Contains(said, tt.words) && !strings.Contains(said, strings.ReplaceAll(tt.words, `"`, `\"`)) {
			t.Errorf("%s: log %q, want %q", tt.name, said, tt.words)
		}
		if d.config.Mode != configuration.Enforce || d.config.Cluster != db.Cluster || d.sidecar != open || samples(t, d.metrics)["ostrich_config_last_reload_successful"] != "0" {
			t.Errorf("%s: mode %s, cluster %s", tt.name, d.config.Mode, d.config.Cluster)
		}
		if got := ready(d); !strings.HasPrefix(got, "ok\nthe settings read last were refused") {
			t.Errorf("%s: /readyz %q", tt.name, got)
		}
		who = privilege.Owner{UID: os.Getuid(), GID: os.Getgid()}
		restore()
	}
	h.works(1)
	for _, name := range []string{"fail-scontrol", "fail-squeue"} {
		h.slurm.Set(name, `error: If munged is up, restart with --num-threads=10
error: Munge encode failed: Failed to access "/run/munge/munge.socket.2": No such file or directory
slurm_load_ctl_conf error: Protocol authentication error`)
	}
	h.log.Reset()
	d.reconfigure(t.Context()) // that munge is gone says nothing of the settings
	if said := h.log.String(); d.config.Mode != configuration.Enforce || !strings.Contains(said, `"message":"reloaded"`) {
		t.Errorf("without munge: mode %s, log %q", d.config.Mode, said)
	}
	restore()
	h.works(1)
	put("ostrich.yaml", strings.Replace(good, "enforce", "observe", 1))
	d.reconfigure(t.Context())
	if got := ready(d); d.config.Mode != configuration.Observe || got != "ok\n" || samples(t, d.metrics)["ostrich_config_last_reload_successful"] != "1" {
		t.Errorf("mode %s, /readyz %q, log %s", d.config.Mode, got, h.log.String())
	}
}

// TestReloadOfPipe: settings that came through a pipe stay when they are to be read again.
func TestReloadOfPipe(t *testing.T) {
	file := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(file, 0o600); err != nil {
		t.Fatal(err)
	}
	written := make(chan error)
	go func() { written <- os.WriteFile(file, []byte("mode: enforce\ninterval: 7s\n"), 0o600) }()
	load := loading(t, file)
	for i := range 3 {
		c, err := load.Load()
		odd := load.Took(&c)
		if err != nil || c.Mode != configuration.Enforce || c.Interval.Seconds() != 7 || strings.Contains(odd, "cannot be read a second time") != (i > 0) {
			t.Errorf("mode %s, interval %s, odd %q, %v", c.Mode, c.Interval, odd, err)
		}
	}
	if err := <-written; err != nil {
		t.Error(err)
	}
}

// TestEmptyAtStart: a daemon whose file sets nothing starts as one without a file does, and
// says so; a reload of that file is as good as the start.
func TestEmptyAtStart(t *testing.T) {
	file := filepath.Join(t.TempDir(), "ostrich.yaml")
	if err := os.WriteFile(file, []byte("# nothing\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	load := loading(t, file)
	for range 2 {
		c, err := load.Load()
		if odd := load.Took(&c); err != nil || c.Mode != configuration.Observe || !strings.Contains(odd, file+" is there and sets nothing") {
			t.Errorf("mode %s, odd %q, %v", c.Mode, odd, err)
		}
	}
}

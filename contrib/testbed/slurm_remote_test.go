package testbed_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"encoding/hex"
	"encoding/json"
	"encoding/pem"
	"errors"
	"io"
	"math/big"
	"net"
	"net/http"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// login is a host beside that of a testbed: a network of its own, a munged of its own with the
// cluster's key, and no socket, configuration or database of the daemon.
type login struct {
	bed    *bed
	net    string // name of its network
	munge  string // socket of its munged
	client string // client.yaml
}

// The network of the test, that of benchmarks (RFC 2544): the controller and the login node.
const (
	controllerAddress = "198.18.77.1"
	loginAddress      = "198.18.77.2"
)

// newLogin makes the host, and has it ask at an address.
func newLogin(t *testing.T, b *bed, url string) *login {
	t.Helper()
	l := &login{bed: b, net: "ob-login-" + strconv.Itoa(b.port), munge: b.dir + "/login/munge.socket", client: b.dir + "/login/client.yaml"}
	veth := "obl" + strconv.Itoa(b.port)
	t.Cleanup(func() { _ = exec.Command("ip", "netns", "delete", l.net).Run() }) //nolint:noctx // cleans up
	for _, args := range [][]string{
		{"netns", "add", l.net},
		{"link", "add", veth, "type", "veth", "peer", "name", "up0", "netns", l.net},
		{"address", "add", controllerAddress + "/30", "dev", veth},
		{"link", "set", veth, "up"},
		{"-n", l.net, "address", "add", loginAddress + "/30", "dev", "up0"},
		{"-n", l.net, "link", "set", "up0", "up"},
		{"-n", l.net, "link", "set", "lo", "up"},
	} {
		if out, err := exec.CommandContext(t.Context(), "ip", args...).CombinedOutput(); err != nil {
			t.Skipf("LEFT OUT: this machine makes no network: ip %v: %v %s", args, err, out)
		}
	}
	if err := errors.Join(os.MkdirAll(b.dir+"/login", 0o755), os.Chmod(b.dir+"/login", 0o755),
		os.WriteFile(l.client, []byte("url: "+url+"\nmunge: "+l.munge+"\n"), 0o644)); err != nil { //nolint:gosec // users read it
		t.Fatal(err)
	}
	munged(t, b, b.dir+"/etc/munge.key", l.munge)
	return l
}

// munged starts a munged with a key, at a socket.
func munged(t *testing.T, b *bed, key, socket string) {
	t.Helper()
	secret, err := os.ReadFile(key)
	own := socket + ".key"
	if err = errors.Join(err, os.WriteFile(own, secret, 0o600)); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(context.WithoutCancel(t.Context()), "munged", "--foreground", "--force", "--key-file="+own, "--socket="+socket,
		"--pid-file="+socket+".pid", "--log-file="+socket+".log", "--seed-file="+socket+".seed")
	if err = cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill() // it may have ended
		_ = cmd.Wait()
	})
	eventually(t, "munged answers", func() string {
		if r := b.try(t, "root", "munge", "--socket="+socket, "--no-input"); r.code != 0 {
			return r.stderr
		}
		return ""
	})
}

// try runs ostrich on the host as a user. Folder and files of the daemon are not there.
func (l *login) try(t *testing.T, as string, args ...string) result {
	t.Helper()
	u, err := user.Lookup(as)
	if err != nil {
		t.Fatal(err)
	}
	const script = `mount -t tmpfs -o mode=755 none "$1" && mount --bind /dev/null "$2" && shift 2 && exec "$@"`
	cmd := l.bed.command(t, "root", "ip", append([]string{
		"netns", "exec", l.net, "unshare", "--mount", "sh", "-c", script, "sh", l.bed.dir + "/ostrich", l.bed.config,
		"setpriv", "--reuid=" + u.Uid, "--regid=" + u.Gid, "--clear-groups", "--", l.bed.bin + "/ostrich",
	}, args...)...)
	cmd.Env = append(slices.DeleteFunc(cmd.Env, func(v string) bool { return strings.HasPrefix(v, "SLURM_CONF=") }), "OSTRICH_CLIENT_FILE="+l.client, "SLURM_CONF=/nowhere")
	return finish(t, cmd)
}

// jobs returns whose jobs a user sees in the plan from the host.
func (l *login) jobs(t *testing.T, as string) (list []string, said string) {
	t.Helper()
	r := l.try(t, as, "plan", "--json")
	var p struct {
		Jobs []struct{ User string }
	}
	if json.Unmarshal([]byte(r.stdout), &p) != nil {
		return nil, r.stderr
	}
	for _, j := range p.Jobs {
		list = append(list, j.User)
	}
	slices.Sort(list)
	return slices.Compact(list), r.stderr
}

// TestRemote has users ask from a host that has neither the daemon's socket nor its files. They
// see what squeue shows them, and credentials that are not theirs, or not for this question,
// get nothing.
func TestRemote(t *testing.T) {
	needSlurm(t)
	t.Parallel()
	b := up(t, "remote", "--set", "PrivateData=jobs,usage")
	b.freeze(t)
	t.Cleanup(func() { b.empty(t) })
	b.do(t, "root", "sacctmgr", "--immediate", "add", "coordinator", "account=astro", "names=ob-grace")
	everybody := []string{"ob-alice", "ob-bob", "ob-erin", "ob-heidi"}
	of := make(map[string]string)
	for _, user := range everybody {
		of[user] = b.submit(t, user, "--time", "5")
	}
	service := controllerAddress + ":" + strconv.Itoa(b.port+8)
	url := "http://" + service
	l := newLogin(t, b, url)
	d := b.daemon(t, "--status-listen", "0.0.0.0:"+strconv.Itoa(b.port+8), "--status-munge", b.dir+"/run/munge/munge.socket")
	d.cycles(t, 2)
	if said := b.try(t, operator, "ostrich", "check", "--config", b.config, "--status-listen", "0.0.0.0:8090", "--status-munge", b.dir+"/run/munge/munge.socket").stdout; !strings.Contains(said, "ok    munge              proves who asks at 0.0.0.0:8090") {
		t.Errorf("check says\n%s", said)
	}

	for as, want := range map[string][]string{
		"ob-alice": {"ob-alice"}, "ob-bob": {"ob-bob"}, "ob-erin": {"ob-erin"}, "ob-heidi": {"ob-heidi"},
		"ob-grace": {"ob-alice", "ob-bob"}, "ob-dave": nil, operator: everybody, "root": everybody,
	} {
		eventually(t, as+" sees from the login node what squeue shows", func() string {
			got, said := l.jobs(t, as)
			if wrong := differ(strings.Join(want, " "), strings.Join(got, " ")); wrong != "" {
				return wrong + said
			}
			return ""
		})
	}
	if r := l.try(t, "ob-alice", "explain", of["ob-alice"]); r.code != 0 || !strings.Contains(r.stdout, "job "+of["ob-alice"]+" of ob-alice") {
		t.Errorf("one's own job: %+v", r)
	}
	if r := l.try(t, "ob-alice", "explain", of["ob-bob"]); r.code != 1 || !strings.Contains(r.stderr, "neither in the queue nor") {
		t.Errorf("another's job: %+v", r)
	}
	if r := l.try(t, "munge", "plan"); r.code != 1 || !strings.Contains(r.stderr, "Slurm knows no user with uid") {
		t.Errorf("a user whom Slurm does not know: %+v", r)
	}
	part(t, "refused", func(t *testing.T) { stolen(t, b, l, service) })
	d.terminate(t)
	part(t, "TLS", func(t *testing.T) { encrypted(t, b, l, service) })
	if r := l.try(t, "ob-alice", "plan"); r.code != 1 || !strings.Contains(r.stderr, "nothing listens there") {
		t.Errorf("after the end: %+v", r)
	}
}

// encrypted has users ask a listener with TLS, whose certificate is for its address alone.
func encrypted(t *testing.T, b *bed, l *login, service string) {
	cert, key := b.dir+"/login/server.crt", b.dir+"/login/server.key"
	certify(t, cert, key)
	web := b.dir + "/login/web.yml"
	if err := os.WriteFile(web, []byte("tls_server_config: {cert_file: server.crt, key_file: server.key}\n"), 0o644); err != nil { //nolint:gosec // the daemon reads it
		t.Fatal(err)
	}
	_, port, _ := strings.Cut(service, ":")
	d := b.daemon(t, "--status-listen", "0.0.0.0:"+port, "--status-munge", b.dir+"/run/munge/munge.socket", "--web-config-file", web)
	defer d.terminate(t)
	eventually(t, "users see their jobs", func() string {
		if r := l.asking(t, "url: https://"+service+"\nca_file: "+cert+"\n", "ob-alice", "campaigns", "--noheader"); r.code != 0 || !strings.Contains(r.stdout, "ob-alice") || strings.Contains(r.stdout, "ob-bob") {
			return r.stdout + r.stderr
		}
		return ""
	})
	for settings, words := range map[string]string{
		"url: https://" + service + "\n":                       "name the file with the authority of its certificate as ca_file",
		"url: http://" + service + "\nca_file: " + cert + "\n": "the address begins with https://",
	} {
		if r := l.asking(t, settings, "ob-alice", "plan"); r.code != 1 || !strings.Contains(r.stderr, words) {
			t.Errorf("%s: %+v, want %q", settings, r, words)
		}
	}
}

// asking has the host ask as a client.yaml says, and by its own munged, and runs ostrich as try does.
func (l *login) asking(t *testing.T, settings, as string, args ...string) result {
	t.Helper()
	other := *l
	other.client = l.bed.dir + "/login/other.yaml"
	if err := os.WriteFile(other.client, []byte(settings+"munge: "+l.munge+"\n"), 0o644); err != nil { //nolint:gosec // users read it
		t.Fatal(err)
	}
	return other.try(t, as, args...)
}

// certify writes a certificate for the controller's address, which has signed itself, and its key.
func certify(t *testing.T, cert, key string) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	of := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.ParseIP(controllerAddress)}, IsCA: true, BasicConstraintsValid: true,
	}
	signed, err := x509.CreateCertificate(rand.Reader, of, of, &private.PublicKey, private)
	secret, bad := x509.MarshalPKCS8PrivateKey(private)
	for _, file := range []struct {
		path, kind string
		raw        []byte
	}{{cert, "CERTIFICATE", signed}, {key, "PRIVATE KEY", secret}} {
		text := pem.EncodeToMemory(&pem.Block{Type: file.kind, Bytes: file.raw})
		if err = errors.Join(err, bad, os.WriteFile(file.path, text, 0o644)); err != nil { //nolint:gosec // the daemon's user reads a key of an hour
			t.Fatal(err)
		}
	}
}

// proofHeader and proof are as docs/api.md describes them.
const proofHeader = "Ostrich-Munge"

func proof(service, target, nonce string) string {
	sum := sha256.Sum256([]byte("GET\n" + service + "\n" + target))
	return "ostrich-question-1 " + hex.EncodeToString(sum[:]) + " " + nonce
}

// stolen sends credentials of an operator that must get nothing.
func stolen(t *testing.T, b *bed, l *login, service string) {
	const target = "/v1/plan"
	n := 0
	encode := func(socket, service, target string, options ...string) string {
		n++
		cmd := b.command(t, operator, "munge", append([]string{"--socket=" + socket, "--string=" + proof(service, target, strconv.Itoa(n))}, options...)...)
		r := finish(t, cmd)
		if r.code != 0 {
			t.Fatalf("munge: %+v", r)
		}
		return strings.TrimSpace(r.stdout)
	}
	ask := func(target string, credentials ...string) (int, string) {
		t.Helper()
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+service+target, http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range credentials {
			request.Header.Add(proofHeader, c)
		}
		return answered(t, request)
	}
	shown := func(body string) bool { return strings.Contains(body, "ob-") }
	used := encode(l.munge, service, target)
	if code, body := ask(target, used); code != http.StatusOK || !shown(body) {
		t.Fatalf("a good credential: %d %s", code, body)
	}
	if code, body := ask(target); code != http.StatusOK || shown(body) {
		t.Fatalf("none: %d %s", code, body)
	}
	// Another cluster's munged.
	foreign := filepath.Join(b.dir, "login", "foreign.socket")
	key := filepath.Join(b.dir, "login", "foreign")
	if err := os.WriteFile(key, []byte(strings.Repeat("another key ", 10)), 0o600); err != nil {
		t.Fatal(err)
	}
	munged(t, b, key, foreign)
	stale := encode(l.munge, service, target, "--ttl=1")
	time.Sleep(2100 * time.Millisecond)
	good := func() string { return encode(l.munge, service, target) }
	altered := []byte(good())
	altered[len(altered)/2] ^= 1
	for name, tt := range map[string]struct {
		target string
		given  []string
		words  string
	}{
		"used":            {target, []string{used}, "used before"},
		"stale":           {target, []string{stale}, "too old"},
		"foreign":         {target, []string{encode(foreign, service, target)}, "another key"},
		"other question":  {target, []string{encode(l.munge, service, "/v1/shares")}, "another question"},
		"other arguments": {target + "?user=ob-bob", []string{good()}, "another question"},
		"other service":   {target, []string{encode(l.munge, loginAddress+":8090", target)}, "another service"},
		"other port":      {target, []string{encode(l.munge, controllerAddress+":80", target)}, "another service"},
		"other user's":    {target, []string{encode(l.munge, service, target, "--restrict-uid=1")}, "not for this user"},
		"malformed":       {target, []string{"operator"}, "no credential"},
		"altered":         {target, []string{string(altered)}, ""},
		"oversized":       {target, []string{"MUNGE:" + strings.Repeat("A", 8000) + ":"}, "at most"},
		"two":             {target, []string{good(), good()}, "2 times"},
		"of srun":         {target, []string{strings.TrimSpace(b.do(t, operator, "munge", "--socket="+l.munge, "--no-input"))}, "something else"},
	} {
		if code, body := ask(tt.target, tt.given...); code != http.StatusUnauthorized || shown(body) || !strings.Contains(body, tt.words) {
			t.Errorf("%s: %d %s, want 401 and %q", name, code, body, tt.words)
		}
	}
}

// answered sends a request.
func answered(t *testing.T, request *http.Request) (int, string) {
	t.Helper()
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := io.ReadAll(response.Body)
	if err = errors.Join(err, response.Body.Close()); err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, string(raw)
}

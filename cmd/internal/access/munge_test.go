package access

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strconv"
	"strings"
	"testing"
	"time"

	"slurm-ostrich/cmd/internal/api"
	"slurm-ostrich/cmd/internal/view"
	"slurm-ostrich/priority/slurm"
)

// bench is a Proof whose munge and clock are a test's, in front of Rules.
type bench struct {
	proof       *Proof
	handler     http.Handler
	now         time.Time
	credentials map[string]slurm.Credential
	decoded     int
	judged      map[string]int
}

func newBench(c *view.Cycle) *bench {
	b := &bench{now: time.Unix(1_700_000_000, 0), credentials: make(map[string]slurm.Credential), judged: make(map[string]int)}
	b.proof = &Proof{
		Now:    func() time.Time { return b.now },
		Judged: func(verdict string) { b.judged[verdict]++ },
		Named:  func(name string) bool { return name == "ctl.example.org" || name == "localhost.localdomain" },
		Decode: func(_ context.Context, credential string) (slurm.Credential, error) {
			b.decoded++
			switch c, ok := b.credentials[credential]; {
			case credential == "MUNGE:away:":
				return slurm.Credential{}, errors.New("unmunge: munged is away")
			case !ok:
				return slurm.Credential{}, fmt.Errorf("%w: it was made with another key", slurm.ErrCredential)
			default:
				return c, nil
			}
		},
	}
	rules := &Rules{Users: directory(), Own: 900}
	b.handler = b.proof.Wrap(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		v, err := rules.Viewer(r, c, false)
		if err != nil {
			api.Fail(w, http.StatusForbidden, err.Error())
			return
		}
		api.Answer(w, http.StatusOK, fmt.Append(nil, v.Names, v.Jobs))
	}))
	b.now = b.now.Add(time.Hour)
	return b
}

// make makes a credential of a user for a question with GET.
func (b *bench) make(uid uint32, service, target string) string {
	n := strconv.Itoa(len(b.credentials))
	credential := "MUNGE:c" + n + ":"
	b.credentials[credential] = slurm.Credential{UID: uid, Encoded: b.now, Payload: api.Proof("GET", service, target, n)}
	return credential
}

// ask asks with credentials, from an address, by a host, arriving at 192.0.2.1:8090.
func (b *bench) ask(t *testing.T, from, method, host, target string, credentials ...string) (int, string) {
	t.Helper()
	at := net.TCPAddrFromAddrPort(netip.MustParseAddrPort("192.0.2.1:8090"))
	r := httptest.NewRequestWithContext(context.WithValue(t.Context(), http.LocalAddrContextKey, at), method, target, http.NoBody)
	r.Host, r.RemoteAddr = host, from
	r.Header[api.ProofHeader] = credentials
	w := httptest.NewRecorder()
	b.handler.ServeHTTP(w, r)
	return w.Code, w.Body.String()
}

// A credential counts once, for its question to this service, for a minute.
func TestProof(t *testing.T) {
	const from, service, target = "192.0.2.9:4711", "ctl.example.org:8090", "/v1/plan?user=alice"
	b := newBench(after("jobs"))
	good := func() string { return b.make(1, service, target) }
	raw := func(payload string, made time.Time) string {
		c := good()
		b.credentials[c] = slurm.Credential{UID: 1, Encoded: made, Payload: payload}
		return c
	}
	stolen := good()
	if code, body := b.ask(t, from, "GET", service, target, stolen); code != 200 || body != "[alice] false" {
		t.Fatalf("%d %s", code, body)
	}
	proof := api.Proof("GET", service, target, "n")
	judged := map[string]int{"accepted": 1}
	for _, tt := range []struct {
		name, method, host, target string
		given                      []string
		code                       int
		words                      string
	}{
		{"used", "GET", service, target, []string{stolen}, 401, "used before"},
		{"the same nonce in another credential", "GET", service, target, []string{raw(b.credentials[stolen].Payload, b.now)}, 401, "used before"},
		{"another key", "GET", service, target, []string{"MUNGE:foreign:"}, 401, "another key"},
		{"munged is away", "GET", service, target, []string{"MUNGE:away:"}, 503, "cannot verify"},
		{"another question", "GET", service, "/v1/plan?user=bob", []string{good()}, 401, "another question"},
		{"another path", "GET", service, "/v1/shares?user=alice", []string{good()}, 401, "another question"},
		{"another order", "GET", service, target + "&limit=1", []string{good()}, 401, "another question"},
		{"another method", "HEAD", service, target, []string{good()}, 401, "another question"},
		{"another service", "GET", service, target, []string{b.make(1, "evil.example.org:8090", target)}, 401, "another service"},
		{"another service, which is named", "GET", "evil.example.org:8090", target, []string{b.make(1, "evil.example.org:8090", target)}, 401, "status.hosts"},
		{"another address", "GET", "192.0.2.2:8090", target, []string{b.make(1, "192.0.2.2:8090", target)}, 401, "status.hosts"},
		{"another port", "GET", "ctl.example.org:80", target, []string{b.make(1, "ctl.example.org:80", target)}, 401, "port of ostrichd"},
		{"loopback", "GET", "localhost:8090", target, []string{b.make(1, "localhost:8090", target)}, 401, "loopback"},
		{"loopback by a host without a name of its own", "GET", "localhost.localdomain:8090", target, []string{b.make(1, "localhost.localdomain:8090", target)}, 401, "loopback"},
		{"loopback address", "GET", "127.0.0.1:8090", target, []string{b.make(1, "127.0.0.1:8090", target)}, 401, "loopback"},
		{"two", "GET", service, target, []string{good(), good()}, 401, "2 times"},
		{"empty", "GET", service, target, []string{""}, 401, "no credential"},
		{"malformed", "GET", service, target, []string{"MUNGE:<>:"}, 401, "no credential"},
		{"oversized", "GET", service, target, []string{"MUNGE:" + strings.Repeat("A", longestProof) + ":"}, 401, "at most 1024"},
		{"stale", "GET", service, target, []string{raw(proof, b.now.Add(-61*time.Second))}, 401, "older than 60 s"},
		{"from before the start", "GET", service, target, []string{raw(proof, b.proof.began)}, 401, "older"},
		{"something else", "GET", service, target, []string{raw("srun", b.now)}, 401, "something else"},
		{"no nonce", "GET", service, target, []string{raw(api.Proof("GET", service, target, ""), b.now)}, 401, "something else"},
		{"a long nonce", "GET", service, target, []string{raw(api.Proof("GET", service, target, strings.Repeat("n", 65)), b.now)}, 401, "something else"},
		{"nobody", "GET", service, target, []string{b.make(4711, service, target)}, 403, "no user with uid 4711"},
		{"the daemon's own uid, on another host", "GET", service, target, []string{b.make(900, service, target)}, 403, "no user with uid 900"},
		{"root", "GET", service, target, []string{b.make(0, service, target)}, 200, "[] true"},
		{"SlurmUser", "GET", service, target, []string{b.make(64030, service, target)}, 200, "[] true"},
		{"an operator, by the address", "GET", "192.0.2.1:8090", target, []string{b.make(2, "192.0.2.1:8090", target)}, 200, "[] true"},
		{"in capitals", "GET", "CTL.example.ORG.:8090", target, []string{good()}, 200, "[alice] false"},
		{"none", "GET", service, target, nil, 200, "[] false"},
	} {
		b.now = b.now.Add(time.Second) // no limit is met here
		code, body := b.ask(t, from, tt.method, tt.host, tt.target, tt.given...)
		if code != tt.code || !strings.Contains(body, tt.words) {
			t.Errorf("%s: %d %s, want %d %s", tt.name, code, body, tt.code, tt.words)
		}
		switch {
		case tt.given == nil:
		case code == http.StatusUnauthorized:
			judged["refused"]++
		case code == http.StatusServiceUnavailable:
			judged["unverified"]++
		default:
			judged["accepted"]++
		}
	}
	if !maps.Equal(b.judged, judged) {
		t.Errorf("judged %v, want %v", b.judged, judged)
	}
	// A proxy's header does not outweigh a bad credential, and setting off believes none.
	b.proof.Decode = nil
	if code, body := b.ask(t, from, "GET", service, target, good()); code != 401 || !strings.Contains(body, "status.munge") {
		t.Errorf("off: %d %s", code, body)
	}
}

// What was used before a restart counts no more after it, though munged may have been
// restarted too.
func TestProofAfterRestart(t *testing.T) {
	const service, target = "ctl.example.org:8090", "/v1/plan"
	b := newBench(after())
	used := b.make(1, service, target)
	b.proof.began = b.now
	if code, body := b.ask(t, "192.0.2.9:1", "GET", service, target, used); code != 401 || !strings.Contains(body, "before the start") {
		t.Errorf("%d %s", code, body)
	}
	b.now = b.now.Add(2 * time.Second)
	if code, body := b.ask(t, "192.0.2.9:1", "GET", service, target, b.make(1, service, target)); code != 200 {
		t.Errorf("%d %s", code, body)
	}
}

// Neither an address nor a user keeps the daemon busy with credentials, and nonces are forgotten.
func TestProofLimits(t *testing.T) {
	const service, target = "ctl.example.org:8090", "/v1/plan"
	b := newBench(after())
	for range 3 * addressBurst {
		if code, body := b.ask(t, "192.0.2.9:1", "GET", service, target, "MUNGE:foreign:"); code == 429 && !strings.Contains(body, "from your host") {
			t.Fatal(body)
		}
	}
	if b.decoded != addressBurst {
		t.Errorf("%d credentials of one address are decoded at once, want %d", b.decoded, addressBurst)
	}
	if n := b.judged["limited"]; n != 2*addressBurst {
		t.Errorf("%d credentials are judged to be too many, want %d", n, 2*addressBurst)
	}
	refused := 0
	for i := range 2 * userBurst {
		if code, _ := b.ask(t, fmt.Sprintf("198.51.100.%d:1", i), "GET", service, target, b.make(1, service, target)); code == 429 {
			refused++
		}
	}
	if refused != userBurst {
		t.Errorf("%d questions of one user from many hosts are refused, want %d", refused, userBurst)
	}
	if code, body := b.ask(t, "203.0.113.7:1", "GET", service, target, b.make(3, service, target)); code != 200 {
		t.Errorf("another user from another host: %d %s", code, body)
	}
	b.now = b.now.Add(3 * ProofLasts)
	b.ask(t, "203.0.113.7:1", "GET", service, target, b.make(3, service, target))
	if len(b.proof.used) != 1 {
		t.Errorf("%d nonces are remembered, want 1", len(b.proof.used))
	}
	for i := range 2 * mostCounted {
		b.ask(t, fmt.Sprintf("10.1.%d.%d:1", i/256, i%256), "GET", service, target, "MUNGE:foreign:")
		b.now = b.now.Add(time.Minute)
	}
	if n := len(b.proof.addresses); n > mostCounted {
		t.Errorf("%d addresses are counted", n)
	}
}

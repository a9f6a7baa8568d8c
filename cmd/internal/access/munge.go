package access

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"slurm-ostrich/cmd/internal/api"
	"slurm-ostrich/priority/slurm"
)

const (
	// ProofLasts is how long a credential counts, whatever time to live it names itself.
	ProofLasts = time.Minute
	// longestProof is how long a credential may be, in bytes: one of ours has some 300.
	longestProof = 1024
	// longestNonce is how long a nonce may be.
	longestNonce = 64

	// What an address, behind which many users may be, and a user may ask for.
	addressPerSecond, addressBurst = 20, 60
	userPerSecond, userBurst       = 5, 20
	// mostDecoding is how many credentials are decoded at a time, a process each.
	mostDecoding = 2
	// mostCounted is how many addresses, and how many users, are counted before those who ask
	// nothing are forgotten.
	mostCounted = 1024
)

// Proof knows who makes a request on the web by a credential of munge, which is bound to the
// question and to this service, and counts once.
type Proof struct {
	// Decode decodes a credential, see slurm.Munge. nil: nobody is believed.
	Decode func(ctx context.Context, credential string) (slurm.Credential, error)
	// Named reports whether a name is of this service. It is asked of names, not of addresses.
	Named func(name string) bool
	Now   func() time.Time
	// Judged is told of each request with a credential: accepted, refused, limited (there are too many), or
	// unverified (munge did not answer). nil: nobody is told.
	Judged func(verdict string)

	once      sync.Once
	began     time.Time     // no credential from before counts: those used then are not remembered
	decoding  chan struct{} // has mostDecoding
	mu        sync.Mutex
	used      map[string]time.Time // nonces of credentials, by when they were made
	swept     time.Time            // when old ones were dropped
	addresses map[netip.Prefix]*rate.Limiter
	users     map[uint32]*rate.Limiter
}

// Verdicts are what Proof.Judged is told, by the status code of verify.
var Verdicts = map[int]string{
	0: "accepted", http.StatusUnauthorized: "refused", http.StatusTooManyRequests: "limited", http.StatusServiceUnavailable: "unverified",
}

// form is that of a credential.
var form = regexp.MustCompile(`^MUNGE:[A-Za-z0-9+/]+={0,2}:$`)

// Wrap returns a handler of requests whose user is known if they bring a valid credential, see
// Rules.Viewer. It answers those with another one by itself. Requests without any pass as they
// are. Call it before the first request.
func (p *Proof) Wrap(next http.Handler) http.Handler {
	p.once.Do(func() {
		p.began, p.decoding = p.Now(), make(chan struct{}, mostDecoding)
		p.used, p.addresses, p.users = make(map[string]time.Time), make(map[netip.Prefix]*rate.Limiter), make(map[uint32]*rate.Limiter)
	})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		given := r.Header.Values(api.ProofHeader)
		if len(given) == 0 {
			next.ServeHTTP(w, r)
			return
		}
		uid, code, err := p.verify(r, given)
		if p.Judged != nil {
			p.Judged(Verdicts[code])
		}
		if err != nil {
			if code == http.StatusTooManyRequests {
				w.Header().Set("Retry-After", "1")
			}
			api.Fail(w, code, err.Error())
			return
		}
		next.ServeHTTP(w, r.WithContext(withRemoteUID(r.Context(), uid)))
	})
}

// verify returns who makes a request, or an error with its status code.
func (p *Proof) verify(r *http.Request, given []string) (uid uint32, code int, err error) {
	const bad = http.StatusUnauthorized
	service, err := p.service(r)
	switch {
	case p.Decode == nil:
		return 0, bad, errors.New("this ostrichd believes no credential of munge (its setting status.munge is off)")
	case len(given) > 1:
		return 0, bad, fmt.Errorf("the header %s is there %d times", api.ProofHeader, len(given))
	case len(given[0]) > longestProof || !form.MatchString(given[0]):
		return 0, bad, fmt.Errorf("the header %s is no credential of munge of at most %d bytes", api.ProofHeader, longestProof)
	case err != nil:
		return 0, bad, err
	case !allow(&p.mu, p.addresses, api.Origin(r.RemoteAddr), p.Now(), addressPerSecond, addressBurst):
		return 0, http.StatusTooManyRequests, fmt.Errorf("too many requests from your host: %d a second may bring a credential; wait a moment", addressPerSecond)
	}
	c, err := p.decode(r.Context(), given[0])
	var busy api.Busy
	switch {
	case errors.As(err, &busy):
		return 0, http.StatusTooManyRequests, err
	case errors.Is(err, slurm.ErrCredential):
		return 0, bad, err
	case err != nil:
		return 0, http.StatusServiceUnavailable, fmt.Errorf("ostrichd cannot verify who asks: %w", err)
	case !allow(&p.mu, p.users, c.UID, p.Now(), userPerSecond, userBurst):
		return 0, http.StatusTooManyRequests, fmt.Errorf("too many requests: a user may ask %d times a second; wait a moment", userPerSecond)
	}
	nonce := api.NonceOf(c.Payload)
	now := p.Now()
	switch {
	case nonce == "" || len(nonce) > longestNonce:
		return 0, bad, errors.New("the credential was made for something else than a question to ostrichd")
	case c.Payload != api.Proof(r.Method, service, r.RequestURI, nonce):
		return 0, bad, errors.New("the credential was made for another question, or for another service than " + service)
	case now.Sub(c.Encoded) > ProofLasts:
		return 0, bad, fmt.Errorf("the credential is older than %d s", int(ProofLasts/time.Second))
	case c.Encoded.Unix() <= p.began.Unix():
		return 0, bad, errors.New("the credential is from before the start of ostrichd; ask again")
	case !p.first(nonce, c.Encoded, now):
		return 0, bad, errors.New("the credential was used before")
	}
	return c.UID, 0, nil
}

// decode decodes a credential when it is its turn.
func (p *Proof) decode(ctx context.Context, credential string) (slurm.Credential, error) {
	ctx, cancel := context.WithTimeout(ctx, api.Patience)
	defer cancel()
	select {
	case p.decoding <- struct{}{}:
		defer func() { <-p.decoding }()
		return p.Decode(ctx, credential)
	case <-ctx.Done():
		return slurm.Credential{}, api.Busy("ostrichd is busy: other credentials are being verified; try again")
	}
}

// first remembers a nonce, and reports whether it is new.
func (p *Proof) first(nonce string, made, now time.Time) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if now.Sub(p.swept) > ProofLasts {
		p.swept = now
		for old, made := range p.used {
			if now.Sub(made) > 2*ProofLasts {
				delete(p.used, old)
			}
		}
	}
	if _, used := p.used[nonce]; used {
		return false
	}
	p.used[nonce] = made
	return true
}

// service returns by which HOST:PORT a request came, if that is this service: the address at
// which it arrived, or a name of this host with its port. Names that mean another host
// elsewhere, such as localhost, are nobody's: a credential for them could be taken to any host.
func (p *Proof) service(r *http.Request) (string, error) {
	service := api.Service(r.Host, r.TLS != nil)
	at, _ := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	local, err := netip.ParseAddrPort(fmt.Sprint(at))
	name, port, bad := net.SplitHostPort(service)
	if errors.Join(err, bad) != nil || port != strconv.Itoa(int(local.Port())) {
		return "", fmt.Errorf("a credential of munge counts at the port of ostrichd itself, not at %q", api.Shortened(service))
	}
	address, err := netip.ParseAddr(name)
	switch {
	case name == "localhost" || strings.HasPrefix(name, "localhost.") || err == nil && address.IsLoopback():
		return "", errors.New("a credential of munge does not count by a loopback address, which every host has; ask by the name of ostrichd's host")
	case err == nil && address.Unmap() == local.Addr().Unmap(), err != nil && p.Named(name):
		return service, nil
	}
	return "", fmt.Errorf("a credential of munge does not count by the name %q; if it is right, add it to status.hosts", api.Shortened(name))
}

// allow counts a request of one who asks, and reports whether they may make it.
func allow[Who comparable](mu *sync.Mutex, all map[Who]*rate.Limiter, who Who, now time.Time, perSecond rate.Limit, burst int) bool {
	mu.Lock()
	defer mu.Unlock()
	if all[who] == nil {
		if len(all) >= mostCounted {
			for one, l := range all {
				if l.TokensAt(now) >= float64(burst) {
					delete(all, one)
				}
			}
		}
		all[who] = rate.NewLimiter(perSecond, burst)
	}
	return all[who].AllowN(now, 1)
}

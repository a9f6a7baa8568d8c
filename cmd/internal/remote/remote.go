// Package remote asks an ostrichd of another host over its web listener, for the commands of
// users. munge proves who asks, with a credential that is bound to the question and to the
// service; package access verifies it.
package remote

import (
	"context"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"syscall"
	"time"

	"slurm-ostrich/cmd/internal/access"
	"slurm-ostrich/cmd/internal/api"
	"slurm-ostrich/cmd/internal/format"
	"slurm-ostrich/cmd/internal/socket/client"
	"slurm-ostrich/cmd/internal/view"
	"slurm-ostrich/priority/slurm"
)

// greeting is for how long a connection, and a handshake of TLS, are waited for.
const greeting = 5 * time.Second

// NoIdentity is the warning of an answer to somebody of whom nothing is known.
const NoIdentity = "munge cannot say who you are, so this shows what Slurm shows everybody: "

// ParseURL reads the address of a listener.
func ParseURL(text string) (*url.URL, error) {
	u, err := url.Parse(text)
	switch {
	case err != nil:
		return nil, fmt.Errorf("%q is no address: want http://HOST:PORT or https://HOST:PORT", text)
	case u.User != nil:
		return nil, fmt.Errorf("%s: an address has no user and no password", u.Redacted())
	case u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || strings.Trim(u.Path, "/") != "" || u.RawQuery != "" || u.Fragment != "" || u.Opaque != "":
		return nil, fmt.Errorf("%q: want http://HOST:PORT or https://HOST:PORT", text)
	}
	return u, nil
}

// Ask asks the daemon. The error has the daemon's words, or says what is to be done.
func (s *Settings) Ask(ctx context.Context, name string, by *view.Selection) (*client.Answer, error) {
	u, err := ParseURL(s.URL)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, client.Patience)
	defer cancel()
	target := api.Folder + name
	if query := client.Arguments(by); query != "" {
		target += "?" + query
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, u.Scheme+"://"+u.Host+target, http.NoBody)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	web, err := s.client()
	if err != nil {
		return nil, err
	}
	defer web.CloseIdleConnections()
	warning, err := s.prove(ctx, request, target)
	if err != nil {
		return nil, err
	}
	answer, err := web.Do(request)
	if err != nil {
		return nil, unreached(s.URL, err)
	}
	raw, err := io.ReadAll(io.LimitReader(answer.Body, client.MostBytes))
	if err = errors.Join(err, answer.Body.Close()); err != nil {
		return nil, fmt.Errorf("ostrichd at %s: the answer is cut off: %w", s.URL, err)
	}
	if answer.StatusCode != http.StatusOK {
		return nil, refused(s.URL, answer, raw)
	}
	if said := answer.Header.Get(api.Warning); said != "" {
		warning = strings.Trim(format.Plain(said)+"; "+warning, "; ")
	}
	return &client.Answer{From: s.URL, JSON: raw, Warning: warning}, nil
}

// prove adds the credential to a request. Without munge the request goes without one, and the
// warning says so.
func (s *Settings) prove(ctx context.Context, request *http.Request, target string) (warning string, err error) {
	if s.Munge == Off {
		return "", nil
	}
	munge := slurm.Munge{}
	if s.Munge != On {
		munge.Socket = s.Munge
	}
	service := api.Service(request.URL.Host, request.URL.Scheme == "https")
	credential, err := munge.Encode(ctx, api.Proof(request.Method, service, target, rand.Text()), access.ProofLasts)
	switch {
	case ctx.Err() != nil:
		return "", ctx.Err()
	case err != nil:
		return NoIdentity + err.Error(), nil //nolint:nilerr // the warning has it
	}
	request.Header.Set(api.ProofHeader, credential)
	return "", nil
}

// client returns what asks the service itself: it goes through no proxy, and follows no
// redirection, to which a credential would be shown.
func (s *Settings) client() (*http.Client, error) {
	trust := &tls.Config{MinVersion: tls.VersionTLS12}
	if s.CAFile != "" {
		raw, err := os.ReadFile(s.CAFile)
		if err != nil {
			return nil, fmt.Errorf("ca_file: %w", err)
		}
		trust.RootCAs = x509.NewCertPool()
		if !trust.RootCAs.AppendCertsFromPEM(raw) {
			return nil, fmt.Errorf("ca_file: %s: no certificate in it; want PEM", s.CAFile)
		}
	}
	dial := s.dial
	if dial == nil {
		dial = (&net.Dialer{Timeout: greeting}).DialContext
	}
	return &http.Client{
		Transport: &http.Transport{
			DialContext: dial, TLSClientConfig: trust, TLSHandshakeTimeout: greeting, MaxResponseHeaderBytes: 64 << 10,
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}, nil
}

// unreached returns the error of an address that gives no answer, in plain words.
func unreached(address string, err error) error {
	if e, ok := errors.AsType[*url.Error](err); ok {
		err = e.Err // without the address
	}
	what := "ask your administrators whether ostrichd runs, and answers at this address. Your jobs wait and start all the same"
	_, noName := errors.AsType[*net.DNSError](err)
	_, authority := errors.AsType[x509.UnknownAuthorityError](err)
	invalid, _ := errors.AsType[x509.CertificateInvalidError](err)
	_, certificate := errors.AsType[*tls.CertificateVerificationError](err)
	_, record := errors.AsType[tls.RecordHeaderError](err)
	switch {
	case authority:
		what = "name the file with the authority of its certificate as ca_file in " + DefaultFile
	case certificate && invalid.Cert != nil && invalid.Reason == x509.Expired:
		what = "the certificate has to be renewed, unless the clock of this host is wrong: tell your administrators. Your jobs wait and start all the same"
	case certificate:
		what = "ask by the name that its certificate has, and tell your administrators if that is this one"
	case record || strings.Contains(err.Error(), "server gave HTTP response to HTTPS client"):
		what = "it does not encrypt there: the address begins with http://"
	case noName:
		what = "is the name right? It comes from --url, OSTRICH_URL or " + DefaultFile
	case errors.Is(err, syscall.ECONNREFUSED):
		what = "nothing listens there: tell your administrators. Your jobs wait and start all the same"
	}
	return fmt.Errorf("ostrichd at %s gives no answer: %w; %s", address, err, what)
}

// refused returns the error of an answer that is none.
func refused(address string, answer *http.Response, raw []byte) error {
	switch {
	case strings.Contains(string(raw), "HTTP request to an HTTPS server"):
		return fmt.Errorf("ostrichd at %s: it encrypts there: the address begins with https://", address)
	case answer.StatusCode/100 == 3:
		return fmt.Errorf("%s leads elsewhere, to %s, which is not followed; name the address of ostrichd itself", address, format.Plain(api.Shortened(answer.Header.Get("Location"))))
	case answer.StatusCode == http.StatusUnauthorized && answer.Header.Get("WWW-Authenticate") != "":
		return fmt.Errorf("ostrichd at %s asks for a password (web.config_file), which this command does not give; ask your administrators for another address", address)
	}
	return errors.New(format.Plain(client.Refused(address, answer, raw).Error())) // it may be anybody who answers
}

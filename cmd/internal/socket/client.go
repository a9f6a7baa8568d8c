package socket

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"syscall"
	"time"

	"slurm-ostrich/cmd/internal/api"
	"slurm-ostrich/cmd/internal/view"
)

const (
	// clientPatience is more than a server takes that answers at all.
	clientPatience = time.Minute
	// mostBytes is more than an answer has.
	mostBytes = 512 << 20
)

// ErrNobody says that no daemon answers at a path.
var ErrNobody = errors.New("no ostrichd answers")

// Answer is what a daemon has answered.
type Answer struct {
	JSON    []byte
	Warning string // what the reader should know of it; "" for nothing
}

// Ask asks the daemon at a path. The error is ErrNobody if there is none, and
// otherwise has the daemon's words.
func Ask(ctx context.Context, path, name string, by *view.Selection) (*Answer, error) {
	ctx, cancel := context.WithTimeout(ctx, clientPatience)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://ostrichd"+folder+name+"?"+arguments(by), nil)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	var d net.Dialer
	client := http.Client{Transport: &http.Transport{
		DisableKeepAlives: true,
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return d.DialContext(ctx, "unix", path)
		},
	}}
	answer, err := client.Do(request)
	if err != nil {
		return nil, unanswered(path, err)
	}
	defer func() { _ = answer.Body.Close() }() // It has been read.
	raw, err := io.ReadAll(io.LimitReader(answer.Body, mostBytes))
	if err != nil {
		return nil, fmt.Errorf("ostrichd at %s: the answer is cut off: %w", path, err)
	}
	if answer.StatusCode != http.StatusOK {
		return nil, refused(path, answer.Status, raw)
	}
	return &Answer{raw, answer.Header.Get(warning)}, nil
}

// unanswered returns the error of a request that got no answer.
func unanswered(path string, err error) error {
	cause := errors.Unwrap(err) // without the address of the request
	if o, ok := errors.AsType[*net.OpError](err); ok && o.Op == "dial" {
		cause = errors.Unwrap(o)
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ECONNREFUSED) || errors.Is(err, syscall.ENOTDIR) || errors.Is(err, fs.ErrPermission) {
			return fmt.Errorf("%w at %s: %w", ErrNobody, path, cause)
		}
	}
	return fmt.Errorf("ostrichd at %s gives no answer: %w", path, cause)
}

// refused returns the error of an answer that is none.
func refused(path, status string, raw []byte) error {
	var said api.Error
	if json.Unmarshal(raw, &said) != nil || said.Error == "" {
		return fmt.Errorf("ostrichd at %s: %s: this is no answer of ostrichd, or of one that does not know the question", path, status)
	}
	return fmt.Errorf("ostrichd: %s", said.Error)
}

// Package client asks an ostrichd at its socket.
package client

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/url"
	"strings"
	"syscall"
	"time"

	"slurm-ostrich/cmd/internal/api"
	"slurm-ostrich/cmd/internal/view"
)

const (
	// Patience is more than a server takes that answers at all.
	Patience = time.Minute
	// MostBytes is more than an answer has.
	MostBytes = 512 << 20
)

// ErrNobody says that no daemon answers at a path.
var ErrNobody = errors.New("no ostrichd answers")

// Answer is what a daemon has answered.
type Answer struct {
	From    string // the path or the address at which it was asked
	JSON    []byte
	Warning string // what the reader should know of it; "" for nothing
}

// Ask asks the daemon at a path. The error is ErrNobody if there is none, and
// otherwise has the daemon's words.
func Ask(ctx context.Context, path, name string, by *view.Selection) (*Answer, error) {
	ctx, cancel := context.WithTimeout(ctx, Patience)
	defer cancel()
	var d net.Dialer
	c, err := d.DialContext(ctx, "unix", path)
	if err != nil {
		return nil, unreached(path, err)
	}
	defer context.AfterFunc(ctx, func() { _ = c.Close() })() // ends what waits
	defer func() { _ = c.Close() }()                         // It has been read.
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://ostrichd"+api.Folder+name+"?"+Arguments(by), nil)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	// Not through http.Client: the daemon may refuse before it reads a request.
	sent := request.Write(c)
	answer, err := http.ReadResponse(bufio.NewReader(c), request)
	if err != nil {
		return nil, fmt.Errorf("ostrichd at %s gives no answer: %w", path, errors.Join(ctx.Err(), sent, err))
	}
	raw, err := io.ReadAll(io.LimitReader(answer.Body, MostBytes))
	if err = errors.Join(err, answer.Body.Close()); err != nil {
		return nil, fmt.Errorf("ostrichd at %s: the answer is cut off: %w", path, err)
	}
	if answer.StatusCode != http.StatusOK {
		return nil, Refused(path, answer, raw)
	}
	return &Answer{From: path, JSON: raw, Warning: answer.Header.Get(api.Warning)}, nil
}

// Arguments returns a selection as the query of a request.
func Arguments(by *view.Selection) string {
	values := url.Values{}
	for name, list := range by.Lists() {
		if len(*list) > 0 {
			values.Set(name, strings.Join(*list, ","))
		}
	}
	return values.Encode()
}

// unreached returns the error of a socket to which nothing connects.
func unreached(path string, err error) error {
	if o, ok := errors.AsType[*net.OpError](err); ok {
		err = o.Err // without the path
	}
	for _, nobody := range []error{fs.ErrNotExist, fs.ErrPermission, syscall.ECONNREFUSED, syscall.ENOTDIR} {
		if errors.Is(err, nobody) {
			return fmt.Errorf("%w at %s: %w", ErrNobody, path, err)
		}
	}
	return fmt.Errorf("ostrichd at %s gives no answer: %w", path, err)
}

// Refused returns the error of an answer that is none, of the daemon at a path or an address.
func Refused(path string, answer *http.Response, raw []byte) error {
	var said api.Error
	switch {
	case answer.StatusCode == http.StatusRequestHeaderFieldsTooLarge: // net/http answers by itself
		return errors.New("ostrichd: the request is too long; name fewer users or jobs")
	case json.Unmarshal(raw, &said) != nil || said.Error == "":
		return fmt.Errorf("ostrichd at %s: %s: this is no answer of ostrichd, or of one that does not know the question", path, answer.Status)
	}
	return fmt.Errorf("ostrichd: %s", said.Error)
}

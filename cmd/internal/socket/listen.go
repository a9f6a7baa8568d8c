package socket

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"os"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"slurm-ostrich/cmd/internal/api"
)

// ErrInUse says that another daemon answers at the path of a socket.
var ErrInUse = errors.New("another daemon answers there")

// listener accepts connections of users who do not have too many already.
type listener struct {
	*net.UnixListener
	limits *limits
	close  func() error
}

// Close ends listening, and removes the socket unless that of another daemon is there.
// To close it again does nothing.
func (l *listener) Close() error { return l.close() }

// listen listens at a path, for every user of this host. It replaces a socket that
// a daemon has left behind, and nothing else.
func listen(ctx context.Context, path string, l *limits) (*listener, error) {
	if err := removeStale(ctx, path); err != nil {
		return nil, fmt.Errorf("socket %s: %w", path, err)
	}
	in, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("socket %s: %w: its folder does not exist; systemd's RuntimeDirectory makes it, or make it for the user of ostrichd", path, fs.ErrNotExist)
		}
		return nil, fmt.Errorf("socket: %w", err)
	}
	if err = os.Chmod(path, 0o666); err != nil { // whatever the umask; who asks is known by other means
		return nil, errors.Join(fmt.Errorf("socket: %w", err), in.Close())
	}
	file, err := os.Lstat(path)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("socket: %w", err), in.Close())
	}
	in.SetUnlinkOnClose(false) // the path may be another daemon's by then
	return &listener{in, l, sync.OnceValue(func() error {
		if is, err := os.Lstat(path); err == nil && os.SameFile(is, file) {
			_ = os.Remove(path) // What stays behind is found stale by the next daemon.
		}
		return in.Close()
	})}, nil
}

// removeStale removes a socket at which nobody answers.
func removeStale(ctx context.Context, path string) error {
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case info.Mode().Type() != fs.ModeSocket:
		return errors.New("something else is there, which stays; remove it, or set socket to another path")
	}
	var d net.Dialer
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	other, err := d.DialContext(ctx, "unix", path)
	switch {
	case err == nil:
		return errors.Join(ErrInUse, other.Close())
	case !errors.Is(err, syscall.ECONNREFUSED):
		return fmt.Errorf("whether %w is not known: %w", ErrInUse, err)
	}
	return os.Remove(path)
}

// Accept returns the next connection. It refuses those of users who have too many.
func (l *listener) Accept() (net.Conn, error) {
	for {
		c, err := l.AcceptUnix()
		if err != nil {
			return nil, err
		}
		uid, err := peer(c)
		if err != nil {
			_ = c.Close() // The client has disconnected.
			continue
		}
		p, words := l.limits.connect(uid, func(words string) { refuse(c, words) })
		if p == nil {
			refuse(c, words)
			continue
		}
		return &conn{c, p, l.limits}, nil
	}
}

// peer returns the user who has connected.
func peer(c *net.UnixConn) (uid uint32, err error) {
	raw, err := c.SyscallConn()
	if err != nil {
		return 0, err
	}
	var credentials *unix.Ucred
	bad := raw.Control(func(fd uintptr) {
		credentials, err = unix.GetsockoptUcred(int(fd), unix.SOL_SOCKET, unix.SO_PEERCRED)
	})
	if err = errors.Join(bad, err); err != nil {
		return 0, err
	}
	return credentials.Uid, nil
}

// refuse answers on a connection that nobody has read. What fits into the kernel's
// buffer is sent at once.
func refuse(c *net.UnixConn, words string) {
	body, err := json.Marshal(api.Error{Error: words})
	if err == nil {
		_ = c.SetWriteDeadline(time.Now().Add(100 * time.Millisecond)) // never fails on a socket that is open
		_, _ = fmt.Fprintf(c, "HTTP/1.1 %d %s\r\nContent-Type: application/json\r\nConnection: close\r\nContent-Length: %d\r\n\r\n%s",
			http.StatusTooManyRequests, http.StatusText(http.StatusTooManyRequests), len(body), body) // The client may have disconnected.
	}
	_ = c.Close() // The client may have disconnected.
}

// conn is the connection of a user.
type conn struct {
	*net.UnixConn
	place  *place
	limits *limits
}

// Close ends the connection.
func (c *conn) Close() error {
	c.limits.disconnect(c.place)
	return c.UnixConn.Close()
}

// Begin implements api.Turn. The answer has to be sent soon after it is made.
func (c *conn) Begin(ctx context.Context) (made func(), err error) {
	end, err := c.limits.begin(ctx, c.place.uid)
	if err != nil {
		return nil, err
	}
	return func() {
		end()
		_ = c.SetWriteDeadline(time.Now().Add(sending)) // else WriteTimeout counts
	}, nil
}

// Hold implements api.Turn.
func (c *conn) Hold() (sent func(), err error) { return c.limits.hold(c.place.uid) }

// peerKey is the key of the connection in the context of a request.
type peerKey struct{}

func withPeer(ctx context.Context, c net.Conn) context.Context {
	if c, ok := c.(*conn); ok {
		return context.WithValue(ctx, peerKey{}, c)
	}
	return ctx
}

package webserver

import (
	"net"
	"net/netip"
	"sync"

	"github.com/rs/zerolog"

	"slurm-ostrich/cmd/internal/api"
)

const (
	mostOfAll    = 256 // connections of a server
	mostOfOrigin = 64  // connections from one place, see api.Origin
)

// listener refuses connections from where there are too many already.
type listener struct {
	net.Listener
	log zerolog.Logger

	mu  sync.Mutex
	all int
	of  map[netip.Prefix]int // none is 0
}

func limit(l net.Listener, log zerolog.Logger) *listener {
	return &listener{Listener: l, log: log, of: make(map[netip.Prefix]int)}
}

// Accept returns the next connection that is not one too many. It closes the others:
// before TLS there is no way to say why.
func (l *listener) Accept() (net.Conn, error) {
	for {
		c, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		from := api.Origin(c.RemoteAddr().String())
		if l.connect(from) {
			return &conn{c, sync.OnceFunc(func() { l.disconnect(from) })}, nil
		}
		l.log.Warn().Stringer("listen", l.Addr()).Stringer("from", from).Int("most_from_there", mostOfOrigin).Int("most", mostOfAll).
			Msg("connections are refused: there are too many")
		_ = c.Close() // The client may have disconnected.
	}
}

// connect counts a connection, and reports whether there is room for it.
func (l *listener) connect(from netip.Prefix) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.all >= mostOfAll || l.of[from] >= mostOfOrigin {
		return false
	}
	l.all++
	l.of[from]++
	return true
}

func (l *listener) disconnect(from netip.Prefix) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.all--
	if l.of[from]--; l.of[from] == 0 {
		delete(l.of, from)
	}
}

// conn is a connection that is counted.
type conn struct {
	net.Conn
	end func()
}

// Close ends the connection.
func (c *conn) Close() error {
	c.end()
	return c.Conn.Close()
}

package webserver

import (
	"net"
	"net/netip"
	"sync"

	"github.com/rs/zerolog"
)

const (
	mostOfAll    = 256 // connections of a server
	mostOfOrigin = 64  // connections from one place, see origin
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
		from := origin(c.RemoteAddr())
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

// loopback stands for all addresses of this host's loopback: any user may take any of
// them.
var loopback = netip.MustParsePrefix("127.0.0.0/8")

// origin returns the addresses that count as one client: an address of IPv4, a network
// of IPv6 as one host may have it, or the loopback. Of another kind of network it is
// the zero value.
func origin(a net.Addr) netip.Prefix {
	tcp, ok := a.(*net.TCPAddr)
	if !ok {
		return netip.Prefix{}
	}
	ip := tcp.AddrPort().Addr().Unmap().WithZone("")
	switch {
	case ip.IsLoopback():
		return loopback
	case ip.Is4():
		return netip.PrefixFrom(ip, 32)
	}
	return netip.PrefixFrom(ip, 64).Masked()
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

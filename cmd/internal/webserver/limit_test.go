package webserver

import (
	"net"
	"net/netip"
	"strings"
	"testing"

	"github.com/rs/zerolog"
)

// arrivals is a listener at which connections from given addresses arrive.
type arrivals chan net.Addr

func (a arrivals) Accept() (net.Conn, error) {
	from, ok := <-a
	if !ok {
		return nil, net.ErrClosed
	}
	_, c := net.Pipe()
	return &arrived{Conn: c, from: from}, nil
}
func (arrivals) Close() error   { return nil }
func (arrivals) Addr() net.Addr { return &net.TCPAddr{Port: 9343} }

type arrived struct {
	net.Conn
	from net.Addr
}

func (a *arrived) RemoteAddr() net.Addr { return a.from }

func address(ip string) net.Addr {
	return net.TCPAddrFromAddrPort(netip.AddrPortFrom(netip.MustParseAddr(ip), 40000))
}

// One place has its share of the connections, and all places together have what there is.
// A connection that ends, even if it is closed twice, makes room for one.
func TestLimit(t *testing.T) {
	in, log := make(arrivals, 2*mostOfAll), &output{}
	l := limit(in, zerolog.New(log))
	var open []net.Conn
	// accepts reports whether a connection gets in; one from elsewhere follows that does.
	accepts := func(ip string) bool {
		t.Helper()
		in <- address(ip)
		in <- &net.UnixAddr{}
		c, err := l.Accept()
		if err != nil {
			t.Fatal(err)
		}
		if _, other := c.RemoteAddr().(*net.UnixAddr); other {
			if err = c.Close(); err != nil {
				t.Error(err)
			}
			return false
		}
		open = append(open, c)
		last, err := l.Accept()
		if err != nil {
			t.Fatal(err)
		}
		if err = last.Close(); err != nil {
			t.Error(err)
		}
		return true
	}
	for range mostOfOrigin {
		if !accepts("192.0.2.1") {
			t.Fatalf("number %d is refused", len(open))
		}
	}
	if accepts("192.0.2.1") || accepts("::ffff:192.0.2.1") {
		t.Error("one client has more than its share")
	}
	if !accepts("192.0.2.2") {
		t.Error("another client is refused")
	}
	for range 2 {
		_ = open[0].Close()
	}
	if !accepts("192.0.2.1") || accepts("192.0.2.1") {
		t.Error("a connection that ended does not make room for one")
	}
	if got := log.String(); !strings.Contains(got, `"from":"192.0.2.1/32","most_from_there":64,"most":256,`) {
		t.Errorf("log: %s", got)
	}

	for i := range 3 * mostOfOrigin { // others take the rest, but one
		ip := netip.AddrFrom4([4]byte{198, 51, 100, byte(i)}).String()
		if !accepts(ip) {
			if i != mostOfAll-mostOfOrigin-2 {
				t.Errorf("full after %d", len(open))
			}
			break
		}
	}
	for _, c := range open {
		_ = c.Close()
	}
	if l.all != 0 || len(l.of) != 0 {
		t.Errorf("when all have ended %d are counted, %v", l.all, l.of)
	}
}

func TestOrigin(t *testing.T) {
	for ip, want := range map[string]string{
		"192.0.2.7": "192.0.2.7/32", "::ffff:192.0.2.7": "192.0.2.7/32",
		"127.0.0.1": "127.0.0.0/8", "127.8.8.8": "127.0.0.0/8", "::1": "127.0.0.0/8",
		"2001:db8::1": "2001:db8::/64", "2001:db8::ffff:1": "2001:db8::/64", "2001:db8:0:1::1": "2001:db8:0:1::/64", "fe80::1%eth0": "fe80::/64",
	} {
		if got := origin(address(ip)).String(); got != want {
			t.Errorf("%s: %s, want %s", ip, got, want)
		}
	}
}

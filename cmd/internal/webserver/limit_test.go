package webserver

import (
	"net"
	"net/netip"
	"slices"
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
	// accepted returns how many of the connections that have arrived get in.
	accepted := func(ips ...string) int {
		t.Helper()
		for _, ip := range ips {
			in <- address(ip)
		}
		in <- &net.UnixAddr{} // the last one gets in too
		before := len(open)
		for {
			c, err := l.Accept()
			if err != nil {
				t.Fatal(err)
			}
			if _, last := c.RemoteAddr().(*net.UnixAddr); last {
				_ = c.Close()
				break
			}
			open = append(open, c)
		}
		return len(open) - before
	}
	if got := accepted(slices.Repeat([]string{"192.0.2.1"}, mostOfOrigin+5)...); got != mostOfOrigin {
		t.Errorf("a client has %d connections", got)
	}
	if got := accepted("::ffff:192.0.2.1", "192.0.2.2", "192.0.2.1", "192.0.2.2"); got != 2 {
		t.Errorf("beside it %d of another client's 2", got)
	}
	for range 2 {
		_ = open[0].Close()
	}
	if got := accepted("192.0.2.1", "192.0.2.1"); got != 1 {
		t.Errorf("a connection that ended makes room for %d", got)
	}
	if got := log.String(); !strings.Contains(got, `"from":"192.0.2.1/32","most_from_there":64,"most":256,`) {
		t.Errorf("log: %s", got)
	}
	for _, c := range open {
		_ = c.Close()
	}
	if l.all != 0 || len(l.of) != 0 {
		t.Errorf("when all have ended %d are counted, %v", l.all, l.of)
	}
	for i := range mostOfAll + 10 {
		from := netip.PrefixFrom(netip.AddrFrom4([4]byte{10, 0, byte(i / 256), byte(i)}), 32)
		if got := l.connect(from); got != (i < mostOfAll) {
			t.Errorf("connection %d of as many clients: %v", i, got)
		}
	}
}

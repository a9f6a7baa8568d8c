package api

import "net/netip"

// loopback stands for all addresses of this host's loopback: any user may take any of
// them.
var loopback = netip.MustParsePrefix("127.0.0.0/8")

// Origin returns the addresses that count as one client with that of a connection, IP:PORT:
// an address of IPv4, a network of IPv6 as one host may have it, or the loopback. Of anything
// else, as of another kind of network, it is the zero value.
func Origin(remote string) netip.Prefix {
	from, err := netip.ParseAddrPort(remote)
	if err != nil {
		return netip.Prefix{}
	}
	ip := from.Addr().Unmap().WithZone("")
	switch {
	case ip.IsLoopback():
		return loopback
	case ip.Is4():
		return netip.PrefixFrom(ip, 32)
	}
	return netip.PrefixFrom(ip, 64).Masked()
}

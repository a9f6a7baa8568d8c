package statuspage

import (
	"net"
	"net/netip"
	"os"
	"slices"
	"strings"
	"sync"
)

// allowed reports whether a request may use this name: an IP address, localhost,
// this machine's name, or one of the names of a list; "*" in the list allows any.
// So a page of somebody else whose name points here (DNS rebinding) learns
// nothing.
func allowed(host string, names []string) bool {
	if slices.Contains(names, "*") {
		return true
	}
	name := host
	if only, _, err := net.SplitHostPort(host); err == nil {
		name = only
	}
	name = strings.TrimSuffix(strings.ToLower(name), ".")
	if _, err := netip.ParseAddr(strings.Trim(name, "[]")); err == nil {
		return true
	}
	return name == "localhost" || Named(name, names)
}

// Named reports whether a name, in lower case and without a final dot, is this machine's or in a
// list. No name in the list stands for others.
func Named(name string, names []string) bool {
	if name == "" {
		return false
	}
	own := machine()
	short, _, _ := strings.Cut(own, ".")
	return name == own || name == short ||
		slices.ContainsFunc(names, func(one string) bool { return strings.EqualFold(strings.TrimSuffix(one, "."), name) })
}

// machine returns this machine's name in lower case, "" if it has none.
var machine = sync.OnceValue(func() string {
	name, err := os.Hostname()
	if err != nil {
		return ""
	}
	return strings.ToLower(name)
})

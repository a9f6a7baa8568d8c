package api

import "testing"

func TestOrigin(t *testing.T) {
	for remote, want := range map[string]string{
		"192.0.2.7:40000": "192.0.2.7/32", "[::ffff:192.0.2.7]:40000": "192.0.2.7/32",
		"127.0.0.1:40000": "127.0.0.0/8", "127.8.8.8:40000": "127.0.0.0/8", "[::1]:40000": "127.0.0.0/8",
		"[2001:db8::1]:40000": "2001:db8::/64", "[2001:db8::ffff:1]:40000": "2001:db8::/64",
		"[2001:db8:0:1::1]:40000": "2001:db8:0:1::/64", "[fe80::1%eth0]:40000": "fe80::/64",
		"@": "invalid Prefix", "": "invalid Prefix",
	} {
		if got := Origin(remote).String(); got != want {
			t.Errorf("%q: %s, want %s", remote, got, want)
		}
	}
}

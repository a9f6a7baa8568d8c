package check

import (
	"strings"
	"testing"

	"slurm-ostrich/cmd/internal/sidecar"
	"slurm-ostrich/priority"
)

// A slurmdbd of 26.05 or newer is not to run with innodb_snapshot_isolation.
func TestIsolation(t *testing.T) {
	for _, test := range []struct {
		on      bool
		version string
		warns   bool
	}{
		{true, "26.05.0", true},
		{true, "26.05.5", true},
		{true, "26.11.0rc1", true},
		{true, "27.05.0", true},
		{true, "25.11.9", false},
		{true, "22.05.8", false},
		{true, "", false},
		{false, "26.05.0", false},
	} {
		var l checklist
		l.isolation(test.on, test.version)
		if got := len(l.found) == 1 && l.found[0].Result == Warn && l.found[0].Fix != ""; got != test.warns {
			t.Errorf("%v, %s: %+v", test.on, test.version, l.found)
		}
	}
}

// What slurmrestd makes of a small site_factor is told, with what to send in its place.
func TestRawSite(t *testing.T) {
	for site, want := range map[int64]string{
		-2147483643: "so that 5 there means -2147483643, and the priority is 1; for 5 send 2147483653",
		-2147483648: "so that 0 there means -2147483648, and the priority is 1; for 0 send 2147483648",
		-2147482648: "so that 1000 there ",
		-1000:       "", 0: "", 5: "", 1073741824: "", -2000000000: "", -2147483649: "",
	} {
		if got := sidecar.RawSite(site); (got == "") != (want == "") || !strings.Contains(got, want) {
			t.Errorf("%d: %q, want %q", site, got, want)
		}
	}
	var l checklist
	l.checkSites([]priority.Queued{{Job: 9, SiteKnown: true, Site: -2147483643}, {Job: 8, SiteKnown: true, Site: -2147483648}, {Job: 7, Site: -2147483643}, {Job: 6, SiteKnown: true, Site: 5}})
	if len(l.found) != 1 || !strings.HasPrefix(l.found[0].Found, "2 of the waiting jobs have one near the least, which puts them behind all, such as 8: ") {
		t.Errorf("%+v", l.found)
	}
	l.found = nil
	l.checkSites([]priority.Queued{{Job: 6, SiteKnown: true, Site: 5}})
	if l.found != nil {
		t.Errorf("%+v", l.found)
	}
}

package main

import (
	"fmt"
	"net/http"
	"net/netip"
	"strings"

	"slurm-ostrich/cmd/internal/api"
	"slurm-ostrich/cmd/internal/view"
)

// longestName is how long a user's name in a header may be.
const longestName = 256

// viewers returns a function that says what the client of a request may see: what
// Slurm shows everybody, or, if a proxy says who is logged in, what Slurm shows that
// user. Only requests from this host can come from the proxy.
func (d *daemon) viewers() func(r *http.Request) (*view.Viewer, error) {
	header := d.config.Status.UserHeader
	return func(r *http.Request) (*view.Viewer, error) { return d.viewer(r, header) }
}

func (d *daemon) viewer(r *http.Request, header string) (*view.Viewer, error) {
	private := d.private.Load()
	if private == nil {
		return &view.Viewer{}, nil // What Slurm hides is not known yet.
	}
	v := view.NewViewer(*private)
	if header == "" || !loopback(r.RemoteAddr) {
		return v, nil
	}
	names := r.Header.Values(header)
	if len(names) == 0 || len(names) == 1 && names[0] == "" {
		return v, nil
	}
	name := names[0]
	switch {
	case len(names) > 1:
		return nil, fmt.Errorf("the header %s is there %d times; the proxy must replace what clients send", header, len(names))
	case len(name) > longestName || strings.ContainsFunc(name, func(c rune) bool { return c <= ' ' || c == ',' || c == 0x7f }):
		return nil, fmt.Errorf("the header %s is no name of a user: %q", header, api.Shortened(name))
	}
	u := d.users.Named(r.Context(), name)
	if u.Operator {
		return view.Everything(), nil
	}
	v.Names, v.Accounts = []string{name}, u.Coordinates
	return v, nil
}

// loopback reports whether a request comes from this host.
func loopback(remote string) bool {
	from, err := netip.ParseAddrPort(remote)
	return err == nil && from.Addr().Unmap().IsLoopback()
}

// compare returns a handler that answers with the comparison, as the client may see it.
func (d *daemon) compare() http.Handler {
	viewer := d.viewers()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		v, err := viewer(r)
		if err != nil {
			api.Fail(w, http.StatusBadRequest, err.Error())
			return
		}
		d.metrics.compared.answer(w, v)
	})
}

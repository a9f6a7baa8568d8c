// Package access decides who may see what of a cycle, for both listeners of ostrichd: the
// Unix socket, where the kernel says who asks, and the web, where a proxy may say so.
package access

import (
	"context"
	"fmt"
	"net/http"
	"net/netip"
	"slices"
	"strings"

	"slurm-ostrich/cmd/internal/api"
	"slurm-ostrich/cmd/internal/view"
	"slurm-ostrich/priority/slurm"
)

// OfUID returns what the user of a uid may see of a cycle, of jobs that have ended too if
// past is set. Root, SlurmUser, the user of the daemon (own) and operators see everything.
func (d *Directory) OfUID(ctx context.Context, c *view.Cycle, uid, own uint32, past bool) *view.Viewer {
	controller := &c.Options.Controller
	v := view.NewViewer(controller.PrivateData)
	if v.Jobs && v.Shares && !past || uid == 0 || uid == own || uid == controller.SlurmUser {
		return view.Everything()
	}
	u, ended := d.of(ctx, uid)
	names := c.NamesOf(uid)
	if u.Name != "" && !slices.Contains(names, u.Name) {
		names = append(names, u.Name)
	}
	v.Ended = ended
	return user(v, u, names)
}

// longestName is how long a user's name in a header may be.
const longestName = 256

// OfRequest returns what the client of a web request may see: what Slurm, with private as its
// PrivateData, shows everybody, or, if a proxy says in the header who is logged in, what Slurm
// shows that user. Only requests from this host can come from the proxy. Without a header
// ("") nobody is believed. A nil private is not known yet, and hides everything. Of jobs that
// have ended everybody sees something only if past is set: Slurm need not be asked without it.
func (d *Directory) OfRequest(r *http.Request, header string, private *[]string, past bool) (*view.Viewer, error) {
	if private == nil {
		return &view.Viewer{}, nil
	}
	v := view.NewViewer(*private)
	var names []string
	if header != "" && loopback(r.RemoteAddr) {
		names = r.Header.Values(header)
	}
	if len(names) == 0 || len(names) == 1 && names[0] == "" {
		if past && v.Jobs {
			_, v.Ended = d.of(r.Context(), 0)
		}
		return v, nil
	}
	name := names[0]
	switch {
	case len(names) > 1:
		return nil, fmt.Errorf("the header %s is there %d times; the proxy must replace what clients send", header, len(names))
	case len(name) > longestName || strings.ContainsFunc(name, func(c rune) bool { return c <= ' ' || c == ',' || c == 0x7f }):
		return nil, fmt.Errorf("the header %s is no name of a user: %q", header, api.Shortened(name))
	}
	u, ended := d.named(r.Context(), name)
	v.Ended = v.Jobs && ended
	return user(v, u, names), nil
}

// user adds to what everybody sees what a user of Slurm sees, who goes by these names.
func user(v *view.Viewer, u slurm.User, names []string) *view.Viewer {
	if u.Operator {
		return view.Everything()
	}
	v.Names, v.Accounts = names, u.Coordinates
	return v
}

// loopback reports whether a request comes from this host.
func loopback(remote string) bool {
	from, err := netip.ParseAddrPort(remote)
	return err == nil && from.Addr().Unmap().IsLoopback()
}

// Package access decides who may see what of a cycle, for both listeners of ostrichd: the
// Unix socket, where the kernel says who asks, and the web, where munge or a proxy may say so.
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

// Rules decide what who asks may see.
type Rules struct {
	Users *Directory
	Own   uint32 // the daemon's user, who sees everything at the socket; other hosts may have given the uid to somebody else
	// Header is that in which a proxy on this host says who is logged in; "": nobody is believed.
	Header string
}

// uidKey is the key of a uid in the context of a request.
type uidKey struct{}

// WithUID returns a context of requests of a user of this host, on the kernel's word.
func WithUID(ctx context.Context, uid uint32) context.Context {
	return context.WithValue(ctx, uidKey{}, asker{uid: uid})
}

// withRemoteUID is WithUID for a user of another host, on munge's word.
func withRemoteUID(ctx context.Context, uid uint32) context.Context {
	return context.WithValue(ctx, uidKey{}, asker{uid, true})
}

// asker is who makes a request.
type asker struct {
	uid    uint32
	remote bool
}

// Viewer returns what who makes a request may see of a cycle: what Slurm shows everybody, and
// what it shows the user, if it is known who that is. Root, SlurmUser, the daemon's user and
// operators see everything. Before the first cycle (nil) PrivateData is not known, and all is
// hidden. ended says whether jobs that have ended may be in the answer: Slurm need not
// be asked about them otherwise. An error is for whoever asks.
func (a *Rules) Viewer(r *http.Request, c *view.Cycle, ended bool) (*view.Viewer, error) {
	v := &view.Viewer{}
	if c != nil {
		v = view.NewViewer(c.Options.Controller.PrivateData)
	}
	who, local := r.Context().Value(uidKey{}).(asker)
	uid := who.uid
	name, err := "", error(nil)
	switch {
	case !local:
		name, err = a.login(r)
	case who.remote && !a.knows(r.Context(), uid, c):
		err = api.Forbidden(fmt.Sprintf("Slurm knows no user with uid %d", uid))
	}
	var u slurm.User
	shown := false // whether slurmdbd shows everybody the ended jobs of others
	switch {
	case err != nil:
		return nil, err
	case local && (uid == 0 || uid == a.Own && !who.remote || c != nil && uid == c.Options.Controller.SlurmUser), v.Jobs && v.Shares && !ended:
		return view.Everything(), nil
	case local:
		if c != nil {
			v.Names = c.NamesOf(uid)
		}
		u, shown = a.Users.of(r.Context(), uid)
		if u.Name != "" && !slices.Contains(v.Names, u.Name) {
			v.Names = append(v.Names, u.Name)
		}
	case name != "":
		u, shown = a.Users.named(r.Context(), name)
		v.Names = []string{name}
	case v.Jobs && ended:
		_, shown = a.Users.of(r.Context(), 0)
	}
	if u.Operator {
		return view.Everything(), nil
	}
	v.Accounts, v.Ended = u.Coordinates, v.Jobs && shown
	return v, nil
}

// knows reports whether a uid of another host is root's, SlurmUser's, or a user's who is in
// Slurm's associations or has jobs.
func (a *Rules) knows(ctx context.Context, uid uint32, c *view.Cycle) bool {
	if uid == 0 || c != nil && (uid == c.Options.Controller.SlurmUser || len(c.NamesOf(uid)) > 0) {
		return true
	}
	u, _ := a.Users.of(ctx, uid)
	return u.Name != ""
}

// longestName is how long a user's name in a header may be.
const longestName = 256

// login returns who is logged in at the proxy of this host from which a request comes, "" if
// that is not known.
func (a *Rules) login(r *http.Request) (string, error) {
	if a.Header == "" || !loopback(r.RemoteAddr) {
		return "", nil
	}
	names := r.Header.Values(a.Header)
	name := strings.Join(names, ",")
	switch {
	case len(names) > 1:
		return "", fmt.Errorf("the header %s is there %d times; the proxy must replace what clients send", a.Header, len(names))
	case len(name) > longestName || strings.ContainsFunc(name, func(c rune) bool { return c <= ' ' || c == ',' || c == 0x7f }):
		return "", fmt.Errorf("the header %s is no name of a user: %q", a.Header, api.Shortened(name))
	}
	return name, nil
}

// loopback reports whether a request comes from this host.
func loopback(remote string) bool {
	from, err := netip.ParseAddrPort(remote)
	return err == nil && from.Addr().Unmap().IsLoopback()
}

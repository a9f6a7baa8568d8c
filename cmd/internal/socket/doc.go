// Package socket lets users ask ostrichd for its latest cycle, over HTTP at a Unix
// socket: the server in ostrichd, and the client in the commands of ostrich.
//
// The kernel tells the server who asks (SO_PEERCRED), so nobody needs a password, and
// everybody sees what Slurm shows them: see [view.Viewer]. Answers are made of a state
// that nobody changes and that the daemon replaces after each cycle. No cycle waits for
// a request, whatever clients do: requests, connections, large answers and times are
// limited for each user and in all.
package socket

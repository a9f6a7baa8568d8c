package socket

import (
	"context"
	"fmt"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// What a user may ask for, and all of them together.
const (
	perSecond = 5  // requests of a user
	burst     = 20 // requests of a user at once

	mostOfUser = 8    // connections of a user
	mostOfAll  = 128  // connections
	mostUsers  = 1024 // users whose requests are counted

	largeRows  = 2000 // from here on an answer counts as large
	mostLarge  = 4    // large answers that are in memory; a user has one
	patience   = 5 * time.Second
	sending    = 10 * time.Second // for which an answer may be sent
	headerTime = 3 * time.Second  // in which a request must come
	headerSize = 8 << 10
)

// limits counts what users have and ask for.
type limits struct {
	now      func() time.Time
	large    chan struct{} // has mostLarge places
	encoding chan struct{} // has one: a second processor is left to the daemon

	mu    sync.Mutex
	users map[uint32]*user
	all   int // connections
}

// user is a user who has a connection or has asked lately.
type user struct {
	connections int
	large       bool // has a large answer
	requests    *rate.Limiter
}

func newLimits(now func() time.Time) *limits {
	return &limits{now: now, users: make(map[uint32]*user), large: make(chan struct{}, mostLarge), encoding: make(chan struct{}, 1)}
}

// connect counts a connection. It returns why the user may not have it, "" if they may.
func (l *limits) connect(uid uint32) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.users[uid] == nil && len(l.users) >= mostUsers {
		l.forget()
	}
	switch u := l.users[uid]; {
	case l.all >= mostOfAll || u == nil && len(l.users) >= mostUsers:
		return "ostrichd is busy: too many users ask at once; try again in a few seconds"
	case u == nil:
		l.users[uid] = &user{requests: rate.NewLimiter(perSecond, burst), connections: 1}
	case u.connections >= mostOfUser:
		return fmt.Sprintf("you have %d connections to ostrichd already, which is the most a user may have", mostOfUser)
	default:
		u.connections++
	}
	l.all++
	return ""
}

// disconnect counts the end of a connection.
func (l *limits) disconnect(uid uint32) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.users[uid].connections--
	l.all--
}

// forget drops users who have no connection and may ask for as much as a new one.
func (l *limits) forget() {
	for uid, u := range l.users {
		if u.connections == 0 && u.requests.TokensAt(l.now()) >= burst {
			delete(l.users, uid)
		}
	}
}

// request counts a request of a user who has a connection, and reports whether they
// may make it.
func (l *limits) request(uid uint32) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.users[uid].requests.AllowN(l.now(), 1)
}

// begin waits until a large answer may be made. It returns why it may not be, or
// else how to say that it is encoded and that it is sent.
func (l *limits) begin(ctx context.Context, uid uint32) (encoded, sent func(), words string) {
	if !l.claim(uid) {
		return nil, nil, "another large answer is being sent to you; take that first, or ask for fewer users or jobs"
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	sent = func() { l.release(uid) }
	select {
	case l.large <- struct{}{}:
	case <-ctx.Done():
		sent()
		return nil, nil, fmt.Sprintf("ostrichd is busy: %d large answers are being sent; try again, or ask for fewer users or jobs", mostLarge)
	}
	sent = func() { <-l.large; l.release(uid) }
	select {
	case l.encoding <- struct{}{}:
	case <-ctx.Done():
		sent()
		return nil, nil, "ostrichd is busy: other large answers are being made; try again, or ask for fewer users or jobs"
	}
	return func() { <-l.encoding }, sent, ""
}

func (l *limits) claim(uid uint32) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	u := l.users[uid]
	if u.large {
		return false
	}
	u.large = true
	return true
}

func (l *limits) release(uid uint32) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.users[uid].large = false
}

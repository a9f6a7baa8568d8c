package socket

import (
	"context"
	"fmt"
	"os"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// What a user may ask for, and all of them together.
const (
	perSecond = 5  // requests of a user a second
	burst     = 20 // requests of a user at once

	mostOfUser = 8    // connections of a user
	mostOfAll  = 128  // connections
	mostUsers  = 1024 // users whose requests are counted

	spared = 8 // further connections, of root and of the daemon's own user

	largeRows  = 2000 // from here on an answer counts as large
	mostLarge  = 4    // large answers that are in memory; a user has one
	patience   = 5 * time.Second
	asking     = 5 * time.Second  // for which accounting may be asked
	sending    = 10 * time.Second // for which an answer may be sent
	headerTime = 3 * time.Second  // in which a request must come
	headerSize = 8 << 10
)

// busyError says what a user has to wait for.
type busyError string

func (e busyError) Error() string { return string(e) }

// limits counts what users have and ask for.
type limits struct {
	now    func() time.Time
	own    uint32        // the uid of this process
	making chan struct{} // has one: a second processor is left to the daemon

	mu    sync.Mutex
	users map[uint32]*user
	all   int // connections
	large int // large answers that are in memory
}

// user is a user who has a connection or has asked lately.
type user struct {
	connections int
	making      chan struct{} // has one place: others' answers are made in between
	large       bool          // has a large answer
	requests    *rate.Limiter
}

func newLimits(now func() time.Time) *limits {
	return &limits{
		now: now, own: uint32(os.Getuid()), users: make(map[uint32]*user), making: make(chan struct{}, 1),
	}
}

// connect counts a connection. It returns why the user may not have it, "" if they may.
func (l *limits) connect(uid uint32) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.users[uid] == nil && len(l.users) >= mostUsers {
		l.forget()
	}
	most := mostOfAll
	if uid == 0 || uid == l.own {
		most += spared
	}
	switch u := l.users[uid]; {
	case l.all >= most || u == nil && len(l.users) >= mostUsers:
		return "ostrichd is busy: too many users ask at once; try again in a few seconds"
	case u == nil:
		l.users[uid] = &user{requests: rate.NewLimiter(perSecond, burst), making: make(chan struct{}, 1), connections: 1}
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

// begin waits until an answer to a user who has a connection may be made. Call made once
// it is.
func (l *limits) begin(ctx context.Context, uid uint32) (made func(), err error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	l.mu.Lock()
	own := l.users[uid].making
	l.mu.Unlock()
	select {
	case own <- struct{}{}:
	case <-ctx.Done():
		return nil, busyError("your other questions are still being answered; try again")
	}
	select {
	case l.making <- struct{}{}:
		return func() { <-l.making; <-own }, nil
	case <-ctx.Done():
		<-own
		return nil, busyError("ostrichd is busy: other answers are being made; try again")
	}
}

// hold reserves room for a large answer to a user who has a connection. Call sent once it
// is sent.
func (l *limits) hold(uid uint32) (sent func(), err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	u := l.users[uid]
	switch {
	case u.large:
		return nil, busyError("another large answer is being sent to you; take that first, or ask for fewer users or jobs")
	case l.large >= mostLarge:
		return nil, busyError(fmt.Sprintf("ostrichd is busy: %d large answers are being sent; try again, or ask for fewer users or jobs", mostLarge))
	}
	u.large = true
	l.large++
	return func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		u.large = false
		l.large--
	}, nil
}

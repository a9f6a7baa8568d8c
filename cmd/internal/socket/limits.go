package socket

import (
	"context"
	"fmt"
	"os"
	"slices"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"slurm-ostrich/cmd/internal/api"
)

// What a user may ask for, and all of them together.
const (
	perSecond = 5  // requests of a user a second
	burst     = 20 // requests of a user at once

	mostOfUser = 8    // connections of a user
	mostOfAll  = 128  // connections, beside those of root and of the daemon's own user
	mostUsers  = 1024 // users whose requests are counted

	mostLarge  = 4                // large answers that are in memory; a user has one
	sending    = 10 * time.Second // for which an answer may be sent
	headerTime = 3 * time.Second  // in which a request must come
	headerSize = 8 << 10
)

// gaveWay is the error of a question whose connection has given way, and whose user has
// been forgotten since.
const gaveWay = api.Busy("ostrichd is busy: your connection gave way to another user's; try again")

// limits counts what users have and ask for.
type limits struct {
	now    func() time.Time
	own    uint32        // the uid of this process
	making chan struct{} // has one: a second processor is left to the daemon

	mu     sync.Mutex
	users  map[uint32]*user
	places []*place // the oldest first
	large  int      // large answers that are in memory
}

// place is what a connection takes.
type place struct {
	uid   uint32
	asked bool               // a request has come, and is being answered
	drop  func(words string) // ends the connection
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

// connect gives a user a place for a connection that drop can end, or returns why they may
// not have one. Where all are taken, the oldest connection on which nothing is being answered
// gives way, so whoever holds places without a question keeps nobody out, under however
// many uids. Those of root and of the daemon's own user are never in the way of others.
func (l *limits) connect(uid uint32, drop func(words string)) (p *place, refusal string) {
	p, gone, refusal := l.take(uid, drop)
	if gone != nil { // It is told without the lock, on which all others wait.
		gone.drop("ostrichd is busy: you had asked nothing yet, and your connection gave way to another user's; try again")
	}
	return p, refusal
}

// take gives a place as connect does. gone is the one that gave way, nil for none.
func (l *limits) take(uid uint32, drop func(words string)) (p, gone *place, refusal string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	u := l.users[uid]
	if u != nil && u.connections >= mostOfUser {
		return nil, nil, fmt.Sprintf("you have %d connections to ostrichd already, which is the most a user may have", mostOfUser)
	}
	if !l.keeper(uid) && l.ordinary() >= mostOfAll {
		oldest := slices.IndexFunc(l.places, func(p *place) bool { return !p.asked && !l.keeper(p.uid) })
		if oldest < 0 {
			return nil, nil, "ostrichd is busy: too many users ask at once; try again in a few seconds"
		}
		gone = l.places[oldest]
		l.leave(gone)
	}
	if u = l.users[uid]; u == nil {
		if len(l.users) >= mostUsers {
			l.forget()
		}
		u = &user{requests: rate.NewLimiter(perSecond, burst), making: make(chan struct{}, 1)}
		l.users[uid] = u
	}
	u.connections++
	p = &place{uid: uid, drop: drop}
	l.places = append(l.places, p)
	return p, gone, ""
}

// keeper reports whether a user keeps the cluster: root, or the daemon's own user.
func (l *limits) keeper(uid uint32) bool { return uid == 0 || uid == l.own }

// ordinary returns how many places others have than those who keep the cluster.
func (l *limits) ordinary() (n int) {
	for _, p := range l.places {
		if !l.keeper(p.uid) {
			n++
		}
	}
	return n
}

// disconnect counts the end of a connection. To call it again does nothing.
func (l *limits) disconnect(p *place) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.leave(p)
}

func (l *limits) leave(p *place) {
	if i := slices.Index(l.places, p); i >= 0 {
		l.places = slices.Delete(l.places, i, i+1)
		l.users[p.uid].connections--
	}
}

// forget drops users who have no connection and may ask for as much as a new one, or else the
// one of them who has asked least: a user who comes is never refused for those who came.
func (l *limits) forget() {
	var least *uint32
	var most float64
	now := l.now()
	for uid, u := range l.users {
		if u.connections > 0 {
			continue
		}
		may := u.requests.TokensAt(now)
		if may >= burst {
			delete(l.users, uid)
			continue
		}
		if least == nil || may > most || may == most && uid < *least {
			least, most = &uid, may
		}
	}
	if len(l.users) >= mostUsers && least != nil {
		delete(l.users, *least)
	}
}

// request counts a request of a connection, and reports whether it has its place still,
// and whether the user may make it. One that says it has a body, which no question
// has, may give way: it may never come.
func (l *limits) request(p *place, body bool) (stays, may bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !slices.Contains(l.places, p) {
		return false, false
	}
	p.asked = !body
	return true, l.users[p.uid].requests.AllowN(l.now(), 1)
}

// begin waits until an answer to a user who has a connection may be made. Call made once
// it is.
func (l *limits) begin(ctx context.Context, uid uint32) (made func(), err error) {
	ctx, cancel := context.WithTimeout(ctx, api.Patience)
	defer cancel()
	l.mu.Lock()
	u := l.users[uid]
	l.mu.Unlock()
	if u == nil {
		return nil, gaveWay
	}
	own := u.making
	select {
	case own <- struct{}{}:
	case <-ctx.Done():
		return nil, api.Busy("your other questions are still being answered; try again")
	}
	select {
	case l.making <- struct{}{}:
		return func() { <-l.making; <-own }, nil
	case <-ctx.Done():
		<-own
		return nil, api.Busy("ostrichd is busy: other answers are being made; try again")
	}
}

// hold reserves room for a large answer to a user who has a connection. Call sent once it
// is sent.
func (l *limits) hold(uid uint32) (sent func(), err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	u := l.users[uid]
	switch {
	case u == nil:
		return nil, gaveWay
	case u.large:
		return nil, api.Busy("another large answer is being sent to you; take that first, or ask for fewer users or jobs")
	case l.large >= mostLarge:
		return nil, api.Busy(fmt.Sprintf("ostrichd is busy: %d large answers are being sent; try again, or ask for fewer users or jobs", mostLarge))
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

package socket

import (
	"errors"
	"io/fs"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"slurm-ostrich/cmd/internal/api"
	"slurm-ostrich/cmd/internal/socket/client"
	"slurm-ostrich/cmd/internal/view"
)

func open(t *testing.T, path string) (*Server, error) {
	t.Helper()
	s, err := Open(t.Context(), path, answering(before(), directory(), now).answers, now, func(err error) { t.Error(err) })
	if err == nil {
		t.Cleanup(func() { _ = s.Close() })
	}
	return s, err
}

// A socket that a daemon has left behind is replaced, and nothing else is.
func TestListen(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "s.sock")

	left, err := net.Listen("unix", path) //nolint:noctx // at once or not at all
	if err != nil {
		t.Fatal(err)
	}
	unix, ok := left.(*net.UnixListener)
	if !ok {
		t.Fatalf("%T", left)
	}
	unix.SetUnlinkOnClose(false)
	if err = left.Close(); err != nil { // as kill -9 leaves it
		t.Fatal(err)
	}
	defer syscall.Umask(syscall.Umask(0o077))
	s, err := open(t, path)
	if err != nil {
		t.Fatal(err)
	}
	if info, bad := os.Stat(path); bad != nil || info.Mode() != fs.ModeSocket|0o666 {
		t.Errorf("%v %v", info.Mode(), bad)
	}
	if _, err = open(t, path); !errors.Is(err, ErrInUse) || err.Error() != "socket "+path+": another daemon answers there" {
		t.Errorf("a live socket: %v", err)
	}
	if _, err = client.Ask(t.Context(), path, "plan", &view.Selection{}); err == nil || !strings.Contains(err.Error(), "has not completed a cycle") {
		t.Errorf("after another daemon wanted the socket: %v", err)
	}
	for size, want := range map[int]string{
		5000: `ostrichd: argument "user" is longer than 4096 bytes`, 2 * headerSize: "ostrichd: the request is too long; name fewer users or jobs",
	} {
		if _, err = client.Ask(t.Context(), path, "plan", &view.Selection{Users: []string{strings.Repeat("a", size)}}); err == nil || err.Error() != want {
			t.Errorf("a name of %d bytes: %v, want %s", size, err, want)
		}
	}
	if err = s.Close(); err != nil {
		t.Error(err)
	}
	if _, err = os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("after the end: %v", err)
	}

	if err = os.WriteFile(path, []byte("precious"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err = open(t, path); err == nil || !strings.Contains(err.Error(), "something else is there, which stays") {
		t.Errorf("a file: %v", err)
	}
	if raw, bad := os.ReadFile(path); string(raw) != "precious" {
		t.Errorf("the file: %q %v", raw, bad)
	}
	if _, err = open(t, filepath.Join(dir, "missing/s.sock")); err == nil || !strings.Contains(err.Error(), "its folder does not exist; systemd's RuntimeDirectory makes it") {
		t.Errorf("no folder: %v", err)
	}
	if _, err = open(t, filepath.Join(path, "s.sock")); err == nil {
		t.Error("a file is a folder")
	}
}

// A daemon leaves the socket of another one that has come after it.
func TestListenAfter(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.sock")
	first, err := open(t, path)
	if err != nil {
		t.Fatal(err)
	}
	if err = os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if _, err = open(t, path); err != nil {
		t.Fatal(err)
	}
	if err = first.Close(); err != nil {
		t.Error(err)
	}
	if _, err = client.Ask(t.Context(), path, "plan", &view.Selection{}); err == nil || !strings.Contains(err.Error(), "has not completed a cycle") {
		t.Errorf("after the first has ended: %v", err)
	}
}

// What a client is told when there is no answer.
func TestAsk(t *testing.T) {
	dir := t.TempDir()
	ask := func(path string) string {
		_, err := client.Ask(t.Context(), path, "plan", &view.Selection{})
		if err == nil {
			return ""
		}
		return err.Error()
	}
	for path, want := range map[string]string{
		dir + "/none": "no ostrichd answers at " + dir + "/none: connect: no such file or directory",
		dir:           "no ostrichd answers at " + dir + ": connect: connection refused",
	} {
		if got := ask(path); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	answering := func(handler http.HandlerFunc) string {
		path := filepath.Join(t.TempDir(), "s")
		l, err := net.Listen("unix", path) //nolint:noctx // at once or not at all
		if err != nil {
			t.Fatal(err)
		}
		server := httptest.NewUnstartedServer(handler)
		_ = server.Listener.Close() // never used
		server.Listener = l
		server.Start()
		t.Cleanup(server.Close)
		return path
	}
	path := answering(func(w http.ResponseWriter, r *http.Request) {
		if r.Host != "ostrichd" || r.URL.Path != "/v1/plan" {
			t.Errorf("asked %s of %s", r.URL, r.Host)
		}
		http.Error(w, "it works", http.StatusNotFound)
	})
	if got, want := ask(path), "ostrichd at "+path+": 404 Not Found: this is no answer of ostrichd, or of one that does not know the question"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	path = answering(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "100")
		_, _ = w.Write([]byte("{")) // the client will see
	})
	if got, want := ask(path), "ostrichd at "+path+": the answer is cut off: unexpected EOF"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	path = answering(func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) })
	if got, want := ask(path), "ostrichd at "+path+" gives no answer: unexpected EOF"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// No user has more connections than a user may, and whoever is in the way of others without
// a question gives way, however many uids they have.
func TestConnections(t *testing.T) {
	l := newLimits(func() time.Time { return time.Unix(0, 0) })
	l.own = 7
	var dropped []int
	connect := func(uid uint32, number int) (*place, string) {
		return l.connect(uid, func(string) {
			if dropped = append(dropped, number); !l.mu.TryLock() {
				t.Error("the lock is held while a client is told")
				return
			}
			l.mu.Unlock()
		})
	}
	first, _ := connect(1, 0)
	for range mostOfUser - 1 {
		if _, words := connect(1, 0); words != "" {
			t.Fatal(words)
		}
	}
	if _, words := connect(1, 0); words != "you have 8 connections to ostrichd already, which is the most a user may have" {
		t.Errorf("%q", words)
	}
	for range 2 { // the second time does nothing
		l.disconnect(first)
	}
	if _, words := connect(1, 0); words != "" || l.users[1].connections != mostOfUser {
		t.Errorf("after one has ended: %q, %d connections", words, l.users[1].connections)
	}

	l.places, l.users = nil, make(map[uint32]*user)
	var kept [2][]*place
	for i, uid := range []uint32{0, 7} {
		for range mostOfUser {
			p, words := connect(uid, -1)
			if words != "" {
				t.Fatal(uid, words)
			}
			kept[i] = append(kept[i], p)
		}
	}
	const uids = 1 << 16 // a range of subuids
	var all []*place
	for i := range uids {
		p, words := connect(100_000+uint32(i), i)
		if words != "" {
			t.Fatal(i, words)
		}
		all = append(all, p)
	}
	for i, number := range dropped {
		if number != i {
			t.Fatalf("connection %d gives way before %d", number, i)
		}
	}
	if len(dropped) != uids-mostOfAll || len(l.places) != mostOfAll+2*mostOfUser || len(l.users) > mostUsers {
		t.Fatalf("%d gave way, %d stay, of %d users", len(dropped), len(l.places), len(l.users))
	}
	if stays, _ := l.request(all[0], false); stays {
		t.Error("a connection that gave way is answered")
	}
	for i, p := range all[uids-mostOfAll:] { // all but two are being answered: one has not asked, one promises a body
		if i != 2 {
			l.request(p, i == 5)
		}
	}
	dropped = nil
	for _, uid := range []uint32{1, 2} {
		p, words := connect(uid, -2)
		if words != "" {
			t.Fatal(uid, words)
		}
		l.request(p, false)
	}
	if want := []int{uids - mostOfAll + 2, uids - mostOfAll + 5}; !slices.Equal(dropped, want) {
		t.Errorf("%d gave way, want %d", dropped, want)
	}
	if _, words := connect(3, -2); words != "ostrichd is busy: too many users ask at once; try again in a few seconds" {
		t.Errorf("%q", words)
	}
	for i, uid := range []uint32{0, 7} { // have their room though all others are being answered
		l.disconnect(kept[i][0])
		if _, words := connect(uid, -1); words != "" {
			t.Error(uid, words)
		}
	}
}

// A user who asks too often has to wait, others do not, and no user is remembered
// for longer than that matters.
func TestRequests(t *testing.T) {
	now := time.Unix(0, 0)
	l := newLimits(func() time.Time { return now })
	once := func(uid uint32) bool {
		p, words := l.connect(uid, nil)
		if words != "" {
			t.Fatalf("uid %d: %s", uid, words)
		}
		defer l.disconnect(p)
		_, may := l.request(p, false)
		return may
	}
	for i := range burst {
		if !once(1) {
			t.Fatalf("request %d is refused", i)
		}
	}
	if once(1) || !once(2) {
		t.Error("the limit of one user counts for another")
	}
	now = now.Add(time.Second)
	for i := range perSecond + 1 {
		if once(1) != (i < perSecond) {
			t.Errorf("after a second, request %d", i)
		}
	}
	l = newLimits(func() time.Time { return now })
	for uid := range uint32(mostUsers) {
		once(uid)
	}
	once(5) // has asked more than the others
	for _, uid := range []uint32{9_998, 9_999} {
		if !once(uid) || len(l.users) != mostUsers || l.users[5] == nil || l.users[uid] == nil {
			t.Errorf("user %d, after all places for users were taken: %d users", uid, len(l.users))
		}
	}
	now = now.Add(time.Minute)
	if once(9_997); len(l.users) != 1 {
		t.Errorf("%d users are remembered", len(l.users))
	}
}

// Answers are made one at a time, and those of a user one after the other.
func TestAnswersOneAtATime(t *testing.T) { synctest.Test(t, oneAtATime) }

func oneAtATime(t *testing.T) {
	l := newLimits(time.Now)
	for uid := range uint32(2) {
		_, _ = l.connect(uid, nil)
	}
	made, err := l.begin(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	for uid, want := range []string{"your other questions are still being answered; try again", "ostrichd is busy: other answers are being made; try again"} {
		began := time.Now()
		var busy api.Busy
		if _, err = l.begin(t.Context(), uint32(uid)); !errors.As(err, &busy) || err.Error() != want || time.Since(began) != api.Patience {
			t.Errorf("user %d: %v after %v", uid, err, time.Since(began))
		}
	}
	waits := make(chan error, 1)
	go func() {
		mine, why := l.begin(t.Context(), 1)
		if why == nil {
			mine()
		}
		waits <- why
	}()
	if synctest.Wait(); len(waits) > 0 {
		t.Error("an answer is made beside another one")
	}
	made()
	if err = <-waits; err != nil {
		t.Error(err)
	}
}

// Large answers are in memory a few at a time, and each user has one.
func TestLargeAnswers(t *testing.T) {
	l := newLimits(time.Now)
	var all []func()
	for uid := range uint32(mostLarge) {
		_, _ = l.connect(uid, nil)
		sent, err := l.hold(uid)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, sent)
		if _, err = l.hold(uid); err == nil || !strings.HasPrefix(err.Error(), "another large answer is being sent to you") {
			t.Errorf("a second one of a user: %v", err)
		}
	}
	_, _ = l.connect(100, nil)
	for range 2 { // what is refused takes no room
		if _, err := l.hold(100); err == nil || !strings.HasPrefix(err.Error(), "ostrichd is busy: 4 large answers are being sent") {
			t.Error(err)
		}
	}
	all[0]()
	for _, uid := range []uint32{100, 0} {
		sent, err := l.hold(uid)
		if err != nil {
			t.Fatal(uid, err)
		}
		sent()
	}
}

// TestForgotten: a user may be forgotten while an answer to a connection that gave way is made.
func TestForgotten(t *testing.T) {
	l := newLimits(func() time.Time { return time.Unix(0, 0) })
	if _, err := l.begin(t.Context(), 4711); !errors.Is(err, gaveWay) {
		t.Errorf("begin: %v, want %v", err, gaveWay)
	}
	if _, err := l.hold(4711); !errors.Is(err, gaveWay) {
		t.Errorf("hold: %v, want %v", err, gaveWay)
	}
	if _, refusal := l.connect(4711, func(string) {}); refusal != "" {
		t.Errorf("connect afterwards: %s", refusal)
	}
}

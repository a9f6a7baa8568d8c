package statuspage

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// patience is for machines under load: nothing here should take a second.
const patience = 4 * time.Minute

// chromium is a running browser.
type chromium struct{ ctx context.Context }

// startBrowser starts Debian's chromium without a window. All that it writes
// goes into a folder that is removed.
func startBrowser(t *testing.T) chromium {
	t.Helper()
	if testing.Short() {
		t.Skip("a browser takes its time: left out with -short")
	}
	t.Attr("real-time", "yes") // this and the next as contrib/internal/minutes says
	if until, err := strconv.ParseInt(os.Getenv("OSTRICH_TEST_UNTIL"), 10, 64); err == nil && time.Now().Unix() > until {
		t.Skip("LEFT OUT: the minutes for tests are over")
	}
	path, err := exec.LookPath("chromium")
	if err != nil {
		t.Skip("chromium is not installed (Debian: apt-get install chromium)")
	}
	home, err := os.MkdirTemp("", "ostrich-chromium-") //nolint:usetesting // its processes may still write while t.TempDir is being removed
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		for end := time.Now().Add(time.Minute); os.RemoveAll(home) != nil && time.Now().Before(end); {
			time.Sleep(50 * time.Millisecond)
		}
	})
	// A machine short of memory may kill the first attempt.
	for attempt := 1; ; attempt++ {
		ctx, output, err := tryBrowser(t, path, home)
		if err == nil {
			return chromium{ctx}
		}
		if attempt == 2 {
			t.Fatalf("%s does not start: %v\n%s", path, err, output)
		}
		t.Logf("%s does not start, once more: %v", path, err)
	}
}

func tryBrowser(t *testing.T, path, home string) (context.Context, string, error) {
	t.Helper()
	var output syncBuffer
	options := append(slices.Clone(chromedp.DefaultExecAllocatorOptions[:]),
		chromedp.ExecPath(path), chromedp.DisableGPU, chromedp.CombinedOutput(&output),
		chromedp.UserDataDir(fmt.Sprintf("%s/profile-%d", home, time.Now().UnixNano())),
		chromedp.Env("HOME="+home, "XDG_CONFIG_HOME="+home, "XDG_CACHE_HOME="+home, "TZ=UTC"),
		chromedp.Flag("disable-component-update", true), chromedp.Flag("hide-scrollbars", true),
		chromedp.Flag("no-proxy-server", true),
	)
	if os.Geteuid() == 0 {
		options = append(options, chromedp.NoSandbox) // chromium refuses root otherwise
	}
	allocated, stop := chromedp.NewExecAllocator(t.Context(), options...)
	ctx, closeBrowser := chromedp.NewContext(allocated)
	started := make(chan error, 1)
	go func() { started <- chromedp.Do(ctx) }()
	err := errors.New("timeout")
	select {
	case err = <-started:
	case <-time.After(patience):
	}
	if err != nil {
		closeBrowser()
		stop()
		return nil, output.String(), err
	}
	t.Cleanup(func() { closeBrowser(); stop() })
	return ctx, "", nil
}

// syncBuffer is a buffer that a process may write while a test reads it.
type syncBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *syncBuffer) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *syncBuffer) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}

// tab is a page of the browser. At its end the test fails if the page wrote
// errors to the console, broke the content security policy, or asked any other
// host.
type tab struct {
	testing.TB
	ctx context.Context

	mu       sync.Mutex
	wrong    []string
	requests []string
	expected []string // parts of complaints that a test brings about itself
}

// look is how a page is looked at.
type look struct {
	width, height int64
	dark          bool
	noScript      bool
	print         bool
}

var desk, phone = look{width: 1280, height: 900}, look{width: 360, height: 740}

// newTab opens a page.
func newTab(t testing.TB, browser chromium, v look) *tab {
	t.Helper()
	limited, cancel := context.WithTimeout(browser.ctx, patience)
	ctx, closeTab := chromedp.NewContext(limited, chromedp.WithNewBrowserContext())
	b := &tab{TB: t, ctx: ctx}
	t.Cleanup(func() { closeTab(); cancel() })
	err := chromedp.Listen(ctx, func(event any) {
		b.mu.Lock()
		defer b.mu.Unlock()
		switch e := event.(type) {
		case *network.EventRequestWillBeSent:
			b.requests = append(b.requests, e.Request.URL)
		case *runtime.EventExceptionThrown:
			b.wrong = append(b.wrong, "exception: "+e.ExceptionDetails.Text)
		case *runtime.EventConsoleAPICalled:
			b.wrong = append(b.wrong, fmt.Sprintf("console.%s", e.Type))
		case *log.EventEntryAdded:
			b.wrong = append(b.wrong, fmt.Sprintf("%s %s: %s %s", e.Entry.Source, e.Entry.Level, e.Entry.Text, e.Entry.URL))
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	scheme := "light"
	if v.dark {
		scheme = "dark"
	}
	media := emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{
		{Name: "prefers-color-scheme", Value: scheme}, {Name: "prefers-reduced-motion", Value: "reduce"},
	}}
	if v.print {
		media.Media = "print"
	}
	call(b, network.Enable, network.EnableParams{})
	call(b, log.Enable, cdp.Empty{})
	call(b, emulation.SetEmulatedMedia, media)
	call(b, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: v.noScript})
	b.do(chromedp.EmulateViewport(v.width, v.height))
	return b
}

// do fails the test if the action fails.
func (b *tab) do(actions ...chromedp.Action[chromedp.Void]) {
	b.Helper()
	if err := chromedp.Do(b.ctx, actions...); err != nil {
		b.Fatal(err)
	}
}

// open loads a page of the server at root.
func (b *tab) open(root, path string) {
	b.Helper()
	b.do(chromedp.Navigate(root + path))
	b.Cleanup(func() { b.check(root) })
}

// check reports what went wrong, and requests to other places than root.
func (b *tab) check(root string) {
	b.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, w := range b.wrong {
		if !slices.ContainsFunc(b.expected, func(part string) bool { return strings.Contains(w, part) }) {
			b.Errorf("the browser complains: %s", w)
		}
	}
	home, err := url.Parse(root)
	if err != nil {
		b.Fatal(err)
	}
	for _, r := range b.requests {
		u, err := url.Parse(r)
		if err != nil || u.Host != home.Host && u.Scheme != "data" && u.Scheme != "about" {
			b.Errorf("the page asks another host: %s", r)
		}
	}
	if len(b.requests) == 0 {
		b.Error("no request was seen: the test does not listen")
	}
}

// screenshot is the picture of the page, at most height pixels of it; 0 is all.
func (b *tab) screenshot(height float64) []byte {
	b.Helper()
	size := eval[[2]float64](b, "[document.documentElement.clientWidth, document.documentElement.scrollHeight]")
	if height > 0 {
		size[1] = min(size[1], height)
	}
	whole := true
	shot := call(b, page.CaptureScreenshot, page.CaptureScreenshotParams{
		Format: page.CaptureScreenshotFormatPng, CaptureBeyondViewport: &whole,
		Clip: &page.Viewport{Width: size[0], Height: size[1], Scale: 1},
	})
	return shot.Data
}

// eval is the value of an expression in the page, at once and not awaited.
func eval[T any](b *tab, expression string) T {
	b.Helper()
	v, err := chromedp.Run(b.ctx, chromedp.Evaluate[T](expression))
	if err != nil {
		b.Fatalf("%.80s: %v", expression, err)
	}
	return v
}

// wait waits until an expression in the page is true.
func (b *tab) wait(expression string) {
	b.Helper()
	poll := chromedp.Poll[chromedp.Void](expression, chromedp.WithPollingInterval(20*time.Millisecond), chromedp.WithPollingTimeout(patience))
	if err := chromedp.Do(b.ctx, poll); err != nil {
		b.Fatalf("never true: %s: %v", expression, err)
	}
}

// call does what the actions of chromedp do not offer.
func call[P, R any](b *tab, c cdp.Command[P, R], params P) R {
	b.Helper()
	r, err := chromedp.Call(b.ctx, c, params)
	if err != nil {
		b.Fatalf("%s: %v", c.Method, err)
	}
	return r
}

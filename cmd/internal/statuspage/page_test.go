package statuspage

import (
	"bytes"
	"context"
	"flag"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"
)

var (
	update = flag.Bool("update", false, "write docs/status-page.png")
	shots  = flag.String("shots", "", "a `folder` for pictures of the page in all its looks")
)

// site serves the page of a snapshot that can be exchanged.
type site struct {
	*httptest.Server
	now   atomic.Pointer[Snapshot]
	asked atomic.Int64 // pages
}

func serve(t testing.TB, s *Snapshot) *site {
	t.Helper()
	var at site
	at.now.Store(s)
	answers := answering(s, everybody)
	answers.State = func(context.Context) *State { at.asked.Add(1); return stateOf(at.now.Load()) }
	handler := Handler(answers, nil)
	// As behind a proxy that serves it in a folder of its own.
	at.Server = httptest.NewServer(http.StripPrefix("/under", handler))
	t.Cleanup(at.Close)
	at.URL += "/under"
	return &at
}

func TestBrowser(t *testing.T) {
	browser := startBrowser(t)
	for _, part := range []struct {
		name string
		test func(t *testing.T, browser chromium)
	}{
		{"pictures", testPictures},
		{"contrast", testContrast},
		{"semantics", testSemantics},
		{"keyboard", testKeyboard},
		{"narrow", testNarrow},
		{"no script", testNoScript},
		{"refresh", testRefresh},
		{"lost", testLost},
		{"sort", testSort},
		{"one user", testLight},
		{"explain", testExplainScript},
		{"large", testLarge},
	} {
		t.Run(part.name, func(t *testing.T) { part.test(t, browser) })
	}
}

// testPictures takes the pictures that people look at.
func testPictures(t *testing.T, browser chromium) {
	if *update { // the same on each machine
		here := time.Local
		time.Local = time.UTC
		t.Cleanup(func() { time.Local = here })
	}
	at := serve(t, madeUp("dave", 8, 60))
	for _, p := range []struct {
		name string
		look look
	}{{"light", desk}, {"dark", look{width: 1280, height: 900, dark: true}}, {"phone", phone}, {"print", look{width: 800, height: 1100, print: true}}} {
		t.Run(p.name, func(t *testing.T) {
			b := newTab(t, browser, p.look)
			b.open(at.URL, "/")
			png := b.screenshot(0)
			if !bytes.HasPrefix(png, []byte("\x89PNG")) {
				t.Fatal("no picture")
			}
			if *shots != "" {
				save(t, filepath.Join(*shots, p.name+".png"), png)
			}
			if *update && p.name == "light" {
				png = b.screenshot(1500)
				save(t, "../../../docs/status-page.png", png)
				if len(png) > 250_000 {
					t.Errorf("docs/status-page.png has %d bytes", len(png))
				}
			}
		})
	}
}

func save(t *testing.T, path string, content []byte) {
	t.Helper()
	if err := os.WriteFile(path, content, 0o644); err != nil {
		t.Fatal(err)
	}
}

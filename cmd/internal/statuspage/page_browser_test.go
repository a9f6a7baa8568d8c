package statuspage

import (
	_ "embed"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

//go:embed testdata/contrast.js
var contrastScript string

//go:embed testdata/semantics.js
var semanticsScript string

//go:embed testdata/stop.js
var stopScript string

// leastContrast is WCAG 2's for text of any size, level AA.
const leastContrast = 4.5

// unfold opens all details.
const unfold = `document.querySelectorAll("details").forEach(d => d.open = true)`

func testContrast(t *testing.T, browser chromium) {
	at := serve(t, sample(14, 60)) // all colours
	for name, dark := range map[string]bool{"light": false, "dark": true} {
		t.Run(name, func(t *testing.T) {
			b := newTab(t, browser, look{width: 1280, height: 900, dark: dark})
			b.open(at.URL, "/explain?job=99")
			eval[any](b, unfold)
			found := eval[struct {
				Count int
				Worst []struct {
					Ratio       float64
					Text, Where string
				}
			}](b, contrastScript)
			if found.Count < 500 {
				t.Fatalf("only %d texts were found", found.Count)
			}
			t.Logf("%d texts, the least contrast is %.2f", found.Count, found.Worst[0].Ratio)
			for _, w := range found.Worst {
				if w.Ratio < leastContrast {
					t.Errorf("contrast %.2f: %q in %s", w.Ratio, w.Text, w.Where)
				}
			}
		})
	}
}

func testSemantics(t *testing.T, browser chromium) {
	empty := &Snapshot{Health: Health{Cluster: "testbed", Now: sampleNow, Mode: "observe"}}
	for name, s := range map[string]*Snapshot{"full": sample(8, 60), "empty": empty} {
		t.Run(name, func(t *testing.T) {
			at := serve(t, s)
			for _, path := range []string{"/", "/explain?job=2031", "/?user=bob&job=2031"} {
				b := newTab(t, browser, phone)
				b.open(at.URL, path)
				eval[any](b, unfold)
				for _, wrong := range eval[[]string](b, semanticsScript) {
					t.Errorf("%s: %s", path, wrong)
				}
				if text := eval[string](b, "document.body.innerText"); strings.Contains(text, "ZgotmplZ") {
					t.Error("the template refused a value")
				}
				if n := eval[int](b, `document.querySelectorAll("main b, main script").length`); n != 0 {
					t.Errorf("%d names became elements", n)
				}
			}
		})
	}
}

// testKeyboard walks through the page with the Tab key.
func testKeyboard(t *testing.T, browser chromium) {
	at := serve(t, sample(4, 12))
	b := newTab(t, browser, look{width: 1000, height: 700})
	b.open(at.URL, "/")
	b.pause()
	eval[any](b, unfold)
	want := eval[int](b, `window.all = [...document.querySelectorAll("a, button, input:not([type=hidden]), summary, [tabindex='0']")].filter(e => e.checkVisibility()); all.length`)
	if want < 50 {
		t.Fatalf("only %d controls were found", want)
	}
	last := -1
	for range want + 20 {
		b.do(chromedp.KeyEvent(kb.Tab))
		stop := eval[struct {
			Name   string
			Number int
			Seen   bool
		}](b, stopScript)
		if stop.Name == "" || stop.Number <= last { // once round
			break
		}
		if last = stop.Number; !stop.Seen {
			t.Errorf("one does not see that the focus is here: %s", stop.Name)
		}
	}
	for _, missed := range eval[[]string](b, `all.filter(e => !stops.has(e)).map(e => e.outerHTML.slice(0, 90))`) {
		t.Errorf("Tab does not reach %s", missed)
	}
	// The skip link is the first, and leads past the navigation.
	b.open(at.URL, "/")
	b.do(chromedp.KeyEvent(kb.Tab), chromedp.KeyEvent(kb.Enter), chromedp.KeyEvent(kb.Tab))
	b.wait(`document.activeElement.closest("main") !== null`)
}

// testNarrow looks for what makes a phone scroll sideways.
func testNarrow(t *testing.T, browser chromium) {
	at := serve(t, sample(8, 60))
	for _, width := range []int64{360, 320} {
		for _, path := range []string{"/", "/explain?job=2031"} {
			b := newTab(t, browser, look{width: width, height: 740})
			b.open(at.URL, path)
			eval[any](b, unfold)
			if wide := eval[int64](b, "document.documentElement.scrollWidth"); wide > width {
				t.Errorf("%s is %d pixels wide on a phone of %d", path, wide, width)
				for _, e := range eval[[]string](b, `[...document.querySelectorAll("body *")].filter(e => !e.closest(".wide *, nav ul *") && e.getBoundingClientRect().right > innerWidth + 1).map(e => e.outerHTML.slice(0, 120))`) {
					t.Log(e)
				}
			}
		}
	}
}

// testNoScript asks for a job where scripts are switched off.
func testNoScript(t *testing.T, browser chromium) {
	at := serve(t, sample(8, 60))
	b := newTab(t, browser, look{width: 1000, height: 700, noScript: true})
	b.open(at.URL, "/?all=1")
	if got := eval[int](b, `document.querySelectorAll("thead button").length`); got != 0 {
		t.Fatal("the script runs")
	}
	if eval[bool](b, `document.getElementById("pause").checkVisibility()`) {
		t.Error("a button is there that does nothing without a script")
	}
	b.do(chromedp.SendKeys(chromedp.CSS("#explain-form input[name=job]"), "2031_4"))
	if _, err := chromedp.RunResponse(b.ctx, chromedp.KeyEvent(kb.Enter)); err != nil {
		t.Fatal(err)
	}
	if got := eval[string](b, `document.getElementById("explained").textContent`); !strings.HasPrefix(got, "job 2031_[0-63%4] of grace ") {
		t.Errorf("explained %q", got)
	}
	if got := eval[string](b, "location.pathname + location.search"); got != "/under/explain?all=1&job=2031_4" {
		t.Errorf("at %q", got)
	}
	// Refreshing stays there, and a link leads back.
	if _, err := chromedp.RunResponse(b.ctx, chromedp.Click(chromedp.CSS(".refresh a"))); err != nil {
		t.Fatal(err)
	}
	if got := eval[string](b, "location.pathname + location.search"); got != "/under/explain?all=1&job=2031_4" {
		t.Errorf("refreshed to %q", got)
	}
	if _, err := chromedp.RunResponse(b.ctx, chromedp.Click(chromedp.CSS("#explain p a"))); err != nil {
		t.Fatal(err)
	}
	if got := eval[string](b, "location.pathname + location.search"); got != "/under/?all=1" {
		t.Errorf("closed to %q", got)
	}
}

// testLarge loads the page of 300 users and 20 000 pending jobs.
func testLarge(t *testing.T, browser chromium) {
	at := serve(t, taken(t, 300, 20_000))
	for name, l := range map[string]look{"desk": desk, "phone": phone} {
		t.Run(name, func(t *testing.T) {
			b := newTab(t, browser, l)
			b.open(at.URL, "/")
			b.wait(`document.querySelector("thead button") !== null`)
			b.pause()
			found := eval[struct{ Bytes, Load, Lanes, Rows, Wide float64 }](b, `(() => {
				const n = performance.getEntriesByType("navigation")[0];
				return {bytes: n.decodedBodySize, load: n.loadEventEnd, lanes: document.querySelectorAll(".lane").length,
					rows: document.querySelectorAll("#queue-t tbody tr").length, wide: document.documentElement.scrollWidth};
			})()`)
			t.Logf("%.0f kB, loaded after %.0f ms", found.Bytes/1000, found.Load)
			if found.Bytes > mostBytes || found.Lanes != laneRows || found.Rows != queueRows || found.Wide > float64(l.width) {
				t.Errorf("loaded %+v", found)
			}
			if found.Load > float64(time.Minute.Milliseconds()) {
				t.Errorf("the page took %.0f ms to load", found.Load)
			}
			// All of it is more than anybody reads, but it must not hang.
			b.open(at.URL, "/?all=1")
			b.wait(`document.querySelectorAll(".lane").length === 300 && document.querySelector("thead button") !== null`)
			t.Logf("all of it: %s ms", eval[string](b, `performance.getEntriesByType("navigation")[0].loadEventEnd.toFixed()`))
		})
	}
}

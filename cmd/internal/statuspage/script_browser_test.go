package statuspage

import (
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// pause stops the refreshing of the page, and leaves the focus where it is.
func (b *tab) pause() {
	b.Helper()
	eval[any](b, `document.getElementById("pause").click()`)
	b.wait(`document.getElementById("pause").getAttribute("aria-pressed") === "true"`)
}

// refresh makes the page ask at once rather than after some seconds.
func (b *tab) refresh() {
	b.Helper()
	eval[any](b, `document.dispatchEvent(new Event("visibilitychange"))`)
}

// testRefresh changes the snapshot while somebody reads, types and has folded
// things open.
func testRefresh(t *testing.T, browser chromium) {
	at := serve(t, sample(8, 60))
	b := newTab(t, browser, look{width: 1000, height: 700})
	b.open(at.URL, "/")
	b.do(chromedp.SendKeys(chromedp.CSS("#explain-form input[name=job]"), "203"))
	eval[any](b, unfold)
	before := eval[[2]float64](b, `(() => {
		document.querySelector("#queue .tall").scrollTop = 120;
		scrollTo({top: 900, behavior: "instant"});
		window.same = document.activeElement;
		window.row = document.querySelector("#queue-t tbody tr:nth-child(5)");
		return [scrollY, document.querySelector("#queue .tall").scrollTop];
	})()`)
	if before[0] == 0 || before[1] == 0 {
		t.Fatalf("nothing scrolled: %v", before)
	}
	next := sample(8, 60)
	next.cycle.Plan.Entries = next.cycle.Plan.Entries[1:] // the first has started
	next.Health.Channel = "nice"
	at.now.Store(next)
	b.refresh()
	b.wait(`document.getElementById("strip").textContent.includes("through nice")`)
	after := eval[[2]float64](b, `[scrollY, document.querySelector("#queue .tall").scrollTop]`)
	if after[0] != before[0] || after[1] > before[1] || after[1] < before[1]-60 {
		t.Errorf("scrolled to %v, before to %v", after, before)
	}
	for what, expression := range map[string]string{
		"the focus":          `document.activeElement === window.same && same.name === "job"`,
		"the typed text":     `window.same.value === "203"`,
		"open details":       `[...document.querySelectorAll("details")].every(d => d.open)`,
		"a row that stays":   `window.row.isConnected && window.row === document.querySelector("#queue-t tbody tr:nth-child(4)")`,
		"the sort buttons":   `document.querySelectorAll("#queue-t thead button").length === 10`,
		"the row that left":  `document.querySelectorAll("#queue-t tbody tr").length === 59`,
		"the lost word":      `document.getElementById("lost").hidden`,
		"the button to stop": `document.getElementById("pause").checkVisibility()`,
	} {
		if !eval[bool](b, expression) {
			t.Errorf("not as it should be after a refresh: %s", what)
		}
	}
	// By itself, too.
	asked := at.asked.Load()
	next = sample(8, 60)
	next.Health.Channel = "priority"
	at.now.Store(next)
	b.wait(`document.getElementById("strip").textContent.includes("through priority")`)
	if at.asked.Load() == asked {
		t.Error("the page was not asked for")
	}
}

// testLost closes the server under the page.
func testLost(t *testing.T, browser chromium) {
	at := serve(t, sample(8, 60))
	b := newTab(t, browser, desk)
	b.expected = []string{"net::ERR_", "Failed to load resource"}
	b.open(at.URL, "/")
	b.wait(`document.querySelector("thead button") !== null`)
	at.CloseClientConnections()
	at.Close()
	b.refresh()
	b.wait(`document.getElementById("lost").checkVisibility()`)
	if got := eval[string](b, `document.getElementById("lost").textContent`); len(got) < 20 {
		t.Errorf("says %q", got)
	}
	if !eval[bool](b, `document.querySelectorAll("#queue-t tbody tr").length === 60`) {
		t.Error("what was there is gone")
	}
}

func testSort(t *testing.T, browser chromium) {
	at := serve(t, sample(8, 60))
	b := newTab(t, browser, desk)
	b.open(at.URL, "/")
	b.wait(`document.querySelector("#queue-t thead button") !== null`)
	const ranks = `[...document.querySelectorAll("#queue-t tbody tr")].map(r => Number(r.cells[3].textContent))`
	rising := func(down bool) string {
		if down {
			return ranks + `.every((x, i, all) => i === 0 || all[i - 1] > x)`
		}
		return ranks + `.every((x, i, all) => i === 0 || all[i - 1] < x)`
	}
	if eval[bool](b, rising(false)) {
		t.Fatal("sorted by Slurm's rank from the start")
	}
	b.do(chromedp.Focus(chromedp.CSS("#queue-t th:nth-child(4) button")), chromedp.KeyEvent(kb.Enter))
	b.wait(`document.querySelector("#queue-t th:nth-child(4)").getAttribute("aria-sort") === "ascending"`)
	if !eval[bool](b, rising(false)) {
		t.Error("not sorted by Slurm's rank")
	}
	b.do(chromedp.KeyEvent(kb.Enter))
	b.wait(`document.querySelector("#queue-t th:nth-child(4)").getAttribute("aria-sort") === "descending"`)
	if !eval[bool](b, rising(true)) {
		t.Error("not sorted the other way")
	}
	next := sample(8, 60)
	next.Health.Channel = "nice"
	at.now.Store(next)
	b.refresh()
	b.wait(`document.getElementById("strip").textContent.includes("through nice")`)
	if !eval[bool](b, rising(true)) || !eval[bool](b, `document.activeElement.closest("th")?.cellIndex === 3`) {
		t.Error("no longer sorted, or the focus is lost, after a refresh")
	}
	// Times go by their moments, and "never" comes last.
	b.do(chromedp.Click(chromedp.CSS("#campaigns-t th:nth-child(11) button")))
	const bounds = `[...document.querySelectorAll("#campaigns-t tbody tr")].map(r => Date.parse(r.cells[10].querySelector("time")?.dateTime ?? "9999-01-01"))`
	if !eval[bool](b, bounds+`.every((x, i, all) => i === 0 || all[i - 1] <= x)`) {
		t.Error("bounds are not sorted")
	}
}

// testLight looks at one user.
func testLight(t *testing.T, browser chromium) {
	at := serve(t, sample(8, 60))
	b := newTab(t, browser, desk)
	b.open(at.URL, "/")
	b.wait(`document.querySelector("thead button") !== null`)
	const lit = `[...new Set([...document.querySelectorAll(".hot")].map(e => e.dataset.user))].join()`
	b.do(chromedp.Focus(chromedp.CSS(`.lane[data-user="2"] a`)))
	b.wait(lit + ` === "2"`)
	for _, part := range []string{".lane", ".part", "#shares-t tr", "#campaigns-t tr", "#queue-t tr"} {
		if eval[int](b, `document.querySelectorAll("`+part+`.hot").length`) == 0 {
			t.Errorf("nothing lit in %s", part)
		}
	}
	b.refresh()
	b.wait(`document.querySelector("main").classList.contains("cooler")`)
	b.do(chromedp.Focus(chromedp.CSS("#pause")))
	b.wait(lit + ` === ""`)
}

// testExplainScript asks in place.
func testExplainScript(t *testing.T, browser chromium) {
	at := serve(t, sample(8, 60))
	b := newTab(t, browser, desk)
	b.open(at.URL, "/?all=1")
	b.wait(`document.querySelector("thead button") !== null`)
	eval[any](b, `window.same = document.querySelector("main")`)
	b.do(chromedp.SendKeys(chromedp.CSS("#explain-form input[name=job]"), "2031"), chromedp.KeyEvent(kb.Enter))
	b.wait(`document.getElementById("explained")?.textContent.includes("job 2031_[0-63%4] of grace")`)
	b.wait(`document.activeElement.id === "explained" && location.search === "?all=1&job=2031"`)
	if !eval[bool](b, `window.same?.isConnected`) {
		t.Error("the page was loaded anew")
	}
	b.do(chromedp.SetValue(chromedp.CSS("#explain-form input[name=job]"), "99"), chromedp.Focus(chromedp.CSS("#explain-form input[name=job]")), chromedp.KeyEvent(kb.Enter))
	b.wait(`document.getElementById("explained").textContent.includes("neither in the queue")`)
}

package reports

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/firmproof/firmproof/verifier/verdict"
)

// pageOf writes the page of the fixture and returns its address.
func pageOf(t *testing.T) string {
	t.Helper()
	page, err := HTML(fixture(t), TextOptions{Source: fixtureSource, Check: "firmproof check .",
		Date:   "2026-11-22 06:00 UTC",
		Commit: "0123456789"})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "report.html")
	if err := os.WriteFile(file, page, 0o644); err != nil {
		t.Fatal(err)
	}
	return "file://" + file
}

// TestPage opens the page as a reader does: the first screen says what breaks, the viewer steps through the source by
// keyboard and links to a step, filters leave out rows, and nothing is asked for from elsewhere.
func TestPage(t *testing.T) {
	address := pageOf(t)
	b := newBrowser(t, 1280, 900, false)
	b.open(address)
	b.shot("report.png")
	if top := b.eval(`Math.max(...[...document.querySelectorAll('table')[0].querySelectorAll('tr')].map(r => r.getBoundingClientRect().bottom)) < 900`); top != "true" {
		t.Error("what breaks is not on the first screen")
	}
	b.open(address + "?trace=2&step=71")
	b.shot("trace.png")
	at := func() string { return b.eval(`document.querySelector('[data-trace="2"] .where').textContent`) }
	if got := at(); !strings.Contains(got, "step 71 of 71") || !strings.Contains(got, "src/rx.c:20") {
		t.Errorf("at the failure: %q", got)
	}
	if got := b.eval(`document.querySelector('[data-trace="2"] .source .here').textContent`); !strings.Contains(got,
		"rx->buffer[rx->at] = byte;") || !strings.Contains(got, "rx.at = 10") {
		t.Errorf("the line of the failure: %q", got)
	}
	b.eval(`document.querySelector('[data-trace="2"] .steps').focus()`)
	b.press("c")
	if got := at(); strings.Contains(got, "step 71 ") {
		t.Errorf("the cause is the failure itself: %q", got)
	}
	b.shot("why.png")
	b.press("G")
	b.press("k")
	before := at()
	b.press("j")
	if got := at(); !strings.Contains(got, "step 71 ") || before == got {
		t.Errorf("k and j: %q, %q", before, got)
	}
	b.press("p")
	if got := b.eval(`document.querySelector('[data-trace="2"] .steps .here').textContent`); !strings.Contains(got,
		" = ") {
		t.Errorf("the last change: %q", got)
	}
	if got := b.eval(`new URLSearchParams(location.search).get('step')`); got == "71" || got == "<nil>" {
		t.Errorf("the address names step %s", got)
	}
	b.press("G")
	b.press("m")
	b.press("x")
	if got := b.eval(`document.querySelector('[data-trace="2"] .vars').textContent`); !strings.Contains(got, "0x") {
		t.Errorf("no hexadecimal: %q", got)
	}
	b.eval(`document.querySelector('[data-trace="2"] [data-tab=bytes]').click()`)
	if got := b.eval(`document.querySelectorAll('[data-trace="2"] .byte.hit').length`); got != "1" {
		t.Errorf("%s bytes are hit", got)
	}
	b.shot("bytes.png")
	b.eval(`(s => { s.value = 'div-by-zero'; s.dispatchEvent(new Event('input', {bubbles: true})) })(document.querySelector('#filters [name=check]'))`)
	if got := b.eval(`[...document.querySelectorAll('tr[data-status=violated]')].filter(r => !r.hidden).length`); got != "1" {
		t.Errorf("%s rows left by the filter", got)
	}
	b.quiet(address)
}

// TestPageNarrow: on a phone nothing is wider than the screen, in the dark either, and all text has enough contrast.
func TestPageNarrow(t *testing.T) {
	address := pageOf(t)
	b := newBrowser(t, 360, 740, true)
	b.open(address)
	b.shot("narrow.png")
	if got := b.eval(`document.documentElement.scrollWidth`); !fits(got) {
		t.Errorf("the page is %s pixels wide", got)
	}
	if got := b.eval(contrast); got != "" {
		t.Errorf("too little contrast: %s", got)
	}
	b.open(address + "?trace=2&step=60")
	b.shot("narrow-trace.png")
	if got := b.eval(`document.documentElement.scrollWidth`); !fits(got) {
		t.Errorf("the trace is %s pixels wide", got)
	}
	if got := b.eval(contrast); got != "" {
		t.Errorf("too little contrast: %s", got)
	}
	b.call("Emulation.setEmulatedMedia", map[string]any{"features": []map[string]string{{"name": "prefers-color-scheme",
		"value": "light"}}}, nil)
	if got := b.eval(contrast); got != "" {
		t.Errorf("too little contrast in the light: %s", got)
	}
	b.quiet(address)
}

// TestPageLong: a trace of 100,000 steps opens in less than two seconds, and scrolls with few elements.
func TestPageLong(t *testing.T) {
	r := fixture(t)
	for i := range r.Results {
		res := &r.Results[i]
		for j := range res.Claims {
			if c := &res.Claims[j]; c.Status == verdict.Violated && c.Check == verdict.Memory {
				c.Trace = longTrace(c.Trace, 100_000)
			}
		}
	}
	r.Results = r.Results[:1]
	page, err := HTML(r, TextOptions{Source: fixtureSource})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "long.html")
	if err := os.WriteFile(file, page, 0o644); err != nil {
		t.Fatal(err)
	}
	b := newBrowser(t, 1280, 900, false)
	b.open("file://" + file)
	took := b.eval(`performance.getEntriesByType('navigation')[0].loadEventEnd`)
	t.Logf("%d bytes, loaded in %s ms", len(page), took)
	if ms, err := strconv.ParseFloat(took, 64); err != nil || ms > 2000*slowMachine {
		t.Errorf("loaded in %s ms", took)
	}
	if got := b.eval(`document.querySelector('.where').textContent`); !strings.Contains(got, "of 100000") {
		t.Errorf("shows %q", got)
	}
	b.eval(`document.querySelector('.steps').focus()`)
	for _, key := range []string{"m", "g", "j", "j", "G", "k"} {
		b.press(key)
	}
	if got := b.eval(`document.querySelectorAll('.row').length < 200`); got != "true" {
		t.Error("the lists are drawn as a whole")
	}
	b.quiet("file://" + file)
}

// slowMachine stretches limits of time where other work goes on beside the test.
const slowMachine = 5

// longTrace repeats the middle of a trace until it has n steps.
func longTrace(steps []verdict.Step, n int) []verdict.Step {
	first, middle, last := steps[:3], steps[3:len(steps)-3], steps[len(steps)-3:]
	out := append([]verdict.Step(nil), first...)
	for len(out) < n-len(last) {
		s := middle[len(out)%len(middle)]
		s.Causes = nil
		out = append(out, s)
	}
	return append(out, last...)
}

// contrast lists texts whose contrast with what is behind them is below 4.5 (WCAG 2.2, 1.4.3).
const contrast = `(() => {
  const rgb = c => (c.match(/[\d.]+/g) || []).map(Number);
  const light = ([r, g, b]) => { const f = v => { v /= 255; return v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4; }; return 0.2126 * f(r) + 0.7152 * f(g) + 0.0722 * f(b); };
  const behind = e => { for (; e; e = e.parentElement) { const c = rgb(getComputedStyle(e).backgroundColor); if (c.length === 3 || c[3] > 0) return c; } return [255, 255, 255]; };
  const out = [];
  for (const e of document.querySelectorAll('body *')) {
    if (!e.checkVisibility() || ![...e.childNodes].some(n => n.nodeType === 3 && n.textContent.trim())) continue;
    if (['SCRIPT', 'STYLE', 'OPTION', 'NOSCRIPT'].includes(e.tagName)) continue;
    let opacity = 1;
    for (let p = e; p; p = p.parentElement) opacity *= getComputedStyle(p).opacity;
    const back = behind(e), text = rgb(getComputedStyle(e).color).slice(0, 3).map((v, i) => v * opacity + back[i] * (1 - opacity));
    const [a, b] = [light(text), light(back)].sort((x, y) => y - x);
    if ((a + 0.05) / (b + 0.05) < 4.5) out.push(e.tagName + '.' + e.className + ' ' + e.textContent.trim().slice(0, 30) + ' ' + ((a + 0.05) / (b + 0.05)).toFixed(2));
  }
  return [...new Set(out)].slice(0, 10).join('; ');
})()`

// fits reports whether so many pixels are no more than the phone has.
func fits(pixels string) bool {
	n, err := strconv.Atoi(pixels)
	return err == nil && n <= 360
}

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
	return written(t, fixture(t), TextOptions{Source: fixtureSource, Check: "firmproof check .",
		Date: "2026-11-22 06:00 UTC", Commit: "0123456789"})
}

// written writes the page of a report and returns its address.
func written(t *testing.T, r *verdict.Report, o TextOptions) string {
	t.Helper()
	page, err := HTML(r, o)
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
	b := chromium.Page(t, 1280, 900, false)
	b.Open(address)
	if top := b.Eval(`Math.max(...[...document.querySelectorAll('table')[0].querySelectorAll('tr')].map(r => r.getBoundingClientRect().bottom)) < 900`); top != "true" {
		t.Error("what breaks is not on the first screen")
	}
	b.Open(address + "?trace=2&step=71")
	chromium.Looks(t, b, "trace")
	at := func() string { return b.Eval(`document.querySelector('[data-trace="2"] .where').textContent`) }
	if got := at(); !strings.Contains(got, "step 71 of 71") || !strings.Contains(got, "src/rx.c:20") {
		t.Errorf("at the failure: %q", got)
	}
	if got := b.Eval(`document.querySelector('[data-trace="2"] .source .here').textContent`); !strings.Contains(got,
		"rx->buffer[rx->at] = byte;") || !strings.Contains(got, "rx.at = 10") {
		t.Errorf("the line of the failure: %q", got)
	}
	b.Eval(`document.querySelector('[data-trace="2"] .steps').focus()`)
	b.Press("c")
	if got := at(); strings.Contains(got, "step 71 ") {
		t.Errorf("the cause is the failure itself: %q", got)
	}
	b.Press("G")
	b.Press("k")
	before := at()
	b.Press("j")
	if got := at(); !strings.Contains(got, "step 71 ") || before == got {
		t.Errorf("k and j: %q, %q", before, got)
	}
	b.Press("p")
	if got := b.Eval(`document.querySelector('[data-trace="2"] .steps .here').textContent`); !strings.Contains(got,
		" = ") {
		t.Errorf("the last change: %q", got)
	}
	if got := b.Eval(`new URLSearchParams(location.search).get('step')`); got == "71" || got == "<nil>" {
		t.Errorf("the address names step %s", got)
	}
	b.Press("G")
	b.Press("m")
	b.Press("x")
	if got := b.Eval(`document.querySelector('[data-trace="2"] .vars').textContent`); !strings.Contains(got, "0x") {
		t.Errorf("no hexadecimal: %q", got)
	}
	b.Eval(`document.querySelector('[data-trace="2"] [data-tab=bytes]').click()`)
	if got := b.Eval(`document.querySelectorAll('[data-trace="2"] .byte.hit').length`); got != "1" {
		t.Errorf("%s bytes are hit", got)
	}
	b.Eval(`(s => { s.value = 'div-by-zero'; s.dispatchEvent(new Event('input', {bubbles: true})) })(document.querySelector('#filters [name=check]'))`)
	if got := b.Eval(`[...document.querySelectorAll('tr[data-status=violated]')].filter(r => !r.hidden).length`); got != "1" {
		t.Errorf("%s rows left by the filter", got)
	}
	b.Quiet(address)
}

// equalNames is the trace of a program whose function count calls itself; it has a variable i, and so has main.
func equalNames() []verdict.Step {
	step := func(kind verdict.StepKind, line, depth int, fn, what, value string, object, frame int) verdict.Step {
		return verdict.Step{Kind: kind, Pos: verdict.Pos{File: "src/count.c", Line: line, Function: fn}, What: what,
			Value: value, Depth: depth, Object: object, Frame: frame}
	}
	call := func(depth int, from, what, value string) verdict.Step {
		return step(verdict.StepCall, 5, depth, from, what, value, 0, 0)
	}
	set := func(line, depth int, fn, value string, object int) verdict.Step {
		return step(verdict.StepAssign, line, depth, fn, "i", value, object, depth+1)
	}
	steps := []verdict.Step{call(0, "", "main", ""), set(2, 0, "main", "7", 1),
		call(1, "main", "count", "n = 1"), set(11, 1, "count", "1", 2),
		call(2, "count", "count", "n = 0"), set(11, 2, "count", "0", 3),
		set(12, 1, "count", "41", 2), set(3, 0, "main", "8", 1),
		step(verdict.StepViolation, 4, 0, "main", "assertion failed: i != 8", "i = 8", 0, 0)}
	for i := range steps {
		steps[i].Relevant = true
	}
	steps[6].Causes, steps[7].Causes, steps[8].Causes = []int{5, 3}, []int{6, 1}, []int{7}
	return steps
}

// TestPageEqualNames: variables of one name are as many variables as there are calls that have them.
func TestPageEqualNames(t *testing.T) {
	r := fixture(t)
	res := &r.Results[0]
	for j := range res.Claims {
		if c := &res.Claims[j]; len(c.Trace) > 0 {
			c.Trace = equalNames()
			res.Claims = res.Claims[j : j+1]
			break
		}
	}
	r.Results = r.Results[:1]
	address := written(t, r, TextOptions{})
	b := chromium.Page(t, 1280, 900, false)
	b.Open(address + "?trace=1&step=8")
	b.Eval(`document.querySelector('.steps').focus()`)
	at := func() string { return b.Eval(`document.querySelector('.where').textContent`) }
	rows := func() string {
		return b.Eval(`[...document.querySelectorAll('.vars tbody tr')].map(r =>
			[...r.querySelectorAll('td')].slice(0, 4).map(c => c.textContent).join(' ')).join('; ')`)
	}
	if got := rows(); got != "● i main 8 7" {
		t.Errorf("variables of main: %s", got)
	}
	for _, k := range []struct{ key, want string }{{"p", "step 2 "}, {"n", "step 8 "}, {"c", "step 7 "}, {"p", "step 4 "},
		{"n", "step 7 "}, {"c", "step 6 "}, {"n", "step 6 "}, {"p", "step 6 "}} {
		b.Press(k.key)
		if got := at(); !strings.HasPrefix(got, k.want) {
			t.Errorf("%s leads to %q, not %q", k.key, got, k.want)
		}
	}
	b.Eval(`document.querySelector('[data-tab=now]').click()`)
	if got, want := rows(), "● i count, call 2 of 2 0 ; i count, call 1 of 2 1 ; i main 7 "; got != want {
		t.Errorf("variables in the inner call: %s\nwant: %s", got, want)
	}
	if got := b.Eval(`document.querySelector('.stack').textContent`); !strings.Contains(got, "count, call 2 of 2") {
		t.Errorf("calls: %s", got)
	}
	b.Eval(`document.querySelector('[data-tab=time]').click()`)
	if got, want := rows(), "i main 78; i count, call 1 of 2 141; i count, call 2 of 2 0"; got != want {
		t.Errorf("values over time: %s\nwant: %s", got, want)
	}
	b.Quiet(address)
}

// TestPageCycle: stepping past the end of a run that never ends goes round its cycle, and back.
func TestPageCycle(t *testing.T) {
	r := fixture(t)
	r.Results = r.Results[:1]
	res := &r.Results[0]
	for j := range res.Claims {
		if c := &res.Claims[j]; len(c.Trace) > 9 {
			c.Check, c.Message, c.Trace, c.Cycle = verdict.Termination, "this run never ends", c.Trace[:9], 7
			res.Claims = res.Claims[j : j+1]
			break
		}
	}
	page, err := HTML(r, TextOptions{Source: fixtureSource})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "cycle.html")
	if err := os.WriteFile(file, page, 0o644); err != nil {
		t.Fatal(err)
	}
	b := chromium.Page(t, 1280, 900, false)
	b.Open("file://" + file + "?trace=1&step=9")
	at := func() string { return b.Eval(`document.querySelector('.where').textContent`) }
	if got := b.Eval(`document.querySelector('.viewer').textContent`); !strings.Contains(got,
		"Steps 7 to 9 repeat for ever") {
		t.Errorf("the cycle is not told: %s", got)
	}
	b.Eval(`document.querySelector('.steps').focus()`)
	for _, step := range []struct{ key, want string }{{"j", "step 7 of 9, round 2"}, {"k", "step 9 of 9, round 1"},
		{"j", "step 7 of 9, round 2"}, {"g", "step 1 of 9 "}, {"G", "step 9 of 9, round 1"}} {
		b.Press(step.key)
		if got := at(); !strings.HasPrefix(got, step.want) {
			t.Errorf("%s leads to %q, not %q", step.key, got, step.want)
		}
	}
	b.Quiet("file://" + file)
}

// TestPageNarrow: on a phone nothing is wider than the screen, in the dark either, and all text has enough contrast.
func TestPageNarrow(t *testing.T) {
	address := pageOf(t)
	b := chromium.Page(t, 360, 740, true)
	b.Open(address)
	chromium.Looks(t, b, "report-narrow-dark")
	if got := b.Eval(`document.documentElement.scrollWidth`); !fits(got) {
		t.Errorf("the page is %s pixels wide", got)
	}
	if got := b.Contrast(); got != "" {
		t.Errorf("too little contrast: %s", got)
	}
	b.Open(address + "?trace=2&step=60")
	chromium.Looks(t, b, "trace-narrow-dark")
	if got := b.Eval(`document.documentElement.scrollWidth`); !fits(got) {
		t.Errorf("the trace is %s pixels wide", got)
	}
	if got := b.Contrast(); got != "" {
		t.Errorf("too little contrast: %s", got)
	}
	b.Scheme(false)
	if got := b.Contrast(); got != "" {
		t.Errorf("too little contrast in the light: %s", got)
	}
	b.Quiet(address)
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
	b := chromium.Page(t, 1280, 900, false)
	b.Open("file://" + file)
	took := b.Eval(`performance.getEntriesByType('navigation')[0].loadEventEnd`)
	t.Logf("%d bytes, loaded in %s ms", len(page), took)
	if ms, err := strconv.ParseFloat(took, 64); err != nil || ms > 2000*slowMachine {
		t.Errorf("loaded in %s ms", took)
	}
	if got := b.Eval(`document.querySelector('.where').textContent`); !strings.Contains(got, "of 100000") {
		t.Errorf("shows %q", got)
	}
	b.Eval(`document.querySelector('.steps').focus()`)
	for _, key := range []string{"m", "g", "j", "j", "G", "k"} {
		b.Press(key)
	}
	if got := b.Eval(`document.querySelectorAll('.row').length < 200`); got != "true" {
		t.Error("the lists are drawn as a whole")
	}
	b.Quiet("file://" + file)
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

// TestPageForAll: axe-core finds nothing serious on the page, wide in the light and on a phone in the dark, with
// everything opened and a counterexample shown.
func TestPageForAll(t *testing.T) {
	r := fixture(t)
	r.Results = r.Results[:5] // of one target
	r.Results[0].Coverage = coverageFixture().Results[0].Coverage
	page, err := HTML(r, TextOptions{Source: fixtureSource})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "report.html")
	if err := os.WriteFile(file, page, 0o644); err != nil {
		t.Fatal(err)
	}
	b := chromium.Page(t, 360, 900, true)
	b.Open("file://" + file + "?trace=2&step=60")
	chromium.Usable(t, b)
	b.Size(1280, 900)
	b.Scheme(false)
	chromium.Usable(t, b)
}

// fits reports whether so many pixels are no more than the phone has.
func fits(pixels string) bool {
	n, err := strconv.Atoi(pixels)
	return err == nil && n <= 360
}

package reports

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/firmproof/firmproof/verifier/verdict"
)

// largeReport has 200 harnesses with 5,000 claims in 20 files: 4 are violated, 10 unknown, and each harness has a proof
// that it ends, a runtime bound, a loop that went to its bound, and an assumption of its own.
func largeReport() *verdict.Report {
	r := &verdict.Report{Version: 1, Tool: verdict.Tool{Name: "firmproof"}}
	for h := range 200 {
		file, name := fmt.Sprintf("src/module%02d/driver%02d.c", h%5, h%20), fmt.Sprintf("driver%02d_step%d", h%20,
			h/20)
		at := verdict.Pos{File: file, Line: 40 + h, Function: name}
		res := verdict.Result{Target: "cortex-m4", Entry: "firmproof_call_" + name, DurationMS: 1200,
			Assumptions: []verdict.Assumption{verdict.Assume("", verdict.Meaning, verdict.Read,
				fmt.Sprintf("any call of %s: `data` leads to 1 to 16 elements", name))},
			Bounds: verdict.Bounds{Loops: []verdict.LoopBound{{Name: name + ".0", Pos: at, Turns: 8}}},
			Complexity: &verdict.Complexity{Bound: fmt.Sprintf("12 + %d*n", h), Class: "O(n)",
				Loops: []verdict.LoopTurns{{Name: name + ".0", Pos: at, Bound: "n"}}, Runs: []verdict.CountedRun{
					{At: 0, Executed: 5, Bound: "12"}, {At: 1, Executed: 9, Bound: "20"},
					{At: 2, Executed: 19, Bound: "40"}}}}
		for i := range 24 {
			c := verdict.Claim{ID: fmt.Sprintf("memory@%s#%d", name, i), Check: verdict.Memory, Status: verdict.Bounded,
				Message: "index in bounds", Pos: verdict.Pos{File: file, Line: 40 + h + i, Function: name}}
			switch {
			case h%50 == 7 && i == 3:
				c.Status, c.Message, c.Replay = verdict.Violated, "index 10 out of bounds of `rx` (10 elements)",
					verdict.Confirmed
				c.Trace = []verdict.Step{{Pos: c.Pos, Kind: verdict.StepViolation, What: c.Message}}
			case h%20 == 9 && i == 5:
				c.Status, c.Reason = verdict.Unknown, &verdict.Reason{Kind: verdict.Unsupported,
					Detail: "inline assembly",
					Pos:    &c.Pos}
			}
			res.Claims = append(res.Claims, c)
		}
		res.Claims = append(res.Claims, verdict.Claim{ID: "termination@" + name, Check: verdict.Termination,
			Status: verdict.Proved, Message: "every run ends", Pos: at, Certificate: &verdict.Certificate{
				Method: "ranking function", Detail: []string{fmt.Sprintf("at %s:%d: n - i", file, at.Line)},
				Diagrams: []verdict.Diagram{looping}}})
		res.Summarise()
		r.Results = append(r.Results, res)
	}
	return r
}

// TestPageLarge: the report of a large project fits a few screens, what breaks is on the first; proofs are found by file and
// function, and by the filters.
func TestPageLarge(t *testing.T) {
	address := written(t, largeReport(), TextOptions{})
	b := chromium.Page(t, 1280, 900, false)
	b.Open(address)
	tall := b.Eval(`document.documentElement.scrollHeight`)
	t.Logf("%s pixels, loaded in %s ms", tall,
		b.Eval(`performance.getEntriesByType('navigation')[0].loadEventEnd`))
	if n, err := strconv.Atoi(tall); err != nil || n > 7*900 {
		t.Errorf("the page is %s pixels tall", tall)
	}
	if got := b.Eval(`document.querySelector('.matrix tbody').rows.length + ' ' + document.querySelector('.matrix tbody tr').textContent`); !strings.HasPrefix(got,
		"14 ") || !strings.Contains(got, "✗ violated") {
		t.Errorf("the table of verifications begins with %s", got)
	}
	groups := func() string {
		return b.Eval(`(l => l.length + ' ' + l.map(d => d.querySelector('summary').textContent + (d.open ? ' open' : '')).join('|'))(` +
			`[...document.querySelectorAll('details.file:not([hidden])')].filter(d => d.querySelector('[data-status]')))`)
	}
	if got := groups(); !strings.HasPrefix(got, "20 ") || !strings.Contains(got,
		"src/module02/driver07.c 10 functions, 238 bounded, 10 proved") {
		t.Errorf("functions are grouped as %s", got)
	}
	b.Eval(`(s => { s.value = 'driver07_step2'; s.dispatchEvent(new Event('input', {bubbles: true})) })(document.querySelector('#filters input'))`)
	if got := groups(); !strings.HasPrefix(got, "1 src/module02/driver07.c") || !strings.HasSuffix(got, " open") {
		t.Errorf("the filter leaves %s", got)
	}
	b.Quiet(address)
}

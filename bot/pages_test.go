package bot_test

import (
	"context"
	"regexp"
	"strings"
	"testing"

	"github.com/firmproof/firmproof/pipeline"
	"github.com/firmproof/firmproof/pipeline/store"
	headless "github.com/firmproof/firmproof/reports/browser"
	"github.com/firmproof/firmproof/verifier/verdict"
)

var chromium headless.Suite // of all tests here

// painter is a reader whose violations have two steps, and which says what is reached, and proves that runs end.
type painter struct{ reader }

// turning is a transition system with a loop.
var turning = verdict.Diagram{Title: "transition system", Nodes: [][]string{{"start"},
	{"main:2", "0 <= <b>i</b> <= 8"}},
	Edges: []verdict.Arrow{{From: 0, To: 1, Label: []string{"i := 0"}},
		{From: 1, To: 1, Label: []string{"i := i + 1"}}}}

// Verify implements pipeline.Checker.
func (c *painter) Verify(ctx context.Context, t pipeline.Task) (*verdict.Result, error) {
	r, err := c.reader.Verify(ctx, t)
	if err != nil {
		return nil, err
	}
	f := verdict.CoveredFunction{Pos: verdict.Pos{File: "main.c", Line: 1, Function: "main"}, Reach: verdict.Reached}
	for i := range r.Claims {
		c := &r.Claims[i]
		reach := verdict.Reached
		if c.Status == verdict.Violated {
			reach = verdict.BeyondBound
			c.Trace = append([]verdict.Step{{Pos: verdict.Pos{File: "main.c", Line: 1, Function: "main"},
				Kind: verdict.StepAssign, What: "<b>i</b>", Value: "8", Bytes: "08", Type: "int", Relevant: true}},
				c.Trace...)
			c.Certificate = &verdict.Certificate{Method: "lasso", Checked: "interpreter",
				Detail: []string{"stem: 1 step"}, Diagrams: []verdict.Diagram{turning}}
		}
		f.Lines = append(f.Lines, verdict.CoveredLine{Line: c.Pos.Line, Reach: reach})
	}
	r.Claims = append(r.Claims, verdict.Claim{ID: "termination@main", Check: verdict.Termination,
		Status:  verdict.Proved,
		Message: "every run ends", Pos: f.Pos, Certificate: &verdict.Certificate{Method: "ranking function",
			Detail: []string{"at main:2: 8 - i"}, Diagrams: []verdict.Diagram{turning}}})
	r.Coverage = &verdict.Coverage{Functions: []verdict.CoveredFunction{f}}
	return r, nil
}

// settle gives what differs from run to run on a page the same text: times, commits, names of runs.
const settle = `(() => {
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let n; (n = walk.nextNode());) {
    if (n.parentElement.closest('script')) continue;
    n.textContent = n.textContent.replace(/\d{4}-\d\d-\d\d \d\d:\d\d/g, '2026-11-22 06:00').replace(/\b[0-9a-f]{10}\b/g, '0123456789')
      .replace(/\b(\d+m)?\d+(\.\d+)?m?s\b/g, '1.2s')
      .replace(/(\d+ min )?\d+(\.\d+)? s\b/g, '1.2 s')
      .replace(/(less than a minute|\d+ (minute|hour|day)s?) ago/g, '2 days ago').replace(/\b\d+ [A-Z][a-z][a-z]\b/, '27 Nov')
      .replace(/ · for (less than a minute|\d+ [a-z]+)/, ' · for 2 days').replace(/^(less than a minute|\d+ (minute|hour|day)s?)$/, '2 days').replace(/branch for [^,]*/, 'branch for 2 days').replace(/#[0-9a-f]{6}\b/g, '#012345');
  }
  document.querySelectorAll('.plots figure:last-child').forEach(f => { f.style.visibility = 'hidden'; });
})()`

// TestPages opens every page of the server as a reader does, on a phone in the dark and on a desk in the light: nothing
// keeps anybody from using it, nothing is loaded from elsewhere, text of the repository stays text, and it looks as it
// did. Pages work without scripts and by keyboard, and lead to GitHub.
func TestPages(t *testing.T) {
	p := chromium.Page(t, 360, 740, true)
	w := newWorld(t, &painter{})
	w.tenant("acme/fw", "ann", true)
	for i, text := range []string{"int main\nfine\n", "int main\nfine\nbug <img src=x onerror=alert(1)>\n"} {
		w.push("main", text)
		w.await("the push", finished(2*(i+2)))
	}
	_, text, _ := w.browser("").open("/repos/acme/fw")
	runs := regexp.MustCompile(`href="(/runs/[^"#]+)"`).FindAllStringSubmatch(text, -1)
	links := regexp.MustCompile(`href="(/runs/[^"#]+)#entry-main"`).FindStringSubmatch(text)
	if len(runs) == 0 || links == nil {
		t.Fatalf("the repository's page leads to no run: %s", text)
	}
	target := links[1]
	finding := w.findingOf(target, "")
	w.searched(finding)
	aggregate := regexp.MustCompile(`<td><a href="(/runs/[^"#]+)"><time`).FindStringSubmatch(text)[1]
	for _, c := range []struct{ path, shot, says string }{
		{"/", "", "✗ 1 violated"},
		{"/", "", "% of the claims proved; the oldest violation is there for"},
		{"/projects", "projects", "index 8 of 8: bug <img src=x"},
		{"/repos/acme/fw", "repository", "✗ violated"},
		{"/repos/acme/fw/night", "night", "New (1)"},
		{aggregate, "run", "index 8 of 8: bug <img src=x"},
		{target, "", "main: every run ends on x86_64 by ranking function"},
		{target + "/coverage", "coverage", "2 of 3 lines reached"},
		{target + "/report/html", "", "commit "},
		{finding, "finding", "How it was found: 2 commits looked at, 1 verified, 1 without an answer"},
		{finding + "?trace=1&step=1", "", "step 1 of 2"},
		{finding, "", "firmproof check . --target x86_64 --entry main\nfirmproof explain memory"},
		{target, "", "all targets"},
	} {
		p.Size(360, 740)
		p.Scheme(true)
		p.Open(w.proxy.URL + c.path)
		if got := p.Eval(`document.body.innerText`); !strings.Contains(got, c.says) {
			t.Errorf("%s does not say %q: %s", c.path, c.says, got)
		}
		if c.shot != "" {
			p.Eval(settle)
			p.Eval(`document.querySelectorAll('details.coverage').forEach(d => { d.open = true; })`)
			chromium.Looks(t, p, c.shot+"-narrow-dark")
		}
		chromium.Usable(t, p)
		p.Size(1280, 900)
		p.Scheme(false)
		chromium.Usable(t, p)
		if got := p.Eval(`document.querySelectorAll('main img:not([height]), [onerror]').length`); got != "0" {
			t.Errorf("%s: text of the repository became %s elements", c.path, got)
		}
		p.Quiet(w.proxy.URL)
	}
	p.Open(w.proxy.URL + target + "/coverage")
	if got := p.Eval(`document.querySelector('details.coverage .beyond').textContent`); !strings.Contains(got,
		"3 … bug <img") {
		t.Errorf("the annotated line is %q", got)
	}
	for _, path := range []string{target, finding} {
		p.Open(w.proxy.URL + path)
		drawn(t, p)
		p.Quiet(w.proxy.URL)
	}
	p.Open(w.proxy.URL + "/repos/acme/fw/night")
	if got := p.Eval(`document.querySelector('td a[href*="/findings/"]').getAttribute('href')`); got != finding {
		t.Errorf("a new violation of the night leads to %s, not to %s", got, finding)
	}
	reading(t, p, w, target, finding)
}

// drawn wants the transition system on the page, with its text, and that it grows by a button.
func drawn(t *testing.T, p *headless.Page) {
	t.Helper()
	p.Eval(`document.querySelectorAll('details').forEach(d => { d.open = true; })`)
	if got := p.Eval(`document.querySelector('.diagram svg').textContent`); !strings.Contains(got,
		"0 <= <b>i</b> <= 8") {
		t.Errorf("the drawing says %q", got)
	}
	const width = `document.querySelector('.diagram svg').getBoundingClientRect().width`
	if got := p.Eval(`(() => { const before = ` + width +
		`; document.querySelector('.diagram [aria-label="larger"]').click(); return ` + width +
		` > before; })()`); got != "true" {
		t.Error("the drawing does not grow")
	}
}

// searched keeps, as a night does, how the first bad commit of a finding was found.
func (w *world) searched(finding string) {
	w.t.Helper()
	ctx := context.Background()
	if err := w.database().Write(ctx, func(tx store.Tx) error {
		repo, err := tx.RepoByName(ctx, "acme/fw")
		if err != nil {
			return err
		}
		run, err := tx.Run(ctx, strings.Split(finding, "/")[2])
		if err != nil {
			return err
		}
		return tx.PutBisection(ctx, store.Bisection{Repo: repo.ID, Target: run.Target, Kind: store.FindingCame,
			Fingerprint: finding[strings.LastIndex(finding, "/")+1:], Entry: "main",
			Tried: []store.Probe{{SHA: strings.Repeat("a", 40), Outcome: store.ProbeSkip, Run: run.ID},
				{SHA: run.HeadSHA, Outcome: store.ProbeBad, Run: run.ID}},
			Commits: []store.Commit{{SHA: run.HeadSHA, Subject: "ring: wrap <b>late</b>", Author: "Bea"}}})
	}); err != nil {
		w.t.Fatal(err)
	}
}

// reading goes from page to page by keyboard, and reads them without scripts.
func reading(t *testing.T, p *headless.Page, w *world, target, finding string) {
	p.Open(w.proxy.URL + "/")
	p.Press("Tab")
	p.Press("Tab")
	p.Press("Tab") // past the head, with the first page and all projects
	p.Follow("the repository", func() { p.Press("Enter") })
	if got := p.Eval(`location.pathname`); got != "/repos/acme/fw" {
		t.Errorf("Tab, Tab, Tab, Enter lead to %s", got)
	}
	if got := p.Eval(`[...document.querySelectorAll('main a')].filter(a => a.textContent === 'at GitHub').map(a => a.href)[0]`); got !=
		w.gh.URL+"/acme/fw" {
		t.Errorf("the repository is at %s", got)
	}
	p.Scripts(false)
	p.Open(w.proxy.URL + finding)
	for _, want := range []string{"/commit/", "/blob/", "#L3"} {
		if got := p.Eval(`[...document.querySelectorAll('a')].map(a => a.href).join(' ')`); !strings.Contains(got,
			w.gh.URL+"/acme/fw") || !strings.Contains(got, want) {
			t.Errorf("no link to %s: %s", want, got)
		}
	}
	if got := p.Eval(`document.querySelector('.trace').textContent`); !strings.Contains(got, "<b>i</b> = 8") {
		t.Errorf("without scripts there are no steps: %s", got)
	}
	p.Open(w.proxy.URL + target)
	if got := p.Eval(`document.body.innerText`); !strings.Contains(got, "✗ on x86_64") {
		t.Errorf("without scripts the run says %s", got)
	}
	p.Scripts(true)
	p.Open(w.proxy.URL + "/no/such/page")
	if got := p.Eval(`document.body.innerText`); !strings.Contains(got, "There is nothing here.") {
		t.Errorf("a page that does not exist says %s", got)
	}
	chromium.Usable(t, p)
}

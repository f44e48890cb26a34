package reports

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"strings"

	"github.com/firmproof/firmproof/verifier/verdict"
)

//go:embed page
var pageFiles embed.FS

// PageStyle and ViewerScript are what pages with the trace viewer need, here and on the server.
func PageStyle() string { return pageFile("page.css") }

// ViewerScript is the trace viewer.
func ViewerScript() string { return pageFile("viewer.js") }

func pageFile(name string) string {
	text, _ := pageFiles.ReadFile("page/" + name) // embedded: always there
	return string(text)
}

// PagePolicy is the Content-Security-Policy of the page that HTML writes: its own script and style run, nothing else,
// and nothing is loaded.
func PagePolicy() string {
	return fmt.Sprintf("default-src 'none'; style-src %s; script-src %s; base-uri 'none'; form-action 'none'",
		digestOf(PageStyle()), digestOf(ViewerScript()))
}

func digestOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

var reportPage = template.Must(template.New("report.html.tmpl").Funcs(template.FuncMap{"list": newListView}).ParseFS(
	pageFiles,
	"page/report.html.tmpl", "page/parts.html.tmpl", "page/panel.html.tmpl"))

// HTML renders the report as one page that needs nothing else: what breaks, why the rest is unknown, what holds; with
// a viewer that steps through the counterexamples.
func HTML(r *verdict.Report, o TextOptions) ([]byte, error) {
	p := newPage(r, o)
	var buf bytes.Buffer
	err := reportPage.Execute(OneDirection(&buf), p)
	return []byte(plain(buf.String())), err
}

// page holds what the template shows.
type page struct {
	Policy, Headline, Date, Commit, Command string
	Status                                  verdict.Status
	Tool                                    verdict.Tool
	Style                                   template.CSS
	Script, SourceFiles                     template.JS

	Targets, Files, Checks, Statuses []string
	Sites                            []siteView
	Obstacles                        []obstacleView
	Behind                           string
	Conditions                       []string // what answers rest on that the tool chose
	Differences                      []string
	Entries, Folded                  []entryView // those that say something is wrong first; the rest, if it is long
	Bounds, Warnings                 []string
	Costs                            []fileGroup[costView]
	NeverReached, Assumptions        []string
	Vacuous                          []string // verifications that say nothing about their programs
	Functions                        []fileGroup[functionView]
	Coverage                         []coverageView
	CoverageLine                     string
	Stages                           []verdict.Stage
	Proofs                           []fileGroup[proofView]
}

// cell is the answer on one target.
type cell struct {
	Target, Class, Text, More, Link string
}

// noAnswer is the class of a cell whose entry is not on the target.
const noAnswer = "dim"

// statusCell tells a status by a sign and a word, so that colour is not needed.
func statusCell(target string, s verdict.Status) cell {
	if s == verdict.Invalid {
		return cell{Target: target, Class: noAnswer, Text: "–"}
	}
	return standingCell(target, asStanding(s))
}

func standingCell(target string, s standing) cell {
	return cell{Target: target, Class: s.class(), Text: signs[s] + " " + string(s)}
}

func newPage(r *verdict.Report, o TextOptions) *page {
	p := &page{Policy: PagePolicy(), Date: o.Date, Commit: o.Commit, Command: o.Check, Tool: r.Tool, Status: r.Status(),
		Style: template.CSS(PageStyle()), Script: template.JS(ViewerScript()), Differences: Differences(r)}
	p.Headline = headline(r)
	p.Targets = names(r.Results, func(r verdict.Result) string { return r.Target })
	sources, all := newSourceSet(o.Source, r.Sources), answersAt(r.Results)
	for i, s := range Violations(r.Results) {
		p.Sites = append(p.Sites, newSiteView(i+1, &s, all, p.Targets, sources))
	}
	for _, ob := range Obstacles(r.Results) {
		p.Obstacles = append(p.Obstacles, newObstacleView(&ob))
	}
	for _, c := range Conditions(r.Results) {
		p.Conditions = append(p.Conditions, c.Status.String()+": "+conditionLine(&c))
	}
	n := 0
	for i := range r.Results {
		n += shadowed(r.Results[i].Claims)
	}
	if n > 0 {
		p.Behind = plural(n, "claim") + are(n) + " behind a violation above: unknown until that is mended."
	}
	p.Entries, p.Folded = entryViews(r.Results, p.Targets)
	p.Functions = functionViews(r)
	p.Coverage, p.CoverageLine = coverageViews(r, sources), CoverageLine(r.Results, nil)
	p.Proofs, p.Costs = proofViews(r.Results), costViews(r.Results)
	p.lists(r)
	p.filters(r)
	p.SourceFiles = sources.json()
	return p
}

// headline says in one line how the report came out.
func headline(r *verdict.Report) string {
	bad := 0
	for _, s := range Violations(r.Results) {
		if s.Counts() {
			bad++
		}
	}
	open := len(Obstacles(r.Results))
	var parts []string
	if bad > 0 {
		parts = append(parts, plural(bad, "place")+" can break")
	}
	if open > 0 {
		parts = append(parts, "unknown for "+plural(open, "reason"))
	}
	if len(parts) == 0 {
		parts = append(parts, "nothing is violated")
	}
	return strings.Join(parts, ", ") + ": " + countsOf(pointers(r.Results)) + " in " + plural(len(r.Results),
		"verification")
}

// lists fills in what is told once for all results.
func (p *page) lists(r *verdict.Report) {
	seen := map[string]bool{}
	add := func(list *[]string, text string) {
		if !seen[text] {
			seen[text] = true
			*list = append(*list, text)
		}
	}
	seconds := map[string]int{}
	for _, text := range handlerBounds(r.Results) {
		add(&p.Bounds, text)
	}
	for i := range r.Results {
		res := &r.Results[i]
		for _, l := range res.Bounds.Loops {
			if !l.Complete {
				add(&p.Bounds, fmt.Sprintf("%s; deeper: --unwindset %s:%d",
					seenTurns(l.Turns, fmt.Sprintf("%s (%s)", l.Pos, l.Name)), l.Name, max(2, 2*l.Turns)))
			}
		}
		if res.Vacuous != nil {
			add(&p.Vacuous, fmt.Sprintf("%s on %s: %s", res.Entry, res.Target, vacuity(res)))
		}
		for _, w := range openEnds(res) {
			add(&p.Warnings, "termination open: "+w)
		}
		for _, w := range res.Warnings {
			add(&p.Warnings, w)
		}
		for _, a := range verdict.TextsOf(res.Assumptions) {
			add(&p.Assumptions, a)
		}
		for _, s := range res.Stages {
			at, known := seconds[s.Name]
			if !known {
				at = len(p.Stages)
				seconds[s.Name] = at
				p.Stages = append(p.Stages, verdict.Stage{Name: s.Name})
			}
			p.Stages[at].Seconds += s.Seconds
		}
	}
	for _, s := range Sites(r.Results, func(c *verdict.Claim) bool { return c.Unreachable }) {
		add(&p.NeverReached, fmt.Sprintf("%s: %s (%s) in %s on %s", s.Pos, s.Check, s.Shown().Claim.Message,
			listed(s.Entries(), 4), listed(s.Targets(), 4)))
	}
	if n := len(p.NeverReached); n > 60 {
		p.NeverReached = append(p.NeverReached[:60], fmt.Sprintf("and %d more", n-60))
	}
}

// filters lists what the reader can choose from.
func (p *page) filters(r *verdict.Report) {
	files, checks, statuses := map[string]bool{}, map[string]bool{}, map[string]bool{}
	for i := range r.Results {
		for j := range r.Results[i].Claims {
			c := &r.Results[i].Claims[j]
			if c.Pos.File != "" && !c.IsShadowed() {
				files[c.Pos.File], checks[string(c.Check)], statuses[c.Status.String()] = true, true, true
			}
			if c.Accepted != nil {
				statuses[string(standsAccepted)] = true
			}
		}
	}
	p.Files, p.Checks, p.Statuses = sortedKeys(files), sortedKeys(checks), sortedKeys(statuses)
}

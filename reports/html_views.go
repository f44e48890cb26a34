package reports

import (
	"cmp"
	"fmt"
	"html/template"
	"slices"
	"strings"

	"github.com/firmproof/firmproof/verifier/verdict"
)

// siteView is a violated place on the page.
type siteView struct {
	N                         int
	Check                     verdict.Check
	Pos                       verdict.Pos
	Message, Suppressed       string
	Cells                     []cell
	Entries, On, IDs, Machine string
	Replay                    verdict.Replay
	Property                  verdict.Property
	Certificate               *certificateView
	Excerpt                   []excerptLine
	Steps                     []string // for readers without scripts
	Trace                     template.JS
}

// excerptLine is a line of source on the page.
type excerptLine struct {
	N    int
	Text string
	Here bool
}

// Lines of source around a violation.
const excerptAround = 5

func newSiteView(n int, s *Site, r *verdict.Report, targets []string, sources *sourceSet) siteView {
	shown := s.Shown()
	c := shown.Claim
	v := siteView{N: n, Check: s.Check, Pos: s.Pos, Message: c.Message, Entries: listed(s.Entries(), 3),
		On:  onTargets(r.Results, s),
		IDs: strings.Join(names(s.Claims, func(c SiteClaim) string { return c.Claim.ID }), ", "), Replay: c.Replay,
		Property: s.Check.Of(), Certificate: newCertificateView(c.Certificate), Cells: siteCells(s, r, targets)}
	if s.Suppressed() {
		v.Suppressed = c.Suppressed
	}
	v.Machine = strings.TrimPrefix(onMachine(c.Machine), "; ")
	piece := sources.file(s.Pos.File)
	for i, l := range piece.Lines {
		if n := piece.From + i; n >= s.Pos.Line-excerptAround && n <= s.Pos.Line+excerptAround && s.Pos.Line > 0 {
			v.Excerpt = append(v.Excerpt, excerptLine{n, l, n == s.Pos.Line})
		}
	}
	if len(c.Trace) > 0 {
		v.Steps = TraceLines(folded(c))
		v.Trace = TraceData(shown.Result, c)
		sources.needs(c.Trace)
	}
	return v
}

// siteCells is how each target sees a place: the worst answer to its check there.
func siteCells(s *Site, r *verdict.Report, targets []string) []cell {
	worst := map[string]verdict.Status{}
	for i := range r.Results {
		res := &r.Results[i]
		for j := range res.Claims {
			if c := &res.Claims[j]; c.Check == s.Check && c.Pos == s.Pos && !c.IsShadowed() {
				worst[res.Target] = verdict.Worse(worst[res.Target], c.Status)
			}
		}
	}
	out := make([]cell, len(targets))
	for i, t := range targets {
		out[i] = statusCell(t, worst[t])
	}
	return out
}

// obstacleView is a reason for unknowns on the page.
type obstacleView struct {
	Reason, Leaves, Remedy, Files, Checks string
}

func newObstacleView(o *Obstacle) obstacleView {
	r := o.Reason
	r.Remedy = ""
	return obstacleView{Reason: r.String(), Leaves: o.Leaves(), Remedy: o.Reason.Remedy,
		Files:  strings.Join(names(o.Unknown, func(c SiteClaim) string { return c.Claim.Pos.File }), "|"),
		Checks: strings.Join(names(o.Unknown, func(c SiteClaim) string { return string(c.Claim.Check) }), "|")}
}

// entryView is an entry with its answers on the targets.
type entryView struct {
	Name  string
	Cells []cell
}

func entryViews(results []verdict.Result, targets []string) []entryView {
	var out []entryView
	for _, name := range names(results, func(r verdict.Result) string { return r.Entry }) {
		e := entryView{Name: name}
		for _, t := range targets {
			c := statusCell(t, verdict.Invalid)
			for i := range results {
				if res := &results[i]; res.Entry == name && res.Target == t {
					c = statusCell(t, res.Status)
					if res.Vacuous != nil {
						c.Class, c.Text = verdict.Unknown.String(), "⚠ vacuous"
					}
					c.More = fmt.Sprintf("%s, %.2f s", plural(len(res.Claims), "claim"), float64(res.DurationMS)/1000)
					if res.Reused != "" {
						c.More += ", answered earlier"
					}
				}
			}
			e.Cells = append(e.Cells, c)
		}
		out = append(out, e)
	}
	return out
}

// proofView is why every run of an entry ends, or how long it may take.
type proofView struct {
	What        string
	Certificate *certificateView
}

// certificateView is how an answer was found, with its diagrams laid out.
type certificateView struct {
	Method, Checked string
	Detail          []string
	Diagrams        []*diagramView
}

// newCertificateView returns nil for an answer without a certificate.
func newCertificateView(c *verdict.Certificate) *certificateView {
	if c == nil {
		return nil
	}
	return &certificateView{c.Method, c.Checked, c.Detail, diagramViews(c.Diagrams)}
}

// proofViews lists the proofs about whole runs; targets with the same proof share it.
func proofViews(results []verdict.Result) []proofView {
	var out []proofView
	at := map[string]int{}
	for i := range results {
		res := &results[i]
		for j := range res.Claims {
			c := &res.Claims[j]
			if c.Status != verdict.Proved || c.Certificate == nil || c.Check != verdict.Termination &&
				c.Check != verdict.ComplexityBound {
				continue
			}
			key := res.Entry + "\x00" + string(c.Check) + strings.Join(c.Certificate.Detail, "\n")
			if n, known := at[key]; known {
				out[n].What += ", " + res.Target
				continue
			}
			at[key] = len(out)
			out = append(out, proofView{fmt.Sprintf("%s: %s on %s", res.Entry, c.Message, res.Target),
				newCertificateView(c.Certificate)})
		}
	}
	return out
}

// functionView is what holds in one function.
type functionView struct {
	Name, File, Counts, Checks, Statuses string
	Claims                               []claimView
}

// claimView is a claim that holds, with the targets that it holds on.
type claimView struct {
	Where, Message, Class, Text string
	Check                       verdict.Check
}

// functionViews folds proved and bounded claims by function.
func functionViews(r *verdict.Report) []functionView {
	sites := Sites(r.Results, func(c *verdict.Claim) bool {
		return c.Status == verdict.Proved || c.Status == verdict.Bounded
	})
	type key struct{ file, name string }
	groups := map[key][]Site{}
	for _, s := range sites {
		k := key{s.Pos.File, s.Pos.Function}
		groups[k] = append(groups[k], s)
	}
	var out []functionView
	for k, list := range groups {
		f := functionView{Name: cmp.Or(k.name, "?"), File: k.file}
		n := map[verdict.Status]int{}
		slices.SortStableFunc(list, func(a, b Site) int { return cmp.Compare(a.Pos.Line, b.Pos.Line) })
		for _, s := range list {
			n[s.Status]++
			text := s.Status.String() + " on " + listed(s.Targets(), 4)
			if s.Claims[0].Claim.Unreachable {
				text += ", never reached"
			}
			f.Claims = append(f.Claims, claimView{Where: fmt.Sprintf("line %d", s.Pos.Line),
				Message: s.Claims[0].Claim.Message,
				Class:   s.Status.String(), Text: text, Check: s.Check})
		}
		f.Checks = strings.Join(names(list, func(s Site) string { return string(s.Check) }), "|")
		f.Statuses = strings.Join(names(list, func(s Site) string { return s.Status.String() }), "|")
		f.Counts = holdCounts(n)
		out = append(out, f)
	}
	slices.SortFunc(out, func(a, b functionView) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Name, b.Name))
	})
	return out
}

func holdCounts(n map[verdict.Status]int) string {
	var parts []string
	for _, s := range []verdict.Status{verdict.Bounded, verdict.Proved} {
		if n[s] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n[s], s))
		}
	}
	return strings.Join(parts, ", ")
}

package reports

import (
	"html/template"
	"strings"

	"github.com/firmproof/firmproof/verifier/verdict"
)

// siteView is a violated place on the page.
type siteView struct {
	N                         int
	Check                     verdict.Check
	Pos                       verdict.Pos
	Message, Class, Sign      string
	Accepted                  string // why it does not count; empty: it does
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

func newSiteView(n int, s *Site, all answersOf, targets []string, sources *sourceSet) siteView {
	shown := s.Shown()
	c := shown.Claim
	v := siteView{N: n, Check: s.Check, Pos: s.Pos, Message: c.Message, Entries: listed(s.Entries(), 3),
		On:  all.onTargets(s),
		IDs: strings.Join(names(s.Claims, func(c SiteClaim) string { return c.Claim.ID }), ", "), Replay: c.Replay,
		Property: s.Check.Of(), Certificate: newCertificateView(c.Certificate), Cells: siteCells(s, all, targets)}
	v.Class, v.Sign = s.stands().class(), signs[s.stands()]
	if v.Accepted = s.Accepted().String(); s.Known() {
		v.Accepted = "known: the baseline has it"
	} else if v.Accepted != "" {
		v.Accepted = "accepted: " + v.Accepted
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
func siteCells(s *Site, all answersOf, targets []string) []cell {
	worst := map[string]verdict.Status{}
	for _, c := range all[s.at()] {
		worst[c.Result.Target] = verdict.Worse(worst[c.Result.Target], c.Claim.Status)
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

package reports

import (
	"path"
	"regexp"
	"slices"

	"github.com/firmproof/firmproof/verifier/verdict"
)

// Rebase returns the report with prefix before the names of the files that inside accepts. The given report stays.
func Rebase(r *verdict.Report, prefix string, inside func(file string) bool) *verdict.Report {
	b := &rebase{prefix, inside, map[string]string{}}
	out := *r
	out.Results = append([]verdict.Result(nil), r.Results...)
	for i := range out.Results {
		b.result(&out.Results[i])
	}
	return &out
}

// rebase moves places; it copies what it changes.
type rebase struct {
	prefix string
	inside func(file string) bool
	known  map[string]string // new names of files
}

func (b *rebase) at(p verdict.Pos) verdict.Pos {
	name, seen := b.known[p.File]
	if !seen {
		if name = p.File; name != "" && !path.IsAbs(name) && b.inside(name) {
			name = path.Join(b.prefix, name)
		}
		b.known[p.File] = name
	}
	p.File = name
	return p
}

// placeInText matches a place in the text of a violation or a certificate: FILE:LINE.
var placeInText = regexp.MustCompile(`(^|[ (])([^ ():]+):\d`)

func (b *rebase) text(s string) string {
	return placeInText.ReplaceAllStringFunc(s, func(found string) string {
		m := placeInText.FindStringSubmatch(found)
		return m[1] + b.at(verdict.Pos{File: m[2]}).File + found[len(m[1])+len(m[2]):]
	})
}

func (b *rebase) reason(r *verdict.Reason) *verdict.Reason {
	if r == nil || r.Pos == nil {
		return r
	}
	out, pos := *r, b.at(*r.Pos)
	out.Pos = &pos
	return &out
}

func (b *rebase) result(res *verdict.Result) {
	if res.At != nil {
		at := b.at(*res.At)
		res.At = &at
	}
	res.Reason, res.Vacuous = b.reason(res.Reason), b.reason(res.Vacuous)
	res.Bounds.Loops = append([]verdict.LoopBound(nil), res.Bounds.Loops...)
	for j := range res.Bounds.Loops {
		res.Bounds.Loops[j].Pos = b.at(res.Bounds.Loops[j].Pos)
	}
	if res.Complexity != nil {
		c := *res.Complexity
		c.Loops = append([]verdict.LoopTurns(nil), c.Loops...)
		for j := range c.Loops {
			c.Loops[j].Pos = b.at(c.Loops[j].Pos)
		}
		res.Complexity = &c
	}
	if res.Coverage != nil {
		c := *res.Coverage
		c.Functions = append([]verdict.CoveredFunction(nil), c.Functions...)
		for j := range c.Functions {
			c.Functions[j].Pos = b.at(c.Functions[j].Pos)
		}
		res.Coverage = &c
	}
	res.Claims = append([]verdict.Claim(nil), res.Claims...)
	for j := range res.Claims {
		b.claim(&res.Claims[j])
	}
}

func (b *rebase) claim(c *verdict.Claim) {
	c.Pos, c.Reason = b.at(c.Pos), b.reason(c.Reason)
	c.Trace = append([]verdict.Step(nil), c.Trace...)
	for k := range c.Trace {
		s := &c.Trace[k]
		s.Pos = b.at(s.Pos)
		if s.Kind == verdict.StepViolation {
			s.Value = b.text(s.Value)
		}
	}
	if c.Certificate != nil {
		cert := *c.Certificate
		cert.Detail = append([]string(nil), cert.Detail...)
		for k := range cert.Detail {
			cert.Detail[k] = b.text(cert.Detail[k])
		}
		cert.Diagrams = slices.Clone(cert.Diagrams)
		for k := range cert.Diagrams {
			cert.Diagrams[k] = cert.Diagrams[k].Renamed(b.text)
		}
		c.Certificate = &cert
	}
	c.Inputs = append([]verdict.Input(nil), c.Inputs...)
	for k := range c.Inputs {
		c.Inputs[k].Pos = b.at(c.Inputs[k].Pos)
	}
}

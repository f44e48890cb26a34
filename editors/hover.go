package editors

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/firmproof/firmproof/reports"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// mostHovered is how many lines one part of a hover has.
const mostHovered = 6

// hover says what is known of the name at a place, and of the checks on its line.
func (s *Server) hover(_ context.Context, params json.RawMessage) (any, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	p, file, d, of, err := s.asked(params)
	if err != nil || of == nil || of.report == nil {
		return nil, err
	}
	line := lineOf(d.text, p.Position.Line)
	at := byteAt(line, p.Position.Character)
	word, from, to := wordAt(line, at)
	var parts []string
	places := s.places(of)
	if word != "" {
		if f := functionAt(d.text, p.Position.Line); f != nil {
			parts = append(parts, places.values(file, f, word)...)
		}
	}
	parts = append(parts, places.checks(file, p.Position.Line)...)
	if len(parts) == 0 {
		return nil, nil
	}
	return hover{markup{"markdown", strings.Join(parts, "\n")}, textRange{position{p.Position.Line, character(line, from)},
		position{p.Position.Line, character(line, to)}}}, nil
}

// functionAt is the function that a line, from 0, is in; nil if it is in none.
func functionAt(text string, line int) *function {
	for _, f := range functionsOf(text) {
		if positionIn(text, f.at).Line <= line && line <= positionIn(text, f.end).Line {
			return &f
		}
	}
	return nil
}

// values says which values a variable has in a function: what is proved of it whenever a loop's condition is evaluated,
// what is assumed of it, and what it holds in counterexamples.
func (p *places) values(file string, f *function, word string) []string {
	var out []string
	add := func(format string, args ...any) {
		if text := "- " + fmt.Sprintf(format, args...); !slices.Contains(out, text) {
			out = append(out, text)
		}
	}
	for i := range p.of.report.Results {
		r := &p.of.report.Results[i]
		for j := range r.Claims {
			c := &r.Claims[j]
			if c.Certificate == nil || c.Status != verdict.Proved {
				continue
			}
			for _, a := range c.Certificate.Always {
				if in, at, ok := p.line(a.Pos); ok && in == file && a.Pos.Function == f.name && names(a.Text, word) {
					add("%s **proved** whenever the loop in line %d is about to turn (%s on %s, by %s)%s", literal(a.Text),
						at+1, literal(r.Entry), r.Target, c.Certificate.Method, restsOn(r, c))
				}
			}
		}
		for _, a := range r.Assumptions {
			if subject, _, _ := strings.Cut(a.Subject, "."); subject == word && strings.TrimPrefix(r.Entry, AnyCall) == f.name {
				add("%s: %s (%s)", origins[a.Origin], plain(a.Text), literal(r.Entry))
			}
		}
	}
	for _, site := range reports.Violations(p.of.report.Results) {
		c := site.Shown().Claim
		var last *verdict.Step
		for i := range c.Trace {
			t := &c.Trace[i]
			if root, _, _ := strings.Cut(t.What, "."); (t.Kind == verdict.StepAssign || t.Kind == verdict.StepInput) &&
				root == word && t.Pos.Function == f.name {
				last = t
			}
		}
		if last != nil && site.Counts() {
			add("%s = %s at last in the counterexample of %s", literal(last.What), literal(last.Value), literal(c.ID))
		}
	}
	return cut(out)
}

// origins say in words where an assumption comes from.
var origins = map[verdict.Origin]string{verdict.Declared: "you declared", verdict.Read: "read off the declaration",
	verdict.Shown: "**proved** of the whole program", verdict.Observed: "assumed, since the program does so",
	verdict.Chosen: "assumed by the tool"}

// restsOn names what a proof takes for granted, where it does.
func restsOn(r *verdict.Result, c *verdict.Claim) string {
	out := ""
	if n := len(r.RestsOn(c)); n > 0 {
		out = fmt.Sprintf(", under %d assumptions", n)
	}
	if len(c.After) > 0 {
		out += ", in runs that violate nothing before"
	}
	return out
}

// checks lists how the checks on a line, from 0, came out: those that say most first.
func (p *places) checks(file string, line int) []string {
	type answer struct {
		check  verdict.Check
		status verdict.Status
	}
	where := map[answer][]string{}
	var order []answer
	for i := range p.of.report.Results {
		r := &p.of.report.Results[i]
		for j := range r.Claims {
			c := &r.Claims[j]
			if c.IsShadowed() {
				continue
			}
			if in, at, ok := p.line(c.Pos); !ok || in != file || at != line {
				continue
			}
			a := answer{c.Check, c.Status}
			if where[a] == nil {
				order = append(order, a)
			}
			if name := literal(r.Entry) + " on " + r.Target; !slices.Contains(where[a], name) {
				where[a] = append(where[a], name)
			}
		}
	}
	slices.SortStableFunc(order, func(a, b answer) int {
		switch {
		case a.status == b.status:
			return strings.Compare(string(a.check), string(b.check))
		case verdict.Worse(a.status, b.status) == a.status:
			return -1
		}
		return 1
	})
	var out []string
	for _, a := range order {
		list := where[a]
		if n := len(list) - 3; n > 0 {
			list = append(list[:3:3], fmt.Sprintf("%d more", n))
		}
		out = append(out, fmt.Sprintf("- %s: %s (%s)", a.check, reports.Standing(a.status), strings.Join(list, ", ")))
	}
	return cut(out)
}

func cut(list []string) []string {
	if n := len(list) - mostHovered; n > 0 {
		return append(list[:mostHovered:mostHovered], fmt.Sprintf("- and %d more", n))
	}
	return list
}

// literal is text of a program in Markdown, as code that nothing in it ends.
func literal(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	fence := "`"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	if len(fence) > 1 {
		return fence + " " + text + " " + fence
	}
	return fence + text + fence
}

// plain is text in Markdown that is shown as it is.
func plain(text string) string {
	var b strings.Builder
	for _, r := range strings.Join(strings.Fields(text), " ") {
		if strings.ContainsRune("\\`*_{}[]<>()#!|~", r) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}

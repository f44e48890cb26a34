package reports

import (
	"encoding/xml"
	"fmt"
	"strings"

	"github.com/firmproof/firmproof/verifier/verdict"
)

type junitSuites struct {
	XMLName xml.Name     `xml:"testsuites"`
	Name    string       `xml:"name,attr"`
	Suites  []junitSuite `xml:"testsuite"`
}

type junitSuite struct {
	Name     string      `xml:"name,attr"`
	Tests    int         `xml:"tests,attr"`
	Failures int         `xml:"failures,attr"`
	Errors   int         `xml:"errors,attr"`
	Skipped  int         `xml:"skipped,attr"`
	Time     string      `xml:"time,attr"` // in seconds
	Cases    []junitCase `xml:"testcase"`
	Out      string      `xml:"system-out,omitempty"` // what the answers rest on
}

type junitCase struct {
	Class   string        `xml:"classname,attr"`
	Name    string        `xml:"name,attr"`
	File    string        `xml:"file,attr,omitempty"`
	Line    int           `xml:"line,attr,omitempty"`
	Failure *junitMessage `xml:"failure,omitempty"`
	Error   *junitMessage `xml:"error,omitempty"`
	Skipped *junitMessage `xml:"skipped,omitempty"`
}

type junitMessage struct {
	Type    string `xml:"type,attr"` // a check, or why there is no answer
	Message string `xml:"message,attr"`
	Text    string `xml:",chardata"`
}

// JUnit renders a suite for each result and a case for each check of a function. A violation is a failure; what the
// analysis could not finish (time, memory, a defect) is an error; what it does not model is skipped, and so is what was
// accepted, was there before, or holds under conditions alone.
func JUnit(r *verdict.Report) ([]byte, error) {
	out := junitSuites{Name: "firmproof"}
	for i := range r.Results {
		res := &r.Results[i]
		s := junitSuite{Name: res.Target + "/" + res.Entry, Time: fmt.Sprintf("%.3f", float64(res.DurationMS)/1000)}
		if res.Reason != nil {
			k := junitCase{Class: s.Name, Name: "analysis"}
			k.unknown(res.Reason)
			s.add(k)
		}
		if res.Vacuous != nil {
			s.add(junitCase{Class: s.Name, Name: "vacuity",
				Skipped: &junitMessage{Type: "vacuous", Message: "vacuous: " + vacuity(res)}})
		}
		for _, group := range claimGroups(res.Claims) {
			s.add(caseOf(res, s.Name, group))
		}
		if res.EndsOpen {
			s.add(junitCase{Class: s.Name, Name: "termination", Skipped: &junitMessage{Type: "open",
				Message: "termination open: whether every run ends was not decided"}})
		}
		s.Tests = len(s.Cases)
		for _, a := range verdict.TextsOf(res.Assumptions) {
			s.Out += "assumed: " + a + "\n"
		}
		out.Suites = append(out.Suites, s)
	}
	b, err := xml.MarshalIndent(out, "", " ")
	if err != nil {
		return nil, err
	}
	return append([]byte(xml.Header), append(b, '\n')...), nil
}

func (s *junitSuite) add(k junitCase) {
	switch {
	case k.Failure != nil:
		s.Failures++
	case k.Error != nil:
		s.Errors++
	case k.Skipped != nil:
		s.Skipped++
	}
	s.Cases = append(s.Cases, k)
}

// unknown marks a case as undecided for a reason.
func (k *junitCase) unknown(r *verdict.Reason) {
	m := &junitMessage{Type: verdict.Unknown.String(), Message: plain(r.String())}
	if r != nil {
		m.Type = string(r.Kind)
		switch r.Kind {
		case verdict.TimedOut, verdict.ClockOver, verdict.OutOfMemory, verdict.Internal,
			verdict.SolverGaveUp, verdict.ReplayMismatch, verdict.Cancelled:
			k.Error, k.Skipped = m, nil
			return
		}
	}
	if k.Error == nil {
		k.Skipped = m
	}
}

// skip marks a case that has not failed, and is not to be taken for one that passed.
func (k *junitCase) skip(s standing, message string) {
	if k.Error == nil && k.Skipped == nil {
		k.Skipped = &junitMessage{Type: string(s), Message: plain(message)}
	}
}

// claimGroups puts the claims of a check in a function together, in their order.
func claimGroups(claims []verdict.Claim) [][]*verdict.Claim {
	type key struct {
		function string
		check    verdict.Check
	}
	index := map[key]int{}
	var out [][]*verdict.Claim
	for i := range claims {
		c := &claims[i]
		k := key{c.Pos.Function, c.Check}
		at, known := index[k]
		if !known {
			at = len(out)
			index[k] = at
			out = append(out, nil)
		}
		out[at] = append(out[at], c)
	}
	return out
}

// caseOf is the case of a group of claims: its worst answer, and where.
func caseOf(res *verdict.Result, class string, group []*verdict.Claim) junitCase {
	first := group[0]
	k := junitCase{Class: class, Name: string(first.Check) + " in " + plain(first.Pos.Function) + " (" +
		plural(len(group), "claim") + ")", File: first.Pos.File, Line: first.Pos.Line}
	var messages, texts []string
	for _, c := range group {
		switch {
		case c.Accepted != nil && !c.IsShadowed():
			k.skip(standsAccepted, "accepted: "+c.Message+": "+c.Accepted.String())
		case c.Status == verdict.Violated && !c.Counts():
			k.skip(standsKnown, "known: "+c.Message)
		case c.Status == verdict.Conditional:
			k.skip(asStanding(c.Status), c.Message+": conditional: "+(&Condition{Assumptions: guesses(res, c), Within: c.Within}).Says())
		case c.Status == verdict.Violated:
			if len(messages) == 0 {
				k.File, k.Line = c.Pos.File, c.Pos.Line
			}
			messages = append(messages, c.Message)
			texts = append(texts, c.Pos.String()+": "+c.Message+" ["+c.ID+"]\n"+
				strings.Join(TraceLines(outside(c.Trace)), "\n"))
		case c.Status == verdict.Unknown:
			k.unknown(c.Reason)
		}
	}
	if len(messages) > 0 {
		k.Failure = &junitMessage{Type: string(first.Check), Message: plain(listed(messages, 3)),
			Text: plain(strings.Join(texts, "\n\n"))}
		k.Error, k.Skipped = nil, nil
	}
	return k
}

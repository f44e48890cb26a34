package reports

import (
	"encoding/xml"
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
	Skipped  int         `xml:"skipped,attr"`
	Time     float64     `xml:"time,attr"`
	Cases    []junitCase `xml:"testcase"`
	Out      string      `xml:"system-out,omitempty"` // what the answers rest on
}

type junitCase struct {
	Class   string        `xml:"classname,attr"`
	Name    string        `xml:"name,attr"`
	File    string        `xml:"file,attr,omitempty"`
	Line    int           `xml:"line,attr,omitempty"`
	Failure *junitMessage `xml:"failure,omitempty"`
	Skipped *junitMessage `xml:"skipped,omitempty"`
}

type junitMessage struct {
	Message string `xml:"message,attr"`
	Text    string `xml:",chardata"`
}

// JUnit renders one suite a result and one case a claim; unknown is skipped with its reason.
func JUnit(r *verdict.Report) ([]byte, error) {
	out := junitSuites{Name: "firmproof"}
	for i := range r.Results {
		res := &r.Results[i]
		s := junitSuite{Name: res.Target + "/" + res.Entry, Time: float64(res.DurationMS) / 1000}
		if res.Reason != nil {
			s.Cases = append(s.Cases, junitCase{Class: s.Name, Name: "analysis",
				Skipped: &junitMessage{Message: res.Reason.String()}})
			s.Skipped++
		}
		for j := range res.Claims {
			c := &res.Claims[j]
			k := junitCase{Class: s.Name, Name: c.ID, File: c.Pos.File, Line: c.Pos.Line}
			switch c.Status {
			case verdict.Violated:
				k.Failure = &junitMessage{Message: c.Message, Text: c.Pos.String() + "\n" +
					strings.Join(TraceLines(c.Trace), "\n")}
				s.Failures++
			case verdict.Unknown:
				k.Skipped = &junitMessage{Message: c.Reason.String()}
				s.Skipped++
			}
			s.Cases = append(s.Cases, k)
		}
		s.Tests = len(s.Cases)
		for _, a := range res.Assumptions {
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

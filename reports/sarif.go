package reports

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/url"
	"strings"

	"github.com/firmproof/firmproof/verifier/verdict"
)

// Limits of GitHub code scanning.
const (
	sarifMaxSteps = 1000 // thread-flow locations shown of one result
)

type sarifLog struct {
	Schema  string     `json:"$schema"`
	Version string     `json:"version"`
	Runs    []sarifRun `json:"runs"`
}

type sarifRun struct {
	Tool              sarifTool     `json:"tool"`
	AutomationDetails sarifID       `json:"automationDetails"`
	Results           []sarifResult `json:"results"`
	ColumnKind        string        `json:"columnKind"`

	Properties map[string][]string `json:"properties,omitempty"` // "assumptions": what the answers rest on
}

type sarifID struct {
	ID string `json:"id"`
}

type sarifTool struct {
	Driver sarifDriver `json:"driver"`
}

type sarifDriver struct {
	Name    string      `json:"name"`
	Version string      `json:"semanticVersion,omitempty"`
	Rules   []sarifRule `json:"rules"`
}

type sarifRule struct {
	ID               string         `json:"id"`
	Name             string         `json:"name"`
	ShortDescription sarifText      `json:"shortDescription"`
	FullDescription  sarifText      `json:"fullDescription"`
	Help             sarifText      `json:"help"`
	Properties       map[string]any `json:"properties,omitempty"`
}

type sarifText struct {
	Text string `json:"text"`
}

type sarifResult struct {
	RuleID       string            `json:"ruleId"`
	RuleIndex    int               `json:"ruleIndex"`
	Level        string            `json:"level"`
	Message      sarifText         `json:"message"`
	Locations    []sarifLocation   `json:"locations"`
	Fingerprints map[string]string `json:"partialFingerprints"`
	CodeFlows    []sarifFlow       `json:"codeFlows,omitempty"`
	Properties   map[string]any    `json:"properties,omitempty"`
}

type sarifLocation struct {
	Physical sarifPhysical `json:"physicalLocation"`
	Logical  []sarifName   `json:"logicalLocations,omitempty"`
	Message  *sarifText    `json:"message,omitempty"`
}

type sarifName struct {
	Name string `json:"fullyQualifiedName"`
}

type sarifPhysical struct {
	Artifact sarifArtifact `json:"artifactLocation"`
	Region   *sarifRegion  `json:"region,omitempty"`
}

type sarifArtifact struct {
	URI string `json:"uri"`
}

type sarifRegion struct {
	Line   int `json:"startLine"`
	Column int `json:"startColumn,omitempty"`
}

type sarifFlow struct {
	Threads []sarifThread `json:"threadFlows"`
}

type sarifThread struct {
	Locations []sarifFlowLocation `json:"locations"`
}

type sarifFlowLocation struct {
	Location sarifLocation `json:"location"`
	Nesting  int           `json:"nestingLevel"`
}

// SARIF renders the violated claims as SARIF 2.1.0, one result a claim and target, traces as code flows.
func SARIF(r *verdict.Report) ([]byte, error) {
	props := verdict.Properties()
	run := sarifRun{ColumnKind: "utf16CodeUnits", AutomationDetails: sarifID{ID: "firmproof/"},
		Results: []sarifResult{}}
	run.Tool.Driver = sarifDriver{Name: r.Tool.Name, Rules: []sarifRule{}}
	if said := assumptionsOf(r); len(said) > 0 {
		run.Properties = map[string][]string{"assumptions": said}
	}
	index := map[verdict.Check]int{}
	for i, p := range props {
		index[p.Check] = i
		rule := sarifRule{ID: string(p.Check), Name: strings.ReplaceAll(p.Title, " ", ""),
			ShortDescription: sarifText{p.Title},
			FullDescription:  sarifText{p.Meaning}, Help: sarifText{p.Meaning + "\n\nBad: " + p.Bad + "\nGood: " +
				p.Good}}
		if p.CWE != "" {
			rule.Properties = map[string]any{"tags": []string{"security", "external/cwe/" + strings.ToLower(p.CWE)}}
		}
		run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, rule)
	}
	for i := range r.Results {
		res := &r.Results[i]
		for j := range res.Claims {
			c := &res.Claims[j]
			if c.Status == verdict.Violated {
				run.Results = append(run.Results, sarifOf(res, c, index[c.Check]))
			}
		}
	}
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", " ")
	err := enc.Encode(sarifLog{Schema: "https://json.schemastore.org/sarif-2.1.0.json", Version: "2.1.0",
		Runs: []sarifRun{run}})
	return buf.Bytes(), err
}

func sarifOf(res *verdict.Result, c *verdict.Claim, rule int) sarifResult {
	out := sarifResult{RuleID: string(c.Check), RuleIndex: rule, Level: "error",
		Message:      sarifText{inSARIF(c.Message + " (harness " + res.Entry + " on " + res.Target + ")")},
		Locations:    []sarifLocation{sarifPlace(c.Pos, "")},
		Fingerprints: map[string]string{"firmproof/v1": Fingerprint(res, c)},
		Properties:   map[string]any{"target": res.Target, "entry": res.Entry, "claim": c.ID, "replay": c.Replay}}
	steps := c.Trace
	if len(steps) > sarifMaxSteps { // the end of a trace says most
		steps = steps[len(steps)-sarifMaxSteps:]
	}
	var flow sarifThread
	for _, s := range steps {
		if s.Pos.File != "" {
			flow.Locations = append(flow.Locations, sarifFlowLocation{Location: sarifPlace(s.Pos, StepText(s)),
				Nesting: s.Depth})
		}
	}
	if len(flow.Locations) > 0 {
		out.CodeFlows = []sarifFlow{{Threads: []sarifThread{flow}}}
	}
	return out
}

func sarifPlace(p verdict.Pos, message string) sarifLocation {
	l := sarifLocation{Physical: sarifPhysical{Artifact: sarifArtifact{URI: sarifURI(p.File)}}}
	if p.Line > 0 {
		l.Physical.Region = &sarifRegion{Line: p.Line, Column: p.Column}
	}
	if p.Function != "" {
		l.Logical = []sarifName{{p.Function}}
	}
	if message != "" {
		l.Message = &sarifText{inSARIF(message)}
	}
	return l
}

// sarifURI is a file's name as a relative URI.
func sarifURI(name string) string { return (&url.URL{Path: plain(name)}).String() }

// Fingerprint identifies a finding over line shifts and renamed files: it hashes
// check, target, entry, function and claim, never a line number or path.
func Fingerprint(r *verdict.Result, c *verdict.Claim) string {
	sum := sha256.Sum256([]byte(strings.Join([]string{string(c.Check), r.Target, r.Entry, c.Pos.Function, c.ID},
		"\x00")))
	return hex.EncodeToString(sum[:16])
}

// assumptionsOf lists what the results rest on, each with its entry and target.
func assumptionsOf(r *verdict.Report) []string {
	var out []string
	for i := range r.Results {
		for _, a := range r.Results[i].Assumptions {
			out = append(out, r.Results[i].Entry+" on "+r.Results[i].Target+": "+a)
		}
	}
	return out
}

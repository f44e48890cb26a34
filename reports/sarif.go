package reports

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"

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
	Invocations       []sarifCall   `json:"invocations"`
	Taxonomies        []sarifTaxa   `json:"taxonomies"`
	Bases             sarifBases    `json:"originalUriBaseIds"`
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
	Name      string      `json:"name"`
	FullName  string      `json:"fullName"`
	About     string      `json:"informationUri"`
	Version   string      `json:"version,omitempty"`
	Semantic  string      `json:"semanticVersion,omitempty"`
	Rules     []sarifRule `json:"rules"`
	Supported []sarifRef  `json:"supportedTaxonomies"`
}

// sarifCall says how the tool ended.
type sarifCall struct {
	Successful bool `json:"executionSuccessful"`
}

// sarifTaxa is a list of classes of weaknesses: CWE.
type sarifTaxa struct {
	Name         string       `json:"name"`
	GUID         string       `json:"guid"`
	Organization string       `json:"organization"`
	Short        sarifText    `json:"shortDescription"`
	Taxa         []sarifTaxon `json:"taxa"`
}

type sarifTaxon struct {
	ID string `json:"id"`
}

type sarifBases map[string]map[string]any

// sarifRef names a list of classes, or a class in it.
type sarifRef struct {
	Name  string `json:"name,omitempty"`
	GUID  string `json:"guid,omitempty"`
	ID    string `json:"id,omitempty"`
	Index int    `json:"index"`
	Of    *struct {
		Name string `json:"name"`
	} `json:"toolComponent,omitempty"`
}

type sarifRelation struct {
	Target sarifRef `json:"target"`
	Kinds  []string `json:"kinds"`
}

// sarifRoot is the base of the names of files: the root of the repository.
const sarifRoot = "SRCROOT"

// cweGUID names the list CWE in all reports.
const cweGUID = "25f72d7e-8a92-459d-ad67-64853f788765"

type sarifRule struct {
	ID               string          `json:"id"`
	Name             string          `json:"name"`
	ShortDescription sarifText       `json:"shortDescription"`
	FullDescription  sarifText       `json:"fullDescription"`
	Help             sarifHelp       `json:"help"`
	Configuration    sarifLevel      `json:"defaultConfiguration"`
	Relations        []sarifRelation `json:"relationships,omitempty"`
	Properties       map[string]any  `json:"properties,omitempty"`
}

// sarifHelp is a text, in Markdown, too.
type sarifHelp struct {
	Text     string `json:"text"`
	Markdown string `json:"markdown"`
}

type sarifLevel struct {
	Level string `json:"level"`
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

	Baseline     string             `json:"baselineState,omitempty"`
	Suppressions []sarifSuppression `json:"suppressions,omitempty"`
}

// sarifSuppression says that somebody accepted a result (SARIF 2.1.0, 3.35).
type sarifSuppression struct {
	Kind          string            `json:"kind"`
	Status        string            `json:"status"`
	Justification string            `json:"justification"`
	Properties    map[string]string `json:"properties,omitempty"`
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
	URI  string `json:"uri"`
	Base string `json:"uriBaseId,omitempty"`
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

	Importance string `json:"importance"` // essential for steps that the failure depends on
}

// SARIF renders the violated claims as SARIF 2.1.0, one result for each place, whatever harnesses and targets it was found
// with; traces as code flows.
func SARIF(r *verdict.Report) ([]byte, error) {
	props := verdict.Properties()
	run := sarifRun{ColumnKind: "utf16CodeUnits", AutomationDetails: sarifID{ID: "firmproof/"},
		Results: []sarifResult{}}
	run.Tool.Driver = sarifDriver{Name: r.Tool.Name, FullName: strings.TrimSpace(r.Tool.Name + " " + r.Tool.Version),
		About: "https://github.com/firmproof/firmproof", Version: numbered(r.Tool.Version),
		Rules: []sarifRule{}, Supported: []sarifRef{{Name: "CWE", GUID: cweGUID}}}
	if semantic.MatchString(run.Tool.Driver.Version) {
		run.Tool.Driver.Semantic = run.Tool.Driver.Version
	}
	run.Invocations = []sarifCall{{Successful: true}}
	run.Bases = sarifBases{sarifRoot: {"description": sarifText{"the root of the repository"}}}
	run.Properties = map[string][]string{}
	if said := assumptionsOf(r); len(said) > 0 {
		run.Properties["assumptions"] = said
	}
	for _, c := range Conditions(r.Results) {
		run.Properties[c.Status.String()] = append(run.Properties[c.Status.String()], plain(conditionLine(&c)))
	}
	for i := range r.Results {
		if r.Results[i].EndsOpen {
			run.Properties["terminationOpen"] = append(run.Properties["terminationOpen"],
				r.Results[i].Entry+" on "+r.Results[i].Target)
		}
	}
	index := map[verdict.Check]int{}
	cwe := sarifTaxa{Name: "CWE", GUID: cweGUID, Organization: "MITRE", Short: sarifText{"Common Weakness Enumeration"},
		Taxa: []sarifTaxon{}}
	for i, p := range props {
		index[p.Check] = i
		run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, sarifRuleOf(p, &cwe))
	}
	run.Taxonomies = []sarifTaxa{cwe}

	run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, vacuousRule)
	for _, s := range Violations(r.Results) {
		run.Results = append(run.Results, sarifOf(&s, index[s.Check]))
	}
	run.Results = append(run.Results, vacuousSARIF(r.Results, len(props))...)
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", " ")
	err := enc.Encode(sarifLog{Schema: "https://json.schemastore.org/sarif-2.1.0.json", Version: "2.1.0",
		Runs: []sarifRun{run}})
	return buf.Bytes(), err
}

// semantic matches versions as semver.org has them.
var semantic = regexp.MustCompile(`^\d+\.\d+\.\d+([-+].*)?$`)

// numbered returns a version that begins with a number: those of builds without a tag are names of commits.
func numbered(version string) string {
	if n := strings.TrimPrefix(version, "v"); semantic.MatchString(n) {
		return n
	}
	return "0.0.0+" + version
}

// pascal writes words as one name, each with a capital (SARIF 2.1.0, 3.49.7).
func pascal(words string) string {
	var out strings.Builder
	for _, w := range strings.FieldsFunc(words, func(r rune) bool {
		return !unicode.IsLetter(r) &&
			!unicode.IsDigit(r)
	}) {
		out.WriteString(strings.ToUpper(w[:1]) + w[1:])
	}
	return out.String()
}

// sarifRuleOf describes a check; its class of weakness is added to cwe where that has it not yet.
func sarifRuleOf(p verdict.Property, cwe *sarifTaxa) sarifRule {
	text := p.Meaning + "\n\nWrong: " + p.Bad + "\nRight: " + p.Good
	rule := sarifRule{ID: string(p.Check), Name: pascal(p.Title),
		ShortDescription: sarifText{p.Title}, FullDescription: sarifText{p.Meaning},
		Help: sarifHelp{text, p.Meaning + "\n\n```c\n" + p.Bad + "   // wrong\n" + p.Good +
			"   // right\n```\n"},
		Configuration: sarifLevel{"error"}}
	rule.Properties = map[string]any{"precision": "very-high"}
	if p.CWE != "" {
		number := strings.TrimPrefix(p.CWE, "CWE-")
		at := slices.Index(cwe.Taxa, sarifTaxon{number})
		if at < 0 {
			at = len(cwe.Taxa)
			cwe.Taxa = append(cwe.Taxa, sarifTaxon{number})
		}
		to := sarifRef{ID: number, Index: at, GUID: ""}
		to.Of = &struct {
			Name string `json:"name"`
		}{"CWE"}
		rule.Relations = []sarifRelation{{Target: to, Kinds: []string{"superset"}}}
		rule.Properties["tags"] = []string{"security", "external/cwe/" + strings.ToLower(p.CWE)}
		if p.Severity > 0 {
			rule.Properties["security-severity"] = fmt.Sprintf("%.1f", p.Severity)
		}
	}
	return rule
}

// Fingerprint identifies a finding over line shifts and renamed files: it hashes
// check, target, entry, function and claim, never a line number or path.
func Fingerprint(r *verdict.Result, c *verdict.Claim) string {
	function := c.Pos.Function
	if c.Inside != nil { // as where it is not violated
		function = c.Inside.Function
	}
	sum := sha256.Sum256([]byte(strings.Join([]string{string(c.Check), r.Target, r.Entry, function, c.ID},
		"\x00")))
	return hex.EncodeToString(sum[:16])
}

// assumptionsOf lists what the results rest on, each with its entry and target.
func assumptionsOf(r *verdict.Report) []string {
	var out []string
	for i := range r.Results {
		for _, a := range verdict.TextsOf(r.Results[i].Assumptions) {
			out = append(out, r.Results[i].Entry+" on "+r.Results[i].Target+": "+a)
		}
	}
	return out
}

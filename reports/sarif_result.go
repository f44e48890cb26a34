package reports

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/url"
	"strings"

	"github.com/firmproof/firmproof/verifier/verdict"
)

// vacuousRule is the rule of results that say nothing about the program.
var vacuousRule = sarifRule{ID: string(verdict.Vacuous), Name: "VacuousAnswer",
	ShortDescription: sarifText{"What holds says nothing about the program"},
	FullDescription: sarifText{"No execution satisfies the assumptions of the harness, or none comes to anything " +
		"that could fail: every claim holds for want of executions."},
	Help: sarifHelp{"Assume less, call what is to be verified, and assert what it has to do.",
		"Assume less, call what is to be verified, and assert what it has to do."},
	Configuration: sarifLevel{"warning"}}

// vacuousSARIF are the vacuous results: one for each place and sentence. GitHub refuses all of an upload with a result
// that has no place, so that one without is left out.
func vacuousSARIF(results []verdict.Result, rule int) []sarifResult {
	type key struct {
		at   verdict.Pos
		says string
	}
	same := map[key][]*verdict.Result{}
	var order []key
	for i := range results {
		res := &results[i]
		if res.Vacuous == nil {
			continue
		}
		at := vacuousAt(res)
		if at == nil {
			at = res.At // outside of the project
		}
		if at == nil {
			continue
		}
		k := key{*at, vacuity(res)}
		if same[k] == nil {
			order = append(order, k)
		}
		same[k] = append(same[k], res)
	}
	var out []sarifResult
	for _, k := range order {
		of := func(f func(*verdict.Result) string) []string { return names(same[k], f) }
		entries, on := of(func(r *verdict.Result) string { return r.Entry }), of(func(r *verdict.Result) string { return r.Target })
		function := same[k][0].Entry
		if p := same[k][0].Vacuous.Pos; p != nil {
			function = p.Function
		}
		sum := sha256.Sum256([]byte(strings.Join(append([]string{vacuousRule.ID, function}, entries...), "\x00")))
		out = append(out, sarifResult{RuleID: vacuousRule.ID, RuleIndex: rule, Level: "warning",
			Message:      sarifText{inSARIF(k.says + harnessesOn(entries, on))},
			Fingerprints: map[string]string{sarifFingerprint: hex.EncodeToString(sum[:16])},
			Properties:   map[string]any{"targets": on, "entries": entries},
			Locations:    []sarifLocation{sarifPlace(k.at, "")}})
	}
	return out
}

// sarifFingerprint names the identity of a place of a violation, whatever targets it was found on.
const sarifFingerprint = "firmproof/v2"

// harnessesOn tells at the end of a message which harnesses show it, on which targets.
func harnessesOn(entries, targets []string) string {
	what := "harness "
	if len(entries) > 1 {
		what = "harnesses "
	}
	return fmt.Sprintf(" (%s%s on %s)", what, listed(entries, 3), listed(targets, 6))
}

// sarifOf is the result for a place of a violation.
func sarifOf(s *Site, rule int) sarifResult {
	c := s.Shown().Claim
	out := sarifResult{RuleID: string(s.Check), RuleIndex: rule, Level: "error",
		Message:      sarifText{inSARIF(c.Message + harnessesOn(s.Entries(), s.Targets()))},
		Locations:    []sarifLocation{sarifPlace(s.Pos, "")},
		Fingerprints: map[string]string{sarifFingerprint: siteFingerprint(s)},
		Properties: map[string]any{"targets": s.Targets(), "entries": s.Entries(), "replay": c.Replay,
			"claims": names(s.Claims, func(c SiteClaim) string { return c.Claim.ID })}}
	switch c.Baseline {
	case verdict.New:
		out.Baseline = "new"
	case verdict.Known:
		out.Baseline = "unchanged"
	}
	if a := s.Accepted(); a != nil {
		accepted := sarifSuppression{Kind: "external", Status: "accepted", Justification: plain(a.Reason),
			Properties: map[string]string{}}
		for k, v := range map[string]string{"by": a.By, "until": a.Until} {
			if v != "" {
				accepted.Properties[k] = plain(v)
			}
		}
		out.Suppressions = []sarifSuppression{accepted}
	}
	if flow := sarifSteps(c); len(flow.Locations) > 0 {
		out.CodeFlows = []sarifFlow{{Threads: []sarifThread{flow}}}
	}
	return out
}

// sarifSteps is the trace of a violation, or the end of it, which says most.
func sarifSteps(c *verdict.Claim) sarifThread {
	steps := outside(c.Trace)
	if len(steps) > sarifMaxSteps {
		steps = steps[len(steps)-sarifMaxSteps:]
	}
	var flow sarifThread
	for _, s := range steps {
		if s.Pos.File != "" {
			importance := "unimportant"
			if s.Relevant || s.Kind == verdict.StepViolation {
				importance = "essential"
			}
			flow.Locations = append(flow.Locations, sarifFlowLocation{Location: sarifPlace(s.Pos, StepText(s)),
				Nesting: s.Depth, Importance: importance})
		}
	}
	return flow
}

func sarifPlace(p verdict.Pos, message string) sarifLocation {
	l := sarifLocation{Physical: sarifPhysical{Artifact: sarifArtifact{URI: sarifURI(p.File)}}}
	if !strings.HasPrefix(p.File, "/") {
		l.Physical.Artifact.Base = sarifRoot
	}
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

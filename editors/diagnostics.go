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

// fixData is the data of a diagnostic for its quick fixes; the editor sends it back (LSP: Diagnostic.data).
type fixData struct {
	Dir    string    `json:"dir"`
	Claim  string    `json:"claim,omitempty"` // that may be accepted
	Steps  bool      `json:"steps,omitempty"` // it has a counterexample
	Entry  string    `json:"entry,omitempty"` // with Loop
	Loop   string    `json:"loop,omitempty"`
	Turns  int       `json:"turns,omitempty"`
	Stub   string    `json:"stub,omitempty"` // a function without a body
	Assume []assumed `json:"assume,omitempty"`
}

// assumed is a line of `assume`, or of `stubs`, that changes what a claim rests on.
type assumed struct {
	Place string `json:"place"` // FUNCTION.ARGUMENT, or a function
	Text  string `json:"text"`
	Calls bool   `json:"calls,omitempty"` // it is about calls of a function: a line of `stubs`
}

// maxRelated bounds the steps of a counterexample beside a diagnostic; the last ones are shown.
const maxRelated = 40

// diagnosticsOf lists what an editor shows of a project's report, by file: a place with a violation once. s.mu is to be
// held.
func (s *Server) diagnosticsOf(of *project) map[string][]diagnostic {
	out := map[string][]diagnostic{}
	for file, list := range of.build {
		out[file] = slices.Clone(list)
	}
	if of.report == nil {
		return out
	}
	places := s.places(of)
	add := func(pos verdict.Pos, d diagnostic) {
		if file, r, ok := places.at(pos); ok {
			d.Range, d.Source = r, "firmproof"
			out[file] = append(out[file], d)
		}
	}
	for _, site := range reports.Violations(of.report.Results) {
		shown := site.Shown()
		if !site.Counts() {
			continue
		}
		add(site.Pos, diagnostic{Severity: severityError, Code: string(site.Check), Message: fmt.Sprintf("%s (%s on %s)",
			shown.Claim.Message, strings.Join(site.Entries(), ", "), strings.Join(site.Targets(), ", ")),
			Related: places.steps(shown.Claim.Trace), Data: &fixData{Dir: of.dir, Claim: shown.Claim.ID,
				Steps: len(shown.Claim.Trace) > 0, Assume: changesOf(shown.Result.Entry, shown.Result.RestsOn(shown.Claim))}})
	}
	for _, o := range reports.Obstacles(of.report.Results) {
		if o.Reason.Pos == nil {
			continue
		}
		reason := o.Reason
		reason.Pos = nil
		data := &fixData{Dir: of.dir, Stub: reason.Function}
		if len(o.Unknown) == 1 {
			data.Claim = o.Unknown[0].Claim.ID
		}
		add(*o.Reason.Pos, diagnostic{Severity: severityWarning, Code: "unknown", Message: reason.String() + "; leaves open " +
			o.Leaves(), Data: data})
	}
	for _, c := range reports.Conditions(of.report.Results) {
		message := c.Says() + ": " + c.Of()
		if line := c.Change(); line != "" {
			message += "; under `assume` of the manifest, " + line + " changes it"
		} else if line := c.Declare(); line != "" {
			message += "; " + line
		}
		add(c.Claims[0].Claim.Pos, diagnostic{Severity: severityInformation, Code: c.Status.String(), Message: message,
			Data: &fixData{Dir: of.dir, Assume: changesOf(c.Claims[0].Result.Entry, c.Assumptions)}})
	}
	seen := map[string]bool{}
	for i := range of.report.Results {
		res := &of.report.Results[i]
		for _, l := range res.Bounds.Loops {
			if key := res.Entry + " " + l.Name; !l.Complete && !seen[key] {
				seen[key] = true
				add(l.Pos, diagnostic{Severity: severityInformation, Code: "unwinding", Message: fmt.Sprintf(
					"loop %s was followed for %d turns in %s and may take more", l.Name, l.Turns, res.Entry),
					Data: &fixData{Dir: of.dir, Entry: res.Entry, Loop: l.Name, Turns: max(2, 2*l.Turns)}})
			}
		}
	}
	return out
}

// changesOf lists the lines of the manifest that say something else than assumptions of an entry, each once.
func changesOf(entry string, list []verdict.Assumption) []assumed {
	var out []assumed
	add := func(a assumed) {
		if !slices.ContainsFunc(out, func(b assumed) bool { return a.Place == b.Place && a.Calls == b.Calls }) {
			out = append(out, a)
		}
	}
	for i := range list {
		if function, kind, ok := reports.StubLine(&list[i]); ok {
			add(assumed{function, kind, true})
		} else if place, text, ok := reports.AssumeLine(entry, &list[i]); ok && strings.HasPrefix(entry, AnyCall) {
			add(assumed{Place: place, Text: text})
		}
	}
	return out
}

// steps are those of a trace that the failure depends on, or else the last ones.
func (p *places) steps(trace []verdict.Step) []related {
	matters := slices.DeleteFunc(slices.Clone(trace), func(s verdict.Step) bool {
		return s.Pos.InLibrary() || !s.Relevant && s.Kind != verdict.StepInput && s.Kind != verdict.StepViolation
	})
	out := []related{}
	for _, step := range matters[max(0, len(matters)-maxRelated):] {
		if file, r, ok := p.at(step.Pos); ok {
			out = append(out, related{location{uriOf(file), r}, reports.StepText(step)})
		}
	}
	return out
}

// buildNotes are the mistakes that a compiler found, by file. s.mu is to be held.
func (s *Server) buildNotes(of *project, err error) map[string][]diagnostic {
	out := map[string][]diagnostic{}
	for _, n := range reports.CompilerNotes(err.Error()) {
		file := of.path(n.Path)
		line := lineOf(s.textOf(file), n.StartLine-1)
		begin := len(line) - len(strings.TrimLeft(line, " \t"))
		out[file] = append(out[file], diagnostic{Range: textRange{position{n.StartLine - 1, character(line, begin)},
			position{n.StartLine - 1, character(line, len(line))}}, Severity: severityError, Code: "build", Source: "firmproof",
			Message: n.Message})
	}
	return out
}

// publish sends the diagnostics of a project to the editor, but those that it asks for. s.mu is to be held.
func (s *Server) publish(of *project) {
	all := s.diagnosticsOf(of)
	for file, shown := range of.shown {
		if shown && all[file] == nil {
			all[file] = []diagnostic{}
		}
	}
	for file, list := range all {
		if s.can.pulls() && s.open[file] != nil {
			list = []diagnostic{}
			if !of.shown[file] {
				continue
			}
		}
		of.shown[file] = len(list) > 0
		s.push(file, list)
	}
	s.refresh()
	if s.can.checked {
		s.conn.notify("firmproof/checked", map[string]string{"dir": of.dir})
	}
}

func (s *Server) push(file string, list []diagnostic) {
	s.conn.notify("textDocument/publishDiagnostics", map[string]any{"uri": uriOf(file), "diagnostics": list})
}

// pulled answers with the diagnostics of a file as it stands.
func (s *Server) pulled(_ context.Context, params json.RawMessage) (any, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, file, _, of, err := s.asked(params)
	items := []diagnostic{}
	if err == nil && of != nil {
		items = append(items, s.diagnosticsOf(of)[file]...)
	}
	return map[string]any{"kind": "full", "items": items}, err
}

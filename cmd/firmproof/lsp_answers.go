package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/firmproof/firmproof/pipeline/manifest"
	"github.com/firmproof/firmproof/reports"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// Types of the protocol, with its field names. Lines and columns count from 0.
type (
	position struct {
		Line      int `json:"line"`
		Character int `json:"character"`
	}
	textRange struct {
		Start position `json:"start"`
		End   position `json:"end"`
	}
	location struct {
		URI   string    `json:"uri"`
		Range textRange `json:"range"`
	}
	related struct {
		Location location `json:"location"`
		Message  string   `json:"message"`
	}
	diagnostic struct {
		Range    textRange `json:"range"`
		Severity int       `json:"severity"` // 1 error, 2 warning, 3 information
		Code     string    `json:"code,omitempty"`
		Source   string    `json:"source"`
		Message  string    `json:"message"`
		Related  []related `json:"relatedInformation,omitempty"`
		Data     *fixData  `json:"data,omitempty"`
	}
	textEdit struct {
		Range   textRange `json:"range"`
		NewText string    `json:"newText"`
	}
	editorCommand struct {
		Title     string `json:"title"`
		Command   string `json:"command"`
		Arguments []any  `json:"arguments,omitempty"`
	}
)

// fixData is the data of a diagnostic for its quick fix; the editor sends it back (LSP: Diagnostic.data).
type fixData struct {
	Dir   string `json:"dir"`
	Claim string `json:"claim,omitempty"`
	Entry string `json:"entry,omitempty"`
	Loop  string `json:"loop,omitempty"`
	Turns int    `json:"turns,omitempty"`
}

// lspCheck is the command of a code lens: it takes the project's folder and the entry.
const lspCheck = "firmproof.check"

// maxRelated bounds the steps of a counterexample beside a diagnostic; the last ones are shown.
const maxRelated = 40

// at is the place of pos; its end is the end of the line, as editors understand a column past it.
func at(pos verdict.Pos) textRange {
	line, column := max(0, pos.Line-1), max(0, pos.Column-1)
	return textRange{position{line, column}, position{line, column + 1}}
}

// diagnosticsOf lists what an editor shows of a report, by file: a place with a violation once.
func diagnosticsOf(dir string, r *verdict.Report) map[string][]diagnostic {
	out := map[string][]diagnostic{}
	add := func(pos verdict.Pos, d diagnostic) {
		file := pos.File
		if !filepath.IsAbs(file) {
			file = filepath.Join(dir, file)
		}
		d.Range, d.Source = at(pos), "firmproof"
		out[file] = append(out[file], d)
	}
	for _, s := range reports.Violations(r.Results) {
		c := s.Shown().Claim
		if !s.Counts() || s.Pos.File == "" {
			continue
		}
		add(s.Pos, diagnostic{Severity: 1, Code: string(s.Check), Message: fmt.Sprintf("%s (%s on %s)", c.Message,
			strings.Join(s.Entries(), ", "), strings.Join(s.Targets(), ", ")), Related: stepsOf(dir, c.Trace),
			Data: &fixData{Dir: dir, Claim: c.ID}})
	}
	for _, o := range reports.Obstacles(r.Results) {
		if pos := o.Reason.Pos; pos != nil && pos.File != "" {
			reason := o.Reason
			reason.Pos = nil
			add(*pos, diagnostic{Severity: 2, Code: "unknown", Message: reason.String() + "; leaves open " +
				o.Leaves()})
		}
	}
	for _, c := range reports.Conditions(r.Results) {
		if pos := c.Claims[0].Claim.Pos; pos.File != "" {
			message := c.Says() + ": " + c.Of()
			if line := c.Change(); line != "" {
				message += "; under `assume` of the manifest, " + line + " changes it"
			}
			add(pos, diagnostic{Severity: 3, Code: c.Status.String(), Message: message})
		}
	}
	seen := map[string]bool{}
	for i := range r.Results {
		res := &r.Results[i]
		for _, l := range res.Bounds.Loops {
			if key := res.Entry + " " + l.Name; !l.Complete && l.Pos.File != "" && !seen[key] {
				seen[key] = true
				add(l.Pos, diagnostic{Severity: 3, Code: "unwinding", Message: fmt.Sprintf(
					"loop %s was followed for %d turns in %s and may take more", l.Name, l.Turns, res.Entry),
					Data: &fixData{Dir: dir, Entry: res.Entry, Loop: l.Name, Turns: max(2, 2*l.Turns)}})
			}
		}
	}
	return out
}

// stepsOf are the steps that the failure depends on, or else the last ones.
func stepsOf(dir string, trace []verdict.Step) []related {
	matters := slices.DeleteFunc(slices.Clone(trace), func(s verdict.Step) bool {
		return s.Pos.InLibrary() || !s.Relevant && s.Kind != verdict.StepInput && s.Kind != verdict.StepViolation
	})
	out := []related{}
	for _, s := range matters[max(0, len(matters)-maxRelated):] {
		if s.Pos.File == "" {
			continue
		}
		file := s.Pos.File
		if !filepath.IsAbs(file) {
			file = filepath.Join(dir, file)
		}
		out = append(out, related{location{uriOf(file), at(s.Pos)}, reports.StepText(s)})
	}
	return out
}

// codeLenses offers to check each harness of the manifest where the file defines it.
func (s *languageServer) codeLenses(params json.RawMessage) (any, error) {
	type lens struct {
		Range   textRange     `json:"range"`
		Command editorCommand `json:"command"`
	}
	out := []lens{}
	file, dir, err := fileOf(params)
	if err != nil || dir == "" {
		return out, err
	}
	m, err := manifest.Read(dir)
	if err != nil {
		return out, nil // the check says what is wrong with it
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return out, nil
	}
	for _, h := range m.Harnesses {
		defined := regexp.MustCompile(`(?m)^[A-Za-z_][\w \t*]*\b` + regexp.QuoteMeta(h.Entry) + `[ \t]*\([^;{]*\)\s*\{`)
		if i := defined.FindIndex(text); i != nil {
			n := strings.Count(string(text[:i[0]]), "\n")
			out = append(out, lens{textRange{position{n, 0}, position{n, 0}},
				editorCommand{"check this harness", lspCheck, []any{dir, h.Entry}}})
		}
	}
	return out, nil
}

// execute runs the command of a code lens.
func (s *languageServer) execute(params json.RawMessage) (any, error) {
	var p struct {
		Command   string   `json:"command"`
		Arguments []string `json:"arguments"`
	}
	if err := json.Unmarshal(params, &p); err != nil {
		return nil, err
	}
	if p.Command != lspCheck || len(p.Arguments) == 0 {
		return nil, fmt.Errorf("no command %q with %d arguments", p.Command, len(p.Arguments))
	}
	s.start(p.Arguments[0], p.Arguments[1:])
	return nil, nil
}

// codeActions offers the quick fixes of the diagnostics at a place: edits of the manifest.
func (s *languageServer) codeActions(params json.RawMessage) (any, error) {
	type action struct {
		Title       string       `json:"title"`
		Kind        string       `json:"kind"`
		Diagnostics []diagnostic `json:"diagnostics"`
		Edit        any          `json:"edit"`
	}
	var p struct {
		Context struct {
			Diagnostics []diagnostic `json:"diagnostics"`
		} `json:"context"`
	}
	if err := json.Unmarshal(params, &p); err != nil {
		return nil, err
	}
	out := []action{}
	for _, d := range p.Context.Diagnostics {
		if d.Source != "firmproof" || d.Data == nil {
			continue
		}
		title, file, edit, ok := d.Data.fix()
		if ok {
			out = append(out, action{title, "quickfix", []diagnostic{d},
				map[string]any{"changes": map[string][]textEdit{uriOf(file): {edit}}}})
		}
	}
	return out, nil
}

// fix is the edit of the manifest that suppresses a claim or raises a bound; ok is false where the manifest is
// written in a way that a line cannot be added to.
func (f *fixData) fix() (title, file string, edit textEdit, ok bool) {
	file, err := manifest.Find(f.Dir)
	if err != nil {
		return "", "", edit, false
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return "", "", edit, false
	}
	lines := strings.Split(strings.TrimRight(string(text), "\n"), "\n")
	insert := func(below int, new string) textEdit { // below that line, from 0
		return textEdit{textRange{position{below + 1, 0}, position{below + 1, 0}}, new + "\n"}
	}
	if f.Loop != "" {
		title = fmt.Sprintf("Follow loop %s for %d turns", f.Loop, f.Turns)
		entry := regexp.MustCompile(`^(\s*)- entry: *` + regexp.QuoteMeta(f.Entry) + `\s*(#.*)?$`)
		for i, l := range lines {
			m := entry.FindStringSubmatch(l)
			if m == nil {
				continue
			}
			for _, next := range lines[i+1:] { // an unwindset is there: the person knows better where to add to it
				trimmed := strings.TrimSpace(next)
				if strings.HasPrefix(trimmed, "- ") || len(next) > 0 && next[0] != ' ' {
					break
				}
				if strings.HasPrefix(trimmed, "unwindset:") {
					return "", "", edit, false
				}
			}
			return title, file, insert(i, fmt.Sprintf("%s  unwindset: {%s: %d}", m[1], f.Loop, f.Turns)), true
		}
		return "", "", edit, false
	}
	title = "Suppress " + f.Claim + " in " + manifest.Name
	item := fmt.Sprintf("  - {claim: %q, reason: \"say why\"}", f.Claim)
	for i, l := range lines {
		switch {
		case strings.TrimRight(l, " ") == "suppress:":
			return title, file, insert(i, item), true
		case strings.HasPrefix(l, "suppress:"):
			return "", "", edit, false
		}
	}
	last := len(lines) - 1
	edit = insert(last, "suppress:\n"+item)
	if !strings.HasSuffix(string(text), "\n") {
		end := position{last, len(lines[last])}
		edit = textEdit{textRange{end, end}, "\nsuppress:\n" + item + "\n"}
	}
	return title, file, edit, true
}

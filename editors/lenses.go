package editors

import (
	"context"
	"encoding/json"
	"path/filepath"
	"slices"

	"github.com/firmproof/firmproof/pipeline/manifest"
	"github.com/firmproof/firmproof/reports"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// sources are the endings of files whose functions have commands.
var sources = []string{".c", ".h", ".cc", ".cpp", ".cxx", ".hpp"}

// codeLenses offers what can be done with each function that a file defines. Harnesses of the manifest are checked as they
// are, others with any arguments.
func (s *Server) codeLenses(_ context.Context, params json.RawMessage) (any, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := []codeLens{}
	_, file, d, of, err := s.asked(params)
	if err != nil || of == nil || !slices.Contains(sources, filepath.Ext(file)) {
		return out, err
	}
	m, err := manifest.Read(of.dir)
	if err != nil {
		return out, nil // the check says what is wrong with it
	}
	for _, f := range functionsOf(d.text) {
		at := positionIn(d.text, f.at)
		entry := AnyCall + f.name
		isHarness := slices.ContainsFunc(m.Harnesses, func(h manifest.Harness) bool { return h.Entry == f.name })
		if isHarness {
			entry = f.name
		}
		add := func(title, command string, arguments ...string) {
			out = append(out, codeLens{textRange{position{at.Line, 0}, at}, editorCommand{title, command,
				append([]string{of.dir}, arguments...)}})
		}
		title := "check"
		if worst, claim := of.worst(entry); worst != verdict.Invalid {
			title = reports.Standing(worst) + ": check again"
			if claim != "" {
				add("step through", cmdTrace, claim)
			}
		}
		add(title, cmdCheck, entry)
		add("prove", cmdProve, entry)
		if !isHarness {
			add("compare with HEAD", cmdCompare, f.name)
			add("write a harness", cmdHarness, f.name)
		}
	}
	return out, nil
}

// worst is the status of an entry over all targets, Invalid where it was not verified, with a claim that has a
// counterexample, if there is one that counts.
func (of *project) worst(entry string) (worst verdict.Status, claim string) {
	if of.report == nil {
		return verdict.Invalid, ""
	}
	for i := range of.report.Results {
		r := &of.report.Results[i]
		if r.Entry != entry {
			continue
		}
		worst = verdict.Worse(worst, r.Status)
		for j := range r.Claims {
			if c := &r.Claims[j]; claim == "" && c.Status == verdict.Violated && c.Counts() && len(c.Trace) > 0 {
				claim = c.ID
			}
		}
	}
	return worst, claim
}

// harness is one of the manifest, for lists of tests.
type harness struct {
	Dir    string    `json:"dir"`
	Entry  string    `json:"entry"`
	URI    string    `json:"uri,omitempty"` // of its file, if that is known
	Range  textRange `json:"range"`
	Status string    `json:"status,omitempty"` // over all targets, if it was verified
}

// harnesses lists those of a folder's manifest.
func (s *Server) harnesses(_ context.Context, params json.RawMessage) (any, error) {
	var p struct {
		URI string `json:"uri"`
	}
	if err := json.Unmarshal(params, &p); err != nil {
		return nil, err
	}
	out := []harness{}
	dir, err := manifest.Above(pathOf(p.URI))
	if err != nil {
		return out, nil
	}
	if dir, err = filepath.Abs(dir); err != nil {
		return nil, err
	}
	m, err := manifest.Read(dir)
	if err != nil {
		return out, nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	of := s.projectOf(dir)
	for _, h := range m.Harnesses {
		item := harness{Dir: dir, Entry: h.Entry}
		if worst, _ := of.worst(h.Entry); worst != verdict.Invalid {
			item.Status = worst.String()
		}
		file := of.fileOf(h)
		text := s.textOf(file)
		for _, f := range functionsOf(text) {
			if f.name == h.Entry {
				item.URI, item.Range = uriOf(file), textRange{positionIn(text, f.at), positionIn(text, f.at+len(f.name))}
			}
		}
		out = append(out, item)
	}
	return out, nil
}

// fileOf is the file that a harness is defined in, as the manifest or the report says; empty if neither does.
func (of *project) fileOf(h manifest.Harness) string {
	if h.File != "" {
		return of.path(h.File)
	}
	if of.report != nil {
		for _, r := range of.report.Results {
			if r.Entry == h.Entry && r.At != nil && r.At.File != "" {
				return of.path(r.At.File)
			}
		}
	}
	return ""
}

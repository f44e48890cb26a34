package editors

import (
	"context"
	"encoding/json"
	"slices"
	"strconv"
)

// codeActions offers the quick fixes of the diagnostics at a place: edits of the manifest, which is shown then, and the
// steps of a counterexample.
func (s *Server) codeActions(_ context.Context, params json.RawMessage) (any, error) {
	var p struct {
		Context struct {
			Diagnostics []diagnostic `json:"diagnostics"`
			Only        []string     `json:"only"`
		} `json:"context"`
	}
	if err := json.Unmarshal(params, &p); err != nil {
		return nil, err
	}
	if only := p.Context.Only; len(only) > 0 && !slices.Contains(only, "quickfix") {
		return []codeAction{}, nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	out := []codeAction{}
	for _, d := range p.Context.Diagnostics {
		if d.Source != "firmproof" || d.Data == nil || s.projects[d.Data.Dir] == nil {
			continue
		}
		if d.Data.Steps {
			out = append(out, codeAction{Title: "Step through the counterexample", Kind: "quickfix", Diagnostics: []diagnostic{d},
				Command: &editorCommand{"Step through the counterexample", cmdTrace, []string{d.Data.Dir, d.Data.Claim}}})
		}
		for _, f := range d.Data.fixes() {
			e, err := s.editOf(d.Data.Dir, f.edit)
			if err != nil { // written in a way that it cannot be changed in
				continue
			}
			out = append(out, codeAction{Title: f.title, Kind: "quickfix", Diagnostics: []diagnostic{d}, Edit: e.workspaceEdit(),
				Command: s.showCommand(&e, f.look)})
		}
	}
	return out, nil
}

// showCommand is the command that shows what an edit changed, where the editor can.
func (s *Server) showCommand(e *manifestEdit, look string) *editorCommand {
	if !s.can.Window.Show.Support {
		return nil
	}
	r := e.shown(look)
	return &editorCommand{"Show the manifest", cmdShow, []string{uriOf(e.file), strconv.Itoa(r.Start.Line),
		strconv.Itoa(r.Start.Character), strconv.Itoa(r.End.Character)}}
}

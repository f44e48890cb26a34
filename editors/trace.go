package editors

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"

	"github.com/firmproof/firmproof/reports"
)

// trace answers with a page that steps through the violation of a claim, for a panel of the editor.
func (s *Server) trace(_ context.Context, params json.RawMessage) (any, error) {
	var p struct {
		Dir   string `json:"dir"`
		Claim string `json:"claim"`
	}
	if err := json.Unmarshal(params, &p); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	page, err := s.panel(s.projectOf(p.Dir), p.Claim)
	return map[string]string{"html": string(page)}, err
}

// panel writes the page of a claim, with the sources as they were when that was verified. s.mu is to be held.
func (s *Server) panel(of *project, claim string) ([]byte, error) {
	if of.report != nil {
		if page, ok := reports.Panel(of.report, claim, of.source); ok {
			return page, nil
		}
	}
	return nil, errors.New("no counterexample of " + claim + " is known any more: check it again")
}

// source is the text of a file as it was checked.
func (of *project) source(name string) []byte {
	if text := of.texts[of.path(name)]; text != nil {
		return []byte(*text)
	}
	text, err := os.ReadFile(of.path(name))
	if err != nil {
		return nil
	}
	return text
}

// showTrace opens the page of a claim in a browser: what an editor without panels shows.
func (s *Server) showTrace(ctx context.Context, of *project, claim string) error {
	s.mu.Lock()
	page, err := s.panel(of, claim)
	s.mu.Unlock()
	if err != nil {
		return err
	}
	dir, err := os.UserCacheDir()
	if err != nil {
		dir = os.TempDir()
	}
	file := filepath.Join(dir, "firmproof", "trace.html")
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return err
	}
	if err := os.WriteFile(file, page, 0o600); err != nil {
		return err
	}
	if !s.can.Window.Show.Support {
		s.say(severityInformation, "the counterexample is in "+file)
		return nil
	}
	_, err = s.conn.ask(ctx, "window/showDocument", map[string]any{"uri": uriOf(file), "external": true})
	return err
}

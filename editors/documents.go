package editors

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"

	"github.com/firmproof/firmproof/pipeline/manifest"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// document is an open file.
type document struct {
	text string
	dir  string // of its project; empty: it has none
}

// asked reads the parameters of a request about a file, with its document, nil where it is not open, and the project that
// it is of, nil where there is none. s.mu is to be held.
func (s *Server) asked(params json.RawMessage) (p documentParams, file string, d *document, of *project, err error) {
	if err := json.Unmarshal(params, &p); err != nil {
		return p, "", nil, nil, err
	}
	file = pathOf(p.TextDocument.URI)
	if d = s.open[file]; d != nil && d.dir != "" {
		of = s.projectOf(d.dir)
	}
	return p, file, d, of, nil
}

// opened takes the text of a file, and has its project checked once.
func (s *Server) opened(_ context.Context, params json.RawMessage) (any, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	p, file, _, _, err := s.asked(params)
	if err != nil || file == "" {
		return nil, err
	}
	d := &document{text: p.TextDocument.Text}
	if dir, err := manifest.Above(filepath.Dir(file)); err == nil { // else it is of no project: nothing to say
		if d.dir, err = filepath.Abs(dir); err != nil {
			return nil, err
		}
	}
	s.open[file] = d
	if d.dir == "" {
		return nil, nil
	}
	of := s.projectOf(d.dir)
	if of.report == nil && of.end == nil {
		s.checkAll(of)
	} else if s.can.pulls() && of.shown[file] { // from now on it is asked for
		s.push(file, []diagnostic{})
		of.shown[file] = false
	}
	return nil, nil
}

// changed takes the new text of a file, which is checked when it rests.
func (s *Server) changed(_ context.Context, params json.RawMessage) (any, error) {
	var change struct {
		Changes []struct {
			Text string `json:"text"`
		} `json:"contentChanges"`
	}
	if err := json.Unmarshal(params, &change); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	_, file, d, of, err := s.asked(params)
	if err != nil || d == nil || len(change.Changes) == 0 {
		return nil, err
	}
	d.text = change.Changes[len(change.Changes)-1].Text
	if of != nil && s.can.typing && filepath.Ext(file) != ".yml" {
		s.checkTyped(of, file)
	}
	return nil, nil
}

// saved has the project of a file checked again.
func (s *Server) saved(_ context.Context, params json.RawMessage) (any, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, _, _, of, err := s.asked(params)
	if err == nil && of != nil {
		s.checkAll(of)
	}
	return nil, err
}

// closed forgets the text of a file: what is on the disk counts.
func (s *Server) closed(_ context.Context, params json.RawMessage) (any, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, file, _, of, err := s.asked(params)
	delete(s.open, file)
	if of != nil && of.report != nil && s.can.pulls() {
		s.publish(of)
	}
	return nil, err
}

// textOf is the text of a file as it is edited, or else on the disk. s.mu is to be held.
func (s *Server) textOf(file string) string {
	if d := s.open[file]; d != nil {
		return d.text
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return ""
	}
	return string(text)
}

// lines says where lines of a text, from 1, are in a later form of it; false for those that were changed.
type lines struct {
	before, changed, by int // lines at the beginning that stay; how many behind them were changed; how far the others moved
}

func linesFrom(old, now string) lines {
	if old == now {
		return lines{before: 1 << 30}
	}
	a, b := strings.Split(old, "\n"), strings.Split(now, "\n")
	same := 0
	for same < len(a) && same < len(b) && a[same] == b[same] {
		same++
	}
	end := 0
	for end < len(a)-same && end < len(b)-same && a[len(a)-1-end] == b[len(b)-1-end] {
		end++
	}
	return lines{before: same, changed: len(a) - same - end, by: len(b) - len(a)}
}

func (l lines) now(line int) (int, bool) {
	switch {
	case line <= l.before:
		return line, true
	case line <= l.before+l.changed:
		return 0, false
	}
	return line + l.by, true
}

// places finds where positions of a project's report are now. s.mu is to be held as long as it is used.
type places struct {
	s     *Server
	of    *project
	files map[string]*placed
}

// placed is a file as it stands.
type placed struct {
	text  []string // its lines
	moved *lines   // since it was checked; nil: it was not edited
}

func (s *Server) places(of *project) *places { return &places{s, of, map[string]*placed{}} }

func (p *places) file(path string) *placed {
	f := p.files[path]
	if f == nil {
		text := p.s.textOf(path)
		f = &placed{text: strings.Split(text, "\n")}
		if was := p.of.texts[path]; was != nil && p.s.open[path] != nil && *was != text {
			l := linesFrom(*was, text)
			f.moved = &l
		}
		p.files[path] = f
	}
	return f
}

// line is the line, from 0, that a position is on in a file; false for one that was edited, or that is in no file.
func (p *places) line(pos verdict.Pos) (path string, line int, ok bool) {
	if pos.File == "" || pos.Line <= 0 {
		return "", 0, false
	}
	path, line = p.of.path(pos.File), pos.Line
	if f := p.file(path); f.moved != nil {
		if line, ok = f.moved.now(line); !ok {
			return "", 0, false
		}
	}
	return path, line - 1, true
}

// at is a position as a piece of a line; ok is as with line.
func (p *places) at(pos verdict.Pos) (path string, r textRange, ok bool) {
	path, n, ok := p.line(pos)
	if !ok {
		return "", r, false
	}
	text := ""
	if f := p.file(path); n < len(f.text) {
		text = strings.TrimSuffix(f.text[n], "\r")
	}
	column := max(0, pos.Column-1)
	from, to := character(text, column), character(text, column+1)
	if column < len(text) {
		if _, _, end := wordAt(text, column); end > column {
			to = character(text, end)
		}
	}
	return path, textRange{position{n, from}, position{n, to}}, true
}

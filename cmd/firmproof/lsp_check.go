package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"

	"github.com/firmproof/firmproof/pipeline/manifest"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// languageServer checks the projects of the files that an editor opens.
type languageServer struct {
	conn  *connection
	check func(ctx context.Context, dir string, entries []string) (*verdict.Report, error)
	ctx   context.Context

	mu      sync.Mutex
	running map[string]context.CancelFunc // by project
	found   map[string]*checkedProject    // by project
	checks  sync.WaitGroup
}

// checkedProject holds the report of the last check of a folder with a manifest.
type checkedProject struct {
	report *verdict.Report
	shown  map[string]bool // files with diagnostics in the editor
}

func newLanguageServer(out interface{ Write([]byte) (int, error) },
	check func(context.Context, string, []string) (*verdict.Report, error)) *languageServer {
	return &languageServer{conn: &connection{out: out}, check: check, ctx: context.Background(),
		running: map[string]context.CancelFunc{}, found: map[string]*checkedProject{}}
}

// checkByCommand runs `firmproof check` in dir, in a process of its own that a newer check ends.
func checkByCommand(ctx context.Context, dir string, entries []string) (*verdict.Report, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	args := []string{"check", "--quiet", "--format", "json"}
	for _, e := range entries {
		args = append(args, "--entry", e)
	}
	cmd := exec.CommandContext(ctx, self, append(args, ".")...)
	cmd.Dir = dir
	var out, said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &said
	_ = cmd.Run() // the exit status says how it came out
	report := &verdict.Report{}
	if json.Unmarshal(out.Bytes(), report) == nil && report.Version > 0 {
		return report, nil
	}
	return nil, errors.New(cmp.Or(strings.TrimSpace(said.String()), "firmproof check ended without a report"))
}

type documentParams struct {
	TextDocument struct {
		URI string `json:"uri"`
	} `json:"textDocument"`
}

// fileOf returns the path that params name, and the folder of its project; both empty if it has none.
func fileOf(params json.RawMessage) (file, dir string, err error) {
	var p documentParams
	if err := json.Unmarshal(params, &p); err != nil {
		return "", "", err
	}
	u, err := url.Parse(p.TextDocument.URI)
	if err != nil || u.Scheme != "file" {
		return "", "", err
	}
	file = filepath.FromSlash(u.Path)
	dir, err = manifest.Above(filepath.Dir(file))
	if err != nil {
		return file, "", nil // not of a project: nothing to say
	}
	dir, err = filepath.Abs(dir)
	return file, dir, err
}

func uriOf(file string) string {
	return (&url.URL{Scheme: "file", Path: filepath.ToSlash(file)}).String()
}

func (s *languageServer) initialize(json.RawMessage) (any, error) {
	type obj = map[string]any
	return obj{"serverInfo": obj{"name": "firmproof", "version": version}, "capabilities": obj{
		"textDocumentSync":       obj{"openClose": true, "change": 0, "save": true},
		"codeLensProvider":       obj{},
		"codeActionProvider":     obj{"codeActionKinds": []string{"quickfix"}},
		"executeCommandProvider": obj{"commands": []string{lspCheck}}}}, nil
}

// opened checks the project of a file once.
func (s *languageServer) opened(params json.RawMessage) (any, error) {
	_, dir, err := fileOf(params)
	s.mu.Lock()
	_, busy := s.running[dir]
	known := s.found[dir] != nil || busy
	s.mu.Unlock()
	if err == nil && dir != "" && !known {
		s.start(dir, nil)
	}
	return nil, err
}

// saved checks the project of a file again.
func (s *languageServer) saved(params json.RawMessage) (any, error) {
	_, dir, err := fileOf(params)
	if err == nil && dir != "" {
		s.start(dir, nil)
	}
	return nil, err
}

// start checks a project, or some entries of it, beside what else is done. A check of it that still runs ends.
func (s *languageServer) start(dir string, entries []string) {
	ctx, cancel := context.WithCancel(s.ctx)
	s.mu.Lock()
	if end := s.running[dir]; end != nil {
		end()
	}
	s.running[dir] = cancel
	s.mu.Unlock()
	s.checks.Add(1)
	go func() {
		defer s.checks.Done()
		defer cancel()
		report, err := s.check(ctx, dir, entries)
		if ctx.Err() != nil {
			return
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		if ctx.Err() != nil { // a newer check began meanwhile
			return
		}
		if err != nil {
			s.conn.notify("window/showMessage", map[string]any{"type": 1, "message": "firmproof: " + err.Error()})
			return
		}
		s.publish(dir, report, len(entries) > 0)
	}()
}

// publish sends the diagnostics of a report. Of a part, the results take the place of those of the same entries.
func (s *languageServer) publish(dir string, report *verdict.Report, part bool) {
	p := s.found[dir]
	if p == nil {
		p = &checkedProject{shown: map[string]bool{}}
		s.found[dir] = p
	}
	if part && p.report != nil {
		again := map[string]bool{}
		for i := range report.Results {
			again[report.Results[i].Entry] = true
		}
		for _, r := range p.report.Results {
			if !again[r.Entry] {
				report.Results = append(report.Results, r)
			}
		}
	}
	p.report = report
	files := diagnosticsOf(dir, report)
	for file := range p.shown {
		if files[file] == nil {
			files[file] = []diagnostic{}
		}
	}
	for file, list := range files {
		p.shown[file] = len(list) > 0
		s.conn.notify("textDocument/publishDiagnostics", map[string]any{"uri": uriOf(file), "diagnostics": list})
	}
}

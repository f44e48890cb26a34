package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/firmproof/firmproof/editors"
	"github.com/firmproof/firmproof/pipeline/manifest"
)

const (
	lspManifest = "version: 1\ntargets: [cortex-m3]\nbuild: {sources: [ring.c]}\nfunctions: all\nharnesses:\n  - entry: ring_harness\n"
	lspSource   = `#include <stdint.h>

struct ring { uint8_t buf[16]; unsigned head; };

void ring_put(struct ring *r, uint8_t byte)
{
    r->buf[r->head] = byte;
    r->head = (r->head + 1) % 16;
}

void hal_lock(void);

int table(unsigned k)
{
    static const uint8_t t[10] = {1};
    hal_lock();
    return t[k];
}

void ring_harness(void)
{
    struct ring r = {{0}, 16};
    ring_put(&r, 1);
}
`
)

// lspMessage is one of JSON-RPC, as far as the test looks at it.
type lspMessage struct {
	ID     *int
	Method string
	Params struct {
		Diagnostics []lspDiagnostic
	}
	Result json.RawMessage
	Error  *struct{ Message string }
}

type lspDiagnostic struct {
	Range struct {
		Start struct{ Line, Character int }
	}
	Severity int
	Code     string
	Message  string
	Data     json.RawMessage
}

// lspSession speaks with a server whose checks are processes of the program.
type lspSession struct {
	t    *testing.T
	to   io.Writer
	from *bufio.Reader
	uri  string
	n    int
	said []lspMessage // while an answer was waited for
}

func startLSP(t *testing.T, dir string) *lspSession {
	t.Helper()
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	toServer, in := io.Pipe()
	fromServer, out := io.Pipe()
	done := make(chan error)
	go func() {
		err := editors.New(out, languageTool(self, asProgram), "test").Serve(t.Context(), toServer)
		_ = out.Close()
		done <- err
	}()
	s := &lspSession{t: t, to: in, from: bufio.NewReader(fromServer),
		uri: (&url.URL{Scheme: "file", Path: filepath.Join(dir, "ring.c")}).String()}
	t.Cleanup(func() {
		go func() { _, _ = io.Copy(io.Discard, s.from) }()
		s.send(map[string]any{"method": "exit"})
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	s.ask("initialize", map[string]any{"capabilities": map[string]any{}}, nil)
	return s
}

func (s *lspSession) send(m map[string]any) {
	s.t.Helper()
	m["jsonrpc"] = "2.0"
	text, err := json.Marshal(m)
	if err == nil {
		_, err = fmt.Fprintf(s.to, "Content-Length: %d\r\n\r\n%s", len(text), text)
	}
	if err != nil {
		s.t.Fatal(err)
	}
}

func (s *lspSession) receive() lspMessage {
	s.t.Helper()
	size := 0
	for {
		line, err := s.from.ReadString('\n')
		if err != nil {
			s.t.Fatal(err)
		}
		if line = strings.TrimSpace(line); line == "" {
			break
		}
		if n, ok := strings.CutPrefix(line, "Content-Length: "); ok {
			size, _ = strconv.Atoi(n)
		}
	}
	text := make([]byte, size)
	var m lspMessage
	if _, err := io.ReadFull(s.from, text); err != nil {
		s.t.Fatal(err)
	}
	if err := json.Unmarshal(text, &m); err != nil && m.Method == "textDocument/publishDiagnostics" {
		s.t.Fatalf("%v\n%s", err, text)
	}
	return m
}

// ask waits for an answer, and keeps what comes before it.
func (s *lspSession) ask(method string, params, result any) {
	s.t.Helper()
	s.n++
	s.send(map[string]any{"id": s.n, "method": method, "params": params})
	for {
		m := s.receive()
		if m.ID == nil || *m.ID != s.n {
			s.said = append(s.said, m)
			continue
		}
		if m.Error != nil {
			s.t.Fatalf("%s: %s", method, m.Error.Message)
		}
		if result != nil {
			if err := json.Unmarshal(m.Result, result); err != nil {
				s.t.Fatal(err)
			}
		}
		return
	}
}

// diagnostics waits until those of the file are as found wants them.
func (s *lspSession) diagnostics(found func([]lspDiagnostic) bool) []lspDiagnostic {
	s.t.Helper()
	for {
		var m lspMessage
		if len(s.said) > 0 {
			m, s.said = s.said[0], s.said[1:]
		} else {
			m = s.receive()
		}
		if m.Method == "textDocument/publishDiagnostics" && found(m.Params.Diagnostics) {
			return m.Params.Diagnostics
		}
	}
}

func (s *lspSession) document() map[string]any {
	return map[string]any{"textDocument": map[string]any{"uri": s.uri}}
}

func (s *lspSession) change(text string) {
	p := s.document()
	p["contentChanges"] = []map[string]any{{"text": text}}
	s.send(map[string]any{"method": "textDocument/didChange", "params": p})
}

func has(list []lspDiagnostic, code string, line int) bool {
	for _, d := range list {
		if d.Code == code && d.Range.Start.Line == line {
			return true
		}
	}
	return false
}

// TestLanguageServer: a project is checked as an editor has its file, saved or not: findings come and go with what is
// typed, what does not compile is said at its line, and functions, hints, fixes, versions and harnesses are those of the
// program.
func TestLanguageServer(t *testing.T) {
	dir := writeTree(t, map[string]string{".firmproof.yml": lspManifest, "ring.c": lspSource})
	for _, args := range [][]string{{"init", "-q"}, {"add", "."}, {"commit", "-qm", "old"}} {
		cmd := exec.Command("git", append([]string{"-C", dir, "-c", "user.name=n", "-c", "user.email=e"}, args...)...)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %v\n%s", args, err, out)
		}
	}
	s := startLSP(t, dir)
	p := s.document()
	p["textDocument"].(map[string]any)["text"] = lspSource
	s.send(map[string]any{"method": "textDocument/didOpen", "params": p})
	list := s.diagnostics(func(l []lspDiagnostic) bool { return has(l, "memory", 6) })
	if !has(list, "unknown", 15) {
		t.Errorf("hal_lock has no body, which is not said: %+v", list)
	}
	s.stubs(dir, list)

	// a line above, and the ring is right: nothing is saved
	mended := strings.Replace(strings.Replace(lspSource, "{{0}, 16}", "{{0}, 15}", 1), "\n\n", "\n/* the ring */\n\n", 1)
	s.change(mended)
	if list = s.diagnostics(func(l []lspDiagnostic) bool { return !has(l, "memory", 6) && !has(l, "memory", 7) }); !has(list,
		"unknown", 16) {
		t.Errorf("what is below did not move: %+v", list)
	}
	s.change(strings.Replace(mended, "byte;", "bite;", 1))
	s.diagnostics(func(l []lspDiagnostic) bool { return has(l, "build", 7) })
	s.change(lspSource)
	s.diagnostics(func(l []lspDiagnostic) bool { return has(l, "memory", 6) && !has(l, "build", 7) })

	var hints []struct{ Label []struct{ Value string } }
	p = s.document()
	p["range"] = map[string]any{"start": map[string]int{"line": 0}, "end": map[string]int{"line": 30}}
	s.ask("textDocument/inlayHint", p, &hints)
	if text := fmt.Sprint(hints); !strings.Contains(text, "⟨if r.head is 0..15") {
		t.Errorf("hints: %s", text)
	}
	var outcomes []struct{ Entry, Status string }
	s.ask("workspace/executeCommand", map[string]any{"command": "firmproof.check", "arguments": []string{dir,
		"any call of ring_put"}}, &outcomes)
	if len(outcomes) != 1 || outcomes[0].Status != "conditional" {
		t.Errorf("%+v", outcomes)
	}
	if err := os.WriteFile(filepath.Join(dir, "ring.c"), []byte(strings.Replace(lspSource, "% 16", "& 15", 1)), 0o644); err != nil {
		t.Fatal(err)
	}
	var compared struct{ Text string }
	s.ask("workspace/executeCommand", map[string]any{"command": "firmproof.compare", "arguments": []string{dir,
		"ring_put"}}, &compared)
	if !strings.Contains(compared.Text, "ring_put: the same") {
		t.Errorf("compared: %s", compared.Text)
	}
}

// stubs looks at the quick fixes of a call without a body, and of an index.
func (s *lspSession) stubs(dir string, list []lspDiagnostic) {
	s.t.Helper()
	var actions []struct {
		Title string
		Edit  struct {
			Changes map[string][]struct{ NewText string }
		}
	}
	var sent []map[string]any
	for _, d := range list {
		sent = append(sent, map[string]any{"source": "firmproof", "data": d.Data, "message": d.Message, "range": d.Range})
	}
	s.ask("textDocument/codeAction", map[string]any{"context": map[string]any{"diagnostics": sent}}, &actions)
	seen := map[string]bool{}
	for _, a := range actions {
		for uri, edits := range a.Edit.Changes {
			if !strings.HasSuffix(uri, manifest.Name) || len(edits) != 1 {
				s.t.Errorf("%s: %+v", a.Title, a.Edit)
				continue
			}
			text := lspManifest + edits[0].NewText // all of them add a key at the end
			if _, err := manifest.Parse(filepath.Join(dir, manifest.Name), []byte(text)); err != nil {
				s.t.Errorf("%s: %v\n%s", a.Title, err, text)
			}
		}
		seen[strings.Join(strings.Fields(a.Title)[:2], " ")] = true
	}
	for _, want := range []string{"Step through", "Stub hal_lock:", "Assume ring_put.r.head:"} {
		if !seen[want] {
			s.t.Errorf("no fix %q among %v", want, seen)
		}
	}
}

// TestCheckEdited: what is checked of a text that is not saved leaves nothing in the folders of units and answers, which
// serve what did not change.
func TestCheckEdited(t *testing.T) {
	dir := writeTree(t, map[string]string{"a.c": "int f(int x) { return x / 2; }\nint main(void) { return f(1); }\n",
		"typed": "int f(int x) { return x / 0; }\nint main(void) { return f(1); }\n"})
	cache, answers := t.TempDir(), t.TempDir()
	t.Setenv("XDG_CACHE_HOME", cache)
	kept := func() []string {
		var out []string
		for _, root := range []string{cache, answers} {
			if err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
				if err == nil && d.Type().IsRegular() {
					out = append(out, path)
				}
				return err
			}); err != nil {
				t.Fatal(err)
			}
		}
		return out
	}
	file := filepath.Join(dir, "a.c")
	check := func(want int, args ...string) {
		t.Helper()
		var out, errs bytes.Buffer
		if code := runWith(append([]string{"check", "--cache", answers, file}, args...), &out, &errs); code != want {
			t.Errorf("exit %d, want %d: %s%s", code, want, out.String(), errs.String())
		}
	}
	check(exitOK)
	before := kept()
	check(exitViolated, "--edited", file+"="+filepath.Join(dir, "typed"))
	if after := kept(); len(before) == 0 || !slices.Equal(before, after) {
		t.Errorf("kept were %d files, now %d: %q", len(before), len(after), after)
	}
	check(exitOK)
}

package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/firmproof/firmproof/pipeline/manifest"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// editor speaks with a language server that answers checks with a report of ours.
type editor struct {
	t       *testing.T
	to      io.Writer
	from    *bufio.Reader
	dir     string
	checked chan []string // entries of each check
	n       int
}

func newEditor(t *testing.T) *editor {
	dir := t.TempDir()
	for name, text := range map[string]string{
		".firmproof.yml": "version: 1\nbuild: {sources: [a.c]}\nharnesses:\n  - entry: first\n  - entry: second\n    unwindset: {second.0: 3}\n",
		"a.c":            "int g;\n\nvoid first(void)\n{\n    g = 1;\n}\nint second(int x) {\n    return x;\n}\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	toServer, in := io.Pipe()
	fromServer, out := io.Pipe()
	e := &editor{t: t, to: in, from: bufio.NewReader(fromServer), dir: dir, checked: make(chan []string, 10)}
	s := newLanguageServer(out, func(_ context.Context, dir string, entries []string) (*verdict.Report, error) {
		e.checked <- entries
		return lspReport(), nil
	})
	done := make(chan error)
	go func() {
		done <- s.serve(context.Background(), toServer)
		_ = out.Close()
	}()
	t.Cleanup(func() {
		go func() { _, _ = io.Copy(io.Discard, e.from) }()
		e.send("exit", nil, false)
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	return e
}

// lspReport has a violation with two steps, and a loop that may take more turns, in each of two entries.
func lspReport() *verdict.Report {
	at := verdict.Pos{File: "a.c", Line: 5, Column: 7, Function: "first"}
	r := &verdict.Report{Version: 1}
	for _, entry := range []string{"first", "second"} {
		r.Results = append(r.Results, verdict.Result{Target: "host", Entry: entry, Status: verdict.Violated,
			Bounds: verdict.Bounds{Loops: []verdict.LoopBound{{Pos: at, Name: entry + ".0", Turns: 4}}},
			Claims: []verdict.Claim{{ID: "memory@first#1", Check: verdict.Memory, Status: verdict.Violated,
				Message: "index 8 of 8", Pos: at, Replay: verdict.Confirmed, Trace: []verdict.Step{
					{Pos: verdict.Pos{File: "a.c", Line: 3}, Kind: verdict.StepInput, What: "x", Value: "8"},
					{Pos: at, Kind: verdict.StepViolation, What: "index 8 of 8"}}}}})
	}
	return r
}

func (e *editor) send(method string, params any, wantsAnswer bool) {
	e.t.Helper()
	m := map[string]any{"jsonrpc": "2.0", "method": method, "params": params}
	if wantsAnswer {
		e.n++
		m["id"] = e.n
	}
	text, err := json.Marshal(m)
	if err != nil {
		e.t.Fatal(err)
	}
	if _, err := fmt.Fprintf(e.to, "Content-Length: %d\r\n\r\n%s", len(text), text); err != nil {
		e.t.Fatal(err)
	}
}

// receive reads the next message into result (an answer's result or a notification's params).
func (e *editor) receive(result any) (method string, failure *rpcError) {
	e.t.Helper()
	m, err := readMessage(e.from)
	if err != nil {
		e.t.Fatal(err)
	}
	text := []byte(m.Params)
	if m.Method == "" && m.Error == nil {
		if text, err = json.Marshal(m.Result); err != nil {
			e.t.Fatal(err)
		}
	}
	if m.Error == nil && result != nil {
		if err := json.Unmarshal(text, result); err != nil {
			e.t.Fatal(err)
		}
	}
	return m.Method, m.Error
}

func (e *editor) document() map[string]any {
	return map[string]any{"textDocument": map[string]any{"uri": uriOf(filepath.Join(e.dir, "a.c"))}}
}

// TestLanguageServer: an opened file is checked, its findings are diagnostics with their steps, harnesses have a
// command, and the quick fixes leave a manifest that says what they promise.
func TestLanguageServer(t *testing.T) {
	e := newEditor(t)
	var hello struct{ Capabilities map[string]any }
	e.send("initialize", map[string]any{}, true)
	if e.receive(&hello); hello.Capabilities["codeLensProvider"] == nil {
		t.Fatalf("the server can %v", hello.Capabilities)
	}
	e.send("textDocument/didOpen", e.document(), false)
	if entries := <-e.checked; len(entries) != 0 {
		t.Errorf("checked are %v", entries)
	}
	var said struct {
		URI         string
		Diagnostics []diagnostic
	}
	if method, _ := e.receive(&said); method != "textDocument/publishDiagnostics" || len(said.Diagnostics) != 3 ||
		said.URI != uriOf(filepath.Join(e.dir, "a.c")) {
		t.Fatalf("%s: %+v", method, said)
	}
	d := said.Diagnostics[0]
	if d.Severity != 1 || d.Code != "memory" || d.Range.Start != (position{4, 6}) || len(d.Related) != 2 ||
		!strings.Contains(d.Related[0].Message, "x = 8") || d.Related[0].Location.Range.Start.Line != 2 {
		t.Errorf("the violation is %+v", d)
	}
	e.lenses()
	e.fixes(said.Diagnostics)
	e.send("unknown/method", nil, true)
	if _, failure := e.receive(nil); failure == nil || failure.Code != rpcNoMethod {
		t.Errorf("an unknown method: %+v", failure)
	}
}

// lenses looks at the commands above harnesses, and runs one.
func (e *editor) lenses() {
	e.t.Helper()
	var lenses []struct {
		Range   textRange
		Command editorCommand
	}
	e.send("textDocument/codeLens", e.document(), true)
	if e.receive(&lenses); len(lenses) != 2 || lenses[0].Range.Start.Line != 2 || lenses[1].Range.Start.Line != 6 {
		e.t.Fatalf("the lenses are %+v", lenses)
	}
	e.send("workspace/executeCommand", lenses[1].Command, true)
	if entries := <-e.checked; len(entries) != 1 || entries[0] != "second" {
		e.t.Errorf("checked are %v", entries)
	}
	e.receive(nil) // the answer and the diagnostics, in either order
	e.receive(nil)
}

// fixes applies each quick fix to the manifest, and reads it.
func (e *editor) fixes(list []diagnostic) {
	e.t.Helper()
	var actions []struct {
		Title string
		Edit  struct{ Changes map[string][]textEdit }
	}
	e.send("textDocument/codeAction", map[string]any{"context": map[string]any{"diagnostics": list}}, true)
	if e.receive(&actions); len(actions) != 2 { // second has an unwindset of its own
		e.t.Fatalf("the quick fixes are %+v", actions)
	}
	name := filepath.Join(e.dir, manifest.Name)
	whole, err := os.ReadFile(name)
	if err != nil {
		e.t.Fatal(err)
	}
	for _, a := range actions {
		edit := a.Edit.Changes[uriOf(name)][0]
		lines := strings.SplitAfter(string(whole), "\n")
		i := edit.Range.Start.Line
		text := strings.Join(lines[:i], "") + edit.NewText + strings.Join(lines[i:], "")
		m, err := manifest.Parse(name, []byte(text))
		if err != nil {
			e.t.Fatalf("%s: %v\n%s", a.Title, err, text)
		}
		switch {
		case strings.HasPrefix(a.Title, "Suppress"):
			if len(m.Suppress) != 1 || m.Suppress[0].Claim != "memory@first#1" {
				e.t.Errorf("suppressed is %+v", m.Suppress)
			}
		case len(m.Harnesses[0].Unwindset) != 1 || m.Harnesses[0].Unwindset[0] != manifest.LoopBound{Func: "first",
			Loop: 0, Bound: 8}:
			e.t.Errorf("%s: %+v", a.Title, m.Harnesses)
		}
	}
}

package editors

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/firmproof/firmproof/verifier/verdict"
)

// editor speaks with a server as an editor does. It answers the server's requests, and keeps what it is sent.
type editor struct {
	t   *testing.T
	to  io.Writer
	dir string

	checks chan Check                          // that were asked for
	block  func(c Check, done <-chan struct{}) // in each check; nil: nothing

	writing sync.Mutex
	mu      sync.Mutex
	more    *sync.Cond
	n       int
	answers map[string]*message
	sent    []*message // notifications and requests of the server
	edits   []workspaceEdit
}

const (
	testManifest = "version: 1\nbuild: {sources: [a.c]}\nharnesses:\n  - entry: first\n  - entry: second\n    unwindset: {second.0: 3}\n"
	testSource   = "int g;\n\nvoid first(void)\n{\n    g = 1;\n}\nint second(int x) {\n    return x;\n}\n\nint third(const char *p, int n)\n{\n    for (int i = 0; i < n; i++)\n        g += p[i];\n    return g;\n}\n"
)

// everything is what an editor can do that can all of it.
var everything = map[string]any{
	"window": map[string]any{"workDoneProgress": true, "showDocument": map[string]any{"support": true}},
	"workspace": map[string]any{"applyEdit": true, "codeLens": map[string]any{"refreshSupport": true},
		"inlayHint": map[string]any{"refreshSupport": true}},
}

// newEditor starts a server for a project of its own, whose checks answer with report.
func newEditor(t *testing.T, report func(Check) (*verdict.Report, error), can map[string]any) *editor {
	t.Helper()
	e := &editor{t: t, dir: t.TempDir(), checks: make(chan Check, 100), answers: map[string]*message{}}
	e.more = sync.NewCond(&e.mu)
	e.write(".firmproof.yml", testManifest)
	e.write("a.c", testSource)
	toServer, in := io.Pipe()
	fromServer, out := io.Pipe()
	e.to = in
	s := New(out, Tool{
		Check: func(ctx context.Context, c Check, progress func(Progress)) (*verdict.Report, error) {
			progress(Progress{1, 2, "half of it"})
			c.Edited = e.read(c.Edited)
			e.checks <- c
			if e.block != nil {
				e.block(c, ctx.Done())
			}
			return report(c)
		},
		Diff: func(_ context.Context, dir, function string) (*verdict.Comparisons, error) {
			return &verdict.Comparisons{Comparisons: []verdict.Comparison{{Function: function, Target: "host",
				Status: verdict.Same}}}, nil
		},
		Harness: func(_ context.Context, dir, function string) (string, string, error) {
			name := e.write("h.c", "void "+function+"_harness(void) { }\n")
			return name, function + "_harness", nil
		},
	}, "test")
	s.quiet = time.Millisecond
	done := make(chan error)
	go func() {
		err := s.Serve(context.Background(), toServer)
		_, _ = toServer.Close(), out.Close()
		done <- err
	}()
	go e.receive(fromServer)
	t.Cleanup(func() {
		e.send(message{Method: "exit"})
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	e.ask("initialize", map[string]any{"capabilities": can, "initializationOptions": map[string]any{"checked": true,
		"whileTyping": can["whileTyping"]}}, nil)
	e.notify("initialized", struct{}{})
	return e
}

// read gives the texts that files hold.
func (e *editor) read(edited map[string]string) map[string]string {
	out := map[string]string{}
	for file, held := range edited {
		text, err := os.ReadFile(held)
		if err != nil {
			e.t.Error(err)
		}
		out[filepath.Base(file)] = string(text)
	}
	return out
}

func (e *editor) write(name, text string) string {
	e.t.Helper()
	name = filepath.Join(e.dir, name)
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		e.t.Fatal(err)
	}
	return name
}

func (e *editor) send(m message) {
	m.Version = "2.0"
	text := encoded(m)
	e.writing.Lock()
	defer e.writing.Unlock()
	_, _ = fmt.Fprintf(e.to, "Content-Length: %d\r\n\r\n%s", len(text), text) // the server may have ended
}

func (e *editor) notify(method string, params any) {
	e.send(message{Method: method, Params: encoded(params)})
}

func (e *editor) receive(from io.Reader) {
	r := bufio.NewReader(from)
	for {
		m, err := readMessage(r)
		if err != nil {
			return
		}
		if m.Method != "" && m.ID != nil {
			go e.send(message{ID: m.ID, Result: json.RawMessage(`{"applied":true,"success":true}`)})
		}
		e.mu.Lock()
		if m.Method == "" {
			e.answers[string(m.ID)] = m
		} else {
			e.sent = append(e.sent, m)
		}
		if m.Method == "workspace/applyEdit" {
			var p struct{ Edit workspaceEdit }
			if err := json.Unmarshal(m.Params, &p); err != nil {
				e.t.Error(err)
			}
			e.edits = append(e.edits, p.Edit)
		}
		e.more.Broadcast()
		e.mu.Unlock()
	}
}

// begin sends a request, and returns its ID.
func (e *editor) begin(method string, params any) string {
	e.mu.Lock()
	e.n++
	id := fmt.Sprint(e.n)
	e.mu.Unlock()
	e.send(message{ID: json.RawMessage(id), Method: method, Params: encoded(params)})
	return id
}

// end waits for the answer to a request.
func (e *editor) end(id string, result any) *rpcError {
	e.t.Helper()
	e.mu.Lock()
	for e.answers[id] == nil {
		e.more.Wait()
	}
	m := e.answers[id]
	e.mu.Unlock()
	if m.Error == nil && result != nil {
		if err := json.Unmarshal(m.Result, result); err != nil {
			e.t.Fatal(err)
		}
	}
	return m.Error
}

func (e *editor) ask(method string, params, result any) *rpcError {
	e.t.Helper()
	return e.end(e.begin(method, params), result)
}

// wait returns the next message of a method that was not returned before.
func (e *editor) wait(method string, params any) {
	e.t.Helper()
	e.mu.Lock()
	defer e.mu.Unlock()
	for {
		for i, m := range e.sent {
			if m.Method == method {
				e.sent = append(e.sent[:i:i], e.sent[i+1:]...)
				if params != nil {
					if err := json.Unmarshal(m.Params, params); err != nil {
						e.t.Fatal(err)
					}
				}
				return
			}
		}
		e.more.Wait()
	}
}

func (e *editor) uri(name string) string { return uriOf(filepath.Join(e.dir, name)) }

func (e *editor) document(name string) map[string]any {
	return map[string]any{"textDocument": map[string]any{"uri": e.uri(name)}}
}

func (e *editor) openFile(name, text string) {
	e.notify("textDocument/didOpen", map[string]any{"textDocument": map[string]any{"uri": e.uri(name), "text": text}})
}

func (e *editor) change(name, text string) {
	p := e.document(name)
	p["contentChanges"] = []map[string]any{{"text": text}}
	e.notify("textDocument/didChange", p)
}

// published waits for diagnostics of a file.
func (e *editor) published(name string) []diagnostic {
	e.t.Helper()
	for {
		var p struct {
			URI         string
			Diagnostics []diagnostic
		}
		if e.wait("textDocument/publishDiagnostics", &p); p.URI == e.uri(name) {
			return p.Diagnostics
		}
	}
}

func jsonNumber(id string) json.RawMessage { return json.RawMessage(id) }

// applied is a text after edits.
func applied(text string, edits []textEdit) string {
	lines := strings.SplitAfter(text, "\n")
	offset := func(p position) int {
		n := 0
		for i := 0; i < p.Line && i < len(lines); i++ {
			n += len(lines[i])
		}
		return min(n+p.Character, len(text))
	}
	for _, e := range edits {
		text = text[:offset(e.Range.Start)] + e.NewText + text[offset(e.Range.End):]
	}
	return text
}

package editors

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/firmproof/firmproof/pipeline/manifest"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// testReport has a violation with two steps, and a loop that may take more turns, in each of two harnesses; and a call of
// third with assumptions and an invariant.
func testReport(Check) (*verdict.Report, error) {
	at := verdict.Pos{File: "a.c", Line: 5, Column: 7, Function: "first"}
	r := &verdict.Report{Version: 1}
	for _, entry := range []string{"first", "second"} {
		r.Results = append(r.Results, verdict.Result{Target: "host", Entry: entry, Status: verdict.Violated,
			Bounds: verdict.Bounds{Loops: []verdict.LoopBound{{Pos: at, Name: entry + ".0", Turns: 4}}},
			Claims: []verdict.Claim{{ID: "memory@first#1", Check: verdict.Memory, Status: verdict.Violated,
				Message: "index 8 of 8", Pos: at, Replay: verdict.Confirmed, Trace: []verdict.Step{
					{Pos: verdict.Pos{File: "a.c", Line: 3, Function: "first"}, Kind: verdict.StepInput, What: "x", Value: "8"},
					{Pos: at, Kind: verdict.StepViolation, What: "index 8 of 8"}}}}})
	}
	size := verdict.Assume("p", verdict.Extent, verdict.Chosen, "p leads to 64 bytes")
	hal := verdict.Assume("hal_read", verdict.Calls, verdict.Chosen, "hal_read, which has no body, gives any result")
	hal.Other = "nondet"
	line := func(n int) verdict.Pos { return verdict.Pos{File: "a.c", Line: n, Column: 5, Function: "third"} }
	r.Results = append(r.Results, verdict.Result{Target: "host", Entry: AnyCall + "third", Status: verdict.Conditional,
		Assumptions: []verdict.Assumption{size, hal}, Claims: []verdict.Claim{
			{ID: "memory@third#1", Check: verdict.Memory, Status: verdict.Conditional, Pos: line(14), Message: "read is valid",
				Assumptions: []string{size.ID, hal.ID}},
			{ID: "signed-overflow@third#1", Check: verdict.SignedOverflow, Status: verdict.Proved, Pos: line(13),
				Certificate: &verdict.Certificate{Method: "inductive invariants",
					Always: []verdict.LoopFact{{Pos: line(13), Text: "i <= n"}}}}}})
	return r, nil
}

// TestServer: an opened file is checked, its findings are diagnostics with their steps, functions have commands, names
// have values and parameters what is assumed of them.
func TestServer(t *testing.T) {
	e := newEditor(t, testReport, nil)
	e.openFile("a.c", testSource)
	list := e.published("a.c")
	if c := <-e.checks; c.Dir != e.dir || c.Limit != quick || len(c.Entries) != 0 || len(c.Edited) != 0 {
		t.Errorf("at first: %+v", c)
	}
	if c := <-e.checks; c.Limit != 0 {
		t.Errorf("then: %+v", c)
	}
	list = append(list[:0], e.published("a.c")...)
	if len(list) != 4 {
		t.Fatalf("diagnostics: %+v", list)
	}
	d := list[0]
	if d.Severity != severityError || d.Code != "memory" || d.Range != (textRange{position{4, 6}, position{4, 7}}) ||
		len(d.Related) != 2 || !strings.Contains(d.Related[0].Message, "x = 8") || d.Related[0].Location.Range.Start.Line != 2 {
		t.Errorf("the violation is %+v", d)
	}
	var lenses []codeLens
	e.ask("textDocument/codeLens", e.document("a.c"), &lenses)
	var said []string
	for _, l := range lenses {
		said = append(said, strings.Join(append([]string{l.Command.Title}, l.Command.Arguments[1:]...), " "))
	}
	if want := []string{"step through memory@first#1", "✗ violated: check again first", "prove first",
		"step through memory@first#1", "✗ violated: check again second", "prove second", "◇ conditional: check again any call of third",
		"prove any call of third", "compare with HEAD third", "write a harness third"}; !slices.Equal(said, want) {
		t.Errorf("lenses: %q", said)
	}
	if lenses[6].Range.Start.Line != 10 {
		t.Errorf("third is in line %d", lenses[6].Range.Start.Line)
	}
	e.hovers()
	e.hints()
	if f := e.ask("unknown/method", nil, nil); f == nil || f.Code != rpcNoMethod {
		t.Errorf("an unknown method: %+v", f)
	}
}

// hovers looks at a variable with an invariant, at a parameter, and at what has nothing.
func (e *editor) hovers() {
	e.t.Helper()
	for _, c := range []struct {
		line, character int
		want            []string
	}{
		{12, 20, []string{"`i <= n` **proved** whenever the loop in line 13 is about to turn (`any call of third` on host, by inductive invariants)",
			"signed-overflow: ✓ proved"}},
		{13, 14, []string{"assumed by the tool: p leads to 64 bytes (`any call of third`)", "memory: ◇ conditional"}},
		{0, 4, nil},
	} {
		p := e.document("a.c")
		p["position"] = position{c.line, c.character}
		var h *hover
		e.ask("textDocument/hover", p, &h)
		if (h == nil) != (c.want == nil) {
			e.t.Errorf("%d:%d: %+v", c.line, c.character, h)
			continue
		}
		for _, w := range c.want {
			if !strings.Contains(h.Contents.Value, w) {
				e.t.Errorf("%d:%d: no %q in %s", c.line, c.character, w, h.Contents.Value)
			}
		}
	}
}

// hints looks at what is assumed, and what a click on it does.
func (e *editor) hints() {
	e.t.Helper()
	p := e.document("a.c")
	p["range"] = textRange{position{0, 0}, position{20, 0}}
	var list []inlayHint
	e.ask("textDocument/inlayHint", p, &list)
	if len(list) != 2 || list[0].Position != (position{10, 23}) || list[0].Label[0].Value != "⟨if p leads to 64 bytes⟩" ||
		!slices.Equal(list[0].Label[0].Command.Arguments, []string{e.dir, "third.p", "64 bytes"}) ||
		list[1].Position != (position{10, 31}) || list[1].Label[0].Command.Command != cmdStub {
		e.t.Errorf("hints: %+v", list)
	}
}

// TestFixes: the quick fixes leave a manifest that says what they promise.
func TestFixes(t *testing.T) {
	e := newEditor(t, testReport, everything)
	e.openFile("a.c", testSource)
	list := e.published("a.c")
	var actions []codeAction
	e.ask("textDocument/codeAction", map[string]any{"context": map[string]any{"diagnostics": list}}, &actions)
	name := filepath.Join(e.dir, manifest.Name)
	got := map[string]string{}
	for _, a := range actions {
		if a.Edit == nil {
			got[a.Title] = a.Command.Command
			continue
		}
		text := applied(testManifest, a.Edit.Changes[uriOf(name)])
		m, err := manifest.Parse(name, []byte(text))
		if err != nil {
			t.Fatalf("%s: %v\n%s", a.Title, err, text)
		}
		if a.Command == nil || a.Command.Command != cmdShow {
			t.Errorf("%s: %+v", a.Title, a.Command)
		}
		switch {
		case len(m.Suppress) == 1:
			got[a.Title] = m.Suppress[0].Claim + " " + m.Suppress[0].Reason
		case len(m.Stubs) == 1:
			got[a.Title] = m.Stubs[0].Func + " " + m.Stubs[0].Kind
		case len(m.Assume) == 1:
			got[a.Title] = m.Assume[0].Place + " " + m.Assume[0].Text
		}
	}
	for title, want := range map[string]string{"Step through the counterexample": cmdTrace,
		"Accept memory@first#1 (say why)": "memory@first#1 " + reasonToWrite, "Assume third.p: 64 bytes": "third.p 64 bytes",
		"Stub hal_read: nondet gives any result and touches nothing": "hal_read nondet"} {
		if got[title] != want {
			t.Errorf("%s: %q", title, got[title])
		}
	}
}

// TestUnwindFix: a loop that may take more turns is followed for more.
func TestUnwindFix(t *testing.T) {
	e := newEditor(t, testReport, nil)
	e.openFile("a.c", testSource)
	e.published("a.c") // a hasty check says nothing of turns
	var actions []codeAction
	e.ask("textDocument/codeAction", map[string]any{"context": map[string]any{"diagnostics": e.published("a.c")}}, &actions)
	for _, want := range []string{"Follow loop first.0 for 8 turns", "Follow loop second.0 for 8 turns"} {
		if i := slices.IndexFunc(actions, func(a codeAction) bool { return a.Title == want }); i < 0 ||
			strings.HasSuffix(want, "first.0 for 8 turns") && !strings.Contains(applied(testManifest,
				actions[i].Edit.Changes[e.uri(manifest.Name)]), "unwindset: {first.0: 8}") {
			t.Errorf("no %q among %+v", want, actions)
		}
	}
}

// TestTyping: what is typed is checked when it rests, only what the file has a part in, and what was not edited stays where
// it was; what does not compile is said at its line.
func TestTyping(t *testing.T) {
	e := newEditor(t, func(c Check) (*verdict.Report, error) {
		if strings.Contains(c.Edited["a.c"], "wrong") {
			return nil, errors.New("firmproof: a.c:2:1: unknown type name 'wrong'")
		}
		return testReport(c)
	}, nil)
	e.openFile("a.c", testSource)
	e.published("a.c")
	<-e.checks
	e.published("a.c")
	<-e.checks
	wrong := strings.Replace(testSource, "\n", "\nwrong int k;\n", 1)
	e.change("a.c", wrong)
	if c := <-e.checks; c.Edited["a.c"] != wrong || c.Limit != quick || len(c.Entries) != 3 {
		t.Errorf("typed: %+v", c)
	}
	list := e.published("a.c")
	if len(list) != 5 || list[0].Code != "build" || list[0].Range.Start != (position{1, 0}) ||
		!strings.Contains(list[0].Message, "unknown type name") || list[1].Range.Start.Line != 5 {
		t.Errorf("%+v", list)
	}
	e.notify("textDocument/didClose", e.document("a.c"))
}

// TestGoesOn: a check of the whole project that typing ended goes on behind the check of what was typed.
func TestGoesOn(t *testing.T) {
	first := make(chan bool, 1)
	first <- true
	e := newEditor(t, testReport, nil)
	e.block = func(c Check, done <-chan struct{}) {
		if c.Limit == 0 && len(first) > 0 { // the whole check at first
			<-first
			<-done
		}
	}
	e.openFile("a.c", testSource)
	var got []string
	next := func() { c := <-e.checks; got = append(got, fmt.Sprint(c.Limit, len(c.Entries), len(c.Edited))) }
	next()
	next()
	e.change("a.c", testSource+"\n")
	next()
	next()
	if want := []string{"2s 0 0", "0s 0 0", "2s 3 1", "0s 0 1"}; !slices.Equal(got, want) {
		t.Errorf("checks %q, want %q", got, want)
	}
	e.published("a.c")
	e.published("a.c")
	e.published("a.c")
	e.change("a.c", testSource+"\n\n")
	next()
	if e.published("a.c"); len(e.checks) != 0 || got[4] != "2s 3 1" {
		t.Errorf("then %s, and %d more", got[4], len(e.checks))
	}
}

// TestPull: an editor that asks for diagnostics is not sent those of files that it shows, and is told when to ask.
func TestPull(t *testing.T) {
	e := newEditor(t, testReport, map[string]any{"whileTyping": false, "textDocument": map[string]any{"diagnostic": map[string]any{}},
		"workspace": map[string]any{"diagnostics": map[string]any{"refreshSupport": true}}})
	e.openFile("a.c", testSource)
	e.wait("workspace/diagnostic/refresh", nil)
	e.wait("workspace/diagnostic/refresh", nil)
	pulled := func() []diagnostic {
		var answer struct {
			Kind  string
			Items []diagnostic
		}
		e.ask("textDocument/diagnostic", e.document("a.c"), &answer)
		if answer.Kind != "full" {
			t.Errorf("kind %q", answer.Kind)
		}
		return answer.Items
	}
	if list := pulled(); len(list) != 4 || list[0].Range.Start.Line != 4 {
		t.Errorf("%+v", list)
	}
	// lines above are new; the line itself is another one then
	e.change("a.c", "\n\n"+testSource)
	if list := pulled(); len(list) != 4 || list[0].Range.Start.Line != 6 {
		t.Errorf("moved: %+v", list)
	}
	e.change("a.c", strings.Replace(testSource, "g = 1", "g = 2", 1))
	if list := pulled(); len(list) != 1 || list[0].Code != "conditional" {
		t.Errorf("edited: %+v", list)
	}
	for _, m := range e.sent {
		if m.Method == "textDocument/publishDiagnostics" {
			t.Errorf("sent: %s", m.Params)
		}
	}
}

// TestWork: a check that somebody asks for shows its progress and says what came out; it ends when it is cancelled, by its
// request or by its progress.
func TestWork(t *testing.T) {
	e := newEditor(t, testReport, everything)
	e.openFile("a.c", testSource)
	e.published("a.c")
	e.published("a.c")
	var out []outcome
	if f := e.ask("workspace/executeCommand", map[string]any{"command": cmdCheck, "arguments": []string{e.dir, "first"},
		"workDoneToken": "mine"}, &out); f != nil {
		t.Fatal(f)
	}
	if len(out) != 3 || out[0].Status != "violated" || out[0].Claim != "memory@first#1" || out[0].URI != e.uri("a.c") ||
		out[0].Line != 4 || out[0].Message != "index 8 of 8" {
		t.Errorf("%+v", out)
	}
	var p struct {
		Token string
		Value struct {
			Kind, Title, Message string
			Percentage           int
		}
	}
	kinds := map[string][]string{}
	for p.Token != "mine" || p.Value.Kind != "end" {
		e.wait("$/progress", &p)
		kinds[p.Token] = append(kinds[p.Token], p.Value.Kind)
		if p.Value.Kind == "report" && (p.Value.Percentage != 50 || p.Value.Message != "half of it") {
			t.Errorf("%+v", p)
		}
	}
	if !slices.Equal(kinds["mine"], []string{"begin", "report", "end"}) || len(kinds) != 2 {
		t.Errorf("%+v", kinds)
	}
	for _, command := range []map[string]any{{"command": cmdCheck, "arguments": []string{filepath.Dir(e.dir), "first"}},
		{"command": cmdCheck, "arguments": []string{}}, {"command": "rm", "arguments": []string{e.dir}}} {
		if f := e.ask("workspace/executeCommand", command, nil); f == nil {
			t.Errorf("%v was done", command)
		}
	}
}

// TestCancel: a check ends by its request or by its progress, and so does one that an edit makes old.
func TestCancel(t *testing.T) {
	started, ended := make(chan bool, 10), make(chan bool, 10)
	e := newEditor(t, testReport, everything)
	e.openFile("a.c", testSource)
	e.published("a.c")
	e.published("a.c")
	e.block = func(_ Check, done <-chan struct{}) {
		started <- true
		<-done
		ended <- true
	}
	ask := func(token string) string {
		id := e.begin("workspace/executeCommand", map[string]any{"command": cmdProve, "arguments": []string{e.dir, "first"},
			"workDoneToken": token})
		<-started
		return id
	}
	id := ask("a")
	e.notify("$/cancelRequest", map[string]any{"id": 999})
	e.send(message{Method: "$/cancelRequest", Params: encoded(map[string]any{"id": jsonNumber(id)})})
	<-ended
	if f := e.end(id, nil); f == nil || f.Code != rpcCancelled {
		t.Errorf("cancelled: %+v", f)
	}
	id = ask("b")
	e.notify("window/workDoneProgress/cancel", map[string]any{"token": "b"})
	<-ended
	if f := e.end(id, nil); f == nil || f.Code != rpcCancelled {
		t.Errorf("cancelled by its progress: %+v", f)
	}
	e.notify("textDocument/didSave", e.document("a.c"))
	<-started
	e.notify("textDocument/didSave", e.document("a.c"))
	<-ended
	<-started
}

// TestCommands: hints change the manifest, a harness is written and named there, versions are compared, and the steps of
// a counterexample are shown.
func TestCommands(t *testing.T) {
	e := newEditor(t, testReport, everything)
	e.openFile("a.c", testSource)
	e.published("a.c")
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	run := func(command string, arguments ...string) {
		t.Helper()
		if f := e.ask("workspace/executeCommand", map[string]any{"command": command, "arguments": append([]string{e.dir},
			arguments...)}, nil); f != nil {
			t.Fatalf("%s: %v", command, f)
		}
	}
	run(cmdAssume, "third.p", "16 elements")
	run(cmdStub, "hal_read", "havoc")
	run(cmdHarness, "third")
	var texts []string
	for _, edit := range e.edits {
		texts = append(texts, strings.TrimPrefix(applied(testManifest, edit.Changes[e.uri(manifest.Name)]), testManifest))
	}
	if len(texts) != 3 || texts[0] != "assume:\n  third.p: 16 elements\n" || texts[1] != "stubs:\n  hal_read: havoc\n" ||
		!strings.Contains(texts[2], "\n  - {entry: third_harness, file: h.c}\n") {
		t.Errorf("%q", texts)
	}
	var shown struct {
		URI       string
		Selection textRange
		External  bool
	}
	if e.wait("window/showDocument", &shown); shown.Selection != (textRange{position{7, 11}, position{7, 22}}) {
		t.Errorf("%+v", shown)
	}
	e.wait("window/showDocument", nil)
	if e.wait("window/showDocument", &shown); shown.URI != e.uri("h.c") || shown.Selection.Start != (position{0, 5}) {
		t.Errorf("%+v", shown)
	}
	run(cmdTrace, "memory@first#1")
	if e.wait("window/showDocument", &shown); !shown.External {
		t.Errorf("%+v", shown)
	}
	page, err := os.ReadFile(pathOf(shown.URI))
	if err != nil || !strings.Contains(string(page), "index 8 of 8") {
		t.Errorf("%v\n%s", err, page)
	}
	run(cmdCompare, "third")
	var list []harness
	e.ask("firmproof/harnesses", map[string]any{"uri": uriOf(e.dir)}, &list)
	if len(list) != 2 || list[0].Entry != "first" || list[0].Status != "violated" || list[0].URI != "" {
		t.Errorf("%+v", list)
	}
	var answer struct{ HTML string }
	if f := e.ask("firmproof/trace", map[string]any{"dir": e.dir, "claim": "none"}, nil); f == nil {
		t.Error("a claim that is none has steps")
	}
	if f := e.ask("firmproof/trace", map[string]any{"dir": e.dir, "claim": "memory@first#1"}, &answer); f != nil ||
		!strings.Contains(answer.HTML, "g = 1;") {
		t.Errorf("%v %s", f, answer.HTML)
	}
}

// Package editors is the language server that `firmproof lsp` runs (LSP 3.17), and has the extension for VS Code in its
// folder vscode. What an editor shows comes from reports: the server has projects checked, when a file is opened, changed
// or saved, and answers out of the last report, for the text as it stands now.
//
//	rpc.go        messages, requests that run side by side    protocol.go  the types of LSP that are used
//	documents.go  open files, and where lines went            project.go   what is checked when, and the last report
//	functions.go  functions that a text in C defines          fixes.go     edits of the manifest
//	diagnostics.go, lenses.go, hover.go, hints.go, actions.go, commands.go, trace.go: what an editor asks for
package editors

import (
	"context"
	"encoding/json"
	"io"
	"sync"
	"time"

	"github.com/firmproof/firmproof/verifier/verdict"
)

// Tool is the program that the server asks. All of its functions end early with their context.
type Tool struct {
	// Check verifies a project. progress is called now and then.
	Check func(ctx context.Context, c Check, progress func(Progress)) (*verdict.Report, error)
	// Diff compares a function in the folder of a project with what HEAD has.
	Diff func(ctx context.Context, dir, function string) (*verdict.Comparisons, error)
	// Harness writes a harness for a function into the folder of a project, and returns its file and its name.
	Harness func(ctx context.Context, dir, function string) (file, entry string, err error)
}

// Check says what is to be verified.
type Check struct {
	Dir     string            // with a manifest
	Entries []string          // of harnesses, or as AnyCall says; none: all
	Limit   time.Duration     // processor time of each; 0: as usual
	Edited  map[string]string // files as they are edited: the file that holds the text
}

// AnyCall begins the name of the entry that calls a function with any arguments.
const AnyCall = "any call of "

// Progress says how far a check is.
type Progress struct {
	Ended int    `json:"ended"`
	Total int    `json:"total"`
	Doing string `json:"doing"`
}

// Server serves one editor.
type Server struct {
	conn    *connection
	tool    Tool
	version string
	ctx     context.Context
	can     capabilities
	quiet   time.Duration // after the last change of a text, before it is checked

	mu       sync.Mutex
	open     map[string]*document          // by path
	projects map[string]*project           // by folder
	calls    map[string]context.CancelFunc // requests that run, by ID
	tokens   map[string]context.CancelFunc // work whose progress is shown, by token
	work     sync.WaitGroup
}

// typingPause is how long a text rests before it is checked.
const typingPause = 400 * time.Millisecond

// New returns a server that writes to out.
func New(out io.Writer, tool Tool, version string) *Server {
	return &Server{conn: &connection{out: out}, tool: tool, version: version, ctx: context.Background(), quiet: typingPause,
		open: map[string]*document{}, projects: map[string]*project{}, calls: map[string]context.CancelFunc{},
		tokens: map[string]context.CancelFunc{}}
}

// methods are the requests and notifications that are understood.
var methods = map[string]method{
	"initialize":                     {do: (*Server).initialize},
	"initialized":                    {do: ignored},
	"shutdown":                       {do: ignored},
	"$/cancelRequest":                {do: (*Server).cancelled},
	"window/workDoneProgress/cancel": {do: (*Server).workCancelled},
	"textDocument/didOpen":           {do: (*Server).opened},
	"textDocument/didChange":         {do: (*Server).changed},
	"textDocument/didSave":           {do: (*Server).saved},
	"textDocument/didClose":          {do: (*Server).closed},
	"textDocument/diagnostic":        {do: (*Server).pulled},
	"textDocument/codeLens":          {do: (*Server).codeLenses},
	"textDocument/codeAction":        {do: (*Server).codeActions},
	"textDocument/hover":             {do: (*Server).hover},
	"textDocument/inlayHint":         {do: (*Server).inlayHints},
	"workspace/executeCommand":       {do: (*Server).execute, slow: true},
	"firmproof/harnesses":            {do: (*Server).harnesses},
	"firmproof/trace":                {do: (*Server).trace},
}

func ignored(*Server, context.Context, json.RawMessage) (any, error) { return nil, nil }

// capabilities are those of the editor that make a difference.
type capabilities struct {
	Window struct {
		Progress bool `json:"workDoneProgress"`
		Show     struct {
			Support bool `json:"support"`
		} `json:"showDocument"`
	} `json:"window"`
	Workspace struct {
		ApplyEdit   bool    `json:"applyEdit"`
		CodeLens    refresh `json:"codeLens"`
		InlayHint   refresh `json:"inlayHint"`
		Diagnostics refresh `json:"diagnostics"`
	} `json:"workspace"`
	TextDocument struct {
		Diagnostic *struct{} `json:"diagnostic"`
	} `json:"textDocument"`

	typing, checked bool // see initialize
}

type refresh struct {
	Support bool `json:"refreshSupport"`
}

// pulls reports whether the editor asks for the diagnostics of the files that it shows.
func (c *capabilities) pulls() bool {
	return c.TextDocument.Diagnostic != nil && c.Workspace.Diagnostics.Support
}

// initialize takes what the editor can, and two options of ours: whether texts are checked while they are typed (true), and
// whether `firmproof/checked` is to tell of each report (false).
func (s *Server) initialize(_ context.Context, params json.RawMessage) (any, error) {
	p := struct {
		Capabilities capabilities `json:"capabilities"`
		Options      struct {
			Typing  *bool `json:"whileTyping"`
			Checked bool  `json:"checked"`
		} `json:"initializationOptions"`
	}{}
	if err := json.Unmarshal(params, &p); err != nil {
		return nil, err
	}
	s.can = p.Capabilities
	s.can.typing, s.can.checked = p.Options.Typing == nil || *p.Options.Typing, p.Options.Checked
	type obj = map[string]any
	can := obj{
		"textDocumentSync":       obj{"openClose": true, "change": 1, "save": true}, // 1: whole texts
		"codeLensProvider":       obj{},
		"codeActionProvider":     obj{"codeActionKinds": []string{"quickfix"}},
		"hoverProvider":          true,
		"inlayHintProvider":      true,
		"executeCommandProvider": obj{"commands": commandNames, "workDoneProgress": true},
	}
	if s.can.pulls() {
		can["diagnosticProvider"] = obj{"identifier": "firmproof", "interFileDependencies": true, "workspaceDiagnostics": false}
	}
	return obj{"serverInfo": obj{"name": "firmproof", "version": s.version}, "capabilities": can}, nil
}

// refresh has the editor ask again for what follows from reports.
func (s *Server) refresh() {
	for _, r := range []struct {
		can    refresh
		method string
	}{
		{s.can.Workspace.CodeLens, "workspace/codeLens/refresh"},
		{s.can.Workspace.InlayHint, "workspace/inlayHint/refresh"},
		{refresh{s.can.pulls()}, "workspace/diagnostic/refresh"},
	} {
		if r.can.Support {
			s.work.Go(func() { _, _ = s.conn.ask(s.ctx, r.method, nil) }) // whether it did, it does not say
		}
	}
}

// say shows a message to the user.
func (s *Server) say(severity int, text string) {
	s.conn.notify("window/showMessage", map[string]any{"type": severity, "message": "firmproof: " + text})
}

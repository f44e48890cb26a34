package editors

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/firmproof/firmproof/pipeline/manifest"
	"github.com/firmproof/firmproof/reports"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// Commands of lenses, fixes and hints. The first argument is the folder of a project, but of cmdShow.
const (
	cmdCheck   = "firmproof.check"   // entries; none: all
	cmdProve   = "firmproof.prove"   // entries
	cmdCompare = "firmproof.compare" // a function
	cmdHarness = "firmproof.harness" // a function
	cmdAssume  = "firmproof.assume"  // FUNCTION.ARGUMENT, what
	cmdStub    = "firmproof.stub"    // a function, a kind
	cmdTrace   = "firmproof.trace"   // a claim
	cmdShow    = "firmproof.show"    // URI, line, and two places in it
	cmdStop    = "firmproof.stop"    // ends the checks that edits began
)

var commandNames = []string{cmdCheck, cmdProve, cmdCompare, cmdHarness, cmdAssume, cmdStub, cmdTrace, cmdShow, cmdStop}

// proving is the processor time of each entry where somebody asks for a proof.
const proving = 10 * time.Minute

// execute runs a command. Its answer comes when it is done.
func (s *Server) execute(ctx context.Context, params json.RawMessage) (any, error) {
	var p struct {
		Command   string          `json:"command"`
		Arguments []string        `json:"arguments"`
		Token     json.RawMessage `json:"workDoneToken"`
	}
	if err := json.Unmarshal(params, &p); err != nil {
		return nil, err
	}
	least, known := map[string]int{cmdCheck: 1, cmdProve: 2, cmdCompare: 2, cmdHarness: 2, cmdAssume: 3, cmdStub: 3,
		cmdTrace: 2, cmdShow: 4, cmdStop: 0}[p.Command]
	if !known || len(p.Arguments) < least {
		return nil, fmt.Errorf("no command %q with %d arguments", p.Command, len(p.Arguments))
	}
	switch p.Command {
	case cmdShow:
		return nil, s.show(ctx, p.Arguments)
	case cmdStop:
		s.stop()
		return nil, nil
	}
	if _, err := manifest.Find(p.Arguments[0]); err != nil || !filepath.IsAbs(p.Arguments[0]) {
		return nil, fmt.Errorf("%s is no folder with a manifest", p.Arguments[0])
	}
	s.mu.Lock()
	of := s.projectOf(filepath.Clean(p.Arguments[0]))
	s.mu.Unlock()
	arguments := p.Arguments[1:]
	ctx, end := context.WithCancel(ctx)
	defer end()
	var out any
	var err error
	doing := func(title string, do func(func(Progress))) {
		s.withProgress(ctx, end, work{string(p.Token), title, true}, do)
	}
	switch p.Command {
	case cmdCheck:
		doing("checking "+strings.Join(arguments, ", "), func(progress func(Progress)) {
			out, err = s.checkNow(ctx, of, Check{Entries: arguments}, progress)
		})
	case cmdProve:
		doing("proving "+strings.Join(arguments, ", "), func(progress func(Progress)) {
			out, err = s.checkNow(ctx, of, Check{Entries: arguments, Limit: proving}, progress)
		})
	case cmdCompare:
		doing("comparing "+arguments[0]+" with HEAD", func(func(Progress)) { out, err = s.compare(ctx, of, arguments[0]) })
	case cmdHarness:
		doing("writing a harness for "+arguments[0], func(func(Progress)) { err = s.writeHarness(ctx, of, arguments[0]) })
	case cmdAssume:
		err = s.change(ctx, of, arguments[1], func(file string, text []byte) ([]byte, error) {
			return manifest.AssumeIn(file, text, arguments[0], arguments[1])
		})
	case cmdStub:
		err = s.change(ctx, of, arguments[0], func(file string, text []byte) ([]byte, error) {
			return manifest.StubIn(file, text, arguments[0], arguments[1])
		})
	case cmdTrace:
		err = s.showTrace(ctx, of, arguments[0])
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		s.say(severityError, err.Error())
	}
	return out, err
}

// stop ends the checks that edits began.
func (s *Server) stop() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, of := range s.projects {
		if of.end != nil {
			of.end()
			of.end = nil
		}
	}
}

// outcome is how one entry came out on one target.
type outcome struct {
	Entry   string  `json:"entry"`
	Target  string  `json:"target"`
	Status  string  `json:"status"`
	Seconds float64 `json:"seconds"`
	Message string  `json:"message"` // why it does not hold
	Claim   string  `json:"claim,omitempty"`
	URI     string  `json:"uri,omitempty"`
	Line    int     `json:"line"`
}

// checkNow verifies entries because somebody asked for it.
func (s *Server) checkNow(ctx context.Context, of *project, c Check, progress func(Progress)) ([]outcome, error) {
	done, err := s.run(ctx, of, c, progress)
	s.took(ctx, of, done, err)
	if err != nil || ctx.Err() != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	out, places := []outcome{}, s.places(of)
	for i := range done.report.Results {
		r := &done.report.Results[i]
		o := outcome{Entry: r.Entry, Target: r.Target, Status: r.Status.String(), Seconds: float64(r.DurationMS) / 1000}
		at := r.At
		for j := range r.Claims {
			if c := &r.Claims[j]; c.Status == r.Status && c.Counts() {
				o.Message, o.Claim, at = c.Message, c.ID, &c.Pos
				if c.Reason != nil {
					o.Message = c.Reason.String()
				}
				break
			}
		}
		if r.Reason != nil {
			o.Message = r.Reason.String()
		}
		if at != nil {
			if file, line, ok := places.line(*at); ok {
				o.URI, o.Line = uriOf(file), line
			}
		}
		out = append(out, o)
	}
	if c.Limit == proving {
		var text bytes.Buffer
		reports.Text(&text, done.report, reports.TextOptions{Quiet: true})
		s.say(severityInformation, strings.Join(strings.Fields(text.String()), " "))
	}
	return out, nil
}

// compare says what a function does that it did not do in HEAD.
func (s *Server) compare(ctx context.Context, of *project, function string) (any, error) {
	c, err := s.tool.Diff(ctx, of.dir, function)
	if err != nil {
		return nil, err
	}
	text := strings.TrimSpace(reports.Comparisons(c))
	severity := severityInformation
	if c.Count(verdict.Differs) > 0 {
		severity = severityWarning
	}
	s.say(severity, text)
	return map[string]any{"text": text, "comparisons": c}, nil
}

// writeHarness writes one, names it in the manifest, and shows it.
func (s *Server) writeHarness(ctx context.Context, of *project, function string) error {
	file, entry, err := s.tool.Harness(ctx, of.dir, function)
	if err != nil {
		return err
	}
	name, err := filepath.Rel(of.dir, file)
	if err != nil {
		return err
	}
	if err := s.change(ctx, of, "", func(m string, text []byte) ([]byte, error) {
		return manifest.HarnessIn(m, text, entry, filepath.ToSlash(name))
	}); err != nil {
		return err
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	for _, f := range functionsOf(string(text)) {
		if f.name == entry {
			at := positionIn(string(text), f.at)
			return s.showDocument(ctx, uriOf(file), textRange{at, at})
		}
	}
	return nil
}

// change has the editor change a project's manifest, and shows where it says a piece; none: it is not shown.
func (s *Server) change(ctx context.Context, of *project, piece string, edit func(string, []byte) ([]byte, error)) error {
	s.mu.Lock()
	e, err := s.editOf(of.dir, edit)
	s.mu.Unlock()
	if err != nil || e.old == e.new {
		return err
	}
	if !s.can.Workspace.ApplyEdit {
		return fmt.Errorf("this editor cannot change files at a server's request: edit %s by hand", e.file)
	}
	if _, err := s.conn.ask(ctx, "workspace/applyEdit", map[string]any{"label": "firmproof", "edit": e.workspaceEdit()}); err != nil {
		return err
	}
	if piece == "" {
		return nil
	}
	return s.showDocument(ctx, uriOf(e.file), e.shown(piece))
}

// show runs cmdShow.
func (s *Server) show(ctx context.Context, arguments []string) error {
	var at [3]int
	for i := range at {
		n, err := strconv.Atoi(arguments[i+1])
		if err != nil {
			return err
		}
		at[i] = n
	}
	return s.showDocument(ctx, arguments[0], textRange{position{at[0], at[1]}, position{at[0], at[2]}})
}

// showDocument shows a piece of a file, where the editor can.
func (s *Server) showDocument(ctx context.Context, uri string, selection textRange) error {
	if !s.can.Window.Show.Support {
		return nil
	}
	_, err := s.conn.ask(ctx, "window/showDocument", map[string]any{"uri": uri, "takeFocus": true, "selection": selection})
	return err
}

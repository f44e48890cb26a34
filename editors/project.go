package editors

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"github.com/firmproof/firmproof/pipeline/manifest"
	"github.com/firmproof/firmproof/reports"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// project is a folder with a manifest.
type project struct {
	dir    string
	report *verdict.Report    // nil: it was never checked
	whole  bool               // no check of all of it was begun and not ended
	texts  map[string]*string // open files, as they were when that was checked
	build  map[string][]diagnostic
	shown  map[string]bool    // files whose diagnostics the editor was sent
	end    context.CancelFunc // ends the check that runs after an edit; nil: none does
}

// projectOf returns the project of a folder. s.mu is to be held.
func (s *Server) projectOf(dir string) *project {
	of := s.projects[dir]
	if of == nil {
		of = &project{dir: dir, texts: map[string]*string{}, shown: map[string]bool{}}
		s.projects[dir] = of
	}
	return of
}

// path is the file that the report names.
func (of *project) path(name string) string {
	if filepath.IsAbs(name) {
		return filepath.Clean(name)
	}
	return filepath.Join(of.dir, name)
}

// quick is the processor time of each entry where answers are wanted at once.
const quick = 2 * time.Second

// checkAll has a project checked, in place of a check that an earlier edit began: at first with little time for each entry,
// then as long as is usual, where that may tell more. s.mu is to be held.
func (s *Server) checkAll(of *project) {
	of.whole = false
	s.begin(of, 0, func(ctx context.Context, progress func(Progress)) {
		first, err := s.run(ctx, of, Check{Limit: quick}, progress)
		s.took(ctx, of, first, err)
		if err == nil && ctx.Err() == nil && openForTime(first.report) {
			s.checkWhole(ctx, of, progress)
			return
		}
		s.wholeIf(ctx, of)
	})
}

// checkWhole checks all of a project, as long as is usual.
func (s *Server) checkWhole(ctx context.Context, of *project, progress func(Progress)) {
	whole, err := s.run(ctx, of, Check{}, progress)
	s.took(ctx, of, whole, err)
	s.wholeIf(ctx, of)
}

// wholeIf notes that a check of all of a project has ended, if nothing came between.
func (s *Server) wholeIf(ctx context.Context, of *project) {
	s.mu.Lock()
	defer s.mu.Unlock()
	of.whole = of.whole || ctx.Err() == nil
}

// checkTyped has what a file that was changed and not saved has a part in checked, when it has rested for a while. A
// project that is built by a command of its own is checked when files are saved. A check of the whole project that came to
// no end goes on then. s.mu is to be held.
func (s *Server) checkTyped(of *project, file string) {
	m, err := manifest.Read(of.dir)
	if err != nil || m.Build.Command != "" {
		return
	}
	entries, whole := of.entriesOf(file), of.whole
	if of.report != nil && len(entries) == 0 && whole {
		return
	}
	s.begin(of, s.quiet, func(ctx context.Context, progress func(Progress)) {
		now, err := s.run(ctx, of, Check{Entries: entries, Limit: quick}, progress)
		if err != nil && len(reports.CompilerNotes(err.Error())) == 0 {
			return // an entry may be gone; saving the file says more
		}
		s.took(ctx, of, now, err)
		if err == nil && !whole {
			s.checkWhole(ctx, of, progress)
		}
	})
}

// entriesOf lists the entries of the report that a file has a part in.
func (of *project) entriesOf(file string) []string {
	var out []string
	if of.report == nil {
		return nil
	}
	for i := range of.report.Results {
		r := &of.report.Results[i]
		is := func(p verdict.Pos) bool { return p.File != "" && of.path(p.File) == file }
		if (r.At != nil && is(*r.At) || slices.ContainsFunc(r.Claims, func(c verdict.Claim) bool { return is(c.Pos) })) &&
			!slices.Contains(out, r.Entry) {
			out = append(out, r.Entry)
		}
	}
	return out
}

// begin does work on a project after a pause, instead of what an earlier edit began. s.mu is to be held.
func (s *Server) begin(of *project, after time.Duration, do func(context.Context, func(Progress))) {
	if of.end != nil {
		of.end()
	}
	ctx, end := context.WithCancel(s.ctx)
	of.end = end
	s.work.Go(func() {
		defer end()
		select {
		case <-time.After(after):
			s.withProgress(ctx, end, work{"", "checking " + filepath.Base(of.dir), false}, func(progress func(Progress)) { do(ctx, progress) })
		case <-ctx.Done():
		}
		s.mu.Lock()
		if ctx.Err() == nil {
			of.end = nil
		}
		s.mu.Unlock()
	})
}

// checked is what came out of a check.
type checked struct {
	Check
	report *verdict.Report
	texts  map[string]*string // open files, as they were
}

// run checks a project with the texts that are not saved.
func (s *Server) run(ctx context.Context, of *project, c Check, progress func(Progress)) (*checked, error) {
	held, err := os.MkdirTemp("", "firmproof-edited-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(held)
	c.Dir, c.Edited = of.dir, map[string]string{}
	texts := map[string]*string{}
	s.mu.Lock()
	for file, d := range s.open {
		if d.dir != of.dir || filepath.Ext(file) == ".yml" {
			continue
		}
		text := d.text
		texts[file] = &text
	}
	s.mu.Unlock()
	for file, text := range texts {
		if saved, err := os.ReadFile(file); err == nil && string(saved) != *text {
			at := filepath.Join(held, strconv.Itoa(len(c.Edited)))
			if err := os.WriteFile(at, []byte(*text), 0o600); err != nil {
				return nil, err
			}
			c.Edited[file] = at
		}
	}
	report, err := s.tool.Check(ctx, c, progress)
	return &checked{c, report, texts}, err
}

// merge puts results in the place of those of the same entries and targets: of all, where they are the whole report.
// Others move to where their lines are in the texts that were checked now. Of a hasty check, what only the time left open
// is not taken.
func (of *project) merge(c *checked) {
	all := *c.report
	all.Results = slices.Clone(all.Results)
	type key struct{ entry, target string }
	again := map[key]bool{}
	for i := range all.Results {
		r := &all.Results[i]
		again[key{r.Entry, r.Target}] = true
		if c.Limit == quick {
			leaveOut(r)
		}
	}
	if len(c.Entries) > 0 && of.report != nil {
		for _, r := range of.report.Results {
			if !again[key{r.Entry, r.Target}] {
				of.move(&r, c.texts)
				all.Results = append(all.Results, r)
			}
		}
	}
	of.report, of.texts = &all, c.texts
}

// leaveOut takes out of a result what only the time left open.
func leaveOut(r *verdict.Result) {
	if r.Reason.OutOfTime() {
		r.Reason = nil
	}
	r.Claims = slices.DeleteFunc(slices.Clone(r.Claims), func(c verdict.Claim) bool { return c.Reason.OutOfTime() })
	r.Bounds.Loops = slices.DeleteFunc(slices.Clone(r.Bounds.Loops), func(l verdict.LoopBound) bool { return !l.Complete })
}

// move changes the lines that a result names to those of newer texts; lines that were edited are 0 then.
func (of *project) move(r *verdict.Result, texts map[string]*string) {
	moved := map[string]lines{}
	for file, text := range texts {
		if was := of.texts[file]; was != nil && *was != *text {
			moved[file] = linesFrom(*was, *text)
		}
	}
	if len(moved) == 0 {
		return
	}
	r.EachPos(func(p *verdict.Pos) {
		if l, ok := moved[of.path(p.File)]; ok && p.Line > 0 {
			p.Line, _ = l.now(p.Line)
		}
	})
}

// openForTime reports whether more time may settle more.
func openForTime(r *verdict.Report) bool {
	return slices.ContainsFunc(r.Results, func(res verdict.Result) bool {
		return res.CutShort || res.Reason.OutOfTime() ||
			slices.ContainsFunc(res.Claims, func(c verdict.Claim) bool { return c.Reason.OutOfTime() }) ||
			slices.ContainsFunc(res.Bounds.Loops, func(l verdict.LoopBound) bool { return !l.Complete })
	})
}

// took shows what came out of a check.
func (s *Server) took(ctx context.Context, of *project, c *checked, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if ctx.Err() != nil { // a newer check began meanwhile, or somebody ended this one
		return
	}
	if err == nil {
		of.build = nil
		of.merge(c)
	} else if of.build = s.buildNotes(of, err); len(of.build) == 0 {
		s.say(severityError, err.Error())
		return
	}
	s.publish(of)
}

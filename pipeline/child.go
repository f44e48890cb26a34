package pipeline

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"

	"github.com/firmproof/firmproof/pipeline/answers"
	"github.com/firmproof/firmproof/pipeline/prepare"
	"github.com/firmproof/firmproof/pipeline/sandbox"
	"github.com/firmproof/firmproof/reports"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// ChildChecker builds and verifies in processes of their own, `PROGRAM job build`
// and `PROGRAM job verify`, inside the sandbox: our parsers and solvers read
// hostile input too.
type ChildChecker struct {
	program string // our own executable, where the sandbox's user can reach it
	box     *sandbox.Sandbox
	limits  sandbox.Limits
	engine  string
}

// NewChildChecker makes a checker of the executable program.
func NewChildChecker(program string, box *sandbox.Sandbox, limits sandbox.Limits) (*ChildChecker, error) {
	engine, err := answers.EngineOf(program)
	if err != nil {
		return nil, err
	}
	return &ChildChecker{program: program, box: box, limits: limits, engine: engine}, nil
}

// Engine implements Checker: the digest of the executable.
func (c *ChildChecker) Engine() string { return c.engine }

// What a child may leave, and what it may say beside it.
const (
	maxReport  = 256 << 20
	maxNoise   = 64 << 10
	maxEntries = 100_000
)

// Build implements Checker. A process that ends badly without a Fault (a crash, the
// kernel's out-of-memory killer) is an unknown of this target and nothing else.
func (c *ChildChecker) Build(ctx context.Context, req Request) (*Built, error) {
	argv := []string{c.program, "job", "build", "--target", req.Target, "--engine", c.engine, "--units", req.Units,
		"-o", req.Scratch}
	change, err := json.Marshal(prepare.Change{Lines: req.Changed, Only: req.Only, Asked: req.Asked})
	if err != nil {
		return nil, ours(err)
	}
	name := filepath.Join(req.Scratch, "change.json")
	if err := os.WriteFile(name, change, 0o644); err != nil {
		return nil, ours(err)
	}
	argv = append(argv, "--change", name)
	for _, e := range req.Options.Entries {
		argv = append(argv, "--entry", e)
	}
	limited, cancel := context.WithTimeout(ctx, req.Limit)
	defer cancel()
	spec := sandbox.Spec{Argv: argv, Dir: req.Dir, Write: []string{req.Dir, req.Scratch}}
	if req.Units != "" {
		spec.Read = []string{req.Units}
	}
	exit, said, err := c.run(limited, req.Scratch, spec)
	hide := c.hide(req.Work, req.Dir, req.Scratch)
	said = cleaned(said, hide)
	built := func(kind verdict.ReasonKind, why string) *Built {
		res := lost(req.Target, "*", kind, why)
		return &Built{Jobs: []prepare.Job{{Settled: res}}, Sandbox: c.box.String()}
	}
	switch {
	case errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil:
		return nil, &LimitError{"time", errors.New(reports.LimitReached("time", req.Limit.String()))}
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case err != nil:
		return nil, ours(err)
	case exit.Killed != "":
		return nil, &LimitError{exit.Killed, errors.New(reports.LimitReached(exit.Killed, ""))}
	}
	var fault prepare.Fault
	switch err := readAnswer(filepath.Join(req.Scratch, prepare.FaultFile), hide, &fault); {
	case exit.Code == 0:
		var jobs []prepare.Job
		if err := readAnswer(filepath.Join(req.Scratch, prepare.JobsFile), nil, &jobs); err != nil {
			return built(verdict.Internal, "the build: "+err.Error()), nil
		}
		list, err := c.built(jobs, req, hide)
		if err == nil {
			var outlines map[string]*prepare.Outline
			if err := readAnswer(filepath.Join(req.Scratch, prepare.OutlineFile), nil, &outlines); err != nil {
				return built(verdict.Internal, "the build: "+err.Error()), nil
			}
			if o := outlines[req.Target]; o != nil {
				list.Outlines = map[string]*prepare.Outline{req.Target: o}
			}
			var v *prepare.Version
			if err := readAnswer(filepath.Join(req.Scratch, prepare.VersionsFile), nil, &v); err != nil {
				return built(verdict.Internal, "the build: "+err.Error()), nil
			}
			if v != nil {
				v.Plan.Target = req.Target
				list.Versions = map[string]*prepare.Version{req.Target: v}
			}
		}
		return list, err
	case err == nil:
		return nil, blamed(fault)
	case exit.Code == 126:
		return nil, ours(fmt.Errorf("sandbox: %s", said))
	case sandbox.Shortage(said):
		return nil, ours(errors.New(said))
	case strings.Contains(said, "out of memory") || strings.Contains(said, "cannot allocate memory"):
		return nil, &LimitError{"memory", errors.New(reports.LimitReached("memory", ""))}
	}
	return built(verdict.Internal, fmt.Sprintf("the build ended with status %d: %s", exit.Code, said)), nil
}

// blamed returns the error that a fault stands for.
func blamed(f prepare.Fault) error {
	message := strings.TrimSpace(strings.ToValidUTF8(f.Message, "?"))
	switch {
	case f.Ours:
		return ours(errors.New(message))
	case f.Limit != "":
		return &LimitError{f.Limit, fmt.Errorf("%s\n\n%s", reports.LimitReached(f.Limit, ""), message)}
	}
	return theirs("failure", "%s", message)
}

// built checks what a child says that it built: it met hostile code.
func (c *ChildChecker) built(jobs []prepare.Job, req Request, hide func([]byte) []byte) (*Built, error) {
	if len(jobs) > maxEntries {
		return nil, theirs("failure", "more than %d entries", maxEntries)
	}
	for i := range jobs {
		j := &jobs[i]
		j.Plan.Target, j.Pair = req.Target, nil // pairs are made here, of both builds
		if j.Settled != nil {
			text, err := json.Marshal(j.Settled)
			if err == nil {
				j.Settled = &verdict.Result{}
				err = json.Unmarshal(hide(text), j.Settled)
			}
			if err != nil {
				return nil, ours(err)
			}
			j.Settled.Target = req.Target
			relative(j.Settled)
		}
		if j.Module != "" && (filepath.Base(j.Module) != j.Module || strings.HasPrefix(j.Module, ".")) {
			return nil, ours(fmt.Errorf("the build names a module %q", j.Module))
		}
	}
	return &Built{Jobs: jobs, Sandbox: c.box.String()}, nil
}

// Verify implements Checker.
func (c *ChildChecker) Verify(ctx context.Context, t Task) (*verdict.Result, error) {
	text, err := json.Marshal(&t.Job)
	if err != nil {
		return nil, ours(err)
	}
	if err := os.WriteFile(filepath.Join(t.Scratch, prepare.JobFile), text, 0o644); err != nil {
		return nil, ours(err)
	}
	gone := func(kind verdict.ReasonKind, why string) (*verdict.Result, error) {
		return lost(t.Job.Plan.Target, t.Job.Plan.Entry, kind, why), nil
	}
	hide := c.hide(t.Work, t.Scratch)
	limited, cancel := context.WithTimeout(ctx, t.Limit)
	defer cancel()
	exit, said, err := c.run(limited, t.Scratch, sandbox.Spec{Argv: []string{c.program, "job", "verify", t.Scratch},
		Dir: t.Scratch, Write: []string{t.Scratch}})
	switch {
	case errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil:
		return gone(verdict.TimedOut, fmt.Sprintf("no answer within %s", t.Limit))
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case err != nil:
		return nil, ours(err)
	case exit.Killed != "":
		return gone(verdict.OutOfMemory, "the limit on "+exit.Killed+" was reached")
	case exit.Code == 126:
		return nil, ours(fmt.Errorf("sandbox: %s", said))
	case exit.Code != 0 && sandbox.Shortage(said):
		return nil, ours(errors.New(said))
	case exit.Code != 0:
		return gone(verdict.Internal, "the analysis ended with status "+strconv.Itoa(exit.Code)+": "+cleaned(said, hide))
	}
	res := &verdict.Result{}
	if err := readAnswer(filepath.Join(t.Scratch, prepare.ResultFile), hide, res); err != nil {
		return gone(verdict.Internal, "the analysis: "+err.Error())
	}
	res.Target = t.Job.Plan.Target
	relative(res)
	return res, nil
}

// run runs a command of ours in the sandbox; answer is the folder of its answer.
func (c *ChildChecker) run(ctx context.Context, answer string, spec sandbox.Spec) (sandbox.Exit, string, error) {
	noise := &tail{limit: maxNoise}
	spec.Limits, spec.Stdout, spec.Stderr = c.limits, noise, noise
	spec.Env = []string{"PATH=/usr/local/bin:/usr/bin:/bin", "HOME=" + answer, "TMPDIR=" + answer, "LC_ALL=C.UTF-8",
		"NO_COLOR=1", sandbox.Inside(answer)}
	exit, err := c.box.Run(ctx, spec)
	return exit, noise.String(), err
}

// readAnswer reads what a child wrote. The child met hostile code: its output is
// only data, of bounded size, and a regular file. hide may be nil.
func readAnswer(name string, hide func([]byte) []byte, into any) error {
	f, err := os.OpenFile(name, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if err != nil {
		return errors.New("it left no answer")
	}
	defer func() { _ = f.Close() }() // it was only read
	st, err := f.Stat()
	if err != nil || !st.Mode().IsRegular() || st.Size() > maxReport {
		return errors.New("it left no usable answer")
	}
	data, err := io.ReadAll(io.LimitReader(f, maxReport))
	if err != nil {
		return errors.New("it left no usable answer")
	}
	if hide != nil {
		data = hide(data)
	}
	if err := json.Unmarshal(data, into); err != nil {
		return fmt.Errorf("it left an unreadable answer: %w", err)
	}
	return nil
}

// lost is the result of a process that died.
func lost(target, entry string, kind verdict.ReasonKind, why string) *verdict.Result {
	return &verdict.Result{Target: target, Entry: entry, Status: verdict.Unknown, Claims: []verdict.Claim{},
		Reason: &verdict.Reason{Kind: kind, Detail: why}}
}

// relative takes "./" from names of files, which begin at the root of the repository.
func relative(res *verdict.Result) {
	res.EachPos(func(p *verdict.Pos) { p.File = strings.TrimPrefix(p.File, "./") })
}

// hide returns a function that takes the folders of this machine out of what a process says: those that it was given,
// which are the root of the repository to whoever reads it, those of other builds below work, and our program's.
func (c *ChildChecker) hide(work string, folders ...string) func([]byte) []byte {
	const name = `[A-Za-z0-9_.-]+`
	var named []string
	for _, f := range folders {
		named = append(named, regexp.QuoteMeta(f))
	}
	if work != "" {
		named = append(named, regexp.QuoteMeta(work)+`/`+name+`(?:/[0-9]+(?:/src\b|/out\b)?)?`, regexp.QuoteMeta(work))
	}
	folder := regexp.MustCompile(`(?:` + strings.Join(named, "|") + `)(/?)`)
	return func(text []byte) []byte {
		text = bytes.ReplaceAll(text, []byte(c.program), []byte("firmproof"))
		return folder.ReplaceAllFunc(text, func(m []byte) []byte {
			if m[len(m)-1] == '/' {
				return nil
			}
			return []byte(".")
		})
	}
}

// cleaned is what a process said, without the folders of this machine.
func cleaned(s string, hide func([]byte) []byte) string {
	return strings.TrimSpace(strings.ToValidUTF8(string(hide([]byte(s))), "?"))
}

// tail keeps the first and the last half of limit bytes.
type tail struct {
	head, last bytes.Buffer
	limit      int
}

// Write implements io.Writer.
func (t *tail) Write(p []byte) (int, error) {
	n := len(p)
	if room := t.limit/2 - t.head.Len(); room > 0 {
		k := min(room, len(p))
		t.head.Write(p[:k])
		p = p[k:]
	}
	t.last.Write(p)
	if over := t.last.Len() - t.limit/2; over > 0 {
		t.last.Next(over)
	}
	return n, nil
}

func (t *tail) String() string { return t.head.String() + t.last.String() }

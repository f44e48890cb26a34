package pipeline

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/firmproof/firmproof/pipeline/sandbox"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// ChildChecker verifies in a process of its own, `PROGRAM check`, the same
// command that a person runs, inside the sandbox: our parsers and solvers read
// hostile input too.
type ChildChecker struct {
	Program string // our own executable, where the sandbox's user can reach it
	Box     *sandbox.Sandbox
	Limits  sandbox.Limits
}

// maxReport bounds the size of a report, maxNoise what a child says beside it.
const (
	maxReport = 256 << 20
	maxNoise  = 64 << 10
)

// Check implements Checker. The exit status of `check` decides: a report for 0,
// 1 and 3; 2 is the change's own fault, with the message; anything else (a
// crash, the kernel's out-of-memory killer) is an unknown of this target and nothing else.
func (c *ChildChecker) Check(ctx context.Context, req Request) (*Outcome, error) {
	out := filepath.Join(req.Scratch, "report.json")
	argv := []string{c.Program, "check", ".", "--target", req.Target, "--format", "json", "-o", out}
	for _, e := range req.Options.Entries {
		argv = append(argv, "--entry", e)
	}
	ctx, cancel := context.WithTimeout(ctx, req.Limit)
	defer cancel()
	noise := &tail{limit: maxNoise}
	exit, err := c.Box.Run(ctx, sandbox.Spec{Argv: argv, Dir: req.Dir, Write: []string{req.Dir, req.Scratch}, Limits: c.Limits, Stdout: noise, Stderr: noise,
		Env: []string{"PATH=/usr/local/bin:/usr/bin:/bin", "HOME=" + req.Scratch, "TMPDIR=" + req.Scratch, "LC_ALL=C.UTF-8", "NO_COLOR=1", sandbox.Inside(req.Scratch)}})
	said := clean(noise.String(), req)
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return nil, theirs("timed_out", "no answer within %s", req.Limit)
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case err != nil:
		return nil, &InfraError{err}
	case exit.Killed != "":
		return &Outcome{lost(req, verdict.OutOfMemory, "the limit on "+exit.Killed+" was reached"), c.Box.String()}, nil
	}
	switch exit.Code {
	case 0, 1, 3:
		report, err := readReport(out, req)
		return &Outcome{report, c.Box.String()}, err
	case 2:
		return nil, theirs("failure", "%s", said)
	case 126:
		return nil, &InfraError{fmt.Errorf("sandbox: %s", said)}
	}
	return &Outcome{lost(req, verdict.Internal, fmt.Sprintf("the analysis ended with status %d: %s", exit.Code, said)), c.Box.String()}, nil
}

// readReport reads what the child wrote. The child met hostile code: its output
// is only data, of bounded size, and a regular file.
func readReport(name string, req Request) (*verdict.Report, error) {
	f, err := os.OpenFile(name, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if err != nil {
		return lost(req, verdict.Internal, "the analysis left no report"), nil
	}
	defer func() { _ = f.Close() }()
	st, err := f.Stat()
	if err != nil || !st.Mode().IsRegular() || st.Size() > maxReport {
		return lost(req, verdict.Internal, "the analysis left no usable report"), nil
	}
	var r verdict.Report
	if err := json.NewDecoder(f).Decode(&r); err != nil {
		return lost(req, verdict.Internal, "the analysis left an unreadable report: "+err.Error()), nil
	}
	for i := range r.Results {
		r.Results[i].Target = req.Target
	}
	relative(&r, req)
	return &r, nil
}

// lost is the report of an analysis that died.
func lost(req Request, kind verdict.ReasonKind, why string) *verdict.Report {
	r := verdict.Result{Target: req.Target, Entry: "*", Status: verdict.Unknown, Reason: &verdict.Reason{Kind: kind, Detail: why}}
	return &verdict.Report{Version: 1, Tool: verdict.Tool{Name: "firmproof"}, Results: []verdict.Result{r}}
}

// relative makes file names relative to the root of the repository.
func relative(r *verdict.Report, req Request) {
	fix := func(p *verdict.Pos) {
		p.File = strings.TrimPrefix(strings.TrimPrefix(p.File, req.Dir+"/"), "./")
	}
	for i := range r.Results {
		res := &r.Results[i]
		for j := range res.Claims {
			c := &res.Claims[j]
			fix(&c.Pos)
			if c.Reason != nil && c.Reason.Pos != nil {
				fix(c.Reason.Pos)
			}
			for k := range c.Trace {
				fix(&c.Trace[k].Pos)
			}
			for k := range c.Inputs {
				fix(&c.Inputs[k].Pos)
			}
		}
		for j := range res.Bounds.Loops {
			fix(&res.Bounds.Loops[j].Pos)
		}
		if res.Reason != nil && res.Reason.Pos != nil {
			fix(res.Reason.Pos)
		}
	}
}

// clean takes paths of this machine out of a message.
func clean(s string, req Request) string {
	s = strings.ReplaceAll(s, req.Dir+"/", "")
	s = strings.ReplaceAll(s, req.Scratch+"/", "")
	return strings.TrimSpace(strings.ToValidUTF8(s, "?"))
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

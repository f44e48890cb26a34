package pipeline

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/firmproof/firmproof/verifier/verdict"
)

// Confine prepares a command that will meet other people's code: it returns the
// command to start instead, and says which layers hold it.
type Confine func(ctx context.Context, req Request, argv []string) (*exec.Cmd, string, error)

// ChildChecker verifies in a process of its own: `PROGRAM check`, the same
// command that a person runs.
type ChildChecker struct {
	Program string  // our own executable
	Confine Confine // nil: only a process group
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
	cmd, layers, err := c.command(ctx, req, argv)
	if err != nil {
		return nil, &InfraError{err}
	}
	noise := &tail{limit: maxNoise}
	cmd.Stdout, cmd.Stderr = noise, noise
	err = cmd.Run()
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil && errors.Is(ctx.Err(), context.DeadlineExceeded):
		return nil, theirs("timed_out", "no answer within %s", req.Limit)
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case err != nil && !errors.As(err, &exit):
		return nil, &InfraError{err}
	}
	switch code := cmd.ProcessState.ExitCode(); code {
	case 0, 1, 3:
		report, err := readReport(out, req)
		return &Outcome{report, layers}, err
	case 2:
		return nil, theirs("failure", "%s", clean(noise.String(), req))
	default:
		return &Outcome{lost(req, fmt.Sprintf("the analysis ended with %s: %s", cmd.ProcessState, clean(noise.String(), req))), layers}, nil
	}
}

func (c *ChildChecker) command(ctx context.Context, req Request, argv []string) (*exec.Cmd, string, error) {
	if c.Confine != nil {
		return c.Confine(ctx, req, argv)
	}
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Dir = req.Dir
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + req.Scratch, "TMPDIR=" + req.Scratch, "LC_ALL=C.UTF-8", "NO_COLOR=1"}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = 2 * time.Second
	return cmd, "none", nil
}

// readReport reads what the child wrote. The child met hostile code: its output
// is only data, of bounded size, and a regular file.
func readReport(name string, req Request) (*verdict.Report, error) {
	f, err := os.OpenFile(name, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if err != nil {
		return lost(req, "the analysis left no report"), nil
	}
	defer func() { _ = f.Close() }()
	st, err := f.Stat()
	if err != nil || !st.Mode().IsRegular() || st.Size() > maxReport {
		return lost(req, "the analysis left no usable report"), nil
	}
	var r verdict.Report
	if err := json.NewDecoder(f).Decode(&r); err != nil {
		return lost(req, "the analysis left an unreadable report: "+err.Error()), nil
	}
	for i := range r.Results {
		r.Results[i].Target = req.Target
	}
	relative(&r, req)
	return &r, nil
}

// lost is the report of an analysis that died.
func lost(req Request, why string) *verdict.Report {
	r := verdict.Result{Target: req.Target, Entry: "*", Status: verdict.Unknown, Reason: &verdict.Reason{Kind: verdict.Internal, Detail: why}}
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

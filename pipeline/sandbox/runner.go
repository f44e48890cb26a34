package sandbox

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/firmproof/firmproof/pipeline/compile"
)

// insideVar tells a process that it runs in a sandbox of ours. Its value is the
// folder that holds the answer of that process, which a build must not touch.
const insideVar = "FIRMPROOF_INSIDE"

// Inside returns the environment entry for a process of ours that answers in a file
// of the folder answer: builds that it starts get fewer rights than it has.
func Inside(answer string) string { return insideVar + "=" + answer }

// maxOutput is how much of each output of a build's command is kept.
const maxOutput = 64 << 20

// Runner runs the commands of a build: each in Box, or, in a process that is in
// a sandbox already, with fewer rights than that process has.
type Runner struct {
	Box    *Sandbox // nil: nested
	Limits Limits
}

// BuildRunner returns the runner for builds of this process. Inside a sandbox that
// is a nested one whatever mode says: the build shares the sandbox with the
// analysis, and must not reach its memory, files or answer (this process closes
// its /proc entries to others for that). dir keeps a copy of our program.
func BuildRunner(ctx context.Context, mode Mode, program, dir string) (compile.Runner, error) {
	limits := DefaultLimits()
	limits.Depth = 0 // of each command: the sandbox around looks at it, or the tree is its owner's
	switch {
	case os.Getenv(insideVar) != "":
		return &Runner{Limits: limits}, shield()
	case mode == Off:
		return compile.Direct{}, nil
	}
	box, err := New(ctx, mode, program, dir)
	if err != nil {
		return nil, err
	}
	return &Runner{Box: box, Limits: limits}, nil
}

// Run implements compile.Runner.
func (r *Runner) Run(ctx context.Context, c compile.Cmd) (compile.Result, error) {
	out, complaint := &capped{limit: maxOutput}, &capped{limit: maxOutput}
	spec := Spec{Argv: c.Argv, Dir: c.Dir, Env: c.Env, Write: c.Write, Read: c.Read, Limits: r.Limits, Stdout: out,
		Stderr: complaint}
	if c.Stdout != nil {
		spec.Stdout = c.Stdout
	}
	box := r.Box
	if box == nil {
		var err error
		if spec, err = nested(spec); err != nil {
			return compile.Result{}, err
		}
		box = &Sandbox{mode: Off} // the second stage is in the command line already
	}
	exit, err := box.Run(ctx, spec)
	res := compile.Result{Stdout: out.buf.Bytes(), Stderr: complaint.buf.Bytes(), ExitCode: exit.Code,
		Duration: exit.Duration}
	switch {
	case err != nil:
		return res, err
	case exit.Killed != "":
		return res, &compile.LimitError{Limit: exit.Killed, Err: fmt.Errorf("%s was ended", c.Argv[0])}
	case out.cut || complaint.cut:
		return res, &compile.LimitError{Limit: "output", Err: fmt.Errorf("%s: more than %d bytes of output", c.Argv[0],
			maxOutput)}
	}
	return res, blame(c.Argv[0], exit, r.Limits, string(res.Stderr)+"\n"+string(res.Stdout))
}

// nested puts a supervised second stage before the command.
func nested(spec Spec) (Spec, error) {
	self, err := os.Executable()
	if err != nil {
		return spec, fmt.Errorf("sandbox: %w", err)
	}
	answer := os.Getenv(insideVar)
	text, err := json.Marshal(stage2{Dir: spec.Dir, Limits: spec.Limits, Write: spec.Write,
		Read: append([]string{spec.Dir}, spec.Read...), Offline: true, Supervise: true,
		NoTemp: strings.HasPrefix(answer, "/tmp/")})
	if err != nil {
		return spec, fmt.Errorf("sandbox: %w", err)
	}
	if spec.Env == nil {
		spec.Env = os.Environ()
	}
	if len(spec.Write) > 0 { // our own TMPDIR is beside our answer
		spec.Env = append(without(spec.Env, "TMPDIR"), "TMPDIR="+spec.Write[len(spec.Write)-1])
	}
	spec.Argv = append([]string{self, InitCommand, string(text), "--"}, spec.Argv...)
	return spec, nil
}

func without(env []string, name string) []string {
	var out []string
	for _, kv := range env {
		if !strings.HasPrefix(kv, name+"=") {
			out = append(out, kv)
		}
	}
	return out
}

// supervise runs the command as a child, and ends with its status when nothing
// of it is left: what a build leaves behind must not see the analysis.
func supervise(s stage2, command []string) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("subreaper: %w", err)
	}
	s.Supervise = false
	inner, err := json.Marshal(s)
	if err != nil {
		return err
	}
	cmd := exec.Command(self, append([]string{InitCommand, string(inner), "--"}, command...)...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	err = cmd.Run()
	for range 100 { // those that are born while others are killed
		left := descendants(os.Getpid())
		if len(left) == 0 {
			break
		}
		for _, p := range left {
			_ = syscall.Kill(p, syscall.SIGKILL) // it may have ended by itself
			_, _ = syscall.Wait4(p, nil, syscall.WNOHANG, nil)
		}
		time.Sleep(5 * time.Millisecond)
	}
	var exit *exec.ExitError
	switch {
	case err == nil:
		os.Exit(0)
	case errors.As(err, &exit):
		code := exit.ExitCode()
		if ws, ok := exit.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
			code = 128 + int(ws.Signal())
		}
		os.Exit(code)
	}
	return err
}

// shield keeps other processes of the same user, such as a build, from reading
// or changing this process through /proc or ptrace.
func shield() error { return unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0) }

// capped keeps the first limit bytes. The buffer is not embedded: io.Copy would
// use its ReadFrom, which knows no limit.
type capped struct {
	buf   bytes.Buffer
	limit int
	cut   bool
}

// Write implements io.Writer.
func (c *capped) Write(p []byte) (int, error) {
	n := len(p)
	if room := c.limit - c.buf.Len(); len(p) > room {
		p, c.cut = p[:room], true
	}
	c.buf.Write(p)
	return n, nil
}

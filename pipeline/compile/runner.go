package compile

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"syscall"
	"time"
)

// Cmd is a program to run.
type Cmd struct {
	Argv  []string
	Dir   string
	Env   []string // nil: the caller's environment
	Write []string // directories that it may write to, for a sandbox
	Read  []string // further directories that it must see, for a sandbox

	Stdout io.Writer // where its output goes, however long it is; nil: into the result
}

// Result is how a program ended.
type Result struct {
	Stdout, Stderr []byte
	ExitCode       int // 128 + signal number if a signal ended it
	Duration       time.Duration
}

// Runner runs programs. An error means that the program could not be run to its
// end; a program that fails has an exit code.
type Runner interface {
	Run(ctx context.Context, cmd Cmd) (Result, error)
}

// Direct runs programs as they are, without a sandbox.
type Direct struct{}

// maxOutput is how much of each output stream is kept.
const maxOutput = 256 << 20

// Run starts the program in a process group of its own, which ends with ctx.
func (Direct) Run(ctx context.Context, c Cmd) (Result, error) {
	if len(c.Argv) == 0 {
		return Result{}, errors.New("nothing to run")
	}
	cmd := exec.CommandContext(ctx, c.Argv[0], c.Argv[1:]...)
	cmd.Dir, cmd.Env = c.Dir, c.Env
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = 2 * time.Second
	var out, errOut capped
	cmd.Stdout, cmd.Stderr = &out, &errOut
	if c.Stdout != nil {
		cmd.Stdout = c.Stdout
	}
	start := time.Now()
	err := cmd.Run()
	if cmd.Process != nil { // what it left running in the background ends with it
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
	}
	if errors.Is(err, exec.ErrWaitDelay) {
		err = nil
	}
	res := Result{Stdout: out.b.Bytes(), Stderr: errOut.b.Bytes(), Duration: time.Since(start)}
	if ctx.Err() != nil {
		return res, fmt.Errorf("%s: %w", c.Argv[0], ctx.Err())
	}
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		res.ExitCode = exit.ExitCode()
		if ws, ok := exit.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
			res.ExitCode = 128 + int(ws.Signal())
		}
		return res, nil
	}
	if err == nil && (out.over || errOut.over) {
		err = fmt.Errorf("%s: more than %d bytes of output", c.Argv[0], maxOutput)
	}
	return res, err
}

// capped is a buffer that drops what goes past maxOutput.
type capped struct {
	b    bytes.Buffer
	over bool
}

func (c *capped) Write(p []byte) (int, error) {
	if c.b.Len()+len(p) > maxOutput {
		c.over = true
		return len(p), nil
	}
	return c.b.Write(p)
}

package checkout

import (
	"context"
	"errors"
	"io"
	"os/exec"
	"syscall"
	"time"
)

// Command is one call of git.
type Command struct {
	Argv    []string
	Env     []string // complete; it may hold a token
	Dir     string
	Write   []string // folders that it may write to
	Read    []string // folders that it must see
	Network bool     // it may connect to Port, and ask for names
	Port    uint16
	Stdout  io.Writer
	Stderr  io.Writer
}

// Ending is how a command ended.
type Ending struct {
	Code   int
	Killed string // the limit that ended it (memory, disk, ...)
}

// Runner runs git: what it reads is other people's. An error means that it could not be
// run to its end.
type Runner interface {
	Git(ctx context.Context, c Command) (Ending, error)
}

// direct runs git as it is, for repositories of whoever runs firmproof.
type direct struct{}

// Git implements Runner.
func (direct) Git(ctx context.Context, c Command) (Ending, error) {
	cmd := exec.CommandContext(ctx, c.Argv[0], c.Argv[1:]...)
	cmd.Env, cmd.Stdout, cmd.Stderr = c.Env, c.Stdout, c.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = 2 * time.Second
	err := cmd.Run()
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return Ending{}, ctx.Err()
	case errors.As(err, &exit):
		return Ending{Code: exit.ExitCode()}, nil
	case errors.Is(err, exec.ErrWaitDelay):
		return Ending{Code: cmd.ProcessState.ExitCode()}, nil
	}
	return Ending{}, err
}

package smtlib

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"time"

	"github.com/firmproof/firmproof/verifier/bits"
	"github.com/firmproof/firmproof/verifier/budget"
	"github.com/firmproof/firmproof/verifier/ilr"
)

// Engine is an installed solver that reads SMT-LIB 2 from its standard input.
type Engine struct {
	Name, Path string
	Args       []string
	Memory     uint64 // ceiling of its resident bytes; 0 is none
}

// Names returns the engines that Find knows, best first for bit-vectors.
func Names() []string { return []string{"bitwuzla", "cvc5", "z3"} }

// Find looks for the engine in PATH.
func Find(name string) (Engine, error) {
	args, ok := map[string][]string{
		"z3":       {"-in", "-smt2"},
		"cvc5":     {"--lang=smt2", "--incremental", "--arrays-exp", "--fp-exp"},
		"bitwuzla": {"--lang", "smt2"},
	}[name]
	if !ok {
		return Engine{}, fmt.Errorf("solver %q: not one of %s", name, strings.Join(Names(), ", "))
	}
	path, err := exec.LookPath(name)
	if err != nil {
		return Engine{}, fmt.Errorf("solver %s: not installed", name)
	}
	return Engine{Name: name, Path: path, Args: args}, nil
}

// Status says what an engine answered: sat, unsat or unknown.
type Status string

// The statuses.
const (
	Sat     Status = "sat"
	Unsat   Status = "unsat"
	Unknown Status = "unknown"
)

// ErrMemory says that an engine was ended at its ceiling of memory.
var ErrMemory = errors.New("its memory ceiling is reached")

// Run decides the script. Errors: the engine could not be run, was stopped (ctx's
// error, ErrMemory), complained, or printed a model that was not understood. The engine ends with this process.
func (e Engine) Run(ctx context.Context, p *Script) (Status, ilr.Model, error) {
	var in, out bytes.Buffer
	if _, err := p.WriteTo(&in); err != nil {
		return Unknown, ilr.Model{}, err
	}
	in.WriteString(p.values())
	in.WriteString("(exit)\n")
	watched, end := context.WithCancelCause(ctx)
	defer end(nil)
	cmd := exec.CommandContext(watched, e.Path, e.Args...)
	cmd.WaitDelay = time.Second
	cmd.Stdin, cmd.Stdout, cmd.Stderr = &in, &out, &out
	runErr := e.run(watched, cmd, end) // the exit status is not zero when there is no model to print
	switch {
	case ctx.Err() != nil:
		return Unknown, ilr.Model{}, ctx.Err()
	case watched.Err() != nil:
		return Unknown, ilr.Model{}, fmt.Errorf("solver %s: %w", e.Name, context.Cause(watched))
	}
	status, rest, _ := strings.Cut(strings.TrimSpace(out.String()), "\n")
	switch Status(strings.TrimSpace(status)) {
	case Unsat:
		return Unsat, ilr.Model{}, nil
	case Unknown:
		return Unknown, ilr.Model{}, nil
	case Sat:
		m, err := p.model(rest)
		if err != nil {
			return Unknown, m, fmt.Errorf("solver %s: %w", e.Name, err)
		}
		return Sat, m, nil
	}
	if runErr != nil && status == "" {
		return Unknown, ilr.Model{}, fmt.Errorf("solver %s: %w", e.Name, runErr)
	}
	return Unknown, ilr.Model{}, fmt.Errorf("solver %s: %s", e.Name, status)
}

// run runs the engine's command, which ends with this process, and calls end when it passes its ceiling of memory.
func (e Engine) run(ctx context.Context, cmd *exec.Cmd, end context.CancelCauseFunc) error {
	runtime.LockOSThread() // the signal comes when the thread ends that started it
	defer runtime.UnlockOSThread()
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := cmd.Start(); err != nil {
		return err
	}
	if e.Memory > 0 {
		go WatchMemory(ctx, fmt.Sprint(cmd.Process.Pid), e.Memory, func() { end(ErrMemory) })
	}
	defer budget.Process(ctx, cmd)()
	return cmd.Wait()
}

// model reads the answers to values.
func (p *Script) model(text string) (ilr.Model, error) {
	m := ilr.Model{BV: map[ilr.Term]bits.Vec{}, Arrays: map[ilr.Term]*ilr.ArrayValue{}}
	xs, err := readSexprs(text)
	if err != nil {
		return m, err
	}
	if len(xs) < len(p.Vars) {
		return m, fmt.Errorf("%d values for %d variables", len(xs), len(p.Vars))
	}
	for i, v := range p.Vars {
		x := xs[i]
		if len(x.list) != 1 || len(x.list[0].list) != 2 {
			return m, fmt.Errorf("value of %s not understood", p.s.VarName(v))
		}
		val := x.list[0].list[1]
		if sort := p.s.Sort(v); sort.Kind == ilr.SortArray {
			m.Arrays[v], err = env{}.array(val, sort)
		} else {
			m.BV[v], err = env{}.vec(val, max(1, sort.W))
		}
		if err != nil {
			return m, err
		}
	}
	return m, nil
}

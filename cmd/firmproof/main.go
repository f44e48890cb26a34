// Command firmproof verifies embedded firmware: bounded model checking and
// termination analysis over LLVM IR, as a command-line tool and a GitHub App.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	_ "github.com/firmproof/firmproof/cmd/firmproof/firstheap" // acts before other packages are initialised
	"github.com/firmproof/firmproof/verifier/verdict"
)

// version is set by the linker.
var version = "dev"

// Exit codes, a contract (see the manual).
const (
	exitOK       = 0 // nothing violated and nothing unknown
	exitViolated = 1
	exitUsage    = 2 // the request could not be carried out
	exitUnknown  = 3 // nothing violated, something unknown
	exitInternal = 4

	exitInterrupted = 130 // Ctrl-C, as shells say it
)

// exitError carries an exit code through cobra; a nil err says nothing more.
type exitError struct {
	code int
	err  error
}

func (e *exitError) Error() string {
	if e.err == nil {
		return fmt.Sprintf("exit %d", e.code)
	}
	return e.err.Error()
}

func (e *exitError) Unwrap() error { return e.err }

func main() { os.Exit(runWith(os.Args[1:], os.Stdout, os.Stderr)) }

// panicked says where the program panicked, in the deferred function that recovers it: its innermost functions with their
// lines.
func panicked() string {
	pcs := make([]uintptr, 32)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(3, pcs)])
	var at []string
	for more := true; more && len(at) < 4; {
		var f runtime.Frame
		if f, more = frames.Next(); !strings.HasPrefix(f.Function, "runtime.") {
			at = append(at, fmt.Sprintf("%s:%d", path.Base(f.Function), f.Line))
		}
	}
	return strings.Join(at, ", called by ")
}

// fall is a panic of a goroutine, which another one hands on.
type fall struct {
	why any
	at  string // as panicked says
}

// runWith is the program with its streams.
func runWith(args []string, stdout, stderr io.Writer) (code int) {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	ctx, interrupted := untilInterrupt(ctx)
	serves := false // what serves is meant to be stopped
	defer func() {
		if interrupted() && !serves {
			code = exitInterrupted
		}
	}()
	defer func() {
		if p := recover(); p != nil {
			f, is := p.(*fall)
			if !is {
				f = &fall{p, panicked()}
			}
			fmt.Fprintf(stderr, "firmproof: internal error: %v, at %s\n", f.why, f.at)
			fmt.Fprintln(stderr, "This is a defect of firmproof; please report it with the command line.")
			code = exitInternal
		}
	}()
	root := rootCommand()
	root.SetArgs(args)
	root.SetOut(stdout)
	root.SetErr(stderr)
	ran, err := root.ExecuteContextC(ctx)
	serves = slices.Contains([]string{"serve", "worker", "fakegithub"}, ran.Name())
	if err == nil {
		return exitOK
	}
	ended := ctx.Err() != nil && errors.Is(err, context.Canceled)
	var e *exitError
	if errors.As(err, &e) {
		switch {
		case ended:
			fmt.Fprintln(stderr, "firmproof:", errSignal)
		case e.err != nil:
			fmt.Fprintln(stderr, "firmproof:", e.err)
		}
		return e.code
	}
	if ended {
		err = errSignal
	}
	if strings.HasPrefix(err.Error(), "unknown command") && len(args) > 0 {
		if _, there := os.Stat(args[0]); there == nil {
			err = fmt.Errorf("%s is no command: `firmproof check %[1]s` verifies it", args[0])
		}
	}
	fmt.Fprintln(stderr, "firmproof:", err)
	return exitUsage
}

var errSignal = errors.New("ended by a signal before it was done")

// untilInterrupt returns a context that Ctrl-C ends, and a function that says whether it did.
func untilInterrupt(parent context.Context) (context.Context, func() bool) {
	ctx, cancel := context.WithCancelCause(parent)
	pressed := errors.New("interrupted")
	keys := make(chan os.Signal, 1)
	signal.Notify(keys, os.Interrupt)
	go func() {
		select {
		case <-keys:
			cancel(pressed)
			signal.Stop(keys) // a second one ends the program at once
		case <-parent.Done():
		}
	}()
	return ctx, func() bool { signal.Stop(keys); return errors.Is(context.Cause(ctx), pressed) }
}

// nameNearest adds to the error about an unknown flag which one may be meant.
func nameNearest(cmd *cobra.Command, err error) error {
	var value *pflag.InvalidValueError
	if errors.As(err, &value) && errors.Is(err, strconv.ErrSyntax) {
		return fmt.Errorf("--%s %q: want a whole number", value.GetFlag().Name, value.GetValue())
	}
	var unknown *pflag.NotExistError
	if !errors.As(err, &unknown) {
		return err
	}
	if short := unknown.GetSpecifiedShortnames(); short != "" {
		if _, there := os.Stat("-" + short); there == nil {
			return fmt.Errorf("-%s is taken for a flag: write ./-%[1]s for the file", short)
		}
		if other := strings.ToUpper(short[:1]); cmd.Flags().ShorthandLookup(other) != nil && other != short[:1] {
			return fmt.Errorf("%w, did you mean -%s?", err, other)
		}
		return fmt.Errorf("%w (`%s --help` lists all)", err, cmd.CommandPath())
	}
	name := unknown.GetSpecifiedName()
	var known []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			known = append(known, f.Name)
		}
	})
	near, hint := verdict.Nearest(name, known), ""
	if verdict.Distance(name, near) <= 1+len(name)/4 {
		hint = fmt.Sprintf(", did you mean --%s?", near)
	}
	return fmt.Errorf("%w%s (`%s --help` lists all)", err, hint, cmd.CommandPath())
}

func rootCommand() *cobra.Command {
	root := &cobra.Command{
		Use:           "firmproof",
		Short:         "Proves embedded firmware right, or shows exactly how it breaks",
		Version:       version,
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	root.SetFlagErrorFunc(nameNearest)
	root.AddCommand(initCommand(), harnessCommand(), replayCommand(), runCommand(), diffCommand())
	root.AddCommand(acceptCommand(), unacceptCommand(), listCommand(), evidenceCommand())
	root.SetVersionTemplate("firmproof {{.Version}}\n")
	root.AddCommand(checkCommand(), lspCommand(), svcompCommand(), explainCommand(), targetsCommand(), itsCommand(),
		boundCommand(), stackCommand(),
		fakegithubCommand(), demoCommand(),
		serveCommand(), workerCommand(), sandboxInitCommand(), jobCommand())
	root.AddCommand(verifyCertificateCommand(), limitsCommand(), doctorCommand(), reportCommand(), backupCommand(), restoreCommand(),
		parkedCommand())
	for _, cmd := range root.Commands() {
		if args := cmd.Args; args != nil {
			cmd.Args = func(cmd *cobra.Command, list []string) error {
				if err := args(cmd, list); err != nil {
					return fmt.Errorf("%w: it is written `firmproof %s` (`%s --help` has examples)", err, cmd.Use, cmd.CommandPath())
				}
				return nil
			}
		}
	}
	return root
}

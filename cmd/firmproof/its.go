package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/firmproof/firmproof/verifier/budget"
	"github.com/firmproof/firmproof/verifier/termination"
)

// inTime writes what prove says and returns, or gives it up when its time is over: the
// steps of a proof may be long, and the process that they run in ends anyway.
func inTime(ctx context.Context, timeout time.Duration, w io.Writer,
	prove func(context.Context, io.Writer) (string, error)) error {
	whole, end := budget.With(ctx, timeout+timeout/10+time.Second)
	defer end()
	var text bytes.Buffer
	var last string
	done := make(chan error, 1)
	go func() {
		var err error
		defer budget.Work(whole)()
		last, err = prove(whole, &text)
		done <- err
	}()
	select {
	case err := <-done:
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(w, "%s%s\n", text.String(), last)
		return err
	case <-whole.Done():
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
	}
	_, err := fmt.Fprintf(w, "Unknown: no answer within %s.\nMAYBE\n", timeout)
	return err
}

func itsCommand() *cobra.Command {
	var timeout time.Duration
	var techniques techniqueFlags
	cmd := &cobra.Command{
		Use:     "its FILE",
		Short:   "Termination and complexity of an integer transition system (.koat, .ari, .smt2)",
		Example: `  firmproof its loop.koat --timeout 60s`,
		Long: `Termination and complexity of an integer transition system in KoAT's format (.koat) or TermComp's (.ari, .smt2).

The proof is printed in words; the last line is YES, NO, MAYBE or WORST_CASE(?,O(n^k)).`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			off, err := parseEngines(techniques.engines)
			if err != nil {
				return err
			}
			prove := func(ctx context.Context, w io.Writer) (string, error) {
				last, by, err := termination.RunFile(ctx, args[0], termination.Options{Timeout: timeout, Off: off}, w)
				techniques.say(w, by)
				return last, err
			}
			return inTime(cmd.Context(), timeout, cmd.OutOrStdout(), prove)
		},
	}
	techniques.add(cmd.Flags())
	secondsVar(cmd.Flags(), &timeout, "timeout", 25*time.Second, "time limit")
	return cmd
}

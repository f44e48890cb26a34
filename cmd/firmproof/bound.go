package main

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/firmproof/firmproof/pipeline/compile"
	"github.com/firmproof/firmproof/targets"
	"github.com/firmproof/firmproof/verifier"
	"github.com/firmproof/firmproof/verifier/budget"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/verdict"
	"github.com/spf13/cobra"
)

func boundCommand() *cobra.Command {
	var entry, target, integers string
	var ofCycles, asJSON bool
	var turns []string
	var timeout time.Duration
	var techniques techniqueFlags
	var opts compile.Options
	cmd := &cobra.Command{
		Use:   "bound FILE --entry F",
		Short: "Upper bound of the runtime of a C function",
		Example: `  firmproof bound crc.c --entry crc16
  firmproof bound src/uart.c --entry uart_put --target cortex-m3 -I include -D BAUD=9600
  firmproof bound --cycles firmware.elf --entry tick
  firmproof bound --cycles crc.c --entry crc16 --target avr --cflags -O2`,
		Long: `Upper bound of the number of executed instructions of a C function, over its parameters.

The bound is printed with its argument; the last line is WORST_CASE(?,O(n^k)) or MAYBE.

With --cycles: the cycles of the processor that a call takes at most, from the machine code of an image (an ELF file for AVR), or
of a C file that is compiled with -Os and linked. The last line is "N cycles", or MAYBE with exit status 3.`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if ofCycles {
				return boundCycles(cmd.Context(), cmd.OutOrStdout(), args[0], entry, target, timeout, turns, asJSON, opts)
			}
			if asJSON || len(turns) > 0 {
				return errors.New("--json and --turns are for --cycles")
			}
			last, err := bound(cmd, args[0], entry, target, integers, timeout, &techniques, opts)
			if err != nil {
				return err
			}
			fmt.Fprintln(cmd.OutOrStdout(), last)
			return nil
		},
	}
	f := cmd.Flags()
	techniques.add(f)
	f.StringVar(&entry, "entry", "main", "function")
	f.StringVar(&target, "target", "host", "target name (see firmproof targets)")
	f.StringVar(&integers, "integers", "bitvector", "bitvector or unbounded")
	secondsVar(f, &timeout, "timeout", 25*time.Second, "time limit")
	sourceFlags(f, &opts.Include, &opts.Defines)
	f.StringArrayVarP(&opts.Undefines, "undefine", "U", nil, "macro to undefine")
	f.StringArrayVar(&opts.CFlags, "cflags", nil, "further compiler flags for plain C files")
	f.BoolVar(&ofCycles, "cycles", false, "bound the cycles of the processor, from machine code")
	f.StringArrayVar(&turns, "turns", nil, "with --cycles: FILE:LINE=N, a loop that goes back N times at most (repeatable)")
	f.BoolVar(&asJSON, "json", false, "with --cycles: write JSON")
	return cmd
}

func bound(cmd *cobra.Command, file, entry, target, integers string, timeout time.Duration,
	techniques *techniqueFlags, opts compile.Options) (string, error) {
	if integers != "bitvector" && integers != "unbounded" {
		return "", fmt.Errorf("--integers %q: bitvector or unbounded", integers)
	}
	t, err := targets.Load(target)
	if err != nil {
		return "", err
	}
	ctx, cancel := budget.With(cmd.Context(), timeout)
	defer cancel()
	work, err := os.MkdirTemp("", "firmproof-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(work)
	opts.WorkDir, opts.Entries = work, []string{entry}
	module, err := readFile(ctx, file, t, opts)
	if err != nil {
		var missing *compile.EntryError
		if errors.As(err, &missing) && !cmd.Flags().Changed("entry") {
			err = fmt.Errorf("%w (--entry names the function)", err)
		}
		return "", err
	}
	off, err := parseEngines(techniques.engines)
	if err != nil {
		return "", err
	}
	plan := verifier.Plan{Target: t.Name, Off: off, Entry: entry, Checks: verdict.CheckSet{verdict.ComplexityBound: true},
		Integers:  integers,
		Semantics: ir.Semantics{MallocNeverFails: t.Malloc == targets.MallocNeverFails}}
	res := verifier.Run(ctx, module, plan)
	if res.Reason != nil {
		return "", fmt.Errorf("%s: %s", file, res.Reason)
	}
	out := cmd.OutOrStdout()
	for i := range res.Claims {
		c := &res.Claims[i]
		fmt.Fprintf(out, "%s: %s: %s\n", c.Pos, c.Status, c.Message)
		if c.Certificate != nil {
			fmt.Fprintf(out, "  %s\n", strings.Join(c.Certificate.Detail, "\n  "))
		}
		if c.Reason != nil {
			fmt.Fprintf(out, "  %s\n", c.Reason)
		}
	}
	techniques.sayOf(out, res.Claims)
	if res.Complexity == nil {
		return "MAYBE", nil
	}
	return "WORST_CASE(?," + res.Complexity.Order + ")", nil
}

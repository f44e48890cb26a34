package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
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

func svcompCommand() *cobra.Command {
	var o svOptions
	cmd := &cobra.Command{
		Use:     "svcomp --spec F.prp --data-model ILP32|LP64 FILE",
		Short:   "SV-COMP mode: the last line is TRUE, FALSE(prop), UNKNOWN or ERROR",
		Example: `  firmproof svcomp --spec unreach-call.prp --data-model ILP32 --witness witness.yml loop.c`,
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.file = args[0]
			last, err := svcomp(cmd.Context(), &o, cmd)
			if err != nil {
				fmt.Fprintln(cmd.OutOrStdout(), "ERROR")
				return err
			}
			fmt.Fprintln(cmd.OutOrStdout(), last)
			return nil
		},
	}
	f := cmd.Flags()
	o.techniques.add(f)
	f.StringVar(&o.spec, "spec", "", "property file")
	f.StringVar(&o.model, "data-model", "LP64", "ILP32 or LP64")
	f.StringVar(&o.integers, "integers", "bitvector", "bitvector or unbounded")
	secondsVar(f, &o.timeout, "timeout", 26*time.Second, "time limit")
	f.StringVar(&o.witness, "witness", "", "file for a witness of TRUE or FALSE")
	f.StringVar(&o.format, "witness-format", "", "yaml or graphml (default: by the ending of --witness, else yaml)")
	return cmd
}

// svOptions are the flags of svcomp, and its file.
type svOptions struct {
	spec, model, integers string
	timeout               time.Duration
	witness, format       string
	techniques            techniqueFlags
	file                  string
}

// svProperty is one line of a property file.
type svProperty struct {
	name   string // as the verdict names it
	checks []verdict.Check
}

var svPattern = regexp.MustCompile(`CHECK\(\s*init\(main\(\)\),\s*LTL\((.*)\)\s*\)`)

// svProperties reads a property file (SV-COMP rules, properties).
func svProperties(text string) ([]svProperty, error) {
	known := map[string]svProperty{
		"G valid-free":            {"valid-free", []verdict.Check{verdict.Free}},
		"G valid-deref":           {"valid-deref", []verdict.Check{verdict.Memory}},
		"G valid-memtrack":        {"valid-memtrack", []verdict.Check{verdict.Leak}},
		"G valid-memcleanup":      {"valid-memcleanup", []verdict.Check{verdict.Leak}},
		"G ! overflow":            {"no-overflow", []verdict.Check{verdict.SignedOverflow}},
		"G ! call(reach_error())": {"unreach-call", []verdict.Check{verdict.Assert}},
		"F end":                   {"termination", []verdict.Check{verdict.Termination}},
	}
	var out []svProperty
	for _, line := range strings.Split(text, "\n") {
		m := svPattern.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		p, ok := known[strings.Join(strings.Fields(m[1]), " ")]
		if !ok {
			return nil, fmt.Errorf("property %q is not known", m[1])
		}
		out = append(out, p)
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("the property file has no CHECK line")
	}
	has := func(name string) bool {
		return slices.ContainsFunc(out, func(p svProperty) bool { return p.name == name })
	}
	if has("valid-memtrack") && has("valid-memcleanup") {
		return nil, fmt.Errorf("valid-memtrack and valid-memcleanup have to be asked one by one")
	}
	return out, nil
}

// svcomp verifies one task. SV-COMP's rules: malloc never fails, volatile is
// plain memory, pointers need no alignment, a property is asked alone on programs
// free of other faults.
func svcomp(ctx context.Context, o *svOptions, cmd *cobra.Command) (string, error) {
	if err := o.check(); err != nil {
		return "", err
	}
	if o.spec == "" {
		return "", errors.New("--spec names the property file, such as unreach-call.prp")
	}
	text, err := os.ReadFile(o.spec)
	if err != nil {
		return "", fmt.Errorf("--spec: %w", err)
	}
	props, err := svProperties(string(text))
	if err != nil {
		return "", fmt.Errorf("%s: %w", o.spec, err)
	}
	name := map[string]string{"ILP32": "i386", "LP64": "x86_64"}[o.model]
	if name == "" {
		return "", fmt.Errorf("--data-model %q: ILP32 or LP64", o.model)
	}
	t, err := targets.Load(name)
	if err != nil {
		return "", err
	}
	ctx, cancel := budget.With(ctx, o.timeout)
	defer cancel()
	work, err := os.MkdirTemp("", "firmproof-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(work)
	unit := o.file
	if slices.ContainsFunc(props, func(p svProperty) bool { return p.name == "unreach-call" }) {
		if unit, err = withErrorCalls(o.file, work); err != nil {
			return "", err
		}
	}
	module, err := readFile(ctx, unit, t, compile.Options{WorkDir: work, Entries: []string{"main"},
		Include: []string{filepath.Dir(o.file)}, CFlags: []string{"-fno-strict-aliasing"}})
	if err != nil {
		return "", err
	}
	checks := verdict.CheckSet{}
	leaks := ir.LeakTracked
	for _, p := range props {
		if p.name == "valid-memcleanup" {
			leaks = ir.LeakCleanup
		}
		for _, c := range p.checks {
			checks[c] = true
		}
	}
	off, err := parseEngines(o.techniques.engines)
	if err != nil {
		return "", err
	}
	plan := verifier.Plan{Target: t.Name, Off: off, Entry: "main", Checks: checks, Integers: o.integers, Solver: "auto",
		Semantics: ir.Semantics{MallocNeverFails: true, VolatileMemory: true, AnyAlignment: true, Leaks: leaks},
		Hosted:    true, FirstOnly: true, Detailed: o.witness != ""}
	res := verifier.Run(ctx, module, plan)
	for i := range res.Claims {
		c := &res.Claims[i]
		if c.Status == verdict.Violated || c.Status == verdict.Unknown {
			fmt.Fprintf(cmd.OutOrStdout(), "%s: %s: %s: %s %v\n", c.Pos, c.Status, c.Check, c.Message, c.Reason)
		}
	}
	answer, claim := svVerdict(res, props)
	if claim != nil {
		o.techniques.sayOf(cmd.OutOrStdout(), []verdict.Claim{*claim})
	} else {
		o.techniques.sayOf(cmd.OutOrStdout(), res.Claims)
	}
	if o.witness != "" {
		if err := o.write(answer, claim, res, strings.TrimSpace(string(text)), cmd.ErrOrStderr()); err != nil {
			return "", err
		}
	}
	return answer, nil
}

// svVerdict returns the answer, and the violated claim that it rests on.
func svVerdict(res *verdict.Result, props []svProperty) (string, *verdict.Claim) {
	for _, p := range props {
		for i := range res.Claims {
			if c := &res.Claims[i]; c.Status == verdict.Violated && slices.Contains(p.checks, c.Check) {
				return "FALSE(" + p.name + ")", c
			}
		}
	}
	if res.Status == verdict.Proved {
		return "TRUE", nil
	}
	return "UNKNOWN", nil
}

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/bmatcuk/doublestar/v4"
	"github.com/spf13/cobra"

	"github.com/firmproof/firmproof/pipeline/compile"
	"github.com/firmproof/firmproof/pipeline/manifest"
	"github.com/firmproof/firmproof/pipeline/prepare"
	"github.com/firmproof/firmproof/targets"
	"github.com/firmproof/firmproof/targets/llvm"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// Exit codes of replay, a contract.
const (
	exitReproduced    = 1
	exitCannot        = 2
	exitNotReproduced = 3
)

// Exit codes of the harness, and of a program that a signal ends.
const (
	exitAssume    = 77
	exitOtherPath = 78
	exitSignal    = 128
)

type replayFlags struct {
	claim, target, entry, emit, into string
	include, defines, cflags         []string
	assume, stubs                    []string // of the check, for generated harnesses
	limit                            time.Duration
	out                              io.Writer
	sources, sourceInc, sourceDefine []string // what is compiled
	dir                              string   // where
	said                             string   // why it was not reproduced
}

func replayCommand() *cobra.Command {
	var fl replayFlags
	cmd := &cobra.Command{
		Use:   "replay TRACE.json [PATH...]",
		Short: "Run a counterexample for real: under sanitizers, or on an emulated core",
		Example: `  firmproof check --format json:report.json --format text uart.c
  firmproof replay report.json uart.c
  firmproof replay report.json --claim 'memory@uart_put#2' --target cortex-m3 --emit harness.c`,
		Long: `Takes a claim with its inputs from a JSON report (check --format json), makes a C harness that plays the inputs back, builds it with the program
and runs it: x86 natively under AddressSanitizer and UndefinedBehaviorSanitizer (MemorySanitizer for uninitialised), Cortex-M in QEMU.
PATH is what was checked: a folder with a .firmproof.yml that lists sources (default .), or C files.
For a function without a harness, the C makes what the generated one made and calls it; --emit writes that as the beginning of a test.

Exit status: 1 the failure was reproduced; 3 it was not; 2 this cannot be run here.`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			fl.out = cmd.OutOrStdout()
			code, err := fl.run(cmd.Context(), args)
			if err != nil {
				return &exitError{exitCannot, err}
			}
			return &exitError{code: code}
		},
	}
	f := cmd.Flags()
	f.StringVar(&fl.claim, "claim", "", "`id` of the claim (default: the first violation)")
	f.StringVar(&fl.target, "target", "", "target of the claim (default: the first that has it)")
	f.StringVar(&fl.entry, "entry", "", "entry of the claim")
	f.StringVar(&fl.emit, "emit", "", "write the harness to this `file`, too")
	f.StringVarP(&fl.into, "output", "o", "", "write the report, with the result in it, to this `file`")
	sourceFlags(f, &fl.include, &fl.defines)
	f.StringArrayVar(&fl.assume, "assume", nil, "the --assume of the check, for a generated harness")
	f.StringArrayVar(&fl.stubs, "stub", nil, "the --stub of the check, likewise")
	f.StringArrayVar(&fl.cflags, "cflags", nil, "further compiler flags")
	secondsVar(f, &fl.limit, "timeout", 30*time.Second, "longest time of the run")
	return cmd
}

func (fl *replayFlags) run(ctx context.Context, args []string) (int, error) {
	rep, res, claim, err := fl.pick(args[0])
	if err != nil {
		return 0, err
	}
	code, err := fl.one(ctx, res, claim, args[1:])
	if fl.into == "" || ctx.Err() != nil {
		return code, err
	}
	claim.Machine = machineResult(code, fl.said, err)
	text, jsonErr := json.MarshalIndent(rep, "", "  ")
	if jsonErr != nil {
		return 0, jsonErr
	}
	return code, errors.Join(err, os.WriteFile(fl.into, append(text, '\n'), 0o644))
}

// one builds and runs the program for one claim.
func (fl *replayFlags) one(ctx context.Context, res *verdict.Result, claim *verdict.Claim, paths []string) (int,
	error) {
	if why := notInC(res, claim); why != "" {
		return 0, errors.New(why)
	}
	t, err := targets.Load(res.Target)
	if err != nil {
		return 0, err
	}
	if err := fl.locate(paths, res.Entry); err != nil {
		return 0, err
	}
	bare := t.Run.Kind == targets.RunQEMU && strings.HasPrefix(t.Triple, "thumb")
	native := t.Run.Kind == targets.RunNative && (strings.HasPrefix(t.Triple, "x86_64") || strings.HasPrefix(t.Triple,
		"i386"))
	if !bare && !native {
		return 0, fmt.Errorf("replay: programs for %s cannot be run here (x86 runs natively, Cortex-M in QEMU)",
			res.Target)
	}
	if slices.ContainsFunc(claim.Inputs, func(in verdict.Input) bool { return in.Kind == "param" }) {
		return 0, fmt.Errorf("replay: %s has parameters: wrap it in a harness without parameters", res.Entry)
	}
	if slices.ContainsFunc(claim.Inputs, func(in verdict.Input) bool {
		return in.Kind == "nondet" &&
			in.Name == "argc"
	}) {
		return 0, fmt.Errorf("replay: %s takes its inputs from argc and argv: wrap it in a harness without parameters",
			res.Entry)
	}
	if len(claim.Trace) == 0 {
		return 0, fmt.Errorf("replay: a constant expression: the compiler evaluates it, nothing runs")
	}
	if claim.Behind != "" {
		return 0, fmt.Errorf("replay: the compiled program ends at the violation that comes before: %s", claim.Behind)
	}
	h := &harness{result: res, claim: claim, arm: bare, entry: res.Entry, inputs: claim.Inputs}
	if strings.HasPrefix(res.Entry, prepare.AnyCall) {
		if err := fl.drive(ctx, h, paths); err != nil {
			return 0, err
		}
	}
	text := h.text()
	if fl.emit != "" {
		if err := os.WriteFile(fl.emit, []byte(h.emitted(text)), 0o644); err != nil {
			return 0, err
		}
	}
	work, err := os.MkdirTemp("", "firmproof-replay-")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(work)
	tools, err := llvm.Find()
	if err != nil {
		return 0, fmt.Errorf("replay: %w", err)
	}
	r := &replayer{fl: fl, h: h, t: t, work: work, llvm: tools}
	return r.run(ctx, text)
}

// notInC says why no C program can repeat a failure, or nothing.
func notInC(r *verdict.Result, c *verdict.Claim) string {
	for _, s := range c.Trace {
		if s.Kind == verdict.StepInterrupt {
			return fmt.Sprintf("replay cannot run the interrupt handler %s between two steps; the interpreter of firmproof has confirmed the trace", s.What)
		}
	}
	return ""
}

// locate finds the sources: C files, or those of a manifest with build.sources.
func (fl *replayFlags) locate(paths []string, entry string) (err error) {
	if len(paths) == 0 {
		paths = []string{"."}
	}
	if st, err := os.Stat(paths[0]); err != nil || !st.IsDir() {
		for _, p := range paths {
			abs, err := filepath.Abs(p)
			if err != nil {
				return err
			}
			if _, err := os.Stat(abs); err != nil || filepath.Ext(p) != ".c" && !compile.IsCXX(p) {
				return fmt.Errorf("replay: %s: want the C and C++ files, or the folder, that were checked", p)
			}
			fl.sources = append(fl.sources, p)
		}
		fl.dir = "."
		return nil
	}
	m, err := manifest.Read(paths[0])
	if err != nil {
		return err
	}
	if len(m.Build.Sources) == 0 {
		return fmt.Errorf("replay: %s has no build.sources: give the C files with -I and -D instead", m.Path)
	}
	fl.dir, fl.sourceInc, fl.sourceDefine = paths[0], m.Build.Include, m.Build.Defines
	fl.cflags = append(slices.Clone(m.Build.CFlags), fl.cflags...)
	for _, p := range m.Build.Sources {
		p, drop := strings.CutPrefix(p, "!")
		if drop {
			fl.sources = slices.DeleteFunc(fl.sources, func(f string) bool {
				ok, err := doublestar.Match(p,
					f)
				return ok && err == nil
			})
			continue
		}
		files, err := doublestar.Glob(os.DirFS(fl.dir), filepath.ToSlash(filepath.Clean(p)), doublestar.WithFilesOnly())
		if err != nil {
			return fmt.Errorf("replay: %s: %w", p, err)
		}
		for _, f := range files {
			if filepath.Ext(f) == ".c" {
				fl.sources = append(fl.sources, f)
			}
		}
	}
	for _, h := range m.Harnesses {
		if h.Entry == entry && h.File != "" {
			fl.sources = append(fl.sources, h.File)
		}
	}
	slices.Sort(fl.sources)
	fl.sources = slices.Compact(fl.sources)
	return nil
}

// replayer builds and runs one harness.
type replayer struct {
	fl   *replayFlags
	h    *harness
	t    targets.Target
	work string
	llvm llvm.Tools
}

// command runs a program in the folder of the sources; its output is both streams.
func (r *replayer) command(ctx context.Context, env []string, argv ...string) (string, int, error) {
	ctx, cancel := context.WithTimeout(ctx, r.fl.limit)
	defer cancel()
	c := exec.CommandContext(ctx, argv[0], argv[1:]...)
	c.Dir, c.Env, c.WaitDelay = r.fl.dir, append(os.Environ(), env...), time.Second
	out, err := c.CombinedOutput()
	var e *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return string(out), -1, nil
	case errors.As(err, &e) && e.ExitCode() < 0: // a signal, of an assertion perhaps
		return string(out), exitSignal, nil
	case errors.As(err, &e):
		return string(out), e.ExitCode(), nil
	case err != nil:
		return "", 0, fmt.Errorf("replay: %w (firmproof doctor says what to install)", err)
	}
	return string(out), 0, nil
}

func (r *replayer) run(ctx context.Context, text string) (int, error) {
	include := filepath.Join(r.work, "include")
	if err := os.MkdirAll(include, 0o755); err != nil {
		return 0, err
	}
	if err := os.WriteFile(filepath.Join(include, "firmproof.h"), compile.Header(), 0o644); err != nil {
		return 0, err
	}
	if err := os.WriteFile(filepath.Join(r.work, "harness.c"), []byte(text), 0o644); err != nil {
		return 0, err
	}
	objects, err := r.compile(ctx, include)
	if err != nil {
		return 0, err
	}
	image := filepath.Join(r.work, "image")
	link := r.linkNative(image)
	if r.h.arm {
		if link, err = r.linkBare(image); err != nil {
			return 0, err
		}
	}
	library, wrapped, err := r.library(ctx)
	if err != nil {
		return 0, err
	}
	objects = append(objects, library...)
	for _, w := range append(r.h.wrapped(), wrapped...) {
		link = append(link, "-Wl,--wrap="+w)
	}
	if err := r.must(ctx, append(link, objects...)...); err != nil {
		return 0, err
	}
	run := []string{image}
	if r.h.arm {
		run = []string{r.t.Run.Program, "-M", r.t.Run.Machine, "-nographic", "-monitor", "none", "-serial", "none",
			"-semihosting-config", "enable=on,target=native", "-kernel", image}
		if r.t.Run.CPU != "" {
			run = append(run, "-cpu", r.t.Run.CPU)
		}
	}
	env := []string{"ASAN_OPTIONS=detect_leaks=1:allocator_may_return_null=1:detect_stack_use_after_return=1",
		"UBSAN_OPTIONS=print_stacktrace=1"}
	if path, err := exec.LookPath(r.llvm.Symbolizer); err == nil {
		env = append(env, "ASAN_SYMBOLIZER_PATH="+path, "MSAN_SYMBOLIZER_PATH="+path)
	}
	said, code, err := r.command(ctx, env, run...)
	if errors.Is(err, syscall.ENOEXEC) { // a kernel may have no programs of 32 bits
		if r.h.claim.Check == verdict.Leak {
			return 0, errors.New("replay: this kernel runs no programs of 32 bits, and emulated ones are not searched for leaks")
		}
		env[0] = strings.Replace(env[0], "detect_leaks=1", "detect_leaks=0", 1)
		said, code, err = r.command(ctx, env, "qemu-i386", image)
		if errors.Is(err, exec.ErrNotFound) {
			err = errors.New("replay: this kernel runs no programs of 32 bits: install qemu-user, or ask for another target")
		}
	}
	if err != nil {
		return 0, err
	}
	if r.h.arm {
		said = r.resolve(ctx, image, said)
	}
	return r.judge(said, code), nil
}

// resolve adds file and line to the address of a fault.
func (r *replayer) resolve(ctx context.Context, image, said string) string {
	_, rest, ok := strings.Cut(said, "fault at\n")
	if !ok {
		return said
	}
	address, _, _ := strings.Cut(rest, "\n")
	where, code, err := r.command(ctx, nil, "arm-none-eabi-addr2line", "-f", "-e", image, address)
	if err != nil || code != 0 {
		return said
	}
	return said + where
}

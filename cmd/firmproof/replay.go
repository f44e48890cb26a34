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
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/bmatcuk/doublestar/v4"
	"github.com/spf13/cobra"

	"github.com/firmproof/firmproof/pipeline/build"
	"github.com/firmproof/firmproof/pipeline/manifest"
	"github.com/firmproof/firmproof/pipeline/prepare"
	"github.com/firmproof/firmproof/targets"
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
		Long: `Takes a claim with its inputs from a JSON report (check --format json), makes a C harness that plays the inputs back, builds it with the program
and runs it: x86 natively under AddressSanitizer and UndefinedBehaviorSanitizer (MemorySanitizer for uninitialised), Cortex-M in QEMU.
PATH is what was checked: a folder with a .firmproof.yml that lists sources (default .), or C files.

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
	f.StringArrayVarP(&fl.include, "include", "I", nil, "include folder")
	f.StringArrayVarP(&fl.defines, "define", "D", nil, "macro")
	f.StringArrayVar(&fl.cflags, "cflags", nil, "further compiler flags")
	f.DurationVar(&fl.limit, "timeout", 30*time.Second, "longest time of the run")
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
	h := &harness{result: res, claim: claim, arm: bare}
	text := h.text()
	if fl.emit != "" {
		if err := os.WriteFile(fl.emit, []byte(text), 0o644); err != nil {
			return 0, err
		}
	}
	work, err := os.MkdirTemp("", "firmproof-replay-")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(work)
	r := &replayer{fl: fl, h: h, t: t, work: work}
	return r.run(ctx, text)
}

// notInC says why no C program can repeat a failure, or nothing.
func notInC(r *verdict.Result, c *verdict.Claim) string {
	if strings.HasPrefix(r.Entry, prepare.AnyCall) {
		return fmt.Sprintf("replay needs a harness in C: %q was made by firmproof", r.Entry)
	}
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
			if _, err := os.Stat(abs); err != nil || filepath.Ext(p) != ".c" && !build.IsCXX(p) {
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
	if err := os.WriteFile(filepath.Join(include, "firmproof.h"), build.Header(), 0o644); err != nil {
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
	said, code, err := r.command(ctx,
		[]string{"ASAN_OPTIONS=detect_leaks=1:allocator_may_return_null=1:detect_stack_use_after_return=1",
			"UBSAN_OPTIONS=print_stacktrace=1",
			"ASAN_SYMBOLIZER_PATH=/usr/bin/llvm-symbolizer-14", "MSAN_SYMBOLIZER_PATH=/usr/bin/llvm-symbolizer-14"},
		run...)
	if err != nil {
		return 0, err
	}
	if r.h.arm {
		said = r.resolve(ctx, image, said)
	}
	return r.judge(said, code), nil
}

// must runs a tool that has to succeed.
func (r *replayer) must(ctx context.Context, argv ...string) error {
	said, code, err := r.command(ctx, nil, argv...)
	if err != nil {
		return err
	}
	if code != 0 {
		return fmt.Errorf("replay: %s fails:\n%s", filepath.Base(argv[0]), said)
	}
	return nil
}

func (r *replayer) sanitize() []string {
	ub := "undefined,float-divide-by-zero"
	switch r.h.claim.Check { // else the program goes on past the claim
	case verdict.UnsignedOverflow:
		ub += ",unsigned-integer-overflow"
	case verdict.Conversion:
		ub += ",implicit-conversion,float-cast-overflow"
	}
	switch {
	case r.h.arm:
		return []string{"-fsanitize=" + ub, "-fsanitize-trap=all", "-ftrivial-auto-var-init=zero",
			"-enable-trivial-auto-var-init-zero-knowing-it-will-be-removed-from-clang"}
	case r.h.claim.Check == verdict.Uninitialised && r.t.PointerBits == 64:
		return []string{"-fsanitize=memory", "-fsanitize-memory-track-origins", "-fno-sanitize-recover=all"}
	}
	return []string{"-fsanitize=address," + ub, "-fsanitize-address-use-after-scope", "-fno-sanitize-recover=all",
		"-ftrivial-auto-var-init=zero", "-enable-trivial-auto-var-init-zero-knowing-it-will-be-removed-from-clang"}
}

// compile makes objects of the sources with the sanitizers, and of the harness without.
func (r *replayer) compile(ctx context.Context, include string) ([]string, error) {
	flags := append([]string{"clang-14"}, r.t.Flags()...)
	flags = append(flags, "-O0", "-g", "-w", "-fno-omit-frame-pointer", "-Wno-error")
	if r.h.arm && slices.ContainsFunc(r.fl.sources, build.IsCXX) {
		return nil, errors.New("replay runs C++ on the host and on x86 alone: check with --target x86_64 or i386")
	}
	if dirs, ok := r.t.HeaderDirs(); ok && r.h.arm {
		flags = append(flags, "-nostdlibinc")
		for _, d := range dirs {
			flags = append(flags, "-isystem", d)
		}
	}
	harnessObject := filepath.Join(r.work, "harness.o")
	if err := r.must(ctx, append(slices.Clone(flags), "-std=gnu11", "-fno-builtin", "-c",
		filepath.Join(r.work, "harness.c"), "-o", harnessObject)...); err != nil {
		return nil, err
	}
	flags = append(flags, "-isystem", include)
	for _, d := range slices.Concat(r.fl.sourceInc, r.fl.include) {
		flags = append(flags, "-I"+d)
	}
	for _, d := range slices.Concat(r.fl.sourceDefine, r.fl.defines) {
		flags = append(flags, "-D"+d)
	}
	if r.h.result.Entry != "main" {
		flags = append(flags, "-Dmain=firmproof_program_main")
	}
	flags = append(append(flags, r.fl.cflags...), r.sanitize()...)
	objects := []string{harnessObject}
	for i, s := range r.fl.sources {
		o := filepath.Join(r.work, fmt.Sprintf("unit%d.o", i))
		if err := r.must(ctx, slices.Concat(flags[:1], build.Language(s), flags[1:], []string{"-c", s, "-o",
			o})...); err != nil {
			return nil, err
		}
		objects = append(objects, o)
	}
	return objects, nil
}

// library compiles the files of our C library that the trace has inputs in: the
// program gets them instead of the real functions, for the inputs to mean the same.
func (r *replayer) library(ctx context.Context) (objects, wrapped []string, err error) {
	seen := map[string]bool{}
	for _, in := range r.h.claim.Inputs {
		text, functions, ok := build.LibraryFile(in.Pos.File)
		if !ok || seen[in.Pos.File] {
			continue
		}
		seen[in.Pos.File] = true
		src := filepath.Join(r.work, "library-"+filepath.Base(in.Pos.File))
		text = append(slices.Clone(text), stubs(text)...)
		if err := os.WriteFile(src, text, 0o644); err != nil {
			return nil, nil, err
		}
		argv := append(append([]string{"clang-14"}, r.t.Flags()...), "-O0", "-g", "-std=gnu11", "-w", "-fno-builtin",
			"-fno-omit-frame-pointer", "-c", src, "-o", src+".o")
		for _, f := range functions {
			argv = append(argv, fmt.Sprintf("-D%s=__wrap_%s", f, f))
		}
		if err := r.must(ctx, argv...); err != nil {
			return nil, nil, err
		}
		objects, wrapped = append(objects, src+".o"), append(wrapped, functions...)
	}
	return objects, wrapped, nil
}

var inputNames = regexp.MustCompile(`(?m)^[^\s/][^(\n]*\b(?:__VERIFIER_nondet_|\w+_without_a_model)\w*\(void\);$`)

// stubs defines, weakly, the inputs that a file of the library declares: the trace
// may have none of some.
func stubs(text []byte) []byte {
	var out []byte
	for _, d := range inputNames.FindAll(text, -1) {
		name := strings.TrimSuffix(string(d), ";")
		body := " { return 0; }\n"
		if strings.HasPrefix(name, "void ") {
			body = " {}\n"
		}
		out = append(out, "\n__attribute__((weak)) "+name+body...)
	}
	return out
}

func (r *replayer) linkNative(image string) []string {
	driver := "clang-14"
	if slices.ContainsFunc(r.fl.sources, build.IsCXX) {
		driver = "clang++-14"
	}
	return append(append([]string{driver}, r.t.Flags()...), append(r.sanitize()[:1:1], "-o", image, "-lm")...)
}

// linkBare links with Arm's own compiler driver, which knows the libraries of the core.
func (r *replayer) linkBare(image string) ([]string, error) {
	script := filepath.Join(r.work, "image.ld")
	rom, ram := r.t.Run.ROM, r.t.Run.RAM
	text := fmt.Sprintf(`ENTRY(fp_reset)
MEMORY { ROM (rx) : ORIGIN = 0x%x, LENGTH = 0x%x
 RAM (rwx) : ORIGIN = 0x%x, LENGTH = 0x%x }
SECTIONS {
 .text : { KEEP(*(.fp_vectors)) *(.text* .rodata* .init .fini .ARM.ext* .ARM.ex*) . = ALIGN(4); } > ROM
 .data : { fp_data_start = .; *(.data*) . = ALIGN(4); fp_data_end = .; } > RAM AT > ROM
 fp_data_from = LOADADDR(.data);
 .bss (NOLOAD) : { fp_bss_start = .; *(.bss* COMMON) . = ALIGN(8); fp_bss_end = .; end = .; } > RAM
 fp_stack_top = ORIGIN(RAM) + LENGTH(RAM);
}
`, rom.Base, rom.Size, ram.Base, ram.Size)
	if err := os.WriteFile(script, []byte(text), 0o644); err != nil {
		return nil, err
	}
	argv := []string{"arm-none-eabi-gcc", "-mcpu=" + r.t.CPU, "-mthumb"}
	for _, f := range r.t.CFlags {
		if strings.HasPrefix(f, "-mfloat-abi") || strings.HasPrefix(f, "-mfpu") {
			argv = append(argv, f)
		}
	}
	return append(argv, "-nostartfiles", "--specs=nosys.specs", "-Wl,--no-warnings", "-Wl,-T", script, "-o", image), nil
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

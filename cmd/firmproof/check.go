package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/firmproof/firmproof/pipeline/compile"
	"github.com/firmproof/firmproof/pipeline/manifest"
	"github.com/firmproof/firmproof/pipeline/prepare"
	"github.com/firmproof/firmproof/reports"
	"github.com/firmproof/firmproof/targets"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/solve/smtlib"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// checkFlags are the flags of `check`.
type checkFlags struct {
	req                     prepare.Request
	timeout                 time.Duration
	engines                 []string
	clock                   time.Duration
	unwindSet, stubs        []string
	assume, edited          []string
	memory                  string
	jobs                    int
	answers, proofs         string
	certify                 string
	certs                   *certifier
	dump                    []string
	out                     outputs
	failOn, baseline        string
	replay, failFast, watch bool
	progressJSON            bool
	trace                   string
}

// What the flags are where nobody says anything.
const (
	defaultIntegers = "bitvector"
	defaultSolver   = "auto"
)

func checkCommand() *cobra.Command {
	var fl checkFlags
	cmd := &cobra.Command{
		Use:   "check [PATH...]",
		Short: "Verify a project (a folder with .firmproof.yml), C files or LLVM IR",
		Example: `  firmproof check                                   # the project at hand, by its .firmproof.yml
  firmproof check uart.c --target cortex-m3 --target x86_64 -I include
  firmproof check uart.c --function uart_put --assume 'uart_put.data=16 elements'
  firmproof check --entry ring_harness --unwind 16 --timeout 2m
  firmproof check --checks default,termination,-shift delay.c
  firmproof check --format html:report.html --format sarif:report.sarif --format text
  firmproof check --fail-on violation --baseline last-week.json --cache .answers`,
		Long: `Verify. PATH is a folder with .firmproof.yml (default the current one), or C, .ll and .bc files. Files without
main, and without --entry or --function, have each of their functions called by a generated harness.

Exit status: 0 nothing violated and nothing unknown; 1 a violation; 2 the request could not be carried out; 3 something unknown (or vacuous or conditional, with --fail-on); 4 internal error.`,
		RunE: func(cmd *cobra.Command, args []string) error { return runCheck(cmd.Context(), cmd, &fl, args) },
	}
	f := cmd.Flags()
	f.StringArrayVar(&fl.req.Targets, "target", nil,
		"target to build for (repeatable; default: the manifest's, else host)")
	f.StringArrayVar(&fl.req.Entries, "entry", nil,
		"function to start from (repeatable; default: the manifest's harnesses, else main)")
	f.StringArrayVar(&fl.req.Functions, "function", nil,
		"function to call with any arguments, by a generated harness (repeatable)")
	f.StringSliceVar(&fl.req.Checks, "checks", nil, "checks, e.g. default,termination,-shift")
	f.IntVar(&fl.req.Unwind, "unwind", 0, "turns per loop (0: deepen until settled or out of time)")
	f.StringSliceVar(&fl.unwindSet, "unwindset", nil, "turns of single loops: FUNC.LOOP:N or FILE:LINE:N")
	f.IntVar(&fl.req.Depth, "depth", 0, "nested calls followed (0: recursion like loops, other calls all)")
	secondsVar(f, &fl.timeout, "timeout", prepare.DefaultTimeout,
		"processor time per entry and target, four times that by the clock; where every function is called, 10s unless given")
	secondsVar(f, &fl.clock, "clock", 0,
		"time per entry and target by the clock; four times the processor time unless given")
	f.StringVar(&fl.memory, "memory", "", "memory per entry and target, e.g. 2G")
	f.IntVar(&fl.jobs, "jobs", runtime.NumCPU(), "entries verified at a time")
	f.StringVar(&fl.req.Integers, "integers", defaultIntegers,
		"bitvector or unbounded (mathematical integers, termination only)")
	f.StringVar(&fl.req.Solver, "solver", defaultSolver, "auto, cadical, z3, cvc5 or bitwuzla")
	f.StringSliceVar(&fl.engines, "engines", nil, "techniques to leave out, e.g. -ellipse,-geometric")
	_ = f.MarkHidden("engines")
	f.StringVar(&fl.answers, "cache", "", "folder for answers: what did not change is not verified again")
	f.StringVar(&fl.proofs, "proofs", "", "folder for the SAT solver's proofs, which are checked")
	f.StringVar(&fl.certify, "certify", "",
		"folder for certificates of the answers, for verify-certificate; takes up to the time of each entry again")
	f.StringVar(&fl.req.StopAfter, "stop-after", "", "stop after a stage: compile, read, encode")
	f.StringSliceVar(&fl.dump, "dump", nil, "print stages: ir, ilr, smt2, dimacs, seg, its")
	f.StringArrayVar(&fl.out.formats, "format", nil,
		"one of "+strings.Join(reports.FormatNames(), ", ")+" (repeatable, in pairs with -o, or FORMAT:FILE)")
	f.StringArrayVarP(&fl.out.files, "output", "o", nil, "file for the report")
	f.BoolVarP(&fl.out.quiet, "quiet", "q", false, "one line per result")
	f.BoolVarP(&fl.out.verbose, "verbose", "v", false, "every claim, and the cost of each stage")
	f.StringVar(&fl.trace, "trace", "short",
		"steps of a counterexample: all; relevant for those that the failure depends "+
			"on; short for the last of these in text, and all in other formats")
	f.BoolVar(&fl.req.Coverage, "coverage", false,
		"find out which lines and branches executions come to (on with --format lcov)")
	f.BoolVar(&fl.watch, "watch", false, "check again after each change, until Ctrl-C")
	f.BoolVar(&fl.failFast, "fail-fast", false, "end with the first violation")
	f.BoolVar(&fl.replay, "replay", false,
		"compile and run each counterexample for real, and say in the report what happened")
	f.StringVar(&fl.failOn, "fail-on", "unknown",
		"what makes the exit status non-zero: violation, unknown, vacuous or conditional, or several with commas")
	f.StringVar(&fl.baseline, "baseline", "", "JSON report: violations in it do not count")
	f.StringArrayVarP(&fl.req.Undefines, "undefine", "U", nil, "macro to undefine")
	sourceFlags(f, &fl.req.Include, &fl.req.Defines)
	f.StringArrayVar(&fl.req.CBMCProofs, "cbmc-proof", nil,
		"folder with proofs written for CBMC: itself or below it (repeatable)")
	f.StringVar(&fl.req.Since, "changed-since", "", "commit: `functions: changed` means those that differ from it")
	completeValues(cmd)
	f.StringArrayVar(&fl.stubs, "stub", nil,
		"what a call of a function does: FUNC=nondet, FUNC=havoc (or FUNC), '*=havoc' for all without a body (repeatable)")
	f.StringArrayVar(&fl.assume, "assume", nil,
		"what a generated harness passes, e.g. ring_put.data='16 elements' (or bytes, 'len bytes', 'up to end', string, 8 bytes in front, 0..64, not null, may be null, apart; repeatable)")
	f.StringArrayVar(&fl.edited, "edited", nil, "FILE=TEXT: as an editor has it, FILE has the text of TEXT (repeatable)")
	_ = f.MarkHidden("edited")
	f.BoolVar(&fl.progressJSON, "progress-json", false, "say on standard error how far the check is, an object a line")
	_ = f.MarkHidden("progress-json")
	f.StringArrayVar(&fl.req.CFlags, "cflags", nil, "further compiler flags for plain C files")
	return cmd
}

var (
	stagesToDump      = []string{"ir", "ilr", "smt2", "dimacs", "seg", "its"}
	stagesToStopAfter = []string{"compile", "read", "encode"}
	knownSolvers      = []string{"auto", "cadical", "z3", "cvc5", "bitwuzla"}
)

// secondFlag matches a flag behind another one.
var secondFlag = regexp.MustCompile(`^-\S+\s+-\w`)

// severalTargets takes lists with commas apart.
func severalTargets(list []string) ([]string, error) {
	var out []string
	for _, names := range list {
		for _, n := range strings.Split(names, ",") {
			if n = strings.TrimSpace(n); n == "" {
				return nil, fmt.Errorf("--target %q names no target (`firmproof targets` lists them)", names)
			}
			out = append(out, n)
		}
	}
	return out, nil
}

func runCheck(ctx context.Context, cmd *cobra.Command, fl *checkFlags, args []string) error {
	if err := fl.check(); err != nil {
		return err
	}
	if cmd.Flags().Changed("checks") && len(fl.req.Checks) == 0 {
		return errors.New("--checks names no check: such as default,termination,-shift (`firmproof explain` lists them)")
	}
	if fl.watch {
		return runWatch(ctx, cmd.OutOrStdout(), cmd.ErrOrStderr(), args)
	}
	baseline, err := readBaseline(fl.baseline)
	if err != nil {
		return err
	}
	req, err := fl.request(cmd.Flags().Changed("timeout"), args)
	if err != nil {
		return userError(err)
	}
	jobs, err := prepare.Jobs(ctx, req)
	if err != nil {
		return userError(err)
	}
	if len(jobs) == 0 {
		return errors.New("nothing to verify: what is built has no function that others may call, and there is no harness: " +
			"`build` of the manifest says what is compiled (`firmproof init --force` says what stands in the way)")
	}
	dumpTo(cmd.OutOrStdout(), jobs, fl.dump)
	if s := fl.req.StopAfter; s == "compile" || s == "read" {
		prepare.Stop(jobs, s)
	}
	if fl.certs, err = newCertifier(fl.certify, len(jobs)); err != nil {
		return err
	}
	rep := &verdict.Report{Version: 1, Tool: verdict.Tool{Name: "firmproof", Version: version},
		Results: verify(ctx, cmd.ErrOrStderr(), fl, jobs)}
	if err := fl.certs.finish(cmd.ErrOrStderr(), jobs); err != nil {
		return fmt.Errorf("--certify: %w", err)
	}
	holdTo(rep, baseline)
	rep.Differences = reports.Differences(rep)
	if fl.replay {
		fl.replayAll(ctx, rep, args)
	}
	fl.out.about(fl, args)
	if err := fl.out.write(cmd.OutOrStdout(), rep); err != nil {
		return err
	}
	if !cmd.Flags().Changed("fail-on") {
		fl.failOn = failOn(args)
	}
	code := exitCode(standing(rep), fl.failOn)
	if code == exitOK && reports.FailsOn(fl.failOn, "vacuous") && anyVacuous(rep) {
		code = exitUnknown
	}
	if code != exitOK {
		return &exitError{code: code}
	}
	return nil
}

func (fl *checkFlags) check() error {
	if err := fl.out.check(); err != nil {
		return err
	}
	if !slices.Contains([]string{"bitvector", "unbounded"}, fl.req.Integers) {
		return fmt.Errorf("--integers %q: bitvector or unbounded", fl.req.Integers)
	}
	if !slices.Contains([]string{"all", "relevant", "short"}, fl.trace) {
		return fmt.Errorf("--trace %q: all, relevant or short", fl.trace)
	}
	for _, w := range strings.Split(fl.failOn, ",") {
		if !slices.Contains(manifest.FailWords, w) {
			return fmt.Errorf("--fail-on %q: %s, or several of them with commas", fl.failOn,
				strings.Join(manifest.FailWords, ", "))
		}
	}
	if !slices.Contains(knownSolvers, fl.req.Solver) {
		return fmt.Errorf("--solver %q, did you mean %q?", fl.req.Solver, verdict.Nearest(fl.req.Solver, knownSolvers))
	}
	if slices.Contains(smtlib.Names(), fl.req.Solver) {
		if _, err := smtlib.Find(fl.req.Solver); err != nil {
			return fmt.Errorf("--solver %s: %w", fl.req.Solver, err)
		}
	}
	for _, d := range fl.dump {
		if !slices.Contains(stagesToDump, d) {
			return fmt.Errorf("--dump %q, did you mean %q? (known: %s)", d, verdict.Nearest(d, stagesToDump),
				strings.Join(stagesToDump, ", "))
		}
	}
	if s := fl.req.StopAfter; s != "" && !slices.Contains(stagesToStopAfter, s) {
		return fmt.Errorf("--stop-after %q, did you mean %q? (known: %s)", s, verdict.Nearest(s, stagesToStopAfter),
			strings.Join(stagesToStopAfter, ", "))
	}
	if _, err := verdict.ParseChecks(fl.req.Checks); err != nil {
		return fmt.Errorf("--checks: %w", err)
	}
	for _, f := range fl.req.CFlags {
		if secondFlag.MatchString(f) && !strings.HasPrefix(f, "-D") {
			return fmt.Errorf("--cflags %q: give --cflags once for each flag", f)
		}
	}
	if slices.Contains([]string{"off", "no", "none", "false", "0"}, fl.answers) {
		return fmt.Errorf("--cache %s: it names a folder for answers; without --cache none are kept", fl.answers)
	}
	if st, err := os.Stat(fl.answers); fl.answers != "" && err == nil && !st.IsDir() {
		return fmt.Errorf("--cache %s: is a file, and has to be a folder", fl.answers)
	}
	if fl.jobs < 1 {
		return fmt.Errorf("--jobs %d: at least 1", fl.jobs)
	}
	if fl.proofs != "" {
		if err := os.MkdirAll(fl.proofs, 0o755); err != nil {
			return fmt.Errorf("--proofs: %w", err)
		}
	}
	for _, n := range []struct {
		name string
		v    int
	}{{"--unwind", fl.req.Unwind}, {"--depth", fl.req.Depth}} {
		if n.v < 0 {
			return fmt.Errorf("%s %d: must not be negative", n.name, n.v)
		}
	}
	return nil
}

// request returns what the flags ask to prepare. A time that nobody gave is the manifest's to say.
func (fl *checkFlags) request(timed bool, paths []string) (prepare.Request, error) {
	req := fl.req
	req.Paths, req.Relevant, req.Compilers = paths, fl.trace == "relevant", fl.jobs
	req.Coverage = req.Coverage || slices.ContainsFunc(fl.out.formats, reports.OnlyCoverage)
	if timed {
		req.Timeout = fl.timeout
	}
	var err error
	if req.Targets, err = severalTargets(req.Targets); err != nil {
		return req, err
	}
	for name, list := range map[string][]string{"--entry": req.Entries, "--function": req.Functions} {
		if slices.Contains(list, "") {
			return req, fmt.Errorf("%s names no function", name)
		}
	}
	if req.UnwindSet, err = parseUnwindSet(fl.unwindSet); err == nil {
		req.Memory, err = parseSize(fl.memory)
	}
	if err == nil {
		req.Stubs, err = parseStubs(fl.stubs)
	}
	if err == nil {
		req.Assume, err = parseAssume(fl.assume)
	}
	if err == nil {
		req.Off, err = parseEngines(fl.engines)
	}
	for _, e := range fl.edited {
		file, text, ok := strings.Cut(e, "=")
		if !ok {
			return req, fmt.Errorf("--edited %q: want FILE=TEXT", e)
		}
		if req.Edited == nil {
			req.Edited = map[string]string{}
		}
		req.Edited[file] = text
	}
	return req, err
}

// userError gives errors of the user's making exit code 2 and a form that names the place.
func userError(err error) error {
	var e *exitError
	if errors.As(err, &e) {
		return err
	}
	return &exitError{code: exitUsage, err: err}
}

// readFile builds one file and reads its module.
func readFile(ctx context.Context, file string, t targets.Target, opts compile.Options) (*ir.Module, error) {
	img, err := compile.Files(ctx, []string{file}, t, opts)
	if err != nil {
		return nil, err
	}
	m, _, err := prepare.Read(img.IRPath)
	return m, err
}

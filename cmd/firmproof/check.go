package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/firmproof/firmproof/pipeline/answers"
	"github.com/firmproof/firmproof/pipeline/build"
	"github.com/firmproof/firmproof/pipeline/manifest"
	"github.com/firmproof/firmproof/pipeline/prepare"
	"github.com/firmproof/firmproof/reports"
	"github.com/firmproof/firmproof/targets"
	"github.com/firmproof/firmproof/verifier"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/solve/smtlib"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// checkFlags are the flags of `check`.
type checkFlags struct {
	req                     prepare.Request
	timeout                 time.Duration
	unwindSet, stubs        []string
	assume                  []string
	memory                  string
	jobs                    int
	answers, proofs         string
	certify                 string
	certs                   *certifier
	dump                    []string
	out                     outputs
	failOn, baseline        string
	replay, failFast, watch bool
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
		Long: `Verify. PATH is a folder with .firmproof.yml (default the current one), or C, .ll and .bc files. Files without
main, and without --entry or --function, have each of their functions called by a generated harness.

Exit status: 0 nothing violated and nothing unknown; 1 a violation; 2 the request could not be carried out; 3 something unknown (or vacuous, with --fail-on vacuous); 4 internal error.`,
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
	f.DurationVar(&fl.timeout, "timeout", prepare.DefaultTimeout,
		"time per entry and target; where every function is called, 10s unless given")
	f.StringVar(&fl.memory, "memory", "", "memory per entry and target, e.g. 2G")
	f.IntVar(&fl.jobs, "jobs", runtime.NumCPU(), "entries verified at a time")
	f.StringVar(&fl.req.Integers, "integers", defaultIntegers,
		"bitvector or unbounded (mathematical integers, termination only)")
	f.StringVar(&fl.req.Solver, "solver", defaultSolver, "auto, cadical, z3, cvc5 or bitwuzla")
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
		"what makes the exit status non-zero: violation, unknown or vacuous, or several with commas")
	f.StringVar(&fl.baseline, "baseline", "", "JSON report: violations in it do not count")
	f.StringArrayVarP(&fl.req.Defines, "define", "D", nil, "macro for plain C files")
	f.StringArrayVarP(&fl.req.Undefines, "undefine", "U", nil, "macro to undefine")
	f.StringArrayVarP(&fl.req.Include, "include", "I", nil, "include folder for plain C files")
	f.StringArrayVar(&fl.req.CBMCProofs, "cbmc-proof", nil,
		"folder with proofs written for CBMC: itself or below it (repeatable)")
	f.StringVar(&fl.req.Since, "changed-since", "", "commit: `functions: changed` means those that differ from it")
	completeValues(cmd)
	f.StringArrayVar(&fl.stubs, "stub", nil,
		"what a call of a function does: FUNC=nondet, FUNC=havoc (or FUNC), '*=havoc' for all without a body (repeatable)")
	f.StringArrayVar(&fl.assume, "assume", nil,
		"what a generated harness passes, e.g. ring_put.data='16 elements' (or bytes, 0..64, not null, may be null; repeatable)")
	f.StringArrayVar(&fl.req.CFlags, "cflags", nil, "further compiler flags for plain C files")
	return cmd
}

var (
	stagesToDump      = []string{"ir", "ilr", "smt2", "dimacs", "seg", "its"}
	stagesToStopAfter = []string{"compile", "read", "encode"}
	knownSolvers      = []string{"auto", "cadical", "z3", "cvc5", "bitwuzla"}
)

func runCheck(ctx context.Context, cmd *cobra.Command, fl *checkFlags, args []string) error {
	if err := fl.check(); err != nil {
		return err
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
	code := exitCode(statusAgainst(rep, baseline), fl.failOn)
	if code == exitOK && reports.FailsOn(fl.failOn, "vacuous") && anyVacuous(rep) {
		code = exitUnknown
	}
	if code != exitOK {
		return &exitError{code: code}
	}
	return nil
}

// failOn returns what the manifests of the folders say under report.fail_on: only violations
// fail if all of them say so, vacuous answers if any does.
func failOn(args []string) string {
	if len(args) == 0 {
		args = []string{"."}
	}
	most, vacuous := "violation", ""
	for _, dir := range args {
		if st, err := os.Stat(dir); err != nil || !st.IsDir() {
			return "unknown" // files have no manifest
		}
		dir, err := manifest.Above(dir)
		if err != nil {
			return "unknown"
		}
		m, err := manifest.Read(dir)
		if err != nil || !m.Report.FailOnGiven || !onlyViolations(m.Report.FailOn) {
			most = "unknown"
		}
		if err == nil && m.Report.FailOnGiven && reports.FailsOn(m.Report.FailOn, "vacuous") {
			vacuous = ",vacuous"
		}
	}
	return most + vacuous
}

// onlyViolations reports whether the words of a fail_on leave unknowns out.
func onlyViolations(failOn string) bool {
	return reports.FailsOn(failOn, "violation") && !reports.FailsOn(failOn, "unknown")
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
	if req.UnwindSet, err = parseUnwindSet(fl.unwindSet); err == nil {
		req.Memory, err = parseSize(fl.memory)
	}
	if err == nil {
		req.Stubs, err = parseStubs(fl.stubs)
	}
	if err == nil {
		req.Assume, err = parseAssume(fl.assume)
	}
	return req, err
}

// dumpTo makes the jobs print the stages asked for, one at a time.
func dumpTo(w io.Writer, jobs []prepare.Job, stages []string) {
	if len(stages) == 0 {
		return
	}
	want := map[string]bool{}
	for _, s := range stages {
		want[s] = true
	}
	var mu sync.Mutex
	for i := range jobs {
		p := &jobs[i].Plan
		p.Dumps = want
		p.Dump = func(stage, text string) {
			mu.Lock()
			defer mu.Unlock()
			fmt.Fprintf(w, "; %s of %s on %s\n%s", stage, p.Entry, p.Target, text)
		}
	}
}

// verify runs the jobs, fl.jobs at a time, and keeps their order.
func verify(ctx context.Context, progress io.Writer, fl *checkFlags, jobs []prepare.Job) []verdict.Result {
	results := make([]verdict.Result, len(jobs))
	run := &checking{certs: fl.certs, line: newProgress(progress, len(jobs), fl.out.quiet),
		cache: answers.OpenFolder(fl.answers)}
	defer run.line.clear()
	if fl.failFast {
		ctx, run.end = context.WithCancel(ctx)
		defer run.end()
	}
	for i := range jobs {
		jobs[i].Plan.Proofs = fl.proofs
	}
	slots := make(chan struct{}, max(1, fl.jobs))
	var wg sync.WaitGroup
	for i := range jobs {
		wg.Add(1)
		slots <- struct{}{}
		go func() {
			defer func() { <-slots; wg.Done() }()
			results[i] = run.job(ctx, i, &jobs[i])
		}()
	}
	wg.Wait()
	prepare.InContext(jobs, results)
	return results
}

// checking is what the jobs of one `check` share.
type checking struct {
	line  *progressLine
	cache *answers.Folder
	certs *certifier
	end   func() // ends all jobs at the first violation; nil: they go on
}

func (r *checking) job(ctx context.Context, n int, j *prepare.Job) verdict.Result {
	target, entry := j.Plan.Target, j.Name()
	defer r.line.done(target, entry)
	if j.Settled != nil {
		return *j.Settled
	}
	if r.end != nil && ctx.Err() != nil {
		return stoppedEarly(j)
	}
	r.line.begin(target, entry, j.Timeout)
	j.Plan.Progress = func(p verifier.Progress) { r.line.at(target, entry, p) }
	// the first violation of a generated harness, or one that is suppressed, may be no finding
	j.Plan.FirstOnly = r.end != nil && !j.Plan.Generated && len(j.Suppressed) == 0
	j.Plan.Found = func(c verdict.Claim) {
		if j.Stands(c) {
			r.line.violated(target, entry, c)
		}
	}
	res := r.answer(ctx, n, j)
	if r.end != nil && slices.ContainsFunc(res.Claims, func(c verdict.Claim) bool {
		return c.Status == verdict.Violated && j.Stands(c)
	}) {
		r.end()
	}
	return *res
}

// answer verifies job n, and certifies the answer if that is asked for.
func (r *checking) answer(ctx context.Context, n int, j *prepare.Job) *verdict.Result {
	if r.certs != nil {
		return r.certs.run(ctx, n, j)
	}
	ctx, cancel := context.WithTimeout(ctx, j.Timeout)
	defer cancel()
	res := r.cache.Run(ctx, j.Program, j.Plan, j.Timeout)
	j.Complete(res)
	return res
}

// stoppedEarly is the result of a job that --fail-fast left out.
func stoppedEarly(j *prepare.Job) verdict.Result {
	res := verdict.Result{Target: j.Plan.Target, Entry: j.Name(), Claims: []verdict.Claim{}, Machine: j.Machine,
		Reason: &verdict.Reason{Kind: verdict.Cancelled, Detail: "not verified, because a violation was found before",
			Remedy: "leave out --fail-fast"}}
	res.Summarise()
	return res
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
func readFile(ctx context.Context, file string, t targets.Target, opts build.Options) (*ir.Module, error) {
	img, err := build.Files(ctx, []string{file}, t, opts)
	if err != nil {
		return nil, err
	}
	m, _, err := prepare.Read(img.IRPath)
	return m, err
}

// parseUnwindSet reads FUNC.LOOP:N and FILE:LINE:N.
func parseUnwindSet(list []string) (map[string]int, error) {
	out := map[string]int{}
	for _, s := range list {
		i := strings.LastIndexByte(s, ':')
		n, err := 0, error(nil)
		if i > 0 {
			n, err = strconv.Atoi(s[i+1:])
		}
		if i <= 0 || err != nil || n < 0 {
			return nil, fmt.Errorf("--unwindset %q: want FUNC.LOOP:N or FILE:LINE:N", s)
		}
		out[s[:i]] = n
	}
	return out, nil
}

// parseStubs reads FUNC=KIND, and FUNC for FUNC=havoc.
func parseStubs(list []string) (map[string]string, error) {
	out := map[string]string{}
	for _, s := range list {
		name, kind, said := strings.Cut(s, "=")
		if !said {
			kind = "havoc"
		}
		if name == "" || kind != "havoc" && kind != "nondet" {
			return nil, fmt.Errorf("--stub %q: want FUNC=nondet or FUNC=havoc, or *=havoc", s)
		}
		out[name] = kind
	}
	return out, nil
}

// parseAssume reads FUNCTION.ARGUMENT=TEXT.
func parseAssume(list []string) (map[string]string, error) {
	out := map[string]string{}
	for _, s := range list {
		place, text, said := strings.Cut(s, "=")
		if !said || !strings.Contains(place, ".") {
			return nil, fmt.Errorf("--assume %q: want FUNCTION.ARGUMENT=TEXT, such as ring_put.data='16 elements'", s)
		}
		out[place] = text
	}
	return out, nil
}

// parseSize reads 512M, 2G or plain bytes.
func parseSize(s string) (int64, error) {
	if s == "" {
		return 0, nil
	}
	unit := int64(1)
	digits := strings.TrimRight(strings.ToUpper(strings.TrimSuffix(s, "B")), "KMGI")
	switch rest := strings.ToUpper(s[len(digits):]); {
	case strings.HasPrefix(rest, "K"):
		unit = 1 << 10
	case strings.HasPrefix(rest, "M"):
		unit = 1 << 20
	case strings.HasPrefix(rest, "G"):
		unit = 1 << 30
	}
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil || n <= 0 {
		return 0, fmt.Errorf("--memory %q: want a size such as 512M or 2G", s)
	}
	return n * unit, nil
}

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

	"github.com/firmproof/firmproof/pipeline"
	"github.com/firmproof/firmproof/pipeline/build"
	"github.com/firmproof/firmproof/pipeline/manifest"
	"github.com/firmproof/firmproof/reports"
	"github.com/firmproof/firmproof/targets"
	"github.com/firmproof/firmproof/verifier"
	"github.com/firmproof/firmproof/verifier/frontend"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/solve/smtlib"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// checkFlags are the flags of `check`.
type checkFlags struct {
	targets, entries, checks []string
	unwind, depth, jobs      int
	unwindSet                []string
	timeout                  time.Duration
	memory                   string
	integers, solver, stop   string
	answers, proofs          string
	dump, defines, include   []string
	undefine, cflags         []string
	out                      outputs
	failOn, baseline         string
	cbmcProofs               []string

	since   string                         // commit to compare with, for generated harnesses
	changed map[string][]reports.LineRange // lines of the change, from the service; nil: not of a change
	// functions that get a generated harness whatever changed, from the head of a change; nil: see the manifest
	called []string
	replay bool
	trace  string

	// from the service
	committed    bool   // the tree is a commit's
	units, cache string // folders for compiled units: to be read, and for new ones
}

func checkCommand() *cobra.Command {
	var fl checkFlags
	cmd := &cobra.Command{
		Use:   "check [PATH...]",
		Short: "Verify a project (a folder with .firmproof.yml), C files or LLVM IR",
		Long: `Verify. PATH is a folder with .firmproof.yml (default the current one), or C, .ll and .bc files.

Exit status: 0 nothing violated and nothing unknown; 1 a violation; 2 the request could not be carried out; 3 something unknown; 4 internal error.`,
		RunE: func(cmd *cobra.Command, args []string) error { return runCheck(cmd.Context(), cmd, &fl, args) },
	}
	f := cmd.Flags()
	f.StringArrayVar(&fl.targets, "target", nil, "target to build for (repeatable; default: the manifest's, else host)")
	f.StringArrayVar(&fl.entries, "entry", nil,
		"function to start from (repeatable; default: the manifest's harnesses, else main)")
	f.StringSliceVar(&fl.checks, "checks", nil, "checks, e.g. default,termination,-shift")
	f.IntVar(&fl.unwind, "unwind", 0, "turns per loop (0: deepen until settled or out of time)")
	f.StringSliceVar(&fl.unwindSet, "unwindset", nil, "turns of single loops: FUNC.LOOP:N or FILE:LINE:N")
	f.IntVar(&fl.depth, "depth", 0, "nested calls followed (0: recursion like loops, other calls all)")
	f.DurationVar(&fl.timeout, "timeout", defaultTimeout, "time per entry and target")
	f.StringVar(&fl.memory, "memory", "", "memory per entry and target, e.g. 2G")
	f.IntVar(&fl.jobs, "jobs", runtime.NumCPU(), "entries verified at a time")
	f.StringVar(&fl.integers, "integers", "bitvector",
		"bitvector or unbounded (mathematical integers, termination only)")
	f.StringVar(&fl.solver, "solver", "auto", "auto, cadical, z3, cvc5 or bitwuzla")
	f.StringVar(&fl.answers, "cache", "", "folder for answers: what did not change is not verified again")
	f.StringVar(&fl.proofs, "proofs", "", "folder for the SAT solver's proofs, which are checked")
	f.StringVar(&fl.stop, "stop-after", "", "stop after a stage: compile, read, encode")
	f.StringSliceVar(&fl.dump, "dump", nil, "print stages: ir, ilr, smt2, dimacs, seg, its")
	f.StringArrayVar(&fl.out.formats, "format", nil,
		"text, json, sarif, junit, html, md or github (repeatable, in pairs with -o)")
	f.StringArrayVarP(&fl.out.files, "output", "o", nil, "file for the report")
	f.BoolVarP(&fl.out.quiet, "quiet", "q", false, "one line per result")
	f.BoolVarP(&fl.out.verbose, "verbose", "v", false, "every claim, and the cost of each stage")
	f.StringVar(&fl.trace, "trace", "all",
		"steps of a counterexample: all, or relevant for those that the failure depends on")
	f.BoolVar(&fl.replay, "replay", false,
		"compile and run each counterexample for real, and say in the report what happened")
	f.StringVar(&fl.failOn, "fail-on", "unknown", "violation or unknown: what makes the exit status non-zero")
	f.StringVar(&fl.baseline, "baseline", "", "JSON report: violations in it do not count")
	f.StringArrayVarP(&fl.defines, "define", "D", nil, "macro for plain C files")
	f.StringArrayVarP(&fl.undefine, "undefine", "U", nil, "macro to undefine")
	f.StringArrayVarP(&fl.include, "include", "I", nil, "include folder for plain C files")
	f.StringArrayVar(&fl.cbmcProofs, "cbmc-proof", nil,
		"folder with proofs written for CBMC: itself or below it (repeatable)")
	f.StringVar(&fl.since, "changed-since", "", "commit: `functions: changed` means those that differ from it")
	f.StringArrayVar(&fl.cflags, "cflags", nil, "further compiler flags for plain C files")
	return cmd
}

var stagesToDump = []string{"ir", "ilr", "smt2", "dimacs", "seg", "its"}

// job is one entry on one target, with the module that it lives in.
type job struct {
	plan    verifier.Plan
	timeout time.Duration
	module  *ir.Module
	stages  []verdict.Stage
	notes   []string
	machine *verdict.Machine

	suppressed []manifest.Suppression

	label   string          // shown instead of the entry, if not empty
	settled *verdict.Result // known without a run, or nil
}

func runCheck(ctx context.Context, cmd *cobra.Command, fl *checkFlags, args []string) error {
	if err := fl.check(); err != nil {
		return err
	}
	baseline, err := readBaseline(fl.baseline)
	if err != nil {
		return err
	}
	jobs, err := prepare(ctx, fl, args)
	if err != nil {
		return userError(err)
	}
	dumpTo(cmd.OutOrStdout(), jobs, fl.dump)
	rep := &verdict.Report{Version: 1, Tool: verdict.Tool{Name: "firmproof", Version: version},
		Results: verify(ctx, cmd.ErrOrStderr(), fl, jobs)}
	rep.Differences = reports.Differences(rep)
	if fl.replay {
		fl.replayAll(ctx, rep, args)
	}
	if err := fl.out.write(cmd.OutOrStdout(), rep); err != nil {
		return err
	}
	if !cmd.Flags().Changed("fail-on") {
		fl.failOn = failOn(args)
	}
	if code := exitCode(statusAgainst(rep, baseline), fl.failOn); code != exitOK {
		return &exitError{code: code}
	}
	return nil
}

// failOn is what the manifests of the folders say under report.fail_on: only violations
// fail if all of them say so.
func failOn(args []string) string {
	if len(args) == 0 {
		args = []string{"."}
	}
	for _, dir := range args {
		m, err := manifest.Read(dir)
		if err != nil || !m.Report.FailOnGiven || m.Report.FailOn != "violation" {
			return "unknown" // files have no manifest
		}
	}
	return "violation"
}

func (fl *checkFlags) check() error {
	if err := fl.out.check(); err != nil {
		return err
	}
	if !slices.Contains([]string{"bitvector", "unbounded"}, fl.integers) {
		return fmt.Errorf("--integers %q: bitvector or unbounded", fl.integers)
	}
	if !slices.Contains([]string{"all", "relevant"}, fl.trace) {
		return fmt.Errorf("--trace %q: all or relevant", fl.trace)
	}
	if !slices.Contains([]string{"violation", "unknown"}, fl.failOn) {
		return fmt.Errorf("--fail-on %q: violation or unknown", fl.failOn)
	}
	solvers := []string{"auto", "cadical", "z3", "cvc5", "bitwuzla"}
	if !slices.Contains(solvers, fl.solver) {
		return fmt.Errorf("--solver %q, did you mean %q?", fl.solver, verdict.Nearest(fl.solver, solvers))
	}
	if slices.Contains(smtlib.Names(), fl.solver) {
		if _, err := smtlib.Find(fl.solver); err != nil {
			return fmt.Errorf("--solver %s: %w", fl.solver, err)
		}
	}
	for _, d := range fl.dump {
		if !slices.Contains(stagesToDump, d) {
			return fmt.Errorf("--dump %q, did you mean %q? (known: %s)", d, verdict.Nearest(d, stagesToDump),
				strings.Join(stagesToDump, ", "))
		}
	}
	if fl.proofs != "" {
		if err := os.MkdirAll(fl.proofs, 0o755); err != nil {
			return fmt.Errorf("--proofs: %w", err)
		}
	}
	for _, n := range []struct {
		name string
		v    int
	}{{"--unwind", fl.unwind}, {"--depth", fl.depth}} {
		if n.v < 0 {
			return fmt.Errorf("%s %d: must not be negative", n.name, n.v)
		}
	}
	return nil
}

// dumpTo makes the jobs print the stages asked for, one at a time.
func dumpTo(w io.Writer, jobs []job, stages []string) {
	if len(stages) == 0 {
		return
	}
	want := map[string]bool{}
	for _, s := range stages {
		want[s] = true
	}
	var mu sync.Mutex
	for i := range jobs {
		p := &jobs[i].plan
		p.Dumps = want
		p.Dump = func(stage, text string) {
			mu.Lock()
			defer mu.Unlock()
			fmt.Fprintf(w, "; %s of %s on %s\n%s", stage, p.Entry, p.Target, text)
		}
	}
}

// verify runs the jobs, fl.jobs at a time, and keeps their order.
func verify(ctx context.Context, progress io.Writer, fl *checkFlags, jobs []job) []verdict.Result {
	results := make([]verdict.Result, len(jobs))
	line := newProgress(progress, len(jobs), fl.out.quiet)
	defer line.clear()
	cache := openCache(fl.answers)
	for i := range jobs {
		jobs[i].plan.Proofs = fl.proofs
	}
	slots := make(chan struct{}, max(1, fl.jobs))
	var wg sync.WaitGroup
	for i := range jobs {
		wg.Add(1)
		slots <- struct{}{}
		go func() {
			defer func() { <-slots; wg.Done() }()
			results[i] = runJob(ctx, &jobs[i], line, cache)
		}()
	}
	wg.Wait()
	return results
}

func runJob(ctx context.Context, j *job, line *progressLine, cache *answerCache) verdict.Result {
	if j.settled != nil {
		line.done()
		return *j.settled
	}
	ctx, cancel := context.WithTimeout(ctx, j.timeout)
	defer cancel()
	j.plan.Progress = func(p verifier.Progress) { line.show(j.plan.Target, j.plan.Entry, p) }
	res := cache.run(ctx, j)
	stored := j.stored()
	stored.Complete(res)
	line.done()
	return *res
}

// stored is the job without its module, as the service keeps it.
func (j *job) stored() *pipeline.Job {
	return &pipeline.Job{Machine: j.machine, Plan: j.plan, Timeout: j.timeout, Label: j.label, Stages: j.stages,
		Notes: j.notes, Suppressed: j.suppressed, Settled: j.settled}
}

// userError gives errors of the user's making exit code 2 and a form that names the place.
func userError(err error) error {
	var e *exitError
	if errors.As(err, &e) {
		return err
	}
	return &exitError{code: exitUsage, err: err}
}

// readModule reads IR and times it.
func readModule(path string) (*ir.Module, verdict.Stage, error) {
	start := time.Now()
	m, err := frontend.Read(path)
	return m, verdict.Stage{Name: "read", Seconds: time.Since(start).Seconds(), Peak: verifier.PeakRSS()}, err
}

// readFile builds one file and reads its module.
func readFile(ctx context.Context, file string, t targets.Target, opts build.Options) (*ir.Module, error) {
	img, err := build.Files(ctx, []string{file}, t, opts)
	if err != nil {
		return nil, err
	}
	m, _, err := readModule(img.IRPath)
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

// Command mutate seeds mistakes into the engine and counts those that the tests notice: `make mutate`.
//
// A mutant is one change of one expression or statement (see candidates). All mutants that are sampled from a package
// are compiled together, each behind a number, as an overlay of the Go tool: no file of the tree is touched, and a test
// binary is built once. FIRMPROOF_MUTANT in the environment of a test binary turns one of them on.
// A mutant is killed if a stage of tests fails or does not end with it, and lived if all stages pass. What was found is
// kept under the function's text, so that a run that was stopped goes on, and killed mutants of functions that did not
// change are not run again.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// stage is a package whose tests may kill mutants, and which of its tests, a regular expression. Where cases is not
// empty, these are patterns of files, the cases of one test, which are run one by one.
type stage struct{ pkg, run, cases string }

// subject is a package that gets mutants, and what should notice them, the quick ones first.
type subject struct {
	pkg    string
	stages []stage
}

// pairs are stages of programs with one difference each that `firmproof check` is held to.
func pairs(cases string) stage { return stage{"cmd/firmproof", "^TestCheck$", cases} }

var subjects = []subject{
	{"pipeline/contract", []stage{{pkg: "pipeline/contract", run: "."}, pairs("quantifier_* havoc_*"),
		{pkg: "cmd/firmproof", run: "^TestContracts$"}}},
	{"verifier/weave", []stage{{pkg: "verifier/weave", run: "."}, {pkg: "cmd/firmproof", run: "^TestContracts$"},
		pairs("arg* atexit* con* des* enum* envp* noinit* own* register* vendor_p* weak*"),
		{pkg: "cmd/firmproof", run: "^Test(KnownFunctions|MissingBodies|RegisterFields|Replaceable|Stubs|StubsThatDoNotReturn)$"}}},
	{"verifier/weave/interrupt", []stage{{pkg: "verifier/weave/interrupt", run: "."},
		pairs("asm* int* mask* reg* tear* vol*"), {pkg: "cmd/firmproof", run: "^TestInterrupts$"}}},
	{"verifier/weave/pair", []stage{{pkg: "pipeline/prepare", run: "^TestPairs$"}}},
	{"verifier/harness", []stage{{pkg: "verifier/harness", run: "."}, {pkg: "cmd/firmproof", run: "^TestGenerated|" +
		"^Test(Apart|Callbacks|CallsOnce|Nonnull|Pools|QuietBehind|Replaceable|StoredFunctions|StringsEnd|Unions|Within)$"}}},
	{"verifier/flow/ranges", []stage{{pkg: "verifier/flow/ranges", run: "."},
		{pkg: "cmd/firmproof", run: "^Test(Addressed|Filled|Overlaid|Volatile|Walked)Ranges$|^TestOriginsOfRanges$|" +
			"^TestRangesOf(Members|Registers)$"}}},
	{"verifier/flow/check", []stage{{pkg: "verifier/flow/check", run: "."}, {pkg: "verifier/flow/ranges", run: "."},
		{pkg: "cmd/firmproof", run: "^TestGenerated|^TestMadeUp$"}}},
	{"verifier/flow/places", []stage{{pkg: "verifier/flow/places", run: "."}, {pkg: "verifier/flow/ranges", run: "^TestKept$"}, {pkg: "cmd/firmproof",
		run: "^Test(Apart|CallsOnce|Pools|StoredFunctions|Unions|Within)$|^Test(Addressed|Overlaid|Volatile)Ranges$"}}},
	{"verifier/flow", []stage{{pkg: "verifier/flow", run: "."}, {pkg: "cmd/firmproof", run: "^TestMadeUp$|^TestSizedInput$|^TestGenerated"}}},
	{"verifier/claims", []stage{{pkg: "verifier/claims", run: "."},
		{pkg: "verifier", run: "^Test(Behind|Beyond|Bounds|Call|Claims|Coverage|First|Gap|Outside|Part)"},
		pairs("address_o* assembly* asm_goto* behind* few* folded_c* folded_l* index* leak* own* past_* termination* vacuous*"),
		{pkg: "cmd/firmproof", run: "^Test(Apart|Bodiless|Pools|QuietBehind|RangesOfRegisters|Replaceable|Within)$"}}},
	{"verifier/race", []stage{{pkg: "verifier/race", run: "."}, {pkg: "verifier", run: "."}, pairs("*")}},
	{"verifier/calls", []stage{{pkg: "cmd/firmproof", run: "^TestCalls"}}},
	{"verifier/change", []stage{{pkg: "verifier/change", run: "."}, {pkg: "pipeline/prepare", run: "^TestUnspecifiedBytes$"},
		{pkg: "cmd/firmproof", run: "^TestDiff|^TestSimulationByBoth"}}},
	{"verifier/encode", []stage{{pkg: "verifier/encode", run: "."}, pairs("*")}},
	{"verifier/encode/memory", []stage{{pkg: "verifier/encode/memory", run: "."}, {pkg: "verifier/encode", run: "."}, pairs("*")}},
	{"verifier/rewrite", []stage{{pkg: "verifier/rewrite", run: "."}, pairs("[a-i]*")}},
	{"verifier/rewrite/facts", []stage{{pkg: "verifier/rewrite/facts", run: "."}, {pkg: "verifier/rewrite", run: "."},
		pairs("[a-i]*")}},
	{"verifier/rewrite/rules", []stage{{pkg: "verifier/rewrite/rules", run: "."}, pairs("[a-i]*")}},
	{"verifier/ring", []stage{{pkg: "verifier/ring", run: "."}, {pkg: "verifier/invariant", run: "."}}},
	{"verifier/invariant", []stage{{pkg: "verifier/invariant", run: "^Test(Always|Elements|Exits|FloatBounds|Induction|" +
		"InductionMissesNoWrite|Neighbours|OneByOne|Products|Recursion|RecursionMissesNothing|SeveralTurns|SeveralTurnsMissNoWrite|Twins)$"}}},
	{"verifier/invariant/lemma", []stage{{pkg: "verifier/invariant/lemma", run: "."}, {pkg: "verifier/invariant",
		run: "^Test(Always|Induction|Recursion|Twins)$"}}},
	{"verifier/seg/certify", []stage{{pkg: "verifier/seg/certify", run: "."}, {pkg: "verifier/seg",
		run: "Certified$|^TestLostPropertyIsNoticed$|^TestUncertifiedEdge|^TestTreeThatLeadsUp$|^TestLastBlockOfFoldedTree$"}}},
	{"verifier/interp", []stage{{pkg: "verifier/interp", run: "."},
		pairs("const_w* div* double_f* free_i* leak* library_mem* library_sp*_o* memset* null_[bgr]* reuse* shift_a* strlen* use* vendor_i*")}},
	{"verifier/seg", []stage{{pkg: "verifier/seg", run: "."}, {pkg: "verifier/graphterm", run: "."}}},
	{"verifier/termination", []stage{{pkg: "verifier/termination", run: "."}, {pkg: "verifier/graphterm", run: "."}}},
}

type options struct {
	per    int
	seed   int64
	build  string
	only   string
	limit  time.Duration
	list   bool
	rerun  bool
	quick  bool
	table  string
	run    string
	budget time.Duration
	target float64
}

func main() {
	var o options
	flag.IntVar(&o.per, "per", 50, "mutants of each package")
	flag.Int64Var(&o.seed, "seed", 1, "which mutants are sampled")
	flag.StringVar(&o.build, "build", "build/mutate", "folder for overlays, test binaries and what was found")
	flag.StringVar(&o.only, "package", "", "packages that are run, a regular expression")
	flag.DurationVar(&o.limit, "limit", 0, "stop after this time; the next run goes on")
	flag.DurationVar(&o.budget, "budget", time.Minute, "the time that the tests of a stage take for a mutant at most")
	flag.BoolVar(&o.list, "list", false, "show what was found, run nothing")
	flag.BoolVar(&o.rerun, "lived", false, "run those again that lived")
	flag.BoolVar(&o.quick, "quick", false, "run the package's own tests alone")
	flag.StringVar(&o.table, "table", "", "Markdown file that the table is written to")
	flag.StringVar(&o.run, "run", "",
		"of the package's own tests, those that are run with -quick, a regular expression")
	flag.Float64Var(&o.target, "target", 0, "the score below which the exit status is 1, in percent")
	flag.Parse()
	if err := run(&o); err != nil {
		fmt.Fprintln(os.Stderr, "mutate:", err)
		os.Exit(1)
	}
}

func run(o *options) error {
	only, err := regexp.Compile(o.only)
	if err != nil {
		return err
	}
	kept, err := readFound(filepath.Join(o.build, "found.json"))
	if err != nil {
		return err
	}
	same, err := readReasons("scripts/mutate/equivalent.txt")
	if err != nil {
		return err
	}
	outside, err := readReasons("scripts/mutate/outside.txt")
	if err != nil {
		return err
	}
	var survivors []string
	start, sum, rows := time.Now(), score{}, ""
	for _, s := range subjects {
		if !only.MatchString(s.pkg) {
			continue
		}
		all, err := candidates(s.pkg)
		if err != nil {
			return err
		}
		all = slices.DeleteFunc(all, func(m *mutant) bool { return isOutside(m, outside) })
		if o.quick && o.run != "" {
			s.stages = []stage{{pkg: s.pkg, run: o.run}}
		}
		chosen := sample(all, o.per, o.seed)
		if !o.list {
			r := &runner{o: o, subject: s, mutants: chosen, found: kept, until: start.Add(o.limit), same: same}
			if err := r.run(); err != nil && !errors.Is(err, errStopped) {
				return fmt.Errorf("%s: %w", s.pkg, err)
			}
		}
		one, lived := report(s.pkg, len(all), chosen, kept, same)
		sum.add(one)
		rows += one.row(s.pkg, len(all))
		survivors = append(survivors, lived...)
	}
	if o.table != "" {
		if err := writeTable(o, rows+sum.row("all", 0), survivors); err != nil {
			return err
		}
	}
	fmt.Println("all:", sum)
	if sum.percent() < o.target {
		return fmt.Errorf("the score is below %.0f %%: write a test for each that lived, or list it with a reason in "+
			"scripts/mutate/equivalent.txt", o.target)
	}
	return nil
}

// score counts what became of mutants. Those that no test can tell apart are no part of the percentage, nor are those
// that change what an answer costs and no answer to another one.
type score struct{ killed, lived, equivalent, cost, open int }

func (s *score) add(t score) {
	s.killed, s.lived, s.open = s.killed+t.killed, s.lived+t.lived, s.open+t.open
	s.equivalent, s.cost = s.equivalent+t.equivalent, s.cost+t.cost
}

func (s score) percent() float64 {
	return 100 * float64(s.killed) / float64(max(1, s.killed+s.lived))
}

func (s score) String() string {
	return fmt.Sprintf("%d killed, %d lived, %d equivalent, %d of cost only, %d not run: %.1f %%", s.killed, s.lived,
		s.equivalent, s.cost, s.open, s.percent())
}

// costOnly begins the reason of a mutant that proves less or takes longer, and answers nothing else.
const costOnly = "cost: "

// report prints the score of a package and the mutants that lived.
func report(pkg string, all int, chosen []*mutant, kept *found, same map[string]string) (sum score,
	survivors []string) {
	var lines []string
	for i, m := range chosen {
		v, ok := kept.Mutants[m.key()]
		switch why, equivalent := same[m.id]; {
		case v.Killed != "":
			sum.killed++
		case strings.HasPrefix(why, costOnly):
			sum.cost++
		case equivalent:
			sum.equivalent++
		case !ok:
			sum.open++
		default:
			sum.lived++
			survivors = append(survivors, fmt.Sprintf("- `%s`, %s by tests: `%s`", m.id, v.How, m.what))
			lines = append(lines, fmt.Sprintf("  %d lived %s\n    %s %s: %s\n", i+1, v.How, m.id, m.pos, m.what))
		}
	}
	slices.Sort(lines)
	fmt.Printf("%s: %s (of %d candidates)\n%s", pkg, sum, all, strings.Join(lines, ""))
	slices.Sort(survivors)
	return sum, survivors
}

// row is the score as a row of the table.
func (s score) row(pkg string, all int) string {
	sites := ""
	if all > 0 {
		sites = strconv.Itoa(all)
	}
	return fmt.Sprintf("| %s | %s | %d | %d | %d | %d | %d | %.1f %% |\n", pkg, sites,
		s.killed+s.lived+s.equivalent+s.cost, s.killed, s.equivalent, s.cost, s.lived, s.percent())
}

// writeTable writes what was found as a document.
func writeTable(o *options, rows string, survivors []string) error {
	text := fmt.Sprintf(`# Mutation of the engine

Written by `+"`make mutate PER=%d SEED=%d MUTATEFLAGS=-table=%s`"+` on %s. A mutant is one seeded mistake; it is killed if
a test fails or does not end with it. Equivalent mutants are listed with reasons in `+"`scripts/mutate/equivalent.txt`"+`, places
from which none are taken in `+"`scripts/mutate/outside.txt`"+`. Mutants of cost only prove less or take longer, and answer
nothing else: they are listed there too. The score leaves both out.

| package | sites | mutants | killed | equivalent | cost only | lived | score |
|---|---|---|---|---|---|---|---|
%s
## Mutants that lived

%s
`, o.per, o.seed, o.table, time.Now().Format(time.DateOnly), rows, strings.Join(survivors, "\n"))
	return os.WriteFile(o.table, []byte(text), 0o600)
}

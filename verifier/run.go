// Package verifier drives both lanes over one module and entry and gives one
// verdict per claim:
//
//	bounded    module -> unwind+encode -> rewrite -> solve -> (if sat) interp replay -> verdict
//	unbounded  module -> seg -> ITS -> termination -> check certificate -> verdict
package verifier

import (
	"context"
	"fmt"
	"log/slog"
	"runtime/debug"
	"slices"
	"sort"
	"strings"
	"syscall"
	"time"

	"github.com/firmproof/firmproof/verifier/encode"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/solve"
	"github.com/firmproof/firmproof/verifier/verdict"
	"github.com/firmproof/firmproof/verifier/weave"
)

// Plan says what to verify and within which limits. The context given to Run carries the time limit.
type Plan struct {
	ir.Semantics
	Target    string
	Entry     string
	Checks    verdict.CheckSet
	Unwind    int            // turns per loop; 0: deepen until everything is settled or time is up
	UnwindSet map[string]int // by loop name func.index or file:line
	Depth     int            // nested calls; 0: recursion grows with the rounds, other calls nest as they do
	Memory    int64          // bytes for the solver, 0: no limit
	Integers  string         // "bitvector" or "unbounded" (mathematical integers, unbounded lane)
	Solver    string         // "auto", "cadical", ...

	Past        ir.Past  `json:"-"` // claims that are left out: runs go on past them
	Hosted      bool     // an operating system calls main with its arguments
	Assumptions []string // what the program was changed by before, for the result

	Relevant  bool                  // traces hold only the steps that the failure depends on
	FirstOnly bool                  // stop at the first confirmed violation
	StopAfter string                // "encode": make the formula, decide nothing
	Proofs    string                `json:"-"` // folder for the SAT solver's proofs, which are checked; empty for none
	Answers   *solve.Answers        `json:"-"` // of earlier runs of the same engine on this entry; may be nil
	Tried     [][]verdict.Input     `json:"-"` // inputs of violations that were found before: they are tried first
	Progress  func(Progress)        `json:"-"` // may be nil; called from the running goroutine
	Dump      func(stage, s string) `json:"-"` // receives printed stages asked for by Dumps; may be nil
	Dumps     map[string]bool       `json:"-"` // ir, ilr, smt2, dimacs, seg, its
}

// encodeOptions is what every encoding for p has in common: the meaning of the
// program, without bounds.
func (p *Plan) encodeOptions() encode.Options {
	return encode.Options{Semantics: p.Semantics, Checks: p.Checks, Past: p.Past}
}

// Progress is a snapshot for a progress line.
type Progress struct {
	Stage  string
	Done   int // claims settled
	Total  int
	Unwind int
}

// Run verifies one entry of m. It never returns nil; whatever goes wrong inside
// is an unknown with its reason.
func Run(ctx context.Context, m *ir.Module, plan Plan) (res *verdict.Result) {
	start := time.Now()
	res = &verdict.Result{Target: plan.Target, Entry: plan.Entry, Claims: []verdict.Claim{},
		Bounds: verdict.Bounds{Unwind: plan.Unwind, Depth: plan.Depth}, Assumptions: slices.Clone(plan.Assumptions)}
	defer func() {
		if p := recover(); p != nil {
			slog.Error("verifier panic", "entry", plan.Entry, "target", plan.Target, "panic", fmt.Sprint(p), "stack",
				string(debug.Stack()))
			res.Reason = &verdict.Reason{Kind: verdict.Internal, Detail: firstLine(fmt.Sprint(p)),
				Remedy: "please report this: it is a defect of firmproof"}
		}
		res.DurationMS = time.Since(start).Milliseconds()
		res.PeakRSS = PeakRSS()
		sortClaims(res.Claims)
		res.Summarise()
	}()
	entry := m.Func(plan.Entry)
	if entry == nil || entry.IsDecl() {
		res.Reason = missingEntry(m, plan.Entry)
		return res
	}
	main := entry
	m, entry, made := weave.Startup(m, entry)
	if made && plan.Depth > 0 {
		plan.Depth++ // the entry is called
	}
	if plan.Dumps["ir"] {
		plan.Dump("ir", m.String())
	}
	res.Claims = append(res.Claims, foldedClaims(m, entry, plan.Checks)...)
	if plan.FirstOnly && len(res.Claims) > 0 {
		return res
	}
	beside := startUnbounded(ctx, m, entry, plan, res)
	defer beside.stop()
	if needsBounded(plan.Checks) {
		b := newBounded(m, entry, main, plan, res)
		b.started = start
		b.run(ctx)
		if plan.Checks.Has(verdict.Stack) {
			holdStack(m, entry, plan.Stack, res)
		}
	}
	beside.finish()
	return res
}

// newBounded is the bounded lane on the program that the plan's host starts.
func newBounded(m *ir.Module, entry, main *ir.Func, plan Plan, res *verdict.Result) *bounded {
	if plan.Hosted {
		var made bool
		if m, entry, made = weave.Arguments(m, entry, main); made {
			res.Assumptions = append(res.Assumptions, weave.ArgumentsAssumption)
			if plan.Depth > 0 {
				plan.Depth++ // the entry is called
			}
		}
	}
	return &bounded{m: m, entry: entry, plan: plan, res: res}
}

// needsBounded reports whether a check of the bounded lane is asked for.
func needsBounded(c verdict.CheckSet) bool {
	for k := range c {
		if k.Of().Decided == verdict.ByPaths {
			return true
		}
	}
	return false
}

func missingEntry(m *ir.Module, name string) *verdict.Reason {
	var names []string
	for _, f := range m.Funcs {
		if !f.IsDecl() {
			names = append(names, f.Name)
		}
	}
	d := fmt.Sprintf("there is no function %q", name)
	if near := verdict.Nearest(name, names); near != "" {
		d += fmt.Sprintf(", did you mean %q?", near)
	}
	return &verdict.Reason{Kind: verdict.Undefined, Detail: d}
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return line
}

// sortClaims orders by place, then by ID: the order of a report.
func sortClaims(cs []verdict.Claim) {
	sort.SliceStable(cs, func(i, j int) bool {
		a, b := &cs[i], &cs[j]
		switch {
		case a.Pos.File != b.Pos.File:
			return a.Pos.File < b.Pos.File
		case a.Pos.Line != b.Pos.Line:
			return a.Pos.Line < b.Pos.Line
		case a.Pos.Column != b.Pos.Column:
			return a.Pos.Column < b.Pos.Column
		}
		return a.ID < b.ID
	})
}

// PeakRSS is the largest resident size of this process so far, in bytes.
func PeakRSS() int64 {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return u.Maxrss * 1024
}

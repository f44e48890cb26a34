package replay

import (
	"context"
	"slices"

	"github.com/firmproof/firmproof/verifier/encode"
	"github.com/firmproof/firmproof/verifier/input"
	"github.com/firmproof/firmproof/verifier/interp"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/problem"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// AsReported executes p for at most so many instructions on inputs as a report shows them, with zeros where it asks for
// more. Where objects lie, and what was in memory before, is left to the execution: that depends on the whole program.
// It returns what it was given, too.
func AsReported(ctx context.Context, p *problem.Problem, list []verdict.Input, steps int64) (*interp.Outcome,
	[]input.Input, error) {
	rec := &input.Recorder{Source: FromReport(list)}
	out, err := interp.Run(ctx, p.Module, p.Execution(steps), rec)
	return out, rec.Inputs, err
}

// Fits reports whether an execution that was given inputs asked for those of a report, by kind, name and width: as long
// as it went on.
func Fits(given []input.Input, list []verdict.Input) bool {
	now, list := withoutMemory(Shown(given)), withoutMemory(list)
	for i := range min(len(now), len(list)) {
		if now[i].Kind != list[i].Kind || now[i].Name != list[i].Name || now[i].Width != list[i].Width {
			return false
		}
	}
	return true
}

// withoutMemory leaves out where objects lie, and what was in memory.
func withoutMemory(list []verdict.Input) []verdict.Input {
	return slices.DeleteFunc(slices.Clone(list), func(in verdict.Input) bool {
		return in.Kind == input.Base.String() || in.Kind == input.Bytes.String()
	})
}

// Violated returns the claim of p that an execution violates, with the ID of the way in which it does; ok is false if it
// violates none.
func Violated(p *problem.Problem, out *interp.Outcome) (c encode.Claim, id string, ok bool) {
	return Claims{}.Violated(p, out)
}

// Claims holds the claims of functions that executions failed in, of programs that do not change: their names take a walk
// through the function, and many executions fail in a few.
type Claims map[claimed][]encode.Claim

// claimed is a function of a program, and what it is asked.
type claimed struct {
	p *problem.Problem
	f *ir.Func
}

// Violated is the function of this name.
func (l Claims) Violated(p *problem.Problem, out *interp.Outcome) (c encode.Claim, id string, ok bool) {
	if out.Kind != interp.Violation || out.Instr == nil {
		return c, "", false
	}
	k := claimed{p, out.Instr.Block.Func}
	list, known := l[k]
	if !known {
		list = encode.ListClaims(p.Module, p.Checks, p.Leaks, func(b *ir.Block) bool { return b == out.Instr.Block })
		l[k] = list
	}
	for _, c := range list {
		if c.Instr == out.Instr && c.Check == out.Check {
			return c, verdict.WayID(c.ID, out.Object), true
		}
	}
	return c, "", false
}

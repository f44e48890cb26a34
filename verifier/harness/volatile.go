package harness

import (
	"fmt"
	"slices"

	"github.com/firmproof/firmproof/verifier/flow/places"
	"github.com/firmproof/firmproof/verifier/flow/ranges"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/verdict"
	"github.com/firmproof/firmproof/verifier/weave/irbuild"
)

// keepVolatile has loads of volatile numbers give what the program stores there, where it keeps them in a range: an
// index that interrupt handlers and the rest of the program share. It notes for each function what that takes for granted.
func (p *Program) keepVolatile() {
	b := &irbuild.Builder{Module: p.m}
	for _, f := range p.m.Funcs {
		for _, blk := range f.Blocks {
			for _, in := range blk.Instrs {
				p.keepSole(in)
			}
		}
		vars := f.VarsBySlot()
		if !slices.ContainsFunc(f.Blocks, func(blk *ir.Block) bool {
			return slices.ContainsFunc(blk.Instrs, func(in *ir.Instr) bool { return p.volatileRange(vars, in) != nil })
		}) {
			continue
		}
		b.RewriteFunc(f, func(in *ir.Instr) {
			b.Keep(in)
			r := p.volatileRange(vars, in)
			if r == nil {
				return
			}
			least, most := b.Bounds(in, r.low, r.high, r.t.Signed)
			brings(r.assumed(verdict.Chosen).ID, b.Model(ir.ModelKept, "firmproof.kept", ir.Void(), b.And(least, most)))
			for _, a := range p.leansOn(r) {
				brings(a.ID, in)
			}
			if !slices.Contains(p.volatile[f], *r) {
				p.volatile[f] = append(p.volatile[f], *r)
			}
		})
	}
	p.m.Funcs = append(p.m.Funcs, b.Decls...)
}

// volatileRange holds what is known of a volatile number that is loaded.
type volatileRange struct {
	at        places.Place
	name      string
	t         *ir.DType
	low, high int64
}

// leansOn lists what the range of r takes for granted of functions that alone write a variable.
func (p *Program) leansOn(r *volatileRange) []verdict.Assumption {
	if p.leaning[r.at.Global] == "" {
		return nil
	}
	return p.leanOn
}

// assumed is what loads take for granted.
func (r *volatileRange) assumed(origin verdict.Origin) verdict.Assumption {
	a := verdict.Assume(r.name, verdict.Interval, origin, fmt.Sprintf(ranges.KeptNote, r.name, r.low, r.high))
	a.Other = verdict.Stored
	return a
}

// volatileRange returns the range that the program keeps what in loads in; nil: none, or in is no volatile load.
func (p *Program) volatileRange(vars map[ir.Value]*ir.Var, in *ir.Instr) *volatileRange {
	if in.Op != ir.OpLoad || !in.Flags.Has(ir.Volatile) || !in.T.IsInt() {
		return nil
	}
	at, ok := p.spans.Of[in]
	if !ok || p.spans.At[at].Passed && p.spans.Soles[at.Global] == nil { // a handler may see what is there for a moment
		return nil
	}
	r := &volatileRange{at: at}
	if at.Of == "" {
		r.name, r.t = at.Global.Var.Name, at.Global.Var.T
	} else {
		g, t, off := places.ObjectAt(vars, in.Args[0])
		of, f, off := places.MemberIn(t, off)
		if f == nil || f.IsBits || f.BitOff/8 != off || !ir.IsNumber(f.T) {
			return nil
		}
		if r.name, r.t = f.Of(of.Name), f.T; g != nil && g.Var.T == of {
			r.name = f.Of(g.Var.Name)
		}
	}
	r.low, r.high, ok = p.spans.Kept(at, r.t)
	if unit := 8 * p.step; !ok || in.T.Width > unit && (r.low < 0 || r.high >= 1<<unit) {
		return nil // or a read may be torn into parts of two numbers
	}
	return r
}

// noteVolatile adds what is taken for granted of volatile numbers that the function reads, or those that it calls.
func (h *harness) noteVolatile() {
	for _, r := range h.p.volatileIn(h.reached) {
		h.out.Assumptions = verdict.AddAssumptions(h.out.Assumptions, r.assumed(verdict.Chosen))
		h.out.Assumptions = verdict.AddAssumptions(h.out.Assumptions, h.p.leansOn(&r)...)
	}
	h.out.Assumptions = verdict.AddAssumptions(h.out.Assumptions, h.p.soleIn(h.reached)...)
	h.volatilePointers()
}

// volatilePointers notes the volatile pointers that the function reads, or those that it calls: that one gives any pointer
// at each read is what the engines make of it, and a failure by that is no finding. Not so in a register.
func (h *harness) volatilePointers() {
	h.out.Open = verdict.AddAssumptions(h.out.Open, pointersIn(h.Module, h.reached)...)
}

// VolatilePointers is the same for executions from an entry that somebody wrote.
func VolatilePointers(m *ir.Module, entry *ir.Func) []verdict.Assumption {
	return pointersIn(m, places.Reached(m, entry))
}

// pointersIn lists the volatile pointers that the functions of reached read, in the order of the program.
func pointersIn(m *ir.Module, reached places.Reach) []verdict.Assumption {
	var out []verdict.Assumption
	for _, f := range m.Funcs {
		for _, b := range f.Blocks {
			for _, in := range b.Instrs {
				if !reached.Funcs[f] || in.Op != ir.OpLoad || !in.Flags.Has(ir.Volatile) || !in.T.IsPtr() {
					continue
				}
				name := "a volatile pointer"
				if c, ok := ir.Root(in.Args[0]).(*ir.Const); ok {
					if c.Global == nil || c.Global.Extern {
						continue
					}
					name = ir.NameOf(c.Global)
				}
				a := verdict.Assume(name, verdict.Meaning, verdict.Chosen, name+" holds what the program stores there")
				out = verdict.AddAssumptions(out, a)
				brings(a.ID, in)
			}
		}
	}
	return out
}

// volatileIn lists the ranges of the volatile numbers that the functions of reached read, in the order of the program.
func (p *Program) volatileIn(reached places.Reach) []volatileRange {
	var out []volatileRange
	for _, f := range p.m.Funcs {
		if reached.Funcs[f] {
			out = append(out, p.volatile[f]...)
		}
	}
	return out
}

// Kept lists what Semantics.KeepsRanges takes for granted in executions from entry, where the user asks for it.
func (p *Program) Kept(entry *ir.Func) []verdict.Assumption {
	var out []verdict.Assumption
	reached := places.Reached(p.m, entry)
	own := p.soleIn(reached)
	for _, r := range p.volatileIn(reached) {
		out = verdict.AddAssumptions(out, r.assumed(verdict.Declared))
		own = verdict.AddAssumptions(own, p.leansOn(&r)...)
	}
	for _, a := range own {
		out = verdict.AddAssumptions(out, verdict.Assume(a.Subject, a.Relation, verdict.Declared, a.Text))
	}
	if p.nonnullIn(reached) {
		out = append(out, wraps)
	}
	return out
}

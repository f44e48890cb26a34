package harness

import (
	"fmt"
	"slices"
	"strings"

	"github.com/firmproof/firmproof/verifier/flow/places"
	"github.com/firmproof/firmproof/verifier/flow/ranges"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/verdict"
	"github.com/firmproof/firmproof/verifier/weave/irbuild"
)

// keepVolatile has loads of volatile numbers give what the program stores there: an index that interrupt handlers and the
// rest of the program share, the state of a driver. It notes for each function what that takes for granted, and the reads of
// which only what the program seems to store is known.
func (p *Program) keepVolatile() {
	b := &irbuild.Builder{Module: p.m}
	for _, f := range p.m.Funcs {
		vars := f.VarsBySlot()
		of := map[*ir.Instr]*volatileRange{}
		var sole []verdict.Assumption
		for _, blk := range f.Blocks {
			for _, in := range blk.Instrs {
				if !readsVolatile(in) {
					continue
				}
				if a, is := p.keepSole(in); is {
					sole = verdict.AddAssumptions(sole, a)
				}
				p.noteStored(in)
				if r := p.volatileRange(vars, in); r != nil && r.runs != nil {
					of[in] = r
				} else if r != nil {
					brings(r.open.ID, in)
					p.unsure[f] = verdict.AddAssumptions(p.unsure[f], *r.open)
				}
			}
		}
		if len(of) > 0 {
			p.keepRanges(b, f, of)
		}
		p.volatile[f] = verdict.AddAssumptions(p.volatile[f], sole...)
	}
	p.m.Funcs = append(p.m.Funcs, b.Decls...)
}

// keepRanges has loads of f give numbers in these ranges.
func (p *Program) keepRanges(b *irbuild.Builder, f *ir.Func, of map[*ir.Instr]*volatileRange) {
	b.RewriteFunc(f, func(in *ir.Instr) {
		b.Keep(in)
		r := of[in]
		if r == nil {
			return
		}
		model := b.Model(ir.ModelKept, "firmproof.kept", ir.Void(), within(b, in, r.t, r.runs))
		for _, a := range r.rests {
			brings(a.ID, model)
			if a.ReadsStored() {
				brings(a.ID, in)
			}
		}
		for _, a := range p.leansOn(r) {
			brings(a.ID, in)
		}
		p.volatile[f] = verdict.AddAssumptions(p.volatile[f], slices.Concat(r.rests, p.leansOn(r))...)
	})
}

// readsVolatile reports a load of a volatile number.
func readsVolatile(in *ir.Instr) bool {
	return in.Op == ir.OpLoad && in.Flags.Has(ir.Volatile) && in.T.IsInt()
}

// ReadsVolatile reports whether a function reads a volatile number that is not at a constant address.
func ReadsVolatile(m *ir.Module) bool {
	return slices.ContainsFunc(m.Funcs, func(f *ir.Func) bool {
		return slices.ContainsFunc(f.Blocks, func(b *ir.Block) bool {
			return slices.ContainsFunc(b.Instrs, func(in *ir.Instr) bool {
				if !readsVolatile(in) {
					return false
				}
				c, fixed := ir.Root(in.Args[0]).(*ir.Const)
				return !fixed || c.Global != nil
			})
		})
	})
}

// volatileRange holds what is known of a volatile number that is loaded.
type volatileRange struct {
	at    places.Place
	name  string
	t     *ir.DType
	runs  []ranges.Run         // nil: nothing is known, but open says what it seems to be
	rests []verdict.Assumption // that it is in one of them
	open  *verdict.Assumption
}

// leansOn lists what the range of r takes for granted of functions that alone write a variable.
func (p *Program) leansOn(r *volatileRange) []verdict.Assumption {
	if p.leaning[r.at.Global] == "" {
		return nil
	}
	return p.leanOn
}

// stored notes what loads take for granted. by is verdict.Stored, or, if what rests on it holds on that condition alone,
// verdict.StoredHere.
func (r *volatileRange) stored(by string, origin verdict.Origin, format string, args ...any) {
	a := verdict.Assume(r.name, verdict.Interval, origin, fmt.Sprintf(format, args...))
	a.Other = by
	r.rests = append(r.rests, a)
}

// volatileRange returns what is known of the volatile number that in loads; nil: nothing.
func (p *Program) volatileRange(vars map[ir.Value]*ir.Var, in *ir.Instr) *volatileRange {
	at, ok := p.spans.Of[in]
	known := ok
	if !ok {
		at, ok = p.seems.Of[in]
	}
	if !ok || p.spans.Devices[at.Of] {
		return nil
	}
	r := &volatileRange{at: at}
	if at.Of == "" {
		r.name, r.t = at.Global.Var.Name, at.Global.Var.T
	} else {
		g, t, off := places.ObjectAt(vars, in.Args[0])
		of, f, off := places.MemberIn(t, off)
		if f == nil || f.IsBits || f.BitOff/8 != off || !(ir.IsNumber(f.T) || f.T.Kind == ir.DEnum || isTruth(f.T)) {
			return nil
		}
		if r.name, r.t = f.Of(unqualified(of.Name)), f.T; g != nil && g.Var.T == of {
			r.name = f.Of(g.Var.Name)
		}
	}
	if known {
		p.runsOf(r)
	}
	if unit := 8 * p.step; in.T.Width > unit && slices.ContainsFunc(r.runs, func(x ranges.Run) bool {
		return x.Low < 0 || x.High >= 1<<unit
	}) {
		r.runs = nil // a read may be torn into parts of two numbers
	}
	if _, limited := p.seems.Stores(at, r.t); r.runs == nil && (limited || p.computed(at)) {
		a := storedThere(r.name)
		r.open = &a
	}
	if r.runs == nil && r.open == nil {
		return nil
	}
	return r
}

// noteStored marks a load of a volatile number that the program itself stores.
func (p *Program) noteStored(in *ir.Instr) {
	at, ok := p.seems.Of[in]
	x := p.seems.At[at]
	if !ok || x == nil || !x.Some || p.spans.Devices[at.Of] {
		return
	}
	in.Flags |= ir.Stored
	if at.Of == "" && !in.Flags.Has(ir.Sole) {
		name := at.Global.Var.Name
		a := verdict.Assume(name, verdict.Meaning, verdict.Chosen, name+" is as at first as long as other variables are")
		a.Other = verdict.Meanwhile
		brings(a.ID, in)
		p.unsure[in.Block.Func] = verdict.AddAssumptions(p.unsure[in.Block.Func], a)
	}
}

// unqualified returns the name of a type without its qualifiers.
func unqualified(name string) string {
	for {
		word, rest, ok := strings.Cut(name, " ")
		if !ok || word != "const" && word != "volatile" {
			return name
		}
		name = rest
	}
}

// isTruth reports a truth value in a byte of its own.
func isTruth(t *ir.DType) bool { return t.Kind == ir.DBool && t.Bits == 8 }

// runsOf finds the numbers that a volatile number is among: what the program keeps it in, what the type has, or all that
// the program stores there.
func (p *Program) runsOf(r *volatileRange) {
	x := p.spans.At[r.at]
	sole := p.spans.Soles[r.at.Global] != nil
	low, high, ok := p.spans.Kept(r.at, r.t)
	stored, changes := p.spans.Stores(r.at, r.t)
	switch {
	case ok && (!x.Passed || sole): // else a handler may see what is there for a moment
		by := verdict.Stored
		if g := r.at.Global; g != nil && g.Var.Public && !p.spans.Limited(r.at) {
			by = verdict.StoredHere // by a handler in a file that nobody gave
		}
		r.runs = []ranges.Run{{Low: low, High: high}}
		r.stored(by, verdict.Chosen, ranges.KeptNote, r.name, low, high)
	case isTruth(r.t):
		r.runs = []ranges.Run{{Low: 0, High: 1}}
		if g := r.at.Global; p.spans.Wild[r.at.Of] || x.Any && p.spans.Set(r.at) && !(g != nil && g.Extern) {
			r.stored(verdict.StoredHere, verdict.Chosen, "%s is 0 or 1, where the program copies bytes", r.name)
		}
	case changes:
		r.runs = []ranges.Run{stored}
		r.stored(verdict.StoredHere, verdict.Chosen, ranges.KeptNote, r.name, stored.Low, stored.High)
	case r.t.Kind == ir.DEnum:
		if r.runs = p.spans.Enumerated(r.at, r.t); r.runs != nil {
			r.stored(verdict.StoredHere, verdict.Observed, enumeratedNote, r.name, unqualified(r.t.Name))
		}
	}
}

// noteVolatile adds what is taken for granted of volatile numbers that the function reads, or those that it calls.
func (h *harness) noteVolatile() {
	h.out.Assumptions = verdict.AddAssumptions(h.out.Assumptions, h.p.allOf(h.p.volatile, h.reached)...)
	h.out.Open = verdict.AddAssumptions(h.out.Open, h.p.allOf(h.p.unsure, h.reached)...)
	h.out.Open = verdict.AddAssumptions(h.out.Open, pointersIn(h.Module, h.reached)...)
}

// allOf lists what is noted of the functions of reached, in the order of the program.
func (p *Program) allOf(noted map[*ir.Func][]verdict.Assumption, reached places.Reach) []verdict.Assumption {
	var out []verdict.Assumption
	for _, f := range p.m.Funcs {
		if reached.Funcs[f] {
			out = verdict.AddAssumptions(out, noted[f]...)
		}
	}
	return out
}

// VolatilePointers is the same for executions from an entry that somebody wrote.
func VolatilePointers(m *ir.Module, entry *ir.Func) []verdict.Assumption {
	return pointersIn(m, places.Reached(m, entry))
}

// storedThere is of a volatile variable whose reads give any value: a failure by that is no finding.
func storedThere(name string) verdict.Assumption {
	return verdict.Assume(name, verdict.Meaning, verdict.Chosen, name+" holds what the program stores there")
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
				a := storedThere(name)
				out = verdict.AddAssumptions(out, a)
				brings(a.ID, in)
			}
		}
	}
	return out
}

// Kept lists what Semantics.KeepsRanges takes for granted in executions from an entry that somebody wrote, and what is open
// there. declared: the user asks for it.
func (p *Program) Kept(entry *ir.Func, declared bool) (rests, open []verdict.Assumption) {
	reached := places.Reached(p.m, entry)
	rests = p.allOf(p.volatile, reached)
	if declared {
		for i := range rests {
			rests[i].Origin = verdict.Declared
		}
	}
	if p.nonnullIn(reached) {
		rests = append(rests, wraps)
	}
	return rests, p.allOf(p.unsure, reached)
}

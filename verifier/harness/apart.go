package harness

import (
	"fmt"

	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/policy"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// Callers may pass pointers to one object, or into it (C17 6.5p7): `read(d, &d->length)`. A harness makes a block for
// each pointer, and says of each two that could overlap by their types that they do not. Where one of them is declared
// with restrict, callers see to it (C17 6.7.3.1). An entry of Overlapping has them overlap (overlap.go).

// ground is memory that pointers lead to: a block that a harness makes, or a variable of the program.
type ground struct {
	name     string // of the pointer, or of the variable
	at       ir.Value
	t        *ir.DType  // of its elements; nil: bytes
	size     ir.Value   // in bytes
	arg      int        // the parameter that leads there; -1: another pointer
	in       ir.Value   // where that is kept, if it may lead elsewhere; else nil
	text     bool       // a string
	variable *ir.Global // nil: a block
}

// apart notes of each two grounds that can overlap that they do not.
func (h *harness) apart(args []ir.Value) {
	all, pairs := h.grounds(args), 0
	met := h.gather(all, args)
	for i, p := range all {
		for _, q := range all[i+1:] {
			if p.variable != nil || !mayOverlap(p.t, q.t) {
				continue
			}
			if met(p, q) || h.meet(p, q, args) {
				if !h.overlap {
					h.note(p.name, verdict.Meaning, verdict.Declared, "what %s leads to and what %s leads to may overlap (as given)",
						p.name, q.name)
				}
				continue
			}
			pairs++
			h.keepApart(p, q, pairs > policy.ApartPairs)
		}
	}
	h.passEnds(args)
}

// keepApart notes that two grounds do not overlap; many: in the words that serve for all of them.
func (h *harness) keepApart(p, q *ground, many bool) {
	origin, about, other := verdict.Chosen, h.prefix+q.name, h.prefix+p.name
	text := fmt.Sprintf("what %s leads to and what %s leads to do not overlap", other, about)
	if q.variable != nil {
		about, other = other, q.variable.Name
		text = fmt.Sprintf("%s leads to no part of %s", about, q.name)
	}
	switch {
	case h.given(p.name).Apart, h.given(q.name).Apart:
		origin = verdict.Declared
	case h.restricts(p) || h.restricts(q):
		origin = verdict.Read
	case many && q.variable == nil:
		about, other, text = "", "", "no further two pointers lead to places that overlap"
	}
	a := verdict.Assume(about, verdict.Apart, origin, text)
	a.Other = other
	h.out.Assumptions = verdict.AddAssumptions(h.out.Assumptions, a)
	brings(a.ID, p.at)
	if q.variable == nil {
		brings(a.ID, q.at)
	}
}

// moves reports whether the pointer to a ground can be made to lead elsewhere.
func (g *ground) moves() bool { return g.arg >= 0 || g.in != nil }

// leads returns the pointer to a ground.
func (h *harness) leads(g *ground, args []ir.Value) ir.Value {
	if g.in != nil {
		return h.Load(h.Ptr(), g.in)
	}
	return args[g.arg]
}

// lead has the pointer to a ground lead to another address.
func (h *harness) lead(g *ground, to ir.Value, args []ir.Value) {
	if g.in != nil {
		h.Store(to, g.in, 1)
		return
	}
	args[g.arg] = to
}

func (h *harness) restricts(g *ground) bool { return g.arg >= 0 && h.vars[g.arg].T.Restrict }

// grounds lists what the pointers of a call may lead to: what parameters lead to, what other pointers do, and variables.
func (h *harness) grounds(args []ir.Value) []*ground {
	var out []*ground
	seen := map[ir.Value]bool{}
	for i := range args {
		p, t := h.madeFor(i, args[i])
		if p == nil || seen[p] {
			continue
		}
		seen[p] = true
		g := &ground{name: h.nameOf(i), at: p, t: t, size: p.Args[0], arg: i}
		for _, b := range h.out.Blocks {
			g.text = g.text || b.At == p && b.text
		}
		out = append(out, g)
	}
	for _, b := range h.out.Blocks {
		if !seen[b.At] && b.pointer != "" && !IsFurther(b.pointer) {
			out = append(out, &ground{name: b.pointer, at: b.At, t: b.T, size: b.Size, arg: -1, in: h.holders[b.At], text: b.text})
		}
	}
	for _, g := range h.Module.Globals {
		if h.isGround(g) {
			out = append(out, h.groundOf(g))
		}
	}
	return out
}

// groundOf is a variable as a ground, always the same one.
func (h *harness) groundOf(g *ir.Global) *ground {
	if h.variables[g] == nil {
		if h.variables == nil {
			h.variables = map[*ir.Global]*ground{}
		}
		h.variables[g] = &ground{name: ir.NameOf(g), at: h.AddrOfGlobal(g), t: g.Var.T, arg: -1, variable: g,
			size: h.Int(h.Word(), ir.SizeInC(g.Var.T))}
	}
	return h.variables[g]
}

// isGround reports whether pointers of a call may lead to a variable that the function reaches.
func (h *harness) isGround(g *ir.Global) bool {
	return h.reached.Globals[g] && !runsHandlers(g) && !g.Const && !g.Extern && g.Var != nil && g.Var.T != nil &&
		h.p.handedOut(g)
}

// madeFor returns the block that was made for parameter i, a pointer, whose argument is v, and what it holds; nil: there
// is none.
func (h *harness) madeFor(i int, v ir.Value) (*ir.Instr, *ir.DType) {
	if d := h.vars[i]; d == nil || d.T == nil || d.T.Kind != ir.DPointer {
		return nil, nil // a structure, passed by value
	}
	if p := h.handle(i); p != nil {
		return p.of.block, p.of.t
	}
	in, ok := v.(*ir.Instr)
	for ok && (in.Op == ir.OpSelect || in.Op == ir.OpFreeze) { // null, or the block
		in, ok = in.Args[len(in.Args)-1].(*ir.Instr)
	}
	if !ok || in.Model != ir.ModelMalloc {
		return nil, nil
	}
	return in, h.elemOf(i)
}

// handedOut reports whether callers may have the address of a variable: its name is public, or code does more with its
// address than to access it.
func (p *Program) handedOut(g *ir.Global) bool {
	if p.handed == nil {
		p.handed = map[*ir.Global]bool{}
		for _, x := range p.m.Globals {
			ir.EachAddress(x.Init, func(to *ir.Global) { p.handed[to] = true })
		}
		for _, f := range p.m.Funcs {
			if f.Made || f.Driven() {
				continue
			}
			into := ir.AddressesIn(f)
			for _, b := range f.Blocks {
				for _, in := range b.Instrs {
					for i, v := range in.Args {
						if to := into(v); to != nil && !accesses(in, i) {
							p.handed[to] = true
						}
					}
				}
			}
		}
	}
	return g.Var.Public || p.handed[g]
}

// accesses reports whether operand i of an instruction, an address, is accessed or moved alone.
func accesses(in *ir.Instr, i int) bool {
	return in.Op == ir.OpGep || in.Op == ir.OpBitcast || in.Op == ir.OpIcmp || ir.Accessed(in, i)
}

// mayOverlap reports whether objects of these types can share bytes: bytes with anything, else one is a part of the
// other.
func mayOverlap(a, b *ir.DType) bool {
	if isBytes(a) || isBytes(b) {
		return true
	}
	in, _ := partsLike(a, b)
	out, _ := partsLike(b, a)
	return len(in) > 0 || len(out) > 0
}

func isBytes(t *ir.DType) bool { return ir.IsVoid(t) || ir.SizeInC(t) == 1 }

// row is a number of equal parts of an object, one behind the other: where the first begins, in bytes, and the size of
// each.
type row struct{ off, size, count int64 }

// partsLike lists where in an object of type t an object of type u can stand: it is t itself, or a member. whole: these
// are all.
func partsLike(t, u *ir.DType) (rows []row, whole bool) {
	whole = true
	add := func(r row) {
		if n := len(rows) - 1; n >= 0 && rows[n].size == r.size && rows[n].off+rows[n].size*rows[n].count == r.off {
			rows[n].count += r.count
			return
		}
		if len(rows) == policy.ApartRows {
			whole = false
			return
		}
		rows = append(rows, r)
	}
	switch {
	case t == nil:
	case alike(t, u):
		add(row{0, ir.SizeInC(u), 1})
	case t.Kind == ir.DArray && t.Elem != nil:
		in, all := partsLike(t.Elem, u)
		size := ir.SizeInC(t.Elem)
		whole = all
		if len(in) == 1 && in[0].off == 0 && in[0].size*in[0].count == size {
			add(row{0, in[0].size, in[0].count * t.Count})
			break
		}
		for k := int64(0); len(in) > 0 && k < t.Count && whole; k++ {
			for _, r := range in {
				add(row{k*size + r.off, r.size, r.count})
			}
		}
	case ir.IsAggregate(t):
		for i := range t.Fields {
			f := &t.Fields[i]
			if f.IsBits {
				continue
			}
			in, all := partsLike(f.T, u)
			whole = whole && all
			for _, r := range in {
				add(row{f.BitOff/8 + r.off, r.size, r.count})
			}
		}
	}
	return rows, whole
}

// alike reports whether two types are one: structures with the same members, numbers and pointers of one size.
func alike(t, u *ir.DType) bool {
	if t == nil || u == nil {
		return false
	}
	if ir.IsAggregate(t) || ir.IsAggregate(u) {
		return sameLayout(t, u)
	}
	return t.Kind != ir.DArray && u.Kind != ir.DArray && (t.Kind == ir.DPointer) == (u.Kind == ir.DPointer) &&
		ir.SizeInC(t) > 0 && ir.SizeInC(t) == ir.SizeInC(u)
}

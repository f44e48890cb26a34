package weave

import (
	"slices"

	"github.com/firmproof/firmproof/verifier/ir"
)

// mayHold returns what a pointer to a function in a variable may hold; nil: what it holds at first.
func (p *Program) mayHold(g *ir.Global, s slot) *held {
	ps, re := p.places, p.places.re
	own := ps.at[place{g: g, off: inFirst(g.Var.T, s.off)}]
	if own == nil {
		own = &held{}
	}
	if len(own.funcs) == 0 && partAt(g.Var.T, s.off, isUnion) != nil {
		return nil // another member may be in use
	}
	out := *own
	out.any = re.vars[g]
	if of, _, off := memberIn(g.Var.T, s.off); of != nil {
		kind := layoutOf(of)
		member := ps.at[place{of: kind, off: off}]
		if member == nil {
			member = &held{}
		}
		out.null = slices.Concat(own.null, member.null)
		aliased := re.taken[g] || re.whole[g]
		out.any = out.any || aliased && re.kinds[kind]
		switch {
		case re.whole[g], aliased && re.copied[kind]:
			out.add(member.funcs, member)
		case aliased:
			out.add(member.puts, member)
		}
	} else if isAggregate(element(g.Var.T)) { // an array of a structure
		out.any = out.any || re.taken[g] || re.whole[g]
	} else if re.taken[g] {
		out.add(p.mayStray(p.fits(s.t.Elem)), &held{})
	}
	strays := slices.ContainsFunc(p.mayStray(p.fits(s.t.Elem)), func(f *ir.Func) bool {
		return len(out.funcs) > 0 && !slices.Contains(out.funcs, f)
	})
	if !out.set && !out.any && !strays && len(out.funcs) == len(own.funcs) {
		return nil
	}
	return &out
}

// add adds functions, and what else is known of a member that holds them.
func (h *held) add(list []*ir.Func, member *held) {
	for _, f := range list {
		h.funcs = withFunc(h.funcs, f)
	}
	h.others = h.others || member.others
	h.set = h.set || member.set
}

// inKind returns what is stored in a member that holds a pointer to a function; known says what is stored as such.
func (ps *places) inKind(member place, known *held) *held {
	if len(known.funcs) == 0 || known.others || !ps.re.kinds[member.of] {
		return known
	}
	out := *known
	out.any = true
	return &out
}

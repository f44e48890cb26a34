package harness

import (
	"slices"

	"github.com/firmproof/firmproof/verifier/flow/places"
	"github.com/firmproof/firmproof/verifier/ir"
)

// mayHold returns what a pointer to a function in a variable may hold; nil: what it holds at first.
func (p *Program) mayHold(g *ir.Global, s places.Slot) *places.Held {
	ps, re := p.places, p.places.Re
	own := ps.At[places.Place{Global: g, Off: places.InFirst(g.Var.T, s.Off)}]
	if own == nil {
		own = &places.Held{}
	}
	if len(own.Funcs) == 0 && places.PartAt(g.Var.T, s.Off, places.IsUnion) != nil {
		return nil // another member may be in use
	}
	out := *own
	out.Any = re.Vars[g]
	if of, _, off := places.MemberIn(g.Var.T, s.Off); of != nil {
		kind := places.LayoutOf(of)
		member := ps.At[places.Place{Of: kind, Off: off}]
		if member == nil {
			member = &places.Held{}
		}
		out.Null = slices.Concat(own.Null, member.Null)
		aliased := re.Taken[g] || re.Whole[g]
		out.Any = out.Any || aliased && re.Kinds[kind]
		switch {
		case re.Whole[g], aliased && re.Copied[kind]:
			out.Add(member.Funcs, member)
		case aliased:
			out.Add(member.Puts, member)
		}
	} else if ir.IsAggregate(places.Element(g.Var.T)) { // an array of a structure
		out.Any = out.Any || re.Taken[g] || re.Whole[g]
	} else if re.Taken[g] {
		out.Add(p.mayStray(p.fits(s.T.Elem)), &places.Held{})
	}
	strays := slices.ContainsFunc(p.mayStray(p.fits(s.T.Elem)), func(f *ir.Func) bool {
		return len(out.Funcs) > 0 && !slices.Contains(out.Funcs, f)
	})
	if !out.Set && !out.Any && !strays && len(out.Funcs) == len(own.Funcs) {
		return nil
	}
	return &out
}

// mayStray lists the functions of a type in LLVM IR that may be stored in any place.
func (p *Program) mayStray(fits func(*ir.Func) bool) []*ir.Func {
	list := p.places.Stray.Funcs
	if p.places.Stray.Others {
		list = nil
		for _, f := range p.m.Funcs {
			if f.Addr && !f.IsDecl() && !f.Made {
				list = append(list, f)
			}
		}
	}
	var out []*ir.Func
	for _, f := range list {
		if fits(f) {
			out = append(out, f)
		}
	}
	return out
}

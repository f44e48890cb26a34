package seg

import (
	"fmt"
	"maps"
	"slices"

	"github.com/firmproof/firmproof/verifier/exact"
	"github.com/firmproof/firmproof/verifier/its"
	"github.com/firmproof/firmproof/verifier/policy"
)

// transition adds the transition of path e under the knowledge k, which is that of its end. Where costs count, it goes
// on in the callees of the path's modular calls as well: their runs are part of the whole (MO-70).
func (x *extractor) transition(e *edge, k *know) {
	to := its.Loc(0)
	switch {
	case e.overflow:
		to = x.b.Loc(overflowLoc)
	case e.to == nil:
		to = x.b.Loc("end")
	default:
		to = x.locs[e.to]
	}
	w := &pathWriter{x: x, t: x.b.Trans(x.locs[e.from], to), at: map[exact.Var]exact.Var{}}
	dropped := x.dropped(e)
	for _, sl := range e.from.slots {
		if !dropped[sl.v] {
			w.at[sl.v] = x.variable(sl)
		}
	}
	w.guard(e.from, k, dropped)
	exactly := e.st.approx == "" && !e.overflow
	if e.to != nil && !e.overflow {
		exactly = w.arrive(e, k, func(v exact.Var, l exact.Lin) { w.t.Set(v, l) }) && exactly
	}
	x.count(e, w)
	for _, calls := range x.callees(e) {
		w.call(calls, k)
	}
	if x.opts.Costs {
		w.t.Cost(exact.PolyOf(exact.C(e.st.cost)))
	}
	tag := x.newTag(e)
	x.paths[tag] = path{e, k, x}
	if exactly {
		w.t.Exact(tag)
	} else {
		w.t.Approx(tag)
	}
}

// newTag is a name of its own for a transition of path e.
func (x *extractor) newTag(e *edge) string {
	tag := e.tag
	for n := 2; x.paths[tag].e != nil; n++ {
		tag = fmt.Sprintf("%s, path %d", e.tag, n)
	}
	return tag
}

// callees returns, for each modular call on path e, the paths into the callee: several where a condition that is not
// decided was told apart there. Termination does not ask: an endless run follows one path, which is a transition of its
// own.
func (x *extractor) callees(e *edge) [][]*edge {
	if !x.opts.Costs || e.overflow {
		return nil
	}
	var out [][]*edge
	for _, id := range e.st.calls {
		var into []*edge
		for _, c := range e.from.edges {
			if c.to != nil && !c.overflow && c.st.calling == id {
				into = append(into, c)
			}
		}
		if len(into) > 0 {
			out = append(out, into)
		}
	}
	return out
}

// pathWriter writes a path as a transition.
type pathWriter struct {
	x  *extractor
	t  *its.TransBuilder
	at map[exact.Var]exact.Var // path variable to the system's variable or temporary
}

func (w *pathWriter) ge(l exact.Lin) {
	if !w.x.opts.NoTypeBounds || l.Const.BitLen() < policy.TypeBits {
		w.t.GE(l)
	}
}

// value is l in the transition's variables, with the constants that k knows; what is new becomes a temporary.
func (w *pathWriter) value(l exact.Lin, k *know) exact.Lin {
	return l.Subst(func(v exact.Var) exact.Lin {
		if i := k.iv[v]; i.constant() {
			return constInt(i.lo)
		}
		to, ok := w.at[v]
		if !ok {
			to = w.t.Temp()
			w.at[v] = to
			w.within(to, k.iv[v])
		}
		return exact.V(to)
	})
}

// within demands that a variable is in an interval.
func (w *pathWriter) within(v exact.Var, i ival) {
	l := exact.V(v)
	if i.constant() {
		w.t.EQ(exact.Lin{Terms: l.Terms, Const: i.lo.Neg()})
		return
	}
	if i.hasLo {
		w.ge(exact.Lin{Terms: l.Terms, Const: i.lo.Neg()})
	}
	if i.hasHi {
		w.ge(exact.Lin{Terms: l.Neg().Terms, Const: i.hi})
	}
}

// guard demands what k knows of a path from c.
func (w *pathWriter) guard(c *cutPoint, k *know, dropped map[exact.Var]bool) {
	for _, sl := range c.slots {
		if !dropped[sl.v] {
			w.within(w.at[sl.v], k.iv[sl.v])
		}
	}
	for _, r := range k.rows {
		if touches(r.Lin, dropped) {
			continue // says nothing about the slots that matter
		}
		if l := w.value(r.Lin, k); r.EQ {
			w.t.EQ(l)
		} else {
			w.ge(l)
		}
	}
	for _, a := range k.polys {
		p := a.Poly.Subst(func(v exact.Var) exact.Poly { return exact.PolyOf(w.value(exact.V(v), k)) })
		w.t.Atom(its.Atom{Poly: p, Rel: a.Rel})
	}
}

// arrive sets the target's slots to their values under k, any value where e has none; it reports whether it has all.
func (w *pathWriter) arrive(e *edge, k *know, set func(exact.Var, exact.Lin)) bool {
	all := true
	for _, sl := range e.to.slots {
		if !w.x.kept(sl) {
			continue
		}
		if l, ok := e.vals[sl.key]; ok {
			set(w.x.variable(sl), w.value(l, k))
		} else {
			set(w.x.variable(sl), exact.V(w.t.Temp()))
			all = false
		}
	}
	return all
}

// call adds the successors in a callee. What is known of the path into it is demanded, too, where there is one path
// only; of several, each is a successor, whichever the run takes.
func (w *pathWriter) call(into []*edge, k *know) {
	if len(into) == 1 {
		early := into[0].st.know
		w.guard(into[0].from, early, nil)
		for _, v := range slices.Sorted(maps.Keys(w.at)) { // of what is known by now, k may tell more
			w.within(w.at[v], k.iv[v])
		}
	}
	for _, c := range into {
		set := map[exact.Var]exact.Poly{}
		w.arrive(c, k, func(v exact.Var, l exact.Lin) { set[v] = exact.PolyOf(l) })
		w.t.Also(w.x.locs[c.to], set)
	}
}

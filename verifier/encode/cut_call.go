package encode

import (
	"fmt"

	"github.com/firmproof/firmproof/verifier/encode/memory"
	"github.com/firmproof/firmproof/verifier/ilr"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/policy"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// Recursive functions are cut as loops are (Cuts): at the outermost call of one its
// body is walked once, from a state that is unknown in all that calls from within
// change (the entry), and the calls within, like the outermost one, go on in a
// state that is unknown in all that the body changes from its beginning to its
// end (the way back). What holds at the entry is assumed in the body and to be
// shown of each call; what holds of the way back is assumed after each call and to
// be shown where the body returns. By induction over the time of calls and
// returns that covers every execution. Objects of other activations are not
// represented: using a pointer to one is a gap (lostPointers).
//
// Worked example, `int f(int n) { return n ? f(n - 1) + 1 : 0; }`:
//
//	entry     sites: the body with n!1       arrivals: n of the outermost call; n!1 - 1
//	way back  sites: (n!1 - 1, result!1)     arrivals: (n!1, n!1 ? result!1 + 1 : 0)
//	                 (n of the outermost call, result!2)

// recursion is one outermost call of a recursive function.
type recursion struct {
	entry *arrival
	back  *arrival // its registers: the result
	vars  []*backVar
}

// backVar is a number that invariants about the way back speak about.
type backVar struct {
	Var
	at func(was, is edge) ilr.Term // vals of was: the arguments, of is: the result
}

// isCut reports that calls of f are not walked one by one.
func (e *encoder) isCut(f *ir.Func) bool { return e.cutter != nil && e.cutter.funcs[f.Name] }

// mustCutCalls notes that f, which calls itself, has to be cut; the walk has to be
// repeated then. active counts the activations of f.
func (e *encoder) mustCutCalls(f *ir.Func, active int, forked bool) bool {
	if e.cutter == nil {
		return false
	}
	e.cutter.calls[f]++
	if !forked && !e.cutter.All && active < policy.ConstantNesting && e.cutter.calls[f] < policy.ConstantCalls {
		return false
	}
	e.cutter.funcs[f.Name] = true
	e.cutter.grown, e.cutter.stop = true, true
	return true
}

// cutCall calls f, which is cut.
func (e *encoder) cutCall(fr *frame, st *memory.State, in *ir.Instr, f *ir.Func, args []memory.Val) memory.Val {
	why := ""
	for _, p := range f.Params {
		if p.ByVal != nil {
			why = "passes " + p.Name + " by value"
		}
	}
	switch {
	case len(args) > len(f.Params):
		why = "has more arguments than parameters"
	case e.opts.Checks.Has(verdict.Stack):
		why = "needs a stack that is not bounded"
	}
	if why != "" {
		e.gap(st, in, verdict.Incomplete, "recursion of %s %s, and cannot be cut", f.Name, why)
		return memory.Val{}
	}
	for q := fr; q != nil; q = q.up {
		switch {
		case q.fn != f:
		case q.rec == nil:
			e.gap(st, in, verdict.Incomplete, "%s, which calls itself, is the entry", f.Name)
			return memory.Val{}
		default:
			e.backEdge(fr, q.rec.entry, edge{st: &memory.State{PC: st.PC, Mem: st.Mem}, vals: args})
			return e.comeBack(st, q.rec, args)
		}
	}
	if !e.mayCall(fr, in, f, st) {
		return memory.Val{}
	}
	fr.forked = true
	into := e.Bit(e.s.Fresh("into!"+f.Name, ilr.BV(1)))
	r := &recursion{}
	if body := e.fork(st, into); body != nil {
		e.walkBody(fr, &memory.State{PC: body.PC, Mem: body.Mem}, in, f, r, args)
	}
	if st.PC = e.And(st.PC, e.s.Not(into)); st.PC == nil || e.cutter.stop {
		st.PC = nil
		return memory.Val{}
	}
	return e.comeBack(st, r, args)
}

// walkBody walks f once for all activations that the call in leads to.
func (e *encoder) walkBody(fr *frame, st *memory.State, in *ir.Instr, f *ir.Func, r *recursion, args []memory.Val) {
	ed := edge{st: st, vals: append([]memory.Val(nil), args...)}
	sub := e.newFrame(fr, in, f, ed.vals)
	sub.rec = r
	key := e.cutter.number(sub.context + "/entry of " + f.Name)
	what := fmt.Sprintf("recursion of %s", f.Name)
	r.entry = e.newArrival(key)
	r.entry.fn, r.entry.in, r.entry.what = f, in, what
	var regs []register
	for _, p := range f.Params {
		regs = append(regs, register{p.Name, p.T})
	}
	e.forget(sub, r.entry, ed, regs)
	r.back = e.newArrival(key + "/way back")
	r.back.fn, r.back.in, r.back.what, r.back.fr = f, in, what, sub
	r.back.mark, r.back.head, r.back.regs = r.entry.mark, r.entry.head, []register{{"result", f.Ret}}
	e.openBack(sub, r)
	end, ret := e.run(sub, ed.st)
	if end == nil {
		return
	}
	e.lostForever(fr, end, in)
	e.widenMemory(r.back, end)
	out := edge{st: end}
	if !f.Ret.IsVoid() {
		out.vals = []memory.Val{ret}
	}
	e.widenResult(r.back, out)
	a := Arrival{Guard: end.PC.All, After: len(e.f.Sites)}
	a.Values = r.values(edge{st: r.entry.head, vals: r.entry.vals}, out)
	a.Entry = r.entries(a.Values)
	h := &e.f.Headers[r.back.index]
	h.Arrivals = append(h.Arrivals, a)
}

// widenResult makes what calls give back include that of out.
func (e *encoder) widenResult(a *arrival, out edge) {
	p := a.hav.phis[0]
	if p == nil { // the first return of all
		p = &place{}
		a.hav.phis[0] = p
		e.cutter.grown = true
	}
	if len(out.vals) > 0 && e.widen(a, p, out.vals[0], out.vals[0], a.regs[0].t) {
		e.cutter.grown = true
	}
}

// comeBack is st after a call of the function of r: unknown in what the body may
// change.
func (e *encoder) comeBack(st *memory.State, r *recursion, args []memory.Val) memory.Val {
	x := r.back
	if x == nil || x.hav.phis[0] == nil { // nothing returns
		st.PC = nil
		return memory.Val{}
	}
	was := edge{st: &memory.State{PC: st.PC, Mem: st.Mem}, vals: args}
	for _, key := range sortedKeys(x.hav.objs) {
		o := e.keyed(key)
		if o == nil || st.Get(o) == nil || x.done[o] == nil {
			if e.cutter.grown {
				continue // the next walk knows
			}
			e.gap(st, x.in, verdict.Incomplete, "%s changes an object that is not known before", x.what)
			return memory.Val{}
		}
		e.forgetObject(st, o, x.done[o], &objHavoc{})
	}
	is := edge{st: st}
	var ret memory.Val
	if t := x.regs[0].t; !t.IsVoid() {
		var old memory.Val
		if t.IsAggregate() || t.Kind == ir.KindVector {
			old = e.Zero(t)
		}
		ret = e.unknown(old, x.hav.phis[0], t, "result")
		is.vals = []memory.Val{ret}
	}
	st.PC = e.And(st.PC, e.Bit(e.s.Fresh("come back", ilr.BV(1))))
	s := Site{Guard: st.PC.All, Values: r.values(was, is)}
	s.Entry = r.entries(s.Values)
	e.addSite(x.index, s)
	return ret
}

func (r *recursion) values(was, is edge) []ilr.Term {
	out := make([]ilr.Term, len(r.vars))
	for i, v := range r.vars {
		out[i] = v.at(was, is)
	}
	return out
}

// entries are the values before the call, where vals has them.
func (r *recursion) entries(vals []ilr.Term) []ilr.Term {
	out := make([]ilr.Term, len(vals))
	for i, v := range r.vars {
		if v.Before > 0 {
			out[i] = vals[v.Before-1]
		}
	}
	return out
}

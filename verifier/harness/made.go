package harness

import (
	"fmt"
	"slices"
	"strings"

	"github.com/firmproof/firmproof/verifier/flow/places"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/policy"
	"github.com/firmproof/firmproof/verifier/verdict"
	"github.com/firmproof/firmproof/verifier/weave/irbuild"
)

// An entry of what is made calls a function once, with what other functions of the program make: what they give back,
// where they are handed none (sdsnew, o1heapInit), or the structure that they fill (ring_init). In between, one other
// function that takes it is called, or none. What holds there says nothing of longer runs: it is a condition (0037).

// madePrefix starts the names of the functions that Made makes.
const madePrefix = "firmproof.made."

// made is an object that the program makes for a parameter of a function.
type made struct {
	shared
	kind  string
	param int
}

// Made adds to the program a function that calls f with what other functions make; nil where none makes anything for it.
func (p *Program) Made(f *ir.Func, linkage func(*ir.Func) (static, known bool)) *Harnessed {
	if f.IsDecl() || TakesVariable(f) || !p.effectsOf(f).takes {
		return nil
	}
	c := &cone{p: p, of: f, state: map[*ir.Global]bool{}, hidden: map[*ir.Global]bool{}, linkage: linkage}
	var all []*ir.Func
	for _, g := range p.m.Funcs {
		if g != f && c.callable(g) {
			all = append(all, g)
		}
	}
	list := c.madeFor(all)
	if len(list) == 0 {
		return nil
	}
	c.add(f)
	w := &callWriter{Builder: irbuild.Function(p.m, madePrefix+f.Name, ir.Void(), f.Pos), p: p, cone: c,
		first: map[string]*ir.Func{}, handed: map[int]*shared{}}
	w.Func.CName = f.CName
	c.findSetups(all)
	between := c.between(all, list)
	for _, m := range list {
		w.make(m, between)
	}
	w.setUp()
	w.callBetween(between, list)
	clear(w.handed)
	for _, m := range list {
		w.handed[m.param] = &m.shared
	}
	w.callOf(f, nil)
	w.Ret(nil)
	h := &Harnessed{Assumptions: w.madeStates(), Open: w.out.Open, Guesses: w.out.Guesses}
	h.Assumptions = append(h.Assumptions, w.out.Assumptions...)
	h.Entry = w.Done()
	return h
}

// madeFor finds what functions make for the parameters of the cone's.
func (c *cone) madeFor(all []*ir.Func) []*made {
	h := c.p.newHarness(&irbuild.Builder{Module: c.p.m}, c.of)
	var out []*made
	for i := range c.of.Params {
		m := &made{kind: h.kindOf(i), param: i}
		if m.kind == "" {
			continue
		}
		m.t, m.name = h.elemOf(i), h.nameOf(i)
		for _, g := range all {
			switch takes := c.p.kindsOf(g); {
			case !slices.Contains(takes, m.kind) && (kindOf(g.DRet) == m.kind || c.makes(g, &m.shared)):
				m.begins, m.makers = append(m.begins, g), append(m.makers, g)
			case ir.IsStruct(m.t) && c.fills(g, &m.shared):
				m.begins = append(m.begins, g)
			}
		}
		if m.onlyInnermost(c.p); len(m.begins) > 0 && len(m.begins) <= policy.MadeBy {
			out = append(out, m)
		}
	}
	return out
}

// onlyInnermost leaves out functions that have another one make it.
func (m *made) onlyInnermost(p *Program) {
	all := m.begins
	outer := func(g *ir.Func) bool {
		reached := p.reachOf(g).Funcs
		return slices.ContainsFunc(all, func(f *ir.Func) bool {
			return f != g && reached[f] && !p.reachOf(f).Funcs[g]
		})
	}
	m.begins = slices.DeleteFunc(slices.Clone(all), outer)
	m.makers = slices.DeleteFunc(m.makers, outer)
}

// kindOf names what a pointer leads to, for functions that make and take it: the layout of a structure, or a name of
// its own for the pointer; empty: anything.
func kindOf(t *ir.DType) string {
	switch {
	case t == nil || t.Kind != ir.DPointer || places.IsFunction(t):
		return ""
	case ir.IsStruct(t.Elem) && ir.SizeInC(t.Elem) > 0:
		return "struct " + places.LayoutOf(t.Elem)
	}
	name := strings.TrimSuffix(strings.TrimPrefix(t.Name, "const "), " const")
	if strings.ContainsAny(name, "*[") {
		return ""
	}
	return name
}

// kindOf is kindOf of parameter i; a plain void pointer is of the structure that the function takes it for.
func (h *harness) kindOf(i int) string {
	p, v := h.of.Params[i], h.vars[i]
	if !p.T.IsPtr() || p.SRet != nil || p.ByVal != nil || h.pieces[p].of != nil || h.unknown(i) ||
		v.T.Kind != ir.DPointer || h.given(h.nameOf(i)).size(1) > 0 {
		return ""
	}
	if kind := kindOf(v.T); kind != "" || !ir.IsVoid(v.T.Elem) {
		return kind
	}
	return kindOf(&ir.DType{Kind: ir.DPointer, Name: v.T.Name, Elem: h.elemOf(i)})
}

// kindsOf lists the kinds of the parameters of g.
func (p *Program) kindsOf(g *ir.Func) []string {
	if out, known := p.kinds[g]; known {
		return out
	}
	h := p.newHarness(&irbuild.Builder{Module: p.m}, g)
	out := make([]string, len(g.Params))
	for i := range g.Params {
		out[i] = h.kindOf(i)
	}
	p.kinds[g] = out
	return out
}

// between lists the functions that are handed what was made, and may change it: not those that end its life, unless they
// give back what is in its place. It is none where there are too many.
func (c *cone) between(all []*ir.Func, list []*made) []*ir.Func {
	var out []*ir.Func
	for _, g := range append([]*ir.Func{c.of}, all...) {
		e := c.p.effectsOf(g)
		for i, kind := range c.p.kindsOf(g) {
			handed := kind != "" && slices.ContainsFunc(list, func(m *made) bool { return m.kind == kind })
			v := ir.ParamVars(g)[i]
			if !handed || strings.HasPrefix(v.T.Name, "const ") || v.T.Elem != nil && strings.HasPrefix(v.T.Elem.Name, "const ") ||
				e.frees && kindOf(g.DRet) != kind {
				continue
			}
			if out = append(out, g); len(out) > policy.MadeBetween {
				return nil
			}
			break
		}
	}
	return out
}

// make writes what makes an object.
func (w *callWriter) make(m *made, between []*ir.Func) {
	hd := &m.shared
	w.hold(hd, fmt.Sprintf("made.%s.%d", w.cone.of.Name, m.param))
	h := w.p.newHarness(w.Builder, w.cone.of)
	text := fmt.Sprintf("%s is as a call of %s leaves it", hd.name, strings.Join(namesOf(hd.begins), " or "))
	if len(between) > 0 {
		text += ", and at most one call since, of " + strings.Join(namesOf(between), " or ")
	}
	hd.id = h.note(hd.name, verdict.Contents, verdict.Chosen, "%s", text)
	w.take(h)
	if ir.IsStruct(hd.t) {
		w.zeroed(h, hd, w.Int(ir.Int(32), 0))
	}
	w.oneOf(hd.begins, func(g *ir.Func) {
		w.hand(g, m)
		w.begin(g, hd)
	})
	w.unset(hd, false)
}

// hand has the next call of g get m for the first parameter of its kind.
func (w *callWriter) hand(g *ir.Func, m *made) {
	clear(w.handed)
	if i := slices.Index(w.p.kindsOf(g), m.kind); i >= 0 {
		w.handed[i] = &m.shared
	}
}

// callBetween writes a call of one of the functions, or of none.
func (w *callWriter) callBetween(between []*ir.Func, list []*made) {
	if len(between) == 0 {
		return
	}
	here, end := w.NewBlock("between"), w.NewBlock("then")
	w.Branch(w.Nondet("another call before", ir.Int(1)), here, end)
	w.At(here)
	w.oneOf(between, func(g *ir.Func) {
		kinds := w.p.kindsOf(g)
		m := list[slices.IndexFunc(list, func(m *made) bool { return slices.Contains(kinds, m.kind) })]
		w.hand(g, m)
		if out := w.callOf(g, nil); kindOf(g.DRet) == m.kind {
			w.Assume(w.Compare(ir.NE, out, w.Null()))
			w.Store(out, w.AddrOfGlobal(m.at), 1)
		}
	})
	w.Jump(end)
	w.At(end)
}

// madeStates says of the variables that the calls can come to what is in them.
func (w *callWriter) madeStates() []verdict.Assumption {
	var out []verdict.Assumption
	for _, g := range w.Module.Globals {
		if w.cone.state[g] || w.cone.hidden[g] {
			out = append(out, verdict.Assume(g.Name, verdict.Start, verdict.Chosen,
				fmt.Sprintf("%s holds at first its initial value, or what making the arguments leaves in it", ir.NameOf(g))))
		}
	}
	return out
}

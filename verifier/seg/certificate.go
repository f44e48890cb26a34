package seg

import (
	"errors"
	"log/slog"
	"slices"

	"github.com/firmproof/firmproof/verifier/exact"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/policy"
	"github.com/firmproof/firmproof/verifier/seg/certify"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// certify checks every edge to a generalised state and returns the cut points that have to be expanded
// again because one of theirs failed. What still fails then makes the graph incomplete.
func (b *builder) certify() []*cutPoint {
	if len(b.gaveAt) > 0 {
		return nil // the graph proves nothing
	}
	var failed []*cutPoint
	b.certified = 0
	for _, c := range b.reachable() {
		why := b.checkSummaries(c)
		for _, e := range slices.Concat(c.edges, c.exits) {
			if e.to == nil || why != nil {
				continue
			}
			if e.proved != e.to.st {
				if why = b.checkEdge(e); why != nil {
					slog.Debug("an edge is not certified", "edge", e.tag, "why", why)
					continue
				}
				e.proved = e.to.st
			}
			b.certified++
		}
		if why == nil {
			continue
		}
		if c.repairs++; c.repairs <= policy.CutRepairs {
			failed = append(failed, c)
		} else {
			b.giveUp(verdict.Reason{Kind: verdict.Incomplete,
				Detail: "an edge of the graph is not certified: " + why.Error()}, b.at(c.st))
		}
	}
	return failed
}

// checkSummaries proves that the summaries of recursive functions hold for the runs from c that come
// back, and that the runs from c which rest on summaries were told what they say now.
func (b *builder) checkSummaries(c *cutPoint) error {
	for _, r := range c.returns {
		k, sum := plainKnow(r.know), r.sum.cases[r.n]
		if !sum.reached || len(sum.bounds) > len(r.dirs) {
			return errors.New("a run comes back that the summary leaves out")
		}
		for n, i := range sum.bounds {
			if !b.checker.Within(&k, r.dirs[n], plainInterval(i)) {
				return errors.New("a run comes back outside the summary's bounds")
			}
		}
	}
	for _, u := range c.uses {
		if u.back != b.left(u.sum) {
			return errors.New("the state that runs come back in is another one now")
		}
		for n, was := range u.cases {
			now := u.sum.cases[n]
			if was.reached != now.reached || !slices.Equal(was.bounds, now.bounds) {
				return errors.New("the summary is another one now")
			}
		}
	}
	return nil
}

func (b *builder) checkEdge(e *edge) error {
	if e.to.dirty {
		return errors.New("a state that was not expanded")
	}
	plain := b.plainEdge(e)
	if err := b.checker.Check(plain); err != nil {
		return err
	}
	e.loses = plain.Loses
	return nil
}

// plainEdge is an edge in the checker's terms.
func (b *builder) plainEdge(e *edge) *certify.Edge {
	edge := &certify.Edge{From: b.plainState(e.arrived), To: b.plainState(e.to.st), Values: map[exact.Var]exact.Lin{},
		PointerBits: b.m.Layout.PtrBits, Unbounded: b.opts.MathInts, ReadInitial: b.readInitial}
	edge.From.Know = plainKnow(e.st.know) // with the definitions of what the edge's values are made of
	for _, s := range e.to.slots {
		if v, ok := e.vals[s.key]; ok {
			edge.Values[s.v] = v
		}
	}
	for id, o := range edge.To.Objects { // a constant that was not touched yet
		if _, ok := edge.From.Objects[id]; !ok && o.Global != nil && o.Global.Const {
			edge.From.Objects[id] = b.plainObject(b.freshGlobal(o.Global, id))
		}
	}
	return edge
}

// plainState is a state in the checker's terms.
func (b *builder) plainState(s *state) certify.State {
	out := certify.State{Objects: make(map[int]*certify.Object, len(s.objs)), Know: plainKnow(s.know)}
	for _, f := range s.frames {
		g := certify.Frame{Func: f.fn, Block: f.blk, Index: f.idx, Context: f.ctx, Call: f.call, Bottom: f.bottom,
			Values: make(map[ir.Value]certify.Value, len(f.vals)), Owns: map[int]bool{}}
		for k, v := range f.vals {
			g.Values[k] = plainValue(v)
		}
		for _, id := range f.objs {
			g.Owns[id] = true
		}
		out.Frames = append(out.Frames, g)
	}
	for id, o := range s.objs {
		out.Objects[id] = b.plainObject(o)
	}
	return out
}

func (b *builder) plainObject(o *object) *certify.Object {
	p := &certify.Object{Name: o.name, Size: o.size, Heap: o.heap, Private: o.private, Ended: o.ended,
		Align: o.align, Global: o.global, AllWritten: o.written.all}
	p.Written = plainSpans(o.written)
	if o.base >= 0 {
		p.Base, p.HasBase = exact.V(o.base), true
	}
	switch o.rest {
	case zeroBytes:
		p.Rest = certify.Zero
	case initBytes:
		p.Rest = certify.Initial
	}
	for _, c := range o.cells {
		p.Cells = append(p.Cells, certify.Cell{Offset: c.off, Size: c.size, Value: plainValue(c.val)})
	}
	if o.list != nil {
		p.List = &certify.List{Next: o.list.next, At: o.list.at, Length: o.list.length, End: plainValue(o.list.end),
			Kids: o.list.kids, Doubly: o.list.doubly, Prev: o.list.prev, BackAt: o.list.backAt,
			Before: plainValue(o.list.before), Members: plainMembers(o.list.members), Bare: o.list.bare}
	}
	return p
}

func plainMembers(members []member) []certify.Member {
	var out []certify.Member
	for _, m := range members {
		p := certify.Member{Offset: m.off, Size: m.size}
		for _, h := range m.cases {
			p.Cases = append(p.Cases, plainHeld(h))
		}
		out = append(out, p)
	}
	return out
}

func plainHeld(h held) certify.Held {
	v := plainValue(value{kind: h.kind, rep: h.rep})
	out := certify.Held{Kind: v.Kind, Reading: v.Reading, Lo: h.lo, Hi: h.hi, At: h.at, Func: h.fn,
		Global: h.global}
	if o := h.own; o != nil {
		list := &certify.List{Next: o.next, At: o.at, Kids: o.kids, Doubly: o.doubly, Prev: o.prev, BackAt: o.backAt,
			Members: plainMembers(o.members)}
		out.Own = &certify.Owned{Single: o.next == oneBlock, Least: o.least, Exactly: o.exactly, End: plainHeld(o.end),
			Before: plainHeld(o.before), Shape: certify.Object{Name: "owned memory", Size: exact.C(o.size), Heap: o.heap,
				Align: o.align, AllWritten: o.written.all, Written: plainSpans(o.written), List: list}}
	}
	return out
}

func plainSpans(w written) []certify.Span {
	var out []certify.Span
	for _, s := range w.spans {
		out = append(out, certify.Span{Lo: s.lo, Hi: s.hi})
	}
	return out
}

func plainValue(v value) certify.Value {
	out := certify.Value{Kind: certify.Other, Lin: v.lin, Object: v.obj, Last: v.last, Func: v.fn}
	switch v.rep {
	case signed:
		out.Reading = certify.Signed
	case unsigned:
		out.Reading = certify.Unsigned
	}
	switch v.kind {
	case intValue:
		out.Kind = certify.Number
	case ptrValue:
		out.Kind = certify.Pointer
	case funcValue:
		out.Kind = certify.Function
	case opaqueValue:
		out.Kind = certify.Opaque
	case boolValue:
		if v.cond.rel == relGE && v.cond.lin.IsConst() {
			out.Kind, out.True = certify.Truth, v.cond.lin.Const.Sign() >= 0
		}
	}
	return out
}

func plainKnow(k *know) certify.Knowledge {
	out := certify.Knowledge{Intervals: make(map[exact.Var]certify.Interval, len(k.iv)), Rows: k.rows,
		Residues: make(map[exact.Var]certify.Residue, len(k.residues))}
	for v, i := range k.iv {
		out.Intervals[v] = plainInterval(i)
	}
	for v, r := range k.residues {
		out.Residues[v] = certify.Residue{Mod: r.mod, Rest: r.rest}
	}
	return out
}

func plainInterval(i ival) certify.Interval {
	return certify.Interval{Lo: i.lo, Hi: i.hi, HasLo: i.hasLo, HasHi: i.hasHi}
}

// readInitial returns what a global's initialiser holds at a place.
func (b *builder) readInitial(g *ir.Global, off, size int64, pointer bool) (certify.Value, bool) {
	if off < 0 || off+size > b.m.Layout.SizeOf(g.T) {
		return certify.Value{}, false // a place that a cell may name, but no object has
	}
	t := ir.Int(int(size) * 8)
	if pointer {
		t = ir.Ptr(b.m.Layout.PtrBits)
	}
	scratch := &state{know: newKnow(), objs: map[int]*object{}, owned: map[int]bool{},
		frames: []*frame{{vals: map[ir.Value]value{}}}}
	v, ok := b.constantAt(scratch, g.T, g.Init, off, t)
	return plainValue(v), ok
}

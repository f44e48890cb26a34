package encode

import (
	"fmt"

	"github.com/firmproof/firmproof/verifier/encode/memory"
	"github.com/firmproof/firmproof/verifier/ilr"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// want says what an access needs.
type want struct {
	n     ilr.Term // bytes, pointer's width
	align int64
	write bool
	what  string // "read", "write", ...
}

// wantConst returns what an access of n bytes at a multiple of align needs.
func (e *encoder) wantConst(n, align int64, write bool) want {
	w := e.wantRange(e.s.Int(e.w, n), write)
	w.align = align
	return w
}

// wantRange returns what an access of n bytes anywhere needs.
func (e *encoder) wantRange(n ilr.Term, write bool) want {
	w := want{n: n, align: 1, write: write, what: "read"}
	if write {
		w.what = "write"
	}
	return w
}

// checkAccess claims that an access through p is valid (LL-107 to LL-109, LL-112)
// and gives the targets that remain. when is a condition under which the access
// happens at all.
func (e *encoder) checkAccess(fr *frame, st *memory.State, in *ir.Instr, p memory.Val, w want, when ilr.Term) []target {
	e.checkAddress(fr, st, in, p)
	if st.PC == nil {
		return nil
	}
	ts := e.targets(st, e.pruned(st, p.Ptr))
	bad, early, mayBe := e.s.False(), e.s.False(), ir.MayBeBefore(in)
	var cases []failure
	var good []target
	for _, t := range ts {
		if mayBe && t.obj != nil {
			early = e.s.Or(early, e.s.And(t.g, e.s.Slt(t.off, e.s.Int(e.w, 0))))
		}
		fs, wrong := e.wrong(st, t, w)
		bad = e.s.Or(bad, e.s.And(t.g, wrong))
		for _, f := range fs {
			if e.s.IsFalse(f.when) {
				continue
			}
			f.when = e.s.And(t.g, f.when)
			cases = append(cases, f)
		}
		if !e.s.IsTrue(wrong) {
			good = append(good, t)
		}
	}
	if !e.s.IsFalse(early) {
		cases = append(cases, failure{when: early, before: true})
	}
	e.unknownTarget(st, in, verdict.Memory, when, ts, w.what)
	e.unknownExtent(st, in, when, ts, w)
	e.claim(fr, st, in, verdict.Memory, e.s.And(when, bad), true, w.what+" is valid", cases...)
	e.keepApart(st, good, w, when)
	for _, t := range good {
		if st.PC != nil && t.obj != nil && t.obj.Global != nil && t.obj.Global.Beyond != "" {
			e.beyond(fr, st, in, t.obj.Global, e.s.And(when, t.g))
		}
		if st.PC != nil && t.obj != nil && t.obj.Global != nil && t.obj.Global.Unsupported != "" {
			e.gapWhen(st, in, e.s.And(when, t.g), "initialiser of %s: %s", t.obj.Global.Name, t.obj.Global.Unsupported)
		}
		if st.PC != nil && t.obj != nil && t.obj.Global != nil && t.obj.Global.InProgramMemory() {
			e.gapWhen(st, in, e.s.And(when, t.g), "%s of %s, which is in program memory, as data", w.what,
				t.obj.Global.Name)
		}
	}
	if st.PC == nil {
		return nil
	}
	return good
}

// keepApart notes accesses at constant addresses of the memory map outside of objects: none that the program did not
// look at yet is there, and none begins there.
func (e *encoder) keepApart(st *memory.State, ts []target, w want, when ilr.Term) {
	for _, t := range ts {
		if st.PC == nil || t.obj == nil || t.obj.Kind != memory.ObjRegion {
			continue
		}
		if _, fixed := e.s.ConstVal(t.off); !fixed {
			continue
		}
		used := e.s.And(st.PC.All, when, t.g)
		e.Use(used, e.s.Add(t.obj.Addr, t.off), w.n)
		e.Assume(e.s.Implies(used, e.s.Not(e.runsInto(st, t, w))))
	}
}

// unknownTarget ends the paths of st, as a gap, on which a pointer has an address that is
// neither null nor of anything known, and nobody asks for the check: what is there goes on.
func (e *encoder) unknownTarget(st *memory.State, in *ir.Instr, check verdict.Check, when ilr.Term, ts []target,
	what string) {
	if st.PC == nil || e.asks(in, check) || e.opts.Past[ir.At{Instr: in, Check: check}] {
		return
	}
	bad := e.s.False()
	for _, t := range ts {
		if t.obj == nil && t.vol == nil {
			bad = e.s.Or(bad, e.s.And(t.g, e.s.NonZero(t.off)))
		}
	}
	e.gapWhen(st, in, e.s.And(when, bad),
		"%s at an address that is of no object and in no region, and the check %s is off",
		what, check)
}

// unknownExtent ends the paths of st, as a gap, on which an access leaves a variable that nothing defines, and
// nobody asks for the check `memory`: how much is there is not known.
func (e *encoder) unknownExtent(st *memory.State, in *ir.Instr, when ilr.Term, ts []target, w want) {
	for _, t := range ts {
		if st.PC == nil || e.asks(in, verdict.Memory) || e.opts.Past[ir.At{Instr: in, Check: verdict.Memory}] {
			return
		}
		if t.obj != nil && t.obj.Global != nil && t.obj.Global.MayMark() {
			over := e.s.Not(e.within(t.off, w.n, t.obj.Size))
			e.gapWhen(st, in, e.s.And(when, t.g, over),
				"%s where %s may end, which is defined nowhere, and the check memory is off", w.what, t.obj.Global.Name)
		}
	}
}

// runsInto returns the condition that an access of a region, outside of objects, runs into one.
func (e *encoder) runsInto(st *memory.State, t target, w want) ilr.Term {
	at := e.s.Add(t.obj.Addr, t.off)
	n, known := e.ConstOf(w.n)
	meets := e.s.False()
	for _, o := range e.Observed {
		if known && (n <= 1 || int64(n) <= min(w.align, o.Align) && !e.opts.AnyAlignment) || !e.mayContain(o, at) {
			continue // it would have to begin inside of an aligned word
		}
		meets = e.s.Or(meets, e.s.And(o.AliveIn(e.Space, st.Mem.Alive), e.s.Ult(e.s.Sub(o.Addr, at), w.n)))
	}
	return meets
}

// wrong is the condition under which an access at t is invalid, and its reasons.
func (e *encoder) wrong(st *memory.State, t target, w want) ([]failure, ilr.Term) {
	all := e.s.True()
	switch {
	case t.vol != nil && t.vol.NoRead && !w.write:
		return []failure{{when: all, text: fmt.Sprintf("%s of region %s, which can only be written", w.what,
			t.vol.Name)}}, all
	case t.vol != nil:
		over := e.s.Not(e.within(t.off, w.n, e.s.Int(e.w, int64(t.vol.Size))))
		fs := []failure{{when: over, text: fmt.Sprintf("%s leaves region %s", w.what, t.vol.Name)}}
		mis := e.unaligned(e.offset(t.off, int64(t.vol.Base)), w.align)
		if !e.s.IsFalse(mis) {
			fs = append(fs, failure{when: mis, text: fmt.Sprintf("misaligned %s of region %s, alignment %d needed",
				w.what, t.vol.Name, w.align)})
		}
		return fs, e.s.Or(over, mis)
	case t.obj == nil:
		if c, ok := e.ConstOf(t.off); ok && c < 4096 {
			return []failure{{when: all, text: "null pointer dereference"}}, all
		}
		null := e.Eq(t.off, e.s.Int(e.w, 0))
		return []failure{{when: null, text: "null pointer dereference"},
			{when: all, text: w.what + " at address %#x, which is no object and in no region", value: t.off}}, all
	case t.obj.Kind == memory.ObjNull:
		return []failure{{when: all, text: w.what + " through a null pointer, of a member"}}, all
	case t.obj.Kind == memory.ObjFunc || t.obj.Kind == memory.ObjLabel:
		return []failure{{when: all, text: fmt.Sprintf("%s of %s as data", w.what, t.obj.What())}}, all
	}
	var fs []failure
	o := t.obj
	c := st.Get(o)
	dead := all
	if c != nil {
		dead = e.s.Not(c.Live)
	}
	gone := "out of scope"
	if o.Kind == memory.ObjHeap {
		gone = "freed"
	}
	if !e.s.IsFalse(dead) {
		fs = append(fs, failure{when: dead, text: fmt.Sprintf("%s of %s, which is %s", w.what, o.What(), gone)})
	}
	over := e.s.Not(e.within(t.off, w.n, o.Size))
	if !e.s.IsFalse(over) {
		fs = append(fs, e.outside(o, t.off, over))
	}
	bad := e.s.Or(dead, over)
	if _, fixed := e.s.ConstVal(t.off); o.Kind == memory.ObjRegion && !fixed {
		meets := e.runsInto(st, t, w)
		fs = append(fs, failure{when: meets, text: w.what + " of memory without an object runs into an object"})
		bad = e.s.Or(bad, meets)
	}
	if w.write && o.ReadOnly {
		fs = append(fs, failure{when: all, text: "write to constant " + o.What()})
		bad = all
	}
	if mis := e.misaligned(o, t.off, w.align); !e.s.IsFalse(mis) {
		fs = append(fs, failure{when: mis, text: fmt.Sprintf("misaligned %s of %s, alignment %d needed", w.what,
			o.What(), w.align)})
		bad = e.s.Or(bad, mis)
	}
	return fs, bad
}

// outside says that an access at off leaves o.
func (e *encoder) outside(o *memory.Object, off, over ilr.Term) failure {
	if k, ok := e.s.ConstVal(off); ok {
		i, _ := k.Int64()
		return failure{when: over, text: fmt.Sprintf("index out of bounds: offset %d of object %s", i, o.What())}
	}
	return failure{when: over, text: fmt.Sprintf("index out of bounds: offset %%d of object %s", o.What()), value: off}
}

// within: n bytes at off lie in size bytes, without wrap-around.
func (e *encoder) within(off, n, size ilr.Term) ilr.Term {
	c, cok := e.ConstOf(n)
	z, zok := e.ConstOf(size)
	if cok && zok && c > z {
		return e.s.False()
	}
	fits := e.s.Ule(off, e.s.Sub(size, n))
	if cok && zok {
		return fits
	}
	return e.s.And(e.s.Ule(n, size), fits)
}

// misaligned: the address of off in o is not a multiple of align.
func (e *encoder) misaligned(o *memory.Object, off ilr.Term, align int64) ilr.Term {
	if e.opts.AnyAlignment || align <= 1 {
		return e.s.False()
	}
	if o.Align < align {
		return e.unaligned(e.s.Add(e.Base(o), off), align)
	}
	return e.unaligned(off, align)
}

// unaligned: a number is not a multiple of align.
func (e *encoder) unaligned(n ilr.Term, align int64) ilr.Term {
	k := memory.Log2(max(align, 1))
	if k == 0 || e.opts.AnyAlignment || e.LowZeros(n) >= k {
		return e.s.False()
	}
	return e.s.Not(e.Eq(e.Low(n, k), e.s.Int(k, 0)))
}

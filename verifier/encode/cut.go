package encode

import (
	"fmt"
	"sort"

	"github.com/firmproof/firmproof/verifier/bits"
	"github.com/firmproof/firmproof/verifier/ilr"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/unwind"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// Cuts makes Encode walk loops once instead of unwinding them: at the first
// arrival at a loop's header everything that a turn may change becomes unknown,
// one turn is walked from there, and its back edge ends. What may change is found
// by walking: a walk that sees a back edge change more than was unknown at the
// header notes that here, and has to be repeated (Formula.Grown). A walk that is
// not Grown covers every execution (induction over turns; DESIGN.md).
//
// The zero value cuts no loop; walks add the loops that do not end by themselves.
type Cuts struct {
	All bool // cut every loop that can be cut, even those that end by themselves

	loops  map[string]bool     // by name
	places map[string]*havoc   // by arrival
	arrays map[string]bool     // read at unknown places, by object key
	stride map[*ir.Instr]int64 // of memory without a declared type, by what made it: size of the elements
}

// Header is one cut loop in one context: a control point that every turn passes,
// in an unknown state, of which invariants are to be found.
type Header struct {
	Key      string // the same in every walk
	Pos      verdict.Pos
	Guard    ilr.Term // control gets here
	Vars     []Var
	Arrivals []Arrival // the first is the entry, the others are back edges
	Consts   map[int][]bits.Vec
}

// Var is a number that invariants speak about.
type Var struct {
	Name   string
	Head   ilr.Term // at the header
	Moves  bool     // turns may change it
	Offset bool     // where a pointer points to
	Cell   bool     // the element of an array that the ghost index names
	Count  int64    // with Cell: elements of the array, 0 if that is not known
	Ghost  bool     // the ghost index
}

// Arrival is a way to a header.
type Arrival struct {
	Guard  ilr.Term
	Values []ilr.Term // of the Vars
	After  int        // how many headers come before it in the walk
}

// Read is a read of an array that has a ghost cell.
type Read struct {
	Guard, Index ilr.Term
}

// havoc is what becomes unknown at one arrival at a loop.
type havoc struct {
	objs map[string]*objHavoc // by object key
	phis map[int]*place       // by number in the header
}

type objHavoc struct {
	whole, live bool
	places      []*place // by offset
}

// place is a range of bytes of an object, or a phi.
type place struct {
	off, n int64
	ptr    bool
	spots  map[string]spot // what a pointer can be, by object key; "" is an address
	u      bool            // may be indeterminate
}

// spot is where in an object a pointer can be: at offset c, or with any at every
// multiple of 1<<zeros.
type spot struct {
	c     uint64
	any   bool
	zeros int
}

func (s spot) join(o spot) spot {
	if !s.any && !o.any && s.c == o.c {
		return s
	}
	return spot{any: true, zeros: min(s.low(), o.low())}
}

func (s spot) low() int {
	if s.any {
		return s.zeros
	}
	return min(16, trailing(s.c))
}

func trailing(c uint64) int {
	n := 0
	for ; n < 16 && c>>uint(n)&1 == 0; n++ {
	}
	return n
}

// cutter is the state of one walk that cuts loops.
type cutter struct {
	*Cuts
	pc    *path // of the instruction at hand, before its claims
	keys  map[*object]string
	byKey map[string]*object
	count map[string]int
	cells map[*object]int64 // arrays with a ghost cell: size of their elements
	grown bool
	stop  bool // the walk is no use any more: a loop has to be cut that was not
}

// arrival is one cut loop on its way from the header to the back edge.
type arrival struct {
	key   string
	loop  *unwind.Loop
	mark  int // objects below existed
	head  *state
	vals  []val
	hav   *havoc
	done  map[*object]*objHavoc // what was made unknown in this walk
	vars  []*cutVar
	index int // in Formula.Headers
}

func (e *encoder) startCuts(c *Cuts) {
	if c == nil {
		return
	}
	if c.loops == nil {
		c.loops, c.places = map[string]bool{}, map[string]*havoc{}
		c.arrays, c.stride = map[string]bool{}, map[*ir.Instr]int64{}
	}
	e.cutter = &cutter{Cuts: c, keys: map[*object]string{}, byKey: map[string]*object{}, count: map[string]int{}, cells: map[*object]int64{}}
}

// number makes key distinct from the earlier ones of this walk.
func (c *cutter) number(key string) string {
	c.count[key]++
	return fmt.Sprintf("%s#%d", key, c.count[key])
}

// know gives a new object its key.
func (c *cutter) know(o *object) {
	key := ""
	switch {
	case o.kind == objGlobal:
		key = "global " + o.name
	case o.kind == objFunc:
		key = "func " + o.name
	case o.kind == objRegion:
		key = fmt.Sprintf("region %d", o.region)
	case o.in != nil:
		key = c.number(fmt.Sprintf("%s.%d", o.in.Block.Func.Name, o.in.ID))
	default:
		key = c.number("object " + o.name)
	}
	c.keys[o], c.byKey[key] = key, o
}

// mustCut notes that l has to be cut; the walk has to be repeated.
func (e *encoder) mustCut(l *unwind.Loop, st *state) bool {
	if e.cutter == nil || e.cutter.loops[l.Name] {
		return false
	}
	if irreducible(l) {
		one := *st
		e.gap(&one, l.Header.Instrs[0], verdict.Incomplete, "loop %s is entered in several places, and cannot be cut", l.Name)
		return true
	}
	e.cutter.loops[l.Name] = true
	e.cutter.grown, e.cutter.stop = true, true
	return true
}

// irreducible reports whether l or a loop around it is entered in several places:
// then a register may hold a value of an earlier turn.
func irreducible(l *unwind.Loop) bool {
	for ; l != nil; l = l.Parent {
		if l.Irreducible {
			return true
		}
	}
	return false
}

// admitCut treats an arrival at the header of a loop that is cut. handled is
// false for other loops.
func (e *encoder) admitCut(fr *frame, l *unwind.Loop, turn int, in edge) (run, handled bool) {
	if e.cutter == nil || !e.cutter.loops[l.Name] && !e.cutter.All || irreducible(l) {
		return false, false
	}
	e.cutter.loops[l.Name] = true
	if fr.cuts == nil {
		fr.cuts = map[*unwind.Loop]*arrival{}
	}
	if turn > 0 {
		if a := fr.cuts[l]; a != nil && !e.s.IsFalse(in.st.pc.all) {
			e.backEdge(fr, a, in)
		}
		return false, true
	}
	e.loopInfo(l, 0).Complete = false
	key := e.cutter.number(fr.context + "/" + l.Name)
	h := e.cutter.places[key]
	if h == nil {
		h = &havoc{objs: map[string]*objHavoc{}, phis: map[int]*place{}}
		e.cutter.places[key] = h
	}
	a := &arrival{key: key, loop: l, hav: h, done: map[*object]*objHavoc{}}
	fr.cuts[l] = a
	e.forget(fr, a, in)
	return true, true
}

// forget makes what the loop may change unknown in the state of in.
func (e *encoder) forget(fr *frame, a *arrival, in edge) {
	st := in.st
	entry := &state{pc: st.pc, mem: st.mem, loc: st.loc}
	before := append([]val(nil), in.vals...)
	var vars []*cutVar
	for _, key := range sortedKeys(a.hav.objs) {
		o := e.keyed(key)
		if o == nil || st.get(o) == nil {
			continue
		}
		a.done[o] = &objHavoc{}
		vars = append(vars, e.forgetObject(st, o, a.hav.objs[key], a.done[o])...)
	}
	for i := range in.vals {
		p := a.hav.phis[i]
		if p == nil {
			continue
		}
		phi := a.loop.Header.Instrs[i]
		in.vals[i] = e.unknown(before[i], p, phi.T, phi.Name)
		vars = append(vars, e.phiVar(phi, i, before[i], in.vals[i], p)...)
	}
	a.mark = len(e.objs)
	a.head = &state{pc: st.pc, mem: st.mem, loc: st.loc}
	a.vals = append([]val(nil), in.vals...)
	vars = append(vars, e.cellVars(a, entry, st)...)
	// A path may end at the header: what is assumed of its state must not speak
	// about the ways to it.
	st.pc = e.and(st.pc, e.bit(e.s.Fresh("go on", ilr.BV(1))))
	e.addHeader(fr, a, entry, st, vars)
}

// keyed finds the object of a key; what exists from the beginning is made when it is first needed.
func (e *encoder) keyed(key string) *object {
	if o := e.cutter.byKey[key]; o != nil {
		return o
	}
	for _, g := range e.m.Globals {
		if key == "global "+g.Name {
			return e.globalObject(g)
		}
	}
	for _, f := range e.m.Funcs {
		if key == "func "+f.Name {
			return e.funcObject(f)
		}
	}
	for i := range e.opts.Regions {
		if key == fmt.Sprintf("region %d", i) {
			return e.regionObject(i)
		}
	}
	return nil
}

// forgetObject makes o, or parts of it, unknown, and lists what became unknown.
func (e *encoder) forgetObject(st *state, o *object, h, done *objHavoc) []*cutVar {
	c := *st.get(o)
	done.whole, done.live = h.whole, h.live
	if h.live {
		c.live = e.bit(e.s.Fresh("live!"+o.name, ilr.BV(1)))
	}
	if h.whole {
		c.base = &base{kind: baseUnknown, obj: o, uninit: e.shadow, silent: true}
		c.cells, c.arr = trie[cell]{}, nil
		st.put(o, &c)
		return nil
	}
	d := &c
	var vars []*cutVar
	for _, p := range h.places {
		if o.csize < 0 || p.off+p.n > o.csize {
			continue // back edges notice if that matters
		}
		done.places = append(done.places, p)
		old := e.readRaw(o, d, p.off, p.n)
		v := e.unknown(old, p, nil, o.name)
		d = e.writeRaw(d, p.off, p.n, v)
		vars = append(vars, e.memoryVar(o, p, old, v)...)
	}
	st.put(o, d)
	return vars
}

// unknown is any value of the kind that p describes, or old was. t is nil for raw bytes.
func (e *encoder) unknown(old val, p *place, t *ir.Type, name string) val {
	if old.el != nil || t != nil && (t.IsAggregate() || t.Kind == ir.KindVector) {
		out := val{el: make([]val, len(old.el))}
		for i := range old.el {
			out.el[i] = e.unknown(old.el[i], p, t.ElemAt(i), name)
		}
		return out
	}
	u := p.u || old.u != 0
	var out val
	switch {
	case e.isPointer(old, p, t):
		out = val{p: e.unknownPtr(old, p, name)}
	case t != nil:
		out.t = e.s.Fresh("turn!"+name, ilr.BV(e.bitsOf(t)))
		if t.Kind == ir.KindInt {
			out = e.scalar(out.t)
		}
	default:
		out.t = e.s.Fresh("turn!"+name, ilr.BV(int(8*p.n)))
	}
	if u {
		w := int(8 * p.n)
		if t != nil {
			w = e.bitsOf(t)
		}
		out.u = e.s.Int(w, -1)
	}
	return out
}

func (e *encoder) isPointer(old val, p *place, t *ir.Type) bool {
	if t != nil {
		return t.IsPtr() || t.Kind == ir.KindInt && t.Width == e.w && (p.ptr || old.p != nil)
	}
	return int(8*p.n) == e.w && (p.ptr || old.p != nil)
}

// unknownPtr points to any of the objects that p or old lists.
func (e *encoder) unknownPtr(old val, p *place, name string) *ptr {
	spots := map[string]spot{}
	for k, s := range p.spots {
		if k != "" && e.keyed(k) == nil {
			k, s = "", spot{any: true}
		}
		addSpot(spots, k, s)
	}
	for k, s := range e.spotsOf(old, len(e.objs)) {
		addSpot(spots, k, s)
	}
	rest := e.s.True()
	var alts []alt
	ks := sortedKeys(spots)
	for i, k := range ks {
		s := spots[k]
		a := alt{g: rest, off: e.s.Const(constant(e.w, s.c))}
		if k != "" {
			a.obj = e.keyed(k)
		}
		if s.any {
			a.off = e.multipleOf(name, s.zeros)
		}
		if i < len(ks)-1 {
			b := e.bit(e.s.Fresh("to!"+name, ilr.BV(1)))
			a.g = e.s.And(rest, b)
			rest = e.s.And(rest, e.s.Not(b))
		}
		alts = append(alts, a)
	}
	return e.gather(alts)
}

func (e *encoder) multipleOf(name string, zeros int) ilr.Term {
	zeros = min(zeros, e.w-1)
	v := e.s.Fresh("offset!"+name, ilr.BV(e.w-zeros))
	if zeros == 0 {
		return v
	}
	return e.s.Concat(v, e.s.Int(zeros, 0))
}

func addSpot(m map[string]spot, k string, s spot) {
	if old, ok := m[k]; ok {
		s = old.join(s)
	}
	m[k] = s
}

// spotsOf lists what v, taken as a pointer, can be. Objects made since mark in
// the turn at hand are addresses only: the next turn does not know them.
func (e *encoder) spotsOf(v val, mark int) map[string]spot {
	out := map[string]spot{}
	for _, a := range e.asPtr(v).alts {
		if e.s.IsFalse(a.g) {
			continue
		}
		k, s := "", spot{any: true}
		if a.obj == nil || a.obj.id < mark || a.obj.kind != objStack && a.obj.kind != objHeap {
			if c, ok := e.constOf(a.off); ok {
				s = spot{c: c}
			} else {
				s.zeros = min(16, e.lowZeros(a.off))
			}
			if a.obj != nil {
				k = e.cutter.keys[a.obj]
			}
		}
		if k == "" && s.any {
			s.zeros = 0
		}
		addSpot(out, k, s)
	}
	return out
}

func sortedKeys[V any](m map[string]V) []string {
	out := make([]string, 0, len(m))
	for k := range m {
		out = append(out, k)
	}
	sort.Strings(out)
	return out
}

// maxCutTurns is how many turns of a loop with a constant trip count are walked
// before the loop is cut.
const maxCutTurns = 40

// Any reports whether some loop is cut.
func (c *Cuts) Any() bool { return len(c.loops) > 0 }

// Loops are the names of the loops that are cut.
func (c *Cuts) Loops() []string { return sortedKeys(c.loops) }

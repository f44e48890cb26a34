package encode

import (
	"fmt"

	"github.com/firmproof/firmproof/verifier/ilr"
	"github.com/firmproof/firmproof/verifier/input"
	"github.com/firmproof/firmproof/verifier/ir"
)

// objKind classifies an object.
type objKind uint8

const (
	objInvalid objKind = iota
	objGlobal
	objStack
	objHeap
	objFunc
	objLabel
	objRegion // a declared part of the address space that is not volatile
)

// object is one thing with an address (docs/SEMANTICS.md, Memory). Objects made
// in loops and calls are one per context and turn.
type object struct {
	id     int
	kind   objKind
	name   string
	size   ilr.Term // bytes, pointer's width
	csize  int64    // the same when constant, else -1
	align  int64    // of the base, bytes
	elem   *ir.Type // what it was declared as, or nil
	ro     bool     // writing it is a violation
	glob   *ir.Global
	fn     *ir.Func
	label  *ir.Block
	in     *ir.Instr // that made it, or nil
	born   ilr.Term  // Bool: it was made
	init   *content
	region int      // of the options
	first  *base    // of a local: contents when it comes to life
	addr   ilr.Term // base, once observed
}

func (e *encoder) newObject(o object, size ilr.Term) *object {
	o.id = len(e.objs)
	o.size = size
	o.csize = -1
	if c, ok := e.constOf(size); ok && c < 1<<62 {
		o.csize = int64(c)
	}
	o.align = max(o.align, 1)
	if o.born == 0 {
		o.born = e.s.True()
	}
	p := &o
	e.objs = append(e.objs, p)
	if e.cutter != nil {
		e.cutter.know(p)
	}
	return p
}

// globalObject is the object of g.
func (e *encoder) globalObject(g *ir.Global) *object {
	if o := e.globals[g]; o != nil {
		return o
	}
	size := e.lay.SizeOf(g.T)
	o := e.newObject(object{kind: objGlobal, name: g.Name, align: int64(g.Align), elem: g.T, ro: g.Const, glob: g},
		e.s.Int(e.w, size))
	e.globals[g] = o
	o.init = &content{live: e.s.True(), base: e.unknownBase(o)}
	if g.Init != nil && !g.Extern {
		o.init.base = e.initialBase(o, g.Init)
	}
	return o
}

// funcObject is the object of f: one byte that nothing may read.
func (e *encoder) funcObject(f *ir.Func) *object {
	o := e.funcs[f]
	if o == nil {
		o = e.newObject(object{kind: objFunc, name: f.Name, align: 4, ro: true, fn: f}, e.s.Int(e.w, 4))
		o.init = &content{live: e.s.True(), base: e.unknownBase(o)}
		e.funcs[f] = o
	}
	return o
}

// labelObject is the object of a block whose address is taken.
func (e *encoder) labelObject(b *ir.Block) *object {
	o := e.labels[b]
	if o == nil {
		o = e.newObject(object{kind: objLabel, name: fmt.Sprintf("%s.%s", b.Func.Name, b.Name), align: 4, ro: true,
			label: b}, e.s.Int(e.w, 1))
		o.init = &content{live: e.s.True(), base: e.unknownBase(o)}
		e.labels[b] = o
	}
	return o
}

// what describes o to people.
func (o *object) what() string {
	size := ""
	if o.csize >= 0 {
		size = fmt.Sprintf(" (%d bytes)", o.csize)
	}
	name := o.name
	switch {
	case o.kind == objHeap && name == "":
		return "heap block" + size
	case o.kind == objFunc:
		return "function `" + name + "`"
	case name == "":
		return "local object" + size
	}
	return "`" + name + "`" + size
}

// base is o's address as a term, observed from now on: a variable with the bits
// below the alignment zero, constrained against every other observed object.
func (e *encoder) base(o *object) ilr.Term {
	if o.addr != 0 {
		return o.addr
	}
	k := 0
	for int64(1)<<(k+1) <= o.align && k < e.w-1 {
		k++
	}
	name := "base!" + fmt.Sprint(o.id)
	if o.name != "" {
		name += "!" + o.name
	}
	v := e.s.Var(name, ilr.BV(e.w-k))
	o.addr = v
	if k > 0 {
		o.addr = e.s.Concat(v, e.s.Int(k, 0))
	}
	e.placement(o)
	e.observed = append(e.observed, o)
	e.event(Event{Kind: input.Base, Instr: o.in, Guard: o.born, Value: o.addr, Object: o.id, Name: o.name})
	return o.addr
}

// placement states where o can be (LL-112, LL-124): not at null, no wrap-around,
// apart from the other observed objects and from volatile regions.
func (e *encoder) placement(o *object) {
	size := e.extent(o)
	assume := func(t ilr.Term) { e.assume(e.s.Implies(o.born, t)) }
	if !e.opts.AddressZero {
		assume(e.s.Not(e.eq(o.addr, e.s.Int(e.w, 0))))
	}
	assume(e.s.Not(e.s.UaddO(o.addr, size)))
	for _, p := range e.observed {
		assume(e.s.Implies(p.born, e.disjoint(o.addr, size, p.addr, e.extent(p))))
	}
	homes := []ilr.Term{}
	for _, r := range e.opts.Regions {
		rb, rs := e.s.Int(e.w, int64(r.Base)), e.s.Int(e.w, int64(r.Size))
		if r.Access == ir.AccessVolatile {
			apart := e.disjoint(o.addr, size, rb, rs)
			if r.Base+r.Size == 0 || e.w < 64 && (r.Base+r.Size)>>uint(e.w) != 0 { // up to the end of the address space
				apart = e.s.Ule(e.s.Add(o.addr, size), rb)
			}
			assume(apart)
			continue
		}
		if o.ro && r.Access == ir.AccessRead || !o.ro && r.Access == ir.AccessReadWrite || o.kind == objFunc {
			rel := e.s.Sub(o.addr, rb)
			homes = append(homes, e.s.And(e.s.Ule(rel, rs), e.s.Ule(size, e.s.Sub(rs, rel))))
		}
	}
	if len(homes) > 0 {
		assume(e.s.Or(homes...))
	}
}

// extent is the size for placement: an empty object still has an address of its own.
func (e *encoder) extent(o *object) ilr.Term {
	one := e.s.Int(e.w, 1)
	if o.csize == 0 {
		return one
	}
	if o.csize > 0 {
		return o.size
	}
	return e.s.Ite(e.eq(o.size, e.s.Int(e.w, 0)), one, o.size)
}

func (e *encoder) disjoint(a, n, b, m ilr.Term) ilr.Term {
	return e.s.Or(e.s.Ule(e.s.Add(a, n), b), e.s.Ule(e.s.Add(b, m), a))
}

// assume adds a fact that holds in every execution.
func (e *encoder) assume(t ilr.Term) {
	if e.s.IsTrue(t) {
		return
	}
	e.f.Assumptions = append(e.f.Assumptions, t)
	e.facts = e.s.And(e.facts, t)
}

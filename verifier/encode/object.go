package encode

import (
	"fmt"

	"github.com/firmproof/firmproof/verifier/ilr"
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
	objNull   // without bytes, at address 0: members and elements of what a null pointer leads to
)

// object is one thing with an address (docs/SEMANTICS.md, Memory). Objects made
// in loops and calls are one per context and turn.
type object struct {
	id     int
	kind   objKind
	name   string
	owner  ir.Owner // of a heap block
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
	lives  []life   // of a local or heap block: when it came to life
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

// nullObject is the object that pointers computed from null point behind.
func (e *encoder) nullObject() *object {
	if e.nowhere == nil {
		e.nowhere = e.newObject(object{kind: objNull, name: "null", align: 1, ro: true}, e.s.Int(e.w, 0))
		e.nowhere.addr = e.s.Int(e.w, 0)
		e.nowhere.init = &content{live: e.s.True(), base: e.unknownBase(e.nowhere)}
	}
	return e.nowhere
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

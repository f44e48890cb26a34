package memory

import (
	"fmt"

	"github.com/firmproof/firmproof/verifier/ilr"
	"github.com/firmproof/firmproof/verifier/ir"
)

// objKind classifies an object.
type objKind uint8

const (
	objInvalid objKind = iota
	ObjGlobal
	ObjStack
	ObjHeap
	ObjFunc
	ObjLabel
	ObjRegion // a declared part of the address space that is not volatile
	ObjNull   // without bytes, at address 0: members and elements of what a null pointer leads to
)

// Object is one thing with an address (docs/SEMANTICS.md, Memory). Objects made
// in loops and calls are one per context and turn.
type Object struct {
	ID       int
	Kind     objKind
	Name     string
	Owner    ir.Owner // of a heap block
	Size     ilr.Term // bytes, pointer's width
	CSize    int64    // the same when constant, else -1
	Align    int64    // of the base, bytes
	Elem     *ir.Type // what it was declared as, or nil
	ReadOnly bool     // writing it is a violation
	Global   *ir.Global
	Func     *ir.Func
	Label    *ir.Block
	Instr    *ir.Instr // that made it, or nil
	Born     ilr.Term  // Bool: it was made
	Init     *Content
	Region   int      // of the options
	First    *Base    // of a local: contents when it comes to life
	Lives    []life   // of a local or heap block: when it came to life
	Addr     ilr.Term // base, once observed
	Numbered ilr.Term // Bool: the program has its address as a number, or had it; 0: never
}

func (e *Space) NewObject(o Object, size ilr.Term) *Object {
	o.ID = len(e.Objects)
	o.Size = size
	o.CSize = -1
	if c, ok := e.ConstOf(size); ok && c < 1<<62 {
		o.CSize = int64(c)
	}
	o.Align = max(o.Align, 1)
	if o.Born == 0 {
		o.Born = e.s.True()
	}
	p := &o
	e.Objects = append(e.Objects, p)
	e.Made(p)
	return p
}

// GlobalObject is the object of g.
func (e *Space) GlobalObject(g *ir.Global) *Object {
	if o := e.Globals[g]; o != nil {
		return o
	}
	size := e.lay.SizeOf(g.T)
	o := e.NewObject(Object{Kind: ObjGlobal, Name: g.Name, Align: int64(g.Align), Elem: g.T, ReadOnly: g.Const, Global: g},
		e.s.Int(e.w, size))
	e.Globals[g] = o
	o.Init = &Content{Live: e.s.True(), Base: e.UnknownBase(o)}
	if g.Init != nil && !g.Extern {
		o.Init.Base = e.initialBase(o, g.Init)
	}
	return o
}

// FuncObject is the object of f: one byte that nothing may read.
func (e *Space) FuncObject(f *ir.Func) *Object {
	o := e.funcs[f]
	if o == nil {
		o = e.NewObject(Object{Kind: ObjFunc, Name: f.Name, Align: 4, ReadOnly: true, Func: f}, e.s.Int(e.w, 4))
		o.Init = &Content{Live: e.s.True(), Base: e.UnknownBase(o)}
		e.funcs[f] = o
	}
	return o
}

// labelObject is the object of a block whose address is taken.
func (e *Space) labelObject(b *ir.Block) *Object {
	o := e.labels[b]
	if o == nil {
		o = e.NewObject(Object{Kind: ObjLabel, Name: fmt.Sprintf("%s.%s", b.Func.Name, b.Name), Align: 4, ReadOnly: true,
			Label: b}, e.s.Int(e.w, 1))
		o.Init = &Content{Live: e.s.True(), Base: e.UnknownBase(o)}
		e.labels[b] = o
	}
	return o
}

// NullObject is the object that pointers computed from null point behind.
func (e *Space) NullObject() *Object {
	if e.nowhere == nil {
		e.nowhere = e.NewObject(Object{Kind: ObjNull, Name: "null", Align: 1, ReadOnly: true}, e.s.Int(e.w, 0))
		e.nowhere.Addr = e.s.Int(e.w, 0)
		e.nowhere.Init = &Content{Live: e.s.True(), Base: e.UnknownBase(e.nowhere)}
	}
	return e.nowhere
}

// What describes o to people.
func (o *Object) What() string {
	size := ""
	if o.CSize >= 0 {
		size = fmt.Sprintf(" (%d bytes)", o.CSize)
	}
	name := o.Name
	switch {
	case o.Kind == ObjHeap && name == "":
		return "heap block" + size
	case o.Kind == ObjFunc:
		return "function `" + name + "`"
	case name == "":
		return "local object" + size
	}
	return "`" + name + "`" + size
}

// Package harness makes an entry for a function that has none: a function without
// parameters that calls it with any arguments a careful caller could pass.
//
//	number           any value
//	pointer          to a block of its own, of the size of what it points to, with any contents
//	pointer, length  to a block of that many elements, at most MaxCount, where the parameter behind
//	                 it is an integer with the name of a length (n, len, size, count, max...)
//	char pointer     to a string of at most MaxString-1 characters, where no length follows
//	void pointer     to MaxCount bytes, where no length follows
//	pointer inside   of what a pointer leads to: to a block of its own, MaxDepth levels deep, then null
//
// Blocks come from malloc, so that the function may free them. What this leaves out
// (null, aliases, other lengths) is said in the assumptions of the answer.
package harness

import (
	"fmt"
	"strings"

	"github.com/firmproof/firmproof/verifier/bits"
	"github.com/firmproof/firmproof/verifier/ir"
)

// Limits of what is made for a pointer.
const (
	MaxCount  = 64 // elements behind a pointer with a length
	MaxString = 16 // bytes of a string
	MaxDepth  = 2  // levels of pointers in what a pointer leads to
	maxFields = 64 // pointers and truth values in one block
)

// Prefix starts the names of the functions that Generate makes.
const Prefix = "firmproof.call."

// lengths are names of parameters that say how much the pointer before them leads to.
var lengths = []string{"n", "len", "length", "size", "sz", "count", "cnt", "num", "max", "bytes", "capacity", "cap",
	"nbytes", "nmemb", "elements"}

func isLength(name string) bool {
	name = strings.ToLower(strings.TrimRight(name, "_"))
	for _, l := range lengths {
		if name == l || len(l) > 2 && (strings.HasSuffix(name, l) || strings.HasPrefix(name, l)) {
			return true
		}
	}
	return false
}

// Generate adds to m a function that calls f with any arguments and gives it, with
// the assumptions that it makes. The error says which parameter nothing can be made
// for; m is then as it was.
func Generate(m *ir.Module, f *ir.Func) (*ir.Func, []string, error) {
	if f.IsDecl() {
		return nil, nil, fmt.Errorf("%s has no body", f.Name)
	}
	if f.Variadic {
		return nil, nil, fmt.Errorf("%s takes a variable number of arguments", f.Name)
	}
	g := &generator{m: m, f: f, w: m.Layout.PtrBits, vars: paramVars(f)}
	g.out = &ir.Func{Name: Prefix + f.Name, CName: f.CName, Ret: ir.Void(), Pos: f.Pos}
	g.block = &ir.Block{Func: g.out, Name: "entry"}
	g.out.Blocks = []*ir.Block{g.block}
	args := make([]ir.Value, len(f.Params))
	for i := range f.Params {
		if args[i] != nil {
			continue // the length of the pointer before it
		}
		if err := g.param(i, args); err != nil {
			return nil, nil, err
		}
	}
	g.emit(&ir.Instr{Op: ir.OpCall, T: f.Ret, Callee: &ir.Const{T: ir.Ptr(g.w), Kind: ir.ConstAddr, Func: f},
		Sig: f.Sig(), Args: args})
	g.emit(&ir.Instr{Op: ir.OpRet, T: ir.Void()})
	g.out.NumInstr = len(g.block.Instrs)
	m.Funcs = append(append(m.Funcs, g.decls...), g.out)
	notes := []string{fmt.Sprintf(
		"%s is called with any arguments, and variables of the program have their initial values", f.CName)}
	return g.out, append(notes, g.notes...), nil
}

// generator writes one harness.
type generator struct {
	m     *ir.Module
	f     *ir.Func
	w     int // bits of a pointer
	vars  []*ir.Var
	out   *ir.Func
	block *ir.Block
	decls []*ir.Func
	notes []string
}

func (g *generator) emit(i *ir.Instr) *ir.Instr {
	i.ID, i.Block, i.Pos = len(g.block.Instrs), g.block, &g.f.Pos
	g.block.Instrs = append(g.block.Instrs, i)
	return i
}

// call emits a call of a function that the engine models.
func (g *generator) call(name string, model ir.Model, ret *ir.Type, args ...ir.Value) *ir.Instr {
	var callee *ir.Func
	for _, f := range append(g.decls, g.m.Func(name)) {
		if f != nil && f.Name == name && f.Model == model {
			callee = f
		}
	}
	if callee == nil {
		callee = &ir.Func{Name: name, CName: name, Ret: ret, Model: model, Pos: g.f.Pos}
		for k, a := range args {
			callee.Params = append(callee.Params, &ir.Param{Index: k, T: a.Type()})
		}
		g.decls = append(g.decls, callee)
	}
	return g.emit(&ir.Instr{Op: ir.OpCall, T: ret, Callee: &ir.Const{T: ir.Ptr(g.w), Kind: ir.ConstAddr, Func: callee},
		Sig: callee.Sig(), Model: model, Args: args})
}

func (g *generator) number(t *ir.Type, n int64) *ir.Const {
	return &ir.Const{T: t, Kind: ir.ConstInt, Bits: bits.New(t.Width, uint64(n))}
}

// any is an unknown value, shown under a name.
func (g *generator) any(name string, t *ir.Type) ir.Value {
	return g.call(g.f.CName+"."+name, ir.ModelNondet, t)
}

func (g *generator) assume(pred ir.Pred, a, b ir.Value) {
	c := g.emit(&ir.Instr{Op: ir.OpIcmp, T: ir.Int(1), Pred: pred, Args: []ir.Value{a, b}})
	g.call("firmproof.assume", ir.ModelAssume, ir.Void(), c)
}

// param makes argument i, and the length behind it if it has one.
func (g *generator) param(i int, args []ir.Value) error {
	p, v := g.f.Params[i], g.vars[i]
	name := p.Name
	if v != nil {
		name = v.Name
	}
	switch {
	case p.ByVal != nil || p.SRet:
		t := p.ByVal
		if t == nil {
			t = g.result()
			if t == nil {
				return fmt.Errorf("parameter %s: the type of the result is not known", name)
			}
		}
		args[i] = g.blockOf(name, nil, g.number(ir.Int(g.w), g.m.Layout.SizeOf(t)))
		return nil
	case !p.T.IsPtr():
		args[i] = g.any(name, p.T)
		return nil
	case v == nil || v.T == nil || v.T.Kind != ir.DPointer:
		return fmt.Errorf("parameter %s: what it points to is not known", name)
	}
	return g.pointer(i, name, v.T.Elem, args)
}

func (g *generator) result() *ir.Type {
	for _, b := range g.f.Blocks {
		for _, in := range b.Instrs {
			if in.Op == ir.OpAlloca && in.Access != nil && in.Access.Kind == ir.KindStruct && in.Name == "retval" {
				return in.Access
			}
		}
	}
	return nil
}

// pointer makes argument i, a pointer to elem.
func (g *generator) pointer(i int, name string, elem *ir.DType, args []ir.Value) error {
	size := sizeOf(elem)
	if elem != nil && elem.Kind == ir.DFunc {
		return fmt.Errorf("parameter %s points to a function", name)
	}
	addr := ir.Int(g.w)
	if n, bytes := g.length(i); n != "" {
		t := g.f.Params[i+1].T
		count := g.any(n, t)
		limit := int64(MaxCount)
		if bytes {
			limit *= max(size, 1)
		}
		if t.Width < 63 {
			limit = min(limit, 1<<(t.Width-1)-1)
		}
		g.assume(ir.ULE, count, g.number(t, limit))
		args[i+1] = count
		total := g.resize(count, addr)
		if size > 1 && !bytes {
			total = g.emit(&ir.Instr{Op: ir.OpMul, T: addr, Args: []ir.Value{total, g.number(addr, size)}})
		}
		args[i] = g.blockOf(name, nil, total)
		g.note("%s leads to as many elements as %s says, at most %d", name, n, MaxCount)
		return nil
	}
	switch {
	case elem != nil && elem.Kind == ir.DChar && (elem.Name == "char" || elem.Name == "const char"):
		args[i] = g.blockOf(name, nil, g.number(addr, MaxString))
		end := g.emit(&ir.Instr{Op: ir.OpGep, T: ir.Ptr(g.w), Args: []ir.Value{args[i]}, Off: MaxString - 1})
		g.store(g.number(ir.Int(8), 0), end)
		g.note("%s leads to a string of at most %d characters", name, MaxString-1)
	case elem == nil || elem.Kind == ir.DVoid:
		args[i] = g.blockOf(name, nil, g.number(addr, MaxCount))
		g.note("%s leads to %d bytes", name, MaxCount)
	case size == 0:
		return fmt.Errorf("parameter %s points to a type whose size is not known", name)
	default:
		args[i] = g.blockOf(name, elem, g.number(addr, size))
		g.note("%s leads to one %s of its own", name, elem.Name)
	}
	return nil
}

// length is the name of the length that follows pointer i, or nothing; bytes tells
// that it counts bytes whatever the pointer's type.
func (g *generator) length(i int) (name string, bytes bool) {
	if i+1 >= len(g.f.Params) || !g.f.Params[i+1].T.IsInt() || g.vars[i+1] == nil || !isLength(g.vars[i+1].Name) {
		return "", false
	}
	n := g.vars[i+1].Name
	return n, strings.Contains(strings.ToLower(n), "bytes")
}

func (g *generator) resize(v ir.Value, t *ir.Type) ir.Value {
	switch w := v.Type().Width; {
	case w < t.Width:
		return g.emit(&ir.Instr{Op: ir.OpZext, T: t, Args: []ir.Value{v}})
	case w > t.Width:
		return g.emit(&ir.Instr{Op: ir.OpTrunc, T: t, Args: []ir.Value{v}})
	}
	return v
}

func (g *generator) store(v, to ir.Value) {
	g.emit(&ir.Instr{Op: ir.OpStore, T: ir.Void(), Args: []ir.Value{v, to}, Access: v.Type(), Align: 1})
}

// blockOf allocates size bytes with any contents; where t is known, pointers and
// truth values in it get values of their kind.
func (g *generator) blockOf(name string, t *ir.DType, size ir.Value) ir.Value {
	p := g.call("malloc", ir.ModelMalloc, ir.Ptr(g.w), size)
	g.assume(ir.NE, p, &ir.Const{T: ir.Ptr(g.w), Kind: ir.ConstNull})
	g.call("firmproof.havoc", ir.ModelHavoc, ir.Void(), p, size)
	if t != nil {
		left := maxFields
		g.fill(name, t, p, 0, 1, &left)
	}
	return p
}

// fill gives the pointers and truth values of an object of type t at p+off values.
func (g *generator) fill(name string, t *ir.DType, p ir.Value, off int64, depth int, left *int) {
	at := func() ir.Value {
		return g.emit(&ir.Instr{Op: ir.OpGep, T: ir.Ptr(g.w), Args: []ir.Value{p}, Off: off})
	}
	if *left--; *left < 0 {
		g.note("%s: pointers beyond the first %d in one block have any value", name, maxFields)
		return
	}
	switch t.Kind {
	case ir.DBool:
		b := g.any(name, ir.Int(1))
		g.store(g.emit(&ir.Instr{Op: ir.OpZext, T: ir.Int(max(8, t.Bits)), Args: []ir.Value{b}}), at())
	case ir.DPointer:
		size := sizeOf(t.Elem)
		if t.Elem == nil || t.Elem.Kind == ir.DFunc || size == 0 || depth >= MaxDepth {
			g.store(&ir.Const{T: ir.Ptr(g.w), Kind: ir.ConstNull}, at())
			g.note("%s is null", name)
			return
		}
		to := g.call("malloc", ir.ModelMalloc, ir.Ptr(g.w), g.number(ir.Int(g.w), size))
		g.assume(ir.NE, to, &ir.Const{T: ir.Ptr(g.w), Kind: ir.ConstNull})
		g.call("firmproof.havoc", ir.ModelHavoc, ir.Void(), to, g.number(ir.Int(g.w), size))
		g.note("%s leads to one %s of its own", name, t.Elem.Name)
		g.fill("*"+name, t.Elem, to, 0, depth+1, left)
		g.store(to, at())
	case ir.DStruct:
		for i := range t.Fields {
			if fd := &t.Fields[i]; !fd.IsBits && fd.T != nil {
				g.fill(name+"."+fd.Name, fd.T, p, off+fd.BitOff/8, depth, left)
			}
		}
	case ir.DArray:
		if size := sizeOf(t.Elem); t.Elem != nil && size > 0 && needsFill(t.Elem, 0) {
			for k := int64(0); k < t.Count && *left > 0; k++ {
				g.fill(fmt.Sprintf("%s[%d]", name, k), t.Elem, p, off+k*size, depth, left)
			}
		}
	}
}

// needsFill reports whether an object of the type holds pointers or truth values.
func needsFill(t *ir.DType, depth int) bool {
	switch {
	case t == nil || depth > 8:
		return false
	case t.Kind == ir.DBool || t.Kind == ir.DPointer:
		return true
	case t.Kind == ir.DArray:
		return needsFill(t.Elem, depth+1)
	case t.Kind == ir.DStruct:
		for i := range t.Fields {
			if needsFill(t.Fields[i].T, depth+1) {
				return true
			}
		}
	}
	return false
}

func (g *generator) note(format string, args ...any) {
	n := fmt.Sprintf(format, args...)
	for _, o := range g.notes {
		if o == n {
			return
		}
	}
	g.notes = append(g.notes, n)
}

func sizeOf(t *ir.DType) int64 {
	if t == nil {
		return 0
	}
	return int64(t.Bits+7) / 8
}

// paramVars are f's parameters as C variables: at -O0 a parameter is stored to its
// variable first. nil where there is none.
func paramVars(f *ir.Func) []*ir.Var {
	slots := map[ir.Value]*ir.Var{}
	out := make([]*ir.Var, len(f.Params))
	for _, v := range f.Vars {
		if p, ok := v.Slot.(*ir.Param); ok {
			out[p.Index] = v
		} else if v.Slot != nil {
			slots[v.Slot] = v
		}
	}
	for _, i := range f.Blocks[0].Instrs {
		if i.Op != ir.OpStore {
			continue
		}
		if p, ok := i.Args[0].(*ir.Param); ok && slots[i.Args[1]] != nil {
			out[p.Index] = slots[i.Args[1]]
		}
	}
	return out
}

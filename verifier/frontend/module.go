package frontend

import (
	"fmt"
	"runtime/debug"
	"slices"
	"strings"

	llir "github.com/llir/llvm/ir"
	"github.com/llir/llvm/ir/constant"
	"github.com/llir/llvm/ir/enum"
	"github.com/llir/llvm/ir/metadata"
	"github.com/llir/llvm/ir/types"
	"github.com/llir/llvm/ir/value"

	"github.com/firmproof/firmproof/verifier/frontend/dialect"
	"github.com/firmproof/firmproof/verifier/ir"
)

// translator holds what is known of the module while it is translated.
type translator struct {
	m       *ir.Module
	spaces  map[int]int // address space -> pointer width
	void    *ir.Type
	ptr     *ir.Type
	ints    map[int]*ir.Type
	types   map[types.Type]*ir.Type
	offsets map[*ir.Type][]int64
	sizes   map[*ir.Type]int64
	globals map[*llir.Global]*ir.Global
	funcs   map[*llir.Func]*ir.Func
	blocks  map[*llir.Block]*ir.Block
	aliases map[*llir.Alias]*ir.Const
	passOn  map[*llir.Alias]*ir.Func     // see replaceable
	errno   bool                         // the program looks at errno
	busy    map[*llir.Alias]bool         // aliases being resolved
	held    map[string]constant.Constant // (P3) of mend.go
	dbg     *debugInfo
	turns   []*turn
}

func translate(name, root string, src *llir.Module) (m *ir.Module, err error) {
	t := &translator{
		m: &ir.Module{Name: name, Triple: src.TargetTriple}, void: ir.Void(),
		ints: map[int]*ir.Type{}, types: map[types.Type]*ir.Type{}, offsets: map[*ir.Type][]int64{},
		sizes:   map[*ir.Type]int64{},
		globals: map[*llir.Global]*ir.Global{}, funcs: map[*llir.Func]*ir.Func{}, blocks: map[*llir.Block]*ir.Block{},
		aliases: map[*llir.Alias]*ir.Const{}, passOn: map[*llir.Alias]*ir.Func{}, busy: map[*llir.Alias]bool{}, dbg: newDebugInfo(root, src),
		held: map[string]constant.Constant{},
	}
	t.takeHeld(src)
	if t.m.Layout, t.spaces, err = parseLayout(src.DataLayout); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	t.ptr = ir.Ptr(t.m.Layout.PtrBits)
	where := "declarations"
	defer func() {
		if p := recover(); p != nil {
			m, err = nil, fmt.Errorf("%s: %s: internal: %v\n%s", name, where, p, debug.Stack())
		}
	}()
	t.declare(src)
	for _, g := range src.Globals {
		where = "global " + g.Name()
		t.initialise(t.globals[g], g)
	}
	for _, f := range src.Funcs {
		where = "function " + f.Name()
		t.body(t.funcs[f], f)
		if cpu := textAttribute(f.FuncAttrs, "target-cpu"); cpu != "" && !slices.Contains(t.m.CPUs, cpu) {
			t.m.CPUs = append(t.m.CPUs, cpu)
		}
	}
	t.addReplaceable(src)
	dtors := t.dropIntrinsicGlobals()
	t.library()
	t.finish(dtors)
	t.addressTaken()
	t.indirectErrno()
	t.settleFunctionPointers()
	t.endings()
	t.freshLocals()
	t.folded(src)
	t.keptTemporaries()
	t.sequences(src)
	t.met(src)
	t.dangling()
	t.emptyCopies(src)
	ir.ListHandlers(t.m)
	return t.m, nil
}

// declare makes every global, function, block and alias, without contents.
func (t *translator) declare(src *llir.Module) {
	for _, g := range src.Globals {
		out := &ir.Global{Name: g.Name(), T: t.typ(g.ContentType), Const: g.Immutable, Extern: g.Init == nil,
			Weak: weak(g.Linkage), ThreadLocal: g.TLSModel != enum.TLSModelNone, Section: g.Section,
			Align: int(g.Align)}
		if out.Align == 0 {
			out.Align = int(t.m.Layout.AlignOf(out.T))
		}
		t.globals[g] = out
		t.m.Globals = append(t.m.Globals, out)
	}
	t.errno = looksAtErrno(src)
	for _, f := range src.Funcs {
		t.declareFunc(f)
	}
	for _, a := range src.Aliases {
		if c := t.alias(a); c != nil {
			t.m.Aliases = append(t.m.Aliases, ir.Alias{Name: a.Name(), To: c})
		}
	}
}

func weak(l enum.Linkage) bool {
	switch l {
	case enum.LinkageWeak, enum.LinkageWeakODR, enum.LinkageLinkOnce, enum.LinkageLinkOnceODR, enum.LinkageExternWeak:
		return true
	}
	return false
}

func (t *translator) declareFunc(f *llir.Func) {
	out := &ir.Func{Name: f.Name(), Ret: t.typ(f.Sig.RetType), Variadic: f.Sig.Variadic, Weak: weak(f.Linkage),
		NoReturn: hasAttr(f.FuncAttrs, enum.FuncAttrNoReturn), Handler: handlesInterrupts(f),
		Replaceable: f.Linkage == enum.LinkageWeak}
	for i, p := range f.Params {
		out.Params = append(out.Params, t.param(i, p))
	}
	model := ir.ModelOf(out.Name)
	if t.errno && setErrno[out.Name] { // unknown by name
		model = ir.ModelNone
	}
	naked := hasAttr(f.FuncAttrs, enum.FuncAttrNaked) // assembly alone, which returns
	// a call of reach_error is the failure, whatever its body does
	if len(f.Blocks) == 0 || model == ir.ModelFail || naked {
		out.Model = model
	} else {
		for i, b := range f.Blocks {
			blk := &ir.Block{Index: i, Func: out}
			if !b.IsUnnamed() {
				blk.Name = b.Name()
			}
			t.blocks[b] = blk
			out.Blocks = append(out.Blocks, blk)
		}
	}
	t.funcs[f] = out
	if !strings.HasPrefix(out.Name, "llvm.dbg.") && out.Name != "llvm.ubsantrap" &&
		!strings.HasPrefix(out.Name, dialect.UnmodelledPrefix) { // translated away
		t.m.Funcs = append(t.m.Funcs, out)
	}
}

// handlesInterrupts reports a handler of interrupts, by its attributes or its name.
func handlesInterrupts(f *llir.Func) bool {
	return slices.ContainsFunc(ir.HandlerAttributes, func(a string) bool { return namesAttribute(f.FuncAttrs, a) }) ||
		len(f.Params) == 0 && ir.NamesHandler(f.Name())
}

// namesAttribute reports whether a function has an attribute that is text, with or without a value.
func namesAttribute(attrs []llir.FuncAttribute, key string) bool {
	return slices.ContainsFunc(attrs, func(a llir.FuncAttribute) bool {
		switch a := a.(type) {
		case llir.AttrString:
			return string(a) == key
		case llir.AttrPair:
			return a.Key == key
		case *llir.AttrGroupDef:
			return namesAttribute(a.FuncAttrs, key)
		}
		return false
	})
}

func (t *translator) param(i int, p *llir.Param) *ir.Param {
	out := &ir.Param{Index: i, T: t.typ(p.Typ)}
	if !p.IsUnnamed() {
		out.Name = p.Name()
	}
	for _, a := range p.Attrs {
		switch a := a.(type) {
		case llir.Byval:
			out.ByVal = t.pointee(a.Typ, p.Typ)
		case llir.SRet:
			out.SRet = t.pointee(a.Typ, p.Typ)
		case llir.Align:
			out.Align = int(a)
		case enum.ParamAttr:
			out.NonNull = out.NonNull || a == enum.ParamAttrNonNull
		}
	}
	return out
}

// pointee is ty, or what the typed pointer ptr points to if ty is not given.
func (t *translator) pointee(ty, ptr types.Type) *ir.Type {
	if ty != nil {
		return t.typ(ty)
	}
	if p, ok := ptr.(*types.PointerType); ok {
		return t.typ(p.ElemType)
	}
	return nil
}

func hasAttr(attrs []llir.FuncAttribute, want enum.FuncAttr) bool {
	for _, a := range attrs {
		switch a := a.(type) {
		case enum.FuncAttr:
			if a == want {
				return true
			}
		case *llir.AttrGroupDef:
			if hasAttr(a.FuncAttrs, want) {
				return true
			}
		}
	}
	return false
}

// initialise translates a global's initialiser and debug information.
func (t *translator) initialise(out *ir.Global, g *llir.Global) {
	for _, a := range g.Metadata {
		if e, ok := a.Node.(*metadata.DIGlobalVariableExpression); ok && e.Var != nil && e.Var.Name != "" {
			out.Var = &ir.Var{Name: e.Var.Name, T: t.dbg.typ(e.Var.Type), Pos: t.dbg.filePos(e.Var.File, e.Var.Line),
				Public: !e.Var.IsLocal}
		}
	}
	if g.Init == nil {
		return
	}
	c, why := t.fold(g.Init, true)
	if c == nil {
		out.Unsupported = why
		return
	}
	out.Init = c
	if keptOverReset(g.Section) && !g.Immutable {
		out.Extern, out.Weak, out.Init = true, false, nil
	}
}

// keptOverReset reports sections that the start-up code does not initialise: their
// variables have any value at the start (.noinit, .persistent, .backup and the like of the linkers' scripts).
func keptOverReset(section string) bool {
	s := strings.ReplaceAll(strings.ToLower(section), "_", "")
	return slices.ContainsFunc([]string{"noinit", "uninit", "persist", "noload", "backup", "retain", "retention"},
		func(word string) bool { return strings.Contains(s, word) })
}

// dropIntrinsicGlobals takes out llvm.used and its relatives, which only keep
// symbols alive, turns llvm.global_ctors into Module.Ctors, and gives the destructors.
func (t *translator) dropIntrinsicGlobals() (dtors []*ir.Func) {
	var rest []*ir.Global
	for _, g := range t.m.Globals {
		if !strings.HasPrefix(g.Name, "llvm.") {
			rest = append(rest, g)
			continue
		}
		switch g.Name {
		case "llvm.global_ctors":
			t.m.Ctors = t.structors(g)
		case "llvm.global_dtors":
			dtors = t.structors(g)
		}
	}
	t.m.Globals = rest
	return dtors
}

// symbol is the address of a global, function or alias; nil if v is none.
func (t *translator) symbol(v value.Value) *ir.Const {
	switch v := v.(type) {
	case *llir.Global:
		return &ir.Const{T: t.ptr, Kind: ir.ConstAddr, Global: t.globals[v]}
	case *llir.Func:
		return &ir.Const{T: t.ptr, Kind: ir.ConstAddr, Func: t.funcs[v]}
	case *llir.Alias:
		return t.alias(v)
	case *constant.DSOLocalEquivalent:
		return t.symbol(v.Func)
	case *constant.NoCFI:
		return t.symbol(v.Func)
	}
	return nil
}

// addressTaken sets Func.Addr: the function's address is used other than as a callee.
func (t *translator) addressTaken() {
	var mark func(c *ir.Const)
	mark = func(c *ir.Const) {
		if c.Func != nil && c.Label == nil {
			c.Func.Addr = true
		}
		for _, e := range c.Elems {
			mark(e)
		}
	}
	for _, g := range t.m.Globals {
		if g.Init != nil {
			mark(g.Init)
		}
	}
	for _, f := range t.m.Funcs {
		for _, b := range f.Blocks {
			for _, i := range b.Instrs {
				for _, a := range i.Args {
					if c, ok := a.(*ir.Const); ok {
						mark(c)
					}
				}
			}
		}
	}
}

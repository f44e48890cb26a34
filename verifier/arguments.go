package verifier

import (
	"fmt"

	"github.com/firmproof/firmproof/verifier/bits"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// What the arguments of a hosted program are (C17 5.1.2.2.1): argc is at least 1,
// argv[0] to argv[argc-1] are strings, argv[argc] is null; envp is a list of
// strings that ends in null. Vectors of more strings than maxArguments are a bound:
// the claims of runs that look into one are decided up to there.
const (
	argumentsName   = "firmproof.arguments"
	maxArguments    = 4
	maxEnvironment  = 2
	maxStringBytes  = 131072  // Linux, execve(2): MAX_ARG_STRLEN
	maxStrings      = 200_000 // of the kernel's limit on all of them, at a pointer and a byte each
	argumentsAssume = "main gets at least one argument, its name; an argument has at most 131071 characters"
)

// arguments is the program with an entry around entry that makes the arguments of
// main, if main uses any; else the program as it is. Entry is main, or what calls it.
func arguments(m *ir.Module, entry, main *ir.Func) (*ir.Module, *ir.Func, bool) {
	n := len(entry.Params)
	if main.CName != "main" || len(main.Params) != n || n == 0 || n > 3 || !entry.Params[0].T.IsInt() || n > 1 &&
		!entry.Params[1].T.IsPtr() || n > 2 && !entry.Params[2].T.IsPtr() {
		return m, entry, false
	}
	used := false
	for _, p := range main.Params {
		used = used || usesParam(main, p)
	}
	if !used {
		return m, entry, false
	}
	out := *m
	out.Funcs, out.Globals = append([]*ir.Func(nil), m.Funcs...), append([]*ir.Global(nil), m.Globals...)
	b := newMaker(&out, argumentsName, entry)
	argc := b.nondet("argc", entry.Params[0].T)
	b.assume(b.compare(ir.SGE, argc, b.int(argc.T, 1)))
	args := []ir.Value{argc}
	if n > 1 {
		var v ir.Value = b.null()
		if usesParam(main, main.Params[1]) {
			v = b.vector("argv", argc, maxArguments)
		}
		args = append(args, v)
	}
	if n > 2 {
		var v ir.Value = b.null()
		if usesParam(main, main.Params[2]) {
			count := b.nondet("length of envp", entry.Params[0].T)
			b.assume(b.compare(ir.SGE, count, b.int(count.T, 0)))
			v = b.vector("envp", count, maxEnvironment)
		}
		args = append(args, v)
	}
	b.ret(b.call(entry, args...), entry)
	return &out, b.done(), true
}

// usesParam reports whether f does more with p than to keep it in a local that
// nothing looks at, as clang does with every parameter at -O0.
func usesParam(f *ir.Func, p *ir.Param) bool {
	slots := map[ir.Value]bool{}
	for _, in := range f.Blocks[0].Instrs {
		if a, ok := last(in.Args).(*ir.Instr); ok && in.Op == ir.OpStore && in.Args[0] == ir.Value(p) &&
			a.Op == ir.OpAlloca {
			slots[a] = true
		}
	}
	for _, b := range f.Blocks {
		for _, in := range b.Instrs {
			for i, a := range in.Args {
				kept := in.Op == ir.OpStore && in.Args[0] == ir.Value(p) && slots[in.Args[1]]
				marker := in.Model == ir.ModelLifetimeStart || in.Model == ir.ModelLifetimeEnd
				if !kept && !marker && (a == ir.Value(p) || slots[a]) && !(in.Op == ir.OpStore && i == 1 && kept) {
					return true
				}
			}
		}
	}
	return false
}

func last(vs []ir.Value) ir.Value {
	if len(vs) == 0 {
		return nil
	}
	return vs[len(vs)-1]
}

// vector is a list of count strings that ends in null: one object for each length
// up to most, which share their strings, and one for all longer lists.
func (b *maker) vector(name string, count *ir.Instr, most int) ir.Value {
	size := int64(b.m.Layout.PtrBits / 8)
	some, many, end := b.block(name+".some"), b.block(name+".many"), b.block(name+".end")
	list := &ir.Instr{Op: ir.OpPhi, T: b.ptr()}
	b.branch(b.compare(ir.SGT, count, b.int(count.T, int64(most))), many, some)

	b.at(some)
	strings := make([]ir.Value, most)
	for i := range strings {
		strings[i] = b.text(fmt.Sprintf("%s[%d]", name, i))
	}
	for n := range most + 1 {
		here, next := b.block(fmt.Sprintf("%s.%d", name, n)), b.block(fmt.Sprintf("%s.over%d", name, n))
		b.branch(b.compare(ir.EQ, count, b.int(count.T, int64(n))), here, next)
		b.at(here)
		l := b.alloca(name, b.ptr(), b.int(count.T, int64(n+1)))
		for i, s := range append(strings[:n:n], b.null()) {
			b.store(s, b.gep(l, int64(i)*size, nil, 0))
		}
		list.Args, list.Incoming = append(list.Args, l), append(list.Incoming, here)
		b.jump(end)
		b.at(next)
	}
	b.emit(&ir.Instr{Op: ir.OpUnreachable})

	b.at(many)
	b.assume(b.compare(ir.SLE, count, b.int(count.T, maxStrings)))
	rest := &ir.Global{Name: fmt.Sprintf("%s of more than %d strings", name, most), T: &ir.Type{Kind: ir.KindArray,
		Elem: b.ptr(), Len: maxStrings + 1},
		Align: int(size), Extern: true, Beyond: fmt.Sprintf("%s holds more than %d strings", name, most)}
	b.m.Globals = append(b.m.Globals, rest)
	list.Args, list.Incoming = append(list.Args, &ir.Const{T: b.ptr(), Kind: ir.ConstAddr, Global: rest}),
		append(list.Incoming, many)
	b.jump(end)

	b.at(end)
	return b.emit(list)
}

// text is a string of any length up to the limit, in an object that ends with it.
func (b *maker) text(name string) ir.Value {
	word, char := &ir.Type{Kind: ir.KindInt, Width: b.m.Layout.PtrBits}, &ir.Type{Kind: ir.KindInt, Width: 8}
	n := b.nondet("size of "+name, word)
	b.assume(b.compare(ir.UGE, n, b.int(word, 1)))
	b.assume(b.compare(ir.ULE, n, b.int(word, maxStringBytes)))
	s := b.alloca(name, char, n)
	b.model(ir.ModelHavoc, name, ir.Void(), s, n)
	b.store(b.int(char, 0), b.gep(s, -1, n, 1))
	return s
}

// maker builds a function of the driver's.
type maker struct {
	m   *ir.Module
	f   *ir.Func
	cur *ir.Block
	pos *verdict.Pos
}

func newMaker(m *ir.Module, name string, like *ir.Func) *maker {
	b := &maker{m: m, f: &ir.Func{Name: name, CName: name, Ret: like.Ret, DRet: like.DRet, Pos: like.Pos, Made: true}}
	b.pos = &verdict.Pos{File: like.Pos.File, Line: like.Pos.Line, Column: like.Pos.Column, Function: like.CName}
	b.at(b.block("entry"))
	return b
}

// done numbers the function and adds it to the module.
func (b *maker) done() *ir.Func {
	for i, blk := range b.f.Blocks {
		blk.Index = i
		for _, in := range blk.Instrs {
			in.ID = b.f.NumInstr
			b.f.NumInstr++
		}
	}
	ir.SetPreds(b.f)
	b.m.Funcs = append(b.m.Funcs, b.f)
	return b.f
}

func (b *maker) ptr() *ir.Type { return ir.Ptr(b.m.Layout.PtrBits) }

func (b *maker) null() ir.Value { return &ir.Const{T: b.ptr(), Kind: ir.ConstNull} }

func (b *maker) int(t *ir.Type, n int64) ir.Value {
	return &ir.Const{T: t, Kind: ir.ConstInt, Bits: bits.NewInt(t.Width, n)}
}

func (b *maker) block(name string) *ir.Block { return &ir.Block{Name: name, Func: b.f} }

// at goes on in blk, which comes next in the function.
func (b *maker) at(blk *ir.Block) {
	b.f.Blocks = append(b.f.Blocks, blk)
	b.cur = blk
}

func (b *maker) emit(in *ir.Instr) *ir.Instr {
	if in.T == nil {
		in.T = ir.Void()
	}
	in.Block, in.Pos = b.cur, b.pos
	b.cur.Instrs = append(b.cur.Instrs, in)
	return in
}

func (b *maker) call(f *ir.Func, args ...ir.Value) *ir.Instr {
	return b.emit(&ir.Instr{Op: ir.OpCall, T: f.Ret, Args: args, Sig: f.Sig(), Model: f.Model,
		Callee: &ir.Const{T: b.ptr(), Kind: ir.ConstAddr, Func: f}})
}

// model calls a function that the engines know.
func (b *maker) model(k ir.Model, name string, ret *ir.Type, args ...ir.Value) *ir.Instr {
	f := &ir.Func{Name: name, CName: name, Ret: ret, Model: k}
	for i, a := range args {
		f.Params = append(f.Params, &ir.Param{Index: i, T: a.Type()})
	}
	b.m.Funcs = append(b.m.Funcs, f)
	return b.call(f, args...)
}

func (b *maker) nondet(name string, t *ir.Type) *ir.Instr { return b.model(ir.ModelNondet, name, t) }

func (b *maker) assume(c ir.Value) { b.model(ir.ModelAssume, "assume", ir.Void(), c) }

func (b *maker) compare(p ir.Pred, x, y ir.Value) *ir.Instr {
	return b.emit(&ir.Instr{Op: ir.OpIcmp, T: &ir.Type{Kind: ir.KindInt, Width: 1}, Pred: p, Args: []ir.Value{x, y}})
}

func (b *maker) alloca(name string, t *ir.Type, n ir.Value) *ir.Instr {
	return b.emit(&ir.Instr{Op: ir.OpAlloca, Name: name, T: b.ptr(), Access: t, Args: []ir.Value{n},
		Align: int(b.m.Layout.AlignOf(t))})
}

func (b *maker) store(v, to ir.Value) {
	b.emit(&ir.Instr{Op: ir.OpStore, Args: []ir.Value{v, to}, Access: v.Type(),
		Align: int(b.m.Layout.AlignOf(v.Type()))})
}

// gep is p + off + i*scale; i may be nil.
func (b *maker) gep(p ir.Value, off int64, i ir.Value, scale int64) *ir.Instr {
	in := &ir.Instr{Op: ir.OpGep, T: b.ptr(), Args: []ir.Value{p}, Off: off}
	if i != nil {
		in.Args, in.Scales = append(in.Args, i), []int64{scale}
	}
	return b.emit(in)
}

func (b *maker) jump(to *ir.Block) { b.emit(&ir.Instr{Op: ir.OpBr, Targets: []*ir.Block{to}}) }

func (b *maker) branch(c ir.Value, yes, no *ir.Block) {
	b.emit(&ir.Instr{Op: ir.OpCondBr, Args: []ir.Value{c}, Targets: []*ir.Block{yes, no}})
}

// ret ends the function with the result of call, if f has one.
func (b *maker) ret(call *ir.Instr, f *ir.Func) {
	in := &ir.Instr{Op: ir.OpRet}
	if !f.Ret.IsVoid() {
		in.Args = []ir.Value{call}
	}
	b.emit(in)
}

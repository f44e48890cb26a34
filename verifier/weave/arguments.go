package weave

import (
	"fmt"
	"slices"

	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/policy"
	"github.com/firmproof/firmproof/verifier/verdict"
	"github.com/firmproof/firmproof/verifier/weave/irbuild"
)

// The arguments of a hosted program (C17 5.1.2.2.1): argc is at least 1, argv[0] to
// argv[argc-1] are strings, argv[argc] is null; envp is a list of strings that ends in
// null. Vectors of more strings than policy.MainArguments are beyond a bound: the claims of
// runs that look into one are bounded.
const (
	argumentsName        = "firmproof.arguments"
	maxStringBytes int64 = 131072  // Linux, execve(2): MAX_ARG_STRLEN
	maxStrings     int64 = 200_000 // of the kernel's limit on all of them, at a pointer and a byte each
)

// ArgumentsAssumption says what Arguments assumes.
var ArgumentsAssumption = verdict.Assume("main", verdict.Meaning, verdict.Read,
	"main gets at least one argument, its name; an argument has at most 131071 characters")

// Arguments gives m with a function around entry that makes the arguments of main, if
// main uses any; else m as it is, and made is false. entry is main, or calls it.
func Arguments(m *ir.Module, entry, main *ir.Func) (with *ir.Module, start *ir.Func, made bool) {
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
	out.Funcs, out.Globals = slices.Clip(m.Funcs), slices.Clip(m.Globals)
	b := irbuild.Around(&out, argumentsName, entry)
	b.Func.Made = true
	argc := b.Nondet("argc", entry.Params[0].T)
	b.Assume(b.Compare(ir.SGE, argc, b.Int(argc.T, 1)))
	args := []ir.Value{argc}
	if n > 1 {
		var v ir.Value = b.Null()
		if usesParam(main, main.Params[1]) {
			v = stringVector(b, "argv", argc, policy.MainArguments)
		}
		args = append(args, v)
	}
	if n > 2 {
		var v ir.Value = b.Null()
		if usesParam(main, main.Params[2]) {
			count := b.Nondet("length of envp", entry.Params[0].T)
			b.Assume(b.Compare(ir.SGE, count, b.Int(count.T, 0)))
			v = stringVector(b, "envp", count, policy.MainEnvironment)
		}
		args = append(args, v)
	}
	b.Ret(b.Call(entry, args...))
	return &out, b.Done(), true
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

// stringVector is a list of count strings that ends in null: one object for each length
// up to most, which share their strings, and one for all longer lists.
func stringVector(b *irbuild.Builder, name string, count *ir.Instr, most int) ir.Value {
	size := int64(b.Module.Layout.PtrBits / 8)
	some, many, end := b.NewBlock(name+".some"), b.NewBlock(name+".many"), b.NewBlock(name+".end")
	list := &ir.Instr{Op: ir.OpPhi, T: b.Ptr()}
	b.Branch(b.Compare(ir.SGT, count, b.Int(count.T, int64(most))), many, some)

	b.At(some)
	strings := make([]ir.Value, most)
	for i := range strings {
		strings[i] = anyString(b, fmt.Sprintf("%s[%d]", name, i))
	}
	for n := range most + 1 {
		here, next := b.NewBlock(fmt.Sprintf("%s.%d", name, n)), b.NewBlock(fmt.Sprintf("%s.over%d", name, n))
		b.Branch(b.Compare(ir.EQ, count, b.Int(count.T, int64(n))), here, next)
		b.At(here)
		l := b.Alloca(name, b.Ptr(), b.Int(count.T, int64(n+1)))
		for i, s := range append(strings[:n:n], b.Null()) {
			b.Store(s, b.Gep(l, int64(i)*size, nil, 0), int(b.Module.Layout.AlignOf(b.Ptr())))
		}
		list.Args, list.Incoming = append(list.Args, l), append(list.Incoming, here)
		b.Jump(end)
		b.At(next)
	}
	b.Emit(&ir.Instr{Op: ir.OpUnreachable})

	b.At(many)
	b.Assume(b.Compare(ir.SLE, count, b.Int(count.T, maxStrings)))
	rest := &ir.Global{Name: fmt.Sprintf("%s of more than %d strings", name, most), T: &ir.Type{Kind: ir.KindArray,
		Elem: b.Ptr(), Len: maxStrings + 1},
		Align: int(size), Extern: true, Beyond: fmt.Sprintf("%s holds more than %d strings", name, most)}
	b.Module.Globals = append(b.Module.Globals, rest)
	list.Args, list.Incoming = append(list.Args, b.AddrOfGlobal(rest)),
		append(list.Incoming, many)
	b.Jump(end)

	b.At(end)
	return b.Emit(list)
}

// anyString is a string of any length up to the limit, in an object that ends with it.
func anyString(b *irbuild.Builder, name string) ir.Value {
	word, char := b.Word(), ir.Int(8)
	n := b.Nondet("size of "+name, word)
	b.Assume(b.Compare(ir.UGE, n, b.Int(word, 1)))
	b.Assume(b.Compare(ir.ULE, n, b.Int(word, maxStringBytes)))
	s := b.Alloca(name, char, n)
	b.Model(ir.ModelHavoc, name, ir.Void(), s, n)
	b.Store(b.Int(char, 0), b.Gep(s, -1, n, 1), 1)
	return s
}

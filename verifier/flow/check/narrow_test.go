package check

import (
	"testing"

	"github.com/firmproof/firmproof/verifier/bits"
	"github.com/firmproof/firmproof/verifier/frontend"
	"github.com/firmproof/firmproof/verifier/ir"
)

// What an operation computes its result from keeps each number that gives one of the results, of all sets of these.
func TestInner(t *testing.T) {
	try := func(op ir.Op, from, to int, k uint64) {
		arg := &ir.Param{T: ir.Int(from)}
		in := &ir.Instr{Op: op, T: ir.Int(to), Args: []ir.Value{arg}}
		if op == ir.OpAdd || op == ir.OpSub {
			in.Args = append(in.Args, &ir.Const{T: ir.Int(to), Kind: ir.ConstInt, Bits: bits.New(to, k)})
		}
		sets(to, func(is words) {
			v, left, ok := inner(in, is)
			if ok && v != ir.Value(arg) {
				t.Fatalf("%s looks at %v", op, v)
			}
			for n := range mask(from) + 1 {
				out := converted(op, words{n, 0}, from, to).lo
				if op == ir.OpAdd || op == ir.OpSub {
					out, _ = evaluate(op, n, k, to)
				}
				if is.has(out, to) && !(ok && left.has(n, from)) {
					t.Fatalf("%s of %d bits, by %d, is in %v: leaves %v (%v), without %d", op, from, k, is, left, ok, n)
				}
				if ok && left.n > mask(from) {
					t.Fatalf("%s of %d bits leaves %v", op, from, left)
				}
			}
		})
	}
	try(ir.OpZext, 3, 5, 0)
	try(ir.OpSext, 3, 5, 0)
	try(ir.OpZext, 1, 4, 0)
	try(ir.OpSext, 1, 4, 0)
	for k := range mask(4) + 1 {
		try(ir.OpAdd, 4, 4, k)
		try(ir.OpSub, 4, 4, k)
	}
}

// A variable that others define, or may, holds at first what the program does not say.
func TestOutside(t *testing.T) {
	number := func() *ir.Global {
		return &ir.Global{Name: "g", Init: &ir.Const{T: ir.Int(8), Kind: ir.ConstInt, Bits: bits.New(8, 3)}}
	}
	fact := func(g *ir.Global) Fact {
		return Fact{Global: g, Bits: 8, Rest: [2]int64{0, 3}, Ever: [2]int64{0, 4}}
	}
	if why := outside(fact(number())); why != "" {
		t.Error(why)
	}
	for name, change := range map[string]func(f *Fact){
		"extern":            func(f *Fact) { f.Global.Extern = true },
		"weak":              func(f *Fact) { f.Global.Weak = true },
		"thread_local":      func(f *Fact) { f.Global.ThreadLocal = true },
		"unsupported":       func(f *Fact) { f.Global.Unsupported = "a section" },
		"no initialiser":    func(f *Fact) { f.Global.Init = nil },
		"another width":     func(f *Fact) { f.Bits = 16 },
		"no number":         func(f *Fact) { f.Global.Init.Kind = ir.ConstAgg },
		"another number":    func(f *Fact) { f.Rest[1] = 2 },
		"one too low":       func(f *Fact) { f.Rest = [2]int64{4, 4} },
		"no bits":           func(f *Fact) { f.Bits = 0 },
		"too many bits":     func(f *Fact) { f.Bits = 61 },
		"nothing":           func(f *Fact) { f.Rest = [2]int64{3, 2} },
		"less ever, below":  func(f *Fact) { f.Ever[0] = 1 },
		"less ever, beyond": func(f *Fact) { f.Ever[1] = 2 },
	} {
		f := fact(number())
		if change(&f); outside(f) == "" {
			t.Errorf("%s is taken", name)
		}
	}
}

// A variable that another address gets at is not followed, wherever its block stands.
func TestLocalNumbers(t *testing.T) {
	for use, followed := range map[string]bool{
		"call void @llvm.lifetime.end.p0i8(i64 4, i8* %c)": true,
		"store i8 9, i8* %c":                                            false,
		"call void @f(i8* %c)":                                          false,
		"store i32 9, i32* %n\n call void @f(i8* null)":                 true,
		"store volatile i32 9, i32* %n":                                 false,
		"%d = bitcast i8* %c to i32*\n store i32 9, i32* %d":            false,
		"%p = ptrtoint i32* %n to i64\n call void @f(i8* null)":         false,
		"store i32* %n, i32** %s":                                       false,
		"%b = bitcast i32* %n to i16*\n store i16 9, i16* %b":           false,
		"%v = load i32, i32* %n\n call void @f(i8* null)":               true,
		"%v = load i8, i8* %c\n call void @f(i8* null)":                 false,
		"%v = load atomic i32, i32* %n seq_cst, align 4":                false,
		"%v = atomicrmw add i32* %n, i32 1 seq_cst":                     false,
		"%g = getelementptr i32, i32* %n, i32 1\n store i32 9, i32* %g": false,
	} {
		m, err := frontend.Parse("t.ll", []byte(`target triple = "x86_64-unknown-linux-gnu"
declare void @llvm.lifetime.end.p0i8(i64, i8*)
declare void @f(i8*)
define i32 @main() {
entry:
  %n = alloca i32, align 4
  %s = alloca i32*, align 8
  br label %first
last:
  `+use+`
  %r = load i32, i32* %n
  ret i32 %r
first:
  %c = bitcast i32* %n to i8*
  br label %last
}
`))
		if err != nil {
			t.Fatal(use, err)
		}
		f := m.Func("main")
		if got := localNumbers(f)[f.Blocks[0].Instrs[0]] == 32; got != followed {
			t.Errorf("%s: followed: %v", use, got)
		}
	}
}

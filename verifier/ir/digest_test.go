package ir_test

import (
	"fmt"
	"reflect"
	"testing"

	"github.com/firmproof/firmproof/verifier/bits"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/verdict"
)

const sliced = `target datalayout = "e-m:e-p:32:32-i64:64-n32-S64"
target triple = "thumbv7m-none-eabi"
%pair = type { i32, i8 }
@seen = global i32 3, align 4
@unseen = global i32 4, align 4
@table = constant [2 x i32 (i32)*] [i32 (i32)* @first, i32 (i32)* @second]
@far = global i32* @behind
@behind = global i32 9
define i32 @main(i32 %n, %pair* byval(%pair) %p) {
entry:
  %s = alloca i32, align 4
  store i32 %n, i32* %s, align 4
  %v = load i32, i32* @seen, align 4
  %c = icmp slt i32 %v, 10
  br i1 %c, label %a, label %b
a:
  %q = load i32*, i32** @far
  %r = call i32 @helper(i32 %v)
  br label %b
b:
  %x = phi i32 [ 1, %entry ], [ %r, %a ]
  switch i32 %x, label %e [ i32 5, label %f ]
e:
  ret i32 %x
f:
  %sum = add nsw i32 %x, 7
  ret i32 %sum
}
define i32 @helper(i32 %a) { ret i32 %a }
define i32 @first(i32 %a) { ret i32 1 }
define i32 @second(i32 %a) { ret i32 2 }
define i32 @lonely(i32 %a) {
  %f = load i32 (i32)*, i32 (i32)** getelementptr ([2 x i32 (i32)*], [2 x i32 (i32)*]* @table, i32 0, i32 1)
  %r = call i32 %f(i32 %a)
  ret i32 %r
}
`

func sum(m *ir.Module, entry string) string {
	return fmt.Sprintf("%x", m.Slice(m.Func(entry), true).Sum)
}

// TestSliceReaches: operands, initialisers and possible callees are in, the rest is out.
func TestSliceReaches(t *testing.T) {
	m := parse(t, sliced)
	names := func(entry string) (out []string) {
		s := m.Slice(m.Func(entry), true)
		for _, f := range s.Funcs {
			out = append(out, f.Name)
		}
		for _, g := range s.Globals {
			out = append(out, g.Name)
		}
		return out
	}
	for entry, want := range map[string]string{"main": "[main helper seen far behind]",
		"lonely": "[lonely first second table]"} {
		if got := fmt.Sprint(names(entry)); got != want {
			t.Errorf("%s reaches %s, want %s", entry, got, want)
		}
	}
}

// TestDigestSeesEveryField changes each field of everything in the slice, one at a
// time, and expects another digest; and the same digest for changes outside.
func TestDigestSeesEveryField(t *testing.T) {
	m := parse(t, sliced)
	if sum(m, "main") != sum(parse(t, sliced), "main") {
		t.Fatal("two readings of one text differ")
	}
	entry := m.Func("main")
	now := func() string { return fmt.Sprintf("%x", m.Slice(entry, true).Sum) }
	want, changed := now(), 0
	try := func(path string, v reflect.Value) {
		for undo := range variants(v) {
			changed++
			if now() == want {
				t.Errorf("%s does not count", path)
			}
			undo()
		}
	}
	fields := func(path string, p any) {
		v := reflect.ValueOf(p).Elem()
		for i := range v.NumField() {
			try(path+"."+v.Type().Field(i).Name, v.Field(i))
		}
	}
	s := m.Slice(m.Func("main"), true)
	try("triple", reflect.ValueOf(&m.Triple).Elem())
	fields("layout", &m.Layout)
	for _, g := range s.Globals {
		fields(g.Name, g)
		fields(g.Name+" init", g.Init)
	}
	for _, f := range s.Funcs {
		fields(f.Name, f)
		for _, p := range f.Params {
			fields(f.Name+" param", p)
		}
		for _, b := range f.Blocks {
			try("block", reflect.ValueOf(&b.Name).Elem())
			for _, in := range b.Instrs {
				fields(in.String(), in)
				for i := range in.Args {
					if c, ok := in.Args[i].(*ir.Const); ok && c.Kind == ir.ConstInt {
						fields(in.String()+" const", c)
					}
				}
			}
		}
	}
	if want != now() || changed < 300 {
		t.Fatalf("%d changes tried; undone: %v", changed, want == now())
	}
	m.Func("first").Name = "premier"
	m.Globals[1].Init = nil
	if now() != want {
		t.Error("what main does not reach counts")
	}
}

// variants sets v to other values of its type, one after the other.
func variants(v reflect.Value) func(yield func(undo func()) bool) {
	return func(yield func(func()) bool) {
		old := reflect.New(v.Type()).Elem()
		old.Set(v)
		undo := func() { v.Set(old) }
		set := func(x any) bool { v.Set(reflect.ValueOf(x).Convert(v.Type())); return yield(undo) }
		switch x := v.Interface().(type) {
		case bool:
			set(!x)
		case string:
			set(x + "'")
		case bits.Vec:
			if x.Width() > 0 {
				set(bits.Add(x, bits.New(x.Width(), 1)))
			}
		case verdict.Pos:
			x.Line += 3
			set(x)
		case *verdict.Pos:
			set(&verdict.Pos{File: "y.c", Line: 4})
		case *ir.Type:
			set(&ir.Type{Kind: ir.KindArray, Len: 77, Elem: ir.Int(13)})
		case *ir.Const:
			set(&ir.Const{T: ir.Int(3), Kind: ir.ConstInt, Bits: bits.New(3, 5)})
		case ir.Value:
			set(&ir.Param{Index: 9, Name: "other", T: ir.Int(32)})
		case *ir.Asm:
			set(&ir.Asm{Template: "nop"})
		default:
			other(v, set, undo, yield)
		}
	}
}

func other(v reflect.Value, set func(any) bool, undo func(), yield func(func()) bool) {
	switch {
	case v.CanInt():
		set(v.Int() + 1)
	case v.CanUint():
		set(v.Uint() + 1)
	case v.Kind() == reflect.Slice && v.Len() > 0:
		v.Set(v.Slice(0, v.Len()-1))
		yield(undo)
	case v.Kind() == reflect.Map && v.Len() > 0:
		v.Set(reflect.MakeMap(v.Type()))
		yield(undo)
	}
}

// TestDigestOfMovedFunction: without lines, a function may move as a whole.
func TestDigestOfMovedFunction(t *testing.T) {
	at := func(def, line int) string {
		return fmt.Sprintf(`define i32 @f(i32 %%a) !dbg !4 {
  %%r = add nsw i32 %%a, 1, !dbg !5
  ret i32 %%r, !dbg !5
}
!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!2}
!0 = distinct !DICompileUnit(language: DW_LANG_C99, file: !1, producer: "c", isOptimized: false, runtimeVersion: 0, emissionKind: FullDebug)
!1 = !DIFile(filename: "x.c", directory: "/d")
!2 = !{i32 2, !"Debug Info Version", i32 3}
!3 = !DISubroutineType(types: !{})
!4 = distinct !DISubprogram(name: "f", scope: !1, file: !1, line: %d, type: !3, unit: !0)
!5 = !DILocation(line: %d, column: 3, scope: !4)
`, def, line)
	}
	digest := func(text string, lines bool) string {
		m := parse(t, text)
		return fmt.Sprintf("%x", m.Slice(m.Func("f"), lines).Sum)
	}
	if digest(at(3, 4), false) != digest(at(13, 14), false) {
		t.Error("a function that moved as a whole has another digest without lines")
	}
	if digest(at(3, 4), true) == digest(at(13, 14), true) {
		t.Error("a function that moved has the same digest with lines")
	}
	if digest(at(3, 4), false) == digest(at(3, 5), false) {
		t.Error("a line within the function does not count")
	}
}

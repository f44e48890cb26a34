package ir_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/firmproof/firmproof/verifier/frontend"
	"github.com/firmproof/firmproof/verifier/ir"
)

func parse(t *testing.T, text string) *ir.Module {
	t.Helper()
	m, err := frontend.Parse("x.ll", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestEscapes: an alloca escapes when its address can get into other hands.
func TestEscapes(t *testing.T) {
	m := parse(t, `declare void @use(i8*)
declare void @llvm.memset.p0i8.i32(i8*, i8, i32, i1)
define i32* @f(i1 %c) {
entry:
  %own = alloca i32
  %set = alloca i32
  %passed = alloca i8
  %stored = alloca i8
  %place = alloca i8*
  %left = alloca [4 x i32]
  %right = alloca [4 x i32]
  %number = alloca i32
  %compared = alloca i32
  store i32 1, i32* %own
  %v = load i32, i32* %own
  %b = bitcast i32* %set to i8*
  call void @llvm.memset.p0i8.i32(i8* %b, i8 0, i32 4, i1 false)
  call void @use(i8* %passed)
  store i8* %stored, i8** %place
  %l = getelementptr [4 x i32], [4 x i32]* %left, i32 0, i32 %v
  %r = getelementptr [4 x i32], [4 x i32]* %right, i32 0, i32 %v
  %n = ptrtoint i32* %number to i32
  %e = icmp eq i32* %compared, null
  br i1 %c, label %a, label %z
a:
  br label %z
z:
  %p = phi i32* [ %l, %entry ], [ %r, %a ]
  ret i32* %p
}
`)
	f := m.Func("f")
	esc := ir.Escapes(f)
	var got []string
	for _, i := range f.Blocks[0].Instrs {
		if i.Op == ir.OpAlloca && esc[i] {
			got = append(got, i.Name)
		}
	}
	if want := "passed stored left right number compared"; strings.Join(got, " ") != want {
		t.Errorf("got %v, want %s", got, want)
	}
}

// TestVariadic holds the places of arguments per ABI (computed by hand from the ABI documents).
func TestVariadic(t *testing.T) {
	i8p, i32, i64, dbl := ir.Ptr(32), ir.Int(32), ir.Int(64), &ir.Type{Kind: ir.KindFloat, Width: 64}
	const text = "target datalayout = %q\ntarget triple = %q\ndefine void @f(i32 %%a, ...) {\n  ret void\n}\n"
	for _, c := range []struct{ layout, triple, want string }{
		{"e-m:e-p:32:32-Fi8-i64:64-v128:64:128-a:0:32-n32-S64", "thumbv7m-none-eabi", "start 4 size 32 [4 8 16 20 24]"},
		{"e-m:e-p:32:32-p270:32:32-p271:32:32-p272:64:64-f64:32:64-f80:32-n8:16:32-S128", "i386-none-elf",
			"start 0 size 28 [0 4 12 16 20]"},
		{"e-m:e-p:32:32-i64:64-n32-S128", "riscv32-none-elf", "start 4 size 32 [4 8 16 20 24]"},
		{"e-P1-p:16:8-i8:8-i16:8-i32:8-i64:8-f32:8-f64:8-n8-a:8", "avr", "start 0 size 26 [0 4 12 14 18]"},
		{"e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-f80:128-n8:16:32:64-S128", "x86_64-unknown-linux-gnu",
			"start 0 size 0 [-1 -1 -1 -1 -1] [8 16 24 32 48]"},
	} {
		m := parse(t, fmt.Sprintf(text, c.layout, c.triple))
		ptr := ir.Ptr(m.Layout.PtrBits)
		a, why := m.Variadic(m.Func("f"), []*ir.Type{i32, i64, ptr, i32, dbl})
		if a == nil {
			t.Errorf("%s: %s", c.triple, why)
			continue
		}
		got := fmt.Sprintf("start %d size %d %v", a.Start, a.Size, a.Off)
		if a.RegSize > 0 {
			got += fmt.Sprintf(" %v", a.Reg)
		}
		if got != c.want {
			t.Errorf("%s: got %s, want %s", c.triple, got, c.want)
		}
	}
	m := parse(t, fmt.Sprintf(text, "e-m:e-i64:64", "aarch64-none-elf"))
	if _, why := m.Variadic(m.Func("f"), []*ir.Type{i8p}); why == "" {
		t.Error("aarch64: accepted")
	}
}

func TestQuietAsm(t *testing.T) {
	for text, want := range map[string]bool{"": true, "dsb sy\n\tisb": true, "cpsid i": true, "mrs $0, primask": true,
		"str $0, [$1]": false, "nop; svc 0": false, "bic.w #8, sr $( nop": true, "mov r4, 0(r5)": false,
		"pushf; pop $0; cli": true, "push $0": false,
		"CPSID\ti\n\t@ off; now\n\tdsb // all\n\tisb /* str */": true, "mov @r5+, sr": true,
		"dsb @ x\n\tstr $0, [$1]": false, "nop /* x */; str $0, [$1] // y": false} {
		if got := ir.QuietAsm(&ir.Asm{Template: text}); got != want {
			t.Errorf("%q: got %v", text, got)
		}
	}
}

func TestModelOf(t *testing.T) {
	for name, want := range map[string]ir.Model{"__VERIFIER_nondet_uchar": ir.ModelNondet,
		"llvm.memcpy.p0i8.p0i8.i64": ir.ModelMemcpy, "llvm.ctpop.i8": ir.ModelCtpop,
		"llvm.coro.begin": ir.ModelLLVM, "hal_read": ir.ModelNone, "llvm.fmuladd.f32": ir.ModelMulAdd,
		"llvm.vector.reduce.add.v4i32": ir.ModelReduce} {
		if got := ir.ModelOf(name); got != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
	if op := ir.ReduceOp("llvm.vector.reduce.smax.v4i32"); op != "smax" {
		t.Errorf("got %q", op)
	}
}

// TestDominators: the nearest block that every way to a block passes, in loops and behind branches alike.
func TestDominators(t *testing.T) {
	f := parse(t, `define void @f(i1 %c) {
entry:
  br i1 %c, label %a, label %b
a:
  br label %join
b:
  br i1 %c, label %join, label %trap
join:
  br label %head
head:
  br i1 %c, label %body, label %out
body:
  br i1 %c, label %head, label %trap
out:
  ret void
trap:
  unreachable
dead:
  br label %out
}
`).Func("f")
	var got []string
	for i, d := range f.Dominators() {
		name := "-"
		if d != nil {
			name = d.Name
		}
		got = append(got, f.Blocks[i].Name+"<"+name)
	}
	want := "entry<- a<entry b<entry join<entry head<join body<head out<head trap<entry dead<-"
	if s := strings.Join(got, " "); s != want {
		t.Errorf("%s, want %s", s, want)
	}
}

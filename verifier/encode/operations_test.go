package encode

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/firmproof/firmproof/verifier/bits"
	"github.com/firmproof/firmproof/verifier/frontend"
	"github.com/firmproof/firmproof/verifier/ilr"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// operation is LLVM text that computes %r of type out from %a and %b of type in.
type operation struct{ name, in, out, text string }

// integerOperations lists every binary operation with its flags, comparison and conversion, on three bits.
func integerOperations() []operation {
	var list []operation
	flags := map[string][]string{"exact": {"udiv", "sdiv", "lshr", "ashr"}, "nsw": {"add", "sub", "mul", "shl"},
		"nuw": {"add", "sub", "mul", "shl"}, "nuw nsw": {"add", "sub", "mul", "shl"},
		"": {"add", "sub", "mul", "shl", "lshr", "ashr", "udiv", "sdiv", "urem", "srem", "and", "or", "xor"}}
	for flag, ops := range flags {
		for _, op := range ops {
			list = append(list, operation{op + " " + flag, "i3", "i3", "%r = " + op + " " + flag + " i3 %a, %b"})
		}
	}
	for _, pred := range strings.Fields("eq ne ult ule ugt uge slt sle sgt sge") {
		list = append(list, operation{"icmp " + pred, "i3", "i1", "%r = icmp " + pred + " i3 %a, %b"},
			operation{"icmp of vectors " + pred, "i3", "i1", `%v = insertelement <2 x i3> <i3 1, i3 6>, i3 %a, i32 0
  %c = icmp ` + pred + ` <2 x i3> %v, <i3 3, i3 5>
  %lane = trunc i3 %b to i1
  %l = zext i1 %lane to i32
  %r = extractelement <2 x i1> %c, i32 %l`})
	}
	for _, c := range []string{"trunc i3 %a to i2|i2", "zext i3 %a to i5|i5", "sext i3 %a to i5|i5"} {
		text, out, _ := strings.Cut(c, "|")
		list = append(list, operation{text, "i3", out, "%r = " + text})
	}
	for _, op := range []string{"udiv exact i3 %a, 2", "sdiv exact i3 %a, 2", "sdiv exact i3 %a, 1"} {
		list = append(list, operation{op, "i3", "i3", "%r = " + op})
	}
	return append(list, operation{"select", "i3", "i3", "%c = icmp ult i3 %a, %b\n  %r = select i1 %c, i3 %b, i3 5"})
}

// intrinsicOperations lists LLVM's integer intrinsics on bytes, and functions on characters.
func intrinsicOperations() []operation {
	var list []operation
	two := func(name string) {
		list = append(list, operation{name, "i8", "i8", "%r = call i8 @llvm." + name + ".i8(i8 %a, i8 %b)"})
	}
	for _, name := range strings.Fields("smin smax umin umax uadd.sat usub.sat sadd.sat ssub.sat") {
		two(name)
	}
	for _, name := range strings.Fields("ctpop bitreverse") {
		list = append(list, operation{name, "i8", "i8", "%r = call i8 @llvm." + name + ".i8(i8 %a)"})
	}
	for _, name := range strings.Fields("ctlz cttz abs") {
		for _, poison := range []string{"false", "true"} {
			list = append(list, operation{name + " " + poison, "i8", "i8",
				"%r = call i8 @llvm." + name + ".i8(i8 %a, i1 " + poison + ")"})
		}
	}
	for _, name := range strings.Fields("fshl fshr") {
		list = append(list, operation{name, "i8", "i8", "%r = call i8 @llvm." + name + ".i8(i8 %a, i8 90, i8 %b)"})
	}
	for _, name := range strings.Fields("sadd ssub smul uadd usub umul") {
		for k, out := range []string{"i8", "i1"} {
			list = append(list, operation{fmt.Sprint(name, ".with.overflow ", k), "i8", out,
				"%p = call {i8, i1} @llvm." + name + ".with.overflow.i8(i8 %a, i8 %b)\n" +
					fmt.Sprintf("  %%r = extractvalue {i8, i1} %%p, %d", k)})
		}
	}
	for _, name := range strings.Fields("toupper tolower isdigit isalpha isupper islower isspace isxdigit isalnum " +
		"isprint ispunct isgraph iscntrl isblank toascii isascii") {
		list = append(list, operation{name, "character", "i8",
			"%r32 = call i32 @" + name + "(i32 %a)\n  %r = trunc i32 %r32 to i8"})
	}
	return list
}

func floatOperations() []operation {
	var list []operation
	for _, t := range []string{"float", "double", "x86_fp80"} {
		value := func(x string) string {
			if t == "x86_fp80" {
				return "%" + x + "x = fpext double %" + x + "d to x86_fp80\n  "
			}
			return "%" + x + "x = bitcast " + map[string]string{"float": "i32", "double": "i64"}[t] + " %" + x +
				" to " + t +
				"\n  "
		}
		both := value("a") + value("b")
		in := map[string]string{"float": "i32", "double": "i64", "x86_fp80": "i64"}[t]
		if t == "x86_fp80" {
			both = "%ad = bitcast i64 %a to double\n  %bd = bitcast i64 %b to double\n  " + both
		}
		for _, pred := range strings.Fields("false oeq ogt oge olt ole one ord ueq ugt uge ult ule une uno true") {
			list = append(list, operation{"fcmp " + pred + " " + t, in, "i1", both + "%r = fcmp " + pred + " " + t +
				" %ax, %bx"})
		}
	}
	return append(list, x87Operations()...)
}

// x87Operations lists what is computed with numbers of 80 bits: made of doubles, and of words that may be no numbers.
func x87Operations() []operation {
	var list []operation
	wide := "%ad = bitcast i64 %a to double\n  %bd = bitcast i64 %b to double\n  %ax = fpext double %ad to x86_fp80\n" +
		"  %bx = fpext double %bd to x86_fp80\n  "
	odd := "%az = zext i64 %a to i80\n  %ap = shl i80 %az, 15\n  %ay = or i80 %ap, 18446744073709551616\n" +
		"  %ax = bitcast i80 %ay to x86_fp80\n  %bd = bitcast i64 %b to double\n" +
		"  %bx = fpext double %bd to x86_fp80\n  "
	for _, from := range []struct{ name, text string }{{"", wide}, {" of bits", odd}} {
		for _, op := range strings.Fields("fadd fsub fmul fdiv fneg") {
			args := " x86_fp80 %ax, %bx\n"
			if op == "fneg" {
				args = " x86_fp80 %ax\n"
			}
			for _, at := range []string{"0", "11", "56", "72"} {
				list = append(list, operation{op + " x86_fp80 at " + at + from.name, "i64", "i8", from.text +
					"%rx = " + op + args + "  %rb = bitcast x86_fp80 %rx to i80\n" +
					"  %rs = lshr i80 %rb, " + at + "\n  %r = trunc i80 %rs to i8"})
			}
		}
		list = append(list, operation{"fptrunc x86_fp80" + from.name, "i64", "i8", from.text +
			"%rx = fadd x86_fp80 %ax, %bx\n  %rd = fptrunc x86_fp80 %rx to double\n" +
			"  %rb = bitcast double %rd to i64\n" +
			"  %rs = lshr i64 %rb, 48\n  %r = trunc i64 %rs to i8"},
			operation{"fptosi x86_fp80" + from.name, "i64", "i8", from.text + "%r = fptosi x86_fp80 %ax to i8"},
			operation{"fptoui x86_fp80" + from.name, "i64", "i8", from.text + "%r = fptoui x86_fp80 %ax to i8"},
			operation{"fcmp olt x86_fp80" + from.name, "i64", "i1", from.text + "%r = fcmp olt x86_fp80 %ax, %bx"})
	}
	for _, op := range []string{"sitofp", "uitofp"} {
		list = append(list, operation{op + " x86_fp80", "i64", "i8", "%rx = " + op + " i64 %a to x86_fp80\n" +
			"  %rb = bitcast x86_fp80 %rx to i80\n  %rs = lshr i80 %rb, 60\n  %r = trunc i80 %rs to i8"})
	}
	return list
}

// inputs are the values of %a and %b that are tried.
func (o operation) inputs() []uint64 {
	var out []uint64
	switch o.in {
	case "i3":
		return []uint64{0, 1, 2, 3, 4, 5, 6, 7}
	case "i8":
		return []uint64{0, 1, 2, 3, 7, 8, 9, 90, 127, 128, 129, 254, 255}
	case "character":
		for c := range uint64(256) {
			out = append(out, c)
		}
		return append(out, math.MaxUint32)
	}
	for _, v := range []float64{0, math.Copysign(0, -1), 1, -1, 1.5, math.Inf(1), math.NaN(), 5e-324} {
		if o.in == "i32" {
			out = append(out, uint64(math.Float32bits(float32(v))))
		} else {
			out = append(out, math.Float64bits(v))
		}
	}
	return out
}

// module has main compute the operation of two inputs, and divide by that bit of the result which the third names.
func (o operation) module(t *testing.T) *ir.Module {
	in := strings.ReplaceAll(o.in, "character", "i32")
	input, width := "i64", "nondet_ulong"
	reads := ""
	for _, x := range []string{"a", "b"} {
		if in == "i64" {
			reads += "  %" + x + " = call i64 @nondet_ulong()\n"
			continue
		}
		reads += "  %" + x + "n = call " + input + " @" + width + "()\n  %" + x + " = trunc i64 %" + x + "n to " + in +
			"\n"
	}
	text := `target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"
declare i64 @nondet_ulong()
define i32 @main() {
` + reads + `  %k64 = call i64 @nondet_ulong()
  %k = trunc i64 %k64 to i8
  ` + o.text + "\n"
	if o.out == "i8" {
		text += "  %w = or i8 %r, 0\n"
	} else {
		text += "  %w = zext " + o.out + " %r to i8\n"
	}
	text += `  %s = lshr i8 %w, %k
  %bit = and i8 %s, 1
  %q = udiv i8 1, %bit
  ret i32 0
}
`
	for line := range strings.Lines(o.text) { // declares what is called
		if _, call, ok := strings.Cut(line, "call "); ok {
			sig := strings.TrimSpace(call)
			for _, x := range []string{"%a", "%b", " true", " false", " 90"} {
				sig = strings.ReplaceAll(sig, x, "")
			}
			text += "declare " + sig + "\n"
		}
	}
	return readText(t, text)
}

// readText makes a module of LLVM text.
func readText(t *testing.T, text string) *ir.Module {
	t.Helper()
	file := filepath.Join(t.TempDir(), "t.ll")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	m, err := frontend.Read(file)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return m
}

// TestOperations holds the formulas of single operations to the interpreter, on all inputs of three bits or on those at
// the edges: each bit of the result, and each claim (LangRef).
func TestOperations(t *testing.T) {
	checks := verdict.CheckSet{}
	for _, p := range verdict.Properties() {
		checks[p.Check] = true
	}
	for _, o := range slices.Concat(integerOperations(), intrinsicOperations(), floatOperations()) {
		t.Run(o.name, func(t *testing.T) {
			m := o.module(t)
			opts := Options{Checks: checks}
			f := encodeMain(t, m, opts)
			var vars []ilr.Term
			for v := ilr.Term(1); v <= ilr.Term(f.Store.Len()); v++ {
				if f.Store.Kind(v) == ilr.KVar && f.Store.Width(v) == 64 {
					vars = append(vars, v)
				}
			}
			if len(vars) != 3 {
				t.Fatalf("%d inputs", len(vars))
			}
			second := o.inputs()
			if o.in == "character" {
				second = second[:1]
			}
			for _, a := range o.inputs() {
				for _, b := range second {
					for k := range uint64(8) {
						model := ilr.Model{BV: map[ilr.Term]bits.Vec{vars[0]: bits.New(64, a), vars[1]: bits.New(64, b),
							vars[2]: bits.New(64, k)}}
						if !agree(t, m, f, model, opts) || t.Failed() {
							t.Fatalf("at %#x, %#x, bit %d", a, b, k)
						}
					}
				}
			}
		})
	}
}

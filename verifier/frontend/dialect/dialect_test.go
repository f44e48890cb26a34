package dialect

import (
	"errors"
	"strings"
	"testing"
)

// TestConstructs: each construct that LLVM 14 does not have is brought to one that it has.
func TestConstructs(t *testing.T) {
	for name, c := range map[string]struct{ in, want string }{
		"pointer":         {`  %p = load ptr, ptr %q, align 8`, `  %p = load i8*, i8* %q, align 8`},
		"address space":   {`@f = global ptr addrspace(1) @g`, `@f = global i8 addrspace(1)* @g`},
		"in a structure":  {`%s = type { ptr, [2 x ptr] }`, `%s = type { i8*, [2 x i8*] }`},
		"in metadata":     {`!1 = !{ptr @f, !"ptr"}`, `!1 = !{i8* @f, !"ptr"}`},
		"label":           {"ptr:  ; preds = %ptr\n  br label %ptr", "ptr:  ; preds = %ptr\n  br label %ptr"},
		"quoted":          {`@"a ptr b" = global [4 x i8] c"ptr "`, `@"a ptr b" = global [4 x i8] c"ptr "`},
		"asm":             {`module asm ".ptr nuw memory(none)"`, `module asm ".ptr nuw memory(none)"`},
		"attribute group": {`attributes #0 = { nounwind memory(argmem: read) uwtable(sync) "a"="memory(none)" }`, `attributes #0 = { nounwind uwtable "a"="memory(none)" }`},
		"parameter":       {`declare void @f(ptr dead_on_unwind writable captures(none) initializes((0, 4)) %p)`, `declare void @f(i8* %p)`},
		"result":          {`declare nofpclass(nan) float @f()`, `declare float @f()`},
		"range of intrinsic": {`declare range(i32 0, 33) i32 @llvm.ctlz.i32(i32, i1)`,
			`declare i32 @llvm.ctlz.i32(i32, i1)`},
		"variable": {`@x = global i32 0, no_sanitize_address, code_model "large", align 4`,
			`@x = global i32 0, align 4`},
		"splat": {`  %r = add <4 x i32> %a, splat (i32 1), !dbg !1`,
			`  %r = add <4 x i32> %a, <i32 1, i32 1, i32 1, i32 1>, !dbg !1`},
		"gep nuw": {`  %r = getelementptr inbounds nuw i32, ptr %p, i64 %i, !dbg !1 ; x`,
			`  %r = getelementptr inbounds i32, i8* %p, i64 %i, !dbg !1, !firmproof.nuw !{} ; x`},
		"gep nusw": {`  %r = getelementptr inbounds nusw i32, ptr %p, i64 %i`,
			`  %r = getelementptr inbounds i32, i8* %p, i64 %i`},
		"gep constant": {`@p = global ptr getelementptr inbounds nuw (i8, ptr @a, i64 8)`,
			`@p = global i8* getelementptr inbounds (i8, i8* @a, i64 8)`},
		"gep constant of a call": {`  call void @f(ptr noundef getelementptr inbounds ([3 x i32], ptr getelementptr inbounds nuw (%s, ptr @st, i32 0, i32 1), i64 0, i64 1))` + "\n%s = type { i8, [3 x i32] }",
			`  call void @f(i8* noundef bitcast (i32* getelementptr inbounds ([3 x i32], i8* bitcast ([3 x i32]* getelementptr inbounds (%s, i8* @st, i32 0, i32 1) to i8*), i64 0, i64 1) to i8*))` + "\n%s = type { i8, [3 x i32] }"},
		"gep constant of a comparison": {`  %c = icmp eq ptr %x, getelementptr inbounds nuw (i8, ptr @a, i64 8), !dbg !1`,
			`  %c = icmp eq i8* %x, getelementptr inbounds (i8, i8* @a, i64 8), !dbg !1`},
		"gep constant of an or": {`  %c = or disjoint i64 %x, ptrtoint (ptr getelementptr inbounds nuw (i8, ptr @a, i64 8) to i64)`,
			`  %firmproof.1 = or i64 %x, ptrtoint (i8* getelementptr inbounds (i8, i8* @a, i64 8) to i64)` +
				`  %firmproof.3 = and i64 %x, ptrtoint (i8* getelementptr inbounds (i8, i8* @a, i64 8) to i64)` +
				`  %firmproof.2 = icmp eq i64 %firmproof.3, 0  %c = select i1 %firmproof.2, i64 %firmproof.1, i64 poison`},
		"gep constant of a record": {"declare void @llvm.dbg.value(metadata, metadata, metadata)\n    #dbg_value(ptr getelementptr inbounds nuw (i8, ptr @a, i64 8), !1, !DIExpression(), !2)",
			"declare void @llvm.dbg.value(metadata, metadata, metadata)\n  call void @llvm.dbg.value(metadata i8* getelementptr inbounds (i8, i8* @a, i64 8), metadata !1, metadata !DIExpression()), !dbg !2"},
		"inrange": {`@p = global ptr getelementptr inbounds inrange(-16, 8) ({ [3 x ptr] }, ptr @v, i32 0, i32 0, i32 2)`,
			`@p = global i8* bitcast (i8** getelementptr inbounds ({ [3 x i8*] }, i8* @v, i32 0, i32 0, i32 2) to i8*)`},
		"constant of a named type": {"%s = type <{ i8, [3 x %t] }>\n%t = type { i16, ptr }\n  %r = load i16, ptr getelementptr inbounds (%s, ptr @s, i32 0, i32 1, i32 2, i32 0), align 4",
			"%s = type <{ i8, [3 x %t] }>\n%t = type { i16, i8* }\n  %r = load i16, i8* bitcast (i16* getelementptr inbounds (%s, i8* @s, i32 0, i32 1, i32 2, i32 0) to i8*), align 4"},
		"constant in a constant": {`@p = global ptr getelementptr (i32, ptr getelementptr ([4 x i32], ptr @a, i64 0, i64 1), i64 1)`,
			`@p = global i8* bitcast (i32* getelementptr (i32, i8* bitcast (i32* getelementptr ([4 x i32], i8* @a, i64 0, i64 1) to i8*), i64 1) to i8*)`},
		"contract": {`  %r = fpext contract float %a to double`, `  %r = fpext float %a to double`},
		"label's column": {`!1 = !DILabel(scope: !2, name: "L", file: !3, line: 19, column: 1)`,
			`!1 = !DILabel(scope: !2, name: "L", file: !3, line: 19)`},
		"new field": {`!1 = !DILocation(line: 1, column: 2, scope: !3, atomGroup: 1, atomRank: 2)`,
			`!1 = !DILocation(line: 1, column: 2, scope: !3)`},
		"new field first": {`!1 = !DISubprogram(targetFuncName: "f", name: "g")`, `!1 = !DISubprogram(name: "g")`},
		"no name": {`!1 = distinct !DIGlobalVariable(scope: null, line: 3)`,
			`!1 = distinct !DIGlobalVariable(name: "", scope: null, line: 3)`},
		"thread local": {`  %r = call align 4 ptr @llvm.threadlocal.address.p0(ptr align 4 @t), !dbg !1`,
			`  %r = bitcast i8* @t to i8*, !dbg !1`},
		"lifetime": {`  call void @llvm.lifetime.start.p0(ptr %x) #8, !dbg !1`,
			`  call void @llvm.lifetime.start.p0(i64 -1, i8* %x) #8, !dbg !1`},
		"dbg record": {"declare void @llvm.dbg.declare(metadata, metadata, metadata)\n    #dbg_declare(ptr %x, !1, !DIExpression(), !2)",
			"declare void @llvm.dbg.declare(metadata, metadata, metadata)\n  call void @llvm.dbg.declare(metadata i8* %x, metadata !1, metadata !DIExpression()), !dbg !2"},
		"dbg record of an address": {"declare void @llvm.dbg.value(metadata, metadata, metadata)\n    #dbg_value(ptr inttoptr (i64 94 to ptr), !1, !DIExpression(), !2)",
			"declare void @llvm.dbg.value(metadata, metadata, metadata)\n  call void @llvm.dbg.value(metadata i8* inttoptr (i64 94 to i8*), metadata !1, metadata !DIExpression()), !dbg !2"},
		"dbg assignment's identity": {`!8 = distinct !DIAssignID()`, `!8 = distinct !{}`},
		"dbg assignment":            {`    #dbg_assign(i32 0, !1, !DIExpression(), !2, ptr %x, !DIExpression(), !3)`, ``},
		"call of another type": {"declare i32 @f(...)\n  %r = call i32 (i32, ...) @f(i32 noundef 1)",
			"declare i32 @f(...)\n  %r = call i32 (i32, ...) bitcast (i8* @f to i32 (i32, ...)*)(i32 noundef 1)"},
		"call in an address space": {"declare ptr addrspace(1) @f() addrspace(1)\n  %r = call addrspace(1) ptr addrspace(1) @f()",
			"declare i8 addrspace(1)* @f() addrspace(1)\n  %r = call addrspace(1) i8 addrspace(1)* @f()"},
		"class nan": {"  %r = call i1 @llvm.is.fpclass.f64(double %x, i32 3) #1, !dbg !7",
			"  %firmproof.1 = fcmp uno double %x, 0.0, !dbg !7  %firmproof.class.2 = or i1 %firmproof.1, false, !dbg !7" +
				"  %r = or i1 %firmproof.class.2, false, !dbg !7"},
		"class subnormal": {"  %r = call i1 @llvm.is.fpclass.f32(float %x, i32 128)",
			"  %firmproof.1 = fcmp ogt float %x, 0.0  %firmproof.2 = fcmp olt float %x, 0x3810000000000000" +
				"  %firmproof.3 = and i1 %firmproof.1, %firmproof.2" +
				"  %firmproof.class.4 = or i1 %firmproof.3, false  %r = or i1 %firmproof.class.4, false"},
		"class of a sign of zero": {"  %r = call i1 @llvm.is.fpclass.f32(float %x, i32 32)",
			"  %r = call i1 @llvm.is.fpclass.f32(float %x, i32 32)"},
		"call of too few": {"declare i32 @f(i32)\n  %r = call i32 @f()",
			"declare i32 @f(i32)\n  %r = call i32 () bitcast (i8* @f to i32 ()*)()"},
		"call as declared": {"declare i32 @f(i32 noundef, ...)\n  %r = call i32 (i32, ...) @f(i32 noundef 1, i32 2)",
			"declare i32 @f(i32 noundef, ...)\n  %r = call i32 (i32, ...) @f(i32 noundef 1, i32 2)"},
		"call with a structure": {"define { i32, i32 } @f({ ptr, i8 } %x) {\n  %r = call { i32, i32 } @f({ ptr, i8 } %y)",
			"define { i32, i32 } @f({ i8*, i8 } %x) {\n  %r = call { i32, i32 } @f({ i8*, i8 } %y)"},
		"call through a pointer": {`  %r = call i32 (ptr, ...) %f(ptr %p, i32 1)`,
			`  %firmproof.callee.1 = bitcast i8* %f to i32 (i8*, ...)*  %r = call i32 (i8*, ...) %firmproof.callee.1(i8* %p, i32 1)`},
		"strings over lines": {"@s = global [5 x i8] c\"a\n  call ptr @f()\nb\", align 1",
			"@s = global [5 x i8] c\"a\n  call ptr @f()\nb\", align 1"},
	} {
		got, err := Normalise(c.in)
		if err != nil || got != c.want {
			t.Errorf("%s: %v\ngot  %s\nwant %s", name, err, got, c.want)
		}
	}
}

// TestMeaning: a flag that makes a value poison is written out as the condition under which it is not.
func TestMeaning(t *testing.T) {
	for name, c := range map[string]struct{ in, want string }{
		"trunc nuw": {`  %r = trunc nuw i32 %a to i8, !dbg !1`,
			`  %firmproof.1 = trunc i32 %a to i8, !dbg !1  %firmproof.3 = zext i8 %firmproof.1 to i32, !dbg !1` +
				`  %firmproof.2 = icmp eq i32 %firmproof.3, %a, !dbg !1` +
				`  %r = select i1 %firmproof.2, i8 %firmproof.1, i8 poison, !dbg !1`},
		"trunc nsw": {`  %r = trunc nsw i32 %a to i8`,
			`  %firmproof.1 = trunc i32 %a to i8  %firmproof.3 = sext i8 %firmproof.1 to i32` +
				`  %firmproof.2 = icmp eq i32 %firmproof.3, %a  %r = select i1 %firmproof.2, i8 %firmproof.1, i8 poison`},
		"zext nneg": {`  %r = zext nneg i8 %a to i32`,
			`  %firmproof.1 = zext i8 %a to i32  %firmproof.2 = icmp sge i8 %a, 0` +
				`  %r = select i1 %firmproof.2, i32 %firmproof.1, i32 poison`},
		"uitofp nneg": {`  %r = uitofp nneg i8 %a to float`,
			`  %firmproof.1 = uitofp i8 %a to float  %firmproof.2 = icmp sge i8 %a, 0` +
				`  %r = select i1 %firmproof.2, float %firmproof.1, float poison`},
		"or disjoint": {`  %r = or disjoint i8 %a, 7`,
			`  %firmproof.1 = or i8 %a, 7  %firmproof.3 = and i8 %a, 7  %firmproof.2 = icmp eq i8 %firmproof.3, 0` +
				`  %r = select i1 %firmproof.2, i8 %firmproof.1, i8 poison`},
		"icmp samesign": {`  %r = icmp samesign ult <2 x i8> %a, %b`,
			`  %firmproof.1 = icmp ult <2 x i8> %a, %b  %firmproof.3 = xor <2 x i8> %a, %b` +
				`  %firmproof.2 = icmp sge <2 x i8> %firmproof.3, zeroinitializer` +
				`  %r = select <2 x i1> %firmproof.2, <2 x i1> %firmproof.1, <2 x i1> poison`},
		"icmp of addresses": {`  %r = icmp ult ptr @a, getelementptr inbounds (i32, ptr @a, i64 2), !dbg !1`,
			`  %r = icmp ult i8* bitcast (i8* @a to i8*), bitcast (i32* getelementptr inbounds (i32, i8* @a, i64 2) to i8*), !dbg !1`},
		"range": {`  %r = call range(i32 2, 9) i32 @f(i32 1), !dbg !1`,
			`  %firmproof.1 = call i32 @f(i32 1), !dbg !1  %firmproof.2 = sub i32 %firmproof.1, 2, !dbg !1` +
				`  %firmproof.3 = sub i32 9, 2, !dbg !1  %firmproof.4 = icmp ult i32 %firmproof.2, %firmproof.3, !dbg !1` +
				`  %r = select i1 %firmproof.4, i32 %firmproof.1, i32 poison, !dbg !1`},
		"range of an argument": {`  %r = call i32 @f(ptr %p, i8 noundef range(i8 -1, 9) 7), !dbg !1`,
			`  %firmproof.2 = sub i8 7, -1, !dbg !1  %firmproof.3 = sub i8 9, -1, !dbg !1` +
				`  %firmproof.4 = icmp ult i8 %firmproof.2, %firmproof.3, !dbg !1` +
				`  %firmproof.1 = select i1 %firmproof.4, i8 7, i8 poison, !dbg !1` +
				`  %r = call i32 @f(i8* %p, i8 noundef %firmproof.1), !dbg !1`},
		"range of a result of another type": {"declare i32 @f(...)\n  %r = call range(i32 2, 9) i32 (i32) @f(i32 1) ; c",
			"declare i32 @f(...)\n  %firmproof.1 = call i32 (i32) bitcast (i8* @f to i32 (i32)*)(i32 1)" +
				`  %firmproof.2 = sub i32 %firmproof.1, 2  %firmproof.3 = sub i32 9, 2` +
				`  %firmproof.4 = icmp ult i32 %firmproof.2, %firmproof.3` +
				`  %r = select i1 %firmproof.4, i32 %firmproof.1, i32 poison`},
		"ranges of a definition": {`define internal range(i8 0, 9) i8 @f(i8 noundef range(i8 2, 0) %0, i8 %1) #0 {
  %3 = add i8 %0, %1
  br label %4
4:                                                ; preds = %2
  ret i8 %3, !dbg !1
}
define i8 @g(i8 %0) {
  ret i8 %0
}`, `define internal i8 @f(i8 noundef %0, i8 %1) #0 {
  %firmproof.2 = sub i8 %0, 2  %firmproof.3 = sub i8 0, 2  %firmproof.4 = icmp ult i8 %firmproof.2, %firmproof.3` +
			`  %firmproof.1 = select i1 %firmproof.4, i8 %0, i8 poison  %3 = add i8 %firmproof.1, %1
  br label %4
4:                                                ; preds = %2
  %firmproof.6 = sub i8 %3, 0, !dbg !1  %firmproof.7 = sub i8 9, 0, !dbg !1` +
			`  %firmproof.8 = icmp ult i8 %firmproof.6, %firmproof.7, !dbg !1` +
			`  %firmproof.5 = select i1 %firmproof.8, i8 %3, i8 poison, !dbg !1  ret i8 %firmproof.5, !dbg !1
}
define i8 @g(i8 %0) {
  ret i8 %0
}`},
		"range of a parameter in front of a label": {"define void @f(i8 range(i8 2, 0) %x) {\nentry:\n  ret void\n}",
			"define void @f(i8 %x) {\nentry:\n  %firmproof.2 = sub i8 %x, 2  %firmproof.3 = sub i8 0, 2" +
				"  %firmproof.4 = icmp ult i8 %firmproof.2, %firmproof.3" +
				"  %firmproof.1 = select i1 %firmproof.4, i8 %x, i8 poison  ret void\n}"},
		"fpext nnan": {`  %r = fpext nnan float %a to double, !dbg !1`,
			`  %firmproof.1 = fpext float %a to double, !dbg !1  %r = fadd nnan double %firmproof.1, -0.0, !dbg !1`},
		"gep nuw alone": {`  %r = getelementptr nuw i8, ptr %p, i64 %i`, `  %r = call i8* @"firmproof.unmodelled|1|getelementptr with nuw or nusw and without inbounds"()` + "\n" +
			`declare i8* @"firmproof.unmodelled|1|getelementptr with nuw or nusw and without inbounds"()`},
		"atomicrmw": {`  %r = atomicrmw volatile add ptr %p, i32 1 seq_cst, align 4, !dbg !1`,
			`  %firmproof.1 = bitcast i8* %p to i32*, !dbg !1` +
				`  %r = atomicrmw volatile add i32* %firmproof.1, i32 1 seq_cst, align 4, !dbg !1`},
		"atomicrmw of a byte": {`  %r = atomicrmw add ptr addrspace(1) %p, i8 1 seq_cst`,
			`  %r = atomicrmw add i8 addrspace(1)* %p, i8 1 seq_cst`},
		"atomicrmw in flash": {`  %r = atomicrmw xchg ptr addrspace(1) @p, ptr %v seq_cst`,
			`  %firmproof.1 = bitcast i8 addrspace(1)* @p to i8* addrspace(1)*` +
				`  %r = atomicrmw xchg i8* addrspace(1)* %firmproof.1, i8* %v seq_cst`},
		"a new atomicrmw": {`  %r = atomicrmw uinc_wrap ptr %p, i32 %v seq_cst`, `  %r = call i32 @"firmproof.unmodelled|1|atomicrmw uinc_wrap"()` + "\n" + `declare i32 @"firmproof.unmodelled|1|atomicrmw uinc_wrap"()`},
	} {
		got, err := Normalise(c.in)
		if err != nil || got != c.want {
			t.Errorf("%s: %v\ngot  %s\nwant %s", name, err, got, c.want)
		}
	}
}

// TestRefused: what no instruction can stand for is refused by name, with its line.
func TestRefused(t *testing.T) {
	for in, want := range map[string]string{
		"\n@x = global target(\"spirv.Event\") poison": `line 2: the type target("spirv.Event") is not modelled`,
		"\n%0=trunc nuw":                                                      "line 2: a line that LLVM does not write is not modelled",
		"\n  #dbg_value(0":                                                    "line 2: a line that LLVM does not write is not modelled",
		"declare range(i32 0, 9) i32 @f()":                                    "line 1: the attribute range of a declaration is not modelled",
		"define range(i32 0, 9) i32 @f() { ret i32 7 }":                       "line 1: the attribute range of a function whose body begins on the same line is not modelled",
		"define range(i32 0, 9) i32 @f() {\nx: ret i32 7":                     "line 2: the attribute range of a function that has an instruction beside a label is not modelled",
		"define range(i32 0, 9) i32 @f() {\n  fence seq_cst ret i32 7":        "line 2: the attribute range of a function that has instructions beside a return is not modelled",
		"define range(i8 0, 9) <2 x i8> @f() {":                               "line 1: the attribute range of <2 x i8> is not modelled",
		"\n  %x = invoke range(i32 0, 9) i32 @f()":                            "line 2: the attribute range of an invoke is not modelled",
		"\n\n  call void @f(i64 range(i64 0, 9) ptrtoint (ptr @a to i64))":    "line 3: the attribute range of an operand that is an expression or has no name is not modelled",
		"  %r = trunc nuw i64 ptrtoint (ptr @a to i64) to i8":                 "line 1: trunc with flags of a constant is not modelled",
		"  %r = icmp samesign ult ptr %a, %b":                                 "line 1: icmp samesign of pointers is not modelled",
		"  call void @f(ptr getelementptr inbounds nuw (i8, ptr @a, i64 -8))": "line 1: a constant getelementptr with nuw or nusw is not modelled",
		"  %c = icmp eq ptr %x, getelementptr nusw (i8, ptr @a, i64 8)":       "line 1: a constant getelementptr with nuw or nusw is not modelled",
		"@p = global ptr getelementptr nuw (i8, ptr @a, i64 -8)":              "line 1: a constant getelementptr with nuw or nusw is not modelled",
		"  %r = add <vscale x 4 x i32> %a, splat (i32 1)":                     "line 1: splat of a scalable vector is not modelled",
	} {
		_, err := Normalise(in)
		var e *Error
		if !errors.As(err, &e) || err.Error() != want {
			t.Errorf("%q: %v, want %s", in, err, want)
		}
	}
}

// old is text as LLVM 14 writes it, with names and strings that look like what is new.
const old = `; ModuleID = 'ptr nuw'
source_filename = "ptr.c"
target triple = "x86_64"

%struct.ptr = type { i32*, [2 x i8] }

@"ptr nuw" = global i32* @ptr, align 8, !dbg !0
@s = constant [5 x i8] c"ptr \00"
@fp = global i32 (i8*, ...)* null

declare i32 @v(i8* nocapture, ...) #0
declare dso_local zeroext { i32, i32 } @st({ i32, [2 x i8]* } noundef, <4 x i32>)
declare i8* (i32)* @ret(i32 (i8*)** %p)

define i32 @f(%struct.ptr* noundef %p, i32 %memory) #1 !dbg !3 {
entry:
  %a = getelementptr inbounds %struct.ptr, %struct.ptr* %p, i32 0, i32 1, i64 1, !dbg !4
  %g = load i32 (i8*, ...)*, i32 (i8*, ...)** @fp
  %b = call i32 (i8*, ...) %g(i8* %a, i32 -1), !dbg !4
  %c = call i32 (i8*, ...) @v(i8* nonnull %a)
  %e = call { i32, i32 } @st({ i32, [2 x i8]* } %x, <4 x i32> zeroinitializer)
  %d = tail call fast double @h(double 0x3FF0000000000000), !dbg !4
  %k = call i8* (i32)* @ret(i32 (i8*)** null)
  call void asm sideeffect "nop ; ptr", "=*m,~{memory}"(i32* elementtype(i32) @ptr)
  br label %nuw
nuw:                                              ; preds = %entry
  ret i32 %c
}

attributes #0 = { nounwind readnone uwtable "x"="memory(none)" }
attributes #1 = { noinline }
!0 = !DIGlobalVariableExpression(var: !1, expr: !DIExpression())
!1 = !DIGlobalVariable(name: "column: 1, newField: 2", scope: !2, line: 1)
!5 = !DILabel(scope: !3, name: "x", file: !2, line: 1)
`

// TestOld: text of LLVM 14 stays as it is.
func TestOld(t *testing.T) {
	if got, err := Normalise(old); err != nil || got != old {
		t.Errorf("%v\n%s", err, got)
	}
}

// FuzzNormalise: no text makes it fail in another way than by an Error, and lines stay where they are.
func FuzzNormalise(f *testing.F) {
	f.Add(old)
	f.Add("  %r = trunc nuw i32 %a to i8\n    #dbg_declare(ptr %x, !1, !DIExpression(), !2)")
	f.Add("  %r = call range(i32 2, 9) i32 @f(i32 1)\n@p = global ptr getelementptr nuw (i8, ptr @a, i64 8)")
	f.Add("  %r = icmp samesign ult <2 x i8> %a, splat (i8 1)\n  %x = call i32 (ptr, ...) %f(ptr %p)")
	f.Add("define range(i8 0, 9) i8 @f(i8 range(i8 2, 0) %x) {\n    #dbg_value(i8 %x, !1, !2, !3)\n  ret i8 %x\n}")
	f.Fuzz(func(t *testing.T, in string) {
		once, err := Normalise(in)
		if err != nil {
			return
		}
		if strings.Count(once, "\n") < strings.Count(in, "\n") {
			t.Errorf("lines are lost: %q", once)
		}
	})
}

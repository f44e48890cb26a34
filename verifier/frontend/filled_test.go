package frontend

import (
	"fmt"
	"strings"
	"testing"

	"github.com/firmproof/firmproof/verifier/ir"
)

// filledText is what clang 22 makes of initialisers: of %b a constant with the byte at 1 filled, of the others a memset.
const filledText = `target datalayout = "e-m:e-i64:64-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"
%struct.b = type { i8, i16 }
%struct.pk = type { i8, [3 x i8], i32 }
@__const.f.b = private unnamed_addr constant { i8, i8, i16 } { i8 1, i8 0, i16 2 }, align 2
@__const.f.pk = private unnamed_addr constant %struct.pk { i8 1, [3 x i8] zeroinitializer, i32 2 }, align 4
define void @f(ptr sret(%struct.b) %out) !dbg !4 {
  %b = alloca %struct.b, align 2
  %pk = alloca %struct.pk, align 4
  %u = alloca i32, align 4
  call void @llvm.memcpy.p0.p0.i64(ptr %b, ptr @__const.f.b, i64 4, i1 false), !dbg !7
  call void @llvm.memcpy.p0.p0.i64(ptr %pk, ptr @__const.f.pk, i64 8, i1 false), !dbg !7
  %1 = getelementptr i8, ptr %b, i64 1, !dbg !7
  call void @llvm.memset.p0.i64(ptr align 1 %1, i8 0, i64 1, i1 false), !dbg !7
  %2 = getelementptr i8, ptr %out, i64 1, !dbg !7
  call void @llvm.memset.p0.i64(ptr align 1 %2, i8 0, i64 1, i1 false), !dbg !7
  %add.ptr = getelementptr i8, ptr %b, i64 1, !dbg !7
  call void @llvm.memset.p0.i64(ptr align 1 %add.ptr, i8 0, i64 1, i1 false), !dbg !7
  %3 = getelementptr i8, ptr %u, i64 1, !dbg !7
  call void @llvm.memset.p0.i64(ptr align 1 %3, i8 0, i64 3, i1 false), !dbg !7
  ret void
}
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!2, !3}
!0 = distinct !DICompileUnit(language: DW_LANG_C11, file: !1, producer: "PRODUCER", emissionKind: FullDebug)
!1 = !DIFile(filename: "a.c", directory: "/")
!2 = !{i32 2, !"Debug Info Version", i32 3}
!3 = !{i32 1, !"wchar_size", i32 4}
!4 = distinct !DISubprogram(name: "f", scope: !1, file: !1, line: 1, type: !5, unit: !0, spFlags: DISPFlagDefinition)
!5 = !DISubroutineType(types: !6)
!6 = !{null}
!7 = !DILocation(line: 2, column: 1, scope: !4)
`

// TestFilled: bytes that clang fills from 20 on, and C leaves open, have any value, as with older versions; where types
// do not tell, that they are zero is a guess. What the program writes itself stays.
func TestFilled(t *testing.T) {
	for producer, want := range map[string]string{
		"Debian clang version 22.1.8": "any 1, memset 2, guesses 2", // the constant of %pk and %u, without types of C
		"clang version 19.1.7":        "any 0, memset 4, guesses 0",
		"another":                     "any 1, memset 2, guesses 2",
	} {
		m, err := Parse("a.ll", []byte(strings.ReplaceAll(filledText, "PRODUCER", producer)))
		if err != nil {
			t.Fatal(err)
		}
		any, sets, guesses := 0, 0, 0
		for _, b := range m.Func("f").Blocks {
			for _, in := range b.Instrs {
				if in.Op == ir.OpFreeze {
					any++
				}
				if in.Model == ir.ModelMemset {
					sets++
				}
				guesses += len(in.Assumes)
			}
		}
		if got := fmt.Sprintf("any %d, memset %d, guesses %d", any, sets, guesses); got != want {
			t.Errorf("%s: %s, want %s", producer, got, want)
		}
	}
}

// TestInDeclared: what bytes of an object are, by its type in C.
func TestInDeclared(t *testing.T) {
	char, word := &ir.DType{Kind: ir.DChar, Bits: 8}, &ir.DType{Kind: ir.DInt, Bits: 32}
	three := &ir.DType{Kind: ir.DArray, Bits: 24, Elem: char, Count: 3}
	field := func(t *ir.DType, at int64) ir.DField {
		return ir.DField{T: t, BitOff: 8 * at, BitSize: int64(t.Bits)}
	}
	padded := &ir.DType{Kind: ir.DStruct, Bits: 64, Fields: []ir.DField{field(char, 0), field(word, 4)}}
	full := &ir.DType{Kind: ir.DStruct, Bits: 32, Fields: []ir.DField{field(char, 0), field(three, 1)}}
	plain := &ir.DType{Kind: ir.DUnion, Bits: 32, Fields: []ir.DField{field(char, 0), field(word, 0)}}
	either := &ir.DType{Kind: ir.DUnion, Bits: 32, Fields: []ir.DField{field(char, 0), field(full, 0)}}
	array := &ir.DType{Kind: ir.DArray, Bits: 128, Elem: padded, Count: 2}
	bits := &ir.DType{Kind: ir.DStruct, Bits: 32, Fields: []ir.DField{{T: word, BitSize: 3, IsBits: true},
		{T: word, BitOff: 3, BitSize: 20, IsBits: true}}}
	for _, c := range []struct {
		t    *ir.DType
		s    span
		want belongs
	}{
		{padded, span{1, 3}, toNothing}, {padded, span{0, 1}, toMember}, {padded, span{4, 1}, toScalar},
		{padded, span{1, 2}, toScalar}, {full, span{1, 3}, toMember}, {plain, span{1, 3}, toNothing},
		{either, span{1, 3}, toEither}, {array, span{9, 3}, toNothing}, {array, span{12, 4}, toMember},
		{array, span{6, 4}, toScalar}, {bits, span{1, 1}, toScalar}, {bits, span{3, 1}, toNothing},
	} {
		if got := inDeclared(c.t, c.s); got != c.want {
			t.Errorf("%v %v: %d, want %d", c.t.Kind, c.s, got, c.want)
		}
	}
}

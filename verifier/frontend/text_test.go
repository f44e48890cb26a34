package frontend

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/firmproof/firmproof/verifier/ir"
)

// TestErrors holds the messages for what is no LLVM 14 text.
func TestErrors(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"empty", " \n", "x.ll: empty file, LLVM IR text expected"},
		{"bitcode", "BC\xc0\xde\x01", "x.ll: LLVM bitcode, LLVM IR text expected (llvm-dis converts it)"},
		{"object", "\x7fELF\x02\x01", "x.ll: object file, LLVM IR text expected (compile with -S -emit-llvm)"},
		{"binary", "define\n\x00\x01", "x.ll:2: binary data, LLVM IR text expected"},
		{"c", "int main(void) { return 0; }\n", "x.ll:1: not text of LLVM 14 to 22: \"int main(void) { return 0; }\""},
		{"truncated", "define i32 @f() {\n  %x = add i32 1, 2\n  ret i3",
			"x.ll:3: truncated: the last function is not closed: \"ret i3\""},
		{"newer", "define void @f(ptr %p) {\n  ret ptr ]\n}\n",
			"x.ll:2: not text of LLVM 14 to 22: \"ret ptr ]\""},
		{"refused", "declare void @f(i32 range(i32 0, 9))\n",
			"x.ll: line 1: the attribute range of a declaration is not modelled"},
		{"layout", "target datalayout = \"e-p:x\"\n",
			"x.ll: data layout \"e-p:x\": part \"p:x\": strconv.Atoi: parsing \"x\": invalid syntax"},
		{"undefined", "define i32 @f() {\n  ret i32 %nothing\n}\n",
			"x.ll: not text of LLVM 14 to 22: unable to locate local identifier \"%nothing\" of \"@f\""},
	} {
		_, err := Parse("x.ll", []byte(c.text))
		if err == nil || err.Error() != c.want {
			t.Errorf("%s: got  %v\nwant %s", c.name, err, c.want)
		}
	}
	if _, err := Read(filepath.Join(t.TempDir(), "none.ll")); !os.IsNotExist(err) {
		t.Errorf("missing file: got %v", err)
	}
}

// TestMended holds the lines that need the pre-pass (mend.go).
func TestMended(t *testing.T) {
	const text = `declare noalias align 8 i8* @get(i32)
define align 4 i32* @f(i32* align 4 %p) {
  %q = call align 8 i8* @get(i32 4)
  %x = ptrtoint i8* %q to i32
  %y = freeze i32 %x, !dbg !0
  ret i32* %p
}
!0 = !{}
`
	m, err := Parse("x.ll", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	if s := m.String(); !strings.Contains(s, "%y = freeze i32 %x") || !strings.Contains(s, "call ptr @get(i32 4)") {
		t.Errorf("got\n%s", s)
	}
	const plain = "define i32 @f() {\n  %x = call i32 @g(i32 align 4 1)\n  ret i32 %x\n}\n"
	if mend(plain) != plain {
		t.Errorf("healthy text was changed to\n%s", mend(plain))
	}
}

// TestRoot: file names are relative to the compiler's folder, or to the given root.
func TestRoot(t *testing.T) {
	const text = `define void @f() !dbg !3 {
  ret void, !dbg !5
}
!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!6}
!0 = distinct !DICompileUnit(language: DW_LANG_C99, file: !1, emissionKind: FullDebug)
!1 = !DIFile(filename: "../src/a.c", directory: "/home/u/p/build")
!2 = !DIFile(filename: "src/a.h", directory: "/home/u/p")
!3 = distinct !DISubprogram(name: "f", scope: !1, file: !1, line: 3, type: !4, unit: !0)
!4 = !DISubroutineType(types: !{})
!5 = !DILocation(line: 7, column: 2, scope: !8)
!6 = !{i32 2, !"Debug Info Version", i32 3}
!8 = !DILexicalBlockFile(scope: !3, file: !2, discriminator: 0)
`
	for root, want := range map[string][2]string{
		"":          {"/home/u/p/src/a.c:3", "/home/u/p/src/a.h:7:2"},
		"/home/u/p": {"src/a.c:3", "src/a.h:7:2"},
	} {
		m, err := Options{Root: root}.Parse("x.ll", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		f := m.Func("f")
		if got := [2]string{f.Pos.String(), f.Blocks[0].Term().Pos.String()}; got != want {
			t.Errorf("root %q: got %v, want %v", root, got, want)
		}
	}
}

// TestBroken: the invariant checker sees what is broken.
func TestBroken(t *testing.T) {
	fresh := func() *ir.Module {
		m, err := Parse("x.ll",
			[]byte("define i32 @f(i32 %a) {\n  %b = add i32 %a, 1\n  %c = mul i32 %b, %a\n  ret i32 %c\n}\n"))
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	for name, spoil := range map[string]func(b *ir.Block){
		"operand of another type": func(b *ir.Block) {
			b.Instrs[0].Args[1] = &ir.Const{T: ir.Int(8),
				Kind: ir.ConstInt}
		},
		"operand missing":     func(b *ir.Block) { b.Instrs[1].Args[0] = nil },
		"foreign instruction": func(b *ir.Block) { b.Instrs[1].Args[0] = &ir.Instr{T: ir.Int(32)} },
		"ids out of order":    func(b *ir.Block) { b.Instrs[0].ID = 5 },
		"terminator in the middle": func(b *ir.Block) {
			b.Instrs[1] = &ir.Instr{ID: 1, Op: ir.OpRet, T: ir.Void(), Block: b, Pos: b.Instrs[0].Pos}
		},
		"no position": func(b *ir.Block) { b.Instrs[0].Pos = nil },
	} {
		m := fresh()
		if err := ir.Check(m); err != nil {
			t.Fatal(err)
		}
		spoil(m.Func("f").Blocks[0])
		if ir.Check(m) == nil {
			t.Errorf("%s: not noticed", name)
		}
	}
}

package compile

import "testing"

// TestReadFunctions: names in UTF-8 are read as LLVM prints them.
func TestReadFunctions(t *testing.T) {
	text := []byte(`define i32 @"gr\C3\B6\C3\9Fer"(i32 %0) !dbg !1 {
  ret i32 0
}
!1 = distinct !DISubprogram(name: "x", file: !2, line: 3)
!2 = !DIFile(filename: "z\C3\A4hler.c", directory: "/ordner_\C3\A4")
`)
	f := readFunctions(text)
	if len(f) != 1 || f[0].Name != "größer" || f[0].File != "/ordner_ä/zähler.c" || f[0].Line != 3 {
		t.Errorf("functions: %+v", f)
	}
}

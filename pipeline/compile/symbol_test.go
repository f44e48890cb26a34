package compile

import "testing"

// TestSymbol: names in UTF-8 are read and written as LLVM prints them.
func TestSymbol(t *testing.T) {
	for text, name := range map[string]string{`main`: "main", `"gr\C3\B6\C3\9Fer"`: "größer", `"a b\22"`: `a b"`} {
		if got := symbolOf([]byte(text)); got != name {
			t.Errorf("symbolOf(%s) = %q", text, got)
		}
		if got := quotedSymbol(name); text[0] == '"' && got != text {
			t.Errorf("quotedSymbol(%q) = %s", name, got)
		}
	}
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

package compile

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestUnlike: what GCC lays out or measures otherwise than clang is refused by its name where it stands, and elsewhere not.
func TestUnlike(t *testing.T) {
	for _, c := range []struct {
		target, line string
		refused      bool
	}{
		{"x86_64", "struct __attribute__((ms_struct)) s { char c; int f : 3; } s;", false},
		{"x86_64", "struct __attribute__((ms_struct, packed)) s { char c; int f : 3; } s;", true},
		{"i386", "struct __attribute__((__packed__)) __attribute__((__ms_struct__)) s { char c; int f : 3; } s;", true},
		{"cortex-m3", "struct __attribute__((ms_struct)) s { char c; int f : 3; } s;", true},
		{"cortex-m3", "struct s { char ms_struct; } s;", false},
		{"cortex-m3", "struct __attribute__((packed)) s { char c; int f : 3; } s;", false},
		{"x86_64", "#pragma ms_struct on", true},
		{"x86_64", "#pragma ms_struct off", false},
		{"i386", "unsigned char s[sizeof(max_align_t)];", true},
		{"x86_64", "unsigned char s[sizeof(max_align_t)];", false},
		{"avr", "unsigned char s[_Alignof(short)];", true},
		{"cortex-m3", "unsigned char s[_Alignof(short)];", false},
		{"msp430", "wchar_t s[4];", true},
		{"msp430", "const void *s = L\"x\";", true},
		{"msp430", "int NULL_L = 1; const char *s = \"x\";", false},
		{"msp430", `const char *s = "5 L", *r = "a wchar_t", c = 'L';`, false},
		{"cortex-m3", "wchar_t s[4];", false},
	} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "a.c"), []byte("#include <stddef.h>\n"+c.line+"\nint main(void) { return 0; }\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := Compile(context.Background(), Request{File: "a.c", Dir: dir, Root: dir, Target: load(t, c.target), WorkDir: t.TempDir()})
		var fault *BuildError
		if c.refused != errors.As(err, &fault) || err != nil && !c.refused {
			t.Errorf("%s: %s: %v", c.target, c.line, err)
		}
		if fault != nil && (fault.Diagnostics[0].Line != 2 || !strings.Contains(fault.Diagnostics[0].Message, "GCC")) {
			t.Errorf("%s: %+v", c.line, fault.Diagnostics[0])
		}
	}
}

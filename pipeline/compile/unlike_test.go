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

// TestUnlikeOfCompilers: a type that the build's compiler lays out in a way of its own is refused where a file has something of
// it, and where compilers differ in more, all is.
func TestUnlikeOfCompilers(t *testing.T) {
	describe := func(list []string) string { return strings.Join(list, ", ") }
	left := []string{"the size of long double", "the bytes of 1.5L", "__LDBL_MANT_DIG__"}
	if got := onlyUnlike(append(left, "the size of double"), describe); got != nil {
		t.Errorf("%v", got)
	}
	differ := onlyUnlike(left, describe)
	if len(differ) != 1 || !strings.HasSuffix(differ[0].why, "the size of long double, the bytes of 1.5L, __LDBL_MANT_DIG__") {
		t.Fatalf("%v", differ)
	}
	for line, refused := range map[string]bool{
		"long double x;": true, "double long x;": true, "double x = 1.5L;": true, "double x = .5l + 2;": true, "double x = 1e3L;": true,
		"double x = 0x1p3L;": true, "double sinl(double); double y(double x) { return sinl(x); }": true,
		"long x = 10L; double y = 1.5; unsigned long z = 0x10L;": false, "long a; double b;": false, `char *s = "long double 1.5L";`: false,
		"int signal_l, ceill_;": false,
	} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "a.c"), []byte("#include <stddef.h>\n"+line+"\nint main(void) { return 0; }\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := Compile(context.Background(), Request{File: "a.c", Dir: dir, Root: dir, Target: load(t, "avr"), WorkDir: t.TempDir(), unlike: differ})
		var fault *BuildError
		if refused != errors.As(err, &fault) || err != nil && !refused {
			t.Errorf("%s: %v", line, err)
		}
	}
}

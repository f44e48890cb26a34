package extensions

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
)

// TestRewrite: words of other compilers become clang's, at the same lines, and other text stays as it is.
func TestRewrite(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"int x; char *s = \"__irq @\";\n", ""},
		{"struct s { int __irqs; } a;\nint f(void) { __asm volatile (\"nop\"); asm(\"nop\"); return 0; }\n", ""},
		{"int interrupt(void); int cregister;\nint g(int interrupt) { return interrupt; }\n", ""},
		{"__packed struct S { char c; };", " struct __attribute__((packed)) S { char c; };"},
		{"struct U { char c;\n __packed int i; };",
			"typedef int packed_type_1 __attribute__((aligned(1))); struct U { char c;\n  packed_type_1  i; };"},
		{"int f(void *p)\n{ return *(__packed unsigned\nlong *)p; }", "typedef unsigned long packed_type_1 " +
			"__attribute__((aligned(1))); int f(void *p)\n{ return *( packed_type_1 \n *)p; }"},
		{"__no_init int n;", noInit + " int n;"},
		{"# 1 \"a.c\"\n#pragma object_attribute=__no_init\nint n;\n", "# 1 \"a.c\"\n" + noInit + "\nint n;\n"},
		{"#pragma NOINIT(b)\nint a = 1;\nstatic int b[2], *c = &a;\nint *d = b;\n", "#pragma NOINIT(b)\nint a = 1;\n" +
			noInit + " static int b[2], *c = &a;\nint *d = b;\n"},
		{"int f(int b) { return b; }\n#pragma PERSISTENT ( b )\nint b = 3;\n", "int f(int b) { return b; }\n" +
			"#pragma PERSISTENT ( b )\n" + noInit + " int b = 3;\n"},
		{"#pragma location=0x40\n__no_init volatile char R;\nint f(void) { return R; }",
			"\n    ;\nint f(void) { return (*(volatile char *)(0x40)); }"},
		{"#pragma LOCATION(R, 0x40);\nvolatile char R;\nint f(void) { return R; }",
			"\n    ;\nint f(void) { return (*(volatile char *)(0x40)); }"},
		{"volatile char R __attribute__((at(0x40u)));\nint f(void) { return R; }",
			"   ;\nint f(void) { return (*(volatile char *)(0x40)); }"},
		{"__attribute__((at(64))) volatile char R;\nint f(void) { return R; }",
			"   ;\nint f(void) { return (*(volatile char *)(64)); }"},
		{"#pragma location=0x30040000\nint table[4];\nint u __attribute__((at(0x20000000)));\n", ""},
		{"#pragma location=\".ram\"\nvolatile int x;\n", ""},
		{"int x @ \".ram\" = 1;", `int x __attribute__((section(".ram"))) = 1;`},
		{"void f(void) @ \".ram\" { }", "void f(void)   { }"},
		{"__no_init volatile char R @ 0x40;\nint f(void) { s.R = 1; R = 2; return p->R; }",
			"    ;\nint f(void) { s.R = 1; (*(volatile char *)(0x40)) = 2; return p->R; }"},
		{"__asm int f(int a)\n{\n MOV r0, #1 ; don't } stop\n}\nint x;", " int f(int a)\n;\n     \n\nint x;"},
		{"void f(void) { __asm { NOP\n MOV x, #2 } }",
			"void f(void) { __asm__ volatile(\"NOP\\narmcc: MOV x, #2\" ::: \"memory\");  \n    }"},
		{"__align(8) char b[8]; __svc(1) int s(int);",
			"__attribute__((aligned(8))) char b[8];  int s(int);"},
		{"interrupt void t(void) {}\nextern cregister volatile int IER;",
			" void t(void) {}\nextern  volatile int IER;"},
	} {
		got, fault := Rewrite([]byte(c.in))
		if fault != nil {
			t.Errorf("%q: %s", c.in, fault.Message)
			continue
		}
		if c.want == "" {
			c.want = c.in
		}
		squeeze := func(s string) string { return strings.Join(strings.Fields(s), " ") }
		if squeeze(string(got)) != squeeze(c.want) || bytes.Count(got, []byte("\n")) != strings.Count(c.in, "\n") {
			t.Errorf("%q: want and got\n%q\n%q", c.in, c.want, got)
		}
	}
	const bits = "bit-fields of a packed"
	for _, c := range [][2]string{
		{"# 7 \"dir/a.c\" 2\nint y;\nint x[3] @ 0x2000;\n", "dir/a.c:8 `@ 0x2000`"},
		{"__packed struct { unsigned char a : 4, b : 5; };", ":1 " + bits},
		{"__packed struct {\nuint16_t a : 4;\nuint16_t b : 13; };", ":3 " + bits},
		{"__packed struct {\nuint16_t a : 4;\nuint8_t b : 4; };", ":3 " + bits},
		{"__packed struct { uint32_t a : 4; };", ":1 " + bits},
		{"__packed struct { uint32_t a : 4; int x; };", ":1 " + bits},
		{"struct {\n__packed uint32_t a : 8; };", ":2 " + bits},
		{"__packed struct { u8 a : 8; };", ":1 " + bits},
		{"__packed struct {\nuint8_t a : N; };", ":2 " + bits},
		{"__packed struct {\nuint8_t : 0; };", ":2 " + bits},
		{"__packed struct { uint8_t a : 4; uint8_t b : 4; uint16_t c : 4, d : 12; uint16_t e[2]; };", ""},
		{"__packed struct { unsigned char a : 8; struct { int i : 30; int j : 7; } s; char b : 8; };", ""},
	} {
		text, want := c[0], c[1]
		_, fault := Rewrite([]byte(text))
		got := ""
		if fault != nil {
			got = fmt.Sprintf("%s:%d %s", fault.File, fault.Line, fault.Message)
		}
		if !strings.HasPrefix(got, want) || want == "" && got != "" {
			t.Errorf("%q: want %q, got %q", text, want, got)
		}
	}
}

// TestHasPragma: each pragma and attribute is seen in a text with others, and no word of one without the rest.
func TestHasPragma(t *testing.T) {
	const around = "typedef int t __attribute__((aligned(4)));\n#pragma pack(1)\nvolatile t location;\n"
	for text, want := range map[string]bool{
		"#pragma object_attribute=__no_init\nint a;":                        true,
		" # pragma object_attribute = __no_init\nint a;":                    true,
		"#pragma NOINIT(a)\nint a;":                                         true,
		"#pragma PERSISTENT ( a )\nint a;":                                  true,
		"#pragma location=0x40\nvolatile unsigned char a;":                  true,
		"#pragma LOCATION(a, 0x40);\nvolatile unsigned char a;":             true,
		"__attribute__((at(0x40))) volatile unsigned char a;":               true,
		"volatile unsigned char a __attribute__ \t(( at ( 0x40 ) )) ;":      true,
		"unsigned char a __attribute__((at(0x40)));":                        false,
		"volatile unsigned char a __attribute__((section(\"at(0x40)\")));":  false,
		"int NOINIT, PERSISTENT, LOCATION, object_attribute, __attribute__": false,
		"": false,
	} {
		if got := HasPragma([]byte(around + text + "\n" + around)); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}

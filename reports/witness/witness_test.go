package witness

import (
	"strings"
	"testing"

	"github.com/firmproof/firmproof/verifier/verdict"
)

const sample = `# 1 "src/a.c"
int f(a, b) int a; int b; { return a ? b : (a > b ? 1 : 2); }
struct s { int v[2]; } g = { { 1, 2 } };
#define M(x) \
	do { x; } while (0)
int main(void) {
	int u, v; /* ; { */ char *t = "};";
	for (int i = 0; i < f(1, 2); i++) { if (u && v) { v = ({ int w = 1; w; }); } else do v--; while (v); }
l:	switch (u) { case 1: return 1; default: ; }
# 3 "src/a.c"
	while (t) t = 0;
}
`

// TestStatements: what holds a place is the smallest statement or condition around it.
func TestStatements(t *testing.T) {
	s := parse("a.c", sample)
	begin := func(i int, ok bool) string {
		if !ok {
			return ""
		}
		return s.tokens[i].text
	}
	for _, c := range []struct {
		line       int
		at         string // where the line has it first
		statement  string // the token that it begins with
		of         string // the keyword that it decides
		functionOf bool
	}{
		{1, "b :", "return", "", true},
		{6, "u,", "int", "", true},
		{6, "char", "char", "", true},
		{7, "i < f", "i", "for", true},
		{7, "u && v", "u", "if", true},
		{7, "w = 1", "int", "", true},
		{7, "v);", "v", "do", true},
		{8, "u)", "u", "switch", true},
		{2, "v[2]", "", "", false},
	} {
		line := strings.Split(sample, "\n")[c.line]
		i, ok := s.at[[2]int{c.line + 1, strings.Index(line, c.at) + 1}]
		if !ok {
			t.Fatalf("no token at %q", c.at)
		}
		e, found := s.statement(i)
		if got := begin(e.from, found); got != c.statement {
			t.Errorf("%q: statement begins with %q, want %q", c.at, got, c.statement)
		}
		d, found := s.decides(i, "if", "for", "do", "while", "switch")
		if got := begin(d.keyword, found); got != c.of {
			t.Errorf("%q decides %q, want %q", c.at, got, c.of)
		}
		inside := false
		for _, f := range s.functions {
			inside = inside || f.holds(i)
		}
		if inside != c.functionOf {
			t.Errorf("%q is in a function: %t", c.at, inside)
		}
	}
	if len(s.functions) != 2 {
		t.Errorf("functions: %v", s.functions)
	}
}

// TestLines: a line that directives name twice is no certain place.
func TestLines(t *testing.T) {
	s := parse("a.c", sample)
	for line, want := range map[int]int{1: 2, 2: 3, 3: 0, 4: 0, 5: 6} { // 3 and 4 stand in the text twice
		if got, ok := s.line(verdict.Pos{File: "src/a.c", Line: line}); got != want || ok != (want > 0) {
			t.Errorf("line %d: %d, want %d", line, got, want)
		}
	}
	if _, ok := s.line(verdict.Pos{File: "other/a.c", Line: 1}); ok {
		t.Error("another file has a line here")
	}
}

// TestBroken: pieces of C, and what is none, are read to their end.
func TestBroken(t *testing.T) {
	for i := 0; i < len(sample); i += 5 {
		parse("a.c", sample[:i])
		parse("a.c", sample[i:])
	}
	for _, text := range []string{"(((((", "}}}}", strings.Repeat("{(", 5000), strings.Repeat("if(x)", 5000), "'", "/*",
		"do while for ( ; if (", "int f() {" + strings.Repeat("({", 5000)} {
		parse("a.c", text)
	}
}

// TestConstants: values are constants of C that are equal to them.
func TestConstants(t *testing.T) {
	for _, c := range []struct{ typ, value, bytes, want string }{
		{"int", "-5", "fb ff ff ff", "-5"},
		{"char", "'a'", "61", "97"},
		{"unsigned char", "200", "c8", "200"},
		{"unsigned int", "4294967295", "ff ff ff ff", "4294967295"},
		{"unsigned long", "18446744073709551615", "ff ff ff ff ff ff ff ff", "18446744073709551615ULL"},
		{"long", "", "00 00 00 00 00 00 00 80", "(-9223372036854775807LL - 1)"},
		{"double", "0.375", "00 00 00 00 00 00 d8 3f", "0x1.8p-02"},
		{"float", "", "00 00 c0 7f", ""},
		{"void *", "NULL", "", "0"},
		{"void *", "&x", "", ""},
	} {
		got, ok := constant(&verdict.Step{Type: c.typ, Value: c.value, Bytes: c.bytes})
		if got != c.want && ok || ok != (c.want != "") {
			t.Errorf("%s %s: %q %t, want %q", c.typ, c.value, got, ok, c.want)
		}
	}
}

package encode

import (
	"fmt"
	"math/rand"
	"strings"
	"testing"

	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// generator writes random C programs that mix what the memory model is about:
// arrays of several widths, structs, pointers into them, heap blocks, range
// copies, casts, loops and calls, with inputs everywhere.
type generator struct {
	r     *rand.Rand
	b     strings.Builder
	depth int
}

func (g *generator) pick(xs ...string) string { return xs[g.r.Intn(len(xs))] }

// num is an int expression without side effects.
func (g *generator) num() string {
	g.depth++
	defer func() { g.depth-- }()
	if g.depth > 3 {
		return g.pick("x", "y", "3", "1", "-1", "(int)u", "a[1]", "s.b", "g")
	}
	switch g.r.Intn(18) {
	case 0:
		return fmt.Sprintf("(%s %s %s)", g.num(), g.pick("+", "-", "*", "&", "|", "^", "/", "%", "<<", ">>"), g.num())
	case 1:
		return fmt.Sprintf("(%s %s %s)", g.num(), g.pick("<", "<=", "==", "!=", ">", "&&", "||"), g.num())
	case 2:
		return fmt.Sprintf("a[%s]", g.index(6))
	case 3:
		return fmt.Sprintf("(int)c[%s]", g.index(9))
	case 4:
		return g.pick("s.a", "s.b", "t.a", "(int)s.c[1]", "t.bits", "s.bits")
	case 5:
		return "*p"
	case 6:
		return fmt.Sprintf("p[%s]", g.index(3))
	case 7:
		return fmt.Sprintf("(int)(%s)%s", g.pick("short", "unsigned char", "long", "_Bool"), g.num())
	case 8:
		return fmt.Sprintf("(%s ? %s : %s)", g.num(), g.num(), g.num())
	case 9:
		return fmt.Sprintf("(int)w[%s]", g.index(700))
	case 10:
		return g.pick("(p == q)", "(p != 0)", "(int)(q - p)", "(p < q)", "(h != 0)", "(int)(unsigned long)p",
			"((unsigned long)q & 3) == 0", "(int)((unsigned long)p - (unsigned long)a)")
	case 11:
		return fmt.Sprintf("tab[%s]", g.index(6))
	case 12:
		return g.pick("v", "nd()", "(int)d", "REG", "*(int *)(0x20000000 + 4 * (u & 3))", "(int)rom[x & 3]")
	case 13:
		return g.pick("(int)f", "(f < 2.5f)", "(int)(f * 1.5f)", "(int)((double)x / 3)", "(f == (float)x)")
	case 14:
		return g.pick("(int)strlen(c)", "strcmp(c, \"ab\")", "memcmp(a, c, u & 7)", "(strchr(c, x) != 0)",
			"toupper(c[1] & 127)", "(int)(strstr(c, \"b\") - c)", "isdigit(u & 255)")
	case 15:
		return g.pick("__builtin_popcount(u)", "__builtin_bswap32(u)", "(int)__builtin_clz(u | 1)", "abs(x)",
			"sum(3, x, 2, 3l)", "at(&(u & 1 ? &s : (struct s *)0)->b)")
	}
	return g.pick("x", "y", "g", "(int)u", fmt.Sprint(g.r.Intn(12)-2))
}

// index is often within n.
func (g *generator) index(n int) string {
	switch g.r.Intn(5) {
	case 0:
		return fmt.Sprint(g.r.Intn(n))
	case 1:
		return fmt.Sprintf("(u %% %d)", n)
	case 2:
		return fmt.Sprintf("((unsigned)%s %% %d)", g.num(), n)
	case 3:
		return g.pick("x", "y", "u")
	}
	return fmt.Sprintf("(x & %d)", g.pickInt(1, 3))
}

func (g *generator) pickInt(xs ...int) int { return xs[g.r.Intn(len(xs))] }

func (g *generator) size() string {
	return g.pick("4", "8", "u", "(u & 7)", "sizeof s", "3", "(x & 15)", "16")
}

func (g *generator) ptr() string {
	return g.pick("a", "c", "&s", "&t", "p", "h", "(char *)a + 2", "&c[x & 3]", "w", "&w[u % 700]",
		"(char *)&s + (u & 7)")
}

func (g *generator) stmt(level int) {
	in := strings.Repeat(" ", level)
	put := func(format string, args ...any) { fmt.Fprintf(&g.b, in+format+"\n", args...) }
	n := g.r.Intn(28)
	if level > 3 && n > 15 {
		n = g.r.Intn(16)
	}
	switch n {
	case 0:
		put("a[%s] = %s;", g.index(6), g.num())
	case 1:
		put("c[%s] = %s;", g.index(9), g.num())
	case 2:
		put("%s = %s;", g.pick("s.a", "s.b", "s.c[1]", "t.b", "s.bits", "t.bits", "x", "y", "g", "u", "v"), g.num())
	case 3:
		put("p = %s;", g.pick("&a[1]", "a", "&s.b", "q", "(int *)h", "&x", "p + 1", "&a[x & 3]",
			"(int *)((unsigned long)p & ~3ul)", "s.p", "(x ? a : &y)", "&tab[1]"))
	case 4:
		put("q = %s;", g.pick("p", "a + 2", "&g", "s.p", "p - 1", "(int *)(unsigned long)p"))
	case 5:
		put("*%s = %s;", g.pick("p", "q"), g.num())
	case 6:
		put("s = t;")
	case 7:
		put("s.p = %s;", g.pick("p", "q", "a", "0"))
	case 8:
		put("memcpy(%s, %s, %s);", g.ptr(), g.ptr(), g.size())
	case 9:
		put("memset(%s, %s, %s);", g.ptr(), g.pick("0", "x", "255"), g.size())
	case 10:
		put("memmove(%s, %s, %s);", g.ptr(), g.ptr(), g.size())
	case 11:
		put("w[%s] = %s;", g.index(700), g.num())
	case 12:
		put("h = %s;", g.pick("malloc(8)", "calloc(2, 4)", "malloc(u & 15)", "realloc(h, 12)", "0"))
	case 13:
		put("free(%s);", g.pick("h", "h", "p"))
	case 14:
		put("if (h) ((%s *)h)[%s] = %s;", g.pick("char", "int", "short"), g.index(2), g.num())
	case 15:
		put("__VERIFIER_assert(%s);", g.num())
	case 16, 17:
		put("if (%s) {", g.num())
		g.block(level + 1)
		put("} else {")
		g.block(level + 1)
		put("}")
	case 18:
		put("for (int i%d = 0; i%d < %d; i%d++) {", level, level, 1+g.r.Intn(4), level)
		g.block(level + 1)
		put("}")
	case 19:
		put("for (unsigned i%d = 0; i%d < (u & 3); i%d++) {", level, level, level)
		g.block(level + 1)
		put("if (%s) %s; }", g.num(), g.pick("break", "continue"))
	case 20:
		put("switch (%s) { case 1: x++; break; case 2: y = 3; case 3: g = x; break; default: u++; }", g.num())
	case 21:
		put("y = %s;", g.pick("fun(x, p)", "fun(u, a)", "rec(x & 3)", "fp(x, p)", "twice(s).a"))
	case 24:
		put("f = %s;", g.pick("x", "f + 0.5f", "f * f", "(float)d", "-f", "f / 3"))
	case 25:
		put("%s;", g.pick("strcpy(c, \"hi\")", "strncpy(c, \"hello\", u & 7)", "strcat(c, \"z\")",
			"if (h) strcpy(h, \"abc\")", "REG = x", "((int *)0x20000000)[u & 3] = x"))
	case 26:
		put("{ int l[(u & 3) + 1]; l[u & 3] = x; y = l[x & 1]; }")
	case 27:
		put("if (%s) return 2;", g.num())
	case 22:
		put("__VERIFIER_assume(%s);", g.num())
	default:
		put("x = %s;", g.num())
	}
}

func (g *generator) block(level int) {
	for i := 1 + g.r.Intn(3); i > 0; i-- {
		g.stmt(level)
	}
}

// program is a whole program from a seed.
func program(seed int64) string {
	g := &generator{r: rand.New(rand.NewSource(seed))}
	g.b.WriteString(prelude + `
struct s { int a; int *p; short c[3]; int b; unsigned bits : 5, more : 11; };
#define REG (*(volatile int *)0x40000000)
#define rom ((const unsigned char *)0x8000)
int abs(int);
int nd(void); int g = 4; static unsigned short w[700]; static const int tab[6] = {3, 1, 4, 1, 5, 9}; volatile int v = 1; static struct s t = {1, &g, {2, 3, 4}, 5, 6, 7};
static int fun(int k, int *r) { int l[3] = {k, 1, 2}; l[k & 1] += r ? *r : 7; if (k > 5) return l[0]; l[2] = k; return l[1] + l[2]; }
static int rec(int k) { if (k <= 0) return 1; return rec(k - 1) + k; }
static int at(int *r) { return *r; }
static struct s twice(struct s z) { z.a = z.a + z.b; return z; }
int main(void) {
 int x = nondet_int(), y = nondet_uchar(), a[6] = {1, 2}; unsigned u = nondet_uint(); char c[9] = "abc", *h = 0; struct s s = t; int *p = a, *q = &a[3];
 long d = nondet_long(); float f = nondet_int(); int (*fp)(int, int *) = x ? fun : 0;
`)
	for i := 4 + g.r.Intn(5); i > 0; i-- {
		g.stmt(1)
	}
	return g.b.String() + " return 0; }\n"
}

// TestRandomPrograms is the differential test of encode and interp.
func TestRandomPrograms(t *testing.T) {
	n := int64(60)
	for seed := int64(1); seed <= n; seed++ {
		t.Run(fmt.Sprint(seed), func(t *testing.T) { randomProgram(t, seed) })
	}
}

func randomProgram(t *testing.T, seed int64) {
	triples := []string{"", "i386-linux-gnu", "thumbv7m-none-eabi", "mips-linux-gnu"}
	m := compile(t, triples[seed%int64(len(triples))], program(seed))
	regions := []ir.Region{{Name: "uart", Base: 0x40000000, Size: 16, Access: ir.AccessVolatile},
		{Name: "ram", Base: 0x20000000, Size: 12, Access: ir.AccessReadWrite},
		{Name: "flash", Base: 0x8000, Size: 4, Access: ir.AccessRead}}
	checks := verdict.DefaultChecks()
	delete(checks, verdict.Leak)
	if seed%3 == 1 { // accesses behind null are told apart from those of what lies there
		regions = append(regions, ir.Region{Name: "low", Size: 64, Access: ir.AccessVolatile})
		delete(checks, verdict.PointerOverflow)
	}
	against(t, m, Options{MaxUnwind: 4, Unwind: int(seed % 5), Checks: checks,
		Semantics: ir.Semantics{Regions: regions, MallocNeverFails: seed%7 == 0, VolatileMemory: seed%3 == 0}}, 25)
}

func FuzzAgainstInterp(f *testing.F) {
	f.Add(int64(1))
	f.Add(int64(-54))
	f.Fuzz(func(t *testing.T, seed int64) { randomProgram(t, seed&(1<<62-1)) })
}

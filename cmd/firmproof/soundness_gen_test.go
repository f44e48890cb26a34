package main

import (
	"fmt"
	"math/rand"
	"strings"
)

// cGenerator writes random C programs that a machine can run on all their
// inputs: two nibbles. Most operations are guarded, so that many executions get
// to the end and many claims hold; the rest fail for some inputs only. What a
// program computes does not depend on addresses or on time.
type cGenerator struct {
	r     *rand.Rand
	b     strings.Builder
	depth int
	loops int
}

func (g *cGenerator) pick(xs ...string) string { return xs[g.r.Intn(len(xs))] }

// one is true once in n times.
func (g *cGenerator) one(n int) bool { return g.r.Intn(n) == 0 }

const (
	cScalars = "x y z u w k l m b s.a s.b s.c[1] s.lo s.hi t.a t.d un.i g h v"
	cArrays  = "a:8 c:12 d:4 tab:8 ga:16"
)

func (g *cGenerator) scalar() string { return g.pick(strings.Fields(cScalars)...) }

func (g *cGenerator) cast() string {
	return g.pick("signed char", "unsigned char", "short", "unsigned short", "int", "unsigned", "long",
		"unsigned long", "long long", "unsigned long long", "_Bool")
}

func (g *cGenerator) constant() string {
	if g.one(3) {
		return g.pick("0x7fffffff", "(-0x7fffffff - 1)", "0xffu", "0x80", "-1", "65535u", "32767", "0x123456789abcll",
			"1ull << 40", "-128")
	}
	return fmt.Sprint(g.r.Intn(40) - 8)
}

// element is an array element, mostly within bounds.
func (g *cGenerator) element() string {
	name, size, _ := strings.Cut(g.pick(strings.Fields(cArrays)...), ":")
	n := map[string]int{"8": 8, "12": 12, "4": 4, "16": 16}[size]
	switch {
	case g.one(12):
		return fmt.Sprintf("%s[%s]", name, g.pick("n1", "n2", "(n1 + n2)", "(n1 - 3)", fmt.Sprintf("(%s & %d)",
			g.num(), 2*n-1)))
	case g.one(3):
		return fmt.Sprintf("%s[%d]", name, g.r.Intn(n))
	case n == 12:
		return fmt.Sprintf("%s[(unsigned)(%s) %% 12]", name, g.num())
	}
	return fmt.Sprintf("%s[(%s) & %d]", name, g.num(), n-1)
}

// num is an expression of some integer type.
func (g *cGenerator) num() string {
	g.depth++
	defer func() { g.depth-- }()
	if g.depth > 4 {
		return g.pick("n1", "n2", g.scalar(), g.constant())
	}
	switch g.r.Intn(24) {
	case 20, 21:
		return g.library()
	case 0, 1, 2:
		return fmt.Sprintf("((unsigned)%s %s %s)", g.num(), g.pick("+", "-", "*", "&", "|", "^"), g.num())
	case 3:
		return fmt.Sprintf("((unsigned long long)%s %s (%s)%s)", g.num(), g.pick("+", "-", "*", "&", "^"), g.cast(),
			g.num())
	case 4:
		return fmt.Sprintf("(%s %s ((unsigned)%s | 1))", g.num(), g.pick("/", "%"), g.num())
	case 5:
		return fmt.Sprintf("((unsigned%s)%s %s (%s & %d))", g.pick("", " long long"), g.num(), g.pick("<<", ">>"),
			g.num(), []int{7, 15, 31}[g.r.Intn(3)])
	case 6:
		return fmt.Sprintf("((%s)%s >> (%s & 7))", g.cast(), g.num(), g.num())
	case 7, 8:
		return fmt.Sprintf("(%s %s %s)", g.num(), g.pick("<", "<=", "==", "!=", ">", ">=", "&&", "||"), g.num())
	case 9, 10:
		return fmt.Sprintf("(%s)%s", g.cast(), g.num())
	case 11, 12:
		return g.element()
	case 13:
		return fmt.Sprintf("(%s ? %s : %s)", g.num(), g.num(), g.num())
	case 14:
		return g.pick("-(long long)", "~", "!") + "(short)" + g.num()
	case 15:
		return g.pick("*p", "p[1]", "*pc", "(p == &x)", "(q != 0)", "(int)(p - a) * 0", "un.c[1]", "un.h[n1 & 1]",
			"sp->b")
	case 16:
		return fmt.Sprintf("%s(%s, %s)", g.pick("f1", "f2", "(*fp)"), g.num(), g.num())
	case 17:
		return g.pick("(int)strlen(str)", "strcmp(str, \"ab\") > 0", "(memcmp(a, ga, n1 & 7) == 0)", "rec(n2 & 3)",
			"twice(s).b", "(int)sizeof(s)", "__builtin_popcount(u)", "(int)__builtin_bswap32(u)", "many(2, x, (long)y)")
	case 18:
		if g.one(3) { // unguarded
			return fmt.Sprintf("(%s %s %s)", g.num(), g.pick("+", "-", "*", "/", "%", "<<", ">>"), g.num())
		}
		return fmt.Sprintf("((short)%s %s (signed char)%s)", g.num(), g.pick("+", "-", "*"), g.num())
	case 19:
		return g.pick("(f < 2.5f)", "(int)(f * 0.25f)", "(e >= f)", "(int)(e / 8)", "(f == (float)n1)")
	}
	return g.pick("n1", "n2", g.scalar(), g.scalar(), g.constant())
}

// text is a pointer to something that is mostly a string.
func (g *cGenerator) text() string {
	return g.pick("str", "str", "c", "&c[n1 & 3]", "&str[n2 & 3]", "num", "num", "\"hello\"", "\"a,b\"", "\"-17x\"",
		"(n1 & 1 ? str : \"lo\")")
}

// count is a number of bytes that mostly fits.
func (g *cGenerator) count() string {
	return g.pick("(n1 & 3)", "(n2 & 7)", "2", "4", "0", "n1")
}

// char is a character as an int in the domain of ctype.h.
func (g *cGenerator) char() string {
	return g.pick("'l'", "'a'", "0", "(n1 + 'a')", "(n2 * 17 & 255)", "(unsigned char)str[n1 & 7]",
		"(unsigned char)"+g.num(), "-1")
}

// library is the result of a function of string.h, stdlib.h or ctype.h.
func (g *cGenerator) library() string {
	s, t, n := g.text(), g.text(), g.count()
	found := func(call, from string) string { return fmt.Sprintf("(%s ? (int)(%s - (%s)) : -1)", call, call, from) }
	sign := func(call string) string { return fmt.Sprintf("((%s > 0) - (%s < 0))", call, call) }
	if strings.HasPrefix(s, "\"") || strings.HasPrefix(s, "(") { // one address in all calls
		s = "num"
	}
	switch g.r.Intn(12) {
	case 0:
		return found(g.pick("strchr", "strrchr")+"("+s+", "+g.char()+")", s)
	case 1:
		return found(g.pick("strstr", "strpbrk")+"("+s+", "+t+")", s)
	case 2:
		return found("(char *)memchr("+s+", "+g.char()+", "+n+")", s)
	case 3:
		return sign(g.pick("strncmp", "memcmp") + "(" + s + ", " + t + ", " + n + ")")
	case 4:
		return sign("strcmp(" + s + ", " + t + ")")
	case 5:
		return "(int)" + g.pick("strspn", "strcspn") + "(" + s + ", " + t + ")"
	case 6:
		return "(int)" + g.pick("strlen("+t+")", "strnlen("+t+", "+n+")")
	case 7:
		return g.pick("atoi("+t+")", "(int)atol("+t+")", "(int)strtol("+t+", 0, "+g.pick("10", "16", "0", "8")+")",
			"(int)strtoul("+t+", 0, 10)")
	case 8:
		return g.pick("abs((short)"+g.num()+")", "(int)labs((short)"+g.num()+")", "abs("+g.num()+")")
	case 9:
		return "snprintf(c, " + g.pick("12", "5", "0", n) + ", " + g.pick("\"%d\", (int)"+g.num(),
			"\"%x\", (unsigned)"+g.num(), "\"%5u|\", (unsigned)n1", "\"%-4d|\", n2", "\"%03d\", n1 - 8",
			"\"%.2s\", num", "\"%s\", "+g.pick("str", "num", "&str[n2 & 3]", "\"a,b\""),
			"\"%c%c\", 'a' + n1, 'b'", "\"%*d\", n1 & 3, n2", "\"%+d\", n1",
			"\"%lu\", (unsigned long)"+g.num(), "\"%#o\", (unsigned)n2", "\"%lld\", (long long)"+g.num()) + ")"
	}
	return "!!" + g.pick("isalpha", "isdigit", "isspace", "isupper", "islower", "isxdigit", "ispunct", "isalnum",
		"iscntrl", "isprint", "isgraph") + "(" + g.char() + ")" + g.pick("", "", " + toupper("+g.char()+")",
		" + tolower("+g.char()+")")
}

// libraryStmt changes a buffer by a function of the library.
func (g *cGenerator) libraryStmt() string {
	to, n := g.pick("str", "c", "&c[2]", "num"), g.count()
	return g.pick(
		"strncpy("+to+", "+g.text()+", "+n+");",
		"strncat("+to+", "+g.pick("\"xy\"", "\"0\"", "num")+", "+n+");",
		"strcat("+to+", "+g.pick("\"q\"", "\"\"", "\"12\"")+");",
		"strcpy("+to+", "+g.pick("\"12\"", "\"-3\"", "\" 4,5\"", "n1 > 4 ? \"0x1f\" : \"77\"")+");",
		"qsort(a, n1 & 7, sizeof *a, order);",
		"qsort(d, 4, sizeof *d, order);",
		"{ int key = n1 & 3, *at = bsearch(&key, d, 4, sizeof *d, order); y = at ? (int)(at - d) : -1; }",
		"strcpy(c, \"a,b;c\"); for (char *w1 = strtok(c, "+g.pick("\",\"", "\",;\"", "\"x\"")+
			"); w1; w1 = strtok(0, \",;\")) y = y * 2 + *w1;",
		"hp = realloc(malloc(4), 8 + (n1 & 3)); if (hp) { hp[0] = hp[1] = n1; x ^= hp[1]; } free(hp);",
		"sscanf("+g.pick("\"12 34\"", "num", "\"7\"", "\"x\"")+", "+g.pick("\"%d %d\", &x, &y", "\"%x\", &u",
			"\"%d\", &d[n1 & 3]", "\"%2d\", &x")+");",
		"{ char *end; y = (int)strtol("+g.pick("num", "\"12z\"", "\"\"", "\" -8 \"")+", &end, 10); x = *end; }",
		"*num = "+g.pick("'0' + (n1 & 7)", "'-'", "' '", "'+'", "'0'")+";",
	)
}

func (g *cGenerator) stmt(level int) {
	in := strings.Repeat(" ", level)
	put := func(format string, args ...any) { fmt.Fprintf(&g.b, in+format+"\n", args...) }
	n := g.r.Intn(34)
	if n >= 31 {
		put("%s", g.libraryStmt())
		return
	}
	if level > 3 && n >= 18 {
		n = g.r.Intn(18)
	}
	switch n {
	default:
		put("%s = %s;", g.scalar(), g.num())
	case 3, 4, 5:
		put("%s %s %s;", strings.Replace(g.element(), "tab[", "ga[", 1), g.pick("=", "=", "^=", "|="), g.num())
	case 6:
		put("%s %s %s;", g.pick("u", "w", "un.u", "ga[3]"), g.pick("+=", "-=", "*=", "^=", ">>=", "&="),
			g.pick("n1", "n2", "3u", "(n1 & 7)"))
	case 7:
		put("p = %s;", g.pick("&a[n1 & 7]", "&x", "a", "&s.a", "p == a ? &y : a", "n2 > 3 ? &g : &a[2]", "&d[n2 & 3]",
			"(int *)un.c"))
	case 8:
		put("*%s = %s;", g.pick("p", "p", "pc", "q"), g.num())
	case 9:
		put("%s;", g.pick("s = t", "t = s", "s = twice(t)", "sp = n1 & 1 ? &s : &t", "sp->a = n2", "*sp = t",
			"un.s = s", "fp = n1 > 7 ? f1 : f2", "q = n2 ? &g : p", "pc = &c[n1 % 12]", "pc = (char *)a + n2", "h++",
			"h--"))
	case 10:
		put("%s(%s, %s, %s);", g.pick("memcpy", "memmove"), g.pick("a", "c", "&s", "ga", "&c[4]", "un.c"),
			g.pick("d", "str", "tab", "&t", "&ga[8]"), g.pick("4", "(n1 & 7)", "n2 & 3", "8"))
	case 11:
		put("memset(%s, %s, %s);", g.pick("a", "c", "&s.c", "&u", "d"), g.pick("0", "n1", "255"),
			g.pick("4", "n2 & 7", "2", "n1"))
	case 12, 13, 14:
		g.assert(in)
	case 15:
		put("if (%s) { %s = %s; }", g.num(), g.scalar(), g.num())
	case 16:
		put("%s = %s;", g.pick("f", "e"), g.pick("n1", "f + 0.5f", "f * 3", "(float)x", "e - n2", "-f",
			"(double)f / 3", "u"))
	case 17:
		put("%s", g.pick("strcpy(str, n1 & 1 ? \"hello\" : \"a\");", "str[n1 & 7] = n2;",
			"hp = n1 > 3 ? malloc(8) : calloc(2, 4); if (hp) { hp[0] = n2; hp[1] = x; y = hp[n1 & 1]; } free(hp);",
			"hp = malloc(n2 + 4); if (hp) { *hp = 5; x = *hp; } free(hp);",
			"{ int vl[n2 + 1]; vl[n2] = n1; x = vl[n2]; }", "{ static int st = 3; st += n1; y = st; }",
			"REGV = n1; x = REGV;"))
	case 18, 19, 20:
		put("if (%s) {", g.num())
		g.block(level + 1)
		put("} else {")
		g.block(level + 1)
		put("}")
	case 21, 22:
		g.loops++
		i := fmt.Sprint("i", g.loops)
		put("for (%s %s = 0; %s < %s; %s++) {", g.pick("int", "unsigned", "unsigned char", "long"), i, i,
			g.pick("3", "4", "n1", "(n2 & 3)", "(n1 & n2)"), i)
		put(" %s = %s;", g.pick("ga["+i+"]", "a["+i+" & 7]", "c[(unsigned)"+i+" % 12]", "u"),
			g.pick(i+" + n1", "ga[15 - "+i+"]", "u * 3 + "+i, "tab["+i+" & 7]"))
		g.block(level + 1)
		put(" %s", g.pick("", fmt.Sprintf("if (%s) break;", g.num()), fmt.Sprintf("if (%s) continue; x ^= %s;",
			g.num(), i)))
		put("}")
	case 23:
		put("switch (%s) { case 1: x = 5; break; case 2: y = 3; case 3: g = n1; break; case -1: u = %s; break; default: z = %s; }", g.num(), g.num(), g.num())
	case 24:
		g.loops++
		put("{ unsigned i%d = %s; while (i%d) { i%d >>= 1; k ^= i%d; %s } }", g.loops, g.pick("n1", "n1 * 5u",
			"n2 + 3u"), g.loops, g.loops, g.loops, g.pick("", "if (k & 8) break;", "u += 3;"))
	case 25:
		put("if (%s) return %s;", g.num(), g.pick("7", "x & 255", "-1"))
	case 26:
		put("__VERIFIER_assume(%s);", g.pick("n1 > 2", "n2 != 7", "n1 <= n2", "(u & 1) == 0", "x < 1000"))
	}
}

// assert states something that is true, mostly true, or true for some inputs.
func (g *cGenerator) assert(in string) {
	e, o := g.num(), g.num()
	c := g.r.Intn(200) - 20
	claim := g.pick(
		fmt.Sprintf("%s != %d", e, c),
		fmt.Sprintf("%s != %d", g.scalar(), c),
		fmt.Sprintf("((%s) & 31u) < %d", e, 28+g.r.Intn(5)),
		fmt.Sprintf("(unsigned char)(%s) <= %d", e, 200+g.r.Intn(56)),
		fmt.Sprintf("(((unsigned)(%s) ^ (unsigned)(%s)) ^ (unsigned)(%s)) == (unsigned)(%s)", e, o, o, e),
		fmt.Sprintf("(unsigned)(%s) + (unsigned)(%s) == ((unsigned)(%s) ^ (unsigned)(%s)) + 2 * ((unsigned)(%s) & (unsigned)(%s))", e, o, e, o, e, o),
		fmt.Sprintf("(unsigned)(%s) %% %d < %d", e, 7+g.r.Intn(3), 7+g.r.Intn(3)),
		fmt.Sprintf("(long long)(%s) >= -0x8000000000ll", e),
		fmt.Sprintf("!((%s) > 3) || (%s) > %d", e, e, 2+g.r.Intn(3)),
		fmt.Sprintf("(%s) <= (%s)", e, o),
	)
	fmt.Fprintf(&g.b, "%s__VERIFIER_assert(%s);\n", in, claim)
}

func (g *cGenerator) block(level int) {
	for i := 1 + g.r.Intn(3); i > 0; i-- {
		g.stmt(level)
	}
}

const cPrelude = `typedef __SIZE_TYPE__ size_t;
extern unsigned char __VERIFIER_nondet_uchar(void); extern void __VERIFIER_assert(int); extern void __VERIFIER_assume(int);
void *memcpy(void *, const void *, size_t); void *memmove(void *, const void *, size_t); void *memset(void *, int, size_t); int memcmp(const void *, const void *, size_t);
size_t strlen(const char *); int strcmp(const char *, const char *); char *strcpy(char *, const char *); void *malloc(size_t); void *calloc(size_t, size_t); void free(void *);
char *strncpy(char *, const char *, size_t); char *strcat(char *, const char *); char *strncat(char *, const char *, size_t); int strncmp(const char *, const char *, size_t); char *strchr(const char *, int); char *strrchr(const char *, int);
char *strstr(const char *, const char *); char *strpbrk(const char *, const char *); size_t strspn(const char *, const char *); size_t strcspn(const char *, const char *); size_t strnlen(const char *, size_t); char *strtok(char *, const char *);
void *memchr(const void *, int, size_t); int atoi(const char *); long atol(const char *); long strtol(const char *, char **, int); unsigned long strtoul(const char *, char **, int); int abs(int); long labs(long); void *realloc(void *, size_t);
void qsort(void *, size_t, size_t, int (*)(const void *, const void *)); void *bsearch(const void *, const void *, size_t, size_t, int (*)(const void *, const void *)); int snprintf(char *, size_t, const char *, ...); int sscanf(const char *, const char *, ...);
int isalpha(int); int isdigit(int); int isspace(int); int isupper(int); int islower(int); int isxdigit(int); int ispunct(int); int isalnum(int); int iscntrl(int); int isprint(int); int isgraph(int); int toupper(int); int tolower(int);
struct s { int a; short c[3]; long b; unsigned lo : 5; signed hi : 9; long long d; };
union un { int i; unsigned u; char c[4]; short h[2]; struct s s; };
static unsigned short ga[16] = {9, 8, 7, 6, 5, 4, 3, 2, 1}; static const signed char tab[8] = {3, -1, 4, 1, -5, 9, 2, 6}; static struct s t = {1, {2, 3, 4}, 5, 6, -7, 8};
static int g = 4; static unsigned char h = 250; static long long v; static volatile int REGV;
static int f1(int i, int j) { if (i > j) return (int)((unsigned)i - (unsigned)j); return i ^ j; }
static int f2(int i, int j) { int r[3] = {i, j, 1}; r[(unsigned)i % 3]++; g ^= 1; return r[0] & r[2]; }
static int order(const void *i, const void *j) { int m = *(const int *)i, n = *(const int *)j; return (m > n) - (m < n); }
static int rec(int n) { return n <= 0 ? 1 : n + rec(n - 1); }
static struct s twice(struct s z) { z.b = (int)(2u * (unsigned)z.b); z.c[0] = (short)z.a; return z; }
static int many(int n, ...) { __builtin_va_list ap; __builtin_va_start(ap, n); int r = __builtin_va_arg(ap, int); r ^= (int)__builtin_va_arg(ap, long); __builtin_va_end(ap); return r; }
int main(void) {
 unsigned char n1 = __VERIFIER_nondet_uchar() & 15, n2 = __VERIFIER_nondet_uchar() & 15;
`

const cEpilogue = ` { unsigned r = (unsigned)x * 3u ^ (unsigned)y ^ u ^ w ^ (unsigned)z ^ (unsigned)k ^ (unsigned)l ^ (unsigned)(m >> 3) ^ (unsigned)b ^ (unsigned)s.a ^ (unsigned)s.hi ^ s.lo ^ (unsigned)g ^ h ^ (unsigned)v;
  for (int j = 0; j < 8; j++) r = r * 5u + (unsigned)a[j] + ga[j]; for (int j = 0; j < 12; j++) r = r * 3u + (unsigned char)c[j]; return (int)(r & 0x7fff); } }
`

// cProgram is a whole program from a seed.
func cProgram(seed int64) string {
	g := &cGenerator{r: rand.New(rand.NewSource(seed))}
	g.b.WriteString(cPrelude)
	spread := g.pick("n1", "(int)(n1 * 0x11111111u)", "tab[n1 & 7]", "(n1 << 4 | n2)", "(int)(n1 * 0x1000u - 0x8000u)")
	fmt.Fprintf(&g.b, " int x = %s, y = n2, a[8] = {1, 2, 3}; short z = (short)(n2 * 4369u); unsigned u = n1 * %du; unsigned short w = n2; long k = n1; long long l = %s, m = 1; _Bool b = n1 > n2;\n",
		spread, 1+g.r.Intn(70000), g.pick("n2", "(long long)n2 << 33", "-(long long)n1"))
	g.b.WriteString(` char c[12] = "abc", str[8] = "xyz", num[8] = "42", *pc = c; int d[4] = {0, 1, 2, 3}, *p = a, *q = &g, *hp = 0; struct s s = t, *sp = &s; union un un; float f = n1; double e = n2; int (*fp)(int, int) = f1;
 memset(&un, n1, sizeof un);
`)
	for i := 3 + g.r.Intn(7); i > 0; i-- {
		g.stmt(1)
	}
	g.assert(" ")
	return g.b.String() + cEpilogue
}

package compile

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
)

// An object that a function accesses as two types, in its own words, is noted, and nothing else is.
func TestAliasing(t *testing.T) {
	const head = `typedef unsigned char uint8_t; typedef unsigned uint32_t; typedef unsigned short uint16_t;
typedef uint32_t __attribute__((may_alias)) any32;
struct base { int k; }; struct derived { struct base b; float v; }; typedef struct { short a; short b; } pair;
struct other { float x, y; }; struct opaque; typedef struct other taken; struct taken { int k; };
typedef struct node { struct node *next; int v; } node; typedef union word word; union word { int i; short s[2]; };
static node first;
union u { int i; float f; pair p; struct base in; }; struct holds { union u u; void *data; };
void *get(void); int g(int *, float *); void h(int *); void k(float *); void two(int *restrict, const int *restrict);
void copy(void *, const void *);
static int whole[4], one, other;
static void both(void *x, void *y) { int *i = x; short *z = y; if (i) *i = *z; }
static void either(int kind, void *x) { if (kind) { h(x); return; } k(x); }
static void one_of(int kind, void *x) { if (kind) { k(x); return; } int *i = x; h(i); }
static void words(const uint8_t *x) { const uint32_t *z = (const uint32_t *)x; one = (int)*z; }
struct alike { int k; float f; };
static int keeps(int *restrict x, int *restrict y) { return *x = *y; }
static void wraps(int *x, const int *y) { two(x, y); }
static void wraps_again(const int *y, int *x) { wraps(x, y); }
static void sets(const int *restrict x) { one = *x; }
static void reads(int *restrict x) { *x = other; }
static void calls(int *restrict x) { sets(x); *x = 1; }
`
	const params = "(int n, int *p, float *q, void *v, struct holds *s, union u *w, struct base *b, uint8_t *y, int a[8])"
	cases := map[string]string{
		"return *(uint32_t *)q;":                                                   "float and as uint32_t",
		"short *x = (short *)p; *x = 1;":                                           "int and as short",
		"short *x = (short *)(void *)p; *x = 1;":                                   "int and as short",
		"short *x = (short *)(unsigned long)p; *x = 1;":                            "int and as short",
		"((pair *)p)->a = 1;":                                                      "int and as pair",
		"int *x = v; short *z = v; *x = *z;":                                       "int and as short",
		"void *m = get(); int *x = m; void *o = m; *(float *)o = 1;":               "int and as float",
		"int *x = s->data; float *z = s->data; return g(x, z);":                    "int and as float",
		"return g(v, v);":                                                          "int and as float",
		"return g(&w->i, &w->f);":                                                  "int and as float",
		"h(&s->u.i); k(&s->u.f);":                                                  "int and as float",
		"float *z = *(float **)&p; *z = 1;":                                        "int * and as float *",
		"struct other *z = (struct other *)b; z->y = 0;":                           "struct base and as struct other",
		"((taken *)b)->y = 0;":                                                     "struct base and as taken",
		"((struct taken *)b)->k = 0;":                                              "struct base and as struct taken",
		"((struct taken *)(taken *)v)->k = 0;":                                     "struct taken and as taken",
		"struct node *x = &first; node *z = x->next; z->v = x->v; first.next = z;": "",
		"word *x = v; union word *z = x; z->s[0] = 1;":                             "",
		"two(p, p);":                                 "restrict",
		"int *x = p; two(p, x);":                     "restrict",
		"two(a, a + n);":                             "restrict",
		"two(&a[n], &a[1]);":                         "restrict",
		"return *(unsigned *)p;":                     "",
		"void *m = get(); both(m, m);":               "int and as short",
		"both(q, v);":                                "float and as int",
		"both(p, p);":                                "int and as short",
		"words((uint8_t *)q);":                       "float and as uint32_t",
		"both(p, v); words((uint8_t *)p); words(y);": "",
		"either(1, p); either(0, q); one_of(0, p); one_of(1, q);": "",
		"wraps(p, p);": "restrict",
		"int *restrict x = p; int *restrict z = p + 1; *x = *z;":            "restrict",
		"int *restrict x = p; int *restrict z = a; *x = *z;":                "",
		"const int *restrict x = p, *restrict z = p; n = *x + *z;":          "",
		"{ int *restrict x = p; *x = 1; } { int *restrict z = p; *z = 1; }": "",
		"wraps_again(&n, &n);":                              "restrict",
		"wraps(p, &n); wraps_again(a, a + 1 - 1 + n); n++;": "restrict",
		"wraps(0, 0); two(0, 0);":                           "",
		"wraps(p, &n); wraps(&whole[0], &one);":             "",
		"sets(&one);":                                       "restrict",
		"reads(&other);":                                    "restrict",
		"calls(&one);":                                      "restrict",
		"sets(&other); reads(&one); calls(&other); reads(whole);": "",
		"return *(any32 *)q;":                          "",
		"return *(uint32_t *)y;":                       "",
		"return *(uint8_t *)q;":                        "",
		"return w->i + (int)w->f;":                     "",
		"return ((struct derived *)b)->v + *(int *)b;": "",
		"return ((struct opaque *)p) == v;":            "",
		"copy(&w->i, &w->f);":                          "",
		"*(void **)&p = v;":                            "",
		"two(a, a + 4);":                               "restrict",
		"two(whole + 2, whole);":                       "restrict",
		"int (*volatile f)(int *, int *) = (int (*)(int *, int *))keeps; return f(p, p);": "restrict",
		"struct alike *z = (struct alike *)b; z->f = 0;":                                  "struct base and as struct alike",

		"two(a + n, a);": "restrict",
		"if (n == 1) { int *x = v; return *x; } float *z = v; return (int)*z;":                     "",
		"if (n == 1) { int *x = v; *x = 1; } float *z = v; return (int)*z;":                        "int and as float",
		"if (n) { h(v); goto next; } n++; next: k(v);":                                             "int and as float",
		"if (n) h(&w->i); else k(&w->f);":                                                          "",
		"switch (n) { case 1: h(v); break; case 2: n++; k(v); }":                                   "",
		"uint8_t *x = y; *(uint16_t *)x = 1; x += 2; *(uint32_t *)x = 1;":                          "",
		"two(p, &n); int z[2]; two(z, p);":                                                         "",
		"*(volatile uint16_t *)(volatile uint32_t *)64 = 1; *(volatile float *)64 = 2;":            "",
		"int (*z)[4] = v; h(*z);":                                                                  "",
		"void (*z)(void) = (void (*)(void))v; z();":                                                "",
		"int *x = get(); float *z = get(); return g(x, z);":                                        "",
		"if (n > 9) return g(p, q); return __builtin_choose_expr(1, sizeof *(float *)p, n) + n;\n": "",
	}
	bodies, text := slices.Sorted(maps.Keys(cases)), head
	for i, body := range bodies {
		text += fmt.Sprintf("int c%d%s { %s return n; }\n", i, params, body)
	}
	ir, err := compileText(t, "host", text, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i, body := range bodies {
		var notes []string
		for line := range strings.Lines(ir) {
			if strings.Contains(line, `{!"chosen"`) && strings.Contains(line, fmt.Sprintf(`!"c%d", `, i)) {
				notes = append(notes, line)
			}
		}
		noted := cases[body]
		if noted == "" && len(notes) > 0 || noted != "" && !slices.ContainsFunc(notes, func(n string) bool {
			return strings.Contains(n, noted)
		}) {
			t.Errorf("%s: want %q, got %q", body, noted, notes)
		}
	}
}

// The rule on types is the compiler's where it optimises, unless it is told not to use it.
func TestRelaxed(t *testing.T) {
	for flags, relaxed := range map[string]bool{
		"": true, "-O0": true, "-Og": true, "-O1": false, "-O2": false, "-Os": false, "-O2 -O0": true,
		"-O2 -fno-strict-aliasing": true, "-fstrict-aliasing": false, "-O2 -fno-strict-aliasing -fstrict-aliasing": false,
	} {
		call, err := translate(".", append([]string{"arm-none-eabi-gcc", "-c", "a.c"}, strings.Fields(flags)...))
		if err != nil {
			t.Fatal(err)
		}
		if r := (&Request{CFlags: call.flags}); r.relaxed() != relaxed {
			t.Errorf("%q: relaxed is %v", flags, !relaxed)
		}
	}
	if (&Request{}).relaxed() {
		t.Error("a file without a compiler's call is not held to C's rule")
	}
}

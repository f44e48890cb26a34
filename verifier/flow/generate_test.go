package flow

import (
	"fmt"
	"math/rand"
	"strings"
)

// writer writes programs whose inputs go through variables, memory, addresses, calls and control. They end in most cases,
// and no claim of theirs fails in most.
type writer struct {
	r     *rand.Rand
	depth int
	made  int // functions so far
	loops int
	loop  bool
}

func (w *writer) pick(xs ...string) string { return xs[w.r.Intn(len(xs))] }

func (w *writer) local() string { return w.pick("x", "y", "z") }

func (w *writer) number() string {
	return w.pick("x", "y", "z", "x", "y", "z", "g0", "g1", "arr[1]", "arr[x & 3]", "q->a", "q->b", "*p", "*q->p", "one.a", "two.in.w",
		"q->next->b", "bytes[y & 7]", "un.half[1]", "nondet_int()", fmt.Sprint(w.r.Intn(9)))
}

func (w *writer) sum() string {
	a, b := w.number(), w.number()
	return w.pick(a, a, a+" + "+b, a+" - "+b, a+" & 3", a+" ^ "+b, "("+a+") / (("+b+" & 3) + 1)", "("+a+") % 5",
		"("+a+" & 1) * ("+b+" & 7)", w.condition()+" ? "+a+" : "+b, "(unsigned char)("+a+")")
}

func (w *writer) condition() string {
	a, b := w.number(), w.number()
	return w.pick(a+" < "+b, a+" & 1", a+" == "+b, a+" > "+fmt.Sprint(w.r.Intn(9)), "p == &g0", "q == &one", "fp == h0",
		"q->next != &two", a+" > 2 && "+b+" < 4", "!("+a+")")
}

func (w *writer) place() string {
	return w.pick("x", "y", "z", "x", "y", "g0", "g1", "arr[2]", "arr[("+w.number()+") & 3]", "q->a", "q->b", "*p", "*q->p",
		"q->next->a", "bytes["+w.number()+" & 7]", "un.word", "un.half[0]", "two.in.w", "one.in.m")
}

func (w *writer) block(n int) string {
	var b strings.Builder
	w.depth++
	for range n {
		b.WriteString(w.statement())
	}
	w.depth--
	return "{ " + b.String() + "}"
}

func (w *writer) statement() string {
	k := w.r.Intn(24)
	if w.depth > 3 {
		k %= 12
	}
	switch k {
	case 0, 1, 2, 3:
		return fmt.Sprintf("%s = %s; ", w.place(), w.sum())
	case 4:
		return fmt.Sprintf("p = %s ? %s : %s; ", w.condition(), w.address(), w.address())
	case 5:
		return fmt.Sprintf("q = %s ? %s : %s; ", w.condition(), w.pick("&one", "q->next"), w.pick("&two", "&one", "q"))
	case 6:
		return w.pick("q->next = &one; ", "q->next = q == &one ? &two : &one; ", "q->p = p; ", "p = q->p; ", "*q = one; ", "one = *q->next; ",
			"q->in = two.in; ", "fp = "+w.condition()+" ? h0 : h1; ")
	case 7:
		return w.pick("memcpy(bytes, &g0, 4); ", "memcpy(&g1, bytes + 2, 4); ", "memset(arr, "+w.number()+", 8); ", "memcpy(&two, &one, sizeof one); ",
			"memcpy(arr, &q->a, 8); ", "memmove(bytes + 1, bytes, "+w.number()+" & 3); ")
	case 8:
		return fmt.Sprintf("%s = fp(%s, %s); ", w.place(), w.sum(), w.address())
	case 9, 10:
		if w.made > 0 {
			return fmt.Sprintf("%s = f%d(%s, %s, %s); ", w.place(), w.r.Intn(w.made), w.sum(), w.address(), w.pick("q", "&one", "&two"))
		}
		return fmt.Sprintf("%s = any(2, %s, %s); ", w.local(), w.number(), w.number())
	case 11:
		return w.pick(fmt.Sprintf("if (%s) return %s; ", w.condition(), w.number()), fmt.Sprintf("if (%s) stay(%s); ",
			w.condition(), w.number()), fmt.Sprintf("if (%s) exit(0); ", w.condition()),
			fmt.Sprintf("__VERIFIER_assume(%s); ", w.condition()), fmt.Sprintf("CHECK(%s || %s); ", w.condition(), w.condition()),
			fmt.Sprintf("{ int *h = malloc(4); *h = %s; %s = *h; } ", w.sum(), w.local()), fmt.Sprintf("%s = any(2, %s, %s); ", w.local(),
				w.number(), w.number()), w.leaves())
	case 12, 13, 14:
		return fmt.Sprintf("if (%s) %s ", w.condition(), w.block(1+w.r.Intn(2)))
	case 15, 16:
		return fmt.Sprintf("if (%s) %s else %s ", w.condition(), w.block(1+w.r.Intn(2)), w.block(1))
	case 17:
		return fmt.Sprintf("switch ((%s) & 3) { case 0: %s case 1: %s break; default: %s } ", w.sum(), w.block(1), w.block(1), w.block(1))
	}
	if k > 21 {
		return w.risky()
	}
	was := w.loop
	w.loops, w.loop = w.loops+1, true
	i := fmt.Sprintf("i%d", w.loops)
	end := w.pick("3", "("+w.sum()+") & 3", "4 && "+w.condition())
	out := fmt.Sprintf("for (int %s = 0; %s < %s; %s++) %s ", i, i, end, i, w.block(1+w.r.Intn(2)))
	if w.r.Intn(8) == 0 {
		out = fmt.Sprintf("while ((%s) & 4) %s ", w.number(), w.block(2))
	}
	w.loop = was
	return out
}

// risky is a statement that fails in some states, or makes one of those that do.
func (w *writer) risky() string {
	return w.pick(fmt.Sprintf("if (%s) free(h); ", w.condition()), fmt.Sprintf("free(%s ? h : 0); ", w.condition()),
		fmt.Sprintf("*h = %s; ", w.sum()), "h = malloc(4); ", w.local()+" = *h; ", "h = p; ",
		fmt.Sprintf("%s = arr[%s & 7]; ", w.local(), w.number()), fmt.Sprintf("%s /= %s; ", w.local(), w.number()),
		fmt.Sprintf("{ int u; if (%s) u = %s; if (%s) %s = u; } ", w.condition(), w.sum(), w.condition(), w.local()),
		fmt.Sprintf("h = realloc(h, 4 + (%s & 15)); ", w.number()), fmt.Sprintf("p = %s ? p : 0; ", w.condition()))
}

// leaves is a way out of a loop, where there is one.
func (w *writer) leaves() string {
	if !w.loop {
		return ""
	}
	return fmt.Sprintf("if (%s) %s; ", w.condition(), w.pick("break", "continue", "goto end"))
}

func (w *writer) address() string {
	return w.pick("p", "vp("+w.number()+", 1)", "&g0", "&g1", "&arr["+w.number()+" & 3]", "&q->a", "&two.b", "q->p", "&x", "&arr[1]")
}

func (w *writer) function() string {
	w.loops = 0
	body := w.block(3 + w.r.Intn(4))
	w.made++
	return fmt.Sprintf("static int f%d(int x, int *p, struct s *q) { int y = 1, z = x; %s\nend: return %s; }\n", w.made-1, body, w.number())
}

// program is a whole program; the first lines are the same in all.
func (w *writer) program() string {
	functions := ""
	for range 2 + w.r.Intn(2) {
		functions += w.function()
	}
	return `extern void exit(int); extern void __VERIFIER_assume(int); extern void *memmove(void *, const void *, unsigned long);
extern void *realloc(void *, unsigned long); static int *h;
typedef __builtin_va_list va_list;
struct in { unsigned char m; unsigned short w; };
struct s { int a, b; struct in in; struct s *next; int *p; };
static int g0 = 1, g1 = 2, arr[4]; static int *more(int n, ...) { return n ? arr : &g0; } static int *(*vp)(int, ...) = more; static unsigned char bytes[8]; static union { int word; short half[2]; } un;
static struct s two, one = { 1, 2, { 3, 4 }, &two, &g1 }, two = { 5, 6, { 7, 8 }, &one, &arr[2] };
static int h0(int x, int *p) { *p = x; return 1; }
static int h1(int x, int *p) { return x < 3 ? *p : x; }
static int (*fp)(int, int *) = h0;
static void stay(int x) { if (x > 5) exit(1); for (;;) g1++; }
static int any(int n, ...) { va_list l; int s = 0; __builtin_va_start(l, n); while (n--) s += __builtin_va_arg(l, int); __builtin_va_end(l); return s; }
` + functions + `int main(void) { int x = nondet_int(), y = nondet_int(), z = nondet_int(); int *p = &g0; struct s *q = &one; h = malloc(4); *h = z;
` + w.block(4+w.r.Intn(4)) + `
end: g0 += x + y + z; return f0(x, p, q); }
`
}

package seg

import (
	"fmt"
	"math/rand"
)

// writer writes small programs over counters, an array, a string and lists.
type writer struct {
	r     *rand.Rand
	depth int
	loops int
}

func (w *writer) block(n int) string {
	out := ""
	for ; n > 0; n-- {
		out += w.statement()
	}
	return out
}

func (w *writer) statement() string {
	v := func() string { return []string{"i", "j", "k"}[w.r.Intn(3)] }
	l := func() string { return []string{"h", "p", "q"}[w.r.Intn(3)] }
	simple := []func() string{
		func() string {
			return fmt.Sprintf("%s = %s %s %d; ", v(), v(), []string{"+", "-", "&", "^"}[w.r.Intn(4)], w.r.Intn(5))
		},
		func() string { return fmt.Sprintf("%s = nondet_int(); ", v()) },
		func() string { return fmt.Sprintf("a[%s & 3] = %s; ", v(), v()) },
		func() string { return fmt.Sprintf("%s = a[%s & 3]; ", v(), v()) },
		func() string { return fmt.Sprintf("%s = push(%s); ", l(), l()) },
		func() string { return fmt.Sprintf("%s = %s; ", l(), l()) },
		func() string { x := l(); return fmt.Sprintf("if (%s) %s = %s->next; ", x, l(), x) },
		func() string { x := l(); return fmt.Sprintf("if (%s) %s->next = %s; ", x, x, l()) },
		func() string { x := l(); return fmt.Sprintf("if (%s) %s->v = %s; ", x, x, v()) },
		func() string {
			x := l()
			return fmt.Sprintf("if (%s) { t = %s->next; %s->next = r; r = %s; %s = t; } ", x, x, x, x, x)
		},
		func() string { return "g = g + 1; " },
		func() string { return "if (s < e) *s++ = 1; " },
		func() string { return "i = twice(j); " },
	}
	if w.depth >= 3 || w.r.Intn(5) < 3 {
		return simple[w.r.Intn(len(simple))]()
	}
	w.depth++
	defer func() { w.depth-- }()
	body := w.block(1 + w.r.Intn(3))
	c := []string{"nondet_int() > 0", fmt.Sprintf("%s < %d", v(), w.r.Intn(9)), fmt.Sprintf("%s && %s->next", l(), "h"),
		fmt.Sprintf("%s != %s", l(), l())}
	if c[2][0] != 'h' {
		c[2] = "h && h->next"
	}
	switch w.r.Intn(4) {
	case 0:
		return fmt.Sprintf("if (%s) { %s} else { %s} ", c[w.r.Intn(4)], body, w.block(1))
	case 1:
		x := l()
		return fmt.Sprintf("while (%s) { %sif (%s) %s = %s->next; } ", x, body, x, x, x)
	case 2:
		w.loops++
		return fmt.Sprintf("for (int n%d = nondet_int() & 7; n%d > 0; n%d--) { %s} ", w.loops, w.loops, w.loops, body)
	}
	return fmt.Sprintf("while (%s) { %s} ", c[w.r.Intn(4)], body)
}

func (w *writer) program() string {
	return `struct n { int v; struct n *next; }; int g; static struct n *push(struct n *h) { struct n *t = malloc(sizeof *t); t->v = nondet_int(); t->next = h; return t; }
static unsigned twice(unsigned x) { unsigned s = 0; while (x > 3) { x -= 2; s += x; if (s > 40) break; } return s; }
int main(void) { struct n *h = 0, *p = 0, *q = 0, *r = 0, *t; unsigned i = 0, j = 3, k = nondet_int(); unsigned a[4] = {0};
int z = nondet_int() & 15; char *s = malloc(z + 1), *e = s + z; while (nondet_int() > 0) h = push(h); ` +
		w.block(3+w.r.Intn(4)) + "return 0; }"
}

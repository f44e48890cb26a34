package graphterm

import (
	"fmt"
	"math/rand"
	"strings"

	"github.com/firmproof/firmproof/verifier/testprogram"
)

// heapWriter writes programs that do right and wrong things with lists, arrays and locals.
type heapWriter struct {
	*rand.Rand
	depth  int
	doubly bool // blocks have a second pointer: back, most of the time
	tree   bool // or to a second tree
	owner  bool // blocks own another one, most of the time
}

func (w *heapWriter) pick(from ...string) string { return from[w.Intn(len(from))] }

// sometimes returns text, seldom nothing.
func (w *heapWriter) sometimes(text string) string {
	if w.Intn(8) == 0 {
		return ""
	}
	return text
}

// way is a pointer of a block that leads on.
func (w *heapWriter) way() string {
	if w.doubly && w.Intn(2) == 0 {
		return "prev"
	}
	return "next"
}

// linked is a statement about lists that lead back.
func (w *heapWriter) linked(l string) string {
	switch w.Intn(4) {
	case 0:
		text := w.sometimes("if (h == @) h = h->next; ") + "if (@->next) @->next->prev = @->prev; " +
			"if (@->prev) @->prev->next = @->next; " + w.pick("free(@); @ = 0; ", "p = q = 0; ")
		return strings.ReplaceAll("if (@) { "+text+"} ", "@", l)
	case 1:
		return fmt.Sprintf("if (%s) { t = push(0); t->next = %s->next; t->prev = %s; %s%s->next = t; } ", l, l, l,
			w.sometimes(fmt.Sprintf("if (%s->next) %s->next->prev = t; ", l, l)), l)
	case 2:
		return fmt.Sprintf("while (%s%s->next) %s = %s->next; ", w.sometimes(l+" && "), l, l, l)
	}
	return fmt.Sprintf("for (p = %s; p; p = p->prev) { %s} ", l, w.pick("i++; ", "p->v = i; ", "q = p; "))
}

// branching is a statement about trees.
func (w *heapWriter) branching(l string) string {
	k := w.way()
	switch w.Intn(6) {
	case 0:
		return fmt.Sprintf("for (p = %s; p%s; p = p->v > i ? p->next : p->prev) ; ", l, w.pick("", " && p->v"))
	case 1:
		return fmt.Sprintf("if (%s%s) %s->%s = push(0); ", l, w.sometimes(" && !"+l+"->"+k), l, k)
	case 2:
		return fmt.Sprintf("if (%s) { drop(%s->%s); %s} ", l, l, k, w.sometimes(l+"->"+k+" = 0; "))
	case 3:
		return fmt.Sprintf("if (%s) { t = %s->next; %s->next = %s->prev; %s->prev = %s; } ", l, l, l, l, l,
			w.pick("t", "t", "0", "p"))
	case 4:
		return fmt.Sprintf("if (%s%s) %s->%s = %s; ", l, w.sometimes(" && !"+l+"->"+k), l, k, w.pick("h", "p", "q"))
	}
	return fmt.Sprintf("drop(%s); %s", l, w.sometimes("h = p = q = 0; "))
}

// owning is a statement about what blocks own.
func (w *heapWriter) owning(l string) string {
	text := ""
	switch w.Intn(6) {
	case 0:
		text = "if (@->own) *@->own = i; "
	case 1:
		text = w.sometimes("free(@->own); ") +
			w.pick("@->own = 0; ", "@->own = malloc(4); ", "@->own = malloc(4); *@->own = 2; ")
	case 2:
		text = "if (@->next) { r = @->own; @->own = @->next->own; " + w.sometimes("@->next->own = r; ") + "r = 0; } "
	case 3:
		text = w.pick("r = @->own; ", "@->own = &@->v; ", "@->own = 0; ")
	case 4:
		return strings.ReplaceAll("while (@) { t = @->next; "+w.sometimes("free(@->own); ")+"free(@); @ = t; } "+
			w.sometimes("p = q = h = 0; "), "@", l)
	default:
		return fmt.Sprintf("for (p = %s; p; p = p->next) { if (p->own) %s} ", l, w.pick("i = *p->own; ", "*p->own = i; ",
			"{ free(p->own); p->own = 0; } "))
	}
	return strings.ReplaceAll("if (@) { "+text+"} ", "@", l)
}

func (w *heapWriter) statement() string {
	switch second := w.Intn(4) == 0; {
	case second && w.owner:
		return w.owning(w.pick("h", "p", "q"))
	case second && w.tree:
		return w.branching(w.pick("h", "p", "q"))
	case second && w.doubly:
		return w.linked(w.pick("h", "p", "q"))
	}
	l, x, i := w.pick("h", "p", "q"), w.pick("h", "p", "q"), w.pick("i", "j")
	if w.depth < 2 && w.Intn(4) == 0 {
		w.depth++
		defer func() { w.depth-- }()
		body := w.block(1 + w.Intn(3))
		switch w.Intn(5) {
		case 0:
			return fmt.Sprintf("if (nondet_int()) { %s} ", body)
		case 1:
			return fmt.Sprintf("for (p = %s; p; p = p->%s) { %s} ", l, w.way(), body)
		case 2:
			return fmt.Sprintf("while (nondet_int() > 2) { %s} ", body)
		case 3:
			return fmt.Sprintf("{ int y%s; r = &y; %s%s} ", w.pick("", " = 2"), body, w.pick("r = 0; ", ""))
		}
		return fmt.Sprintf("for (%s = 0; %s < %d; %s++) { %s} ", i, i, 2+w.Intn(5), i, body)
	}
	switch w.Intn(16) {
	case 0, 1:
		return fmt.Sprintf("%s = push(%s); ", l, l)
	case 2:
		return fmt.Sprintf("%sif (%s) { t = %s->next; free(%s); %s%s = t; } ", w.sometimes(""), l, l, l,
			w.sometimes("p = q = 0; "), l)
	case 3:
		return fmt.Sprintf("while (%s) { t = %s->%s; free(%s); %s = t; } %s", l, l, w.way(), l, l,
			w.sometimes("p = q = h = 0; "))
	case 4:
		return fmt.Sprintf("%s%s->v = %s; ", w.sometimes("if ("+l+") "), l, i)
	case 5:
		return fmt.Sprintf("%s%s = %s->v & 3; ", w.sometimes("if ("+l+") "), i, l)
	case 6:
		return fmt.Sprintf("%s = %s; ", l, x)
	case 7:
		return fmt.Sprintf("%s%s = %s->%s; ", w.sometimes("if ("+x+") "), l, x, w.way())
	case 8:
		return fmt.Sprintf("%s%s->%s = %s; ", w.sometimes("if ("+x+") "), x, w.way(), l)
	case 9:
		return fmt.Sprintf("t = malloc(sizeof *t); %st->next = %s; %s = t; ", w.sometimes("t->v = 1; "), l, l)
	case 10:
		return fmt.Sprintf("a[%s & %d] = 1; ", i, w.pick3(3, 3, 7))
	case 11:
		return fmt.Sprintf("%s = a[%s & 3]; ", i, i)
	case 12:
		return w.sometimes("if (r) ") + w.pick("*r = 1; ", "i = *r; ", "r = 0; ")
	case 13:
		return fmt.Sprintf("%s = nondet_int() & 7; ", i)
	case 14:
		return fmt.Sprintf("visit(%s%s); ", l, w.pick("", "", ", free(q)"))
	}
	return fmt.Sprintf("memcpy(&a[%d], &a[%d], %d); ", w.Intn(3), w.Intn(3), 4*(1+w.Intn(2)))
}

func (w *heapWriter) pick3(x, y, z int) int { return []int{x, y, z}[w.Intn(3)] }

func (w *heapWriter) block(n int) string {
	var b strings.Builder
	for ; n > 0; n-- {
		b.WriteString(w.statement())
	}
	return b.String()
}

func (w *heapWriter) program() string {
	lists, visit := testprogram.Lists, "visit(x->next);"
	if w.owner = w.Intn(4) == 0; w.owner {
		own := w.pick("malloc(4)", "nondet_int() ? malloc(4) : 0")
		lists = strings.Replace(strings.Replace(lists, "struct n *next; };", "struct n *next; int *own; };", 1),
			"t->next = h; return t;", "t->next = h; t->own = "+own+"; return t;", 1)
		return w.rest(lists, visit)
	}
	if w.doubly = w.Intn(3) > 0; w.doubly {
		second := "t->prev = 0; if (h) h->prev = t;"
		if w.tree = w.Intn(2) == 0; w.tree {
			second = "t->prev = 0; if (h && nondet_int()) { t->prev = h->next; h->next = 0; }"
			visit += " visit(x->prev);"
		}
		lists = strings.Replace(strings.Replace(lists, "struct n *next; };", "struct n *next, *prev; };", 1),
			"t->next = h; return t;", "t->next = h; "+second+" return t;", 1)
	}
	return w.rest(lists, visit)
}

// rest is the program over lists, whose nodes visit looks at.
func (w *heapWriter) rest(lists, visit string) string {
	return strings.ReplaceAll(lists+`static void visit(struct n *x) { if (x) { x->v = 3; `+visit+` } }
		static void drop(struct n *x) { if (x) { `+strings.ReplaceAll(visit, "visit", "drop")+` free(x); } }
		int main(void) { struct n *h = 0, *p = 0, *q = 0, *t = 0; int a[4]`+
		w.pick(" = {0}", " = {0}", "")+`, *r = 0, i = 0, j = 1; `+
		w.block(3+w.Intn(6))+w.pick("", "while (h) { t = h->next; free(h); h = t; } ")+`return 0; }`,
		", free(q))", "); free(q)")
}

// terminating writes a program of which some end: its loops on inputs are counted, some of them seldom.
func (w *heapWriter) terminating() string {
	src := strings.Replace(w.program(), "int main(void) {", "int main(void) { int k = nondet_int() & 7; ", 1)
	return strings.ReplaceAll(src, "while (nondet_int() > 2) {",
		"while (k > 0) { "+w.pick("k--; ", "k--; ", "if (h) k--; ", "if (!p) k--; ", "if (q != h) k--; "))
}

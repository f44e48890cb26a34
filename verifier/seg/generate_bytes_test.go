package seg

import (
	"fmt"
	"math/rand"
	"strings"
)

// byteWriter writes small programs over bytes: unions, packed members at odd offsets, wide reads of narrow writes,
// copies of parts, fills, and initialisers that begin with zeros.
type byteWriter struct {
	r     *rand.Rand
	depth int
	loose bool // accesses may be undefined: beside their object, or of bytes without a value
	few   []string
}

func (w *byteWriter) pick(xs ...string) string { return xs[w.r.Intn(len(xs))] }

// number is a variable that is compared at each turn of a loop.
func (w *byteWriter) number() string { return w.pick("i", "j", "k") }

// memory is 8 bytes that may be written.
func (w *byteWriter) memory() string {
	for len(w.few) < 3 {
		w.few = append(w.few, w.pick("x.b", "y.b", "g.b", "set.b", "z", "z", "((unsigned char *)&pk)", "((unsigned char *)&bf)"))
	}
	of := w.pick(w.few...)
	if w.loose && w.r.Intn(4) == 0 {
		return w.pick("u.b", "n", "("+of+" + 1)", "("+of+" - 1)", "q", "q")
	}
	return of
}

// part is a number in 8 bytes, at any offset.
func (w *byteWriter) part(of string) string {
	n := 1 << w.r.Intn(4)
	at := w.r.Intn(9 - n)
	if w.r.Intn(3) == 0 {
		at = 0
	}
	return fmt.Sprintf("((struct p%d *)(%s + %d))->v", 8*n, of, at)
}

func (w *byteWriter) value() string {
	return w.pick("0", "1", "5", "-1", "0x0102030405060708l", w.number(), w.number(), w.part(w.memory()),
		"bf."+w.pick("a", "b", "c", "d"))
}

// pointer is a statement about a pointer that is looked at as bytes, too.
func (w *byteWriter) pointer() string {
	n := w.r.Intn(8)
	return w.pick("p = &i; ", "p = &j; ", "p = &k; ", "*p = 7; ", w.number()+" = *p; ", "memcpy(&r, &p, 8); p = r; ",
		fmt.Sprintf("memcpy(z, &p, 8); memcpy((char *)&r + %d, z + %d, %d); ", n, n, 8-n),
		"for (int n = 0; n < 8; n++) ((char *)&r)[n] = ((char *)&p)[n]; ", "x.raw = (unsigned long)p; r = (int *)x.raw; ",
		fmt.Sprintf("((unsigned char *)&r)[%d] = ((unsigned char *)&p)[%d]; ", n, n), "r = p; *r = 3; ", "if (r == p) i = 1; ")
}

// overlap writes a number and reads another one of which the bytes are, some of them at least.
func (w *byteWriter) overlap() string {
	m, n, k := w.memory(), 1<<w.r.Intn(4), 1<<w.r.Intn(4)
	at := w.r.Intn(9 - n)
	from := min(max(0, at+w.r.Intn(n+k-1)-k+1), 8-k)
	if w.r.Intn(3) == 0 {
		from = min(at, 8-k)
	}
	return fmt.Sprintf("((struct p%d *)(%s + %d))->v = %s; %s = ((struct p%d *)(%s + %d))->v; ", 8*n, m, at, w.value(),
		w.number(), 8*k, m, from)
}

func (w *byteWriter) statement() string {
	n := 1 + w.r.Intn(8)
	if w.r.Intn(3) == 0 {
		n = 8
	}
	to, from := w.r.Intn(9-n), w.r.Intn(9-n)
	v := w.number()
	switch w.r.Intn(20) {
	case 0, 1, 2:
		return fmt.Sprintf("%s = %s; ", w.part(w.memory()), w.value())
	case 3, 4, 5:
		return fmt.Sprintf("%s = %s; ", v,
			w.part(w.pick(w.memory(), "((unsigned char *)&frame)", "((unsigned char *)&tab)")))
	case 6:
		return fmt.Sprintf("memmove(%s + %d, %s + %d, %d); ", w.memory(), to,
			w.pick(w.memory(), "(const unsigned char *)&frame", "(const unsigned char *)&tab"), from, n)
	case 7:
		return fmt.Sprintf("memset(%s + %d, %s, %d); ", w.memory(), to*w.r.Intn(2), w.pick("0", "0", "255", v), n)
	case 8:
		return fmt.Sprintf("memcpy(%s, z + %d, %d); ", w.pick("x.b", "y.b", "g.b"), from, n)
	case 9:
		return w.pick("x = y; ", "y = x; ", "x = g; ", "g = frame; ", "y = frame; ", "x = set; ", "pk = tab[1]; ",
			"z = calloc(8, 1); ", "z = malloc(8); memset(z, 0, 8); ", "memcpy(z, &frame, 8); ",
			"i = 0; memcpy(&i, z + 4, 4); ", "j = 1; memcpy(&j, x.b + 3, 2); ")
	case 10:
		return fmt.Sprintf("%s[%s & 7] = %s; ", w.memory(), v, w.value())
	case 11:
		return fmt.Sprintf("%s = %s[%s & 7]; ", v, w.pick(w.memory(), "frame.b"), w.number())
	case 12:
		return fmt.Sprintf("bf.%s = %s; ", w.pick("a", "b", "c", "d"), w.value())
	case 13:
		return w.pointer()
	case 14, 15, 16:
		return w.overlap()
	case 17:
		return fmt.Sprintf("big[%d] = %s; memcpy(%s, big + %d, 8); ", w.r.Intn(16), w.value(), w.memory(), w.r.Intn(9))
	}
	if w.depth > 1 {
		return fmt.Sprintf("%s = %s %s; ", v, w.number(), w.pick("+ 1", "& 7", "- 3"))
	}
	w.depth++
	defer func() { w.depth-- }()
	return fmt.Sprintf("if (%s) { %s} else { %s} ", w.pick("nondet_int() > 0", v+" > 3", v+" == 0"), w.block(2), w.block(1))
}

func (w *byteWriter) block(n int) string {
	var b strings.Builder
	for range n {
		b.WriteString(w.statement())
	}
	return b.String()
}

func (w *byteWriter) program() string {
	return `void *calloc(unsigned long, unsigned long); void *memcpy(void *, const void *, unsigned long); void *memmove(void *, const void *, unsigned long); void *memset(void *, int, unsigned long);
#define PACKED __attribute__((packed))
struct PACKED p8 { unsigned char v; }; struct PACKED p16 { short v; }; struct PACKED p32 { int v; }; struct PACKED p64 { long v; };
struct bf { unsigned a : 3; int b : 7; unsigned long c : 30; signed char d : 5; unsigned e : 11; }; struct PACKED pk { unsigned char a; unsigned b; unsigned short c; char d; };
union u { struct { unsigned char id[4], data[4]; } f; unsigned long raw; unsigned w[2]; unsigned short h[4]; unsigned char b[8]; };
static const union u frame = { .f = { {0}, {5, 6, 7, 8} } }; static union u g, set = { .w = { 0, 0x01020304 } };
static unsigned char big[16]; static const struct pk tab[2] = { { 0, 0, 0x1234, 1 }, { 1, 0x02030405 } };
int main(void) { struct bf bf = {0}; union u x = {0}, y = { .h = { 0, 0, 1 } }; struct pk pk = { 0, 7 }; unsigned char *z = calloc(8, 1);
int i = 0, j = 3, k = nondet_int(), *p = &i, *r = &j; union u u; unsigned char *q = malloc(8), *n = 0; ` + w.block(3+w.r.Intn(6)) +
		"while (nondet_int() > 0) { " + w.block(1+w.r.Intn(3)) + "} " + w.block(2) +
		"while (nondet_int() > 0) i = i + 1; return 0; }"
}

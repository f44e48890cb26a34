package seg

import (
	"fmt"
	"math/rand"
	"strings"
)

// byteWriter writes small programs over bytes: unions, packed members at odd offsets, wide reads of narrow writes,
// copies of parts, fills, and initialisers that begin with zeros. No type has another size on a smaller machine, but int,
// pointers and bit-fields.
type byteWriter struct {
	r     *rand.Rand
	depth int
	loose bool // statements may be undefined: beside their object, of bytes without a value, or of an object that is gone
	short bool // no loop but the last
	n     int  // which undefined statements come first
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
		return w.pick("u.b", "u.b", "("+of+" + 1)", "("+of+" - 1)", "q", "q")
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
	return w.pick("0", "1", "5", "-1", "0x0102030405060708ll", w.number(), w.number(), w.part(w.memory()),
		"bf."+w.pick("a", "b", "c", "d"))
}

// pointer is a statement about a pointer that is looked at as bytes, too.
func (w *byteWriter) pointer() string {
	n := fmt.Sprintf("%d %% sizeof p", w.r.Intn(8))
	return w.pick("p = &i; ", "p = &j; ", "p = &k; ", "*p = 7; ", w.number()+" = *p; ",
		"memcpy(&r, &p, sizeof p); p = r; ",
		fmt.Sprintf("memcpy(z, &p, sizeof p); memcpy((char *)&r + %s, z + %s, sizeof p - %s); ", n, n, n),
		"for (int n = 0; n < sizeof p; n++) ((char *)&r)[n] = ((char *)&p)[n]; ",
		"x.raw = (__UINTPTR_TYPE__)p; r = (int *)(__UINTPTR_TYPE__)x.raw; ",
		fmt.Sprintf("((unsigned char *)&r)[%s] = ((unsigned char *)&p)[%s]; ", n, n), "r = p; *r = 3; ",
		"if (r == p) i = 1; ",
		w.pick("__atomic_fetch_add", "__atomic_fetch_sub", "__atomic_fetch_or", "__atomic_exchange_n")+
			w.pick("(p, ", "(&i, ", "(&j, ")+w.pick("3", "-1", "i", "j")+", 5); ")
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
	switch w.r.Intn(8) {
	case 0:
		return w.cut()
	case 1:
		return w.half()
	}
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
	return `typedef __SIZE_TYPE__ size; void *malloc(size); void *calloc(size, size); void free(void *); int nondet_int(void);
void *memcpy(void *, const void *, size); void *memmove(void *, const void *, size); void *memset(void *, int, size);
typedef __INT16_TYPE__ i16; typedef __INT32_TYPE__ i32; typedef __INT64_TYPE__ i64; typedef __UINT16_TYPE__ u16; typedef __UINT32_TYPE__ u32; typedef __UINT64_TYPE__ u64;
#define PACKED __attribute__((packed))
struct PACKED p8 { unsigned char v; }; struct PACKED p16 { i16 v; }; struct PACKED p32 { i32 v; }; struct PACKED p64 { i64 v; };
struct bf { unsigned a : 3; int b : 7; unsigned long c : 30; signed char d : 5; unsigned e : 11; }; struct PACKED pk { unsigned char a; u32 b; u16 c; char d; };
union u { struct { unsigned char id[4], data[4]; } f; u64 raw; u32 w[2]; u16 h[4]; unsigned char b[8]; };
static const union u frame = { .f = { {0}, {5, 6, 7, 8} } }; static union u g, set = { .w = { 0, 0x01020304 } };
static unsigned char big[16]; static const struct pk tab[2] = { { 0, 0, 0x1234, 1 }, { 1, 0x02030405 } };
int main(void) { struct bf bf = {0}; union u x = {0}, y = { .h = { 0, 0, 1 } }; struct pk pk = { 0, 7 }; unsigned char *z = calloc(8, 1);
unsigned char wide[16] = {0}, *hz = calloc(16, 1);
int i = 0, j = 3, k = nondet_int(), *p = &i, *r = &j; union u u; unsigned char *q = malloc(8), *n = 0; ` + w.body() +
		"while (nondet_int() > 0) i = i + 1; return 0; }"
}

// body is a few statements, or more and a loop.
func (w *byteWriter) body() string {
	switch {
	case w.short && w.loose:
		return w.block(1) + w.chances() + w.block(1)
	case w.short:
		return w.block(2 + w.r.Intn(3))
	}
	return w.block(3+w.r.Intn(6)) + "while (nondet_int() > 0) { " + w.block(1+w.r.Intn(3)) + "} " + w.block(2)
}

package places_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/firmproof/firmproof/verifier/flow/places"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/testprogram"
)

// words is a program, and what a test says of it in words.
type words struct{ src, want string }

// holdTo compares what `say` says of programs.
func holdTo(t *testing.T, say func(*ir.Module) string, rows []words) {
	t.Helper()
	for _, r := range rows {
		if got := say(testprogram.Compile(t, r.src, "-O0")); got != r.want {
			t.Errorf("%s\n got %q\nwant %q", r.src, got, r.want)
		}
	}
}

// heldWords says what is known of a place: functions, other addresses, and who compares it.
func heldWords(h *places.Held) string {
	var out []string
	names := func(what string, list []*ir.Func) {
		for _, f := range list {
			out = append(out, what+f.Name)
		}
	}
	names("", h.Funcs)
	names("puts ", h.Puts)
	for _, f := range h.Fixed {
		out = append(out, f.String())
	}
	for _, is := range []struct {
		yes  bool
		name string
	}{{h.Others, "others"}, {h.Varies, "varies"}, {h.Set, "set"}} {
		if is.yes {
			out = append(out, is.name)
		}
	}
	names("null ", h.Null)
	names("copied ", h.Copied)
	names("ends ", h.Ends)
	return strings.Join(out, ", ")
}

// heldIn words what a program stores in each place: "x+8: a, puts a, set; .f: b". A member of a kind of structure is told by
// the members and its offset.
func heldIn(m *ir.Module) string {
	ps := places.Of(m)
	var out []string
	for p, h := range ps.At {
		of, _, _ := strings.Cut(p.Of, "/")
		if p.Global != nil {
			of = ir.NameOf(p.Global)
		}
		if w := heldWords(h); w != "" {
			out = append(out, fmt.Sprintf("%s+%d: %s", of, p.Off, w))
		}
	}
	slices.Sort(out)
	if w := heldWords(&ps.Stray); w != "" {
		out = append(out, "stray: "+w)
	}
	return strings.Join(out, "; ")
}

// TestHeldIn: what is stored where, by the code and by initialisers, and which functions compare it with null.
func TestHeldIn(t *testing.T) {
	const s = "typedef void (*fn)(void); void a(void); void b(void); struct s { int n; fn f; struct s *next; }; "
	holdTo(t, heldIn, []words{
		{s + "static fn x; void f(void) { x = a; }", "x+0: a, puts a, set"},
		{s + "fn x = a;", "x+0: a"},
		{s + "fn x = a; void f(void) { x = b; }", "x+0: a, b, puts b, set"},
		{s + "struct s x = { 1, a }; void f(struct s *p) { p->f = b; }", "n,f,next+8: a, b, puts b, set; x+8: a"},
		{s + "static fn x; void f(void) { x = 0; }", ""},
		{s + "static fn x; void f(fn g) { x = g; }", "x+0: others, varies, set"},
		{s + "static fn x; void f(void) { x = (fn)((char *)a + 1); }", "x+0: others, varies, set"},
		{s + "static int *x, y; void f(void) { x = &y; }", "x+0: &y, others, set"},
		{s + "static int *x, y[4]; void f(void) { x = y + 2; }", "x+0: &y + 8 bytes, others, set"},
		{s + "static int *x; void f(void) { x = (int *)0x4000; }", "x+0: 0x4000, others, set"},
		{s + "static int *x; void f(int *p) { x = p; }", "x+0: others, varies, set"},
		{s + "static struct s x; void f(struct s *p) { memcpy(&x, p, sizeof x); }", "x+16: others, varies, set"},
		{s + "static struct s x; void f(struct s *p) { memmove(&x, p, sizeof x); }", "x+16: others, varies, set"},
		{s + "static struct s x; void f(void) { memset(&x, 0, sizeof x); }", ""},
		{s + "void f(const char *p) { memcpy((char *)\"abcd\", p, 2); }", ""},
		{s + "void h(struct s *); void f(void) { struct s x = { 1, a, 0 }; h(&x); }", "n,f,next+8: a"},
		{s + "static const struct s y = { 1, b, 0 }; void h(struct s *); void f(void) { struct s x; memcpy(&x, &y, sizeof x); h(&x); }", "n,f,next+8: b; y+8: b"},
		{s + "void f(fn *p) { *p = a; }", "stray: a, puts a, set"},
		{s + "void f(fn *p, fn g) { *p = g; }", "stray: others, varies, set"},
		{s + "void f(int **p, int *q) { *p = q; }", ""},
		{s + "int f(struct s *p) { return p->next == 0; }", "n,f,next+16: null f, ends f"},
		{s + "int f(struct s *p) { return p->f == 0; }", "n,f,next+8: null f"},
		{s + "void __assert_fail(const char *, const char *, unsigned, const char *); void f(struct s *p) { p->f ? (void)0 : __assert_fail(\"\", \"\", 1, \"\"); }", ""},
		{s + "static struct s *x; void f(struct s *n) { struct s **p = &x; while (*p) p = &(*p)->next; *p = n; }",
			"n,f,next+16: null f, ends f; x+0: null f"},
		{s + "static struct s *x; void f(void) { struct s **p = &x; struct s *n = *p; if (n) n->n = 1; }", "x+0: copied f"},
		{s + "int f(struct s *p) { int n = 0; for (struct s *q = p->next; q; q = q->next) n++; return n; }", "n,f,next+16: copied f, ends f"},
	})
}

// TestOrdered: addresses of which the lower one is asked for, or how far they are apart, lead into one object; such that are
// only compared for being the same need not.
func TestOrdered(t *testing.T) {
	const s = "struct s { char *head, *tail, *other; }; "
	for _, c := range []struct {
		body string
		want bool
	}{
		{"return p->head < p->tail;", true},
		{"return p->tail >= p->head;", true},
		{"char *h = p->head; return h + 1 < p->tail;", true},
		{"return p->tail - p->head;", true},
		{"return p->head == p->tail;", false},
		{"return p->head != p->tail;", false},
		{"return p->head < p->other;", false},
		{"return (int)((long)p->head & 7) < (int)((long)p->tail & 7);", false},
	} {
		ps := places.Of(testprogram.Compile(t, s+"long f(struct s *p) { "+c.body+" }", "-O0"))
		of := places.LayoutOf(&ir.DType{Bits: 192, Fields: []ir.DField{{Name: "head"}, {Name: "tail"}, {Name: "other"}}})
		head, tail := places.Place{Of: of}, places.Place{Of: of, Off: 8}
		if ps.Ordered(head, tail) != c.want || ps.Ordered(tail, head) != c.want {
			t.Errorf("%s: %t, want %t", c.body, ps.Ordered(head, tail), c.want)
		}
	}
}

// TestBeyond: what is before a structure that a pointer leads to, or behind it, is in none, but for elements of an array of
// no length at its end.
func TestBeyond(t *testing.T) {
	number := &ir.DType{Kind: ir.DInt, Bits: 32}
	ends := func(last *ir.DType) *ir.DType {
		return &ir.DType{Kind: ir.DStruct, Bits: 64, Fields: []ir.DField{{Name: "n", T: number}, {Name: "last", T: last, BitOff: 32}}}
	}
	array := func(n int64) *ir.DType { return &ir.DType{Kind: ir.DArray, Elem: number, Count: n, Bits: int(32 * n)} }
	for _, c := range []struct {
		what string
		o    places.Object
		want bool
	}{
		{"in it", places.Object{T: ends(number), Off: 4}, false},
		{"at its last byte", places.Object{T: ends(number), Off: 7}, false},
		{"behind it", places.Object{T: ends(number), Off: 8}, true},
		{"before it", places.Object{T: ends(number), Off: -4}, true},
		{"behind an array of one", places.Object{T: ends(array(1)), Off: 8}, true},
		{"behind an array of no length", places.Object{T: ends(array(0)), Off: 8}, false},
		{"before an array of no length", places.Object{T: ends(array(0)), Off: -4}, true},
		{"behind a member of no type", places.Object{T: ends(nil), Off: 8}, true},
		{"behind no members", places.Object{T: &ir.DType{Kind: ir.DStruct}, Off: 0}, true},
		{"no structure", places.Object{T: number, Off: 8}, false},
	} {
		if got := c.o.Beyond(); got != c.want {
			t.Errorf("%s: %t, want %t", c.what, got, c.want)
		}
	}
}

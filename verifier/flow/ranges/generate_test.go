package ranges

import (
	"fmt"
	"math/rand"
	"strings"
)

// memberWriter writes programs that keep numbers in ranges, and change some of them in other ways: by bytes, copies,
// unions, pointers to other types, walks, and addresses that were numbers.
type memberWriter struct {
	r    *rand.Rand
	n    int      // which of the other ways is in the program
	odd  []string // ways to change numbers that this program has
	made int
}

func (w *memberWriter) pick(xs ...string) string { return xs[w.r.Intn(len(xs))] }

// structure is the address of a structure; number is an input.
func (w *memberWriter) structure() string {
	return w.pick("p", "p", "p", "&one", "&two", "&many[x & 1]", "p->next", "q")
}

func (w *memberWriter) number() string {
	return w.pick("x", "x", "y", "p->c", "level", "count", "p->a")
}

// keeps is a store that keeps to a range.
func (w *memberWriter) keeps() string {
	p, x, of := w.structure(), w.number(), w.pick("a", "b", "c", "in.m", "in.w")
	m, m2 := fmt.Sprintf("(%s)->%s", p, of), fmt.Sprintf("(%s)->%s", w.structure(), of) // these may be one
	if w.r.Intn(4) == 0 {
		return w.pick(fmt.Sprintf("%s = x; sink += %s; if (%s > 3) %s = 1; ", m, m2, m, m),
			fmt.Sprintf("if (%s < 3) { %s = x & 7; %s++; } ", m, m2, m),
			fmt.Sprintf("%s = x; look(%s); if (%s > 3) %s = 1; ", m, w.structure(), m, m),
			fmt.Sprintf("if (%s < 3) { base(%s, x); %s++; } ", m, w.structure(), m),
			fmt.Sprintf("%s = x; %s = %s; if (%s > 3) %s = 1; ", m, "("+w.structure()+")->in.w", m2, m, m))
	}
	to := w.pick(m, m, m, "count", "level", "many[1].b")
	return w.pick(fmt.Sprintf("%s = %s & 3; ", to, x), fmt.Sprintf("if (%s < 3) %s++; ", to, to),
		fmt.Sprintf("%s = (u16)(%s + 1) %% 3; ", to, to), fmt.Sprintf("%s = %s > 1 && %s < 4 ? %s : 2; ", to, x, x, x),
		fmt.Sprintf("if (%s > 0) %s--; ", to, to), fmt.Sprintf("%s = %d; ", to, 1+w.r.Intn(3)),
		fmt.Sprintf("%s = tab[%s & 3]; ", to, x), "count = count < 3 ? count + 1 : 0; ", "*p = *q; ",
		fmt.Sprintf("for (%s = 0; %s < 3; %s++) sink += %s; ", to, to, to, x), "p->in = q->in; ",
		"level = x < 0 ? 0 : x > 5 ? 5 : x; ")
}

// oddWays are ways to change numbers that stores to members do not show.
func (w *memberWriter) oddWays() []string {
	k, of := w.r.Intn(8), w.pick("&p->a", "&p->b", "&p->c", "&p->in.m", "&p->in.w", "&count", "&level", "p->buf", "&p->in")
	return []string{
		fmt.Sprintf("((u8 *)p)[%d] = x; ", k), fmt.Sprintf("((u8 *)&one)[%s] = x; ", w.pick("x & 7", fmt.Sprint(k))),
		fmt.Sprintf("((u8 *)%s)[0] = x; ", of), fmt.Sprintf("*(u16 *)((u8 *)p + %d) = x; ", k&^1),
		fmt.Sprintf("memset(%s, x, %d); ", of, 1+k%4), "memset(p, x, sizeof *p); ", "memcpy(p, raw, sizeof *p); ",
		fmt.Sprintf("memcpy(%s, raw, 2); ", of), fmt.Sprintf("fill((u8 *)%s, 2, x); ", of),
		"fill(&p->a, 1, x); ", "out(&level, x); ", "out(&p->c, x); ", "small(&count, x); ", "*p->at = x; ",
		"p->at = &two.a; ", "p->at = raw; ", "p->at = &count; ", "((struct alike *)p)->c1 = x; ",
		"p->ctx = p; ((struct alike *)p->ctx)->b1 = x; ", "((struct alike *)p->ctx)->a1 = x; ", "p->ctx = q; ",
		"p->ctx = raw; ", "p->in = *(struct in *)raw; ", "p->in = *(struct in *)(raw + 2); ", "un.word = x; p->in = un.in; ",
		"un.word = x; ", "un.raw[1] = x; ", "p->in = un.in; ", "u = (struct in *)&un; u->w = x; ",
		"((struct s *)((char *)&p->in - __builtin_offsetof(struct s, in)))->b = x; ",
		"*(u8 *)((uptr)p + 2) = x; ", "at = (uptr)&p->c; ", "*(i32 *)at = x; ", "v = &p->in; ", "v = p; ", "v = raw; ",
		"((struct in *)v)->m = x; ", "*(u8 *)v = x; ", "memcpy(v, raw, 4); ", "pp = &p; (*pp)->b = x; ",
		"*(x & 1 ? &p->a : raw) = x; ", "small(x & 1 ? &p->a : &count, x); ", "*where(p) = x; ", "*p = make(x); ",
		"p->in = part(x); ", "swap(&p->in, &q->in); ", "memcpy(raw, q, 16); memcpy(p, raw, 16); ", "give(make(x)); ",
		"q = (struct s *)raw; ", "q = malloc(sizeof *q); q->next = p; q->ctx = p; q->at = raw; ", "do_it(p, x); ",
		"for (u8 *b = &p->a; b < &p->a + 4; b++) *b = x; ", "b = &p->in.m; b[2] = x; ", "w = &p->b; w[1] = x; ",
		"p->buf[5] = x; *(u16 *)&p->buf[4] = y; ", "memmove(&p->in, p->buf, sizeof p->in); ",
		"((struct in *)p->buf)->w = x; ", "list[x & 1].w = x; ", "u = &list[1]; ", "u = (struct in *)(void *)p->buf; ",
		"u->m = x; ", "u = &p->in; ", "two = *(struct s *)raw; ", "*(struct s *)v = *q; ", "p->next = (struct s *)raw; ",
		"p->next = v; ", "r16 = (u16 *)&p->b; ", "*r16 = x; ", "box.p = &p->in; ", "box.p->w = x; ", "*box.n = x; ",
		"box.n = &p->c; ", "box.n = &level; ", "__atomic_store_n(&p->c, x, 5); ", "__atomic_fetch_add(&level, x, 5); ",
	}
}

func (w *memberWriter) statement() string {
	switch w.r.Intn(10) {
	case 0, 1:
		return w.pick(w.odd...)
	case 2:
		return fmt.Sprintf("if (%s > %d) { %s } else { %s } ", w.number(), w.r.Intn(9), w.keeps(), w.keeps())
	case 3:
		if w.made > 0 {
			return fmt.Sprintf("f%d(%s, %s, y, x); ", w.r.Intn(w.made), w.structure(), w.pick("p", "q"))
		}
	}
	return w.keeps()
}

func (w *memberWriter) function() string {
	var b strings.Builder
	fmt.Fprintf(&b, "static void f%d(struct s *p, struct s *q, int x, int y) { if (!p || !q) return; ", w.made)
	for range 2 + w.r.Intn(3) {
		b.WriteString(w.statement())
	}
	if w.made++; w.made == 2 {
		b.WriteString(w.pick(w.odd...))
	}
	return b.String() + "look(p); }\n"
}

func (w *memberWriter) program() string {
	ways := w.oddWays()
	w.odd = []string{ways[w.n%len(ways)]}
	if w.r.Intn(3) == 0 {
		w.odd = append(w.odd, w.pick(ways...))
	}
	functions := ""
	for range 2 + w.r.Intn(2) {
		functions += w.function()
	}
	calls := ""
	for n := range w.made {
		calls += fmt.Sprintf("f%d(%s, %s, nondet_int(), nondet_int()); ", n, w.pick("&one", "&two", "&many[1]", "h"),
			w.pick("&one", "&two", "&many[0]"))
	}
	return `typedef __SIZE_TYPE__ size; typedef __UINTPTR_TYPE__ uptr; void *malloc(size); int nondet_int(void);
void *memcpy(void *, const void *, size); void *memmove(void *, const void *, size); void *memset(void *, int, size);
typedef unsigned char u8; typedef __UINT16_TYPE__ u16; typedef __INT32_TYPE__ i32;
struct in { u8 m; u16 w; }; struct alike { u8 a1; u16 b1; i32 c1; }; struct box { struct in *p; i32 *n; };
struct s { u8 a; u16 b; i32 c; u8 buf[6]; struct in in; u8 *at; struct s *next; void *ctx; };
union un { struct in in; u8 raw[4]; __UINT32_TYPE__ word; };
static u8 raw[64] __attribute__((aligned(8))); static u8 count = 1; static i32 level = 4; static union un un; static const u8 tab[4] = { 1, 2, 3, 4 };
static struct s one, two, many[2]; static struct in list[2]; static void *v = &two; static struct in *u = list; static u16 *r16 = &list[0].w;
static uptr at = (uptr)raw; static u8 *b = raw; static u16 *w = &list[0].w; static struct s **pp; static struct box box = { list, &level }; static int sink;
static void fill(u8 *d, int n, int x) { for (int i = 0; i < n; i++) d[i] = x; }
static void out(i32 *d, int x) { *d = x; } static void small(u8 *d, int x) { *d = x; } static u8 *where(struct s *p) { return &p->a; }
static struct s make(int x) { struct s t = { 1, 2, 3 }; t.b = x; t.at = raw; t.next = &one; t.ctx = &two; return t; }
static struct in part(int x) { struct in t = { 1, 2 }; t.w = x; return t; } static void give(struct s t) { one = t; }
static void swap(void *x, void *y) { u8 t[4]; memcpy(t, x, 4); memcpy(x, y, 4); memcpy(y, t, 4); }
static void set_b(struct s *p, int x) { p->b = x; } static void (*do_it)(struct s *, int) = set_b;
static void look(struct s *p) { sink += p->a + p->b + p->c + p->in.m + p->in.w + count + level + list[0].w + list[1].m; }
static void base(struct s *p, int x) { p->a = x & 3; p->b = 1 + (x & 3); p->c = x < 0 ? 0 : x > 3 ? 3 : x; p->in.m = x & 1; p->in.w = x & 2; }
` + functions + `int main(void) { struct s *h = malloc(sizeof *h); *h = one; struct s *all[4] = { &one, &two, &many[1], h };
for (int i = 0; i < 64; i++) raw[i] = 100 + i;
for (int i = 0; i < 4; i++) { all[i]->next = &one; all[i]->at = raw; all[i]->ctx = &two; }
base(h, 1); for (int i = 0; i < 6; i++) { base(all[i & 3], nondet_int()); ` + calls + `} look(&one); look(&two); look(h); return 0; }
`
}

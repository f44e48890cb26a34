package seg

import (
	"context"
	"testing"

	"github.com/firmproof/firmproof/verifier/frontend"
	"github.com/firmproof/firmproof/verifier/ir"
)

// reachHead declares what programs of this file use; hang() is a loop that they may come to.
const reachHead = `void *memcpy(void *, const void *, unsigned long); void *memset(void *, int, unsigned long);
char *strcpy(char *, const char *); unsigned long strlen(const char *);
static void hang(void) { for (;;); }
`

// hangs lists the edges into hang from elsewhere.
func hangs(g *Graph) []*edge {
	var out []*edge
	for _, c := range g.cuts {
		for _, e := range c.edges {
			if e.to != nil && e.to.st.top().fn.Name == "hang" && c.st.top().fn.Name != "hang" {
				out = append(out, e)
			}
		}
	}
	return out
}

// reached are programs in which some execution comes to hang, so that a graph has to.
var reached = map[string]string{
	"address as a number":        `int main(void) { char c; unsigned long a = (unsigned long)&c; if (a + 16 > 20) hang(); return 0; }`,
	"copy from an unknown place": `static char a[8], b[8]; int main(void) { b[3] = 1; int k = nondet_int() & 3; memcpy(a, b + k, 4); if (a[3] == 1 || a[2] == 1) hang(); return 0; }`,
	"copy of a part":             `static struct { int a, b; } x = {1, 2}, y; int main(void) { x.a = 3; x.b = 2; memcpy(&y, &x, 4); if (y.b == 0 && y.a == 3) hang(); return 0; }`,
	"negative remainder":         `int main(void) { int x = nondet_int(); if (x < 0 && x > -10 && x % 4 < 0) hang(); return 0; }`,
	"large unsigned quotient":    `int main(void) { unsigned x = nondet_int(); if (x / 3 > 1000000000u && x % 3 == 2) hang(); return 0; }`,
	"empty write past the end":   `static char x; int main(void) { int n = nondet_int(); if (n) return 0; memset(&x + 1, 0, n); hang(); return 0; }`,
	"global on one way":          `static int g; int main(void) { if (nondet_int()) g = 5; while (nondet_int()) { if (g == 0) hang(); } return 0; }`,
	"object on one way":          `int main(void) { int *p = 0; if (nondet_int()) { p = malloc(4); *p = 5; } while (nondet_int()) { if (!p) hang(); } return 0; }`,
	"negative mask":              `int main(void) { int x = nondet_int(); if ((x & 3) == 3 && x < -4) hang(); return 0; }`,
	"exclusive or":               `int main(void) { int x = nondet_int() & 7, y = nondet_int() & 7; if ((x ^ y) == 7 && x != 7) hang(); return 0; }`,
	"second pointer to a list": `struct n { struct n *next; }; int main(void) { struct n *p = 0, *q; while (nondet_int()) { struct n *t = malloc(sizeof *t); t->next = p; p = t; }
		q = p; while (nondet_int()) { if (p && !q) hang(); q = 0; } return 0; }`,
	"table at an unknown place": `static const int a[4] = {1, 2, 3, 4}; int main(void) { if (a[nondet_int() & 3] == 3) hang(); return 0; }`,
}

// unreached are programs in which none does, and what a graph knows is enough to see it.
var unreached = map[string]string{
	"bounds of exclusive or": `int main(void) { int x = nondet_int() & 7, y = nondet_int() & 7; if ((x ^ y) > x + y) hang(); return 0; }`,
	"bounds of or":           `int main(void) { int x = nondet_int() & 7, y = nondet_int() & 7; if ((x | y) > x + y || (x | y) < x || (x | y) < y) hang(); return 0; }`,
	"bounds of and":          `int main(void) { int x = nondet_int() & 7, y = nondet_int(); if ((x & y) > x || (x & y) < 0) hang(); return 0; }`,
	"quotient and remainder": `int main(void) { int x = nondet_int() & 1023; if (x / 4 > 255 || x % 4 > 3 || 4 * (x / 4) + x % 4 != x) hang(); return 0; }`,
	"copied numbers":         `int main(void) { struct { int a, b; } x, y; x.a = nondet_int(); x.b = 7; memcpy(&y, &x, 8); if (y.a != x.a || y.b != 7) hang(); return 0; }`,
	"low bits":               `int main(void) { int k = nondet_int() & 1023; int x = 4 * k - 99; if ((x & 3) != 1) hang(); return 0; }`,
	"recursion of constants": `static int sum(int n) { return n ? n + sum(n - 1) : 0; } int main(void) { if (sum(4) != 10) hang(); return 0; }`,
	"result of recursion":    `static int up(int n) { if (n > 100) return n; return up(n + 1); } int main(void) { int x = nondet_int() & 63; if (up(x) < x) hang(); return 0; }`,
	"zeros of a global":      `static int a[10]; int main(void) { if (a[nondet_int() & 7]) hang(); return 0; }`,
	"order of two numbers":   `int main(void) { int x = nondet_int(), y = nondet_int(); if (x > y) return 0; while (nondet_int()) { if (x > y) hang(); } return 0; }`,
	"numbers in step":        `int main(void) { int i = 0, j = 0; while (nondet_int() && i < 100) { i++; j += 2; } if (j != 2 * i) hang(); return 0; }`,
	"a counter's end":        `int main(void) { int i = 0; while (i < 100) i++; if (i != 100) hang(); return 0; }`,
	"result of strcpy":       `int main(void) { char a[8], b[8] = "text"; if (strcpy(a, b) != a) hang(); return 0; }`,
	"element of a table": `static const int a[4] = {1, 2, 3, 4};
		int main(void) { if (a[nondet_int() & 3] == 9) hang(); return 0; }`,
}

func TestReach(t *testing.T) {
	for want, programs := range map[bool]map[string]string{true: reached, false: unreached} {
		for name, src := range programs {
			t.Run(name, func(t *testing.T) {
				if got := len(hangs(graphOf(t, reachHead+src))) > 0; got != want {
					t.Errorf("hang is reached: %v, want %v", got, want)
				}
			})
		}
	}
}

// TestInexactPaths: a way that rests on content which is not followed proves no run.
func TestInexactPaths(t *testing.T) {
	for _, src := range []string{
		`static const int a[4] = {1, 2, 3, 14}; int main(void) { if (a[nondet_int() & 3] == 9) hang(); return 0; }`,
		`static char *p; static void f(void) { char c; p = &c; } int main(void) { f(); if ((unsigned long)p < 9) hang(); return 0; }`,
		`int main(void) { char a[8] = "text"; if (strlen(a) == 3) hang(); return 0; }`,
	} {
		es := hangs(graphOf(t, reachHead+src))
		for _, e := range es {
			if e.st.approx == "" {
				t.Errorf("a path to hang is exact:\n%s", src)
			}
		}
		if len(es) == 0 {
			t.Errorf("hang is not reached:\n%s", src)
		}
	}
}

// unsafe are programs with undefined behaviour that a graph may not call safe, as LLVM text.
var unsafe = map[string]string{
	// the new block has the place of the one that is gone, and is not what the old pointer leads to
	"pointer to the block of the turn before": `loop:
  %i = phi i32 [ 0, %entry ], [ %j, %next ]
  %p = phi i8* [ null, %entry ], [ %q, %next ]
  %q = call i8* @malloc(i64 4)
  %first = icmp eq i8* %p, null
  br i1 %first, label %next, label %use
use:
  store i8 1, i8* %p
  br label %next
next:
  call void @free(i8* %q)
  %j = add nsw i32 %i, 1
  %more = icmp slt i32 %j, 9
  br i1 %more, label %loop, label %out`,
	// the first byte is not the last one: that two bytes are in the block says nothing of a third
	"more than two places that differ tell": `loop:
  %n = phi i64 [ %size, %entry ]
  %p = call i8* @malloc(i64 %n)
  %last = sub nsw i64 %n, 1
  %end = getelementptr inbounds i8, i8* %p, i64 %last
  store i8 0, i8* %end
  %c = load i8, i8* %p
  %zero = icmp eq i8 %c, 0
  br i1 %zero, label %out, label %far
far:
  %q = getelementptr inbounds i8, i8* %p, i64 3
  %z = ptrtoint i8* %q to i64
  br label %out`,
	"pointer to the block of the turn before, in a loop with two entries": `loop:
  %c = icmp sgt i64 %size, 5
  br i1 %c, label %a, label %b
a:
  %p = phi i8* [ null, %loop ], [ %q, %next ]
  br label %b
b:
  %old = phi i8* [ null, %loop ], [ %p, %a ]
  %q = call i8* @malloc(i64 4)
  %first = icmp eq i8* %old, null
  br i1 %first, label %next, label %use
use:
  store i8 1, i8* %old
  br label %next
next:
  call void @free(i8* %q)
  br i1 %first, label %a, label %out`,
	"text in a block that is gone": `loop:
  %p = call i8* @malloc(i64 4)
  call void @free(i8* %p)
  %n = call i64 @strlen(i8* %p)
  br label %out`,
}

func TestUnsafe(t *testing.T) {
	for name, body := range unsafe {
		m, err := frontend.Parse("t.ll", []byte(`target triple = "x86_64-unknown-linux-gnu"
declare i8* @malloc(i64)
declare void @free(i8*)
declare i64 @strlen(i8*)
define i32 @main(i64 %size) {
entry:
  %ok = icmp sgt i64 %size, 0
  br i1 %ok, label %loop, label %out
`+body+`
out:
  ret i32 0
}
`))
		if err != nil {
			t.Fatal(err)
		}
		g, err := Build(context.Background(), m, Options{Semantics: ir.Semantics{MallocNeverFails: true}})
		if err != nil || !g.Complete {
			t.Fatalf("%s: no complete graph: %v", name, err)
		}
		if g.Defined() {
			t.Errorf("%s: called safe", name)
		}
	}
}

// TestGiveUpHasPlace: what is not modelled is said with its place.
func TestGiveUpHasPlace(t *testing.T) {
	g, err := Build(context.Background(), compile(t, "int other(void);\nint main(void) {\n return other(); }"),
		Options{})
	if err != nil || len(g.GaveUp) == 0 {
		t.Fatalf("no reasons: %v", err)
	}
	if p := g.GaveUp[0].Pos; p == nil || p.Line == 0 {
		t.Errorf("%q has no place", g.GaveUp[0].Detail)
	}
}

// reachedTexts are the same as LLVM text.
var reachedTexts = map[string]string{
	// an offset that is computed without promise of staying inside may be negative, and stays so from turn to turn
	"negative offset": `  %a = alloca [8 x i8]
  %b = bitcast [8 x i8]* %a to i8*
  %start = getelementptr i8, i8* %b, i64 -4
  br label %loop
loop:
  %p = phi i8* [ %start, %entry ], [ %q, %loop ]
  %q = getelementptr i8, i8* %p, i64 -1
  %n = call i32 @nondet_int()
  %more = icmp sgt i32 %n, 0
  br i1 %more, label %loop, label %end
end:
  %x = ptrtoint i8* %q to i64
  %y = ptrtoint i8* %b to i64
  %d = sub i64 %x, %y
  %far = icmp slt i64 %d, -5`,
	"scope that begins again": `  %a = alloca i32
  %b = bitcast i32* %a to i8*
  call void @llvm.lifetime.start.p0i8(i64 4, i8* %b)
  store i32 5, i32* %a
  call void @llvm.lifetime.end.p0i8(i64 4, i8* %b)
  call void @llvm.lifetime.start.p0i8(i64 4, i8* %b)
  %v = load i32, i32* %a
  %far = icmp ne i32 %v, 5`,
}

func TestReachTexts(t *testing.T) {
	for name, body := range reachedTexts {
		m, err := frontend.Parse("t.ll", []byte(`target triple = "x86_64-unknown-linux-gnu"
declare i32 @nondet_int()
declare void @llvm.lifetime.start.p0i8(i64, i8*)
declare void @llvm.lifetime.end.p0i8(i64, i8*)
define internal void @hang() {
entry:
  br label %loop
loop:
  br label %loop
}
define i32 @main() {
entry:
`+body+`
  br i1 %far, label %yes, label %out
yes:
  call void @hang()
  br label %out
out:
  ret i32 0
}
`))
		if err != nil {
			t.Fatal(err)
		}
		g, err := Build(context.Background(), m, Options{})
		if err != nil || !g.Complete || len(hangs(g)) == 0 {
			t.Errorf("%s: hang is not reached, or the graph is not complete: %v", name, err)
		}
	}
}

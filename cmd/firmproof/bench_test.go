package main

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/firmproof/firmproof/pipeline/compile"
	"github.com/firmproof/firmproof/pipeline/prepare"
	"github.com/firmproof/firmproof/targets"
	"github.com/firmproof/firmproof/verifier"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// cFamily is a scaling family: a program of size n all of whose claims hold.
type cFamily struct {
	name  string
	text  func(n int) string
	sizes []int
}

const benchPrelude = `typedef __SIZE_TYPE__ size_t;
int nondet_int(void); unsigned nondet_uint(void); unsigned char nondet_uchar(void); void __VERIFIER_assume(int); void __VERIFIER_assert(int);
void *memcpy(void *, const void *, size_t); void *malloc(size_t); void free(void *);
`

// sized puts n into a text with @ for it.
func sized(text string) func(int) string {
	return func(n int) string { return benchPrelude + strings.ReplaceAll(text, "@", fmt.Sprint(n)) }
}

var cFamilies = []cFamily{
	{"copy", sized(`static unsigned char a[@], b[@];
int main(void) { unsigned n = nondet_uint(), i = nondet_uint(); __VERIFIER_assume(n <= @ && i < n);
 for (unsigned k = 0; k < @; k++) b[k] = nondet_uchar();
 memcpy(a, b, n); __VERIFIER_assert(a[i] == b[i]); return 0; }`), []int{50, 200, 1000}},
	{"copyloop", sized(`static unsigned char a[@], b[@];
int main(void) { unsigned n = nondet_uint(), i = nondet_uint(); __VERIFIER_assume(n <= @ && i < n);
 b[i] = nondet_uchar(); for (unsigned k = 0; k < n; k++) a[k] = b[k]; __VERIFIER_assert(a[i] == b[i]); return 0; }`), []int{25, 50, 100}},
	{"nested", sized(`int main(void) { unsigned s = 0, c = nondet_uint() & 7; for (unsigned i = 0; i < @; i++) for (unsigned j = 0; j < 4; j++) s += c; __VERIFIER_assert(s == 4 * @ * c); return 0; }`), []int{25, 100, 400}},
	{"list", sized(`struct n { struct n *next; int v; };
int main(void) { struct n *h = 0; int n = 0; for (int i = 0; i < @; i++) { struct n *e = malloc(sizeof *e); if (!e) break; e->next = h; e->v = i; h = e; n++; }
 for (struct n *e = h; e; e = e->next) { n--; __VERIFIER_assert(e->v == n); } __VERIFIER_assert(n == 0);
 while (h) { struct n *e = h->next; free(h); h = e; } return 0; }`), []int{5, 10, 20}},
	{"sort", sized(`int main(void) { unsigned char v[@]; for (int i = 0; i < @; i++) v[i] = nondet_uchar();
 for (int r = 0; r < @; r++) for (int i = r & 1; i + 1 < @; i += 2) if (v[i] > v[i + 1]) { unsigned char t = v[i]; v[i] = v[i + 1]; v[i + 1] = t; }
 for (int i = 0; i + 1 < @; i++) __VERIFIER_assert(v[i] <= v[i + 1]); return 0; }`), []int{3, 4, 5}},
	{"crc", crcText, []int{10, 100, 1000}},
	{"machine", sized(`enum st { IDLE, HEAD, BODY, TAIL };
int main(void) { enum st s = IDLE; int left = 0; for (int i = 0; i < @; i++) { unsigned char c = nondet_uchar();
 switch (s) { case IDLE: if (c == 0x7e) s = HEAD; break; case HEAD: left = c & 15; s = left ? BODY : TAIL; break; case BODY: if (--left == 0) s = TAIL; break; case TAIL: s = IDLE; break; }
 __VERIFIER_assert(left >= 0 && left < 16); } return 0; }`), []int{25, 100, 400, 1000}},
	{"multiply", sized(`int main(void) { unsigned long long m = (1ull << @) - 1, a = nondet_uint() & m, b = nondet_uint() & m; __VERIFIER_assert((a + b) * (a + b) == a * a + 2 * a * b + b * b); return 0; }`), []int{3, 4, 5}},
	{"bits", sized(`int main(void) { unsigned x = nondet_uint(), y = nondet_uint(); for (int i = 0; i < @; i++) { unsigned s = nondet_uint() & 31;
 __VERIFIER_assert((x ^ y) + 2 * (x & y) == x + y); __VERIFIER_assert((x | y) - (x & y) == (x ^ y)); x = x << s | x >> ((32 - s) & 31); y ^= x; } return 0; }`), []int{2, 4, 8}},
	{"parser", sized(`int main(void) { unsigned char b[@]; for (int i = 0; i < @; i++) b[i] = nondet_uchar(); unsigned n = nondet_uint(); __VERIFIER_assume(n <= @);
 for (unsigned p = 0; p + 2 <= n;) { unsigned len = b[p + 1]; if (len > n - p - 2) break; if (len > 0) b[p + 1 + len] ^= 1; p += 2 + len; __VERIFIER_assert(p <= n); } return 0; }`), []int{8, 32, 128}},
	{"tlv", tlvText, []int{16, 64, 128, 512}},
	{"ring", ringText, []int{8, 12, 16}},
	{"claims", claimsText, []int{100, 300, 1000}},
	{"megabyte", sized(`static unsigned char big[1 << 20];
int main(void) { for (int k = 0; k < @; k++) { unsigned i = nondet_uint(), j = nondet_uint(); __VERIFIER_assume(i < sizeof big && j < sizeof big); big[i] = 7; unsigned char c = big[j]; big[j] = 9; __VERIFIER_assert(i != j || c == 7); } return 0; }`), []int{1, 4, 16}},
	{"recursion", sized(`static unsigned fib(unsigned n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
int main(void) { unsigned n = nondet_uint(); __VERIFIER_assume(n <= @); __VERIFIER_assert(fib(n) <= 1u << n); return 0; }`), []int{3, 5, 7}},
}

// tlvText skips the values of a message of n unknown bytes by their lengths.
var tlvText = sized(`static unsigned parse(const unsigned char *p, unsigned n) { unsigned i = 0, sum = 0;
 while (i < n) { unsigned t = p[i++]; if (i >= n) return sum; unsigned l = p[i++]; if (l > n - i) return sum;
  if (t == 1 && l >= 2) sum += p[i] + p[i + 1]; i += l; } return sum; }
int main(void) { unsigned char b[@]; for (int k = 0; k < @; k++) b[k] = nondet_uchar(); return parse(b, @) == 7; }`)

// ringText puts into a ring buffer and gets from it n times, and compares the order.
var ringText = sized(`static unsigned char buf[16], head, tail;
static int put(unsigned char x) { if ((unsigned char)(head - tail) == 16) return 0; buf[head++ & 15] = x; return 1; }
static int get(unsigned char *x) { if (head == tail) return 0; *x = buf[tail++ & 15]; return 1; }
int main(void) { unsigned char in[@]; int puts = 0, gets = 0;
 for (int k = 0; k < @; k++) { unsigned char x = nondet_uchar(); if (nondet_int()) { if (put(x)) in[puts++] = x; }
  else if (get(&x)) { __VERIFIER_assert(x == in[gets]); gets++; } } return 0; }`)

// crcText compares the CRC-8 of n bytes by table with the one by shifts.
func crcText(n int) string {
	var tab []string
	for i := 0; i < 256; i++ {
		c := byte(i)
		for k := 0; k < 8; k++ {
			c = c<<1 ^ 7*(c>>7)
		}
		tab = append(tab, fmt.Sprint(c))
	}
	return sized(`static const unsigned char tab[256] = {` + strings.Join(tab, ",") + `};
int main(void) { unsigned char f = 0, s = 0; for (int i = 0; i < @; i++) { unsigned char b = nondet_uchar(); f = tab[f ^ b]; s ^= b;
 for (int k = 0; k < 8; k++) s = s & 0x80 ? (unsigned char)(s << 1) ^ 7 : s << 1; __VERIFIER_assert(f == s); s = f; } return 0; }`)(n)
}

// claimsText has n harness claims that each need a little thought.
func claimsText(n int) string {
	var b strings.Builder
	b.WriteString(benchPrelude +
		"int main(void) { unsigned x = nondet_uint() & 0xffff, y = nondet_uint() & 0xffff; int a[16] = {0};\n")
	for i := 0; i < n; i++ {
		fmt.Fprintf(&b, " a[(x + %du) & 15] = (int)(y & %d); __VERIFIER_assert(x + y + %d >= x);\n", i, i|1, i)
	}
	return b.String() + " return a[3]; }\n"
}

// loadFamily builds the family's program of size n.
func loadFamily(tb testing.TB, f cFamily, n int) *ir.Module {
	tb.Helper()
	file := filepath.Join(tb.TempDir(), "p.c")
	if err := os.WriteFile(file, []byte(f.text(n)), 0o600); err != nil {
		tb.Fatal(err)
	}
	tg, err := targets.Load("cortex-m3")
	if err != nil {
		tb.Fatal(err)
	}
	img, err := compile.Files(context.Background(), []string{file}, tg, compile.Options{WorkDir: tb.TempDir(),
		Entries: []string{"main"}})
	if err != nil {
		tb.Fatal(err)
	}
	m, _, err := prepare.Read(img.IRPath)
	if err != nil {
		tb.Fatal(err)
	}
	return m
}

// runFamily verifies and gives the figures of the last round.
func runFamily(m *ir.Module, limit time.Duration) (*verdict.Result, map[string]float64) {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	res := verifier.Run(ctx, m, verifier.Plan{Target: "cortex-m3", Entry: "main", Checks: verdict.DefaultChecks()})
	sum := map[string]float64{"claims": float64(len(res.Claims))}
	for _, s := range res.Stages {
		for k, v := range s.Counts {
			sum[k] = float64(v)
		}
		sum[s.Name+"-s"] = s.Seconds
	}
	return res, sum
}

const (
	familyLimit = 30 * time.Second
	growthLimit = 2 * time.Minute
)

// BenchmarkFamilies runs the whole engine on each family and size: what it costs
// from the module read to the verdict.
func BenchmarkFamilies(b *testing.B) {
	for _, f := range cFamilies {
		for _, n := range f.sizes {
			b.Run(fmt.Sprintf("%s/n=%d", f.name, n), func(b *testing.B) {
				m := loadFamily(b, f, n)
				var res *verdict.Result
				var sum map[string]float64
				for b.Loop() {
					res, sum = runFamily(m, familyLimit)
				}
				for _, k := range []string{"terms", "gates", "clauses", "calls"} {
					b.ReportMetric(sum[k], k)
				}
				if res.Status != verdict.Proved {
					b.Errorf("%s: %v", res.Status, res.Reason)
				}
			})
		}
	}
}

// TestFamilies: the smallest program of each family is proved.
func TestFamilies(t *testing.T) {
	for _, f := range cFamilies {
		res, _ := runFamily(loadFamily(t, f, f.sizes[0]), familyLimit)
		if res.Status != verdict.Proved {
			t.Errorf("%s: %s %v", f.name, res.Status, res.Reason)
			for _, c := range res.Claims {
				if c.Status != verdict.Proved {
					t.Errorf("  %s %s %s %v", c.Pos, c.ID, c.Status, c.Reason)
				}
			}
		}
	}
}

// slope is the growth exponent between the first and the last of the points.
func slope(sizes []int, cost []float64) float64 {
	last := len(sizes) - 1
	return math.Log(cost[last]/cost[0]) / math.Log(float64(sizes[last])/float64(sizes[0]))
}

func TestSlope(t *testing.T) {
	if got := slope([]int{2, 4, 8}, []float64{12, 48, 192}); math.Abs(got-2) > 1e-9 {
		t.Errorf("3n² has exponent %v", got)
	}
}

// TestGrowth writes the table of growth exponents to the file that
// FIRMPROOF_GROWTH names (`make bench-table`); without one it computes that of one family.
func TestGrowth(t *testing.T) {
	path := os.Getenv("FIRMPROOF_GROWTH")
	families := cFamilies
	if path == "" {
		families = []cFamily{{"copy", cFamilies[0].text, []int{4, 8}}}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "# Benchmarks\n\nWritten by `make bench-table` on %s, %s/%s, %d processors. Programs of size n through the whole engine, target cortex-m3, default checks, at most %v each;\n"+
		"processor seconds from the module read to the verdict (encode and solve: by the clock), figures of the last round of unwinding. The exponent is the log-log slope of the seconds between the smallest and the largest n that ended.\n\n"+
		"| family | n | seconds | encode | solve | terms | gates | clauses | solver calls | claims | status | exponent: seconds | terms | clauses |\n|---|---|---|---|---|---|---|---|---|---|---|---|---|---|\n",
		time.Now().Format("2006-01-02"), runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), growthLimit)
	for _, f := range families {
		growthRows(t, &b, f)
	}
	if path == "" {
		if !strings.Contains(b.String(), "| copy | 8 |") || !strings.Contains(b.String(), "| proved |") {
			t.Error(b.String())
		}
		return
	}
	if old, err := os.ReadFile(path); err == nil { // what others measured stays
		if i := strings.Index(string(old), "\n## "); i >= 0 {
			b.Write(old[i:])
		}
	}
	if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
}

// processorSeconds returns the processor time of this process so far: other work on the machine
// hardly changes it.
func processorSeconds() float64 {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano()).Seconds()
}

func growthRows(t *testing.T, b *strings.Builder, f cFamily) {
	t.Helper()
	var sizes []int
	var secs, terms, clauses []float64
	for i, n := range f.sizes {
		m := loadFamily(t, f, n)
		begin := processorSeconds()
		res, sum := runFamily(m, growthLimit)
		took := processorSeconds() - begin
		if res.Status == verdict.Proved {
			sizes, secs, terms, clauses = append(sizes, n), append(secs, took), append(terms, sum["terms"]+1),
				append(clauses, sum["clauses"]+1)
		}
		tail := "| | | |"
		if i == len(f.sizes)-1 && len(sizes) > 1 {
			tail = fmt.Sprintf("| %.1f | %.1f | %.1f |", slope(sizes, secs), slope(sizes, terms), slope(sizes, clauses))
		}
		fmt.Fprintf(b, "| %s | %d | %.3f | %.3f | %.3f | %.0f | %.0f | %.0f | %.0f | %.0f | %s %s\n", f.name, n, took,
			sum["encode-s"], sum["solve-s"],
			sum["terms"], sum["gates"], sum["clauses"], sum["calls"], sum["claims"], res.Status, tail)
		t.Logf("%s n=%d %.2fs %s", f.name, n, took, res.Status)
	}
}

package leap_test

import (
	"context"
	"fmt"
	"math/rand"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/firmproof/firmproof/verifier/interp"
	"github.com/firmproof/firmproof/verifier/interp/leap"
	"github.com/firmproof/firmproof/verifier/interp/trace"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/testprogram"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// Runs that skip turns end as those that do not, in the same state.
func TestLeaps(t *testing.T) {
	m := testprogram.File(t, "testdata/loops.c", "x86_64")
	for _, f := range m.Funcs {
		if f.IsDecl() || len(f.Params) > 0 {
			continue
		}
		plain := leapRun(t, m, interp.Options{Entry: f, MaxSteps: 5_000_000})
		leapt := leapRun(t, m, interp.Options{Entry: f, MaxSteps: 5_000_000,
			Observe: []interp.Observe{leap.Observe}})
		compareLeaps(t, f.Name, plain, leapt)
		if want := !strings.HasPrefix(f.Name, "no_"); (leapt.Leapt > 0) != want {
			t.Errorf("%s: %d turns skipped", f.Name, leapt.Leapt)
		}
	}
}

// Loops of 10^9 turns and more come to their end.
func TestLongLeaps(t *testing.T) {
	src := `unsigned f(unsigned x) { return x + 2; }
unsigned long long sum(void) { unsigned long long s = 0; for (unsigned i = 0; i < 4000000000u; i++) s += i; return s; }
unsigned calls(void) { unsigned x = 0; while (x < 0xfffffffe) x = f(x); return x; }
unsigned nested(void) { unsigned n = 0; for (int i = 0; i < 1000; i++) for (int j = 0; j < 2000000000; j++) n += i;
	return n; }
long squares(void) { long s = 0; for (long i = 0; i < 1000000; i++) s += i * i; return s; }
unsigned forks(void) { unsigned x = 0, y = 0; while (x < 3000000000u) { if (x % 2) y += 3; x++; } return y; }
unsigned resets(void) { unsigned n = 0, k = 0; for (unsigned i = 0; i < 3000000000u; i++) if (++k == 1000) k = 0, n++;
	return n; }
unsigned rows(void) { unsigned n = 0; for (unsigned i = 0; i < 3000000; i++) for (int j = 0; j < 1500; j++) n++;
	return n; }
int overflow(void) { int x = 1; for (unsigned i = 0; i < 3000000000u; i++) x++; return x; }`
	path := filepath.Join(t.TempDir(), "long.c")
	if err := os.WriteFile(path, []byte(src), 0o600); err != nil {
		t.Fatal(err)
	}
	m := testprogram.File(t, path, "x86_64")
	nested := uint32(1000 * 999 / 2)
	nested *= 2000000000 // modulo 2^32
	for name, want := range map[string]uint64{"sum": 7999999998000000000, "calls": 0xfffffffe, "nested": uint64(nested),
		"squares": 333332833333500000, "forks": 4500000000 % (1 << 32), "resets": 3000000,
		"rows": 4500000000 % (1 << 32)} {
		out := leapRun(t, m, interp.Options{Entry: m.Func(name), Observe: []interp.Observe{leap.Observe}})
		if got, _ := out.Ret.Uint64(); out.Kind != interp.Returned || got != want {
			t.Errorf("%s: %v, %d, want %d", name, out, got, want)
		}
	}
	out := leapRun(t, m, interp.Options{Entry: m.Func("overflow"),
		Observe: []interp.Observe{trace.Steps(trace.Options{Detailed: true}), leap.Observe}})
	if out.Kind != interp.Violation || out.Check != verdict.SignedOverflow ||
		out.Message != "signed addition overflows: 2147483647 and 1 in 32 bits" {
		t.Errorf("overflow: %v", out)
	}
}

// Random loops; for longer with FIRMPROOF_SOUNDNESS.
func TestRandomLeaps(t *testing.T) {
	seed, end := int64(1), time.Time{}
	if d, err := time.ParseDuration(os.Getenv("FIRMPROOF_SOUNDNESS")); err == nil {
		end = time.Now().Add(d)
		seed, _ = strconv.ParseInt(os.Getenv("FIRMPROOF_SEED"), 10, 64)
	}
	runs, leaps := 0, 0
	for first := true; first || time.Now().Before(end); first = false {
		path := filepath.Join(t.TempDir(), "random.c")
		if err := os.WriteFile(path, []byte(randomLoops(rand.New(rand.NewSource(seed)), 80)), 0o600); err != nil {
			t.Fatal(err)
		}
		for _, level := range []string{"-O0", "-O1"} {
			n, leapt := randomLeaps(t, fmt.Sprintf("seed %d, %s", seed, level), testprogram.File(t, path, "x86_64", level))
			runs, leaps = runs+n, leaps+leapt
		}
		seed++
	}
	t.Logf("%d of %d runs skipped turns", leaps, runs)
	if leaps < runs/4 {
		t.Errorf("only %d of %d runs skipped turns", leaps, runs)
	}
}

// randomLeaps compares the runs of m's functions; it returns how many there are, and how many of them skip turns.
func randomLeaps(t *testing.T, name string, m *ir.Module) (runs, leaps int) {
	for _, f := range m.Funcs {
		if !strings.HasPrefix(f.Name, "run") {
			continue
		}
		plain := leapRun(t, m, interp.Options{Entry: f, MaxSteps: 1_000_000})
		if plain.Kind == interp.StepLimit {
			continue
		}
		leapt := leapRun(t, m, interp.Options{Entry: f, MaxSteps: 1_000_000,
			Observe: []interp.Observe{leap.Observe}})
		compareLeaps(t, name+", "+f.Name, plain, leapt)
		if runs++; leapt.Leapt > 0 {
			leaps++
		}
	}
	return runs, leaps
}

func leapRun(t *testing.T, m *ir.Module, opts interp.Options) *interp.Outcome {
	t.Helper()
	opts.Checks = testprogram.SoundChecks()
	out, err := interp.Run(context.Background(), m, opts, &testprogram.Inputs{})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func compareLeaps(t *testing.T, name string, plain, leapt *interp.Outcome) {
	t.Helper()
	if plain.Kind != leapt.Kind || plain.Check != leapt.Check || plain.Instr != leapt.Instr || plain.Ret != leapt.Ret ||
		plain.Message != leapt.Message {
		t.Errorf("%s: %v %v, with %d turns skipped %v %v", name, plain, plain.Ret, leapt.Leapt, leapt, leapt.Ret)
	}
	for b, n := range plain.Visits {
		if (leapt.Visits[b] > 0) != (n > 0) || leapt.Visits[b] > n {
			t.Errorf("%s: %s is visited %d times, with turns skipped %d times", name, b.Name, n, leapt.Visits[b])
		}
	}
}

// loopWriter writes random functions without parameters that loop over words.
type loopWriter struct {
	*rand.Rand
	depth int
}

const loopVars = 7 // of locals and globals: a, b, ...

func randomLoops(r *rand.Rand, n int) string {
	w := &loopWriter{Rand: r}
	var out strings.Builder
	out.WriteString("static unsigned add(unsigned x, unsigned y) { return x + y; }\n" +
		"static int pick(int x, int y) { int z = 0; if (x < y) z = 1; else z = 2; return z; }\n")
	types := []string{"unsigned char", "signed char", "unsigned short", "short", "unsigned", "int", "long",
		"unsigned long"}
	starts := []string{"0", "1", "2", "7", "100", "-1", "-3", "0x7ffffff0", "0xffffff00", "0x7fff", "250"}
	for i := range n {
		fmt.Fprintf(&out, "static int g%d; static struct { short x; unsigned y; } s%d;\n", i, i)
		fmt.Fprintf(&out, "unsigned long run%d(void) {\n", i)
		for v := range loopVars - 3 {
			fmt.Fprintf(&out, "%s %c = %s; ", types[w.Intn(len(types))], 'a'+v, starts[w.Intn(len(starts))])
		}
		fmt.Fprintf(&out, "\n#define e g%d\n#define f s%d.x\n#define g s%d.y\n", i, i, i)
		w.depth = 0
		for range 1 + w.Intn(2) {
			w.loop(&out)
		}
		out.WriteString("return 1ul * a + 3ul * b + 5ul * c + 7ul * d + 11ul * e + 13ul * f + 17ul * g; }\n" +
			"#undef e\n#undef f\n#undef g\n")
	}
	return out.String()
}

func (w *loopWriter) v() string { return string(rune('a' + w.Intn(loopVars))) }

func (w *loopWriter) loop(out *strings.Builder) {
	w.depth++
	n := []int{5, 40, 300, 1500}[w.Intn(4)] >> (3 * (w.depth - 1))
	i := fmt.Sprintf("i%d", w.Int63())
	typ := []string{"int", "unsigned", "unsigned short", "long"}[w.Intn(4)]
	switch w.Intn(3) {
	case 0:
		fmt.Fprintf(out, "for (%s %s = 0; %s < %d; %s += %d) {\n", typ, i, i, n, i, 1+w.Intn(3))
	case 1:
		fmt.Fprintf(out, "for (%s %s = %d; %s > 0; %s--) {\n", typ, i, n, i, i)
	default:
		fmt.Fprintf(out, "for (%s %s = 0; %s != %d && %s; %s++) {\n", typ, i, i, n, w.cond(), i)
	}
	for range 1 + w.Intn(4) {
		w.stmt(out, i)
	}
	out.WriteString("}\n")
	w.depth--
}

func (w *loopWriter) stmt(out *strings.Builder, i string) {
	switch w.Intn(12) {
	case 0:
		fmt.Fprintf(out, "if (%s) { %s = %s; }\n", w.cond(), w.v(), w.expr(i))
	case 1:
		fmt.Fprintf(out, "if (%s) { %s += %d; } else %s -= %d;\n", w.cond(), w.v(), w.Intn(5), w.v(), w.Intn(5))
	case 2:
		if w.depth < 3 {
			w.loop(out)
		}
	case 3:
		fmt.Fprintf(out, "if (%s) %s;\n", w.cond(), []string{"break", "continue"}[w.Intn(2)])
	case 4:
		fmt.Fprintf(out, "{ int t = %s; %s = t + %d; }\n", w.expr(i), w.v(), w.Intn(4))
	case 5:
		fmt.Fprintf(out, "switch (%s %% 4) { case 0: %s++; break; case 2: %s += 2; }\n", i, w.v(), w.v())
	default:
		v := w.v()
		fmt.Fprintf(out, "%s %s= %s;\n", v, []string{"+", "-", "+", ""}[w.Intn(4)], w.expr(i))
	}
}

func (w *loopWriter) expr(i string) string {
	x := w.v()
	if w.Intn(3) == 0 {
		x = i
	}
	switch w.Intn(12) {
	case 0:
		return fmt.Sprintf("%s * %d", x, w.Intn(6))
	case 1:
		return fmt.Sprintf("(%s & %d)", x, []int{1, 3, 7, 255, 6}[w.Intn(5)])
	case 2:
		return fmt.Sprintf("%s %s %d", x, []string{"/", "%"}[w.Intn(2)], 1+w.Intn(9))
	case 3:
		return fmt.Sprintf("(%s >> %d)", x, w.Intn(7))
	case 4:
		return fmt.Sprintf("((unsigned)%s << %d)", x, w.Intn(5))
	case 5:
		return fmt.Sprintf("add(%s, %d)", x, w.Intn(9))
	case 6:
		return fmt.Sprintf("pick(%s, %s)", x, w.v())
	case 7:
		return fmt.Sprintf("(%s ? %s : %d)", w.cond(), x, w.Intn(9))
	case 8:
		return fmt.Sprintf("%s * %s", x, i)
	case 9:
		return "~" + x
	default:
		return fmt.Sprintf("%s + %d", x, w.Intn(5))
	}
}

func (w *loopWriter) cond() string {
	op := []string{"<", "<=", ">", ">=", "==", "!="}[w.Intn(6)]
	switch w.Intn(4) {
	case 0:
		return fmt.Sprintf("%s %% %d %s %d", w.v(), 1+w.Intn(6), op, w.Intn(4))
	case 1:
		return fmt.Sprintf("%s %s %s", w.v(), op, w.v())
	default:
		return fmt.Sprintf("%s %s %d", w.v(), op, []int{0, 10, 100, 127, 255, 1000, 40000}[w.Intn(7)])
	}
}

package verifier

import (
	"fmt"
	"math/rand"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/firmproof/firmproof/verifier/bmc"
	"github.com/firmproof/firmproof/verifier/graphterm"
	"github.com/firmproof/firmproof/verifier/invariant"
	"github.com/firmproof/firmproof/verifier/problem"
	"github.com/firmproof/firmproof/verifier/race"
	"github.com/firmproof/firmproof/verifier/testprogram"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// loopProgram is a random program of nested loops with few turns, over variables
// that also change through pointers, callees and arrays, with an assertion.
func loopProgram(seed int64) string {
	r := rand.New(rand.NewSource(seed))
	pick := func(xs ...string) string { return xs[r.Intn(len(xs))] }
	lhs := func() string { return pick("a", "b", "c", "g", "*p", "**q", "t[a & 3]", "t[1]", "s.x", "*s.p") }
	rhs := func() string {
		return pick(lhs()+" + 1", lhs()+" ^ 1", fmt.Sprint(r.Intn(4)), lhs(), "nondet_uint() & 3",
			"("+lhs()+" + "+lhs()+") & 7")
	}
	var stmt func(depth int) string
	block := func(depth int) string {
		var sb strings.Builder
		for n := 1 + r.Intn(3); n > 0; n-- {
			sb.WriteString(stmt(depth))
		}
		return sb.String()
	}
	n := 0
	stmt = func(depth int) string {
		switch k := r.Intn(12); {
		case k < 4:
			return lhs() + " = " + rhs() + ";\n"
		case k == 4:
			return "p = " + pick("&a", "&b", "&c", "&g", "t + (b & 3)", "&s.x") + ";\n"
		case k == 5:
			return pick("*q = &b;", "q = &p;", "q = &s.p;", "s.p = &c;", "s = u;", "u.p = &a;") + "\n"
		case k == 6:
			return pick("set(&a);", "bump();", "set(p);", "memcpy(&s, &u, sizeof s);", "memcpy(t, &t[2], 4);") + "\n"
		case k == 7:
			return "if (" + lhs() + " " + pick("<", "==", ">") + " " + rhs() + ") {\n" + block(depth) + "}\n"
		case k == 8 && depth > 0:
			return pick("if (b > 3) break;\n", "if (c == 2) continue;\n")
		case depth < 2:
			n++
			i := fmt.Sprintf("i%d", n)
			return fmt.Sprintf("for (unsigned %s = 0; %s < %d && %s; %s++) {\n%s}\n", i, i, 1+r.Intn(3),
				pick("1", "nondet_uchar()", "a < 6"), i, block(depth+1))
		}
		return lhs() + " = " + rhs() + ";\n"
	}
	scalars, array := "a = 0, b = 0, c = 0", "t[4] = {0}"
	if seed%2 == 1 {
		scalars = pick("a, b = 0, c = 0", "a = 0, b, c", "a = 0, b = 0, c = 0")
		array = pick("t[4]", "t[4]; for (int k = 0; k < 4; k++) t[k] = nondet_uint() & 7; unsigned d",
			"t[4]; for (int k = 1; k < 4; k++) t[k] = k; unsigned d")
	}
	return "unsigned g; struct s { unsigned x, *p; };\nvoid set(unsigned *x) { *x = *x + 1; }\nvoid bump(void) { g = g + 1; }\n" +
		"int main(void) { unsigned " + scalars + ", " + array +
		", *p = &a, **q = &p; struct s s = {0, &b}, u = {1, &c};\n" +
		"for (unsigned i0 = 0; i0 < 3; i0++) {\n" + block(1) + "}\n" +
		"CHECK(" + lhs() + pick(" <= ", " != ", " == ") + fmt.Sprint(r.Intn(6)) + ");\nCHECK(" + lhs() +
		" <= 3);\nreturn 0; }\n"
}

// callProgram is a random program of functions that call themselves and each other
// to a small depth, over globals, arguments, results and pointers.
func callProgram(seed int64) string {
	r := rand.New(rand.NewSource(seed))
	pick := func(xs ...string) string { return xs[r.Intn(len(xs))] }
	lhs := func() string { return pick("g", "h", "*p", "x", "t[1]", "t[x & 1]") }
	rhs := func() string {
		return pick(lhs()+" + 1", lhs()+" ^ 1", fmt.Sprint(r.Intn(4)), "x", "d", "nondet_uint() & 1",
			"("+lhs()+" + "+lhs()+") & 7")
	}
	call := func() string {
		return fmt.Sprintf("%s(d - 1, %s, %s)", pick("f", "f", "k"), rhs(), pick("p", "&g", "&h", "&t[0]", "p", "&y"))
	}
	var stmt func(depth int) string
	block := func(depth int) string {
		var sb strings.Builder
		for n := 1 + r.Intn(3); n > 0; n-- {
			sb.WriteString(stmt(depth))
		}
		return sb.String()
	}
	stmt = func(depth int) string {
		switch n := r.Intn(8); {
		case n < 3:
			return lhs() + " = " + rhs() + ";\n"
		case n < 5:
			return lhs() + " = " + call() + ";\n"
		case n == 5 && depth < 2:
			return "if (" + lhs() + pick(" < ", " == ", " > ") + rhs() + ") {\n" + block(depth+1) + "}\n"
		case n == 6:
			return "p = " + pick("&g", "&h", "&y", "t") + ";\n"
		}
		return call() + ";\n"
	}
	body := func() string {
		return "unsigned y = x; if (d == 0) return " + rhs() + ";\n" + block(0) + block(1) + "return " + rhs() + ";\n"
	}
	return "unsigned g, h, t[2]; unsigned k(unsigned d, unsigned x, unsigned *p);\n" +
		"unsigned f(unsigned d, unsigned x, unsigned *p) {\n" + body() +
		"}\nunsigned k(unsigned d, unsigned x, unsigned *p) {\n" + body() + "}\n" +
		"int main(void) { unsigned z = 0, x = 0, d = 3, y = 0, *p = &y; z = f(" + pick("2", "1", "nondet_uint() % 3") +
		", nondet_uint() & 1, &z);\n" +
		"CHECK(" + pick("z", "g", "h", "t[0]") + pick(" <= ", " != ", " == ") + fmt.Sprint(r.Intn(6)) + ");\nCHECK(" +
		pick("z", "g", "h") + " <= 3);\nreturn 0; }\n"
}

// walkProgram is a random program of loops over blocks of a size that is any number, by index and by pointer.
func walkProgram(seed int64) string {
	r := rand.New(rand.NewSource(seed))
	pick := func(xs ...string) string { return xs[r.Intn(len(xs))] }
	var b strings.Builder
	b.WriteString("#include <stdlib.h>\nint main(void) { unsigned n = nondet_uint() % 4, i = 0, s = 0; unsigned char a[4] = {0}, *q;\n" +
		"unsigned char *p = malloc(" + pick("n + 1", "n", "4", "n + 2") + "); if (!p) return 0;\n" +
		"for (i = 0; i < n; i++) p[i] = " + pick("0", "i", "7") + ";\n")
	for range 1 + r.Intn(2) {
		b.WriteString(pick(
			"for (i = "+pick("0", "0", "1")+"; i "+pick("<", "<", "<=", "!=")+" n; i++) "+
				pick("s += p[i];", "a[i] = 1;", "p[i] = a[i];", "if (p[i] > 3) break;")+"\n",
			"for (q = p; q "+pick("<", "!=", "<=")+" p + n; q++) "+pick("*q = 1;", "s = s + 1;", "if (*q) s = 2;")+"\n",
			"i = n; while (i"+pick(" > 0", "--", " > 1")+") { "+pick("i--; ", "", "i -= 1; ")+pick("s += p[i]; ", "a[i & 3] = 2; ")+
				"if (s > 40) break; }\n",
		))
	}
	b.WriteString("CHECK(" + pick("i <= n", "i == n", "s <= 8", "i < 4", "s == 0") + ");\nfree(p);\nreturn 0; }\n")
	return b.String()
}

// The same of loops over blocks, which the graph follows, too.
func TestWalksAgainstUnwinding(t *testing.T) {
	if proved := againstUnwinding(t, testprogram.Sample[int64](60, 8), walkProgram, []string{"-O0", "-O1"}); proved["graph"] == 0 {
		t.Error("the graph proves nothing: the programs say nothing of it")
	}
}

// What is proved with every loop cut holds in the complete unwinding.
func TestInductionAgainstUnwinding(t *testing.T) {
	againstUnwinding(t, randomLoops, loopProgram, []string{"-O0", "-O1", "-O2"})
}

// What is proved with recursion cut holds in the complete unwinding.
func TestRecursionAgainstUnwinding(t *testing.T) {
	againstUnwinding(t, testprogram.Sample[int64](randomCalls, 12), callProgram, []string{"-O0", "-O1"})
}

// aloneEngines each prove claims for any number of turns, alone: in a race, another's answer may hide a wrong one.
var aloneEngines = []race.Entrant{
	{Name: "induction", Engine: invariant.Engine{CutAll: true}},
	{Name: "several turns", Engine: invariant.Engine{CutAll: true, Turns: 2}},
	{Name: "graph", Engine: graphterm.Safety{}},
}

// againstUnwinding has each engine prove claims of n random programs, those of induction with every loop cut, and looks for
// violations of them by unwinding. As in make soundness, FIRMPROOF_SOUNDNESS is how long to go on, and FIRMPROOF_SEED the
// first seed.
func againstUnwinding(t *testing.T, n int64, program func(seed int64) string, levels []string) map[string]int {
	t.Helper()
	first, until := int64(0), time.Time{}
	if d, err := time.ParseDuration(os.Getenv("FIRMPROOF_SOUNDNESS")); err == nil {
		n, until = 1<<40, time.Now().Add(d)
	}
	if k, err := strconv.ParseInt(os.Getenv("FIRMPROOF_SEED"), 10, 64); err == nil {
		first = k
	}
	proved, refuted := map[string]int{}, 0
	for seed := first; seed-first < n && (until.IsZero() || time.Now().Before(until)); seed++ {
		src := program(seed)
		m := testprogram.Compile(t, src, levels[seed%int64(len(levels))])
		p := testprogram.Problem(m, "main", verdict.Assert, verdict.Memory, verdict.Uninitialised)
		p.VolatileMemory, p.Depth = true, 64
		q, unwound := *p, problem.NewAnswers()
		q.Unwind = 5
		_ = bmc.Engine{}.Run(testprogram.Within(t, 4*time.Second), &q, unwound)
		for _, s := range unwound.AllSettled() {
			if s.Status == verdict.Violated {
				refuted++
			}
		}
		for _, e := range aloneEngines {
			a := problem.NewAnswers()
			_ = e.Engine.Run(testprogram.Within(t, 2*time.Second), p, a)
			proofs := a.Proofs()
			if proofs == nil {
				continue
			}
			proved[e.Name] += len(proofs.Holds)
			for _, s := range unwound.AllSettled() {
				if s.Status == verdict.Violated && proofs.Covers(s.ID) {
					t.Errorf("seed %d: %s is violated, and proved by %s, %v\n%s", seed, s.ID, e.Name, proofs.Certificate, src)
				}
			}
		}
	}
	t.Logf("claims proved by each: %v; %d violated", proved, refuted)
	if proved["induction"] == 0 || refuted == 0 {
		t.Errorf("claims proved by each: %v; %d violated: the programs say nothing", proved, refuted)
	}
	return proved
}

const (
	randomLoops = 30
	randomCalls = 30
)

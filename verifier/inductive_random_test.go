package verifier

import (
	"context"
	"fmt"
	"math/rand"
	"strings"
	"testing"
	"time"

	"github.com/firmproof/firmproof/verifier/ir"
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
	return "unsigned g; struct s { unsigned x, *p; };\nvoid set(unsigned *x) { *x = *x + 1; }\nvoid bump(void) { g = g + 1; }\n" +
		"int main(void) { unsigned a = 0, b = 0, c = 0, t[4] = {0}, *p = &a, **q = &p; struct s s = {0, &b}, u = {1, &c};\n" +
		"for (unsigned i0 = 0; i0 < 3; i0++) {\n" + block(1) + "}\n" +
		"CHECK(" + lhs() + pick(" <= ", " != ", " == ") + fmt.Sprint(r.Intn(6)) + ");\nCHECK(" + lhs() +
		" <= 3);\nreturn 0; }\n"
}

// What is proved with every loop cut holds in the complete unwinding.
func TestInductionAgainstUnwinding(t *testing.T) {
	proved, refuted := 0, 0
	for seed := int64(0); seed < randomLoops; seed++ {
		src := loopProgram(seed)
		m := compileAt(t, src, []string{"-O0", "-O1", "-O2"}[seed%3])
		p := inductOn(t, m, verdict.CheckSet{verdict.Assert: true, verdict.Memory: true})
		ctx, cancel := context.WithTimeout(context.Background(), 4*time.Second)
		b := &bounded{m: m, entry: m.Func("main"), settled: map[string]*verdict.Claim{}, res: &verdict.Result{},
			plan: Plan{Entry: "main", Checks: verdict.CheckSet{verdict.Assert: true, verdict.Memory: true}, Unwind: 5,
				Semantics: ir.Semantics{MallocNeverFails: true, VolatileMemory: true}, Depth: 64}}
		_, err := b.round(ctx, 5)
		cancel()
		if err != nil {
			continue
		}
		for id, c := range b.settled {
			if c.Status == verdict.Violated {
				refuted++
				if p != nil && p.covers(id) {
					t.Errorf("seed %d: %s is violated, and proved by %v\n%s", seed, id, p.cert.Detail, src)
				}
			}
		}
		if p != nil {
			proved += len(p.holds)
		}
	}
	t.Logf("%d claims proved, %d violated", proved, refuted)
	if proved == 0 || refuted == 0 {
		t.Errorf("%d claims proved, %d violated: the programs say nothing", proved, refuted)
	}
}

const randomLoops = 30

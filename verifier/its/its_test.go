package its

import (
	"bytes"
	"strings"
	"testing"

	"github.com/firmproof/firmproof/verifier/exact"
)

const countdown = `(GOAL COMPLEXITY)
(STARTTERM (FUNCTIONSYMBOLS start))
(VAR x y)
(RULES
  start(x, y) -> Com_1(loop(x, y)) :|: y - 1 >= 0
  loop(x, y) -> Com_1(loop(x - y, y)) :|: x - 1 >= 0
)
`

func TestBuilderAndWriters(t *testing.T) {
	b := NewBuilder("countdown")
	b.Goal(Complexity)
	x, y := b.Var("x"), b.Var("y")
	start, loop := b.Loc("start"), b.Loc("loop")
	b.Trans(start, loop).GE(exact.V(y).AddInt(-1)).Exact("entry")
	b.Trans(loop, loop).GE(exact.V(x).AddInt(-1)).Set(x, exact.V(x).Sub(exact.V(y))).Exact("body")
	s, err := b.System(start)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := WriteKoAT(&out, s); err != nil || out.String() != countdown {
		t.Fatalf("%v\n%s", err, out.String())
	}
	again, err := ReadKoAT("again", out.String())
	if err != nil {
		t.Fatal(err)
	}
	out.Reset()
	if err := WriteKoAT(&out, again); err != nil || out.String() != countdown {
		t.Fatalf("round trip: %v\n%s", err, out.String())
	}
	out.Reset()
	if err := WriteSMT(&out, s); err != nil {
		t.Fatal(err)
	}
	smt, err := ReadSMT("smt", out.String())
	if err != nil {
		t.Fatal(err)
	}
	if got := smt.TransString(&smt.Trans[2]); !strings.HasSuffix(got, "Com_1(l1(v0 - v1, v1)) :|: v0 - 1 >= 0") {
		t.Errorf("from SMT: %s", got)
	}
	out.Reset()
	if err := WriteDOT(&out, s); err != nil || !strings.Contains(out.String(), "x := x - y") {
		t.Errorf("dot: %v %s", err, out.String())
	}
}

func TestReadKoATDetails(t *testing.T) {
	s, err := ReadKoAT("d", `(GOAL TERMINATION)
(STARTTERM (FUNCTIONSYMBOLS f))
(VAR A B C)
(RULES
 f(A,B) -{2}> g(A*B^2, C) :|: A != B && C = 2*B && C > 0
 g(A,B) -> Com_2(g(A-1,B), h(B)) :|: A >= 0
)`)
	if err != nil {
		t.Fatal(err)
	}
	if len(s.Trans) != 3 {
		t.Fatalf("%d transitions, want the disequality split in two and one more", len(s.Trans))
	}
	if got, want := s.TransString(&s.Trans[0]),
		"f(A, B) -{2}> Com_1(g(A*B^2, 2*B)) :|: A - B - 1 >= 0 && B - 1 >= 0"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if got, want := s.TransString(&s.Trans[2]), "g(A, B) -> Com_2(g(A - 1, B), h(B, 0)) :|: A >= 0"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if s.Goal != Termination {
		t.Errorf("goal %v", s.Goal)
	}
	for _, bad := range []string{"(RULES f(A) -> )", "(GOAL X)", "f(", "(RULES f(A) -> g(A) :|: A ? 1)"} {
		if _, err := ReadKoAT("bad", bad); err == nil {
			t.Errorf("%s: no error", bad)
		}
	}
}

func TestReadARI(t *testing.T) {
	s, err := ReadSMT("a", `(format LCTRS :smtlib 2.6)
(theory Ints)
(fun f (-> Int Int))
(entrypoint f)
(rule (f x) (f (- x y)) :guard (and (> x 0) (>= y 1)))`)
	if err != nil {
		t.Fatal(err)
	}
	if len(s.Trans) != 2 || s.Trans[0].Temps != 1 {
		t.Fatalf("%+v", s.Trans)
	}
}

func TestChain(t *testing.T) {
	s, err := ReadKoAT("c", `(STARTTERM (FUNCTIONSYMBOLS a))
(RULES
 a(x,y) -> b(x+1, z) :|: z > x
 b(x,y) -> c(2*x, w) :|: x > 3 && w = y
)`)
	if err != nil {
		t.Fatal(err)
	}
	c, ok := s.Chain(&s.Trans[0], &s.Trans[1])
	if got, want := s.TransString(&c),
		"a(x, y) -{2}> Com_1(c(2*x + 2, tmp0)) :|: -x + tmp0 - 1 >= 0 && x - 3 >= 0"; !ok || got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestSCCsAndSlice(t *testing.T) {
	s, err := ReadKoAT("c", `(STARTTERM (FUNCTIONSYMBOLS a))
(RULES
 a(x,y) -> b(x, y)
 b(x,y) -> c(x, y+x) :|: x > 0
 c(x,y) -> b(x-1, 7)
 c(x,y) -> d(x, y)
)`)
	if err != nil {
		t.Fatal(err)
	}
	sccs := s.SCCs(s.Start, nil)
	if len(sccs) != 3 || len(sccs[1]) != 2 || sccs[0][0] != s.Start {
		t.Errorf("components %v", sccs)
	}
	if got := s.Sliced(); len(got.Vars) != 1 || got.Vars[0] != "x" || got.Validate() != nil {
		t.Errorf("sliced to %v", got.Vars)
	}
}

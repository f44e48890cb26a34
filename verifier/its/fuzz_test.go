package its

import (
	"bytes"
	"testing"
)

// FuzzKoAT: what is read can be written, and what is written reads back as the same text, but for the numbers of
// temporaries, which the reader gives in its own order.
func FuzzKoAT(f *testing.F) {
	f.Add(countdown)
	f.Add("(GOAL TERMINATION)\n(STARTTERM (FUNCTIONSYMBOLS f))\n(VAR A B)\n(RULES\n f(A,B) -{2*A}> Com_2(g(A-1,B*B),f(B,A)) :|: A >= 1 && B^2 <= 3 || A = B\n)\n")
	// no rule is left
	f.Add("(GOAL TERMINATION)\n(STARTTERM (FUNCTIONSYMBOLS f))\n(VAR A)\n(RULES\n f(A) -> g(A) :|: 1 < 0\n)\n")
	// two temporaries, the later one in the guard
	f.Add("(RULES f(2*x)->g(y):|:z>0)")
	f.Fuzz(func(t *testing.T, text string) {
		s, err := ReadKoAT("f", text)
		if err != nil {
			return
		}
		if s, err = ReadKoAT("numbered", written(t, s)); err != nil {
			t.Fatal(err)
		}
		first := written(t, s)
		again, err := ReadKoAT("again", first)
		if err != nil {
			t.Fatalf("%v in\n%s", err, first)
		}
		if second := written(t, again); second != first {
			t.Fatalf("first\n%s\nthen\n%s", first, second)
		}
	})
}

func written(t *testing.T, s *System) string {
	t.Helper()
	var out bytes.Buffer
	if err := WriteKoAT(&out, s); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// FuzzSMT reads both of TermComp's forms; what is read can be written in either format.
func FuzzSMT(f *testing.F) {
	var out bytes.Buffer
	if s, err := ReadKoAT("c", countdown); err != nil || WriteSMT(&out, s) != nil {
		f.Fatal(err)
	}
	f.Add(out.String())
	f.Add("(format LCTRS :smtlib 2.6)\n(theory Ints)\n(fun f (-> Int Int Int))\n(fun g (-> Int Int))\n(rule (f x y) (g (+ x y)) :guard (and (> x 0) (not (= y 1))))\n(rule (g x) (f x (* 2 x)) :var ((z Int)))\n(entrypoint f)\n")
	f.Fuzz(func(t *testing.T, text string) {
		s, err := ReadSMT("f", text)
		if err != nil {
			return
		}
		var out bytes.Buffer
		if err := WriteSMT(&out, s); err != nil || written(t, s) == "" { // names may be none of KoAT's
			t.Fatal(err)
		}
	})
}

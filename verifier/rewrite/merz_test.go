package rewrite_test

import (
	"context"
	"math/big"
	"os"
	"strings"
	"testing"

	"github.com/firmproof/firmproof/verifier/bits"
	"github.com/firmproof/firmproof/verifier/ilr"
	"github.com/firmproof/firmproof/verifier/rewrite"
	"github.com/firmproof/firmproof/verifier/solve"
)

// merzRule is a line of testdata/merz.txt.
type merzRule struct {
	tag         string
	left, right []string // tokens
	cond        string
	printed     bool // as printed, and wrong
}

func merzRules(t *testing.T) (rules []merzRule) {
	t.Helper()
	text, err := os.ReadFile("testdata/merz.txt")
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range strings.Split(string(text), "\n") {
		if line == "" || line[0] == '#' {
			continue
		}
		tag, rest, ok := strings.Cut(line, ": ")
		left, right, ok2 := strings.Cut(rest, " => ")
		if !ok || !ok2 {
			t.Fatalf("%q", line)
		}
		right, cond, _ := strings.Cut(right, " if ")
		tokens := func(s string) []string {
			return strings.Fields(strings.NewReplacer("(", " ( ", ")", " ) ").Replace(s))
		}
		name, printed := strings.CutSuffix(tag, "!")
		rules = append(rules, merzRule{name, tokens(left), tokens(right), cond, printed})
	}
	return rules
}

// reader makes terms of a line at width w, in any store.
type merzReader struct {
	s    *ilr.Store
	w, k int // k: the exponent that 2^k and k stand for
	vars map[string]ilr.Term
	in   []string
}

func (r *merzReader) widths() (w1, w2 int) { return max(1, r.w-1), max(1, r.w-2) }

func (r *merzReader) read() ilr.Term {
	tok := r.in[0]
	r.in = r.in[1:]
	if tok != "(" {
		return r.atom(tok)
	}
	op := r.in[0]
	r.in = r.in[1:]
	var a []ilr.Term
	for r.in[0] != ")" {
		a = append(a, r.read())
	}
	r.in = r.in[1:]
	return r.apply(op, a)
}

func (r *merzReader) atom(tok string) ilr.Term {
	s, w := r.s, r.w
	w1, w2 := r.widths()
	switch tok {
	case "T":
		return s.True()
	case "F":
		return s.False()
	case "min":
		return s.Const(bits.MinSigned(w))
	case "2^k":
		return s.Const(bits.Shl(bits.New(w, 1), uint(r.k)))
	case "k":
		return s.Int(w, int64(r.k))
	}
	if v, ok := new(big.Int).SetString(tok, 10); ok {
		return s.Const(bits.FromBig(w, v))
	}
	if t := r.vars[tok]; t != 0 {
		return t
	}
	sort := map[string]ilr.Sort{"b": ilr.Bool, "c": ilr.Bool, "d": ilr.Bool, "s": ilr.BV(w1), "t": ilr.BV(w1),
		"r": ilr.BV(w2),
		"m": ilr.Array(w, 8), "n": ilr.Array(w, 8), "v": ilr.BV(8), "u": ilr.BV(8), "h": ilr.BV(16)}[tok]
	if sort.Kind == ilr.SortInvalid {
		sort = ilr.BV(w)
	}
	r.vars[tok] = s.Var(tok, sort)
	return r.vars[tok]
}

func (r *merzReader) apply(op string, a []ilr.Term) ilr.Term {
	s, w := r.s, r.w
	w1, w2 := r.widths()
	switch op {
	case "not":
		return s.Not(a[0])
	case "bnot":
		return s.BvNot(a[0])
	case "neg":
		return s.Neg(a[0])
	case "ite":
		return s.Ite(a[0], a[1], a[2])
	case "store":
		return s.Store(a[0], a[1], a[2])
	case "zext", "zext1":
		return s.Zext(a[0], map[string]int{"zext": w, "zext1": w1}[op])
	case "sext", "sext1":
		return s.Sext(a[0], map[string]int{"sext": w, "sext1": w1}[op])
	case "trunc1", "trunc2":
		return s.Trunc(a[0], map[string]int{"trunc1": w1, "trunc2": w2}[op])
	case "high":
		return s.Extract(a[0], 15, 8)
	case "low":
		return s.Trunc(a[0], 8)
	case "low3":
		return s.Trunc(a[0], 3)
	case "byte3":
		return s.Zext(s.Trunc(a[0], 3), 8)
	}
	binary := map[string]func(x, y ilr.Term) ilr.Term{
		"and": func(x, y ilr.Term) ilr.Term { return s.And(x, y) }, "or": func(x, y ilr.Term) ilr.Term {
			return s.Or(x,
				y)
		}, "=": s.Eq,
		"ne": func(x, y ilr.Term) ilr.Term { return s.Not(s.Eq(x, y)) }, "add": s.Add, "sub": s.Sub, "mul": s.Mul,
		"udiv": s.Udiv, "sdiv": s.Sdiv, "urem": s.Urem, "srem": s.Srem, "band": s.BvAnd, "bor": s.BvOr, "bxor": s.BvXor,
		"shl": s.Shl, "lshr": s.Lshr, "ashr": s.Ashr, "ult": s.Ult, "ule": s.Ule, "slt": s.Slt, "sle": s.Sle,
		"ugt":   func(x, y ilr.Term) ilr.Term { return s.Ult(y, x) },
		"uge":   func(x, y ilr.Term) ilr.Term { return s.Ule(y, x) },
		"sgt":   func(x, y ilr.Term) ilr.Term { return s.Slt(y, x) },
		"sge":   func(x, y ilr.Term) ilr.Term { return s.Sle(y, x) },
		"uaddo": s.UaddO, "saddo": s.SaddO, "ssubo": s.SsubO, "umulo": s.UmulO, "smulo": s.SmulO,
		"sdivo": func(x, y ilr.Term) ilr.Term {
			return s.And(s.Eq(x, s.Const(bits.MinSigned(w))), s.Eq(y, s.Int(w, -1)))
		},
		"select": s.Select, "concat": s.Concat,
	}
	return binary[op](a[0], a[1])
}

// both makes the two sides in one store.
func (rule merzRule) both(s *ilr.Store, w, k int) (left, right ilr.Term) {
	r := &merzReader{s: s, w: w, k: k, vars: map[string]ilr.Term{}, in: rule.left}
	left = r.read()
	r.in = rule.right
	return left, r.read()
}

// instances returns the widths and exponents that the rule is about.
func (rule merzRule) instances() (out [][2]int) {
	text := strings.Join(append(rule.left, rule.right...), " ")
	power := strings.Contains(text, "2^k")
	for _, w := range []int{1, 2, 3, 4, 8, 13} {
		if w == 1 && rule.cond == "w > 1" || w < 3 && strings.ContainsAny(text, "12") && strings.Contains(text,
			"trunc") || w < 3 && strings.Contains(text, "ext") || w < 2 && strings.Contains(text, "add p 1") {
			continue
		}
		for k := 0; k < w; k++ {
			if (k == 0 || power) && !(k == w-1 && rule.cond == "2^k > 0") {
				out = append(out, [2]int{w, k})
			}
		}
	}
	return out
}

// TestMerzSound: each rule of Appendix A in its corrected form is proved by our solver at
// several widths, on terms that nothing rewrote, and each printed wrongly is refuted.
func TestMerzSound(t *testing.T) {
	wrong := 0
	for _, rule := range merzRules(t) {
		refuted := false
		for _, in := range rule.instances() {
			if in[0] == 13 && (strings.Contains(strings.Join(rule.left, " "), "div") ||
				strings.Contains(strings.Join(rule.left, " "), "rem")) {
				continue // takes long, and says no more
			}
			s := ilr.NewStore(nil)
			left, right := rule.both(s, in[0], in[1])
			x := solve.New(s, solve.Options{})
			a, err := x.Check(context.Background(), s.Not(s.Eq(left, right)))
			if err != nil {
				t.Fatal(rule.tag, err)
			}
			if a == solve.Sat && !rule.printed {
				t.Errorf("%s at width %d: %v", rule.tag, in[0], x.Model().BV)
			}
			refuted = refuted || a == solve.Sat
			x.Close()
		}
		if rule.printed {
			wrong++
			if !refuted {
				t.Errorf("%s as printed holds", rule.tag)
			}
		}
	}
	if wrong != 13 { // with nine among constants
		t.Errorf("%d rules wrong as printed", wrong)
	}
}

// TestMerzCovered: rewriting the left side gives the right side or something no larger.
func TestMerzCovered(t *testing.T) {
	seen := map[string]bool{}
	for _, rule := range merzRules(t) {
		if rule.printed {
			continue
		}
		if seen[rule.tag] {
			t.Errorf("%s twice", rule.tag)
		}
		seen[rule.tag] = true
		for _, in := range append(rule.instances(), [2]int{32, 0}, [2]int{64, 3}) {
			s := rewrite.NewStore()
			left, right := rule.both(s, in[0], in[1])
			if left != right && size(s, left) > size(s, right) {
				t.Errorf("%s at width %d: %s, wanted %s", rule.tag, in[0], s.String(left), s.String(right))
			}
		}
	}
	want := map[string]int{"A.1": 14, "A.5": 5, "A.7": 5, "A.8": 19, "A.9": 19, "A.10": 7, "A.11": 1, "A.12": 4,
		"A.13": 6, "A.14": 5, "A.15": 7, "A.16": 7, "A.17": 12,
		"A.18": 19, "A.19": 19, "A.20": 8, "A.21": 12, "A.22": 7, "A.23": 10, "A.24": 12, "A.25": 7, "A.26": 2}
	got := map[string]int{}
	for tag := range seen {
		got[strings.TrimRight(tag, "abcdefghijklmnopqrstuvwxyz")]++
	}
	total := 0
	for _, c := range merzConstants() {
		total += len(c.tags)
	}
	for g, n := range want {
		if got[g] != n {
			t.Errorf("%s has %d rules, not %d", g, got[g], n)
		}
		total += n
	}
	if total != 275 {
		t.Errorf("%d rules", total)
	}
}

package rewrite_test

import (
	"fmt"
	"math/big"
	"math/rand"
	"testing"

	"github.com/firmproof/firmproof/verifier/bits"
	"github.com/firmproof/firmproof/verifier/ilr"
	"github.com/firmproof/firmproof/verifier/rewrite"
)

// operands of a rule between constants: n and m as the rule reads them, and w.
type operands struct {
	w        int
	n, m     *big.Int // unsigned
	ns, ms   *big.Int // signed
	low, top *big.Int // least and greatest signed
}

func signed(v *big.Int, w int) *big.Int {
	if v.Bit(w-1) == 1 {
		return new(big.Int).Sub(v, new(big.Int).Lsh(big.NewInt(1), uint(w)))
	}
	return v
}

// merzConst is a rule of A.2 to A.7 between constants, or the pair of rules for true
// and false: what the term is, and what the number, by unbounded arithmetic.
type merzConst struct {
	tags    []string
	build   func(s *ilr.Store, w int, n, m ilr.Term) ilr.Term
	want    func(o operands) *big.Int // modulo the result's width; truth values are 0 and 1
	printed func(o operands) *big.Int // where the text has something wrong
	skip    func(o operands) bool
}

func truth(b bool) *big.Int {
	if b {
		return big.NewInt(1)
	}
	return new(big.Int)
}

func op2(f func(z *big.Int, x, y *big.Int) *big.Int, signed bool) func(o operands) *big.Int {
	return func(o operands) *big.Int {
		if signed {
			return f(new(big.Int), o.ns, o.ms)
		}
		return f(new(big.Int), o.n, o.m)
	}
}

func leaves(f func(z, x, y *big.Int) *big.Int) func(o operands) *big.Int {
	return func(o operands) *big.Int {
		r := f(new(big.Int), o.ns, o.ms)
		return truth(r.Cmp(o.low) < 0 || r.Cmp(o.top) > 0)
	}
}

// leavesPrinted has 0 for the least signed number (E-14).
func leavesPrinted(f func(z, x, y *big.Int) *big.Int) func(o operands) *big.Int {
	return func(o operands) *big.Int {
		r := f(new(big.Int), o.ns, o.ms)
		return truth(r.Sign() < 0 || r.Cmp(o.top) > 0)
	}
}

func byZero(o operands) bool { return o.m.Sign() == 0 }

func big2(m *big.Int) uint { // an amount that shifts everything out, at most
	if m.BitLen() > 16 {
		return 1 << 16
	}
	return uint(m.Uint64())
}

func merzConstants() (all []merzConst) {
	type build = func(s *ilr.Store, w int, n, m ilr.Term) ilr.Term
	two := func(op string) build {
		return func(s *ilr.Store, w int, n, m ilr.Term) ilr.Term {
			return (&merzReader{s: s, w: w, vars: map[string]ilr.Term{}}).apply(op, []ilr.Term{n, m})
		}
	}
	one := func(f func(s *ilr.Store, w int, n ilr.Term) ilr.Term) build {
		return func(s *ilr.Store, w int, n, _ ilr.Term) ilr.Term { return f(s, w, n) }
	}
	add := func(tag string, b build, want, printed func(operands) *big.Int, skip func(operands) bool) {
		all = append(all, merzConst{[]string{tag}, b, want, printed, skip})
	}
	add("A.2a", two("add"), op2((*big.Int).Add, false), nil, nil)
	add("A.2b", two("sub"), op2((*big.Int).Sub, false), nil, nil)
	add("A.2c", two("mul"), op2((*big.Int).Mul, false), nil, nil)
	add("A.2d", two("udiv"), op2((*big.Int).Quo, false), nil, byZero)
	add("A.2e", two("sdiv"), op2((*big.Int).Quo, true), nil, byZero)
	add("A.2f", two("urem"), op2((*big.Int).Rem, false), nil, byZero)
	add("A.2g", two("srem"), op2((*big.Int).Rem, true), op2((*big.Int).Mod, true), byZero)
	all = append(all, merzChecks(two)...)
	add("A.4a", two("band"), op2((*big.Int).And, false), nil, nil)
	add("A.4b", two("bor"), op2((*big.Int).Or, false), nil, nil)
	add("A.4c", two("bxor"), op2((*big.Int).Xor, false), nil, nil)
	add("A.4d", one(func(s *ilr.Store, _ int, n ilr.Term) ilr.Term { return s.BvNot(n) }),
		func(o operands) *big.Int { return new(big.Int).Not(o.n) }, nil, nil)
	add("A.4e", two("ashr"), func(o operands) *big.Int { return new(big.Int).Rsh(o.ns, big2(o.m)) },
		func(o operands) *big.Int { return new(big.Int).Quo(o.ns, new(big.Int).Lsh(big.NewInt(1), big2(o.m))) }, nil)
	add("A.4f", two("lshr"), func(o operands) *big.Int { return new(big.Int).Rsh(o.n, big2(o.m)) }, nil, nil)
	add("A.4g", two("shl"), func(o operands) *big.Int { return new(big.Int).Lsh(o.n, big2(o.m)) }, nil, nil)
	for i, c := range []struct {
		op   string
		sign bool
		ok   func(c int) bool
	}{{"=", false, func(c int) bool { return c == 0 }}, {"ne", false, func(c int) bool { return c != 0 }},
		{"uge", false, func(c int) bool { return c >= 0 }}, {"sge", true, func(c int) bool { return c >= 0 }},
		{"ule", false, func(c int) bool { return c <= 0 }}, {"sle", true, func(c int) bool { return c <= 0 }},
		{"ugt", false, func(c int) bool { return c > 0 }}, {"sgt", true, func(c int) bool { return c > 0 }},
		{"ult", false, func(c int) bool { return c < 0 }}, {"slt", true, func(c int) bool { return c < 0 }}} {
		all = append(all, merzConst{[]string{fmt.Sprintf("A.6%c", 'a'+2*i), fmt.Sprintf("A.6%c", 'b'+2*i)}, two(c.op),
			func(o operands) *big.Int {
				if c.sign {
					return truth(c.ok(o.ns.Cmp(o.ms)))
				}
				return truth(c.ok(o.n.Cmp(o.m)))
			}, nil, nil})
	}
	unsignedN := func(o operands) *big.Int { return o.n }
	add("A.7a", one(func(s *ilr.Store, w int, n ilr.Term) ilr.Term { return s.Zext(n, w+3) }), unsignedN, nil, nil)
	add("A.7b", one(func(s *ilr.Store, w int, n ilr.Term) ilr.Term { return s.Sext(n, w+3) }),
		func(o operands) *big.Int { return o.ns }, nil, nil)
	add("A.7c", one(func(s *ilr.Store, w int, n ilr.Term) ilr.Term { return s.Trunc(n, (w+1)/2) }), unsignedN, nil, nil)
	add("A.7d", one(func(s *ilr.Store, w int, n ilr.Term) ilr.Term { return s.Zext(n, w+8) }), unsignedN, nil, nil)
	add("A.7e", one(func(s *ilr.Store, w int, n ilr.Term) ilr.Term { return s.Trunc(n, w) }), unsignedN, nil, nil)
	add("A.7f", one(func(s *ilr.Store, w int, n ilr.Term) ilr.Term { return s.Extract(n, w-1, 0) }), unsignedN, nil,
		nil)
	add("A.7l", two("concat"), func(o operands) *big.Int {
		return new(big.Int).Add(new(big.Int).Lsh(o.n, uint(o.w)),
			o.m)
	}, nil, nil)
	add("A.7m", one(func(s *ilr.Store, w int, n ilr.Term) ilr.Term { return s.Extract(n, w-1, (w-1)/2) }),
		func(o operands) *big.Int { return new(big.Int).Rsh(o.n, uint((o.w-1)/2)) },
		func(o operands) *big.Int { return new(big.Int).Rsh(o.n, uint(o.w-1)) }, nil)
	return all
}

// merzChecks returns A.3.
func merzChecks(two func(string) func(s *ilr.Store, w int, n, m ilr.Term) ilr.Term) (all []merzConst) {
	i := 0
	pair := func(build func(s *ilr.Store, w int, n, m ilr.Term) ilr.Term, want, printed func(operands) *big.Int,
		skip func(operands) bool) {
		all = append(all, merzConst{[]string{fmt.Sprintf("A.3%c", 'a'+i), fmt.Sprintf("A.3%c", 'b'+i)}, build, want,
			printed, skip})
		i += 2
	}
	over := func(f func(z, x, y *big.Int) *big.Int) func(operands) *big.Int {
		return func(o operands) *big.Int { return truth(f(new(big.Int), o.n, o.m).BitLen() > o.w) }
	}
	rem := func(op string) func(s *ilr.Store, w int, n, m ilr.Term) ilr.Term {
		return func(s *ilr.Store, w int, n, m ilr.Term) ilr.Term { return s.NonZero(two(op)(s, w, n, m)) }
	}
	inexact := func(shift func(s *ilr.Store, n, m ilr.Term) ilr.Term) func(s *ilr.Store, w int, n,
		m ilr.Term) ilr.Term {
		return func(s *ilr.Store, _ int, n, m ilr.Term) ilr.Term { return s.Not(s.Eq(s.Shl(shift(s, n, m), m), n)) }
	}
	lost := func(o operands) *big.Int {
		return truth(new(big.Int).Rem(o.n, new(big.Int).Lsh(big.NewInt(1), big2(o.m))).Sign() != 0)
	}
	pair(two("uaddo"), over((*big.Int).Add), nil, nil)
	pair(two("saddo"), leaves((*big.Int).Add), leavesPrinted((*big.Int).Add), nil)
	pair(two("ult"), func(o operands) *big.Int { return truth(new(big.Int).Sub(o.n, o.m).Sign() < 0) }, nil, nil)
	pair(two("ssubo"), leaves((*big.Int).Sub), leavesPrinted((*big.Int).Sub), nil)
	pair(two("umulo"), over((*big.Int).Mul), nil, nil)
	pair(two("smulo"), leaves((*big.Int).Mul), leavesPrinted((*big.Int).Mul), nil)
	pair(two("sdivo"), leaves((*big.Int).Quo), nil, byZero)
	pair(func(s *ilr.Store, w int, _, m ilr.Term) ilr.Term { return s.Eq(m, s.Int(w, 0)) },
		func(o operands) *big.Int { return truth(o.m.Sign() == 0) }, nil, nil)
	pair(rem("urem"), func(o operands) *big.Int { return truth(new(big.Int).Rem(o.n, o.m).Sign() != 0) }, nil, byZero)
	pair(rem("srem"), func(o operands) *big.Int { return truth(new(big.Int).Rem(o.ns, o.ms).Sign() != 0) }, nil, byZero)
	pair(func(s *ilr.Store, w int, _, m ilr.Term) ilr.Term {
		return s.Not(s.Ult(s.Zext(m, w+8), s.Int(w+8, int64(w))))
	}, func(o operands) *big.Int { return truth(o.m.Cmp(big.NewInt(int64(o.w))) >= 0) }, nil, nil)
	pair(inexact(func(s *ilr.Store, n, m ilr.Term) ilr.Term { return s.Ashr(n, m) }), lost, nil, nil)
	pair(inexact(func(s *ilr.Store, n, m ilr.Term) ilr.Term { return s.Lshr(n, m) }), lost, nil, nil)
	return all
}

// TestMerzConstants: terms over constants are the constants that unbounded arithmetic
// gives, and where the text is wrong there are constants that show it.
func TestMerzConstants(t *testing.T) {
	wrong := 0
	for _, rule := range merzConstants() {
		differs := false
		try := func(w int, n, m *big.Int) {
			o := operands{w: w, n: n, m: m, ns: signed(n, w), ms: signed(m, w)}
			o.top = new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), uint(w-1)), big.NewInt(1))
			o.low = new(big.Int).Not(o.top)
			if rule.skip != nil && rule.skip(o) {
				return
			}
			s := rewrite.NewStore()
			got := rule.build(s, w, s.Const(bits.FromBig(w, n)), s.Const(bits.FromBig(w, m)))
			is := func(v *big.Int) bool {
				if s.Sort(got) == ilr.Bool {
					return s.BoolConst(v.Sign() != 0) == got
				}
				return s.Const(bits.FromBig(s.Width(got), v)) == got
			}
			if want := rule.want(o); !is(want) {
				t.Errorf("%v of %v and %v at %d bits: %s, want %v", rule.tags, n, m, w, s.String(got), want)
			}
			differs = differs || rule.printed != nil && !is(rule.printed(o))
		}
		for w := 1; w <= 4; w++ {
			for n := int64(0); n < 1<<w; n++ {
				for m := int64(0); m < 1<<w; m++ {
					try(w, big.NewInt(n), big.NewInt(m))
				}
			}
		}
		rng := rand.New(rand.NewSource(1))
		for i := 0; i < 100; i++ {
			w := []int{8, 32, 64, 70}[i%4]
			top := new(big.Int).Lsh(big.NewInt(1), uint(w))
			try(w, new(big.Int).Rand(rng, top), new(big.Int).Rand(rng, top))
			try(w, new(big.Int).Rand(rng, top), big.NewInt(int64(rng.Intn(w+2))))
		}
		if rule.printed != nil {
			wrong += len(rule.tags)
			if !differs {
				t.Errorf("%v as printed holds", rule.tags)
			}
		}
	}
	if wrong != 9 {
		t.Errorf("%d rules between constants wrong as printed", wrong)
	}
}

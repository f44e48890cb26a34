package lemma

import (
	"fmt"
	"math/rand"
	"strings"
	"testing"

	"github.com/firmproof/firmproof/verifier/bits"
	"github.com/firmproof/firmproof/verifier/ellipse"
	"github.com/firmproof/firmproof/verifier/encode"
	"github.com/firmproof/firmproof/verifier/ilr"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/unwind"
)

// numbers of a state: x and y of 8 bits, z of 4, u of 32 without a sign; then those on entry.
type numbers struct{ x, y, z, u, ex, ey, ez, eu int64 }

var widths = []int{8, 8, 4, 32}

// low is the number that n is modulo 2^w, with its sign.
func low(n int64, w int) int64 { return n << (64 - w) >> (64 - w) }

// all is the number without a sign.
func all(n int64, w int) int64 { return n & (1<<w - 1) }

// atoms are of each kind, with what they mean, are in words, and in C ("": C cannot say it).
var atoms = []struct {
	a     Atom
	holds func(n numbers) bool
	text  string
	c     string
}{
	{Atom{Kind: Eq, V: 0, K: bits.NewInt(8, -3)}, func(n numbers) bool { return n.x == -3 }, "x == -3", "x == -3"},
	{Atom{Kind: Sle, V: 0, K: bits.NewInt(8, -3)}, func(n numbers) bool { return n.x <= -3 }, "x <= -3", "x <= -3"},
	{Atom{Kind: Ule, V: 0, K: bits.New(8, 200)}, func(n numbers) bool { return all(n.x, 8) <= 200 }, "x <= 200u", "(unsigned char)x <= 200U"},
	{Atom{Kind: Sle, V: 3, K: bits.New(32, 7)}, func(n numbers) bool { return n.u <= 7 }, "u <= 7", "(int)u <= 7"},
	{Atom{Kind: Ule, V: 3, K: bits.New(32, 7)}, func(n numbers) bool { return all(n.u, 32) <= 7 }, "u <= 7u", "u <= 7U"},
	{Atom{Kind: Low, V: 0, K: bits.New(2, 0)}, func(n numbers) bool { return all(n.x-n.ex, 2) == 0 }, "x % 4 is as on entry", ""},
	{Atom{Kind: EqEntry, V: 0}, func(n numbers) bool { return n.x == n.ex }, "x == its value on entry", ""},
	{Atom{Kind: SleEntry, V: 0}, func(n numbers) bool { return n.x <= n.ex }, "x <= its value on entry", ""},
	{Atom{Kind: UleEntry, V: 0}, func(n numbers) bool { return all(n.x, 8) <= all(n.ex, 8) }, "x <= its value on entry (unsigned)", ""},
	{Atom{Kind: SgeEntry, V: 0}, func(n numbers) bool { return n.x >= n.ex }, "x >= its value on entry", ""},
	{Atom{Kind: UgeEntry, V: 0}, func(n numbers) bool { return all(n.x, 8) >= all(n.ex, 8) }, "x >= its value on entry (unsigned)", ""},
	{Atom{Kind: EqVar, V: 0, W: 1}, func(n numbers) bool { return n.x == n.y }, "x == y", "x == y"},
	{Atom{Kind: SleVar, V: 0, W: 1}, func(n numbers) bool { return n.x <= n.y }, "x <= y", "x <= y"},
	{Atom{Kind: UleVar, V: 0, W: 1}, func(n numbers) bool { return all(n.x, 8) <= all(n.y, 8) }, "x <= y (unsigned)", "(unsigned char)x <= (unsigned char)y"},
	{Atom{Kind: EqVar, V: 0, W: 3}, func(n numbers) bool { return n.x == n.u }, "x == u", "x == (int)u"},
	{Atom{Kind: EqVar, V: 0, W: 3, Zeros: true}, func(n numbers) bool { return all(n.x, 8) == all(n.u, 32) }, "x == u (unsigned)", "(unsigned int)x == u"},
	{Atom{Kind: SleVar, V: 2, W: 0}, func(n numbers) bool { return n.z <= n.x }, "z <= x", ""},
	{Atom{Kind: UleVar, V: 2, W: 0}, func(n numbers) bool { return all(n.z, 4) <= all(n.x, 8) }, "z <= x (unsigned)", ""},
	{Atom{Kind: Linear, Sum: []Summand{{2, 0}, {-1, 1}}}, func(n numbers) bool { return low(2*n.x-n.y, 8) == low(2*n.ex-n.ey, 8) },
		"2*x - y is as on entry", ""},
	{Atom{Kind: Linear, Sum: []Summand{{1, 2}, {3, 0}}}, func(n numbers) bool { return low(n.z+3*n.x, 8) == low(n.ez+3*n.ex, 8) },
		"z + 3*x is as on entry", ""},
	{Atom{Kind: Linear, Zeros: true, Sum: []Summand{{1, 2}, {3, 0}}},
		func(n numbers) bool { return low(all(n.z, 4)+3*n.x, 8) == low(all(n.ez, 4)+3*n.ex, 8) }, "z + 3*x is as on entry (unsigned)", ""},
	{Atom{Kind: Sum, K: bits.New(8, 5), Sum: []Summand{{1, 0}, {-1, 1}}}, func(n numbers) bool { return low(n.x-n.y, 8) == 5 },
		"x - y == 5", "(unsigned char)((unsigned int)x + 4294967295U * (unsigned int)y) == 5U"},
	{Atom{Kind: Sum, K: bits.New(8, 0), Sum: []Summand{{1, 0}, {2, 1}, {3, 2}}}, func(n numbers) bool { return low(n.x+2*n.y+3*n.z, 8) == 0 },
		"x + 2*y + 3*z == 0", ""},
	{Atom{Kind: Sum, K: bits.New(8, 9), Sum: []Summand{{1, 0}}}, func(n numbers) bool { return n.x == 9 }, "x == 9", ""},
	{Atom{Kind: Sum, K: bits.New(8, 6), Sum: []Summand{{3, 0}, {1, 1}}}, func(n numbers) bool { return low(3*n.x+n.y, 8) == 6 },
		"3*x + y == 6", ""},
	{Atom{Kind: SumLow, K: bits.New(2, 3), Sum: []Summand{{1, 0}, {1, 1}}}, func(n numbers) bool { return all(n.x+n.y, 2) == 3 },
		"(x + y) % 4 == 3", ""},
	{Atom{Kind: SumSle, K: bits.New(8, 3), Sum: []Summand{{1, 0}, {1, 1}}}, func(n numbers) bool { return low(n.x+n.y, 8) <= 3 }, "x + y <= 3", ""},
	{Atom{Kind: Products, Products: []Product{{2, []Factor{{V: 0}}}, {-1, []Factor{{V: 1}, {V: 1, Entry: true}}}, {4, nil}}},
		func(n numbers) bool { return low(2*n.x, 8) == low(n.y*n.ey-4, 8) }, "2*x == y*y on entry - 4", ""},
	{Atom{Kind: Products, Products: []Product{{1, []Factor{{V: 0}}}, {-1, []Factor{{V: 2, Unsigned: true}, {V: 2}}}}},
		func(n numbers) bool { return low(n.x, 8) == low(all(n.z, 4)*n.z, 8) }, "x == z*z", ""},
	{Atom{Kind: Products, Products: []Product{{1, []Factor{{V: 0}}}}}, func(n numbers) bool { return n.x == 0 }, "x == 0", ""},
	{Atom{Kind: InEllipse, Inside: []int{3}, Ellipse: &ellipse.Ellipse{Limits: []ellipse.Limit{{Var: 0, Most: bits.New(32, 0x40000000)}}}},
		func(n numbers) bool { return all(n.u, 31) <= 0x40000000 }, " <= 1 and |u| <= 2", ""},
	{Atom{Kind: IsTrue, Tree: &Tree{kind: ilr.KUlt, sort: ilr.Bool, Args: []*Tree{{kind: ilr.KVar, v: 0}, {kind: ilr.KConst, k: bits.New(8, 9)}}}},
		func(n numbers) bool { return all(n.x, 8) < 9 }, "(x <u 9)", ""},
}

func header() *encode.Header {
	return &encode.Header{Vars: []encode.Var{{Name: "x", Width: 8}, {Name: "y", Width: 8}, {Name: "z", Width: 4}, {Name: "u", Width: 32}}}
}

// An atom is true of the numbers that its words say, and its opposite of the others.
func TestAtoms(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	s := ilr.NewStore(nil)
	value := func(b bool) ilr.Term {
		if b {
			return s.And()
		}
		return s.Or()
	}
	h := header()
	for i := range atoms {
		c := &atoms[i]
		is, not := Is(&c.a), Not(&c.a)
		if got := is.Text(h); got != c.text {
			t.Errorf("%q, want %q", got, c.text)
		}
		if not.Text(h) == c.text && c.a.Kind != InEllipse { // nobody claims the opposite of that one
			t.Errorf("the opposite of %q has its words", c.text)
		}
		seen := map[bool]bool{}
		for range 3000 {
			var n [8]int64
			var words []ilr.Term
			for k := range n {
				w := widths[k%4]
				if n[k] = low(int64(r.Uint64()), w); r.Intn(2) == 0 {
					n[k] = low(int64(r.Intn(24)-8), w)
				}
				if k > 3 && r.Intn(3) == 0 { // as on entry
					n[k] = n[k-4]
				}
				words = append(words, s.Const(bits.NewInt(w, n[k])))
			}
			want := c.holds(numbers{n[0], n[1], n[2], n[3], n[4], n[5], n[6], n[7]})
			seen[want] = true
			e := s.NewEvaluator(ilr.Model{}, nil)
			if got := e.Value(is.Term(s, words[:4], words[4:])); got != e.Value(value(want)) {
				t.Fatalf("%q of %v: %v", c.text, n, got)
			}
			if got := e.Value(not.Term(s, words[:4], words[4:])); got != e.Value(value(!want)) {
				t.Fatalf("not %q of %v: %v", c.text, n, got)
			}
		}
		if len(seen) < 2 {
			t.Errorf("%q is always %v", c.text, seen)
		}
	}
}

// A lemma holds where one of its literals does; it fails where some way comes to its header without it.
func TestLemma(t *testing.T) {
	s := ilr.NewStore(nil)
	yes, no := s.And(), s.Or()
	vals := func(x, y int64) []ilr.Term {
		return []ilr.Term{s.Int(8, x), s.Int(8, y), s.Int(4, 0), s.Int(32, 0)}
	}
	h := *header()
	h.Sites = []encode.Site{{Guard: yes, Values: vals(1, 5), Entry: vals(0, 0)}, {Guard: no, Values: vals(9, 9), Entry: vals(0, 0)},
		{Guard: yes, Values: vals(1, 2), Entry: vals(0, 0)}}
	h.Arrivals = []encode.Arrival{{Guard: yes, Values: vals(1, 5), Entry: vals(0, 0)}, {Guard: no, Values: vals(9, 9), Entry: vals(0, 0)},
		{Guard: yes, Values: vals(9, 5), Entry: vals(0, 0)}}
	f := &encode.Formula{Store: s, Headers: []encode.Header{h}}
	x1, y5, y2 := &Atom{Kind: Eq, V: 0, K: bits.New(8, 1)}, &Atom{Kind: Eq, V: 1, K: bits.New(8, 5)}, &Atom{Kind: Eq, V: 1, K: bits.New(8, 2)}
	for _, c := range []struct {
		lemma        Lemma
		holds, fails bool
		text         string
	}{
		{Lemma{Literals: []Literal{Is(x1)}}, true, true, "x == 1"},
		{Lemma{Literals: []Literal{Is(y5)}}, false, false, "y == 5"},
		{Lemma{Literals: []Literal{Is(y5), Is(y2)}}, true, false, "y == 5 or y == 2"},
		{Lemma{Literals: []Literal{Not(y2)}}, false, false, "y != 2"},
		{Lemma{Literals: []Literal{Is(x1), Is(y5)}}, true, false, "x == 1 or y == 5"},
	} {
		e := s.NewEvaluator(ilr.Model{}, nil)
		if got := c.lemma.Holds(f); (e.Value(got) == e.Value(yes)) != c.holds {
			t.Errorf("%s holds: %v", c.text, e.Value(got))
		}
		if got := c.lemma.Fails(f); (e.Value(got) == e.Value(yes)) != c.fails {
			t.Errorf("%s fails: %v", c.text, e.Value(got))
		}
		if got := c.lemma.Text(f); got != c.text {
			t.Errorf("%q, want %q", got, c.text)
		}
	}
	e := s.NewEvaluator(ilr.Model{}, nil)
	for y, want := range map[int64]ilr.Term{5: yes, 2: no} {
		if got := Conjunction(s, []Literal{Is(x1), Is(y5)}, vals(1, y), nil); e.Value(got) != e.Value(want) {
			t.Errorf("x == 1 and y == 5 with y == %d: %v", y, e.Value(got))
		}
	}
	f.Headers[0].Vars[1].Cell, f.Headers[0].Vars[2].Ghost = true, true
	for want, l := range map[string]Lemma{"for every z: y == 5": {Literals: []Literal{Is(y5)}}, "x == 1": {Literals: []Literal{Is(x1)}}} {
		if got := l.Text(f); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	f.Headers[0].Vars[0].Ghost, f.Headers[0].Vars[2].Ghost = true, false
	if got := (&Lemma{Literals: []Literal{Is(y5)}}).Text(f); got != "for every x: y == 5" {
		t.Error(got)
	}
}

// What C can say of variables that it can name is written as what the atoms mean.
func TestInC(t *testing.T) {
	kinds := []*ir.DType{{Kind: ir.DChar, Bits: 8, Signed: true}, {Kind: ir.DChar, Bits: 8, Signed: true}, nil, {Kind: ir.DInt, Bits: 32}}
	h := header()
	fn := &ir.Func{Name: "f"}
	block := &ir.Block{Func: fn}
	for i, k := range kinds {
		if k != nil {
			h.Vars[i].From.Slot = &ir.Instr{Op: ir.OpAlloca}
			fn.Vars = append(fn.Vars, &ir.Var{Name: h.Vars[i].Name, T: k, Slot: h.Vars[i].From.Slot})
		}
	}
	h.Loop = &unwind.Loop{Name: "f.0", Header: block}
	f := &encode.Formula{Headers: []encode.Header{*h}}
	one := func(l ...Literal) string {
		var out []string
		for _, inv := range InC(f, []*Lemma{{Literals: l}}) {
			out = append(out, fmt.Sprint(inv.Value, " of ", len(inv.Locals)))
		}
		return strings.Join(out, ", ")
	}
	for i := range atoms {
		c := &atoms[i]
		n := map[int]bool{}
		for _, v := range c.a.Vars() {
			n[v] = true
		}
		want := ""
		if c.c != "" {
			want = fmt.Sprint(c.c, " of ", len(n))
		}
		if got := one(Is(&c.a)); c.c != "" && got != want {
			t.Errorf("%s: %q, want %q", c.text, got, want)
		} else if c.a.Relative() && got != "" {
			t.Errorf("%s: %q, which C cannot say", c.text, got)
		}
	}
	x1, u7 := &Atom{Kind: Eq, V: 0, K: bits.New(8, 1)}, &Atom{Kind: Ule, V: 3, K: bits.New(32, 7)}
	z := &Atom{Kind: Eq, V: 2, K: bits.New(4, 1)}
	for want, l := range map[string][]Literal{"x == 1 || !(u <= 7U) of 2": {Is(x1), Not(u7)}, "": {Is(x1), Is(z)}} {
		if got := one(l...); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	twice := &encode.Formula{Headers: []encode.Header{*h, *h}}
	if got := InC(twice, []*Lemma{{Literals: []Literal{Is(x1)}}}); got != nil {
		t.Errorf("a loop that is met twice: %v", got)
	}
	if got := OfLoops(f, []*Lemma{{Literals: []Literal{Is(x1)}}, {Literals: []Literal{Is(x1)}}}); len(got) != 1 || got[0].Text != "x == 1" {
		t.Errorf("%v", got)
	}
	fn.Vars = append(fn.Vars, &ir.Var{Name: "x", T: kinds[0], Slot: &ir.Instr{Op: ir.OpAlloca}})
	if got := one(Is(x1)); got != "" {
		t.Errorf("of two variables of a name: %q", got)
	}
	global := &ir.Global{Var: &ir.Var{Name: "u", T: kinds[3]}}
	f.Headers[0].Vars[3].From = encode.Origin{Global: global}
	if got := one(Is(u7)); got != "" {
		t.Errorf("a variable of the program that a local hides: %q", got)
	}
	fn.Vars = fn.Vars[:2]
	if got := one(Is(u7)); got != "u <= 7U of 0" {
		t.Errorf("a variable of the program: %q", got)
	}
	for _, odd := range []func(v *encode.Var){func(v *encode.Var) { v.Offset = true }, func(v *encode.Var) { v.Cell = true },
		func(v *encode.Var) { v.Outer = true }, func(v *encode.Var) { v.From.Off = 4 }, func(v *encode.Var) { v.Width = 16 }} {
		was := f.Headers[0].Vars[3]
		if odd(&f.Headers[0].Vars[3]); one(Is(u7)) != "" {
			t.Errorf("%+v is no variable of C", f.Headers[0].Vars[3])
		}
		f.Headers[0].Vars[3] = was
	}
	for k, want := range map[string][2]bits.Vec{"-1 4294967295U": {bits.NewInt(32, -1), bits.NewInt(32, -1)},
		"(-9223372036854775807LL - 1) 4294967296ULL": {bits.New(64, 1<<63), bits.New(33, 1<<32)}} {
		if got := number(want[0], true) + " " + number(want[1], false); got != k {
			t.Errorf("%q, want %q", got, k)
		}
	}
}

// A sum of numbers is what terms say, whatever their widths, and expressions over them evaluate as the terms did.
func TestSpeaker(t *testing.T) {
	s := ilr.NewStore(nil)
	x, y := s.Var("x", ilr.BV(8)), s.Var("y", ilr.BV(8))
	speak := &Speaker{S: s, Leaves: map[ilr.Term]int{x: 0, y: 1}}
	for _, c := range []struct {
		t    ilr.Term
		x, y int64
		k    int64
		ok   bool
	}{
		{s.Add(x, s.Mul(s.Int(8, 3), y)), 1, 3, 0, true},
		{s.Add(s.Neg(x), s.Int(8, 5)), -1, 0, 5, true},
		{s.Add(s.Zext(x, 32), s.Mul(s.Zext(y, 32), s.Int(32, -4))), 1, -4, 0, true},
		{s.Mul(s.Int(8, 2), s.Add(x, s.Int(8, 7))), 2, 0, 14, true},
		{s.Sext(x, 16), 1, 0, 0, true},
		{s.Extract(s.Zext(x, 16), 7, 0), 1, 0, 0, true},
		{s.Extract(s.Zext(x, 16), 9, 2), 0, 0, 0, false},
		{s.Mul(x, y), 0, 0, 0, false},
		{s.Int(8, -100), 0, 0, 156, true},
		{s.Int(8, -1), 0, 0, -1, true},
		{s.Int(32, -100), 0, 0, -100, true},
	} {
		a, ok := speak.Affine(c.t)
		if ok != c.ok || ok && (a.Coefs[0] != c.x || a.Coefs[1] != c.y || a.K != c.k) {
			t.Errorf("%s: %v, %t", s.String(c.t), a, ok)
		}
	}
	a := Affine{Coefs: map[int]int64{0: 4, 1: -8}, K: 11}
	if p, ok := a.Per(4); !ok || p.Coefs[0] != 1 || p.Coefs[1] != -2 || p.K != 2 {
		t.Errorf("a quarter: %v, %t", p, ok)
	}
	if p, ok := (Affine{K: -1}).Per(4); !ok || p.K != -1 {
		t.Errorf("a quarter of -1: %v, %t", p, ok)
	}
	if _, ok := a.Per(3); ok {
		t.Error("4 is no multiple of 3")
	}
	sum := s.Ult(s.Add(x, s.Udiv(y, s.Int(8, 3))), s.Int(8, 9))
	tree := speak.Tree(sum)
	if tree == nil || tree.text(header()) != "((x + (y /u 3)) <u 9)" || len(tree.Vars()) != 2 {
		t.Fatal("no expression")
	}
	if got := tree.term(s, []ilr.Term{x, y}); got != sum {
		t.Error(s.String(got))
	}
	for _, no := range []ilr.Term{s.Add(x, s.Var("other", ilr.BV(8))), s.UaddO(x, y)} {
		if speak.Tree(no) != nil {
			t.Errorf("%s was said", s.String(no))
		}
	}
}

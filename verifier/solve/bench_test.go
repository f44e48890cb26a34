package solve

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/firmproof/firmproof/verifier/bits"
	"github.com/firmproof/firmproof/verifier/ilr"
	"github.com/firmproof/firmproof/verifier/rewrite"
)

// family is a scaling family: a question of size n whose answer is known.
type family struct {
	name  string
	build func(s *ilr.Store, n int) ilr.Term // satisfiable exactly when want says so
	want  Answer
	sizes []int
	small int // for the test that all answers are right
}

func families() []family {
	return []family{
		{"copy", copyLoop, Unsat, []int{50, 200, 800}, 12},
		{"megabyte", megabyte, Unsat, []int{1, 10, 100}, 3},
		{"machine", machine, Unsat, []int{100, 300, 1000}, 20},
		{"crc", crcTable, Unsat, []int{1, 4, 16}, 1},
		{"sorting", sorting, Unsat, []int{4, 6, 8}, 4},
		{"multiply", multiply, Unsat, []int{5, 6, 7}, 4},
		{"popcount", popcount, Unsat, []int{32, 64}, 16},
		{"parser", parser, Sat, []int{20, 80, 320}, 8},
		{"histogram", histogram, Unsat, []int{4, 8, 16}, 4},
		{"list", list, Unsat, []int{4, 8, 16}, 4},
	}
}

// copyLoop unwinds for(k=0;k<len;k++) a[k]=b[k] n times and asks for a byte that differs.
func copyLoop(s *ilr.Store, n int) ilr.Term {
	a, b := s.Var("a", ilr.Array(32, 8)), s.Var("b", ilr.Array(32, 8))
	length, i := s.Var("len", ilr.BV(32)), s.Var("i", ilr.BV(32))
	src := b
	guard := s.True()
	for k := 0; k < n; k++ {
		at := s.Int(32, int64(k))
		guard = s.And(guard, s.Ult(at, length))
		a = s.Ite(guard, s.Store(a, at, s.Select(src, at)), a)
	}
	return s.And(s.Not(s.Ult(s.Int(32, int64(n)), length)), s.Ult(i, length),
		s.Not(s.Eq(s.Select(a, i), s.Select(b, i))))
}

// megabyte writes n bytes at symbolic places of a 1 MB buffer and reads the last back.
func megabyte(s *ilr.Store, n int) ilr.Term {
	mem := s.Var("mem", ilr.Array(32, 8))
	ok := s.True()
	var i, v ilr.Term
	for k := 0; k < n; k++ {
		i, v = s.Fresh("i", ilr.BV(32)), s.Fresh("v", ilr.BV(8))
		ok = s.And(ok, s.Ult(i, s.Int(32, 1<<20)))
		mem = s.Store(mem, i, v)
	}
	j := s.Var("j", ilr.BV(32))
	return s.And(ok, s.Eq(i, j), s.Not(s.Eq(s.Select(mem, j), v)))
}

// machine returns a counter that saturates, driven by n inputs; it cannot leave its range.
func machine(s *ilr.Store, n int) ilr.Term {
	state := s.Int(8, 0)
	for k := 0; k < n; k++ {
		in := s.Fresh("in", ilr.BV(2))
		up := s.Ite(s.Ult(state, s.Int(8, 20)), s.Add(state, s.Int(8, 1)), s.Int(8, 20))
		down := s.Ite(s.Ult(s.Int(8, 3), state), s.Sub(state, s.Int(8, 3)), s.Int(8, 0))
		state = s.Ite(s.Eq(in, s.Int(2, 0)), up, s.Ite(s.Eq(in, s.Int(2, 1)), down, state))
	}
	return s.Ult(s.Int(8, 20), state)
}

// crcTable compares the table-driven CRC-8 of n bytes with the bitwise one.
func crcTable(s *ilr.Store, n int) ilr.Term {
	table := make([]byte, 256)
	for i := range table {
		c := byte(i)
		for k := 0; k < 8; k++ {
			c = c<<1 ^ 7*(c>>7)
		}
		table[i] = c
	}
	tab := s.ArrTable(8, table)
	fast, slow := s.Int(8, 0), s.Int(8, 0)
	for i := 0; i < n; i++ {
		b := s.Fresh("b", ilr.BV(8))
		fast = s.Select(tab, s.BvXor(fast, b))
		slow = s.BvXor(slow, b)
		for k := 0; k < 8; k++ {
			top := s.Eq(s.Extract(slow, 7, 7), s.Int(1, 1))
			slow = s.BvXor(s.Shl(slow, s.Int(8, 1)), s.Ite(top, s.Int(8, 7), s.Int(8, 0)))
		}
	}
	return s.Not(s.Eq(fast, slow))
}

// sorting runs an odd-even transposition network over n bytes and asks for disorder.
func sorting(s *ilr.Store, n int) ilr.Term {
	v := make([]ilr.Term, n)
	for i := range v {
		v[i] = s.Fresh("v", ilr.BV(8))
	}
	for r := 0; r < n; r++ {
		for i := r % 2; i+1 < n; i += 2 {
			c := s.Ult(v[i+1], v[i])
			v[i], v[i+1] = s.Ite(c, v[i+1], v[i]), s.Ite(c, v[i], v[i+1])
		}
	}
	var bad []ilr.Term
	for i := 0; i+1 < n; i++ {
		bad = append(bad, s.Ult(v[i+1], v[i]))
	}
	return s.Or(bad...)
}

// multiply asks for a counterexample to (x+1)*(y+1) = x*y+x+y+1 at n bits.
func multiply(s *ilr.Store, n int) ilr.Term {
	x, y, one := s.Var("x", ilr.BV(n)), s.Var("y", ilr.BV(n)), s.Int(n, 1)
	left := s.Mul(s.Add(x, one), s.Add(y, one))
	return s.Not(s.Eq(left, s.Add(s.Add(s.Add(s.Mul(x, y), x), y), one)))
}

// popcount compares the sum of the bits with the parallel sum of n bits.
func popcount(s *ilr.Store, n int) ilr.Term {
	x := s.Var("x", ilr.BV(n))
	sum := s.Int(n, 0)
	for i := 0; i < n; i++ {
		sum = s.Add(sum, s.Zext(s.Extract(x, i, i), n))
	}
	par := x
	for k := 1; k < n; k *= 2 {
		m := bits.New(n, 0)
		for i := 0; i < n; i++ {
			if i/k%2 == 0 {
				m = bits.Or(m, bits.Shl(bits.New(n, 1), uint(i)))
			}
		}
		mask := s.Const(m)
		par = s.Add(s.BvAnd(par, mask), s.BvAnd(s.Lshr(par, s.Int(n, int64(k))), mask))
	}
	return s.Not(s.Eq(sum, par))
}

// parser reads a decimal number from n characters and asks for an input that gives 1234.
func parser(s *ilr.Store, n int) ilr.Term {
	value, ok := s.Int(32, 0), s.True()
	done := s.False()
	for i := 0; i < n; i++ {
		c := s.Fresh("c", ilr.BV(8))
		digit := s.And(s.Not(s.Ult(c, s.Int(8, '0'))), s.Not(s.Ult(s.Int(8, '9'), c)))
		done = s.Or(done, s.Eq(c, s.Int(8, 0)))
		ok = s.And(ok, s.Or(done, digit))
		d := s.Zext(s.Sub(c, s.Int(8, '0')), 32)
		value = s.Ite(done, value, s.Add(s.Mul(value, s.Int(32, 10)), d))
	}
	return s.And(ok, done, s.Eq(value, s.Int(32, 1234)))
}

// histogram counts n symbolic bytes in an array: no count exceeds n.
func histogram(s *ilr.Store, n int) ilr.Term {
	h := s.ArrConst(8, s.Int(8, 0))
	for k := 0; k < n; k++ {
		x := s.Fresh("x", ilr.BV(8))
		h = s.Store(h, x, s.Add(s.Select(h, x), s.Int(8, 1)))
	}
	return s.Ult(s.Int(8, int64(n)), s.Select(h, s.Var("j", ilr.BV(8))))
}

// list builds a list of n nodes in memory and follows it to the end.
func list(s *ilr.Store, n int) ilr.Term {
	next := s.Var("next", ilr.Array(16, 16))
	base, ok := s.Var("base", ilr.BV(16)), s.True()
	p := make([]ilr.Term, n)
	for i := range p {
		p[i] = s.Fresh("p", ilr.BV(16))
		ok = s.And(ok, s.Not(s.Ult(p[i], base)))
		for j := 0; j < i; j++ {
			ok = s.And(ok, s.Not(s.Eq(p[i], p[j])))
		}
	}
	for i := 0; i+1 < n; i++ {
		next = s.Store(next, p[i], p[i+1])
	}
	at := p[0]
	for i := 0; i+1 < n; i++ {
		at = s.Select(next, at)
	}
	return s.And(ok, s.Not(s.Eq(at, p[n-1])))
}

func TestFamilies(t *testing.T) {
	for _, f := range families() {
		for _, name := range []string{"cadical", "z3"} {
			s := rewrite.NewStore()
			u := f.build(s, f.small)
			x, err := Open(name, s, Options{})
			if err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithTimeout(context.Background(), 90*time.Second)
			a, err := x.Check(ctx, u)
			if a != f.want {
				t.Errorf("%s of %d by %s: %v %v", f.name, f.small, name, a, err)
			}
			if a == Sat {
				checkModel(t, s, x.Model(), u)
			}
			cancel()
			x.Close()
		}
	}
}

// BenchmarkFamilies solves each family at its sizes with the own stack.
func BenchmarkFamilies(b *testing.B) { benchmark(b, "cadical") }

// BenchmarkFamiliesZ3 gives the exported formulas to z3, as they are built: what the
// own stack rewrites before it solves, z3 has its own means for.
func BenchmarkFamiliesZ3(b *testing.B) { benchmark(b, "z3") }

// BenchmarkFamiliesCVC5 gives them to cvc5.
func BenchmarkFamiliesCVC5(b *testing.B) { benchmark(b, "cvc5") }

// benchmark gives others than the own stack 20 seconds: what takes them longer counts as that.
func benchmark(b *testing.B, solver string) {
	limit := 20 * time.Second
	if solver == "cadical" {
		limit = 2 * time.Minute
	}
	for _, f := range families() {
		for _, n := range f.sizes {
			b.Run(fmt.Sprintf("%s/%d", f.name, n), func(b *testing.B) {
				for i := 0; i < b.N; i++ {
					s := rewrite.NewStore()
					if solver != "cadical" {
						s = ilr.NewStore(nil)
					}
					u := f.build(s, n)
					x, err := Open(solver, s, Options{})
					if err != nil {
						b.Fatal(err)
					}
					ctx, cancel := context.WithTimeout(context.Background(), limit)
					a, err := x.Check(ctx, u)
					cancel()
					if errors.Is(err, ErrTimeout) && solver != "cadical" {
						b.ReportMetric(1, "timeouts")
						x.Close()
						continue
					}
					if a != f.want {
						b.Fatalf("%v %v", a, err)
					}
					st := x.Stats()
					b.ReportMetric(float64(st.Terms), "terms")
					b.ReportMetric(float64(st.Gates), "gates")
					b.ReportMetric(float64(st.Clauses), "clauses")
					b.ReportMetric(float64(st.Conflicts), "conflicts")
					b.ReportMetric(float64(st.Lemmas), "lemmas")
					x.Close()
				}
			})
		}
	}
}

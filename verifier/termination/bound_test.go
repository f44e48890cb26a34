package termination

import (
	"context"
	"fmt"
	"math/big"
	"math/rand"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/firmproof/firmproof/verifier/exact"
	"github.com/firmproof/firmproof/verifier/its"
)

var orders = []struct{ point, rules, want string }{
	{"straight line", "s(x) -> a(x)\n a(x) -> b(x+1)", "O(1)"},
	{"linear", "s(x) -> l(x)\n l(x) -> l(x-1) :|: x > 0", "O(n^1)"},
	{"constant by invariant", "s(x) -> l(0)\n l(x) -> l(x+1) :|: x < 10", "O(1)"},
	{"nested", "s(x,y,n) -> a(n,0,n)\n a(x,y,n) -> b(x,n,n) :|: x > 0\n b(x,y,n) -> b(x,y-1,n) :|: y > 0\n b(x,y,n) -> a(x-1,y,n) :|: y <= 0", "O(n^2)"},
	{"inner loop paid by the outer one",
		"s(x,y) -> a(x,0)\n a(x,y) -> a(x-1,y+1) :|: x > 0\n a(x,y) -> b(x,y)\n b(x,y) -> b(x,y-1) :|: y > 0",
		"O(n^1)"},
	{"amortised", "s(x,y) -> a(x,0)\n a(x,y) -> b(x-1,y+1) :|: x > 0\n b(x,y) -> b(x,y-1) :|: y > 0\n b(x,y) -> a(x,y)", "O(n^1)"},
	{"triangular growth",
		"s(x,y) -> a(x,0)\n a(x,y) -> a(x-1,y+x) :|: x > 0\n a(x,y) -> b(x,y) :|: x <= 0\n b(x,y) -> b(x,y-1) :|: y > 0", "O(n^2)"},
	{"doubling", "s(x,y) -> a(x,y)\n a(x,y) -> a(x-1,2*y) :|: x > 0\n a(x,y) -> b(x,y) :|: x <= 0\n b(x,y) -> b(x,y-1) :|: y > 0", "O(EXP)"},
	{"two phases", "s(x,y) -> l(x,y)\n l(x,y) -> l(x+y,y-1) :|: x > 0", "O(n^1)"},
	{"reset only once", "s(x,b) -> l(b+1,b)\n l(x,b) -> l(x+1,b) :|: x <= b && x != 7\n l(x,b) -> l(0,b) :|: x > b && x >= 1 && b >= 8\n l(x,b) -> m(x,b)", "O(1)"},
	{"square", "s(x,y) -> l(x*x,y)\n l(x,y) -> l(x-1,y) :|: x > 0", "O(n^2)"},
	{"only a few turns in a row", "s(x,y) -> l(x,y)\n l(x,y) -> l(2*x,3*y) :|: 4*y >= x && x >= y && x >= 1 && y >= 1",
		"O(1)"},
	{"closed form: two exponentials", "s(x,y) -> l(x,y)\n l(x,y) -> l(4*x,2*y+1) :|: x < y && x > 0", "O(n^1)"},
	{"closed form: cubic against square",
		"s(x,y,z) -> l(x,y,z)\n l(x,y,z) -> l(x+z*z,y+1,z+1) :|: x < y*y && z >= 0 && y >= 0", "O(n^2)"},
	{"closed form: alternating sign",
		"s(x,y,z) -> l(x,y,z)\n l(x,y,z) -> l(x-1,-2*y,z+x) :|: y*y + z > 0 && x + z > 3 && y = 0", "O(n^1)"},
	{"closed form: the sign alternates", "s(x,y) -> l(x,y)\n l(x,y) -> l(-2*x,y+1) :|: x + y > 0 && x != 0",
		"O(log(n))"},
	{"for ever", "s(x) -> l(x)\n l(x) -> l(x)", "O(INF)"},
	{"falls that another edge undoes",
		"s(x) -> l(x)\n l(x) -> l(x-1) :|: x > 0\n l(x) -> l(x-2) :|: x > 0\n l(x) -> l(x+1) :|: x > 0", "O(INF)"},
	{"squaring", "s(x,y) -> l(x,y)\n l(x,y) -> l(x*x,y) :|: x > 1 && x < y", "O(log(n))"},
	{"squaring of 1", "s(x,y) -> l(x,y)\n l(x,y) -> l(x*x,y) :|: x > 0 && x < y", "O(INF)"},
	{"a product of numbers below 0", "s(x,y) -> l(x,y,0)\n l(x,y,z) -> l(x,y,z+x*y) :|: x < -1 && y < 0 && z < 50",
		"O(1)"},
	{"a product of signs that differ", "s(x,y) -> l(x,y,0)\n l(x,y,z) -> l(x,y,z+x*y) :|: x < -1 && y > -1 && z < 50",
		"O(INF)"},
	{"halving", "s(x) -> l(x)\n l(x) -> l(h) :|: x > 0 && 2*h <= x && x <= 2*h + 1", "O(log(n))"},
	{"halving, rounded up", "s(x) -> l(x)\n l(x) -> l(h) :|: x > 1 && x <= 2*h && 2*h <= x + 1", "O(log(n))"},
	{"halving, rounded up, down to 1", "s(x) -> l(x)\n l(x) -> l(h) :|: x > 0 && x <= 2*h && 2*h <= x + 1", "O(INF)"},
	{"two thirds", "s(x) -> l(x)\n l(x) -> l(h) :|: x > 0 && 3*h <= 2*x", "O(log(n))"},
	{"nine tenths", "s(x) -> l(x)\n l(x) -> l(h) :|: x > 9 && 10*h <= 9*x", "O(n^1)"},
	{"halving or counting", "s(x) -> l(x)\n l(x) -> l(h) :|: x > 0 && 2*h <= x\n l(x) -> l(x-1) :|: x > 0", "O(n^1)"},
	{"halving, undone at times",
		"s(x,y) -> l(x,y)\n l(x,y) -> l(h,y) :|: x > 0 && 2*h <= x\n l(x,y) -> l(2*x,y-1) :|: y > 0 && x > 0",
		"O(n^2)"},
	{"doubling up to n", "s(n) -> l(1,n)\n l(x,n) -> l(2*x,n) :|: x < n", "O(log(n))"},
	{"doubling from anywhere", "s(x,n) -> l(x,n)\n l(x,n) -> l(2*x,n) :|: x < n", "O(INF)"},
	{"doubling less than it grows", "s(x,n) -> l(x,n)\n l(x,n) -> l(2*x,n+x) :|: x < n && x > 0", "O(INF)"},
	{"binary search", "s(l,h) -> b(l,h)\n b(l,h) -> b(m+1,h) :|: l < h && 2*m <= l+h && 2*m >= l+h-1\n b(l,h) -> b(l,m) :|: l < h && 2*m <= l+h && 2*m >= l+h-1", "O(log(n))"},
	{"a loop in a halving one",
		"s(x) -> l(x,0,x)\n l(x,i,n) -> m(x,n,n) :|: x > 0\n m(x,i,n) -> m(x,i-1,n) :|: i > 0\n m(x,i,n) -> l(h,0,n) :|: i <= 0 && 2*h <= x && x <= 2*h + 1", "O(n^1*log(n))"},
	{"as long as what doubles while another halves",
		"s(x,y) -> l(x,y)\n l(x,y) -> l(h,2*y) :|: x > 0 && 2*h <= x && x <= 2*h + 1\n l(x,y) -> m(x,y)\n m(x,y) -> m(x,y-1) :|: y > 0", "O(n^2)"},
	{"recursion with a result", "s(n) -> f(n)\n f(n) -> Com_2(f(n-1), g(n)) :|: n > 0\n f(n) -> g(n) :|: n <= 0",
		"O(n^1)"},
	{"recursion that never comes to 0", "s(n) -> f(n)\n f(n) -> Com_2(f(n-1), g(n)) :|: n != 0", "O(INF)"},
	{"a call in a loop", "s(n) -> l(n,n)\n l(i,n) -> Com_2(l(i-1,n), f(n,0)) :|: i > 0\n f(n,i) -> f(n-1,0) :|: n > 0",
		"O(n^2)"},
	{"a loop behind each call",
		"s(n) -> f(n,0)\n f(n,i) -> Com_2(l(n,n), f(n-1,0)) :|: n > 0\n l(n,i) -> l(n,i-1) :|: i > 0", "O(n^2)"},
	{"two calls", "s(n) -> f(n)\n f(n) -> Com_2(f(n-1), f(n-2)) :|: n > 1", "O(EXP)"},
	{"two calls, a counter too low for both", "s(n) -> f(n)\n f(n) -> Com_2(f(n-1), f(0)) :|: n > 0", "O(n^1)"},
	{"two calls that share the interval", "s(l,h) -> f(l,h)\n f(l,h) -> Com_2(f(l,m), f(m,h)) :|: l < m && m < h",
		"O(n^1)"},
	{"two calls of the same part", "s(l,h) -> f(l,h)\n f(l,h) -> Com_2(f(l,m), f(l,m)) :|: l < m && m < h", "O(EXP)"},
	{"three calls, of which two fork",
		"s(x,y) -> f(x,y)\n f(x,y) -> Com_3(f(x-1,y), f(x-1,0), g(y,0)) :|: x > 0\n g(y,x) -> g(y-1,0) :|: y > 0",
		"O(EXP)"},
	{"a loop that calls, as in quicksort",
		"s(l,h,i) -> f(l,h,0)\n f(l,h,i) -> p(l,h,l) :|: l + 1 < h\n p(l,h,i) -> p(l,h,i+1) :|: i + 1 < h\n p(l,h,i) -> Com_2(f(l,i,0), f(i,h,0)) :|: l < i && i < h", "O(n^2)"},
	{"a way in that no run takes", "s(x,y,z) -> f(x,y,z)\n f(x,y,z) -> g(x-1,y+z,z) :|: x > 0\n" +
		"g(x,y,z) -> f(x,y+z,y) :|: y > 0\n s(x,y,z) -> p(0,y,z)\n p(x,y,z) -> d(x,y,z) :|: x > 0\n" +
		"d(x,y,z) -> d(x-1,y,z) :|: x > 5\n d(x,y,z) -> f(y,x,z) :|: x > 0", "O(n^1)"},
	{"cost of a step", "s(x,y) -> l(x,y)\n l(x,y) -{y}> l(x-1,y) :|: x > 0", "O(n^2)"},
}

func TestOrders(t *testing.T) {
	for _, c := range orders {
		s := system(t, c.rules)
		got := Bounds(context.Background(), s, Options{Timeout: 5 * time.Minute})
		if got.Class() != c.want {
			t.Errorf("%s: %s, want %s\n%s", c.point, got.Class(), c.want, got.Text)
		}
		simulate(t, c.point, s, got, rand.New(rand.NewSource(3)), 60)
	}
}

// TestClosedForms compares closed forms with running the loop.
func TestClosedForms(t *testing.T) {
	s := system(t, "s(x,y,z,u) -> l(x,y,z,u)\n l(x,y,z,u) -> l(2*x+3,3*y+x*x-x,z+y+1,5) :|: x > 0\n l(x,y,z,u) -> l(x+u,2,3*z+y+u*u,y) :|: x > 0\n l(x,y,z,u) -> l(x,y+x,z+y,u+z*x)")
	vars := []exact.Var{0, 1, 2, 3}
	for i := 1; i < len(s.Trans); i++ {
		update := s.Trans[i].Update
		forms, ok := closedForms(update, vars)
		if !ok {
			t.Fatalf("loop %d: no closed form", i)
		}
		state := []exact.Int{exact.I(3), exact.I(-2), exact.I(7), exact.I(11)}
		start := state
		for n := 0; n < 8; n++ {
			for _, v := range vars {
				f := forms[v]
				if n < f.from {
					continue
				}
				var sum exact.Rat
				for _, term := range f.terms {
					c := exact.Frac(term.coef.p.Eval(func(w exact.Var) exact.Int { return start[w] }), term.coef.den)
					sum = sum.Add(c.Mul(exact.RatOf(term.base.Pow(n).Mul(exact.I(int64(n)).Pow(term.power)))))
				}
				if sum.Cmp(exact.RatOf(state[v])) != 0 {
					t.Errorf("loop %d, turn %d, x%d: %v, want %v", i, n, v, sum, state[v])
				}
			}
			next := make([]exact.Int, len(state))
			for v := range state {
				next[v] = update[v].Eval(func(w exact.Var) exact.Int { return state[w] })
			}
			state = next
		}
	}
}

// TestTypeRanges: the range of a machine type is used only when nothing else
// bounds the loop, and then said.
func TestTypeRanges(t *testing.T) {
	for _, c := range []struct {
		rules, order string
		types        bool
	}{
		{"s(x,y,n) -> a(x,y,n)\n a(x,y,n) -> b(x,n,n) :|: x > 0 && n <= 4294967295\n b(x,y,n) -> b(x,y-1,n) :|: y > 0 && n <= 4294967295 && y <= 4294967295\n b(x,y,n) -> a(x-1,y,n) :|: y <= 0", "O(n^2)", false},
		{"s(x) -> a(x) :|: x >= 0\n a(x) -> a(x+1) :|: x <= 4294967295", "O(1)", true},
	} {
		got := Bounds(context.Background(), system(t, c.rules), Options{})
		if got.Order() != c.order || got.Types != c.types {
			t.Errorf("%s: %s, types %v, want %s %v", c.rules, got.Order(), got.Types, c.order, c.types)
		}
	}
}

// simulate runs the system from random values and holds each run to the bounds.
func simulate(t *testing.T, name string, s *its.System, c Cost, r *rand.Rand, runs int) {
	t.Helper()
	for k := 0; k < runs; k++ {
		start := make([]exact.Int, len(s.Vars))
		for v := range start {
			start[v] = exact.I(r.Int63n(41) - 12)
		}
		value := func(v exact.Var) exact.Int { return start[v] }
		count, cost := walk(s, start, r, 400)
		if total := c.Bound.Eval(value); c.Bound != nil && total != nil && cost.Cmp(total) > 0 {
			t.Fatalf("%s: start %v costs %v, bound %v\n%s", name, start, cost, total, c.Text)
		}
		for i, b := range c.Steps {
			if n := b.Eval(value); n != nil && big.NewInt(int64(count[i])).Cmp(n) > 0 {
				t.Fatalf("%s: start %v takes transition %d %d times, bound %v\n%s", name, start, i, count[i], n, c.Text)
			}
		}
	}
}

// walk is one random run, in all successors of each transition: how often each transition ran, and the cost.
func walk(s *its.System, start []exact.Int, r *rand.Rand, steps int) ([]int, *big.Int) {
	type place struct {
		loc   its.Loc
		state []exact.Int
	}
	count, cost := make([]int, len(s.Trans)), new(big.Int)
	open := []place{{s.Start, start}}
	for n := 0; n < steps && len(open) > 0; n++ {
		at := open[len(open)-1]
		open = open[:len(open)-1]
		for _, i := range r.Perm(len(s.Trans)) {
			t := &s.Trans[i]
			if t.From != at.loc {
				continue
			}
			var value func(exact.Var) exact.Int
			enabled := false
			for tries := 0; tries < 1+10*t.Temps && !enabled; tries++ {
				all := append([]exact.Int(nil), at.state...)
				for j := 0; j < t.Temps; j++ {
					all = append(all, exact.I(r.Int63n(21)-8))
				}
				value = func(v exact.Var) exact.Int { return all[v] }
				enabled = true
				for _, a := range t.Guard {
					enabled = enabled && a.Holds(value)
				}
			}
			if !enabled {
				continue
			}
			count[i]++
			cost.Add(cost, t.Cost.Eval(value).Big())
			for _, target := range t.Targets() {
				next := make([]exact.Int, len(at.state))
				small := true
				for v, p := range target.Update {
					next[v] = p.Eval(value)
					small = small && next[v].BitLen() < 4096
				}
				if small { // squares of squares grow beyond all memory
					open = append(open, place{target.To, next})
				}
			}
			break
		}
	}
	return count, cost
}

// randomSystem is a small system with loops, for the oracles below; with forks, transitions may have two successors.
func randomSystem(r *rand.Rand, forks bool) string {
	names := []string{"x", "y", "z"}
	lin := func() string {
		var parts []string
		for _, n := range names {
			if k := r.Intn(5) - 2; k != 0 && r.Intn(2) == 0 {
				parts = append(parts, fmt.Sprintf("%d*%s", k, n))
			}
		}
		return strings.Join(append(parts, fmt.Sprint(r.Intn(7)-3)), " + ")
	}
	update := func() string {
		var args []string
		for _, n := range names {
			switch r.Intn(6) {
			case 0:
				args = append(args, fmt.Sprintf("%s - 1", n))
			case 1:
				args = append(args, fmt.Sprintf("%s + %d", n, r.Intn(3)))
			case 2:
				args = append(args, names[r.Intn(3)])
			case 3:
				args = append(args, lin())
			default:
				args = append(args, n)
			}
		}
		return strings.Join(args, ",")
	}
	rules := []string{"s(x,y,z) -> a(x,y,z)"}
	locs := []string{"a", "b"}
	for i := 0; i < 2+r.Intn(4); i++ {
		guard := lin() + " >= 0"
		for r.Intn(2) == 0 {
			guard += " && " + lin() + " >= 0"
		}
		to := fmt.Sprintf("%s(%s)", locs[r.Intn(2)], update())
		if forks && r.Intn(2) == 0 {
			to = fmt.Sprintf("Com_2(%s, %s(%s))", to, locs[r.Intn(2)], update())
		}
		rules = append(rules, fmt.Sprintf("%s(x,y,z) -> %s :|: %s", locs[r.Intn(2)], to, guard))
	}
	return strings.Join(rules, "\n")
}

// TestRandomSystems: runs stay below the bounds, a proof of termination never
// meets a repeated state, and a refutation is one that the checker accepted.
func TestRandomSystems(t *testing.T) {
	r := rand.New(rand.NewSource(11))
	ctx := context.Background()
	bounded, yes, no := 0, 0, 0
	for n := 0; n < 60; n++ {
		rules := randomSystem(r, false)
		s := system(t, rules)
		c := Bounds(ctx, s, Options{Timeout: time.Second})
		simulate(t, rules, s, c, r, 25)
		a := Prove(ctx, s, Options{Timeout: time.Second})
		if c.Bound != nil {
			bounded++
			if a.Verdict == NonTerminating {
				t.Fatalf("%s\nbounded by %s, yet\n%s", rules, c.Order(), a.Text)
			}
		}
		switch a.Verdict {
		case Terminating:
			yes++
		case NonTerminating:
			no++
		}
	}
	t.Logf("%d bounded, %d terminating, %d not", bounded, yes, no)
	if bounded < 15 || yes < 15 || no < 10 {
		t.Errorf("lopsided test: %d bounded, %d terminating, %d not", bounded, yes, no)
	}
}

// randomScaling is a loop, or two, whose edges multiply and divide.
func randomScaling(r *rand.Rand) string {
	rules := []string{"s(x,y) -> a(x,y)"}
	for range 1 + r.Intn(3) {
		k := 2 + r.Intn(2)
		h := fmt.Sprintf("%d*h <= %d*x + %d && %d*h >= %d*x - %d", k, 1+r.Intn(2)*r.Intn(2), r.Intn(3)-1, k, 1, 2)
		to := [][2]string{{"x*x", "y"}, {"x*y", "y-1"}, {"x-1", "y+x*y"}, {"h", "y"}, {"h", "y-1"}, {"h", "2*y"},
			{"h-1", "y+x"}, {"x", "y-1"}, {"2*x", "y"},
			{"2*x-1", "y"}, {"3*x", "2*y"}, {"2*x", "y+x"}}[r.Intn(12)]
		guard := []string{"x > 0", "x > 1", "x >= 0", "x < y", "x < y && x > 0", "y > x", "y > 0 && x > 0",
			"x < -1 && y > 1",
			"y < 0 && x < -2 && y > x"}[r.Intn(9)]
		if strings.HasPrefix(to[0], "h") {
			guard += " && " + h
		}
		locs := []string{"a", "a", "b"}
		rules = append(rules, fmt.Sprintf("%s(x,y) -> %s(%s,%s) :|: %s", locs[r.Intn(3)], locs[r.Intn(3)], to[0],
			to[1], guard))
	}
	return strings.Join(rules, "\n")
}

// TestRandomForks: runs of systems whose transitions have several successors, and of loops that multiply and divide,
// stay below the bounds, transition by transition. As in make soundness, FIRMPROOF_SOUNDNESS is how long to go on, and FIRMPROOF_SEED the seed.
func TestRandomForks(t *testing.T) {
	count, seed, until := 10, int64(6), time.Time{}
	if n, err := strconv.ParseInt(os.Getenv("FIRMPROOF_SEED"), 10, 64); err == nil {
		seed = n
	}
	if d, err := time.ParseDuration(os.Getenv("FIRMPROOF_SOUNDNESS")); err == nil {
		count, until = 1<<30, time.Now().Add(d)
	}
	r := rand.New(rand.NewSource(seed))
	bounded, logs := 0, 0
	enough := func(n int) bool { // on a busy machine few have a bound in time: then more are tried
		return n >= count && (bounded >= 4 || n >= 4*count)
	}
	for n := 0; !enough(n) && (until.IsZero() || time.Now().Before(until)); n++ {
		rules := randomSystem(r, true)
		if n%2 == 0 {
			rules = randomScaling(r)
		}
		s := system(t, rules)
		c := Bounds(context.Background(), s, Options{Timeout: 2 * time.Second})
		simulate(t, rules, s, c, r, 40)
		if c.Bound != nil {
			bounded++
		}
		if c.Bound.growth().logs > 0 {
			logs++
		}
	}
	t.Logf("%d bounded, %d with logarithms", bounded, logs)
	if bounded < 4 {
		t.Errorf("only %d of the systems are bounded", bounded)
	}
}

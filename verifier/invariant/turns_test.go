package invariant

import (
	"context"
	"fmt"
	"maps"
	"math/rand"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/firmproof/firmproof/verifier/problem"
	"github.com/firmproof/firmproof/verifier/testprogram"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// inductTurns returns what is proved where loops are followed for k turns.
func inductTurns(ctx context.Context, p *problem.Problem, k int, plain bool) *problem.Proofs {
	a := problem.NewAnswers()
	_ = Engine{CutAll: true, Turns: k, Plain: plain}.Run(ctx, p, a)
	return a.Proofs()
}

// TestSeveralTurnsMissNoWrite: nothing is proved of a program with a write that is easily missed.
func TestSeveralTurnsMissNoWrite(t *testing.T) {
	var count searched
	programs := missedWrites()
	for i, name := range slices.Sorted(maps.Keys(programs)) {
		m := testprogram.Compile(t, programs[name], "-O1")
		for j := range testprogram.Sample(2, 1) {
			k := 2 + (i+j)%2
			ctx := testprogram.Within(t, time.Second)
			p := inductTurns(ctx, volatileMemory(m, verdict.Assert), k, k == 2)
			count.all++
			if ctx.Err() == nil {
				count.ended++
			}
			if p == nil {
				continue
			}
			for _, c := range p.Claims {
				if p.Holds[c.ID] && c.Check == verdict.Assert {
					t.Errorf("%s: %s is proved over %d turns by %v", name, c.ID, k, p.Certificate.Detail)
				}
			}
		}
	}
	count.atLeast(t, 70)
}

// Loops whose assertion follows from what the last k turns did; each has a twin, one token apart, that fails.
var turnPrograms = []struct {
	name, src string
	k         int // turns that are enough; 0: it fails
}{
	{"delay", `int main(void) { unsigned t = 0, a = 0, b = 0; while (1) { if (t >= 2) CHECK(b + 2 == t); b = a; a
		= t; if (++t > 90000) t = a = b = 0; } }`, 4},
	{"delay bad", `int main(void) { unsigned t = 0, a = 0, b = 0; while (1) { if (t >= 1) CHECK(b + 2 == t); b =
		a; a = t; if (++t > 90000) t = a = b = 0; } }`, 0},
	{"acknowledged", `int main(void) { unsigned char seq = 0, sent = 0; int wait = 0; while (1) { if (wait) { wait
		= 0; CHECK((unsigned char)(sent + 1) == seq); } else if (nondet_int()) { sent = seq++; wait = 1; } } }`,
		2},
	{"acknowledged bad", `int main(void) { unsigned char seq = 0, sent = 0; int wait = 0; while (1) { if (wait) {
		CHECK((unsigned char)(sent + 1) == seq); wait = nondet_int(); seq++; } else
		if (nondet_int()) { sent = seq++; wait = 1; } } }
		`, 0},
	{"ramp", `int main(void) { int y = 0, y1 = 0, y2 = 0; while (1) { int w = nondet_int(); y2 = y1; y1 = y; if (w
		> y && y < 9000) y += 8; else if (w < y && y > -9000) y -= 8; CHECK(y - 2 * y1 + y2 <= 16); } }`, 3},
	{"ramp bad", `int main(void) { int y = 0, y1 = 0, y2 = 0; while (1) { int w = nondet_int(); y2 = y1; y1 = y;
		if (w > y && y < 9000) y += 8; else if (w < y && y > -9000) y -= 8; CHECK(y - 2 * y1 + y2 <= 15); } }`,
		0},
	{"after the loop", `int main(void) { int a = 5, b = 5, n = nondet_int(); while (nondet_int()) { b = a; a = n;
		} CHECK(a == 5 || a == n); }`, 2},
	{"after the loop bad", `int main(void) { int a = 5, b = 5, n = nondet_int(); while (nondet_int()) { b = a; a =
		n; } CHECK(b == 5); }`, 0},
	{"left at once bad", `int main(void) { int a = 0, b = 0; while (nondet_int()) { if (a == 3) { CHECK(b == 0);
		break; } b = a == 2; a = a < 3 ? a + 1 : a; } }`, 0},
	{"pointers by turns bad", `int main(void) { int x = 0, y = 0, *p = &x, *q = &y; while (1) { int *r = p; p = q;
		q = r; CHECK(x + y < 3); if (nondet_int()) *p = *p + 1; } }`, 0},
	{"first turn bad", `int main(void) { int first = 1, n = 0; while (1) { if (!first) CHECK(n < 4); n = n < 4 ? n
		+ 1 : n; first = 0; } }`, 0},
	{"callee bad", `int s, d; void f(void) { d = s; s = nondet_int() & 3; } int main(void) { while (1) { f();
		CHECK(d < 3); } }`,
		0},
	{"callee", `int s, d; void f(void) { d = s; s = nondet_int() & 3; } int main(void) { while (1) { f(); CHECK(d
		< 4 && d >= 0); } }`, 2},
	{"inside another", `int main(void) { while (1) { int a = 0, b = 0; while (nondet_int()) { CHECK(b >= 0 && b <
		10); b = a; a = nondet_int() & 7; } } }`, 3},
	{"inside another bad", `int main(void) { int b = 0; while (1) { int a = 9; while (nondet_int()) { CHECK(b <
		9); b = a; a = nondet_int() & 7; } } }`, 0},
}

func TestSeveralTurns(t *testing.T) {
	for _, c := range turnPrograms {
		m := testprogram.Compile(t, c.src, "-O0")
		limit, k := time.Minute, c.k
		if c.k == 0 {
			limit, k = 2*time.Second, 2
		}
		for ; k <= 4 && (c.k == 0 || k == c.k); k++ {
			p := volatileMemory(m, verdict.Assert)
			got := inductTurns(testprogram.Within(t, limit), p, k, c.k != 0)
			if proved := got != nil && got.Holds[firstAssertion(p)]; proved != (c.k > 0) {
				t.Errorf("%s: over %d turns: proved is %v", c.name, k, proved)
			}
		}
	}
}

// machine is a random program over a few numbers below size, which every turn of its loop changes.
type machine struct {
	size, vars int
	body       []statement
	end        []statement
	lines      int
}

// statement is one of: x = y + k, x = input, CHECK(x != k), CHECK(x != y), if (input) break, if (x == k) then.
type statement struct {
	op, x, y, k, line int
	then              []statement
}

const (
	opMove = iota
	opInput
	opCheck
	opDiffer
	opBreak
	opIf
)

func (m *machine) random(r *rand.Rand, n, depth int) []statement {
	var out []statement
	for range n {
		ops := []int{opMove, opMove, opMove, opMove, opInput, opCheck, opDiffer, opBreak, opIf, opIf}
		s := statement{op: ops[r.Intn(len(ops))],
			x: r.Intn(m.vars), y: r.Intn(m.vars), k: r.Intn(m.size)}
		if s.op == opIf {
			if depth == 0 {
				continue
			}
			s.then = m.random(r, 2, depth-1)
		}
		out = append(out, s)
	}
	return out
}

// text writes the statements down, one a line.
func (m *machine) text(b *strings.Builder, list []statement) {
	for i := range list {
		s := &list[i]
		m.lines++
		s.line = m.lines
		switch s.op {
		case opMove:
			fmt.Fprintf(b, "x%d = (x%d + %d) %% %d;\n", s.x, s.y, s.k, m.size)
		case opInput:
			fmt.Fprintf(b, "x%d = nondet_uint() %% %d;\n", s.x, m.size)
		case opCheck:
			fmt.Fprintf(b, "CHECK(x%d != %d);\n", s.x, s.k)
		case opDiffer:
			fmt.Fprintf(b, "CHECK(x%d != x%d || x%d == %d);\n", s.x, s.y, s.x, s.k)
		case opBreak:
			fmt.Fprintf(b, "if (nondet_int()) break;\n")
		case opIf:
			fmt.Fprintf(b, "if (x%d == %d) {\n", s.x, s.k)
			m.text(b, s.then)
			m.lines++
			b.WriteString("}\n")
		}
	}
}

// run lists the states that a state can be in behind list, and those that leave the loop. It notes the lines of
// checks that fail.
func (m *machine) run(list []statement, states map[string]bool, failed map[int]bool) (next, left map[string]bool) {
	left = map[string]bool{}
	for i := range list {
		s := &list[i]
		next = map[string]bool{}
		for st := range states {
			at := func(v int) int { return int(st[v] - '0') }
			with := func(k int) string { return st[:s.x] + string(rune('0'+k)) + st[s.x+1:] }
			switch s.op {
			case opMove:
				next[with((at(s.y)+s.k)%m.size)] = true
			case opInput:
				for k := range m.size {
					next[with(k)] = true
				}
			case opCheck, opDiffer:
				if s.op == opCheck && at(s.x) == s.k || s.op == opDiffer && at(s.x) == at(s.y) && at(s.x) != s.k {
					failed[s.line] = true
				} else {
					next[st] = true
				}
			case opBreak:
				next[st], left[st] = true, true
			case opIf:
				if at(s.x) != s.k {
					next[st] = true
					continue
				}
				n, l := m.run(s.then, map[string]bool{st: true}, failed)
				for x := range n {
					next[x] = true
				}
				for x := range l {
					left[x] = true
				}
			}
		}
		states = next
	}
	return states, left
}

// TestSeveralTurnsOfRandomMachines: no assertion is proved that fails in some state that can be reached.
func TestSeveralTurnsOfRandomMachines(t *testing.T) {
	seeds := testprogram.Sample(60, 12)
	proved, wrong, beyond := 0, 0, 0
	for seed := range seeds {
		r := rand.New(rand.NewSource(int64(seed)))
		m := &machine{size: 3 + r.Intn(3), vars: 3 + r.Intn(2)}
		m.body = m.random(r, 5+r.Intn(4), 1)
		for _, s := range m.random(r, 3, 0) {
			if s.op != opBreak {
				m.end = append(m.end, s)
			}
		}
		src, failed := m.program(r)
		mod := testprogram.Compile(t, src, "-O0")
		single := map[string]bool{}
		for k := 1; k <= 4; k++ {
			plain := k < 4 || seed%8 != 0
			p := inductTurns(testprogram.Within(t, 2*time.Second), volatileMemory(mod, verdict.Assert), k, plain)
			if p == nil {
				continue
			}
			for _, c := range p.Claims {
				if c.Check != verdict.Assert || !p.Holds[c.ID] {
					continue
				}
				if k == 1 {
					single[c.ID] = true
				}
				proved++
				if !single[c.ID] {
					beyond++
				}
				if failed[c.Pos.Line-testprogram.HeaderLines] {
					t.Errorf("seed %d: line %d is proved over %d turns, and fails:\n%s", seed, c.Pos.Line, k, src)
				}
			}
		}
		wrong += len(failed)
	}
	t.Logf("%d assertions fail, %d proofs, %d of them only over several turns", wrong, proved, beyond)
	if wrong < seeds/2 || proved < seeds || beyond < seeds/8 {
		t.Error("that shows little")
	}
}

// program returns the machine as C, and the lines of its checks that fail.
func (m *machine) program(r *rand.Rand) (src string, failed map[int]bool) {
	var b strings.Builder
	start := ""
	for range m.vars {
		start += fmt.Sprint(r.Intn(m.size))
	}
	b.WriteString("int main(void) {\n")
	m.lines = 1
	for v := range m.vars {
		m.lines++
		fmt.Fprintf(&b, "unsigned x%d = %c;\n", v, start[v])
	}
	m.lines++
	b.WriteString("while (1) {\n")
	m.text(&b, m.body)
	m.lines++
	b.WriteString("}\n")
	m.text(&b, m.end)
	b.WriteString("}\n")
	failed = map[int]bool{}
	seen, left := map[string]bool{}, map[string]bool{}
	for work := []string{start}; len(work) > 0; work = work[1:] {
		if seen[work[0]] {
			continue
		}
		seen[work[0]] = true
		next, out := m.run(m.body, map[string]bool{work[0]: true}, failed)
		for st := range next {
			work = append(work, st)
		}
		for st := range out {
			left[st] = true
		}
	}
	m.run(m.end, left, failed)
	return b.String(), failed
}

package claims

import (
	"strings"
	"testing"

	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/problem"
	"github.com/firmproof/firmproof/verifier/testprogram"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// sites is a program with its claims, by the line of the program that they stand in.
type sites struct {
	*problem.Problem
	lines map[int][]ir.At
	ids   map[ir.At]string
}

func sitesOf(t *testing.T, m *ir.Module, checks ...verdict.Check) *sites {
	t.Helper()
	s := &sites{Problem: testprogram.Problem(m, "main", checks...), lines: map[int][]ir.At{}}
	s.ids = ClaimIDs(s.Problem)
	for at := range s.ids {
		n := at.Instr.Pos.Line - testprogram.HeaderLines
		s.lines[n] = append(s.lines[n], at)
	}
	return s
}

// at returns the claim of a line, which has one.
func (s *sites) at(t *testing.T, n int) (ir.At, verdict.Claim) {
	t.Helper()
	if len(s.lines[n]) != 1 {
		t.Fatalf("line %d has %d claims", n, len(s.lines[n]))
	}
	at := s.lines[n][0]
	return at, verdict.Claim{ID: s.ids[at], Check: at.Check, Pos: verdict.Pos{File: "main.c", Line: n}}
}

const dividing = `int a, b, c;
int main(void) {
int x = a / b;
if (x) return x / c;
int y = b / a;
return y / x; }
int other(void) { return a / c; }
`

// A claim that holds is marked with the violations that an execution may come to before it, and with no others.
func TestMarkAfter(t *testing.T) {
	s := sitesOf(t, testprogram.Compile(t, dividing, "-O0"), verdict.DivByZero)
	for _, c := range []struct {
		bad  int
		want []int // of lines 3 to 6 those behind
	}{{3, []int{4, 5, 6}}, {4, nil}, {5, []int{6}}, {6, nil}} {
		res := &verdict.Result{}
		for n := 3; n <= 6; n++ {
			_, claim := s.at(t, n)
			fact := verdict.Always
			if n == c.bad {
				fact = verdict.Ran
			}
			res.Claims = append(res.Claims, claim.Learned(fact))
		}
		_, unknown := s.at(t, 6)
		bound := verdict.Claim{ID: "u", Check: verdict.Unwinding}.Learned(verdict.Always)
		res.Claims = append(res.Claims, unknown.Learned(verdict.Undecided), bound)
		MarkAfter(s.Problem, res)
		for i, claim := range res.Claims {
			want := ""
			for _, n := range c.want {
				if i < 4 && claim.Pos.Line == n {
					want = res.Claims[c.bad-3].ID
				}
			}
			if got := strings.Join(claim.After, " "); got != want {
				t.Errorf("past line %d, the claim of line %d (%s) is after %q, want %q", c.bad, claim.Pos.Line, claim.Status, got, want)
			}
		}
	}
}

// Nothing is before an access of a whole variable of a function, and checks of whole runs end no execution.
func TestAfterOfPlain(t *testing.T) {
	m := testprogram.Compile(t, `int g; int main(void) {
int n = g, a[2];
a[n & 1] = n;
return n; }`, "-O0")
	s := sitesOf(t, m, verdict.Memory)
	plain, others := 0, 0
	for at := range s.ids {
		c := verdict.Claim{ID: s.ids[at], Check: at.Check}
		local := false
		if a, is := at.Instr.Args[len(at.Instr.Args)-1].(*ir.Instr); is {
			local = a.Op == ir.OpAlloca
		}
		if local {
			plain++
		} else {
			others++
		}
		if isAfter(&c, at.Instr, nil) == local {
			t.Errorf("%s: local %t", c.ID, local)
		}
		if c.Check = verdict.SignedOverflow; !isAfter(&c, at.Instr, nil) {
			t.Errorf("%s is about more than memory", c.ID)
		}
	}
	if plain == 0 || others == 0 {
		t.Errorf("%d of variables, %d others", plain, others)
	}
	if !isAfter(&verdict.Claim{Check: verdict.Memory}, nil, nil) || isAfter(&verdict.Claim{Check: verdict.Unwinding}, nil, nil) {
		t.Error("a claim without a place may be anywhere, a bound is of no place")
	}
	for _, c := range []verdict.Check{verdict.Termination, verdict.ComplexityBound, verdict.Unwinding, verdict.Leak, verdict.Stack} {
		if goesBefore(c) {
			t.Errorf("%s goes before", c)
		}
	}
	if !goesBefore(verdict.Memory) || !goesBefore(verdict.Assert) {
		t.Error("memory and assertions go before others")
	}
}

// What executions come to past a violation that depends on variables without a definition is not proved.
func TestLeaveBehind(t *testing.T) {
	s := sitesOf(t, testprogram.Compile(t, dividing, "-O0"), verdict.DivByZero)
	for _, c := range []struct {
		name      string
		undefined []string
		check     verdict.Check // of the violation
		fact      verdict.Fact
		want      string // of lines 3 to 6, a claim without a place and a bound
	}{
		{"a variable", []string{"b"}, verdict.DivByZero, verdict.Ran, "proved proved violated unknown unknown proved"},
		{"none", nil, verdict.DivByZero, verdict.Ran, "proved proved violated proved proved proved"},
		{"one that wraps", []string{"b"}, verdict.SignedOverflow, verdict.Ran, "proved proved violated proved proved proved"},
		{"no violation", []string{"b"}, verdict.DivByZero, verdict.Always, "proved proved proved proved proved proved"},
	} {
		res, found := &verdict.Result{}, Violations{}
		for n := 3; n <= 6; n++ {
			at, claim := s.at(t, n)
			fact := verdict.Always
			if n == 5 {
				fact, claim.Undefined, claim.Check = c.fact, c.undefined, c.check
				found[claim.ID] = &problem.Settled{Claim: claim, At: at}
			}
			res.Claims = append(res.Claims, claim.Learned(fact))
		}
		res.Claims = append(res.Claims, verdict.Claim{ID: "nowhere", Check: verdict.Leak}.Learned(verdict.Always),
			verdict.Claim{ID: "u", Check: verdict.Unwinding}.Learned(verdict.Always))
		LeaveBehind(s.Problem, found, res)
		var got []string
		for _, claim := range res.Claims {
			got = append(got, claim.Status.String())
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// A claim that no execution comes to stands behind the violation that is nearest before it, where one ends what comes there.
func TestShadows(t *testing.T) {
	s := sitesOf(t, testprogram.Compile(t, dividing, "-O0"), verdict.DivByZero)
	first, a := s.at(t, 3)
	third, b := s.at(t, 5)
	last, c := s.at(t, 6)
	way, _ := s.at(t, 4) // on the other branch
	_, elsewhere := s.at(t, 7)
	settled := []*problem.Settled{{Claim: a.Learned(verdict.Ran), At: first}, {Claim: b.Learned(verdict.Ran), At: third}}
	if settled[0].ID > settled[1].ID {
		settled[0], settled[1] = settled[1], settled[0]
	}
	for _, x := range []struct {
		name string
		u    problem.Unwinding
		c    problem.Unwound
		want string
	}{
		{"one that is reached", problem.Unwinding{}, problem.Unwound{At: last, Reach: problem.Reached, Blocked: true}, ""},
		{"nobody knows", problem.Unwinding{}, problem.Unwound{At: last, Blocked: true}, ""},
		{"without a place", problem.Unwinding{}, problem.Unwound{Reach: problem.Unreached, Blocked: true}, ""},
		{"blocked", problem.Unwinding{}, problem.Unwound{At: last, Reach: problem.Unreached, Blocked: true}, b.ID},
		{"blocked on another way", problem.Unwinding{}, problem.Unwound{At: way, Reach: problem.Unreached, Blocked: true}, a.ID},
		{"dead", problem.Unwinding{}, problem.Unwound{At: last, Reach: problem.Unreached, Dead: true}, ""},
		{"dead behind a stop", problem.Unwinding{Stops: map[ir.At]bool{first: true}},
			problem.Unwound{At: last, Reach: problem.Unreached, Dead: true}, a.ID},
		{"not dead behind a stop", problem.Unwinding{Stops: map[ir.At]bool{first: true}},
			problem.Unwound{At: last, Reach: problem.Unreached}, ""},
		{"behind a dead end", problem.Unwinding{DeadEnds: map[ir.At][]*ir.Instr{third: {third.Instr}}},
			problem.Unwound{At: last, Reach: problem.Unreached}, b.ID},
		{"before a dead end", problem.Unwinding{DeadEnds: map[ir.At][]*ir.Instr{third: {third.Instr}}},
			problem.Unwound{At: way, Reach: problem.Unreached}, ""},
		{"behind the end of one call", problem.Unwinding{PartEnds: map[ir.At][]*ir.Instr{third: {third.Instr}}},
			problem.Unwound{At: last, Reach: problem.Unreached}, b.ID},
		{"dead behind the end of one call", problem.Unwinding{PartEnds: map[ir.At][]*ir.Instr{third: {third.Instr}}},
			problem.Unwound{At: last, Reach: problem.Unreached, Dead: true}, b.ID},
		{"what the compiler takes for unreachable", problem.Unwinding{PartEnds: map[ir.At][]*ir.Instr{third: {third.Instr}}},
			problem.Unwound{Claim: verdict.Claim{Check: verdict.Unreachable}, At: last, Reach: problem.Unreached, Dead: true}, ""},
	} {
		if x.c.Check == "" {
			x.c.Claim = c
		}
		got := ""
		if v := newShadows(s.Problem, &x.u, settled).by(x.c); v != nil {
			got = v.ID
		}
		if got != x.want {
			t.Errorf("%s: %q, want %q", x.name, got, x.want)
		}
	}
	h := newShadows(s.Problem, &problem.Unwinding{Stops: map[ir.At]bool{first: true}}, settled)
	seen := map[string]bool{a.ID: true, b.ID: true}
	if got := h.elsewhere(seen); len(got) != 2 || got[0].Behind != a.ID || got[0].Status != verdict.Unknown {
		t.Errorf("elsewhere: %s, want those of lines 4 and 6, not %s", line(got), elsewhere.ID)
	}
	if got := newShadows(s.Problem, &problem.Unwinding{}, settled).elsewhere(nil); got != nil {
		t.Errorf("elsewhere, where nothing ends: %s", line(got))
	}
}

// An index that the compiler's check refuses, and the access with it, are one finding.
func TestJoinIndexes(t *testing.T) {
	for _, c := range []struct {
		name, src string
		back      bool // the access was taken back
	}{
		{"the same index", "int a[4], k;\nint main(void) { return a[k]++; }", false},
		{"a wider one", "int a[4]; unsigned char k;\nint main(void) { return a[k]++; }", false},
		{"an access that was taken back", "int a[4], k;\nint main(void) { return a[k]++; }", true},
	} {
		m := testprogram.Trapping(t, c.src)
		s := sitesOf(t, m, verdict.Memory)
		a, res := problem.NewAnswers(), &verdict.Result{}
		access := map[string]bool{}
		for at, id := range s.ids {
			trap := at.Instr.Op == ir.OpTrap
			if !trap && accessIndex(at.Instr) == nil {
				continue
			}
			claim := verdict.Claim{ID: id, Check: at.Check, Pos: verdict.Pos{Line: 2}}.Learned(verdict.Ran)
			a.Settle(&problem.Settled{Claim: claim, At: at})
			res.Claims = append(res.Claims, claim)
			if access[id] = !trap; c.back && !trap {
				res.Claims[len(res.Claims)-1].Learn(verdict.Withdrawn)
			}
		}
		held := verdict.Claim{ID: "other", Check: verdict.Memory}.Learned(verdict.Always)
		res.Claims = append(res.Claims, held)
		JoinIndexes(a, res)
		violated, behind := 0, 0
		for _, claim := range res.Claims {
			switch {
			case claim.Status == verdict.Violated && !access[claim.ID]:
				violated++
			case claim.Behind != "" && access[claim.ID] && claim.Status == verdict.Unknown:
				behind++
			case c.back && access[claim.ID] && claim.Behind == "":
			case claim.ID != "other" || claim.Status != verdict.Proved:
				t.Errorf("%s: %s is %s", c.name, claim.ID, claim.Status)
			}
		}
		if violated != 1 || (behind == 0) != c.back {
			t.Errorf("%s: %s", c.name, line(res.Claims))
		}
	}
}

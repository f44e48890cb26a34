package change

import (
	"fmt"
	"strings"
	"testing"

	"github.com/firmproof/firmproof/verifier/harness"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/testprogram"
	"github.com/firmproof/firmproof/verifier/verdict"
	"github.com/firmproof/firmproof/verifier/weave/pair"
)

// facts of the pair of TestDecide, by kind; a claim about one stands at a place of its number.
var kinds = []pair.FactKind{pair.FactResult, pair.FactMemory, pair.FactPointer, pair.FactEvent, pair.FactEvents, pair.FactCapacity,
	pair.FactEnd, pair.FactStart, pair.FactSize, pair.FactSeen, pair.FactTurn}

func aboutFact(kind pair.FactKind, c verdict.Check, f verdict.Fact) verdict.Claim {
	for i, k := range kinds {
		if k == kind {
			return verdict.Claim{ID: fmt.Sprint("fact", kind), Check: c, Pos: verdict.Pos{Function: fmt.Sprint("firmproof.fact.", i)},
				Reason: &verdict.Reason{}}.Learned(f)
		}
	}
	return verdict.Claim{}
}

// What the claims about a pair of calls say of both versions: the same only where all that is compared is proved, an
// execution comes to the end of the comparison, and both end.
func TestDecide(t *testing.T) {
	of := func(function string, c verdict.Check, f verdict.Fact) verdict.Claim {
		return verdict.Claim{ID: function + string(c), Check: c, Pos: verdict.Pos{Function: function}, Reason: &verdict.Reason{}}.Learned(f)
	}
	end := aboutFact(pair.FactEnd, verdict.Assert, verdict.Ran)
	ends := of("main", verdict.Termination, verdict.Always)
	result := aboutFact(pair.FactResult, verdict.Assert, verdict.Always)
	guess := verdict.Assume("n", verdict.Extent, verdict.Chosen, "n leads to 4")
	behind := of("f", verdict.Memory, verdict.Behind)
	behind.Behind, behind.Reason = pair.OldPrefix+"f"+string(verdict.Memory), &verdict.Reason{Kind: verdict.Shadowed}
	full := behind
	full.Behind = aboutFact(pair.FactCapacity, verdict.Assert, verdict.Ran).ID
	rests := of("f", verdict.Memory, verdict.Always|verdict.Guessed)
	rests.Assumptions = []string{guess.ID}
	sized := of("f", verdict.Memory, verdict.Ran)
	sized.Failure = &verdict.Failure{Kind: verdict.OutOfBounds, Of: []verdict.Subject{{Name: "n", Maker: verdict.ByHarness}}}
	oldHarness := sized
	oldHarness.Pos.Function, oldHarness.ID = pair.OldPrefix+"f", pair.OldPrefix+"f"+string(verdict.Memory)
	returned := of("f", verdict.Termination, verdict.Ran)
	returned.Trace = []verdict.Step{{Kind: verdict.StepCall, Depth: 1}, {Kind: verdict.StepCall, Depth: 2}, {Kind: verdict.StepCall, Depth: 1}}
	never := returned
	never.Trace = returned.Trace[1:]
	for _, c := range []struct {
		name   string
		claims []verdict.Claim
		paired pair.Paired
		reason *verdict.Reason // of the answer
		want   verdict.Sameness
		note   string // the kind of difference, or of a limit or reason, in part
		more   bool
	}{
		{"all is proved", []verdict.Claim{result, end, ends}, pair.Paired{}, nil, verdict.Same, "", false},
		{"nothing comes to the end", []verdict.Claim{result, ends, aboutFact(pair.FactEnd, verdict.Assert, verdict.Always)}, pair.Paired{}, nil, verdict.SameOpen, "comes to the end", false},
		{"the end of something else", []verdict.Claim{result, ends, aboutFact(pair.FactEnd, verdict.Memory, verdict.Ran)}, pair.Paired{}, nil, verdict.SameOpen, "never written", false},
		{"nobody knows whether they end", []verdict.Claim{result, end}, pair.Paired{}, nil, verdict.SameOpen, "that they end", false},
		{"a time is over", []verdict.Claim{result, end, ends}, pair.Paired{}, &verdict.Reason{Kind: verdict.TimedOut}, verdict.SameOpen, "", false},
		{"a bound", []verdict.Claim{result, end, ends, of("f", verdict.Unwinding, verdict.Within)}, pair.Paired{}, nil, verdict.SameBounded, "", true},
		{"within a bound", []verdict.Claim{aboutFact(pair.FactResult, verdict.Assert, verdict.Within), end, ends}, pair.Paired{}, nil, verdict.SameBounded, "", true},
		{"under a guess", []verdict.Claim{rests, end, ends}, pair.Paired{}, nil, verdict.SameBounded, "", false},
		{"what is left out", []verdict.Claim{result, end, ends}, pair.Paired{Limits: []string{"left out"}}, nil, verdict.SameBounded, "left out", false},
		{"few elements", []verdict.Claim{result, end, ends, of(pair.OldPrefix+"f", verdict.Memory, verdict.Within)}, pair.Paired{Few: true}, nil, verdict.SameBounded, "is a guess", false},
		{"few elements, and numbers", []verdict.Claim{result, end, ends, of(pair.OldPrefix+"f", verdict.SignedOverflow, verdict.Within)}, pair.Paired{Few: true}, nil, verdict.Same, "", false},
		{"few elements, and all is proved", []verdict.Claim{result, end, ends, of(pair.OldPrefix+"f", verdict.Memory, verdict.Always)}, pair.Paired{Few: true}, nil, verdict.Same, "", false},
		{"another result", []verdict.Claim{aboutFact(pair.FactResult, verdict.Assert, verdict.Ran), end, ends}, pair.Paired{}, nil, verdict.Differs, "result", false},
		{"other memory", []verdict.Claim{aboutFact(pair.FactMemory, verdict.Assert, verdict.Ran), end, ends}, pair.Paired{}, nil, verdict.Differs, "memory", false},
		{"another event", []verdict.Claim{aboutFact(pair.FactEvent, verdict.Assert, verdict.Ran), end, ends}, pair.Paired{}, nil, verdict.Differs, "event", false},
		{"an event less", []verdict.Claim{aboutFact(pair.FactEvents, verdict.Assert, verdict.Ran), end, ends}, pair.Paired{}, nil, verdict.Differs, "event", false},
		{"a result that is open", []verdict.Claim{aboutFact(pair.FactResult, verdict.Assert, verdict.Undecided), end, ends}, pair.Paired{}, nil, verdict.SameOpen, "", false},
		{"a result that was never written", []verdict.Claim{aboutFact(pair.FactResult, verdict.Uninitialised, verdict.Ran), end, ends}, pair.Paired{}, nil, verdict.SameOpen, "never written", false},
		{"a pointer", []verdict.Claim{aboutFact(pair.FactPointer, verdict.Assert, verdict.Ran), end, ends}, pair.Paired{}, nil, verdict.SameOpen, "only one version has", false},
		{"a smaller variable", []verdict.Claim{aboutFact(pair.FactSize, verdict.Assert, verdict.Ran), end, ends}, pair.Paired{}, nil, verdict.SameOpen, "smaller variable", false},
		{"turns apart", []verdict.Claim{aboutFact(pair.FactTurn, verdict.Assert, verdict.Ran), end, ends}, pair.Paired{}, nil, verdict.SameOpen, "turn together", false},
		{"more events than fit", []verdict.Claim{result, aboutFact(pair.FactCapacity, verdict.Assert, verdict.Ran), end, ends}, pair.Paired{}, nil, verdict.SameBounded, "compared up to", true},
		{"behind more events than fit", []verdict.Claim{result, aboutFact(pair.FactCapacity, verdict.Assert, verdict.Ran), full, end, ends}, pair.Paired{}, nil, verdict.SameBounded, "compared up to", true},
		{"what others may read", []verdict.Claim{result, aboutFact(pair.FactSeen, verdict.Assert, verdict.Ran), end, ends}, pair.Paired{}, nil, verdict.SameBounded, "may read of", true},
		{"what others may read, that is open", []verdict.Claim{result, aboutFact(pair.FactSeen, verdict.Assert, verdict.Undecided), end, ends}, pair.Paired{}, nil, verdict.SameBounded, "may read of", true},
		{"what others may read is the same", []verdict.Claim{result, aboutFact(pair.FactSeen, verdict.Assert, verdict.Always), end, ends}, pair.Paired{}, nil, verdict.Same, "", false},
		{"before a pointer", []verdict.Claim{result, aboutFact(pair.FactStart, verdict.Assert, verdict.Ran), end, ends}, pair.Paired{}, nil, verdict.SameBounded, "", true},
		{"not before a pointer", []verdict.Claim{result, aboutFact(pair.FactStart, verdict.Assert, verdict.Always), end, ends}, pair.Paired{}, nil, verdict.Same, "", false},
		{"a check of the new version", []verdict.Claim{result, end, ends, of("f", verdict.Memory, verdict.Ran)}, pair.Paired{}, nil, verdict.Differs, "check", false},
		{"one of a guessed size", []verdict.Claim{result, end, ends, sized}, pair.Paired{Harnessed: guessed("n")}, nil, verdict.SameOpen, "is a guess", false},
		{"one of another size", []verdict.Claim{result, end, ends, sized}, pair.Paired{}, nil, verdict.Differs, "check", false},
		{"a check of the old version", []verdict.Claim{result, end, ends, of(pair.OldPrefix+"f", verdict.Memory, verdict.Ran)}, pair.Paired{}, nil, verdict.Same, "excused", false},
		{"one of the old version of a guessed size", []verdict.Claim{result, end, ends, oldHarness}, pair.Paired{Harnessed: guessed("n")}, nil, verdict.SameBounded, "excused", false},
		{"behind one of the old version", []verdict.Claim{result, end, ends, of(pair.OldPrefix+"f", verdict.Memory, verdict.Ran), behind}, pair.Paired{}, nil, verdict.SameBounded, "excused", true},
		{"behind nothing", []verdict.Claim{result, end, ends, behind}, pair.Paired{}, nil, verdict.SameOpen, "", false},
		{"a check of the new version that is open", []verdict.Claim{result, end, ends, of("f", verdict.Memory, verdict.Undecided)}, pair.Paired{}, nil, verdict.SameOpen, "", false},
		{"the new version never ends", []verdict.Claim{result, end, returned}, pair.Paired{}, nil, verdict.Differs, "check", false},
		{"the old version never ends", []verdict.Claim{result, end, never}, pair.Paired{}, nil, verdict.SameOpen, "never ends", false},
	} {
		for _, k := range kinds {
			c.paired.Facts = append(c.paired.Facts, pair.Fact{Kind: k, Name: "it"})
		}
		out := &verdict.Comparison{}
		x := &comparing{out: out, pair: &c.paired, res: &verdict.Result{Claims: c.claims, Reason: c.reason}}
		x.decide()
		said := fmt.Sprint(out.Limits)
		if out.Reason != nil {
			said += out.Reason.Detail
		}
		for _, d := range out.Differences {
			said += fmt.Sprint(" ", d.Kind)
		}
		if len(out.Excused) > 0 {
			said += " excused"
		}
		if out.Status != c.want || !strings.Contains(said, c.note) || x.more != c.more && c.want != verdict.Differs && c.want != verdict.SameOpen {
			t.Errorf("%s: %s, more %t, %s; want %s, more %t, %s", c.name, out.Status, x.more, said, c.want, c.more, c.note)
		}
	}
}

func guessed(name string) (out harness.Harnessed) {
	out.Guesses = []string{name}
	return out
}

// The results of both calls are in the order of a trace, those of the outermost calls.
func TestResults(t *testing.T) {
	old, now := results([]verdict.Step{{Kind: verdict.StepReturn, Depth: 1, Value: "7"}, {Kind: verdict.StepReturn, Value: "1"},
		{Kind: verdict.StepCall, Value: "8"}, {Kind: verdict.StepReturn, Value: "2"}, {Kind: verdict.StepReturn, Value: "3"}})
	if old != "1" || now != "2" {
		t.Errorf("%q and %q", old, now)
	}
}

// How both are called is in the words of a proof.
func TestWords(t *testing.T) {
	for by, want := range map[form]string{{}: "f, both versions", {turns: true}: "f, both versions turn by turn",
		{take: true}: "f, both versions, but for what both call", {callee: true}: "f, both versions, for those that call it"} {
		if got := by.words("f"); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// Of two lists of instructions, those are given that are not in a longest common sequence.
func TestUncommon(t *testing.T) {
	m := testprogram.Compile(t, `int a, b, c;
int f(int x) { a = x + 1; b = x * 3; c = x - 5; return x; }
int g(int x) { a = x + 1; c = x - 5; b = x * 3; return x; }
int h(int x) { a = x + 1; b = x * 3; c = x - 5; return x; }
int k(int x) { return x; }
int l(int x) { a = x + 1; b = x * 4; c = x - 5; return x; }`, "-O1")
	ops := func(x, y string) string {
		var out []string
		for _, in := range uncommon(instrsOf(m.Func(x)), instrsOf(m.Func(y))) {
			out = append(out, in.Op.String())
		}
		return strings.Join(out, " ")
	}
	for both, want := range map[string]string{
		"f h": "", "f f": "", "f g": "mul store mul store", "g f": "add store add store",
		"f k": "add store mul store add store", "k f": "add store mul store add store", "f l": "mul store shl store",
	} {
		x, y, _ := strings.Cut(both, " ")
		if got := ops(x, y); got != want {
			t.Errorf("%s: %q, want %q", both, got, want)
		}
	}
	if got := uncommon(nil, []*ir.Instr{m.Func("k").Blocks[0].Instrs[0]}); len(got) != 1 {
		t.Errorf("%d beside nothing", len(got))
	}
}

package claims

import (
	"fmt"

	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/verdict"
	"github.com/firmproof/firmproof/verifier/weave"
)

// ByCompiler is the certificate of what the compiler found while it evaluated a
// constant expression.
const ByCompiler = "the compiler's own evaluation"

// FoldedClaims returns what the compiler found undefined in the constant expressions
// of the program's part at hand. Translation evaluates them, whatever is executed
// (C17 6.6p4): there is nothing to replay.
func FoldedClaims(m *ir.Module, entry *ir.Func, checks verdict.CheckSet) []verdict.Claim {
	var out []verdict.Claim
	seen := map[verdict.Pos]bool{}
	add := func(name string, fs []ir.Folded) {
		n := map[verdict.Check]int{}
		for _, f := range fs {
			n[f.Check]++
			if !checks.Has(f.Check) || seen[f.Pos] {
				continue
			}
			seen[f.Pos] = true
			c := verdict.Claim{ID: fmt.Sprintf("%s@%s#constant%d", f.Check, name, n[f.Check]),
				Check:   f.Check,
				Message: f.Message, Pos: f.Pos, Replay: verdict.NotRun,
				Certificate: &verdict.Certificate{Method: ByCompiler}}
			found := verdict.Ran
			if f.Undecided {
				c.Certificate, found = nil, verdict.Undecided
				c.Reason = &verdict.Reason{Kind: verdict.Unsupported, Detail: f.Message, Pos: &f.Pos}
			}
			out = append(out, c.Learned(found))
		}
	}
	part := m.Slice(entry, true)
	for _, g := range part.Globals {
		add(g.Name, g.Folded)
	}
	for _, f := range part.Funcs {
		add(f.CName, f.Folded)
	}
	return out
}

// AssumedOf lists what C leaves open and the functions that entry may reach rest on.
func AssumedOf(m *ir.Module, entry *ir.Func) (out []verdict.Assumption) {
	for _, f := range m.Slice(entry, true).Funcs {
		for _, text := range f.Assumed {
			out = append(out, verdict.Assume(f.CName, verdict.Meaning, verdict.Read, text))
		}
		for _, text := range f.Chosen {
			out = append(out, ir.ChosenIn(f, text))
		}
		for _, b := range f.Blocks {
			for _, in := range b.Instrs {
				if at, is := weave.UndeclaredOf(m, in); is {
					out = verdict.AddAssumptions(out, at)
				}
			}
		}
	}
	if symbolsMeet(m.Slice(entry, true)) {
		out = append(out, symbolsDiffer)
	}
	return out
}

// symbolsDiffer is assumed of each two variables that are declared and not defined, of which two may be symbols of the
// linker for one address: the ends of a section that is empty.
var symbolsDiffer = verdict.Assume("", verdict.Meaning, verdict.Chosen,
	"symbols that the linker provides have different addresses")

// symbolsMeet reports whether m does more with the addresses of two such variables than to access them.
func symbolsMeet(m ir.Slice) bool {
	handed := map[*ir.Global]bool{}
	note := func(g *ir.Global) {
		if g.Extern {
			handed[g] = true
		}
	}
	for _, g := range m.Globals {
		ir.EachAddress(g.Init, note)
	}
	for _, f := range m.Funcs {
		into := ir.AddressesIn(f)
		for _, b := range f.Blocks {
			for _, in := range b.Instrs {
				for i, v := range in.Args {
					if in.Op == ir.OpGep || in.Op == ir.OpBitcast || ir.Accessed(in, i) {
						continue
					}
					if g := into(v); g != nil {
						note(g)
					} else if c, ok := v.(*ir.Const); ok {
						ir.EachAddress(c, note)
					}
				}
			}
		}
	}
	return len(handed) > 1
}

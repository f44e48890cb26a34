package verifier

import (
	"slices"
	"strings"

	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/policy"
	"github.com/firmproof/firmproof/verifier/verdict"
	"github.com/firmproof/firmproof/verifier/weave"
	"github.com/firmproof/firmproof/verifier/weave/irbuild"
)

// A generated harness keeps what pointers lead to apart, passes no null where only what it calls asks for it, lets no handler
// of interrupts run meanwhile, has reads of volatile variables give what the program stores there, or what the function itself
// left there, and takes weak functions as they are, which are guesses. The entry in which pointers may lead to one place
// (harness.Program.Overlapping), with null wherever the program asks for it, reads of variables that give any value each time,
// and stubs for weak functions, does without: what holds there, too, holds.

// unguessed is the entry that does without these guesses.
func unguessed() form {
	null := map[string]string{} // by ID: pointers that are not null, of which the program asks whether they are
	return form{
		open: func(_ *Plan, res *verdict.Result) func(*verdict.Claim) bool {
			for i := range res.Assumptions {
				if a := &res.Assumptions[i]; a.MayBeNull() {
					null[a.ID] = a.Subject
				}
			}
			return restsOnAny(res)
		},
		build: func(m *ir.Module, plan *Plan) *built {
			other := true
			switch o := plan.Overlap; {
			case o != nil:
				*plan = plan.Beside(o.Entry, o.Assumptions, o.Open)
			case plan.Calls != nil && plan.Calls.AnyState != "":
				*plan = plan.Beside(plan.Calls.AnyState, plan.Calls.AnyStateAssumptions, plan.Open)
			default:
				other = false
			}
			plan.Calls = nil
			loud := unquiet(m, plan, null)
			if loud == nil || loud == m && !other {
				return nil
			}
			return &built{module: loud, round: policy.WiderRounds}
		},
		take: takeWithout(restsOnAny),
	}
}

// anyReads is the form that does without one of these guesses alone: that volatile variables hold what the program stores
// there, and others do not.
func anyReads() form {
	rests := restsOn((*verdict.Assumption).ReadsStored)
	return form{
		open: func(_ *Plan, res *verdict.Result) func(*verdict.Claim) bool { return rests(res) },
		build: func(m *ir.Module, plan *Plan) *built {
			ids := map[string]bool{}
			for _, a := range plan.Assumptions {
				if a.Guessed() && a.ReadsStored() {
					ids[a.ID] = true
				}
			}
			out := ownPart(m, plan)
			if len(ids) == 0 || out == nil {
				return nil
			}
			readAny(out, ids)
			plan.Calls = nil
			plan.Assumptions = slices.DeleteFunc(slices.Clone(plan.Assumptions), func(a verdict.Assumption) bool { return ids[a.ID] })
			return &built{module: out, round: policy.WiderRounds}
		},
		take: takeWithout(rests),
	}
}

// takeWithout returns what gives claims of res that rest on such guesses the answers that more has without.
func takeWithout(rests func(*verdict.Result) func(*verdict.Claim) bool) func(res, more *verdict.Result, _ *built) {
	return func(res, more *verdict.Result, _ *built) {
		known := map[string]*verdict.Claim{}
		guessed := rests(more)
		for i := range more.Claims {
			if c := &more.Claims[i]; c.Status.Holds() && !guessed(c) {
				known[c.ID] = c
			}
		}
		guessed = rests(res)
		for i := range res.Claims {
			c := &res.Claims[i]
			k := known[c.ID]
			if k == nil || !guessed(c) || c.Known()&^k.Known()&verdict.Always != 0 || more.Adds(k, c) {
				continue
			}
			adopt(res, more, k, nil)
			*c = *k
		}
	}
}

// restsOnAny returns what reports a claim that holds if pointers lead to different places or are not null, no handler runs,
// the program, or one function, alone writes a volatile variable, or weak functions stay, for all that anybody says.
func restsOnAny(res *verdict.Result) func(*verdict.Claim) bool {
	return restsOn(func(a *verdict.Assumption) bool {
		return a.Relation == verdict.Apart || a.Relation == verdict.Quiet || a.ReadsOwn() || a.ReadsStored() ||
			a.MayBeReplaced() || a.MayBeNull()
	})(res)
}

// restsOn returns what reports a claim of a result that is conditional by such a guess.
func restsOn(such func(*verdict.Assumption) bool) func(*verdict.Result) func(*verdict.Claim) bool {
	return func(res *verdict.Result) func(*verdict.Claim) bool {
		return func(c *verdict.Claim) bool {
			return c.Status == verdict.Conditional && slices.ContainsFunc(res.RestsOn(c), func(a verdict.Assumption) bool {
				return a.Guessed() && such(&a)
			})
		}
	}
}

// unquiet returns the part of m that plan is about, in which reads of variables that others change give any number each
// time, as those of volatile ones do, whatever the program or the function stores there, weak functions do anything, and the
// pointers of null may be null; plan does without these assumptions then. Where there is nothing of that kind, it is m; nil:
// it cannot be copied.
func unquiet(m *ir.Module, plan *Plan, null map[string]string) *ir.Module {
	changed, own, weak := map[string]bool{}, map[string]bool{}, map[string]string{}
	for _, a := range plan.Assumptions {
		switch {
		case !a.Guessed() || plan.VolatileMemory:
		case a.Relation == verdict.Quiet:
			changed[a.Subject] = true
		case a.ReadsOwn(), a.ReadsStored():
			own[a.ID] = true
		case a.MayBeReplaced():
			weak[a.Subject] = weave.StubHavoc
		}
	}
	if len(changed)+len(own)+len(weak)+len(null) == 0 {
		return m
	}
	out := ownPart(m, plan)
	if out == nil {
		return nil
	}
	weave.OrNull(out, null)
	readAny(out, own)
	ends := ir.Endless(out)
	for name := range weak {
		if f := out.Func(name); f == nil || ends[f] {
			weak = nil
			break
		}
	}
	unquietBehind(out, changed)
	ofProgram := func(g *ir.Global) bool { return !g.Const && !strings.HasPrefix(g.Name, "firmproof") }
	reads := ir.NumbersRead(out)
	for _, g := range out.Globals {
		if _, numbers := reads[g]; ofProgram(g) && !numbers {
			delete(changed, g.Name)
			weak = nil // it may change that as well
		}
	}
	for g, loads := range reads {
		for _, in := range loads {
			if f := in.Block.Func; ofProgram(g) && (changed[g.Name] || len(weak) > 0) && !f.Made && !f.Driven() {
				in.Flags |= ir.Volatile
			}
		}
	}
	if _, _, err := weave.Stubs(out, weak, nil); err != nil {
		return nil
	}
	plan.Assumptions = slices.DeleteFunc(slices.Clone(plan.Assumptions), func(a verdict.Assumption) bool {
		return a.Relation == verdict.Quiet && changed[a.Subject] || a.MayBeReplaced() && weak[a.Subject] != "" ||
			own[a.ID] || null[a.ID] != ""
	})
	return out
}

// readAny has reads of volatile variables give any value each time, which bring one of the assumptions that the function finds
// what it left there, or the program stored.
func readAny(m *ir.Module, ids map[string]bool) {
	brought := func(id string) bool { return ids[id] }
	b := &irbuild.Builder{Module: m}
	for _, f := range m.Funcs {
		b.RewriteFunc(f, func(in *ir.Instr) {
			if slices.ContainsFunc(in.Assumes, brought) && (in.Op == ir.OpLoad || in.Model == ir.ModelKept) {
				in.Flags &^= ir.Sole
				if in.Model == ir.ModelKept {
					in.Args = []ir.Value{b.Or(in.Args[0], b.Int(ir.Int(1), 1))}
				}
				in.Assumes = slices.DeleteFunc(slices.Clone(in.Assumes), brought)
			}
			b.Keep(in)
		})
	}
}

// unquietBehind has reads through pointers give any number each time, where what one of them leads to is among what others
// change; it takes that away where the program does more with its pointers.
func unquietBehind(m *ir.Module, changed map[string]bool) {
	var behind []string
	for name := range changed {
		if !slices.ContainsFunc(m.Globals, func(g *ir.Global) bool { return g.Name == name }) {
			behind = append(behind, name)
		}
	}
	if len(behind) == 0 {
		return
	}
	loads, only := ir.NumbersBehind(m)
	if !only {
		for _, name := range behind {
			delete(changed, name)
		}
		return
	}
	for _, in := range loads {
		in.Flags |= ir.Volatile
	}
}

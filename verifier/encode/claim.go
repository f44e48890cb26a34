package encode

import (
	"fmt"
	"slices"

	"github.com/firmproof/firmproof/verifier/encode/memory"
	"github.com/firmproof/firmproof/verifier/ilr"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/unwind"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// failure is one way in which a claim fails, for Describe.
type failure struct {
	when  ilr.Term
	text  string
	value ilr.Term // shown in place of %s in text, as a signed number; 0 for none
	// it is one by an access before the start of its object, which Describe does not tell apart
	before bool
}

// Describe says which way c fails in the model of ev, in C terms; the general
// message when none of the known ways does.
func (c *Claim) Describe(ev *ilr.Evaluator) string {
	for _, f := range c.cases {
		if !ev.Holds(f.when) {
			continue
		}
		if f.value == 0 {
			return f.text
		}
		return fmt.Sprintf(f.text, ev.Value(f.value).Signed())
	}
	return c.Message
}

// addClaim records c. Of claims that plainly hold only the first of each ID is
// kept: it says that the check is there and was reached.
func (e *encoder) addClaim(c Claim) {
	if c.Unguarded == 0 {
		c.Unguarded = c.Violated
	}
	if c.Loose == 0 {
		c.Loose = c.Guard
	}
	if e.s.IsFalse(c.Violated) && e.seen[c.ID] {
		return
	}
	e.seen[c.ID] = true
	c.After, c.Reads = len(e.f.Sites), len(e.f.Reads)
	e.f.Claims = append(e.f.Claims, c)
}

// claim states msg: that bad does not hold when fr reaches in on st, and goes on
// where it does not (LL-92). A check that is not asked for ends the
// bad paths in silence when stop is set, and does nothing otherwise.
func (e *encoder) claim(fr *frame, st *memory.State, in *ir.Instr, check verdict.Check, bad ilr.Term, stop bool,
	msg string,
	cases ...failure) {
	if st.PC == nil {
		return
	}
	bad = e.Decide(st.PC, bad)
	at := ir.At{Instr: in, Check: check}
	if e.opts.Past[at] || e.s.IsFalse(bad) && !e.asks(in, check) {
		return
	}
	if e.s.IsFalse(bad) && e.claimed[at] {
		if e.f.Held[at] == nil {
			e.f.Held[at] = &Places{}
		}
		e.addPlace(e.f.Held[at], st)
		return
	}
	if !e.asks(in, check) {
		if stop {
			st.PC = e.And(st.PC, e.s.Not(bad))
		}
		return
	}
	if e.assumed {
		st.PC = e.Passed(st.PC, bad)
		return
	}
	e.claimed[at] = true
	var early ilr.Term
	if k := slices.IndexFunc(cases, func(f failure) bool { return f.before }); k >= 0 {
		early = cases[k].when
		cases = slices.Delete(cases, k, k+1)
	}
	c := Claim{ID: fr.info.id(in, check), Check: check, Pos: *in.Pos, Message: msg, Instr: in, Context: fr.context,
		Before: early,
		Guard:  st.PC.All, Loose: st.PC.Unguarded,
		Violated: e.s.And(st.PC.All, bad), Unguarded: e.s.And(st.PC.Unguarded, bad), cases: cases}
	e.addClaim(c)
	if st.PC = e.Passed(st.PC, bad); st.PC == nil {
		e.f.Stops[at] = true
	}
}

// claimNot is claim with the words for its failure that none of cases is about.
func (e *encoder) claimNot(fr *frame, st *memory.State, in *ir.Instr, check verdict.Check, bad ilr.Term, stop bool,
	fails string,
	cases ...failure) {
	e.claim(fr, st, in, check, bad, stop, check.Of().Holds, append(cases, failure{when: e.s.True(), text: fails})...)
}

// asks reports whether the check is claimed at in.
func (e *encoder) asks(in *ir.Instr, check verdict.Check) bool {
	return e.opts.Checks.Has(check) && !e.opts.Past[ir.At{Instr: in, Check: check}] && !silent(in, check)
}

// NeverReached is the message of claims that nothing reached.
const NeverReached = "never reached"

// deadClaims lists what nothing reached, in functions that were entered.
func (e *encoder) deadClaims() {
	for _, f := range e.m.Funcs {
		info := e.infos[f]
		if info == nil {
			continue
		}
		for _, b := range f.Blocks {
			for _, in := range b.Instrs {
				for _, c := range claimedAt(in, e.opts.Checks, e.opts.Leaks) {
					id := info.id(in, c)
					if e.opts.Checks.Has(c) && !e.seen[id] && !ofCaller(in, c, e.opts.Leaks) {
						e.seen[id] = true
						e.f.Dead = append(e.f.Dead, Claim{ID: id, Check: c, Pos: *in.Pos, Message: NeverReached,
							Instr: in, Guard: e.s.False(), Loose: e.s.False(), Violated: e.s.False(),
							Unguarded: e.s.False()})
					}
				}
			}
		}
	}
}

// ListClaims lists the claims of the functions that visited holds a block of,
// without a walk: Guard and Violated are 0.
func ListClaims(m *ir.Module, checks verdict.CheckSet, leaks ir.LeakRule, visited func(*ir.Block) bool) []Claim {
	var out []Claim
	outermost := ir.Outermost(m)
	for _, f := range m.Funcs {
		if !slices.ContainsFunc(f.Blocks, visited) {
			continue
		}
		info := newInfo(f, unwind.Analyse(f))
		for _, b := range f.Blocks {
			for _, in := range b.Instrs {
				for _, c := range claimedAt(in, checks, leaks) {
					if checks.Has(c) && (outermost[f] || !ofCaller(in, c, leaks)) {
						out = append(out, Claim{ID: info.id(in, c), Check: c, Pos: *in.Pos, Message: c.Of().Holds,
							Instr: in})
					}
				}
			}
		}
	}
	return out
}

// contextOf is the call chain of an activation; only the two ends of a long one.
func contextOf(up *frame, call *ir.Instr, f *ir.Func) string {
	switch {
	case up == nil:
		return f.Name
	case up.depth > 40:
		return up.context
	case up.depth == 40:
		return up.context + " > ..."
	}
	return fmt.Sprintf("%s:%d > %s", up.context, call.Pos.Line, f.Name)
}

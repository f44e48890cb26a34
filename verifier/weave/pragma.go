package weave

import (
	"fmt"
	"slices"

	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// CheckPragma is lines of a file in which `#pragma CPROVER check disable` (or enable) changes a check of CBMC.
type CheckPragma struct {
	File     string `json:"file"`
	From, To int    // lines, both included
	Check    string `json:"check"`            // CBMC's name
	Enable   bool   `json:"enable,omitempty"` // the check is switched on
}

// cbmcChecks gives the checks that CBMC's names stand for, as far as there are any.
var cbmcChecks = map[string][]verdict.Check{
	"unsigned-overflow": {verdict.UnsignedOverflow},
	"signed-overflow":   {verdict.SignedOverflow},
	"conversion":        {verdict.Conversion, verdict.FloatConversion},
	"pointer-overflow":  {verdict.PointerOverflow},
	"undefined-shift":   {verdict.Shift},
	"div-by-zero":       {verdict.DivByZero},
	"bounds":            {verdict.Memory},
	"pointer":           {verdict.Memory, verdict.Free},
}

// Covers reports whether a pragma switches a check off at a place.
func (p CheckPragma) Covers(check verdict.Check, at verdict.Pos) bool {
	return !p.Enable && at.File == p.File && p.From <= at.Line && at.Line <= p.To &&
		slices.Contains(cbmcChecks[p.Check], check)
}

// SwitchOff takes the checks that pragmas disable off m, where an execution goes on past a failure in a way that is
// known: arithmetic wraps, a conversion gives what it gives, a pointer is the address. It gives what this assumes. An
// access, a division or a shift that fails has no such way: those claims stay (see CheckPragma.Covers).
func SwitchOff(m *ir.Module, pragmas []CheckPragma) []verdict.Assumption {
	found := map[verdict.Check]bool{}
	off := func(check verdict.Check, at *verdict.Pos) bool {
		yes := slices.ContainsFunc(pragmas, func(p CheckPragma) bool { return p.Covers(check, *at) })
		found[check] = found[check] || yes
		return yes
	}
	for _, f := range m.Funcs {
		for _, b := range f.Blocks {
			for _, in := range b.Instrs {
				switch {
				case in.Op == ir.OpGep && in.Flags.Has(ir.InBounds) && off(verdict.PointerOverflow, in.Pos):
					in.Flags &^= ir.InBounds
				case in.Op != ir.OpShl && in.Flags.Has(ir.NSW) && off(verdict.SignedOverflow, in.Pos):
					in.Flags &^= ir.NSW
				}
			}
			to := ir.BesideTrap(b.Term(), func(trap *ir.Instr) bool {
				return (trap.Check == verdict.UnsignedOverflow || trap.Check == verdict.Conversion) &&
					off(trap.Check, trap.Pos)
			})
			if to != nil {
				passTrap(b, to)
			}
		}
	}
	var out []verdict.Assumption
	for _, c := range []verdict.Check{verdict.SignedOverflow, verdict.PointerOverflow} {
		if found[c] {
			out = append(out, verdict.Assume("", verdict.Meaning, verdict.Declared, fmt.Sprintf(
				"`#pragma CPROVER check disable` switches %s off in places: there it wraps", c)))
		}
	}
	return out
}

// passTrap makes a branch to a trap, or to another block, one to that block.
func passTrap(b, to *ir.Block) {
	t := b.Term()
	for _, s := range t.Targets {
		if s != to {
			s.Preds = slices.DeleteFunc(s.Preds, func(p *ir.Block) bool { return p == b })
		}
	}
	t.Op, t.Args, t.Targets = ir.OpBr, nil, []*ir.Block{to}
}

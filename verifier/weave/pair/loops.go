package pair

import (
	"errors"
	"fmt"
	"slices"

	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/policy"
	"github.com/firmproof/firmproof/verifier/unwind"
	"github.com/firmproof/firmproof/verifier/verdict"
	"github.com/firmproof/firmproof/verifier/weave/irbuild"
)

// turnsOf finds what turns together.
func (w *pairing) turnsOf() (*turning, error) {
	t := &turning{pairing: w, funcs: [2]*ir.Func{w.old, w.now}}
	for i, p := range w.now.Params {
		q := w.old.Params[i]
		if p.ByVal != nil || p.NonNull != q.NonNull || p.Align != q.Align {
			return nil, fmt.Errorf("parameter %s is handed over in another way", p.Name)
		}
	}
	for side, f := range t.funcs {
		if err := plain(f); err != nil {
			return nil, err
		}
		t.graphs[side] = unwind.Analyse(f)
	}
	t.headers = likelyTurns(t.graphs)
	if len(t.headers) == 0 {
		return nil, errors.New("no loops of both versions belong together")
	}
	for _, pair := range t.headers {
		for side, b := range pair {
			if !beginsAnew(b) {
				return nil, fmt.Errorf("a value is computed before the loop at line %d of version %d and used in it",
					b.Instrs[0].Pos.Line, side)
			}
		}
	}
	for side, g := range t.graphs {
		t.short[side] = map[*unwind.Loop]int{}
		for _, l := range g.Loops {
			if n := shortTurns(g, l); n > 0 && t.unpaired(side, l) {
				t.short[side][l] = n
			}
		}
	}
	w.out.Together = t.turnsOnly()
	return t, nil
}

// plain returns an error where pieces of f cannot be copied.
func plain(f *ir.Func) error {
	for i, b := range f.Blocks {
		for _, in := range b.Instrs {
			switch {
			case in.Op == ir.OpIndirectBr || slices.ContainsFunc(in.Args, isLabel):
				return errors.New("a jump goes to a computed label")
			case in.Op == ir.OpAlloca:
				if _, constant := constInt(in); !constant || i > 0 {
					return errors.New("a variable has a size that is computed")
				}
			}
		}
	}
	return nil
}

func isLabel(v ir.Value) bool {
	c, ok := v.(*ir.Const)
	return ok && c.Label != nil
}

// beginsAnew reports whether what executions from b on use is in variables, or is computed there.
func beginsAnew(b *ir.Block) bool {
	if b.Index == 0 || b.Instrs[0].Op == ir.OpPhi {
		return false
	}
	return !usesEarlier(b, func(in *ir.Instr) bool { return in.Op != ir.OpAlloca })
}

// usesEarlier reports whether executions from b on use what such an instruction computed before.
func usesEarlier(b *ir.Block, such func(in *ir.Instr) bool) bool {
	return slices.ContainsFunc(ir.LiveInto(b), func(v ir.Value) bool {
		in, computed := v.(*ir.Instr)
		return computed && such(in)
	})
}

// turnsOnly reports whether executions of both versions can go on for ever in paired loops alone, where all facts hold.
func (t *turning) turnsOnly() bool {
	for side, g := range t.graphs {
		goesOn := func(l *unwind.Loop) bool { return l.Irreducible || t.unpaired(side, l) && t.short[side][l] == 0 }
		if slices.ContainsFunc(g.Loops, goesOn) || !straight(t.funcs[side]) {
			return false
		}
	}
	return true
}

func (t *turning) unpaired(side int, l *unwind.Loop) bool {
	return !slices.ContainsFunc(t.headers, func(h [2]*ir.Block) bool { return h[side] == l.Header })
}

// straight reports whether all that f calls ends: functions without a body, or without loops, that do so likewise.
func straight(f *ir.Func) bool {
	under := map[*ir.Func]bool{} // true: on the way
	var ends func(f *ir.Func, first bool) bool
	ends = func(f *ir.Func, first bool) bool {
		if on, seen := under[f]; seen {
			return !on
		}
		under[f] = true
		if !first && len(f.Blocks) > 0 && len(unwind.Analyse(f).Loops) > 0 {
			return false
		}
		for _, b := range f.Blocks {
			for _, in := range b.Instrs {
				if in.Op != ir.OpCall {
					continue
				}
				if g := ir.CalledFunc(in); g == nil || !ends(g, false) {
					return false
				}
			}
		}
		under[f] = false
		return true
	}
	return ends(f, true)
}

// withoutLimits takes out of a harness what it assumes by limits that were chosen alone: turns need none.
func (w *pairing) withoutLimits(entry *ir.Func) {
	chosen := func(id string) bool {
		return slices.ContainsFunc(w.out.Assumptions, func(a verdict.Assumption) bool {
			return a.ID == id && a.Relation == verdict.Limit && a.Origin == verdict.Chosen
		})
	}
	gone := map[string]bool{}
	b := &irbuild.Builder{Module: w.Module}
	b.RewriteFunc(entry, func(in *ir.Instr) {
		if in.CalledModel() == ir.ModelAssume && len(in.Assumes) > 0 &&
			!slices.ContainsFunc(in.Assumes, func(id string) bool { return !chosen(id) }) {
			for _, id := range in.Assumes {
				gone[id] = true
			}
			return
		}
		b.Keep(in)
	})
	for _, blk := range entry.Blocks { // another instruction may rest on it, too
		for _, in := range blk.Instrs {
			for _, id := range in.Assumes {
				delete(gone, id)
			}
		}
	}
	w.out.Assumptions = slices.DeleteFunc(w.out.Assumptions, func(a verdict.Assumption) bool { return gone[a.ID] })
}

// likelyTurns pairs headers of loops of both versions: as they stand one after the other and inside of each other. The
// ones inside of two loops that have different numbers of them are left alone.
func likelyTurns(graphs [2]*unwind.Graph) (out [][2]*ir.Block) {
	inside := func(side int, l *unwind.Loop) (list []*unwind.Loop) {
		for _, b := range graphs[side].Order {
			if m := graphs[side].Inner(b); m != nil && m.Header == b && m.Parent == l {
				list = append(list, m)
			}
		}
		return list
	}
	var match func(l, m *unwind.Loop)
	match = func(l, m *unwind.Loop) {
		x, y := inside(0, l), inside(1, m)
		if len(x) != len(y) {
			return
		}
		for i := range x {
			if x[i].Irreducible || y[i].Irreducible || len(out) == policy.PairTurns {
				continue
			}
			out = append(out, [2]*ir.Block{x[i].Header, y[i].Header})
			match(x[i], y[i])
		}
	}
	match(nil, nil)
	return out
}

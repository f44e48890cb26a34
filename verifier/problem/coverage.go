package problem

import (
	"cmp"
	"slices"

	"github.com/firmproof/firmproof/verifier/flow/places"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// Coverage holds what is known of the lines and branches of a program.
type Coverage struct {
	Unwind int // turns of each loop that were looked at; 0: all
	At     map[ir.Spot]verdict.Reach
}

// Spots lists the lines and ways of every function that an execution of p may call, in the order of the code. What
// the driver makes around the entry has none.
func (p *Problem) Spots() []ir.Spot {
	var out []ir.Spot
	reached := places.Reached(p.Module, p.Entry)
	for _, f := range p.Module.Funcs {
		if f.Made || !reached.Funcs[f] {
			continue
		}
		for _, b := range f.Blocks {
			for _, in := range ir.LineStarts(b) {
				out = append(out, ir.Spot{Instr: in})
			}
			for _, to := range ir.Ways(b.Term()) {
				out = append(out, ir.Spot{Instr: b.Term(), To: to})
			}
		}
	}
	return out
}

// Report sums up c, which may be nil, by function and line of the source.
func (c *Coverage) Report(spots []ir.Spot) *verdict.Coverage {
	if c == nil {
		c = &Coverage{}
	}
	type place struct{ file, function string }
	type line struct {
		verdict.CoveredLine
		ways []wayReach
	}
	functions := map[place]*verdict.CoveredFunction{}
	lines := map[place]map[int]*line{}
	for _, s := range spots {
		k := place{s.Instr.Pos.File, s.Instr.Pos.Function}
		reach := cmp.Or(c.At[s], verdict.ReachUnknown)
		f := functions[k]
		if f == nil {
			f = &verdict.CoveredFunction{Pos: verdict.Pos{File: k.file, Function: k.function}}
			if def := s.Instr.Block.Func.Pos; def.File == k.file && def.Function == k.function {
				f.Pos.Line = def.Line
			}
			functions[k], lines[k] = f, map[int]*line{}
		}
		l := lines[k][s.Instr.Pos.Line]
		if l == nil {
			l = &line{CoveredLine: verdict.CoveredLine{Line: s.Instr.Pos.Line}}
			lines[k][s.Instr.Pos.Line] = l
		}
		if s.To == nil {
			l.Reach, f.Reach = l.Reach.Sum(reach), f.Reach.Sum(reach)
		} else {
			l.ways = append(l.ways, wayReach{s, reach})
		}
	}
	out := &verdict.Coverage{Unwind: c.Unwind, Functions: []verdict.CoveredFunction{}}
	for k, f := range functions {
		for _, l := range lines[k] {
			l.Ways = sumWays(l.ways)
			if l.Reach == "" { // a branch behind code of another line
				for _, w := range l.Ways {
					l.Reach = l.Reach.Sum(w)
				}
			}
			f.Lines = append(f.Lines, l.CoveredLine)
		}
		out.Functions = append(out.Functions, *f)
	}
	out.Sort()
	return out
}

// wayReach holds what is known of a way.
type wayReach struct {
	spot  ir.Spot
	reach verdict.Reach
}

// sumWays lists what is known of the ways of one line in the order of the code. Several functions of the program
// can be one function of the source, as with static functions of headers: their ways are summed up.
func sumWays(list []wayReach) []verdict.Reach {
	byFunc := map[*ir.Func][]verdict.Reach{}
	var order []*ir.Func
	slices.SortStableFunc(list, func(a, b wayReach) int {
		return cmp.Compare(a.spot.Instr.Pos.Column, b.spot.Instr.Pos.Column)
	})
	for _, w := range list {
		f := w.spot.Instr.Block.Func
		if byFunc[f] == nil {
			order = append(order, f)
		}
		byFunc[f] = append(byFunc[f], w.reach)
	}
	var out []verdict.Reach
	for _, f := range order {
		for i, r := range byFunc[f] {
			if i == len(out) {
				out = append(out, r)
			} else {
				out[i] = out[i].Sum(r)
			}
		}
	}
	return out
}

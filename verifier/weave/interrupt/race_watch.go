package interrupt

import (
	"fmt"
	"slices"
	"strings"

	"github.com/firmproof/firmproof/verifier/bits"
	"github.com/firmproof/firmproof/verifier/flow/places"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/policy"
)

// watchOf returns the watch for an access of size bytes by f, or nil if no handler conflicts with it; why is not empty
// where that cannot be told.
func (r *races) watchOf(f *ir.Func, a places.Access, size int64, name string) (w *watch, why string) {
	w = &watch{addr: a.Addr, size: size, counters: make([]*ir.Global, len(r.contexts))}
	found := map[int]mark{}
	for i, x := range r.foreign {
		if !(a.Writes || x.Writes) || !r.mayInterrupt(x.f, f) {
			continue
		}
		switch meet(a.Addr, size, x.Addr, x.size) {
		case apart:
			continue
		case same:
			found[i] = mark{w, false}
		default:
			if size <= 0 || x.size <= 0 || size+x.size > policy.RaceCompared {
				return nil, "whether " + strings.Join(r.users(x.f), ", ") + " uses the same memory at the same time is not followed"
			}
			found[i] = mark{w, true}
		}
	}
	if len(found) == 0 {
		return nil, ""
	}
	var users []string
	compares := false
	for i, x := range r.foreign {
		m, ok := found[i]
		if !ok {
			continue
		}
		compares = compares || m.compare
		users = append(users, r.users(x.f)...)
		for k, c := range r.contexts {
			if c.funcs[x.f] && w.counters[k] == nil {
				w.counters[k] = r.ghost(f, name, ir.Int(counterWidth))
			}
		}
		r.marks[i] = append(r.marks[i], m)
	}
	if compares {
		w.at = r.ghost(f, name, r.Ptr())
	}
	slices.Sort(users)
	w.who = strings.Join(slices.Compact(users), ", ")
	return w, ""
}

// does says what the handlers of a watch do: who, and the verb.
func (w *watch) does(verb string) string { return whoDoes(w.who, verb) }

func whoDoes(who, verb string) string {
	if strings.Contains(who, ", ") {
		return who + " " + verb
	}
	return who + " " + verb + "s"
}

// users lists the handlers whose code f is.
func (r *races) users(f *ir.Func) []string {
	var out []string
	for i, h := range r.handlers {
		if h.Funcs[f] {
			out = append(out, r.names[i])
		}
	}
	return out
}

// mayInterrupt reports whether code of handlers in x may run while f does.
func (r *races) mayInterrupt(x, f *ir.Func) bool {
	if r.main[f] {
		return true
	}
	own, others := -1, 0
	for i, c := range r.contexts {
		if c.funcs[f] {
			own, others = i, others+1
		}
	}
	if others != 1 {
		return true
	}
	for i, c := range r.contexts {
		if i != own && c.funcs[x] {
			return true
		}
	}
	return false
}

// ghost is a new variable, which is zero at first.
func (r *races) ghost(f *ir.Func, name string, t *ir.Type) *ir.Global {
	key := f.Name + "." + name
	r.named[key]++
	g := &ir.Global{Name: fmt.Sprintf("%s%s.%d", ir.WatchPrefix, key, r.named[key]), T: t, Align: 8,
		Init: &ir.Const{T: t, Kind: ir.ConstInt, Bits: bits.NewInt(max(t.Width, 1), 0)}}
	if t.IsPtr() {
		g.Init = &ir.Const{T: t, Kind: ir.ConstNull}
	}
	r.Module.Globals = append(r.Module.Globals, g)
	return g
}

// count puts the counting in front of the accesses of handlers.
func (r *races) count() {
	for i, x := range r.foreign {
		if len(r.marks[i]) == 0 {
			continue
		}
		r.Func = x.f
		r.Rewrite(x.in.Block, func(in *ir.Instr) {
			first := len(*r.Out)
			if in == x.in {
				for _, m := range r.marks[i] {
					r.countAt(x, m)
				}
			}
			for _, made := range (*r.Out)[first:] {
				r.made[made] = true
			}
			r.Keep(in)
		})
		r.Finish()
	}
}

// countAt adds to the counters of a watch.
func (r *races) countAt(x foreign, m mark) {
	var met ir.Value
	if m.compare {
		met = r.overlaps(r.Load(r.Ptr(), r.AddrOfGlobal(m.at)), m.size, x.Addr, x.size)
	}
	t := ir.Int(counterWidth)
	for i, g := range m.counters {
		if g == nil || !r.contexts[i].funcs[x.f] {
			continue
		}
		var more ir.Value = r.Int(ir.Int(1), 1)
		if r.main[x.f] || len(r.contexts) > 1 {
			more = r.Compare(ir.EQ, r.current(), r.Int(ir.Int(32), r.contexts[i].active))
		}
		if met != nil {
			more = r.And(more, met)
		}
		at := r.AddrOfGlobal(g)
		r.Store(r.Binary(ir.OpAdd, r.Load(t, at), r.Resize(more, t)), at, 1)
	}
}

// current is the context at hand: 0 in the program itself.
func (r *races) current() ir.Value {
	return r.Resize(r.Load(r.active.T, r.AddrOfGlobal(r.active)), ir.Int(32))
}

// begin notes at which address a watch looks, and gives what the counters are.
func (r *races) begin(w *watch, addr ir.Value) []ir.Value {
	if w.at != nil {
		r.Store(addr, r.AddrOfGlobal(w.at), 1)
	}
	return r.counts(w)
}

// counts are what the counters of a watch are.
func (r *races) counts(w *watch) []ir.Value {
	var out []ir.Value
	for _, g := range w.counters {
		if g == nil {
			out = append(out, nil)
			continue
		}
		out = append(out, r.Load(ir.Int(counterWidth), r.AddrOfGlobal(g)))
	}
	return out
}

// changed is whether a handler got to the watched place since the counters were as before: one that interrupted the
// code at hand, not that code itself.
func (r *races) changed(w *watch, before []ir.Value) ir.Value {
	var out ir.Value = r.Int(ir.Int(1), 0)
	for i, g := range w.counters {
		if g == nil {
			continue
		}
		var c ir.Value = r.Compare(ir.NE, r.Load(ir.Int(counterWidth), r.AddrOfGlobal(g)), before[i])
		if r.contexts[i].funcs[r.Func] {
			c = r.And(c, r.Compare(ir.NE, r.current(), r.Int(ir.Int(32), r.contexts[i].active)))
		}
		out = r.Or(out, c)
	}
	return out
}

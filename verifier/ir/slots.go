package ir

import "slices"

// Slots are the allocas of fn that are plain variables: none of escapes, of constant
// size, and only read and written as a whole. The calls that begin and end their
// scopes do not count.
func (l *Layout) Slots(fn *Func, escapes map[*Instr]bool) map[*Instr]bool {
	out := map[*Instr]bool{}
	for _, blk := range fn.Blocks {
		for _, in := range blk.Instrs {
			if in.Op == OpAlloca && !escapes[in] {
				out[in] = true
			}
		}
	}
	marks := markCasts(fn)
	for _, blk := range fn.Blocks {
		for _, in := range blk.Instrs {
			for n, a := range in.Args {
				d, ok := a.(*Instr)
				if !ok || !out[d] || marks[in] || marksScope(in) {
					continue
				}
				size := l.SizeOf(d.Access)
				whole := in.Op == OpLoad || in.Op == OpStore && n == 1
				if !whole || l.StoreSize(in.Access) != size || size != l.StoreSize(d.Access) ||
					in.Flags.Has(Volatile) {
					delete(out, d)
				}
			}
		}
	}
	return out
}

// marksScope reports whether in begins or ends the scope of a local.
func marksScope(in *Instr) bool {
	return in.Op == OpCall && (in.Model == ModelLifetimeStart || in.Model == ModelLifetimeEnd)
}

// markCasts returns the casts of locals' addresses that only begin and end their scopes.
func markCasts(fn *Func) map[*Instr]bool {
	out := map[*Instr]bool{}
	for _, blk := range fn.Blocks {
		for _, in := range blk.Instrs {
			if in.Op == OpBitcast {
				out[in] = true
			}
		}
	}
	for _, blk := range fn.Blocks {
		for _, in := range blk.Instrs {
			for _, a := range in.Args {
				if d, ok := a.(*Instr); ok && !marksScope(in) {
					delete(out, d)
				}
			}
		}
	}
	return out
}

// Begun returns the local whose scope in begins; nil if it begins none.
func Begun(in *Instr) *Instr { return scopeOf(in, ModelLifetimeStart) }

// Ended returns the local whose scope in ends; nil if it ends none.
func Ended(in *Instr) *Instr { return scopeOf(in, ModelLifetimeEnd) }

func scopeOf(in *Instr, m Model) *Instr {
	if in.Op != OpCall || in.Model != m {
		return nil
	}
	a, _ := in.Args[len(in.Args)-1].(*Instr)
	for a != nil && a.Op == OpBitcast {
		a, _ = a.Args[0].(*Instr)
	}
	return a
}

// LiveSlots computes which slots are read, before anything is written to them or
// their scope begins, from the start of each block on.
func LiveSlots(fn *Func, slots map[*Instr]bool) map[*Block]map[*Instr]bool {
	live := map[*Block]map[*Instr]bool{}
	for changed := true; changed; {
		changed = false
		for n := len(fn.Blocks) - 1; n >= 0; n-- {
			blk := fn.Blocks[n]
			now := LiveSlotsFrom(blk, 0, slots, live)
			if len(now) != len(live[blk]) {
				live[blk], changed = now, true
			}
		}
	}
	return live
}

// LiveSlotsFrom are the slots that are read from instruction idx of blk on before
// they are written or their scope begins.
func LiveSlotsFrom(blk *Block, idx int, slots map[*Instr]bool,
	live map[*Block]map[*Instr]bool) map[*Instr]bool {
	now := map[*Instr]bool{}
	for _, t := range blk.Succs() {
		for v := range live[t] {
			now[v] = true
		}
	}
	for i := len(blk.Instrs) - 1; i >= idx; i-- {
		in := blk.Instrs[i]
		switch in.Op {
		case OpLoad:
			if a, ok := in.Args[0].(*Instr); ok && slots[a] {
				now[a] = true
			}
		case OpStore:
			if a, ok := in.Args[1].(*Instr); ok {
				delete(now, a)
			}
		case OpCall:
			if a := Begun(in); a != nil {
				delete(now, a)
			}
		}
	}
	return now
}

// StoresBefore returns the stores to the address of a load that may be the last ones before it, in its function.
func StoresBefore(load *Instr) (out []*Instr) {
	seen := map[*Block]bool{}
	var before func(b *Block, end int)
	before = func(b *Block, end int) {
		for i := end - 1; i >= 0; i-- {
			if in := b.Instrs[i]; in.Op == OpStore && in.Args[1] == load.Args[0] {
				out = append(out, in)
				return
			}
		}
		for _, p := range b.Preds {
			if !seen[p] {
				seen[p] = true
				before(p, len(p.Instrs))
			}
		}
	}
	before(load.Block, slices.Index(load.Block.Instrs, load))
	return out
}

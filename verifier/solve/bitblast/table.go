package bitblast

import "github.com/firmproof/firmproof/verifier/ilr"

// Reads reports whether the bits of t depend on a select; false for terms not blasted.
func (b *Blaster) Reads(t ilr.Term) bool { return int(t) < len(b.reads) && b.reads[t] }

// AssertTable asserts of a select t that if its index lies in from ... from+n-1 (n
// a power of two that divides from) it is that byte of data; 0 beyond the data,
// where from >= len(data) stands for all indices from from on.
func (b *Blaster) AssertTable(t ilr.Term, data []byte, from, n uint64) {
	out := b.Bits(t)
	idx := b.Bits(b.s.Arg(t, 1))
	low := 0
	for uint64(1)<<uint(low) < n {
		low++
	}
	low = min(low, len(idx))
	bound := b.ops.number(len(idx), from)
	if from >= uint64(len(data)) {
		if !fits(from, len(idx)) {
			return
		}
		inside := b.ops.ule(bound, idx)
		b.c.Assert(b.g.Or(inside.Not(), b.ops.any(out).Not()))
		return
	}
	inside := b.ops.eq(idx[low:], bound[low:])
	if !fits(from, len(idx)) {
		return
	}
	want := b.lookup(data, from, idx[:low])
	b.c.Assert(b.g.Or(inside.Not(), b.ops.eq(out, want)))
}

func fits(v uint64, w int) bool { return w >= 64 || v>>uint(w) == 0 }

// lookup returns the byte of data[from:] at idx, by a tree of multiplexers.
func (b *Blaster) lookup(data []byte, from uint64, idx []Edge) []Edge {
	if from >= uint64(len(data)) {
		return b.ops.zero(8)
	}
	if len(idx) == 0 {
		return b.ops.number(8, uint64(data[from]))
	}
	top := len(idx) - 1
	hi := b.lookup(data, from+1<<uint(top), idx[:top])
	lo := b.lookup(data, from, idx[:top])
	return b.ops.ite(idx[top], hi, lo)
}

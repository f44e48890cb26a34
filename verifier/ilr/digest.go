package ilr

import (
	"crypto/sha256"
	"encoding/binary"

	"github.com/firmproof/firmproof/verifier/bits"
)

// Digest names a term by its structure: terms of two stores that were built in the
// same way have one. Variables count by the order in which they were made.
type Digest [16]byte

// Digester computes digests of one store's terms, each once.
type Digester struct {
	s     *Store
	memo  []Digest
	done  []bool
	stack []Term
}

// NewDigester makes a Digester for terms of s.
func NewDigester(s *Store) *Digester { return &Digester{s: s} }

// Of returns the digest of t.
func (d *Digester) Of(t Term) Digest {
	if grow := d.s.Len() + 1 - len(d.memo); grow > 0 {
		d.memo, d.done = append(d.memo, make([]Digest, grow)...), append(d.done, make([]bool, grow)...)
	}
	d.stack = append(d.stack[:0], t)
	for len(d.stack) > 0 {
		u := d.stack[len(d.stack)-1]
		n := len(d.stack)
		for i := 0; i < d.s.NumArgs(u); i++ {
			if a := d.s.Arg(u, i); !d.done[a] {
				d.stack = append(d.stack, a)
			}
		}
		if len(d.stack) > n {
			continue
		}
		d.stack = d.stack[:n-1]
		if !d.done[u] {
			d.memo[u], d.done[u] = d.one(u), true
		}
	}
	return d.memo[t]
}

// one returns the digest of u, whose arguments have theirs.
func (d *Digester) one(u Term) (out Digest) {
	n := &d.s.nodes[u]
	buf := make([]byte, 0, 96)
	buf = append(buf, byte(n.kind), byte(n.sort), n.n, n.idx)
	buf = binary.LittleEndian.AppendUint32(buf, n.w)
	switch {
	case n.kind == KArrTable:
		sum := sha256.Sum256(d.s.data[n.imm])
		buf = append(buf, sum[:]...)
	case n.kind == KConst && n.w > 64:
		buf, _ = bits.Vec.AppendBinary(d.s.wide[n.imm], buf)
	default:
		buf = binary.LittleEndian.AppendUint64(buf, n.imm)
	}
	for i := 0; i < d.s.NumArgs(u); i++ {
		a := d.memo[d.s.Arg(u, i)]
		buf = append(buf, a[:]...)
	}
	sum := sha256.Sum256(buf)
	copy(out[:], sum[:])
	return out
}

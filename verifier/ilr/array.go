package ilr

import "github.com/firmproof/firmproof/verifier/bits"

// ArrConst returns the array whose every element is v.
func (s *Store) ArrConst(idx int, v Term) Term { return s.mk(KArrConst, Array(idx, s.Width(v)), 0, v) }

// ArrTable returns the array of bytes that begins with data and goes on with zeros.
// The store keeps data; it must not be changed.
func (s *Store) ArrTable(idx int, data []byte) Term {
	s.data = append(s.data, data)
	return s.intern(KArrTable, Array(idx, 8), uint64(len(s.data)-1), nil)
}

// Select returns element i of a.
func (s *Store) Select(a, i Term) Term {
	vi, ci := s.ConstVal(i)
	for {
		switch s.Kind(a) {
		case KStore:
			j := s.Arg(a, 1)
			if i == j {
				return s.Arg(a, 2)
			}
			if _, cj := s.ConstVal(j); ci && cj {
				a = s.Arg(a, 0)
				continue
			}
		case KArrConst:
			return s.Arg(a, 0)
		case KArrTable:
			if ci {
				return s.Const(s.TableAt(a, vi))
			}
		}
		return s.mk(KSelect, BV(s.Width(a)), 0, a, i)
	}
}

// TableAt returns element i of the ArrTable term t.
func (s *Store) TableAt(t Term, i bits.Vec) bits.Vec {
	data := s.TableData(t)
	if u, ok := i.Uint64(); ok && u < uint64(len(data)) {
		return bits.New(8, uint64(data[u]))
	}
	return bits.New(8, 0)
}

// TableRead returns element i of data as a tree of if-then-elses over the bits of i; 0 behind its end.
func (s *Store) TableRead(data []byte, i Term) Term { return s.tableRead(data, 0, i, s.Width(i)) }

// tableRead returns data[from + the low n bits of i].
func (s *Store) tableRead(data []byte, from uint64, i Term, n int) Term {
	switch {
	case from >= uint64(len(data)):
		return s.Int(8, 0)
	case n == 0:
		return s.Int(8, int64(data[from]))
	}
	high := s.Int(8, 0)
	if n < 64 {
		high = s.tableRead(data, from+1<<uint(n-1), i, n-1)
	}
	return s.Ite(s.Eq(s.Extract(i, n-1, n-1), s.Int(1, 1)), high, s.tableRead(data, from, i, n-1))
}

// Store returns a with element i replaced by v.
func (s *Store) Store(a, i, v Term) Term {
	if s.Kind(a) == KStore && s.Arg(a, 1) == i {
		a = s.Arg(a, 0)
	}
	return s.mk(KStore, s.Sort(a), 0, a, i, v)
}

// ArrSet returns a with the n elements from index from on (modulo the index width) replaced by v.
func (s *Store) ArrSet(a, from, n, v Term) Term {
	if c, ok := s.ConstVal(n); ok && c.IsZero() {
		return a
	}
	return s.mk(KArrSet, s.Sort(a), 0, a, from, n, v)
}

// ArrCopy returns a with the n elements from index to on replaced by those of src from index from on.
func (s *Store) ArrCopy(a, to, src, from, n Term) Term {
	if c, ok := s.ConstVal(n); ok && c.IsZero() {
		return a
	}
	return s.mk(KArrCopy, s.Sort(a), 0, a, to, src, from, n)
}

// Floating point: operands and results are IEEE encodings as bit-vectors.

func (s *Store) float(k Kind, sort Sort, imm uint64, a []Term) Term {
	if k.Commutative() {
		a0, a1 := s.order(a[0], a[1])
		a = []Term{a0, a1}
	}
	if vs := s.constants(a); vs != nil {
		v := EvalFloat(k, RoundingMode(imm), max(1, sort.W), vs)
		if sort == Bool {
			return s.BoolConst(v.IsOne())
		}
		return s.Const(v)
	}
	return s.mk(k, sort, imm, a...)
}

// FloatOp makes a floating-point term of kind k and the given sort (Bool for
// comparisons) with rounding mode rm.
func (s *Store) FloatOp(k Kind, sort Sort, rm RoundingMode, args ...Term) Term {
	return s.float(k, sort, uint64(rm), args)
}

// constants returns the values of ts if all are constant, else nil.
func (s *Store) constants(ts []Term) []bits.Vec {
	vs := make([]bits.Vec, 0, 3)
	for _, t := range ts {
		v, ok := s.ConstVal(t)
		if !ok {
			return nil
		}
		vs = append(vs, v)
	}
	return vs
}

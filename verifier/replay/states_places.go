package replay

import (
	"encoding/binary"
	"slices"

	"github.com/firmproof/firmproof/verifier/interp"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/policy"
)

// statePlaces are the numbers in variables that tell states apart: those that are compared with constants, and
// addresses of functions.
type statePlaces struct {
	globals map[*ir.Global][]statePlace
	slots   map[*ir.Func]map[*ir.Instr][]statePlace // by the alloca
	order   []*ir.Global
	funcs   map[*ir.Func]int64
}

// statePlace is a number in a variable, with the constants that it is compared with, in ascending order, or a pointer.
type statePlace struct {
	off    int64
	t      *ir.Type
	consts []int64
}

// newStatePlaces looks for them in m.
func newStatePlaces(m *ir.Module, c *compared) *statePlaces {
	s := &statePlaces{globals: map[*ir.Global][]statePlace{}, slots: map[*ir.Func]map[*ir.Instr][]statePlace{},
		funcs: map[*ir.Func]int64{}}
	left := policy.StatePlaces
	of := func(v any, t *ir.Type) []statePlace {
		ks := slices.Clone(c.consts[flowNode{of: v, memory: true}])
		slices.Sort(ks)
		list := scalars(&m.Layout, t, 0, ks, nil)
		list = list[:min(len(list), left, policy.PlacesOfOne)]
		left -= len(list)
		return list
	}
	for _, g := range m.Globals {
		if g.Const || g.Extern || g.Unsupported != "" {
			continue
		}
		if list := of(g, g.T); len(list) > 0 {
			s.order, s.globals[g] = append(s.order, g), list
		}
	}
	for n, f := range m.Funcs {
		s.funcs[f] = int64(n)
		s.slots[f] = map[*ir.Instr][]statePlace{}
		for _, b := range f.Blocks {
			for _, in := range b.Instrs {
				if in.Op != ir.OpAlloca {
					continue
				}
				if list := of(in, in.Access); len(list) > 0 {
					s.slots[f][in] = list
				}
			}
		}
	}
	return s
}

// scalars adds the integers, if they are compared with anything, and the pointers in a value of type t at off.
func scalars(l *ir.Layout, t *ir.Type, off int64, ks []int64, out []statePlace) []statePlace {
	switch {
	case t.IsInt() && t.Width <= 64 && len(ks) > 0, t.IsPtr():
		return append(out, statePlace{off, t, ks})
	case t.IsAggregate():
		for i := range min(t.NumElems(), policy.PlacesOfOne) {
			out = scalars(l, t.ElemAt(i), off+l.FieldOffset(t, i), ks, out)
		}
	}
	return out
}

// describe returns how the numbers compare with the constants, and those that are small.
func (s *statePlaces) describe(v interp.View) *stateKey {
	k := &stateKey{}
	for _, g := range s.order {
		for _, p := range s.globals[g] {
			s.add(k, v.Load(v.Global(g), p.off, p.t), p)
		}
	}
	for n := range v.Frames() {
		b, _ := v.At(n)
		k.num(int64(b.Index))
		for _, in := range b.Func.Blocks[0].Instrs {
			list := s.slots[b.Func][in]
			if len(list) == 0 {
				continue
			}
			at := v.Value(n, in)
			if at.Object < 0 {
				continue
			}
			if _, alive := v.Object(at.Object); !alive {
				continue
			}
			for _, p := range list {
				s.add(k, v.Load(at.Object, at.Offset+p.off, p.t), p)
			}
		}
	}
	return k
}

// stateKey tells states apart.
type stateKey struct {
	coarse []byte     // how numbers compare with constants
	small  [][2]int64 // small numbers, each behind what tells its place
}

func (k *stateKey) num(n int64) { k.coarse = binary.AppendVarint(k.coarse, n) }

// add adds what the place holds.
func (s *statePlaces) add(k *stateKey, seen interp.Seen, p statePlace) {
	n, ok := seen.Bits.Int64()
	switch {
	case seen.Func != nil:
		k.num(s.funcs[seen.Func])
		return
	case !seen.Known || seen.Object >= 0 || !ok || p.t.IsPtr():
		k.num(-1)
		return
	}
	i, equal := slices.BinarySearch(p.consts, n)
	region := int64(2 * i)
	if equal {
		region++
	}
	if k.num(region); -policy.SmallState <= n && n <= policy.SmallState {
		k.small = append(k.small, [2]int64{int64(len(k.coarse)), n})
	}
}

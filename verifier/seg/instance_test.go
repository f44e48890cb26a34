package seg

import (
	"context"
	"errors"
	"fmt"
	"math/rand"

	"github.com/firmproof/firmproof/verifier/bits"
	"github.com/firmproof/firmproof/verifier/exact"
	envinput "github.com/firmproof/firmproof/verifier/input"
	"github.com/firmproof/firmproof/verifier/interp"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/solve/linear"
)

// dice decides what the environment decides: small numbers, mostly.
type dice struct{ r *rand.Rand }

func (d dice) Next(kind envinput.Kind, _ *ir.Instr, width int) (bits.Vec, bool) {
	if kind == envinput.MallocOK {
		return bits.New(width, 1), true
	}
	n := d.r.Int63n(6) - 1
	if d.r.Intn(8) == 0 {
		n = int64(d.r.Uint64())
	}
	return bits.NewInt(width, n), true
}

func (d dice) Havoc(*ir.Instr, int64) (func(int64) byte, bool) {
	return func(int64) byte { return byte(d.r.Intn(256)) }, true
}
func (d dice) ObjectBytes(int, *ir.Instr) func(int64) byte { return nil }
func (d dice) Base(int) (bits.Vec, bool)                   { return bits.Vec{}, false }

// shadow is a concrete state seen as an instance of a generalised one.
type shadow struct {
	b       *builder
	st      *state
	v       interp.View
	value   map[exact.Var]exact.Int
	objects map[int]int // of the generalised state: the concrete one
	pending []int
}

// instance finds the values of c's slots in a concrete state; the error says why c does not stand for it.
func (g *Graph) instance(c *cutPoint, v interp.View) (map[exact.Var]exact.Int, error) {
	s := &shadow{b: g.b, st: c.st, v: v, value: map[exact.Var]exact.Int{}, objects: map[int]int{}}
	for _, id := range c.st.order {
		if o := c.st.objs[id]; o.global != nil {
			s.bind(id, v.Global(o.global))
		}
	}
	for n, f := range c.st.frames {
		scoped := ir.Scoped(f.fn)
		for _, a := range sortedValues(f.vals) {
			if in, ok := a.(*ir.Instr); ok && scoped[in] && !s.now(v.Value(n, a)) {
				continue // the graph has an object with any content where a run has none
			}
			if err := s.match(f.vals[a], v.Value(n, a), g.b.m.Layout.PtrBits); err != nil {
				return nil, fmt.Errorf("%s: %w", g.b.nameOf(a), err)
			}
		}
	}
	for len(s.pending) > 0 {
		id := s.pending[0]
		s.pending = s.pending[1:]
		if err := s.object(id); err != nil {
			return nil, fmt.Errorf("%s: %w", c.st.objs[id].name, err)
		}
	}
	if sat(c.st.know, fixed(s.value)) == linear.Unsat {
		return nil, errors.New("what the state knows is not so")
	}
	return s.value, nil
}

func fixed(values map[exact.Var]exact.Int) []linear.Row {
	var out []linear.Row
	for v, c := range values {
		out = append(out, linear.Equals(exact.LinOf(c.Neg(), exact.Term{Var: v, Coef: exact.I(1)})))
	}
	return out
}

// sat decides whether the knowledge and further rows can be true together.
func sat(k *know, rows []linear.Row) linear.Status {
	rows = append(rows, k.rows...)
	seen := map[exact.Var]bool{}
	for _, r := range rows[:len(rows):len(rows)] {
		for _, t := range r.Lin.Terms {
			rows = k.unary(rows, seen, t.Var)
		}
	}
	tab := linear.NewTableau(true)
	for _, r := range rows {
		tab.Add(r)
	}
	return tab.CheckInt(context.Background(), 2000)
}

func (s *shadow) bind(id, concrete int) bool {
	if was, ok := s.objects[id]; ok {
		return was == concrete
	}
	s.objects[id] = concrete
	s.pending = append(s.pending, id)
	return true
}

func (s *shadow) match(t value, c interp.Seen, width int) error {
	switch t.kind {
	case boolValue:
		if c.Known && c.Bits.IsOne() != (t.cond.lin.Const.Sign() >= 0) {
			return errors.New("another truth value")
		}
	case intValue:
		if !c.Known || c.Object >= 0 {
			return nil
		}
		n := exact.FromBig(c.Bits.Signed())
		if t.rep == unsigned {
			n = exact.FromBig(c.Bits.Unsigned())
		}
		return s.same(t.lin, n)
	case ptrValue:
		o := s.st.objs[t.obj]
		if o == nil {
			return errors.New("a pointer to nothing")
		}
		if o.list != nil {
			return s.list(t.obj, o.size, o.list.from(t.last), c)
		}
		if !c.Known {
			return nil
		}
		if _, alive := s.alive(c.Object); !alive || !s.bind(t.obj, c.Object) {
			return errors.New("another object")
		}
		return s.same(t.lin, exact.I(c.Offset))
	}
	return nil
}

// now reports whether c points to an object that is alive.
func (s *shadow) now(c interp.Seen) bool {
	_, alive := s.alive(c.Object)
	return alive
}

func (s *shadow) alive(object int) (int64, bool) {
	if object < 0 {
		return 0, false
	}
	return s.v.Object(object)
}

// same: e has the value n; one variable alone gets it.
func (s *shadow) same(e exact.Lin, n exact.Int) error {
	if len(e.Terms) == 1 && e.IsVar(e.Terms[0].Var) {
		if was, ok := s.value[e.Terms[0].Var]; !ok {
			s.value[e.Terms[0].Var] = n
			return nil
		} else if was.Equal(n) {
			return nil
		}
		return errors.New("two values of one number")
	}
	if e.IsConst() && !e.Const.Equal(n) {
		return fmt.Errorf("%s, not %s", n, e)
	}
	return nil
}

// list walks the blocks of a list, as a pointer to its edge sees it, to its end, if that is one that cannot be missed.
func (s *shadow) list(id int, each exact.Lin, l list, at interp.Seen) error {
	if _, ok := s.objects[id]; ok {
		return nil
	}
	s.objects[id] = -1
	size, _ := each.Const.Int64()
	for n := int64(0); n < 1000; n++ {
		switch end := l.end; {
		case end.kind == ptrValue && (s.st.objs[end.obj] == nil || s.st.objs[end.obj].list != nil),
			end.kind == intValue && !s.st.know.interval(end.lin).constant(), end.kind == opaqueValue:
			return nil
		case end.kind == ptrValue:
			to, bound := s.objects[end.obj]
			if !bound {
				return nil
			}
			if at.Object == to {
				return s.same(l.length, exact.I(n))
			}
		case at.Object < 0:
			if err := s.match(end, at, s.b.m.Layout.PtrBits); err != nil {
				return err
			}
			return s.same(l.length, exact.I(n))
		}
		have, alive := s.alive(at.Object)
		if !alive || have != size || at.Offset != 0 {
			return errors.New("a list with something else inside")
		}
		if err := s.members(at.Object, l.members); err != nil {
			return err
		}
		at = s.v.Load(at.Object, l.next, ir.Ptr(s.b.m.Layout.PtrBits))
		if !at.Known {
			return nil
		}
	}
	return errors.New("a list without end")
}

func (s *shadow) object(id int) error {
	o, to := s.st.objs[id], s.objects[id]
	size, alive := s.v.Object(to)
	if !alive {
		return errors.New("an object that is gone")
	}
	if err := s.same(o.size, exact.I(size)); err != nil {
		return err
	}
	if err := s.rest(o, to, size); err != nil {
		return err
	}
	for _, c := range o.cells {
		at, ok := s.eval(c.off)
		if !ok {
			continue
		}
		t := ir.Int(int(c.size) * 8)
		if c.val.kind == ptrValue || c.val.kind == funcValue {
			t = ir.Ptr(s.b.m.Layout.PtrBits)
		}
		off, _ := at.Int64()
		seen := s.v.Load(to, off, t)
		if c.val.kind == ptrValue && !seen.Known {
			continue // outside, or never written
		}
		if err := s.match(c.val, seen, int(c.size)*8); err != nil {
			return fmt.Errorf("at %s: %w", c.off, err)
		}
	}
	return nil
}

// rest compares the bytes that no cell of an object holds with what the graph says of them.
func (s *shadow) rest(o *object, to int, size int64) error {
	if o.rest != zeroBytes && o.rest != initBytes {
		return nil
	}
	in := map[int64]bool{}
	for _, c := range o.cells {
		at, ok := s.eval(c.off)
		if !ok {
			return nil
		}
		off, _ := at.Int64()
		for n := range c.size {
			in[off+n] = true
		}
	}
	for at := range min(size, 64) {
		want := value{kind: intValue, lin: exact.Lin{}, rep: unsigned}
		if o.rest == initBytes {
			w, known := s.b.constantAt(s.st, o.global.T, o.global.Init, at, ir.Int(8))
			if want = w; !known {
				continue
			}
		}
		if err := s.match(want, s.v.Load(to, at, ir.Int(8)), 8); !in[at] && err != nil {
			return fmt.Errorf("the byte at %d: %w", at, err)
		}
	}
	return nil
}

func (s *shadow) eval(e exact.Lin) (exact.Int, bool) {
	e = s.st.know.plain(e)
	for _, t := range e.Terms {
		if _, ok := s.value[t.Var]; !ok {
			return exact.Int{}, false
		}
	}
	return e.Eval(func(v exact.Var) exact.Int { return s.value[v] }), true
}

// position names where a run is as state.position does.
func position(v interp.View) string {
	ctx := ""
	n := v.Frames() - 1
	for i := 1; i <= n; i++ {
		_, call := v.At(i)
		ctx += fmt.Sprintf("%s.%d>", call.Block.Func.Name, call.ID)
	}
	blk, _ := v.At(n)
	return fmt.Sprintf("%s%s.%d.%d", ctx, blk.Func.Name, blk.Index, firstNonPhi(blk))
}

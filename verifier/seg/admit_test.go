package seg

import (
	"errors"
	"fmt"

	"github.com/firmproof/firmproof/verifier/exact"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/solve/linear"
)

// admission compares an abstract state t with a machine state, value by value.
type admission struct {
	c     *concrete
	t     *state
	value map[exact.Var]exact.Int // of numbers that are known
	rows  []linear.Row
}

// objects finds for each object of the state that of the machine.
func (a *admission) objects() error {
	c, taken := a.c, map[*blob]bool{}
	for _, p := range c.blobs {
		taken[p] = true
	}
	for _, p := range c.globals {
		taken[p] = true
	}
	for _, id := range a.t.order {
		o := a.t.objs[id]
		if o.list != nil {
			return errors.New("a list")
		}
		p := c.blobs[id]
		switch {
		case p != nil:
		case o.global != nil:
			p = c.global(o.global)
		default:
			for _, q := range c.bytewise.blobs {
				if !taken[q] {
					p, taken[q] = q, true
				}
			}
		}
		if p == nil || p.gone {
			return fmt.Errorf("%s is not there", o.name)
		}
		c.blobs[id] = p
		if err := a.is(o.size, exact.I(int64(len(p.bytes)))); err != nil {
			return fmt.Errorf("size of %s: %w", o.name, err)
		}
		if o.base >= 0 {
			if err := a.is(exact.V(o.base), exact.I(int64(p.at))); err != nil {
				return fmt.Errorf("address of %s: %w", o.name, err)
			}
		}
	}
	return nil
}

// is notes that e has the value n.
func (a *admission) is(e exact.Lin, n exact.Int) error {
	rest := exact.Lin{Const: e.Const.Sub(n)}
	for _, t := range e.Terms {
		if v, ok := a.value[t.Var]; ok {
			rest.Const = rest.Const.Add(v.Mul(t.Coef))
		} else {
			rest = rest.AddScaled(t.Coef, exact.V(t.Var))
		}
	}
	switch {
	case len(rest.Terms) == 0 && !rest.Const.IsZero():
		return fmt.Errorf("%s, not %s", n, e)
	case len(rest.Terms) == 1 && rest.Terms[0].Coef.Abs().IsOne():
		a.value[rest.Terms[0].Var] = rest.Const.Neg().Mul(rest.Terms[0].Coef)
	case len(rest.Terms) > 0:
		a.rows = append(a.rows, linear.Equals(rest))
	}
	return nil
}

func (a *admission) eval(e exact.Lin) (exact.Int, bool) {
	c := concrete{value: a.value}
	return c.eval(a.t.know.plain(e))
}

func (a *admission) match(v value, t *ir.Type, w word) error {
	bits := bitsOf(&a.c.m.Layout, t)
	if v.kind == aggValue {
		for i := range min(len(v.agg), len(w.elems)) {
			if err := a.match(v.agg[i], t.ElemAt(i), w.elems[i]); err != nil {
				return err
			}
		}
		return nil
	}
	if w.n == nil || bits == 0 || w.unset {
		return nil
	}
	signed1 := exact.FromBig(signedOf(w.n, bits))
	switch v.kind {
	case intValue:
		if v.rep == anyRep && signed1.Sign() < 0 {
			return fmt.Errorf("%s, not %s", signed1, v.lin)
		}
		if v.rep == unsigned {
			return a.is(v.lin, exact.FromBig(w.n))
		}
		return a.is(v.lin, signed1)
	case ptrValue:
		p := a.c.blobs[v.obj]
		if a.t.objs[v.obj] == nil || p == nil {
			return nil
		}
		return a.is(v.lin, exact.FromBig(w.n).Sub(exact.I(int64(p.at))))
	case funcValue:
		if w.n.Uint64() != a.c.funcs[v.fn] {
			return errors.New("not " + v.fn.Name)
		}
	case boolValue:
		cond := v.cond
		if w.n.Sign() == 0 {
			cond = cond.not()
		}
		n, ok := a.eval(cond.lin)
		switch {
		case cond.rel == relAny:
		case cond.rel == relGE:
			a.rows = append(a.rows, linear.AtLeast(cond.lin))
		case cond.rel == relEQ:
			return a.is(cond.lin, exact.Int{})
		case ok && n.IsZero():
			return errors.New("another truth value")
		}
	}
	return nil
}

// content compares the bytes of an object with its cells, and with what is said of the rest.
func (a *admission) content(o *object) error {
	p := a.c.blobs[o.id]
	held := make([]bool, len(p.bytes))
	for _, x := range o.cells {
		at, ok := a.eval(x.off)
		if !ok {
			return nil
		}
		off, fits := at.Int64()
		if !fits || off < 0 || off+x.size > int64(len(p.bytes)) {
			continue // nothing is said of bytes that are not there
		}
		t := ir.Int(int(8 * x.size))
		if err := a.match(x.val, t, a.c.get(t, p.bytes[off:])); err != nil {
			return fmt.Errorf("at %d: %w", off, err)
		}
		for n := range x.size {
			held[off+n] = true
		}
	}
	for n := range p.bytes {
		if !p.set[n] && o.written.covers(exact.C(int64(n)), 1) {
			return fmt.Errorf("byte %d has no value", n)
		}
	}
	want := make([]byte, len(p.bytes))
	switch o.rest {
	case initBytes:
		if a.c.image(o.global.T, o.global.Init, want, a.c.global) != nil {
			return nil
		}
		fallthrough
	case zeroBytes:
		for n := range want {
			if !held[n] && want[n] != p.bytes[n] {
				return fmt.Errorf("byte %d is %d, not %d", n, p.bytes[n], want[n])
			}
		}
	}
	return nil
}

// admits reports why t does not stand for the machine state; nil if it does.
func (c *concrete) admits(t *state, moved int) error {
	if t.know.bad || len(t.frames) != len(c.frames) {
		return errors.New("no such state")
	}
	a := &admission{c: c, t: t, value: map[exact.Var]exact.Int{}}
	for v, n := range c.value {
		a.value[v] = n
	}
	for n, f := range t.frames {
		g := c.frames[n]
		if idx := f.idx; f.blk != g.blk || n < len(t.frames)-1 && idx != g.idx || n == len(t.frames)-1 && idx+moved != g.idx {
			return errors.New("another place")
		}
	}
	if err := a.objects(); err != nil {
		return err
	}
	for n, f := range t.frames {
		for _, v := range sortedValues(f.vals) {
			if err := a.match(f.vals[v], v.Type(), c.frames[n].regs[v]); err != nil {
				return fmt.Errorf("%s: %w", c.b.nameOf(v), err)
			}
		}
	}
	for _, id := range t.order {
		if err := a.content(t.objs[id]); err != nil {
			return fmt.Errorf("in %s: %w", t.objs[id].name, err)
		}
	}
	if sat(t.know, append(fixed(a.value), a.rows...)) == linear.Unsat {
		return errors.New("what the state knows is not so")
	}
	return nil
}

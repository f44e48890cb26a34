package certify

import (
	"errors"
	"fmt"

	"github.com/firmproof/firmproof/verifier/exact"
)

// match proves that a place that holds s in the source may hold t in the target.
func (k *check) match(t, s Value, width int) error {
	switch t.Kind {
	case Opaque:
		return nil
	case Truth:
		if s.Kind == Truth && s.True == t.True {
			return nil
		}
		return errors.New("a condition with another outcome")
	case Function:
		if s.Kind == Function && s.Func == t.Func {
			return nil
		}
		return errors.New("another function")
	case Pointer:
		return k.pointer(t, s)
	case Number:
		return k.number(t, s, width)
	}
	return errors.New("a value that a generalised state cannot hold")
}

// number proves that t is the number s, or the address that s is.
func (k *check) number(t, s Value, width int) error {
	switch s.Kind {
	case Number:
		return k.sameBits(t, s.Lin, s.Reading, width)
	case Pointer:
		return k.address(t, s, width)
	case Opaque:
		return k.anything(t, width)
	}
	return errors.New("a number in place of something else")
}

// address proves that t is the address that pointer s is.
func (k *check) address(t, s Value, width int) error {
	x, given := k.instance(t.Lin)
	if o := k.e.From.Objects[s.Object]; o == nil || o.List != nil || !given {
		return k.anything(t, width)
	}
	if _, ok := k.baseOf(s.Object); !ok && !k.sameBase(x.Sub(s.Lin), s.Object) {
		return k.anything(t, width)
	}
	base, _ := k.baseOf(s.Object)
	return k.sameBits(t, base.Add(s.Lin), Unsigned, width)
}

// sameBits proves that t has the bits of x in a reading.
func (k *check) sameBits(t Value, x exact.Lin, as Reading, width int) error {
	if t.Reading == as || as == Either || k.e.Unbounded || t.Reading == Either && k.shared(x, width) {
		if k.same(t.Lin, x) {
			return nil
		}
	}
	y, ok := k.instance(t.Lin)
	if !ok {
		return errors.New("a number in another reading, without a value")
	}
	// the same bits: they differ by a multiple of 2^width, and y is in the range of its reading
	size := exact.I(2).Pow(width)
	d := k.k.plain(y.Sub(x))
	for _, term := range d.Terms {
		if !term.Coef.FloorDiv(size).Mul(size).Equal(term.Coef) {
			return fmt.Errorf("another number: %s, not %s", y, x)
		}
	}
	if !d.Const.FloorDiv(size).Mul(size).Equal(d.Const) {
		return fmt.Errorf("another number: %s, not %s", y, x)
	}
	lo, hi := limits(width, t.Reading)
	if !k.between(y, lo, hi) {
		return errors.New("a number outside the range of its reading")
	}
	return nil
}

// shared: x is in the range that both readings of width bits share.
func (k *check) shared(x exact.Lin, width int) bool {
	lo, hi := limits(width, Either)
	return k.between(x, lo, hi)
}

func (k *check) between(x exact.Lin, lo, hi exact.Int) bool {
	return k.Within(k.k, x, Interval{Lo: lo, Hi: hi, HasLo: true, HasHi: true})
}

// limits are the least and the greatest number of width bits in a reading.
func limits(width int, as Reading) (exact.Int, exact.Int) {
	top := exact.I(2).Pow(width)
	half := exact.I(2).Pow(width - 1)
	switch as {
	case Signed:
		return half.Neg(), half.Add(exact.I(-1))
	case Unsigned:
		return exact.Int{}, top.Add(exact.I(-1))
	}
	return exact.Int{}, half.Add(exact.I(-1))
}

// anything proves that t may be any number of its reading: it is a variable on which no other fact
// rests, or one that stands for such a variable of the source.
func (k *check) anything(t Value, width int) error {
	if len(t.Lin.Terms) != 1 || !t.Lin.Const.IsZero() || !t.Lin.Terms[0].Coef.IsOne() {
		return errors.New("a number of which the path knows nothing")
	}
	v := t.Lin.Terms[0].Var
	as := t.Reading
	if as == Either {
		as = Signed // any bits; a reading has to be chosen for them
	}
	lo, hi := limits(width, as)
	any := Interval{Lo: lo, Hi: hi, HasLo: !k.e.Unbounded, HasHi: !k.e.Unbounded}
	x, ok := k.value[v]
	if !ok {
		if _, again := k.chosen[v]; again {
			return errors.New("two places hold one unknown number")
		}
		k.chosen[v] = any
		return nil
	}
	if len(x.Terms) != 1 || !x.Const.IsZero() || !x.Terms[0].Coef.IsOne() {
		return fmt.Errorf("a number of which the path knows nothing has the value %s", x)
	}
	w := x.Terms[0].Var
	if k.placed[w] || k.ruled[w] || k.used[w] || !k.k.Intervals[w].contains(any) {
		return errors.New("a number of which the path knows nothing is related to others")
	}
	k.used[w] = true
	return nil
}

package solve

import (
	"github.com/firmproof/firmproof/verifier/bits"
	"github.com/firmproof/firmproof/verifier/ilr"
	"github.com/firmproof/firmproof/verifier/solve/sat"
)

type lookup = func(sat.Lit) bool

// evaluation computes terms under one SAT model: variables and selects that the
// SAT solver knows have its bits; other variables are 0; other selects are read
// by walking down their arrays.
type evaluation struct {
	a       *arrays
	val     lookup
	memo    map[ilr.Term]bits.Vec
	clashes [][2]ilr.Term
}

func newEvaluation(a *arrays, val lookup) *evaluation {
	return &evaluation{a: a, val: val, memo: map[ilr.Term]bits.Vec{}}
}

// value returns the value of t; it is iterative except through unknown selects.
func (e *evaluation) value(t ilr.Term) bits.Vec {
	if v, ok := e.memo[t]; ok {
		return v
	}
	s := e.a.s
	stack := []ilr.Term{t}
	args := make([]bits.Vec, 0, 3)
	for len(stack) > 0 {
		e.a.b.Tick()
		u := stack[len(stack)-1]
		if _, ok := e.memo[u]; ok {
			stack = stack[:len(stack)-1]
			continue
		}
		if v, ok := e.leaf(u); ok {
			e.memo[u] = v
			continue
		}
		n := len(stack)
		args = args[:0]
		for i := 0; i < s.NumArgs(u); i++ {
			v, ok := e.memo[s.Arg(u, i)]
			if !ok {
				stack = append(stack, s.Arg(u, i))
			}
			args = append(args, v)
		}
		if len(stack) == n {
			e.memo[u] = s.Apply(u, args)
			stack = stack[:len(stack)-1]
		}
	}
	return e.memo[t]
}

func (e *evaluation) leaf(u ilr.Term) (bits.Vec, bool) {
	s := e.a.s
	switch s.Kind(u) {
	case ilr.KVar:
		if e.a.b.Has(u) {
			return e.a.b.InputValue(u, e.val), true
		}
		return bits.New(max(1, s.Width(u)), 0), true
	case ilr.KSelect:
		if e.a.b.Has(u) {
			e.a.depend(u)
			return e.a.b.InputValue(u, e.val), true
		}
		v, known := e.read(u, false)
		if !known { // first to look there: any value will do
			v = bits.New(s.Width(u), 0)
		}
		return v, true
	}
	return bits.Vec{}, false
}

// read walks from select t down to the element it names. At an array variable it
// answers the element's value if a walk has ended there before; otherwise, and
// when the values differ, the cell is t's own or the clash is noted, and known is
// false. blasted says whether t has bits.
func (e *evaluation) read(t ilr.Term, blasted bool) (v bits.Vec, known bool) {
	s := e.a.s
	arr, i := s.Arg(t, 0), e.value(s.Arg(t, 1))
	arg := func(n int) bits.Vec { return e.value(s.Arg(arr, n)) }
	for {
		e.a.b.Tick()
		if r := e.a.runOf(arr); r != nil {
			if v := r.at(i); v != 0 {
				return e.value(v), true
			}
			arr = r.base
			continue
		}
		down := s.Kind(arr) != ilr.KVar && s.NumArgs(arr) > 0
		switch s.Kind(arr) {
		case ilr.KVar:
			return e.cell(arr, i, t, blasted)
		case ilr.KArrTable:
			return s.TableAt(arr, i), true
		case ilr.KArrConst:
			return arg(0), true
		case ilr.KIte:
			if !arg(0).IsOne() {
				arr = s.Arg(arr, 2)
			} else {
				arr = s.Arg(arr, 1)
			}
			continue
		case ilr.KStore:
			if arg(1) == i {
				return arg(2), true
			}
		case ilr.KArrSet:
			if bits.Ult(bits.Sub(i, arg(1)), arg(2)) {
				return arg(3), true
			}
		case ilr.KArrCopy:
			if d := bits.Sub(i, arg(1)); bits.Ult(d, arg(4)) {
				i = bits.Add(d, arg(3))
				arr = s.Arg(arr, 2)
				continue
			}
		}
		if !down {
			panic("solve: read of " + s.Kind(arr).String())
		}
		arr = s.Arg(arr, 0)
	}
}

func (e *evaluation) cell(arr ilr.Term, i bits.Vec, t ilr.Term, blasted bool) (bits.Vec, bool) {
	cells := e.a.cells[arr]
	if cells == nil {
		cells = map[bits.Vec]cell{}
		e.a.cells[arr] = cells
	}
	c, ok := cells[i]
	switch {
	case !ok && blasted:
		cells[i] = cell{e.value(t), t}
		return bits.Vec{}, false
	case !ok:
		cells[i] = cell{bits.New(e.a.s.Width(arr), 0), t}
		return bits.Vec{}, false
	case blasted && c.value != e.value(t):
		e.clashes = append(e.clashes, [2]ilr.Term{c.owner, t})
		return bits.Vec{}, false
	}
	return c.value, true
}

package ilr

import (
	"fmt"

	"github.com/firmproof/firmproof/verifier/bits"
)

// Model assigns values to variables. What it does not mention is 0 (false).
type Model struct {
	BV     map[Term]bits.Vec // Bool variables have width 1
	Arrays map[Term]*ArrayValue
}

// ArrayValue is an array with finitely many exceptions from a default.
type ArrayValue struct {
	Elems   map[bits.Vec]bits.Vec
	Default bits.Vec
}

// At returns element i.
func (a *ArrayValue) At(i bits.Vec) bits.Vec {
	if v, ok := a.Elems[i]; ok {
		return v
	}
	return a.Default
}

// Evaluator computes values of terms under one model, remembering them.
type Evaluator struct {
	s      *Store
	m      Model
	values [][]bits.Vec // by number of the term, so many each; no width: not computed. nil: none of them is
	float  FloatEval
	args   []bits.Vec
}

// valuesAtOnce is how many terms made one after the other have their values beside each other: a question is of few of a
// formula's terms, and of their neighbours.
const valuesAtOnce Term = 128

// value returns what was computed of t; else it has no width.
func (e *Evaluator) value(t Term) bits.Vec {
	if i := int(t / valuesAtOnce); i < len(e.values) && e.values[i] != nil {
		return e.values[i][t%valuesAtOnce]
	}
	return bits.Vec{}
}

func (e *Evaluator) set(t Term, v bits.Vec) {
	if v.Width() == 0 {
		panic(fmt.Sprintf("ilr: no value of %s", e.s.Kind(t)))
	}
	i := int(t / valuesAtOnce)
	if n := i + 1 - len(e.values); n > 0 {
		e.values = append(e.values, make([][]bits.Vec, n)...)
	}
	if e.values[i] == nil {
		e.values[i] = make([]bits.Vec, valuesAtOnce)
	}
	e.values[i][t%valuesAtOnce] = v
}

// FloatEval computes a floating-point kind on constant arguments; w is the result's width (1 for comparisons).
type FloatEval func(k Kind, rm RoundingMode, w int, args []bits.Vec) bits.Vec

// NewEvaluator evaluates terms of s under m; float nil is EvalFloat.
func (s *Store) NewEvaluator(m Model, float FloatEval) *Evaluator {
	return &Evaluator{s: s, m: m, float: float}
}

// Eval returns the value of t under m.
func (s *Store) Eval(t Term, m Model) bits.Vec { return s.NewEvaluator(m, nil).Value(t) }

// Value returns the value of a Bool (width 1) or bit-vector term. Iterative in the depth of the term.
func (e *Evaluator) Value(t Term) bits.Vec {
	stack := []Term{t}
	for len(stack) > 0 {
		u := stack[len(stack)-1]
		if e.Known(u) {
			stack = stack[:len(stack)-1]
			continue
		}
		n := len(stack)
		for i := 0; i < e.s.NumArgs(u); i++ {
			a := e.s.Arg(u, i)
			if !e.Known(a) && e.s.Sort(a).Kind != SortArray {
				stack = append(stack, a)
			}
		}
		if len(stack) == n {
			e.set(u, e.one(u))
			stack = stack[:len(stack)-1]
		}
	}
	return e.value(t)
}

// Known reports whether the value of t was asked for already, or is a part of one that was.
func (e *Evaluator) Known(t Term) bool {
	return e.value(t).Width() > 0
}

// Holds reports whether the Bool t is true.
func (e *Evaluator) Holds(t Term) bool { return e.Value(t).IsOne() }

// one computes the value of u from those of its arguments that are no arrays.
func (e *Evaluator) one(u Term) bits.Vec {
	s := e.s
	switch k := s.Kind(u); {
	case k == KVar:
		if v, ok := e.m.BV[u]; ok {
			return v
		}
		return bits.New(max(1, s.Width(u)), 0)
	case k == KSelect:
		return e.element(s.Arg(u, 0), e.value(s.Arg(u, 1)))
	}
	args := e.args[:0]
	for i := 0; i < s.NumArgs(u); i++ {
		args = append(args, e.value(s.Arg(u, i)))
	}
	e.args = args
	if e.float != nil && s.Kind(u) >= KFAdd {
		return e.float(s.Kind(u), RoundingMode(s.Imm(u)), max(1, s.Width(u)), args)
	}
	return s.Apply(u, args)
}

// Apply returns the value of t, which is no variable, select or array, for values of its arguments.
func (s *Store) Apply(t Term, args []bits.Vec) bits.Vec {
	switch k := s.Kind(t); k {
	case KTrue:
		return bits.Bool(true)
	case KFalse:
		return bits.Bool(false)
	case KConst:
		v, _ := s.ConstVal(t)
		return v
	case KNot:
		return bits.Not(args[0])
	case KAnd:
		return bits.And(args[0], args[1])
	case KEq:
		return bits.Bool(args[0] == args[1])
	case KIte:
		if args[0].IsOne() {
			return args[1]
		}
		return args[2]
	case KExtract:
		hi, lo := s.bounds(t)
		return bits.Extract(args[0], hi, lo)
	case KZext:
		return bits.Zext(args[0], s.Width(t))
	case KSext:
		return bits.Sext(args[0], s.Width(t))
	case KBvNot, KNeg:
		return foldUnary(k, args[0])
	case KUlt, KSlt, KUaddO, KSaddO, KSsubO, KUmulO, KSmulO:
		return bits.Bool(foldPred(k, args[0], args[1]))
	default:
		if k >= KFAdd {
			return EvalFloat(k, RoundingMode(s.Imm(t)), max(1, s.Width(t)), args)
		}
		return foldBinary(k, args[0], args[1])
	}
}

// element returns element i of array term a, walking down its updates.
func (e *Evaluator) element(a Term, i bits.Vec) bits.Vec {
	s := e.s
	for {
		switch s.Kind(a) {
		case KVar:
			if v := e.m.Arrays[a]; v != nil {
				return v.At(i)
			}
			return bits.New(s.Width(a), 0)
		case KArrConst:
			return e.Value(s.Arg(a, 0))
		case KArrTable:
			return s.TableAt(a, i)
		case KIte:
			if e.Holds(s.Arg(a, 0)) {
				a = s.Arg(a, 1)
			} else {
				a = s.Arg(a, 2)
			}
		case KStore:
			if e.Value(s.Arg(a, 1)) == i {
				return e.Value(s.Arg(a, 2))
			}
			a = s.Arg(a, 0)
		case KArrSet:
			if bits.Ult(bits.Sub(i, e.Value(s.Arg(a, 1))), e.Value(s.Arg(a, 2))) {
				return e.Value(s.Arg(a, 3))
			}
			a = s.Arg(a, 0)
		case KArrCopy:
			d := bits.Sub(i, e.Value(s.Arg(a, 1)))
			if bits.Ult(d, e.Value(s.Arg(a, 4))) {
				i = bits.Add(d, e.Value(s.Arg(a, 3)))
				a = s.Arg(a, 2)
			} else {
				a = s.Arg(a, 0)
			}
		default:
			panic(fmt.Sprintf("ilr: %s is no array", s.Kind(a)))
		}
	}
}

// Array returns the value of array variable t; nil when the model does not mention it.
func (e *Evaluator) Array(t Term) *ArrayValue { return e.m.Arrays[t] }

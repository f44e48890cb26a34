package encode

import (
	mbits "math/bits"

	"github.com/firmproof/firmproof/verifier/bits"
	"github.com/firmproof/firmproof/verifier/encode/memory"
	"github.com/firmproof/firmproof/verifier/ilr"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// intrinsic evaluates LLVM's intrinsics on integers and the bookkeeping ones.
func (c *modelCall) intrinsic(m ir.Model) (memory.Val, bool) {
	e, st := c.encoder, c.st
	if v, ok := c.overflowing(m); ok {
		return v, true
	}
	switch m {
	case ir.ModelExpect:
		return c.args[0], true
	case ir.ModelAssumeI:
		e.checkDefined(c.fr, st, c.in, c.args[0], "assumption")
		if st.PC != nil {
			e.claimNot(c.fr, st, c.in, verdict.Builtin, e.s.Not(e.Cond(c.args[0])), true,
				"assumption given to the compiler is false")
		}
		return memory.Val{}, true
	case ir.ModelObjSizeI:
		return c.objectSize(), true
	case ir.ModelIsConst:
		return c.number(0), true
	case ir.ModelLifetimeStart:
		c.lifetime(true)
		return memory.Val{}, true
	case ir.ModelLifetimeEnd:
		c.lifetime(false)
		return memory.Val{}, true
	case ir.ModelStackSave:
		return memory.Val{Ptr: e.IntPtr(e.s.Int(e.w, int64(len(c.fr.objs))))}, true
	case ir.ModelStackRestore:
		c.stackRestore()
		return memory.Val{}, true
	}
	if f := laneModels[m]; f != nil {
		c.laneClaims(m)
		if st.PC == nil {
			return memory.Val{}, true
		}
		return c.lanes(f), true
	}
	return memory.Val{}, false
}

// laneClaims are the claims of intrinsics whose second argument makes an
// argument poisonous: the count of zeros of 0, the absolute value of the smallest.
func (c *modelCall) laneClaims(m ir.Model) {
	if m != ir.ModelCtlz && m != ir.ModelCttz && m != ir.ModelAbsI || len(c.args) < 2 ||
		!c.s.IsTrue(c.Cond(c.args[1])) {
		return
	}
	lanes := []memory.Val{c.args[0]}
	if c.args[0].Elems != nil {
		lanes = c.args[0].Elems
	}
	bad := c.any(lanes, lanes, func(x, _ ilr.Term) ilr.Term {
		if m == ir.ModelAbsI {
			return c.Eq(x, c.s.Const(bits.MinSigned(c.s.Width(x))))
		}
		return c.Eq(x, c.s.Int(c.s.Width(x), 0))
	})
	if m == ir.ModelAbsI {
		c.claimNot(c.fr, c.st, c.in, verdict.SignedOverflow, bad, false, "absolute value overflows")
		return
	}
	c.claimNot(c.fr, c.st, c.in, verdict.Builtin, bad, false, c.name+" of 0")
}

// lanes applies f to a scalar, or to each lane of vectors.
func (c *modelCall) lanes(f func(c *modelCall, a []memory.Val, w int) ilr.Term) memory.Val {
	one := func(a []memory.Val, t *ir.Type) memory.Val {
		r := f(c, a, t.Width)
		v := memory.Val{Term: r}
		if t.Kind == ir.KindInt && c.s.Sort(r) != ilr.Bool {
			v = c.Scalar(r)
		}
		v.Undef = c.laneShadow(f, a, t.Width)
		return v
	}
	t := c.in.T
	if t.Kind != ir.KindVector {
		return one(c.args, t)
	}
	out := memory.Val{Elems: make([]memory.Val, t.Len)}
	for i := range out.Elems {
		a := make([]memory.Val, len(c.args))
		for k, x := range c.args {
			a[k] = x
			if x.Elems != nil {
				a[k] = x.Elems[i]
			}
		}
		out.Elems[i] = one(a, t.Elem)
	}
	return out
}

// laneShadow is the mask of f(a), of width w: bits that are only moved take it along.
func (c *modelCall) laneShadow(f func(c *modelCall, a []memory.Val, w int) ilr.Term, a []memory.Val, w int) ilr.Term {
	masks, some := make([]memory.Val, len(a)), ilr.Term(0)
	for i, x := range a {
		some = c.spreadOver(w, some, x.Undef)
		masks[i] = memory.Val{Term: c.orNone(x.Undef, w)}
	}
	if some == 0 {
		return 0
	}
	switch c.in.Model {
	case ir.ModelBswap, ir.ModelBitrev:
		return c.Tidy(f(c, masks[:1], w))
	case ir.ModelFshl, ir.ModelFshr:
		return c.Tidy(c.shiftedBy(a[2], f(c, []memory.Val{masks[0], masks[1], a[2]}, w)))
	}
	return some
}

func (e *encoder) orNone(u ilr.Term, w int) ilr.Term {
	if u == 0 {
		return e.s.Int(w, 0)
	}
	return u
}

// laneModels are LangRef's bit manipulation, saturation and min/max intrinsics.
var laneModels = map[ir.Model]func(c *modelCall, a []memory.Val, w int) ilr.Term{
	ir.ModelSaddSat: (*modelCall).satSigned, ir.ModelSsubSat: (*modelCall).satSigned,
	ir.ModelUaddSat: func(c *modelCall, a []memory.Val, w int) ilr.Term {
		x, y := c.Num(a[0]), c.Num(a[1])
		return c.s.Ite(c.s.UaddO(x, y), c.s.Int(w, -1), c.s.Add(x, y))
	},
	ir.ModelUsubSat: func(c *modelCall, a []memory.Val, w int) ilr.Term {
		x, y := c.Num(a[0]), c.Num(a[1])
		return c.s.Ite(c.s.Ult(x, y), c.s.Int(w, 0), c.s.Sub(x, y))
	},
	ir.ModelUshlSat: func(c *modelCall, a []memory.Val, w int) ilr.Term {
		x, y := c.Num(a[0]), c.Num(a[1])
		r := c.s.Shl(x, y)
		return c.s.Ite(c.Eq(c.s.Lshr(r, y), x), r, c.s.Int(w, -1))
	},
	ir.ModelSshlSat: func(c *modelCall, a []memory.Val, w int) ilr.Term {
		x, y := c.Num(a[0]), c.Num(a[1])
		r := c.s.Shl(x, y)
		return c.s.Ite(c.Eq(c.s.Ashr(r, y), x), r, c.saturated(x, w))
	},
	ir.ModelCtpop: func(c *modelCall, a []memory.Val, w int) ilr.Term { return c.popcount(c.Num(a[0])) },
	ir.ModelCtlz: func(c *modelCall, a []memory.Val, w int) ilr.Term {
		x, r := c.Num(a[0]), c.s.Int(w, int64(w))
		for i := 0; i < w; i++ {
			r = c.s.Ite(c.Bit(c.s.Extract(x, i, i)), c.s.Int(w, int64(w-1-i)), r)
		}
		return r
	},
	ir.ModelCttz: func(c *modelCall, a []memory.Val, w int) ilr.Term {
		x, r := c.Num(a[0]), c.s.Int(w, int64(w))
		for i := w - 1; i >= 0; i-- {
			r = c.s.Ite(c.Bit(c.s.Extract(x, i, i)), c.s.Int(w, int64(i)), r)
		}
		return r
	},
	ir.ModelBswap: func(c *modelCall, a []memory.Val, w int) ilr.Term {
		x := c.Num(a[0])
		r := c.s.Extract(x, 7, 0)
		for i := 8; i < w; i += 8 {
			r = c.s.Concat(r, c.s.Extract(x, i+7, i))
		}
		return r
	},
	ir.ModelBitrev: func(c *modelCall, a []memory.Val, w int) ilr.Term {
		x := c.Num(a[0])
		r := c.s.Extract(x, 0, 0)
		for i := 1; i < w; i++ {
			r = c.s.Concat(r, c.s.Extract(x, i, i))
		}
		return r
	},
	ir.ModelFshl: func(c *modelCall, a []memory.Val, w int) ilr.Term { return c.funnel(a, w, true) },
	ir.ModelFshr: func(c *modelCall, a []memory.Val, w int) ilr.Term { return c.funnel(a, w, false) },
	ir.ModelAbsI: func(c *modelCall, a []memory.Val, w int) ilr.Term {
		x := c.Num(a[0])
		return c.s.Ite(c.s.Slt(x, c.s.Int(w, 0)), c.s.Neg(x), x)
	},
	ir.ModelSmax: func(c *modelCall, a []memory.Val, w int) ilr.Term {
		x, y := c.Num(a[0]), c.Num(a[1])
		return c.s.Ite(c.s.Slt(x, y), y, x)
	},
	ir.ModelSmin: func(c *modelCall, a []memory.Val, w int) ilr.Term {
		x, y := c.Num(a[0]), c.Num(a[1])
		return c.s.Ite(c.s.Slt(y, x), y, x)
	},
	ir.ModelUmax: func(c *modelCall, a []memory.Val, w int) ilr.Term {
		x, y := c.Num(a[0]), c.Num(a[1])
		return c.s.Ite(c.s.Ult(x, y), y, x)
	},
	ir.ModelUmin: func(c *modelCall, a []memory.Val, w int) ilr.Term {
		x, y := c.Num(a[0]), c.Num(a[1])
		return c.s.Ite(c.s.Ult(y, x), y, x)
	},
}

func (c *modelCall) satSigned(a []memory.Val, w int) ilr.Term {
	x, y := c.Num(a[0]), c.Num(a[1])
	if c.in.Model == ir.ModelSsubSat {
		return c.s.Ite(c.s.SsubO(x, y), c.saturated(x, w), c.s.Sub(x, y))
	}
	return c.s.Ite(c.s.SaddO(x, y), c.saturated(x, w), c.s.Add(x, y))
}

// saturated is the end of the range on x's side.
func (e *encoder) saturated(x ilr.Term, w int) ilr.Term {
	return e.s.Ite(e.s.Slt(x, e.s.Int(w, 0)), e.s.Const(bits.MinSigned(w)), e.s.Const(bits.MaxSigned(w)))
}

func (e *encoder) popcount(x ilr.Term) ilr.Term {
	w := e.s.Width(x)
	k := mbits.Len64(uint64(w))
	var sum func(lo, n int) ilr.Term
	sum = func(lo, n int) ilr.Term {
		if n == 1 {
			return e.s.Zext(e.s.Extract(x, lo, lo), max(k, 1))
		}
		return e.s.Add(sum(lo, n/2), sum(lo+n/2, n-n/2))
	}
	r := sum(0, w)
	if e.s.Width(r) > w {
		return e.s.Trunc(r, w)
	}
	return e.s.Zext(r, w)
}

// funnel shifts the concatenation of two values (LangRef: llvm.fshl, llvm.fshr).
func (c *modelCall) funnel(a []memory.Val, w int, left bool) ilr.Term {
	n := c.s.Urem(c.Num(a[2]), c.s.Const(bits.New(w, uint64(w))))
	both := c.s.Concat(c.Num(a[0]), c.Num(a[1]))
	wide := c.s.Zext(n, 2*w)
	if left {
		return c.s.Extract(c.s.Shl(both, wide), 2*w-1, w)
	}
	return c.s.Trunc(c.s.Lshr(both, wide), w)
}

// overflowing evaluates the with.overflow intrinsics: {result, i1}.
func (c *modelCall) overflowing(m ir.Model) (memory.Val, bool) {
	var op ir.Op
	var test func(x, y ilr.Term) ilr.Term
	switch m {
	case ir.ModelSaddO:
		op, test = ir.OpAdd, c.s.SaddO
	case ir.ModelUaddO:
		op, test = ir.OpAdd, c.s.UaddO
	case ir.ModelSsubO:
		op, test = ir.OpSub, c.s.SsubO
	case ir.ModelUsubO:
		op, test = ir.OpSub, c.s.UsubO
	case ir.ModelSmulO:
		op, test = ir.OpMul, c.s.SmulO
	case ir.ModelUmulO:
		op, test = ir.OpMul, c.s.UmulO
	default:
		return memory.Val{}, false
	}
	if c.args[0].Elems != nil {
		return memory.Val{}, false
	}
	a, b := c.args[0], c.args[1]
	t := c.in.T.Fields[0]
	r := c.binaryResult(op, a, b, t)
	o := memory.Val{Term: test(c.Num(a), c.Num(b))}
	o.Undef = c.spreadOver(1, a.Undef, b.Undef)
	return memory.Val{Elems: []memory.Val{r, o}}, true
}

// objectSize is llvm.objectsize's answer for an object that the optimiser does
// not know: -1, or 0 where the minimum is asked for.
func (c *modelCall) objectSize() memory.Val {
	if k, ok := c.in.Args[1].(*ir.Const); ok && k.Kind == ir.ConstInt && !k.Bits.IsZero() {
		return c.number(0)
	}
	return c.number(-1)
}

// lifetime marks the begin and the end of a local object's scope. At the begin
// its contents are indeterminate again.
func (c *modelCall) lifetime(start bool) {
	e, st := c.encoder, c.st
	p := c.args[len(c.args)-1].Ptr
	a, ok := p.Only()
	if !ok || a.Object == nil || a.Object.Kind != memory.ObjStack {
		return
	}
	k := st.Get(a.Object)
	if k == nil {
		return
	}
	if start {
		e.Begin(st, a.Object, &memory.Content{Live: e.s.True(), Base: a.Object.First})
		return
	}
	d := *k
	d.Live = e.s.False()
	st.Put(a.Object, &d)
}

// stackRestore ends what the function allocated since the matching stacksave,
// which left the number of its objects in the saved value.
func (c *modelCall) stackRestore() {
	a, ok := c.args[0].Ptr.Only()
	n, known := c.ConstOf(a.Off)
	if !ok || !known || a.Object != nil || n > uint64(len(c.fr.objs)) {
		c.gap(c.st, c.in, verdict.Unsupported, "llvm.stackrestore of one of several saved values")
		return
	}
	for _, o := range c.fr.objs[n:] {
		if k := c.st.Get(o); k != nil {
			d := *k
			d.Live = c.s.False()
			c.st.Put(o, &d)
		}
	}
}

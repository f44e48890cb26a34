package encode

import (
	"fmt"

	"github.com/firmproof/firmproof/verifier/encode/memory"
	"github.com/firmproof/firmproof/verifier/ilr"
	"github.com/firmproof/firmproof/verifier/input"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/policy"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// strings evaluates string.h, stdlib's abs and ctype.h (C17 7.24, 7.4).
func (c *modelCall) strings(m ir.Model) (memory.Val, bool) {
	e := c.encoder
	switch m {
	case ir.ModelStrlen:
		return c.sized(c.length(c.args[0], 0)), true
	case ir.ModelStrnlen:
		return c.sized(c.length(c.args[0], c.count(1))), true
	case ir.ModelStrcmp:
		return c.compareBytes(0, true), true
	case ir.ModelStrncmp:
		return c.compareBytes(c.count(2), true), true
	case ir.ModelMemcmp:
		n := c.count(2)
		for _, p := range c.args[:2] { // C17 7.1.4: arrays of that length, wherever they differ
			if c.st.PC != nil {
				e.checkAccess(c.fr, c.st, c.in, p, want{n: n, align: 1, what: "read"}, e.s.NonZero(n))
			}
		}
		if c.st.PC == nil {
			return memory.Val{}, true
		}
		return c.compareBytes(n, false), true
	case ir.ModelMemchr:
		return c.findByte(c.count(2), true), true
	case ir.ModelStrchr:
		return c.findByte(0, false), true
	case ir.ModelStrrchr:
		return c.findLast(), true
	case ir.ModelStrstr:
		return c.findString(), true
	case ir.ModelStrcpy, ir.ModelStrcat:
		return c.copyString(m, 0), true
	case ir.ModelStrncpy, ir.ModelStrncat:
		return c.copyString(m, c.count(2)), true
	case ir.ModelStrdup:
		return c.duplicate(), true
	case ir.ModelAbs:
		x := e.Num(c.args[0])
		w := e.s.Width(x)
		e.claimNot(c.fr, c.st, c.in, verdict.SignedOverflow, e.isSmallest(x), false,
			c.name+" of the smallest value overflows")
		v := e.Scalar(e.s.Ite(e.s.Slt(x, e.s.Int(w, 0)), e.s.Neg(x), x))
		v.Undef = e.spreadOver(w, c.args[0].Undef)
		return v, true
	case ir.ModelCtype:
		return c.ctype(), true
	case ir.ModelTruth:
		v := c.nonZero(e.s.NonZero(e.Num(c.args[0])))
		v.Undef = e.spreadOver(c.in.T.Width, c.args[0].Undef)
		return v, true
	}
	return memory.Val{}, false
}

// scan looks at the bytes behind p one after the other, with their memory
// claims, for as long as going holds. visit gets byte i and answers the condition
// for going on. limit (0: none) is the number of bytes at most.
func (c *modelCall) scan(limit ilr.Term, ps []memory.Val, visit func(i int64, going ilr.Term, b []ilr.Term) ilr.Term) {
	e := c.encoder
	going := e.s.True()
	for i := int64(0); c.st.PC != nil; i++ {
		if limit != 0 {
			going = e.s.And(going, e.s.Ult(e.s.Int(e.w, i), limit))
		}
		going = e.Decide(c.st.PC, going)
		if e.s.IsFalse(going) {
			return
		}
		soon := i >= policy.ScanFar && i >= 4*int64(e.opts.MaxUnwind) && e.opts.Unwind == 0
		if (soon || i == policy.ScanBytes) && c.endless(ps) {
			c.scanBound(going, i)
			return
		}
		if i == policy.ScanBytes {
			e.gapWhen(c.st, c.in, going, "%s over more than %d bytes", c.name, policy.ScanBytes)
			return
		}
		bs := make([]ilr.Term, len(ps))
		for k, p := range ps {
			b, ok := c.byteOf(p, i, going)
			if !ok {
				return
			}
			bs[k] = b
		}
		going = e.s.And(going, visit(i, going, bs))
	}
}

// endless reports whether nothing but a terminator ends a scan soon: one of ps
// leads into an object of unknown or great size. Such scans are bounded like loops.
func (c *modelCall) endless(ps []memory.Val) bool {
	for _, p := range ps {
		for _, a := range p.Ptr.Alts {
			if a.Object != nil && (a.Object.CSize < 0 || a.Object.CSize > policy.ScanBytes) {
				return true
			}
		}
	}
	return false
}

// scanBound ends the paths on which going holds with the claim that there are none.
func (c *modelCall) scanBound(going ilr.Term, n int64) {
	if one := c.fork(c.st, going); one != nil {
		id := fmt.Sprintf("%s@%s#%d", verdict.Unwinding, c.fr.fn.Name, len(c.fr.g.Loops)+c.fr.info.callOrdinal(c.in))
		c.addClaim(Claim{ID: id, Check: verdict.Unwinding, Pos: *c.in.Pos,
			Message: fmt.Sprintf("%s may look at more than %d bytes", c.name, n),
			Holds:   fmt.Sprintf("%s looks at no more than %d bytes", c.name, n),
			Instr:   c.in, Context: c.fr.context, Guard: one.PC.All, Violated: one.PC.All, Unguarded: one.PC.Unguarded,
			Fixed: n == policy.ScanBytes})
	}
	c.st.PC = c.And(c.st.PC, c.s.Not(going))
}

// byteOf reads byte i behind p where going holds; false when that is never valid.
func (c *modelCall) byteOf(p memory.Val, i int64, going ilr.Term) (ilr.Term, bool) {
	e := c.encoder
	at := memory.Val{Ptr: e.Shift(p.Ptr, e.s.Int(e.w, i)), Undef: p.Undef}
	ts := e.checkAccess(c.fr, c.st, c.in, at, e.wantConst(1, 1, false), going)
	if c.st.PC == nil || len(ts) == 0 {
		return 0, false
	}
	v := memory.Val{Term: e.s.Int(8, 0)}
	for k := len(ts) - 1; k >= 0; k-- {
		x := memory.Val{}
		if ts[k].vol != nil {
			e.gapWhen(c.st, c.in, e.s.And(going, ts[k].g), "%s in a volatile region", c.name)
			if c.st.PC == nil {
				return 0, false
			}
			x = memory.Val{Term: e.s.Int(8, 0)}
		} else {
			x = e.ReadAt(ts[k].obj, c.st.Get(ts[k].obj), ts[k].off, 1)
			x = memory.Val{Term: e.Num(x), Undef: x.Undef}
		}
		if k == len(ts)-1 {
			v = x
		} else {
			v = e.Pick(ts[k].g, x, v)
		}
	}
	if e.Shadow && v.Undef != 0 {
		bad := e.s.And(going, e.s.NonZero(v.Undef))
		e.claim(c.fr, c.st, c.in, verdict.Uninitialised, bad, false, "byte read by "+c.name+" is not indeterminate")
	}
	return v.Term, c.st.PC != nil
}

// length counts the bytes before the terminator, at most limit (0: no limit).
func (c *modelCall) length(p memory.Val, limit ilr.Term) ilr.Term {
	e := c.encoder
	type stop struct {
		at   int64
		here ilr.Term
	}
	var stops []stop
	c.scan(limit, []memory.Val{p}, func(i int64, going ilr.Term, b []ilr.Term) ilr.Term {
		end := e.Eq(b[0], e.s.Int(8, 0))
		stops = append(stops, stop{i, e.s.And(going, end)})
		return e.s.Not(end)
	})
	r := limit
	if limit == 0 {
		r = e.s.Int(e.w, 0)
		if len(stops) > 0 {
			r = e.s.Int(e.w, stops[len(stops)-1].at)
		}
	}
	for k := len(stops) - 1; k >= 0; k-- {
		r = e.s.Ite(stops[k].here, e.s.Int(e.w, stops[k].at), r)
	}
	return r
}

// compareBytes compares up to limit bytes (0: no limit); with str a terminator
// ends the comparison. The result is 0, or any value of the sign of the first difference (C17 7.24.4).
func (c *modelCall) compareBytes(limit ilr.Term, str bool) memory.Val {
	e := c.encoder
	less, more := e.s.False(), e.s.False()
	c.scan(limit, c.args[:2], func(_ int64, going ilr.Term, b []ilr.Term) ilr.Term {
		same := e.s.Eq(b[0], b[1])
		less = e.s.Or(less, e.s.And(going, e.s.Ult(b[0], b[1])))
		more = e.s.Or(more, e.s.And(going, e.s.Ult(b[1], b[0])))
		if str {
			same = e.s.And(same, e.s.Not(e.Eq(b[0], e.s.Int(8, 0))))
		}
		return same
	})
	if c.st.PC == nil || !c.in.T.IsInt() {
		return memory.Val{}
	}
	w := c.in.T.Width
	zero, one, minus := e.s.Int(w, 0), e.s.Int(w, 1), e.s.Int(w, -1)
	differ := e.fork(c.st, e.s.Or(less, more))
	if differ == nil {
		return e.Scalar(zero)
	}
	if c.name == "bcmp" {
		return c.nonZero(e.s.Or(less, more))
	}
	v := e.Num(e.Fresh(differ, input.Unspecified, c.in, c.in.T, c.name))
	negative := e.s.Ite(e.s.Slt(v, zero), v, minus)
	positive := e.s.Ite(e.s.Slt(zero, v), v, one)
	return e.Scalar(e.s.Ite(less, negative, e.s.Ite(more, positive, zero)))
}

// nonZero is an integer of the call's type: 0 where c does not hold, any other value where it does.
func (c *modelCall) nonZero(holds ilr.Term) memory.Val {
	e, w := c.encoder, c.in.T.Width
	zero := e.s.Int(w, 0)
	if other := e.fork(c.st, holds); other != nil {
		v := e.Num(e.Fresh(other, input.Unspecified, c.in, c.in.T, c.name))
		return e.Scalar(e.s.Ite(holds, e.s.Ite(e.s.NonZero(v), v, e.s.Int(w, 1)), zero))
	}
	return e.Scalar(zero)
}

// findByte looks for argument 1 in the first limit bytes (0: no limit); strings
// end at their terminator, which can be found too.
func (c *modelCall) findByte(limit ilr.Term, raw bool) memory.Val {
	e := c.encoder
	want := e.s.Trunc(e.Num(c.args[1]), 8)
	p := c.args[0]
	r := e.Null()
	c.scan(limit, []memory.Val{p}, func(i int64, going ilr.Term, b []ilr.Term) ilr.Term {
		hit := e.Eq(b[0], want)
		r = e.PickPtr(e.s.And(going, hit), e.Shift(p.Ptr, e.s.Int(e.w, i)), r)
		if raw {
			return e.s.Not(hit)
		}
		return e.s.And(e.s.Not(hit), e.s.Not(e.Eq(b[0], e.s.Int(8, 0))))
	})
	return memory.Val{Ptr: r, Undef: p.Undef}
}

// findLast is strrchr: the last byte equal to argument 1, the terminator included.
func (c *modelCall) findLast() memory.Val {
	e := c.encoder
	want := e.s.Trunc(e.Num(c.args[1]), 8)
	p := c.args[0]
	r := e.Null()
	c.scan(0, []memory.Val{p}, func(i int64, going ilr.Term, b []ilr.Term) ilr.Term {
		r = e.PickPtr(e.s.And(going, e.Eq(b[0], want)), e.Shift(p.Ptr, e.s.Int(e.w, i)), r)
		return e.s.Not(e.Eq(b[0], e.s.Int(8, 0)))
	})
	return memory.Val{Ptr: r, Undef: p.Undef}
}

// char is a byte of a string and whether it stands before the terminator.
type char struct{ b, in ilr.Term }

func (c *modelCall) chars(p memory.Val) []char {
	e := c.encoder
	var out []char
	c.scan(0, []memory.Val{p}, func(_ int64, going ilr.Term, b []ilr.Term) ilr.Term {
		in := e.s.Not(e.Eq(b[0], e.s.Int(8, 0)))
		out = append(out, char{b[0], e.s.And(going, in)})
		return in
	})
	return out
}

// findString is strstr: the first place of argument 1 in argument 0.
func (c *modelCall) findString() memory.Val {
	e := c.encoder
	hay, needle := c.chars(c.args[0]), c.chars(c.args[1])
	if c.st.PC == nil {
		return memory.Val{}
	}
	r := e.Null()
	for i := len(hay); i >= 0; i-- {
		here := e.s.True()
		if i > 0 {
			here = hay[i-1].in // i is at most the length
		}
		for k, n := range needle {
			same := e.s.False()
			if i+k < len(hay) {
				same = e.s.And(hay[i+k].in, e.Eq(hay[i+k].b, n.b))
			}
			here = e.s.And(here, e.s.Or(e.s.Not(n.in), same))
		}
		r = e.PickPtr(here, e.Shift(c.args[0].Ptr, e.s.Int(e.w, int64(i))), r)
	}
	return memory.Val{Ptr: r}
}

// copyString is strcpy, strncpy, strcat and strncat.
func (c *modelCall) copyString(m ir.Model, limit ilr.Term) memory.Val {
	e, st := c.encoder, c.st
	dst, kept := c.args[0], e.s.Int(e.w, 0)
	if m == ir.ModelStrcat || m == ir.ModelStrncat {
		kept = c.length(dst, 0)
		dst = memory.Val{Ptr: e.Shift(dst.Ptr, kept), Undef: dst.Undef}
	}
	n := c.length(c.args[1], limit)
	if st.PC == nil {
		return memory.Val{}
	}
	one := e.s.Int(e.w, 1)
	result := e.s.Add(kept, e.s.Add(n, one)) // with the terminator
	if m == ir.ModelStrncpy {
		result = limit // zeros behind the string
	}
	taken := e.s.Add(n, one)
	if limit != 0 {
		taken = e.s.Ite(e.s.Ult(n, limit), taken, limit)
	}
	c.checkStringsApart(c.args[0], result, c.args[1], taken)
	if st.PC != nil {
		e.copyMemory(c.fr, st, c.in, dst, c.args[1], n, true)
	}
	zeros := one
	if m == ir.ModelStrncpy {
		zeros = e.s.Sub(limit, n)
	}
	if st.PC != nil {
		e.fillMemory(c.fr, st, c.in, memory.Val{Ptr: e.Shift(dst.Ptr, n), Undef: dst.Undef}, memory.Val{Term: e.s.Int(8,
			0)}, zeros)
	}
	return c.args[0]
}

// checkStringsApart claims that n bytes at p and m bytes at q have none in common.
func (c *modelCall) checkStringsApart(p memory.Val, n ilr.Term, q memory.Val, m ilr.Term) {
	e := c.encoder
	bad := e.s.False()
	for _, a := range p.Ptr.Alts {
		for _, b := range q.Ptr.Alts {
			if a.Object == nil || a.Object != b.Object {
				continue
			}
			meet := e.s.And(e.s.Ult(a.Off, e.s.Add(b.Off, m)), e.s.Ult(b.Off, e.s.Add(a.Off, n)))
			bad = e.s.Or(bad, e.s.And(a.Guard, b.Guard, e.s.NonZero(m), meet))
		}
	}
	e.claimNot(c.fr, c.st, c.in, verdict.Memory, bad, true, c.name+" between overlapping strings")
}

// duplicate is strdup: a new block with a copy, or null.
func (c *modelCall) duplicate() memory.Val {
	e := c.encoder
	n := e.s.Add(c.length(c.args[0], 0), e.s.Int(e.w, 1))
	p, ok := c.allocate(n, 0, false)
	if c.st.PC == nil {
		return memory.Val{}
	}
	block := memory.Val{Ptr: e.To(p.Ptr.Alts[len(p.Ptr.Alts)-1].Object, 0)}
	c.split(ok, func(st *memory.State) memory.Val {
		e.copyMemory(c.fr, st, c.in, block, c.args[0], n, false)
		return block
	}, func(*memory.State) memory.Val { return memory.Val{Ptr: e.Null()} })
	return c.joined()
}

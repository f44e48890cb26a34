package encode

import (
	"fmt"

	"github.com/firmproof/firmproof/verifier/ilr"
	"github.com/firmproof/firmproof/verifier/input"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/policy"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// strings evaluates string.h, stdlib's abs and ctype.h (C17 7.24, 7.4).
func (c *modelCall) strings(m ir.Model) (val, bool) {
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
			if c.st.pc != nil {
				e.checkAccess(c.fr, c.st, c.in, p, want{n: n, align: 1, what: "read"}, e.s.NonZero(n))
			}
		}
		if c.st.pc == nil {
			return val{}, true
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
		x := e.num(c.args[0])
		w := e.s.Width(x)
		e.claimNot(c.fr, c.st, c.in, verdict.SignedOverflow, e.isSmallest(x), false,
			c.name+" of the smallest value overflows")
		v := e.scalar(e.s.Ite(e.s.Slt(x, e.s.Int(w, 0)), e.s.Neg(x), x))
		v.u = e.spreadOver(w, c.args[0].u)
		return v, true
	case ir.ModelCtype:
		return c.ctype(), true
	case ir.ModelTruth:
		v := c.nonZero(e.s.NonZero(e.num(c.args[0])))
		v.u = e.spreadOver(c.in.T.Width, c.args[0].u)
		return v, true
	}
	return val{}, false
}

// scan looks at the bytes behind p one after the other, with their memory
// claims, for as long as going holds. visit gets byte i and answers the condition
// for going on. limit (0: none) is the number of bytes at most.
func (c *modelCall) scan(limit ilr.Term, ps []val, visit func(i int64, going ilr.Term, b []ilr.Term) ilr.Term) {
	e := c.encoder
	going := e.s.True()
	for i := int64(0); c.st.pc != nil; i++ {
		if limit != 0 {
			going = e.s.And(going, e.s.Ult(e.s.Int(e.w, i), limit))
		}
		going = e.decide(c.st.pc, going)
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
func (c *modelCall) endless(ps []val) bool {
	for _, p := range ps {
		for _, a := range p.p.alts {
			if a.obj != nil && (a.obj.csize < 0 || a.obj.csize > policy.ScanBytes) {
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
			Instr:   c.in, Context: c.fr.context, Guard: one.pc.all, Violated: one.pc.all, Unguarded: one.pc.unguarded,
			Fixed: n == policy.ScanBytes})
	}
	c.st.pc = c.and(c.st.pc, c.s.Not(going))
}

// byteOf reads byte i behind p where going holds; false when that is never valid.
func (c *modelCall) byteOf(p val, i int64, going ilr.Term) (ilr.Term, bool) {
	e := c.encoder
	at := val{p: e.shift(p.p, e.s.Int(e.w, i)), u: p.u}
	ts := e.checkAccess(c.fr, c.st, c.in, at, e.wantConst(1, 1, false), going)
	if c.st.pc == nil || len(ts) == 0 {
		return 0, false
	}
	v := val{t: e.s.Int(8, 0)}
	for k := len(ts) - 1; k >= 0; k-- {
		x := val{}
		if ts[k].vol != nil {
			e.gapWhen(c.st, c.in, e.s.And(going, ts[k].g), "%s in a volatile region", c.name)
			if c.st.pc == nil {
				return 0, false
			}
			x = val{t: e.s.Int(8, 0)}
		} else {
			x = e.readAt(ts[k].obj, c.st.get(ts[k].obj), ts[k].off, 1)
			x = val{t: e.num(x), u: x.u}
		}
		if k == len(ts)-1 {
			v = x
		} else {
			v = e.pick(ts[k].g, x, v)
		}
	}
	if e.shadow && v.u != 0 {
		bad := e.s.And(going, e.s.NonZero(v.u))
		e.claim(c.fr, c.st, c.in, verdict.Uninitialised, bad, false, "byte read by "+c.name+" is not indeterminate")
	}
	return v.t, c.st.pc != nil
}

// length counts the bytes before the terminator, at most limit (0: no limit).
func (c *modelCall) length(p val, limit ilr.Term) ilr.Term {
	e := c.encoder
	type stop struct {
		at   int64
		here ilr.Term
	}
	var stops []stop
	c.scan(limit, []val{p}, func(i int64, going ilr.Term, b []ilr.Term) ilr.Term {
		end := e.eq(b[0], e.s.Int(8, 0))
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
func (c *modelCall) compareBytes(limit ilr.Term, str bool) val {
	e := c.encoder
	less, more := e.s.False(), e.s.False()
	c.scan(limit, c.args[:2], func(_ int64, going ilr.Term, b []ilr.Term) ilr.Term {
		same := e.s.Eq(b[0], b[1])
		less = e.s.Or(less, e.s.And(going, e.s.Ult(b[0], b[1])))
		more = e.s.Or(more, e.s.And(going, e.s.Ult(b[1], b[0])))
		if str {
			same = e.s.And(same, e.s.Not(e.eq(b[0], e.s.Int(8, 0))))
		}
		return same
	})
	if c.st.pc == nil || !c.in.T.IsInt() {
		return val{}
	}
	w := c.in.T.Width
	zero, one, minus := e.s.Int(w, 0), e.s.Int(w, 1), e.s.Int(w, -1)
	differ := e.fork(c.st, e.s.Or(less, more))
	if differ == nil {
		return e.scalar(zero)
	}
	if c.name == "bcmp" {
		return c.nonZero(e.s.Or(less, more))
	}
	v := e.num(e.fresh(differ, input.Unspecified, c.in, c.in.T, c.name))
	negative := e.s.Ite(e.s.Slt(v, zero), v, minus)
	positive := e.s.Ite(e.s.Slt(zero, v), v, one)
	return e.scalar(e.s.Ite(less, negative, e.s.Ite(more, positive, zero)))
}

// nonZero is an integer of the call's type: 0 where c does not hold, any other value where it does.
func (c *modelCall) nonZero(holds ilr.Term) val {
	e, w := c.encoder, c.in.T.Width
	zero := e.s.Int(w, 0)
	if other := e.fork(c.st, holds); other != nil {
		v := e.num(e.fresh(other, input.Unspecified, c.in, c.in.T, c.name))
		return e.scalar(e.s.Ite(holds, e.s.Ite(e.s.NonZero(v), v, e.s.Int(w, 1)), zero))
	}
	return e.scalar(zero)
}

// findByte looks for argument 1 in the first limit bytes (0: no limit); strings
// end at their terminator, which can be found too.
func (c *modelCall) findByte(limit ilr.Term, raw bool) val {
	e := c.encoder
	want := e.s.Trunc(e.num(c.args[1]), 8)
	p := c.args[0]
	r := e.null()
	c.scan(limit, []val{p}, func(i int64, going ilr.Term, b []ilr.Term) ilr.Term {
		hit := e.eq(b[0], want)
		r = e.pickPtr(e.s.And(going, hit), e.shift(p.p, e.s.Int(e.w, i)), r)
		if raw {
			return e.s.Not(hit)
		}
		return e.s.And(e.s.Not(hit), e.s.Not(e.eq(b[0], e.s.Int(8, 0))))
	})
	return val{p: r, u: p.u}
}

// findLast is strrchr: the last byte equal to argument 1, the terminator included.
func (c *modelCall) findLast() val {
	e := c.encoder
	want := e.s.Trunc(e.num(c.args[1]), 8)
	p := c.args[0]
	r := e.null()
	c.scan(0, []val{p}, func(i int64, going ilr.Term, b []ilr.Term) ilr.Term {
		r = e.pickPtr(e.s.And(going, e.eq(b[0], want)), e.shift(p.p, e.s.Int(e.w, i)), r)
		return e.s.Not(e.eq(b[0], e.s.Int(8, 0)))
	})
	return val{p: r, u: p.u}
}

// char is a byte of a string and whether it stands before the terminator.
type char struct{ b, in ilr.Term }

func (c *modelCall) chars(p val) []char {
	e := c.encoder
	var out []char
	c.scan(0, []val{p}, func(_ int64, going ilr.Term, b []ilr.Term) ilr.Term {
		in := e.s.Not(e.eq(b[0], e.s.Int(8, 0)))
		out = append(out, char{b[0], e.s.And(going, in)})
		return in
	})
	return out
}

// findString is strstr: the first place of argument 1 in argument 0.
func (c *modelCall) findString() val {
	e := c.encoder
	hay, needle := c.chars(c.args[0]), c.chars(c.args[1])
	if c.st.pc == nil {
		return val{}
	}
	r := e.null()
	for i := len(hay); i >= 0; i-- {
		here := e.s.True()
		if i > 0 {
			here = hay[i-1].in // i is at most the length
		}
		for k, n := range needle {
			same := e.s.False()
			if i+k < len(hay) {
				same = e.s.And(hay[i+k].in, e.eq(hay[i+k].b, n.b))
			}
			here = e.s.And(here, e.s.Or(e.s.Not(n.in), same))
		}
		r = e.pickPtr(here, e.shift(c.args[0].p, e.s.Int(e.w, int64(i))), r)
	}
	return val{p: r}
}

// copyString is strcpy, strncpy, strcat and strncat.
func (c *modelCall) copyString(m ir.Model, limit ilr.Term) val {
	e, st := c.encoder, c.st
	dst, kept := c.args[0], e.s.Int(e.w, 0)
	if m == ir.ModelStrcat || m == ir.ModelStrncat {
		kept = c.length(dst, 0)
		dst = val{p: e.shift(dst.p, kept), u: dst.u}
	}
	n := c.length(c.args[1], limit)
	if st.pc == nil {
		return val{}
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
	if st.pc != nil {
		e.copyMemory(c.fr, st, c.in, dst, c.args[1], n, true)
	}
	zeros := one
	if m == ir.ModelStrncpy {
		zeros = e.s.Sub(limit, n)
	}
	if st.pc != nil {
		e.fillMemory(c.fr, st, c.in, val{p: e.shift(dst.p, n), u: dst.u}, val{t: e.s.Int(8, 0)}, zeros)
	}
	return c.args[0]
}

// checkStringsApart claims that n bytes at p and m bytes at q have none in common.
func (c *modelCall) checkStringsApart(p val, n ilr.Term, q val, m ilr.Term) {
	e := c.encoder
	bad := e.s.False()
	for _, a := range p.p.alts {
		for _, b := range q.p.alts {
			if a.obj == nil || a.obj != b.obj {
				continue
			}
			meet := e.s.And(e.s.Ult(a.off, e.s.Add(b.off, m)), e.s.Ult(b.off, e.s.Add(a.off, n)))
			bad = e.s.Or(bad, e.s.And(a.g, b.g, e.s.NonZero(m), meet))
		}
	}
	e.claimNot(c.fr, c.st, c.in, verdict.Memory, bad, true, c.name+" between overlapping strings")
}

// duplicate is strdup: a new block with a copy, or null.
func (c *modelCall) duplicate() val {
	e := c.encoder
	n := e.s.Add(c.length(c.args[0], 0), e.s.Int(e.w, 1))
	p, ok := c.allocate(n, 0, false)
	if c.st.pc == nil {
		return val{}
	}
	block := val{p: e.to(p.p.alts[len(p.p.alts)-1].obj, 0)}
	c.split(ok, func(st *state) val {
		e.copyMemory(c.fr, st, c.in, block, c.args[0], n, false)
		return block
	}, func(*state) val { return val{p: e.null()} })
	return c.joined()
}

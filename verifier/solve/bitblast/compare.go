package bitblast

// ult compares from the least significant bit up; leading bits that one operand has
// constant and alike, as bounds and extensions do, are taken together: what the others
// say of those is one circuit for all bounds.
func (c circuit[B]) ult(a, b []B) B {
	n := len(a)
	for _, bit := range []bool{false, true} {
		if k := c.leading(a, bit); k > 1 {
			low := c.ult(a[:n-k], b[:n-k])
			if bit {
				return c.g.And(c.all(b[n-k:]), low)
			}
			return c.g.Or(c.any(b[n-k:]), low)
		}
		if k := c.leading(b, bit); k > 1 {
			low := c.ult(a[:n-k], b[:n-k])
			if bit {
				return c.g.Or(c.g.Not(c.all(a[n-k:])), low)
			}
			return c.g.And(c.g.Not(c.any(a[n-k:])), low)
		}
	}
	lt := c.g.Const(false)
	for i := range a {
		lt = c.majority(c.g.Not(a[i]), b[i], lt)
	}
	return lt
}

// majority returns the value that at least two of the bits have.
func (c circuit[B]) majority(x, y, z B) B { return c.g.Or(c.g.And(x, y), c.g.And(c.g.Or(x, y), z)) }

// leading counts the most significant bits of a that are the constant bit.
func (c circuit[B]) leading(a []B, bit bool) int {
	n := 0
	for n < len(a) {
		if v, ok := c.g.IsConst(a[len(a)-1-n]); !ok || v != bit {
			break
		}
		n++
	}
	return n
}

func (c circuit[B]) ule(a, b []B) B { return c.g.Not(c.ult(b, a)) }

func (c circuit[B]) slt(a, b []B) B {
	n := len(a) - 1
	x, y := append([]B(nil), a...), append([]B(nil), b...)
	x[n], y[n] = b[n], a[n] // swapping the signs turns signed into unsigned
	return c.ult(x, y)
}

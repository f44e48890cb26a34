package bitblast

// circuit has the operations of SMT-LIB's FixedSizeBitVectors as circuits.
type circuit[B any] struct{ g Gates[B] }

func (c circuit[B]) zero(w int) []B { return c.fill(w, c.g.Const(false)) }

func (c circuit[B]) fill(w int, b B) []B {
	r := make([]B, w)
	for i := range r {
		r[i] = b
	}
	return r
}

func (c circuit[B]) number(w int, v uint64) []B {
	r := make([]B, w)
	for i := range r {
		r[i] = c.g.Const(i < 64 && v>>uint(i)&1 == 1)
	}
	return r
}

// constant reads bits that are all constant and fit into 64 bits.
func (c circuit[B]) constant(a []B) (v uint64, ok bool) {
	for i, b := range a {
		bit, known := c.g.IsConst(b)
		if !known || bit && i >= 64 {
			return 0, false
		}
		if bit {
			v |= 1 << uint(i)
		}
	}
	return v, true
}

func (c circuit[B]) not(a []B) []B {
	r := make([]B, len(a))
	for i := range a {
		r[i] = c.g.Not(a[i])
	}
	return r
}

func (c circuit[B]) bitwise(op func(a, b B) B, a, b []B) []B {
	r := make([]B, len(a))
	for i := range a {
		r[i] = op(a[i], b[i])
	}
	return r
}

func (c circuit[B]) ite(s B, a, b []B) []B {
	if v, ok := c.g.IsConst(s); ok {
		if v {
			return a
		}
		return b
	}
	r := make([]B, len(a))
	for i := range a {
		r[i] = c.g.Ite(s, a[i], b[i])
	}
	return r
}

// all returns the conjunction of the bits as a balanced tree.
func (c circuit[B]) all(a []B) B {
	switch len(a) {
	case 0:
		return c.g.Const(true)
	case 1:
		return a[0]
	}
	return c.g.And(c.all(a[:len(a)/2]), c.all(a[len(a)/2:]))
}

func (c circuit[B]) any(a []B) B {
	switch len(a) {
	case 0:
		return c.g.Const(false)
	case 1:
		return a[0]
	}
	return c.g.Or(c.any(a[:len(a)/2]), c.any(a[len(a)/2:]))
}

func (c circuit[B]) eq(a, b []B) B {
	r := make([]B, len(a))
	for i := range a {
		r[i] = c.g.Not(c.g.Xor(a[i], b[i]))
	}
	return c.all(r)
}

// full adds three bits.
func (c circuit[B]) full(a, b, cin B) (sum, carry B) {
	x := c.g.Xor(a, b)
	return c.g.Xor(x, cin), c.g.Or(c.g.And(a, b), c.g.And(x, cin))
}

// add returns the sum by a ripple-carry adder; carry is the bit beyond its width.
func (c circuit[B]) add(a, b []B, cin B) (sum []B, carry B) {
	sum = make([]B, len(a))
	carry = cin
	for i := range a {
		sum[i], carry = c.full(a[i], b[i], carry)
	}
	return sum, carry
}

func (c circuit[B]) sub(a, b []B) []B {
	r, _ := c.add(a, c.not(b), c.g.Const(true))
	return r
}

func (c circuit[B]) neg(a []B) []B {
	r, _ := c.add(c.not(a), c.zero(len(a)), c.g.Const(true))
	return r
}

func (c circuit[B]) inc(a []B, cin B) (sum []B, carry B) { return c.add(a, c.zero(len(a)), cin) }

// abs returns the magnitude of a two's complement number.
func (c circuit[B]) abs(a []B) []B { return c.negIf(a[len(a)-1], a) }

// negIf returns -a where s holds, else a.
func (c circuit[B]) negIf(s B, a []B) []B {
	r, _ := c.inc(c.bitwise(c.g.Xor, a, c.fill(len(a), s)), s)
	return r
}

// mul returns the low len(a) bits of the product: partial products added row by row,
// a constant operand recoded to the fewest rows.
func (c circuit[B]) mul(a, b []B) []B {
	if c.knownBits(a) > c.knownBits(b) {
		a, b = b, a
	}
	w := len(a)
	if v, ok := c.constant(b); ok && w <= 64 {
		return c.mulConst(a, v)
	}
	acc := c.bitwise(c.g.And, a, c.fill(w, b[0]))
	for i := 1; i < w; i++ {
		if v, ok := c.g.IsConst(b[i]); ok && !v {
			continue
		}
		row := c.bitwise(c.g.And, a[:w-i], c.fill(w-i, b[i]))
		sum, _ := c.add(acc[i:], row, c.g.Const(false))
		acc = append(append([]B(nil), acc[:i]...), sum...)
	}
	return acc
}

func (c circuit[B]) knownBits(a []B) int {
	n := 0
	for _, b := range a {
		if _, ok := c.g.IsConst(b); ok {
			n++
		}
	}
	return n
}

// mulConst adds and subtracts shifted copies of a by the non-adjacent form of v.
func (c circuit[B]) mulConst(a []B, v uint64) []B {
	w := len(a)
	acc := c.zero(w)
	for i := 0; i < w && v != 0; i++ {
		if v&1 == 1 {
			digit := 2 - int(v&3) // 1 or -1
			row := a[:w-i]
			cin := c.g.Const(false)
			if digit < 0 {
				row, cin = c.not(row), c.g.Const(true)
				v++
				if v == 0 { // carried out of 64 bits
					sum, _ := c.add(acc[i:], row, cin)
					return append(append([]B(nil), acc[:i]...), sum...)
				}
			} else {
				v--
			}
			sum, _ := c.add(acc[i:], row, cin)
			acc = append(append([]B(nil), acc[:i]...), sum...)
		}
		v >>= 1
	}
	return acc
}

// divide returns quotient and remainder by restoring division: x/0 all ones, x%0 = x.
func (c circuit[B]) divide(a, b []B) (quo, rem []B) {
	w := len(a)
	if v, ok := c.constant(b); ok && v != 0 && v&(v-1) == 0 {
		k := 0
		for v>>uint(k+1) != 0 {
			k++
		}
		quo = append(append([]B(nil), a[k:]...), c.zero(k)...)
		return quo, append(append([]B(nil), a[:k]...), c.zero(w-k)...)
	}
	quo = make([]B, w)
	rem = c.zero(w)
	ext := append(append([]B(nil), b...), c.g.Const(false))
	for i := w - 1; i >= 0; i-- {
		shifted := append([]B{a[i]}, rem...) // w+1 bits
		diff, noBorrow := c.add(shifted, c.not(ext), c.g.Const(true))
		quo[i] = noBorrow
		rem = c.ite(noBorrow, diff, shifted)[:w]
	}
	return quo, rem
}

// signedDivide truncates toward zero, by SMT-LIB's definition over divide.
func (c circuit[B]) signedDivide(a, b []B, divide func(a, b []B) (quo, rem []B)) (quo, rem []B) {
	sa, sb := a[len(a)-1], b[len(b)-1]
	q, r := divide(c.abs(a), c.abs(b))
	return c.negIf(c.g.Xor(sa, sb), q), c.negIf(sa, r)
}

// shift moves a by b bits with a barrel of multiplexers; in fills.
func (c circuit[B]) shift(a, b []B, left bool, in B) []B {
	w := len(a)
	r := a
	var over []B
	for k, s := range b {
		if k >= 31 || 1<<uint(k) >= w {
			over = append(over, s)
			continue
		}
		r = c.ite(s, c.moved(r, 1<<uint(k), left, in), r)
	}
	return c.ite(c.any(over), c.fill(w, in), r)
}

func (c circuit[B]) moved(a []B, n int, left bool, in B) []B {
	n = min(n, len(a))
	if left {
		return append(c.fill(n, in), a[:len(a)-n]...)
	}
	return append(append([]B(nil), a[n:]...), c.fill(n, in)...)
}

func (c circuit[B]) extend(a []B, w int, in B) []B {
	return append(append([]B(nil), a...), c.fill(w-len(a), in)...)
}

func (c circuit[B]) uaddO(a, b []B) B {
	_, carry := c.add(a, b, c.g.Const(false))
	return carry
}

func (c circuit[B]) saddO(a, b []B) B {
	sum, _ := c.add(a, b, c.g.Const(false))
	return c.signClash(a, b, sum)
}

// signClash returns the bit: a and b have one sign and the sum the other.
func (c circuit[B]) signClash(a, b, sum []B) B {
	n := len(a) - 1
	return c.g.And(c.g.Not(c.g.Xor(a[n], b[n])), c.g.Xor(a[n], sum[n]))
}

func (c circuit[B]) ssubO(a, b []B) B { return c.signClash(a, c.not(b), c.sub(a, b)) }

// umulO returns the bit for unsigned overflow: the leading ones alone reach bit w, or the product, exact in w+1 bits
// when they do not, does.
func (c circuit[B]) umulO(a, b []B) B {
	w := len(a)
	f := c.g.Const(false)
	p := c.mul(c.extend(a, w+1, f), c.extend(b, w+1, f))
	return c.g.Or(c.meet(a, b), p[w])
}

// smulO returns the bit for signed overflow, found as in umulO on magnitudes (without the +1 of two's complement):
// below the leading-ones bound the product is exact in w+1 bits but for +2^w,
// whose top two bits differ too.
func (c circuit[B]) smulO(a, b []B) B {
	w := len(a)
	sa, sb := a[w-1], b[w-1]
	if w == 1 {
		return c.g.And(sa, sb) // -1 * -1 = 1
	}
	x := c.bitwise(c.g.Xor, a[:w-1], c.fill(w-1, sa))
	y := c.bitwise(c.g.Xor, b[:w-1], c.fill(w-1, sb))
	p := c.mul(c.extend(a, w+1, sa), c.extend(b, w+1, sb))
	return c.g.Or(c.meet(x, y), c.g.Xor(p[w], p[w-1]))
}

// meet returns the bit: some a[i] and b[j] are set with i+j >= len(a).
func (c circuit[B]) meet(a, b []B) B {
	w := len(a)
	r := c.g.Const(false)
	high := c.g.Const(false) // some b[j], j >= w-i
	for i := 1; i < w; i++ {
		high = c.g.Or(high, b[w-i])
		r = c.g.Or(r, c.g.And(a[i], high))
	}
	return r
}

package seg

import (
	"cmp"
	"context"
	"math/big"
	"slices"

	"github.com/firmproof/firmproof/verifier/exact"
	"github.com/firmproof/firmproof/verifier/solve/linear"
)

// model gives the numbers of s values at random, as far as s lets it, and its objects places.
func (c *concrete) model(s *state) bool {
	tab := linear.NewTableau(true)
	c.tab = tab
	for _, o := range s.objs {
		c.bytesAgree(o)
	}
	later := readings(s)
	var rows []linear.Row
	seen, bases := map[exact.Var]bool{}, map[exact.Var]bool{}
	add := func(e exact.Lin) {
		for _, t := range e.Terms {
			rows = s.know.unary(rows, seen, t.Var)
			seen[t.Var] = true
		}
	}
	for _, r := range s.know.rows {
		rows = append(rows, r)
		add(r.Lin)
	}
	for v := range s.know.iv {
		add(exact.V(v))
	}
	for _, id := range s.order {
		o := s.objs[id]
		add(o.size)
		if o.base >= 0 {
			bases[o.base] = true
			add(exact.V(o.base))
		}
		for _, x := range o.cells {
			add(x.off)
			eachLin(x.val, add)
		}
	}
	for _, f := range s.frames {
		for _, v := range f.vals {
			eachLin(v, add)
		}
	}
	var vars []exact.Var
	for v := range seen {
		if vars = append(vars, v); int(v) >= len(c.b.names) {
			panic("a number without a name")
		}
	}
	slices.Sort(vars)
	if len(vars) > 48 {
		return false
	}
	c.r.Shuffle(len(vars), func(i, j int) { vars[i], vars[j] = vars[j], vars[i] })
	for _, r := range rows {
		tab.Add(r)
	}
	for v, r := range s.know.residues { // v = rest + mod*k
		if r.mod.Sign() > 0 && seen[v] {
			k := exact.Var(1<<30 + len(bases) + int(v))
			tab.Add(linear.Equals(exact.V(v).Sub(constInt(r.rest)).AddScaled(r.mod.Neg(), exact.V(k))))
		}
	}
	if tab.CheckInt(context.Background(), 300) != linear.Sat {
		return false
	}
	for _, v := range vars {
		if bases[v] || later[v] {
			continue
		}
		i, done := s.know.iv[v], false
		for range 3 {
			n := exact.FromBig(new(big.Int).Rand(c.r, big.NewInt(16))).Add(exact.I(-4))
			switch k := c.r.Intn(6); {
			case k == 0 && i.hasLo:
				n = i.lo
			case k == 1 && i.hasHi:
				n = i.hi
			case k == 2 && i.hasLo && i.hasHi:
				wide := i.hi.Sub(i.lo).Add(exact.I(1))
				n = i.lo.Add(exact.FromBig(new(big.Int).Rand(c.r, wide.Big())))
			}
			if done = c.try(v, n); done {
				break
			}
		}
		if !done && (tab.CheckInt(context.Background(), 100) != linear.Sat || !c.try(v, tab.Value(v).Floor())) {
			return false
		}
	}
	for _, id := range s.order {
		o := s.objs[id]
		size, ok := c.eval(o.size)
		n, fits := size.Int64()
		if !ok || !fits || n < 0 || n > c.apart()/2 || int64(len(c.bytewise.blobs)) > c.beyond(0)/c.apart()-2 {
			return false
		}
		p := c.place(n, o.align)
		if c.blobs[id] = p; o.base >= 0 && !c.try(o.base, exact.I(int64(p.at))) {
			return false
		}
		if o.global != nil {
			c.globals[o.global] = p
		}
	}
	return true
}

// try gives v the value n, if it may have that.
func (c *concrete) try(v exact.Var, n exact.Int) bool {
	c.tab.Push()
	c.tab.Add(linear.Equals(exact.V(v).Sub(constInt(n))))
	if c.tab.CheckInt(context.Background(), 100) == linear.Sat {
		c.value[v] = n
		return true
	}
	c.tab.Pop()
	return false
}

// readings are the numbers that stand for what was read of bytes that other cells tell, too.
func readings(s *state) map[exact.Var]bool {
	out := map[exact.Var]bool{}
	for _, o := range s.objs {
		for i, x := range narrowFirst(o.cells) {
			if len(x.val.lin.Terms) != 1 || x.val.kind != intValue {
				continue
			}
			if slices.ContainsFunc(narrowFirst(o.cells)[:i], func(y cell) bool {
				d := x.off.Sub(y.off)
				if x.off.IsConst() && y.off.IsConst() && y.val.kind == intValue {
					return false // see bytesAgree
				}
				return !d.IsConst() || d.Const.Cmp(exact.I(y.size)) < 0 && d.Const.Neg().Cmp(exact.I(x.size)) < 0
			}) {
				out[x.val.lin.Terms[0].Var] = true
			}
		}
	}
	return out
}

// bytesAgree says of cells of an object at known places, which have bytes in common, that they agree there.
func (c *concrete) bytesAgree(o *object) {
	at := func(x cell) (int64, bool) {
		off, fits := x.off.Const.Int64()
		return off, fits && x.off.IsConst() && x.val.kind == intValue && x.size <= 8
	}
	bytes := map[int64]exact.Var{}
	for i, x := range o.cells {
		off, ok := at(x)
		if !ok || !slices.ContainsFunc(o.cells, func(y cell) bool {
			n, ok := at(y)
			return ok && (n != off || y.size != x.size) && n < off+x.size && off < n+y.size
		}) {
			continue
		}
		sum := x.val.lin.Neg()
		for n := range x.size {
			v, known := bytes[off+n]
			if !known {
				v = exact.Var(1<<29 + o.id<<12 + int(off+n))
				bytes[off+n] = v
				c.tab.Add(linear.AtLeast(exact.V(v)))
				c.tab.Add(linear.AtLeast(exact.V(v).Neg().AddInt(255)))
			}
			place := n
			if c.m.Layout.BigEndian {
				place = x.size - 1 - n
			}
			sum = sum.AddScaled(exact.I(256).Pow(int(place)), exact.V(v))
		}
		if x.val.rep == signed {
			w := exact.Var(1<<28 + o.id<<12 + i)
			c.tab.Add(linear.AtLeast(exact.V(w)))
			c.tab.Add(linear.AtLeast(exact.V(w).Neg().AddInt(1)))
			sum = sum.AddScaled(exact.I(256).Pow(int(x.size)).Neg(), exact.V(w))
		}
		c.tab.Add(linear.Equals(sum))
	}
}

func narrowFirst(cells []cell) []cell {
	out := slices.Clone(cells)
	slices.SortStableFunc(out, func(x, y cell) int { return cmp.Compare(x.size, y.size) })
	return out
}

func eachLin(v value, do func(exact.Lin)) {
	do(v.lin)
	do(v.cond.lin)
	for _, m := range v.agg {
		eachLin(m, do)
	}
}

package problem

// conjunctions keeps what conjunctions of two diagrams are: a hash table with open addressing. In a map, looking them
// up took most of the time of diagrams.
type conjunctions struct {
	rows []conjunction // as many as a power of two, a quarter of them free: without result
	n    int
}

type conjunction struct{ f, g, result edge }

// slot returns the row of f and g, or the free one where it would be.
func (c *conjunctions) slot(f, g edge) *conjunction {
	mask := uint64(len(c.rows) - 1)
	for i := mixed(uint64(uint32(f))<<32 | uint64(uint32(g))); ; i++ {
		if r := &c.rows[i&mask]; r.result == 0 || r.f == f && r.g == g {
			return r
		}
	}
}

// of returns the conjunction of f and g; 0: not known.
func (c *conjunctions) of(f, g edge) edge {
	if c.n == 0 {
		return 0
	}
	return c.slot(f, g).result
}

func (c *conjunctions) add(f, g, result edge) {
	if 4*c.n >= 3*len(c.rows) {
		old := c.rows
		c.rows = make([]conjunction, max(64, 2*len(old)))
		for _, r := range old {
			if r.result != 0 {
				*c.slot(r.f, r.g) = r
			}
		}
	}
	*c.slot(f, g) = conjunction{f, g, result}
	c.n++
}

// choices finds nodes by what they are, in the same way; what is in a row is the index of one, 0 in a free row.
type choices struct {
	rows []edge
	n    int
}

// slot returns the row of c, or the free one where it would be.
func (x *choices) slot(nodes []choice, c choice) *edge {
	mask := uint64(len(x.rows) - 1)
	for i := mixed(uint64(uint32(c.then))<<32|uint64(uint32(c.els))) + mixed(uint64(c.atom)); ; i++ {
		if r := &x.rows[i&mask]; *r == 0 || nodes[*r] == c {
			return r
		}
	}
}

// find returns the index of c among the nodes, to which it is added where it is new.
func (x *choices) find(nodes *[]choice, c choice) edge {
	if 4*x.n >= 3*len(x.rows) {
		old := x.rows
		x.rows = make([]edge, max(64, 2*len(old)))
		for _, e := range old {
			if e != 0 {
				*x.slot(*nodes, (*nodes)[e]) = e
			}
		}
	}
	r := x.slot(*nodes, c)
	if *r == 0 {
		*r = edge(len(*nodes))
		*nodes = append(*nodes, c)
		x.n++
	}
	return *r
}

// mixed spreads a number over the low bits.
func mixed(x uint64) uint64 {
	x *= 0x9e3779b97f4a7c15
	x ^= x >> 32
	x *= 0xd6e8feb86659fd93
	return x ^ x>>32
}

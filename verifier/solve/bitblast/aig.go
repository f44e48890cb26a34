package bitblast

// Edge is a literal of the and-inverter graph: node number doubled, plus 1 when
// inverted. Node 0 is the constant false.
type Edge uint32

// The constant edges.
const (
	False Edge = 0
	True  Edge = 1
)

// Not returns e inverted.
func (e Edge) Not() Edge { return e ^ 1 }

func (e Edge) node() uint32   { return uint32(e >> 1) }
func (e Edge) inverted() bool { return e&1 == 1 }

// aigNode is an AND of two edges, or an input when left is inputMark.
type aigNode struct{ left, right Edge }

const inputMark = ^Edge(0)

// AIG is an and-inverter graph with structural hashing and the two-level rules
// of Brummayer and Biere, "Local Two-Level And-Inverter Graph Minimization
// without Blowup" (MEMICS 2006). Nodes are numbered in creation order.
type AIG struct {
	nodes []aigNode
	refs  []uint32 // fan-out in the graph
	table []uint32 // open addressing over AND nodes, 0 is empty
	count int
	tick  func() // called for each conjunction that is asked for; may panic
}

// NewAIG makes a graph that holds only the constant.
func NewAIG() *AIG {
	return &AIG{nodes: make([]aigNode, 1, 1024), refs: make([]uint32, 1, 1024), table: make([]uint32, 2048),
		tick: func() {}}
}

// Len returns the number of nodes, the constant included.
func (g *AIG) Len() int { return len(g.nodes) }

// Input returns a new free variable.
func (g *AIG) Input() Edge { return g.push(inputMark, 0) }

// maxNodes keeps edges, and the literals for them, within 32 bits.
const maxNodes int = 1 << 30

func (g *AIG) push(l, r Edge) Edge {
	if len(g.nodes) >= maxNodes {
		panic(Stopped{})
	}
	g.nodes = append(g.nodes, aigNode{l, r})
	g.refs = append(g.refs, 0)
	return Edge(len(g.nodes)-1) << 1
}

// gate returns the fan-in of an AND node.
func (g *AIG) gate(e Edge) (l, r Edge, ok bool) {
	n := g.nodes[e.node()]
	return n.left, n.right, n.left != inputMark && e.node() != 0
}

// And returns the conjunction of two edges.
func (g *AIG) And(a, b Edge) Edge {
	g.tick()
	for {
		switch {
		case a == False || b == False || a == b.Not():
			return False
		case a == True || a == b:
			return b
		case b == True:
			return a
		}
		if a > b {
			a, b = b, a
		}
		na, nb, done := g.twoLevel(a, b)
		if done {
			return na
		}
		if na == a && nb == b || na == b && nb == a {
			return g.hashed(a, b)
		}
		a, b = na, nb
	}
}

// twoLevel looks at the fan-ins of a and b. It returns the result (done), or
// the operands to go on with, which are a and b when no rule applies.
func (g *AIG) twoLevel(a, b Edge) (Edge, Edge, bool) {
	al, ar, aok := g.gate(a)
	bl, br, bok := g.gate(b)
	if aok {
		if x, y, done, hit := oneSide(a, al, ar, b); hit {
			return x, y, done
		}
	}
	if bok {
		if x, y, done, hit := oneSide(b, bl, br, a); hit {
			return x, y, done
		}
	}
	if !aok || !bok {
		return a, b, false
	}
	switch {
	case !a.inverted() && !b.inverted():
		switch {
		case al == bl.Not() || al == br.Not() || ar == bl.Not() || ar == br.Not():
			return False, 0, true // contradiction
		case al == bl || ar == bl: // idempotence
			return a, br, false
		case al == br || ar == br:
			return a, bl, false
		}
	case a.inverted() && !b.inverted():
		return crossed(a, al, ar, b, bl, br)
	case !a.inverted() && b.inverted():
		return crossed(b, bl, br, a, al, ar)
	default: // resolution: !(x&y) & !(x&!y) = !x
		switch {
		case al == bl && ar == br.Not(), al == br && ar == bl.Not():
			return al.Not(), 0, true
		case ar == br && al == bl.Not(), ar == bl && al == br.Not():
			return ar.Not(), 0, true
		}
	}
	return a, b, false
}

// oneSide applies the rules between the gate a = (l, r) and an edge b.
func oneSide(a, l, r, b Edge) (x, y Edge, done, hit bool) {
	if !a.inverted() {
		switch b {
		case l, r: // idempotence
			return a, 0, true, true
		case l.Not(), r.Not(): // contradiction
			return False, 0, true, true
		}
		return 0, 0, false, false
	}
	switch b {
	case l.Not(), r.Not(): // subsumption
		return b, 0, true, true
	case l: // substitution
		return r.Not(), b, false, true
	case r:
		return l.Not(), b, false, true
	}
	return 0, 0, false, false
}

// crossed applies the rules between !(al & ar) and b = bl & br.
func crossed(a, al, ar, b, bl, br Edge) (Edge, Edge, bool) {
	switch {
	case al == bl.Not() || al == br.Not() || ar == bl.Not() || ar == br.Not():
		return b, 0, true // subsumption
	case al == bl || al == br: // substitution
		return ar.Not(), b, false
	case ar == bl || ar == br:
		return al.Not(), b, false
	}
	return a, b, false
}

func (g *AIG) hashed(a, b Edge) Edge {
	mask := uint64(len(g.table) - 1)
	i := aigHash(a, b) & mask
	for ; g.table[i] != 0; i = (i + 1) & mask {
		n := g.table[i]
		if g.nodes[n] == (aigNode{a, b}) {
			return Edge(n) << 1
		}
	}
	e := g.push(a, b)
	g.refs[a.node()]++
	g.refs[b.node()]++
	g.table[i] = e.node()
	if g.count++; g.count*2 > len(g.table) {
		g.grow()
	}
	return e
}

func (g *AIG) grow() {
	old := g.table
	g.table = make([]uint32, 2*len(old))
	mask := uint64(len(g.table) - 1)
	for _, n := range old {
		if n == 0 {
			continue
		}
		i := aigHash(g.nodes[n].left, g.nodes[n].right) & mask
		for g.table[i] != 0 {
			i = (i + 1) & mask
		}
		g.table[i] = n
	}
}

func aigHash(a, b Edge) uint64 {
	h := (uint64(a)<<32 | uint64(b)) * 0x9e3779b97f4a7c15
	return h>>32 ^ h>>15
}

// Or returns the disjunction of two edges.
func (g *AIG) Or(a, b Edge) Edge { return g.And(a.Not(), b.Not()).Not() }

// Xor returns the exclusive or of two edges.
func (g *AIG) Xor(a, b Edge) Edge {
	neg := Edge(0)
	if a.inverted() {
		a, neg = a.Not(), neg^1
	}
	if b.inverted() {
		b, neg = b.Not(), neg^1
	}
	switch {
	case a == b:
		return neg
	case a == False:
		return b ^ neg
	case b == False:
		return a ^ neg
	}
	return g.And(g.And(a, b).Not(), g.And(a.Not(), b.Not()).Not()) ^ neg
}

// Ite returns a where c holds, else b.
func (g *AIG) Ite(c, a, b Edge) Edge {
	switch {
	case a == b:
		return a
	case a == b.Not():
		return g.Xor(c, b)
	case c.inverted():
		c, a, b = c.Not(), b, a
	}
	return g.And(g.And(c, a).Not(), g.And(c.Not(), b).Not()).Not()
}

// Const returns the edge for the constant b.
func (g *AIG) Const(b bool) Edge {
	if b {
		return True
	}
	return False
}

// Not returns e inverted.
func (g *AIG) Not(e Edge) Edge { return e.Not() }

// IsConst reports whether e is a constant, and which.
func (g *AIG) IsConst(e Edge) (value, ok bool) { return e == True, e <= True }

package replay

import (
	"cmp"
	"math/bits"
	"slices"

	word "github.com/firmproof/firmproof/verifier/bits"
	"github.com/firmproof/firmproof/verifier/input"
	"github.com/firmproof/firmproof/verifier/interp"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/policy"
)

// corpus holds the inputs that Mutants goes on from, and for each way that an execution went the cheapest ones that went
// it: so what is rarely come to is tried as often as what all come to, and short executions leave time for more (as the
// favoured inputs of AFL, technical details, 5).
type corpus struct {
	kept []kept         // the first ones first
	best map[visits]int // of kept, by way
	ways []visits       // in the order in which they were first gone
	near []visits       // of these, those that are worth more tries
	most []visits       // of these, to blocks of Near
	want Near
	new  [][]input.Input // with which an execution came to such a block in a new way: beside
}

// Near says what a search is about: inputs with which executions come there are gone on from more often. The zero value
// says nothing.
type Near struct {
	Funcs   func(*ir.Func) bool
	Blocks  map[*ir.Block]bool
	Numbers []word.Vec // worth a try there
}

// kept are inputs with which an execution went a new way, or one at less cost.
type kept struct {
	list    []input.Input
	steps   int64 // instructions of all executions with these
	endless bool  // one of these came to its limit
}

// visits says that an execution came to a block, and the number of binary digits of how often.
type visits struct {
	block  *ir.Block
	digits int
}

// Prefer says what the search is about.
func (c *corpus) Prefer(near Near) { c.want = near }

// Varied reports whether an execution asked for inputs.
func (c *corpus) Varied() bool { return len(c.kept) > 0 }

// Tell notes how executions on the same inputs went, and keeps the inputs if one went a new way, which it reports, or at
// half the cost.
func (c *corpus) Tell(given []input.Input, outs ...*interp.Outcome) (fresh bool) {
	var steps int64
	endless := false
	var better, first []visits
	for _, o := range outs {
		if o == nil {
			continue
		}
		steps += o.Executed
		endless = endless || o.Kind == interp.StepLimit
		for b, n := range o.Visits {
			v := visits{b, min(bits.Len64(uint64(n)), policy.VisitDigits)}
			k, known := c.best[v]
			if !known {
				first = append(first, v)
			} else if k >= 0 {
				better = append(better, v)
			}
		}
	}
	better = slices.DeleteFunc(better, func(v visits) bool { return 2*steps > c.kept[c.best[v]].steps })
	k := -1
	if len(given) > 0 && len(c.kept) < policy.MutantsKept && len(first)+len(better) > 0 {
		k = len(c.kept)
		if endless {
			given = given[:min(len(given), policy.EndlessInputs)]
		}
		c.kept = append(c.kept, kept{slices.Clone(given), steps, endless})
		for _, v := range better {
			c.best[v] = k
		}
	}
	slices.SortFunc(first, func(a, b visits) int {
		return cmp.Or(cmp.Compare(a.block.Func.Name, b.block.Func.Name), cmp.Compare(a.block.Index, b.block.Index),
			cmp.Compare(a.digits, b.digits))
	})
	for _, v := range first {
		if c.best[v] = k; k < 0 {
			continue
		}
		if c.ways = append(c.ways, v); c.want.Funcs != nil && c.want.Funcs(v.block.Func) {
			c.near = append(c.near, v)
		}
		if c.want.Blocks[v.block] {
			c.most = append(c.most, v)
			if len(c.new) < policy.BesideKept && (len(c.new) == 0 || &c.new[len(c.new)-1][0] != &c.kept[k].list[0]) {
				c.new = append(c.new, c.kept[k].list)
			}
		}
	}
	return len(first) > 0
}

// chosen returns inputs to go on from, those of the shorter execution of two; there are some. Now and then they end early,
// those of an execution without an end most of the time: what is asked for behind that is another.
func (m *Mutants) chosen() []input.Input {
	a, b := &m.kept[m.candidate()], &m.kept[m.candidate()]
	if b.steps < a.steps {
		a = b
	}
	list := slices.Clone(a.list)
	if m.below(16) == 0 || a.endless && m.below(4) > 0 {
		list = list[:1+m.below(min(len(list), 1<<m.below(bits.Len(uint(len(list))))))]
	}
	return list
}

// candidate returns the index of inputs to go on from: half of the time of the newest, which went farthest.
func (m *Mutants) candidate() int {
	if len(m.most) > 0 && m.below(5) == 0 {
		return m.best[m.most[m.below(len(m.most))]]
	}
	switch k := m.below(8); {
	case k == 0:
		return m.below(len(m.kept))
	case k < 3 && len(m.near) > 0:
		return m.best[m.near[m.below(len(m.near))]]
	case k < 4 && len(m.ways) > 0:
		return m.best[m.ways[m.below(len(m.ways))]]
	}
	return len(m.kept) - 1 - m.below(min(len(m.kept), policy.MutantsNewest))
}

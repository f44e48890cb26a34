package rewrite

import (
	"fmt"
	"testing"

	"github.com/firmproof/firmproof/verifier/ilr"
)

// counted is rules that count how often they are asked.
type counted struct {
	*Rules
	calls int
}

func (c *counted) Simplify(s *ilr.Store, k ilr.Kind, sort ilr.Sort, imm uint64, args []ilr.Term) ilr.Term {
	c.calls++
	return c.Rules.Simplify(s, k, sort, imm, args)
}

// Rules that go down into a word with many shared parts look at each part once for each bit, not for each way to it.
func TestSharedParts(t *testing.T) {
	c := &counted{Rules: New()}
	s := ilr.NewStore(c)
	a := s.Var("a", ilr.BV(16))
	const turns = 240
	for i := range turns {
		shifted := s.Concat(s.Extract(a, 14, 0), s.Int(1, 0))
		bit := s.BvXor(s.Extract(a, 15, 15), s.Var(fmt.Sprint("d", i), ilr.BV(1)))
		a = s.Ite(s.Eq(bit, s.Int(1, 1)), s.BvXor(shifted, s.Int(16, 0x1021)), shifted)
	}
	if c.calls > 250*turns {
		t.Errorf("%d calls for %d turns", c.calls, turns)
	}
}

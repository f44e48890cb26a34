package smtlib

import (
	"testing"

	"github.com/firmproof/firmproof/verifier/ilr"
)

// TestTooManyReads: copies of copies, read at many places, would be written down as more text than any memory holds.
func TestTooManyReads(t *testing.T) {
	script := func(copies int) error {
		s := ilr.NewStore(nil)
		a := s.Var("a", ilr.Array(16, 8))
		for i := range copies {
			at := s.Var(string(rune('b'+i)), ilr.BV(16))
			a = s.ArrCopy(a, at, a, s.Add(at, at), at)
		}
		_, err := Print(s, []ilr.Term{s.Eq(s.Select(a, s.Var("i", ilr.BV(16))), s.Int(8, 1))}, nil)
		return err
	}
	if err := script(3); err != nil {
		t.Error(err)
	}
	if script(24) == nil {
		t.Error("2^24 reads were written down")
	}
}

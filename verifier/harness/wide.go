package harness

import (
	"github.com/firmproof/firmproof/verifier/ir"
)

// widePrefix starts the names of the functions that Wide makes.
const widePrefix = "firmproof.wide."

// Wide adds a harness of f in which strings are longer, and pointers lead to more elements: for executions. nil where
// that would be none other than Harness makes.
func (p *Program) Wide(f *ir.Func) *Harnessed {
	var made *harness
	h, err := p.callOf(f, widePrefix, func(h *harness) { made, h.variant, h.wide = h, "wide.", true })
	if err != nil || !made.widened {
		return nil
	}
	return h
}

// room returns the one of two limits that holds.
func (h *harness) room(most, wide int64) int64 {
	if !h.wide {
		return most
	}
	h.widened = h.widened || wide > most
	return max(most, wide)
}

package stack

import (
	"slices"
	"strings"

	"github.com/firmproof/firmproof/verifier/weave/interrupt"
)

// Nested is what handlers of interrupts take that interrupt one another.
type Nested struct {
	Bytes int64
	Chain []*Use // each interrupts the one before it
	Open  string // why more may be taken
}

// Pushed returns how many bytes a processor pushes by itself when a handler begins: Cortex-M eight words and one to align
// them, with floating point 18 more (ARMv7-M ARM, B1.5.7), MSP430 its status register. What a call pushes is in the frame.
func Pushed(triple string, flags []string) int64 {
	arch, _, _ := strings.Cut(triple, "-")
	switch {
	case arch == "msp430":
		return 2
	case !strings.HasPrefix(arch, "thumbv6m") && !strings.HasPrefix(arch, "thumbv7m") && !strings.HasPrefix(arch, "thumbv7em") &&
		!strings.HasPrefix(arch, "thumbv8"):
		return 0
	case (strings.HasPrefix(arch, "thumbv7em") || strings.Contains(arch, ".main")) && !slices.Contains(flags, "-mfloat-abi=soft"):
		return 4 * (8 + 1 + 18)
	}
	return 4 * (8 + 1)
}

// Interrupts returns the most that handlers take on top of what they interrupt: of each priority, one runs. entry is how
// many bytes the processor itself pushes when a handler begins.
func (p *Program) Interrupts(handlers []interrupt.Handler, entry int64) Nested {
	var worst Nested
	for i := range handlers {
		n := p.nested(handlers, &handlers[i], entry)
		open := worst.Open
		if n.Bytes > worst.Bytes {
			worst = n
		}
		if open != "" {
			worst.Open = open
		} else if n.Open != "" {
			worst.Open = n.Open
		}
	}
	return worst
}

// nested is what a handler takes with those that preempt it, of which none preempts another that preempts it (a manifest with
// such is refused).
func (p *Program) nested(all []interrupt.Handler, h *interrupt.Handler, entry int64) Nested {
	f := p.module.Func(h.Name)
	if f == nil || f.IsDecl() {
		return Nested{Open: "the handler " + h.Name + " has no body"}
	}
	u := p.Of(f)
	out := Nested{Open: u.Open}
	var deepest Nested
	for i := range all {
		if k := &all[i]; slices.Contains(k.Preempts, h.Name) {
			n := p.nested(all, k, entry)
			if n.Bytes > deepest.Bytes {
				deepest = n
			}
			if out.Open == "" {
				out.Open = n.Open
			}
		}
	}
	out.Bytes, out.Chain = entry+u.Bytes+deepest.Bytes, append([]*Use{u}, deepest.Chain...)
	return out
}

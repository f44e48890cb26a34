package prepare

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"

	"github.com/firmproof/firmproof/pipeline/compile"
	"github.com/firmproof/firmproof/targets"
	"github.com/firmproof/firmproof/verifier/ir"
)

// machine says what a program means beside its code, for an outline: digests that differ where the memory map (the target's,
// the manifest's, a linker script's), the registers that a file describes, or the target's rules are others.
type machine struct {
	places string // what lies at which address: functions that make pointers of numbers depend on it
	rules  string // whether something may lie at address 0, and whether malloc may fail: every function does
}

// machineFor digests what an image was built for.
func machineFor(img *compile.Image, t targets.Target) machine {
	sum := func(values ...any) string {
		text, _ := json.Marshal(values) // none of them can fail
		digest := sha256.Sum256(text)
		return hex.EncodeToString(digest[:8])
	}
	return machine{places: sum(Regions(img.Memory), img.Registers), rules: sum(t.Address0, t.Malloc)}
}

// means is what a function depends on of the machine, with the functions that come with it.
func (m machine) means(funcs ...*ir.Func) string {
	for _, f := range funcs {
		if hasFixed(f) {
			return m.rules + m.places
		}
	}
	return m.rules
}

// hasFixed reports whether f makes pointers of numbers, or mentions a variable that holds one at first.
func hasFixed(f *ir.Func) bool {
	seen := map[*ir.Global]bool{}
	var fixed func(v ir.Value) bool
	fixed = func(v ir.Value) bool {
		c, is := v.(*ir.Const)
		if !is || c == nil {
			return false
		}
		for _, e := range c.Elems {
			if fixed(e) {
				return true
			}
		}
		if g := c.Global; g != nil && !seen[g] {
			seen[g] = true
			return g.Init != nil && fixed(g.Init)
		}
		return c.Kind == ir.ConstInt && c.T.IsPtr()
	}
	for _, b := range f.Blocks {
		for _, in := range b.Instrs {
			if in.Op == ir.OpIntToPtr {
				return true
			}
			for _, a := range in.Args {
				if fixed(a) {
					return true
				}
			}
		}
	}
	return false
}

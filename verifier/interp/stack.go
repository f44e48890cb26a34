package interp

import (
	"strings"

	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// Stack is what the check stack needs to know of the target.
type Stack struct {
	Size   int64            // bytes, 0: not known
	Frames map[string]int64 // bytes of an activation, by name of the function before linking; negative: not constant
}

// Frame is the size of an activation of f in bytes; ok is false if it is not
// known. A static function that the linker renamed has a suffix of digits.
func (s *Stack) Frame(f *ir.Func) (n int64, ok bool) {
	n, ok = s.Frames[f.Name]
	if !ok {
		name := strings.TrimRight(f.Name, "0123456789")
		if name != f.Name && strings.HasSuffix(name, ".") {
			n, ok = s.Frames[strings.TrimSuffix(name, ".")]
		}
	}
	return n, ok && n >= 0
}

// checkStack ends the run if the active functions need more than there is.
func (x *machine) checkStack() {
	if x.o.Stack == nil || x.o.Stack.Size == 0 || !x.o.Checks.Has(verdict.Stack) {
		return
	}
	used := int64(0)
	for _, fr := range x.frames {
		if n, ok := x.o.Stack.Frame(fr.fn); ok {
			used += n
		}
	}
	if used > x.o.Stack.Size {
		x.cur = x.fr.blk.Instrs[0]
		x.violate(verdict.Stack, "%d bytes of stack in use, %d there", used, x.o.Stack.Size)
	}
}

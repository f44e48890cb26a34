package seg

import (
	"testing"

	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/testprogram"
)

// A local in a block is a plain variable although its scope is marked, and what it holds
// does not matter before its scope begins again; one whose address is passed is none.
func TestSlotsHaveScopes(t *testing.T) {
	m := testprogram.Hosted(t, `void use(int *); int main(void) { int sum = 0;
		for (int i = 0; i < 9; i++) { int x = nondet_int(); sum += x > 3; int y = 1; use(&y); } return sum; }`)
	fn := m.Func("main")
	b := &builder{m: m}
	slots := b.m.Layout.Slots(fn, ir.Escapes(fn))
	live := ir.LiveSlots(fn, slots)
	named := map[string]*ir.Instr{}
	marked := 0
	for _, blk := range fn.Blocks {
		for _, in := range blk.Instrs {
			if in.Op == ir.OpAlloca {
				named[in.Name] = in
			}
			if a := ir.Begun(in); a != nil {
				marked++
				if live[blk][a] && a.Name == "x" {
					t.Errorf("%s is live where its scope begins", a.Name)
				}
			}
		}
	}
	for name, want := range map[string]bool{"sum": true, "i": true, "x": true, "y": false} {
		if named[name] == nil || slots[named[name]] != want {
			t.Errorf("%s is a plain variable: %t, want %t", name, !want, want)
		}
	}
	if marked < 3 {
		t.Errorf("%d scopes begin, want those of i, x and y", marked)
	}
}

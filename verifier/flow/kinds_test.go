package flow

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/testprogram"
)

// Each kind of assumption counts where it decides something, and nowhere else. Blocks are brought by blk_x and blk_y, x and y
// that they do not overlap or are no null pointers; the functions own and turns may be others.
func TestKinds(t *testing.T) {
	const two = "int main(void) { int *p = blk_x(), *q = blk_y(); "
	for _, c := range []struct {
		kind, src, want string
	}{
		{"starts", "int main(void) { mark = g; return 0; }", "x"},
		{"starts", "int main(void) { mark = h; return 0; }", ""},
		{"starts", "int main(void) { if (g) mark = 1; return 0; }", "x"},
		{"apart", two + "*p = 1; mark = *q; return 0; }", "x"},
		{"apart", two + "*p = 1; mark = *p; return 0; }", ""},
		{"apart", two + "*p = 1; *q = 1; mark = *p; return 0; }", "x"},
		{"apart", two + "h = 1; mark = *p; return 0; }", ""},
		{"apart", two + "free(p); *q = (mark, 77); return 0; }", "x"},
		{"apart", two + "mark = p == q; return 0; }", "x"},
		{"apart", two + "mark = p == &g; return 0; }", ""},
		{"nonnull", two + "*p = (mark, 77); return 0; }", ""},
		{"nonnull", two + "if (p) h = 1; *p = (mark, 77); return 0; }", "x"},
		{"nonnull", two + "if (p) h = 1; *q = (mark, 77); return 0; }", ""},
		{"nonnull", two + "if (!q) mark = 1; return 0; }", "y"},
		{"nonnull", "static int is(int *p) { return p != 0; } " + two + "h = is(p); mark = h; return 0; }", "x"},
		{"nonnull", two + "mark = (unsigned long)p > 9; return 0; }", "x"},
		{"mapped", two + "*p = (mark, 77); return 0; }", "x"},
		{"mapped", two + "*p = 1; mark = 1; return 0; }", ""},
		{"own", two + "mark = own(&h, 0); return 0; }", "x"},
		{"own", two + "own(&h, 0); mark = h; return 0; }", "x"},
		{"own", two + "mark = g; own(&h, 0); return 0; }", ""},
		{"own", two + "own(0, g); mark = 1; return 0; }", ""},
		{"own", two + "own(&h, 0); mark = g; return 0; }", ""},
		{"own", two + "turns(0, 1); mark = 1; return 0; }", "x"}, // it need not come back
		{"order", two + "mark = p < q; return 0; }", "x"},
		{"order", two + "mark = p < p + 1; return 0; }", ""},
		{"order", two + "mark = p == q; return 0; }", ""},
		{"order", two + "mark = q - p; return 0; }", "x"},
	} {
		m := testprogram.Compile(t, `int mark, g, h; static int *blk_x(void) { return malloc(4); } static int *blk_y(void) { return malloc(4); }
static int own(int *p, int n) { return n; } static int turns(int *p, int n) { while (n--) g++; return 1; }
`+c.src, "-O0")
		q, store := kindOf(m, c.kind)
		if got := strings.Join(Follow(q).At(store, true), ""); got != c.want {
			t.Errorf("%s: %s: rests on %q, not on %q", c.kind, c.src, got, c.want)
		}
	}
}

// kindOf has the parts of such a program bring assumptions of a kind, and finds the store that is asked about.
func kindOf(m *ir.Module, kind string) (q Question, store *ir.Instr) {
	q = Question{Module: m, IDs: []string{"x", "y"}, Holds: func(*ir.Instr) bool { return false },
		Starts: map[*ir.Global]string{}, Own: map[*ir.Func][]string{}}
	all := map[string]bool{"x": true, "y": true}
	for _, f := range m.Funcs {
		for _, b := range f.Blocks {
			for _, in := range b.Instrs {
				id, brings := strings.CutPrefix(f.Name, "blk_")
				switch {
				case brings && kind == "apart" && in.Model == ir.ModelMalloc:
					in.Assumes = []string{"x"}
				case brings && kind == "order" && in.Model == ir.ModelMalloc:
					in.Name = ir.BehindPointer + id
				case brings && kind == "nonnull" && in.Op == ir.OpRet: // as harnesses do
					bring := &ir.Instr{Op: ir.OpFreeze, T: in.Args[0].Type(), Args: in.Args, Block: b, Assumes: []string{id}}
					b.Instrs, in.Args = slices.Insert(b.Instrs, len(b.Instrs)-1, bring), []ir.Value{bring}
					ir.Number(f)
				case in.Op == ir.OpStore && kind == "mapped" && ir.IsConst(in.Args[0], 77):
					in.Assumes = []string{"x"}
				}
				if isMark(in) {
					store = in
				}
			}
		}
	}
	switch kind {
	case "starts":
		q.Starts[m.Globals[slices.IndexFunc(m.Globals, func(g *ir.Global) bool { return g.Name == "g" })]] = "x"
	case "apart":
		q.Apart = maps.Clone(all)
	case "nonnull":
		q.Nonnull = maps.Clone(all)
	case "mapped":
		q.Mapped = maps.Clone(all)
	case "own":
		for _, name := range []string{"own", "turns"} {
			if f := m.Func(name); f != nil {
				q.Own[f] = []string{"x"}
			}
		}
	case "order":
		q.Order = "x"
	}
	return q, store
}

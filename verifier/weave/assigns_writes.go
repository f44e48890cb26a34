package weave

import (
	"fmt"

	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/policy"
)

// written says how a modelled function writes memory: through the argument to, as
// many bytes as the argument size says (-1: the object; see fixed).
var written = map[ir.Model]struct{ to, size int }{
	ir.ModelMemcpy: {0, 2}, ir.ModelMemmove: {0, 2}, ir.ModelMemset: {0, 2}, ir.ModelStrncpy: {0, 2},
	ir.ModelHavoc: {0, 1}, ir.ModelMakeSymbolic: {0, 1},
}

// opaque are modelled functions that write a number of bytes that is not an argument.
var opaque = map[ir.Model]bool{
	ir.ModelHavocObj: true, ir.ModelStubHavoc: true, ir.ModelHavocRest: true, ir.ModelRealloc: true,
	ir.ModelMemalign: true, ir.ModelStrcpy: true, ir.ModelStrcat: true,
	ir.ModelStrncat: true, ir.ModelVaStart: true, ir.ModelVaCopy: true,
}

// before puts the checks in front of in.
func (w *assigns) before(in *ir.Instr) {
	size := func(t *ir.Type) ir.Value { return w.Int(w.write.Params[1].T, w.Module.Layout.SizeOf(t)) }
	switch in.Op {
	case ir.OpStore:
		w.check(in.Args[1], size(in.Access))
	case ir.OpAtomicRMW, ir.OpCmpXchg:
		w.check(in.Args[0], size(in.Access))
	case ir.OpAsm:
		for _, a := range in.Args {
			if a.Type().IsPtr() {
				w.Unsupported("assembly with a pointer in a function with an assigns clause")
				return
			}
		}
	case ir.OpCall:
		w.modelled(in)
	}
}

func (w *assigns) modelled(in *ir.Instr) {
	if m, ok := written[in.Model]; ok && len(in.Args) > m.size {
		w.check(in.Args[m.to], in.Args[m.size])
		return
	}
	switch {
	case in.Model == ir.ModelFree && len(in.Args) == 1:
		if out, ok := w.wayOut(); ok {
			w.claim(w.Call(w.free, in.Args[0], out), w.freeText)
		}
	case opaque[in.Model]:
		for _, a := range in.Args {
			if a.Type().IsPtr() && !w.exempt(a) {
				w.Unsupported(fmt.Sprintf("call of %s in a function with an assigns clause", in.Model))
				return
			}
		}
	}
}

// check asserts that the clause in force allows writing n bytes at p.
func (w *assigns) check(p, n ir.Value) {
	if w.exempt(p) {
		return
	}
	want := w.write.Params[1].T
	if !n.Type().IsInt() || !p.Type().IsPtr() {
		w.Unsupported("a write of this form in a function with an assigns clause")
		return
	}
	n = w.Resize(n, want)
	if out, ok := w.wayOut(); ok {
		w.claim(w.Call(w.write, p, n, out), w.writeText)
	}
}

// wayOut is the number of loops that the current block is on the way out of.
func (w *assigns) wayOut() (ir.Value, bool) {
	n := w.leaving[w.Block]
	if n > policy.AssignsLeft {
		w.Unsupported("a write on the way out of many loops with contracts")
		return nil, false
	}
	return w.Int(w.write.Params[2].T, int64(n)), true
}

func (w *assigns) claim(ok *ir.Instr, text *ir.Global) {
	args := []ir.Value{ok}
	if text != nil {
		args = append(args, w.AddrOfGlobal(text))
	}
	w.Call(w.assert, args...)
}

package pair

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/firmproof/firmproof/verifier/flow/places"
	"github.com/firmproof/firmproof/verifier/harness"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// comparable returns an error where the code of a version does something that is not compared.
func (w *pairing) comparable(reach [2]places.Reach) error {
	ends := ir.Endless(w.Module)
	for side := range reach {
		for _, f := range w.Module.Funcs {
			if !reach[side].Funcs[f] {
				continue
			}
			if f.IsDecl() && f.Model == ir.ModelNone && (ends[f] || ir.NoStub(f.Name) != "") {
				return fmt.Errorf("%s, which does not return as other functions do, is called", f.CName)
			}
			for _, b := range f.Blocks {
				for _, in := range b.Instrs {
					if what := notCompared(in); what != "" {
						return errors.New(what)
					}
				}
			}
		}
	}
	return nil
}

// notCompared says what an instruction does that is not compared, "" where it is.
func notCompared(in *ir.Instr) string {
	switch in.Op {
	case ir.OpVaArg:
		return "arguments of a variable number are read"
	case ir.OpFmul, ir.OpFadd, ir.OpFsub:
		if in.Flags.Has(ir.Contract) {
			return "a product and a sum may be rounded once or twice"
		}
	case ir.OpCmpXchg:
		if in.Flags.Has(ir.Weak) {
			return "an exchange may fail although nothing stands in its way"
		}
	}
	if in.CalledModel().OfHeap() {
		return "memory is allocated or released"
	}
	switch in.CalledModel() {
	case ir.ModelExit, ir.ModelTrapI:
		return "a call ends the program"
	case ir.ModelAssume, ir.ModelAssumeI, ir.ModelHavoc, ir.ModelHavocObj, ir.ModelMakeSymbolic, ir.ModelRange,
		ir.ModelStubHavoc, ir.ModelHavocRest, ir.ModelVaStart, ir.ModelVaCopy:
		return "intrinsics of harnesses, or arguments of a variable number, are used"
	case ir.ModelMulAdd:
		return "a product and a sum may be rounded once or twice"
	}
	return ""
}

// writeSet tells memory that code may write and that outlives its call.
type writeSet struct {
	globals map[*ir.Global]bool
	other   bool // through pointers that are not followed
}

// to notes that something is written at an address.
func (w *writeSet) to(v ir.Value) {
	switch r := ir.Root(v).(type) {
	case *ir.Const:
		if r.Global != nil {
			w.globals[r.Global] = true
		} else if r.Kind != ir.ConstNull {
			w.other = true
		}
	case *ir.Instr:
		w.other = w.other || r.Op != ir.OpAlloca
	default:
		w.other = true
	}
}

// ofEither lists the functions that either version reaches.
func ofEither(m *ir.Module, reach [2]places.Reach) []*ir.Func {
	return slices.DeleteFunc(slices.Clone(m.Funcs), func(f *ir.Func) bool {
		return !reach[0].Funcs[f] && !reach[1].Funcs[f]
	})
}

// writesOf collects what functions may write.
func writesOf(m *ir.Module, reach [2]places.Reach) *writeSet {
	out := &writeSet{globals: map[*ir.Global]bool{}}
	for _, f := range ofEither(m, reach) {
		for _, b := range f.Blocks {
			for _, in := range b.Instrs {
				switch in.Op {
				case ir.OpStore:
					out.to(in.Args[1])
				case ir.OpCmpXchg, ir.OpAtomicRMW:
					out.to(in.Args[0])
				case ir.OpCall:
					if m := in.CalledModel(); m != ir.ModelNone && m != ir.ModelLifetimeStart && m != ir.ModelLifetimeEnd {
						for _, a := range in.Args {
							if a.Type().IsPtr() && !onlyReads(m) {
								out.to(a)
							}
						}
					}
				}
			}
		}
	}
	return out
}

// onlyReads reports models that write nothing through their arguments.
func onlyReads(m ir.Model) bool {
	switch m {
	case ir.ModelMemcmp, ir.ModelMemchr, ir.ModelStrlen, ir.ModelStrnlen, ir.ModelStrcmp, ir.ModelStrncmp, ir.ModelStrchr,
		ir.ModelStrrchr, ir.ModelStrstr, ir.ModelPrintf, ir.ModelAssert, ir.ModelFail, ir.ModelAssertFail, ir.ModelROK,
		ir.ModelWOK, ir.ModelRWOK, ir.ModelObjectSize, ir.ModelPtrOffset, ir.ModelPtrObject, ir.ModelSameObject:
		return true
	}
	return false
}

// findObjects lists what the calls may write, and what pointers of both may lead to.
func (w *pairing) findObjects(reach [2]places.Reach, writes *writeSet) error {
	entry, changed := w.out.Entry, harness.ChangedGlobals(w.Module)
	for _, b := range w.out.Blocks {
		if len(entry.Blocks) > 1 && b.At.Block != entry.Blocks[0] || b.At.Block.Func != entry {
			return errors.New("its harness allocates in a branch")
		}
		if x := w.twinOf(b.At); x != nil && !x.opaque {
			continue
		}
		w.known = append(w.known, b.At)
		o := memory{name: b.Name, at: b.At, size: b.Size, t: b.T}
		if k, ok := b.Size.(*ir.Const); ok && k.Kind == ir.ConstInt {
			if n := k.Bits.Signed(); n.IsInt64() && n.Int64() > 0 {
				o.fixed = n.Int64()
			}
		}
		if w.isResult(b.At) {
			o.t = w.now.DRet
		}
		if writes.other {
			w.objects = append(w.objects, o)
		}
	}
	for _, g := range w.Module.Globals {
		if !reach[0].Globals[g] && !reach[1].Globals[g] || strings.HasPrefix(g.Name, logPrefix) {
			continue
		}
		if slices.Contains(w.j.apart, g) {
			if err := w.isApart(g, writes, changed[g]); err != nil {
				return err
			}
			continue
		}
		w.known = append(w.known, w.AddrOfGlobal(g))
		size := w.Module.Layout.SizeOf(g.T)
		if g.Const || size <= 0 || !writes.globals[g] && !writes.other {
			continue
		}
		o := memory{name: ir.NameOf(g), at: w.AddrOfGlobal(g), size: w.Int(w.Word(), size), fixed: size}
		if g.Var != nil && ir.SizeInC(g.Var.T) == size {
			o.t = g.Var.T
		}
		w.objects = append(w.objects, o)
	}
	return nil
}

// readApart takes back that what pointers lead to does not overlap, where it makes no difference: nothing is written
// there, and no address is taken for more than a place to read at.
func (w *pairing) readApart(reach [2]places.Reach, writes *writeSet) {
	if writes.other {
		return
	}
	written := map[string]bool{}
	for g := range writes.globals {
		written[g.Name] = true
	}
	for _, f := range ofEither(w.Module, reach) {
		for _, b := range f.Blocks {
			for _, in := range b.Instrs {
				switch {
				case in.Op == ir.OpPtrToInt,
					in.Op == ir.OpIcmp && in.Args[0].Type().IsPtr() && !ir.IsNullConst(in.Args[0]) && !ir.IsNullConst(in.Args[1]):
					return
				}
			}
		}
		if f.IsDecl() && f.Model == ir.ModelNone {
			return
		}
	}
	w.out.Assumptions = slices.DeleteFunc(w.out.Assumptions, func(a verdict.Assumption) bool {
		return a.Relation == verdict.Apart && !written[a.Other]
	})
}

// onlyVolatile lists variables, by name, that both versions reach by volatile accesses alone.
func (w *pairing) onlyVolatile(reach [2]places.Reach) map[string]bool {
	out, plain := map[string]bool{}, map[string]bool{}
	for _, g := range w.Module.Globals {
		ir.EachAddress(g.Init, func(to *ir.Global) { plain[to.Name] = true })
	}
	for _, f := range ofEither(w.Module, reach) {
		for _, b := range f.Blocks {
			for _, in := range b.Instrs {
				for i, a := range in.Args {
					if k, ok := ir.Root(a).(*ir.Const); ok && k.Global != nil {
						out[k.Global.Name] = true
						plain[k.Global.Name] = plain[k.Global.Name] || !in.Flags.Has(ir.Volatile) || !ir.Accessed(in, i)
					}
				}
			}
		}
	}
	maps.DeleteFunc(out, func(name string, _ bool) bool { return plain[name] })
	return out
}

// isApart notes a variable that only one version has; an error where both have one of the name, which do not hold the
// same things.
func (w *pairing) isApart(g *ir.Global, writes *writeSet, changed bool) error {
	if g.Const || g.Var == nil || w.isTwin(g) {
		return nil
	}
	name := strings.TrimPrefix(g.Name, OldPrefix)
	other := slices.ContainsFunc(w.j.apart, func(h *ir.Global) bool {
		return h != g && !h.Const && strings.TrimPrefix(h.Name, OldPrefix) == name
	})
	if !writes.globals[g] && !writes.other && !g.Var.Public && !changed {
		return nil // as good as a constant
	}
	if other {
		return fmt.Errorf("the variable %s has another layout or another initial value", ir.NameOf(g))
	}
	w.out.Assumptions = verdict.AddAssumptions(w.out.Assumptions, verdict.Assume(g.Name, verdict.Start, verdict.Chosen,
		fmt.Sprintf("%s, which only one version has, holds its initial value", ir.NameOf(g))))
	return nil
}

// isResult reports whether a block is where the function writes its result.
func (w *pairing) isResult(at *ir.Instr) bool {
	call := w.callIn(w.out.Entry)
	return call != nil && slices.ContainsFunc(w.now.Params, func(p *ir.Param) bool {
		return p.SRet != nil && call.Args[p.Index] == ir.Value(at)
	})
}

package prepare

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"

	"github.com/firmproof/firmproof/verifier/flow/places"
	"github.com/firmproof/firmproof/verifier/ir"
)

// variablePart names a part of a variable of the program.
type variablePart struct {
	of  *ir.Global
	off int64 // in bytes; -1: any part
}

// storedFor digests for each of funcs the code of the others that store where it reads: in one part of a variable, or in
// any part of it where that is not known. forms are those of Outline. Generated harnesses start with initial values, so
// that what a change stores there shows in calls of both functions alone.
func storedFor(funcs []*ir.Func, forms map[string]string) map[string]string {
	stores, loads := map[variablePart][]*ir.Func{}, map[*ir.Func][]variablePart{}
	whole := map[*ir.Global][]*ir.Func{} // that store in some part
	for _, f := range funcs {
		vars := f.VarsBySlot()
		visit := func(addr ir.Value, part, load, store bool) {
			for _, o := range places.ObjectsAt(vars, addr) {
				if o.Global == nil || o.Global.Const {
					continue
				}
				at := variablePart{o.Global, o.Off}
				if !part || o.Moved || o.Cast {
					at.off = -1
				}
				if load {
					loads[f] = append(loads[f], at)
				}
				if store {
					stores[at], whole[at.of] = append(stores[at], f), append(whole[at.of], f)
				}
			}
		}
		for _, b := range f.Blocks {
			for _, in := range b.Instrs {
				switch in.Op {
				case ir.OpLoad:
					visit(in.Args[0], true, true, false)
				case ir.OpStore:
					visit(in.Args[1], true, false, true)
				case ir.OpCall:
					for _, v := range in.Args {
						if v.Type().IsPtr() {
							visit(v, false, true, true)
						}
					}
				}
			}
		}
	}
	out := map[string]string{}
	for f, parts := range loads {
		others := map[string]bool{}
		for _, at := range parts {
			list := slices.Concat(stores[at], stores[variablePart{at.of, -1}])
			if at.off < 0 {
				list = whole[at.of]
			}
			for _, g := range list {
				if g != f {
					others[g.Name] = true
				}
			}
		}
		h := sha256.New()
		for _, name := range slices.Sorted(maps.Keys(others)) {
			fmt.Fprintln(h, name, forms[name])
		}
		if len(others) > 0 {
			out[f.Name] = hex.EncodeToString(h.Sum(nil)[:8])
		}
	}
	return out
}

// readersIn lists the functions of head that are as they are in base and read variables in which what changed stores,
// by target.
func readersIn(head, base map[string]*Outline) map[string][]string {
	out := map[string][]string{}
	for target, h := range head {
		b := base[target]
		if b == nil || b.Calls != h.Calls {
			continue
		}
		for name, stored := range h.Stored {
			if b.Functions[name] == h.Functions[name] && b.Stored[name] != stored {
				out[target] = append(out[target], name)
			}
		}
		slices.Sort(out[target])
	}
	return out
}

package pair

import (
	"fmt"
	"slices"
	"strings"

	"github.com/firmproof/firmproof/verifier/flow/places"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// A function without a body sees more than its arguments: what these lead to, and variables of the program. At each call of
// one, memory that either version may change is compared, at one byte, any one, of each object. What is passed has to hold
// the same (FactEvent). Of the rest it is not known whether the function reads it: where that does not hold the same
// (FactSeen), the answer is one up to that.

// mark is a call of a function without a body, in the place of code that compares memory, until it is known which; or a
// volatile access (volatile.go).
type mark struct {
	name string
	side int
	at   ir.Value    // the number of the event
	pos  verdict.Pos // of the call
}

// mark notes that memory is compared here. What is passed are the arguments of the mark.
func (w *pairing) mark(e *event, in *ir.Instr, side int, at ir.Value) {
	var passed []ir.Value
	for i, a := range e.args {
		if a.Type().IsPtr() && !ir.IsNullConst(a) && !(e.through && i == 0) && !e.leadsToLocal(a) {
			passed = append(passed, a)
		}
	}
	if w.marks == nil {
		w.marks = map[*ir.Instr]*mark{}
	}
	w.marks[w.Model(ir.ModelNop, "firmproof.see", ir.Void(), passed...)] = &mark{name: e.name, side: side, at: at, pos: *in.Pos}
}

// seen writes the comparisons of memory at the marks.
func (w *pairing) seen() {
	if len(w.marks) == 0 {
		return
	}
	if w.log.watch == nil {
		w.log.watch = w.watches()
	}
	w.inPlaceOf(w.marks, w.compareSeen)
}

// inPlaceOf has write put code in the place of marks; it gets their arguments.
func (w *pairing) inPlaceOf(marks map[*ir.Instr]*mark, write func(m *mark, args []ir.Value)) {
	in := map[*ir.Func]bool{}
	for m := range marks {
		in[m.Block.Func] = true
	}
	for _, f := range w.Module.Funcs {
		if in[f] {
			w.RewriteFunc(f, func(in *ir.Instr) {
				if m := marks[in]; m != nil {
					write(m, in.Args)
				} else {
					w.Keep(in)
				}
			})
		}
	}
}

// compareSeen notes what is at the bytes that are watched, in the old version, and asserts that it is the same in the new one.
func (w *pairing) compareSeen(m *mark, passed []ir.Value) {
	n := int64(len(w.log.watch))
	for i, g := range w.log.watch {
		o := &w.objects[i]
		at := w.Load(w.Ptr(), w.AddrOfGlobal(g))
		b := w.Load(ir.Int(8), at)
		noted := w.Gep(w.AddrOfGlobal(w.log.seen), int64(i), m.at, n)
		if m.side == 0 {
			w.Store(b, noted, 1)
			continue
		}
		same := w.Compare(ir.EQ, b, w.Load(ir.Int(8), noted))
		if is := w.isPassed(o, at, passed); is != nil {
			w.claimAt(FactEvent, fmt.Sprintf("%s, and what it is passed (%s)", m.name, o.name),
				w.Or(same, w.Xor(is, w.Int(ir.Int(1), -1))), m.pos)
		}
		w.claimAt(FactSeen, o.name, same, m.pos)
	}
}

// isPassed is true if one of the pointers that are passed leads to an object, that at leads to a byte of; nil: none does. One
// to a member of a structure, at a constant place, hands over that member alone; else one to the start of a structure all of it.
func (w *pairing) isPassed(o *memory, at ir.Value, passed []ir.Value) ir.Value {
	var out ir.Value
	for _, p := range passed {
		g := ir.VariableAt(p)
		if g != nil && ir.VariableAt(o.at) != g {
			continue
		}
		is := ir.Value(w.Model(ir.ModelSameObject, "firmproof.same.object", ir.Int(1), at, p))
		if ir.IsAggregate(o.t) && o.t.Kind != ir.DArray {
			n, constant := offsetOf(p)
			from, size := partAt(o.t, n)
			if g != nil && constant && n > 0 && size > 0 {
				off := w.Binary(ir.OpSub, w.Model(ir.ModelPtrOffset, "firmproof.offset", w.Word(), at), w.Int(w.Word(), from))
				is = w.And(is, w.Compare(ir.ULT, off, w.Int(w.Word(), size)))
			} else {
				off := w.Model(ir.ModelPtrOffset, "firmproof.offset", w.Word(), p)
				is = w.And(is, w.Compare(ir.EQ, off, w.Int(w.Word(), 0)))
			}
		}
		if out == nil {
			out = is
		} else {
			out = w.Or(out, is)
		}
	}
	return out
}

// offsetOf returns where in a variable an address is, in bytes; false: it is not constant.
func offsetOf(v ir.Value) (int64, bool) {
	n := int64(0)
	for {
		switch x := v.(type) {
		case *ir.Const:
			return n + x.Off, x.Kind == ir.ConstAddr
		case *ir.Instr:
			if x.Op == ir.OpGep && len(x.Args) > 1 || x.Op != ir.OpGep && x.Op != ir.OpBitcast && x.Op != ir.OpFreeze {
				return 0, false
			}
			if n, v = n+x.Off, x.Args[0]; x.Op != ir.OpGep {
				n -= x.Off
			}
		default:
			return 0, false
		}
	}
}

// partAt returns the innermost structure that begins at a byte of a t, or else the array or number that it belongs to: where
// that is, and how large. size 0: none.
func partAt(t *ir.DType, at int64) (from, size int64) {
	for k := range t.Fields {
		f := &t.Fields[k]
		off := f.BitOff / 8
		switch n := ir.SizeInC(f.T); {
		case t.Kind != ir.DStruct || f.T == nil || f.IsBits || at < off || at >= off+n:
		case at > off && f.T.Kind == ir.DStruct:
			from, size = partAt(f.T, at-off)
			return off + from, size
		default:
			return off, n
		}
	}
	return 0, 0
}

// bodiless says what is taken for granted of functions without a body. Nothing is where versions use no memory but their own,
// and pass none of that.
func (w *pairing) bodiless(reach [2]places.Reach) {
	if len(w.marks) == 0 {
		return
	}
	if w.apartLayouts() {
		w.limit("what functions without a body may read during a call of memory of another layout is not compared")
	}
	uses := w.passesOwn
	for side := range reach {
		uses = uses || slices.ContainsFunc(w.followed(side), usesMemory)
	}
	if uses && w.j.ThroughPointers {
		w.limit("functions without a body, or called through pointers, are taken to change no variable of the program")
	} else if uses {
		w.limit("functions without a body are taken to change no variable of the program")
	}
}

// usesMemory reports whether f accesses anything but its own variables, constants and what is volatile, or passes on one.
func usesMemory(f *ir.Func) bool {
	for _, b := range f.Blocks {
		for _, in := range b.Instrs {
			for i, a := range in.Args {
				if !a.Type().IsPtr() || in.Flags.Has(ir.Volatile) {
					continue
				}
				switch r := ir.Root(a).(type) {
				case *ir.Instr:
					if r.Op == ir.OpAlloca && (in.Op != ir.OpCall || ir.CalledFunc(in) != nil && in.CalledModel() != ir.ModelNone) {
						continue
					}
				case *ir.Const:
					if r.Kind == ir.ConstNull || r.Global != nil && (r.Global.Const || strings.HasPrefix(r.Global.Name, logPrefix)) {
						continue
					}
				}
				if ir.Accessed(in, i) || in.Op == ir.OpCall {
					return true
				}
			}
		}
	}
	return false
}

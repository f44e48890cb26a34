package interrupt

import (
	"github.com/firmproof/firmproof/verifier/flow/places"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/policy"
	"github.com/firmproof/firmproof/verifier/weave/irbuild"
)

// copier copies or sets n bytes at an offset; to is where they go.
type copier func(to ir.Value, off ir.Value, n ir.Value)

// bytesCopy copies from from to to.
func (w *interrupts) bytesCopy(to, from ir.Value) copier {
	return func(d, off, n ir.Value) { w.Model(ir.ModelMemcpy, "memcpy", w.Ptr(), d, w.Gep(from, 0, off, 1), n) }
}

// again makes in, a call that copies or sets memory, for a piece of it.
func (w *interrupts) again(in *ir.Instr) copier {
	return func(d, off, n ir.Value) {
		c := *in
		c.Args = append([]ir.Value(nil), in.Args...)
		c.Args[0], c.Args[2] = d, w.Resize(n, in.Args[2].Type())
		if in.Model != ir.ModelMemset {
			c.Args[1] = w.Gep(in.Args[1], 0, off, 1)
		}
		w.Emit(&c)
	}
}

// copyParts copies n bytes to to in parts, or as a large copy.
func (w *interrupts) copyParts(n, unit int64, piece copier, to ir.Value) {
	k := int(n / unit)
	if k > policy.TearParts || k*min(k, w.turns+1) > policy.TearTable {
		w.largeCopy(w.Int(w.Word(), n), w.Nondet(irbuild.PointPrefix+"part", ir.Int(1)), piece, to)
		return
	}
	elsewhere := w.local(ir.Int(8), n)
	parts := w.parts(n, unit)
	w.phases(len(parts[0].in), func(j int) ir.Value { return w.onBothSides(parts, j) }, func(j int) {
		for _, p := range parts {
			d := w.choice(p.in[j], w.Gep(to, p.off, nil, 0), w.Gep(elsewhere, p.off, nil, 0))
			piece(d, w.Int(w.Word(), p.off), w.Int(w.Word(), p.len))
		}
	})
}

// largeCopy copies n bytes upwards or downwards, with a phase for each run of handlers.
func (w *interrupts) largeCopy(n, up ir.Value, piece copier, to ir.Value) {
	phases := min(w.turns+1, policy.TearPhases)
	w.large = w.large || phases == policy.TearPhases
	ends := []ir.Value{w.Int(w.Word(), 0)}
	for j := 1; j < phases; j++ {
		e := w.Nondet(irbuild.PointPrefix+"split", w.Word())
		w.Assume(w.And(w.Compare(ir.ULE, ends[j-1], e), w.Compare(ir.ULE, e, n)))
		ends = append(ends, e)
	}
	ends = append(ends, n)
	inside := func(j int) ir.Value {
		done := w.choice(up, ends[j], ends[phases-j])
		return w.And(w.Compare(ir.NE, done, ends[0]), w.Compare(ir.NE, done, n))
	}
	w.phases(phases, inside, func(j int) {
		from := w.choice(up, ends[j], ends[phases-1-j])
		size := w.Binary(ir.OpSub, w.choice(up, ends[j+1], ends[phases-j]), from)
		piece(w.Gep(to, 0, from, 1), from, size)
	})
}

// tornCopy is memcpy, memmove or memset in parts.
func (w *interrupts) tornCopy(in *ir.Instr) {
	n, constant := w.sizeWritten(in)
	if constant && in.Model != ir.ModelMemmove {
		w.copyParts(n, w.copyUnit(in, n), w.again(in), in.Args[0])
		return
	}
	size := w.Resize(in.Args[2], w.Word())
	var up ir.Value = w.Nondet(irbuild.PointPrefix+"part", ir.Int(1))
	if in.Model == ir.ModelMemmove { // where the two overlap, there is one way
		d, s := w.asInteger(in.Args[0], w.Word()), w.asInteger(in.Args[1], w.Word())
		up = w.Or(up, w.Compare(ir.ULT, w.Binary(ir.OpSub, s, d), size))
		up = w.choice(w.Compare(ir.ULT, w.Binary(ir.OpSub, d, s), size), w.Int(ir.Int(1), 0), up)
	}
	w.largeCopy(size, up, w.again(in), in.Args[0])
}

// copyUnit is the size of the parts of a copy of n bytes.
func (w *interrupts) copyUnit(in *ir.Instr, n int64) int64 {
	u := AtomicBytes(w.Module)
	for u > 1 && n%u != 0 { // a struct of smaller members
		u /= 2
	}
	if n > policy.TearWords*AtomicBytes(w.Module) || !w.aligned(in.Args[0], u) ||
		in.Model != ir.ModelMemset && !w.aligned(in.Args[1], u) {
		return 1
	}
	return u
}

// aligned reports whether an address is known to be a multiple of u.
func (w *interrupts) aligned(v ir.Value, u int64) bool {
	switch v := v.(type) {
	case *ir.Const:
		return v.Global != nil && int64(v.Global.Align)%u == 0 && v.Off%u == 0
	case *ir.Instr:
		switch v.Op {
		case ir.OpAlloca:
			return int64(v.Align)%u == 0
		case ir.OpBitcast, ir.OpFreeze:
			return w.aligned(v.Args[0], u)
		case ir.OpGep:
			for _, s := range v.Scales {
				if s%u != 0 {
					return false
				}
			}
			return v.Off%u == 0 && w.aligned(v.Args[0], u)
		}
	}
	return false
}

// copyArguments makes the copies of arguments by value that handlers could notice in
// front of the call, where they can be torn.
func (w *interrupts) copyArguments(in *ir.Instr) {
	f := ir.CalledFunc(in)
	if in.Model != ir.ModelNone {
		return
	}
	if f == nil {
		w.copiesThroughPointer(in)
		return
	}
	for i, p := range f.Params {
		if p.ByVal == nil || i >= len(in.Args) || !w.touch.Conflicts(places.Access{Addr: in.Args[i], Reads: true}, w.escapes) {
			continue
		}
		n := w.Module.Layout.SizeOf(p.ByVal)
		tmp := w.local(p.ByVal, 1)
		copied := &ir.Instr{Op: ir.OpCall, T: w.Ptr(), Model: ir.ModelMemcpy,
			Args: []ir.Value{tmp, in.Args[i], w.Int(w.Word(), n)}}
		decl := w.Declare(ir.ModelMemcpy, "memcpy", w.Ptr(), copied.Args)
		copied.Sig, copied.Callee, copied.Pos = decl.Sig(), w.AddrOfFunc(decl), in.Pos
		w.step(copied)
		in.Args[i] = tmp
	}
}

// copiesThroughPointer makes a call through a pointer unknown if a function that it may be of takes an argument by
// value which handlers could notice: the call does not say so, and no copy in front of it suits every function.
func (w *interrupts) copiesThroughPointer(in *ir.Instr) {
	for _, f := range w.Module.Funcs {
		if !f.Addr || len(f.Params) != len(in.Args) && !f.Variadic {
			continue
		}
		for i, p := range f.Params {
			if p.ByVal != nil && i < len(in.Args) && in.Args[i].Type().IsPtr() &&
				w.touch.Conflicts(places.Access{Addr: in.Args[i], Reads: true}, w.escapes) {
				w.Unsupported("call through a pointer with an argument by value that an interrupt handler uses")
				return
			}
		}
	}
}

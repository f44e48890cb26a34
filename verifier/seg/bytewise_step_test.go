package seg

import (
	"math/big"

	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// step executes the instruction where the shadow is.
func (x *bytewise) step(at func(*ir.Global) *blob) (err error) {
	f := x.top()
	in := f.blk.Instrs[f.idx]
	args := make([]word, len(in.Args))
	for n, a := range in.Args {
		if args[n], err = x.value(a, at); err != nil {
			return err
		}
	}
	f.idx++
	switch in.Op {
	case ir.OpBr:
		return x.jump(in.Targets[0], at)
	case ir.OpCondBr:
		return x.jump(in.Targets[1-args[0].n.Bit(0)], at)
	case ir.OpSwitch:
		for n, c := range in.Cases {
			if c.Unsigned().Cmp(args[0].n) == 0 {
				return x.jump(in.Targets[n+1], at)
			}
		}
		return x.jump(in.Targets[0], at)
	case ir.OpRet:
		for _, b := range f.own {
			b.gone = true
		}
		if x.frames = x.frames[:len(x.frames)-1]; len(x.frames) == 0 {
			x.ended = true
			return nil
		}
		if len(args) > 0 {
			x.top().regs[f.call] = args[0]
		}
		x.top().idx++
		return nil
	case ir.OpTrap, ir.OpUnreachable:
		x.fails = verdict.Unreachable
		return nil
	}
	v, err := x.result(in, args)
	if err == nil && !in.T.IsVoid() && x.fails == "" && in.Op != ir.OpCall {
		f.regs[in] = v
	}
	return err
}

func (x *bytewise) value(a ir.Value, at func(*ir.Global) *blob) (word, error) {
	if c, ok := a.(*ir.Const); ok {
		return x.constant(c, at)
	}
	if v, ok := x.top().regs[a]; ok {
		return v, nil
	}
	return word{}, errNoShadow
}

func (x *bytewise) jump(to *ir.Block, at func(*ir.Global) *blob) error {
	f, idx, next := x.top(), 0, map[ir.Value]word{}
	for ; to.Instrs[idx].Op == ir.OpPhi; idx++ {
		for n, p := range to.Instrs[idx].Incoming {
			if p != f.blk {
				continue
			}
			v, err := x.value(to.Instrs[idx].Args[n], at)
			if err != nil {
				return err
			}
			next[to.Instrs[idx]] = v
		}
	}
	for k, v := range next {
		f.regs[k] = v
	}
	f.blk, f.idx = to, idx
	return nil
}

// result is the value of an instruction that stays in its block.
func (x *bytewise) result(in *ir.Instr, a []word) (word, error) {
	l := &x.m.Layout
	w := bitsOf(l, in.T)
	switch in.Op {
	case ir.OpAlloca:
		b := x.place(a[0].n.Int64()*l.SizeOf(in.Access), int64(in.Align))
		x.top().own = append(x.top().own, b)
		return word{n: new(big.Int).SetUint64(b.at)}, nil
	case ir.OpGep:
		n := new(big.Int).Add(a[0].n, big.NewInt(in.Off))
		for i, scale := range in.Scales {
			index := signedOf(a[i+1].n, in.Args[i+1].Type().Width)
			n.Add(n, new(big.Int).Mul(index, big.NewInt(scale)))
		}
		b, off := x.find(a[0].n.Uint64(), 0)
		if in.Flags.Has(ir.InBounds) && (b == nil || !within(off+new(big.Int).Sub(n, a[0].n).Int64(), len(b.bytes))) {
			x.fails = verdict.PointerOverflow
		}
		return word{n: wrapped(n, w)}, nil
	case ir.OpLoad:
		size := l.StoreSize(in.Access)
		b, off := x.access(a[0], size, int64(in.Align), false)
		if b == nil {
			return word{}, nil
		}
		v := x.get(in.Access, b.bytes[off:])
		for _, set := range b.set[off : off+size] {
			v.unset = v.unset || !set
		}
		return v, nil
	case ir.OpStore:
		if b, off := x.access(a[1], l.StoreSize(in.Access), int64(in.Align), true); b != nil {
			x.bytesOf(in.Access, a[0], b.bytes[off:])
			for n := range l.StoreSize(in.Access) {
				b.set[off+n] = true
			}
		}
		return word{}, nil
	case ir.OpAtomicRMW:
		size := l.StoreSize(in.Access)
		b, off := x.access(a[0], size, int64(in.Align), true)
		if b == nil {
			return word{}, nil
		}
		v := x.get(in.Access, b.bytes[off:])
		for n, set := range b.set[off : off+size] {
			v.unset = v.unset || !set
			b.set[off+int64(n)] = true
		}
		n := new(big.Int)
		switch in.RMW {
		case "xchg":
			n = a[1].n
		case "add":
			n.Add(v.n, a[1].n)
		case "sub":
			n.Sub(v.n, a[1].n)
		case "or":
			n.Or(v.n, a[1].n)
		default:
			return word{}, errNoShadow
		}
		x.bytesOf(in.Access, word{n: wrapped(n, w)}, b.bytes[off:])
		return v, nil
	case ir.OpTrunc, ir.OpZext, ir.OpPtrToInt, ir.OpIntToPtr, ir.OpBitcast, ir.OpFreeze:
		if bitsOf(l, in.Args[0].Type()) == 0 || w == 0 {
			return word{}, errNoShadow
		}
		return word{n: wrapped(a[0].n, w)}, nil
	case ir.OpSext:
		return word{n: wrapped(signedOf(a[0].n, in.Args[0].Type().Width), w)}, nil
	case ir.OpSelect:
		return a[2-a[0].n.Bit(0)], nil
	case ir.OpIcmp:
		return word{n: big.NewInt(truthOf(in.Pred, a[0].n, a[1].n, bitsOf(l, in.Args[0].Type())))}, nil
	case ir.OpExtractValue:
		v := a[0]
		for _, i := range in.Indices {
			if i >= len(v.elems) {
				return word{}, errNoShadow
			}
			v = v.elems[i]
		}
		return v, nil
	case ir.OpCall:
		return word{}, x.call(in, a)
	}
	if in.Op.Class() == ir.ClassBinary && in.T.IsInt() {
		return x.arithmetic(in, a[0].n, a[1].n, w)
	}
	return word{}, errNoShadow
}

func within(off int64, size int) bool { return off >= 0 && off <= int64(size) }

func truthOf(p ir.Pred, a, b *big.Int, w int) int64 {
	u, s := a.Cmp(b), signedOf(a, w).Cmp(signedOf(b, w))
	if map[ir.Pred]bool{ir.EQ: u == 0, ir.NE: u != 0, ir.UGT: u > 0, ir.UGE: u >= 0, ir.ULT: u < 0, ir.ULE: u <= 0,
		ir.SGT: s > 0, ir.SGE: s >= 0, ir.SLT: s < 0, ir.SLE: s <= 0}[p] {
		return 1
	}
	return 0
}

func (x *bytewise) arithmetic(in *ir.Instr, a, b *big.Int, w int) (word, error) {
	s, t := signedOf(a, w), signedOf(b, w)
	n := new(big.Int)
	switch in.Op {
	case ir.OpAdd:
		n.Add(s, t)
	case ir.OpSub:
		n.Sub(s, t)
	case ir.OpMul:
		n.Mul(s, t)
	case ir.OpAnd:
		n.And(a, b)
	case ir.OpOr:
		n.Or(a, b)
	case ir.OpXor:
		n.Xor(a, b)
	case ir.OpUdiv, ir.OpUrem, ir.OpSdiv, ir.OpSrem:
		if b.Sign() == 0 {
			x.fails = verdict.DivByZero
			return word{}, nil
		}
		switch in.Op {
		case ir.OpUdiv:
			n.Quo(a, b)
		case ir.OpUrem:
			n.Rem(a, b)
		case ir.OpSdiv:
			n.Quo(s, t)
		default:
			n.Rem(s, t)
		}
	case ir.OpShl, ir.OpLshr, ir.OpAshr:
		if b.Cmp(big.NewInt(int64(w))) >= 0 {
			x.fails = verdict.Shift
			return word{}, nil
		}
		switch k := uint(b.Uint64()); in.Op {
		case ir.OpShl:
			n.Lsh(s, k)
		case ir.OpLshr:
			n.Rsh(a, k)
		default:
			n.Rsh(s, k)
		}
	}
	if in.Flags&(ir.NSW|ir.NUW|ir.Exact) != 0 && signedOf(wrapped(n, w), w).Cmp(n) != 0 {
		return word{}, errNoShadow // options say what that is
	}
	return word{n: wrapped(n, w)}, nil
}

// access is the object that an address leads to, and where in it; none: that is undefined.
func (x *bytewise) access(p word, n, align int64, write bool) (*blob, int64) {
	at := p.n.Uint64()
	b, off := x.find(at, n)
	if b == nil || write && b.readOnly || at%uint64(max(align, 1)) != 0 {
		x.fails = verdict.Memory
		return nil, 0
	}
	return b, off
}

// call executes the functions that the shadow knows, and enters those of the program.
func (x *bytewise) call(in *ir.Instr, a []word) error {
	c, ok := in.Callee.(*ir.Const)
	if !ok || c.Func == nil {
		return errNoShadow
	}
	f, model := x.top(), in.Model
	if model == ir.ModelNone {
		model = c.Func.Model
	}
	switch model {
	case ir.ModelNone:
		if c.Func.IsDecl() || len(a) != len(c.Func.Params) {
			return errNoShadow
		}
		f.idx--
		g := &machineFrame{fn: c.Func, blk: c.Func.Blocks[0], regs: map[ir.Value]word{}, call: in}
		for n, p := range c.Func.Params {
			if p.ByVal != nil {
				return errNoShadow
			}
			g.regs[p] = a[n]
		}
		x.frames = append(x.frames, g)
	case ir.ModelNondet:
		f.regs[in] = word{n: x.any(bitsOf(&x.m.Layout, in.T))}
	case ir.ModelMalloc, ir.ModelCalloc:
		size := a[0].n.Int64()
		if model == ir.ModelCalloc {
			size *= a[1].n.Int64()
		}
		if size < 0 || size > x.apart()/2 {
			return errNoShadow
		}
		b := x.place(size, x.m.Layout.MaxAlign())
		if b.heap = true; model == ir.ModelCalloc {
			clear(b.bytes)
			for n := range b.set {
				b.set[n] = true
			}
		}
		f.regs[in] = word{n: new(big.Int).SetUint64(b.at)}
	case ir.ModelFree:
		if a[0].n.Sign() == 0 {
			return nil
		}
		if b, off := x.find(a[0].n.Uint64(), 0); b == nil || off != 0 || !b.heap {
			x.fails = verdict.Free
		} else {
			b.gone = true
		}
	case ir.ModelMemcpy, ir.ModelMemmove, ir.ModelMemset:
		return x.copies(in, model, a)
	case ir.ModelLifetimeEnd:
	case ir.ModelLifetimeStart:
		if b, _ := x.find(a[len(a)-1].n.Uint64(), 0); b != nil {
			for n := range b.set {
				b.set[n], b.bytes[n] = false, byte(x.r.Intn(256))
			}
		}
	default:
		return errNoShadow
	}
	return nil
}

func (x *bytewise) copies(in *ir.Instr, m ir.Model, a []word) error {
	n := a[2].n.Int64()
	if n != 0 {
		to, i := x.access(a[0], n, 1, true)
		if to == nil {
			return nil
		}
		if m == ir.ModelMemset {
			for k := range n {
				to.bytes[i+k], to.set[i+k] = byte(a[1].n.Uint64()), true
			}
		} else {
			from, j := x.access(a[1], n, 1, false)
			if from == nil {
				return nil
			}
			if m == ir.ModelMemcpy && from == to && i < j+n && j < i+n && i != j {
				x.fails = verdict.Memory
				return nil
			}
			copy(to.bytes[i:i+n], append([]byte(nil), from.bytes[j:j+n]...))
			copy(to.set[i:i+n], append([]bool(nil), from.set[j:j+n]...))
		}
	}
	if !in.T.IsVoid() {
		x.top().regs[in] = a[0]
	}
	return nil
}

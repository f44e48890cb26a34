package ir

import (
	"errors"
	"fmt"
)

// Check looks for broken invariants of a module: what the engines rely on and
// the doc comments of this package promise. It reports up to twenty of them.
func Check(m *Module) error {
	c := &checker{}
	for _, g := range m.Globals {
		c.global(g)
	}
	for _, f := range m.Funcs {
		c.fn(f)
	}
	return errors.Join(c.errs...)
}

type checker struct {
	errs []error
	f    *Func
	seen map[*Instr]bool
}

func (c *checker) bad(format string, args ...any) {
	if len(c.errs) < 20 {
		where := ""
		if c.f != nil {
			where = "function " + c.f.Name + ": "
		}
		c.errs = append(c.errs, fmt.Errorf(where+format, args...))
	}
}

func (c *checker) global(g *Global) {
	switch {
	case g.Align < 1:
		c.bad("global %s: alignment %d", g.Name, g.Align)
	case (g.Init == nil) != (g.Extern || g.Unsupported != ""):
		c.bad("global %s: initialiser and extern disagree", g.Name)
	case g.Init != nil:
		if !g.Init.T.Equal(g.T) {
			c.bad("global %s: initialiser of type %s, not %s", g.Name, g.Init.T, g.T)
		}
		c.constant(g.Init)
	}
}

func (c *checker) constant(k *Const) {
	if k.T == nil {
		c.bad("constant %s without type", k)
		return
	}
	switch k.Kind {
	case ConstInvalid:
		c.bad("constant of kind 0")
	case ConstInt:
		if k.Bits.Width() != k.T.Width {
			c.bad("constant %s: %d bits for %s", k, k.Bits.Width(), k.T)
		}
	case ConstAgg:
		if len(k.Elems) != k.T.NumElems() {
			c.bad("constant %s: %d members for %s", k, len(k.Elems), k.T)
			return
		}
		for i, e := range k.Elems {
			if !e.T.Equal(k.T.ElemAt(i)) {
				c.bad("constant %s: member %d is %s", k, i, e.T)
			}
			c.constant(e)
		}
	case ConstBytes:
		if k.T.Kind != KindArray || int64(len(k.Bytes)) != k.T.Len {
			c.bad("constant %s: %d bytes for %s", k, len(k.Bytes), k.T)
		}
	case ConstAddr, ConstAddrInt:
		if k.Global == nil && k.Func == nil && k.Label == nil {
			c.bad("constant of type %s: address of nothing", k.T)
		}
		if (k.Kind == ConstAddr) != k.T.IsPtr() {
			c.bad("constant %s: address of type %s", k, k.T)
		}
	}
}

func (c *checker) fn(f *Func) {
	c.f, c.seen = f, map[*Instr]bool{}
	defer func() { c.f = nil }()
	for i, p := range f.Params {
		if p.Index != i || p.T == nil {
			c.bad("parameter %d is broken", i)
		}
	}
	if !f.IsDecl() && f.Model != ModelNone {
		c.bad("has a body and a model")
	}
	id := 0
	for i, b := range f.Blocks {
		if b.Index != i || b.Func != f || len(b.Instrs) == 0 {
			c.bad("block %d is broken", i)
			return
		}
		for _, in := range b.Instrs {
			if in.ID != id || in.Block != b {
				c.bad("%s: id %d, want %d", in, in.ID, id)
			}
			c.seen[in] = true
			id++
		}
	}
	if id != f.NumInstr {
		c.bad("NumInstr is %d, want %d", f.NumInstr, id)
	}
	preds := predecessors(f)
	for _, b := range f.Blocks {
		c.block(b, preds[b.Index])
	}
}

// predecessors computes each block's predecessors, without duplicates, by index.
func predecessors(f *Func) [][]*Block {
	preds := make([][]*Block, len(f.Blocks))
	for _, b := range f.Blocks {
		for _, s := range b.Succs() {
			have := preds[s.Index]
			if len(have) == 0 || have[len(have)-1] != b {
				preds[s.Index] = append(have, b)
			}
		}
	}
	return preds
}

// Number gives the instructions of f their IDs, in block order.
func Number(f *Func) {
	id := 0
	for _, b := range f.Blocks {
		for _, in := range b.Instrs {
			in.ID = id
			id++
		}
	}
	f.NumInstr = id
}

// SetPreds fills in Block.Preds of f from its terminators.
func SetPreds(f *Func) {
	for i, p := range predecessors(f) {
		f.Blocks[i].Preds = p
	}
}

func (c *checker) block(b *Block, preds []*Block) {
	if len(preds) != len(b.Preds) {
		c.bad("block %s: %d predecessors noted, %d there", b.Label(), len(b.Preds), len(preds))
		return
	}
	for i := range preds {
		if preds[i] != b.Preds[i] {
			c.bad("block %s: predecessor %d is wrong", b.Label(), i)
		}
	}
	phis := true
	for n, i := range b.Instrs {
		if i.Op.IsTerm() != (n == len(b.Instrs)-1) {
			c.bad("block %s: %s in the wrong place", b.Label(), i)
		}
		if phis = phis && i.Op == OpPhi; !phis && i.Op == OpPhi {
			c.bad("block %s: phi %s after another instruction", b.Label(), i)
		}
		c.instr(i)
	}
}

func (c *checker) instr(i *Instr) {
	if i.Op == OpInvalid || i.T == nil || i.Pos == nil {
		c.bad("instruction %d: op %s, type or position missing", i.ID, i.Op)
		return
	}
	before := len(c.errs)
	for n, a := range i.Args {
		c.operand(i, n, a)
	}
	if len(c.errs) > before {
		return
	}
	if r, ok := arity[i.Op]; ok && (len(i.Args) < r[0] || len(i.Args) > r[1]) {
		c.bad("%s: %d operands", i, len(i.Args))
		return
	}
	c.shape(i)
}

// operand checks that an operand exists and belongs to this function.
func (c *checker) operand(i *Instr, n int, v Value) {
	switch v := v.(type) {
	case nil:
		c.bad("instruction %d, %s: operand %d missing", i.ID, i.Op, n)
	case *Instr:
		if !c.seen[v] {
			c.bad("%s: operand %d is not of this function", i, n)
		}
	case *Param:
		if v.Index >= len(c.f.Params) || c.f.Params[v.Index] != v {
			c.bad("%s: operand %d is a parameter of another function", i, n)
		}
	case *Const:
		c.constant(v)
	}
}

// arity holds the least and largest number of operands per op; what is absent is checked in shape.
var arity = map[Op][2]int{
	OpRet: {0, 1}, OpBr: {0, 0}, OpCondBr: {1, 1}, OpSwitch: {1, 1}, OpIndirectBr: {1, 1}, OpUnreachable: {0, 0},
	OpTrap: {0, 1 << 20},
	OpFneg: {1, 1}, OpExtractElement: {2, 2}, OpInsertElement: {3, 3}, OpShuffleVector: {2, 2}, OpExtractValue: {1, 1},
	OpInsertValue: {2, 2},
	OpAlloca:      {1, 1}, OpLoad: {1, 1}, OpStore: {2, 2}, OpFence: {0, 0}, OpCmpXchg: {3, 3}, OpAtomicRMW: {2, 2},
	OpGep:  {1, 1 << 20},
	OpIcmp: {2, 2}, OpFcmp: {2, 2}, OpSelect: {3, 3}, OpFreeze: {1, 1}, OpVaArg: {1, 1},
}

func (c *checker) shape(i *Instr) {
	switch cl := i.Op.Class(); {
	case cl == ClassBinary || cl == ClassFloat && i.Op != OpFneg:
		if len(i.Args) != 2 || !i.Args[0].Type().Equal(i.T) || !i.Args[1].Type().Equal(i.T) {
			c.bad("%s: operand types differ from %s", i, i.T)
		}
		return
	case cl == ClassConversion:
		if len(i.Args) != 1 {
			c.bad("%s: %d operands", i, len(i.Args))
		}
		return
	case cl == ClassTerm:
		c.term(i)
		return
	}
	ok := true
	switch i.Op {
	case OpLoad:
		ok = i.Access != nil && i.T.Equal(i.Access) && i.Args[0].Type().IsPtr() && i.Align > 0
	case OpStore:
		ok = i.Access != nil && i.Args[0].Type().Equal(i.Access) && i.Args[1].Type().IsPtr() && i.Align > 0
	case OpAlloca:
		ok = i.Access != nil && i.Args[0].Type().IsInt() && i.Align > 0 && i.T.IsPtr()
	case OpCmpXchg, OpAtomicRMW:
		ok = i.Access != nil && i.Args[0].Type().IsPtr() && i.Align > 0
	case OpGep:
		ok = len(i.Scales) == len(i.Args)-1 && i.T.IsPtr() && i.Args[0].Type().IsPtr()
	case OpPhi:
		ok = len(i.Args) == len(i.Incoming) && len(i.Args) == len(i.Block.Preds)
	case OpIcmp, OpFcmp:
		ok = i.Pred != PredInvalid && i.Args[0].Type().Equal(i.Args[1].Type())
	case OpCall:
		ok = i.Callee != nil && i.Sig != nil && i.Sig.Kind == KindFunc && len(i.Args) >= len(i.Sig.Fields) &&
			(len(i.Args) == len(i.Sig.Fields) || i.Sig.Variadic)
	case OpTrap:
		ok = i.Check != "" && i.What != ""
	case OpUnsupported:
		ok = i.What != ""
	case OpAsm:
		ok = i.Asm != nil
	}
	if !ok {
		c.bad("%s: malformed", i)
	}
}

func (c *checker) term(i *Instr) {
	want := map[Op]int{OpBr: 1, OpCondBr: 2, OpSwitch: len(i.Cases) + 1, OpIndirectBr: len(i.Targets)}[i.Op]
	if len(i.Targets) != want {
		c.bad("%s: %d targets", i, len(i.Targets))
	}
	for _, t := range i.Targets {
		if t == nil || t.Func != c.f {
			c.bad("%s: target outside the function", i)
		}
	}
	if i.Op == OpRet && len(i.Args) == 0 != c.f.Ret.IsVoid() {
		c.bad("%s: function returns %s", i, c.f.Ret)
	}
}

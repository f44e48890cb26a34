package interrupt

import (
	"fmt"
	"strings"

	"github.com/firmproof/firmproof/verifier/flow/places"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// foreignAccesses lists what the code of handlers accesses, its own locals left out.
func (r *races) foreignAccesses() {
	for _, f := range r.Module.Funcs {
		if len(r.users(f)) == 0 {
			continue
		}
		escapes := ir.Escapes(f)
		for _, b := range f.Blocks {
			for _, in := range b.Instrs {
				for _, a := range r.touch.Accesses(in) {
					if !isLocal(a.Addr, escapes) {
						r.foreign = append(r.foreign, foreign{a, in, f, r.sizeOf(in, a)})
					}
				}
			}
		}
	}
}

// isLocal reports an address in a local variable that nothing else gets the address of.
func isLocal(v ir.Value, escapes map[*ir.Instr]bool) bool {
	root, ok := ir.Root(v).(*ir.Instr)
	return ok && root.Op == ir.OpAlloca && !escapes[root]
}

// sizeOf is how many bytes of an access in reads or writes; 0: not known.
func (w *interrupts) sizeOf(in *ir.Instr, a places.Access) int64 {
	if n, ok := w.sizeWritten(in); ok {
		return n
	}
	if f := ir.CalledFunc(in); f != nil && in.Model == ir.ModelNone {
		for i, p := range f.Params {
			if p.ByVal != nil && i < len(in.Args) && in.Args[i] == a.Addr {
				return w.Module.Layout.SizeOf(p.ByVal)
			}
		}
	}
	return 0
}

// How two accesses are to each other.
type meeting uint8

const (
	apart meeting = iota // they have no byte in common
	same                 // they have one
	maybe
)

// meet compares the memory of two accesses; a size of 0 is not known.
func meet(a ir.Value, sizeA int64, b ir.Value, sizeB int64) meeting {
	p, q := spotOf(a), spotOf(b)
	switch {
	case !p.known || !q.known:
		return maybe
	case p.global != q.global:
		return apart
	case !p.exact || !q.exact || sizeA <= 0 || sizeB <= 0:
		return maybe
	case p.off < q.off+sizeB && q.off < p.off+sizeA:
		return same
	}
	return apart
}

// spot is where an address leads to.
type spot struct {
	known  bool       // the variable is, or that there is none
	global *ir.Global // nil: the address is a number
	exact  bool       // so is off, in bytes from its begin, or from address 0
	off    int64
}

func spotOf(v ir.Value) spot {
	if n, ok := ir.ConstantAddress(v); ok {
		return spot{known: true, exact: true, off: n}
	}
	out := spot{exact: true}
	for {
		switch x := v.(type) {
		case *ir.Const:
			out.known, out.global, out.off = x.Kind == ir.ConstAddr && x.Global != nil, x.Global, out.off+x.Off
			return out
		case *ir.Instr:
			if x.Op != ir.OpGep && x.Op != ir.OpBitcast && x.Op != ir.OpFreeze {
				return spot{}
			}
			out.off += x.Off
			out.exact = out.exact && len(x.Args) == 1
			v = x.Args[0]
		default:
			return spot{}
		}
	}
}

// overlaps is whether two accesses have a byte in common. Addresses are compared within what is accessed alone, so that
// none is behind its object.
func (w *interrupts) overlaps(a ir.Value, sizeA int64, b ir.Value, sizeB int64) ir.Value {
	var out ir.Value = w.Compare(ir.EQ, a, b)
	for i := int64(1); i < sizeA; i++ {
		out = w.Or(out, w.Compare(ir.EQ, w.Gep(a, i, nil, 0), b))
	}
	for i := int64(1); i < sizeB; i++ {
		out = w.Or(out, w.Compare(ir.EQ, a, w.Gep(b, i, nil, 0)))
	}
	return out
}

// sitesIn finds what to claim in f.
func (r *races) sitesIn(f *ir.Func) {
	escapes := ir.Escapes(f)
	vars := f.VarsBySlot()
	for _, b := range f.Blocks {
		for _, in := range b.Instrs {
			for _, a := range r.touch.Accesses(in) {
				if !isLocal(a.Addr, escapes) {
					r.tornAt(f, vars, in, a)
					r.registerAt(f, vars, in, a)
				}
			}
		}
	}
	r.updatesIn(f, vars, escapes)
}

// at is the site of an instruction.
func (r *races) at(in *ir.Instr) *site {
	if r.sites[in] == nil {
		r.sites[in] = &site{}
	}
	return r.sites[in]
}

// undecided makes an answer unknown: whether there is a race is not followed.
func (r *races) undecided(f *ir.Func, in *ir.Instr, name, why string) {
	f.Folded = append(f.Folded, ir.Folded{Check: verdict.Race, Pos: *in.Pos, Undecided: true,
		Message: name + ": " + why})
}

// tornAt claims (R1) of an access.
func (r *races) tornAt(f *ir.Func, vars map[ir.Value]*ir.Var, in *ir.Instr, a places.Access) {
	size := r.sizeOf(in, a)
	unit := r.stepOf(in, a, size)
	if unit == 0 || unit >= size && size > 0 || r.inOneStep(a.Addr, size, unit) {
		return
	}
	name := shownAt(vars, a.Addr, size)
	w, why := r.watchOf(f, a, size, siteName(vars, a.Addr, size))
	switch {
	case why != "":
		r.undecided(f, in, name, why)
	case w == nil:
	case in.Op == ir.OpCall && in.Model == ir.ModelNone:
		r.undecided(f, in, name, "its copy for an argument by value is made in parts, which is not followed")
	default:
		does, other := "read", "write"
		if a.Writes {
			does, other = "written", "use"
		}
		parts := "bytes"
		if unit > 1 {
			parts = fmt.Sprintf("parts of %d bytes", unit)
		}
		s := r.at(in)
		s.torn = append(s.torn, claim{w, fmt.Sprintf("%s is %s in %s, and %s it between them", name, does, parts,
			w.does(other))})
	}
}

// stepOf is how many bytes of an access are one step; 0: it is never torn, or is not followed at all.
func (r *races) stepOf(in *ir.Instr, a places.Access, size int64) int64 {
	switch {
	case in.Flags.Has(ir.Atomic):
		return 0
	case in.Op == ir.OpLoad || in.Op == ir.OpStore:
		if at, ok := ir.ConstantAddress(a.Addr); ok && r.isAVR() && at < 0x100 {
			return 0
		}
		return r.unit(size, int64(in.Align))
	case in.Model == ir.ModelMemcpy, in.Model == ir.ModelMemmove, in.Model == ir.ModelMemset:
		if size == 0 {
			return 1
		}
		return r.copyUnit(in, size)
	case in.Op == ir.OpCall && in.Model == ir.ModelNone && size > 0:
		return 1
	}
	return 0 // with memory that handlers use, it is not modelled
}

// registerAt claims (R3) of a read of a number or pointer in a variable.
func (r *races) registerAt(f *ir.Func, vars map[ir.Value]*ir.Var, in *ir.Instr, a places.Access) {
	if in.Op != ir.OpLoad || in.Flags.Has(ir.Volatile) || in.Flags.Has(ir.Atomic) {
		return
	}
	at, size := spotOf(a.Addr), r.sizeOf(in, a)
	if at.global == nil || at.global.Const || !at.exact {
		return
	}
	for _, x := range r.foreign {
		if x.Writes && r.mayInterrupt(x.f, f) && meet(a.Addr, size, x.Addr, x.size) == same {
			r.at(in).register = &register{f: x.f, at: at.global, what: fmt.Sprintf(
				"%s is not volatile, and %s it: the compiler may keep it in a register", shownAt(vars, a.Addr, size),
				whoDoes(strings.Join(r.users(x.f), ", "), "write"))}
			return
		}
	}
}

// claimRegister claims (R3) here: no handler can run.
func (r *races) claimRegister(c *register) {
	zero := func(g *ir.Global) ir.Value { return r.Compare(ir.EQ, r.Load(g.T, r.AddrOfGlobal(g)), r.Int(g.T, 0)) }
	open := r.Or(zero(r.mask), r.Xor(zero(r.ignored), r.Int(ir.Int(1), 1)))
	var own ir.Value = zero(r.active)
	for _, k := range r.contexts {
		if k.low && k.funcs[r.Func] {
			own = r.Or(own, r.Compare(ir.EQ, r.current(), r.Int(ir.Int(32), k.active)))
		}
	}
	r.fail(r.And(open, own), c.what, r.AddrOfGlobal(c.at), r.AddrOfFunc(c.f))
}

// shownAt is what size bytes at an address are, for a message.
func shownAt(vars map[ir.Value]*ir.Var, addr ir.Value, size int64) string {
	if n, ok := ir.ConstantAddress(addr); ok {
		return fmt.Sprintf("what is at %#x", n)
	}
	return "`" + siteName(vars, addr, size) + "`"
}

// siteName is what size bytes at an address are: a variable or its member, or what a pointer leads to.
func siteName(vars map[ir.Value]*ir.Var, addr ir.Value, size int64) string {
	objects := places.ObjectsAt(vars, addr)
	if len(objects) != 1 {
		return "memory"
	}
	o, name := objects[0], ""
	if o.Global != nil {
		name = ir.NameOf(o.Global)
	} else if v := pointerIn(vars, addr); v != nil {
		name = "*" + v.Name
	}
	if name == "" {
		return "memory"
	}
	if _, m, _ := places.MemberIn(o.T, o.Off); m != nil && o.Known() && size > 0 && size <= ir.SizeInC(m.T) {
		name += "." + m.Name
	}
	return name
}

// pointerIn returns the variable that holds the pointer which an address is computed from, or nil.
func pointerIn(vars map[ir.Value]*ir.Var, addr ir.Value) *ir.Var {
	load, ok := ir.Root(addr).(*ir.Instr)
	if !ok || load.Op != ir.OpLoad {
		return nil
	}
	return vars[load.Args[0]]
}

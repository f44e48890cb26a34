package flow

import (
	"slices"
	"strings"

	"github.com/firmproof/firmproof/verifier/ir"
)

// function applies the rules to a function once.
func (r *Rests) function(f *function) {
	r.driving = f.Made || f.Driven()
	for _, b := range f.Blocks {
		in, passed := f.in[b.Index], f.passed[b.Index]
		news := in.or(f.entered)
		for _, d := range f.deciders[b.Index] {
			news = in.or(f.control(d.Term())) || news
			for _, a := range d.Term().Args {
				news = in.or(r.of(a).tags) || news
			}
		}
		come := newSet(len(r.ids))
		for _, e := range f.exits[b.Index] {
			for _, a := range e.Term().Args {
				come.or(r.of(a).tags)
			}
			come.or(f.control(e.Term()))
		}
		for _, p := range b.Preds {
			come.or(f.passed[p.Index])
		}
		news = in.or(come) || news
		news = passed.or(come) || news
		for _, x := range b.Instrs {
			r.instr(f, x)
		}
		for _, s := range f.stops[b.Index] {
			news = s.on.or(r.cameBack(s.at)) || news
			if ends(s.at) && !f.passes[b.Index] {
				news = s.on.or(f.control(s.at)) || news
			}
			news = passed.or(s.on) || news
		}
		switch {
		case f.passes[b.Index]:
		case f.ends[b.Index]:
			news = f.after.or(f.control(b.Term())) || news
		case b.Term().Op == ir.OpRet:
			news = f.after.or(passed) || news
		}
		r.changed = r.changed || news
	}
}

// ends reports an instruction that ends executions by itself, whatever the compiler has behind it: an exit, a failure, or
// an assume of the program. What is behind it rests on what leads to it.
func ends(in *ir.Instr) bool {
	return in.AlwaysFails() || in.Op == ir.OpCall && (in.Model == ir.ModelExit || in.Model == ir.ModelAssumeI ||
		in.Model == ir.ModelAssume && len(in.Assumes) == 0)
}

// cameBack returns what it rests on that an execution goes on behind a call: where an assume of the program holds, and
// where the function comes back; and all that a function does which is not there, if that is assumed.
func (r *Rests) cameBack(in *ir.Instr) set {
	out := newSet(len(r.ids))
	switch {
	case in.Model == ir.ModelAssume && len(in.Assumes) == 0, in.Model == ir.ModelAssumeI, in.Model == ir.ModelExit:
		for _, a := range in.Args {
			out.or(r.of(a).tags)
		}
	case in.Model == ir.ModelNone:
		out.or(r.of(in.Callee).tags)
		for _, f := range r.called(in) {
			out.or(r.funcs[f].after)
			if own := r.own[f]; own != nil && !returns(f) {
				out.or(own)
			}
		}
	}
	return out
}

// returns reports whether a function comes back in any case: it calls nothing, and does not turn.
func returns(f *ir.Func) bool {
	for _, b := range f.Blocks {
		last := b.Term()
		if b.Reaches(b, nil) || last.Op != ir.OpRet && len(last.Targets) == 0 || slices.ContainsFunc(b.Instrs,
			func(in *ir.Instr) bool { return in.Op == ir.OpCall && in.Model == ir.ModelNone || in.Op == ir.OpAsm }) {
			return false
		}
	}
	return true
}

// instr applies the rule of an instruction.
func (r *Rests) instr(f *function, in *ir.Instr) {
	here := &value{tags: f.control(in)}
	r.asks(f, in)
	switch in.Op {
	case ir.OpAlloca:
		r.allocated(in, here)
	case ir.OpLoad, ir.OpVaArg:
		size := everywhere.size()
		if in.Op == ir.OpLoad {
			size = sizeOf(in.Access)
		}
		addr := r.of(in.Args[0])
		if stores, plain := f.last[in]; plain {
			for _, s := range stores {
				r.set(in, r.of(s.Args[0]))
				r.set(in, &value{tags: f.control(s)})
				r.set(in, &value{tags: r.followed(s)})
			}
		} else if !r.any(in) {
			r.set(in, r.load(addr, size))
		}
		r.set(in, &value{tags: addr.tags})
		if in.Op == ir.OpVaArg { // what the list leads to
			r.set(in, r.load(r.of(in), size))
		}
		r.set(in, &value{tags: r.followed(in)})
	case ir.OpStore:
		r.stored(in, r.of(in.Args[0]), r.of(in.Args[1]), here)
	case ir.OpAtomicRMW, ir.OpCmpXchg:
		addr := r.of(in.Args[0])
		r.set(in, r.load(addr, sizeOf(in.Access)))
		r.set(in, &value{tags: addr.tags})
		for _, v := range in.Args[1:] {
			r.set(in, r.of(v))
			r.stored(in, r.of(v), addr, here)
		}
	case ir.OpGep:
		r.moved(in)
	case ir.OpPhi:
		for i, from := range in.Incoming {
			r.set(in, r.of(in.Args[i]))
			r.set(in, &value{tags: f.control(from.Term())})
			for _, a := range from.Term().Args {
				r.set(in, &value{tags: r.of(a).tags})
			}
		}
	case ir.OpCall:
		r.call(in, here)
	case ir.OpRet:
		for _, a := range in.Args {
			v := r.result(f.Func)
			for _, w := range []*value{r.of(a), here, {tags: r.followed(in)}} {
				r.changed = v.join(w) || r.changed
			}
		}
	case ir.OpAsm:
		r.mixed(in, here)
	case ir.OpIntToPtr:
		r.computed(in)
		if _, constant := in.Args[0].(*ir.Const); constant {
			r.set(in, &value{points: []location{{r.object(addressSpace{}), everywhere}}})
		}
	case ir.OpBitcast, ir.OpFreeze, ir.OpSelect, ir.OpPtrToInt:
		for _, a := range in.Args {
			r.set(in, r.of(a))
		}
		r.set(in, &value{tags: r.followed(in), nonnull: r.brings(in)})
	default:
		r.computed(in)
	}
}

// any reports a read that gives any number, whatever is in memory: a volatile one, but for those of a local variable.
func (r *Rests) any(in *ir.Instr) bool {
	return in.Op == ir.OpLoad && in.T.IsInt() && r.fresh(in) && !local(in.Args[0], map[ir.Value]bool{})
}

// local reports whether an address may be one of a local variable.
func local(v ir.Value, seen map[ir.Value]bool) bool {
	in, ok := v.(*ir.Instr)
	if !ok || seen[v] {
		return false
	}
	seen[v] = true
	switch in.Op {
	case ir.OpAlloca:
		return true
	case ir.OpGep, ir.OpBitcast, ir.OpFreeze:
		return local(in.Args[0], seen)
	case ir.OpPhi, ir.OpSelect:
		return slices.ContainsFunc(in.Args, func(a ir.Value) bool { return local(a, seen) })
	}
	return false
}

// computed is a value that is made of others: an address may come from any of them, and lead anywhere in its object.
func (r *Rests) computed(in *ir.Instr) {
	for _, a := range in.Args {
		v := r.of(a)
		r.set(in, &value{tags: v.tags})
		if in.Op == ir.OpIcmp || in.Model == ir.ModelPtrOffset || in.Model == ir.ModelSameObject {
			continue // no address comes of that
		}
		if (in.Op != ir.OpCall || in.T.IsPtr()) && !(in.Op == ir.OpSub && placesInOne(r.of(in.Args[0]), r.of(in.Args[1]))) {
			r.set(in, &value{nonnull: v.nonnull})
		}
		for _, p := range v.points {
			r.set(in, &value{points: []location{{p.object, everywhere}}})
		}
	}
	if r.orders(in) {
		r.set(in, &value{tags: r.order})
	}
	if len(in.Args) == 2 {
		r.set(in, &value{tags: r.between(in)})
	}
	r.set(in, &value{tags: r.followed(in)})
}

// between returns the assumptions that what two addresses lead to does not overlap, and that they are not of one symbol of
// the linker: they may be equal without.
func (r *Rests) between(in *ir.Instr) set {
	out := newSet(len(r.ids))
	ordered := in.Op == ir.OpIcmp && in.Pred != ir.EQ && in.Pred != ir.NE // the ends of an empty section are so, too
	for _, p := range r.of(in.Args[0]).points {
		for _, q := range r.of(in.Args[1]).points {
			if !ordered && p.object != q.object && p.object.symbol && q.object.symbol {
				out.or(r.differ)
			}
			for i := range out {
				if p.object != q.object {
					out[i] |= p.object.apart[i] & q.object.apart[i]
				}
			}
		}
	}
	return out
}

// orders reports whether an instruction compares the addresses of blocks that a harness made, or subtracts them, and
// these are never of one block.
func (r *Rests) orders(in *ir.Instr) bool {
	if in.Op != ir.OpSub && (in.Op != ir.OpIcmp || in.Pred == ir.EQ || in.Pred == ir.NE) {
		return false
	}
	x, y := r.of(in.Args[0]).points, r.of(in.Args[1]).points
	made := func(p location) bool { return p.object.made }
	all := func(list []location, is func(location) bool) bool {
		return len(list) > 0 && !slices.ContainsFunc(list, func(p location) bool { return !is(p) })
	}
	return all(x, made) && all(y, made) && all(x, func(p location) bool {
		return all(y, func(q location) bool { return p.object != q.object })
	})
}

// moved is the address that a gep gives.
func (r *Rests) moved(in *ir.Instr) {
	for _, a := range in.Args {
		r.set(in, &value{tags: r.of(a).tags})
	}
	r.set(in, &value{nonnull: r.of(in.Args[0]).nonnull})
	for _, p := range r.of(in.Args[0]).points {
		off := p.off.shift(in.Off)
		if len(in.Args) > 1 {
			off = everywhere
		}
		r.set(in, &value{points: []location{{p.object, off}}})
	}
	r.set(in, &value{tags: r.followed(in)})
}

// stored adds v to where addr leads, and what storing there rests on.
func (r *Rests) stored(in *ir.Instr, v, addr, here *value) {
	size := sizeOf(in.Access)
	r.store(addr, v, size)
	for _, tags := range []set{addr.tags, here.tags, r.followed(in)} {
		r.store(addr, &value{tags: tags}, size)
	}
}

// allocated is a new object for each place that makes one.
func (r *Rests) allocated(in *ir.Instr, here *value) {
	o := r.object(in)
	o.made = strings.HasPrefix(in.Name, ir.BehindPointer)
	news := false
	for i, w := range r.followed(in) {
		extent := w &^ r.apart[i] &^ r.still[i]
		news = news || w&r.apart[i]&^o.apart[i] != 0 || w&r.still[i]&^o.quiet[i] != 0 || extent&^o.extent[i] != 0
		o.apart[i] |= w & r.apart[i]
		o.quiet[i] |= w & r.still[i]
		o.extent[i] |= extent
	}
	for _, a := range in.Args {
		news = o.extent.or(r.of(a).tags) || news
	}
	r.changed = r.changed || news
	r.set(in, &value{tags: here.tags, points: []location{{o, span{0, 1}}}})
}

func (r *Rests) result(f *ir.Func) *value {
	if r.results[f] == nil {
		r.results[f] = &value{tags: newSet(len(r.ids))}
	}
	return r.results[f]
}

// sizeOf returns how many bytes an access of type t touches at most.
func sizeOf(t *ir.Type) int64 {
	switch {
	case t == nil:
		return everywhere.size()
	case t.IsInt() || t.IsPtr():
		return int64(t.Width+7) / 8
	}
	return everywhere.size()
}

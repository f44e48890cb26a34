package flow

import "github.com/firmproof/firmproof/verifier/ir"

// call applies the rule of a call.
func (r *Rests) call(in *ir.Instr, here *value) {
	list := r.called(in)
	for _, f := range list {
		x := r.funcs[f]
		r.changed = r.changed || !r.driving && !x.called
		x.called = x.called || !r.driving
		for i, p := range f.Params {
			if i < len(in.Args) {
				r.set(p, r.of(in.Args[i]))
			}
		}
		if f.Variadic { // what va_arg reads
			for _, a := range in.Args[min(len(f.Params), len(in.Args)):] {
				r.mix(f, r.of(a))
			}
		}
		if x.entered.or(here.tags) || x.entered.or(r.of(in.Callee).tags) || x.entered.or(r.followed(in)) {
			r.changed = true
		}
		r.set(in, r.result(f))
		r.set(in, &value{tags: r.of(in.Callee).tags})
		if own := r.own[f]; own != nil {
			r.replaced(in, own)
		}
	}
	if len(list) > 0 {
		r.set(in, &value{tags: r.followed(in)})
		return
	}
	switch in.Model {
	case ir.ModelMalloc, ir.ModelCalloc, ir.ModelAligned, ir.ModelAllocaC, ir.ModelStrdup:
		if in.Model == ir.ModelStrdup {
			r.mixed(in, here)
		}
		r.allocated(in, here)
	case ir.ModelRealloc:
		r.frees(in, here)
		r.mixed(in, here)
		r.allocated(in, here)
		r.store(&value{points: []location{{r.object(in), everywhere}}}, r.contents(r.of(in.Args[0])), everywhere.size())
	case ir.ModelAssume, ir.ModelKept:
		r.assumed(in)
	case ir.ModelMemcpy, ir.ModelMemmove:
		from := r.load(r.of(in.Args[1]), everywhere.size())
		r.store(r.of(in.Args[0]), from, everywhere.size())
		r.filled(in, here)
	case ir.ModelMemset:
		r.filled(in, here)
	case ir.ModelMemcmp, ir.ModelStrlen, ir.ModelStrnlen, ir.ModelStrcmp, ir.ModelStrncmp, ir.ModelMemchr, ir.ModelStrchr,
		ir.ModelStrrchr, ir.ModelStrstr, ir.ModelPrintf, ir.ModelFree:
		if in.Model == ir.ModelFree {
			r.frees(in, here)
		}
		r.computed(in)
		for _, a := range in.Args {
			v := r.load(r.of(a), everywhere.size())
			r.ask(r.funcs[in.Block.Func], v.nonnull, in) // bytes of addresses are looked at
			r.set(in, &value{tags: v.tags})
		}
	case ir.ModelLifetimeStart, ir.ModelLifetimeEnd, ir.ModelVaStart, ir.ModelVaEnd: // see mix
	case ir.ModelVaCopy:
		r.store(r.of(in.Args[0]), r.load(r.of(in.Args[1]), everywhere.size()), everywhere.size())
	case ir.ModelROK, ir.ModelWOK, ir.ModelRWOK, ir.ModelDynObject, ir.ModelObjectSize, ir.ModelObjSizeI, ir.ModelPtrOffset,
		ir.ModelPtrObject, ir.ModelSameObject: // of where an address leads, not of what is there
		r.computed(in)
		for _, a := range in.Args {
			if in.Model != ir.ModelSameObject { // keepNonnull of a harness asks that
				r.ask(r.funcs[in.Block.Func], r.of(a).nonnull, in)
			}
			for _, p := range r.of(a).points {
				r.set(in, &value{tags: p.object.extent})
				r.set(in, &value{tags: p.object.freed})
			}
		}
	case ir.ModelNondet:
		r.set(in, &value{tags: r.followed(in)})
	case ir.ModelHavoc:
		r.filled(in, here)
	default:
		r.mixed(in, here)
	}
}

// frees ends the life of what its first argument leads to: which that is, and whether control comes here, decides about each
// access to it.
func (r *Rests) frees(in *ir.Instr, here *value) {
	addr := r.of(in.Args[0])
	for _, p := range addr.points {
		r.note(p.object, r.freed)
		for _, on := range []set{here.tags, addr.tags, r.followed(in)} {
			r.changed = p.object.freed.or(on) || r.changed
		}
	}
}

// replaced is a call of a function whose code may be another: what it gives, and what its arguments lead to, is as its own
// code leaves it.
func (r *Rests) replaced(in *ir.Instr, own set) {
	r.set(in, &value{tags: own})
	for _, a := range in.Args {
		if c, ok := a.(*ir.Const); ok && c.Kind == ir.ConstInt && !c.T.IsPtr() { // a number leads nowhere
			continue
		}
		to := r.contents(r.of(a))
		r.store(&value{points: to.points}, &value{tags: own}, everywhere.size())
	}
}

// filled is memory that its first argument leads to and that a call gives other contents: what these are rests on the
// arguments. The call gives back its first argument.
func (r *Rests) filled(in *ir.Instr, here *value) {
	addr := r.of(in.Args[0])
	tags := newSet(len(r.ids))
	for _, a := range in.Args {
		tags.or(r.of(a).tags)
	}
	tags.or(here.tags)
	tags.or(r.followed(in))
	r.store(addr, &value{tags: tags}, everywhere.size())
	r.set(in, addr)
}

// mixed is a call of which it is only known that it changes what its arguments lead to, and what that leads to: all of it
// may be in all of it afterwards, and in the result.
func (r *Rests) mixed(in *ir.Instr, here *value) {
	all := &value{tags: newSet(len(r.ids))}
	for _, a := range in.Args {
		v := r.of(a)
		all.join(&value{tags: v.tags, nonnull: v.nonnull})
		for _, p := range v.points {
			all.lead(location{p.object, everywhere})
		}
		all.join(r.contents(v))
	}
	all.tags.or(r.followed(in))
	if in.Callee != nil {
		all.tags.or(r.of(in.Callee).tags)
	}
	r.set(in, all)
	all.tags.or(here.tags)
	r.store(all, all, everywhere.size())
}

// further is the object of what a function takes without a name.
type further struct{ of *ir.Func }

// mix adds a value to those that a function takes without a name. A va_list leads to them, by what it holds.
func (r *Rests) mix(f *ir.Func, v *value) {
	o := r.object(further{f})
	r.changed = o.at(everywhere).join(v) || r.changed
	list := &value{tags: v.tags, points: []location{{o, everywhere}}}
	for _, b := range f.Blocks {
		for _, in := range b.Instrs {
			if in.Op == ir.OpVaArg {
				r.set(in, v)
			}
		}
	}
	for _, b := range f.Blocks {
		for _, in := range b.Instrs {
			if in.Op == ir.OpCall && in.Model == ir.ModelVaStart {
				r.store(r.of(in.Args[0]), list, everywhere.size())
			}
		}
	}
}

// assumed brings an assumption of the harness into what its condition is about: values that are read from memory, which
// others read there, too, and values that nothing computes.
func (r *Rests) assumed(in *ir.Instr) {
	tags := r.followed(in)
	seen := map[*ir.Instr]bool{}
	var visit func(v ir.Value)
	visit = func(v ir.Value) {
		x, ok := v.(*ir.Instr)
		if !ok || seen[x] {
			return
		}
		seen[x] = true
		switch {
		case x.Op == ir.OpLoad:
			r.store(r.of(x.Args[0]), &value{tags: tags}, sizeOf(x.Access))
		case x.Op == ir.OpCall:
			r.set(x, &value{tags: tags})
		default:
			for _, a := range x.Args {
				visit(a)
			}
		}
	}
	for _, a := range in.Args {
		visit(a)
	}
}

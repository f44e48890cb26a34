package frontend

import (
	"maps"
	"slices"
	"strings"

	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/policy"
)

// freedIn follows one function.
type freedIn struct {
	*dangling
	*gone
	locals map[string]bool // what is read from each; true: others may get at it
	out    *departed
}

func (x *freedIn) instr(in *ir.Instr) {
	switch in.Op {
	case ir.OpStore:
		x.store(in)
	case ir.OpCall:
		x.forget(func(k string) bool { return strings.Contains(k, key(in)) }) // another result
		x.call(in)
	case ir.OpIcmp, ir.OpPtrToInt:
		for _, a := range in.Args {
			if a.Type().IsPtr() {
				x.looksAt(key(a), in)
			}
		}
	case ir.OpRet:
		for _, a := range in.Args {
			if slices.ContainsFunc(x.synonyms(key(a)), local) {
				x.uses[in] = afterReturn
			}
		}
		for k := range x.freed {
			for _, as := range x.synonyms(k) {
				if outside(as) {
					x.out.freed[as] = true
				}
			}
		}
	}
}

// looksAt notes that a pointer's value is used.
func (x *freedIn) looksAt(k string, in *ir.Instr) {
	if k == "" {
		return
	}
	for _, as := range x.synonyms(k) {
		if _, is := x.freed[as]; is {
			x.uses[in] = afterFree
		}
		if outside(as) && !x.rewritten(as) && !slices.Contains(x.out.looks[as], in) {
			x.out.looks[as] = append(x.out.looks[as], in)
		}
	}
}

// rewritten reports whether a value is read where the function wrote on every way.
func (x *freedIn) rewritten(k string) bool {
	for w := range x.written {
		if strings.Contains(k, w) {
			return true
		}
	}
	return false
}

// synonyms lists the keys of one value: itself, and those where it, or where its address was read, was copied from or to.
func (x *freedIn) synonyms(k string) []string {
	out := []string{k}
	for i := 0; i < len(out) && len(out) < policy.FreedNames; i++ {
		for _, c := range x.copies {
			for n, from := range c {
				if as := strings.Replace(out[i], from, c[1-n], 1); as != out[i] && !slices.Contains(out, as) &&
					len(as) < policy.FreedKey {
					out = append(out, as)
				}
			}
		}
	}
	return out
}

// frees notes that what a pointer leads to is gone, unless the value of guard is null.
func (x *freedIn) frees(k, guard string) {
	if k == "" {
		return
	}
	for _, as := range x.synonyms(k) {
		if was, ok := x.freed[as]; !ok || was != "" {
			x.freed[as] = guard
		}
		for _, c := range x.copies { // pointers further into it
			for n, from := range c {
				if strings.HasPrefix(from, as+"+") || strings.HasPrefix(from, as+"[") {
					x.freed[c[1-n]] = guard
				}
			}
		}
	}
}

// forget drops what is known of values that are read where k is.
func (x *freedIn) forget(is func(k string) bool) {
	maps.DeleteFunc(x.freed, func(k, _ string) bool { return is(k) })
	x.copies = slices.DeleteFunc(x.copies, func(c [2]string) bool { return is(c[0]) || is(c[1]) })
}

func (x *freedIn) store(in *ir.Instr) {
	to := key(in.Args[1])
	if to == "" {
		x.out.writes = x.out.writes || in.Args[0].Type().IsPtr()
		return
	}
	x.out.writes = x.out.writes || !local(to) && in.Args[0].Type().IsPtr()
	from := key(in.Args[0])
	same := x.synonyms(from)
	for _, at := range x.synonyms(to) {
		x.forget(func(k string) bool { return strings.Contains(k, read(at)) })
	}
	k := read(to)
	x.written[k] = true
	if from == "" || strings.Contains(from, k) || !in.Args[0].Type().IsPtr() {
		return
	}
	for _, as := range same {
		if guard, is := x.freed[as]; is {
			x.freed[k] = guard
		}
	}
	if len(x.copies) < policy.FreedCopies {
		x.copies = append(x.copies, [2]string{k, from})
	}
}

// call is a call: what it frees, what it looks at, and what it may write.
func (x *freedIn) call(in *ir.Instr) {
	switch in.Model {
	case ir.ModelFree:
		x.frees(key(in.Args[0]), "")
		return
	case ir.ModelRealloc:
		x.frees(key(in.Args[0]), key(in))
		return
	case ir.ModelMemcpy, ir.ModelMemmove, ir.ModelMemset:
		if to := key(in.Args[0]); to != "" {
			x.forget(func(k string) bool { return strings.Contains(k, "*("+to) })
		}
		return
	case ir.ModelNone:
	default:
		return
	}
	var callee *departed
	if c, ok := in.Callee.(*ir.Const); ok && c.Func != nil && !c.Func.IsDecl() {
		if callee = x.of[c.Func]; callee == nil {
			return // in the next round
		}
		for _, k := range slices.Sorted(maps.Keys(callee.looks)) {
			for _, l := range callee.looks[k] {
				x.looksAt(handed(k, in.Args), l)
			}
		}
	}
	if callee == nil || callee.writes {
		x.out.writes = true
		x.forget(func(k string) bool { return !x.own(k) })
	}
	if callee != nil {
		for _, k := range slices.Sorted(maps.Keys(callee.freed)) {
			x.frees(handed(k, in.Args), "")
		}
	}
}

// own reports whether a value is that of a local that nobody else gets at, or of none.
func (x *freedIn) own(k string) bool {
	for a, escapes := range x.locals {
		if !escapes && k == a {
			return true
		}
	}
	return !strings.HasPrefix(k, "*")
}

// edge returns what is known behind a way out of a block: a pointer that is null there is not one to what is gone, and
// pointers that differ are no copies.
func (x *freedIn) edge(term *ir.Instr, i int) *gone {
	out := x.clone()
	if term.Op != ir.OpCondBr {
		return out
	}
	cmp, ok := term.Args[0].(*ir.Instr)
	if !ok || cmp.Op != ir.OpIcmp || cmp.Pred != ir.EQ && cmp.Pred != ir.NE {
		return out
	}
	left, right := x.synonyms(key(cmp.Args[0])), x.synonyms(key(cmp.Args[1]))
	if (cmp.Pred == ir.EQ) != (i == 0) {
		out.copies = slices.DeleteFunc(out.copies, func(c [2]string) bool {
			return slices.Contains(left, c[0]) && slices.Contains(right, c[1]) ||
				slices.Contains(left, c[1]) && slices.Contains(right, c[0])
		})
		return out
	}
	for n, all := range [][]string{left, right} {
		if all[0] != "" && ir.IsNullConst(cmp.Args[1-n]) {
			maps.DeleteFunc(out.freed, func(f, guard string) bool {
				return slices.Contains(all, f) || guard != "" && slices.Contains(all, guard)
			})
		}
	}
	return out
}

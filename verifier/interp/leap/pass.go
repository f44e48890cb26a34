package leap

import (
	"math/big"

	"github.com/firmproof/firmproof/verifier/bits"
	"github.com/firmproof/firmproof/verifier/interp"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/policy"
)

// pass is the turn, or the turns, that are followed with closed forms. Values without a form are the same in each turn.
type pass struct {
	*leaper
	a         *attempt
	starts    []form                    // by phi of the head
	most      int64                     // turns, from 0 on, in which each instruction does what it did in turn 0
	readFirst map[int]bool              // registers of the loop's call that were read before they were written
	young     []*cell                   // of objects that are made in the pass
	marked    map[*interp.Object]string // how the objects were that came to life or died in the pass
	args      []form                    // of the call that begins
}

// newPass begins a pass with the forms that the samples suggest, or lets the attempt fail and returns nil.
func newPass(l *leaper, a *attempt) *pass {
	p := &pass{leaper: l, a: a, most: policy.LeapMost, readFirst: map[int]bool{}, marked: map[*interp.Object]string{}}
	a.fr.forms = map[int]form{}
	ok := true
	for i, in := range interp.PhisOf(a.head) {
		f, fits := guessed(a.phis[i])
		p.starts, ok = append(p.starts, f), ok && fits
		a.fr.forms[in.ID] = f
	}
	for _, c := range a.cells {
		if c.read {
			f, fits := guessed(c.vals)
			c.start, ok = f, ok && fits
		}
	}
	if !ok {
		l.fail(false)
		return nil
	}
	return p
}

// guessed is the form that four values suggest; false for values that change and are no words.
func guessed(v [4]interp.Value) (form, bool) {
	if sameValue(v[0], v[1]) && sameValue(v[1], v[2]) && sameValue(v[2], v[3]) {
		return nil, true
	}
	var words [4]bits.Vec
	for i, one := range v {
		if one.Object != nil || one.Elems != nil || !one.Defined() || one.Bits.Width() == 0 || one.Bits.Width() > 64 {
			return nil, false
		}
		words[i] = one.Bits
	}
	return fitted(words), true
}

// known is the value of an operand; false for one that the environment decides.
func (l *leaper) known(v ir.Value) (interp.Value, bool) {
	if c, ok := v.(*ir.Const); ok && c.Kind != ir.ConstInt && c.Kind != ir.ConstNull && c.Kind != ir.ConstAddr {
		return interp.Value{}, false
	}
	return l.x.Eval(v), true
}

// formOf is the form of an operand in the innermost call.
func (p *pass) formOf(v ir.Value) form {
	fr := p.top
	switch v := v.(type) {
	case *ir.Param:
		if fr != p.a.fr && v.Index < len(fr.args) {
			return fr.args[v.Index]
		}
	case *ir.Instr:
		f, met := fr.forms[v.ID]
		if !met && fr == p.a.fr {
			p.readFirst[v.ID] = true
		}
		return f
	}
	return nil
}

// full is the form of an operand, also of one that is the same in every turn; false if it is no word.
func (p *pass) full(v ir.Value) (form, bool) {
	if f := p.formOf(v); f != nil {
		return f, true
	}
	c, ok := p.known(v)
	if !ok || c.Object != nil || c.Elems != nil || !c.Defined() || c.Bits.Width() == 0 || c.Bits.Width() > 64 {
		return nil, false
	}
	return form{c.Bits}, true
}

// set notes the form of in's result.
func (p *pass) set(in *ir.Instr, f form) {
	fr := p.top
	if fr == p.a.fr && p.readFirst[in.ID] {
		p.fail(false) // a turn reads what the turn before has left there
		return
	}
	if fr.forms == nil {
		fr.forms = map[int]form{}
	}
	fr.forms[in.ID] = f
}

// follow notes the form of what in is about to compute.
func (p *pass) follow(in *ir.Instr) {
	ok := false
	switch in.Op {
	case ir.OpBr:
		ok = true
	case ir.OpCondBr:
		ok = p.formOf(in.Args[0]) == nil
	case ir.OpSwitch:
		ok = p.switches(in)
	case ir.OpRet:
		ok = p.returns(in)
	case ir.OpLoad, ir.OpStore:
		ok = p.accesses(in)
	case ir.OpAlloca, ir.OpGep:
		if ok = p.allSame(in) && (in.Op == ir.OpGep || p.top != p.a.fr); ok {
			p.set(in, nil)
		}
	case ir.OpCall:
		ok = p.calls(in)
	default:
		var f form
		if f, ok = p.computed(in); ok {
			p.set(in, f)
		}
	}
	if !ok && p.try != nil {
		p.fail(false)
	}
}

// allSame reports whether no operand of in changes from turn to turn.
func (p *pass) allSame(in *ir.Instr) bool {
	for _, a := range in.Args {
		if p.formOf(a) != nil {
			return false
		}
	}
	return true
}

// phis follows the phis of the block that the innermost call has come to.
func (p *pass) phis() {
	fr := p.top
	var phis []*ir.Instr
	var got []form
	for _, in := range interp.PhisOf(fr.fr.Block) {
		for n, b := range in.Incoming {
			if b == fr.fr.Prev {
				phis, got = append(phis, in), append(got, p.formOf(in.Args[n]))
				break
			}
		}
	}
	for i, in := range phis {
		if fr == p.a.fr && fr.fr.Block == p.a.head {
			fr.forms[in.ID] = got[i]
		} else if p.set(in, got[i]); p.try == nil {
			return
		}
	}
}

func (p *pass) switches(in *ir.Instr) bool {
	f := p.formOf(in.Args[0])
	if f == nil {
		return true
	}
	for _, c := range in.Cases {
		if !p.differ(f, form{c}) {
			return false
		}
	}
	return true
}

func (p *pass) returns(in *ir.Instr) bool {
	if p.top == p.a.fr {
		return false
	}
	p.args = nil
	if len(in.Args) > 0 {
		p.args = []form{p.formOf(in.Args[0])}
	}
	return true
}

// calls follows a call of a function with a body, or of a model that changes nothing but the life of locals.
func (p *pass) calls(in *ir.Instr) bool {
	k, direct := in.Callee.(*ir.Const)
	if !direct || k.Func == nil {
		return false
	}
	m := in.Model
	if m == ir.ModelNone {
		m = k.Func.Model
	}
	switch {
	case m == ir.ModelLifetimeStart || m == ir.ModelLifetimeEnd:
		v, ok := p.known(in.Args[1])
		return ok && p.marks(m, v.Object)
	case m == ir.ModelExpect:
		p.set(in, p.formOf(in.Args[0]))
		return true
	case m == ir.ModelAssume || m == ir.ModelAssumeI:
		return p.allSame(in)
	case m != ir.ModelNone || k.Func.IsDecl() || len(in.Args) != len(k.Func.Params):
		return false
	}
	p.args = nil
	for i, a := range in.Args {
		if k.Func.Params[i].ByVal != nil {
			return false
		}
		p.args = append(p.args, p.formOf(a))
	}
	return true
}

// after is called behind in, which call fr executed.
func (p *pass) after(fr *leapCall, in *ir.Instr) {
	switch {
	case in.Op == ir.OpCall && p.top != fr:
		p.top.args = p.args
	case in.Op == ir.OpRet && len(p.args) > 0 && p.top != fr:
		p.set(fr.fr.Call, p.args[0])
	case in.Op == ir.OpRet && p.top != fr:
	default:
		if f := fr.forms[in.ID]; f != nil && !in.T.IsVoid() && fr.fr.Values[in.ID].Bits != f[0] {
			p.fail(true) // the execution says otherwise
		}
	}
}

// within lowers p.most to turns in which f lies between low and high, as far as its span says; false if it does not in
// turn 0.
func (p *pass) within(f wholes, low, high *big.Int) bool {
	in := func(n int64) bool {
		least, most := f.span(n)
		return (low == nil || least.Cmp(low) >= 0) && (high == nil || most.Cmp(high) <= 0)
	}
	if !in(0) {
		return false
	}
	if len(f) < 3 {
		p.most = min(p.most, f.steps(low, high)+1)
		return true
	}
	if in(p.most - 1) {
		return true
	}
	yes, no := int64(0), p.most-1
	for no-yes > 1 {
		if mid := yes + (no-yes)/2; in(mid) {
			yes = mid
		} else {
			no = mid
		}
	}
	p.most = no
	return true
}

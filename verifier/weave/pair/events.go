package pair

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/firmproof/firmproof/verifier/flow/places"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/policy"
	"github.com/firmproof/firmproof/verifier/weave/irbuild"
)

// Events are what the environment sees of a call beside memory: calls of functions without a body, and volatile
// accesses. What the old version does is noted, in order. The new one has to do the same. The n-th event gives the same
// result in both, any one.
const (
	logPrefix = "firmproof.log."
)

// eventLog are the variables that events are noted in.
type eventLog struct {
	counts       [2]*ir.Global // events of the old version, of the new
	words, bytes *ir.Global    // what is noted of the old version's
	sizes        *ir.Global    // of the variables that are passed, in bytes
	gives, fills *ir.Global    // results, and what is written through pointers
	at           *ir.Global    // where volatile accesses of the old version go, beside memory of another layout
	kinds        map[string]int64
	watch        []*ir.Global // where they lead to is noted of calls that are not followed (take.go)
	seen         *ir.Global   // what is there
}

// event is one of them in the code.
type event struct {
	kind, name string
	args       []ir.Value // that are noted
	local      *ir.Instr  // the variable of the caller that a pointer leads to; nil: none
	size       int64      // of it
	keeps      bool       // it is not written
	taken      bool       // a call that is not followed
	calls      bool       // of a function without a body that may see memory
	place      bool       // the first of args is a place that may have another layout (volatile.go)
	through    bool       // the first of args is the function that is called
	t          *ir.DType  // of the local, where it holds pointers
}

func (w *pairing) logVariable(name string, n int64, t *ir.Type) *ir.Global {
	at := &ir.Type{Kind: ir.KindArray, Len: n, Elem: t}
	g := &ir.Global{Name: logPrefix + name, T: at, Align: 8, Init: &ir.Const{T: at, Kind: ir.ConstZero}}
	w.Module.Globals = append(w.Module.Globals, g)
	return g
}

func (w *pairing) newLog() *eventLog {
	return &eventLog{kinds: map[string]int64{},
		counts: [2]*ir.Global{w.logVariable("old", 1, ir.Int(32)), w.logVariable("new", 1, ir.Int(32))},
		words:  w.logVariable("words", policy.PairEvents*policy.PairWords, ir.Int(64)),
		bytes:  w.logVariable("bytes", policy.PairEvents*policy.PairBytes, ir.Int(8)),
		sizes:  w.logVariable("sizes", policy.PairEvents, ir.Int(64)),
		gives:  w.logVariable("gives", policy.PairEvents, ir.Int(64)),
		fills:  w.logVariable("fills", (policy.PairEvents+1)*policy.PairBytes, ir.Int(8))}
}

// begin lets results of events be any.
func (l *eventLog) begin(b *irbuild.Builder) {
	if l == nil {
		return
	}
	for _, g := range []*ir.Global{l.gives, l.fills} {
		b.Model(ir.ModelHavoc, "firmproof.havoc", ir.Void(), b.AddrOfGlobal(g), b.Int(b.Word(), b.Module.Layout.SizeOf(g.T)))
	}
}

// restart forgets the events so far.
func (l *eventLog) restart(b *irbuild.Builder) {
	if l == nil {
		return
	}
	for _, g := range l.counts {
		b.Store(b.Int(ir.Int(32), 0), b.AddrOfGlobal(g), 4)
	}
}

// sameCount is true if both versions did as much.
func (l *eventLog) sameCount(b *irbuild.Builder) ir.Value {
	return b.Compare(ir.EQ, b.Load(ir.Int(32), b.AddrOfGlobal(l.counts[0])),
		b.Load(ir.Int(32), b.AddrOfGlobal(l.counts[1])))
}

// events has the code of both versions note them.
func (w *pairing) events(reach [2]places.Reach) error {
	for side := range reach {
		followed := w.followed(side)
		for _, f := range slices.Clone(w.Module.Funcs) {
			if !reach[side].Funcs[f] || f.IsDecl() || w.j.ThroughPointers && !slices.Contains(followed, f) {
				continue
			}
			if err := w.eventsOf(f, side, reach); err != nil {
				return err
			}
		}
	}
	if w.j.machines != nil && !maps.Equal(w.accesses[0], w.accesses[1]) {
		return errors.New("volatile accesses, or calls through pointers, have another width on both machines")
	}
	return nil
}

func (w *pairing) eventsOf(f *ir.Func, side int, reach [2]places.Reach) error {
	found, locals := map[*ir.Instr]*event{}, map[*ir.Instr]*event{}
	escapes := ir.Escapes(f)
	for _, b := range f.Blocks {
		for _, in := range b.Instrs {
			e, err := w.eventAt(in, escapes)
			if err != nil {
				return err
			}
			if e == nil {
				continue
			}
			if !w.j.ThroughPointers && (reach[0].Funcs[f] && reach[1].Funcs[f] || w.callsIndirectly(reach)) {
				return fmt.Errorf("%w, beside functions without a body or volatile accesses", ErrPointers)
			}
			if in.Op != ir.OpCall || e.through {
				if w.accesses[side] == nil {
					w.accesses[side] = map[string]int{}
				}
				kind := e.kind
				for _, a := range in.Args {
					kind += " " + a.Type().String()
				}
				w.accesses[side][kind]++
			}
			if found[in] = e; e.local != nil {
				if err := w.sameVariables(e, f, side); err != nil {
					return err
				}
				locals[e.local] = e
				w.passesOwn = w.passesOwn || e.calls
			}
		}
	}
	if len(found) == 0 {
		return nil
	}
	if w.log == nil {
		w.log = w.newLog()
	}
	w.rewriteEvents(f, side, found, locals)
	return nil
}

// rewriteEvents writes those that were found in f, a function of a version; locals are the variables that they pass on.
func (w *pairing) rewriteEvents(f *ir.Func, side int, found, locals map[*ir.Instr]*event) {
	changed := map[ir.Value]ir.Value{}
	begins := beginsOf(f, locals)
	w.RewriteFunc(f, func(in *ir.Instr) {
		e := found[in]
		if e == nil || in.Op != ir.OpCall {
			w.Keep(in)
		}
		if l := begins[in]; l != nil { // what it holds before it is written is the same in both
			fill := &ir.Const{T: w.Ptr(), Kind: ir.ConstAddr, Global: w.log.fills, Off: policy.PairEvents * policy.PairBytes}
			w.copyBytes(l.local, fill, w.Int(w.Word(), l.size))
		}
		if e != nil {
			if v := w.event(e, in, side); v != nil {
				changed[in] = v
			}
		}
	})
	for _, b := range f.Blocks {
		for _, in := range b.Instrs {
			for i, a := range in.Args {
				if v := changed[a]; v != nil {
					in.Args[i] = v
				}
			}
			if v := changed[in.Callee]; v != nil {
				in.Callee = v
			}
		}
	}
	w.Finish()
}

func (w *pairing) callsIndirectly(reach [2]places.Reach) bool {
	for _, f := range ofEither(w.Module, reach) {
		for _, b := range f.Blocks {
			for _, in := range b.Instrs {
				if in.Op == ir.OpCall && ir.CalledFunc(in) == nil {
					return true
				}
			}
		}
	}
	return false
}

// eventAt reads an event off an instruction; nil: it is none.
func (w *pairing) eventAt(in *ir.Instr, escapes map[*ir.Instr]bool) (*event, error) {
	switch {
	case (in.Op == ir.OpLoad || in.Op == ir.OpStore) && in.Flags.Has(ir.Volatile):
		return w.volatileEvent(in, escapes)
	case in.Op == ir.OpAsm && in.Asm.Any == "":
		if !in.T.IsVoid() || slices.ContainsFunc(in.Args, func(a ir.Value) bool { return a.Type().IsPtr() }) {
			return nil, errors.New("inline assembly has a result")
		}
		return &event{kind: "asm " + in.Asm.Template + " " + in.Asm.Constraints, name: "inline assembly", args: in.Args}, nil
	case in.Op == ir.OpCall:
		f := ir.CalledFunc(in)
		if f == nil && w.j.ThroughPointers {
			return w.pointerEvent(in)
		}
		if f == nil || !f.IsDecl() || strings.HasPrefix(f.Name, irbuild.Unsupported) {
			return nil, nil
		}
		if w.j.machines != nil && f.Model == ir.ModelNone && strings.HasPrefix(f.Name, OldPrefix) {
			return nil, fmt.Errorf("%s, which has no body, has other types on both machines", strings.TrimPrefix(f.CName, OldPrefix))
		}
		switch f.Model {
		case ir.ModelNone, ir.ModelNondet, ir.ModelNondetNonNeg, ir.ModelPrintf, ir.ModelNop:
			return w.callEvent(in, f)
		}
	}
	return nil, nil
}

func (w *pairing) volatileEvent(in *ir.Instr, escapes map[*ir.Instr]bool) (*event, error) {
	at := in.Args[len(in.Args)-1]
	if a, ok := ir.Root(at).(*ir.Instr); ok && a.Op == ir.OpAlloca {
		if escapes[a] {
			return nil, errors.New("a volatile variable of the function is passed on")
		}
		return nil, nil
	}
	if in.Access.Kind != ir.KindInt || in.Access.Width > 64 {
		return nil, errors.New("a volatile access of another kind than integers")
	}
	e := &event{kind: fmt.Sprintf("read %d", in.Access.Width), name: "volatile read", args: []ir.Value{at}}
	if in.Op == ir.OpStore {
		e.kind, e.name = fmt.Sprintf("write %d", in.Access.Width), "volatile write"
		e.args = append(e.args, in.Args[0])
	}
	e.place = w.apartLayouts() && !w.volatileElsewhere(in)
	if g := ir.VariableAt(at); g != nil {
		e.name += " of " + ir.NameOf(g)
	}
	return e, nil
}

// callEvent is the call of a function without a body.
func (w *pairing) callEvent(in *ir.Instr, f *ir.Func) (*event, error) {
	name := strings.TrimPrefix(f.CName, OldPrefix)
	e := &event{kind: "call " + strings.TrimPrefix(f.Name, OldPrefix), name: "call of " + name}
	return e, w.callOf(e, in, f, name+", which has no body,")
}

// callOf completes the event of a call of f, that is named so.
func (w *pairing) callOf(e *event, in *ir.Instr, f *ir.Func, name string) error {
	if k := in.T.Kind; k != ir.KindVoid && (k != ir.KindInt || in.T.Width > 64) {
		return fmt.Errorf("%s gives another result than an integer", name)
	}
	if len(in.Args) >= policy.PairWords {
		return fmt.Errorf("%s has many arguments", name)
	}
	for i, a := range in.Args {
		if i < len(f.Params) && (f.Params[i].ByVal != nil || f.Params[i].SRet != nil) {
			return fmt.Errorf("%s is passed a structure", name)
		}
		if err := w.passed(e, f, i, a, name); err != nil {
			return err
		}
	}
	e.calls = f.Model == ir.ModelNone || f.Model == ir.ModelPrintf
	return nil
}

// constInt returns how many elements an allocation has.
func constInt(in *ir.Instr) (int64, bool) {
	if in.Op != ir.OpAlloca {
		return 0, false
	}
	k, ok := in.Args[0].(*ir.Const)
	if !ok || k.Kind != ir.ConstInt || !k.Bits.Signed().IsInt64() {
		return 0, false
	}
	return k.Bits.Signed().Int64(), true
}

func (w *pairing) limit(text string) {
	if !slices.Contains(w.out.Limits, text) {
		w.out.Limits = append(w.out.Limits, text)
	}
}

// event writes one; it returns its result.
func (w *pairing) event(e *event, in *ir.Instr, side int) ir.Value {
	i32, word := ir.Int(32), ir.Int(64)
	kind := e.kind
	for i, a := range e.args {
		if e.leadsToLocal(a) {
			kind += fmt.Sprintf(", %d leads to a variable", i) // else null would be as good as its first byte
		}
	}
	if w.log.kinds[kind] == 0 {
		w.log.kinds[kind] = int64(len(w.log.kinds) + 1)
	}
	values := []ir.Value{w.Int(word, w.log.kinds[kind])}
	for i, a := range e.args {
		if e.place && i == 0 {
			continue
		}
		values = append(values, w.noted(e, a))
	}
	count := w.AddrOfGlobal(w.log.counts[side])
	n := w.Load(i32, count)
	if side == 0 {
		w.claimAt(FactCapacity, e.name, w.Compare(ir.ULT, n, w.Int(i32, policy.PairEvents)), *in.Pos)
	}
	at := w.Resize(w.And(n, w.Int(i32, policy.PairEvents-1)), w.Word())
	words := w.logged(w.log.words, at, 8*policy.PairWords)
	if side == 0 {
		for k, v := range values {
			w.Store(v, w.Gep(words, int64(8*k), nil, 0), 1)
		}
		if e.local != nil {
			w.copyBytes(w.logged(w.log.bytes, at, policy.PairBytes), e.local, w.Int(w.Word(), e.size))
			w.Store(w.Int(word, e.size), w.logged(w.log.sizes, at, 8), 1)
		}
	} else {
		same := ir.Value(w.Compare(ir.ULT, n, w.Load(i32, w.AddrOfGlobal(w.log.counts[0]))))
		for k, v := range values {
			same = w.And(same, w.Compare(ir.EQ, v, w.Load(word, w.Gep(words, int64(8*k), nil, 0))))
		}
		w.claimAt(FactEvent, e.name, same, *in.Pos)
		if e.local != nil {
			w.comparePassed(e, in, at)
		}
	}
	if e.place {
		w.notePlace(e, in, side, at)
	}
	if e.through && side == 0 { // else it is undefined
		w.Assume(w.Compare(ir.NE, e.args[0], w.Null()))
	}
	if e.taken {
		w.see(e, in, side, at)
	} else if e.calls {
		w.mark(e, in, side, at)
	}
	w.Store(w.Binary(ir.OpAdd, n, w.Int(i32, 1)), count, 1)
	if e.local != nil && !e.keeps {
		w.copyBytes(e.local, w.logged(w.log.fills, at, policy.PairBytes), w.Int(w.Word(), e.size))
	}
	if !in.T.IsInt() || in.Op == ir.OpStore {
		return nil
	}
	v := w.Load(word, w.logged(w.log.gives, at, 8))
	out := w.Resize(v, in.T)
	if ir.CalledFunc(in) != nil && ir.CalledFunc(in).Model == ir.ModelNondetNonNeg {
		out = w.Binary(ir.OpLshr, w.Resize(v, in.T), w.Int(in.T, 1))
	}
	return out
}

// logged is where a log has what it says of event at, one being its bytes for each.
func (w *pairing) logged(g *ir.Global, at ir.Value, one int64) ir.Value {
	return w.Gep(w.AddrOfGlobal(g), 0, at, one)
}

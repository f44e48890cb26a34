// Package pair makes one program of two versions (join.go), and a function that calls both on the same inputs and
// compares what they do (pair.go).
package pair

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/firmproof/firmproof/verifier/flow/places"
	"github.com/firmproof/firmproof/verifier/harness"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/verdict"
	"github.com/firmproof/firmproof/verifier/weave/irbuild"
)

// pairPrefix starts the names of the places at which a pair of calls is compared; a number follows, see Paired.Fact.
const pairPrefix = "firmproof.fact."

// FactKind says what is compared at a place.
type FactKind uint8

// The kinds of facts.
const (
	FactInvalid  FactKind = iota
	FactResult            // the results are equal
	FactMemory            // memory that was written holds the same
	FactPointer           // two pointers are equal of which one leads to what only one version has
	FactEvent             // the next call of a function without a body, or volatile access, is the one of the old version
	FactEvents            // the old version has no further ones
	FactCapacity          // there is space for what is noted of them
	FactEnd               // never: a violation is an execution in which nothing differs, and which both calls end
	FactStart             // the old version accesses nothing before what a pointer leads to
	FactSize              // a variable that an event passes on is no smaller than the one of the old version
	FactSeen              // what a function without a body may see of a variable that it is not passed is the same at a call
	FactTurn              // both versions come to headers of loops that are paired, or return (turns.go)
)

// Fact is something that a pair of calls asserts.
type Fact struct {
	Kind FactKind
	Name string      // in terms of C: the member, or what is called or accessed
	At   verdict.Pos // of the new version
}

// Paired is a function that calls both versions of a function on the same inputs, from the same memory, and compares
// what they do.
//
//	any arguments and memory, as a harness makes them (Arguments)
//	what the calls may write is saved, the old version is called, what it wrote is saved, memory is put back
//	the new version is called, and results and memory are compared
//
// Undefined behaviour of the old version ends the execution before anything is compared.
type Paired struct {
	harness.Harnessed
	Facts  []Fact
	Limits []string // what the comparison leaves out, in words
	// what layouts of one version have and those of the other one do not, in words
	Layouts []string
	// a pointer to elements with another layout leads to a few, which stand for any number if the old version goes nowhere else
	Few   bool
	Taken []string // functions whose calls are not followed (Joined.Take)
	// pointers of one machine are short: arithmetic that leaves an object may come back to it there, and is asked about
	Short bool
	// where all facts hold, one version ends if and only if the other one does
	Together bool
}

// Fact returns the fact that is asserted at a place; nil: none.
func (p *Paired) Fact(at verdict.Pos) *Fact {
	var n int
	if k, err := fmt.Sscanf(at.Function, pairPrefix+"%d", &n); k != 1 || err != nil || n >= len(p.Facts) {
		return nil
	}
	return &p.Facts[n]
}

// Old reports a place in the code of the old version.
func (p *Paired) Old(at verdict.Pos) bool { return isOld(at) }

// pairing writes a pair of calls.
type pairing struct {
	*irbuild.Builder
	j         *Joined
	old, now  *ir.Func
	out       *Paired
	objects   []memory    // that calls may write
	known     []ir.Value  // what pointers of both versions may lead to
	log       *eventLog   // nil: no events
	results   [2]ir.Value // of both calls
	args      Arguments
	passes    map[passing][2][]*ir.DType // types of the variables that events pass on, of both versions
	types     map[*ir.DType]*ir.DType    // of the new version, those of the old one in their place, where layouts differ (twins.go)
	twins     []*twin
	written   *writeSet
	places    map[*ir.Instr]*mark // volatile accesses, at which places are compared (volatile.go)
	placed    [][2]*ir.Global     // where blocks of another layout are, for functions that are called
	marks     map[*ir.Instr]*mark // calls of functions without a body, at which memory is compared (seen.go)
	reach     [2]places.Reach
	accesses  [2]map[string]int // volatile accesses and calls through pointers in the code of both versions, by kind
	passesOwn bool              // a function without a body is passed a variable of its caller
	strict    bool              // pointers are equal alone, not where they lead to twins of each other
}

// Arguments says what both versions are called with.
type Arguments uint8

// The kinds of arguments: as a careful caller passes them, as far as the code tells; any at all, but that pointers lead
// to places of their own; any at all.
const (
	Careful Arguments = iota
	AnyApart
	Any
)

// memory is a block or a variable that the calls may write.
type memory struct {
	name  string
	at    ir.Value
	size  ir.Value
	fixed int64 // bytes; 0: not known
	t     *ir.DType
	saved [2]ir.Value // before the calls, and what the old version left
}

// Pair adds to a joined program, which it changes, a function that compares a call of old with one of now, which are
// functions of the versions that it was made of. The error says what is not compared.
func (j *Joined) Pair(old, now string, args Arguments) (*Paired, error) {
	return j.pair(old, now, args, false)
}

// pair is Pair, or with turns what Turns is.
func (j *Joined) pair(old, now string, args Arguments, turns bool) (*Paired, error) {
	w := &pairing{j: j, Builder: &irbuild.Builder{Module: j.Module}, out: &Paired{}, args: args}
	w.old, w.now = j.Module.Func(OldPrefix+old), j.Module.Func(now)
	if w.old == nil || w.now == nil || w.old.IsDecl() || w.now.IsDecl() {
		return nil, errors.New("one version of it has no body")
	}
	reach := [2]places.Reach{places.Reached(j.Module, w.old), places.Reached(j.Module, w.now)}
	w.reach = reach
	if err := w.sameParams(); err != nil {
		return nil, err
	}
	if err := w.comparable(reach); err != nil {
		return nil, err
	}
	if err := w.meet(); err != nil {
		return nil, err
	}
	if err := w.findVariables(reach); err != nil {
		return nil, err
	}
	if w.apartLayouts() {
		if err := w.refuse(reach); err != nil {
			return nil, err
		}
	}
	if err := w.pointers(reach); err != nil {
		return nil, err
	}
	volatile := w.onlyVolatile(reach)
	if err := w.events(reach); err != nil {
		return nil, err
	}
	h, err := w.harness(reach)
	if err != nil {
		return nil, err
	}
	w.out.Harnessed = *h
	w.out.Assumptions = slices.DeleteFunc(w.out.Assumptions, func(a verdict.Assumption) bool {
		return strings.HasPrefix(a.Subject, logPrefix) || // what the pair itself begins with
			a.Relation == verdict.Start && volatile[a.Subject] // a volatile read gives any value
	})
	w.alignBlocks()
	writes := writesOf(w.Module, reach)
	w.written = writes
	if err := w.findBlocks(); err != nil {
		return nil, err
	}
	if err := w.findObjects(reach, writes); err != nil {
		return nil, err
	}
	w.readApart(reach, writes)
	w.seen()
	w.comparePlaces()
	w.bodiless(reach)
	if len(j.taken) > 0 {
		if err := w.take(reach); err != nil {
			return nil, err
		}
	}
	replace := w.both
	if turns {
		t, err := w.turnsOf()
		if err != nil {
			return nil, err
		}
		w.withoutLimits(h.Entry)
		replace = t.inTurns
	}
	if args != Careful {
		if err := w.fromStart(reach); err != nil {
			return nil, err
		}
	}
	call := w.callIn(h.Entry)
	if call == nil {
		return nil, errors.New("its harness calls it at several places")
	}
	w.RewriteFunc(h.Entry, func(in *ir.Instr) {
		if in == call {
			replace(call)
			return
		}
		w.Keep(in)
	})
	j.Module.Funcs = append(j.Module.Funcs, w.Decls...)
	return w.out, ir.Check(j.Module)
}

// sameParams returns an error where one call cannot be made of both.
func (w *pairing) sameParams() error {
	if len(w.old.Params) != len(w.now.Params) || w.old.Variadic || w.now.Variadic {
		return errors.New("the versions take other parameters")
	}
	was, is := ir.ParamVars(w.old), ir.ParamVars(w.now)
	for i, p := range w.now.Params {
		q := w.old.Params[i]
		if !p.T.Equal(q.T) && !w.j.machines.sameNumbers(q, p, was[i], is[i]) || (p.ByVal == nil) != (q.ByVal == nil) || (p.SRet == nil) != (q.SRet == nil) {
			return fmt.Errorf("parameter %s has another type", p.Name)
		}
		if p.NonNull && !q.NonNull || p.Align > q.Align {
			return fmt.Errorf("an attribute asks more of parameter %s than before", p.Name)
		}
		if was[i] != nil && is[i] != nil && !w.sameLayout(was[i].T, is[i].T) && !w.leadsToTwins(was[i].T, is[i].T) &&
			!w.j.machines.sameNumbers(q, p, was[i], is[i]) && !w.j.machines.sameFloats(was[i].T, is[i].T) {
			return fmt.Errorf("what parameter %s is or leads to has another layout or another sign", is[i].Name)
		}
	}
	if err := w.sameStructures(); err != nil {
		return err
	}
	if w.old.Ret.IsVoid() != w.now.Ret.IsVoid() || !w.old.Ret.IsInt() && !w.old.Ret.Equal(w.now.Ret) ||
		w.old.Ret.IsInt() && !w.now.Ret.IsInt() {
		return errors.New("the result has another type")
	}
	return nil
}

// harness makes arguments and memory for a call of the new version, as the code of both asks for.
func (w *pairing) harness(reach [2]places.Reach) (*harness.Harnessed, error) {
	first := w.now.Blocks[0]
	args := make([]ir.Value, len(w.now.Params))
	vars := ir.ParamVars(w.now)
	for i, p := range w.now.Params {
		if args[i] = p; !p.T.Equal(w.old.Params[i].T) {
			args[i] = w.Int(w.old.Params[i].T, 0)
		} else if vars[i] != nil && vars[i].T.Kind == ir.DPointer && w.hasTwin(vars[i].T.Elem) {
			args[i] = w.Null() // where the old version goes from it says nothing of the new one's
		}
	}
	w.Func, w.Pos = w.now, &w.now.Pos
	var front []*ir.Instr
	w.Block, w.Builder.Out = first, &front
	w.Call(w.old, args...)
	for _, x := range w.twins { // also where the old version alone comes to its own
		w.Load(ir.Int(8), x.at[1])
	}
	before := first.Instrs
	n := 0 // behind the variables
	for n < len(before) && before[n].Op == ir.OpAlloca {
		n++
	}
	first.Instrs = slices.Concat(before[:n:n], front, before[n:])
	w.Finish()
	funcs := len(w.Module.Funcs)
	h, err := w.withoutTwins()
	first.Instrs = slices.DeleteFunc(first.Instrs, func(in *ir.Instr) bool { return slices.Contains(front, in) })
	w.Func = w.now
	w.Finish()
	if err != nil {
		return nil, fmt.Errorf("no harness can be made: %w", err)
	}
	for _, f := range w.Module.Funcs[funcs:] {
		if !f.IsDecl() && f != h.Entry && w.callsIndirectly(reach) {
			return nil, fmt.Errorf("%w of its arguments, which lead to functions that are not known", ErrPointers)
		}
	}
	return h, nil
}

// called makes a harness that calls the new version.
func (w *pairing) called(p *harness.Program) (*harness.Harnessed, error) {
	if w.args != Careful {
		return p.Free(w.now, w.args == Any, w.j.Unaligned)
	}
	if h := p.AnyState(w.now); h != nil {
		return h, nil
	}
	return p.Harness(w.now)
}

// callIn returns the only call of the new version in its harness.
func (w *pairing) callIn(entry *ir.Func) (call *ir.Instr) {
	for _, b := range entry.Blocks {
		for _, in := range b.Instrs {
			if ir.CalledFunc(in) == w.now {
				if call != nil {
					return nil
				}
				call = in
			}
		}
	}
	return call
}

// both writes what takes the place of the call.
func (w *pairing) both(call *ir.Instr) {
	w.watch()
	for i := range w.objects {
		o := &w.objects[i]
		o.saved[0] = w.copyOf(o)
	}
	w.makeTwins()
	w.log.begin(w.Builder)
	w.results[0] = w.Call(w.old, w.passedBefore(call.Args)...)
	for i := range w.objects {
		w.objects[i].saved[1] = w.copyOf(&w.objects[i])
	}
	for i := range w.objects {
		o := &w.objects[i]
		w.copyBytes(o.at, o.saved[0], o.size)
	}
	w.results[1] = w.Call(w.now, call.Args...)
	w.compareResults()
	if w.log != nil {
		w.claim(FactEvents, w.now.CName, w.log.sameCount(w.Builder))
	}
	for i := range w.objects {
		w.compareObject(&w.objects[i])
	}
	w.compareTwins()
	w.claim(FactEnd, w.now.CName, w.Int(ir.Int(1), 0))
}

// copyOf allocates as much as memory, and copies it there.
func (w *pairing) copyOf(o *memory) ir.Value {
	var to ir.Value
	if o.fixed > 0 {
		to = w.Alloca("", ir.Int(8), w.Int(w.Word(), o.fixed))
	} else {
		p := w.Model(ir.ModelMalloc, "malloc", w.Ptr(), o.size)
		w.Assume(w.Compare(ir.NE, p, w.Null()))
		to = p
	}
	w.copyBytes(to, o.at, o.size)
	return to
}

func (w *pairing) copyBytes(to, from, size ir.Value) {
	w.Model(ir.ModelMemcpy, "memcpy", w.Ptr(), to, from, size)
}

// claim asserts c as a fact.
func (w *pairing) claim(kind FactKind, name string, c ir.Value) {
	w.claimAt(kind, name, c, w.now.Pos)
}

func (w *pairing) claimAt(kind FactKind, name string, c ir.Value, at verdict.Pos) {
	before := w.Pos
	defer func() { w.Pos = before }()
	w.Pos = &verdict.Pos{File: at.File, Line: at.Line, Column: at.Column,
		Function: fmt.Sprintf("%s%d", pairPrefix, len(w.out.Facts))}
	w.out.Facts = append(w.out.Facts, Fact{Kind: kind, Name: strings.TrimSpace(name), At: at})
	w.Model(ir.ModelAssert, "firmproof.same", ir.Void(), c)
}

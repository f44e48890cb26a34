// Package encode turns a program into a formula: the symbolic half of the
// bounded lane (Merz ch. 4 and 5, docs/SEMANTICS.md).
//
// One walk in execution order evaluates each instruction of each call context
// and loop turn once, on a state that merges all paths that reach it (state,
// mergeStates). Control flow is a worklist per activation, ordered so that every
// path into a join arrives before the join is left (frame, unwind.Key). What can
// go wrong becomes claims; what is not modelled becomes gaps; what the
// environment decides becomes events. See DESIGN.md.
//
// Worked example, `int main(void) { int x = nondet_int(); assert(x != 3); }`:
//
//	events   nondet x!1
//	claims   assert@main#1  guard true  violated (= x!1 3)
package encode

import (
	"context"
	"fmt"

	"github.com/firmproof/firmproof/verifier/encode/memory"
	"github.com/firmproof/firmproof/verifier/ilr"
	"github.com/firmproof/firmproof/verifier/input"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/unwind"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// Options of a walk. The zero value checks nothing and unwinds little.
type Options struct {
	ir.Semantics
	Checks verdict.CheckSet
	Past   ir.Past // claims of Checks that are left out
	// turns of every loop without a constant trip count; 0: as the Prober says, up to MaxUnwind
	Unwind      int
	UnwindSet   map[string]int // the same by loop: "func.index" or "file:line"
	Depth       int            // nested calls; 0: recursion as the Prober says, up to MaxUnwind
	MaxUnwind   int            // 0 is 16
	More        map[string]int // by name, loops of which so many turns are walked if the Prober says so, beyond MaxUnwind
	AnyOverflow bool           // signed overflow that no claim asks about gives any value, instead of wrapping around
	MathInts    bool           // signed arithmetic is meant over the integers: no overflow claims, and a note
	Cuts        *Cuts          // walk loops once from an arbitrary turn; nil: unwind
	MaxTerms    int            // give up (a Gap) when the store holds more; 0 is 20 million
	Facts       bool           // assumed quantifiers are facts about the elements that are read; false: loops
	Coverage    bool           // note on which conditions executions come to lines and take branches
	// when it is closed, the walk ends where it stands, with a Gap at each place; nil: it does not
	Stop <-chan struct{}
}

// Prober answers whether cond can be true in some execution; it must say yes when it cannot tell.
type Prober interface {
	Feasible(ctx context.Context, cond ilr.Term) bool
	Possible(ctx context.Context, cond ilr.Term) bool // the same with little effort
}

// Formula holds what Encode found out. Terms are of Store.
type Formula struct {
	Store       *ilr.Store
	Claims      []Claim        // in execution order
	Dead        []Claim        // claims of instructions that no context reached; Guard and Violated are false
	Assumptions []ilr.Term     // facts of every execution: object placement; always assert them
	Events      []memory.Event // in execution order
	Loops       []LoopInfo
	Gaps        []Gap
	Notes       []verdict.Assumption // what the meaning that is encoded takes for granted
	Ends        ilr.Term             // some execution ends normally (vacuity)
	Assumed     []Assumption         // in execution order
	Tests       map[*ir.Block]*Tests // by ir.FailingBlocks
	// where a claim plainly holds in a context and turn that Claims has no line for
	Held map[ir.At]*Places
	// with Options.Coverage: on which conditions executions come to a line or take a way; none: in no context
	Covered map[ir.Spot]*Places
	Stops   map[ir.At]bool // claims behind which the walk ended: they fail whenever they are reached, in some context
	Stats   Stats
	Objects []ObjectInfo
	Grown   bool     // with Options.Cuts: walk once more
	Headers []Header // with Options.Cuts
	// turns after which a loop is in the state before: executions that never end, and are left out
	Endless []ilr.Term
	Sites   []Passage // of Headers, in execution order
	// with Options.Cuts: an index that is chosen once for the execution, in no way by it; 0 if nothing uses it
	Ghost      ilr.Term
	Reads      []Read // with Ghost, in execution order
	Neighbours bool   // with Ghost: some headers have the elements behind those that it names
	Facts      int    // quantifiers that Options.Facts made facts

	m         *ir.Module
	objs      []*memory.Object
	replacers map[ilr.Term]*ilr.Replacer // of Ghost, by what stands for it
}

// Claim is one property at one instruction in one context and turn.
type Claim struct {
	ID       string // check@function#digest of the expression
	Check    verdict.Check
	Pos      verdict.Pos
	Message  string
	Holds    string // the message of a bound that suffices
	Instr    *ir.Instr
	Context  string   // call chain
	Guard    ilr.Term // reached, with earlier claims satisfied and assumptions held
	Loose    ilr.Term // reached, with assumptions held: Guard without asking that earlier claims are satisfied
	Violated ilr.Term // Guard and the failure
	After    int      // how many of Formula.Headers come before
	Reads    int      // how many of Formula.Reads come before
	Fixed    bool     // a bound that no other Options move
	// the failure condition without assuming earlier claims: Violated implies it, and where those hold it is the same
	Unguarded ilr.Term
	Before    ilr.Term // of an access: it is before the start of its object (ir.MayBeBefore); 0: it never is

	cases []failure
}

// LoopInfo says how far a loop was unwound, over all contexts.
type LoopInfo struct {
	Name     string
	Pos      verdict.Pos
	Latch    *ir.Instr // the end of a block that jumps back
	Turns    int       // back edges taken at most
	Complete bool      // no execution takes more
	Claim    string    // ID of its unwinding claim; empty if it needed none
}

// Gap is a path that ends because something is not modelled.
type Gap struct {
	Guard  ilr.Term
	Reason verdict.Reason
	Instr  *ir.Instr // where; nil when claims anywhere depend on it
}

// ObjectInfo describes an object of the walk.
type ObjectInfo struct {
	Name   string
	What   string
	Instr  *ir.Instr  // that made it, or nil
	Global *ir.Global // or nil
	Base   ilr.Term   // 0 if never observed
}

// Stats counts what the walk did.
type Stats struct{ Instrs, Joins, Calls, Objects, Terms, Probes int }

// encoder is one walk.
type encoder struct {
	*memory.Space
	ctx    context.Context
	m      *ir.Module
	s      *ilr.Store
	opts   Options
	prober Prober
	asked  map[ilr.Term]bool // what the prober said about addresses
	f      *Formula
	lay    *ir.Layout
	w      int // pointer bits

	exposed  map[*ir.Global]bool // of ir.AddressConstants, once asked for
	infos    map[*ir.Func]*funcInfo
	loops    map[string]int // name -> index in f.Loops
	seen     map[string]bool
	claimed  map[ir.At]bool // recorded at least once
	notes    map[string]bool
	escaping map[*ir.Func]map[*ir.Instr]bool
	stopped  *verdict.Reason             // why the whole walk ends where it stands
	cutter   *cutter                     // with Options.Cuts
	floats   bool                        // something is computed in floating point
	assumed  bool                        // claims are assumed here (cut_turns.go)
	failing  map[*ir.Block][]*ir.Block   // of ir.FailingBlocks, once asked for
	asserted map[*ir.Block]*ir.Block     // of assertedFrom, likewise
	quant    quantifiers                 // with Options.Facts
	handed   map[*memory.Object]ilr.Term // when code that is not known got a pointer to it (ir.LeakCalled)
}

// Encode walks entry of m and gives the formula over s. The error is ctx's, or
// says that entry has no body.
func Encode(ctx context.Context, m *ir.Module, entry *ir.Func, s *ilr.Store, opts Options, p Prober) (*Formula, error) {
	if entry.IsDecl() {
		return nil, fmt.Errorf("encode %s: function has no body", entry.Name)
	}
	if opts.MaxUnwind == 0 {
		opts.MaxUnwind = 16
	}
	if opts.MaxTerms == 0 {
		opts.MaxTerms = 20e6
	}
	e := &encoder{ctx: ctx, m: m, s: s, opts: opts, prober: p, f: &Formula{m: m, Store: s, Ends: s.False(),
		Tests: map[*ir.Block]*Tests{}, Held: map[ir.At]*Places{}, Stops: map[ir.At]bool{},
		Covered: map[ir.Spot]*Places{}},
		failing: map[*ir.Block][]*ir.Block{}, asserted: map[*ir.Block]*ir.Block{},
		lay: &m.Layout, w: m.Layout.PtrBits, asked: map[ilr.Term]bool{},
		infos: map[*ir.Func]*funcInfo{}, loops: map[string]int{}, seen: map[string]bool{}, claimed: map[ir.At]bool{},
		notes: map[string]bool{}, escaping: map[*ir.Func]map[*ir.Instr]bool{}, handed: map[*memory.Object]ilr.Term{}}
	e.startCuts(opts.Cuts)
	e.Space = memory.NewSpace(ctx, e.lay, s, memory.Setting{Shadow: opts.Checks.Has(verdict.Uninitialised),
		Ranges:      usesRanges(m),
		AddressZero: opts.AddressZero, MaxTerms: opts.MaxTerms, Regions: opts.Regions, Made: e.made, Feasible: e.feasible, Note: e.note})
	st := &memory.State{PC: e.Root()}
	params := make([]memory.Val, len(entry.Params))
	for i, q := range entry.Params {
		params[i] = e.Fresh(st, input.Param, nil, q.T, q.Name)
	}
	if end, _ := e.run(e.newFrame(nil, nil, entry, params), st); end != nil {
		if e.endLarge(end, nil); end.PC != nil {
			e.finish(end)
		}
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	e.deadClaims()
	e.instantiate()
	e.f.Grown = e.cutter != nil && e.cutter.grown
	e.f.Stats.Objects, e.f.Stats.Terms = len(e.Objects), s.Len()
	e.f.objs = e.Objects
	e.f.Events, e.f.Assumptions = e.Events, append(e.f.Assumptions, e.Placed...)
	for _, o := range e.Objects {
		e.f.Objects = append(e.f.Objects, ObjectInfo{Name: o.Name, What: o.What(), Instr: o.Instr, Global: o.Global,
			Base: o.Addr})
	}
	return e.f, nil
}

// finish is the normal end of the program on the paths of st.
func (e *encoder) finish(st *memory.State) {
	e.f.Ends = e.s.Or(e.f.Ends, st.PC.All)
}

// gap ends st's paths: what was reached there is not modelled.
func (e *encoder) gap(st *memory.State, in *ir.Instr, kind verdict.ReasonKind, format string, args ...any) {
	r := verdict.Reason{Kind: kind, Detail: fmt.Sprintf(format, args...)}
	if in != nil {
		r.Pos = in.Pos
	}
	e.f.Gaps = append(e.f.Gaps, Gap{Guard: st.PC.All, Reason: r, Instr: in})
	st.PC = nil
}

// note records an assumption once.
func (e *encoder) note(format string, args ...any) {
	n := fmt.Sprintf(format, args...)
	if !e.notes[n] {
		e.notes[n] = true
		e.f.Notes = append(e.f.Notes, verdict.Assume("", verdict.Meaning, verdict.Read, n))
	}
}

// usesRanges reports whether m sets or copies memory of a length that is not constant.
func usesRanges(m *ir.Module) bool {
	for _, f := range m.Funcs {
		for _, b := range f.Blocks {
			for _, in := range b.Instrs {
				if in.Op != ir.OpCall {
					continue
				}
				switch in.Model {
				case ir.ModelStrcpy, ir.ModelStrncpy, ir.ModelStrcat, ir.ModelStrncat, ir.ModelStrdup, ir.ModelRealloc:
					return true
				case ir.ModelMemcpy, ir.ModelMemmove, ir.ModelMemset, ir.ModelHavoc, ir.ModelMakeSymbolic:
					if !constantLength(in) {
						return true
					}
				}
			}
		}
	}
	return false
}

// constantLength looks at the length operand of a range model call.
func constantLength(in *ir.Instr) bool {
	i := 2
	if in.Model == ir.ModelHavoc || in.Model == ir.ModelMakeSymbolic {
		i = 1
	}
	if i >= len(in.Args) {
		return true
	}
	c, ok := in.Args[i].(*ir.Const)
	return ok && c.Kind == ir.ConstInt
}

// infoOf returns what is known about f before the walk, made once.
func (e *encoder) infoOf(f *ir.Func) *funcInfo {
	i := e.infos[f]
	if i == nil {
		i = newInfo(f, unwind.Analyse(f))
		if e.opts.Coverage {
			i.noteLines(f)
		}
		e.infos[f] = i
	}
	return i
}

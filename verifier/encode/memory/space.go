// Package memory is what a symbolic walk knows at one point: a path condition, the contents of objects, and values of
// registers, over terms of ilr (State, Content, Val). Bytes belong to the cell that wrote them, pointers are guarded sets
// of objects and offsets, and an address becomes a number only when the program looks at it (LL-78, LL-112). All of it
// is persistent: a fork copies three words, a join looks at what differs. Package encode walks over it.
package memory

import (
	"context"

	"github.com/firmproof/firmproof/verifier/ilr"
	"github.com/firmproof/firmproof/verifier/ir"
)

// Space is the memory of one walk: the objects, what is known of where they lie, and the inputs that come out of them.
type Space struct {
	Setting
	ctx context.Context
	lay *ir.Layout
	s   *ilr.Store
	w   int // pointer bits

	Objects  []*Object
	Observed []*Object
	fixed    []fixedUse
	Globals  map[*ir.Global]*Object
	funcs    map[*ir.Func]*Object
	labels   map[*ir.Block]*Object
	nowhere  *Object           // NullObject, once needed
	origin   map[ilr.Term]*Ptr // integers that are addresses of these
	exclusion
	decided decisions
	failed  map[ilr.Term]*Object // by the condition on which it is not made

	Events []Event    // in execution order
	Placed []ilr.Term // facts of every execution (Assume)
	Facts  ilr.Term   // their conjunction
	When   ilr.Term   // Bool: what is walked now is executed; 0: nothing is known of that
}

// Setting says what a walk asks of its memory.
type Setting struct {
	Shadow      bool // follow indeterminate bits
	Ranges      bool // the module sets or copies ranges of unknown length
	AddressZero bool // an object may lie at address 0
	MaxTerms    int  // the walk ends where the store holds more; 0: never
	Regions     []ir.Region
	Made        func(o *Object)          // is told of each new object
	Feasible    func(cond ilr.Term) bool // whether some execution has it; yes, if it cannot tell
	Note        func(string, ...any)     // records an assumption
}

// NewSpace returns a memory without objects, whose terms are of s.
func NewSpace(ctx context.Context, lay *ir.Layout, s *ilr.Store, set Setting) *Space {
	return &Space{Setting: set, ctx: ctx, lay: lay, s: s, w: lay.PtrBits, Facts: s.True(),
		Globals: map[*ir.Global]*Object{}, funcs: map[*ir.Func]*Object{}, labels: map[*ir.Block]*Object{},
		origin: map[ilr.Term]*Ptr{}, failed: map[ilr.Term]*Object{},
		exclusion: exclusion{guards: map[ilr.Term][]int32{}}}
}

// Package seg builds symbolic execution graphs: finite over-approximations of
// all runs of a program, after AProVE (Ströder et al. 2017; Hensel et al.).
//
//	name   here                              source
//	state  call stack, know, objects, cells  AP-12 (CS, KB, AL, PT)
//	know   intervals, linear rows            AP-18
//	object an allocation with its bytes      AP-16, AP-17, AP-19
//	cutPoint  a generalised state            AP-60
//	edge   a path between cuts, or to an end AP-58
//
// A pointer is an object and an offset; numbers are linear expressions over
// symbolic integers, read as signed or unsigned (BV-06), and a wrap-around is a
// multiple of 2^w that is subtracted: a variable of its own where the knowledge
// does not tell it, split only when the system is made.
//
// Undefined behaviour ends a run (docs/SEMANTICS.md), so an access or a
// signed operation adds the condition under which it is defined; what could not
// be proved defined is a fault of the graph, and so is memory that may be lost.
// What is not modelled makes the graph incomplete, by name and position.
//
// Construction: cut points are at loop heads, and where paths multiply. One is
// expanded by executing from it until each path ends or arrives at another. An
// arrival that the cut point there covers is an edge; else it is generalised and
// expanded again (AP-66, with one generalised state per position).
package seg

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/firmproof/firmproof/verifier/exact"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/seg/certify"
	"github.com/firmproof/firmproof/verifier/solve/linear"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// Options of a graph.
type Options struct {
	ir.Semantics
	Entry     *ir.Func // nil: main
	MathInts  bool     // integers without bounds (AP-05); the answer is not about the binary then
	Wrap      bool     // signed overflow wraps around instead of ending the run
	Leave     bool     // pointers may leave their objects, too far for any access
	ByNull    bool     // a place has a generalised state for each choice of which pointers are null or lead to which link
	Modular   bool     // functions called from many places have one graph and a summary (Shared)
	MaxStates int      // symbolic steps; 0: 400,000

	// told of each state before its step, and then of the result; of tests
	watch func(b *builder, before *state) func(s *state, r result)
}

// Graph is a symbolic execution graph.
type Graph struct {
	Entry     *ir.Func
	Complete  bool             // every path ends in a return, an exit, or undefined behaviour
	GaveUp    []verdict.Reason // why not
	Faults    []Fault          // what could not be shown of its paths, in the order of the program
	Recursive bool             // of functions that call themselves
	Modular   bool             // callers are left out: a run is a tree of paths, and costs add up over all of it
	Overflows bool             // a path may end in signed overflow
	ByNull    bool             // a place has several generalised states, because of null pointers or links
	Stats     Stats

	b     *builder
	start *cutPoint
	cuts  []*cutPoint // reachable, start first
}

// Stats counts what building took.
type Stats struct {
	Steps, Cuts, Edges, Merges int
	Certified                  int // edges between generalised states, each proved by seg/certify
	Repairs                    int // generalised states expanded again because an edge was not certified
	Certifying                 time.Duration
	Quick, Asked               int // questions answered at once, and handed to the ladder
	Rungs                      linear.Rungs
}

type builder struct {
	ctx        context.Context
	m          *ir.Module
	opts       Options
	ask        *oracle
	names      []string           // of variables
	wraps      map[exact.Var]bool // wrap-arounds with few cases, which the system tells apart
	fits       map[exact.Var]bool // all wrap-arounds
	objIDs     map[string]int
	allocates  bool // heap blocks were made
	owners     int  // of blocks
	entered    map[*ir.Func]bool
	kinds      map[string]int // generalised states, by place
	cuts       map[string]*cutPoint
	order      []*cutPoint
	cutPos     map[string]bool
	facts      map[*ir.Func]*funcFacts
	gaveUp     map[string]verdict.Reason
	gaveAt     []string
	effects    map[*ir.Func]effects
	thresholds []exact.Int
	recursive  bool
	modular    bool              // a call was entered without callers
	shared     map[*ir.Func]bool // of Options.Modular
	unframed   bool              // a recursive function writes or frees what is not followed to an object that it reaches
	endsInside bool              // a run may end in a function entered without callers
	calls      int               // modular ones, each time one was followed
	summaries  map[*ir.Func]*summary
	outdated   []*cutPoint        // cuts that used a summary that grew
	current    *cutPoint          // being expanded
	over       []*state           // runs of the current step that overflow
	signedFits map[exact.Var]bool // wrap-arounds of signed arithmetic
	steps      int
	merges     int
	lists      int                // made so far
	cursors    int                // times that a variable kept a block out of a list
	trees      map[breed][]int64  // kinds of blocks that are seen as trees, with where their pointers onwards are
	chains     map[breed]bool     // kinds that are none
	ups        map[breed]int64    // where the blocks of such trees lead up, if they do
	structs    map[int64][]string // that the program takes blocks for, by size
	pairs      map[breed]pair     // kinds of blocks that are seen as those of doubly linked lists
	unpaired   map[breed]bool     // kinds that are none
	reshaped   bool               // trees or pairs changed
	checker    *certify.Checker
	certified  int // edges
	repairs    int
	certifying time.Duration
	start      *cutPoint
	given      map[*ir.Instr]value // what the entry asks for before the first loop: numbers of the start
	asked      []Given             // likewise, in the order of their discovery
}

// Build builds the graph of opts.Entry. The error is about the request, never
// about the program.
func Build(ctx context.Context, m *ir.Module, opts Options) (*Graph, error) {
	if opts.Entry == nil {
		opts.Entry = m.Func("main")
	}
	if opts.Entry == nil || opts.Entry.IsDecl() {
		return nil, fmt.Errorf("symbolic execution graph: no entry function with a body")
	}
	if opts.MaxStates == 0 {
		opts.MaxStates = 400_000
	}
	ladder := linear.NewLadder(100)
	defer ladder.Close()
	b := newBuilder(ctx, m, opts, ladder)
	err := b.run()
	for errors.Is(err, errShape) {
		trees, ups, chains, pairs, unpaired, structs := b.trees, b.ups, b.chains, b.pairs, b.unpaired, b.structs
		b = newBuilder(ctx, m, opts, ladder)
		b.trees, b.ups, b.chains, b.pairs, b.unpaired, b.structs = trees, ups, chains, pairs, unpaired, structs
		err = b.run()
	}
	if err != nil {
		return nil, err
	}
	g := &Graph{Entry: opts.Entry, b: b, start: b.start, cuts: b.reachable()}
	for _, k := range b.gaveAt {
		g.GaveUp = append(g.GaveUp, b.gaveUp[k])
	}
	g.Complete = len(g.GaveUp) == 0
	g.Recursive, g.Modular = b.recursive, b.modular
	g.Faults = b.faults(g.cuts)
	g.Overflows = slices.ContainsFunc(g.Faults, func(f Fault) bool { return f.Wraps })
	g.Stats = Stats{Steps: b.steps, Cuts: len(g.cuts), Merges: b.merges, Certified: b.certified, Repairs: b.repairs,
		Certifying: b.certifying, Quick: b.ask.quick,
		Asked: b.ask.asked,
		Rungs: ladder.Rungs}
	for _, n := range b.kinds {
		g.ByNull = g.ByNull || n > 1
	}
	for _, c := range g.cuts {
		g.Stats.Edges += len(c.edges)
	}
	return g, nil
}

func newBuilder(ctx context.Context, m *ir.Module, opts Options, ladder *linear.Ladder) *builder {
	b := &builder{ctx: ctx, m: m, opts: opts, ask: &oracle{ctx: ctx, ladder: ladder}, wraps: map[exact.Var]bool{},
		fits: map[exact.Var]bool{}, signedFits: map[exact.Var]bool{},
		objIDs: map[string]int{}, cuts: map[string]*cutPoint{}, cutPos: map[string]bool{},
		facts:   map[*ir.Func]*funcFacts{},
		effects: map[*ir.Func]effects{}, gaveUp: map[string]verdict.Reason{}, summaries: map[*ir.Func]*summary{},
		thresholds: thresholdsOf(m), owners: len(m.Owners()), kinds: map[string]int{},
		entered: map[*ir.Func]bool{opts.Entry: true}, trees: map[breed][]int64{}, ups: map[breed]int64{},
		chains: map[breed]bool{}, pairs: map[breed]pair{}, unpaired: map[breed]bool{},
		structs: map[int64][]string{}, given: map[*ir.Instr]value{}}
	if opts.Modular {
		b.shared = Shared(opts.Entry)
	}
	b.checker = &certify.Checker{Ctx: ctx, Ladder: ladder}
	return b
}

func (b *builder) newVar(name string) exact.Var {
	b.names = append(b.names, name)
	return exact.Var(len(b.names) - 1)
}

// giveUp notes what is not modelled.
func (b *builder) giveUp(r verdict.Reason, in *ir.Instr) {
	key := r.Detail
	if in != nil {
		pos := *in.Pos
		r.Pos = &pos
		key += pos.String()
	}
	if _, seen := b.gaveUp[key]; !seen {
		b.gaveUp[key] = r
		b.gaveAt = append(b.gaveAt, key)
	}
}

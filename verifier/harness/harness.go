// Package harness makes entries for functions that have none: calls with any arguments that a careful caller could pass
// (harness.go), calls of the functions of a program in any order (calls.go), and the same as C (source.go). What it
// assumes of arguments, it says, with the origin.
package harness

import (
	"fmt"
	"slices"

	"github.com/firmproof/firmproof/verifier/flow/places"
	"github.com/firmproof/firmproof/verifier/harness/uses"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/verdict"
	"github.com/firmproof/firmproof/verifier/weave/irbuild"
)

// A harness is an entry for a function that has none: a function without parameters
// that calls it with any arguments a careful caller could pass.
//
//	number           any value
//	pointers         that the code compares, one of them to the end: into one block (upto.go)
//	pointer          to a block of its own with any contents. How large, the first of these says:
//	                 a parameter that the function compares its index with, to go on or to give up, or hands to
//	                 memcpy; or the number that a pointer parameter leads to when the function is called;
//	                 a parameter behind it with the name of a length (n, len, size, count, max...),
//	                 unless the C library reads a string there; of a pointer to a pointer, what that leads to;
//	                 for char that is only read: a string of at most policy.HarnessString-1 characters;
//	                 what the function reaches at constant offsets, and one element at least;
//	                 if it goes on from there: the smallest object that a call in the program
//	                 passes, or else policy.HarnessCount elements, which is a guess
//	null             too, if the function asks for it or a call in the program passes it
//	pointer inside   of what a pointer leads to: to a block of its own, policy.HarnessDepth levels deep, then null;
//	                 next to a member with the name of a length: of that many elements, which is a guess
//	                 beside further numbers; next to one to the end of a block: into that block;
//	                 a single number otherwise, which is a guess, too
//	to a constant    structure, anywhere: to one of the constants of its type that the program defines
//	to a function    see function.go
//	further ones     and a va_list: see further.go
//
// Blocks come from malloc, so that the function may free them. What this leaves out
// (aliases, other lengths) is said in the assumptions of the answer.

// harnessPrefix starts the names of the functions that Harness makes.
const harnessPrefix = "firmproof.call."

// Harnessed is a function that calls another with any arguments, and what that takes for granted.
type Harnessed struct {
	Entry       *ir.Func
	Assumptions []verdict.Assumption
	// of contents that the harness made up: the line of `assume` that says what the program seems to keep to
	Open     []verdict.Assumption
	Warnings []string // calls in the program that do not keep to the assumptions
	// names of pointers for which nothing says how much is behind them: what goes past that much is no finding
	Guesses  []string
	Texts    []string        // those of them to characters
	Unplaced []string        // those of Guesses of which nothing says how what they lead to is aligned
	Unended  []string        // pointers to one structure with texts in it, of which nothing says where they end
	Structs  []string        // names of pointers to structures that the harness made
	Places   map[string]bool // pointers and numbers that a Given can be about
	// how often which function asks whether a member is null, which it is not here, or none of the enumerators of its
	// enumeration: by NAME|FUNCTION
	Tests   map[string]int
	Doubted []string // arguments of enumerations that it asks the latter of: they may be none
	// another version asks about an argument, and this one does not; the program is not whole: others may call it
	Dropped bool
	Counts  map[string]Count // pointers of which code says which parameter counts what they lead to
	Needs   map[string]int64 // pointers of whose memory it accesses so many bytes at most
	Blocks  []Block          // that it allocates
}

// Block is memory that a generated harness allocates.
type Block struct {
	Name    string // of the pointer that leads to it
	At      *ir.Instr
	Size    ir.Value  // in bytes
	T       *ir.DType // of its elements; nil: not known
	pointer string    // its name without that of a call; empty: no pointer leads there
	text    bool      // a string
	fill    *ir.Instr // gives it contents
}

// Harness adds to the program a function that calls f with any arguments. The error says
// which parameter nothing can be made for; the program is then as it was.
func (p *Program) Harness(f *ir.Func) (*Harnessed, error) {
	return p.callOf(f, harnessPrefix, nil)
}

// callOf adds a function that calls f once, by a harness that set changes, which may be nil.
func (p *Program) callOf(f *ir.Func, prefix string, set func(*harness)) (*Harnessed, error) {
	if f.IsDecl() {
		return nil, fmt.Errorf("%s has no body", f.Name)
	}
	if why := RefusesFurther(p.m, f); why != "" {
		return nil, fmt.Errorf("%s takes a variable number of arguments: %s", f.Name, why)
	}
	h := p.newHarness(irbuild.Function(p.m, prefix+f.Name, ir.Void(), f.Pos), f)
	if h.Func.CName = f.CName; set != nil {
		set(h)
	}
	args := make([]ir.Value, len(f.Params))
	for i := range f.Params {
		if args[i] != nil {
			continue // the length of a pointer before it
		}
		if err := h.param(i, args); err != nil {
			return nil, err
		}
	}
	if h.anyState {
		h.anyNumbers()
	}
	h.anyErrno()
	h.globals()
	h.apart(args)
	h.quiet(args)
	h.replaceable()
	h.showHeld()
	h.preconditions(args)
	h.among(func() { h.Call(f, append(args, h.unnamed()...)...) })
	h.Ret(nil)
	h.out.Assumptions = slices.Concat([]verdict.Assumption{CalledWithAny(f)}, h.starts(), h.out.Assumptions)
	h.noteVolatile()
	h.noteNonnull()
	h.finishFunctions()
	h.out.Entry = h.Done()
	h.givenPlaces()
	h.unplaced()
	return &h.out, nil
}

// CalledWithAny is what each harness of f begins with to say: nothing that restricts what is passed.
func CalledWithAny(f *ir.Func) verdict.Assumption {
	return verdict.Assume("", verdict.Meaning, verdict.Read, fmt.Sprintf("%s is called with any arguments", f.CName))
}

// newHarness returns a harness for f that is written with b.
func (p *Program) newHarness(b *irbuild.Builder, f *ir.Func) *harness {
	return &harness{Builder: b, p: p, of: f, vars: ir.ParamVars(f), uses: p.code.Of(f), reached: places.Reached(p.m, f),
		pieces: pieces(f, !p.m.Layout.BigEndian), structs: map[*ir.Var]ir.Value{}, same: map[[2]ir.Value]bool{},
		out: Harnessed{Places: map[string]bool{}, Tests: map[string]int{}}}
}

// harness writes one harness.
type harness struct {
	*irbuild.Builder
	p    *Program
	of   *ir.Func
	vars []*ir.Var  // its parameters in C
	uses []uses.Use // of its parameters in its code
	out  Harnessed

	calls     *callWriter            // that it writes a call for; nil: it calls its function alone
	prefix    string                 // of the names of what it makes, and of its assumptions
	anyState  bool                   // variables hold any numbers at first
	variant   string                 // starts what unique gives, where there are several harnesses of the function
	wide      bool                   // see Wide
	past      int64                  // see Longer
	overlap   bool                   // see Overlapping
	free      bool                   // see Free
	unaligned bool                   // likewise
	places    []*ground              // that further pointers may lead into, too
	variables map[*ir.Global]*ground // see groundOf
	met       bool                   // two of its pointers may lead to one place
	same      map[[2]ir.Value]bool   // blocks that one pointer may lead to, each
	widened   bool                   // one of the wide limits holds
	// it fills a structure of zeros that calls change: its numbers are left as they are
	filling bool
	limits  []limited

	pieces  map[*ir.Param]piece    // parameters that are parts of structures
	structs map[*ir.Var]ir.Value   // blocks that these are read from
	reached places.Reach           // from the function
	bodies  []func()               // write the functions that pointers of its arguments lead to
	held    []*heldBlock           // that hold pointers
	ends    []endAt                // of blocks that arguments lead into
	holders map[*ir.Instr]ir.Value // by block: where a pointer to it is kept
	truths  int                    // values in unions that it made
	further ir.Value               // the block that pointers lead to of which there are too many
}

// finishFunctions adds to the program what pointers of the arguments lead to.
func (h *harness) finishFunctions() {
	for i := 0; i < len(h.bodies); i++ { // one may add others
		h.bodies[i]()
	}
}

// any is an unknown value, shown under a name.
func (h *harness) any(name string, t *ir.Type) ir.Value { return h.Nondet(h.of.CName+"."+name, t) }

// param makes argument i, and the length behind it if it has one.
func (h *harness) param(i int, args []ir.Value) error {
	p, v := h.of.Params[i], h.vars[i]
	name := p.Name
	if v != nil {
		name = v.Name
	}
	if args[i] = h.list(i); args[i] != nil {
		return nil
	}
	if g := h.upTo(i); g != nil && !(h.free && h.overlap) { // its first parameter makes it whole
		if i != g.end && args[g.parts[0].arg] == nil {
			h.makeUpTo(g, args)
		}
		return nil
	}
	switch {
	case p.SRet != nil:
		args[i] = h.copied(name, nil, h.Int(h.Word(), h.Module.Layout.SizeOf(p.SRet)))
		return nil
	case p.ByVal != nil:
		var c *ir.DType
		if v != nil && ir.IsStruct(v.T) {
			c = v.T
		}
		args[i] = h.copied(name, c, h.Int(h.Word(), h.Module.Layout.SizeOf(p.ByVal)))
		return nil
	case v != nil && v.Slot == ir.Value(p) && p.T.IsPtr() && ir.IsStruct(v.T): // by the address of a copy
		args[i] = h.copied(name, v.T, h.Int(h.Word(), ir.SizeInC(v.T)))
		return nil
	case h.pieces[p].of != nil:
		args[i] = h.part(p, h.pieces[p])
		return nil
	case !p.T.IsPtr():
		args[i] = h.any(name, p.T)
		if p.T.IsInt() && !h.free {
			h.within(name, args[i], v != nil && v.T != nil && v.T.Signed)
			if runs := h.paramRuns(i); runs != nil {
				in := h.Assume(within(h.Builder, args[i], v.T, runs))
				brings(h.note(name, verdict.Interval, verdict.Observed, "%s is an enumerator of %s", name, v.T.Name), in)
			}
		}
		return nil
	case h.unknown(i):
		return fmt.Errorf("parameter %s: what it points to is not known", name)
	case h.handle(i) != nil:
		args[i] = h.handle(i).address(h.Builder)
		return nil
	}
	if places.IsFunction(v.T) {
		args[i] = h.function(name, v.T.Elem, h.passed(i))
	} else {
		h.pointer(i, name, args)
	}
	args[i] = h.perhapsNull(i, name, args[i])
	return nil
}

// perhapsNull returns argument i, or null too where that may be passed.
func (h *harness) perhapsNull(i int, name string, v ir.Value) ir.Value {
	g := h.given(name)
	null := g.Null
	if g.Doubted && !h.mayBeNull(i) {
		h.out.Dropped = !h.p.linked()
	}
	switch {
	case null != nil && *null || null == nil && !h.of.Params[i].NonNull && h.mayBeNull(i):
		return h.orNull(name, v)
	case null != nil || h.of.Params[i].NonNull:
		return v
	}
	if pool, _ := h.pool(i); pool != nil {
		return v
	}
	if h.free { // nobody asks
		return v
	}
	return h.notNull(name, verdict.Chosen, name+" is not null", v)
}

// unique is a name for what belongs to the call that is written.
func (h *harness) unique() string {
	switch {
	case h.calls == nil:
		return h.variant + h.of.Name
	}
	return fmt.Sprintf("%s.call%d.%s", h.calls.cone.of.Name, h.calls.made, h.of.Name)
}

// unknown reports whether nothing can be made for parameter i, a pointer.
func (h *harness) unknown(i int) bool {
	p, v := h.of.Params[i], h.vars[i]
	return p.T.IsPtr() && p.SRet == nil && p.ByVal == nil && h.pieces[p].of == nil &&
		(v == nil || v.T == nil || v.T.Kind != ir.DPointer && (v.Slot != ir.Value(p) || !ir.IsStruct(v.T)))
}

// note adds an assumption about a pointer or number (empty: about the call) and returns its ID.
func (h *harness) note(about string, relation verdict.Relation, origin verdict.Origin, format string,
	args ...any) string {
	text := fmt.Sprintf(format, args...)
	if h.prefix != "" && about != "" {
		about, text = h.prefix+about, "in calls of "+h.of.CName+": "+text
	}
	a := verdict.Assume(about, relation, origin, text)
	h.out.Assumptions = verdict.AddAssumptions(h.out.Assumptions, a)
	return a.ID
}

// noted is the assumption of an ID that was noted.
func (h *harness) noted(id string) *verdict.Assumption {
	i := slices.IndexFunc(h.out.Assumptions, func(a verdict.Assumption) bool { return a.ID == id })
	return &h.out.Assumptions[i]
}

// under has what make writes bring an assumption into the program.
func (h *harness) under(id string, make func()) {
	before := h.Assumes
	h.Assumes = append(slices.Clone(before), id)
	make()
	h.Assumes = before
}

// made returns v as a value of its own, which brings an assumption into the program.
func (h *harness) made(id string, v ir.Value) ir.Value {
	out := h.Emit(&ir.Instr{Op: ir.OpFreeze, T: v.Type(), Args: []ir.Value{v}})
	brings(id, out)
	return out
}

// brings notes that values, where they are instructions, bring an assumption into the program.
func brings(id string, values ...ir.Value) {
	for _, v := range values {
		if in, ok := v.(*ir.Instr); ok && in != nil && !slices.Contains(in.Assumes, id) {
			in.Assumes = append(in.Assumes, id)
		}
	}
}

package harness

import (
	"slices"

	"github.com/firmproof/firmproof/verifier/flow/places"
	"github.com/firmproof/firmproof/verifier/flow/ranges"
	"github.com/firmproof/firmproof/verifier/harness/uses"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/verdict"
	"github.com/firmproof/firmproof/verifier/weave/interrupt"
)

// Program is a module with what harnesses ask about it.
type Program struct {
	m     *ir.Module
	calls map[*ir.Func][]*ir.Instr // that name the function
	code  *uses.Reader

	places *places.Table     // that hold pointers
	spans  *ranges.Table     // of members that hold numbers
	seems  *ranges.Table     // what these seem to be kept to
	given  map[string]*Given // by FUNCTION.NAME
	pools  map[string]bool   // see Pool
	alias  [][]string        // lists of FUNCTION.NAME: each may lead into what another leads to
	counts map[string]Count  // likewise: see Program.Counts
	needs  map[string]int64  // likewise: see Program.Needs

	changed map[*ir.Global]bool // that code of the program may change

	effects map[*ir.Func]*touches // of calls
	alone   map[*ir.Func]*touches // of handlers, without those that are run between their steps
	stay    map[*ir.Global]bool   // whether their addresses are used for accesses alone
	handed  map[*ir.Global]bool   // whose addresses code does more with than to access them; nil: not yet known

	stored  map[places.Place]bool      // where numbers are stored in structures; nil: not yet known
	bounded map[places.Place][]boundBy // see bounds; nil: not yet known
	indexed map[places.Place]bool      // likewise, by an index that varies, in an array that begins there

	constructed map[string]bool // structures that functions fill or make, by layout

	truths *truths // in unions; nil: there are none

	// of the volatile numbers that functions read: what is taken for granted, and what is open
	volatile, unsure map[*ir.Func][]verdict.Assumption
	computes         map[places.Place]bool     // see computed
	leaning          map[*ir.Global]string     // variables whose ranges rest on that, too
	leanOn           []verdict.Assumption      // of those of them that a function alone writes
	nonnull          map[*ir.Func]bool         // pass pointers that may not be null
	beside           map[*ir.Func]bool         // handed to functions that are not there; nil: not yet known
	woven            *interrupt.Woven          // handlers of interrupts that run between steps; nil: none
	reach            map[*ir.Func]places.Reach // see reachOf
	kinds            map[*ir.Func][]string     // see kindsOf
	step             int                       // bytes of the widest access that is one step
	few              func(*ir.DType) bool      // see Few; nil: none
	// members that code compares with null may be null, in all harnesses: see MembersMayBeNull
	asksNull bool
}

// NewProgram reads m, which harnesses are added to afterwards.
func NewProgram(m *ir.Module) *Program {
	p := &Program{m: m, calls: map[*ir.Func][]*ir.Instr{}, places: places.Of(m),
		spans: ranges.Of(m, false), seems: ranges.Of(m, true), given: map[string]*Given{}, pools: map[string]bool{}, reach: map[*ir.Func]places.Reach{}, kinds: map[*ir.Func][]string{}, counts: map[string]Count{}, needs: map[string]int64{},
		volatile: map[*ir.Func][]verdict.Assumption{}, unsure: map[*ir.Func][]verdict.Assumption{},
		nonnull: map[*ir.Func]bool{}, computes: map[places.Place]bool{}, step: int(interrupt.AtomicBytes(m)),
		changed: ChangedGlobals(m), constructed: map[string]bool{}, effects: map[*ir.Func]*touches{},
		alone: map[*ir.Func]*touches{}, stay: map[*ir.Global]bool{}}
	p.code = uses.NewReader(m, p.spans.Words)
	p.checkRanges()
	p.keepVolatile()
	p.keepNonnull()
	p.keepTruths()
	for _, f := range m.Funcs {
		for _, b := range f.Blocks {
			for _, in := range b.Instrs {
				if g := ir.CalledFunc(in); g != nil {
					p.calls[g] = append(p.calls[g], in)
				}
			}
		}
	}
	return p
}

// MayBeNullAsIn has harnesses of f pass null for the pointers that old, another version of it, takes null for possible of.
func (p *Program) MayBeNullAsIn(f, old *ir.Func) {
	now := p.code.Of(f)
	for i, u := range p.code.Of(old) {
		now[i].Null = now[i].Null || u.Null
	}
}

// MembersMayBeNull has harnesses make members null, too, that the function comes to code of that compares them with null.
// types has structures of another version of the program, by those in whose place they are: code that compares members of
// them asks about members of the same name.
func (p *Program) MembersMayBeNull(types map[*ir.DType]*ir.DType) {
	p.asksNull = true
	for is, was := range types {
		for i := range is.Fields {
			k := slices.IndexFunc(was.Fields, func(f ir.DField) bool { return f.Name != "" && f.Name == is.Fields[i].Name })
			if k < 0 || !ir.IsStruct(is) {
				continue
			}
			from := p.places.At[places.Place{Of: places.LayoutOf(was), Off: was.Fields[k].BitOff / 8}]
			to := places.Place{Of: places.LayoutOf(is), Off: is.Fields[i].BitOff / 8}
			if from == nil || len(from.Null)+len(from.Copied) == 0 || places.LayoutOf(was) == to.Of {
				continue
			}
			both := places.Held{}
			if h := p.places.At[to]; h != nil {
				both = *h
			}
			both.Null = slices.Concat(both.Null, from.Null)
			both.Copied = slices.Concat(both.Copied, from.Copied)
			p.places.At[to] = &both
		}
	}
}

// Few has harnesses pass pointers to objects of such types to a number of them that is not computed, and say of it that it is a
// guess.
func (p *Program) Few(such func(*ir.DType) bool) { p.few = such }

func (p *Program) isFew(elem *ir.DType) bool { return p.few != nil && p.few(elem) }

// Changes has harnesses take for granted that code of the program changes a variable.
func (p *Program) Changes(g *ir.Global) { p.changed[g] = true }

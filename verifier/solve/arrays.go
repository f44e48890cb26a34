package solve

import (
	"fmt"

	"github.com/firmproof/firmproof/verifier/bits"
	"github.com/firmproof/firmproof/verifier/ilr"
	"github.com/firmproof/firmproof/verifier/policy"
	"github.com/firmproof/firmproof/verifier/solve/bitblast"
)

// arrays makes models of the SAT solver, for which every select is a free
// vector, agree with the meaning of arrays: lemmas on demand, after Brummayer and
// Biere (JSAT 6, 2009). One round evaluates each relevant select by walking down
// its array under the model. Where that disagrees with the select's bits, the
// read-over-write equation of each step on the way is asserted, and where two
// walks end at one element of an array variable with different values, congruence.
type arrays struct {
	s        *ilr.Store
	b        *bitblast.Blaster
	expanded map[ilr.Term]ilr.Term // select -> its equation
	paired   map[[2]ilr.Term]bool  // congruences asserted
	blocks   map[tableBlock]bool   // parts of tables asserted
	clashed  map[ilr.Term]int      // how often
	runs     map[ilr.Term]*run
	added    int

	e     *evaluation // of the last round
	sels  []ilr.Term  // the selects that it depends on
	seen  map[ilr.Term]bool
	cells map[ilr.Term]map[bits.Vec]cell
}

// cell is an element of an array variable in the model being built.
type cell struct {
	value bits.Vec
	owner ilr.Term // the select whose walk ended there first
}

type tableBlock struct {
	sel   ilr.Term
	block uint64
}

func newArrays(s *ilr.Store, b *bitblast.Blaster) *arrays {
	return &arrays{s: s, b: b, expanded: map[ilr.Term]ilr.Term{}, paired: map[[2]ilr.Term]bool{},
		blocks: map[tableBlock]bool{}, clashed: map[ilr.Term]int{}, runs: map[ilr.Term]*run{}}
}

// value returns an array variable's value in the last model.
func (a *arrays) value(t ilr.Term) *ilr.ArrayValue {
	v := &ilr.ArrayValue{Elems: map[bits.Vec]bits.Vec{}, Default: bits.New(a.s.Width(t), 0)}
	for i, c := range a.cells[t] {
		v.Elems[i] = c.value
	}
	return v
}

// refine checks the SAT model for the terms below roots and asserts the lemmas that it violates. It returns how many;
// 0 means that it is a model of the arrays too.
func (a *arrays) refine(roots []ilr.Term, round int, val lookup) int {
	a.cells = map[ilr.Term]map[bits.Vec]cell{}
	a.added, a.sels, a.seen = 0, nil, map[ilr.Term]bool{}
	for _, t := range roots {
		a.depend(t)
	}
	if len(a.sels) == 0 {
		return 0
	}
	a.e = newEvaluation(a, val)
	wrong := a.disagreeing()
	path := map[ilr.Term][]ilr.Term{}
	for _, t := range wrong {
		path[t] = a.route(t)
	}
	for _, c := range a.e.clashes {
		for _, t := range c {
			if path[t] == nil {
				path[t] = a.route(t)
				wrong = append(wrong, t)
			}
		}
	}
	for _, t := range wrong {
		for _, u := range path[t] {
			a.expand(u)
		}
	}
	for _, c := range a.e.clashes {
		u, v := last(path[c[0]]), last(path[c[1]])
		a.congruent(u, v)
		a.congruentWithAll(u)
		a.congruentWithAll(v)
	}
	if a.added > 0 && round >= policy.LazyRounds {
		a.expandMore(policy.TableBlock >> 3 << min(round-policy.LazyRounds, 20))
	}
	if a.added == 0 && len(wrong) > 0 {
		panic("solve: no lemma against the model of " + a.s.String(wrong[0]))
	}
	return a.added
}

// expandMore asserts equations of up to n selects below the relevant ones.
func (a *arrays) expandMore(n int) {
	queue := append([]ilr.Term(nil), a.sels...)
	for i := 0; i < len(queue) && n > 0; i++ {
		t := queue[i]
		arr := a.s.Arg(t, 0)
		if a.expanded[t] != 0 || a.s.Kind(arr) == ilr.KVar || a.s.Kind(arr) == ilr.KArrTable {
			continue
		}
		before := len(a.sels)
		if r := a.runOf(arr); r != nil {
			n -= a.expandBlocks(t, r, n)
			for _, l := range r.lemmas[t] {
				a.depend(l)
			}
		} else {
			a.expand(t)
			n--
			a.depend(a.expanded[t])
		}
		queue = append(queue, a.sels[before:]...)
	}
}

// disagreeing walks all relevant selects and lists those whose bits differ from
// their meaning. Reads of array variables go first: they define elements.
func (a *arrays) disagreeing() []ilr.Term {
	var wrong []ilr.Term
	check := func(t ilr.Term) {
		if a.expanded[t] == 0 && !a.agrees(t) {
			wrong = append(wrong, t)
		}
	}
	first := len(a.sels)
	for _, t := range a.sels[:first] {
		if a.s.Kind(a.s.Arg(t, 0)) == ilr.KVar {
			check(t)
		}
	}
	for i := 0; i < len(a.sels); i++ { // grows when a walk meets more selects
		if t := a.sels[i]; i >= first || a.s.Kind(a.s.Arg(t, 0)) != ilr.KVar {
			check(t)
		}
	}
	return wrong
}

func last(ts []ilr.Term) ilr.Term { return ts[len(ts)-1] }

// depend adds the selects below t, those in their equations included, to sels.
func (a *arrays) depend(t ilr.Term) {
	stack := []ilr.Term{t}
	for len(stack) > 0 {
		a.b.Tick()
		t := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if !a.b.Reads(t) || a.seen[t] {
			continue
		}
		a.seen[t] = true
		if a.s.Kind(t) == ilr.KSelect {
			a.sels = append(a.sels, t)
			if eq := a.expanded[t]; eq != 0 {
				stack = append(stack, eq)
			}
			if r := a.runs[a.s.Arg(t, 0)]; r != nil {
				stack = append(stack, r.lemmas[t]...)
			}
		}
		for i := 0; i < a.s.NumArgs(t); i++ {
			if u := a.s.Arg(t, i); a.s.Sort(u).Kind != ilr.SortArray {
				stack = append(stack, u)
			}
		}
	}
}

// agrees compares the bits of select t with its meaning under the model.
func (a *arrays) agrees(t ilr.Term) bool {
	want, known := a.e.read(t, true)
	return !known || want == a.e.value(t)
}

// route lists the selects whose equations lead from t to where its walk ends.
func (a *arrays) route(t ilr.Term) []ilr.Term {
	path := []ilr.Term{t}
	for {
		u := last(path)
		next := a.next(u)
		if next == 0 || a.s.Kind(next) != ilr.KSelect {
			return path
		}
		path = append(path, next)
	}
}

// next returns what select t equals under the model by the topmost update of its
// array, 0 at an array variable or table.
func (a *arrays) next(t ilr.Term) ilr.Term {
	arr, i := a.s.Arg(t, 0), a.s.Arg(t, 1)
	arg := func(n int) ilr.Term { return a.s.Arg(arr, n) }
	v := func(n int) bits.Vec { return a.e.value(arg(n)) }
	vi := a.e.value(i)
	if r := a.runOf(arr); r != nil {
		if e := r.at(vi); e != 0 {
			return e
		}
		return a.s.Select(r.base, i)
	}
	switch a.s.Kind(arr) {
	case ilr.KIte:
		if v(0).IsOne() {
			return a.s.Select(arg(1), i)
		}
		return a.s.Select(arg(2), i)
	case ilr.KStore:
		if v(1) == vi {
			return arg(2)
		}
		return a.s.Select(arg(0), i)
	case ilr.KArrSet:
		if bits.Ult(bits.Sub(vi, v(1)), v(2)) {
			return arg(3)
		}
		return a.s.Select(arg(0), i)
	case ilr.KArrCopy:
		if bits.Ult(bits.Sub(vi, v(1)), v(4)) {
			return a.s.Select(arg(2), a.s.Add(a.s.Sub(i, arg(1)), arg(3)))
		}
		return a.s.Select(arg(0), i)
	}
	return 0
}

// expand asserts the equation of select t, once; of a table or run, the block that
// the model looks at.
func (a *arrays) expand(t ilr.Term) {
	if a.expanded[t] != 0 {
		return
	}
	arr, i := a.s.Arg(t, 0), a.s.Arg(t, 1)
	if a.s.Kind(arr) == ilr.KArrTable {
		a.expandTable(t, arr, i)
		return
	}
	if r := a.runOf(arr); r != nil {
		a.expandRun(t, r, a.e.value(i).Low64())
		return
	}
	def := a.equation(arr, i)
	if def == 0 {
		return
	}
	eq := a.s.Eq(t, def)
	a.expanded[t] = eq
	a.lemma(eq)
}

func (a *arrays) equation(arr, i ilr.Term) ilr.Term {
	s := a.s
	arg := func(n int) ilr.Term { return s.Arg(arr, n) }
	switch s.Kind(arr) {
	case ilr.KIte:
		return s.Ite(arg(0), s.Select(arg(1), i), s.Select(arg(2), i))
	case ilr.KStore:
		return s.Ite(s.Eq(i, arg(1)), arg(2), s.Select(arg(0), i))
	case ilr.KArrSet:
		return s.Ite(s.Ult(s.Sub(i, arg(1)), arg(2)), arg(3), s.Select(arg(0), i))
	case ilr.KArrCopy:
		d := s.Sub(i, arg(1))
		return s.Ite(s.Ult(d, arg(4)), s.Select(arg(2), s.Add(d, arg(3))), s.Select(arg(0), i))
	case ilr.KVar:
		return 0
	}
	panic(fmt.Sprintf("solve: no equation for a read of %s", s.Kind(arr)))
}

func (a *arrays) expandTable(t, arr, i ilr.Term) {
	block := uint64(len(a.s.TableData(arr))+policy.TableBlock-1) / policy.TableBlock // what lies beyond is one block
	if u, ok := a.e.value(i).Uint64(); ok {
		block = min(block, u/policy.TableBlock)
	}
	key := tableBlock{t, block}
	if a.blocks[key] {
		return
	}
	a.blocks[key] = true
	a.added++
	a.b.AssertTable(t, a.s.TableData(arr), block*policy.TableBlock, policy.TableBlock)
}

func (a *arrays) lemma(t ilr.Term) {
	a.added++
	a.b.Assert(t)
}

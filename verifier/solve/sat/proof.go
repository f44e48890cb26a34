package sat

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
)

// Proved holds what CheckProof found in a proof.
type Proved struct {
	Inputs, Lemmas int
	Refuted        int // questions without a model
}

// CheckProof reads what Options.Proof wrote and checks it by unit propagation alone. The
// file holds, in the order of events, a line each, ended by 0:
//
//	i 1 -2 0   the solver was given this clause
//	3 0        it derived this one: assuming its negation, propagation ends in a conflict
//	d 3 0      it deleted this one: a later line may not need it
//	u -4 -5 0  it answered that 4 and 5 cannot both be assumed: derived likewise
//
// Each is held to what stands above it (DRUP: Goldberg and Novikov 2003; the interleaving
// is IDRUP's: Fazekas, Pollitt, Fleury, Biere 2024).
func CheckProof(ctx context.Context, r io.Reader) (Proved, error) {
	return NewChecker().Read(ctx, r, true)
}

// Read follows a proof in the form of CheckProof from the clauses given so far. Where the
// proof may not give clauses itself, a line that does is an error.
func (c *Checker) Read(ctx context.Context, r io.Reader, mayGive bool) (p Proved, err error) {
	in := bufio.NewScanner(r)
	in.Buffer(make([]byte, 1<<16), 1<<30)
	for n := 1; in.Scan(); n++ {
		line := in.Bytes()
		if len(line) == 0 {
			continue
		}
		if n%256 == 0 && ctx.Err() != nil {
			return p, ctx.Err()
		}
		kind := line[0]
		clause, err := literals(bytes.TrimLeft(line, "iud"))
		if err != nil {
			return p, fmt.Errorf("line %d: %w", n, err)
		}
		if i := slices.IndexFunc(clause, c.unknown); i >= 0 && !mayGive {
			return p, fmt.Errorf("line %d: no clause has the variable of %d", n, clause[i])
		}
		switch kind {
		case 'd':
			c.Delete(clause)
			continue
		case 'i':
			p.Inputs++
			if !mayGive {
				return p, fmt.Errorf("line %d: %s is given, not derived", n, line)
			}
			c.Give(clause)
			continue
		case 'u':
			p.Refuted++
		default:
			p.Lemmas++
		}
		if !c.Derive(clause) {
			return p, fmt.Errorf("line %d: %s does not follow by propagation", n, line)
		}
	}
	return p, in.Err()
}

func literals(line []byte) (out []Lit, err error) {
	for _, f := range bytes.Fields(line) {
		l, err := strconv.ParseInt(string(f), 10, 32)
		if err != nil || l == math.MinInt32 {
			return nil, fmt.Errorf("%q is no literal", f)
		}
		if l == 0 {
			return out, nil
		}
		out = append(out, Lit(l))
	}
	return nil, fmt.Errorf("%q does not end with 0", line)
}

// Checker holds clauses and what follows from them by propagation.
type Checker struct {
	values  []int8           // by literal index: 1 true, -1 false
	watches [][]int          // by literal index: clauses that watch it
	clauses [][]Lit          // the first two literals are watched; nil: deleted
	found   map[uint64][]int // clauses by the hash of their literals
	trail   []Lit
	head    int
	failed  bool // the clauses have a conflict
}

// NewChecker returns a checker without clauses.
func NewChecker() *Checker {
	return &Checker{values: make([]int8, 2), watches: make([][]int, 2), found: map[uint64][]int{}}
}

// Give adds a clause, which it keeps.
func (c *Checker) Give(clause []Lit) {
	c.reserve(clause)
	c.add(clause)
}

// Derive adds a clause, which it keeps, if the negation of the clause leads to a conflict by propagation; else it
// returns false.
func (c *Checker) Derive(clause []Lit) bool {
	c.reserve(clause)
	if !c.implied(clause) {
		return false
	}
	c.add(clause)
	return true
}

// Refuted reports whether l is false in every model, by propagation alone.
func (c *Checker) Refuted(l Lit) bool {
	c.reserve([]Lit{l})
	return c.implied([]Lit{-l})
}

// Delete takes a clause out that was given or derived; what it forced stays.
func (c *Checker) Delete(clause []Lit) {
	key := keyOf(clause)
	list := c.found[key]
	for n, i := range list {
		if sameLits(c.clauses[i], clause) {
			c.clauses[i] = nil
			c.found[key] = append(list[:n], list[n+1:]...)
			return
		}
	}
}

// keyOf is a hash that does not depend on the order of the literals.
func keyOf(clause []Lit) (sum uint64) {
	for _, l := range clause {
		h := uint64(uint32(l)) * 0x9e3779b97f4a7c15
		sum += h ^ h>>29
	}
	return sum
}

func sameLits(a, b []Lit) bool {
	return len(a) == len(b) && !slices.ContainsFunc(a, func(l Lit) bool { return !slices.Contains(b, l) })
}

func at(l Lit) int {
	if l < 0 {
		return int(-2*l + 1)
	}
	return int(2 * l)
}

// unknown reports that no clause so far has the variable of l.
func (c *Checker) unknown(l Lit) bool { return len(c.values) <= at(max(l, -l))+1 }

func (c *Checker) reserve(clause []Lit) {
	for _, l := range clause {
		for c.unknown(l) {
			c.values, c.watches = append(c.values, 0), append(c.watches, nil)
		}
	}
}

func (c *Checker) assign(l Lit) {
	c.values[at(l)], c.values[at(-l)] = 1, -1
	c.trail = append(c.trail, l)
}

// add puts the clause in, and what follows from it at once.
func (c *Checker) add(clause []Lit) {
	open := 0 // literals not false, moved to the front
	for i, l := range clause {
		if c.values[at(l)] >= 0 {
			clause[open], clause[i] = clause[i], clause[open]
			open++
		}
	}
	switch {
	case open == 0:
		c.failed = true
		return
	case open == 1 && c.values[at(clause[0])] == 0:
		c.assign(clause[0])
		c.failed = c.failed || !c.propagate()
	}
	if len(clause) > 1 {
		for _, l := range clause[:2] {
			c.watches[at(l)] = append(c.watches[at(l)], len(c.clauses))
		}
		key := keyOf(clause)
		c.found[key] = append(c.found[key], len(c.clauses))
		c.clauses = append(c.clauses, clause)
	}
}

// implied reports whether the negation of the clause leads to a conflict by propagation.
func (c *Checker) implied(clause []Lit) bool {
	if c.failed {
		return true
	}
	keep := len(c.trail)
	conflict := false
	for _, l := range clause {
		switch c.values[at(l)] {
		case 1:
			conflict = true
		case 0:
			c.assign(-l)
		}
	}
	conflict = conflict || !c.propagate()
	for _, l := range c.trail[keep:] {
		c.values[at(l)], c.values[at(-l)] = 0, 0
	}
	c.trail, c.head = c.trail[:keep], keep
	return conflict
}

// propagate assigns what unit clauses force; false at a conflict.
func (c *Checker) propagate() bool {
	for ; c.head < len(c.trail); c.head++ {
		lost := -c.trail[c.head]
		watching := c.watches[at(lost)]
		kept := watching[:0]
		for n, i := range watching {
			moved, ok := c.visit(i, lost)
			if !moved {
				kept = append(kept, i)
			}
			if !ok {
				c.watches[at(lost)] = append(kept, watching[n+1:]...)
				return false
			}
		}
		c.watches[at(lost)] = kept
	}
	return true
}

// visit looks at clause i, whose watched literal lost became false: moved says that it
// watches another now, ok is false if all its literals are false.
func (c *Checker) visit(i int, lost Lit) (moved, ok bool) {
	clause := c.clauses[i]
	if clause == nil {
		return true, true
	}
	if clause[0] == lost {
		clause[0], clause[1] = clause[1], clause[0]
	}
	if c.values[at(clause[0])] == 1 {
		return false, true
	}
	for k := 2; k < len(clause); k++ {
		if c.values[at(clause[k])] >= 0 {
			clause[1], clause[k] = clause[k], clause[1]
			c.watches[at(clause[1])] = append(c.watches[at(clause[1])], i)
			return true, true
		}
	}
	if c.values[at(clause[0])] < 0 {
		return false, false
	}
	c.assign(clause[0])
	return false, true
}

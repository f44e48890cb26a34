package sat

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"strconv"
)

// Proved is what CheckProof found in a proof.
type Proved struct {
	Inputs, Lemmas int
	Refuted        int // questions without a model
}

// CheckProof reads what Options.Proof wrote and checks it by unit propagation alone. The
// file holds, in the order of events, a line each, ended by 0:
//
//	i 1 -2 0   the solver was given this clause
//	3 0        it derived this one: assuming its negation, propagation ends in a conflict
//	d 3 0      it deleted this one: of no matter here
//	u -4 -5 0  it answered that 4 and 5 cannot both be assumed: derived likewise
//
// Each is held to what stands above it (DRUP: Goldberg and Novikov 2003; the interleaving
// is IDRUP's: Fazekas, Pollitt, Fleury, Biere 2024).
func CheckProof(ctx context.Context, r io.Reader) (p Proved, err error) {
	c := &checker{values: make([]int8, 2), watches: make([][]int, 2)}
	in := bufio.NewScanner(r)
	in.Buffer(make([]byte, 1<<16), 1<<30)
	for n := 1; in.Scan(); n++ {
		line := in.Bytes()
		if len(line) == 0 || line[0] == 'd' {
			continue
		}
		if n%256 == 0 && ctx.Err() != nil {
			return p, ctx.Err()
		}
		kind := line[0]
		clause, err := literals(bytes.TrimLeft(line, "iu"))
		if err != nil {
			return p, fmt.Errorf("line %d: %w", n, err)
		}
		switch kind {
		case 'i':
			p.Inputs++
		case 'u':
			p.Refuted++
		default:
			p.Lemmas++
		}
		c.reserve(clause)
		if kind != 'i' && !c.implied(clause) {
			return p, fmt.Errorf("line %d: %s does not follow by propagation", n, line)
		}
		c.add(clause)
	}
	return p, in.Err()
}

func literals(line []byte) (out []int, err error) {
	for _, f := range bytes.Fields(line) {
		l, err := strconv.Atoi(string(f))
		if err != nil {
			return nil, err
		}
		if l == 0 {
			return out, nil
		}
		out = append(out, l)
	}
	return nil, fmt.Errorf("%q does not end with 0", line)
}

// checker holds clauses and what follows from them by propagation.
type checker struct {
	values  []int8  // by literal index: 1 true, -1 false
	watches [][]int // by literal index: clauses that watch it
	clauses [][]int // the first two literals are watched
	trail   []int
	head    int
	failed  bool // the clauses have a conflict
}

func at(l int) int {
	if l < 0 {
		return -2*l + 1
	}
	return 2 * l
}

func (c *checker) reserve(clause []int) {
	for _, l := range clause {
		for len(c.values) <= at(max(l, -l))+1 {
			c.values, c.watches = append(c.values, 0), append(c.watches, nil)
		}
	}
}

func (c *checker) assign(l int) {
	c.values[at(l)], c.values[at(-l)] = 1, -1
	c.trail = append(c.trail, l)
}

// add puts the clause in, and what follows from it at once.
func (c *checker) add(clause []int) {
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
		c.clauses = append(c.clauses, clause)
	}
}

// implied reports whether the negation of the clause leads to a conflict by propagation.
func (c *checker) implied(clause []int) bool {
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
func (c *checker) propagate() bool {
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
func (c *checker) visit(i, lost int) (moved, ok bool) {
	clause := c.clauses[i]
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

// Package moved names a verification by all that its answer depends on, and moves an answer to where the code has gone.
package moved

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/firmproof/firmproof/verifier/claims"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/problem"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// Key names a verification by all that its answer depends on, the time and the
// memory given excepted: the slice of the program that the entry reaches, the
// target, the options, and the engine that answers.
//
//	equal Exact  the stored result is the answer as it is
//	equal Shape  the same, but functions may have moved as a whole: Relocate it.
//	             Texts of violations name lines, so replay those instead.
type Key struct {
	Exact  string
	Shape  string
	Places Places
}

// Places says where the functions of a slice are defined, by file and C name.
type Places map[string]int

func placeOf(p verdict.Pos) string { return p.File + ":" + p.Function }

// KeyOf digests what Run would verify. engine names the build of firmproof, so that
// no answer outlives the engine that gave it. An error means there is no such entry.
func KeyOf(m *ir.Module, plan problem.Plan, engine string) (Key, error) {
	entry := m.Func(plan.Entry)
	if entry == nil {
		return Key{}, fmt.Errorf("there is no function %q", plan.Entry)
	}
	plan.Tried, plan.Wide, plan.Samples = nil, nil, nil // where searches begin, and executions alone, are no part of it
	options, err := json.Marshal(plan)                  // maps are sorted
	if err != nil {
		return Key{}, fmt.Errorf("plan: %w", err)
	}
	sum := func(s ir.Slice) string {
		h := sha256.New()
		fmt.Fprintf(h, "firmproof 1\n%d %s\n%d %s\n%x", len(engine), engine, len(options), options, s.Sum)
		return hex.EncodeToString(h.Sum(nil))
	}
	exact := m.Slice(entry, true)
	k := Key{Exact: sum(exact), Places: Places{}}
	k.Shape = k.Exact
	if !namesLines(plan.UnwindSet) {
		k.Shape = sum(m.Slice(entry, false))
	}
	for _, f := range exact.Funcs {
		line, twice := k.Places[placeOf(f.Pos)]
		if twice && line != f.Pos.Line || f.Pos.Line == 0 && hasLines(f) {
			// overloaded functions, and those of C++ that have no place: which of them moved is not known
			k.Shape = k.Exact
		}
		if f.Pos.Line > 0 {
			k.Places[placeOf(f.Pos)] = f.Pos.Line
		}
	}
	return k, nil
}

// hasLines reports whether an instruction of f has a line.
func hasLines(f *ir.Func) bool {
	return slices.ContainsFunc(f.Blocks, func(b *ir.Block) bool {
		return slices.ContainsFunc(b.Instrs, func(in *ir.Instr) bool { return in.Pos != nil && in.Pos.Line > 0 })
	})
}

// namesLines reports whether a loop is named by file and line.
func namesLines(set map[string]int) bool {
	for n := range set {
		if strings.Contains(n, ":") {
			return true
		}
	}
	return false
}

// Relocate moves the positions of a result by as much as their functions moved
// between two keys of equal Shape, and puts the claims into the order of their places.
func Relocate(res *verdict.Result, from, to Places) {
	relocateLines(res.Coverage, from, to)
	res.EachPos(func(p *verdict.Pos) {
		if p.Line > 0 {
			p.Line += from.moved(*p, to)
		}
	})
	if res.Coverage != nil {
		res.Coverage.Sort()
	}
	for i := range res.Claims {
		relocateDiagrams(res.Claims[i].Certificate, from, to)
	}
	claims.SortClaims(res.Claims, nil) // functions may have changed places
}

// moved returns by how many lines the function that p is in has moved.
func (from Places) moved(p verdict.Pos, to Places) int {
	old, was := from[placeOf(p)]
	line, is := to[placeOf(p)]
	if !was || !is {
		return 0
	}
	return line - old
}

// relocateLines moves the lines of the functions of a coverage, before the functions themselves are moved.
func relocateLines(c *verdict.Coverage, from, to Places) {
	if c == nil {
		return
	}
	for i := range c.Functions {
		f := &c.Functions[i]
		for j := range f.Lines {
			f.Lines[j].Line += from.moved(f.Pos, to)
		}
	}
}

// Package ilr is the logic language between programs and solvers: a hash-consed
// DAG of terms over Bool, bit-vectors and byte-like arrays (Merz ch. 3; LL-65).
// There is no control flow and no state: two syntactically equal terms are one
// Term, so equality of Terms is identity (LL-82). All operations are total with
// SMT-LIB's meaning; undefined behaviour is stated by separate predicates.
//
// The table of kinds is in kind.go. Worked example, "x+1 overflows":
//
//	s := ilr.NewStore(nil)
//	x := s.Var("x", ilr.BV(32))
//	o := s.SaddO(x, s.Int(32, 1))
//	s.String(o)              // (saddo x 1:32)
//	s.Eval(o, ilr.Model{BV: map[ilr.Term]bits.Vec{x: bits.MaxSigned(32)}}).IsOne() // true
//
// Constructors put constants right, order commutative arguments, fold constants
// and apply local identities; everything else is the Simplifier's, which the
// rewrite package provides and NewStore takes.
package ilr

import (
	"fmt"

	"github.com/firmproof/firmproof/verifier/bits"
)

// Term names a node of a Store; 0 is no term. Terms are numbered in creation
// order, arguments before users.
type Term uint32

// SortKind classifies a Sort.
type SortKind uint8

// The kinds of Sort.
const (
	SortInvalid SortKind = iota
	SortBool
	SortBV
	SortArray
)

// Sort of a term. Bool; BV with W bits; Array from Idx bits to W bits.
type Sort struct {
	Kind SortKind
	W    int
	Idx  int
}

// Bool is the sort of truth values.
var Bool = Sort{Kind: SortBool}

// BV returns the sort of bit-vectors of w bits.
func BV(w int) Sort { return Sort{Kind: SortBV, W: w} }

// Array returns the sort of arrays from idx-bit indices to w-bit elements.
func Array(idx, w int) Sort { return Sort{Kind: SortArray, W: w, Idx: idx} }

func (s Sort) String() string {
	switch s.Kind {
	case SortBool:
		return "Bool"
	case SortBV:
		return fmt.Sprintf("BV%d", s.W)
	case SortArray:
		return fmt.Sprintf("Array%d->%d", s.Idx, s.W)
	}
	return "invalid"
}

// node is one term: 40 bytes. Terms with more than three arguments keep them in
// Store.extra from index a on, n of them.
type node struct {
	kind    Kind
	sort    SortKind
	n       uint8
	idx     uint8 // array index width
	w       uint32
	a, b, c Term
	imm     uint64 // constant's low bits or side-table index, variable index, extract bounds, rounding mode
}

// Simplifier may replace a term about to be made. It is called with the kind,
// sort, immediate and arguments after the constructor's own normalisation and
// answers a term of the same sort, or 0 to let it be made.
type Simplifier interface {
	Simplify(s *Store, k Kind, sort Sort, imm uint64, args []Term) Term
}

// Store owns terms. It is not safe for concurrent use.
type Store struct {
	nodes  []node
	extra  []Term
	table  []Term // open addressing, power of two
	count  int
	wide   []bits.Vec
	wideIx map[bits.Vec]uint64
	names  []string // of variables
	fresh  int
	data   [][]byte // of ArrTable
	simp   Simplifier
	lately lately
	tt, ff Term
}

// NewStore makes an empty store; simp may be nil.
func NewStore(simp Simplifier) *Store {
	s := &Store{nodes: make([]node, 1, 1024), table: make([]Term, 2048), wideIx: map[bits.Vec]uint64{}, simp: simp}
	s.ff = s.intern(KFalse, Bool, 0, nil)
	s.tt = s.intern(KTrue, Bool, 0, nil)
	return s
}

// Len returns the number of terms made; terms are 1..Len.
func (s *Store) Len() int { return len(s.nodes) - 1 }

// Kind returns the kind of t.
func (s *Store) Kind(t Term) Kind { return s.nodes[t].kind }

// Sort returns the sort of t.
func (s *Store) Sort(t Term) Sort {
	n := &s.nodes[t]
	return Sort{Kind: n.sort, W: int(n.w), Idx: int(n.idx)}
}

// Width returns the width of a bit-vector term, or of an array's elements.
func (s *Store) Width(t Term) int { return int(s.nodes[t].w) }

// Imm returns the immediate of t: see the kind table.
func (s *Store) Imm(t Term) uint64 { return s.nodes[t].imm }

// NumArgs returns the number of arguments of t.
func (s *Store) NumArgs(t Term) int { return int(s.nodes[t].n) }

// Arg returns argument i of t.
func (s *Store) Arg(t Term, i int) Term {
	n := &s.nodes[t]
	if n.n > 3 {
		return s.extra[int(n.a)+i]
	}
	switch i {
	case 0:
		return n.a
	case 1:
		return n.b
	}
	return n.c
}

// Args appends the arguments of t to dst.
func (s *Store) Args(dst []Term, t Term) []Term {
	for i := 0; i < s.NumArgs(t); i++ {
		dst = append(dst, s.Arg(t, i))
	}
	return dst
}

// VarName returns the name that Var was given.
func (s *Store) VarName(t Term) string { return s.names[s.nodes[t].imm] }

// TableData returns the literal of an ArrTable term; do not change it.
func (s *Store) TableData(t Term) []byte { return s.data[s.nodes[t].imm] }

// ConstVal returns the value of a constant bit-vector term.
func (s *Store) ConstVal(t Term) (bits.Vec, bool) {
	n := &s.nodes[t]
	if n.kind != KConst {
		return bits.Vec{}, false
	}
	return s.constOf(n), true
}

func (s *Store) constOf(n *node) bits.Vec {
	if n.w > 64 {
		return s.wide[n.imm]
	}
	return bits.New(int(n.w), n.imm)
}

// IsTrue reports whether t is the constant true.
func (s *Store) IsTrue(t Term) bool { return t == s.tt }

// IsFalse reports whether t is the constant false.
func (s *Store) IsFalse(t Term) bool { return t == s.ff }

// mk normalises through the simplifier and interns.
func (s *Store) mk(k Kind, sort Sort, imm uint64, args ...Term) Term {
	h := hash(k, sort, imm, args)
	if s.simp != nil {
		if t := s.simplified(h, k, sort, imm, args); t != 0 {
			return t
		}
	}
	return s.internAs(h, k, sort, imm, args)
}

// Rebuild makes the term of t's kind with other arguments, through the
// normalising constructor.
func (s *Store) Rebuild(t Term, args []Term) Term {
	return s.Make(s.Kind(t), s.Sort(t), s.Imm(t), args)
}

func (s *Store) intern(k Kind, sort Sort, imm uint64, args []Term) Term {
	return s.internAs(hash(k, sort, imm, args), k, sort, imm, args)
}

// internAs is intern where the hash is known.
func (s *Store) internAs(h uint64, k Kind, sort Sort, imm uint64, args []Term) Term {
	for i := h & uint64(len(s.table)-1); ; i = (i + 1) & uint64(len(s.table)-1) {
		t := s.table[i]
		if t == 0 {
			t = s.push(k, sort, imm, args)
			s.table[i] = t
			if s.count++; s.count*2 > len(s.table) {
				s.grow()
			}
			return t
		}
		if s.matches(t, k, sort, imm, args) {
			return t
		}
	}
}

func (s *Store) push(k Kind, sort Sort, imm uint64, args []Term) Term {
	if len(args) > 3 {
		s.nodes = append(s.nodes, node{kind: k, sort: sort.Kind, n: uint8(len(args)), idx: uint8(sort.Idx), w: uint32(sort.W), imm: imm,
			a: Term(len(s.extra))})
		s.extra = append(s.extra, args...)
	} else {
		s.nodes = append(s.nodes, nodeOf(k, sort, imm, args))
	}
	return Term(len(s.nodes) - 1)
}

func (s *Store) matches(t Term, k Kind, sort Sort, imm uint64, args []Term) bool {
	n := &s.nodes[t]
	if n.kind != k || n.imm != imm || n.w != uint32(sort.W) || n.sort != sort.Kind || int(n.n) != len(args) ||
		n.idx != uint8(sort.Idx) {
		return false
	}
	for i, a := range args {
		if s.Arg(t, i) != a {
			return false
		}
	}
	return true
}

func (s *Store) grow() {
	old := s.table
	s.table = make([]Term, 2*len(old))
	var args []Term
	for _, t := range old {
		if t == 0 {
			continue
		}
		args = s.Args(args[:0], t)
		i := hash(s.Kind(t), s.Sort(t), s.Imm(t), args) & uint64(len(s.table)-1)
		for s.table[i] != 0 {
			i = (i + 1) & uint64(len(s.table)-1)
		}
		s.table[i] = t
	}
}

func hash(k Kind, sort Sort, imm uint64, args []Term) uint64 {
	const m = 0x9e3779b97f4a7c15
	h := uint64(k)<<32 ^ uint64(sort.W)<<8 ^ uint64(sort.Idx)<<2 ^ uint64(sort.Kind)
	h = (h ^ imm) * m
	for _, a := range args {
		h = (h ^ h>>29 ^ uint64(a)) * m
	}
	return h ^ h>>32
}

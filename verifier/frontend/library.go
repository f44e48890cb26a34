package frontend

import (
	"github.com/firmproof/firmproof/verifier/bits"
	"github.com/firmproof/firmproof/verifier/ir"
)

// Data of the C library that its headers reach into, given to programs that
// refer to it without defining it:
//
//	__errno_location, __errno                 the address of one int, 0 at first (glibc, newlib)
//	__ctype_b_loc, __ctype_to{lower,upper}_loc  tables of the "C" locale, indices -128..255 (glibc)
//	_ctype_                                   the same as one byte per character, indices -1..255 (newlib)
const libraryPrefix = ir.LibraryPrefix

func (t *translator) library() {
	for _, f := range t.m.Funcs {
		if !f.IsDecl() || len(f.Params) > 0 || !f.Ret.IsPtr() {
			continue
		}
		switch f.Name {
		case "__errno_location", "__errno":
			width := 32
			if t.ptr.Width == 16 {
				width = 16
			}
			t.returns(f, t.libraryGlobal("errno", t.zero(t.intType(width)), false), 0)
		case "__ctype_b_loc":
			t.returnsTable(f, 16, func(c int64) uint64 { return glibcClass(c, t.m.Layout.BigEndian) })
		case "__ctype_tolower_loc":
			t.returnsTable(f, 32, lower)
		case "__ctype_toupper_loc":
			t.returnsTable(f, 32, upper)
		}
	}
	for _, g := range t.m.Globals {
		if g.Name == "_ctype_" && g.Extern && g.T.Kind == ir.KindArray && g.T.Elem.Equal(t.intType(8)) {
			init := t.table(8, -1, newlibClass)
			g.T, g.Init, g.Extern, g.Const = init.T, init, false, true
		}
	}
}

// returns gives f the body `return &g + off`.
func (t *translator) returns(f *ir.Func, g *ir.Global, off int64) {
	pos := f.Pos
	b := &ir.Block{Func: f, Name: "entry"}
	addr := &ir.Const{T: t.ptr, Kind: ir.ConstAddr, Global: g, Off: off}
	b.Instrs = []*ir.Instr{{Op: ir.OpRet, T: t.void, Args: []ir.Value{addr}, Block: b, Pos: &pos}}
	f.Blocks, f.NumInstr, f.Weak = []*ir.Block{b}, 1, false
	f.Replaceable = false
}

// returnsTable gives f the body of glibc's accessors: the address of a pointer to entry 0 of a table.
func (t *translator) returnsTable(f *ir.Func, width int, entry func(int64) uint64) {
	table := t.libraryGlobal(f.Name+".table", t.table(width, -128, entry), true)
	zero := &ir.Const{T: t.ptr, Kind: ir.ConstAddr, Global: table, Off: 128 * int64(width/8)}
	t.returns(f, t.libraryGlobal(f.Name+".pointer", zero, true), 0)
}

func (t *translator) libraryGlobal(name string, init *ir.Const, constant bool) *ir.Global {
	for _, g := range t.m.Globals {
		if g.Name == libraryPrefix+name {
			return g
		}
	}
	g := &ir.Global{Name: libraryPrefix + name, T: init.T, Init: init, Const: constant,
		Align: int(t.m.Layout.AlignOf(init.T))}
	t.m.Globals = append(t.m.Globals, g)
	return g
}

// table holds entry(c) for c from first to 255.
func (t *translator) table(width int, first int64, entry func(int64) uint64) *ir.Const {
	elem := t.intType(width)
	out := &ir.Const{Kind: ir.ConstAgg, T: &ir.Type{Kind: ir.KindArray, Elem: elem, Len: 256 - first}}
	for c := first; c < 256; c++ {
		out.Elems = append(out.Elems, &ir.Const{T: elem, Kind: ir.ConstInt, Bits: bits.New(width, entry(c))})
	}
	return out
}

// char answers questions of the "C" locale (C11 7.4).
type char int64

func (c char) in(lo, hi char) bool { return c >= lo && c <= hi }
func (c char) upper() bool         { return c.in('A', 'Z') }
func (c char) lower() bool         { return c.in('a', 'z') }
func (c char) digit() bool         { return c.in('0', '9') }
func (c char) hexLetter() bool     { return c.in('a', 'f') || c.in('A', 'F') }
func (c char) space() bool         { return c == ' ' || c.in(9, 13) }
func (c char) control() bool       { return c.in(0, 31) || c == 127 }
func (c char) graph() bool         { return c.in(33, 126) }
func (c char) alnum() bool         { return c.upper() || c.lower() || c.digit() }
func (c char) punct() bool         { return c.graph() && !c.alnum() }

func lower(c int64) uint64 {
	if char(c).upper() {
		c += 'a' - 'A'
	}
	return uint64(c)
}

func upper(c int64) uint64 {
	if char(c).lower() {
		c -= 'a' - 'A'
	}
	return uint64(c)
}

// glibcClass packs the answers as <ctype.h> of glibc reads them: bit n of its
// list, as the n-th bit of a big-endian 16-bit word.
func glibcClass(n int64, bigEndian bool) uint64 {
	c := char(n)
	word := uint64(0)
	for i, is := range []bool{c.upper(), c.lower(), c.upper() || c.lower(), c.digit(), c.digit() || c.hexLetter(),
		c.space(), c.graph() || c == ' ', c.graph(),
		c == ' ' || c == '\t', c.control(), c.punct(), c.alnum()} {
		switch {
		case !is:
		case bigEndian:
			word |= 1 << i
		case i < 8:
			word |= 1 << (i + 8)
		default:
			word |= 1 << (i - 8)
		}
	}
	return word
}

// newlibClass packs them as <ctype.h> of newlib does.
func newlibClass(n int64) uint64 {
	c := char(n)
	word := uint64(0)
	for i, is := range []bool{c.upper(), c.lower(), c.digit(), c.space(), c.punct(), c.control(), c.hexLetter(),
		c == ' '} {
		if is {
			word |= 1 << i
		}
	}
	return word
}

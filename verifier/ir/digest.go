package ir

import (
	"bufio"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"hash"
	"reflect"
	"slices"
	"strings"

	"github.com/firmproof/firmproof/verifier/bits"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// Slice holds what an execution from one entry can touch, and its digest.
type Slice struct {
	Funcs   []*Func // reached, in order of first mention
	Globals []*Global
	Sum     [sha256.Size]byte
}

// Slice walks what an execution from entry reaches: what runs before and after it
// (Ctors, Finish), operands, initialisers, and for an indirect call every function
// whose address is taken. Two slices with one digest are the same program: the
// digest covers every field of every reached part and of the module itself (the walk
// is by reflection, so that a new field cannot be forgotten), except for notInDigest.
// With lines, positions count as they are; without, each line counts relative to the
// first of its function, and lines of globals do not count.
func (m *Module) Slice(entry *Func, lines bool) Slice {
	d := &digester{sum: sha256.New(), m: m, lines: lines, mentioned: map[*Func]bool{}, order: map[*Global]int{},
		numbers: map[any]int{}, types: map[*Type]string{}}
	d.w = bufio.NewWriterSize(d.sum, 1<<16)
	d.fn(entry)
	d.module()
	for nf, ng := 0, 0; nf < len(d.out.Funcs) || ng < len(d.out.Globals); {
		if nf < len(d.out.Funcs) {
			d.body(d.out.Funcs[nf])
			nf++
			continue
		}
		d.base, d.numbers = verdict.Pos{}, map[any]int{}
		g := *d.out.Globals[ng]
		g.Name = d.name(&g, ng)
		d.value(reflect.ValueOf(&g).Elem())
		ng++
	}
	_ = d.w.Flush()
	d.sum.Sum(d.out.Sum[:0])
	return d.out
}

// notInDigest are the fields of Module that the digest leaves out.
var notInDigest = map[string]string{
	"Name":    "the engines do not read it",
	"Globals": "those that are reached count",
	"Funcs":   "those that are reached count",
	"Aliases": "their uses are resolved",
}

type digester struct {
	m         *Module
	sum       hash.Hash
	w         *bufio.Writer
	lines     bool
	bare      bool  // no places at all, see Substance
	nameless  *Func // whose name does not count
	out       Slice
	mentioned map[*Func]bool
	order     map[*Global]int
	indirect  bool
	base      verdict.Pos      // definition of the function at hand
	numbers   map[any]int      // pointers met in the function or global at hand
	types     map[*Type]string // as text, types are trees
	buf       [binary.MaxVarintLen64]byte
}

func (d *digester) int(n int64) { _, _ = d.w.Write(binary.AppendVarint(d.buf[:0], n)) }

func (d *digester) text(s string) {
	d.int(int64(len(s)))
	_, _ = d.w.WriteString(s)
}

// module writes the module itself.
func (d *digester) module() {
	v := reflect.ValueOf(d.m).Elem()
	for i := range v.NumField() {
		if _, out := notInDigest[v.Type().Field(i).Name]; !out {
			d.value(v.Field(i))
		}
	}
}

// fn mentions a function by name and makes it a part of the slice.
func (d *digester) fn(f *Func) {
	if f != d.nameless {
		d.text(f.Name)
	}
	if !d.mentioned[f] {
		d.mentioned[f] = true
		d.out.Funcs = append(d.out.Funcs, f)
	}
}

func (d *digester) global(g *Global) {
	n, ok := d.order[g]
	if !ok {
		n = len(d.out.Globals)
		d.order[g] = n
		d.out.Globals = append(d.out.Globals, g)
	}
	d.text(d.name(g, n))
}

// name returns the name of the n-th global. A string literal's says only how many came before it in its unit, or that the
// text is that of a file's name, which clang notes beside what it checks (.src).
func (d *digester) name(g *Global, n int) string {
	if !d.lines && g.Const && (strings.HasPrefix(g.Name, ".str") || strings.HasPrefix(g.Name, ".src")) {
		return fmt.Sprintf(".str %d", n)
	}
	return g.Name
}

// body numbers what instructions refer to, then walks them in order.
func (d *digester) body(f *Func) {
	d.base, d.numbers = f.Pos, map[any]int{}
	for _, b := range f.Blocks {
		d.number(b)
		for _, in := range b.Instrs {
			d.number(in)
		}
	}
	d.value(reflect.ValueOf(f).Elem())
	for _, b := range f.Blocks {
		d.value(reflect.ValueOf(b).Elem())
		for _, in := range b.Instrs {
			d.instr(in)
			d.callees(in)
		}
	}
}

// instr writes an instruction. The line that a failed assertion is told, as an
// operand that the engines do not read, is a position like any other.
func (d *digester) instr(in *Instr) {
	if d.bare && len(in.Assumes) > 0 { // they digest texts, which may name lines
		bare := *in
		bare.Assumes, in = nil, &bare
	}
	if d.lines || in.Model != ModelAssertFail {
		d.value(reflect.ValueOf(in).Elem())
		return
	}
	c := *in
	c.Args = slices.Clone(in.Args)
	for i, a := range c.Args {
		if k, ok := a.(*Const); ok && k.Kind == ConstInt && k.T.Kind == KindInt {
			line := *k
			line.Bits = bits.Sub(k.Bits, bits.New(k.Bits.Width(), uint64(d.base.Line)))
			if d.bare {
				line.Bits = bits.New(k.Bits.Width(), 0)
			}
			c.Args[i] = &line
		}
	}
	d.value(reflect.ValueOf(&c).Elem())
}

// callees mentions what an indirect call may call: all functions whose address is taken. One that a harness makes is called
// only from where its address is mentioned: others are of other harnesses.
func (d *digester) callees(in *Instr) {
	if c, ok := in.Callee.(*Const); in.Op != OpCall || ok && c.Kind == ConstAddr && c.Func != nil && c.Off == 0 ||
		d.indirect {
		return
	}
	d.indirect = true
	for _, f := range d.m.Funcs {
		if f.Addr && !f.Driven() {
			d.fn(f)
		}
	}
}

// number names a pointer of the function at hand; first is false if it had a name.
func (d *digester) number(p any) (first bool) {
	n, ok := d.numbers[p]
	if !ok {
		n = len(d.numbers)
		d.numbers[p] = n
	}
	d.int(int64(n))
	return !ok
}

// value writes v so that different values are written differently.
func (d *digester) value(v reflect.Value) {
	switch v.Kind() {
	case reflect.Bool:
		d.int(map[bool]int64{true: 1}[v.Bool()])
	case reflect.String:
		d.text(v.String())
	case reflect.Slice, reflect.Array:
		d.list(v)
	case reflect.Map:
		d.table(v)
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[verdict.Pos]() {
			d.pos(v.Interface().(verdict.Pos))
			return
		}
		for i := range v.NumField() {
			d.value(v.Field(i))
		}
	case reflect.Interface, reflect.Pointer:
		if v.IsNil() {
			d.int(0)
			return
		}
		if v.Kind() == reflect.Interface {
			v = v.Elem()
		}
		d.pointer(v)
	default:
		if v.CanInt() {
			d.int(v.Int())
		} else {
			d.int(int64(v.Uint()))
		}
	}
}

func (d *digester) list(v reflect.Value) {
	d.int(int64(v.Len()))
	for i := range v.Len() {
		d.value(v.Index(i))
	}
}

func (d *digester) table(v reflect.Value) {
	keys := v.MapKeys()
	slices.SortFunc(keys, func(a, b reflect.Value) int { return int(a.Int() - b.Int()) })
	d.int(int64(len(keys)))
	for _, k := range keys {
		d.value(k)
		d.value(v.MapIndex(k))
	}
}

func (d *digester) pos(p verdict.Pos) {
	switch {
	case d.bare:
		return
	case d.lines || p.Line == 0:
	case d.base.Line == 0:
		p.Line = 1
	case p.File == d.base.File:
		p.Line -= d.base.Line - 1
	}
	d.text(p.File)
	d.int(int64(p.Line))
	d.int(int64(p.Column))
	d.text(p.Function)
}

func (d *digester) pointer(v reflect.Value) {
	switch p := v.Interface().(type) {
	case *Func:
		d.int(1)
		d.fn(p)
	case *Global:
		d.int(2)
		d.global(p)
	case *Type:
		s, ok := d.types[p]
		if !ok {
			s = d.typeText(p)
			d.types[p] = s
		}
		d.int(3)
		d.text(s)
	case *verdict.Pos:
		d.int(4)
		d.pos(*p)
	case *Const:
		d.int(5)
		d.value(v.Elem())
	case *Instr:
		d.int(6)
		d.number(p)
	case *Block:
		d.block(p)
	default: // parameters, variables, C types: may refer to each other
		d.int(8)
		d.text(v.Type().String())
		if d.number(p) {
			d.value(v.Elem())
		}
	}
}

// block writes a block, which may be one of another function (blockaddress).
func (d *digester) block(b *Block) {
	d.int(7)
	d.fn(b.Func)
	d.int(int64(b.Index))
}

// typeText names t in full, structs with their members.
func (d *digester) typeText(t *Type) string {
	if t == nil {
		return "-"
	}
	s := binary.AppendVarint([]byte{byte(t.Kind), map[bool]byte{true: 1}[t.Packed],
		map[bool]byte{true: 1}[t.Variadic]}, int64(t.Width))
	s = binary.AppendVarint(s, t.Len)
	name := t.Name
	if !d.lines { // the linker numbers types of one name
		name = strings.TrimRight(strings.TrimRight(name, "0123456789"), ".")
	}
	s = binary.AppendVarint(s, int64(len(name)))
	s = append(s, name...)
	s = append(s, d.typeText(t.Elem)...)
	s = append(s, d.typeText(t.Ret)...)
	s = binary.AppendVarint(s, int64(len(t.Fields)))
	for _, f := range t.Fields {
		s = append(s, d.typeText(f)...)
	}
	return string(s)
}

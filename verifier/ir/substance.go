package ir

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"reflect"
)

// Substance digests what funcs, in this order, are themselves: their code, with all types in full, and the variables
// that they mention, with their initial values and what these mention in turn. Functions that they call count by
// name, and places in the source not at all. Two programs in which a function has one substance differ, for a call of
// it, only in the functions that it calls.
func (m *Module) Substance(funcs ...*Func) string { return m.substance(nil, funcs) }

// Form is the substance of f without its own name: two functions that differ in that alone have one form.
func (m *Module) Form(f *Func) string {
	bare := *f
	bare.Name, bare.CName = "", ""
	return m.substance(f, []*Func{&bare})
}

func (m *Module) substance(nameless *Func, funcs []*Func) string {
	d := &digester{sum: sha256.New(), m: m, mentioned: map[*Func]bool{}, order: map[*Global]int{},
		numbers: map[any]int{}, types: map[*Type]string{}, bare: true, indirect: true,
		nameless: nameless}
	d.w = bufio.NewWriterSize(d.sum, 1<<12)
	for _, f := range funcs {
		d.body(f)
	}
	for n := 0; n < len(d.out.Globals); n++ {
		d.numbers = map[any]int{}
		g := *d.out.Globals[n]
		g.Name = d.name(&g, n)
		d.value(reflect.ValueOf(&g).Elem())
	}
	_ = d.w.Flush()
	return hex.EncodeToString(d.sum.Sum(nil)[:12])
}

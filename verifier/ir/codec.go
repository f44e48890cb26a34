package ir

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"

	"github.com/firmproof/firmproof/verifier/bits"
)

// The stored form of a module, for processes of one build of firmproof:
//
//	magic, digest of the Go types, then the objects that pointers lead to, in order of first mention
//
// A pointer is the number of its object (0: nil). The types decide how bytes are
// read, by reflection, so that a new field cannot be forgotten; the digest of the
// types keeps builds apart whose fields differ.

const codecMagic = "firmproof ir 1\n"

// valueTypes are the pointers that a Value can be, by tag.
var valueTypes = []reflect.Type{nil, reflect.TypeFor[*Instr](), reflect.TypeFor[*Param](), reflect.TypeFor[*Const]()}

var vecType = reflect.TypeFor[bits.Vec]()

// Encode writes m with everything that it leads to.
func (m *Module) Encode(w io.Writer) error {
	e := &moduleWriter{ids: map[any]int{}}
	e.buf = append(append(e.buf, codecMagic...), typesDigest()...)
	e.pointer(reflect.ValueOf(m))
	for i := 0; i < len(e.queue); i++ {
		e.value(e.queue[i].Elem())
	}
	_, err := w.Write(e.buf)
	return err
}

type moduleWriter struct {
	buf   []byte
	ids   map[any]int
	queue []reflect.Value
}

func (e *moduleWriter) int(n int64) { e.buf = binary.AppendVarint(e.buf, n) }

func (e *moduleWriter) text(s string) {
	e.int(int64(len(s)))
	e.buf = append(e.buf, s...)
}

func (e *moduleWriter) pointer(v reflect.Value) {
	if v.IsNil() {
		e.int(0)
		return
	}
	id, ok := e.ids[v.Interface()]
	if !ok {
		e.queue = append(e.queue, v)
		id = len(e.queue)
		e.ids[v.Interface()] = id
	}
	e.int(int64(id))
}

func (e *moduleWriter) value(v reflect.Value) {
	switch v.Kind() {
	case reflect.Bool:
		e.buf = append(e.buf, map[bool]byte{true: 1}[v.Bool()])
	case reflect.String:
		e.text(v.String())
	case reflect.Slice:
		e.slice(v)
	case reflect.Map:
		e.table(v)
	case reflect.Struct:
		if v.Type() == vecType {
			b, _ := v.Interface().(bits.Vec).MarshalBinary() // never fails
			e.text(string(b))
			return
		}
		for i := range v.NumField() {
			e.value(v.Field(i))
		}
	case reflect.Interface:
		if v.IsNil() {
			e.int(0)
			return
		}
		e.int(int64(slices.Index(valueTypes, v.Elem().Type())))
		e.pointer(v.Elem())
	case reflect.Pointer:
		e.pointer(v)
	default:
		if v.CanInt() {
			e.int(v.Int())
		} else {
			e.buf = binary.AppendUvarint(e.buf, v.Uint())
		}
	}
}

func (e *moduleWriter) slice(v reflect.Value) {
	if v.IsNil() {
		e.int(0)
		return
	}
	e.int(int64(v.Len()) + 1)
	if v.Type().Elem().Kind() == reflect.Uint8 {
		e.buf = append(e.buf, v.Bytes()...)
		return
	}
	for i := range v.Len() {
		e.value(v.Index(i))
	}
}

func (e *moduleWriter) table(v reflect.Value) {
	if v.IsNil() {
		e.int(0)
		return
	}
	keys := v.MapKeys()
	slices.SortFunc(keys, func(a, b reflect.Value) int { return int(a.Int() - b.Int()) })
	e.int(int64(len(keys)) + 1)
	for _, k := range keys {
		e.value(k)
		e.value(v.MapIndex(k))
	}
}

// Decode reads what Encode of the same build of firmproof wrote. The bytes may be
// anyone's: what is malformed is an error. That the module makes sense is not
// checked (see Check).
func Decode(data []byte) (m *Module, err error) {
	data, ok := bytes.CutPrefix(data, []byte(codecMagic))
	if !ok {
		return nil, errors.New("ir: not a stored module")
	}
	if data, ok = bytes.CutPrefix(data, typesDigest()); !ok {
		return nil, errors.New("ir: stored by another build of firmproof")
	}
	d := &moduleReader{in: data}
	defer func() {
		if p := recover(); p != nil {
			bad, ok := p.(malformed)
			if !ok {
				panic(p)
			}
			m, err = nil, fmt.Errorf("ir: stored module: %s", string(bad))
		}
	}()
	root := reflect.New(reflect.TypeFor[*Module]()).Elem()
	d.pointer(root)
	for i := 0; i < len(d.queue); i++ {
		d.value(d.queue[i].Elem())
	}
	if len(d.in) > 0 || root.IsNil() {
		d.fail("trailing bytes")
	}
	return root.Interface().(*Module), nil
}

// malformed unwinds a moduleReader.
type malformed string

type moduleReader struct {
	in    []byte
	queue []reflect.Value
}

func (d *moduleReader) fail(what string) { panic(malformed(what)) }

func (d *moduleReader) int() int64 {
	n, k := binary.Varint(d.in)
	if k <= 0 {
		d.fail("a number is cut")
	}
	d.in = d.in[k:]
	return n
}

// bytes takes the next n; each element of a list has one at least.
func (d *moduleReader) bytes(n int64) []byte {
	if n < 0 || n > int64(len(d.in)) {
		d.fail("a length is too large")
	}
	b := d.in[:n]
	d.in = d.in[n:]
	return b
}

// length reads a length that was stored plus one; -1 is nil.
func (d *moduleReader) length() int {
	n := d.int() - 1
	if n < -1 || n > int64(len(d.in)) {
		d.fail("a length is too large")
	}
	return int(n)
}

func (d *moduleReader) pointer(v reflect.Value) {
	id := d.int()
	switch {
	case id == 0:
	case id > 0 && id <= int64(len(d.queue)):
		p := d.queue[id-1]
		if p.Type() != v.Type() {
			d.fail("a reference to " + p.Type().String() + " where " + v.Type().String() + " is wanted")
		}
		v.Set(p)
	case id == int64(len(d.queue))+1:
		p := reflect.New(v.Type().Elem())
		d.queue = append(d.queue, p)
		v.Set(p)
	default:
		d.fail("a reference to nothing")
	}
}

func (d *moduleReader) value(v reflect.Value) {
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(d.bytes(1)[0] != 0)
	case reflect.String:
		v.SetString(string(d.bytes(d.int())))
	case reflect.Slice:
		d.slice(v)
	case reflect.Map:
		d.table(v)
	case reflect.Struct:
		if v.Type() == vecType {
			if v.Addr().Interface().(*bits.Vec).UnmarshalBinary(d.bytes(d.int())) != nil {
				d.fail("a constant")
			}
			return
		}
		for i := range v.NumField() {
			d.value(v.Field(i))
		}
	case reflect.Interface:
		tag := d.int()
		if tag < 0 || tag >= int64(len(valueTypes)) {
			d.fail("an operand")
		}
		if tag > 0 {
			p := reflect.New(valueTypes[tag]).Elem()
			d.pointer(p)
			v.Set(p)
		}
	case reflect.Pointer:
		d.pointer(v)
	default:
		d.number(v)
	}
}

func (d *moduleReader) number(v reflect.Value) {
	if v.CanInt() {
		n := d.int()
		if v.OverflowInt(n) {
			d.fail("a number is too large")
		}
		v.SetInt(n)
		return
	}
	n, k := binary.Uvarint(d.in)
	if k <= 0 || v.OverflowUint(n) {
		d.fail("a number is too large")
	}
	d.in = d.in[k:]
	v.SetUint(n)
}

func (d *moduleReader) slice(v reflect.Value) {
	n := d.length()
	if n < 0 {
		return
	}
	if v.Type().Elem().Kind() == reflect.Uint8 {
		v.SetBytes(slices.Clone(d.bytes(int64(n))))
		return
	}
	v.Set(reflect.MakeSlice(v.Type(), n, n))
	for i := range n {
		d.value(v.Index(i))
	}
}

func (d *moduleReader) table(v reflect.Value) {
	n := d.length()
	if n < 0 {
		return
	}
	v.Set(reflect.MakeMap(v.Type()))
	for range n {
		key, val := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		d.value(key)
		d.value(val)
		v.SetMapIndex(key, val)
	}
}

// typesDigest changes with every field of every type that a Module leads to.
func typesDigest() []byte {
	var b strings.Builder
	seen := map[reflect.Type]bool{}
	var walk func(t reflect.Type)
	walk = func(t reflect.Type) {
		fmt.Fprintf(&b, "%s %s;", t, t.Kind())
		if seen[t] || t == vecType {
			return
		}
		seen[t] = true
		switch t.Kind() {
		case reflect.Pointer, reflect.Slice:
			walk(t.Elem())
		case reflect.Map:
			walk(t.Key())
			walk(t.Elem())
		case reflect.Interface:
			for _, v := range valueTypes[1:] {
				walk(v)
			}
		case reflect.Struct:
			for i := range t.NumField() {
				b.WriteString(t.Field(i).Name + ":")
				walk(t.Field(i).Type)
			}
		}
	}
	walk(reflect.TypeFor[*Module]())
	sum := sha256.Sum256([]byte(b.String()))
	return sum[:]
}

package ir_test

import (
	"bytes"
	"reflect"
	"testing"

	"github.com/firmproof/firmproof/verifier/bits"
	"github.com/firmproof/firmproof/verifier/ir"
)

// TestEveryFieldIsKept holds Part, the codec and the digest to every field of a
// module and of all that it leads to, those included that are added one day: Part
// and the codec keep each, and another value of each makes another digest.
func TestEveryFieldIsKept(t *testing.T) {
	m := &ir.Module{}
	f := &filler{t: t, made: map[reflect.Type]reflect.Value{}}
	f.fill(reflect.ValueOf(m).Elem(), "Module")
	entry := m.Funcs[0]
	if part := m.Part(entry); !reflect.DeepEqual(part, m) {
		t.Errorf("Part of all that there is:\n%+v\nwant\n%+v", part, m)
	}
	stored := encoded(t, m)
	if got, err := ir.Decode(stored); err != nil || !reflect.DeepEqual(got, m) {
		t.Errorf("the stored form reads as\n%+v (%v)\nwant\n%+v", got, err, m)
	}
	sum := m.Slice(entry, true).Sum
	for _, p := range f.places {
		old := reflect.New(p.v.Type()).Elem()
		old.Set(p.v)
		change(t, p)
		if bytes.Equal(encoded(t, m), stored) {
			t.Errorf("%s: another value has the same stored form", p.name)
		}
		if got := m.Slice(entry, true).Sum; got == sum && !leftOut[p.name] {
			t.Errorf("%s: another value has the same digest", p.name)
		}
		p.v.Set(old)
	}
	if n := len(f.places); n < 100 || m.Slice(entry, true).Sum != sum {
		t.Fatalf("%d changes tried, or one not undone", n)
	}
}

// leftOut are the fields that do not count in a digest: of the lists, what is
// reached counts; no engine reads the module's name; uses of aliases are resolved.
var leftOut = map[string]bool{"Module.Name": true, "Module.Globals": true, "Module.Funcs": true,
	"Module.Aliases": true, "Alias.Name": true, "Alias.To": true}

func encoded(t *testing.T, m *ir.Module) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := m.Encode(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// filler gives every field a value that is not zero: one object for each type of
// pointer, lists and maps of one element.
type filler struct {
	t      *testing.T
	made   map[reflect.Type]reflect.Value
	places []place
}

// place is a field of a struct, by type and name.
type place struct {
	name string
	v    reflect.Value
}

func (f *filler) fill(v reflect.Value, name string) {
	if _, ok := v.Interface().(bits.Vec); ok {
		v.Set(reflect.ValueOf(bits.New(8, 5)))
		return
	}
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(true)
	case reflect.String:
		v.SetString("text")
	case reflect.Struct:
		for i := range v.NumField() {
			field := v.Type().Name() + "." + v.Type().Field(i).Name
			f.places = append(f.places, place{field, v.Field(i)})
			f.fill(v.Field(i), field)
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		f.fill(v.Index(0), name)
	case reflect.Map:
		k, e := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		f.fill(k, name)
		f.fill(e, name)
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(k, e)
	case reflect.Interface:
		c := reflect.New(reflect.TypeFor[*ir.Const]()).Elem()
		f.fill(c, name)
		v.Set(c)
	case reflect.Pointer:
		f.pointer(v, name)
	default:
		switch {
		case v.CanInt():
			v.SetInt(1)
		case v.CanUint():
			v.SetUint(1)
		default:
			f.t.Fatalf("%s: no value of %s is known", name, v.Type())
		}
	}
}

// pointer sets v to the object of its type. Types are trees: one within a type has
// no parts. The elements of a constant are trees, too.
func (f *filler) pointer(v reflect.Value, name string) {
	switch {
	case name == "Type.Elem" || name == "Type.Ret" || name == "Type.Fields":
		v.Set(reflect.ValueOf(ir.Int(8)))
		return
	case name == "Const.Elems":
		v.Set(reflect.ValueOf(&ir.Const{T: ir.Int(8), Kind: ir.ConstInt, Bits: bits.New(8, 3)}))
		return
	}
	old, ok := f.made[v.Type()]
	if !ok {
		old = reflect.New(v.Type().Elem())
		f.made[v.Type()] = old
		f.fill(old.Elem(), name)
	}
	v.Set(old)
}

// change sets a field to another value: a number, a text, or nothing.
func change(t *testing.T, p place) {
	t.Helper()
	switch p.v.Interface().(type) {
	case bits.Vec:
		p.v.Set(reflect.ValueOf(bits.New(8, 6)))
		return
	case *ir.Func: // a block has one
		p.v.Set(reflect.ValueOf(&ir.Func{Name: "other", Ret: ir.Void()}))
		return
	}
	switch p.v.Kind() {
	case reflect.Bool:
		p.v.SetBool(false)
	case reflect.String:
		p.v.SetString("other")
	case reflect.Slice, reflect.Map, reflect.Interface, reflect.Pointer, reflect.Struct:
		p.v.SetZero()
	default:
		if p.v.CanInt() {
			p.v.SetInt(2)
		} else {
			p.v.SetUint(2)
		}
	}
}

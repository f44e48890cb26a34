package cexpr_test

import (
	"testing"

	"github.com/firmproof/firmproof/verifier/bits"
	"github.com/firmproof/firmproof/verifier/interp/cexpr"
	"github.com/firmproof/firmproof/verifier/ir"
)

func TestFormatValue(t *testing.T) {
	state := &ir.DType{Kind: ir.DEnum, Name: "enum state", Bits: 32, Enum: []ir.DEnumerator{{Name: "IDLE", Value: 2},
		{Name: "BAD", Value: -1}}}
	for _, c := range []struct {
		t    *ir.DType
		b    bits.Vec
		want string
	}{
		{nil, bits.NewInt(16, -3), "-3"},
		{&ir.DType{Kind: ir.DInt, Bits: 8, Name: "uint8_t"}, bits.New(8, 200), "200"},
		{&ir.DType{Kind: ir.DChar, Bits: 8, Name: "const char", Signed: true}, bits.New(8, 'x'), "'x'"},
		{&ir.DType{Kind: ir.DChar, Bits: 8, Name: "uint8_t"}, bits.New(8, 'x'), "120"},
		{&ir.DType{Kind: ir.DBool, Bits: 8, Name: "_Bool"}, bits.New(8, 1), "true"},
		{state, bits.New(32, 2), "IDLE"},
		{state, bits.NewInt(32, -1), "BAD"},
		{state, bits.New(32, 7), "(enum state)7"},
		{&ir.DType{Kind: ir.DFloat, Bits: 32, Name: "float"}, bits.New(32, 0x3fc00000), "1.5f"},
		{&ir.DType{Kind: ir.DFloat, Bits: 64, Name: "double"}, bits.New(64, 0x7ff0<<48), "INFINITY"},
		{&ir.DType{Kind: ir.DFloat, Bits: 64, Name: "double"}, bits.New(64, 0x4008<<48), "3.0"},
		{&ir.DType{Kind: ir.DPointer, Bits: 32, Name: "char *"}, bits.New(32, 0), "NULL"},
		{&ir.DType{Kind: ir.DPointer, Bits: 32, Name: "char *"}, bits.New(32, 0x40001000), "0x40001000"},
	} {
		if got := cexpr.Value(c.t, c.b); got != c.want {
			t.Errorf("%v as %v: got %s, want %s", c.b, c.t, got, c.want)
		}
	}
}

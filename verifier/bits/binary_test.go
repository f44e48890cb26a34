package bits_test

import (
	"math/big"
	"testing"

	"github.com/firmproof/firmproof/verifier/bits"
)

// TestBinary: what is written is read back, and nothing else is accepted.
func TestBinary(t *testing.T) {
	long, _ := new(big.Int).SetString("123456789abcdef0fedcba9876543210", 16)
	for _, v := range []bits.Vec{{}, bits.New(1, 1), bits.New(7, 99), bits.New(8, 200), bits.New(64, 1<<63),
		bits.FromBig(65, long), bits.FromBig(128, long), bits.FromBig(121, long)} {
		b, err := v.MarshalBinary()
		if err != nil {
			t.Fatal(err)
		}
		var got bits.Vec
		if err := got.UnmarshalBinary(b); err != nil || got != v {
			t.Errorf("width %d: %v %v", v.Width(), err, got == v)
		}
		if got.UnmarshalBinary(append(b, 0)) == nil || got.UnmarshalBinary(b[:len(b)-1]) == nil {
			t.Errorf("width %d: a wrong length is accepted", v.Width())
		}
	}
	var got bits.Vec
	if got.UnmarshalBinary([]byte{3, 8}) == nil {
		t.Error("a bit beyond the width is accepted")
	}
}

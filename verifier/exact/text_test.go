package exact

import "testing"

// TestLinText: an expression comes back from its text; what is none is an error.
func TestLinText(t *testing.T) {
	for _, a := range []Lin{{}, C(5), C(-7), V(3), V(3).Neg(), V(0).Scale(I(-12)).Add(V(2)).AddInt(-1),
		V(1).Scale(I(1 << 40)).Sub(V(7)).AddInt(9)} {
		text, err := a.MarshalText()
		var b Lin
		if err == nil {
			err = b.UnmarshalText(text)
		}
		if err != nil || !a.Equal(b) {
			t.Errorf("%v: %s %v %v", a, text, b, err)
		}
	}
	for _, text := range []string{"", "x", "x0 +", "x0 x1", "3*4", "x-1", "y0", "x0 + + 1", "2*", "x99999999999"} {
		var b Lin
		if err := b.UnmarshalText([]byte(text)); err == nil {
			t.Errorf("%q: %v", text, b)
		}
	}
}

package bits

import (
	"math/big"
	"testing"
)

// TestExhaustive compares every operation at widths 1 to 4 with arithmetic over
// the integers, and the wide representation with the narrow one.
func TestExhaustive(t *testing.T) {
	for w := 1; w <= 4; w++ {
		n := uint64(1) << uint(w)
		for x := uint64(0); x < n; x++ {
			for y := uint64(0); y < n; y++ {
				checkPair(t, New(w, x), New(w, y))
			}
		}
	}
}

func checkPair(t *testing.T, a, b Vec) {
	t.Helper()
	w := a.Width()
	mod := func(v *big.Int) Vec { return FromBig(w, v) }
	in := func(v *big.Int) bool { return FromBig(w, v).Signed().Cmp(v) == 0 }
	inU := func(v *big.Int) bool { return v.Sign() >= 0 && v.BitLen() <= w }
	ua, ub, sa, sb := a.Unsigned(), b.Unsigned(), a.Signed(), b.Signed()
	z := func() *big.Int { return new(big.Int) }
	eq := func(op string, got, want any) {
		if got != want {
			t.Errorf("%s %v %v: got %v, want %v", op, a, b, got, want)
		}
	}
	eq("add", Add(a, b), mod(z().Add(ua, ub)))
	eq("sub", Sub(a, b), mod(z().Sub(ua, ub)))
	eq("mul", Mul(a, b), mod(z().Mul(ua, ub)))
	if ub.Sign() != 0 {
		eq("udiv", Udiv(a, b), mod(z().Quo(ua, ub)))
		eq("urem", Urem(a, b), mod(z().Rem(ua, ub)))
		eq("sdiv", Sdiv(a, b), mod(z().Quo(sa, sb)))
		eq("srem", Srem(a, b), mod(z().Rem(sa, sb)))
	}
	eq("ult", Ult(a, b), ua.Cmp(ub) < 0)
	eq("slt", Slt(a, b), sa.Cmp(sb) < 0)
	eq("sle", Sle(a, b), sa.Cmp(sb) <= 0)
	eq("uaddo", UaddOverflow(a, b), !inU(z().Add(ua, ub)))
	eq("saddo", SaddOverflow(a, b), !in(z().Add(sa, sb)))
	eq("usubo", UsubOverflow(a, b), !inU(z().Sub(ua, ub)))
	eq("ssubo", SsubOverflow(a, b), !in(z().Sub(sa, sb)))
	eq("umulo", UmulOverflow(a, b), !inU(z().Mul(ua, ub)))
	eq("smulo", SmulOverflow(a, b), !in(z().Mul(sa, sb)))
	sh := uint(b.Low64())
	eq("shl", ShlVec(a, b), mod(z().Lsh(ua, sh)))
	eq("lshr", LshrVec(a, b), mod(z().Rsh(ua, sh)))
	eq("ashr", AshrVec(a, b), mod(z().Rsh(sa, sh)))
	eq("concat", Extract(Concat(a, b), 2*w-1, w), a)
	eq("concat", Extract(Concat(a, b), w-1, 0), b)
	wide := func(f func(x, y Vec) Vec) Vec { return Trunc(f(Sext(a, 100), Sext(b, 100)), w) }
	eq("wide add", wide(Add), Add(a, b))
	eq("wide mul", wide(Mul), Mul(a, b))
	eq("wide and", wide(And), And(a, b))
	eq("wide slt", Slt(Sext(a, 100), Sext(b, 100)), Slt(a, b))
}

func TestWideIsComparable(t *testing.T) {
	v, err := ParseHex(128, "123456789abcdef00fedcba987654321")
	if err != nil {
		t.Fatal(err)
	}
	if got := Bswap(Bswap(v)); got != v {
		t.Errorf("bswap twice: got %v, want %v", got, v)
	}
	if got := Not(Not(v)); got != v || got.Hex() != "123456789abcdef00fedcba987654321" {
		t.Errorf("not twice: got %v", got)
	}
	if Bswap(New(16, 0x1234)) != New(16, 0x3412) || BitReverse(New(4, 1)) != New(4, 8) {
		t.Error("reversal is wrong")
	}
	if New(128, 0).LeadingZeros() != 128 || New(70, 4).TrailingZeros() != 2 || Ones(70).OnesCount() != 70 {
		t.Error("counting is wrong")
	}
}

// TestBytes: a number is its bytes, at any width.
func TestBytes(t *testing.T) {
	for _, w := range []int{1, 7, 8, 63, 64, 65, 71, 72, 128, 4099} {
		v := Ones(w)
		little := make([]byte, (w+7)/8+3)
		for i := range little {
			little[i] = byte(i*37 + 11)
			want := Vec{}
			if lo := 8 * i; lo < w {
				want = Zext(Extract(v, min(lo+7, w-1), lo), 64)
			} else {
				want = New(64, 0)
			}
			if got := v.Byte(i); uint64(got) != want.Low64() {
				t.Errorf("byte %d of %d ones: %x", i, w, got)
			}
		}
		got := FromBytes(w, little)
		for i := range w {
			if got.Bit(i) != (little[i/8]>>(i%8)&1 == 1) {
				t.Fatalf("bit %d of width %d", i, w)
			}
		}
		if Add(got, New(w, 0)) != got {
			t.Errorf("width %d is not in normal form", w)
		}
	}
}

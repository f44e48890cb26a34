package interp

import (
	"bytes"
	"encoding/binary"
	"math/rand"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/firmproof/firmproof/targets/llvm/llvmtest"
	"github.com/firmproof/firmproof/verifier/bits"
	"github.com/firmproof/firmproof/verifier/interp/ieee"
	"github.com/firmproof/firmproof/verifier/ir"
)

// randomX87 returns the encoding of a number that the format has, often one at an edge.
func randomX87(r *rand.Rand) bits.Vec {
	exp := []int{0, 1, 2, ieee.X87Top, ieee.X87Top - 1, ieee.X87Bias, ieee.X87Bias + 62,
		ieee.X87Bias + r.Intn(130) - 65, r.Intn(ieee.X87Top + 1),
		ieee.X87Bias / 2, ieee.X87Bias + ieee.X87Bias/2, ieee.X87Bias - 1023 - r.Intn(60),
		ieee.X87Bias + 1020 + r.Intn(8)}[r.Intn(13)]
	mant := []uint64{0, 1, 1<<63 - 1, r.Uint64(), r.Uint64() << uint(r.Intn(64)), r.Uint64() >> uint(r.Intn(64)),
		1<<uint(r.Intn(64)) - 1, 0x3ff, 0x400, 0xc00}[r.Intn(10)] &^ (1 << 63)
	if exp != 0 {
		mant |= 1 << 63
	}
	return bits.Concat(bits.New(16, uint64(exp|r.Intn(2)<<15)), bits.New(64, mant))
}

// interchange returns b without its leading bit.
func interchange(b bits.Vec) bits.Vec { return bits.Concat(bits.Extract(b, 79, 64), bits.Trunc(b, 63)) }

// x87Program reads pairs of numbers, and writes what the unit makes of them.
const x87Program = `
#include <stdio.h>
#include <string.h>
static void put(long double v) {
	unsigned char b[10];
	if (v != v) memcpy(b, "\0\0\0\0\0\0\0\xc0\xff\x7f", 10); else memcpy(b, &v, 10);
	fwrite(b, 10, 1, stdout);
}
int main(void) {
	unsigned char in[20];
	while (fread(in, 20, 1, stdin)) {
		volatile long double a = 0, b = 0;
		memcpy((void *)&a, in, 10);
		memcpy((void *)&b, in + 10, 10);
		put(a + b); put(a - b); put(a * b); put(a / b);
		putchar((a < b) | (a <= b) << 1 | (a == b) << 2 | (a != b) << 3 | (a > b) << 4);
		double d = (double)a;
		float f = (float)a;
		if (d != d) d = __builtin_nan(""), f = __builtin_nanf("");
		fwrite(&d, 8, 1, stdout);
		fwrite(&f, 4, 1, stdout);
		long long n = a > -9223372036854775808.0L && a < 9223372036854775808.0L ? (long long)a : 0, m;
		fwrite(&n, 8, 1, stdout);
		memcpy(&m, in, 8);
		put((long double)m); put((long double)(unsigned long long)m);
	}
}
`

// TestX87 compares operations on long double with the machine's unit, and with the arithmetic of any format.
func TestX87(t *testing.T) {
	if runtime.GOARCH != "amd64" {
		t.Skip("no x87 unit")
	}
	r := rand.New(rand.NewSource(5))
	var pairs [][2]bits.Vec
	var in bytes.Buffer
	write := func(v bits.Vec) {
		_ = binary.Write(&in, binary.LittleEndian, bits.Trunc(v, 64).Low64())
		_ = binary.Write(&in, binary.LittleEndian, uint16(bits.Extract(v, 79, 64).Low64()))
	}
	for range 10000 {
		p := [2]bits.Vec{randomX87(r), randomX87(r)}
		if r.Intn(4) == 0 { // of about the same size
			p[1] = bits.Xor(p[0], bits.New(80, uint64(r.Intn(1<<16))<<uint(r.Intn(46))))
		}
		pairs = append(pairs, p)
		write(p[0])
		write(p[1])
	}
	dir := t.TempDir()
	c, exe := filepath.Join(dir, "x.c"), filepath.Join(dir, "x")
	if err := os.WriteFile(c, []byte(x87Program), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := llvmtest.Clang(t, "-O0", "-o", exe, c).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	cmd := exec.Command(exe)
	cmd.Stdin = &in
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	word := func(n int) bits.Vec {
		v := bits.New(8*n, 0)
		for i := range n {
			v = bits.Or(v, bits.Shl(bits.New(8*n, uint64(out[i])), uint(8*i)))
		}
		out = out[n:]
		return v
	}
	f := bits.FormatOf(79)
	for _, p := range pairs {
		a, b := p[0], p[1]
		ia, ib := interchange(a), interchange(b)
		for _, x := range []struct {
			op    ir.Op
			exact bits.Vec
		}{{ir.OpFadd, f.Add(0, ia, ib)}, {ir.OpFsub, f.Add(0, ia, bits.Xor(ib, bits.MinSigned(79)))},
			{ir.OpFmul, f.Mul(0, ia, ib)}, {ir.OpFdiv, f.Div(0, ia, ib)}} {
			want := word(10)
			got, ok := ieee.X87Binary(x.op, a, b)
			if !ok || got != want || interchange(want) != x.exact {
				t.Fatalf("%v of %s, %s: %s, with bits %s, want %s", x.op, a.Hex(), b.Hex(), got.Hex(), x.exact.Hex(),
					want.Hex())
			}
		}
		order := word(1).Low64()
		x := &Machine{}
		for i, pred := range []ir.Pred{ir.FOLT, ir.FOLE, ir.FOEQ, ir.FUNE, ir.FOGT} {
			if got := x.x87Ordered(pred, Scalar(a), Scalar(b)).Bits.IsOne(); got != (order>>i&1 == 1) {
				t.Fatalf("%v of %s, %s: %v", pred, a.Hex(), b.Hex(), got)
			}
		}
		n, _ := ieee.FromX87(a)
		if want := word(8); n.Narrowed(64) != want || f.Convert(0, ia, bits.FormatOf(64)) != want {
			t.Fatalf("double of %s: %s, want %s", a.Hex(), n.Narrowed(64).Hex(), want.Hex())
		}
		if want := word(4); n.Narrowed(32) != want || f.Convert(0, ia, bits.FormatOf(32)) != want {
			t.Fatalf("float of %s: %s, want %s", a.Hex(), n.Narrowed(32).Hex(), want.Hex())
		}
		if want := word(8); !want.IsZero() {
			if got, fits := ieee.WholeOf(ir.OpFpToSi, n.Float, 64); !fits || got != want {
				t.Fatalf("whole of %s: %s, want %s", a.Hex(), got.Hex(), want.Hex())
			}
		}
		m := Value{Bits: bits.Trunc(a, 64)}
		for _, op := range []ir.Op{ir.OpSiToFp, ir.OpUiToFp} {
			want := word(10)
			got := x.x87Conversion(&ir.Instr{Op: op}, m, ir.Int(64), &ir.Type{Kind: ir.KindFloat, Width: 80}).Bits
			if got != want || interchange(want) != f.FromInt(0, m.Bits, op == ir.OpSiToFp) {
				t.Fatalf("%v of %s: %s, want %s", op, m.Bits.Hex(), got.Hex(), want.Hex())
			}
		}
	}
	if len(out) > 0 {
		t.Errorf("%d bytes are left", len(out))
	}
}

// TestX87Odd: what no operation gives is no operand.
func TestX87Odd(t *testing.T) {
	one := "3fff8000000000000000"
	for _, hex := range []string{"3fff0000000000000000", "00008000000000000000", "7fff0000000000000000",
		"7fff4000000000000000"} {
		v, err := bits.ParseHex(80, hex)
		if err != nil {
			t.Fatal(err)
		}
		w, _ := bits.ParseHex(80, one)
		if _, ok := ieee.X87Binary(ir.OpFadd, v, w); ok {
			t.Errorf("%s is a number", hex)
		}
		if _, _, ok := ieee.X87Compare(w, v); ok {
			t.Errorf("%s is compared", hex)
		}
	}
	if strings.TrimLeft(ieee.X87NaN().Hex(), "0") != "7fffc000000000000000" {
		t.Errorf("NaN is %s", ieee.X87NaN().Hex())
	}
}

package interp_test

import (
	"context"
	"fmt"
	"math/rand"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/firmproof/firmproof/verifier/bits"
	"github.com/firmproof/firmproof/verifier/frontend"
	"github.com/firmproof/firmproof/verifier/input"
	"github.com/firmproof/firmproof/verifier/interp"
	"github.com/firmproof/firmproof/verifier/testprogram"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// The oracle is the machine: programs define `unsigned long long run(unsigned)`,
// are compiled natively, and must give what the interpreter gives.

const seeds = 6

// kernelHeaders is the folder of <asm/errno.h> and its like, for i386 too.
const kernelHeaders = "/usr/include/x86_64-linux-gnu"

const printer = `#include <stdio.h>
unsigned long long run(unsigned);
int main(void) { for (unsigned s = 0; s < %d; s++) printf("%%llu\n", run(s)); return 0; }
`

// hostTargets are the two that this machine can execute. SSE keeps i386's
// floating point to single and double precision.
var hostTargets = map[string][]string{
	"x86_64": {"-m64"},
	"i386":   {"-m32", "-msse2", "-mfpmath=sse", "-idirafter", kernelHeaders},
}

func native(t *testing.T, path, target string) []string {
	t.Helper()
	dir := t.TempDir()
	wrapper := filepath.Join(dir, "print.c")
	if err := os.WriteFile(wrapper, fmt.Appendf(nil, printer, seeds), 0o600); err != nil {
		t.Fatal(err)
	}
	bin := filepath.Join(dir, "a.out")
	args := append([]string{"-std=gnu11", "-O0", "-w", "-ffp-contract=off", "-fno-builtin", "-o", bin, path, wrapper},
		hostTargets[target]...)
	if out, err := exec.Command("gcc", append(args, "-lm")...).CombinedOutput(); err != nil {
		t.Fatalf("gcc: %v\n%s", err, out)
	}
	cmd := exec.Command(bin)
	if target == "i386" { // a kernel may have no programs of 32 bits
		cmd = exec.Command("qemu-i386", bin)
	}
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.Fields(string(out))
}

func agree(t *testing.T, path string) {
	t.Helper()
	for _, target := range []string{"x86_64", "i386"} {
		want := native(t, path, target)
		flags := []string{"-fno-builtin"}
		if target == "i386" {
			flags = append(flags, "-msse2", "-target", "i686-linux-gnu", "-idirafter", kernelHeaders)
		}
		for _, level := range []string{"-O0", "-O2"} {
			m := testprogram.File(t, path, target, append(flags, level)...)
			checks := testprogram.SoundChecks()
			if level == "-O2" { // the optimiser computes sums that nothing uses where they overflow
				delete(checks, verdict.SignedOverflow)
			}
			for seed, w := range want {
				src := &testprogram.Inputs{List: []int64{int64(seed)}, Mallocs: true}
				out, err := interp.Run(context.Background(), m, interp.Options{Entry: m.Func("run"),
					Checks: checks}, src)
				if err != nil {
					t.Fatal(err)
				}
				if out.Kind != interp.Returned || out.Ret.Unsigned().String() != w {
					t.Errorf("%s, %s %s, seed %d: got %v %v, the machine says %s", path, target, level, seed, out,
						out.Ret, w)
				}
			}
		}
	}
}

func TestOracle(t *testing.T) {
	files, err := filepath.Glob("testdata/oracle/*.c")
	if err != nil || len(files) == 0 {
		t.Fatalf("no programs: %v", err)
	}
	for _, path := range files {
		t.Run(filepath.Base(path), func(t *testing.T) { agree(t, path) })
	}
}

// TestOracleRandom compares random expressions over all integer types. They
// have no undefined behaviour: arithmetic is unsigned, divisors are odd, shift
// amounts are masked.
func TestOracleRandom(t *testing.T) {
	rng := rand.New(rand.NewSource(20261121))
	var b strings.Builder
	b.WriteString("typedef unsigned long long u64;\nstatic u64 s;\nstatic u64 r(void) { s = s * 6364136223846793005u + 1442695040888963407u; return s >> 11; }\n")
	const n = 40
	for i := 0; i < n; i++ {
		fmt.Fprintf(&b, "static u64 f%d(u64 a, u64 b, int c, short d, unsigned char e) { return %s; }\n", i,
			expression(rng, 5))
	}
	b.WriteString("u64 run(unsigned seed) { u64 sum = 0; s = seed;\n")
	for i := 0; i < n; i++ {
		fmt.Fprintf(&b, "\tfor (int i = 0; i < 5; i++) { u64 q = r(); sum = sum * 31 + f%d(q ^ i, q >> 7, (int)(q >> 9), (short)(q >> 3), (unsigned char)(q >> 2)); }\n", i)
	}
	b.WriteString("\treturn sum;\n}\n")
	path := filepath.Join(t.TempDir(), "random.c")
	if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	agree(t, path)
}

var castTypes = []string{"signed char", "unsigned char", "short", "unsigned short", "int", "unsigned", "long",
	"unsigned long", "long long", "u64", "_Bool"}

func expression(rng *rand.Rand, depth int) string {
	if depth == 0 || rng.Intn(8) == 0 {
		leaves := []string{"a", "b", "c", "d", "e", "1", "0x80000000u", "-1", "0x123456789abcdefull", "255"}
		return leaves[rng.Intn(len(leaves))]
	}
	x, y := expression(rng, depth-1), expression(rng, depth-1)
	unsignedType := []string{"unsigned", "u64", "unsigned long"}[rng.Intn(3)]
	anyType := castTypes[rng.Intn(len(castTypes))]
	switch rng.Intn(9) {
	case 0, 1:
		return fmt.Sprintf("((%s)(%s) %s (%s)(%s))", unsignedType, x, []string{"+", "-", "*"}[rng.Intn(3)],
			unsignedType, y)
	case 2:
		return fmt.Sprintf("((%s)(%s) %s ((%s)(%s) | 1))", unsignedType, x, []string{"/", "%"}[rng.Intn(2)],
			unsignedType, y)
	case 3:
		return fmt.Sprintf("((%s) %s (%s))", x, []string{"&", "|", "^"}[rng.Intn(3)], y)
	case 4:
		return fmt.Sprintf("((%s)(%s) %s ((%s) & 31))", unsignedType, x, []string{"<<", ">>"}[rng.Intn(2)], y)
	case 5:
		return fmt.Sprintf("((%s)(%s) >> ((%s) & 7))", []string{"int", "long long", "short"}[rng.Intn(3)], x, y)
	case 6:
		return fmt.Sprintf("((%s) %s (%s))", x, []string{"<", "<=", "==", "!=", ">"}[rng.Intn(5)], y)
	case 7:
		return fmt.Sprintf("((%s) ? (%s) : (%s))", x, y, expression(rng, depth-1))
	}
	return fmt.Sprintf("((%s)(%s))", anyType, x)
}

func TestVectorLanes(t *testing.T) {
	m, err := frontend.Parse("vector.ll", []byte(`define <4 x i16> @f(<4 x i16> %a, <4 x i16> %b) {
  %s = add <4 x i16> %a, %b
  %c = icmp ugt <4 x i16> %s, <i16 5, i16 5, i16 5, i16 5>
  %r = select <4 x i1> %c, <4 x i16> %s, <4 x i16> %a
  %x = extractelement <4 x i16> %r, i32 2
  %i = insertelement <4 x i16> %r, i16 %x, i32 0
  %z = shufflevector <4 x i16> %i, <4 x i16> %a, <4 x i32> <i32 0, i32 7, i32 2, i32 1>
  ret <4 x i16> %z
}
define i64 @main() {
  %v = call <4 x i16> @f(<4 x i16> <i16 1, i16 2, i16 3, i16 4>, <4 x i16> <i16 10, i16 0, i16 30, i16 0>)
  %r = bitcast <4 x i16> %v to i64
  ret i64 %r
}
`))
	if err != nil {
		t.Fatal(err)
	}
	out, err := interp.Run(context.Background(), m, interp.Options{}, input.Zeros{})
	if err != nil {
		t.Fatal(err)
	}
	if want := bits.New(64, 2<<48|33<<32|4<<16|33); out.Ret != want {
		t.Errorf("got %v %v, want %v", out, out.Ret.Hex(), want.Hex())
	}
}

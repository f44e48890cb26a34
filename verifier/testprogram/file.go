package testprogram

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/firmproof/firmproof/targets/llvm/llvmtest"
	"github.com/firmproof/firmproof/verifier/bits"
	"github.com/firmproof/firmproof/verifier/frontend"
	"github.com/firmproof/firmproof/verifier/input"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/verdict"
)

var targetFlags = map[string][]string{
	"x86_64":    {"--target=x86_64-unknown-linux-gnu"},
	"i386":      {"--target=i386-none-elf"},
	"cortex-m3": {"--target=thumbv7m-none-eabi", "-mcpu=cortex-m3"},
	"armeb":     {"--target=armebv7r-none-eabi"},
	"avr":       {"--target=avr", "-mmcu=atmega328p"},
	"msp430":    {"--target=msp430"},
}

// File makes a module of a C file as it stands, without optimisation where flags do not ask for it.
func File(t testing.TB, path, target string, flags ...string) *ir.Module {
	t.Helper()
	args := append([]string{"-std=gnu11", "-O0", "-g", "-Xclang", "-disable-O0-optnone", "-fno-discard-value-names",
		"-w", "-ffp-contract=off",
		"-S", "-emit-llvm", "-o", "-", filepath.Base(path)}, targetFlags[target]...)
	cmd := llvmtest.Clang(t, append(args, flags...)...)
	cmd.Dir, cmd.Stderr = filepath.Dir(path), os.Stderr
	text, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s for %s: %v", path, target, err)
	}
	m, err := frontend.Parse(path, text)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// Inputs answers a run from a list; what it does not hold is 0.
type Inputs struct {
	input.Zeros
	List    []int64
	Mallocs bool // allocations succeed
}

// Next implements input.Source.
func (s *Inputs) Next(kind input.Kind, _ *ir.Instr, width int) (bits.Vec, bool) {
	switch {
	case kind == input.MallocOK:
		return bits.Bool(s.Mallocs), true
	case kind == input.Undef || len(s.List) == 0:
		return bits.New(width, 0), true
	}
	v := bits.NewInt(width, s.List[0])
	s.List = s.List[1:]
	return v, true
}

// ObjectBytes implements input.Source.
func (s *Inputs) ObjectBytes(int, *ir.Instr) func(int64) byte {
	return func(int64) byte { return 0xa5 }
}

// SoundChecks are all but those that programs violate on purpose.
func SoundChecks() verdict.CheckSet {
	c := verdict.DefaultChecks()
	delete(c, verdict.Leak)
	return c
}

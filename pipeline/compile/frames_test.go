package compile

import (
	"maps"
	"slices"
	"testing"

	"github.com/firmproof/firmproof/verifier/ir"
)

func TestParseFrames(t *testing.T) {
	got := parseFrames("a b.c:1:f\t40\tstatic\na.c:9:g\t16\tdynamic\nx:1:f\t24\tstatic\nc:/d.c:7:h\t0\tstatic\nnonsense\na.c:1:i\tx\tstatic\n", returnAddress("x86_64-pc-linux-gnu", nil))
	if want := map[string]int64{"f": 48, "g": ir.VariableFrame, "h": 8}; !maps.Equal(got, want) {
		t.Errorf("%v", got)
	}
	for triple, want := range map[string]int64{"i386-pc-linux-gnu": 4, "i686": 4, "thumbv7m-none-eabi": 0, "avr": 2,
		"msp430-none-elf": 2, "riscv32": 0} {
		if got := returnAddress(triple, nil); got != want {
			t.Errorf("%s: %d", triple, got)
		}
	}
	for mcu, want := range map[string]int64{"atmega328p": 2, "atmega128": 2, "atmega1284p": 2, "atmega2560": 3, "avr5": 2,
		"avr6": 3, "atxmega128a3": 3, "atxmega64a3": 2} {
		if got := returnAddress("avr", []string{"-Os", "-mmcu=" + mcu}); got != want {
			t.Errorf("%s: %d", mcu, got)
		}
	}
}

// TestProductFlags: what remains is what the project's compiler would get.
func TestProductFlags(t *testing.T) {
	got := productFlags([]string{"clang-14", "-O0", "-Xclang", "-disable-O0-optnone", "-DX", "-Os", "-O0", "-Xclang",
		"-fsanitize-address-use-after-scope", "-Xclang", "-disable-llvm-passes", "-Xclang", "-other",
		"-fsanitize=shift", "-fsanitize-trap=all"})
	if want := []string{"clang-14", "-DX", "-Os", "-Xclang", "-other"}; !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}

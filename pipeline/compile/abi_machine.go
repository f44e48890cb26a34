package compile

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/firmproof/firmproof/targets"
)

// machines are the macros that say for which machine a compiler compiles.
var machines = []string{"__aarch64__", "__arm__", "__AVR__", "__i386__", "__x86_64__", "__riscv", "__MSP430__",
	"__mips__", "__XTENSA__", "__PPC__", "__sparc__", "__rx__", "__sh__", "__m68k__"}

// machine names architecture, width of addresses and byte order.
func (here *answers) machine() string {
	for _, m := range machines {
		if here.macros[m] != "" {
			return here.machineOf(strings.Trim(m, "_"))
		}
	}
	return here.machineOf("an unknown machine")
}

func (here *answers) machineOf(name string) string {
	n, _ := strconv.Atoi(here.macros["__SIZEOF_POINTER__"])
	name += fmt.Sprintf(" with %d-bit pointers", 8*n)
	if here.macros["__BYTE_ORDER__"] == "__ORDER_BIG_ENDIAN__" {
		name += ", big-endian"
	}
	return name
}

// unknownMachines returns the machines that a call must have meant if it compiles for machine m, which no
// target is: those of the same architecture.
func unknownMachines(m string) []string {
	arch, _, _ := strings.Cut(m, " ")
	var out []string
	for _, name := range targets.Names() {
		t, err := targets.Load(name)
		if err != nil {
			continue
		}
		a := machineOfTarget(t)
		if a == m {
			return nil
		}
		if strings.HasPrefix(a, arch+" ") {
			out = append(out, a)
		}
	}
	return out
}

func machineOfTarget(t targets.Target) string {
	arch, _, _ := strings.Cut(t.Triple, "-")
	for prefix, name := range map[string]string{"thumb": "arm", "arm": "arm", "riscv": "riscv", "mips": "mips",
		"msp430": "MSP430", "avr": "AVR", "i386": "i386", "i686": "i386", "x86_64": "x86_64", "aarch64": "aarch64"} {
		if strings.HasPrefix(arch, prefix) {
			arch = name
			break
		}
	}
	s := fmt.Sprintf("%s with %d-bit pointers", arch, t.PointerBits)
	if t.BigEndian {
		s += ", big-endian"
	}
	return s
}

// processorMacros lists macros of the processor that differ.
func processorMacros(here, there *answers) []string {
	var out []string
	for _, name := range []string{"__ARM_ARCH", "__ARM_FP", "__ARM_PCS_VFP", "__ARM_FEATURE_DSP", "__ARM_FEATURE_IDIV",
		"__thumb__", "__AVR_ARCH__", "__AVR_DEVICE_NAME__", "__riscv_flen", "__riscv_mul", "__riscv_atomic", "__SSE2__",
		"__FMA__"} {
		if here.macros[name] != there.macros[name] {
			out = append(out, name)
		}
	}
	return out
}

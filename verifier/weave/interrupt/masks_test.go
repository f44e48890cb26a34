package interrupt

import (
	"fmt"
	"strings"
	"testing"

	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/weave/irbuild"
)

// effects writes what a template does to the mask: a letter an effect, with the bit of
// the operand that decides. A CPU stands behind the triple. asm's only input is an i32, its only output another.
func effects(triple, template, constraints string, args ...ir.Value) string {
	triple, cpu, _ := strings.Cut(triple, "/")
	t := ir.Void()
	if strings.HasPrefix(constraints, "=") {
		t = ir.Int(32)
	}
	in := &ir.Instr{Op: ir.OpAsm, T: t, Args: args, Asm: &ir.Asm{Template: template, Constraints: constraints}}
	list, read := asmMasks(processorOf(triple, []string{"atmega328p", cpu}), in)
	var out []string
	if read != nil {
		out = append(out, fmt.Sprintf("read %d", read.bit))
	}
	for _, e := range list {
		s := map[maskKind]string{maskCleared: "clear", maskSet: "set", maskIsBit: "is", maskIsNotBit: "not",
			maskRaised: "raise", maskLowered: "lower", maskIgnored: "ignored"}[e.kind]
		switch v := e.value.(type) {
		case *ir.Const:
			n, _ := v.Bits.Int64()
			s += fmt.Sprintf(" %d", n>>e.bit&1)
		case nil:
			if e.kind > maskSet {
				s += " ?"
			}
		default:
			s += fmt.Sprintf(" bit %d", e.bit)
		}
		if e.late {
			s += " late"
		}
		out = append(out, s)
	}
	return strings.Join(out, ", ")
}

func TestMasks(t *testing.T) {
	x := &ir.Param{T: ir.Int(32)}
	eight := (&irbuild.Builder{}).Int(ir.Int(32), 8)
	for _, c := range []struct {
		triple, template, constraints string
		args                          []ir.Value
		want                          string
	}{
		{"thumbv7m-none-eabi", "cpsid i", "~{memory}", nil, "set"},
		{"thumbv7m-none-eabi", "\tCPSID\tI @ sei", "", nil, "set"},
		{"thumbv7m-none-eabi", "/* cpsie i */cpsid i/**/ /* cpsie */", "", nil, "set"},
		{"thumbv7m-none-eabi", "cpsid f", "", nil, ""},
		{"armv7r-none-eabi", "cpsid if", "", nil, "set"},
		{"armv7r-none-eabi", "cpsie aif", "", nil, "clear"},
		{"thumbv7m-none-eabi", "msr primask, $0", "r", []ir.Value{x}, "is bit 0"},
		{"thumbv7m-none-eabi", "MSR PRIMASK,$0", "r", []ir.Value{x}, "is bit 0"},
		{"thumbv7m-none-eabi", "add $0, #1\n\tmsr primask, $0", "=r,0", []ir.Value{x}, "is ?"},
		{"thumbv7m-none-eabi", "msr primask, r3", "", nil, "is ?"},
		{"thumbv7m-none-eabi", "msr basepri, $0", "r", []ir.Value{x}, ""},
		{"thumbv7m-none-eabi", "mrs $0, primask\n cpsid i", "=r", nil, "read 0, set"},
		{"thumbv7m-none-eabi", "cpsid i; mrs $0, primask", "=r", nil, "set"},
		{"thumbv7m-none-eabi", "cmp $0, #0; beq 1f; cpsid i; 1:", "r", []ir.Value{x}, "clear"},
		{"thumbv7m-none-eabi", "ite eq\n cpsideq i", "", nil, "clear"},
		{"thumbv7m-none-eabi", "msr control, $0", "r", []ir.Value{x}, "ignored bit 0"},
		{"thumbv7m-none-eabi", "svc 0", "", nil, "clear"},
		{"thumbv7m-none-eabi", "pop {r4, pc}", "", nil, "clear"},
		{"thumbv7m-none-eabi", "dsb sy\n\tisb /* cpsie i */ // cpsie i", "", nil, ""},
		{"thumbv7m-none-eabi", ".short 0xb662", "", nil, "clear"},
		{"armv7r-none-eabi", "msr cpsr_c, $0", "r", []ir.Value{x}, "is bit 7"},
		{"armv7r-none-eabi", "msr\tcpsr_c, #0xd3", "", nil, "is 1"},
		{"armv7r-none-eabi", "msr cpsr_c, #0x53", "", nil, "is 0"},
		{"armv7r-none-eabi", "msr cpsr_c, #0x90", "", nil, "ignored 1"},
		{"armv7r-none-eabi", "cpsie i, #16", "", nil, "ignored 1"},
		{"armv7r-none-eabi", "cpsid if, #0x13", "", nil, "set"},
		{"thumbv7m-none-eabi", "pop {r4, r15}", "", nil, "clear"},
		{"armv7r-none-eabi", "cps #16", "", nil, "ignored 1"},
		{"armv7r-none-eabi", "msr CPSR_f, $0", "r", []ir.Value{x}, ""},
		{"armv7r-none-eabi", "mrs $0, cpsr", "=r", nil, "read 7"},
		{"aarch64-none-elf", "msr daifset, #2", "", nil, "raise 1"},
		{"aarch64-none-elf", "msr DAIFSet, #1", "", nil, "raise 0"},
		{"aarch64-none-elf", "msr daifclr, #0xf", "", nil, "lower 1"},
		{"aarch64-none-elf", "msr daif, $0", "r", []ir.Value{x}, "is bit 7"},
		{"avr", "cli", "", nil, "set"},
		{"avr", "cli ; sei", "", nil, "set"},
		{"avr", "cli $$ sei", "", nil, "set, clear"},
		{"avr", "out 0x3f, $0", "r", []ir.Value{x}, "not bit 7"},
		{"avr", "out __SREG__, $0", "r", []ir.Value{x}, "not bit 7"},
		{"avr", "out $0, $1", "I,r", []ir.Value{eight, x}, ""},
		{"avr", "sts 0x5f, r24", "", nil, "not ?"},
		{"avr", "sts 0x3f, $0", "r", []ir.Value{x}, ""},
		{"avr/atxmega128a1", "sts 0x3f, $0", "r", []ir.Value{x}, "not bit 7"},
		{"avr/attiny817", "sts 0x5f, $0", "r", []ir.Value{x}, ""},
		{"avr/atmega4809", "lds $0, 0x3f", "=r", nil, "read 7"},
		{"avr/attiny1634", "lds $0, 0x5f", "=r", nil, "read 7"},
		{"avr/atxmega128a1", "out 0x3f, $0", "r", []ir.Value{x}, "not bit 7"},
		{"avr", "bset 7", "", nil, "clear"},
		{"avr", "bclr 7", "", nil, "set"},
		{"avr", "bclr 6", "", nil, ""},
		{"avr", "st Z, r24", "", nil, "clear"},
		{"avr", "reti", "", nil, "clear"},
		{"avr", "in $0, __SREG__", "=r", nil, "read 7"},
		{"msp430", "dint $( nop", "", nil, "set"},
		{"msp430", "eint", "", nil, "clear"},
		{"msp430", "bis.w #8, sr", "", nil, "lower 1"},
		{"msp430", "dint", "", nil, "set late"},
		{"msp430", "dint { mov r4, r5", "", nil, "set"},
		{"msp430", "bic #8, r2", "", nil, "raise 1 late"},
		{"msp430", "bis.w $0, r2", "i", []ir.Value{eight}, "lower 1"},
		{"msp430", "bic 8, sr { nop", "", nil, "raise ?"},
		{"msp430", "mov 0, sr", "", nil, "not ?"},
		{"msp430", "mov $0, sr", "r", []ir.Value{x}, "not bit 3"},
		{"msp430", "mov sr, $0", "=r", nil, "read 3"},
		{"msp430", "xor #8, sr", "", nil, "clear"},
		{"msp430", "mov #8, r4", "", nil, ""},
		{"riscv32-unknown-elf", "csrci mstatus, 8", "", nil, "raise 1"},
		{"riscv32-unknown-elf", "csrci mstatus, 2", "", nil, "raise 0"},
		{"riscv32-unknown-elf", "csrci\tmstatus,8", "", nil, "raise 1"},
		{"riscv32-unknown-elf", "csrci mie, 8", "", nil, ""},
		{"riscv32-unknown-elf", "csrrci $0, mstatus, $1", "=r,rK", []ir.Value{eight}, "read 3, raise 1"},
		{"riscv32-unknown-elf", "csrrsi zero, 0x300, 8 # x", "", nil, "lower 1"},
		{"riscv32-unknown-elf", "csrs mstatus, $0", "r", []ir.Value{x}, "lower bit 3"},
		{"riscv32-unknown-elf", "csrs mstatus, t0", "", nil, "lower ?"},
		{"riscv32-unknown-elf", "csrrw $0, mstatus, $1", "=r,r", []ir.Value{x}, "read 3, not bit 3"},
		{"riscv32-unknown-elf", "csrr $0, mstatus", "=r", nil, "read 3"},
		{"riscv32-unknown-elf", "csrrsi a0, mnxti, 8", "", nil, "clear"},
		{"riscv32-unknown-elf", "mret", "", nil, "clear"},
		{"mips-none-elf", "di", "", nil, "set"},
		{"mips-none-elf", "ei\n\tehb", "", nil, "clear"},
		{"mips-none-elf", "mtc0 $0, $$12", "r", []ir.Value{x}, "not bit 0"},
		{"mips-none-elf", "mtc0 $0, $$11, 0", "r", []ir.Value{x}, ""},
		{"mips-none-elf", "mtc0 $$8, $$12", "", nil, "not ?"},
		{"mips-none-elf", "mtc0 $$0, $$12", "", nil, "set"},
		{"mips-none-elf", "mfc0 $0, $$12", "=r", nil, "read 0"},
		{"i386-none-elf", "pushf ; pop $0 ; cli", "=r", nil, "read 9, set"},
		{"i386-none-elf", "push $0 ; popf", "r", []ir.Value{x}, "not bit 9"},
		{"i386-none-elf", "push $$0x200 ; popf", "", nil, "not 1"},
		{"i386-none-elf", "push 0 ; popf", "", nil, "not ?"},
		{"i386-none-elf", "popf", "", nil, "clear"},
		{"i386-none-elf", "sti; hlt", "", nil, "clear"},
		{"i386-none-elf", "call f", "", nil, "clear"},
		{"sparc-none-elf", "nop", "", nil, "clear"},
		{"sparc-none-elf", "", "~{memory}", nil, ""},
	} {
		if got := effects(c.triple, c.template, c.constraints, c.args...); got != c.want {
			t.Errorf("%s: %q: %s, want %s", c.triple, c.template, got, c.want)
		}
	}
}

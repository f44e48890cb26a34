package interrupt

import (
	"regexp"
	"slices"
	"strings"

	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/weave/irbuild"
)

// is and isNot are a mask that becomes a bit of a register's value, or the opposite.
func (o asmOperands) is(arg string, bit int) (maskEffect, bool) {
	return maskEffect{kind: maskIsBit, value: o.value(arg), bit: bit}, true
}

func (o asmOperands) isNot(arg string, bit int) (maskEffect, bool) {
	return maskEffect{kind: maskIsNotBit, value: o.value(arg), bit: bit}, true
}

// raises and lowers are a mask that is set or cleared where a bit of a value is 1.
func (o asmOperands) raises(arg string, bit int) (maskEffect, bool) {
	return maskEffect{kind: maskRaised, value: o.value(arg), bit: bit}, true
}

func (o asmOperands) lowers(arg string, bit int) (maskEffect, bool) {
	return maskEffect{kind: maskLowered, value: o.value(arg), bit: bit}, true
}

func effect(k maskKind) (maskEffect, bool) { return maskEffect{kind: k}, true }

// unlisted leaves an instruction to the table of those that keep the mask.
func unlisted() (maskEffect, bool) { return maskEffect{}, false }

var armKeeps = words(
	`nop dmb dsb isb wfi wfe sev sevl yield dbg csdb ssbb pssbb clrex bkpt setend pld pli vmrs vmsr mrc mcr`,
	`mov movs movw movt mvn mvns add adds sub subs rsb rsbs adc adcs sbc sbcs and ands orr orrs orn eor eors bic bics`,
	`lsl lsls lsr lsrs asr asrs ror rors rrx cmp cmn tst teq mul muls mla mls umull smull umlal smlal sdiv udiv clz`,
	`rbit rev rev16 revsh sxtb sxth uxtb uxth ubfx sbfx bfi bfc ssat usat qadd qsub mrs adr`,
	`ldr ldrb ldrh ldrd ldrsb ldrsh ldrt ldm ldmia ldmfd ldmdb str strb strh strd strt stm stmia stmfd stmdb push pop`,
	`ldrex ldrexb ldrexh strex strexb strexh`)

// arm is the A32 and T32 instruction set. PRIMASK (M profile) and CPSR.I (A and R
// profile) mask interrupts; BASEPRI, FAULTMASK and CPSR.F mask some, and count as
// masking none. Code without privilege cannot mask (CONTROL.nPRIV).
var arm = processor{
	syntax: asmSyntax{comments: []string{"@", "//"}, separators: []string{";"}, immediate: "#", optional: true},
	keeps:  armKeeps,
	effect: func(i asmInstr, o asmOperands) (maskEffect, bool) {
		op := strings.TrimSuffix(strings.TrimSuffix(i.op, ".w"), ".n")
		switch op {
		case "cpsid", "cpsie":
			mode, changed := o.number(i.arg(1))
			switch {
			case changed && mode&armMode == armUserMode:
				return withoutPrivilege()
			case !strings.Contains(i.arg(0), "i"):
				return effect(maskKept)
			case op == "cpsid":
				return effect(maskSet)
			}
			return effect(maskCleared)
		case "msr":
			return armRegister(i, o)
		case "cps":
			if n, ok := o.number(i.arg(0)); ok && n&armMode == armUserMode {
				return withoutPrivilege()
			}
			return effect(maskCleared)
		}
		for _, a := range i.args {
			if strings.Contains(a, "pc") || strings.Contains(a, "r15") { // a jump, mostly
				return effect(maskCleared)
			}
		}
		if armKeeps[op] {
			return effect(maskKept)
		}
		return unlisted()
	},
	read: func(list []asmInstr, n int) (string, maskRead) {
		i := list[n]
		switch {
		case i.op != "mrs":
		case i.arg(1) == "primask":
			return i.arg(0), maskRead{bit: 0}
		case i.arg(1) == "cpsr":
			return i.arg(0), maskRead{bit: 7}
		}
		return "", maskRead{}
	},
}

// Modes of the A and R profile (CPSR.M). In user mode, code cannot mask.
const armMode, armUserMode = 0x1f, 0x10

func withoutPrivilege() (maskEffect, bool) {
	return maskEffect{kind: maskIgnored, value: (&irbuild.Builder{}).Int(ir.Int(64), 1)}, true
}

// armRegister is a write of a special register.
func armRegister(i asmInstr, o asmOperands) (maskEffect, bool) {
	name, fields, _ := strings.Cut(i.arg(0), "_")
	switch name {
	case "primask":
		if fields == "" {
			return o.is(i.arg(1), 0)
		}
	case "cpsr":
		if fields == "" || fields == "all" || fields == "ctl" || strings.Contains(fields, "c") {
			if n, ok := o.number(i.arg(1)); ok && n&armMode == armUserMode {
				return withoutPrivilege()
			}
			return o.is(i.arg(1), 7)
		}
		return effect(maskKept)
	case "control":
		return maskEffect{kind: maskIgnored, value: o.value(i.arg(1))}, true
	case "basepri", "faultmask", "apsr", "spsr", "msp", "psp", "msplim", "psplim", "ipsr", "epsr", "iepsr", "xpsr",
		"iapsr",
		"eapsr":
		return effect(maskKept)
	}
	return effect(maskCleared)
}

// aarch64 masks by PSTATE.I: bit 1 of the immediate of DAIFSet and DAIFClr, bit 7 of DAIF.
var aarch64 = processor{
	syntax: asmSyntax{comments: []string{"//"}, separators: []string{";"}, immediate: "#", optional: true},
	keeps: words(`nop dmb dsb isb wfi wfe sev sevl yield csdb clrex brk hlt mov movz movk movn mvn add adds sub subs neg and`,
		`ands orr orn eor eon bic bics lsl lsr asr ror cmp cmn tst mul madd msub smull umull sdiv udiv clz cls rbit rev`,
		`rev16 rev32 sxtb sxth sxtw uxtb uxth ubfx sbfx bfi bfxil csel cset csinc mrs adr adrp ldr ldrb ldrh ldrsb ldrsh`,
		`ldrsw ldp ldur str strb strh stp stur ldxr ldaxr stxr stlxr ldar stlr prfm dc ic tlbi at`),
	effect: func(i asmInstr, o asmOperands) (maskEffect, bool) {
		if i.op != "msr" {
			return unlisted()
		}
		switch r := i.arg(0); {
		case r == "daifset":
			return o.raises(i.arg(1), 1)
		case r == "daifclr":
			return o.lowers(i.arg(1), 1)
		case r == "daif":
			return o.is(i.arg(1), 7)
		case strings.HasSuffix(r, "_el0"), strings.HasSuffix(r, "_el1"), strings.HasSuffix(r, "_el2"),
			strings.HasSuffix(r, "_el3"), r == "spsel", r == "nzcv", r == "fpcr", r == "fpsr":
			return effect(maskKept)
		}
		return effect(maskCleared)
	},
	read: func(list []asmInstr, n int) (string, maskRead) {
		i := list[n]
		if i.op == "mrs" && i.arg(1) == "daif" {
			return i.arg(0), maskRead{bit: 7}
		}
		return "", maskRead{}
	},
}

// sregIO is the I/O address of the AVR's status register. Bit 7 lets interrupts through.
const sregIO = 0x3f

// flatAVR matches the AVRs whose I/O registers have the same addresses in data memory: XMEGA, the tiny and mega series
// since 2016, and those with a reduced core. The others have them 0x20 higher (avr-gcc: __AVR_SFR_OFFSET__).
var flatAVR = regexp.MustCompile(`^(atxmega.*|avrxmega.*|avrtiny.*|avr\d+[de].*|atmega(8|16|32|48)0[89]|` +
	`attiny\d{1,2}[01][2467]|attiny(4|5|9|10|20|40))$`)

// avr is the AVR of a program whose functions are compiled for cpus: ours may be for the plainest.
func avr(cpus []string) *processor {
	p := avrInstructions
	p.sreg = sregIO + 0x20
	if slices.ContainsFunc(cpus, flatAVR.MatchString) {
		p.sreg = sregIO
	}
	sreg := p.sreg
	p.effect = func(i asmInstr, o asmOperands) (maskEffect, bool) { return avrEffect(i, o, sreg) }
	p.read = func(list []asmInstr, n int) (string, maskRead) {
		i := list[n]
		a, ok := asmNumber(i.arg(1))
		if i.op == "in" && (i.arg(1) == "__sreg__" || ok && a == sregIO) || i.op == "lds" && ok && a == sreg {
			return i.arg(0), maskRead{bit: 7, inverted: true}
		}
		return "", maskRead{}
	}
	return &p
}

var avrInstructions = processor{
	reset:  true, // SREG is cleared
	syntax: asmSyntax{comments: []string{";", "//"}, separators: []string{"$$"}},
	keeps: words(`nop sleep wdr break add adc adiw sub subi sbc sbci sbiw and andi or ori eor com neg sbr cbr inc dec tst`,
		`clr ser mul muls mulsu fmul fmuls fmulsu mov movw ldi lds ld ldd lpm elpm in push pop lsl lsr rol ror asr swap`,
		`sec clc sen cln sez clz ses cls sev clv set clt seh clh bst bld cp cpc cpi sbi cbi`),
}

// avrEffect returns what an instruction does to the mask, with the status register at sreg.
func avrEffect(i asmInstr, o asmOperands, sreg int64) (maskEffect, bool) {
	switch i.op {
	case "cli":
		return effect(maskSet)
	case "sei":
		return effect(maskCleared)
	case "bset", "bclr":
		n, ok := o.number(i.arg(0))
		switch {
		case ok && n != 7:
			return effect(maskKept)
		case ok && i.op == "bclr":
			return effect(maskSet)
		}
	case "out", "sts":
		to := sreg
		if i.op == "out" {
			to = sregIO
		}
		n, ok := o.number(i.arg(0))
		switch {
		case ok && n == to, i.arg(0) == "__sreg__", i.arg(0) == "sreg":
			return o.isNot(i.arg(1), 7)
		case ok, i.op == "sts" && symbol(i.arg(0)):
			return effect(maskKept)
		}
	}
	return unlisted()
}

// symbol reports whether an operand is the name of a variable.
func symbol(arg string) bool {
	return arg != "" && arg[0] != '_' && !strings.ContainsFunc(arg, notInSymbol) && (arg[0] < '0' || arg[0] > '9')
}

var msp430Keeps = words(
	`nop mov add addc sub subc cmp dadd bit bic bis xor and rra rrc swpb sxt push clr inc incd dec decd tst inv`,
	`rla rlc adc sbc setc clrc setz clrz setn clrn pop`)

// msp430 lets interrupts through where bit 3 of the status register (r2) is set. What clears it takes effect one
// instruction later (MSP430x2xx Family User's Guide, 3.4.6.20: insert a NOP behind DINT).
var msp430 = processor{
	reset:  true, // the status register is cleared
	late:   true,
	syntax: asmSyntax{comments: []string{";", "//"}, separators: []string{"{", "$("}, immediate: "#"},
	keeps:  msp430Keeps,
	effect: func(i asmInstr, o asmOperands) (maskEffect, bool) {
		op, _, _ := strings.Cut(i.op, ".")
		to := i.last()
		switch op {
		case "dint":
			return effect(maskSet)
		case "eint":
			return effect(maskCleared)
		case "push", "tst", "cmp", "bit":
			return effect(maskKept)
		}
		if !msp430Keeps[op] || to == "pc" || to == "r0" {
			return effect(maskCleared)
		}
		if to != "sr" && to != "r2" {
			return effect(maskKept)
		}
		switch op {
		case "mov":
			return o.isNot(i.arg(0), 3)
		case "bis":
			return o.lowers(i.arg(0), 3)
		case "bic":
			return o.raises(i.arg(0), 3)
		case "clr":
			return effect(maskSet)
		}
		return effect(maskCleared)
	},
	read: func(list []asmInstr, n int) (string, maskRead) {
		i := list[n]
		if op, _, _ := strings.Cut(i.op, "."); op == "mov" && (i.arg(0) == "sr" || i.arg(0) == "r2") {
			return i.arg(1), maskRead{bit: 3, inverted: true}
		}
		return "", maskRead{}
	},
}

// riscv lets interrupts through in machine mode where bit 3 of mstatus (MIE) is set.
// The masks of other modes, and mie, count as masking nothing.
var riscv = processor{
	reset:  true, // mstatus.MIE (Privileged Architecture, Reset)
	syntax: asmSyntax{comments: []string{"#", "//"}, separators: []string{";"}},
	keeps: words(`nop li la lla lui auipc mv not neg negw add addi addw addiw sub subw and andi or ori xor xori sll slli sllw`,
		`slliw srl srli srlw srliw sra srai sraw sraiw slt slti sltu sltiu seqz snez sltz sgtz sext.w zext.b mul mulh mulhu`,
		`mulhsu mulw div divu divw divuw rem remu remw remuw lb lbu lh lhu lw lwu ld sb sh sw sd flw fsw fld fsd lr.w lr.d`,
		`sc.w sc.d fence fence.i pause wfi ebreak csrr rdcycle rdcycleh rdtime rdtimeh rdinstret rdinstreth frcsr fscsr`,
		`sfence.vma`),
	effect: func(i asmInstr, o asmOperands) (maskEffect, bool) {
		if strings.HasPrefix(i.op, "amo") {
			return effect(maskKept)
		}
		op, isCSR := strings.CutPrefix(i.op, "csr")
		if !isCSR || op == "r" {
			return unlisted()
		}
		reg, by := i.arg(0), i.arg(1)
		if full, ok := strings.CutPrefix(op, "r"); ok { // csrrw rd, csr, rs
			op, reg, by = full, i.arg(1), i.arg(2)
		}
		n, numbered := o.number(reg)
		switch {
		case reg == "mstatus", numbered && n == 0x300:
		case quietCSR(reg), numbered && (n > 0x300 && n <= 0x344 || n >= 0x3a0 && n < 0x3f0 || n >= 0xb00 && n < 0xba0):
			return effect(maskKept)
		default: // some write mstatus, too
			return effect(maskCleared)
		}
		if by == "x0" || by == "zero" {
			by = "0"
		}
		switch strings.TrimSuffix(op, "i") {
		case "w":
			return o.isNot(by, 3)
		case "s":
			return o.lowers(by, 3)
		case "c":
			return o.raises(by, 3)
		}
		return effect(maskCleared)
	},
	read: func(list []asmInstr, n int) (string, maskRead) {
		i := list[n]
		if strings.HasPrefix(i.op, "csrr") && (i.arg(1) == "mstatus" || i.arg(1) == "0x300") {
			return i.arg(0), maskRead{bit: 3, inverted: true}
		}
		return "", maskRead{}
	},
}

// quietCSR reports the standard registers whose writes do not touch mstatus.MIE.
func quietCSR(name string) bool {
	switch name {
	case "mie", "mip", "mtvec", "mepc", "mcause", "mtval", "mscratch", "mcycle", "mcycleh", "minstret", "minstreth",
		"mcounteren", "mcountinhibit", "medeleg", "mideleg", "misa", "sstatus", "sie", "sip", "stvec", "sepc", "scause",
		"stval", "sscratch", "satp", "scounteren", "fcsr", "frm", "fflags":
		return true
	}
	return strings.HasPrefix(name, "pmpcfg") || strings.HasPrefix(name, "pmpaddr") || strings.HasPrefix(name, "mhpm")
}

// mips lets interrupts through where bit 0 of Status (coprocessor 0, register 12) is set.
var mips = processor{
	syntax: asmSyntax{comments: []string{"#", "//"}, separators: []string{";"}},
	keeps: words(`nop ssnop ehb sync synci wait pref cache move li la lui add addi addu addiu sub subu and andi or ori xor xori`,
		`nor not neg negu sll sllv srl srlv sra srav slt slti sltu sltiu mul mult multu div divu mfhi mflo mthi mtlo clz clo`,
		`ext ins wsbh seb seh rotr movz movn lb lbu lh lhu lw lwl lwr sb sh sw swl swr ll sc mfc0 rdhwr`),
	effect: func(i asmInstr, o asmOperands) (maskEffect, bool) {
		switch i.op {
		case "di":
			return effect(maskSet)
		case "ei":
			return effect(maskCleared)
		case "mtc0":
			n, ok := asmNumber(strings.TrimPrefix(i.arg(1), "$$"))
			sel, selected := asmNumber(i.arg(2))
			switch {
			case len(i.args) == 3 && !selected, !ok && i.arg(1) != "$$c0_status":
				return effect(maskCleared)
			case sel != 0 || ok && n != 12:
				return effect(maskKept)
			case i.arg(0) == "$$0" || i.arg(0) == "$$zero":
				return effect(maskSet)
			}
			return o.isNot(i.arg(0), 0) // a register by its number is not known
		}
		return unlisted()
	},
	read: func(list []asmInstr, n int) (string, maskRead) {
		i := list[n]
		r, ok := asmNumber(strings.TrimPrefix(i.arg(1), "$$"))
		sel, selected := asmNumber(i.arg(2))
		if i.op == "di" && len(i.args) == 1 || i.op == "mfc0" && ok && r == 12 && sel == 0 &&
			(selected || len(i.args) == 2) {
			return i.arg(0), maskRead{bit: 0, inverted: true}
		}
		return "", maskRead{}
	},
}

// x86 lets interrupts through where bit 9 of the flags is set.
var x86 = processor{
	syntax: asmSyntax{comments: []string{"#", "//"}, separators: []string{";"}, immediate: "$$"},
	keeps: words(`nop pause hlt mfence lfence sfence cpuid rdtsc rdtscp rdmsr wrmsr rdpmc mov movb movw movl movq lea leal leaq`,
		`add addl addq sub subl subq and andl andq or orl orq xor xorl xorq not notl notq neg shl shr sar inc dec cmp test`,
		`bswap bsf bsr in inb inw inl out outb outw outl cld std pushf pushfl pushfq push pushl pushq pop popl popq`,
		`xchg xchgl xchgq cmpxchg xadd lock`),
	effect: func(i asmInstr, o asmOperands) (maskEffect, bool) {
		switch i.op {
		case "cli":
			return effect(maskSet)
		case "popf", "popfl", "popfq":
			if len(o.list) == 2 && strings.HasPrefix(o.list[0].op, "push") && !strings.HasPrefix(o.list[0].op,
				"pushf") {
				return o.isNot(o.list[0].arg(0), 9)
			}
			return effect(maskCleared)
		}
		return unlisted()
	},
	read: func(list []asmInstr, n int) (string, maskRead) {
		if n > 0 && strings.HasPrefix(list[n-1].op, "pushf") && strings.HasPrefix(list[n].op, "pop") {
			return list[n].arg(0), maskRead{bit: 9, inverted: true}
		}
		return "", maskRead{}
	},
}

package interrupt

import (
	"slices"
	"strings"

	"github.com/firmproof/firmproof/verifier/ir"
)

// The interrupt mask is a variable of the program, 1 where no handler can run. What an
// instruction does to it is one of these effects. What is not known to leave the mask
// alone, or to change it in a known way, clears it.
type maskEffect struct {
	kind  maskKind
	value ir.Value // of the register that holds the mask, or of the bits that are set or cleared in it
	bit   int      // of value
	late  bool     // one more instruction runs before it
}

type maskKind uint8

const (
	maskKept     maskKind = iota
	maskCleared           // handlers may run behind this
	maskSet               // no handler runs behind this
	maskIsBit             // the mask becomes the bit of value
	maskIsNotBit          // the mask becomes the opposite of the bit
	maskRaised            // set where the bit is 1
	maskLowered           // cleared where the bit is 1
	maskIgnored           // the processor ignores the mask from now on where the bit is 1
)

// maskRead says that the output of inline assembly is the register that holds the mask, as
// it was in front of it.
type maskRead struct {
	bit      int  // of the output
	inverted bool // 0 where handlers cannot run
}

// processor knows the instructions of an architecture.
type processor struct {
	syntax asmSyntax
	// keeps holds the mnemonics of instructions that leave the mask alone, unless effect
	// says otherwise: no jumps, no calls, no writes of the mask's register
	keeps map[string]bool
	// effect returns what an instruction with a mnemonic of its own does; known is false for
	// all others, which keeps decides
	effect func(i asmInstr, o asmOperands) (e maskEffect, known bool)
	// read says of instruction n of list, if it reads the mask's register, into which operand
	read  func(list []asmInstr, n int) (arg string, r maskRead)
	reset bool  // interrupts are masked at reset
	late  bool  // an interrupt may still come behind the instruction that follows one which masks them
	sreg  int64 // where the register that holds the mask lies in data memory; 0: nowhere
}

// processorOf is the one of an LLVM triple and CPUs, or nil.
func processorOf(triple string, cpus []string) *processor {
	arch, _, _ := strings.Cut(triple, "-")
	switch {
	case strings.HasPrefix(arch, "aarch64"), strings.HasPrefix(arch, "arm64"):
		return &aarch64
	case strings.HasPrefix(arch, "arm"), strings.HasPrefix(arch, "thumb"):
		return &arm
	case strings.HasPrefix(arch, "avr"):
		return avr(cpus)
	case strings.HasPrefix(arch, "msp430"):
		return &msp430
	case strings.HasPrefix(arch, "riscv"):
		return &riscv
	case strings.HasPrefix(arch, "mips"):
		return &mips
	case strings.HasPrefix(arch, "x86"), strings.HasPrefix(arch, "i386"), strings.HasPrefix(arch, "i686"):
		return &x86
	}
	return nil
}

// asmMasks returns what inline assembly does to the mask, in order, and how its output tells
// of the mask (nil if it does not).
func asmMasks(p *processor, in *ir.Instr) ([]maskEffect, *maskRead) {
	if in.Asm.Any != "" { // a value that is not followed, no assembly
		return nil, nil
	}
	if strings.TrimSpace(in.Asm.Template) == "" {
		return nil, nil
	}
	if p == nil {
		return []maskEffect{{kind: maskCleared}}, nil
	}
	list, labels := p.syntax.parse(in.Asm.Template)
	o := operandsOf(p.syntax, in, list)
	var out []maskEffect
	var read *maskRead
	followed := true
	for n, i := range list {
		if p.read != nil && len(out) == 0 {
			if arg, r := p.read(list, n); arg != "" && o.isOutput(arg) {
				read = &r
			}
		}
		e, known := p.effect(i, o)
		if !known && !p.keeps[i.op] && !harmlessDirective(i) {
			followed = false
		}
		if e.kind != maskKept {
			e.late = p.late && n == len(list)-1 && (e.kind == maskSet || e.kind == maskRaised)
			out = append(out, e)
		}
	}
	if !followed || labels && len(out) > 0 { // instructions may be jumped over
		out = slices.DeleteFunc(out, func(e maskEffect) bool { return e.kind != maskIgnored })
		return append(out, maskEffect{kind: maskCleared}), nil
	}
	return out, read
}

// harmlessDirective reports directives of the assembler that make no code.
func harmlessDirective(i asmInstr) bool {
	switch i.op {
	case ".syntax", ".thumb", ".arm", ".thumb_func", ".align", ".balign", ".p2align", ".cpu", ".arch", ".fpu",
		".option",
		".arch_extension", ".code", ".force_thumb":
		return true
	case ".set":
		return len(i.args) == 1
	}
	return false
}

// words makes a set of mnemonics.
func words(lists ...string) map[string]bool {
	out := map[string]bool{}
	for _, l := range lists {
		for _, w := range strings.Fields(l) {
			out[w] = true
		}
	}
	return out
}

// masks adds what inline assembly does to the mask behind it.
func (w *interrupts) masks(in *ir.Instr) {
	if w.mask == nil {
		return
	}
	effects, read := asmMasks(w.processor, in)
	if read != nil {
		w.readsMask(in, *read)
	}
	for i, e := range effects {
		if i > 0 { // the effect before it may let handlers in, if only here
			w.letIn()
		}
		if e.late {
			w.late = &e
			continue
		}
		w.apply(e)
	}
}

// masksNow has an effect begin that was late, after a point: here the instruction behind it has run.
func (w *interrupts) masksNow() {
	if w.late != nil {
		w.letIn()
		w.apply(*w.late)
		w.late = nil
	}
}

// apply changes the mask.
func (w *interrupts) apply(e maskEffect) {
	set := func(v ir.Value) { w.Store(v, w.AddrOfGlobal(w.mask), 1) }
	current := func() ir.Value { return w.Load(w.mask.T, w.AddrOfGlobal(w.mask)) }
	bit := func() ir.Value {
		if e.value == nil || !e.value.Type().IsInt() || e.bit >= e.value.Type().Width {
			return nil
		}
		t := e.value.Type()
		x := w.Emit(&ir.Instr{Op: ir.OpLshr, T: t, Args: []ir.Value{e.value, w.Int(t, int64(e.bit))}})
		return w.Resize(w.And(x, w.Int(t, 1)), w.mask.T)
	}
	one := w.Int(w.mask.T, 1)
	switch e.kind {
	case maskSet:
		set(one)
		return
	case maskIgnored:
		v := bit()
		if v == nil {
			v = one
		}
		to := w.AddrOfGlobal(w.ignored)
		w.Store(w.Or(w.Load(w.ignored.T, to), v), to, 1)
		return
	case maskRaised:
		if v := bit(); v != nil { // else it stays at least as it is
			set(w.Or(current(), v))
		}
		return
	case maskIsBit, maskIsNotBit, maskLowered:
		v := bit()
		if v == nil {
			break
		}
		if e.kind != maskIsBit {
			v = w.Xor(v, one)
		}
		if e.kind == maskLowered {
			v = w.And(v, current())
		}
		set(v)
		return
	}
	set(w.Int(w.mask.T, 0))
}

// readsMask gives the readers of v, which is unknown, what is known of the mask in it:
// where no handler can run, the bit says so.
func (w *interrupts) readsMask(v *ir.Instr, r maskRead) {
	t := v.T
	if r.bit >= t.Width {
		return
	}
	m := w.Emit(&ir.Instr{Op: ir.OpShl, T: t, Args: []ir.Value{
		w.Resize(w.Load(w.mask.T, w.AddrOfGlobal(w.mask)), t), w.Int(t, int64(r.bit))}})
	var seen *ir.Instr
	if r.inverted {
		seen = w.And(v, w.Xor(m, w.Int(t, -1)))
	} else {
		seen = w.Or(v, m)
	}
	w.replace[v] = seen
}

package cycles

import "github.com/firmproof/firmproof/verifier/policy"

// Addresses of I/O (ATmega328P and its like).
const (
	ioSPL  = 0x3d
	ioSPH  = 0x3e
	ioSREG = 0x3f
)

// Registers of pointers.
const (
	regX int = 26
	regY int = 28
	regZ int = 30
)

// step carries out an instruction that goes on to the next one, on what it leaves in registers. It returns why that is not
// known, if so.
func (s *state) step(in *inst) (open string) {
	d, r := in.d, in.r
	switch op := in.row.op; op {
	case "add", "adc", "sub", "sbc", "and", "or", "eor":
		s.arith(op, d, s.regs[r], r, true)
	case "cp", "cpc":
		s.arith(op, d, s.regs[r], r, false)
	case "cpi":
		s.arith("cp", d, only(uint8(in.k)), -1, false)
	case "subi", "sbci", "andi":
		s.arith(op[:3], d, only(uint8(in.k)), -1, true)
	case "ori":
		s.arith("or", d, only(uint8(in.k)), -1, true)
	case "com", "neg", "inc", "dec", "lsr", "ror", "asr":
		s.arith(op, d, set{1}, -1, true)
	case "adiw":
		s.arith("add", d, only(uint8(in.k)), -1, true)
		s.arith("adcw", d+1, only(0), -1, true)
		s.anyOf(1 << flagH)
	case "sbiw":
		s.arith("sub", d, only(uint8(in.k)), -1, true)
		s.arith("sbc", d+1, only(0), -1, true)
		s.anyOf(1 << flagH)
	case "ldi":
		s.write(d, only(uint8(in.k)))
	case "mov":
		s.write(d, s.regs[r])
	case "movw":
		low, high := s.regs[r], s.regs[r+1]
		s.write(d, low)
		s.write(d+1, high)
	case "swap":
		var out set
		for _, v := range s.regs[d].list() {
			out.put(v<<4 | v>>4)
		}
		s.write(d, out)
	case "mul", "muls", "mulsu", "fmul", "fmuls", "fmulsu":
		s.multiply(op, s.regs[d], s.regs[r])
		s.forget(1<<flagC | 1<<flagZ)
	case "bset", "bclr":
		v := uint8(0)
		if op == "bset" {
			v = 1
		}
		if in.b < flagT {
			s.chain = nil
		}
		s.flags.can[v] |= 1 << in.b
		s.flags.can[1-v] &^= 1 << in.b
	case "bst":
		s.anyOf(1 << flagT)
	case "bld":
		var out set
		for _, v := range s.regs[d].list() {
			out.put(v | 1<<in.b)
			out.put(v &^ (1 << in.b))
		}
		s.write(d, out)
	case "in":
		if in.a == ioSPL || in.a == ioSPH {
			s.move()
		}
		s.write(d, anyByte)
	case "out":
		switch in.a {
		case ioSREG:
			s.forget(255)
		case ioSPL, ioSPH:
			s.move()
		}
	case "push":
		s.push(s.regs[d])
	case "pop":
		if s.moved {
			s.above = max(0, s.above-1)
			s.write(d, anyByte)
			return ""
		}
		if s.stack == s.base || s.stack == nil {
			return "it takes more from the stack than it pushed"
		}
		s.write(d, s.stack.v)
		s.stack = s.stack.up
	case "rcall", "call": // of the next instruction: it only makes room on the stack
		s.push(anyByte)
		s.push(anyByte)
	case "lds":
		if in.a == 0x20+ioSPL || in.a == 0x20+ioSPH {
			s.move()
		}
		s.write(d, anyByte)
	case "sts":
		return s.store(in.a)
	case "sbi", "cbi", "nop", "wdr":
	case "rjmp", "jmp", "brbs", "brbc", "cpse", "sbrc", "sbrs", "sbic", "sbis", "ret", "reti": // leads (graph.go) and split
	default:
		return s.access(in)
	}
	return ""
}

// store is a write to a fixed address of data, below which registers and the stack pointer lie.
func (s *state) store(at int) string {
	switch {
	case at < 0x20:
		return "it writes a register through its address"
	case at == 0x20+ioSREG:
		s.forget(255)
	case at == 0x20+ioSPL, at == 0x20+ioSPH:
		s.move()
	}
	return ""
}

// move gives up what is on the stack: the pointer was written, or read, so that what was pushed may be written through it.
func (s *state) move() { s.moved, s.stack, s.above = true, s.base, 0 }

// stops returns the cycles for which an instruction may stop the processor: four where it may start a read of the EEPROM, by
// EECR, which is I/O register 0x1f, or 0x1c on older AVRs.
func (in *inst) stops() int64 {
	at := in.a
	switch in.row.op {
	case "sts":
		at -= 0x20
	case "out", "sbi", "cbi":
	default:
		return 0
	}
	if at == 0x1c || at == 0x1f {
		return 4
	}
	return 0
}

// access is a load or a store through a pointer, or from program memory. What is loaded may be anything.
func (s *state) access(in *inst) string {
	op, p := in.row.op, regZ
	if op == "lpm0" {
		s.write(0, anyByte)
		return ""
	}
	for _, c := range op {
		switch c {
		case 'x':
			p = regX
		case 'y':
			p = regY
		}
	}
	step := 0
	switch {
	case op[len(op)-1] == '+':
		step = 1
	case op[2] == '-':
		step = -1
	}
	if op[:2] == "st" {
		s.advance(p, step)
		return ""
	}
	if op[0] != 'l' {
		panic("no semantics of " + op)
	}
	s.advance(p, step)
	s.write(in.d, anyByte) // a pointer that is loaded and moved on is anything as well
	return ""
}

// advance moves a pointer on.
func (s *state) advance(p, by int) {
	if by == 0 {
		return
	}
	low, high := s.regs[p].list(), s.regs[p+1].list()
	l, h := anyByte, anyByte
	if len(low)*len(high) <= policy.FollowedCombinations {
		l, h = set{}, set{}
		for _, x := range low {
			for _, y := range high {
				v := int(x) + int(y)<<8 + by
				l.put(uint8(v))
				h.put(uint8(v >> 8))
			}
		}
	}
	s.write(p, l)
	s.write(p+1, h)
}

// multiply writes a product to r1 and r0.
func (s *state) multiply(op string, a, b set) {
	x, one := a.value()
	y, another := b.value()
	low, high := anyByte, anyByte
	if op == "mul" && one && another {
		v := int(x) * int(y)
		low, high = only(uint8(v)), only(uint8(v>>8))
	}
	s.write(0, low)
	s.write(1, high)
}

// anyOf forgets flags that no chain is followed for.
func (s *state) anyOf(mask uint8) {
	s.flags.can[0] |= mask
	s.flags.can[1] |= mask
}

func (s *state) push(v set) {
	if s.moved {
		s.above++
		return
	}
	s.stack = &cell{v, s.stack}
}

// split returns the states in which the last instruction of a block goes on to the next one, and elsewhere.
func (s *state) split(in *inst) (next, away state, goesOn, leaves bool) {
	switch in.row.op {
	case "brbs", "brbc":
		v := uint8(1)
		if in.row.op == "brbc" {
			v = 0
		}
		next, goesOn = s.where(in.b, 1-v)
		away, leaves = s.where(in.b, v)
		return next, away, goesOn, leaves
	case "sbrc", "sbrs":
		var on, off set
		for _, v := range s.regs[in.d].list() {
			if v>>in.b&1 == 1 {
				on.put(v)
			} else {
				off.put(v)
			}
		}
		if in.row.op == "sbrc" {
			on, off = off, on
		}
		next, away = *s, *s
		next.regs[in.d], away.regs[in.d] = off, on
		return next, away, off != set{}, on != set{}
	case "cpse":
		compared := *s
		compared.arith("cp", in.d, s.regs[in.r], in.r, false)
		next, goesOn = compared.where(flagZ, 0)
		away, leaves = compared.where(flagZ, 1)
		for _, out := range []*state{&next, &away} {
			out.flags, out.chain = s.flags, s.chain
		}
		return next, away, goesOn, leaves
	}
	return *s, *s, true, true // sbic and sbis
}

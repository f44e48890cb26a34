package cycles

import "strings"

// row is a line of the AVR Instruction Set Manual (DS40002198): the bits of an instruction, and its cycles on an AVRe+ with a
// program counter of 16 bits and data in internal RAM. Letters in bits are the operands: d a register, r another, k or K a
// number, q what is added to a pointer, b a bit, s a flag, a an address of I/O. A branch that is taken, or an instruction
// that is skipped, comes on top (graph.go).
type row struct {
	op, bits string
	cycles   int64
}

// avr lists all instructions that a bound may rest on. Others leave it open: sleep and break, which wait, spm, which stops the
// processor for as long as a page of flash takes, and what an AVRe+ does not have.
var avr = []row{
	{"add", "000011rdddddrrrr", 1}, {"adc", "000111rdddddrrrr", 1}, {"sub", "000110rdddddrrrr", 1},
	{"sbc", "000010rdddddrrrr", 1}, {"and", "001000rdddddrrrr", 1}, {"or", "001010rdddddrrrr", 1},
	{"eor", "001001rdddddrrrr", 1}, {"mov", "001011rdddddrrrr", 1}, {"cp", "000101rdddddrrrr", 1},
	{"cpc", "000001rdddddrrrr", 1}, {"cpse", "000100rdddddrrrr", 1}, {"mul", "100111rdddddrrrr", 2},
	{"cpi", "0011KKKKddddKKKK", 1}, {"sbci", "0100KKKKddddKKKK", 1}, {"subi", "0101KKKKddddKKKK", 1},
	{"ori", "0110KKKKddddKKKK", 1}, {"andi", "0111KKKKddddKKKK", 1}, {"ldi", "1110KKKKddddKKKK", 1},
	{"adiw", "10010110KKddKKKK", 2}, {"sbiw", "10010111KKddKKKK", 2}, {"movw", "00000001ddddrrrr", 1},
	{"muls", "00000010ddddrrrr", 2}, {"mulsu", "000000110ddd0rrr", 2}, {"fmul", "000000110ddd1rrr", 2},
	{"fmuls", "000000111ddd0rrr", 2}, {"fmulsu", "000000111ddd1rrr", 2},
	{"com", "1001010ddddd0000", 1}, {"neg", "1001010ddddd0001", 1}, {"swap", "1001010ddddd0010", 1},
	{"inc", "1001010ddddd0011", 1}, {"asr", "1001010ddddd0101", 1}, {"lsr", "1001010ddddd0110", 1},
	{"ror", "1001010ddddd0111", 1}, {"dec", "1001010ddddd1010", 1},
	{"bset", "100101000sss1000", 1}, {"bclr", "100101001sss1000", 1},
	{"bst", "1111101ddddd0bbb", 1}, {"bld", "1111100ddddd0bbb", 1},
	{"in", "10110aadddddaaaa", 1}, {"out", "10111aadddddaaaa", 1},
	{"sbi", "10011010aaaaabbb", 2}, {"cbi", "10011000aaaaabbb", 2},
	{"sbic", "10011001aaaaabbb", 1}, {"sbis", "10011011aaaaabbb", 1},
	{"sbrc", "1111110ddddd0bbb", 1}, {"sbrs", "1111111ddddd0bbb", 1},
	{"brbs", "111100kkkkkkksss", 1}, {"brbc", "111101kkkkkkksss", 1},
	{"rjmp", "1100kkkkkkkkkkkk", 2}, {"rcall", "1101kkkkkkkkkkkk", 3},
	{"jmp", "1001010kkkkk110k", 3}, {"call", "1001010kkkkk111k", 4},
	{"ret", "1001010100001000", 4}, {"reti", "1001010100011000", 4},
	{"ijmp", "1001010000001001", 2}, {"icall", "1001010100001001", 3},
	{"nop", "0000000000000000", 1}, {"wdr", "1001010110101000", 1},
	{"ldx", "1001000ddddd1100", 2}, {"ldx+", "1001000ddddd1101", 2}, {"ld-x", "1001000ddddd1110", 2},
	{"ldy+", "1001000ddddd1001", 2}, {"ld-y", "1001000ddddd1010", 2}, {"lddy", "10q0qq0ddddd1qqq", 2},
	{"ldz+", "1001000ddddd0001", 2}, {"ld-z", "1001000ddddd0010", 2}, {"lddz", "10q0qq0ddddd0qqq", 2},
	{"stx", "1001001ddddd1100", 2}, {"stx+", "1001001ddddd1101", 2}, {"st-x", "1001001ddddd1110", 2},
	{"sty+", "1001001ddddd1001", 2}, {"st-y", "1001001ddddd1010", 2}, {"stdy", "10q0qq1ddddd1qqq", 2},
	{"stz+", "1001001ddddd0001", 2}, {"st-z", "1001001ddddd0010", 2}, {"stdz", "10q0qq1ddddd0qqq", 2},
	{"lds", "1001000ddddd0000", 2}, {"sts", "1001001ddddd0000", 2},
	{"push", "1001001ddddd1111", 2}, {"pop", "1001000ddddd1111", 2},
	{"lpm0", "1001010111001000", 3}, {"lpm", "1001000ddddd0100", 3}, {"lpm+", "1001000ddddd0101", 3},
}

// inst is an instruction of an image.
type inst struct {
	row  *row
	at   int // its address, in bytes
	size int // bytes: 2 or 4
	d, r int // registers
	k    int // a number, or the address in bytes that a jump, a branch or a call leads to
	b    int // a bit, or a flag
	a    int // an address of I/O, or of data for lds and sts
}

// table leads from the first word of an instruction to its row; nil: no instruction, or one that is not in avr.
var table = func() (out [1 << 16]*row) {
	for i := range avr {
		r := &avr[i]
		var mask, want int
		for j, c := range r.bits {
			if c == '0' || c == '1' {
				mask |= 1 << (15 - j)
				want |= int(c-'0') << (15 - j)
			}
		}
		for w := range out {
			if w&mask == want {
				if out[w] != nil {
					panic("two instructions have the bits of " + r.op)
				}
				out[w] = r
			}
		}
	}
	return out
}()

// field collects the bits of w at the places of letter c.
func (r *row) field(w int, c byte) int {
	out := 0
	for j := range 16 {
		if r.bits[j] == c {
			out = out<<1 | w>>(15-j)&1
		}
	}
	return out
}

// decode reads the instruction at an address; ok is false where none of the table is.
func decode(code []byte, at int) (in inst, ok bool) {
	if at < 0 || at%2 != 0 || at+2 > len(code) {
		return in, false
	}
	w := int(code[at]) | int(code[at+1])<<8
	r := table[w]
	if r == nil {
		return in, false
	}
	in = inst{row: r, at: at, size: 2, d: r.field(w, 'd'), r: r.field(w, 'r'), k: r.field(w, 'K'), a: r.field(w, 'a')}
	in.b = r.field(w, 'b') + r.field(w, 's')
	switch r.op {
	case "cpi", "sbci", "subi", "ori", "andi", "ldi":
		in.d += 16
	case "adiw", "sbiw":
		in.d = 24 + 2*in.d
	case "movw":
		in.d, in.r = 2*in.d, 2*in.r
	case "muls", "mulsu", "fmul", "fmuls", "fmulsu":
		in.d, in.r = in.d+16, in.r+16
	case "brbs", "brbc":
		in.k = at + 2 + 2*signed(r.field(w, 'k'), 7)
	case "rjmp", "rcall": // one that wraps around at an end of the memory leads to no code of the image
		in.k = at + 2 + 2*signed(r.field(w, 'k'), 12)
	case "jmp", "call", "lds", "sts":
		if at+4 > len(code) {
			return in, false
		}
		in.size = 4
		low := int(code[at+2]) | int(code[at+3])<<8
		if in.a = low; strings.HasSuffix(r.op, "p") || r.op == "call" {
			in.k = 2 * (r.field(w, 'k')<<16 | low)
		}
	case "lddy", "lddz", "stdy", "stdz":
		in.k = r.field(w, 'q')
	}
	return in, true
}

// signed reads n bits of v as a number in two's complement.
func signed(v, n int) int {
	if v>>(n-1)&1 == 1 {
		return v - 1<<n
	}
	return v
}

package cycles

import "math/bits"

// set holds the values that a byte may have.
type set [4]uint64

var anyByte = set{^uint64(0), ^uint64(0), ^uint64(0), ^uint64(0)}

func only(v uint8) (s set) {
	s[v>>6] = 1 << (v & 63)
	return s
}

func (s *set) put(v uint8) { s[v>>6] |= 1 << (v & 63) }

func (s *set) size() int {
	return bits.OnesCount64(s[0]) + bits.OnesCount64(s[1]) + bits.OnesCount64(s[2]) + bits.OnesCount64(s[3])
}

// value returns the one value of a set that has one only.
func (s *set) value() (uint8, bool) {
	if s.size() != 1 {
		return 0, false
	}
	for i, w := range s {
		if w != 0 {
			return uint8(64*i + bits.TrailingZeros64(w)), true
		}
	}
	return 0, false
}

func (s set) join(o set) set {
	for i := range s {
		s[i] |= o[i]
	}
	return s
}

func (s set) meet(o set) set {
	for i := range s {
		s[i] &= o[i]
	}
	return s
}

// list returns the values, in order.
func (s *set) list() []uint8 {
	out := make([]uint8, 0, 4)
	for i, w := range s {
		for ; w != 0; w &= w - 1 {
			out = append(out, uint8(64*i+bits.TrailingZeros64(w)))
		}
	}
	return out
}

// Flags of SREG, by bit.
const (
	flagC = iota
	flagZ
	flagN
	flagV
	flagS
	flagH
	flagT
	flagI
)

// flags says of each flag whether it may be 0 (can[0]) and 1 (can[1]), by bit.
type flags struct{ can [2]uint8 }

var anyFlags = flags{[2]uint8{255, 255}}

func (f flags) may(bit int, v uint8) bool { return f.can[v]>>bit&1 == 1 }

// learn adds what the flags of mask are in sreg.
func (f *flags) learn(mask, sreg uint8) {
	f.can[1] |= mask & sreg
	f.can[0] |= mask &^ sreg
}

// arithmetic is the mask of the flags that each operation sets (AVR Instruction Set Manual).
var arithmetic = map[string]uint8{
	"add": 0x3f, "adc": 0x3f, "adcw": 0x3f, "sub": 0x3f, "sbc": 0x3f, "cp": 0x3f, "cpc": 0x3f, "neg": 0x3f,
	"and": 0x1e, "or": 0x1e, "eor": 0x1e, "inc": 0x1e, "dec": 0x1e,
	"com": 0x1f, "lsr": 0x1f, "ror": 0x1f, "asr": 0x1f,
}

// alu carries out an operation on bytes, and returns the flags that arithmetic names. adcw adds the upper byte of a word: its Z is
// that of the word.
func alu(op string, a, b, sreg uint8) (res, out uint8) {
	c, z := sreg>>flagC&1, sreg>>flagZ&1
	var cc, vv, hh bool
	chained := false
	switch op {
	case "add", "adc", "adcw":
		if op == "add" {
			c = 0
		}
		sum := int(a) + int(b) + int(c)
		res = uint8(sum)
		cc, vv, hh = sum > 255, (a^res)&(b^res)&0x80 != 0, a&15+b&15+c > 15
		chained = op == "adcw"
	case "sub", "cp", "sbc", "cpc":
		chained = op == "sbc" || op == "cpc"
		if !chained {
			c = 0
		}
		res = a - b - c
		cc, vv, hh = int(a) < int(b)+int(c), (a^b)&(a^res)&0x80 != 0, int(a&15) < int(b&15)+int(c)
	case "neg":
		res = -a
		cc, vv, hh = res != 0, res == 0x80, (res|a)&8 != 0
	case "com":
		res, cc = ^a, true
	case "and":
		res = a & b
	case "or":
		res = a | b
	case "eor":
		res = a ^ b
	case "inc":
		res = a + 1
		vv = res == 0x80
	case "dec":
		res = a - 1
		vv = res == 0x7f
	case "lsr", "ror", "asr":
		res = a >> 1
		if op == "ror" {
			res |= c << 7
		} else if op == "asr" {
			res |= a & 0x80
		}
		cc = a&1 == 1
		vv = (res>>7 == 1) != cc
	default:
		panic("no arithmetic: " + op)
	}
	bit := func(on bool, i int) {
		if on {
			out |= 1 << i
		}
	}
	n := res>>7 == 1
	bit(cc, flagC)
	bit(res == 0 && (!chained || z == 1), flagZ)
	bit(n, flagN)
	bit(vv, flagV)
	bit(n != vv, flagS)
	bit(hh, flagH)
	return res, out
}

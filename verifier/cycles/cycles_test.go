package cycles

import (
	"context"
	"slices"
	"strings"
	"testing"
)

// imageOf makes an image of words, with a function f at address 0.
func imageOf(words ...int) *Image {
	img := &Image{funcs: map[string]int{"f": 0}, names: map[int]string{}}
	for _, w := range words {
		img.code = append(img.code, byte(w), byte(w>>8))
		img.valid = append(img.valid, true, true)
	}
	return img
}

// TestTable: rows have 16 bits and operands of known letters, and each instruction has a meaning in step.
func TestTable(t *testing.T) {
	ops := map[string]bool{}
	for _, r := range avr {
		if len(r.bits) != 16 || strings.Trim(r.bits, "01drkKqbsa") != "" || r.cycles < 1 || r.cycles > 4 || ops[r.op] {
			t.Errorf("%+v", r)
		}
		ops[r.op] = true
	}
	for w := range table {
		in, ok := decode([]byte{byte(w), byte(w >> 8), 0x00, 0x01}, 0)
		if ok != (table[w] != nil) {
			t.Fatalf("%04x: %v", w, ok)
		}
		if ok && in.row.op != "ijmp" && in.row.op != "icall" {
			s := state{flags: anyFlags}
			s.step(&in) // panics if it has none
		}
	}
}

// TestDecode: what GNU objdump says of these words.
func TestDecode(t *testing.T) {
	for _, c := range []struct {
		words   [2]int
		op      string
		d, r, k int
		size    int
	}{
		{[2]int{0xeffa}, "ldi", 31, 0, 250, 2}, {[2]int{0x9631}, "adiw", 30, 0, 1, 2}, {[2]int{0x01d9}, "movw", 26, 18, 0, 2},
		{[2]int{0xf791}, "brbc", 0, 0, -26, 2}, {[2]int{0xcfff}, "rjmp", 0, 0, 0, 2}, {[2]int{0x940e, 0x007d}, "call", 0, 0, 250, 4},
		{[2]int{0x8188}, "lddy", 24, 0, 0, 2}, {[2]int{0xad8f}, "lddy", 24, 0, 63, 2}, {[2]int{0x9350, 0x010a}, "sts", 21, 0, 0, 4},
		{[2]int{0x912c}, "ldx", 18, 0, 0, 2}, {[2]int{0x9508}, "ret", 0, 0, 0, 2}, {[2]int{0x4fbf}, "sbci", 27, 0, 255, 2},
	} {
		in, ok := decode([]byte{byte(c.words[0]), byte(c.words[0] >> 8), byte(c.words[1]), byte(c.words[1] >> 8)}, 0)
		if !ok || in.row.op != c.op || in.d != c.d || in.r != c.r || in.k != c.k || in.size != c.size {
			t.Errorf("%04x: %v %+v %+v", c.words, ok, in.row, in)
		}
	}
}

// TestFollowed: turns, cycles, and what leaves a bound open.
func TestFollowed(t *testing.T) {
	const ret, decR24, addAll = 0x9508, 0x958a, 0x0f88
	for _, c := range []struct {
		about  string
		words  []int
		cycles int64
		open   string
		turns  []int64
	}{
		{"return", []int{ret}, 4, "", nil},
		{"counter", []int{0xe083, decR24, 0xf7f1, ret}, 1 + 3 + 2*2 + 1 + 4, "", []int64{2}},
		{"counter of any value", []int{decR24, 0xf7f1, ret}, 256 + 255*2 + 1 + 4, "", []int64{255}},
		{"no counter", []int{addAll, 0x9180, 0x0100, 0x2388, 0xf7d9, ret}, 0, "no limit", nil},
		{"for ever", []int{0xcfff}, 0, "no limit", nil},
		{"recursion", []int{0xdfff, ret}, 0, "recursion", nil},
		{"pointer to a function", []int{0x9509, ret}, 0, "icall", nil},
		{"not in the table", []int{0x9588, ret}, 0, "no instruction", nil}, // sleep
		{"behind the end", []int{0}, 0, "no instruction", nil},
		{"a skip of two words", []int{0xfd80, 0x9180, 0x0100, ret}, 3 + 4, "", nil},
		{"a skip that is never made", []int{0xe080, 0xfd80, 0x0000, ret}, 1 + 2 + 4, "", nil},
		{"what is pushed is lost", []int{0x938f, ret}, 0, "on the stack", nil},
		{"what was not pushed is taken", []int{0x918f, ret}, 0, "more from the stack", nil},
		{"a counter that is pushed", []int{0xe083, 0x938f, 0x2788, 0x918f, decR24, 0xf7d9, ret}, 1 + 3*(2+1+2+1) + 2*2 + 1 + 4, "", []int64{2}},
		{"two entries of a loop", []int{0xfd80, 0xc001, decR24, 0x0000, 0xf7e9, ret}, 0, "several entries", nil},
	} {
		b, err := imageOf(c.words...).Of(context.Background(), "f", nil)
		if err != nil {
			t.Errorf("%s: %v", c.about, err)
			continue
		}
		if c.open != "" {
			if len(b.Open) == 0 || !strings.Contains(b.Open[0].Why, c.open) {
				t.Errorf("%s: %+v", c.about, b)
			}
			continue
		}
		var turns []int64
		for _, l := range b.Loops {
			turns = append(turns, l.Turns)
		}
		if len(b.Open) > 0 || b.Cycles != c.cycles || !slices.Equal(turns, c.turns) {
			t.Errorf("%s: %+v, want %d", c.about, b, c.cycles)
		}
	}
}

// TestArithmetic: results and flags are those of numbers, for all bytes.
func TestArithmetic(t *testing.T) {
	for a := range 256 {
		for b := range 256 {
			for c := range 2 {
				for _, op := range []string{"add", "adc", "sub", "sbc", "cp", "cpc"} {
					carry, sign := 0, 1
					if strings.HasSuffix(op, "c") && op != "sub" {
						carry = c
					}
					if op != "add" && op != "adc" {
						sign = -1
					}
					res, f := alu(op, uint8(a), uint8(b), uint8(c)|1<<flagZ)
					wide, short := a+sign*(b+carry), int(int8(a))+sign*(int(int8(b))+carry)
					want := uint8(0)
					for i, on := range []bool{wide < 0 || wide > 255, uint8(wide) == 0, int8(wide) < 0, short != int(int8(short)),
						short < 0, sign*(a&15+sign*(b&15+carry)) > 15*(1+sign)/2 && sign > 0 || sign < 0 && a&15 < b&15+carry} {
						if on {
							want |= 1 << i
						}
					}
					if res != uint8(wide) || f != want {
						t.Fatalf("%s %d %d %d: %d %06b, want %d %06b", op, a, b, c, res, f, uint8(wide), want)
					}
				}
			}
		}
	}
}

package extensions

import (
	"fmt"
	"strconv"

	"github.com/firmproof/firmproof/pipeline/ctoken"
)

var (
	packedQualifiers = []string{"const", "volatile"}
	packedTypes      = []string{"void", "char", "short", "int", "long", "float", "double", "signed", "unsigned", "_Bool"}
)

// packed gives a structure that is defined behind __packed no gaps, and any other type an alignment of one byte.
func (v *rewriter) packed(i int) {
	lo := v.next(i)
	for v.is(lo, packedQualifiers...) {
		lo = v.next(lo)
	}
	hi, name := lo, v.next(lo)
	switch {
	case v.is(lo, "struct", "union"):
		tagged := name < len(v.tokens) && v.tokens[name].kind == ctoken.Name
		if tagged && v.is(v.next(name), "{") {
			name = v.next(name)
		}
		if v.is(name, "{") {
			v.bitFields(name)
			v.tokens[i].text = ""
			v.tokens[lo].text += " __attribute__((packed))"
			return
		}
		hi = v.next(name)
	case v.is(lo, "enum"):
		hi = v.next(name)
	case v.is(lo, packedTypes...):
		for v.is(hi, packedTypes...) {
			hi = v.next(hi)
		}
	case lo < len(v.tokens) && v.tokens[lo].kind == ctoken.Name:
		hi = name
	default: // clang says that it does not know the word
		return
	}
	if v.is(hi, ":") || v.is(v.next(hi), ":") && v.depth > 0 {
		v.refuse(i, badBitField)
		return
	}
	v.types++
	alias := "packed_type_" + strconv.Itoa(v.types)
	of := v.take(lo, hi)
	for v.start < i && v.tokens[v.start].blank {
		v.start++
	}
	v.tokens[i].text = ""
	v.tokens[v.start].before += fmt.Sprintf("typedef %s %s __attribute__((aligned(1))); ", of, alias)
	v.tokens[lo].text = alias + " "
}

// containers maps names of types of bit-fields to their bits on all targets.
var containers = map[string]int{
	"char": 8, "uint8_t": 8, "int8_t": 8, "short": 16, "uint16_t": 16, "int16_t": 16, "uint32_t": 32, "int32_t": 32,
}

// bitFields refuses bit-fields of the packed structure whose body begins at open, unless those that stand together fill
// containers of their type and none crosses the end of one: compilers put others at different places.
func (v *rewriter) bitFields(open int) {
	bits, container := 0, 0 // of the bit-fields that stand together
	for i, end := v.next(open), v.mate(open); i < end && v.fault == nil; {
		next, widths, of := v.member(i, end)
		if bits > 0 && (len(widths) == 0 || of != container) {
			if bits%container != 0 {
				v.refuse(i, badBitField)
			}
			bits = 0
		}
		for _, w := range widths {
			if container = of; of == 0 || w <= 0 || bits%of+w > of {
				v.refuse(i, badBitField)
				return
			}
			bits += w
		}
		if i = next; i >= end && bits > 0 && bits%container != 0 {
			v.refuse(end, badBitField)
		}
	}
}

const badBitField = "bit-fields of a packed structure that do not fill containers of their type (uint8_t, uint16_t, " +
	"uint32_t, ...) lie where each compiler puts them: name all bits, or `build.exclude` the file"

// member returns the widths of the bit-fields that a declaration of members at i has (-1: not a number), the bits of
// their type, 0 for one that is not known, and where the next declaration begins.
func (v *rewriter) member(i, end int) (next int, widths []int, of int) {
	for ; i < end && !v.is(i, ";"); i = v.next(i) {
		switch {
		case v.is(i, "{", "[", "("):
			i = v.mate(i)
		case v.is(i, ":"):
			value := v.next(i)
			w, err := strconv.Atoi(v.tokens[value].text)
			if err != nil || !v.is(v.next(value), ";", ",") {
				w = -1
			}
			widths = append(widths, w)
		case len(widths) == 0 && containers[v.tokens[i].text] > 0:
			of = containers[v.tokens[i].text]
		}
	}
	return v.next(i), widths, of
}

package contract

import (
	"fmt"
	"path"
	"slices"
	"strings"
)

// Place is a place in the preprocessed text of a file.
type Place struct {
	File         string // without its folder, which compilers and reports name differently
	Line, Column int
}

// largestCompared is how many bytes structures may have that are compared; a comparison of larger ones is unsupported.
const largestCompared = 256

// findStructureComparisons finds the comparisons that the options name. Structures are the same for CBMC where all
// their bytes are, with those between members.
func (r *rewriter) findStructureComparisons() {
	for op, t := range r.toks {
		at := Place{path.Base(t.file), t.line, t.col + 1}
		if t.text != "==" && t.text != "!=" || !slices.Contains(r.o.Structures, at) {
			continue
		}
		lo, hi := r.before(op), r.behind(op)
		if lo < 0 || hi < 0 {
			continue // the compiler says that it does not take it
		}
		r.at[lo] = &region{end: hi, text: func() string { return r.sameBytes(lo, op, hi) }}
	}
}

// before is the first token of the operand in front of op, or -1.
func (r *rewriter) before(op int) int {
	for i := op - 1; i > 0; i-- {
		if m := r.mate[i]; m > i {
			return -1
		} else if m >= 0 {
			i = m
		}
		if i > 0 && slices.Contains(weakerBefore, r.toks[i-1].text) {
			return i
		}
	}
	return -1
}

// behind is the token behind the operand behind op, or -1.
func (r *rewriter) behind(op int) int {
	for i := op + 1; i < len(r.toks); i++ {
		if m := r.mate[i]; m > i {
			i = m
		} else if slices.Contains(weakerBehind, r.toks[i].text) {
			return i
		}
	}
	return -1
}

// sameBytes is the comparison lo..hi-1 at op in C.
func (r *rewriter) sameBytes(lo, op, hi int) string {
	a, b := r.name("left"), r.name("right")
	same := fmt.Sprintf("({ __typeof__(%[3]s) %[1]s = %[3]s; __typeof__(%[4]s) %[2]s = %[4]s; "+
		"_Static_assert(__builtin_types_compatible_p(__typeof__(%[1]s), __typeof__(%[2]s)) && "+
		"__builtin_classify_type(%[1]s) == 12, \"structures\"); "+
		"firmproof_contract_equal((const unsigned char *)&%[1]s, (const unsigned char *)&%[2]s, sizeof %[1]s); })",
		a, b, r.inline(lo, op), r.inline(op+1, hi))
	if r.toks[op].text == "!=" {
		return "(!" + same + ")"
	}
	return same
}

// comparison is C that compares bytes, by words as far as there are; no loop of it has to be unwound.
func comparison() string {
	var b strings.Builder
	b.WriteString("void firmproof_unsupported_comparison_of_a_large_structure(void);\n" +
		"__attribute__((no_sanitize(\"unsigned-integer-overflow\", \"implicit-conversion\"))) " +
		"static int firmproof_contract_equal(const unsigned char *p, const unsigned char *q, " + sizeType + " n) {")
	for k := 0; k < largestCompared; k += 8 {
		fmt.Fprintf(&b, "\nif (n >= %[1]d && *(const %[3]s *)(p + %[2]d) != *(const %[3]s *)(q + %[2]d)) return 0;",
			k+8, k, wordType)
	}
	b.WriteString("\np += n - n % 8; q += n - n % 8;")
	for k := range 7 {
		fmt.Fprintf(&b, "\nif (n %% 8 > %[1]d && p[%[1]d] != q[%[1]d]) return 0;", k)
	}
	fmt.Fprintf(&b, "\nif (n > %d) firmproof_unsupported_comparison_of_a_large_structure(); return 1; }\n",
		largestCompared)
	return b.String()
}

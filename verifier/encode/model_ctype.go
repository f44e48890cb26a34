package encode

import (
	"github.com/firmproof/firmproof/verifier/bits"
	"github.com/firmproof/firmproof/verifier/encode/memory"
	"github.com/firmproof/firmproof/verifier/ilr"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// isSmallest is x == -2^(w-1).
func (e *encoder) isSmallest(x ilr.Term) ilr.Term {
	return e.Eq(x, e.s.Const(bits.MinSigned(e.s.Width(x))))
}

// ctypeRanges are the characters of each class of ctype.h in the "C" locale (C17 7.4).
var ctypeRanges = map[string][][2]int64{
	"isalpha": {{'A', 'Z'}, {'a', 'z'}}, "isdigit": {{'0', '9'}}, "isalnum": {{'A', 'Z'}, {'a', 'z'}, {'0', '9'}},
	"isspace": {{' ', ' '}, {9, 13}},
	"isupper": {{'A', 'Z'}}, "islower": {{'a', 'z'}}, "isxdigit": {{'0', '9'}, {'a', 'f'}, {'A', 'F'}},
	"isprint": {{32, 126}},
	"ispunct": {{33, 47}, {58, 64}, {91, 96}, {123, 126}}, "iscntrl": {{0, 31}, {127, 127}}, "isgraph": {{33, 126}},
	"isblank": {{' ', ' '}, {'\t', '\t'}},
}

// ctype evaluates ctype.h. The argument must be an unsigned char or EOF.
func (c *modelCall) ctype() memory.Val {
	e, st := c.encoder, c.st
	e.checkDefined(c.fr, st, c.in, c.args[0], "argument of "+c.name)
	x := e.Num(c.args[0])
	w := e.s.Width(x)
	between := func(lo, hi int64) ilr.Term { return e.s.Ule(e.s.Sub(x, e.s.Int(w, lo)), e.s.Int(w, hi-lo)) }
	e.claimNot(c.fr, st, c.in, verdict.Builtin, e.s.Not(between(-1, 255)), true,
		"argument of "+c.name+" is neither an unsigned char nor EOF")
	if st.PC == nil {
		return memory.Val{}
	}
	const toLower = 'a' - 'A'
	switch c.name {
	case "toupper":
		return e.Scalar(e.s.Ite(between('a', 'z'), e.s.Sub(x, e.s.Int(w, toLower)), x))
	case "tolower":
		return e.Scalar(e.s.Ite(between('A', 'Z'), e.s.Add(x, e.s.Int(w, toLower)), x))
	}
	ranges, known := ctypeRanges[c.name]
	if !known {
		e.gap(st, c.in, verdict.Unsupported, "call of %s", c.name)
		return memory.Val{}
	}
	in := e.s.False()
	for _, r := range ranges {
		in = e.s.Or(in, between(r[0], r[1]))
	}
	return c.nonZero(in)
}

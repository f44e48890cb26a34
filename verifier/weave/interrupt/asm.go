package interrupt

import (
	"strconv"
	"strings"
	"unicode"

	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/weave/irbuild"
)

// asmInstr is one instruction of an inline assembly template, in lower case.
type asmInstr struct {
	op   string
	args []string
}

// asmSyntax is the syntax of an assembler: the beginnings of a comment, and what
// separates instructions of one line (gas manual, Machine Dependencies; in LLVM's
// templates a dollar is written twice).
type asmSyntax struct {
	comments   []string
	separators []string
	immediate  string // in front of a number that is an operand: without it, the number is an address
	optional   bool   // the mark may be left out
}

// parse splits a template into instructions. labels reports whether it defines any: then
// control may come to an instruction in another way than from the one before.
func (s asmSyntax) parse(template string) (list []asmInstr, labels bool) {
	for _, line := range strings.Split(ir.WithoutBlockComments(template), "\n") {
		if t := strings.TrimSpace(line); strings.HasPrefix(t, "#") { // a comment everywhere, at the begin of a line
			continue
		}
		for _, c := range s.comments {
			line, _, _ = strings.Cut(line, c)
		}
		for _, sep := range s.separators {
			line = strings.ReplaceAll(line, sep, "\x00")
		}
		for _, stmt := range strings.Split(line, "\x00") {
			stmt = strings.ToLower(strings.TrimSpace(stmt))
			for {
				label, rest, ok := strings.Cut(stmt, ":")
				if !ok || strings.ContainsFunc(label, notInSymbol) {
					break
				}
				labels, stmt = true, strings.TrimSpace(rest)
			}
			if stmt != "" {
				list = append(list, oneInstr(stmt))
			}
		}
	}
	return list, labels
}

func notInSymbol(r rune) bool {
	return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("_.", r)
}

func oneInstr(stmt string) asmInstr {
	i := strings.IndexFunc(stmt, unicode.IsSpace)
	if i < 0 {
		return asmInstr{op: stmt}
	}
	in := asmInstr{op: stmt[:i]}
	for _, a := range strings.Split(stmt[i:], ",") {
		in.args = append(in.args, strings.TrimSpace(a))
	}
	return in
}

// arg is operand i, or empty.
func (a asmInstr) arg(i int) string {
	if i >= 0 && i < len(a.args) {
		return a.args[i]
	}
	return ""
}

// last is the last operand, or empty.
func (a asmInstr) last() string { return a.arg(len(a.args) - 1) }

// asmOperands says what the operands of an inline assembly call stand for (LangRef:
// Inline Asm Constraint String).
type asmOperands struct {
	syntax  asmSyntax
	in      *ir.Instr
	list    []asmInstr
	outputs int
	overlap bool             // an output's register may be that of an input, and is written before all inputs are read
	args    map[int]ir.Value // by operand number: the input, or what the output holds at first
	uses    map[int]int      // how often the template names an operand
}

func operandsOf(s asmSyntax, in *ir.Instr, list []asmInstr) asmOperands {
	nothing := asmOperands{syntax: s, in: in, list: list}
	o := asmOperands{syntax: s, in: in, list: list, args: map[int]ir.Value{}, uses: map[int]int{}}
	for _, i := range list {
		for _, a := range i.args {
			if n, ok := operandNumber(a); ok {
				o.uses[n]++
			} else if strings.Contains(a, "$") && !strings.HasPrefix(a, "$$") {
				return nothing // within an address or an expression: nothing is known of any
			}
		}
	}
	number, arg := 0, 0
	for _, c := range strings.Split(in.Asm.Constraints, ",") {
		if c == "" || strings.HasPrefix(c, "~") {
			continue
		}
		if strings.HasPrefix(c, "=") {
			o.overlap = o.overlap || len(list) > 1 && !strings.HasPrefix(c, "=&")
			o.outputs++
			number++
			continue
		}
		if arg >= len(in.Args) {
			return nothing
		}
		if tied, err := strconv.Atoi(c); err == nil {
			o.args[tied] = in.Args[arg]
		} else if !strings.Contains(c, "*") {
			o.args[number] = in.Args[arg]
		}
		number++
		arg++
	}
	if arg != len(in.Args) { // outputs through pointers were taken out of the constraints
		return nothing
	}
	return o
}

// operandNumber reads $1 and ${1:w}.
func operandNumber(s string) (int, bool) {
	s, ok := strings.CutPrefix(s, "$")
	if t, braced := strings.CutPrefix(s, "{"); braced {
		s, _, _ = strings.Cut(strings.TrimSuffix(t, "}"), ":")
	}
	n, err := strconv.Atoi(s)
	return n, ok && err == nil
}

// value returns the content of an operand of an instruction: an input that nothing else in the
// template names, or a number. nil if it is not known.
func (o asmOperands) value(arg string) ir.Value {
	if n, ok := operandNumber(arg); ok {
		v := o.args[n]
		k, _ := v.(*ir.Const)
		constant := k != nil && k.Kind == ir.ConstInt
		switch {
		case v == nil || !v.Type().IsInt():
			return nil
		case n < o.outputs || !constant:
			if o.uses[n] > 1 || o.overlap {
				return nil
			}
		}
		return v
	}
	digits, marked := strings.CutPrefix(arg, o.syntax.immediate)
	if n, ok := asmNumber(digits); ok && (marked || o.syntax.optional) {
		return (&irbuild.Builder{}).Int(ir.Int(64), n)
	}
	return nil
}

// number is the constant that an operand is.
func (o asmOperands) number(arg string) (int64, bool) {
	if k, ok := o.value(arg).(*ir.Const); ok && k.Kind == ir.ConstInt {
		n, fits := k.Bits.Int64()
		return n, fits
	}
	return 0, false
}

// isOutput reports whether arg is the only output, which nothing else in the template
// names.
func (o asmOperands) isOutput(arg string) bool {
	n, ok := operandNumber(arg)
	return ok && n == 0 && o.outputs == 1 && o.uses[0] == 1 && o.in.T.IsInt()
}

// asmNumber reads a number: 8, (8), 0x8, 1<<3, 1|2.
func asmNumber(s string) (int64, bool) {
	for strings.HasPrefix(s, "(") && strings.HasSuffix(s, ")") {
		s = strings.TrimSpace(s[1 : len(s)-1])
	}
	for _, op := range []string{"|", "<<"} {
		x, y, ok := strings.Cut(s, op)
		if !ok {
			continue
		}
		a, okA := asmNumber(strings.TrimSpace(x))
		b, okB := asmNumber(strings.TrimSpace(y))
		switch {
		case !okA || !okB || strings.ContainsAny(s, "()"):
			return 0, false
		case op == "|":
			return a | b, true
		}
		return a << (b & 63), b >= 0 && b < 63
	}
	n, err := strconv.ParseInt(s, 0, 64)
	if err != nil {
		return 0, false
	}
	return n, true
}

package dialect

import (
	"fmt"
	"slices"
	"strings"
)

// instruction rewrites an instruction: `[%x =] OP ...`.
func (n *normaliser) instruction(ts []token) ([]token, bool) {
	result, op := "", 0
	if len(ts) > 2 && ts[0].kind == local && ts[1].is("=") {
		result, op = ts[0].text, 2
	}
	if op >= len(ts) {
		return ts, false
	}
	if ts[op].is("tail") || ts[op].is("musttail") || ts[op].is("notail") {
		op++
	}
	if op >= len(ts) || ts[op].kind != word {
		return ts, false
	}
	switch ts[op].text {
	case "call", "invoke":
		return n.call(ts, result, op)
	case "trunc", "zext", "uitofp", "or":
		return n.flagged(ts, result, op)
	case "icmp":
		if changed, done := n.flagged(ts, result, op); done {
			return changed, true
		}
		return compared(ts, op)
	case "fpext", "fptrunc", "sitofp":
		return n.relaxed(ts, result, op)
	case "atomicrmw":
		return n.atomic(ts, result, op)
	}
	return ts, false
}

// flagged writes out when an instruction with flags that LLVM 14 does not have is poison (LangRef: trunc, zext, uitofp,
// or, icmp).
func (n *normaliser) flagged(ts []token, result string, op int) ([]token, bool) {
	var flags []string
	at := op + 1
	for at < len(ts) && slices.Contains([]string{"nuw", "nsw", "nneg", "disjoint", "samesign"}, ts[at].text) {
		flags = append(flags, ts[at].text)
		at++
	}
	if len(flags) == 0 {
		return ts, false
	}
	plain := slices.Delete(slices.Clone(ts), op+1, at)
	operands, notes := behind(plain, op+1)
	parts := split(operands)
	what := ts[op].text
	first := parts[0]
	predicate := ""
	if what == "icmp" {
		predicate, first = first[0].text, first[1:]
	}
	end := skipType(first, 0)
	from, a := bare(first[:end]), ""
	to, b := from, ""
	switch {
	case end == 0 || end >= len(first):
		return ts, false // no instruction
	case len(parts) == 2:
		a, b = bare(first[end:]), bare(parts[1])
	case len(first) > end+2 && first[end+1].is("to"):
		a, to = bare(first[end:end+1]), bare(first[end+2:])
	default: // of a constant expression
		n.refuse(what + " with flags of a constant")
		return ts, false
	}
	if predicate != "" {
		to = boolean(from)
	}
	e := expansion{n: n, notes: notes}
	value := n.name("firmproof.")
	if predicate != "" {
		e.line(value, "icmp %s %s %s, %s", predicate, from, a, b)
	} else if b != "" {
		e.line(value, "%s %s %s, %s", what, from, a, b)
	} else {
		e.line(value, "%s %s %s to %s", what, from, a, to)
	}
	for _, f := range flags {
		ok := n.name("firmproof.")
		e.holds(ok, what, f, from, to, a, b, value)
		next := n.name("firmproof.")
		if f == flags[len(flags)-1] {
			next = result
		}
		e.line(next, "select %s %s, %s %s, %s poison", boolean(from), ok, to, value, to)
		value = next
	}
	return lex(ts[0].before + e.String()), true
}

// compared gives a variable whose address is compared with that of a constant expression the type of all addresses: llir
// wants the second operand to be of the first one's.
func compared(ts []token, op int) ([]token, bool) {
	const kind = 2 // of the operands, behind the predicate
	end := skipType(ts, op+kind)
	if end+2 >= len(ts) || !ts[op+kind].is("ptr") || ts[end].kind != global || !ts[end+1].is(",") ||
		!slices.Contains([]string{"getelementptr", "inttoptr", "addrspacecast", "bitcast"}, ts[end+2].text) {
		return ts, false
	}
	of := bare(ts[op+kind : end])
	return lex(fmt.Sprintf("%s bitcast (%s %s to %s)%s", join(ts[:end]), of, ts[end].text, of, join(ts[end+1:]))), true
}

// expansion is the instructions that stand for one, on its line.
type expansion struct {
	strings.Builder
	n     *normaliser
	notes string // attachments of the instruction
}

func (e *expansion) line(result, format string, args ...any) {
	if e.Len() > 0 {
		e.WriteString("  ")
	}
	fmt.Fprintf(e, "%s = %s%s", result, fmt.Sprintf(format, args...), e.notes)
}

// holds computes in ok whether a flag's promise is kept.
func (e *expansion) holds(ok, op, flag, from, to, a, b, value string) {
	t := e.n.name("firmproof.")
	zero := "0"
	if strings.HasPrefix(from, "<") {
		zero = "zeroinitializer"
	}
	switch {
	case op == "trunc" && flag == "nuw": // the bits that are cut off are zero
		e.line(t, "zext %s %s to %s", to, value, from)
		e.line(ok, "icmp eq %s %s, %s", from, t, a)
	case op == "trunc":
		e.line(t, "sext %s %s to %s", to, value, from)
		e.line(ok, "icmp eq %s %s, %s", from, t, a)
	case flag == "disjoint": // no bit is set in both
		e.line(t, "and %s %s, %s", from, a, b)
		e.line(ok, "icmp eq %s %s, %s", from, t, zero)
	case flag == "samesign" && strings.Contains(from, "ptr"):
		e.n.refuse("icmp samesign of pointers")
	case flag == "samesign":
		e.line(t, "xor %s %s, %s", from, a, b)
		e.line(ok, "icmp sge %s %s, %s", from, t, zero)
	default: // nneg
		e.line(ok, "icmp sge %s %s, %s", from, a, zero)
	}
}

// boolean returns the type of a comparison of values of a type.
func boolean(from string) string {
	if count, _, vector := strings.Cut(from, " x "); vector && strings.HasPrefix(from, "<") {
		return count + " x i1>"
	}
	return "i1"
}

// behind returns the operands from `from` on, and the attachments behind them as text.
func behind(ts []token, from int) (operands []token, notes string) {
	for i := from; i+1 < len(ts); i++ {
		if ts[i].is(",") && ts[i+1].kind == node {
			end := len(ts)
			if last := ts[end-1]; last.kind == comment {
				end--
			}
			return ts[from:i], join(ts[i:end])
		}
	}
	if last := ts[len(ts)-1]; last.kind == comment {
		ts = ts[:len(ts)-1]
	}
	return ts[from:], ""
}

var fastFlags = []string{"nnan", "ninf", "nsz", "arcp", "contract", "afn", "reassoc", "fast"}

// relaxed moves flags of floating point from a conversion, where LLVM 14 has none, to an addition of -0.0, which changes
// no number (IEEE 754-2019, 6.3) and has the same meaning with these flags. `contract` allows nothing of a conversion.
func (n *normaliser) relaxed(ts []token, result string, op int) ([]token, bool) {
	at := op + 1
	var flags []string
	for at < len(ts) && slices.Contains(fastFlags, ts[at].text) {
		if ts[at].text != "contract" {
			flags = append(flags, ts[at].text)
		}
		at++
	}
	if at == op+1 {
		return ts, false
	}
	ts = slices.Delete(ts, op+1, at)
	to := find(ts, op, "to")
	if len(flags) == 0 || to < 0 {
		return ts, true
	}
	operands, notes := behind(ts, to+1)
	kind := bare(operands)
	zero := "-0.0"
	if strings.HasPrefix(kind, "<") {
		count := 0
		fmt.Sscanf(kind, "<%d", &count)
		_, element, _ := strings.Cut(strings.TrimSuffix(kind, ">"), " x ")
		one := element + " -0.0"
		zero = "<" + strings.Repeat(one+", ", max(0, count-1)) + one + ">"
	}
	exact := n.name("firmproof.")
	out := ts[0].before + exact + join(ts[1:to+1]) + join(operands) + notes +
		fmt.Sprintf("  %s = fadd %s %s %s, %s%s", result, strings.Join(flags, " "), kind, exact, zero, notes)
	return lex(out), true
}

// newOperations are those of atomicrmw that LLVM 14 does not have.
var newOperations = []string{"uinc_wrap", "udec_wrap", "usub_cond", "usub_sat", "fmax", "fmin", "fmaximum", "fminimum",
	"fmaximumnum", "fminimumnum"}

// atomic gives the address of an atomicrmw the type of its operand, from which llir takes the type of the result. A new
// operation becomes a call of what is not modelled.
func (n *normaliser) atomic(ts []token, result string, op int) ([]token, bool) {
	operation := op + 1
	if operation < len(ts) && ts[operation].is("volatile") {
		operation++
	}
	operands, notes := behind(ts, operation+1)
	parts := split(operands)
	if len(parts) < 2 {
		return ts, false
	}
	address, operand := parts[0], parts[1]
	kind := bare(operand[:skipType(operand, 0)])
	if slices.Contains(newOperations, ts[operation].text) {
		return n.unmodelled(ts[0].before, result, kind, "atomicrmw "+ts[operation].text, notes), true
	}
	if !address[0].is("ptr") || kind == "i8" { // what ptr becomes is an address of that
		return ts, false
	}
	if kind == "ptr" {
		kind = "i8*" // "ptr addrspace(1)*" would be another type
	}
	typed := n.name("firmproof.")
	to := kind + join(address[1:skipType(address, 0)]) + "*" // of the same address space
	rest := operation + 1 + len(address)
	return lex(fmt.Sprintf("%s%s = bitcast %s to %s%s  %s %s %s%s", ts[0].before, typed, bare(address), to, notes,
		bare(ts[:operation+1]), to, typed, join(ts[rest:]))), true
}

// unmodelled returns a call that stands for an instruction which is not modelled.
func (n *normaliser) unmodelled(before, result, kind, what, notes string) []token {
	n.fresh++
	callee := fmt.Sprintf("@%q", fmt.Sprintf("%s%d|%s", UnmodelledPrefix, n.fresh, what))
	kind = strings.ReplaceAll(kind, "ptr", "i8*")
	n.declared = append(n.declared, fmt.Sprintf("declare %s %s()", kind, callee))
	call := fmt.Sprintf("call %s %s()%s", kind, callee, notes)
	if result != "" {
		call = result + " = " + call
	}
	return lex(before + call)
}

// gepFlags rewrites the flags of getelementptr. With inbounds, nusw says nothing more (LangRef: getelementptr). What nuw
// adds is noted as an attachment of an instruction; of a constant it is checked here. inrange limits what may be
// reached from tables of virtual functions, which only the compiler reads.
func (n *normaliser) gepFlags(ts []token, instruction bool) ([]token, bool) {
	changed, result := false, ""
	if len(ts) > 1 && ts[0].kind == local && ts[1].is("=") {
		result = ts[0].text
	}
	for i := 0; i < len(ts); i++ {
		if !ts[i].is("getelementptr") {
			continue
		}
		own := instruction && i == 2 && result != ""
		inbounds, nuw, nusw := false, false, false
		end := i + 1
		for end < len(ts) {
			switch {
			case ts[end].is("inbounds"):
				inbounds = true
			case ts[end].is("nuw"):
				nuw = true
			case ts[end].is("nusw"):
				nusw = true
			case ts[end].is("inrange") && end+1 < len(ts) && ts[end+1].is("("):
				end, changed = closing(ts, end+1), true
			default:
				goto read
			}
			end++
		}
	read:
		if end > i+1 && (nuw || nusw || !inbounds) {
			changed = true
		}
		if !own && end < len(ts) && ts[end].is("(") && nuw && negative(ts[end:closing(ts, end)]) || !own && nusw && !inbounds {
			n.refuse("a constant getelementptr with nuw or nusw")
		}
		if own && !inbounds && (nuw || nusw) {
			_, notes := behind(ts, end)
			return n.unmodelled(ts[0].before, result, "ptr", "getelementptr with nuw or nusw and without inbounds",
				notes), true
		}
		var flags []token
		if inbounds {
			flags = []token{{word, " ", "inbounds"}}
		}
		if changed {
			ts = slices.Replace(ts, i+1, end, flags...)
		}
		if own && nuw {
			at := len(ts)
			if ts[at-1].kind == comment {
				at--
			}
			ts = slices.Insert(ts, at, lex(", !"+NoUnsignedWrap+" !{}")...)
		}
	}
	return ts, changed
}

// negative reports a number below zero.
func negative(ts []token) bool {
	return slices.ContainsFunc(ts, func(t token) bool { return t.kind == word && strings.HasPrefix(t.text, "-") })
}

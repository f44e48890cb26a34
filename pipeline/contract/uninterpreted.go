package contract

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// uninterpretedPrefix begins the names of functions without a body that CBMC takes for mathematical ones: any result,
// and the same one for the same arguments.
const uninterpretedPrefix = "__CPROVER_uninterpreted_"

// mostValues is how many arguments such a function is asked for; what asks for more is unsupported.
const mostValues = 64

// uninterpretedDeclaration notes the declaration in tokens start..end-1, if it is one of such a function.
func (r *rewriter) uninterpretedDeclaration(start, end int) {
	name, params := r.declarator(start, end)
	if _, base, ok := strings.Cut(name, uninterpretedPrefix); ok && params > 0 && r.find(start, params, "=") < 0 {
		r.mathematical[base] = &function{name: name, head: start, params: params}
	}
}

// uninterpreted defines the functions of the unit that CBMC takes for mathematical ones. A definition of another unit
// wins.
func (r *rewriter) uninterpreted() string {
	var b strings.Builder
	for _, base := range slices.Sorted(maps.Keys(r.mathematical)) {
		if f := r.mathematical[base]; !r.known[f.name] && r.toks[f.head].text != "typedef" && !r.isVoid(f) {
			b.WriteString(r.remembering(f, base))
		}
	}
	return b.String()
}

// remembering is the definition of f: a table of the arguments that it was called with, each with its result; "" if
// its parameters are not of a simple form. The table is kept by a function of the runtime, whose writes no assigns
// clause is asked about.
func (r *rewriter) remembering(f *function, base string) string {
	params, names, ok := r.namedParameters(f.params)
	if !ok {
		return ""
	}
	args := strings.Join(names, ", ")
	result := fmt.Sprintf("__typeof__(((void)0, %s(%s)))", f.name, args)
	var tables, steps, equal, keep strings.Builder
	for k, n := range names {
		fmt.Fprintf(&tables, " static __typeof__(((void)0, (%s))) firmproof_contract_given%d[%d];", n, k, mostValues)
		fmt.Fprintf(&equal, " && firmproof_contract_given%d[%%[1]d] == %s", k, n)
		fmt.Fprintf(&keep, " firmproof_contract_given%d[%%[1]d] = %s;", k, n)
	}
	step := "\nif (firmproof_contract_known == %[1]d) { firmproof_contract_known = %[1]d + 1;" + keep.String() +
		" return firmproof_contract_values[%[1]d] = firmproof_ret; } if (1" + equal.String() +
		") return firmproof_contract_values[%[1]d];"
	for k := range mostValues {
		fmt.Fprintf(&steps, step, k)
	}
	inner := "firmproof_contract_uninterpreted_" + base
	return r.placed(f.head, f.params, r.weak(f, inner, params)+fmt.Sprintf(
		" { static int firmproof_contract_known;%s static %s firmproof_contract_values[%d]; %s %s "+
			"firmproof_unsupported_uninterpreted_function_with_more_arguments(); return firmproof_ret; }",
		tables.String(), result, mostValues, anyResult(result), steps.String())) +
		r.placed(f.head, f.params, r.weak(f, f.name, params)+fmt.Sprintf(" { return %s(%s); }\n", inner, args))
}

// weak is the head of a definition like that of f, with another name, which any other definition wins over.
func (r *rewriter) weak(f *function, name, params string) string {
	return "__attribute__((weak)) " + r.resultAndName(f, name) + "(" + params + ")"
}

// namedParameters are the parameters in the parenthesis at open, each with a name; false if that cannot be told.
func (r *rewriter) namedParameters(open int) (params string, names []string, ok bool) {
	names = r.parameterNames(open)
	if len(names) == 0 {
		return "void", nil, r.mate[open] == open+2
	}
	var list []string
	for k, a := range r.arguments(open) {
		text := r.inline(a[0], a[1])
		if names[k] == "" {
			if last := r.toks[a[1]-1]; last.text != "*" && !last.isWord() {
				return "", nil, false
			}
			names[k] = fmt.Sprintf("firmproof_contract_arg%d", k)
			text += " " + names[k]
		}
		list = append(list, text)
	}
	return strings.Join(list, ", "), names, true
}

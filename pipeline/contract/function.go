package contract

import (
	"fmt"
	"sort"
	"strings"
)

// Names of the functions made for function f.
const (
	checkPrefix = "__firmproof_check_"
	usePrefix   = "__firmproof_use_"
	bodyPrefix  = "__firmproof_body_"
)

// wrappers are the functions that stand for those with contracts, and the predicates
// that they call.
func (r *rewriter) wrappers() string {
	var b strings.Builder
	for _, f := range r.funcs {
		for _, w := range r.asked(f) {
			b.WriteString(r.wrapper(f, w))
		}
	}
	if b.Len() == 0 {
		return ""
	}
	return r.liftedCopies() + b.String() + "\n"
}

// use is one use of a contract: for function, as a check or in its place.
type use struct {
	function string
	replace  bool
}

// asked lists the uses of f's contract.
func (r *rewriter) asked(f *function) []use {
	names := map[string]bool{f.name: true}
	if r.o.Aliases != nil {
		for _, n := range r.o.Aliases(r.toks[f.clauses.any()].file, f.name) {
			names[n] = true
		}
	}
	var out []use
	for fn, c := range r.o.Check {
		if names[c] {
			out = append(out, use{function: fn})
		}
	}
	for fn, c := range r.o.Replace {
		if names[c] {
			out = append(out, use{function: fn, replace: true})
		}
	}
	sort.Slice(out, func(i, j int) bool {
		if out[i].replace != out[j].replace {
			return out[j].replace
		}
		return out[i].function < out[j].function
	})
	return out
}

// any is the place of one of the clauses, the first of those named first.
func (f clausesByKind) any() int {
	for _, k := range []string{"requires", "assigns", "ensures", "frees", "requires_contract", "ensures_contract",
		"invariant", "decreases"} {
		if len(f[k]) > 0 {
			return f[k][0].at
		}
	}
	return 0
}

// wrapper is the function that stands for u.function.
func (r *rewriter) wrapper(f *function, u use) string {
	at := f.clauses.any()
	prefix := checkPrefix
	if u.replace {
		prefix = usePrefix
	}
	key := prefix + u.function
	if r.made[key] {
		return ""
	}
	r.made[key] = true
	if f.params == 0 {
		r.fail(at, "the contract of %s belongs to a declaration that is not of a simple form", u.function)
		return ""
	}
	for _, kind := range []string{"requires_contract", "ensures_contract"} {
		if len(f.clauses[kind]) > 0 {
			r.fail(f.clauses[kind][0].at, "contracts of function pointers (%s) are not followed", kind)
			return ""
		}
	}
	for _, n := range f.names {
		if n == "" {
			r.fail(f.params, "a parameter of %s has no name", f.name)
			return ""
		}
	}
	old := r.ctx
	defer func() { r.ctx = old }()
	r.ctx = &context{olds: &[]history{}}
	var body string
	if u.replace {
		body = r.replacing(f)
	} else {
		body = r.checking(f, u)
	}
	return r.placed(f.head, f.params, r.headOf(f, key)) + " {" + body + "\n}\n"
}

// headOf is the declaration of f with another name. Where a clause calls a function
// of another file, which may give values to pointers, any other definition wins.
func (r *rewriter) headOf(f *function, name string) string {
	head := r.resultAndName(f, name)
	if !r.complete(f) {
		head = "__attribute__((weak)) " + head
	}
	return head + "(" + r.inline(f.params+1, r.mate[f.params]) + ")"
}

// resultAndName is the declaration of f up to its parameters, with another name and without a storage class.
func (r *rewriter) resultAndName(f *function, name string) string {
	var b strings.Builder
	for i := f.head; i < f.params; i++ {
		switch t := r.toks[i].text; t {
		case "static", "extern", "inline", "__inline", "__inline__", "_Noreturn":
		case f.name:
			b.WriteString(" " + name)
		default:
			b.WriteString(" " + t)
		}
	}
	return b.String()
}

// complete reports whether the unit defines the functions that f's clauses call.
func (r *rewriter) complete(f *function) bool {
	for _, list := range f.clauses {
		for _, c := range list {
			for i := c.lo; i+1 < c.hi; i++ {
				if t := r.toks[i]; t.isWord() && r.toks[i+1].text == "(" && t.text != "sizeof" &&
					!strings.HasPrefix(t.text, "__") && !r.known[t.text] {
					return false
				}
			}
		}
	}
	return true
}

// isVoid reports whether f has no result.
func (r *rewriter) isVoid(f *function) bool {
	void := false
	for i := f.head; i < f.params; i++ {
		switch t := r.toks[i].text; {
		case t == "__attribute__":
			i = max(i, r.mate[i+1])
		case t == "*":
			return false
		case t == "void":
			void = true
		}
	}
	return void
}

// The modes that predicates look at.
const (
	assumeRequires = iota + 1
	assumeEnsures
	assertRequires
	assertEnsures
)

// stated is a list of clauses, assumed or asserted.
func (r *rewriter) stated(list []clause, mode int, what string) string {
	var b strings.Builder
	fmt.Fprintf(&b, " firmproof_contract_mode = %d;", mode)
	for _, c := range list {
		p := asserted
		if mode == assumeRequires || mode == assumeEnsures {
			p = assumed
		}
		r.mark(c.lo, c.hi, p)
		e := r.inline(c.lo, c.hi)
		if mode == assumeRequires || mode == assumeEnsures {
			b.WriteString(r.placed(c.at, c.hi, fmt.Sprintf("firmproof_contract_assume(%s);", e)))
		} else {
			b.WriteString(r.placed(c.at, c.hi, fmt.Sprintf("firmproof_contract_assert((%s), \"%s\");", e, what)))
		}
	}
	return b.String() + " firmproof_contract_mode = 0;"
}

// checking is the body of the function that holds f to its contract.
func (r *rewriter) checking(f *function, u use) string {
	requires := r.stated(f.clauses["requires"], assumeRequires, "")
	ensures := r.stated(f.clauses["ensures"], assertEnsures, "ensures clause of "+f.name)
	declare, take := r.snapshots(*r.ctx.olds)
	frame, _ := r.targets(r.listed(f.clauses["assigns"]), "&firmproof_contract_frame", inFrame)
	frame += r.freed(f.clauses["frees"], "&firmproof_contract_frame", inFrame)
	again := fmt.Sprintf(
		"firmproof_contract_assert(0, \"%s calls itself: CHECK_FUNCTION_CONTRACTS_REC lets its contract stand for such calls\");", f.name)
	if r.o.Recursive[u.function] {
		inner := r.ctx
		r.ctx = &context{olds: &[]history{}}
		again = r.replacing(f)
		r.ctx = inner
	}
	call := fmt.Sprintf("%s%s(%s)", bodyPrefix, u.function, strings.Join(f.names, ", "))
	if !r.isVoid(f) {
		call = fmt.Sprintf("%s firmproof_ret = %s", r.resultType(f, bodyPrefix+u.function), call)
	}
	end := ""
	if !r.isVoid(f) {
		end = " return firmproof_ret;"
	}
	return fmt.Sprintf(" extern __typeof__(%s) %s%s; static int firmproof_contract_busy; if (firmproof_contract_busy) { %s } firmproof_contract_fresh(); struct firmproof_frame firmproof_contract_frame; firmproof_contract_open(&firmproof_contract_frame); %s%s%s%s%s"+
		"{ firmproof_contract_enter(&firmproof_contract_frame); firmproof_contract_busy = 1; } %s; firmproof_contract_busy = 0; firmproof_contract_leave(&firmproof_contract_frame);%s%s",
		f.name, bodyPrefix, u.function, again, declare, requires, take, frame, r.back(f.head), call, ensures, end)
}

// resultType is the type of what a function gives, without qualifiers.
func (r *rewriter) resultType(f *function, name string) string {
	return fmt.Sprintf("__typeof__(((void)0, %s(%s)))", name, strings.Join(f.names, ", "))
}

// replacing returns what stands for a call of f up to its return.
func (r *rewriter) replacing(f *function) string {
	requires := r.stated(f.clauses["requires"], assertRequires, "requires clause of "+f.name)
	ensures := r.stated(f.clauses["ensures"], assumeEnsures, "")
	declare, take := r.snapshots(*r.ctx.olds)
	note, havoc := r.targets(r.listed(f.clauses["assigns"]), "&firmproof_contract_frame", inCaller)
	note += r.freed(f.clauses["frees"], "&firmproof_contract_frame", inCaller)
	result := ""
	if !r.isVoid(f) {
		result = " " + anyResult(r.resultType(f, f.name))
	}
	return fmt.Sprintf(" firmproof_contract_fresh(); struct firmproof_frame firmproof_contract_frame; firmproof_contract_open(&firmproof_contract_frame); %s%s%s%s%s%s%s%s",
		declare, requires, take, note, havoc, result, ensures, r.ending(f))
}

// anyResult declares a result of a type with any value; a truth value is 0 or 1.
func anyResult(typ string) string {
	return typ + " firmproof_ret; firmproof_contract_havoc(&firmproof_ret, sizeof firmproof_ret); " +
		"if (__builtin_types_compatible_p(__typeof__(firmproof_ret), _Bool)) *(unsigned char *)&firmproof_ret &= 1;"
}

// ending leaves a function that stands for f.
func (r *rewriter) ending(f *function) string {
	if r.isVoid(f) {
		return " return;"
	}
	return " return firmproof_ret;"
}

// CheckName is the function that holds fn to its contract.
func CheckName(fn string) string { return checkPrefix + fn }

// UseName is the function that stands for fn by its contract.
func UseName(fn string) string { return usePrefix + fn }

// BodyName returns what fn is called itself, where another function stands for it.
func BodyName(fn string) string { return bodyPrefix + fn }

// Stands gives the function that one of the names above was made of.
func Stands(name string) (fn string, ok bool) {
	for _, p := range []string{checkPrefix, usePrefix} {
		if fn, ok := strings.CutPrefix(name, p); ok {
			return fn, true
		}
	}
	return "", false
}

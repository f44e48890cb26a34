// Package contract gives CBMC's additions to C a meaning that clang can compile:
// function contracts, loop contracts, the predicates of their clauses, quantifiers
// and the operators ==> and <==>. It changes the preprocessed text of a unit;
// positions stay, by line markers.
//
// A contract that is to be checked becomes a function around the body,
//
//	T __firmproof_check_f(params) { assume(requires); frame(assigns); r = __firmproof_body_f(params); assert(ensures); return r; }
//
// one that stands for its function the opposite,
//
//	T __firmproof_use_f(params) { assert(requires); havoc(assigns); assume(ensures); return r; }
//
// and a loop with clauses makes two turns (CBMC: dfcc, natural loops): the first from
// its begin; then the code in front of its condition asserts that the invariant held at
// the begin, havocs what the loop assigns and assumes the invariant; coming back once
// more it asserts the invariant and that the measure fell, and ends the path. Redirect makes the
// calls of f go to these functions. The frame is held to by the checks that
// weave.Assigns puts in front of writes.
//
// What has no meaning here is an *Error with its place, never left out. Clauses of
// contracts that nobody asked for say nothing, as for CBMC; outside of proofs for CBMC
// (Options.Plain) loops assert their invariants at each turn, and what is left is listed.
package contract

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
)

// Options say which contracts are used, and how.
type Options struct {
	Check      map[string]string // function: the function whose contract its body is held to
	Recursive  map[string]bool   // of those: calls from within stand for the contract
	Replace    map[string]string // function: the function whose contract stands for it
	Loops      bool              // loops are seen through their contracts
	Plain      bool              // nobody says how they are used: loops assert them, and Refused lists the rest
	ObjectBits int               // CBMC's --object-bits: limits the size of objects; 0: 8
	PtrBits    int               // of the target
	Structures []Place           // where structures are compared by == or !=, which clang does not take

	// Aliases gives further names that a function of a file may be asked for by.
	Aliases func(file, fn string) []string
}

// Error is a construct that has no meaning here.
type Error struct {
	File         string
	Line, Column int
	Message      string
}

// Error is `file:line:column: message`.
func (e *Error) Error() string {
	return fmt.Sprintf("%s:%d:%d: %s", e.File, e.Line, e.Column, e.Message)
}

var syntax = regexp.MustCompile(`==>|\b__CPROVER_(requires|ensures|assigns|frees|requires_contract|ensures_contract|` +
	`loop_invariant|decreases|loop_entry|forall|exists|old|return_value|is_fresh|pointer_in_range_dfcc|` +
	`pointer_equals|POINTER_OBJECT)\b|\b__CPROVER_uninterpreted_`)

// Needed reports whether a text has what clang does not take.
func Needed(text []byte) bool {
	return bytes.Contains(text, []byte("==>")) || bytes.Contains(text, []byte("__CPROVER_")) && syntax.Match(text)
}

// Needs reports whether a text has what clang does not take, for all that the options know.
func (o *Options) Needs(text []byte) bool { return o != nil && len(o.Structures) > 0 || Needed(text) }

// rewriter holds one unit.
type rewriter struct {
	o     Options
	toks  []token
	mate  []int
	at    map[int]*region
	funcs []*function // with clauses
	loops []clausesByKind
	preds map[string]*predicate // by name: functions whose parameters clauses give values to
	known map[string]bool       // functions defined in the unit
	ctx   *context
	err   *Error
	count int             // of names made
	made  map[string]bool // wrappers

	mathematical map[string]*function // declarations of functions that are uninterpreted, by the rest of their names

	positive map[int]polarity // quantifiers without a negation around them
	facts    map[int]factPlace
	calls    map[string]bool // of called, once asked for
}

// polarity says how an expression is used.
type polarity uint8

const (
	plainCode polarity = iota
	asserted
	assumed
)

// factPlace says where a quantifier stands that is assumed of all values.
type factPlace uint8

const (
	noFact factPlace = iota
	outermostFact
	innerFact
)

// region is a part of the text that another text stands for.
type region struct {
	end  int
	text func() string
}

// context says what an expression stands in.
type context struct {
	olds   *[]history
	rename map[string]bool // parameters passed by their address
	params map[string]bool // parameters of a predicate, passed by value
}

// history is the value of an expression at an earlier time.
type history struct {
	name   string
	lo, hi int
}

// Rewrite changes the preprocessed text of a file.
func Rewrite(file string, text []byte, o Options) ([]byte, error) {
	out, _, err := rewrite(file, text, o)
	if err != nil && o.Plain { // Refused says so
		o.Plain = false
		out, _, err = rewrite(file, text, o)
	}
	return out, err
}

func rewrite(file string, text []byte, o Options) ([]byte, *rewriter, error) {
	if o.ObjectBits == 0 {
		o.ObjectBits = 8
	}
	r := &rewriter{o: o, at: map[int]*region{}, preds: map[string]*predicate{}, known: map[string]bool{},
		ctx: &context{}, made: map[string]bool{}, mathematical: map[string]*function{},
		positive: map[int]polarity{}, facts: map[int]factPlace{}}
	toks, rest := lex(file, text)
	r.toks, r.mate = toks, partners(toks)
	r.declarations()
	r.findPredicates()
	r.findLoops()
	r.findObjectComparisons()
	r.findStructureComparisons()
	r.markCalls()
	body := r.text(0, len(toks))
	var out strings.Builder
	out.WriteString(runtime(o))
	if len(o.Structures) > 0 {
		out.WriteString(comparison())
	}
	fmt.Fprintf(&out, "\n# 1 \"%s\"\n", escaped(file))
	out.WriteString(body + rest + "\n")
	out.WriteString(r.uninterpreted())
	out.WriteString(r.wrappers())
	if r.err != nil {
		return nil, r, r.err
	}
	return []byte(out.String()), r, nil
}

func escaped(file string) string {
	return strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(file)
}

// fail notes the first construct without a meaning.
func (r *rewriter) fail(i int, format string, args ...any) {
	if r.err == nil {
		t := r.toks[min(i, len(r.toks)-1)]
		r.err = &Error{File: t.file, Line: t.line, Column: t.col + 1, Message: fmt.Sprintf(format, args...)}
	}
}

// name makes a name that the unit does not have.
func (r *rewriter) name(kind string) string {
	r.count++
	return fmt.Sprintf("firmproof_contract_%s_%d", kind, r.count)
}

// placed is the text of an expression at its place in the source.
func (r *rewriter) placed(lo, hi int, text string) string {
	if lo >= hi {
		return text
	}
	t := r.toks[lo]
	return fmt.Sprintf("\n# %d \"%s\"\n%s%s", t.line, escaped(t.file), strings.Repeat(" ", min(t.col, 200)),
		strings.TrimLeft(text, " \t"))
}

// resume is a line marker that takes up the source in front of token i, at the white space before it.
func (r *rewriter) resume(i int) string {
	t := r.toks[min(i, len(r.toks)-1)]
	if strings.Contains(t.pre, "\n#") {
		return "\n" // it has a marker of its own
	}
	return fmt.Sprintf("\n# %d \"%s\"\n", max(t.line-strings.Count(t.pre, "\n"), 1), escaped(t.file))
}

// back is a line marker that takes up the source at token i.
func (r *rewriter) back(i int) string {
	t := r.toks[min(i, len(r.toks)-1)]
	return fmt.Sprintf("\n# %d \"%s\"\n", t.line, escaped(t.file))
}

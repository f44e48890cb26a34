// Package dialect brings the LLVM text of versions 15 to 22 to that of version 14, which llir reads.
//
// It works on tokens: strings, comments, quoted names and metadata strings stay as they are, and so do the
// numbers of lines. Text of LLVM 14 is returned as it is. docs/LLVM.md says for each construct what is made of it,
// and why nothing is lost; what is not modelled becomes a call that package frontend reads as unsupported, by name.
//
//	%x = trunc nuw i32 %y to i8        the result is poison where the value does not fit: a select says so
//	    #dbg_declare(ptr %x, !1, !DIExpression(), !2)      call void @llvm.dbg.declare(metadata i8* %x, ...), !dbg !2
//	%p = getelementptr inbounds nuw i8, ptr %q, i64 %i     the flag moves to an attachment, which llir keeps
package dialect

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// UnmodelledPrefix starts the names of functions whose calls stand for what is not modelled; what follows the second
// bar names it.
const UnmodelledPrefix = "firmproof.unmodelled|"

// CalleePrefix starts the names of values that give a function pointer the type of its call.
const CalleePrefix = "firmproof.callee."

// ClassPrefix starts the name of whether a floating-point number is of a class, which llvm.is.fpclass tells.
const ClassPrefix = "firmproof.class."

// NoUnsignedWrap is the attachment of a getelementptr with the flag nuw.
const NoUnsignedWrap = "firmproof.nuw"

// Error is a construct that is not modelled where no instruction can stand for it.
type Error struct {
	Line int
	What string
}

// Error returns the construct and the line.
func (e *Error) Error() string { return fmt.Sprintf("line %d: %s is not modelled", e.Line, e.What) }

// normaliser rewrites one module.
type normaliser struct {
	at       int                // the line, from 0
	fresh    int                // names that were made
	types    map[string]string  // function -> its type
	declared []string           // declarations to add
	known    map[string]bool    // functions that are declared
	named    map[string][]token // types by name
	opaque   bool               // pointers have no types
	body     *body              // of the function at hand, if its head has ranges
	err      *Error
}

// Normalise returns text as LLVM 14 would write it. The error is an *Error.
func Normalise(text string) (plain string, err error) {
	n := &normaliser{types: map[string]string{}, known: map[string]bool{}, named: map[string][]token{}}
	defer func() {
		if recover() != nil { // tokens that LLVM writes are not there
			plain, err = "", &Error{n.at + 1, "a line that LLVM does not write"}
		}
	}()
	lines := logicalLines(text)
	n.signatures(lines)
	var out []string // nil until something changes
	for i, l := range lines {
		if changed := n.rewrite(l); changed != l {
			if out == nil {
				out = slices.Clone(lines)
			}
			out[i] = changed
		}
		n.at += 1 + strings.Count(l, "\n")
	}
	if n.err != nil {
		n.err.Line++
		return "", n.err
	}
	if out == nil {
		return text, nil
	}
	return strings.Join(append(out, n.declared...), "\n"), nil
}

// logicalLines splits text into lines; a string that goes over several is on one.
func logicalLines(text string) []string {
	lines := strings.Split(text, "\n")
	out := lines[:0:0]
	for i := 0; i < len(lines); i++ {
		l := lines[i]
		for open(l) && i+1 < len(lines) {
			i++
			l += "\n" + lines[i]
		}
		out = append(out, l)
	}
	return out
}

// open reports a line that ends inside of a string.
func open(l string) bool {
	if strings.Count(l, `"`)%2 == 0 {
		return false
	}
	ts := lex(l)
	for _, t := range ts {
		if t.kind == comment {
			continue
		}
		if strings.Count(t.text, `"`)%2 == 1 {
			return true
		}
	}
	return false
}

// refuse notes a construct that no instruction stands for.
func (n *normaliser) refuse(what string) {
	if n.err == nil {
		n.err = &Error{n.at, what}
	}
}

// name returns a local name that no program has.
func (n *normaliser) name(prefix string) string {
	n.fresh++
	return fmt.Sprintf("%%%s%d", prefix, n.fresh)
}

// rewrite returns a line in the form of LLVM 14.
func (n *normaliser) rewrite(l string) string {
	ts := lex(l)
	switch {
	case len(ts) == 0 || ts[0].kind == comment:
		return l
	case ts[0].is("define"):
		n.body = nil
	case n.body != nil:
		return n.inBody(l)
	}
	return n.line(l)
}

// line rewrites a line that is no comment.
func (n *normaliser) line(l string) string {
	ts := lex(l)
	if ts[0].kind == other && strings.HasPrefix(ts[0].text, "#dbg_") {
		return n.record(ts)
	}
	before := len(n.declared)
	out, changed := ts, false
	step := func(f func([]token) ([]token, bool)) {
		next, did := f(out)
		out, changed = next, changed || did
	}
	head := ts[0].text
	instruction := false
	switch {
	case ts[0].kind == node:
		step(n.metadata)
	case head == "define" || head == "declare" || head == "attributes":
		step(n.attributes)
	case ts[0].kind == global:
		step(n.variable)
	case head != "source_filename" && head != "target" && head != "module":
		step(n.attributes)
		instruction = true
	}
	step(func(ts []token) ([]token, bool) { return n.gepFlags(ts, instruction) })
	if instruction {
		step(n.instruction)
	}
	step(n.splats)
	step(n.constants)
	step(n.pointers)
	if !changed && len(n.declared) == before {
		return l
	}
	return join(out)
}

// pointers writes `ptr` as `i8*`: package ir has untyped pointers, and llir typed ones alone.
func (n *normaliser) pointers(ts []token) ([]token, bool) {
	changed := false
	for i := 0; i < len(ts); i++ {
		switch {
		case ts[i].is("target") && i+1 < len(ts) && ts[i+1].is("("):
			n.refuse("the type " + bare(ts[i:closing(ts, i+1)+1]))
		case ts[i].is("ptr"):
			ts[i].text, changed = "i8", true
			at := i + 1
			if at+1 < len(ts) && ts[at].is("addrspace") {
				at = closing(ts, at+1) + 1
			}
			ts = slices.Insert(ts, at, token{punct, "", "*"})
		}
	}
	return ts, changed
}

// splats writes a vector of equal elements out.
func (n *normaliser) splats(ts []token) ([]token, bool) {
	changed := false
	for i := 1; i+1 < len(ts); i++ {
		if !ts[i].is("splat") || !ts[i+1].is("(") {
			continue
		}
		open := i - 1 // of the type in front, or of the first operand's
		for open >= 0 && !(ts[open].is("<") && ts[open+2].is("x")) {
			open--
		}
		count := 0
		if open >= 0 {
			count, _ = strconv.Atoi(ts[open+1].text) // 0 of vscale
		}
		end := closing(ts, i+1)
		if count < 1 || count > 1<<16 {
			n.refuse("splat of a scalable vector")
			return ts, changed
		}
		element := bare(ts[i+2 : end])
		all := "<" + strings.Repeat(element+", ", count-1) + element + ">"
		ts = slices.Replace(ts, i, end+1, lex(ts[i].before+all)...)
		changed = true
	}
	return ts, changed
}

// variable rewrites what stands behind the initialiser of a variable: which sanitizers leave it alone and how far away
// it lies says nothing of what it holds.
func (n *normaliser) variable(ts []token) ([]token, bool) {
	changed := false
	for i := 0; i+1 < len(ts); i++ {
		if !ts[i].is(",") || ts[i+1].kind != word {
			continue
		}
		end := i + 2
		switch ts[i+1].text {
		case "no_sanitize_address", "no_sanitize_hwaddress", "sanitize_memtag", "sanitize_address_dyninit":
		case "code_model":
			end++
		default:
			continue
		}
		ts, changed = slices.Delete(ts, i, min(end, len(ts))), true
		i--
	}
	return ts, changed
}

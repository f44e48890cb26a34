package syntax

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/firmproof/firmproof/targets/llvm"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// What clang computes while it compiles leaves a value in the IR and no operation:
// initialisers of objects with static storage, aggregates of constants, enumerators,
// labels of cases, lengths of arrays. Its warnings, and evaluating its syntax tree (constant.go), say
// where such a value is undefined; the syntax tree says whose it is. Both become named metadata, which
// survives linking and slicing:
//
//	!firmproof.folded = !{!7}
//	!7 = !{!"a.c", !"2", !"17", !"signed-overflow", !"text", !"global", !"g", !"2", !"5", !"undefined"}
//
// The four in front of the last are an owner: kind (ownerGlobal and so on), name in C, line, column. The last one
// says whether the value is undefined, or undecided.
// Of a unit the name is its file's. Files are named as in the debug information.

// Warnings are clang's warnings about constants whose value is undefined. The
// last one names what must be constant and is not by the letter (C17 6.6p4).
var Warnings = []string{"-Winteger-overflow", "-Wdivision-by-zero", "-Wshift-count-overflow",
	"-Wshift-count-negative", "-Wshift-negative-value", "-Wshift-overflow",
	"-Wshift-sign-overflow", "-Wgnu-folding-constant"}

// foldedTexts list what those warnings, and the notes of the last, say. strict is
// left to variables: where C asks for a constant expression, every compiler takes 1 << 31.
var foldedTexts = []struct {
	text   *regexp.Regexp
	check  verdict.Check
	strict bool
}{
	{regexp.MustCompile(`^overflow in expression`), verdict.SignedOverflow, false},
	{regexp.MustCompile(`^value -?\d+ is outside the range of representable values of type`), verdict.SignedOverflow,
		false},
	{regexp.MustCompile(`^shift count (>=|is negative)|^(negative )?shift count -?\d+`), verdict.Shift, false},
	{regexp.MustCompile(`^shifting a negative signed value is undefined|^left shift of negative value|^signed left shift discards bits`), verdict.Shift, true},
	{regexp.MustCompile(`^signed shift result \(0x[0-9A-F]+\) (sets the sign bit|requires \d+ bits)`), verdict.Shift,
		true},
	{regexp.MustCompile(`^(division|remainder) by zero is undefined`), verdict.DivByZero, false},
}

// Folded is one such place, and whose value it makes undefined.
type Folded struct {
	file      string
	line, col int
	check     verdict.Check
	text      string
	strict    bool
	constant  bool // a place where C asks for a constant expression
	owner     owner
	end       spot // of the expression, where it was evaluated here
	undecided bool // its value is not known
}

// owned returns those of the places that clang named which have an owner, with it.
func (s *syntax) owned() (out []Folded) {
	for i, f := range s.places {
		h := s.owners[i]
		if h.owns && !(f.strict && (h.owner.kind == ownerFunction || h.owner.kind == ownerUnit)) {
			f.owner = h.owner
			out = append(out, f)
		}
	}
	return out
}

// withUsers adds to the places in initialisers of constants the functions that read them: clang may put the value in
// the place of the constant, which the IR then does not name, or does not hold.
func (s *syntax) withUsers(fs []Folded, shown func(string) string) []Folded {
	own := fs
	for _, u := range s.uses {
		for _, f := range own {
			if f.owner == u.of {
				f.owner = owner{kind: ownerUser, name: shown(u.file) + ":" + u.function}
				fs = append(fs, f)
			}
		}
	}
	return fs
}

// known returns the word for what is known of the value.
func (f Folded) known() string {
	if f.undecided {
		return "undecided"
	}
	return "undefined"
}

// covers reports whether f, evaluated here, is what clang said in g.
func (f Folded) covers(g Folded) bool {
	return f.check == g.check && span{Begin: spot{File: f.file, Line: f.line, Col: f.col}, End: f.end}.spans(g)
}

// separated matches digits as clang prints them from 19 on: -2'147'483'648.
var separated = regexp.MustCompile(`(\d)'(\d{3}\b)`)

var noteLine = regexp.MustCompile(`^(.+?):(\d+):(\d+): (warning|note): (.*)$`)

// ReadFolded reads the warnings of Warnings.
func ReadFolded(stderr []byte) (out []Folded) {
	required, seen := false, map[string]bool{}
	var at []string // of the expression that had to be constant
	for _, line := range strings.Split(string(stderr), "\n") {
		m := noteLine.FindStringSubmatch(strings.TrimRight(line, "\r"))
		if m == nil {
			continue
		}
		if m[4] == "warning" {
			required, at = strings.HasSuffix(m[5], "[-Wgnu-folding-constant]"), m
		}
		for _, t := range foldedTexts {
			if (m[4] == "note") != required || !t.text.MatchString(m[5]) || seen[m[1]+":"+m[2]+":"+m[3]] {
				continue
			}
			text, _, _ := strings.Cut(m[5], " [-W")
			for text != separated.ReplaceAllString(text, "$1$2") {
				text = separated.ReplaceAllString(text, "$1$2")
			}
			f := Folded{file: at[1], check: t.check, text: text, strict: t.strict, constant: required}
			f.line, _ = strconv.Atoi(at[2])
			f.col, _ = strconv.Atoi(at[3])
			seen[m[1]+":"+m[2]+":"+m[3]] = true
			out = append(out, f)
		}
	}
	return out
}

// MaxEvaluated is the size of preprocessed text up to which constant expressions are evaluated here: the dump of
// its syntax tree is up to 400 times as long.
const MaxEvaluated = 16 << 20

// undefined lists the constants whose value is undefined: those that clang named, and those that were found besides.
// Expressions that are executed keep their checks in the IR and are not among them.
func (s *syntax) undefined(unit string, shown func(string) string) []Folded {
	list := slices.DeleteFunc(s.owned(), func(f Folded) bool {
		return slices.ContainsFunc(s.skipped, func(n span) bool { return n.spans(f) })
	})
	for _, f := range s.found {
		if !slices.ContainsFunc(list, f.covers) {
			list = append(list, f)
		}
	}
	list = s.withUsers(list, shown)
	for i := range list {
		f := &list[i]
		f.file = shown(f.file)
		if f.owner.kind == ownerUnit {
			f.owner.name = unit
		}
	}
	return list
}

// Annotate adds to the unit's IR in the file out what the syntax tree says of it. Files are named by shown.
func (r *Reader) Annotate(out, unit string, shown func(string) string) error {
	undefined := r.undefined(unit, shown)
	var conflicts []conflict
	var strict [][]string // units whose compiler may use the types of accesses
	if r.sequencer != nil {
		conflicts = slices.Concat(r.sequencer.found, r.aliaser.found)
		if !r.aliaser.relaxed {
			strict = [][]string{{unit}}
		}
	}
	if len(undefined) == 0 && len(conflicts) == 0 && len(strict) == 0 {
		return nil
	}
	ir, err := os.ReadFile(out)
	if err != nil {
		return err
	}
	return os.WriteFile(out, appendNotes(ir, undefined, conflicts, strict, shown), 0o644)
}

var nodeNumber = regexp.MustCompile(`(?m)^!(\d+) = `)

// appendNotes adds the metadata to IR text.
func appendNotes(ir []byte, fs []Folded, conflicts []conflict, strict [][]string, shown func(string) string) []byte {
	next := 0
	for _, m := range nodeNumber.FindAllSubmatch(ir, -1) {
		n, _ := strconv.Atoi(string(m[1]))
		next = max(next, n+1)
	}
	var undefined, unsequenced [][]string
	for _, f := range fs {
		undefined = append(undefined, []string{f.file, strconv.Itoa(f.line), strconv.Itoa(f.col), string(f.check),
			f.text, string(f.owner.kind), f.owner.name, strconv.Itoa(f.owner.line), strconv.Itoa(f.owner.col),
			f.known()})
	}
	for _, c := range conflicts {
		unsequenced = append(unsequenced, c.fields(shown))
	}
	ir = appendMetadata(ir, "firmproof.folded", undefined, next)
	ir = appendMetadata(ir, "firmproof.unsequenced", unsequenced, next+len(undefined))
	return appendMetadata(ir, "firmproof.strict", strict, next+len(undefined)+len(unsequenced))
}

// appendMetadata adds a named list of tuples of strings; the tuples are numbered from next on.
func appendMetadata(ir []byte, name string, rows [][]string, next int) []byte {
	if len(rows) == 0 {
		return ir
	}
	var list, nodes []string
	for i, row := range rows {
		list = append(list, fmt.Sprintf("!%d", next+i))
		var fields []string
		for _, s := range row {
			fields = append(fields, "!"+llvm.Quote(s))
		}
		nodes = append(nodes, fmt.Sprintf("!%d = !{%s}\n", next+i, strings.Join(fields, ", ")))
	}
	return fmt.Appendf(ir, "\n!%s = !{%s}\n%s", name, strings.Join(list, ", "), strings.Join(nodes, ""))
}

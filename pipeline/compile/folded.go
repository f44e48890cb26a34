package compile

import (
	"context"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"

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

// foldWarnings are clang's warnings about constants whose value is undefined. The
// last one names what must be constant and is not by the letter (C17 6.6p4).
var foldWarnings = []string{"-Winteger-overflow", "-Wdivision-by-zero", "-Wshift-count-overflow",
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

// folded is one such place, and whose value it makes undefined.
type folded struct {
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
func (s *syntax) owned() (out []folded) {
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
func (s *syntax) withUsers(fs []folded, shown func(string) string) []folded {
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
func (f folded) known() string {
	if f.undecided {
		return "undecided"
	}
	return "undefined"
}

// covers reports whether f, evaluated here, is what clang said in g.
func (f folded) covers(g folded) bool {
	return f.check == g.check && span{Begin: spot{File: f.file, Line: f.line, Col: f.col}, End: f.end}.spans(g)
}

// separated matches digits as clang prints them from 19 on: -2'147'483'648.
var separated = regexp.MustCompile(`(\d)'(\d{3}\b)`)

var noteLine = regexp.MustCompile(`^(.+?):(\d+):(\d+): (warning|note): (.*)$`)

// readFolded reads the warnings of foldWarnings.
func readFolded(stderr []byte) (out []folded) {
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
			f := folded{file: at[1], check: t.check, text: text, strict: t.strict, constant: required}
			f.line, _ = strconv.Atoi(at[2])
			f.col, _ = strconv.Atoi(at[3])
			seen[m[1]+":"+m[2]+":"+m[3]] = true
			out = append(out, f)
		}
	}
	return out
}

// maxEvaluated is the size of preprocessed text up to which constant expressions are evaluated here: the dump of
// its syntax tree is up to 400 times as long.
const maxEvaluated = 16 << 20

// syntax reads the unit's syntax tree. places are what clang said of its constants; evaluate says whether more is looked
// for than whose they are.
func (r *Request) syntax(ctx context.Context, args []string, file string, places []folded, evaluate bool) (*syntax,
	error) {
	s := &syntax{evaluator: newEvaluator(r.Target), evaluated: evaluate, conversions: r.Checks.Conversion,
		places: places, owners: make([]holder, len(places)), constants: map[string]owner{}}
	if evaluate && isC(r.File) {
		s.sequencer = &sequencer{bitfields: map[string]bool{}}
		s.aliaser = &aliaser{ctypes: newTypes(), relaxed: r.relaxed()}
	}
	reader := &treeReader{declaration: s.declaration}
	_, err := r.runTo(ctx, reader, append(slices.Clone(args), "-w", "-fsyntax-only", "-Xclang", "-ast-dump=json", "--",
		file)...)
	if err == nil {
		if err = reader.finish(); err != nil {
			err = &InfraError{"compile " + r.File, err}
		}
	}
	return s, err
}

// undefined lists the constants whose value is undefined: those that clang named, and those that were found besides.
// Expressions that are executed keep their checks in the IR and are not among them.
func (r *Request) undefined(s *syntax) []folded {
	list := slices.DeleteFunc(s.owned(), func(f folded) bool {
		return slices.ContainsFunc(s.skipped, func(n span) bool { return n.spans(f) })
	})
	for _, f := range s.found {
		if !slices.ContainsFunc(list, f.covers) {
			list = append(list, f)
		}
	}
	list = s.withUsers(list, r.shown)
	for i := range list {
		f := &list[i]
		f.file = r.shown(f.file)
		if f.owner.kind == ownerUnit {
			f.owner.name = r.shown(r.File)
		}
	}
	return list
}

// note adds to the unit's IR in out what the syntax tree says of it.
func (r *Request) note(s *syntax, out string) error {
	undefined := r.undefined(s)
	var conflicts []conflict
	if s.sequencer != nil {
		conflicts = slices.Concat(s.sequencer.found, s.aliaser.found)
	}
	if len(undefined) == 0 && len(conflicts) == 0 {
		return nil
	}
	ir, err := os.ReadFile(out)
	if err == nil {
		err = os.WriteFile(out, r.appendNotes(ir, undefined, conflicts), 0o644)
	}
	if err != nil {
		return &InfraError{"compile " + r.File, err}
	}
	return nil
}

var nodeNumber = regexp.MustCompile(`(?m)^!(\d+) = `)

// appendNotes adds the metadata to IR text.
func (r *Request) appendNotes(ir []byte, fs []folded, conflicts []conflict) []byte {
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
		unsequenced = append(unsequenced, c.fields(r.shown))
	}
	ir = appendMetadata(ir, "firmproof.folded", undefined, next)
	return appendMetadata(ir, "firmproof.unsequenced", unsequenced, next+len(undefined))
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
			fields = append(fields, "!"+quoted(s))
		}
		nodes = append(nodes, fmt.Sprintf("!%d = !{%s}\n", next+i, strings.Join(fields, ", ")))
	}
	return fmt.Appendf(ir, "\n!%s = !{%s}\n%s", name, strings.Join(list, ", "), strings.Join(nodes, ""))
}

// quoted returns s as a metadata string (LangRef: Metadata Nodes).
func quoted(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for i := range len(s) {
		if c := s[i]; c < ' ' || c > '~' || c == '"' || c == '\\' {
			fmt.Fprintf(&b, `\%02X`, c)
		} else {
			b.WriteByte(c)
		}
	}
	b.WriteByte('"')
	return b.String()
}

package compile

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/firmproof/firmproof/pipeline/compile/extensions"
	"github.com/firmproof/firmproof/pipeline/compile/syntax"
	"github.com/firmproof/firmproof/pipeline/contract"
)

// compilation makes IR of a unit.
type compilation struct {
	*Request
	flags   []string
	scratch string // a folder of its own
	out     string // the IR
	ahead   *ahead // nil: nothing was begun
}

// compile writes the IR of the unit, whose preprocessed text is given.
func (c *compilation) compile(ctx context.Context, text []byte) (m meta, err error) {
	if err := c.checkUnlike(text); err != nil {
		return m, err
	}
	cprover := dialect{names: strings.Contains(string(text), "__CPROVER_"), contracts: c.Contracts.Needs(text) &&
		isC(c.File), clobber: bytes.Contains(text, []byte(statusClobber)) && isC(c.File),
		vendor: extensions.HasPragma(text) && isC(c.File)}
	if cprover != (dialect{}) {
		c.end()
	} else if c.Alone && c.ahead == nil {
		c.begin(ctx)
	}
	e := c.first(ctx, cprover)
	if nakedFault(e.err) { // GCC takes C in naked functions; what the attribute leaves out is assembly
		c.flags = append(c.flags, "-Dnaked=used", "-D__naked__=used")
		e = c.emit(ctx, c.flags, c.scratch, c.out, nil, cprover)
	}
	for {
		letters := outOfRange(e.err)
		if letters == "" || strings.Contains(cprover.numbers, letters) {
			break
		}
		c.end()
		cprover.numbers += letters
		e = c.emit(ctx, c.flags, c.scratch, c.out, nil, cprover)
	}
	if e.err != nil && !cprover.vendor && isC(c.File) {
		if out, _ := extensions.Rewrite(text); !bytes.Equal(out, text) {
			c.end()
			cprover.vendor = true
			e = c.emit(ctx, c.flags, c.scratch, c.out, nil, cprover)
		}
	}
	if e.err != nil {
		explainWords(e.err)
		return m, e.err
	}
	forgets, err := c.forgetsInline(text)
	if err != nil {
		return m, err
	}
	if forgets {
		c.flags = slices.DeleteFunc(slices.Clone(c.flags), func(f string) bool { return f == emitAll })
		if e = c.emit(ctx, c.flags, c.scratch, c.out, nil, cprover); e.err != nil {
			return m, e.err
		}
	}
	folds := foldsUndefined(text, e.said)
	if folds { // the compiler folds what is undefined, unless its check is on
		c.flags = append(c.flags, foldedChecks...)
	}
	said := e.said
	undeclared, err := c.intrinsicsOf(e.implicit)
	if err != nil {
		return m, err
	}
	if len(undeclared) > 0 || folds {
		if e = c.emit(ctx, c.flags, c.scratch, c.out, undeclared, cprover); e.err != nil {
			return m, e.err
		}
	}
	m.Implicit, m.Said = e.implicit, string(said)
	if c.flags, err = c.withShim(c.flags, c.scratch, nil, cprover); err != nil {
		return m, err
	}
	evaluate := !cprover.contracts && len(text) <= syntax.MaxEvaluated // places in C made of contracts are not its own
	if places := syntax.ReadFolded(said); evaluate || len(places) > 0 {
		tree, err := c.tree(ctx, cprover, places, evaluate)
		if err == nil {
			err = c.note(tree, c.out)
		}
		if err != nil {
			return m, err
		}
	}
	product := cprover
	product.contracts = false // whose C is not part of the product
	args, file := c.compiled(product)
	m.Frames, m.NoCode, err = c.frames(ctx, args, file)
	return m, err
}

// begin starts what is most often needed, where a processor would be idle.
func (c *compilation) begin(ctx context.Context) {
	c.ahead = c.Request.begin(ctx, c.flags, c.scratch, c.out)
}

// end waits until nothing runs any more.
func (c *compilation) end() {
	if c.ahead != nil {
		c.ahead.end()
		c.ahead = nil
	}
}

// first emits the unit without prototypes for undeclared functions.
func (c *compilation) first(ctx context.Context, cprover dialect) emission {
	if c.ahead != nil {
		return c.ahead.emitted()
	}
	return c.emit(ctx, c.flags, c.scratch, c.out, nil, cprover)
}

// intrinsicsOf returns the intrinsics among functions that were called undeclared, but for those that the unit defines.
func (c *compilation) intrinsicsOf(undeclared []string) ([]string, error) {
	none := func(name string) bool { _, ok := prototype(name); return !ok }
	out := slices.DeleteFunc(slices.Clone(undeclared), none)
	if len(out) == 0 {
		return nil, nil
	}
	text, err := os.ReadFile(c.out)
	if err != nil {
		return nil, &InfraError{"compile " + c.File, err}
	}
	own := map[string]bool{}
	for _, f := range readFunctions(text) {
		own[f.Name] = true
	}
	return slices.DeleteFunc(out, func(name string) bool { return own[name] }), nil
}

// tree reads the syntax tree of the unit, unless that was done ahead.
func (c *compilation) tree(ctx context.Context, cprover dialect, places []syntax.Folded,
	evaluate bool) (*syntax.Reader, error) {
	if c.ahead != nil && len(places) == 0 && slices.Equal(c.flags, c.ahead.flags) {
		return c.ahead.tree()
	}
	args, file := c.compiled(cprover)
	return c.syntax(ctx, args, file, places, evaluate)
}

// compiled returns the flags and the file that emit compiled.
func (c *compilation) compiled(cprover dialect) (flags []string, file string) {
	if cprover.rewritten() {
		return append(c.flags[:len(c.flags):len(c.flags)], "-x", preprocessed(c.File)),
			filepath.Join(c.scratch, rewrittenFile)
	}
	return c.flags, c.File
}

// preprocessed returns clang's name for the language of a file that was preprocessed.
func preprocessed(file string) string {
	if IsCXX(file) {
		return "c++-cpp-output"
	}
	return "cpp-output"
}

// numberFault matches clang's refusal of a number that the letter of its constraint in assembly does not allow. GCC
// does not look at it where a branch on a constant leaves the statement out (wdt_enable of avr-libc).
var numberFault = regexp.MustCompile(`^value '.*' out of range for constraint '([A-Z])'$`)

// outOfRange returns the letters of the constraints for which clang refused a number.
func outOfRange(err error) string {
	var be *BuildError
	letters := ""
	if errors.As(err, &be) {
		for _, d := range be.Diagnostics {
			if m := numberFault.FindStringSubmatch(d.Message); m != nil && !strings.Contains(letters, m[1]) {
				letters += m[1]
			}
		}
	}
	return letters
}

// nakedFault reports whether clang refused a function with the attribute naked as it is.
func nakedFault(err error) bool {
	var be *BuildError
	return errors.As(err, &be) && slices.ContainsFunc(be.Diagnostics, func(d Diagnostic) bool {
		return strings.HasSuffix(d.Message, "in naked function is not supported") || strings.HasPrefix(d.Message,
			"parameter references not allowed in naked functions")
	})
}

// explainWords says of words for other processors what they are, where clang does not know them.
func explainWords(err error) {
	var fault *BuildError
	if errors.As(err, &fault) {
		for i, d := range fault.Diagnostics {
			fault.Diagnostics[i].Message += extensions.Explain(d.Message)
		}
	}
}

// dialect says what a unit has that is not clang's C: CBMC's, GCC's, and that of vendors' compilers.
type dialect struct {
	names     bool   // intrinsics
	contracts bool   // clauses, quantifiers, operators: package contract makes C of them
	clobber   bool   // statusClobber
	vendor    bool   // words of IAR, Arm Compiler 5 or TI
	numbers   string // letters of constraints of assembly that are taken for any number
}

// rewritten reports whether another text is compiled than that of the unit.
func (d dialect) rewritten() bool { return d.contracts || d.clobber || d.vendor || d.numbers != "" }

// rewrittenFile is the name of the text that is compiled instead of a unit.
const rewrittenFile = "contract.i"

// statusClobber says in the assembly of CMSIS 3 and 4 that the flags of floating point change; clang does not know it.
const statusClobber = `"vfpcc"`

// assembly matches statements of inline assembly.
var assembly = regexp.MustCompile(
	`\b(?:__)?asm(?:__)?\s*(?:(?:__)?volatile(?:__)?\s*)?\((?:[^;"{}]|"(?:[^"\\]|\\.)*")*\)\s*;`)

// flagsClobber stands for statusClobber at the same width: the flags change.
const flagsClobber = `"cc"   `

// rewrite preprocesses the unit and makes C of its contracts and of words of other compilers; it returns the new file.
func (r *Request) rewrite(ctx context.Context, args []string, scratch string, d dialect) (string, error) {
	out, _, err := r.preprocess(ctx, args, scratch)
	if err != nil {
		return "", err
	}
	if d.clobber {
		out = assembly.ReplaceAllFunc(out, func(statement []byte) []byte {
			return bytes.ReplaceAll(statement, []byte(statusClobber), []byte(flagsClobber))
		})
	}
	if d.numbers != "" {
		one := regexp.MustCompile(`"[` + d.numbers + `]"`)
		out = assembly.ReplaceAllFunc(out, func(statement []byte) []byte {
			return one.ReplaceAll(statement, []byte(`"n"`))
		})
	}
	if d.vendor {
		text, fault := extensions.Rewrite(out)
		if fault != nil {
			return "", &BuildError{Stage: "compile", Target: r.Target.Name, Diagnostics: []Diagnostic{{
				File: r.shown(fault.File), Line: fault.Line, Message: fault.Message}}}
		}
		out = text
	}
	if d.contracts {
		out, err = contract.Rewrite(r.File, out, r.contractOptions())
	}
	var fault *contract.Error
	if errors.As(err, &fault) {
		return "", &BuildError{Stage: "compile", Target: r.Target.Name,
			Diagnostics: []Diagnostic{{File: r.shown(fault.File), Line: fault.Line, Column: fault.Column,
				Message: fault.Message}}}
	}
	file := filepath.Join(scratch, rewrittenFile)
	if err == nil {
		err = os.WriteFile(file, out, 0o644)
	}
	if err != nil {
		return "", &InfraError{"compile " + r.File, err}
	}
	return file, nil
}

// emission holds the output of a call of the compiler: the functions that are undeclared still, and its messages.
type emission struct {
	implicit []string
	said     []byte
	err      error
}

// emit compiles with prototypes for the functions in undeclared.
func (r *Request) emit(ctx context.Context, flags []string, scratch, out string, undeclared []string,
	cprover dialect) emission {
	args, err := r.withShim(flags, scratch, undeclared, cprover)
	if err != nil {
		return emission{err: err}
	}
	file := r.File
	if cprover.rewritten() {
		if file, err = r.rewrite(ctx, args, scratch, cprover); err != nil {
			return emission{err: err}
		}
		args = append(flags[:len(flags):len(flags)], "-x", preprocessed(r.File), "-ffile-prefix-map="+scratch+"=firmproof")
	}
	res, err := r.run(ctx, append(args, "-S", "-emit-llvm", "-o", out, "--", file)...)
	if err != nil {
		return emission{err: err}
	}
	if res.ExitCode != 0 {
		return emission{err: r.fault(res, flags[0])}
	}
	if err := r.keepCodeSpace(out); err != nil {
		return emission{err: err}
	}
	if err := r.checkFields(out); err != nil {
		return emission{err: err}
	}
	_, implicit := parseDiagnostics(res.Stderr)
	return emission{implicit: implicit, said: res.Stderr}
}

// withShim adds the header with prototypes, if one is needed.
func (r *Request) withShim(flags []string, scratch string, undeclared []string, cprover dialect) ([]string, error) {
	args := append([]string(nil), flags...)
	if text, needed := shimText(undeclared, cprover.names); needed {
		shim := filepath.Join(scratch, "shim.h")
		if err := os.WriteFile(shim, []byte(text), 0o644); err != nil {
			return nil, &InfraError{"compile " + r.File, err}
		}
		args = append(args, "-include", shim, "-ffile-prefix-map="+scratch+"=firmproof")
	}
	return args, nil
}

// Package compile turns C into one linked LLVM text module per target.
//
//	sources -> units (clang -O0 -g, in parallel, cached by content) -> llvm-link, if there are several
//	-> slice to the entries
//
// The compiler is clang for every target, of the version that package llvm finds, without optimisation: an optimiser
// deletes what is to be checked. What IR cannot express of C's undefined behaviour is
// put in as sanitizer traps (docs/decisions/0001).
//
// What a failed assertion calls, for the frontend:
//
//	glibc      void __assert_fail(const char *expr, const char *file, unsigned line, const char *func)
//	newlib     void __assert_func(const char *file, int line, const char *func, const char *expr)
//	picolibc   the same as newlib
//	avr-libc and targets without a library: firmproof's own assert.h, which calls __assert_fail
//
// Blame is typed: *BuildError is the fault of the code that is built, *InfraError is
// the fault of this machine or of firmproof.
package compile

import (
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"time"

	"github.com/firmproof/firmproof/pipeline/compile/linkerscript"
	"github.com/firmproof/firmproof/pipeline/contract"
	"github.com/firmproof/firmproof/targets"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/weave"
)

// Checks are the properties that need instrumentation beyond the usual.
type Checks struct {
	UnsignedOverflow bool
	Conversion       bool
	Stack            bool // ask the compiler for the size of each frame
}

// Options steer a build.
type Options struct {
	Runner    Runner            // nil: run directly
	WorkDir   string            // for files of this build, must exist; kept by the caller as long as the Image is used
	CacheDir  string            // compiled units; empty: inside WorkDir
	Units     string            // further compiled units, which are only read; may be empty or missing
	Jobs      int               // compilers at once; 0: one per processor
	Checks    Checks            // further instrumentation
	Contracts *contract.Options // how contracts of CBMC's C are used; nil: as contract.Options.Plain says
	Silent    bool              // contracts that Contracts does not ask for say nothing, as for CBMC
	Entries   []string          // functions to keep besides the manifest's harnesses and interrupt handlers
	Static    bool              // unused static functions are compiled, too: an entry may be one, or it may be wanted next
	KeepAll   bool              // no slicing, and unused static functions stay: for generated harnesses

	// Committed says that the tree is a commit's: a build.command that changes one of
	// its files which the program is made of is a *BuildError.
	Committed bool

	// Prepare may change the IR text of a unit before it is linked; file is the name
	// that was given for the unit. nil: nothing changes.
	Prepare func(file string, ir []byte) []byte

	Recording *Recording // of build.command, from Record; nil: Project runs the command itself

	// Edited are files as an editor has them, by path: the file that holds the text. Those that are missing on the disk
	// are not seen. What build.command does, it does with the files as they are on the disk.
	Edited map[string]string

	// For plain files.
	Include, Defines, Undefines, CFlags []string
}

// Image is a linked program for one target.
type Image struct {
	Target    targets.Target
	IRPath    string // LLVM text, sliced to the entries
	Entries   []string
	Missing   []MissingEntry // asked for, but in no unit
	Functions []Function     // every definition before slicing, sorted by name
	Declared  []string       // functions that are called or named but defined nowhere, before slicing; sorted
	Memory    []targets.Region
	Registers []ir.Register         // of the device, by its SVD file
	Symbols   []linkerscript.Symbol // provided by the linker script
	// with Checks.Stack: bytes of stack of each function of the program, by name before linking; or one of ir.VariableFrame and ir.FrameWithoutCode
	Frames map[string]int64
	Units  []Unit
	Notes  []string // dropped flags, assembly that is not verified, ...
	Stages []Stage
}

// MissingEntry is an entry function that no unit defines.
type MissingEntry struct {
	Entry   string
	Nearest string
}

// Function is a function defined in the program.
type Function struct {
	Name   string
	File   string // as in the debug information: relative to the project's root where it lies inside
	Line   int
	Static bool
}

// Unit is a compiled translation unit.
type Unit struct {
	File      string // as named by the build
	Given     string // as it was given to the compiler
	IRPath    string
	Seconds   float64
	Cached    bool
	Implicit  []string         // functions called without a declaration, after the shim
	Frames    map[string]int64 // with Checks.Stack
	NoCode    string           // what the compiler says where it makes no machine code, for which Frames need it
	Sources   []string         // whole paths of the file and of what it includes
	Pragmas   []weave.CheckPragma
	Refused   []contract.Refusal // clauses of contracts that are not followed
	Spellings []string           // of headers that are found as on Windows alone, a sentence each

	said string // the compiler's first messages
}

// Stage is the time that a part of the build took.
type Stage struct {
	Name    string
	Seconds float64
}

func (img *Image) stage(name string, start time.Time) {
	img.Stages = append(img.Stages, Stage{name, time.Since(start).Seconds()})
}

// Diagnostic is a message of the compiler about a place.
type Diagnostic struct {
	File         string // empty: about the call as a whole
	Line, Column int
	Message      string
}

// String returns `file:line:column: message`.
func (d Diagnostic) String() string {
	switch {
	case d.File == "":
		return d.Message
	case d.Line == 0:
		return d.File + ": " + d.Message
	case d.Column == 0:
		return fmt.Sprintf("%s:%d: %s", d.File, d.Line, d.Message)
	}
	return fmt.Sprintf("%s:%d:%d: %s", d.File, d.Line, d.Column, d.Message)
}

// BuildError says that the code does not build: its author's to mend.
type BuildError struct {
	Stage       string // "compile", "link", "read", "command" or "sources"
	Target      string
	Diagnostics []Diagnostic // at least one
}

// Error has one line per diagnostic.
func (e *BuildError) Error() string {
	lines := make([]string, len(e.Diagnostics))
	for i, d := range e.Diagnostics {
		lines[i] = d.String()
	}
	return strings.Join(lines, "\n")
}

// LimitError says that the build needs more than it may have: its author's to mend, or the
// business of whoever sets the limits.
type LimitError struct {
	Limit string // memory, disk, processes, ...
	Err   error
}

// Error names the limit.
func (e *LimitError) Error() string {
	return "the limit on " + e.Limit + " was reached: " + e.Err.Error()
}

// Unwrap returns the cause.
func (e *LimitError) Unwrap() error { return e.Err }

// ErrShortage is within an InfraError of a machine that had no process or thread left: the
// same build may well succeed a moment later.
var ErrShortage = errors.New("no process to be had")

// InfraError says that this machine or firmproof failed, not the code.
type InfraError struct {
	Stage string
	Err   error
}

// Error names the stage, and what helps where a tool is absent.
func (e *InfraError) Error() string {
	text := e.Stage + ": " + e.Err.Error()
	if errors.Is(e.Err, exec.ErrNotFound) {
		text += ": `firmproof doctor` says what is not installed, `firmproof doctor --fix` installs it"
	}
	return text
}

// Unwrap returns the cause.
func (e *InfraError) Unwrap() error { return e.Err }

// EntryError says that none of the entries exists.
type EntryError struct {
	Missing   []MissingEntry
	Functions []Function
}

// Error names the nearest function for each entry.
func (e *EntryError) Error() string {
	var lines []string
	for _, m := range e.Missing {
		s := fmt.Sprintf("no function %q in the program", m.Entry)
		if m.Nearest != "" {
			s += fmt.Sprintf(", did you mean %q?", m.Nearest)
		}
		lines = append(lines, s)
	}
	return strings.Join(lines, "\n")
}

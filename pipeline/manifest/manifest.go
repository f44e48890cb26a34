// Package manifest reads `.firmproof.yml`: what a repository wants verified, on
// which targets, and how it is built. Every mistake is reported with its line and a
// suggestion; nothing unknown is skipped.
package manifest

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/firmproof/firmproof/pipeline/files"
	"github.com/firmproof/firmproof/targets"
	"github.com/firmproof/firmproof/targets/strict"
	"github.com/firmproof/firmproof/verifier/weave/interrupt"
)

// Name is the file's name at the root of a repository.
const Name = ".firmproof.yml"

// Manifest is a manifest that was found to be right.
type Manifest struct {
	Path       string // as given to Parse
	Version    int
	Targets    []targets.Target // at least one
	Build      Build
	Harnesses  []Harness
	Functions  FunctionsMode
	Called     []string         // with FunctionsNamed: the functions
	Assume     []Assumption     // of generated harnesses
	Volatile   Volatile         // what volatile reads give
	MemoryMap  []targets.Region // added to the target's
	Interrupts []Interrupt
	Stubs      []Stub // sorted by function; AnyStub for those without a body
	Suppress   []Suppression
	Pulls      Pulls
	Nightly    *Nightly // nil: none
	Report     Report
	Unchanged  []string // names or patterns of functions: a change that gives one another behaviour fails
	Since      string   // the tag as which Unchanged have to behave; empty: as the commit that a change starts from
}

// Build says where the program comes from. At most one of CompileCommands, Command
// and Sources is set.
type Build struct {
	CompileCommands string
	Command         string
	Sources         []string // doublestar patterns; a leading ! excludes
	Exclude         []string // patterns of files that CompileCommands or Command compile, and that are left out
	Include         []string
	Defines         []string
	Undefines       []string
	CFlags          []string
	LinkerScript    string
	Image           string // of those that Command links: its file
	SVD             string // CMSIS device description: its registers are regions
}

// Harness is one entry to verify.
type Harness struct {
	Entry     string
	File      string // extra source, or empty
	Unwind    int    // 0: not said
	Unwindset []LoopBound
	Depth     int      // of calls; 0: not said
	Checks    []string // as in --checks; empty: default
	Timeout   time.Duration
	Line      int // in the manifest
}

// LoopBound is the bound of one loop, `FUNC.LOOP: N`; Loop is -1 for `FUNC: N`.
type LoopBound struct {
	Func  string
	Loop  int
	Bound int
}

// FunctionsMode says which functions get a generated harness.
type FunctionsMode int

// The modes.
const (
	InvalidFunctions FunctionsMode = iota
	FunctionsNone
	FunctionsChanged // those of the diff
	FunctionsAll
	FunctionsNamed // those that the manifest lists
)

var functionNames = [...]string{"invalid", "none", "changed", "all", "named"}

// functionWords are the modes that the manifest gives as a word.
var functionWords = functionNames[FunctionsNone:FunctionsNamed]

// String returns the word in the manifest.
func (f FunctionsMode) String() string {
	if f < 0 || int(f) >= len(functionNames) {
		return functionNames[0]
	}
	return functionNames[f]
}

// Volatile says what reads of volatile objects outside volatile regions give; with interrupts, it is VolatileMemory
// everywhere.
type Volatile int

// The choices. Generated harnesses take VolatileAny for VolatileUnsaid.
const (
	VolatileAny    Volatile = iota - 1 // any value at each read
	VolatileUnsaid                     // as VolatileKept, but as a condition of what nothing shows
	VolatileKept                       // any value that the program stores there, if more is not known
	VolatileMemory                     // what was stored last
)

// volatileWords are the choices in the manifest.
var volatileWords = map[string]Volatile{"any": VolatileAny, "kept": VolatileKept, "memory": VolatileMemory}

// Interrupt is a handler that may run between any two steps, at most Max times, those of the handlers that it
// preempts among them.
type Interrupt struct {
	Handler  string
	Max      int // AnyTimes: without a bound
	Preempts []string
}

// AnyTimes is the Max of `max: any`.
const AnyTimes = interrupt.AnyTimes

// AnyStub in place of a function's name means every function without a body.
const AnyStub = "*"

// Stub replaces a function. Kind is "nondet" (any result, touches nothing) or
// "havoc" (any result, and whatever its pointer arguments reach gets any value).
type Stub struct{ Func, Kind string }

// Assumption says what a generated harness passes, or puts where an argument leads to, at FUNCTION.ARGUMENT.
type Assumption struct {
	Place string // such as ring_put.data or ring_put.r.buf; of MayAlias several, with commas; of OneBlock a variable
	Text  string // such as `16 elements`
	Line  int
}

// Places lists the places that an assumption is about.
func (a *Assumption) Places() []string {
	if a.Text != MayAlias {
		return []string{a.Place}
	}
	return strings.Split(a.Place, ", ")
}

// Suppression accepts a claim that is violated or unknown.
type Suppression struct {
	Claim, Reason string
	By            string    // who decided it; may be empty
	Until         time.Time // zero: for ever
	Line          int
}

// Day is how the manifest writes a day.
const Day = "2006-01-02"

// Nightly is the schedule of the deep run.
type Nightly struct {
	Hour, Minute int // UTC
	Timeout      time.Duration
	Unwind       int
}

// Report says what is shown and what fails.
type Report struct {
	Annotate string // "changed-lines" or "all"
	FailOn   string // of FailWords, with commas
	// the manifest says FailOn itself; if not, an unknown makes `check` end with 3 and a check run neutral
	FailOnGiven bool
	Coverage    bool // find out which lines and branches executions come to
	Comment     bool // a summary comment on each pull request, kept up to date
	Behaviour   bool // pull requests say what changed functions do; so with fail_on: behaviour, and Manifest.Unchanged
}

// Pulls says which pull requests are verified by themselves. Who asks for one gets it in any case.
type Pulls struct {
	Drafts bool     // drafts too, not only what is ready for review
	Paths  []string // doublestar patterns, a leading ! excludes: those that change such a file, or the manifest; empty: all
}

// Concern reports whether pull requests that change files, relative to the root, are verified.
func (p *Pulls) Concern(changed []string) bool {
	return len(p.Paths) == 0 || slices.Contains(changed, Name) ||
		slices.ContainsFunc(changed, func(file string) bool { return matches(p.Paths, file) })
}

// matches reports whether a file is among patterns, in their order.
func matches(patterns []string, file string) bool {
	in := len(patterns) > 0 && strings.HasPrefix(patterns[0], "!") // the first leaves out of all
	for _, s := range patterns {
		pattern, out := strings.CutPrefix(s, "!")
		if doublestar.MatchUnvalidated(pattern, file) {
			in = !out
		}
	}
	return in
}

// Problem is one mistake in a manifest.
type Problem struct {
	File         string
	Line, Column int // from 1; 0 when the file as a whole is meant
	Message      string
	Suggestion   string
}

// String returns `file:line:column: message, suggestion`.
func (p Problem) String() string {
	s := strict.Problem{Line: p.Line, Column: p.Column, Message: p.Message, Suggestion: p.Suggestion}.String()
	if p.Line > 0 {
		return p.File + ":" + s
	}
	return p.File + ": " + s
}

// Error is all that is wrong with a manifest.
type Error struct{ Problems []Problem }

// Error has one line per problem.
func (e *Error) Error() string {
	lines := make([]string, len(e.Problems))
	for i, p := range e.Problems {
		lines[i] = p.String()
	}
	return strings.Join(lines, "\n")
}

// NotFoundError says that a folder has no manifest.
type NotFoundError struct{ Dir string }

// nearNames are names that a manifest does not have, and people give it.
var nearNames = []string{"firmproof.yml", "firmproof.yaml"}

// Error says what to do.
func (e *NotFoundError) Error() string {
	if st, err := os.Stat(filepath.Join(e.Dir, Name)); err == nil && st.IsDir() {
		return fmt.Sprintf("%s: %s is a folder, and has to be a file", e.Dir, Name)
	}
	for _, name := range nearNames {
		if st, err := os.Stat(filepath.Join(e.Dir, name)); err == nil && st.Mode().IsRegular() {
			return fmt.Sprintf("%s: no %s, but %s (rename it to %s)", e.Dir, Name, name, Name)
		}
	}
	return fmt.Sprintf("%s: no %s (run `firmproof init` to write one, or name C files)", e.Dir, Name)
}

// Find returns the path of the manifest in dir; a *NotFoundError if there is none.
// `.firmproof.yaml` is accepted where `.firmproof.yml` is missing.
func Find(dir string) (string, error) {
	for _, name := range []string{Name, ".firmproof.yaml"} {
		path := filepath.Join(dir, name)
		if st, err := os.Stat(path); err == nil && st.Mode().IsRegular() {
			return path, nil
		}
	}
	return "", &NotFoundError{Dir: dir}
}

// MaxSize is how long a manifest may be, in bytes.
const MaxSize = 1 << 20

// Above returns the folder with the manifest that a folder belongs to: itself, or the nearest one above
// it up to the root of the repository. A *NotFoundError if there is none.
func Above(dir string) (string, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	for shown := dir; ; abs, shown = filepath.Dir(abs), filepath.Join(shown, "..") {
		if _, err := Find(abs); err == nil {
			return shown, nil
		}
		_, err := os.Stat(filepath.Join(abs, ".git"))
		if err == nil || filepath.Dir(abs) == abs {
			return "", &NotFoundError{Dir: dir}
		}
	}
}

// Read finds and parses the manifest of a folder.
func Read(dir string) (*Manifest, error) {
	path, err := Find(dir)
	if err != nil {
		return nil, err
	}
	data, err := files.Read(path, MaxSize)
	if err != nil {
		return nil, err
	}
	return Parse(path, data)
}

// Target returns the manifest's target of that name.
func (m *Manifest) Target(name string) (targets.Target, bool) {
	for _, t := range m.Targets {
		if t.Name == name {
			return t, true
		}
	}
	return targets.Target{}, false
}

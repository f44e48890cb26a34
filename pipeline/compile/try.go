package compile

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/firmproof/firmproof/pipeline/headers"
	"github.com/firmproof/firmproof/pipeline/manifest"
	"github.com/firmproof/firmproof/targets"
)

// Attempt is a unit of a build that was tried by itself.
type Attempt struct {
	File    string   // relative to the root where it lies inside
	Err     error    // why it does not compile; nil: it does
	Defines []string // functions and variables that a second definition of would clash with
	Public  []string // the functions among Defines
	Weak    []string // functions that give way to others of the name
}

// Trial holds what became of each unit of a build.
type Trial struct {
	Units  []Attempt // in the order of the build
	Images []string  // the programs that a recorded build links
	Calls  []Call    // of a recorded build
}

// Try compiles each unit of what a manifest builds by itself, without linking: one that does not
// compile does not end the others. Those that ctx leaves no time for have its error.
func Try(ctx context.Context, dir string, mb manifest.Build, t targets.Target, opts Options) (*Trial, error) {
	b, err := newBuilder(dir, t, opts)
	if err != nil {
		return nil, err
	}
	out := &Trial{}
	switch {
	case mb.CompileCommands != "":
		err = b.fromDatabase(mb, absoluteIn(b.dir, mb.CompileCommands))
	case mb.Command != "":
		rec := b.opts.Recording
		if rec == nil {
			if rec, err = b.record(ctx, mb); err != nil {
				return nil, err
			}
			b.opts.Recording = rec
		}
		out.Calls = rec.Calls
		cross := anyCross(rec.Calls)
		for _, l := range b.images(rec.Calls, cross) {
			out.Images = append(out.Images, l.name)
		}
		err = b.fromCommand(ctx, mb)
	default:
		err = b.fromSources(mb)
	}
	if err != nil {
		return nil, err
	}
	if err := b.adoptABI(ctx); err != nil {
		return nil, err
	}
	out.Units = make([]Attempt, len(b.specs))
	var wg sync.WaitGroup
	slots := make(chan struct{}, b.opts.Jobs)
	for _, i := range ownFirst(b.specs) {
		wg.Add(1)
		slots <- struct{}{}
		go func() {
			defer func() { <-slots; wg.Done() }()
			out.Units[i] = b.try(ctx, b.specs[i])
		}()
	}
	wg.Wait()
	return out, nil
}

// ownFirst returns the places of units in the order in which they are tried: packages that others made come last, as
// time may run out.
func ownFirst(units []unitSpec) []int {
	out := make([]int, len(units))
	for i := range units {
		out[i] = i
	}
	packaged := func(i int) int {
		if headers.Packaged(units[i].file) {
			return 1
		}
		return 0
	}
	slices.SortStableFunc(out, func(i, j int) int { return packaged(i) - packaged(j) })
	return out
}

// anyCross reports whether a cross compiler is among the calls.
func anyCross(calls []Call) bool {
	for _, c := range calls {
		if !c.isHost() && !c.isProbe() {
			return true
		}
	}
	return false
}

func (b *builder) try(ctx context.Context, s unitSpec) Attempt {
	r := b.request(s)
	a := Attempt{File: r.shown(s.file)}
	if a.Err = ctx.Err(); a.Err != nil {
		return a
	}
	u, err := Compile(ctx, r)
	if err != nil {
		a.Err = err
		return a
	}
	text, err := os.ReadFile(u.IRPath)
	if err != nil {
		a.Err = &InfraError{"read", err}
		return a
	}
	for _, f := range readFunctions(text) {
		switch {
		case f.Static:
		case weakDefinition(text, f.Name):
			a.Weak = append(a.Weak, f.Name)
		default:
			a.Defines, a.Public = append(a.Defines, f.Name), append(a.Public, f.Name)
		}
	}
	for _, m := range variableRE.FindAllSubmatch(text, -1) {
		a.Defines = append(a.Defines, strings.Trim(string(m[1]), `"`))
	}
	return a
}

// A variable that is defined for other units to see; weak and common ones may be defined twice.
var variableRE = regexp.MustCompile(
	`(?m)^@("[^"]+"|[\w.$]+) = (?:dso_local )?(?:local_unnamed_addr )?(?:thread_local )?(?:global|constant) `)

// weakDefinition reports whether the definition of a function gives way to another one.
func weakDefinition(text []byte, name string) bool {
	m, err := regexp.Compile(
		`(?m)^define (?:[\w()]+ )*(?:weak|weak_odr|linkonce|linkonce_odr|available_externally) .*@"?` +
			regexp.QuoteMeta(name) + `"?\(`)
	return err == nil && m.Match(text)
}

// MissingHeader returns the name of the header that a unit includes and that was not found.
func MissingHeader(err error) (string, bool) {
	_, name, ok := missingHeader(err)
	return name, ok
}

// missingHeader returns the first header that a unit does not find, and where it is included.
func missingHeader(err error) (at Diagnostic, name string, ok bool) {
	var be *BuildError
	if !errors.As(err, &be) {
		return at, "", false
	}
	for _, d := range be.Diagnostics {
		if m := notFound.FindStringSubmatch(d.Message); m != nil {
			return d, m[1], true
		}
	}
	return at, "", false
}

var notFound = regexp.MustCompile(`^'([^']+)' file not found`)

// builtinHeaders are those that the compiler has itself.
var builtinHeaders = regexp.MustCompile(
	`^(float|iso646|limits|stdalign|stdarg|stdatomic|stdbool|stddef|stdint|stdnoreturn|tgmath|inttypes|unwind|\w*intrin|arm_\w+|cpuid)\.h$`)

// SystemHeader returns a function that reports whether units of a target find a header without an
// include path of their own.
func SystemHeader(t targets.Target) func(name string) bool {
	dirs, _ := t.HeaderDirs()
	return func(name string) bool {
		if builtinHeaders.MatchString(name) || name == "firmproof.h" || name == "assert.h" {
			return true
		}
		for _, d := range dirs {
			if st, err := os.Stat(filepath.Join(d, name)); err == nil && st.Mode().IsRegular() {
				return true
			}
		}
		return false
	}
}

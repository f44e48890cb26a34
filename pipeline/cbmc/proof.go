// Package cbmc reads proofs that were written for CBMC, as they lie in a
// repository, and builds them with clang:
//
//	proofs/X/Makefile   variables of the CBMC starter kit; make tells their values
//
// What CBMC's own tools do to the program is done to its IR before it is linked:
// file-local functions get the names that proofs call them by, and bodies are
// removed. What a proof needs that firmproof does not do (contracts, for one) is
// named in Proof.Needs, so that nothing is answered about it.
package cbmc

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/firmproof/firmproof/pipeline/build"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// Proof is one proof: a harness, the program below it, and CBMC's options.
type Proof struct {
	Name    string // of its folder
	Dir     string // absolute
	Root    string // of the source tree, absolute
	Entry   string
	Project []string // sources under proof, absolute
	Sources []string // harness and stubs, absolute
	Flags   []string // for every source: -I, -D, -std= and the like

	RemoveBody []string // functions of Project whose bodies go
	Loops      []LoopBound
	Bits32     bool // --32
	MallocOK   bool // malloc never fails
	Unsigned   bool // --unsigned-overflow-check
	Conversion bool // --conversion-check
	Pointers   bool // --pointer-overflow-check
	Needs      []string
}

// LoopBound is one entry of CBMC's --unwindset: FUNC.N:K.
type LoopBound struct {
	Func string
	Loop int
	K    int
}

// Find lists the folders at and below dir that hold a proof, sorted.
func Find(dir string) ([]string, error) {
	var out []string
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && d.Name() == ".git":
			return fs.SkipDir
		case d.IsDir():
			return nil
		}
		if d.Name() == "Makefile" && isProof(path) {
			out = append(out, filepath.Dir(path))
		}
		return nil
	})
	sort.Strings(out)
	return out, err
}

// isProof looks for what every proof of the layout says.
func isProof(path string) bool {
	data, err := os.ReadFile(path)
	return err == nil && (strings.Contains(string(data), "HARNESS_FILE") || strings.Contains(string(data), "HARNESS_ENTRY"))
}

// Read reads the proof of a folder. Its makefile is run, through runner.
func Read(ctx context.Context, runner build.Runner, dir string) (*Proof, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		return nil, err
	}
	return readMakefile(ctx, runner, dir)
}

// Checks are the properties that the proof asks of CBMC.
func (p *Proof) Checks() verdict.CheckSet {
	c := verdict.CheckSet{}
	for _, k := range []verdict.Check{verdict.Assert, verdict.Memory, verdict.Free, verdict.DivByZero, verdict.SignedOverflow, verdict.Shift, verdict.Unwinding} {
		c[k] = true
	}
	c[verdict.UnsignedOverflow], c[verdict.Conversion], c[verdict.PointerOverflow] = p.Unsigned, p.Conversion, p.Pointers
	for k, on := range c {
		if !on {
			delete(c, k)
		}
	}
	return c
}

// loops reads entries of --unwindset.
func loops(dir string, words []string) ([]LoopBound, error) {
	var out []LoopBound
	for _, w := range words {
		for _, s := range strings.Split(w, ",") {
			if s = strings.TrimSpace(s); s == "" {
				continue
			}
			name, k, ok := strings.Cut(s, ":")
			dot := strings.LastIndexByte(name, '.')
			if !ok || dot < 0 { // recursion, or a loop by its position: found without a bound
				continue
			}
			n, err1 := strconv.Atoi(name[dot+1:])
			bound, err2 := strconv.Atoi(k)
			if err1 != nil || err2 != nil {
				return nil, fmt.Errorf("%s: UNWINDSET: %q: want FUNCTION.LOOP:BOUND", dir, s)
			}
			out = append(out, LoopBound{Func: name[:dot], Loop: n, K: bound})
		}
	}
	return out, nil
}

// compilerFlags keeps what changes the meaning of the sources.
func compilerFlags(words []string) []string {
	var out []string
	for i := 0; i < len(words); i++ {
		w := words[i]
		switch {
		case w == "-include" || w == "-isystem" || w == "-I" || w == "-D" || w == "-U":
			if i+1 < len(words) {
				out = append(out, w, words[i+1])
				i++
			}
		case hasAnyPrefix(w, "-I", "-D", "-U", "-std=", "-fshort-", "-funsigned-char", "-fsigned-char", "-fpack-struct"):
			out = append(out, w)
		}
	}
	return out
}

func hasAnyPrefix(s string, list ...string) bool {
	return slices.ContainsFunc(list, func(p string) bool { return strings.HasPrefix(s, p) })
}

// absolute makes file names absolute and drops repetitions.
func absolute(dir string, files []string) []string {
	var out []string
	for _, f := range files {
		if !filepath.IsAbs(f) {
			f = filepath.Join(dir, f)
		}
		if f = filepath.Clean(f); !slices.Contains(out, f) {
			out = append(out, f)
		}
	}
	return out
}

// Package cbmc reads proofs that were written for CBMC, as they lie in a
// repository, and builds them with clang:
//
//	proofs/X/Makefile             variables of the CBMC starter kit; make tells their values
//	proofs/X/Makefile.json        the FreeRTOS kernel's and FreeRTOS-Plus-TCP's own layout
//	proofs/X/Configurations.json  the same, one harness with several sets of macros
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

	"github.com/firmproof/firmproof/pipeline/compile"
	"github.com/firmproof/firmproof/pipeline/contract"
	"github.com/firmproof/firmproof/pipeline/files"
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
	ObjectBits int  // --object-bits: of a pointer, that name its object
	MallocOK   bool // malloc never fails
	Unsigned   bool // --unsigned-overflow-check
	Conversion bool // --conversion-check
	Pointers   bool // --pointer-overflow-check
	Needs      []string

	NondetStatic  bool            // --nondet-static: variables that live as long as the program have any value
	BodylessFails bool            // a call of a function without a body is a failure
	Expect        bool            // the proof is meant to succeed
	Unasked       []verdict.Check // that CBMC makes only when told, and was not
	TypeHeaders   []TypeHeader

	Contracts *contract.Options // nil: none is used
	Generated map[string][]byte // sources that are made by the makefile, by name
}

// LargestObject returns how many bytes an object may have: an offset has the bits of a pointer that do not name its
// object, and a sign.
func (p *Proof) LargestObject() int64 {
	pointer := 64
	if p.Bits32 {
		pointer = 32
	}
	return 1 << max(1, min(pointer-p.ObjectBits-1, pointer-2))
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
		if IsProof(path) {
			out = append(out, filepath.Dir(path))
		}
		return nil
	})
	sort.Strings(out)
	return slices.Compact(out), err
}

// IsProof looks for what every proof of a layout says. What the scripts of the JSON
// layout made of a Configurations.json (folders config_*) is not taken twice.
func IsProof(path string) bool {
	var marks []string
	switch filepath.Base(path) {
	case "Makefile":
		marks = []string{"HARNESS_FILE", "HARNESS_ENTRY"}
	case proofJSON, configsJSON:
		dir := filepath.Dir(path)
		if _, err := os.Stat(filepath.Join(filepath.Dir(dir), configsJSON)); err == nil &&
			strings.HasPrefix(filepath.Base(dir), "config_") {
			return false
		}
		marks = []string{`"OBJS"`}
	}
	if marks == nil {
		return false
	}
	data, err := files.Read(path, maxFile)
	return err == nil && slices.ContainsFunc(marks, func(m string) bool { return strings.Contains(string(data), m) })
}

// maxFile is how long a file of a proof may be, in bytes.
const maxFile = 64 << 20

// Read reads the proofs of a folder: one, or several of a Configurations.json. A
// makefile is run, through runner.
func Read(ctx context.Context, runner compile.Runner, dir string) ([]*Proof, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		return nil, err
	}
	for _, name := range []string{configsJSON, proofJSON} {
		if IsProof(filepath.Join(dir, name)) {
			return readConfigurations(dir)
		}
	}
	p, err := readMakefile(ctx, runner, dir)
	if err != nil {
		return nil, err
	}
	return []*Proof{p}, nil
}

// Checks returns the properties that the proof asks of CBMC.
func (p *Proof) Checks() verdict.CheckSet {
	c := verdict.CheckSet{}
	for _, k := range []verdict.Check{verdict.Assert, verdict.Memory, verdict.Free, verdict.DivByZero,
		verdict.SignedOverflow, verdict.Shift, verdict.Unwinding} {
		c[k] = true
	}
	c[verdict.UnsignedOverflow], c[verdict.PointerOverflow] = p.Unsigned, p.Pointers
	c[verdict.Conversion], c[verdict.FloatConversion] = p.Conversion, p.Conversion
	for _, k := range p.Unasked {
		c[k] = false
	}
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
		case hasAnyPrefix(w, "-I", "-D", "-U", "-std=", "-fshort-", "-funsigned-char", "-fsigned-char",
			"-fpack-struct"):
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

package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
)

// prelude is the file that a package with mutants gets beside its own: what they call.
const prelude = `package %s

import (
	"cmp"
	"os"
	"strconv"
	"sync"
)

// mutant is the number of the mistake that is on: 0 none, -1 none, but those that are reached are noted.
var mutant, _ = strconv.Atoi(os.Getenv("FIRMPROOF_MUTANT"))

var mutReached sync.Map

func mutIs(n int) bool {
	if mutant == -1 {
		if _, seen := mutReached.LoadOrStore(n, true); !seen {
			f, err := os.OpenFile(os.Getenv("FIRMPROOF_MUTANTS_REACHED"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
			if err == nil {
				_, _ = f.WriteString(strconv.Itoa(n) + "\n")
				_ = f.Close()
			}
		}
	}
	return mutant == n
}

type mutInteger interface {
	~int | ~int8 | ~int16 | ~int32 | ~int64 | ~uint | ~uint8 | ~uint16 | ~uint32 | ~uint64 | ~uintptr
}

func mutPick[T any](n int, a, b T) T { if mutIs(n) { return b }; return a }
func mutOff[T mutInteger](n int, a T) T { if mutIs(n) { return a + 1 }; return a }
func mutPickmin[T cmp.Ordered](n int, a, b T) T { return mutPick(n, min(a, b), max(a, b)) }
func mutPickmax[T cmp.Ordered](n int, a, b T) T { return mutPick(n, max(a, b), min(a, b)) }
func mutLss[T cmp.Ordered](n int, a, b T) bool { return mutPick(n, a < b, a <= b) }
func mutLeq[T cmp.Ordered](n int, a, b T) bool { return mutPick(n, a <= b, a < b) }
func mutGtr[T cmp.Ordered](n int, a, b T) bool { return mutPick(n, a > b, a >= b) }
func mutGeq[T cmp.Ordered](n int, a, b T) bool { return mutPick(n, a >= b, a > b) }
func mutAdd[T mutInteger](n int, a, b T) T { return mutPick(n, a + b, a - b) }
func mutSub[T mutInteger](n int, a, b T) T { return mutPick(n, a - b, a + b) }
func mutMul[T mutInteger](n int, a, b T) T { return mutPick(n, a * b, a + b) }
func mutQuo[T mutInteger](n int, a, b T) T { return mutPick(n, a / b, a * b) }
func mutRem[T mutInteger](n int, a, b T) T { return mutPick(n, a %% b, a / b) }
func mutAnd[T mutInteger](n int, a, b T) T { return mutPick(n, a & b, a | b) }
func mutOr[T mutInteger](n int, a, b T) T { return mutPick(n, a | b, a & b) }
func mutXor[T mutInteger](n int, a, b T) T { return mutPick(n, a ^ b, a | b) }
func mutAndNot[T mutInteger](n int, a, b T) T { return mutPick(n, a &^ b, a & b) }
func mutShl[T, U mutInteger](n int, a T, b U) T { return mutPick(n, a << b, a >> b) }
func mutShr[T, U mutInteger](n int, a T, b U) T { return mutPick(n, a >> b, a << b) }
`

// overlay writes the package in dir with all mutants, numbered from 1, and the table that the Go tool reads, whose
// path it returns.
func overlay(dir, name, out string, mutants []*mutant) (string, error) {
	if err := os.MkdirAll(out, 0o755); err != nil {
		return "", err
	}
	replace := map[string]string{}
	put := func(path, text string) error {
		abs, err := filepath.Abs(path)
		if err != nil {
			return err
		}
		to, err := filepath.Abs(filepath.Join(out, filepath.Base(path)))
		if err != nil {
			return err
		}
		replace[abs] = to
		return os.WriteFile(to, []byte(text), 0o600)
	}
	edits := map[string][]edit{}
	for i, m := range mutants {
		edits[m.file] = append(edits[m.file], m.edits(i+1)...)
	}
	for file, list := range edits {
		src, err := os.ReadFile(file)
		if err != nil {
			return "", err
		}
		if err := put(file, apply(string(src), list)); err != nil {
			return "", err
		}
	}
	if err := put(filepath.Join(dir, "zz_mutants.go"), fmt.Sprintf(prelude, name)); err != nil {
		return "", err
	}
	table, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", err
	}
	path := filepath.Join(out, "overlay.json")
	return path, os.WriteFile(path, table, 0o600)
}

// apply makes all edits of a text. At one place, what ends comes first, the innermost before others; what begins
// comes last, the outermost before others.
func apply(src string, list []edit) string {
	slices.SortStableFunc(list, func(a, b edit) int {
		switch {
		case a.from != b.from:
			return a.from - b.from
		case a.closes != b.closes:
			if a.closes {
				return -1
			}
			return 1
		case a.closes:
			return b.depth - a.depth
		}
		return a.depth - b.depth
	})
	out, at := "", 0
	for _, e := range list {
		out += src[at:e.from] + e.text
		at = max(at, e.to)
	}
	return out + src[at:]
}

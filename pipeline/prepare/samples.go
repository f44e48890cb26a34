package prepare

import (
	"bytes"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/firmproof/firmproof/pipeline/ctoken"
	"github.com/firmproof/firmproof/pipeline/files"
	"github.com/firmproof/firmproof/pipeline/headers"
	"github.com/firmproof/firmproof/reports"
)

// Limits of what is read of a project's tests.
const (
	maxSampled     = 20_000  // entries of folders
	maxSampledFile = 1 << 18 // bytes
	maxSampledAll  = 1 << 24 // bytes
	maxSamples     = 200     // texts
	maxSample      = 1024    // bytes of one
	maxSampleBytes = 1 << 15 // of all
)

// testWords are parts of names of folders and files that hold tests and what they read.
var testWords = []string{"test", "spec", "fuzz", "corpus", "corpora", "sample", "example", "vector"}

func namesTests(name string) bool {
	name = strings.ToLower(name)
	return slices.ContainsFunc(testWords, func(w string) bool { return strings.Contains(name, w) })
}

// samplesIn returns what the tests of a tree hand to the program: their text literals, lists of bytes and small files.
// They are inputs to begin a search with, and no part of the program. What stands on changed lines comes first, then of
// each file in turn.
func samplesIn(root string, changed map[string][]reports.LineRange) [][]byte {
	var first [][]byte
	var each [][][]byte
	entries, left := 0, int64(maxSampledAll)
	_ = filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if entries++; entries > maxSampled || left <= 0 {
			return fs.SkipAll
		}
		rel, relErr := filepath.Rel(root, p)
		switch {
		case err != nil || relErr != nil:
			return nil
		case d.IsDir() && p != root && (strings.HasPrefix(d.Name(), ".") || headers.Generated(d.Name())):
			return filepath.SkipDir
		case !d.Type().IsRegular() || !namesTests(filepath.ToSlash(rel)):
			return nil
		}
		text, err := files.Read(p, maxSampledFile)
		if err != nil {
			return nil
		}
		left -= int64(len(text))
		lines := changed[filepath.ToSlash(rel)]
		switch strings.ToLower(filepath.Ext(p)) {
		case ".c", ".cc", ".cpp", ".cxx", ".h", ".hh", ".hpp", ".inc":
			var own [][]byte
			eachSample(text, func(s []byte, line int) {
				if touches(lines, line, line) {
					first = append(first, s)
				} else {
					own = append(own, s)
				}
			})
			each = append(each, own)
		case ".txt", ".md", ".py", ".sh", ".cmake", ".yml", ".yaml", ".rst", ".am", ".in":
		default:
			if len(text) <= maxSample {
				each = append(each, [][]byte{text})
			}
		}
		return nil
	})
	return chosenSamples(first, each)
}

// chosenSamples takes as many different texts as there is room for: first, and then of each list in turn.
func chosenSamples(first [][]byte, each [][][]byte) (out [][]byte) {
	seen, left := map[string]bool{}, maxSampleBytes
	take := func(s []byte) {
		if len(s) > 1 && len(s) <= min(maxSample, left) && len(out) < maxSamples && !seen[string(s)] {
			seen[string(s)] = true
			left -= len(s)
			out = append(out, s)
		}
	}
	for _, s := range first {
		take(s)
	}
	for k, more := 0, true; more && len(out) < maxSamples; k++ {
		more = false
		for _, list := range each {
			if k < len(list) {
				more = true
				take(list[k])
			}
		}
	}
	return out
}

// eachSample calls do with the text literals of a text in C, those that stand beside each other as one, and with the
// lists of bytes in braces, each with its line.
func eachSample(text []byte, do func(sample []byte, line int)) {
	var literal, list []byte
	at, inList := 0, false
	eachToken(text, func(kind ctoken.Kind, t string, line int) {
		if kind == ctoken.Text && strings.HasPrefix(t, `"`) {
			if literal == nil {
				at = line
			}
			literal = append(literal, unescaped(t)...)
			return
		}
		if literal != nil {
			do(literal, at)
			literal = nil
		}
		n, err := strconv.ParseUint(strings.TrimRight(t, "uUlL"), 0, 8)
		switch {
		case t == "{":
			list, inList, at = nil, true, line
		case t == "}" && inList:
			do(list, at)
			inList = false
		case kind == ctoken.Number && err == nil:
			list = append(list, byte(n))
		case kind == ctoken.Text && strings.HasPrefix(t, "'"):
			list = append(list, unescaped(t)...)
		case t != ",":
			inList = false
		}
	})
	if literal != nil {
		do(literal, at)
	}
}

// escapes are the simple escape sequences, but for those that stand for themselves (C17 6.4.4.4).
var escapes = map[byte]byte{'n': '\n', 't': '\t', 'r': '\r', '0': 0, 'a': 7, 'b': 8, 'f': 12, 'v': 11}

// unescaped returns the bytes of a literal with its quotes.
func unescaped(literal string) (out []byte) {
	s := []byte(literal[1:])
	s = bytes.TrimSuffix(s, []byte(literal[:1]))
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 == len(s) {
			out = append(out, s[i])
			continue
		}
		i++
		from, to, base, digits := i, min(i+3, len(s)), 8, "01234567"
		if s[i] == 'x' {
			from, to, base, digits = i+1, len(s), 16, "0123456789abcdefABCDEF"
		}
		end := from
		for end < to && strings.IndexByte(digits, s[end]) >= 0 {
			end++
		}
		if n, err := strconv.ParseUint(string(s[from:end]), base, 32); err == nil {
			out = append(out, byte(n))
			i = end - 1
		} else if c, is := escapes[s[i]]; is {
			out = append(out, c)
		} else {
			out = append(out, s[i])
		}
	}
	return out
}

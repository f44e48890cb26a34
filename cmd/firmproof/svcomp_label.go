package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

var (
	errorLabel = regexp.MustCompile(`\bERROR\s*:`)
	errorCall  = regexp.MustCompile(`\b(reach_error|__VERIFIER_error|__assert_fail)\s*\(`)
)

// withErrorCalls is file, or when its error is the label ERROR and no call (tasks
// from before SV-COMP 2014) a copy in dir that calls __VERIFIER_error behind that
// label. Lines stay what they are.
func withErrorCalls(file, dir string) (string, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return "", err
	}
	if errorCall.Match(text) || !errorLabel.Match(text) {
		return file, nil
	}
	out, n := markErrorLabels(string(text))
	if n == 0 {
		return file, nil
	}
	copied := filepath.Join(dir, filepath.Base(file))
	head := fmt.Sprintf("extern void __VERIFIER_error(void);\n#line 1 %s\n", strconv.Quote(file))
	return copied, os.WriteFile(copied, []byte(head+out), 0o600)
}

// markErrorLabels puts a call behind each label ERROR, and counts them. A label
// begins a statement: what stands before it ends one.
func markErrorLabels(c string) (string, int) {
	var out strings.Builder
	last, n := byte('{'), 0 // the last byte that is no space, outside of comments
	for i := 0; i < len(c); {
		k := skipped(c[i:])
		switch {
		case k > 0:
			if c[i] != '/' {
				last = c[i]
			}
		case c[i] == 'E' && !inWord(c, i-1) && strings.IndexByte(";{}:)", last) >= 0:
			if at := errorLabel.FindStringIndex(c[i:]); at != nil && at[0] == 0 {
				out.WriteString(c[i:i+at[1]] + " __VERIFIER_error();")
				i, last = i+at[1], ';'
				n++
				continue
			}
			fallthrough
		default:
			k = 1
			if !strings.ContainsRune(" \t\r\n\f", rune(c[i])) {
				last = c[i]
			}
		}
		out.WriteString(c[i : i+k])
		i += k
	}
	return out.String(), n
}

func inWord(c string, i int) bool {
	return i >= 0 && (c[i] == '_' || c[i] >= '0' && c[i] <= '9' || c[i] >= 'a' && c[i] <= 'z' || c[i] >= 'A' &&
		c[i] <= 'Z')
}

// skipped is the length of the comment, string or character constant that c begins with, or 0.
func skipped(c string) int {
	end := func(stop string, from int) int {
		if k := strings.Index(c[from:], stop); k >= 0 {
			return from + k + len(stop)
		}
		return len(c)
	}
	switch {
	case strings.HasPrefix(c, "/*"):
		return end("*/", 2)
	case strings.HasPrefix(c, "//"):
		return end("\n", 2)
	case c[0] != '"' && c[0] != '\'':
		return 0
	}
	for k := 1; k < len(c); k++ {
		switch c[k] {
		case '\\':
			k++
		case c[0], '\n':
			return k + 1
		}
	}
	return len(c)
}

package compile

import (
	"bytes"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

const maxDiagnostics = 50

const large = `\b(?:\d{5,}|0[xX][0-9a-fA-F]{4,})`

var (
	clangLine  = regexp.MustCompile(`^(.+?):(\d+):(\d+): (fatal error|error|warning): (.*)$`)
	driverLine = regexp.MustCompile(
		`^(?:[\w./-]*clang[\w.+-]*|[\w./-]*llvm-[\w-]+|[\w./-]*\bopt(?:-\d+)?|error): (?:error: )?(.*)$`)
	toolName   = regexp.MustCompile(`^(?:[\w./-]*/)?(?:llvm-(?:as|dis|link)|opt)(?:-\d+)?: `)
	overflowRE = regexp.MustCompile(`(?m): warning: overflow in expression`)
	largeRE    = regexp.MustCompile(large +
		`[uUlL]*[\s)]*(?:[-+*/%]|<<)[\s(-]*[\d']|[\d'][uUlL]*[\s)]*(?:[-+*/%]|<<)[\s(-]*` + large)
	zeroRE = regexp.MustCompile(`(?m): warning: (division|remainder) by zero is undefined`)
	// as clang 14 says it, and as it does from 15 on
	implicitRE = regexp.MustCompile(`^(?:implicit declaration of function|call to undeclared function) '([^']+)'`)
	implicitLb = regexp.MustCompile(
		`^(?:implicitly declaring library function|call to undeclared library function) '([^']+)'`)
)

// parseDiagnostics reads what clang or an LLVM tool printed: the errors, and the
// functions that were called without a declaration (other than library functions,
// whose types clang knows).
func parseDiagnostics(stderr []byte) (errs []Diagnostic, implicit []string) {
	seen := map[string]bool{}
	for _, line := range strings.Split(string(stderr), "\n") {
		line = strings.TrimRight(line, "\r")
		if m := clangLine.FindStringSubmatch(line); m != nil {
			if im := implicitRE.FindStringSubmatch(m[5]); im != nil && !seen[im[1]] {
				seen[im[1]] = true
				implicit = append(implicit, im[1])
				continue
			}
			if m[4] == "warning" || implicitLb.MatchString(m[5]) {
				continue
			}
			l, _ := strconv.Atoi(m[2])
			c, _ := strconv.Atoi(m[3])
			errs = append(errs, Diagnostic{File: llvmFile(m[1]), Line: l, Column: c, Message: m[5]})
		} else if strings.Contains(line, "error: ") && !strings.HasPrefix(line, " ") {
			msg := line
			if m := driverLine.FindStringSubmatch(line); m != nil {
				msg = m[1]
			}
			errs = append(errs, Diagnostic{Message: strings.TrimPrefix(msg, "error: ")})
		}
		if len(errs) >= maxDiagnostics {
			break
		}
	}
	return errs, implicit
}

// llvmFile takes the tool's name off the front of a file name.
func llvmFile(s string) string {
	return toolName.ReplaceAllString(s, "")
}

// crashed tells a compiler that fell over from one that refused its input.
func crashed(r Result) bool {
	return r.ExitCode >= 128 || strings.Contains(string(r.Stderr), "PLEASE submit a bug report") ||
		strings.Contains(string(r.Stderr), "frontend command failed")
}

// tail returns the end of a tool's output, for messages.
func tail(b []byte, lines int) string {
	all := strings.Split(strings.TrimRight(string(b), "\n"), "\n")
	if len(all) > lines {
		all = all[len(all)-lines:]
	}
	return strings.Join(all, "\n")
}

// foldsUndefined reports that the compiler may fold an operation on constants that
// overflows or divides by zero: at -O0 the result stands in the IR, and the
// operation does not. It warns of most; of what stands in a conditional or unary
// expression it does not, and so a large number next to another one counts as well.
func foldsUndefined(text, stderr []byte) bool {
	return overflowRE.Match(stderr) || zeroRE.Match(stderr) || largeRE.Match(ownText(text))
}

// ownText returns preprocessed text without line markers and without what comes from
// system headers (flag 3 of a marker).
func ownText(text []byte) []byte {
	var out []byte
	system := false
	for line := range bytes.Lines(text) {
		if !bytes.HasPrefix(line, []byte("# ")) {
			if !system {
				out = append(out, line...)
			}
			continue
		}
		_, flags, _ := bytes.Cut(line[bytes.LastIndexByte(line, '"')+1:], []byte(" "))
		system = slices.ContainsFunc(bytes.Fields(flags), func(f []byte) bool { return string(f) == "3" })
	}
	return out
}

// foldedChecks make clang keep such operations. Division by zero calls a handler
// instead of a trap, so that the frontend can tell it from the smallest value by -1.
var foldedChecks = []string{"-fsanitize=signed-integer-overflow,integer-divide-by-zero", "-fsanitize-trap=all",
	"-fno-sanitize-trap=integer-divide-by-zero", "-fno-sanitize-recover=all"}

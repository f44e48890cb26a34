package sandbox

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"syscall"

	"github.com/firmproof/firmproof/pipeline/compile"
)

// limitWords list what compilers, shells and libraries say of a limit that they ran into.
// They only matter for a command that failed. A command that makes them up is not
// verified, either.
var limitWords = []struct {
	limit string
	said  *regexp.Regexp
}{
	{"memory", regexp.MustCompile(`(?mi)^LLVM ERROR: out of memory|: out of memory( allocating .*)?$|` +
		`virtual memory exhausted|cannot allocate memory|std::bad_alloc|^MemoryError$|runtime: out of memory`)},
	{"processor time", regexp.MustCompile(`(?m)CPU time limit exceeded`)},
	{"the size of a file", regexp.MustCompile(`(?mi)file size limit exceeded|: file too large$`)},
	{"disk", regexp.MustCompile(`(?mi)no space left on device|disk quota exceeded`)},
	{"open files", regexp.MustCompile(`(?mi)too many open files`)},
	{shortage, regexp.MustCompile(`(?mi)resource temporarily unavailable|: cannot fork$|new OS thread \(.*errno=11\)`)},
}

// shortage stands for a process or thread that the kernel did not give.
const shortage = "processes"

// limitOf returns the limit that a command said it ran into, and the line.
func limitOf(text string) (limit, line string) {
	for _, w := range limitWords {
		if at := w.said.FindStringIndex(text); at != nil {
			line := text[strings.LastIndexByte(text[:at[0]], '\n')+1:]
			line, _, _ = strings.Cut(line, "\n")
			return w.limit, strings.TrimSpace(line)
		}
	}
	return "", ""
}

// Shortage reports whether text, of a process that failed, says that this machine gave
// it no process or thread: that may be otherwise a moment later.
func Shortage(text string) bool {
	limit, _ := limitOf(text)
	return limit == shortage
}

// blame returns why a command that failed is no failure of what it was to build: it
// ran into a limit (*compile.LimitError), or this machine had no process left for it
// (*compile.InfraError). nil: the command failed by itself.
func blame(name string, exit Exit, l Limits, said string) error {
	switch exit.Code {
	case 128 + int(syscall.SIGXCPU):
		return &compile.LimitError{Limit: "processor time", Err: fmt.Errorf("%s was ended", name)}
	case 128 + int(syscall.SIGXFSZ):
		return &compile.LimitError{Limit: "the size of a file", Err: fmt.Errorf("%s was ended", name)}
	}
	limit, line := limitOf(said)
	switch {
	case exit.Code == 0 || limit == "":
		return nil
	case limit == shortage && (l.Procs == 0 || exit.Threads < l.Procs*3/4):
		return &compile.InfraError{Stage: "this machine", Err: errors.Join(compile.ErrShortage, errors.New(line))}
	}
	return &compile.LimitError{Limit: limit, Err: errors.New(line)}
}

package targets

import (
	"regexp"
	"slices"
	"strings"
)

// SameMachine compares data layouts of LLVM without what it says of a machine from some version on: the alignment of
// 128-bit integers, which clang makes structures for by itself, native widths, address spaces that C does not use, and
// how functions are aligned.
func SameMachine(a, b string) bool {
	parts := func(layout string) []string {
		return slices.DeleteFunc(strings.Split(layout, "-"), func(p string) bool {
			return laterPart.MatchString(p)
		})
	}
	return slices.Equal(parts(a), parts(b))
}

var laterPart = regexp.MustCompile(`^(?:i128:128|n[\d:]+|ni[\d:]*|p27[0-2]:.*|F.*)$`)

package frontend

import (
	"regexp"
	"strings"
)

// The lines that llir v0.3.6 does not parse although LLVM 14 writes them:
//
//	(P1) the return attribute `align N` of calls, declarations and definitions: a hint, dropped;
//	(P2) metadata attachments of `freeze`: dropped, its position is lost.
var (
	callHead = regexp.MustCompile(`^\s*(?:%\S+ = )?(?:(?:tail|musttail|notail) )?(?:call|invoke) |^(?:define|declare) `)
	retAlign = regexp.MustCompile(`^((?:[a-z_]+(?:\(\d+\))? )*?)align \d+ `)
	freezeMD = regexp.MustCompile(`^(\s*%\S+ = freeze [^!]*), ![a-zA-Z].*$`)
)

// mend rewrites such lines; the number of lines stays the same.
func mend(text string) string {
	lines := strings.Split(text, "\n")
	for i, l := range lines {
		if head := callHead.FindString(l); head != "" {
			lines[i] = head + retAlign.ReplaceAllString(l[len(head):], "$1")
		} else if strings.Contains(l, " = freeze ") {
			lines[i] = freezeMD.ReplaceAllString(l, "$1")
		}
	}
	return strings.Join(lines, "\n")
}

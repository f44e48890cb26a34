package reports

import (
	"fmt"
	"strings"

	"github.com/firmproof/firmproof/verifier/verdict"
)

// Found is a finding as an answer to a comment shows it.
type Found struct {
	Target, Entry, Status string
	Pos                   verdict.Pos
	Message, URL          string
}

// Explanation says what a claim means (known: prop holds it) and how it came out.
func Explanation(prop verdict.Property, known bool, found []Found) string {
	var b strings.Builder
	if known {
		fmt.Fprintf(&b, "**%s** (%s)\n\n%s\n", prop.Title,
			strings.Trim(strings.Join([]string{prop.CWE, prop.MISRA, prop.CERT}, ", "), ", "), prop.Meaning)
		if prop.Bad != "" {
			fmt.Fprintf(&b, "\n```c\n%s   // wrong\n%s   // right\n```\n", prop.Bad, prop.Good)
		}
	}
	for _, f := range found {
		fmt.Fprintf(&b, "\n* %s, entry %s: **%s** at %s: %s ([trace](%s))", Inert(f.Target), Code(f.Entry), f.Status,
			Code(f.Pos.String()), Inert(f.Message), f.URL)
	}
	return b.String()
}

// NoSuchName says that a command names a target or harness that does not exist, and which do.
func NoSuchName(what, name string, names []string) string {
	if len(names) == 0 {
		return fmt.Sprintf("The manifest names no %s.", what)
	}
	list := make([]string, len(names))
	for i, n := range names {
		list[i] = Code(n)
	}
	if len(list) > maxListed {
		list = append(list[:maxListed], fmt.Sprintf("and %d more", len(names)-maxListed))
	}
	return fmt.Sprintf("The manifest has no %s %s. Did you mean %s? It has %s.", what, Code(name),
		Code(verdict.Nearest(name, names)), strings.Join(list, ", "))
}

package calls

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/firmproof/firmproof/verifier/verdict"
)

// made returns the steps of a trace that are calls which the entry of calls makes: constructors come before that one.
func made(trace []verdict.Step, entry string) []*verdict.Step {
	var out []*verdict.Step
	depth := 1
	for i := range trace {
		switch s := &trace[i]; {
		case s.Kind != verdict.StepCall:
		case s.Callee == entry:
			out, depth = nil, s.Depth+1
		case s.Depth == depth:
			out = append(out, s)
		}
	}
	return out
}

// sequence lists calls.
func sequence(made []*verdict.Step) []string {
	var out []string
	for _, s := range made {
		out = append(out, fmt.Sprintf("%s(%s)", s.What, numbersOf(s.Value)))
	}
	return out
}

// numbersOf returns the arguments of a call without the blocks that pointers lead to.
func numbersOf(args string) string {
	return strings.TrimSuffix(blockArgument.ReplaceAllString(args, ""), ", ")
}

var blockArgument = regexp.MustCompile(`[A-Za-z_]\w* = \(block for [^)]*\)(, )?`)

// inWords says in which order calls come; those of one function in a row are counted.
func inWords(list []string) string {
	const most = 4
	var parts []string
	for i := 0; i < len(list); {
		name, _, _ := strings.Cut(list[i], "(")
		n := 1
		for i+n < len(list) && strings.HasPrefix(list[i+n], name+"(") {
			n++
		}
		if i += n; n > 1 {
			parts = append(parts, fmt.Sprintf("%s %d times, the last %s", name, n, list[i-1]))
		} else {
			parts = append(parts, list[i-1])
		}
	}
	if len(parts) > most {
		return fmt.Sprintf("%d calls, the first %s, the last %s", len(list), list[0], list[len(list)-1])
	}
	return strings.Join(parts, ", then ")
}

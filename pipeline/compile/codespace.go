package compile

import (
	"os"
	"regexp"
	"strings"

	"github.com/firmproof/firmproof/pipeline/files"
)

// inCodeSpace matches the beginning of a constant that takes a function, which lies in address space 1 on AVR, for one
// of another type.
var inCodeSpace = regexp.MustCompile(`bitcast \([^@\n]* addrspace\(1\)\* @(?:[-\w.$]+|"[^"]*") to `)

// codeSpace ends the type of a pointer to a function there.
const codeSpace = " addrspace(1)*"

// castOut matches what clang 15 writes in the place of a function there, with the type in front where one stands.
var castOut = regexp.MustCompile(`(ptr )?\b(?:bitcast \(ptr addrspace\(1\) (@(?:[-\w.$]+|"[^"]*")) to ptr\)|` +
	`addrspacecast \(ptr addrspace\(1\) (@(?:[-\w.$]+|"[^"]*")) to ptr addrspace\(1\)\))`)

// keepCodeSpace mends the file of IR for AVR, where clang 14 and 15 cast functions that are defined without a prototype
// out of their address space by a bitcast, which LLVM refuses: `void (...)* bitcast (void () addrspace(1)* @f to
// void (...)*)`, and with 15 `ptr bitcast (ptr addrspace(1) @f to ptr)`.
func (r *Request) keepCodeSpace(path string) error {
	if !strings.HasPrefix(r.Target.Triple, "avr") {
		return nil
	}
	text, err := files.Read(path, maxText)
	if err != nil {
		return &InfraError{"read " + r.File, err}
	}
	mended := text
	if inCodeSpace.Match(text) {
		mended = withCodeSpace(text)
	} else if castOut.Match(text) {
		mended = uncast(text)
	} else {
		return nil
	}
	if err := os.WriteFile(path, mended, 0o644); err != nil {
		return &InfraError{"compile " + r.File, err}
	}
	return nil
}

// withCodeSpace returns IR in which such casts keep the address space.
func withCodeSpace(text []byte) []byte {
	lines := strings.Split(string(text), "\n")
	for i, line := range lines {
		from := 0
		for {
			at := inCodeSpace.FindStringIndex(line[from:])
			if at == nil {
				break
			}
			begin, to := from+at[0], from+at[1]
			end := closing(line, to)
			if end < 0 {
				break
			}
			from = end
			kind := line[to:end] // the type that the cast gives
			if !strings.HasSuffix(kind, ")*") || strings.HasSuffix(kind, codeSpace) {
				continue
			}
			inside := strings.TrimSuffix(kind, "*") + codeSpace
			cast := line[begin:to] + inside + ")"
			before, after := intoCodeSpace(line[:begin], line[end+1:], kind, inside)
			line, from = before+cast+after, len(before)+len(cast)
		}
		lines[i] = line
	}
	return []byte(strings.Join(lines, "\n"))
}

// inString matches a constant string.
var inString = regexp.MustCompile(`c"[^"]*"`)

// uncast returns IR in which the casts of clang 15 are the functions themselves: calls are made in their address space,
// and operands have their type.
func uncast(text []byte) []byte {
	lines := strings.Split(string(text), "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, "!") || !castOut.MatchString(line) {
			continue // metadata has strings of its own
		}
		var out strings.Builder
		from := 0
		for _, at := range inString.FindAllStringIndex(line, -1) {
			out.WriteString(uncastPart(line[from:at[0]]) + line[at[0]:at[1]])
			from = at[1]
		}
		lines[i] = out.String() + uncastPart(line[from:])
	}
	return []byte(strings.Join(lines, "\n"))
}

// uncastPart is uncast of a part of a line without strings.
func uncastPart(part string) string {
	out := castOut.ReplaceAllString(part, "$1$2$3")
	if strings.Contains(part, " = icmp ") { // the type stands once, in front of the first operand
		out = strings.ReplaceAll(strings.ReplaceAll(out, ", ptr addrspace(1) ", ", "), ", ptr @", ", @")
	}
	for _, m := range castOut.FindAllStringSubmatch(part, -1) {
		name := m[2] + m[3]
		out = strings.ReplaceAll(out, "ptr "+name, "ptr addrspace(1) "+name)
		if at := strings.Index(out, " "+name+"("); at >= 0 { // a call
			if n := strings.LastIndex(out[:at], " addrspace(0) "); n >= 0 {
				out = out[:n] + strings.Replace(out[n:], "(0)", "(1)", 1)
			}
		}
	}
	return out
}

// intoCodeSpace returns what stands before and after such a cast once its type is inside instead of kind: a further cast
// into the address space goes, a call is one in it, and the operand has the type.
func intoCodeSpace(before, after, kind, inside string) (string, string) {
	if outer, ok := strings.CutSuffix(before, "addrspacecast ("+kind+" "); ok {
		if rest, ok := strings.CutPrefix(after, " to "+inside+")"); ok {
			return outer, rest
		}
	}
	if n := strings.LastIndex(before, " addrspace(0) "); n >= 0 && strings.HasPrefix(after, "(") { // a call
		return before[:n] + strings.Replace(before[n:], "(0)", "(1)", 1), after
	}
	if outer, ok := strings.CutSuffix(before, ", "+kind+" "); ok && strings.Contains(before, " = icmp ") {
		return outer + ", ", after // whose type is that of the first operand
	}
	if outer, ok := strings.CutSuffix(before, kind+" "); ok && strings.Contains(before, " = icmp ") {
		return outer + inside + " ", strings.Replace(after, ", "+inside+" ", ", ", 1)
	}
	if n := strings.LastIndex(before, kind+" "); n >= 0 {
		return before[:n] + inside + before[n+len(kind):], after
	}
	return before, after
}

// closing returns where the parenthesis ends that from is inside of; -1 if it does not.
func closing(line string, from int) int {
	depth := 0
	for i := from; i < len(line); i++ {
		switch line[i] {
		case '(':
			depth++
		case ')':
			if depth == 0 {
				return i
			}
			depth--
		}
	}
	return -1
}

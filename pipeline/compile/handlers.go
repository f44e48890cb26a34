package compile

import (
	"bytes"
	"slices"

	"github.com/firmproof/firmproof/verifier/ir"
)

// handlersIn lists the handlers of interrupts that a unit's text defines, what a vendor's handlers call, and tables of
// handlers: they stay, since answers say which of them do not run between the steps of an entry.
func handlersIn(text []byte) []string {
	var marks [][]byte // of the groups of attributes that make one
	for line := range bytes.Lines(text) {
		if group, rest, ok := bytes.Cut(line, []byte(" = {")); ok && bytes.HasPrefix(group, []byte("attributes #")) &&
			slices.ContainsFunc(ir.HandlerAttributes, func(a string) bool { return bytes.Contains(rest, []byte(`"`+a+`"`)) }) {
			marks = append(marks, slices.Concat([]byte(" "), bytes.TrimPrefix(group, []byte("attributes ")), []byte(" ")))
		}
	}
	var out []string
	for line := range bytes.Lines(text) {
		if !bytes.HasPrefix(line, []byte("define ")) {
			if name, ok := tableIn(line); ok {
				out = append(out, name)
			}
			continue
		}
		_, from, _ := bytes.Cut(line, []byte("@"))
		name, rest, ok := bytes.Cut(from, []byte("("))
		if !ok || bytes.HasPrefix(name, []byte(`"`)) {
			continue
		}
		if ir.NamesHandler(string(name)) && bytes.HasPrefix(rest, []byte(")")) || ir.NamesCallback(string(name)) ||
			slices.ContainsFunc(marks, func(m []byte) bool { return bytes.Contains(rest, m) }) {
			out = append(out, string(name))
		}
	}
	return out
}

// tableIn returns the name of the variable that a line defines, if it is a table of handlers by its section.
func tableIn(line []byte) (string, bool) {
	name, rest, ok := bytes.Cut(line, []byte(" = "))
	if !ok || !bytes.HasPrefix(name, []byte("@")) || bytes.HasPrefix(name, []byte(`@"`)) {
		return "", false
	}
	_, section, ok := bytes.Cut(rest, []byte(`, section "`))
	section, _, _ = bytes.Cut(section, []byte(`"`))
	return string(name[1:]), ok && ir.VectorSection(string(section))
}

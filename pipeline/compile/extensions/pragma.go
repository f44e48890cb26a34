package extensions

import (
	"bytes"
	"regexp"
)

var (
	// noInitPragma matches what IAR has for __no_init.
	noInitPragma = regexp.MustCompile(
		`(?m)^[ \t]*#[ \t]*pragma[ \t]+object_attribute[ \t]*=[ \t]*__no_init[ \t\r]*$`)
	// keptPragma matches what TI has for it, and for variables whose values outlive a reset.
	keptPragma = regexp.MustCompile(`(?m)^[ \t]*#[ \t]*pragma[ \t]+(?:NOINIT|PERSISTENT)[ \t]*\([ \t]*(\w+)[ \t]*\)`)
	// A volatile object of a simple type at an address: as IAR, TI and Arm Compiler 5 have it.
	placedPragma = regexp.MustCompile(`(?m)^([ \t]*)#[ \t]*pragma[ \t]+location[ \t]*=[ \t]*` + placeNumber +
		`[ \t\r]*\n(` + volatileObject + `);`)
	namedPragma = regexp.MustCompile(`(?m)^([ \t]*)#[ \t]*pragma[ \t]+LOCATION[ \t]*\([ \t]*\w+[ \t]*,[ \t]*` +
		placeNumber + `[ \t]*\)[ \t;\r]*\n(` + volatileObject + `);`)
	placedBefore = regexp.MustCompile(`(?m)^()__attribute__[ \t]*\(\([ \t]*at[ \t]*\([ \t]*` + placeNumber +
		`[ \t]*\)[ \t]*\)\)(` + volatileObject + `);`)
	placedBehind = regexp.MustCompile(`(?m)^(` + volatileObject + `)__attribute__[ \t]*\(\([ \t]*at[ \t]*\([ \t]*` +
		placeNumber + `[ \t]*\)[ \t]*\)\)[ \t]*;`)
)

const (
	placeNumber    = `(0[xX][0-9a-fA-F]+|\d+)[uUlL]*`
	volatileObject = `[\w \t]*\bvolatile\b[\w \t]*`
)

// HasPragma reports whether a text has pragmas and attributes of IAR, TI and Arm Compiler 5 that clang passes over
// and that change what the program computes. Words are looked for first, which takes far less time than the patterns.
func HasPragma(text []byte) bool {
	has := func(word string) bool { return bytes.Contains(text, []byte(word)) }
	if has("pragma") && (has("object_attribute") && noInitPragma.Match(text) ||
		(has("NOINIT") || has("PERSISTENT")) && keptPragma.Match(text)) {
		return true
	}
	return has("volatile") && (has("location") && placedPragma.Match(text) ||
		has("LOCATION") && namedPragma.Match(text) ||
		hasPlace(text) && (placedBefore.Match(text) || placedBehind.Match(text)))
}

// hasPlace reports whether a text has an attribute that begins with `at`: headers have many others.
func hasPlace(text []byte) bool {
	for {
		_, behind, found := bytes.Cut(text, []byte("__attribute__"))
		if !found {
			return false
		}
		text = behind
		if list, ok := bytes.CutPrefix(bytes.TrimLeft(text, " \t"), []byte("((")); ok &&
			bytes.HasPrefix(bytes.TrimLeft(list, " \t"), []byte("at")) {
			return true
		}
	}
}

// wordsOfPragmas makes words of IAR's of these pragmas and attributes, at the same lines, and returns the variables
// that no start-up code gives a value.
func wordsOfPragmas(text []byte) (out []byte, kept map[string]bool) {
	out = noInitPragma.ReplaceAll(text, []byte(noInit))
	out = placedPragma.ReplaceAll(out, []byte("$1\n$3 @ $2;"))
	out = namedPragma.ReplaceAll(out, []byte("$1\n$3 @ $2;"))
	out = placedBefore.ReplaceAll(out, []byte("$3 @ $2;"))
	out = placedBehind.ReplaceAll(out, []byte("$1 @ $2;"))
	kept = map[string]bool{}
	for _, m := range keptPragma.FindAllSubmatch(text, -1) {
		kept[string(m[1])] = true
	}
	return out, kept
}

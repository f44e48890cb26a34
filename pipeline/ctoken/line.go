package ctoken

import (
	"regexp"
	"strconv"
	"strings"
)

var lineMarker = regexp.MustCompile(`^#\s*(?:line\s+)?(\d+)\s+"((?:[^"\\]|\\.)*)"`)

var unescaped = strings.NewReplacer(`\\`, `\`, `\"`, `"`)

// LineMarker reads a line of preprocessed text that says which file and which line the next one is of (GCC:
// Preprocessor Output).
func LineMarker(text []byte) (file string, line int, ok bool) {
	if len(text) == 0 || text[0] != '#' {
		return "", 0, false
	}
	m := lineMarker.FindSubmatch(text)
	if m == nil {
		return "", 0, false
	}
	line, err := strconv.Atoi(string(m[1]))
	return unescaped.Replace(string(m[2])), line, err == nil
}

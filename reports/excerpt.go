package reports

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/firmproof/firmproof/verifier/verdict"
)

// Source returns the text of a source file by the name that a report gives it; nil if there is none.
type Source func(file string) []byte

// maxExcerpt is the longest piece of a source line that an excerpt shows, in characters.
const maxExcerpt = 110

// excerpt is the source line of pos with a caret under its column: two lines, or none where the source is not known.
func (s Source) excerpt(pos verdict.Pos) []string {
	text, ok := s.line(pos)
	if !ok {
		return nil
	}
	column := 0 // of the caret, from 0, in characters of the shown text
	var shown strings.Builder
	for i, r := range text {
		if pos.Column > 0 && i == pos.Column-1 {
			column = utf8.RuneCountInString(shown.String())
		}
		if r == '\t' {
			shown.WriteString("    ")
		} else {
			shown.WriteRune(r)
		}
	}
	runes := []rune(shown.String())
	if pos.Column == 0 {
		column = len(runes) - len([]rune(strings.TrimLeft(string(runes), " ")))
	}
	if from := column - maxExcerpt*2/3; from > 0 {
		runes, column = append([]rune("..."), runes[from:]...), column-from+3
	}
	if len(runes) > maxExcerpt {
		runes = append(runes[:maxExcerpt:maxExcerpt], []rune("...")...)
	}
	number := fmt.Sprintf("%5d", pos.Line)
	return []string{number + " | " + string(runes), strings.Repeat(" ", len(number)) + " | " +
		strings.Repeat(" ", max(0, column)) + "^"}
}

// line is the line of the source that pos names.
func (s Source) line(pos verdict.Pos) (string, bool) {
	if s == nil || pos.Line <= 0 || pos.File == "" {
		return "", false
	}
	lines := strings.Split(string(s(pos.File)), "\n")
	if pos.Line > len(lines) || strings.TrimSpace(lines[pos.Line-1]) == "" {
		return "", false
	}
	return strings.TrimRight(strings.ToValidUTF8(lines[pos.Line-1], "\ufffd"), "\r "), true
}

package reports

import (
	"cmp"
	"path/filepath"
	"strings"
	"unicode/utf16"

	"github.com/alecthomas/chroma/v2"
	"github.com/alecthomas/chroma/v2/lexers"
)

// mostColoured is how many lines of a page are coloured: some thousands take a second.
const mostColoured = 6000

// classes are those of coloured words on pages, by their kind.
var classes = map[chroma.TokenType]string{chroma.CommentPreproc: "pp", chroma.CommentPreprocFile: "pp",
	chroma.KeywordType: "type", chroma.Comment: "com", chroma.Keyword: "key", chroma.LiteralString: "str",
	chroma.LiteralNumber: "num"}

// classOf is the class of words of a kind, or of the kinds that it belongs to; empty if they have no colour.
func classOf(t chroma.TokenType) string {
	return cmp.Or(classes[t], classes[t.SubCategory()], classes[t.Category()])
}

// mark is a coloured part of a line: where it begins and ends, in UTF-16 units, and its class.
type mark [3]any

// marksOf colours lines of a C or C++ file, as a list for each; nil where that is not possible.
func marksOf(file string, lines []string) [][]mark {
	name := "C"
	if ext := strings.ToLower(filepath.Ext(file)); strings.HasPrefix(ext, ".c") && ext != ".c" ||
		strings.HasPrefix(ext, ".h") && ext != ".h" {
		name = "C++"
	}
	lexer := lexers.Get(name)
	if lexer == nil {
		return nil
	}
	tokens, err := lexer.Tokenise(&chroma.TokeniseOptions{State: "root", EnsureLF: true}, strings.Join(lines, "\n"))
	if err != nil {
		return nil
	}
	out := make([][]mark, len(lines))
	row, at := 0, 0
	for t := tokens(); t != chroma.EOF; t = tokens() {
		class := classOf(t.Type)
		for i, part := range strings.Split(t.Value, "\n") {
			if i > 0 {
				row, at = row+1, 0
			}
			n := len(utf16.Encode([]rune(part)))
			if class != "" && strings.TrimSpace(part) != "" && row < len(out) {
				out[row] = marked(out[row], mark{at, at + n, class})
			}
			at += n
		}
	}
	return out
}

// marked is list with m, which goes on with what is in front of it where that has the same class.
func marked(list []mark, m mark) []mark {
	if n := len(list) - 1; n >= 0 && list[n][1] == m[0] && list[n][2] == m[2] {
		list[n][1] = m[1]
		return list
	}
	return append(list, m)
}

package reports

import (
	"bytes"
	"fmt"
	"io"
	"regexp"
	"strings"
	"unicode"
)

// Text from a repository (names of files, functions, targets and branches, messages of
// assertions, what compilers say) is shown in several contexts. For each there is one
// function here that makes it inert: it formats nothing, links to nothing, mentions
// nobody, and steers no terminal.

// plain replaces what no text needs and a terminal or a reader could be misled by: control
// characters, and those that change the direction of writing. Line ends and tabs stay.
func plain(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return r
		case unicode.IsControl(r), turns(r), r == 0x2028, r == 0x2029:
			return unicode.ReplacementChar
		}
		return r
	}, strings.ToValidUTF8(s, "\ufffd"))
}

// turns reports whether a character changes the direction of what follows, and nothing else (UAX #9, Bidi_Control).
func turns(r rune) bool {
	return r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069 || r == 0x200e || r == 0x200f || r == 0x061c
}

// OneDirection writes a finished page, of HTML or JSON, to w without the characters that change the direction of
// writing: source code would read otherwise than it runs. Each Write has to end with a whole character.
func OneDirection(w io.Writer) io.Writer { return oneDirection{w} }

type oneDirection struct{ w io.Writer }

func (o oneDirection) Write(p []byte) (int, error) {
	if !bytes.ContainsFunc(p, turns) {
		return o.w.Write(p)
	}
	if _, err := o.w.Write(bytes.Map(func(r rune) rune {
		if turns(r) {
			return unicode.ReplacementChar
		}
		return r
	}, p)); err != nil {
		return 0, err
	}
	return len(p), nil
}

// Line makes text inert in a line of plain text, such as of a mail.
func Line(s string) string { return line(s) }

// line is plain in one line.
func line(s string) string { return strings.NewReplacer("\n", " ", "\t", " ").Replace(plain(s)) }

// GitHub looks for these in the rendered text, so that no escape helps: a character
// without width goes between.
var reference = regexp.MustCompile(`@|#[0-9]|://|(?i)\b(?:www\.|gh-)`)

func unlinked(s string) string {
	return reference.ReplaceAllStringFunc(s, func(m string) string {
		switch {
		case m == "@":
			return "@\u200b"
		case m[0] == '#':
			return "#\u200b" + m[1:]
		case m == "://":
			return ":\u200b//"
		}
		return m[:len(m)-1] + "\u200b" + m[len(m)-1:]
	})
}

// inHTML makes text inert inside an HTML element of Markdown, such as <summary>.
func inHTML(s string) string {
	var b strings.Builder
	for _, r := range unlinked(line(s)) {
		if strings.ContainsRune("&<>\"'`*[]~\\|$_", r) {
			fmt.Fprintf(&b, "&#%d;", r)
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}

// Inert makes text inert in running Markdown. What stands between single backquotes is
// shown as code; if they do not pair, they are shown as they are.
func Inert(s string) string {
	s = strings.TrimSpace(line(s))
	if m := marker.FindStringSubmatch(s); m != nil {
		s = m[1] + "\u200b" + s[len(m[1]):]
	}
	parts := strings.Split(s, "`")
	if len(parts)%2 == 0 || strings.Contains(s, "``") {
		return prose(s)
	}
	for i := range parts {
		if i%2 == 0 {
			parts[i] = prose(parts[i])
		} else {
			parts[i] = Code(parts[i])
		}
	}
	return strings.Join(parts, "")
}

// marker matches what begins a list, a heading or a line under one.
var marker = regexp.MustCompile(`^([0-9]*)(?:[-+.)](?:\s|$)|#+(?:\s|$)|[-=]+$)`)

// prose is Inert without code. An underscore inside a word formats nothing and stays.
func prose(s string) string {
	var b strings.Builder
	rs := []rune(unlinked(line(s)))
	word := func(i int) bool {
		return i >= 0 && i < len(rs) && (unicode.IsLetter(rs[i]) || unicode.IsDigit(rs[i]))
	}
	for i, r := range rs {
		if r == '_' && word(i-1) && word(i+1) || !strings.ContainsRune("&<>`*[]~\\|$_", r) {
			b.WriteRune(r)
			continue
		}
		fmt.Fprintf(&b, "&#%d;", r)
	}
	return b.String()
}

// Paragraphs is Inert for text of several paragraphs, which stay apart.
func Paragraphs(s string) string {
	list := strings.Split(strings.TrimSpace(plain(s)), "\n\n")
	for i := range list {
		list[i] = Inert(list[i])
	}
	return strings.Join(list, "\n\n")
}

// Code is text as a code span of Markdown; not for tables.
func Code(s string) string {
	s = InCode(s)
	if strings.TrimSpace(s) == "" {
		return "` `"
	}
	return "`" + s + "`"
}

// InCode is text for the inside of a code span.
func InCode(s string) string { return strings.ReplaceAll(line(s), "`", "'") }

// codeCell is Code in a table, where a bar ends the cell.
func codeCell(s string) string {
	return strings.ReplaceAll(Code(strings.ReplaceAll(s, "\\", "/")), "|", "\\|")
}

// Fenced is text as a block of code.
func Fenced(s string) string { return "```\n" + fence(plain(s)) + "\n```" }

func fence(s string) string { return strings.ReplaceAll(s, "```", "'''") }

// inPath reports whether a name can be a file of the repository, so that GitHub takes a
// note on it: #line directives may name anything.
func inPath(name string) bool {
	return name != "" && name == line(name) && !strings.HasPrefix(name, "/") && !strings.Contains(name, "\\") &&
		!strings.ContainsAny(name, "<>\"|?*") && !strings.Contains("/"+name+"/", "/../") &&
		!strings.Contains("/"+name+"/", "/./") && !strings.Contains(name, "//")
}

// inSARIF escapes what SARIF takes for embedded links (SARIF 2.1.0, 3.11.6).
func inSARIF(s string) string {
	return strings.NewReplacer("\\", "\\\\", "[", "\\[", "]", "\\]").Replace(plain(s))
}

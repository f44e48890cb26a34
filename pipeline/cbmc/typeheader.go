package cbmc

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/firmproof/firmproof/pipeline/files"
)

// TypeHeader is a header that the proof includes and that holds the types and macros
// of a source, as goto-instrument --dump-c-type-header makes it.
type TypeHeader struct {
	Name string
	From string // absolute
}

// write makes the header in a folder.
func (h TypeHeader) write(dir string) error {
	data, err := files.Read(h.From, maxFile)
	if err != nil {
		return fmt.Errorf("header %s: %w", h.Name, err)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, h.Name), []byte("#pragma once\n"+typesOf(string(data))), 0o644)
}

var (
	directive = regexp.MustCompile(`^[ \t]*#[ \t]*(\w+)`)
	typeHead  = regexp.MustCompile(`^(typedef\b|(struct|union|enum)\b\s*\w*\s*\{)`)
	typeEnd   = regexp.MustCompile(`\}\s*;$`)
)

// typesOf keeps the type definitions of a C file and its preprocessor lines, so that
// conditions around types stay around them; includes go.
func typesOf(src string) string {
	src = blankComments(src)
	var out, stmt strings.Builder
	depth := 0
	lines := strings.SplitAfter(src, "\n")
	for i := 0; i < len(lines); i++ {
		if m := directive.FindStringSubmatch(lines[i]); m != nil {
			text := lines[i]
			for strings.HasSuffix(strings.TrimRight(lines[i], "\r\n"), "\\") && i+1 < len(lines) {
				i++
				text += lines[i]
			}
			switch inside := typeHead.MatchString(strings.TrimSpace(stmt.String())); {
			case m[1] == "include":
			case inside:
				stmt.WriteString(text)
			default:
				out.WriteString(text)
			}
			continue
		}
		for _, c := range lines[i] {
			stmt.WriteRune(c)
			switch c {
			case '{', '(':
				depth++
			case '}', ')':
				depth--
			}
			text := strings.TrimSpace(stmt.String())
			isType := typeHead.MatchString(text)
			if depth == 0 && (c == ';' || c == '}' && !isType) {
				if isType && (strings.HasPrefix(text, "typedef") || typeEnd.MatchString(text)) {
					out.WriteString(text + "\n")
				}
				stmt.Reset()
			}
		}
	}
	return out.String()
}

// blankComments replaces comments by a blank and keeps the lines.
func blankComments(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		switch {
		case strings.HasPrefix(s[i:], "//"):
			for i < len(s) && s[i] != '\n' {
				i++
			}
			b.WriteByte('\n')
		case strings.HasPrefix(s[i:], "/*"):
			end := strings.Index(s[i+2:], "*/")
			if end < 0 {
				return b.String()
			}
			b.WriteString(" " + strings.Repeat("\n", strings.Count(s[i:i+2+end], "\n")))
			i += end + 3
		case s[i] == '"' || s[i] == '\'':
			j := i + 1
			for j < len(s) && s[j] != s[i] && s[j] != '\n' {
				if s[j] == '\\' {
					j++
				}
				j++
			}
			b.WriteString(s[i:min(j+1, len(s))])
			i = j
		default:
			b.WriteByte(s[i])
		}
	}
	return b.String()
}

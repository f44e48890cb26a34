package prepare

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/firmproof/firmproof/pipeline/ctoken"
	"github.com/firmproof/firmproof/pipeline/files"
	"github.com/firmproof/firmproof/pipeline/headers"
	"github.com/firmproof/firmproof/pipeline/manifest"
)

// Limits on the files that are searched for definitions.
const (
	maxSearched     = 20_000  // entries of folders
	maxSearchedFile = 1 << 20 // bytes
	maxSearchedAll  = 1 << 28 // bytes
)

// definitions finds the files in a tree that define variables: by name, the file, relative to the tree, and the line.
// It reads the text as it is, so that a definition counts which the preprocessor may leave out: who reads the answer
// looks at the place.
func definitions(root string, names []string) map[string]string {
	out := map[string]string{}
	entries, left := 0, int64(maxSearchedAll)
	_ = filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if entries++; entries > maxSearched || left <= 0 || len(out) == len(names) {
			return fs.SkipAll
		}
		if err != nil {
			return nil
		}
		if d.IsDir() {
			if p != root && (strings.HasPrefix(d.Name(), ".") || headers.Generated(d.Name())) {
				return filepath.SkipDir
			}
			return nil
		}
		if !slices.Contains([]string{".c", ".cc", ".cpp", ".cxx"}, strings.ToLower(filepath.Ext(p))) {
			return nil
		}
		text, err := files.Read(p, maxSearchedFile)
		if err != nil {
			return nil
		}
		left -= int64(len(text))
		rel, err := filepath.Rel(root, p)
		if err != nil || !slices.ContainsFunc(names, func(n string) bool { return bytes.Contains(text, []byte(n)) }) {
			return nil
		}
		for name, line := range definedIn(text) {
			if slices.Contains(names, name) && out[name] == "" {
				out[name] = fmt.Sprintf("%s:%d", filepath.ToSlash(rel), line)
			}
		}
		return nil
	})
	return out
}

// definedIn lists the variables with external linkage that a text in C defines, with their lines.
func definedIn(text []byte) map[string]int {
	s := &scan{out: map[string]int{}}
	eachToken(text, s.token)
	return s.out
}

// eachToken calls do with the tokens of a text in C that is not preprocessed: without comments and directives.
func eachToken(text []byte, do func(kind ctoken.Kind, token string, line int)) {
	line := 1
	for len(text) > 0 {
		n := 1
		switch c := text[0]; {
		case c == '\n':
			line++
		case c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v' || c == '\\':
		case bytes.HasPrefix(text, []byte("//")):
			n = upTo(text, "\n")
		case bytes.HasPrefix(text, []byte("/*")):
			n = 2 + upTo(text[2:], "*/") + 2
		case c == '#':
			n = directive(text)
		default:
			var kind ctoken.Kind
			kind, n = ctoken.Next(text)
			n = min(max(n, 1), len(text))
			do(kind, string(text[:n]), line)
		}
		n = min(n, len(text))
		if n > 1 {
			line += bytes.Count(text[:n], []byte("\n"))
		}
		text = text[n:]
	}
}

// upTo returns how many bytes of text are before end, all if it is not there.
func upTo(text []byte, end string) int {
	if i := bytes.Index(text, []byte(end)); i >= 0 {
		return i
	}
	return len(text)
}

// directive returns the length of the line that text begins with, and of those that continue it.
func directive(text []byte) int {
	n := 0
	for {
		n += upTo(text[n:], "\n")
		if n >= len(text) || !bytes.HasSuffix(bytes.TrimRight(text[:n], "\r"), []byte("\\")) {
			return n
		}
		n++
	}
}

// scan follows the external declarations of a text.
type scan struct {
	out    map[string]int
	braces int
	others int    // parentheses and brackets that are open
	left   bool   // the declaration defines no variable that other files see
	after  bool   // an initialiser, up to a comma or the end
	last   string // the token before
	name   string // a name that may be declared, "" if there is none
	at     int
	words  int // before it in the declaration
}

func (s *scan) token(kind ctoken.Kind, t string, line int) {
	before := s.last
	s.last = t
	switch {
	case t == "{" && before == `"C"`:
		*s = scan{out: s.out}
		return
	case t == "{":
		if s.braces == 0 && s.others == 0 && before == ")" {
			s.left = true // the body of a function
		}
		s.braces, s.name, s.words = s.braces+1, "", s.words+1
		return
	case t == "}":
		if s.braces = max(s.braces-1, 0); s.braces == 0 && s.left && s.others == 0 {
			*s = scan{out: s.out}
		}
		return
	case s.braces > 0:
		return
	case t == "(" || t == "[":
		if t == "[" && s.others == 0 {
			s.take()
		}
		if before != "__attribute__" && s.others == 0 {
			s.name = ""
		}
		s.others++
		return
	case t == ")" || t == "]":
		s.others = max(s.others-1, 0)
		return
	case s.others > 0:
		return
	case t == ";":
		s.take()
		*s = scan{out: s.out}
	case t == ",":
		s.take()
		s.after = false
	case t == "=":
		s.take()
		s.after = true
	case t == "extern" || t == "typedef" || t == "static" || t == "using" || t == "return":
		s.left = true
	case kind == ctoken.Name && !s.after && t != "__attribute__" && t != "const" && t != "volatile":
		if s.name != "" {
			s.words++
		}
		s.name, s.at = t, line
	}
}

// take notes the name that was read last, if the declaration defines it: it has a type in front.
func (s *scan) take() {
	if s.name != "" && !s.left && !s.after && s.words > 0 {
		if _, ok := s.out[s.name]; !ok {
			s.out[s.name] = s.at
		}
	}
	s.name, s.words = "", s.words+1
}

// treeOf returns the root of the tree that a file lies in: the nearest folder above it with a manifest or a repository,
// else its own.
func treeOf(file string) string {
	abs, err := filepath.Abs(file)
	if err != nil {
		return filepath.Dir(file)
	}
	for dir := filepath.Dir(abs); ; dir = filepath.Dir(dir) {
		for _, mark := range []string{".git", manifest.Name} {
			if _, err := os.Stat(filepath.Join(dir, mark)); err == nil {
				return dir
			}
		}
		if dir == filepath.Dir(dir) {
			return filepath.Dir(abs)
		}
	}
}

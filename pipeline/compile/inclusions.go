package compile

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"
)

// fileSet answers questions about files, each once: they do not change while units are compiled.
type fileSet struct {
	mu       sync.Mutex
	digests  map[string]string
	asked    map[string]inclusions
	contents map[string]map[string]bool
	edited   map[string]string // Options.Edited, by real paths
	flags    []string          // by which clang reads them
}

func newFileSet() *fileSet {
	return &fileSet{digests: map[string]string{}, asked: map[string]inclusions{},
		contents: map[string]map[string]bool{}}
}

// read returns the text of a file, as it is edited.
func (t *fileSet) read(path string) ([]byte, error) { return os.ReadFile(t.heldBy(path)) }

// heldBy returns the file that holds the text of one.
func (t *fileSet) heldBy(path string) string {
	if t != nil {
		if at, ok := t.edited[path]; ok {
			return at
		}
	}
	return path
}

// editedFile is the name of the overlay in the working folder that has clang read files as they are edited.
const editedFile = "edited.json"

// edit takes the texts of files from others, for clang, too: names in what it writes stay those of the files.
func (t *fileSet) edit(edited map[string]string, work string) error {
	o := overlay{}
	t.edited = map[string]string{}
	for _, path := range slices.Sorted(maps.Keys(edited)) {
		at, err := filepath.Abs(edited[path])
		if err != nil {
			return err
		}
		real, err := filepath.EvalSymlinks(path)
		if err == nil {
			real, err = filepath.Abs(real)
		}
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		t.edited[real] = at
		o.Roots = append(o.Roots, overlaidFile{"file", real, at})
	}
	text, err := json.Marshal(o)
	if err != nil {
		return err
	}
	list := filepath.Join(work, editedFile)
	t.flags = []string{"-ivfsoverlay", list}
	return os.WriteFile(list, text, 0o644)
}

// once returns what known has for path, or finds it.
func once[T any](t *fileSet, known map[string]T, path string, find func(string) (T, error)) (T, error) {
	t.mu.Lock()
	v, ok := known[path]
	t.mu.Unlock()
	if ok {
		return v, nil
	}
	v, err := find(path)
	if err == nil {
		t.mu.Lock()
		known[path] = v
		t.mu.Unlock()
	}
	return v, err
}

// digest returns that of a file's bytes. A nil set reads the file each time.
func (t *fileSet) digest(path string) (string, error) {
	if t == nil {
		return digest(path)
	}
	return once(t, t.digests, path, func(path string) (string, error) { return digest(t.heldBy(path)) })
}

// inclusions returns what a file includes.
func (t *fileSet) inclusions(path string) (inclusions, error) {
	return once(t, t.asked, path, func(path string) (inclusions, error) {
		data, err := t.read(path)
		return inclusionsOf(data), err
	})
}

// has reports whether there is a file under a name relative to a folder.
func (t *fileSet) has(folder, name string) (bool, error) {
	path := under(folder, name)
	last := strings.LastIndexByte(path, '/')
	folder, name = path[:last+1], path[last+1:]
	files, err := once(t, t.contents, folder, filesIn)
	return files[name], err
}

// filesIn lists what is no folder in a folder; nothing if there is no such folder.
func filesIn(folder string) (map[string]bool, error) {
	list, err := os.ReadDir(folder)
	if errors.Is(err, fs.ErrNotExist) || err != nil && !isFolder(folder) {
		return nil, nil
	}
	out := map[string]bool{}
	for _, e := range list {
		file := !e.IsDir()
		if e.Type()&fs.ModeSymlink != 0 {
			st, err := os.Stat(filepath.Join(folder, e.Name()))
			file = err == nil && !st.IsDir()
		}
		out[e.Name()] = file
	}
	return out, err
}

func isFolder(path string) bool {
	st, err := os.Stat(path)
	return err == nil && st.IsDir()
}

// inclusions says which files a text may include or ask for.
type inclusions struct {
	names    []string // as they are written
	computed bool     // a name is made by a macro
	unclear  bool     // what it includes is not seen, or its meaning depends on more than files
}

// inclusionsOf reads the inclusions of C before preprocessing; those in comments and in text that is left out count.
func inclusionsOf(text []byte) inclusions {
	var out inclusions
	for _, word := range []string{"__TIME__", "__DATE__", "__TIMESTAMP__"} {
		out.unclear = out.unclear || bytes.Contains(text, []byte(word))
	}
	broken := false // the line before goes on in this one
	for line := range bytes.Lines(text) {
		out.directives(line)
		out.unclear = out.unclear || broken && bytes.IndexByte(line, '#') >= 0 && mentions(line)
		broken = bytes.HasSuffix(bytes.TrimSpace(line), []byte(`\`))
		for rest := line; ; {
			before, after, found := bytes.Cut(rest, []byte("__has_"))
			if !found {
				break
			}
			if !bytes.HasSuffix(bytes.TrimSpace(before), []byte("define")) { // of a macro of that name
				out.question(after)
			}
			rest = after
		}
	}
	return out
}

// including are the directives that bring in files.
var including = []string{"include_next", "include", "import", "embed"}

// directives takes in a line that may have directives that include: behind spaces and comments, which may have begun
// above.
func (in *inclusions) directives(line []byte) {
	for _, spelling := range []string{"%:", "??="} {
		k := bytes.Index(line, []byte(spelling))
		in.unclear = in.unclear || k >= 0 && mentions(line[k:])
	}
	for i, c := range line {
		if c != '#' {
			continue
		}
		before := line[:i]
		if end := bytes.LastIndex(before, []byte("*/")); end >= 0 {
			before = before[end+2:]
		}
		if len(bytes.TrimSpace(before)) == 0 {
			in.directive(line[i+1:])
		}
	}
}

// directive takes in a directive; text stands behind its #.
func (in *inclusions) directive(text []byte) {
	rest := bytes.TrimLeft(text, " \t\v\f")
	n := 0
	for n < len(rest) && isWordByte(rest[n]) {
		n++
	}
	word, rest := string(rest[:n]), bytes.TrimLeft(rest[n:], " \t\v\f")
	if word == "pragma" && bytes.Contains(rest, []byte("include_alias")) {
		in.unclear = true
	}
	for _, w := range including {
		if word == w {
			in.argument(rest, word != "embed")
			return
		}
		// the word may go on after a line break or a comment
		if strings.HasPrefix(w, word) && (bytes.HasPrefix(rest, []byte(`\`)) || word == "" &&
			bytes.HasPrefix(rest, []byte("/*"))) {
			in.unclear = true
		}
	}
}

func mentions(text []byte) bool {
	for _, w := range including[1:] {
		if bytes.Contains(text, []byte(w)) {
			return true
		}
	}
	return false
}

// argument takes in what a directive includes.
func (in *inclusions) argument(text []byte, ok bool) {
	name, found := quotedName(text)
	switch {
	case !ok:
		in.unclear = true
	case found:
		in.names = append(in.names, name)
	case len(text) > 0 && (isWordByte(text[0]) || text[0] >= utf8.RuneSelf):
		in.computed = true
	default: // a comment or a broken line may go before the name; anything else is no name
		in.unclear = in.unclear || len(text) > 0 && strings.IndexByte(`\/?"<`, text[0]) >= 0
	}
}

// question takes in a question for a file; text stands behind `__has_`.
func (in *inclusions) question(text []byte) {
	kind := ""
	for _, w := range including {
		if bytes.HasPrefix(text, []byte(w)) {
			kind = w
			break
		}
	}
	if kind == "" { // of a feature
		return
	}
	text = bytes.TrimLeft(text[len(kind):], " \t_")
	if bytes.HasPrefix(text, []byte(`\`)) || bytes.HasPrefix(text, []byte("/*")) {
		in.unclear = true
	}
	if !bytes.HasPrefix(text, []byte("(")) { // whether such questions are known
		return
	}
	name, found := quotedName(bytes.TrimLeft(text[1:], " \t"))
	in.unclear = in.unclear || !found || kind == "embed"
	in.names = append(in.names, name)
}

// quotedName reads a name in quotes or angle brackets at the begin of text.
func quotedName(text []byte) (string, bool) {
	if len(text) == 0 || text[0] != '<' && text[0] != '"' {
		return "", false
	}
	end := byte('"')
	if text[0] == '<' {
		end = '>'
	}
	n := bytes.IndexByte(text[1:], end)
	if n <= 0 {
		return "", false
	}
	return string(text[1 : 1+n]), true
}

func isWordByte(c byte) bool {
	return c == '_' || c == '$' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

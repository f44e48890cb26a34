// Package headers finds the folders of a tree that its files include headers from.
package headers

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// Tree is the headers of a tree, by name.
type Tree struct {
	root   string
	byName map[string][]string // base name in small letters to paths, relative to the root with slashes
	seen   map[string][]string // what a file includes
}

// Aside are the words that name folders and files which are beside a project's own code: tests,
// examples, other people's code, what it is documented and made with.
var Aside = regexp.MustCompile(
	`(?i)(^|[/_.-])(tests?|test[_-].*|.*[_-]tests?|unit[_-]?tests?|testing|examples?|demos?|samples?|` +
		`fuzz\w*|oss-?fuzz|bench\w*|docs?|tools?|scripts?|third[_-]?party|3rd[_-]?party|vendor|externals?|extern|extras?|contrib|deps|` +
		`submodules|mocks?|stubs|cbmc|templates?|template_\w*|simulator|greatest|unity|cmock)([/_.-]|$)`)

// Packaged reports whether a file is code that makers of chips and kernels deliver for others to build in, by its folder
// or by its name.
func Packaged(file string) bool {
	return packageFolder.MatchString(file) || packageFile.MatchString(file) && !ownFile.MatchString(file)
}

// packageFile matches drivers of chips: their names say the chip's family and the peripheral.
var packageFile = regexp.MustCompile(`(?i)(^|/)((stm32|gd32|at32|apm32|ch32|n32|hc32)\w*_(hal|ll|ddl)(_\w+)?|` +
	`(stm32|gd32|at32|apm32|ch32|n32)[a-z]\d\w*_(adc|bkp|can|cec|comp|crc|cryp|dac|dbgmcu|dma|exti|flash|fsmc|gpio|hash|` +
	`i2c|i2s|iwdg|lptim|pwr|rcc|rcu|rng|rtc|sdio|spi|syscfg|tim|timer|usart|wwdg)|nrfx_\w+|fsl_\w+)\.[ch]$`)

// ownFile matches files beside them that projects write: templates that are filled in.
var ownFile = regexp.MustCompile(`(?i)_(msp|conf|it|timebase_\w+)(_template)?\.[ch]$`)

// packageFolder matches folders of such code.
var packageFolder = regexp.MustCompile(
	`(?i)(^|/)(cmsis|\w*(hal|stdperiph|ll)_driver|stdperiph\w*|fwlib|libraries|driverlib|middlewares?|libopencm3|` +
		`freertos(-kernel)?|segger\w*|rtt|managed_components)/`)

// maxEntries bounds how many files and folders of a tree are looked at: the root may be all of a machine.
const maxEntries = 500_000

// NewTree lists the headers below root, without hidden folders and those that may not be read.
func NewTree(root string) (*Tree, error) {
	t := &Tree{root: root, byName: map[string][]string{}, seen: map[string][]string{}}
	entries := 0
	err := filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if entries++; entries > maxEntries {
			return fs.SkipAll
		}
		if err != nil && p != root && errors.Is(err, fs.ErrPermission) {
			return nil
		}
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, p)
		if err != nil {
			return err
		}
		name := d.Name()
		if d.IsDir() && rel != "." && (strings.HasPrefix(name, ".") || Generated(name)) {
			return filepath.SkipDir
		}
		switch filepath.Ext(name) {
		case ".h", ".inc", ".def", ".c", ".hpp":
			if d.Type().IsRegular() {
				low := strings.ToLower(name)
				t.byName[low] = append(t.byName[low], filepath.ToSlash(rel))
			}
		}
		return nil
	})
	return t, err
}

// Generated reports whether a folder of that name holds what builds and package managers put there.
func Generated(name string) bool {
	return slices.Contains([]string{"node_modules", "CMakeFiles", "_deps", "__pycache__"}, name)
}

var includeLine = regexp.MustCompile(`(?m)^[ \t]*#[ \t]*include[ \t]*(["<])([^">\n]+)[">]`)

// maxRead bounds what is read of one file.
const maxRead = 1 << 20

func (t *Tree) includes(file string) []string {
	if list, ok := t.seen[file]; ok {
		return list
	}
	var out []string
	if f, err := os.Open(filepath.Join(t.root, filepath.FromSlash(file))); err == nil {
		text, _ := io.ReadAll(io.LimitReader(f, maxRead))
		_ = f.Close()
		for _, m := range includeLine.FindAllSubmatch(text, -1) {
			out = append(out, string(m[1])+path.Clean(strings.ReplaceAll(string(m[2]), `\`, "/")))
		}
	}
	t.seen[file] = out
	return out
}

// Find returns the headers of the tree that an include of name in the file from may mean, best
// first: those near the file, and what is aside last. Paths end with name, or where none does, with what differs from it
// in case alone.
func (t *Tree) Find(from, name string) []string {
	var out, alike []string
	for _, p := range t.byName[strings.ToLower(path.Base(name))] {
		at := len(p) - len(name)
		switch {
		case at < 0 || at > 0 && p[at-1] != '/':
		case p[at:] == name:
			out = append(out, p)
		case strings.EqualFold(p[at:], name):
			alike = append(alike, p)
		}
	}
	if len(out) == 0 {
		out = alike
	}
	slices.SortStableFunc(out, func(a, b string) int { return distance(from, a) - distance(from, b) })
	return out
}

// distance counts the steps between the folders of two files; a folder aside counts for many, if the
// file that includes is not in it.
func distance(from, to string) int {
	a, b := strings.Split(path.Dir(from), "/"), strings.Split(path.Dir(to), "/")
	same := 0
	for same < len(a) && same < len(b) && a[same] == b[same] {
		same++
	}
	n := len(a) - same + len(b) - same
	for _, word := range b[same:] {
		if Aside.MatchString(word) {
			n += 20
		}
	}
	return n
}

// Missing is an include that the tree does not have.
type Missing struct{ Name, From string }

// Search is the folders that files include headers from.
type Search struct {
	tree    *Tree
	system  func(name string) bool // whether the compiler finds a header by itself
	Dirs    []string               // relative to the root, in the order in which they were needed
	Missing []Missing              // that the tree does not have
	visited map[string]bool
}

// NewSearch starts with the folders that are searched anyway.
func NewSearch(t *Tree, dirs []string, system func(name string) bool) *Search {
	return &Search{tree: t, system: system, Dirs: slices.Clone(dirs), visited: map[string]bool{}}
}

// Add follows the includes of a file, and adds a folder for each that is not found so far.
func (s *Search) Add(file string) {
	if s.visited[file] {
		return
	}
	s.visited[file] = true
	for _, inc := range s.tree.includes(file) {
		quoted, name := inc[0] == '"', inc[1:]
		if p, ok := s.resolve(file, name, quoted); ok {
			s.Add(p)
		}
	}
}

func (s *Search) resolve(from, name string, quoted bool) (string, bool) {
	dirs := s.Dirs
	if quoted {
		dirs = append([]string{path.Dir(from)}, dirs...)
	}
	for _, d := range dirs {
		if p := path.Join(d, name); slices.Contains(s.tree.byName[strings.ToLower(path.Base(p))], p) {
			return p, true
		}
	}
	if s.system(name) {
		return "", false
	}
	for _, d := range dirs {
		if p := s.tree.alike(path.Join(d, name)); p != "" {
			return p, true
		}
	}
	found, dirs := s.tree.Folders(from, name)
	if len(found) == 0 {
		s.Missing = append(s.Missing, Missing{Name: name, From: from})
		return "", false
	}
	best := max(0, slices.IndexFunc(found, s.complete))
	s.Dirs = append(s.Dirs, dirs[best])
	return found[best], true
}

// complete reports whether each header that a file includes is somewhere: a configuration for another machine includes
// what this one has not.
func (s *Search) complete(file string) bool {
	return !slices.ContainsFunc(s.tree.includes(file), func(inc string) bool {
		found, _ := s.tree.Folders(file, inc[1:])
		return len(found) == 0 && !s.system(inc[1:])
	})
}

// alike returns the first file of the tree whose path differs from p in case alone, "" if there is none.
func (t *Tree) alike(p string) string {
	list := t.byName[strings.ToLower(path.Base(p))]
	if i := slices.IndexFunc(list, func(q string) bool { return strings.EqualFold(p, q) }); i >= 0 {
		return list[i]
	}
	return ""
}

// Folders returns what Find finds, and for each the folder to search so that name means it.
func (t *Tree) Folders(from, name string) (found, dirs []string) {
	rest := name
	for strings.HasPrefix(rest, "../") {
		rest = rest[len("../"):]
	}
	for _, p := range t.Find(from, rest) {
		dir := path.Clean(p[:len(p)-len(rest)])
		for up := strings.Count(name, "../"); up > 0; up-- { // a folder from which as many steps up lead there
			first, _, below := strings.Cut(rest, "/")
			if !below || up > 1 {
				first = "."
			}
			dir = path.Join(dir, first)
		}
		if strings.EqualFold(path.Join(dir, name), p) {
			found, dirs = append(found, p), append(dirs, dir)
		}
	}
	return found, dirs
}

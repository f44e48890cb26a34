package compile

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/firmproof/firmproof/pipeline/headers"
)

// Limits of the search for headers that units include and do not find.
const (
	headerRounds = 80 // calls of the preprocessor
	headerTime   = 20 * time.Second
	headersShown = 3 // folders named for one header
)

// headerSearch looks in the tree for the headers that units do not find: the preprocessor says which is next, and
// goes on with the folder that has it, or with an empty file in its place.
type headerSearch struct {
	b      *builder
	tree   *headers.Tree
	root   string // of tree
	empty  string // folder of the empty files
	dirs   []string
	rounds int
	found  []Diagnostic
	told   bool // what to do about a header that the tree does not have
}

// missingHeaders returns a diagnostic for each header that the units include and do not find, with the folders of the
// tree that have it, and a last one with the flags to add. It is empty where nothing could be looked for.
func (b *builder) missingHeaders(ctx context.Context, units []unitSpec) []Diagnostic {
	if len(units) == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, headerTime)
	defer cancel()
	empty, err := os.MkdirTemp(b.opts.WorkDir, "headers-")
	if err != nil {
		return nil
	}
	defer os.RemoveAll(empty)
	root := b.treeOf(units[0])
	tree, err := headers.NewTree(root)
	if err != nil {
		return nil
	}
	s := &headerSearch{b: b, tree: tree, root: root, empty: empty}
	for _, u := range units {
		s.unit(ctx, b.request(u))
	}
	if len(s.dirs) > 0 {
		s.found = append(s.found, Diagnostic{Message: s.advice()})
	}
	return s.found
}

// unit adds what one unit does not find.
func (s *headerSearch) unit(ctx context.Context, r Request) {
	if r.prepare() != nil {
		return
	}
	for ; s.rounds < headerRounds && ctx.Err() == nil; s.rounds++ {
		flags := r.flags()
		for _, d := range s.dirs {
			flags = append(flags, "-I"+filepath.Join(s.root, d))
		}
		_, _, err := r.preprocess(ctx, append(flags, "-idirafter", s.empty), s.empty)
		at, name, ok := missingHeader(err)
		if !ok || !s.settle(at, name) {
			return
		}
	}
}

// settle notes a header that is not found, and makes the next call of the preprocessor find it. It returns false where
// that is not possible.
func (s *headerSearch) settle(at Diagnostic, name string) bool {
	from, err := filepath.Rel(s.root, absolute(s.b.dir, at.File))
	if err != nil {
		return false
	}
	_, dirs := s.tree.Folders(filepath.ToSlash(from), name)
	dirs = slices.DeleteFunc(dirs, func(d string) bool { return slices.Contains(s.dirs, d) })
	if len(dirs) > 0 {
		at.Message = fmt.Sprintf("'%s' file not found: it is in %s", name, s.list(dirs))
		s.found = append(s.found, at)
		s.dirs = append(s.dirs, dirs[0])
		return true
	}
	if hint := strings.Index(at.Message, " ("); hint < 0 { // not said to be the C library's
		at.Message = s.absent(name)
	}
	s.found = append(s.found, at)
	file := filepath.Join(s.empty, filepath.FromSlash(name))
	if !filepath.IsLocal(name) || os.MkdirAll(filepath.Dir(file), 0o755) != nil {
		return false
	}
	if _, err := os.Stat(file); err == nil { // included by a way that does not come here
		return false
	}
	return os.WriteFile(file, nil, 0o644) == nil
}

// absent says that no folder of the tree has a header, who provides it, and the first time what to do.
func (s *headerSearch) absent(name string) string {
	said := fmt.Sprintf("'%s' file not found, and no folder of this tree has it", name)
	if who, _ := headers.Provider(name); who != "" {
		said += ", as it comes with " + who
	}
	if s.told {
		return said
	}
	s.told = true
	return said + ": give its folder with -I, or as `include` of `build` in the manifest" +
		submoduleHint(s.root, func(string) bool { return true })
}

// list names the first folders as the user would write them.
func (s *headerSearch) list(dirs []string) string {
	var out []string
	for _, d := range dirs[:min(len(dirs), headersShown)] {
		out = append(out, s.shown(d))
	}
	if more := len(dirs) - len(out); more > 0 {
		out = append(out, fmt.Sprintf("%d more", more))
	}
	return strings.Join(out, ", ")
}

// shown returns a folder of the tree relative to where the build is, or from the root where that is shorter.
func (s *headerSearch) shown(dir string) string {
	abs := filepath.Join(s.root, dir)
	if rel, err := filepath.Rel(s.b.dir, abs); err == nil && len(rel) <= len(abs) {
		return rel
	}
	return abs
}

// advice returns what to add so that the headers are found.
func (s *headerSearch) advice() string {
	var shown []string
	for _, d := range s.dirs {
		shown = append(shown, s.shown(d))
	}
	if s.b.plain {
		return "add -I " + strings.Join(shown, " -I ")
	}
	return fmt.Sprintf("under `build` in .firmproof.yml, add: include: [%s]", strings.Join(shown, ", "))
}

// treeOf returns the folder below which headers are looked for: the project, or for a file of the command line the
// repository that it lies in.
func (b *builder) treeOf(u unitSpec) string {
	if !b.plain {
		return b.dir
	}
	dir := filepath.Dir(absolute(b.dir, u.file))
	for up := dir; up != filepath.Dir(up); up = filepath.Dir(up) {
		if _, err := os.Lstat(filepath.Join(up, ".git")); err == nil {
			return up
		}
	}
	if _, ok := below(b.dir, dir); ok {
		return b.dir
	}
	return dir
}

// replaceMissing puts what is known of missing headers, if anything is, in the place of what the compiler said of them.
func (e *BuildError) replaceMissing(list []Diagnostic) {
	if len(list) == 0 {
		return
	}
	rest := slices.DeleteFunc(e.Diagnostics, func(d Diagnostic) bool { return notFound.MatchString(d.Message) })
	e.Diagnostics = slices.Concat(list[:min(len(list), maxDiagnostics)], rest)
}

// Package adopt finds out how a repository can be verified: it looks at its files, tries the ways to
// build it, checks what came out within a time, and writes the manifest that was seen to work.
//
//	Survey -> []way -> attempt (units that compile and go together) -> trial check -> Manifest
package adopt

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/firmproof/firmproof/pipeline/cbmc"
	"github.com/firmproof/firmproof/pipeline/compile"
	"github.com/firmproof/firmproof/pipeline/headers"
)

// Survey lists what a repository holds. Paths are relative to its root, with slashes.
type Survey struct {
	root      string
	sources   []string // C files that are no harnesses; those of the project itself first
	harnesses []entry
	database  string         // compile_commands.json
	presets   string         // the first configuration of CMakePresets.json
	builds    []string       // build files by their path
	scripts   []string       // linker scripts that can be read
	unread    []error        // of others, why not
	proofs    []string       // folders of proofs for CBMC
	marks     []mark         // of frameworks
	avr       bool           // the marks of Arduino name no other architecture
	ides      []string       // project files of IDEs
	cxx       []string       // files in C++, sketches of Arduino among them
	words     bytes.Buffer   // text of build files, where compilers are named
	devices   map[string]int // C files by the target that alone has the headers that they include
	handlers  []string       // C files of the project itself with interrupt handlers of a Cortex-M
	posix     bool           // C files include headers of POSIX
}

type entry struct{ name, file string }

var (
	entryPattern = regexp.MustCompile(`(?m)^(?:void|int)\s+(\w+)\s*\(\s*(?:void)?\s*\)\s*\{`)
	intrinsic    = regexp.MustCompile(`\b(?:firmproof_(?:nondet_|assume|assert|havoc)|__VERIFIER_|__CPROVER_|klee_)`)

	scriptSections = regexp.MustCompile(`(?m)^\s*(?:MEMORY|SECTIONS)\s*\{?`)
	presetName     = regexp.MustCompile(`"configurePresets"\s*:\s*\[`)
)

// Look walks a repository, without hidden folders.
func Look(root string) (*Survey, error) {
	s := &Survey{root: root, devices: map[string]int{}}
	err := filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, p)
		if err != nil {
			return err
		}
		rel = filepath.ToSlash(rel)
		if d.IsDir() {
			if rel != "." && (strings.HasPrefix(d.Name(), ".") || headers.Generated(d.Name())) {
				return filepath.SkipDir
			}
			return nil
		}
		if !d.Type().IsRegular() {
			return nil
		}
		return s.file(p, rel)
	})
	s.dropProofs()
	slices.SortStableFunc(s.sources, func(a, b string) int { return rank(a) - rank(b) })
	slices.SortStableFunc(s.ides, func(a, b string) int { return rank(a) - rank(b) })
	return s, err
}

// rank orders files: the project's own before what is aside, near the root before deep ones.
func rank(file string) int {
	n := strings.Count(file, "/")
	if headers.Aside.MatchString(strings.TrimSuffix(file, path.Ext(file))) {
		n += 100
	}
	return n
}

// isAside reports whether a file is a test, an example or the like.
func isAside(file string) bool { return rank(file) >= 100 }

// maxRead bounds what is read of one file.
const maxRead = 1 << 20

func (s *Survey) file(p, rel string) error {
	name, ext := path.Base(rel), path.Ext(rel)
	if isProjectFile(name) && !isAside(rel) {
		s.ides = append(s.ides, rel)
	}
	if (compile.IsCXX(name) || ext == ".ino") && !isAside(rel) {
		s.cxx = append(s.cxx, rel)
	}
	buildFile := isMakefile(name) || name == "CMakeLists.txt" || ext == ".mk" || ext == ".cmake"
	if !buildFile && !isMark(name) && !slices.Contains([]string{".c", ".ld", ".lds", ".json"}, ext) {
		return nil
	}
	text, err := readPart(p)
	if err != nil {
		return err
	}
	s.marks = append(s.marks, marks(rel, text)...)
	s.avr = s.avr || (name == "library.properties" || name == "sketch.yaml") && avrOnly.Match(text)
	switch {
	case name == "compile_commands.json":
		if s.database == "" || len(rel) < len(s.database) {
			s.database = rel
		}
		s.words.Write(text)
	case rel == "CMakePresets.json" && presetName.Match(text):
		s.presets = firstPreset(text)
	case cbmc.IsProof(p):
		s.proofs = append(s.proofs, path.Dir(rel))
	case buildFile:
		s.words.Write(text)
		s.builds = append(s.builds, rel)
	case ext == ".ld" || ext == ".lds":
		if scriptSections.Match(text) {
			if err := compile.CheckLinkerScript(s.root, rel); err != nil {
				s.unread = append(s.unread, err)
			} else {
				s.scripts = append(s.scripts, rel)
			}
		}
	case ext == ".c" && !utf8.ValidString(rel): // no manifest can name it
	case ext == ".c" && !strings.HasPrefix(rel, "build/"):
		s.source(rel, text)
	}
	return nil
}

func isMakefile(name string) bool {
	return name == "Makefile" || name == "makefile" || name == "GNUmakefile"
}

func readPart(p string) ([]byte, error) {
	f, err := os.Open(p)
	if err != nil {
		return nil, err
	}
	text, err := io.ReadAll(io.LimitReader(f, maxRead))
	return text, errors.Join(err, f.Close())
}

// source sorts a C file: harnesses are functions without parameters in a file that uses intrinsics.
func (s *Survey) source(rel string, text []byte) {
	found := false
	if intrinsic.Match(text) && !mainPattern.Match(text) {
		for _, m := range entryPattern.FindAllSubmatch(text, -1) {
			s.harnesses = append(s.harnesses, entry{string(m[1]), rel})
			found = true
		}
	}
	if found {
		return
	}
	s.sources = append(s.sources, rel)
	if t := deviceOf(text); t != "" {
		s.devices[t]++
	}
	if cortexHandler.Match(text) && !isAside(rel) {
		s.handlers = append(s.handlers, rel)
	}
	s.posix = s.posix || posixHeader.Match(text)
}

var mainPattern = regexp.MustCompile(`(?m)^\s*(?:int|void)\s+main\s*\(`)

// dropProofs takes what belongs to proofs for CBMC out of the sources and harnesses: the folder of
// all proofs, or the one above it that is named for CBMC.
func (s *Survey) dropProofs() {
	if len(s.proofs) == 0 {
		return
	}
	slices.Sort(s.proofs)
	root := s.proofFolder()
	for d := root; d != "."; d = path.Dir(d) {
		if strings.EqualFold(path.Base(d), "cbmc") {
			root = d
		}
	}
	in := func(p string) bool { return root == "." || p == root || strings.HasPrefix(p, root+"/") }
	s.harnesses = slices.DeleteFunc(s.harnesses, func(e entry) bool { return in(e.file) })
	s.sources = slices.DeleteFunc(s.sources, func(f string) bool { return in(f) && root != "." })
	s.builds = slices.DeleteFunc(s.builds, in)
}

// proofFolder returns the folder that holds all proofs.
func (s *Survey) proofFolder() string {
	common := s.proofs[0]
	for _, p := range s.proofs[1:] {
		for p != common && !strings.HasPrefix(p, common+"/") && common != "." {
			common = path.Dir(common)
		}
	}
	return common
}

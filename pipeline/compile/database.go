package compile

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/firmproof/firmproof/pipeline/files"
	"github.com/firmproof/firmproof/pipeline/manifest"
)

// dbEntry is one call of the compiler in compile_commands.json (Clang: JSON
// Compilation Database Format Specification).
type dbEntry struct {
	Directory string   `json:"directory"`
	File      string   `json:"file"`
	Command   string   `json:"command"`
	Arguments []string `json:"arguments"`
}

// maxDatabase is how long a compilation database may be, in bytes.
const maxDatabase = 256 << 20

func (b *builder) fromDatabase(mb manifest.Build, path string) error {
	data, err := files.Read(path, maxDatabase)
	if os.IsNotExist(err) {
		return b.fault("sources", mb.CompileCommands,
			"no such file: run the configuration step first (CMake: -DCMAKE_EXPORT_COMPILE_COMMANDS=ON), or use build.command")
	}
	if err != nil {
		return b.fault("sources", mb.CompileCommands, "%v", err)
	}
	var entries []dbEntry
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	var mismatch *json.UnmarshalTypeError
	if err := json.Unmarshal(data, &entries); errors.As(err, &mismatch) {
		return b.fault("sources", mb.CompileCommands,
			"not a compilation database: it is no list of calls with `directory`, `file` and `command` or `arguments`")
	} else if err != nil {
		return b.fault("sources", mb.CompileCommands, "not a compilation database: %v", err)
	}
	for i, e := range entries {
		args := e.Arguments
		if len(args) == 0 {
			if args, err = SplitCommand(e.Command); err != nil {
				return b.fault("sources", mb.CompileCommands, "entry %d: %v", i, err)
			}
		}
		if len(args) == 0 || e.File == "" {
			return b.fault("sources", mb.CompileCommands, "entry %d has no command or no file", i)
		}
		dir := e.Directory
		if !filepath.IsAbs(dir) {
			dir = filepath.Join(filepath.Dir(path), dir)
		}
		if _, err := os.Stat(dir); err != nil && !filepath.IsAbs(e.File) {
			return b.fault("sources", mb.CompileCommands,
				"entry %d: its folder %s is not here: make the database again on this machine", i, e.Directory)
		}
		if err := b.addCall(mb, dir, args, e.File); err != nil {
			return err
		}
	}
	if len(b.specs) == 0 {
		return b.fault("sources", mb.CompileCommands, "the compilation database holds no C file")
	}
	return nil
}

// addCall adds the unit that a compiler call compiles; only is its file, or empty
// for every file of the call.
func (b *builder) addCall(mb manifest.Build, dir string, argv []string, only string) error {
	c, err := translate(dir, argv)
	if err != nil {
		return b.fault("sources", "", "compiler call in %s: %v", dir, err)
	}
	for _, n := range c.notes {
		b.note("%s", n)
	}
	var include []string // the manifest's, whose folder is not where the call ran
	for _, d := range mb.Include {
		include = append(include, absoluteIn(b.dir, d))
	}
	files := c.files
	if only != "" {
		files = []string{only}
	}
	for _, f := range files {
		if b.excluded(mb, b.display(dir, f)) {
			continue
		}
		switch ext := filepath.Ext(f); {
		case isC(f), IsCXX(f):
			b.add(unitSpec{
				spare: IsCXX(f), file: b.relative(dir, f), dir: b.unitDir(dir),
				cflags: append(append([]string(nil), c.flags...),
					mb.CFlags...),
				include: include, defines: mb.Defines, undefines: mb.Undefines, tool: compilerOf(argv),
				ofCall: len(c.flags),
			})
		case slices.Contains([]string{".s", ".S", ".asm", ".sx"}, ext):
			b.note("assembly file %s is not verified", b.display(dir, f))
		}
	}
	return nil
}

// excluded reports whether the manifest takes a file out of the build.
func (b *builder) excluded(mb manifest.Build, shown string) bool {
	return slices.ContainsFunc(mb.Exclude, func(pattern string) bool {
		ok, _ := doublestar.Match(filepath.ToSlash(filepath.Clean(pattern)), filepath.ToSlash(shown))
		return ok
	})
}

// compilerOf returns the compiler of a call and its arguments, without what stands in front to spread or keep
// compilations.
func compilerOf(argv []string) []string {
	switch filepath.Base(argv[0]) {
	case "ccache", "distcc", "sccache", "icecc":
		if len(argv) > 1 {
			return argv[1:]
		}
	}
	return argv
}

// unitDir returns the folder in which clang runs: the build's own directory, as relative paths on the
// command line want it.
func (b *builder) unitDir(dir string) string {
	if dir == b.dir {
		return ""
	}
	return dir
}

// relative names a file so that debug information comes out relative to the root:
// absolute below the root (the prefix is mapped away), or as it is.
func (b *builder) relative(dir, file string) string {
	if filepath.IsAbs(file) {
		if rel, ok := below(b.dir, file); ok && dir == b.dir {
			return rel
		}
		return file
	}
	if dir == b.dir {
		return filepath.Clean(file)
	}
	return filepath.Join(dir, file)
}

func (b *builder) display(dir, file string) string {
	if !filepath.IsAbs(file) {
		file = filepath.Join(dir, file)
	}
	if rel, ok := below(b.dir, file); ok {
		return rel
	}
	return file
}

// shared adds to spec the include path of all recorded units, made absolute, and
// the macros that every unit has.
func (b *builder) shared(spec unitSpec) unitSpec {
	seenDir := map[string]bool{}
	count := map[string]int{}
	var order []string
	spec.cflags = append(b.sharedLayout(), spec.cflags...)
	for _, s := range b.specs {
		dir := s.dir
		if dir == "" {
			dir = b.dir
		}
		mine := map[string]bool{}
		for _, f := range s.cflags {
			if d, ok := strings.CutPrefix(f, "-I"); ok {
				if !filepath.IsAbs(d) {
					d = filepath.Join(dir, d)
				}
				if !seenDir[d] {
					seenDir[d] = true
					spec.include = append(spec.include, d)
				}
			} else if strings.HasPrefix(f, "-D") && !mine[f] {
				mine[f] = true
				if count[f] == 0 {
					order = append(order, f)
				}
				count[f]++
			}
		}
	}
	for _, f := range order {
		if count[f] == len(b.specs) {
			spec.defines = append(append([]string(nil), spec.defines...), strings.TrimPrefix(f, "-D"))
		}
	}
	return spec
}

// sharedLayout returns the flags on which the layout of data depends, if all units have the same ones.
func (b *builder) sharedLayout() []string {
	var all []string
	for i, s := range b.specs {
		words := s.layoutWords()
		if i > 0 && !slices.Equal(words, all) {
			b.note("the build's units are compiled with flags for different layouts: harnesses have the target's")
			return nil
		}
		all = words
	}
	return all
}

// layoutWords returns those of the unit's flags on which the layout of data depends.
func (s *unitSpec) layoutWords() []string {
	adopted := slices.Clone(s.abi)
	var out []string
	for i, words := 0, abiWords(s.cflags); i < len(words); i++ {
		w := words[i]
		switch {
		case w == "-Xclang" && i+1 < len(words):
			out = append(out, w, words[i+1])
			i++
		case strings.HasPrefix(w, "-std="), w == "-ansi", w == "-fno-asm", w == "-w":
		case strings.HasPrefix(w, "-f"), strings.HasPrefix(w, "-m"), slices.Contains(adopted, w):
			out = append(out, w)
		}
	}
	return out
}

package compile

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/firmproof/firmproof/pipeline/compile/syntax"
	"github.com/firmproof/firmproof/pipeline/contract"
	"github.com/firmproof/firmproof/targets"
)

// sanitizers are the checks that IR cannot express without help; signed overflow
// is not among them (nsw says it exactly at -O0), nor are null, alignment, object
// size, pointer overflow, division and conversion of floating point (the engine looks at the instruction).
var sanitizers = []string{
	"shift", "array-bounds", "unreachable", "return", "vla-bound", "bool", "enum", "builtin",
	"nonnull-attribute", "returns-nonnull-attribute",
}

// Request is one translation unit.
type Request struct {
	File      string // .c, .ll, .bc or preprocessed .i; relative to Dir
	Dir       string // where clang runs; empty: the current directory
	Root      string // prefix taken off file names in debug information; empty: Dir
	Target    targets.Target
	Include   []string // -I
	Defines   []string // -D
	Undefines []string // -U
	CFlags    []string // further flags, for clang
	Checks    Checks
	Static    bool              // emit unused static functions too
	Contracts *contract.Options // see Options, as the next
	Silent    bool

	Runner   Runner // nil: run directly
	WorkDir  string // must exist; the unit's IR is written below it
	CacheDir string // empty: inside WorkDir
	Units    string // a further cache, which is only read
	Alone    bool   // other processors are idle

	fresh bool     // the cache has nothing yet
	files *fileSet // nil: the cache ends with this build, and nothing is edited

	overlay []string // flags that give headers other names
	unlike  []unlike // what its text must have nothing of, beside what clang's targets always differ in
}

// flags returns clang's argument list without input and output.
func (r *Request) flags() []string {
	args := append([]string{tools().Clang}, r.Target.Flags()...)
	args = append(append(args, Language(r.File)...), "-O0", "-g", "-Xclang", "-disable-O0-optnone",
		"-fno-discard-value-names",
		"-fno-color-diagnostics", "-fno-caret-diagnostics", "-ferror-limit=50", "-Wno-everything",
		"-Wimplicit-function-declaration",
		"-Wno-error", "-nostdlibinc")
	san := append([]string(nil), sanitizers...)
	if r.Checks.UnsignedOverflow {
		san = append(san, "unsigned-integer-overflow")
	}
	if r.Checks.Conversion {
		san = append(san, "implicit-conversion")
	}
	if r.Static {
		args = append(args, emitAll)
	}
	args = append(args, r.named()...)
	args = append(args, "-ffp-contract=fast") // GCC's default, unless a flag says less
	for _, f := range r.CFlags {
		if r.leavesOut(f) {
			continue
		}
		if asksC23(f) { // under the name that every clang knows
			f = "-std=" + cStandard(strings.TrimPrefix(f, "-std="))
		}
		args = append(args, f)
		if f == singleConstants { // which clang takes, and does nothing about
			args = append(args, "-Xclang", clangSingleConstants)
		}
	}
	// last, so that no flag of the project takes them back; without the second, scopes have no end at -O0; with passes,
	// the locals and parameters of functions that are always inlined would be those of their callers
	args = append(args, "-O0", "-Xclang", "-fsanitize-address-use-after-scope", "-Xclang", "-disable-llvm-passes",
		"-fsanitize="+strings.Join(san, ","), "-fsanitize-trap=all", "-Wno-error",
		"-Wno-error=implicit-function-declaration", "-Wimplicit-function-declaration")
	args = append(args, tools().ArrayFlags()...)
	args = append(args, syntax.Warnings...)
	if r.root() != "/" {
		args = append(args, "-ffile-prefix-map="+r.root()+"=.")
	}
	args = append(args, "-ffile-prefix-map="+r.includeDir()+"=firmproof", "-fdebug-compilation-dir=.")
	dirs, installed := r.Target.HeaderDirs()
	if r.Target.OwnAssert || !installed || len(dirs) == 0 {
		args = append(args, "-isystem", r.includeDir()+"/override")
	}
	args = append(args, "-isystem", r.includeDir())
	if IsCXX(r.File) {
		if cxx, ok := r.Target.CXXHeaderDirs(); ok {
			dirs = slices.Concat([]string{r.includeDir() + "/cxx"}, cxx, dirs) // each includes the next one
		}
	}
	for _, d := range dirs {
		args = append(args, "-isystem", d)
	}
	return args
}

// Language returns the flags of the language standard of a source file; C++ is taken without exceptions and run-time
// types, as firmware builds have it.
func Language(file string) []string {
	if IsCXX(file) { // libstdc++ asserts what it demands
		return []string{"-std=gnu++17", "-fno-exceptions", "-fno-rtti", "-D_GLIBCXX_ASSERTIONS"}
	}
	return []string{"-std=gnu11"}
}

// isC reports whether a source file is C, preprocessed or not.
func isC(file string) bool {
	ext := filepath.Ext(file)
	return ext == ".c" || ext == ".i"
}

// IsCXX reports whether a source file is C++.
func IsCXX(file string) bool {
	switch filepath.Ext(file) {
	case ".cc", ".cpp", ".cxx", ".C":
		return true
	}
	return false
}

// named lists the flags for the folders and macros that are named apart from other flags.
func (r *Request) named() (out []string) {
	for _, d := range r.Include {
		out = append(out, "-I"+d)
	}
	for _, d := range r.Defines {
		out = append(out, "-D"+d)
	}
	for _, d := range r.Undefines {
		out = append(out, "-U"+d)
	}
	return out
}

func (r *Request) root() string {
	if r.Root != "" {
		return r.Root
	}
	return r.Dir
}

// shown names a file for people: relative to the root where it lies below it; in /, which is no folder of a project, as it
// was given, and as debug information has it there.
func (r *Request) shown(file string) string {
	path := file
	if !filepath.IsAbs(path) {
		path = filepath.Join(r.Dir, path)
	}
	if rel, ok := below(r.root(), path); ok && r.root() != "/" {
		return rel
	}
	return file
}

// below returns path relative to root, if it lies below it.
func below(root, path string) (string, bool) {
	rel, err := filepath.Rel(root, path)
	if err != nil || rel == ".." || strings.HasPrefix(rel, "../") {
		return "", false
	}
	return rel, true
}

func (r *Request) includeDir() string { return r.WorkDir + "/include" }

func (r *Request) runner() Runner {
	if r.Runner == nil {
		return Direct{}
	}
	return r.Runner
}

// leavesOut reports a flag of the project that clang does not get.
func (r *Request) leavesOut(flag string) bool {
	switch {
	case flag == "-w": // the shim must hear of undeclared functions
		return true
	case flag == "-mfma":
		return !r.isX86()
	case strings.HasPrefix(flag, deviceFlag):
		return !r.namesDevices()
	}
	return flag == unsignedFields // see checkFields
}

func (r *Request) isX86() bool {
	return strings.HasPrefix(r.Target.Triple, "x86_64") || strings.HasPrefix(r.Target.Triple, "i386")
}

package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"gopkg.in/yaml.v3"

	"github.com/firmproof/firmproof/pipeline/cbmc"
	"github.com/firmproof/firmproof/pipeline/manifest"
	"github.com/firmproof/firmproof/targets"
)

func initCommand() *cobra.Command {
	var force bool
	cmd := &cobra.Command{
		Use:   "init [DIR]",
		Short: "Look at a repository and write a starter .firmproof.yml",
		Args:  cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			dir := "."
			if len(args) == 1 {
				dir = args[0]
			}
			return runInit(cmd.OutOrStdout(), dir, force)
		},
	}
	cmd.Flags().BoolVar(&force, "force", false, "replace a manifest that is there")
	return cmd
}

func runInit(w io.Writer, dir string, force bool) error {
	if st, err := os.Stat(dir); err != nil || !st.IsDir() {
		return fmt.Errorf("%s: no such folder", dir)
	}
	old, err := manifest.Find(dir)
	var none *manifest.NotFoundError
	switch {
	case err != nil && !errors.As(err, &none):
		return err
	case err == nil && !force:
		return fmt.Errorf("%s is there already: --force replaces it", old)
	}
	s, err := survey(dir)
	if err != nil {
		return err
	}
	if len(s.sources) == 0 && s.database == "" {
		return fmt.Errorf("%s: no C files found: run init in the root of the repository", dir)
	}
	text := s.manifest()
	path := filepath.Join(dir, manifest.Name)
	if old != "" {
		path = old
	}
	if _, err := manifest.Parse(path, text); err != nil {
		return &exitError{exitInternal, fmt.Errorf("init made a manifest that is wrong: %w", err)}
	}
	if err := os.WriteFile(path, text, 0o644); err != nil {
		return err
	}
	s.tell(w, path)
	return nil
}

// found is what init sees in a repository. Paths are relative to its root, with slashes.
type found struct {
	sources   []string // C files that are no harnesses
	include   []string
	database  string // compile_commands.json
	cmake     bool
	makefile  string
	scripts   []string // linker scripts
	cbmc      []string // folders of CBMC proofs
	target    string
	why       string // where the target comes from
	harnesses []entry
	functions []entry // of plain sources: main, else what can be called without a harness
}

type entry struct{ name, file string }

var (
	entryPattern  = regexp.MustCompile(`(?m)^(?:void|int)\s+(\w+)\s*\(\s*(?:void)?\s*\)\s*\{`)
	scalarPattern = regexp.MustCompile(
		`(?m)^(?:(?:unsigned|signed|const)\s+)*(?:void|bool|_Bool|char|short|int|long|unsigned|size_t|u?int\d+_t)\s+(\w+)\s*\(\s*([^)*\[]*)\)\s*\{`)
	mainPattern  = regexp.MustCompile(`(?m)^\s*(?:int|void)\s+main\s*\(`)
	intrinsic    = regexp.MustCompile(`\b(?:firmproof_(?:nondet_|assume|assert|havoc)|__VERIFIER_|__CPROVER_|klee_)`)
	compilerWord = regexp.MustCompile(
		`\b(arm-none-eabi-|avr-|riscv(?:32|64)[\w-]*-|msp430[\w-]*-|arm-linux-gnueabihf-|aarch64-[\w-]+-)`)
	cortexFlag     = regexp.MustCompile(`-?mcpu[= ]\s*(cortex-[a-z]\d+)`)
	scriptSections = regexp.MustCompile(`(?m)^\s*(?:MEMORY|SECTIONS)\s*\{?`)
)

// survey walks the repository, without hidden folders, build folders and other people's code.
func survey(dir string) (*found, error) {
	s := &found{}
	var words bytes.Buffer // text of build files, where compilers are named
	dirs := map[string]bool{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		rel = filepath.ToSlash(rel)
		name := d.Name()
		if d.IsDir() {
			if rel != "." && strings.HasPrefix(name, ".") || slices.Contains([]string{"node_modules", "CMakeFiles",
				"_deps"}, name) {
				return filepath.SkipDir
			}
			return nil
		}
		if !d.Type().IsRegular() {
			return nil
		}
		return s.file(path, rel, &words, dirs)
	})
	if err != nil {
		return nil, err
	}
	s.dropProofs(dirs)
	for d := range dirs {
		s.include = append(s.include, d)
	}
	slices.Sort(s.include)
	s.chooseTarget(words.String())
	return s, nil
}

// maxRead bounds what is read of one file.
const maxRead = 1 << 20

func (s *found) file(path, rel string, words *bytes.Buffer, dirs map[string]bool) error {
	name, ext := filepath.Base(rel), filepath.Ext(rel)
	atRoot := !strings.Contains(rel, "/")
	built := strings.HasPrefix(rel, "build")
	isBuildFile := name == "Makefile" || name == "makefile" || name == "GNUmakefile" || name == "CMakeLists.txt" ||
		ext == ".mk" || ext == ".cmake"
	if ext != ".c" && ext != ".h" && ext != ".ld" && ext != ".lds" && !isBuildFile &&
		name != "compile_commands.json" && ext != ".json" {
		return nil
	}
	text, err := readPart(path)
	if err != nil {
		return err
	}
	switch {
	case name == "compile_commands.json":
		if s.database == "" || len(rel) < len(s.database) {
			s.database = rel
		}
		words.Write(text)
	case cbmc.IsProof(path):
		s.cbmc = append(s.cbmc, filepath.ToSlash(filepath.Dir(rel)))
	case isBuildFile:
		words.Write(text)
		s.cmake = s.cmake || rel == "CMakeLists.txt"
		if atRoot && strings.EqualFold(strings.TrimPrefix(name, "GNU"), "makefile") {
			s.makefile = rel
		}
	case ext == ".ld" || ext == ".lds":
		if scriptSections.Match(text) {
			s.scripts = append(s.scripts, rel)
		}
	case ext == ".h" && !built:
		dirs[filepath.ToSlash(filepath.Dir(rel))] = true
	case ext == ".c" && !built:
		s.source(rel, string(text))
	}
	return nil
}

func readPart(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	text, err := io.ReadAll(io.LimitReader(f, maxRead))
	return text, errors.Join(err, f.Close())
}

// source sorts a C file: harnesses are functions without parameters in a file
// that uses intrinsics.
func (s *found) source(rel, text string) {
	isHarness := false
	if intrinsic.MatchString(text) {
		for _, m := range entryPattern.FindAllStringSubmatch(text, -1) {
			s.harnesses = append(s.harnesses, entry{m[1], rel})
			isHarness = true
		}
	}
	if isHarness {
		return
	}
	s.sources = append(s.sources, rel)
	if mainPattern.MatchString(text) {
		s.functions = append([]entry{{"main", rel}}, s.functions...)
		return
	}
	for _, m := range scalarPattern.FindAllStringSubmatch(text, -1) {
		s.functions = append(s.functions, entry{m[1], rel})
	}
}

// chooseTarget goes by the compiler that the build files call.
func (s *found) chooseTarget(text string) {
	s.target, s.why = "host", "no cross compiler in the build files"
	m := compilerWord.FindString(text)
	switch {
	case strings.HasPrefix(m, "arm-none-eabi"):
		s.target = "cortex-m3"
		if c := cortexFlag.FindStringSubmatch(text); c != nil && slices.Contains(targets.Names(), c[1]) {
			s.target = c[1]
			if c[1] == "cortex-m4" && strings.Contains(text, "-mfloat-abi=hard") {
				s.target = "cortex-m4f"
			}
		}
	case strings.HasPrefix(m, "avr"):
		s.target = "avr"
	case strings.HasPrefix(m, "riscv"):
		s.target = "riscv32"
		if strings.Contains(text, "rv64") {
			s.target = "riscv64"
		}
	case strings.HasPrefix(m, "msp430"):
		s.target = "msp430"
	case strings.HasPrefix(m, "arm-linux"):
		s.target = "arm-linux"
	case strings.HasPrefix(m, "aarch64"):
		s.target = "aarch64"
	default:
		return
	}
	s.why = "the build files call " + strings.TrimSuffix(m, "-") + "-gcc"
}

// entries are the harnesses, or functions that can be verified as they are.
func (s *found) entries() []entry {
	if len(s.harnesses) > 0 {
		return s.harnesses
	}
	if len(s.functions) > 0 && s.functions[0].name == "main" {
		return s.functions[:1]
	}
	return s.functions[:min(3, len(s.functions))]
}

func (s *found) bareMetal() bool {
	t, err := targets.Load(s.target)
	return err == nil && !t.Hosted
}

// yamlText writes a text as a YAML scalar.
func yamlText(s string) string {
	b, err := yaml.Marshal(s)
	if err != nil {
		return fmt.Sprintf("%q", s)
	}
	return strings.TrimSpace(string(b))
}

func yamlList(list []string) string {
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = fmt.Sprintf("%q", s)
	}
	return "[" + strings.Join(out, ", ") + "]"
}

func (s *found) manifest() []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "# What firmproof verifies; every key is in the manual.\nversion: 1\ntargets: [%s]   # %s; `firmproof targets` lists all\nbuild:\n", s.target, s.why)
	switch {
	case s.database != "":
		fmt.Fprintf(&b, "  compile_commands: %s\n", yamlText(s.database))
	case s.cmake:
		fmt.Fprintf(&b, "  command: cmake -S . -B build && cmake --build build   # compiler calls are recorded\n")
	case s.makefile != "":
		fmt.Fprintf(&b, "  command: make   # compiler calls are recorded\n")
	default:
		fmt.Fprintf(&b, "  sources: %s\n", yamlList(s.sources))
		if len(s.include) > 0 {
			fmt.Fprintf(&b, "  include: %s\n", yamlList(s.include))
		}
	}
	if len(s.scripts) == 1 && s.bareMetal() {
		fmt.Fprintf(&b, "  linker_script: %s\n", yamlText(s.scripts[0]))
	}
	listed := s.entries()
	if len(listed) > 0 {
		fmt.Fprintf(&b, "harnesses:\n")
	}
	for _, e := range listed {
		file := ""
		if slices.Contains(s.harnesses, e) {
			file = ", file: " + fmt.Sprintf("%q", e.file)
		}
		fmt.Fprintf(&b, "  - {entry: %s%s}\n", e.name, file)
	}
	b.WriteString("report: {annotate: changed-lines, fail_on: violation}\n")
	return b.Bytes()
}

// dropProofs takes what belongs to proofs for CBMC out of the sources and harnesses:
// the folder of all proofs, or the one above it that is named for CBMC.
func (s *found) dropProofs(dirs map[string]bool) {
	if len(s.cbmc) == 0 {
		return
	}
	slices.Sort(s.cbmc)
	root := proofFolder(s.cbmc)
	for d := root; d != "."; d = filepath.ToSlash(filepath.Dir(d)) {
		if strings.EqualFold(filepath.Base(d), "cbmc") {
			root = d
		}
	}
	in := func(path string) bool { return root == "." || path == root || strings.HasPrefix(path, root+"/") }
	s.harnesses = slices.DeleteFunc(s.harnesses, func(e entry) bool { return in(e.file) })
	s.functions = slices.DeleteFunc(s.functions, func(e entry) bool { return in(e.file) && root != "." })
	s.sources = slices.DeleteFunc(s.sources, func(f string) bool { return in(f) && root != "." })
	for d := range dirs {
		if in(d) && root != "." {
			delete(dirs, d)
		}
	}
}

// proofFolder is the folder that holds all of the proofs.
func proofFolder(list []string) string {
	common := list[0]
	for _, p := range list[1:] {
		for p != common && !strings.HasPrefix(p, common+"/") && common != "." {
			common = filepath.ToSlash(filepath.Dir(common))
		}
	}
	return common
}

// tell says what was found and what to do next.
func (s *found) tell(w io.Writer, path string) {
	say := func(what, detail string) { fmt.Fprintf(w, "%-16s %s\n", what, detail) }
	switch {
	case s.database != "":
		say("build", s.database)
	case s.cmake:
		say("build", "CMakeLists.txt: `cmake` runs with the compiler calls recorded")
	case s.makefile != "":
		say("build", s.makefile+": `make` runs with the compiler calls recorded")
	default:
		say("build", fmt.Sprintf("%d C files, no build system", len(s.sources)))
	}
	say("target", s.target+": "+s.why)
	for _, l := range s.scripts {
		note := l
		if len(s.scripts) > 1 || !s.bareMetal() {
			note += " (not used: say build.linker_script if it is the right one)"
		}
		say("linker script", note)
	}
	if len(s.cbmc) > 0 {
		say("CBMC proofs", fmt.Sprintf("%d in %s", len(s.cbmc), proofFolder(s.cbmc)))
	}
	switch {
	case len(s.harnesses) > 0:
		say("harnesses", fmt.Sprintf("%d found", len(s.harnesses)))
	case len(s.functions) > 0:
		say("harnesses", "none found: starting with "+s.entries()[0].name)
	default:
		say("harnesses", "none found, and no function that could stand for one")
	}
	fmt.Fprintf(w, "\nWrote %s. Next:\n", path)
	if len(s.harnesses) == 0 {
		fmt.Fprintln(w, "  write a harness (a function without parameters that makes inputs with firmproof_nondet_*, see firmproof.h) and list it under harnesses")
	}
	fmt.Fprintf(w, "  firmproof check %s\n", filepath.Dir(path))
	if len(s.cbmc) > 0 {
		fmt.Fprintf(w, "  firmproof check --cbmc-proof %s   # the proofs for CBMC, as they are\n",
			filepath.Join(filepath.Dir(path), proofFolder(s.cbmc)))
	}
}

package compile

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// answers holds what one compiler says of its ABI.
type answers struct {
	macros map[string]string
	layout facts  // sizes, alignments, bytes of initialised structures
	minor  facts  // like layout; what few programs look at
	reason string // why the compiler gave no answer; empty: it did
}

// askVendor asks the compiler that the build calls for the unit.
func (b *builder) askVendor(ctx context.Context, s *unitSpec) (*answers, error) {
	path, reason := b.vendorPath(s.tool[0])
	if reason != "" {
		if isClang(s.tool[0]) { // another release of clang, with the target that the call names or that its name says
			argv := []string{tools().Clang, "--target=" + b.img.Target.Triple}
			return b.askCompiler(ctx, append(argv, vendorWords(s.tool[1:])...))
		}
		return &answers{reason: reason}, nil
	}
	return b.askCompiler(ctx, append([]string{path}, vendorWords(s.tool[1:])...))
}

// compilerName matches the compilers that may be asked.
var compilerName = regexp.MustCompile(`^([A-Za-z0-9_.]+-)*(gcc|g\+\+|cc|c\+\+|clang|clang\+\+|c99|c89)(-[0-9.]+)?$`)

func isClang(tool string) bool { return strings.Contains(filepath.Base(tool), "clang") }

// vendorPath finds the compiler, or says why it is not asked.
func (b *builder) vendorPath(tool string) (path, reason string) {
	if !compilerName.MatchString(filepath.Base(tool)) {
		return "", "it is neither GCC nor clang"
	}
	path, err := exec.LookPath(tool)
	if err != nil {
		return "", "it is not installed"
	}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		if _, inside := below(b.dir, real); inside {
			return "", "it is a file of the project"
		}
	}
	return path, ""
}

// answered holds what compilers said, by call and file of the compiler: both commits of a change, each target and each
// build of a watched folder ask the same. The words of a call name no files of the project (vendorWords).
var answered sync.Map // of *answers

// askCompiler asks a compiler once. Answers that say why there is none are not kept.
func (b *builder) askCompiler(ctx context.Context, argv []string) (*answers, error) {
	tool, err := identity(argv[0])
	if err != nil {
		return b.probe(ctx, argv)
	}
	key := fmt.Sprintf("%q %s", argv, tool)
	if out, ok := answered.Load(key); ok {
		return out.(*answers), nil
	}
	out, err := b.probe(ctx, argv)
	if err == nil && out.reason == "" {
		answered.Store(key, out)
	}
	return out, err
}

// probe runs a compiler on the probes.
func (b *builder) probe(ctx context.Context, argv []string) (*answers, error) {
	dir, err := os.MkdirTemp(b.opts.WorkDir, "abi-")
	if err != nil {
		return nil, &InfraError{"abi", err}
	}
	defer os.RemoveAll(dir)
	if err := os.WriteFile(filepath.Join(dir, "abi.c"), []byte(probeText()), 0o644); err != nil {
		return nil, &InfraError{"abi", err}
	}
	runner := b.opts.Runner
	if runner == nil {
		runner = Direct{}
	}
	run := func(args ...string) (Result, error) {
		res, err := runner.Run(ctx, Cmd{Argv: append(slices.Clone(argv), args...), Dir: dir, Write: []string{dir}})
		if err != nil && ctx.Err() != nil {
			return res, &InfraError{"abi", err}
		}
		if err != nil || res.ExitCode != 0 {
			res.ExitCode = max(res.ExitCode, 1)
		}
		return res, nil
	}
	out := &answers{}
	res, err := run("-E", "-dM", "-x", "c", "abi.c")
	if err != nil {
		return nil, err
	}
	if res.ExitCode != 0 {
		out.reason = "it refuses its flags: " + firstLine(res.Stderr)
		return out, nil
	}
	out.macros = readMacros(res.Stdout)
	const method = "__FLT_EVAL_METHOD__"
	if _, ok := out.macros[method]; !ok { // clang lists it no more from 16 on, and takes its value from the flags
		if err := os.WriteFile(filepath.Join(dir, "method.c"), []byte(method+"\n"), 0o644); err != nil {
			return nil, &InfraError{"abi", err}
		}
		if res, err = run("-E", "-x", "c", "method.c"); err != nil {
			return nil, err
		}
		lines := strings.Fields(string(res.Stdout))
		if n := len(lines); n > 0 && lines[n-1] != method {
			out.macros[method] = lines[n-1]
		}
	}
	if res, err = run("-c", "-o", "abi.o", "-x", "c", "abi.c"); err != nil {
		return nil, err
	}
	object, readErr := os.ReadFile(filepath.Join(dir, "abi.o"))
	if res.ExitCode != 0 || readErr != nil {
		out.reason = "it compiles nothing: " + firstLine(res.Stderr)
		return out, nil
	}
	if out.layout, out.minor, err = readProbes(object); err != nil {
		out.reason = err.Error()
	}
	return out, nil
}

func firstLine(b []byte) string {
	for line := range strings.SplitSeq(string(b), "\n") {
		if strings.Contains(line, "error") {
			return strings.TrimSpace(line)
		}
	}
	return strings.TrimSpace(strings.SplitN(string(b), "\n", 2)[0])
}

func readMacros(text []byte) map[string]string {
	out := map[string]string{}
	for line := range strings.SplitSeq(string(text), "\n") {
		if rest, ok := strings.CutPrefix(line, "#define "); ok {
			name, value, _ := strings.Cut(rest, " ")
			out[name] = strings.TrimSpace(value)
		}
	}
	return out
}

// differing lists the facts on which two compilers disagree, in order; minor: those that few programs look at.
func (here *answers) differing(there *answers, minor bool) []string {
	var out []string
	for _, p := range probes() {
		if p.minor == minor && here.fact(p.fact) != there.fact(p.fact) {
			out = append(out, p.fact)
		}
	}
	for _, name := range there.macroNames() {
		if typeMacro.MatchString(name) && minor == ownTypes.MatchString(name) && here.macros[name] != "" &&
			plainType(here.macros[name]) != plainType(there.macros[name]) {
			out = append(out, name)
		}
	}
	if minor {
		return out
	}
	for _, name := range []string{"__CHAR_BIT__", "__FLT_RADIX__", "__FLT_MANT_DIG__", "__DBL_MANT_DIG__",
		"__DBL_MAX_EXP__", "__LDBL_MANT_DIG__", "__LDBL_MAX_EXP__", "__FLT_EVAL_METHOD__"} {
		if here.macros[name] != there.macros[name] {
			out = append(out, name)
		}
	}
	return out
}

// fact is the answer to a probe, or the value of a macro.
func (here *answers) fact(name string) string {
	for _, m := range []map[string]string{here.layout, here.minor, here.macros} {
		if v, ok := m[name]; ok {
			return v
		}
	}
	return "not defined"
}

// standard is the value of -std that gives the compiler's language.
func (here *answers) standard() string {
	std := map[string]string{"": "89", "199409L": "89", "199901L": "99", "201112L": "11", "201710L": "17",
		"202000L": "2x",
		"202311L": "2x"}[here.macros["__STDC_VERSION__"]]
	if std == "" {
		return ""
	}
	if here.macros["__STRICT_ANSI__"] != "" {
		return "c" + std
	}
	return "gnu" + std
}

package cbmc

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/firmproof/firmproof/pipeline/compile"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// variables are those of the CBMC starter kit that say what a proof is.
var variables = []string{"HARNESS_ENTRY", "PROOF_UID", "SRCDIR", "PROJECT_SOURCES", "PROOF_SOURCES", "INCLUDES",
	"DEFINES", "COMPILE_FLAGS",
	"REMOVE_FUNCTION_BODY", "UNWINDSET", "CPROVER_LIBRARY_UNWINDSET", "CHECK_FUNCTION_CONTRACTS",
	"CHECK_FUNCTION_CONTRACTS_REC", "USE_FUNCTION_CONTRACTS",
	"APPLY_LOOP_CONTRACTS", "NONDET_STATIC", "RESTRICT_FUNCTION_POINTER", "REWRITTEN_SOURCES", "CBMCFLAGS",
	"CHECKFLAGS", "CBMC_FLAG_MALLOC_MAY_FAIL", "CBMC_OBJECT_BITS"}

// printer returns the makefile that tells the variables of the one in the folder. Goals
// are never built: the only goal is its own.
func printer() string {
	var b strings.Builder
	b.WriteString("include Makefile\n.PHONY: firmproof-variables\nfirmproof-variables: ;\n")
	for _, v := range variables {
		fmt.Fprintf(&b, "$(info firmproof:%s=$(strip $(%s)))\n", v, v)
	}
	return b.String()
}

func readMakefile(ctx context.Context, runner compile.Runner, dir string) (*Proof, error) {
	tmp, err := os.MkdirTemp("", "firmproof-cbmc-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(tmp)
	if err := os.Chmod(tmp, 0o755); err != nil { // another user may run make
		return nil, err
	}
	mk := filepath.Join(tmp, "variables.mk")
	if err := os.WriteFile(mk, []byte(printer()), 0o644); err != nil {
		return nil, err
	}
	res, err := runner.Run(ctx, compile.Cmd{Argv: []string{"make", "-s", "--no-print-directory", "-f", mk,
		"firmproof-variables"}, Dir: dir, Read: []string{tmp, sourceTree(dir)}})
	if err != nil {
		return nil, fmt.Errorf("%s: make: %w", dir, err)
	}
	vars := map[string]string{}
	for _, line := range strings.Split(string(res.Stdout), "\n") {
		if text, ok := strings.CutPrefix(line, "firmproof:"); ok {
			name, value, _ := strings.Cut(text, "=")
			vars[name] = value
		}
	}
	if res.ExitCode != 0 || len(vars) < len(variables) {
		return nil, fmt.Errorf("%s: make: exit status %d: %s", filepath.Join(dir, "Makefile"), res.ExitCode,
			strings.TrimSpace(string(res.Stderr)))
	}
	p, err := fromVariables(dir, vars)
	if err != nil {
		return nil, err
	}
	return p, p.generate(ctx, runner, tmp, mk)
}

// sourceTree returns the folder whose files a makefile in dir may need: the repository, or
// four folders up where there is none.
func sourceTree(dir string) string {
	best, levels := dir, 0
	for d := dir; d != filepath.Dir(d); d = filepath.Dir(d) {
		if _, err := os.Lstat(filepath.Join(d, ".git")); err == nil {
			return d
		}
		if levels++; levels <= 5 && d != filepath.Clean(os.TempDir()) {
			best = d
		}
	}
	return best
}

// fromVariables makes a proof of the values of variables.
func fromVariables(dir string, vars map[string]string) (*Proof, error) {
	words := map[string][]string{}
	for _, v := range variables {
		w, err := compile.SplitCommand(vars[v])
		if err != nil {
			return nil, fmt.Errorf("%s: %s: %w", filepath.Join(dir, "Makefile"), v, err)
		}
		words[v] = w
	}
	p := &Proof{Name: filepath.Base(dir), Dir: dir, Root: root(dir, vars["SRCDIR"]), Entry: vars["HARNESS_ENTRY"],
		Project: absolute(dir, append(words["PROJECT_SOURCES"], words["REWRITTEN_SOURCES"]...)), Sources: absolute(dir,
			words["PROOF_SOURCES"]),
		RemoveBody: words["REMOVE_FUNCTION_BODY"], Expect: true}
	if p.Entry == "" {
		p.Entry = "harness"
	}
	p.Flags = append(compilerFlags(words["COMPILE_FLAGS"]), compilerFlags(words["DEFINES"])...)
	p.Flags = append(p.Flags, compilerFlags(words["INCLUDES"])...)
	var err error
	if p.Loops, err = loops(dir, append(words["UNWINDSET"], words["CPROVER_LIBRARY_UNWINDSET"]...)); err != nil {
		return nil, err
	}
	flags := append(append([]string(nil), words["CBMCFLAGS"]...), words["CHECKFLAGS"]...)
	p.options(append(flags, words["CBMC_FLAG_MALLOC_MAY_FAIL"]...))
	if n, err := strconv.Atoi(strings.Join(words["CBMC_OBJECT_BITS"], "")); err == nil {
		p.ObjectBits = n
	}
	p.Contracts = contracts(words)
	p.NondetStatic = p.NondetStatic || len(words["NONDET_STATIC"]) > 0
	return p, nil
}

// root returns the folder that source names are shown relative to.
func root(dir, srcdir string) string {
	if srcdir != "" {
		if !filepath.IsAbs(srcdir) {
			srcdir = filepath.Join(dir, srcdir)
		}
		srcdir = filepath.Clean(srcdir)
		if rel, err := filepath.Rel(srcdir, dir); err == nil && rel != ".." && !strings.HasPrefix(rel, "../") {
			return srcdir
		}
	}
	return dir
}

// options takes over CBMC's flags. CBMC 6 lets malloc fail unless told otherwise;
// CBMC 5 did not, and its makefiles name the check of pointers, which 6 has on.
func (p *Proof) options(flags []string) {
	old := false
	may := false
	p.ObjectBits = 8
	for i, f := range flags {
		if bits, ok := strings.CutPrefix(f, "--object-bits"); ok {
			if bits == "" && i+1 < len(flags) {
				bits = flags[i+1]
			}
			if n, err := strconv.Atoi(strings.TrimPrefix(bits, "=")); err == nil {
				p.ObjectBits = n
			}
		}
		switch f {
		case "--32":
			p.Bits32 = true
		case "--unsigned-overflow-check":
			p.Unsigned = true
		case "--conversion-check":
			p.Conversion = true
		case "--pointer-overflow-check":
			p.Pointers = true
		case "--no-malloc-may-fail":
			p.MallocOK = true
		case "--malloc-may-fail", "--malloc-fail-null":
			may = true
		case "--pointer-check", "--bounds-check":
			old = true
		case "--nondet-static":
			p.NondetStatic = true
		}
	}
	if old && !may {
		p.MallocOK = true
	}
}

// onlyNamed drops the checks that CBMC 5 made only when they were named. A proof
// for CBMC 5 names the checks of pointers, which CBMC 6 makes by itself.
func (p *Proof) onlyNamed(flags []string) {
	if !slices.Contains(flags, "--pointer-check") && !slices.Contains(flags, "--bounds-check") {
		return
	}
	for _, c := range []struct {
		flag  string
		check verdict.Check
	}{{"--signed-overflow-check", verdict.SignedOverflow}, {"--div-by-zero-check", verdict.DivByZero},
		{"--undefined-shift-check", verdict.Shift}} {
		if !slices.Contains(flags, c.flag) {
			p.Unasked = append(p.Unasked, c.check)
		}
	}
}

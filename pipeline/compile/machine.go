package compile

import (
	"context"
	"os"
	"path/filepath"
	"strings"

	"github.com/firmproof/firmproof/targets"
)

// Machine compiles a C file to machine code as the product would, with -Os unless the flags of opts say otherwise, and
// links it with the library and the startup code of the target's compiler. It keeps what the function entry needs. The
// path of the ELF file lies in opts.WorkDir. The error is a *BuildError for what is wrong with the file, among others a
// function that is neither in it nor in the library.
func Machine(ctx context.Context, file string, t targets.Target, opts Options, entry string) (string, error) {
	r := Request{Runner: opts.Runner, WorkDir: opts.WorkDir, Dir: ".", File: file, Target: t,
		Include: opts.Include, Defines: opts.Defines, Undefines: opts.Undefines, CFlags: opts.CFlags}
	if err := r.prepare(); err != nil {
		return "", err
	}
	if _, err := os.Stat(absolute(r.Dir, file)); err != nil || !isC(file) {
		msg := "not C (.c, .i)"
		if err != nil {
			msg = "no such file"
		}
		return "", &BuildError{Stage: "read", Target: t.Name, Diagnostics: []Diagnostic{{File: file, Message: msg}}}
	}
	out := filepath.Join(r.WorkDir, "machine.elf")
	args := append([]string{tools().Clang}, t.Flags()...)
	args = append(args, "-Os", "-g", "-ffunction-sections", "-fno-color-diagnostics", "-fno-caret-diagnostics", "-w")
	// clang resolves branches within a function, which a linker that makes calls shorter does not correct
	args = append(args, "-mno-relax")
	args = append(args, r.named()...)
	args = append(args, opts.CFlags...)
	dirs, _ := t.HeaderDirs()
	for _, d := range dirs {
		args = append(args, "-isystem", d)
	}
	args = append(args, "-Wl,--gc-sections", "-Wl,-u,"+entry)
	if entry != "main" { // the startup code of the library calls it
		args = append(args, "-Wl,--defsym=main="+entry)
	}
	args = append(args, "-o", out, "--", file)
	res, err := r.run(ctx, args...)
	if err != nil {
		return "", err
	}
	if res.ExitCode != 0 {
		if text := string(res.Stderr); strings.Contains(text, "undefined ") || strings.Contains(text, "cannot find") {
			return "", &BuildError{Stage: "link", Target: t.Name, Diagnostics: []Diagnostic{{File: file, Message: tail(res.Stderr, 3)}}}
		}
		return "", r.fault(res, "clang")
	}
	return out, nil
}

package build

import (
	"bytes"
	"context"
	_ "embed"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strings"

	"github.com/firmproof/firmproof/pipeline/manifest"
)

//go:embed wrapper.sh
var wrapperScript string

// prefixes of cross compilers, as Debian and the vendors name them.
var prefixes = []string{
	"", "arm-none-eabi-", "arm-linux-gnueabi-", "arm-linux-gnueabihf-", "aarch64-none-elf-", "aarch64-linux-gnu-", "avr-", "msp430-", "msp430-elf-",
	"riscv32-unknown-elf-", "riscv64-unknown-elf-", "riscv-none-elf-", "riscv-none-embed-", "riscv64-linux-gnu-", "mips-linux-gnu-", "mips-elf-",
	"mips-mti-elf-", "xtensa-esp32-elf-", "xtensa-lx106-elf-", "i386-elf-", "i686-elf-", "i686-linux-gnu-", "x86_64-linux-gnu-", "x86_64-elf-",
}

// wrapped lists the names that a recorded build finds first on its PATH.
func wrapped() []string {
	var out []string
	for _, p := range prefixes {
		for _, tool := range []string{"gcc", "cc", "clang", "g++", "c++", "clang++"} {
			out = append(out, p+tool)
		}
		if p != "" {
			for _, tool := range []string{"as", "ld", "ar", "objcopy", "objdump", "size", "nm", "strip", "ranlib", "readelf", "cpp"} {
				out = append(out, p+tool)
			}
		}
	}
	for v := 9; v <= 15; v++ {
		out = append(out, fmt.Sprintf("gcc-%d", v), fmt.Sprintf("clang-%d", v))
	}
	return append(out, "c99")
}

// recorded is one call of a compiler.
type recorded struct {
	dir, tool string
	args      []string
}

// fromCommand runs the project's own build with stand-ins for the compilers, and
// takes the units from the calls that they wrote down.
func (b *builder) fromCommand(ctx context.Context, mb manifest.Build) error {
	bin, log, err := b.writeWrappers()
	if err != nil {
		return &InfraError{"record", err}
	}
	home := filepath.Join(b.opts.WorkDir, "home")
	if err := os.MkdirAll(home, 0o755); err != nil {
		return &InfraError{"record", err}
	}
	runner := b.opts.Runner
	if runner == nil {
		runner = Direct{}
	}
	res, err := runner.Run(ctx, Cmd{
		Argv: []string{"/bin/sh", "-c", mb.Command}, Dir: b.dir, Write: []string{b.dir, b.opts.WorkDir},
		Env: []string{"PATH=" + bin + ":" + os.Getenv("PATH"), "HOME=" + home, "LANG=C.UTF-8", "LC_ALL=C.UTF-8", "TERM=dumb", "CCACHE_DISABLE=1"},
	})
	if err != nil {
		return &InfraError{"record", err}
	}
	if res.ExitCode != 0 {
		return b.commandFault(mb.Command, res)
	}
	calls, missing, err := readRecord(log)
	if err != nil {
		return &InfraError{"record", err}
	}
	for _, m := range missing {
		b.note("%s is not installed: the build's own outputs are empty files", m)
	}
	return b.replay(mb, calls)
}

func (b *builder) writeWrappers() (bin, log string, err error) {
	bin, log = filepath.Join(b.opts.WorkDir, "wrap", "bin"), filepath.Join(b.opts.WorkDir, "wrap", "log")
	if err := os.RemoveAll(filepath.Join(b.opts.WorkDir, "wrap")); err != nil {
		return "", "", err
	}
	for _, d := range []string{bin, log} {
		if err := os.MkdirAll(d, 0o755); err != nil {
			return "", "", err
		}
	}
	quote := func(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }
	script := strings.NewReplacer("@DIR@", quote(bin), "@LOG@", quote(log)).Replace(wrapperScript)
	first := filepath.Join(bin, "gcc")
	if err := os.WriteFile(first, []byte(script), 0o755); err != nil {
		return "", "", err
	}
	for _, name := range wrapped() {
		if name != "gcc" {
			if err := os.Link(first, filepath.Join(bin, name)); err != nil {
				return "", "", err
			}
		}
	}
	return bin, log, nil
}

func (b *builder) commandFault(command string, res Result) error {
	out := append(append([]byte(nil), res.Stderr...), res.Stdout...)
	diags, _ := parseDiagnostics(out)
	where := diags[:0]
	for _, d := range diags {
		if d.File != "" {
			where = append(where, d)
		}
	}
	if len(where) == 0 {
		last := tail(res.Stderr, 5)
		if strings.TrimSpace(last) == "" {
			last = tail(res.Stdout, 5)
		}
		where = []Diagnostic{{Message: fmt.Sprintf("build command `%s`: exit status %d: %s", command, res.ExitCode, last)}}
	}
	return &BuildError{Stage: "command", Target: b.img.Target.Name, Diagnostics: where}
}

// readRecord reads the calls, each once, in an order that does not depend on time.
func readRecord(log string) (calls []recorded, missing []string, err error) {
	files, err := os.ReadDir(log)
	if err != nil {
		return nil, nil, err
	}
	seen := map[string]bool{}
	var texts []string
	for _, f := range files {
		if name, ok := strings.CutPrefix(f.Name(), "missing."); ok {
			missing = append(missing, name)
			continue
		}
		data, err := os.ReadFile(filepath.Join(log, f.Name()))
		if err != nil {
			return nil, nil, err
		}
		if s := string(bytes.TrimSuffix(data, []byte{0})); !seen[s] && strings.Contains(s, "\x00") {
			seen[s] = true
			texts = append(texts, s)
		}
	}
	sort.Strings(texts)
	for _, s := range texts {
		words := strings.Split(s, "\x00")
		calls = append(calls, recorded{dir: words[0], tool: words[1], args: words[2:]})
	}
	return calls, missing, nil
}

// isProbe tells the calls by which build systems look at the compiler.
func (c recorded) isProbe() bool {
	if strings.Contains(c.dir, "CMakeFiles") || strings.Contains(c.dir, "CompilerId") {
		return true
	}
	for _, a := range c.args {
		switch {
		case a == "-E", a == "-M", a == "-MM", a == "-", a == "/dev/null", strings.HasPrefix(a, "-print-"), strings.HasPrefix(a, "-dump"):
			return true
		case strings.HasPrefix(filepath.Base(a), "conftest"), strings.Contains(a, "CMakeFiles/CMakeTmp"), strings.Contains(a, "CMakeCCompilerId"), strings.Contains(a, "CMakeScratch"):
			return true
		}
	}
	return false
}

// isHost tells a compiler without a cross prefix.
func (c recorded) isHost() bool {
	return !strings.Contains(strings.TrimRight(c.tool, "-0123456789"), "-")
}

// replay adds the units of the recorded calls.
func (b *builder) replay(mb manifest.Build, calls []recorded) error {
	cross := false
	for _, c := range calls {
		cross = cross || !c.isHost() && !c.isProbe()
	}
	for _, c := range calls {
		if c.isProbe() {
			continue
		}
		t, err := translate(c.dir, append([]string{c.tool}, c.args...))
		if err != nil {
			return b.fault("command", "", "recorded call of %s in %s: %v", c.tool, b.display(c.dir, "."), err)
		}
		for _, f := range t.files {
			ext := filepath.Ext(f)
			if ext == ".o" || ext == ".a" || ext == ".so" || ext == ".ld" || ext == ".lds" {
				continue
			}
			if cross && c.isHost() {
				b.note("%s is compiled by %s for the build machine: left out", b.display(c.dir, f), c.tool)
				continue
			}
			path := f
			if !filepath.IsAbs(path) {
				path = filepath.Join(c.dir, path)
			}
			if _, err := os.Stat(path); err != nil {
				b.note("%s is compiled by the build and gone afterwards: left out", b.display(c.dir, f))
				continue
			}
			if err := b.addCall(mb, c.dir, append([]string{c.tool}, c.args...), f); err != nil {
				return err
			}
		}
	}
	if len(b.specs) == 0 {
		return b.fault("command", manifest.Name, "build command `%s` compiled no C file that could be recorded: start from a clean tree (`make clean && ...`), and call the compiler by name, not by path", mb.Command)
	}
	return nil
}

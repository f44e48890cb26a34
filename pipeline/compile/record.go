package compile

import (
	"context"
	"crypto/sha256"
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/firmproof/firmproof/pipeline/manifest"
	"github.com/firmproof/firmproof/targets"
)

//go:embed wrapper.sh
var wrapperScript string

// prefixes of cross compilers, as Debian and the vendors name them.
var prefixes = []string{
	"", "arm-none-eabi-", "arm-linux-gnueabi-", "arm-linux-gnueabihf-", "aarch64-none-elf-", "aarch64-linux-gnu-",
	"avr-", "msp430-", "msp430-elf-",
	"riscv32-unknown-elf-", "riscv64-unknown-elf-", "riscv-none-elf-", "riscv-none-embed-", "riscv64-linux-gnu-",
	"mips-linux-gnu-", "mips-elf-",
	"mips-mti-elf-", "xtensa-esp32-elf-", "xtensa-lx106-elf-", "i386-elf-", "i686-elf-", "i686-linux-gnu-",
	"x86_64-linux-gnu-", "x86_64-elf-",
}

// wrapped lists the names that a recorded build finds first on its PATH.
func wrapped() []string {
	var out []string
	for _, p := range prefixes {
		for _, tool := range []string{"gcc", "cc", "clang", "g++", "c++", "clang++"} {
			out = append(out, p+tool)
		}
		if p != "" {
			for _, tool := range []string{"as", "ld", "ar", "objcopy", "objdump", "size", "nm", "strip", "ranlib",
				"readelf", "cpp"} {
				out = append(out, p+tool)
			}
		}
	}
	for v := 9; v <= 15; v++ {
		out = append(out, fmt.Sprintf("gcc-%d", v), fmt.Sprintf("clang-%d", v))
	}
	return append(out, "c99")
}

// Call is one call of a compiler that a build made.
type Call struct {
	Dir, Tool string
	Args      []string
}

// Recording holds what a build command did. The same one serves every target: a second
// run of make has nothing left to compile.
type Recording struct {
	Calls   []Call
	Missing []string // tools that are not installed: their outputs are empty files
	Old     int      // how many of the calls are from earlier runs of the command in this folder
	// digest of the files that say how the command compiles what; and whether it is another one since those runs
	Described string `json:",omitempty"`
	Changed   bool   `json:"-"`
}

// Record runs the project's own build once, with stand-ins for the compilers, and
// gives the calls that they wrote down. Calls of earlier runs in the same folder,
// kept in opts.CacheDir, are added for the files that this run had no need to compile. Where what describes the build is not
// what it was then, or objects lie there whose calls nobody recorded, the build is run once more, and make is told to compile
// everything: what that run compiles is the whole build. A build that compiles nothing then keeps account of its own calls.
func Record(ctx context.Context, dir string, mb manifest.Build, opts Options) (*Recording, error) {
	b, err := newBuilder(dir, targets.Target{}, opts)
	if err != nil {
		return nil, err
	}
	return b.record(ctx, mb)
}

func (b *builder) record(ctx context.Context, mb manifest.Build) (*Recording, error) {
	bin, log, err := b.writeWrappers()
	if err != nil {
		return nil, &InfraError{"record", err}
	}
	home := filepath.Join(b.opts.WorkDir, "home")
	if err := os.MkdirAll(home, 0o755); err != nil {
		return nil, &InfraError{"record", err}
	}
	if b.opts.Committed {
		if b.before, err = snapshot(b.dir); err != nil {
			return nil, &InfraError{"record", err}
		}
	}
	env := []string{"PATH=" + bin + ":" + os.Getenv("PATH"), "HOME=" + home, "LANG=C.UTF-8", "LC_ALL=C.UTF-8",
		"TERM=dumb", "CCACHE_DISABLE=1", callsVariable + "=" + log}
	began := time.Now()
	res, err := b.runBuild(ctx, mb.Command, env)
	if err != nil {
		return nil, err
	}
	if res.ExitCode != 0 {
		return nil, b.commandFault(mb.Command, res)
	}
	rec, err := readRecord(log)
	if err != nil {
		return nil, &InfraError{"record", err}
	}
	objects := false
	rec.Described, objects = description(b.dir, mb.Command, began)
	if b.isPart(rec, mb.Command, objects) {
		if err = os.RemoveAll(log); err == nil {
			err = os.MkdirAll(log, 0o755)
		}
		if err != nil {
			return nil, &InfraError{"record", err}
		}
		if res, err = b.runBuild(ctx, mb.Command, append(env, "MAKEFLAGS=B")); err != nil {
			return nil, err
		}
		if all, err := readRecord(log); err == nil && res.ExitCode == 0 && all.compiles() {
			all.Described, _ = description(b.dir, mb.Command, began)
			if err := b.keepRecord(all, mb.Command); err != nil {
				return nil, &InfraError{"record", err}
			}
			return all, nil
		}
	}
	if err := b.mergeRecord(rec, mb.Command); err != nil {
		return nil, &InfraError{"record", err}
	}
	return rec, nil
}

// runBuild runs the build's command in its folder.
func (b *builder) runBuild(ctx context.Context, command string, env []string) (Result, error) {
	runner := b.opts.Runner
	if runner == nil {
		runner = Direct{}
	}
	res, err := runner.Run(ctx, Cmd{Argv: []string{"/bin/sh", "-c", command}, Dir: b.dir,
		Write: []string{b.dir, b.opts.WorkDir}, Env: env})
	if err != nil {
		return res, &InfraError{"record", err}
	}
	return res, nil
}

// compiles reports whether a file is compiled.
func (r *Recording) compiles() bool {
	return slices.ContainsFunc(r.Calls, func(c Call) bool { return len(c.sources()) > 0 })
}

// sources lists the files that a call compiles, with their whole paths.
func (c Call) sources() []string {
	t, err := translate(c.Dir, append([]string{c.Tool}, c.Args...))
	if err != nil || c.isProbe() {
		return nil
	}
	var out []string
	for _, f := range t.files {
		if isObject(f) {
			continue
		}
		if !filepath.IsAbs(f) {
			f = filepath.Join(c.Dir, f)
		}
		out = append(out, f)
	}
	return out
}

func isObject(f string) bool {
	switch filepath.Ext(f) {
	case ".o", ".a", ".so", ".ld", ".lds", ".obj", ".lo":
		return true
	}
	return false
}

// fromCommand takes the units from a recording.
func (b *builder) fromCommand(ctx context.Context, mb manifest.Build) error {
	rec := b.opts.Recording
	if rec == nil {
		var err error
		if rec, err = b.record(ctx, mb); err != nil {
			return err
		}
	}
	for _, m := range rec.Missing {
		b.note("%s is not installed: the build's own outputs are empty files", m)
	}
	if rec.Old > 0 {
		why := "which had nothing to do now"
		if rec.Changed {
			why = "and the files that describe the build have changed since: build it anew, so that it is known what it compiles"
		}
		b.note("%s from an earlier run of the build, %s", calls(rec.Old), why)
	}
	return b.replay(mb, rec.Calls)
}

// callsVariable is the environment variable that tells the stand-ins where to write calls down.
const callsVariable = "FIRMPROOF_CALLS"

// writeWrappers returns the folder of the stand-ins for compilers, and an empty one for their records. What configures
// a build (CMake, configure) keeps the paths of the compilers that it finds in the build's folder, for later runs and
// for the user's own: therefore the stand-ins are kept, and only call the compiler where nobody records.
func (b *builder) writeWrappers() (bin, log string, err error) {
	work := filepath.Join(b.opts.WorkDir, "wrap")
	if err := os.RemoveAll(work); err != nil {
		return "", "", err
	}
	bin, log = filepath.Join(work, "bin"), filepath.Join(work, "log")
	if err := os.MkdirAll(log, 0o755); err != nil {
		return "", "", err
	}
	if _, here := b.opts.Runner.(Direct); (here || b.opts.Runner == nil) && b.opts.CacheDir != "" {
		cache, err := filepath.Abs(b.opts.CacheDir)
		if err != nil {
			return "", "", err
		}
		sum := sha256.Sum256([]byte(wrapperScript + strings.Join(wrapped(), " ")))
		bin = filepath.Join(cache, fmt.Sprintf("compilers-%x", sum[:6]))
	}
	return bin, log, standIns(bin)
}

// standIns writes the stand-ins for compilers into a folder that has them already or none.
func standIns(bin string) error {
	if _, err := os.Stat(bin); err == nil {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(bin), 0o755); err != nil {
		return err
	}
	dir, err := os.MkdirTemp(filepath.Dir(bin), "compilers-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	quoted := "'" + strings.ReplaceAll(bin, "'", `'\''`) + "'"
	first := filepath.Join(dir, "gcc")
	if err := os.WriteFile(first, []byte(strings.ReplaceAll(wrapperScript, "@DIR@", quoted)), 0o755); err != nil {
		return err
	}
	for _, name := range wrapped() {
		if name == "gcc" {
			continue
		}
		if err := os.Link(first, filepath.Join(dir, name)); err != nil {
			return err
		}
	}
	if err := os.Chmod(dir, 0o755); err != nil {
		return err
	}
	if err := os.Rename(dir, bin); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return nil
}

func (b *builder) commandFault(command string, res Result) error {
	out := append(append([]byte(nil), res.Stderr...), res.Stdout...)
	diags, _ := parseDiagnostics(out)
	where := diags[:0]
	for _, d := range diags {
		if d.File != "" {
			d.File = b.display(b.dir, d.File)
			where = append(where, d)
		}
	}
	if len(where) == 0 {
		last := tail(res.Stderr, 5)
		if strings.TrimSpace(last) == "" {
			last = tail(res.Stdout, 5)
		}
		where = []Diagnostic{{Message: fmt.Sprintf("build command `%s`: exit status %d: %s", command, res.ExitCode,
			last)}}
	}
	return &BuildError{Stage: "command", Target: b.img.Target.Name, Diagnostics: where}
}

// What a build may record: whatever it starts can write records of its own.
const (
	maxCalls     = 20_000
	maxCall      = 4 << 20 // bytes of one
	maxCallBytes = 256 << 20
)

// calls counts compiler calls in words, with the verb.
func calls(n int) string {
	if n == 1 {
		return "1 compiler call is"
	}
	return fmt.Sprintf("%d compiler calls are", n)
}

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/spf13/cobra"

	"github.com/firmproof/firmproof/bot"
	"github.com/firmproof/firmproof/pipeline/manifest"
	"github.com/firmproof/firmproof/pipeline/sandbox"
	"github.com/firmproof/firmproof/targets"
	"github.com/firmproof/firmproof/targets/llvm"
	"github.com/firmproof/firmproof/verifier/solve/sat"
)

// health is how a line of doctor came out.
type health int

const (
	healthInvalid health = iota
	healthOK
	healthMinor // something is missing that not everybody needs
	healthBad   // something does not work without it
)

// doctor collects lines about this machine.
type doctor struct {
	ctx  context.Context
	out  io.Writer
	look func(string) (string, error) // exec.LookPath
	find func() (llvm.Tools, error)   // llvm.Find
	bad  int

	needed, optional []string // Debian packages that are missing
}

func doctorCommand() *cobra.Command {
	var c bot.Config
	var fix fixer
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Check toolchain, sandbox, solvers, database and credentials; say what to install",
		Example: `  firmproof doctor
  firmproof doctor --fix`,
		Long: `Looks at this machine and says for each part whether it works and, if not, what to install or do. Changes nothing
but with --fix, which installs what is missing of Debian's packages: it shows the command, and asks before it runs it.
In a project, the headers of the targets of its manifest are needed.

Marks: ok; -- missing, but not everybody needs it; !! has to be mended.
Exit status: 0 everything that is needed works; 2 something has to be mended.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := fillFlags(cmd.Flags(), os.Getenv("FIRMPROOF_CONFIG")); err != nil {
				return err
			}
			if err := fix.check(); err != nil {
				return err
			}
			d := &doctor{ctx: cmd.Context(), out: cmd.OutOrStdout(), look: exec.LookPath, find: llvm.Find}
			err := d.run(c)
			if !fix.fix {
				return err
			}
			fix.in, fix.errs, fix.look, fix.uid = cmd.InOrStdin(), cmd.ErrOrStderr(), exec.LookPath, os.Getuid()
			if changed, ferr := fix.run(d); ferr != nil || !changed {
				return errors.Join(ferr, err)
			}
			fmt.Fprintln(d.out, "\nOnce more:")
			return (&doctor{ctx: d.ctx, out: d.out, look: d.look, find: d.find}).run(c)
		},
	}
	f := cmd.Flags()
	f.BoolVar(&fix.fix, "fix", false, "install the Debian packages that are needed and missing, after a question")
	f.BoolVar(&fix.yes, "yes", false, "with --fix: do not ask")
	f.BoolVar(&fix.all, "all", false, "with --fix: also the packages that not everybody needs")
	f.StringVar(&c.Data, "data", "firmproof-data", "`folder` of `serve`, where the database lies")
	f.StringVar(&c.DB, "db", "", "`database` of `serve`: sqlite:PATH or postgres://...")
	f.StringVar(&c.GitHubURL, "github-url", "", "`URL` of GitHub's REST API (default https://api.github.com)")
	f.Int64Var(&c.AppID, "app-id", 0, "`number` of the GitHub App: check its credentials, too")
	f.StringSliceVar(&c.PrivateKeys, "private-key", nil, "PEM `file` of the App's private key (repeatable)")
	f.StringSliceVar(&c.SecretFiles, "webhook-secret-file", nil, "`file` with a webhook secret (repeatable)")
	return cmd
}

func (d *doctor) run(c bot.Config) error {
	d.toolchain()
	d.headers()
	d.emulators()
	d.sandbox()
	d.solvers()
	d.database(c)
	if c.AppID != 0 || len(c.PrivateKeys) > 0 || len(c.SecretFiles) > 0 {
		for _, f := range bot.Probe(d.ctx, c) {
			d.finding(f)
		}
	}
	if d.bad > 0 {
		fmt.Fprintf(d.out, "\n%d to mend.\n", d.bad)
		return &exitError{code: exitUsage}
	}
	fmt.Fprintln(d.out, "\nEverything that is needed works.")
	return nil
}

// line prints one answer.
func (d *doctor) line(h health, what, detail, remedy string) {
	mark := map[health]string{healthOK: "ok", healthMinor: "--", healthBad: "!!"}[h]
	fmt.Fprintf(d.out, "%s  %-22s %s\n", mark, what, detail)
	if h == healthBad {
		d.bad++
	}
	if remedy != "" && h != healthOK {
		fmt.Fprintf(d.out, "    %-22s %s\n", "", remedy)
	}
}

// lack prints that Debian's packages are missing.
func (d *doctor) lack(h health, what, detail string, packages ...string) {
	list := &d.optional
	if h == healthBad {
		list = &d.needed
	}
	for _, p := range packages {
		if !slices.Contains(*list, p) {
			*list = append(*list, p)
		}
	}
	d.line(h, what, detail, "apt-get install "+strings.Join(packages, " "))
}

func (d *doctor) finding(f bot.Finding) {
	h := healthOK
	if !f.OK {
		h = healthBad
	}
	d.line(h, f.What, f.Detail, f.Remedy)
}

var versionPattern = regexp.MustCompile(`\d+\.\d+(\.\d+)?`)

// version asks a program for its version.
func (d *doctor) version(path string) (string, error) {
	ctx, cancel := context.WithTimeout(d.ctx, 20*time.Second)
	defer cancel()
	out, err := exec.CommandContext(ctx, path, "--version").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("%s --version: %w", path, err)
	}
	v := versionPattern.FindString(string(out))
	if v == "" {
		return "", fmt.Errorf("%s --version says no version", path)
	}
	return v, nil
}

// program checks that a program is there and runs, in a version that starts with want.
func (d *doctor) program(missing health, name, want string, packages ...string) {
	path, err := d.look(name)
	if err != nil {
		d.lack(missing, name, "not found on PATH", packages...)
		return
	}
	v, err := d.version(path)
	switch {
	case err != nil:
		d.line(missing, name, err.Error(), "apt-get install --reinstall "+strings.Join(packages, " "))
	case !strings.HasPrefix(v, want):
		d.lack(missing, name, fmt.Sprintf("%s is version %s, want %s", path, v, want), packages...)
	default:
		d.line(healthOK, name, v+"  "+path, "")
	}
}

func (d *doctor) toolchain() {
	t, err := d.llvm()
	if err != nil {
		d.line(healthBad, "LLVM", err.Error(), "")
	}
	want, packages := fmt.Sprintf("%d.", t.Version), strings.Fields(t.Packages())
	d.program(healthBad, t.Clang, want, packages[0])
	for _, tool := range []string{t.Link, t.As, t.Dis, t.Opt} {
		d.program(healthBad, tool, want, packages[1])
	}
	d.program(healthBad, "git", "", "git")
}

// llvm returns the tools that are looked at: those in use, or those to install where there are none.
func (d *doctor) llvm() (llvm.Tools, error) {
	t, err := d.find()
	if err != nil {
		return llvm.Installable(d.ctx), err
	}
	return t, nil
}

// headers looks for the C library of each target: without it only sources that
// need no library compile for the target. Those of the project at hand are needed.
func (d *doctor) headers() {
	own := projectTargets()
	var packages []string
	missing := map[string][]string{}
	var have []string
	for _, n := range targets.Names() {
		t, err := targets.Load(n)
		if err != nil {
			d.line(healthBad, "target "+n, err.Error(), "name a target with --target")
			continue
		}
		if _, ok := t.HeaderDirs(); ok {
			have = append(have, n)
			continue
		}
		if !slices.Contains(packages, t.Package) {
			packages = append(packages, t.Package)
		}
		missing[t.Package] = append(missing[t.Package], n)
	}
	d.line(healthOK, "headers", fmt.Sprintf("%d targets: %s", len(have), strings.Join(have, " ")), "")
	for _, p := range packages {
		h := healthMinor
		if slices.ContainsFunc(missing[p], func(n string) bool { return n == "host" || slices.Contains(own, n) }) {
			h = healthBad
		}
		d.lack(h, "headers", "none for "+strings.Join(missing[p], ", "), strings.Fields(p)...)
	}
}

// projectTargets returns the names of the targets of the manifest at hand; none where there is no manifest, or one that
// cannot be read.
func projectTargets() []string {
	dir, err := manifest.Above(".")
	if err != nil {
		return nil
	}
	m, err := manifest.Read(dir)
	if err != nil {
		return nil
	}
	var out []string
	for _, t := range m.Targets {
		out = append(out, t.Name)
	}
	return out
}

// emulators looks for what `replay` needs.
func (d *doctor) emulators() {
	t, _ := d.llvm() // tools has told what is missing
	if found, err := filepath.Glob(fmt.Sprintf("/usr/lib/llvm-%d/lib/clang/%[1]d*/lib/linux/libclang_rt.asan*",
		t.Version)); err != nil || len(found) == 0 {
		d.lack(healthMinor, "sanitizers", fmt.Sprintf("none for %s: no `replay` on this machine", t.Clang),
			fmt.Sprintf("libclang-rt-%d-dev", t.Version))
	} else {
		d.line(healthOK, "sanitizers", filepath.Dir(found[0]), "")
	}
	d.program(healthMinor, "arm-none-eabi-gcc", "", "gcc-arm-none-eabi", "libnewlib-arm-none-eabi")
	d.program(healthMinor, "qemu-system-arm", "", "qemu-system-arm")
}

func (d *doctor) sandbox() {
	self, err := os.Executable()
	if err != nil {
		d.line(healthBad, "sandbox", err.Error(), "")
		return
	}
	dir, err := os.MkdirTemp("", "firmproof-doctor-")
	if err != nil {
		d.line(healthBad, "sandbox", err.Error(), "make room in "+os.TempDir())
		return
	}
	defer os.RemoveAll(dir)
	box, err := sandbox.New(d.ctx, sandbox.BestEffort, self, filepath.Join(dir, "bin"))
	if err != nil {
		d.line(healthBad, "sandbox", err.Error(), "run firmproof where programs may be started from "+os.TempDir())
		return
	}
	defer box.Close()
	for _, l := range box.Layers() {
		h := healthOK
		if !l.Active {
			h = healthMinor
		}
		if lacksBubblewrap(l) {
			d.optional = append(d.optional, "bubblewrap")
		}
		d.line(h, "sandbox "+l.Name, l.Detail, sandboxRemedy(l))
	}
}

// lacksBubblewrap reports whether bubblewrap is not installed: where it is, the kernel keeps it from working.
func lacksBubblewrap(l sandbox.Layer) bool {
	return l.Name == "bubblewrap" && !l.Active && !strings.Contains(l.Detail, "namespace")
}

// sandboxRemedy says what brings a layer back.
func sandboxRemedy(l sandbox.Layer) string {
	const until = "; until then `serve` wants --sandbox best-effort, and builds no forks"
	switch l.Name {
	case "bubblewrap":
		if lacksBubblewrap(l) {
			return "apt-get install bubblewrap" + until
		}
		if os.Getuid() == 0 {
			return "let this container make namespaces (--privileged), or hand jobs to another sandbox with --sandbox-command" + until
		}
		return "allow user namespaces (sysctl kernel.unprivileged_userns_clone=1, user.max_user_namespaces above 0, on Ubuntu kernel.apparmor_restrict_unprivileged_userns=0), or hand jobs to another sandbox with --sandbox-command" + until
	case "landlock", "seccomp":
		return "use a kernel with it (Linux 5.13 or newer); until then `serve` wants --sandbox best-effort"
	case "cgroup":
		return "run `serve` as a systemd service with Delegate=yes; until then it wants --sandbox best-effort, and memory is watched"
	case "user":
		return "make bubblewrap work (above), or run as root where there are other users: until then jobs can end each other, and this process, where the kernel is older than 6.12"
	}
	return ""
}

func (d *doctor) solvers() {
	s := sat.New(sat.Options{})
	defer s.Close()
	a, b := s.NewVar(), s.NewVar()
	s.Add(a, b)
	s.Assume(-a)
	if r, err := s.Solve(d.ctx); err != nil || r != sat.Sat || !s.Val(b) {
		d.line(healthBad, "cadical", fmt.Sprintf("linked, but gives a wrong answer: %v %v", r, err),
			"build firmproof anew (make build)")
	} else {
		d.line(healthOK, "cadical", "linked, answers", "")
	}
	for _, p := range []string{"z3", "cvc5"} {
		d.program(healthMinor, p, "", p)
	}
	if path, err := d.look("bitwuzla"); err == nil {
		d.line(healthOK, "bitwuzla", path, "")
	} else {
		d.line(healthMinor, "bitwuzla", "not found on PATH",
			"only for --solver bitwuzla; Debian 12 has no package of it")
	}
}

// database checks that `serve` could keep its data.
func (d *doctor) database(c bot.Config) {
	if err := writable(c.Data); err != nil {
		d.line(healthBad, "data folder", err.Error(), "give another --data, or the rights to write there")
	} else {
		d.line(healthOK, "data folder", c.Data+" can be written", "")
	}
	switch {
	case strings.HasPrefix(c.DB, "postgres://"), strings.HasPrefix(c.DB, "postgresql://"):
		ctx, cancel := context.WithTimeout(d.ctx, 10*time.Second)
		defer cancel()
		conn, err := pgx.Connect(ctx, c.DB)
		if err != nil {
			d.line(healthBad, "database", "PostgreSQL: "+err.Error(), "start it, or mend --db")
			return
		}
		var v string
		err = conn.QueryRow(ctx, "show server_version").Scan(&v)
		if cerr := conn.Close(ctx); err == nil {
			err = cerr
		}
		if err != nil {
			d.line(healthBad, "database", "PostgreSQL: "+err.Error(), "look at the log of the database")
			return
		}
		d.line(healthOK, "database", "PostgreSQL "+v, "")
	case strings.HasPrefix(c.DB, "sqlite:"):
		name := strings.TrimPrefix(c.DB, "sqlite:")
		if err := writable(filepath.Dir(name)); err != nil {
			d.line(healthBad, "database", err.Error(), "give another --db, or the rights to write there")
			return
		}
		d.line(healthOK, "database", "SQLite, "+name, "")
	case c.DB != "":
		d.line(healthBad, "database", fmt.Sprintf("--db %q", c.DB), "want sqlite:PATH or postgres://...")
	}
}

// writable tries to write into dir, or where dir would be made.
func writable(dir string) error {
	d := filepath.Clean(dir)
	for {
		st, err := os.Stat(d)
		if err == nil && !st.IsDir() {
			return fmt.Errorf("%s is no folder", d)
		}
		if err == nil {
			break
		}
		if !os.IsNotExist(err) || d == filepath.Dir(d) {
			return err
		}
		d = filepath.Dir(d)
	}
	f, err := os.CreateTemp(d, ".firmproof-*")
	if err != nil {
		return err
	}
	name := f.Name()
	if err := f.Close(); err != nil {
		return err
	}
	return os.Remove(name)
}

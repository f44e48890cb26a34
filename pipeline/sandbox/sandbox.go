// Package sandbox runs other people's code: builds of pull requests, and our own
// analysis of what they built. It joins what one Linux machine offers without a
// daemon or set-uid program:
//
//	bubblewrap  own mounts (only /usr and the named folders), pids, network, ipc; nested user namespaces refused
//	uid         root becomes an unprivileged user for good; a uid mapped in a user namespace would still be root outside
//	rlimits     cpu time, file size, data, processes, open files, no core dumps
//	landlock    files and TCP once more, by the kernel's own rules; signals stay inside
//	seccomp     no ptrace, bpf, io_uring, namespaces, mounts, keys; no other system-call ABI
//	watch       memory and disk of the whole tree, and its end
//
// The last four are set up in a second stage: our own binary, called as
// `firmproof sandbox-init SPEC -- COMMAND...` inside (see Init).
package sandbox

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	seccomp "github.com/elastic/go-seccomp-bpf"
)

// Mode says what to do when a layer is missing.
type Mode string

// The modes.
const (
	Required   Mode = "required"    // refuse to run anything without bubblewrap, landlock or seccomp
	BestEffort Mode = "best-effort" // use what there is
	Off        Mode = "off"         // only a process group, for code that is trusted
)

// ParseMode reads a mode.
func ParseMode(s string) (Mode, error) {
	switch m := Mode(s); m {
	case Required, BestEffort, Off:
		return m, nil
	}
	return "", fmt.Errorf("sandbox %q: want required, best-effort or off", s)
}

// InitCommand is the hidden subcommand of the second stage.
const InitCommand = "sandbox-init"

// Limits bound one run. Zero fields are not limited.
type Limits struct {
	CPU     time.Duration // of one process
	Memory  int64         // bytes, of the whole tree
	Disk    int64         // bytes that the writable folders may grow by
	File    int64         // bytes of one file
	Scratch int64         // bytes of /tmp
	Procs   int           // processes and threads
	Files   int           // open files of one process
}

// DefaultLimits suit a build and an analysis on a small server.
func DefaultLimits() Limits {
	return Limits{CPU: 2 * time.Hour, Memory: 4 << 30, Disk: 4 << 30, File: 2 << 30, Scratch: 1 << 30, Procs: 512,
		Files: 4096}
}

// Spec is one run.
type Spec struct {
	Argv   []string
	Dir    string
	Env    []string // complete; nil: a minimal one
	Write  []string // folders it may write to; given to the sandbox's user when we are root
	Read   []string // further folders that it may read
	Limits Limits
	Stdout io.Writer
	Stderr io.Writer
}

// Exit is how a run ended.
type Exit struct {
	Code     int    // exit status; 128 + signal number
	Killed   string // "memory" or "disk" when a limit of the tree ended it
	Duration time.Duration
	Peak     int64 // highest memory of the tree that was seen, in bytes
}

// Layer is one line of the report on this machine.
type Layer struct {
	Name   string
	Active bool
	Detail string
}

// Sandbox runs commands under one mode.
type Sandbox struct {
	mode    Mode
	program string // a copy of our binary that the sandbox's user can reach
	bwrap   string // path, or empty
	drop    bool   // we are root: the command runs as nobody
	abi     int    // of landlock
	layers  []Layer
}

// nobody is the user that root becomes.
const nobody = 65534

// New finds out what this machine offers. program is our own executable; a copy
// is kept in dir.
func New(ctx context.Context, mode Mode, program, dir string) (*Sandbox, error) {
	s := &Sandbox{mode: mode}
	if mode == Off {
		s.layers = []Layer{{"sandbox", false, "switched off"}}
		return s, nil
	}
	if err := s.install(program, dir); err != nil {
		return nil, fmt.Errorf("sandbox: %w", err)
	}
	s.abi = landlockABI()
	why := "found, but a trial failed: "
	if path, err := exec.LookPath("bwrap"); err != nil {
		why = "not installed (Debian package bubblewrap)"
	} else {
		s.bwrap, s.drop = path, os.Getuid() == 0
		if err := s.trial(ctx, dir); err != nil {
			// without mounts of its own, nobody must be able to reach the folder as it is
			s.bwrap, s.drop = "", s.drop && Reachable(dir)
			why += err.Error()
		} else {
			why = path
		}
	}
	s.describe(why)
	if mode == Required {
		for _, l := range s.layers {
			if !l.Active && (l.Name == "bubblewrap" || l.Name == "landlock" || l.Name == "seccomp") {
				return nil, fmt.Errorf("sandbox: %s is required: %s", l.Name, l.Detail)
			}
		}
	}
	return s, nil
}

// install keeps a copy of the program under a name that says its content.
func (s *Sandbox) install(program, dir string) error {
	if err := errors.Join(os.MkdirAll(dir, 0o755), os.Chmod(dir, 0o755)); err != nil {
		return err
	}
	in, err := os.Open(program)
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }()
	out, err := os.CreateTemp(dir, "new-*")
	if err != nil {
		return err
	}
	h := sha256.New()
	_, err = io.Copy(io.MultiWriter(out, h), in)
	if err = errors.Join(err, out.Chmod(0o755), out.Close()); err != nil {
		return errors.Join(err, os.Remove(out.Name()))
	}
	s.program = filepath.Join(dir, "firmproof-"+hex.EncodeToString(h.Sum(nil)[:8]))
	return os.Rename(out.Name(), s.program)
}

// Program returns the copy of our binary that runs inside.
func (s *Sandbox) Program() string { return s.program }

// Reachable reports whether every user may pass to dir.
func Reachable(dir string) bool {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return false
	}
	for d := abs; d != "/"; d = filepath.Dir(d) {
		if st, err := os.Stat(d); err != nil || st.Mode().Perm()&0o001 == 0 {
			return false
		}
	}
	return true
}

// trial runs a command in the full sandbox.
func (s *Sandbox) trial(ctx context.Context, dir string) error {
	work, err := os.MkdirTemp(dir, "trial-*")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(work) }()
	var out strings.Builder
	exit, err := s.Run(ctx, Spec{Argv: []string{"/bin/sh", "-c", "echo inside"}, Dir: work, Write: []string{work},
		Limits: DefaultLimits(), Stdout: &out, Stderr: &out})
	if err != nil {
		return err
	}
	if exit.Code != 0 || out.String() != "inside\n" {
		return fmt.Errorf("status %d: %s", exit.Code, strings.TrimSpace(out.String()))
	}
	return nil
}

func (s *Sandbox) describe(bwrap string) {
	uid := Layer{"uid", true, fmt.Sprintf("runs as user %d", nobody)}
	switch {
	case os.Getuid() != 0:
		uid.Detail = "runs as this user, without capabilities"
	case !s.drop:
		uid.Active, uid.Detail = false, "runs as root: other users cannot pass to the data folder"
	}
	ll := Layer{"landlock", s.abi > 0, fmt.Sprintf("ABI %d", s.abi)}
	if s.abi <= 0 {
		ll.Detail = "the kernel has none"
	}
	sc := Layer{"seccomp", seccomp.Supported(), "system calls filtered"}
	if !sc.Active {
		sc.Detail = "the kernel has none"
	}
	cg := Layer{"cgroup", false, "no writable cgroup v2 with a memory controller; memory is watched instead"}
	if g := cgroupParent(); g != "" {
		cg = Layer{"cgroup", true, g}
	}
	s.layers = []Layer{{"bubblewrap", s.bwrap != "", bwrap}, uid,
		{"rlimits", true, "cpu, file size, data, processes, open files"}, ll, sc, cg,
		{"watch", true, "memory and disk of the tree"}}
}

// Layers reports what holds a run on this machine, for `doctor`.
func (s *Sandbox) Layers() []Layer { return append([]Layer(nil), s.layers...) }

// String names the active layers.
func (s *Sandbox) String() string {
	var on []string
	for _, l := range s.layers {
		if l.Active {
			on = append(on, l.Name)
		}
	}
	if len(on) == 0 {
		return "none"
	}
	return strings.Join(on, ", ")
}

// Contained reports whether strangers' builds may run: in namespaces of their own.
func (s *Sandbox) Contained() bool { return s.bwrap != "" }

// Package sandbox runs other people's code: builds of pull requests, and our own
// analysis of what they built. It joins what one Linux machine offers without a
// daemon or set-uid program:
//
//	bubblewrap  own mounts (only /usr and the named folders), pids, network, ipc; nested user namespaces refused
//	user        each job has a user id of its own; root and every capability are given away for good
//	cgroup      memory and processes of a job, held by the kernel: delegated, or a scope of systemd, or of v1
//	rlimits     cpu time, file size, data, processes, open files, no core dumps
//	landlock    files and TCP once more, by the kernel's own rules; signals stay inside
//	seccomp     no ptrace, bpf, io_uring, namespaces, mounts, keys, memory without a process; no other system-call ABI
//	watch       disk of the whole tree, its memory where there is no cgroup, and its end
//
// Most of it is set up in a second stage: our own binary, called as
// `firmproof sandbox-init SPEC -- COMMAND...` inside (see Init). In the place of bubblewrap
// a sandbox of the user's choice may stand (Sandbox.outer): a micro-VM, gVisor.
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
	// refuse to run anything without bubblewrap, a user per job, cgroup, landlock or seccomp
	Required   Mode = "required"
	BestEffort Mode = "best-effort" // use what there is; never as root, where there is another user
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
	Inodes  int64         // files that the writable folders may grow by
	Depth   int           // folders within each other in a writable folder
}

// DefaultLimits suit a build and an analysis on a small server.
func DefaultLimits() Limits {
	return Limits{CPU: 2 * time.Hour, Memory: 4 << 30, Disk: 4 << 30, File: 2 << 30, Scratch: 1 << 30, Procs: 512,
		Files: 4096, Inodes: 500_000, Depth: 200}
}

// Spec is one run.
type Spec struct {
	Argv   []string
	Dir    string
	Env    []string // complete; nil: a minimal one
	Write  []string // folders it may write to; given to the sandbox's user when we are root
	Read   []string // further folders that it may read
	Limits Limits
	// it may use the network, where the kernel can tell: TCP to Port alone
	Network bool
	Port    uint16
	Stdout  io.Writer
	Stderr  io.Writer
}

// Exit is how a run ended.
type Exit struct {
	Code     int    // exit status; 128 + signal number
	Killed   string // "memory", "disk", "files", "open files" or "nested folders" when a limit of the tree ended it
	Duration time.Duration
	Peak     int64 // highest memory of the tree that was seen, in bytes
	Threads  int   // most processes and threads that were seen
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
	program string   // a copy of our binary that the sandbox's user can reach
	bwrap   string   // path, or empty
	outer   []string // command of the sandbox that stands in the place of bubblewrap
	users   *users   // we are root: each job is another user; nil: jobs are what we are
	groups  *groups  // nil: memory is watched
	abi     int      // of landlock
	layers  []Layer
}

// New finds out what this machine offers. program is our own executable; a copy
// is kept in dir. outer is the command of another sandbox to run jobs in (see
// Sandbox.outerArgs), if there is one.
func New(ctx context.Context, mode Mode, program, dir string, outer ...string) (*Sandbox, error) {
	s := &Sandbox{mode: mode, outer: outer}
	if os.Getuid() == 0 {
		s.users = newUsers()
	}
	if mode == Off {
		s.switchedOff(dir)
		return s, nil
	}
	if err := s.install(program, dir); err != nil {
		return nil, fmt.Errorf("sandbox: %w", err)
	}
	s.abi = landlockABI()
	why := ""
	if s.groups, why = findGroups(cgroupRoot, cgroupSelf); s.groups == nil {
		var more string
		if s.groups, more = scope(); s.groups == nil {
			why += "; " + more
		}
	}
	if s.groups != nil {
		s.groups.sweep()
	}
	box, err := s.surround(ctx, dir)
	if err != nil {
		return nil, err
	}
	s.describe(box, why)
	return s, s.enough()
}

// switchedOff describes the mode Off: jobs get a user of their own if that can be had,
// and nothing else.
func (s *Sandbox) switchedOff(dir string) {
	as := "as another user each"
	if s.users == nil || !Reachable(dir) {
		s.users, as = nil, fmt.Sprintf("as user %d, with all that it may do", os.Getuid())
	}
	s.layers = []Layer{{"sandbox", false, "switched off: what pull requests bring runs " + as}}
}

// surround tries the sandbox around the second stage, and returns what there is to say
// about it. Without mounts of its own a job has to reach its folder as it is.
func (s *Sandbox) surround(ctx context.Context, dir string) (string, error) {
	if len(s.outer) > 0 {
		if err := s.trial(ctx, dir); err != nil {
			return "", fmt.Errorf("sandbox: a trial of --sandbox-command failed: %w", err)
		}
		return "jobs are handed to " + s.outer[0], nil
	}
	path, err := exec.LookPath("bwrap")
	why := "not installed (Debian package bubblewrap)"
	if err == nil {
		s.bwrap = path
		if err = s.trial(ctx, dir); err == nil {
			return path, nil
		}
		s.bwrap, why = "", "found, but a trial failed: "+err.Error()
	}
	if s.users != nil && s.mode == BestEffort {
		if err := passable(dir); err != nil {
			return "", fmt.Errorf("sandbox: bubblewrap: %s; without it %w", why, err)
		}
	}
	return why, nil
}

// passable lets every user pass to dir, through the folder above it, which is ours too.
func passable(dir string) error {
	above := filepath.Dir(dir)
	if home, err := os.UserHomeDir(); (err != nil || home != above) && ownerOf(above) == os.Getuid() {
		if st, err := os.Stat(above); err == nil && st.Mode()&0o001 == 0 {
			_ = os.Chmod(above, st.Mode()|0o011) // what it did not do is told below
		}
	}
	if Reachable(dir) {
		return nil
	}
	return fmt.Errorf("jobs would have to run as root: other users cannot pass to %s. Put the data where they can "+
		"(every folder above it with mode o+x), or do not start as root", dir)
}

// enough returns what the mode Required lacks.
func (s *Sandbox) enough() error {
	if s.mode != Required {
		return nil
	}
	for _, l := range s.layers {
		inside := l.Name == "landlock" || l.Name == "seccomp" || l.Name == "cgroup" || l.Name == "bubblewrap" ||
			l.Name == "user"
		if !l.Active && inside && len(s.outer) == 0 {
			return fmt.Errorf("sandbox: %s is required: %s (see `firmproof doctor`; --sandbox best-effort does "+
				"without)", l.Name, l.Detail)
		}
	}
	return nil
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

// Folder makes a folder that jobs can pass through, when they are given one below it, and that no other user of the
// machine can enter.
func (s *Sandbox) Folder(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil || s.users == nil { // jobs are what we are
		return errors.Join(err, os.Chmod(dir, 0o700))
	}
	return errors.Join(os.Chown(dir, os.Getuid(), s.users.group), os.Chmod(dir, 0o710))
}

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

// describe says what holds a job on this machine, and what does not.
func (s *Sandbox) describe(box, noGroup string) {
	ll := Layer{"landlock", s.abi > 0, fmt.Sprintf("ABI %d", s.abi)}
	if s.abi <= 0 {
		ll.Detail = "the kernel has none"
	}
	sc := Layer{"seccomp", seccomp.Supported(), "system calls filtered"}
	if !sc.Active {
		sc.Detail = "the kernel has none"
	}
	cg := Layer{"cgroup", s.groups != nil, ""}
	if s.groups == nil {
		cg.Detail = noGroup + "; memory is watched instead, ten times a second"
	} else {
		cg.Detail = "a group for each job below " + s.groups.dir
	}
	first := Layer{"bubblewrap", s.bwrap != "", box}
	if len(s.outer) > 0 {
		first = Layer{"sandbox-command", true, box}
	}
	watch := "disk and end of the tree"
	if s.groups == nil {
		watch = "memory, " + watch
	}
	s.layers = []Layer{first, s.userLayer(), {"rlimits", true, "cpu, file size, data, processes, open files"}, ll, sc,
		cg, {"watch", true, watch}}
}

// userLayer says whose rights a job has.
func (s *Sandbox) userLayer() Layer {
	switch {
	case s.users != nil:
		return Layer{"user", true, fmt.Sprintf("a user for each job, between %d and %d, without capabilities",
			s.users.first, s.users.last)}
	case os.Getuid() == 0:
		return Layer{"user", false, "jobs run as root, without capabilities: this container has no other user"}
	case s.bwrap != "":
		return Layer{"user", true, "a user namespace for each job, without capabilities"}
	}
	return Layer{"user", false, fmt.Sprintf("every job runs as user %d, like this process", os.Getuid())}
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
func (s *Sandbox) Contained() bool { return s.bwrap != "" || len(s.outer) > 0 }

// Close lets go of what this machine lent.
func (s *Sandbox) Close() {
	if s.groups != nil && s.groups.holder != nil {
		_ = s.groups.holder.Process.Kill() // it ends with this process otherwise
	}
}

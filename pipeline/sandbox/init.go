package sandbox

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"syscall"
	"unsafe"

	"github.com/landlock-lsm/go-landlock/landlock"
	"golang.org/x/sys/unix"
)

// stage2 holds what the second stage is told.
type stage2 struct {
	Dir     string   `json:"dir"`
	Limits  Limits   `json:"limits"`
	Write   []string `json:"write"`
	Read    []string `json:"read"`
	Offline bool     `json:"offline"`
	Port    uint16   `json:"port"`  // that TCP may connect to; 0: any
	User    int      `json:"user"`  // to become; 0: stay
	Group   int      `json:"group"` // that User is in besides its own

	Supervise bool `json:"supervise"`  // run the command as a child and end what it leaves behind
	NoTemp    bool `json:"no_temp"`    // /tmp is not the command's
	NoSockets bool `json:"no_sockets"` // nothing counts what lies unread in local sockets

	Join []string `json:"join,omitempty"` // only: join these cgroups and become the command
}

// Init is the second stage: it takes rights from itself and becomes the command.
// args are SPEC -- COMMAND...; main calls it for the hidden subcommand
// InitCommand before anything else. It returns only on failure, with the exit status 126.
func Init(args []string) int {
	err := enter(args)
	fmt.Fprintln(os.Stderr, "firmproof: sandbox:", err)
	return 126
}

func enter(args []string) error {
	if len(args) < 3 || args[1] != "--" {
		return errors.New("usage: " + InitCommand + " SPEC -- COMMAND ARGUMENT*")
	}
	runtime.LockOSThread() // no_new_privs and exec belong to one thread
	var s stage2
	if err := json.Unmarshal([]byte(args[0]), &s); err != nil {
		return err
	}
	if s.Supervise {
		return supervise(s, args[2:])
	}
	path, err := exec.LookPath(args[2])
	if err != nil {
		return err
	}
	if len(s.Join) > 0 {
		for _, file := range s.Join {
			if err := os.WriteFile(file, []byte("0"), 0o644); err != nil {
				return fmt.Errorf("cgroup: %w", err)
			}
		}
		return unix.Exec(path, args[2:], os.Environ())
	}
	// where memory runs out for the whole machine, a job goes before the server does
	_ = os.WriteFile("/proc/self/oom_score_adj", []byte("1000"), 0o644)
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("no_new_privs: %w", err)
	}
	if err := dropRights(s.User, s.Group); err != nil {
		return err
	}
	if s.Dir != "" {
		if err := os.Chdir(s.Dir); err != nil {
			return err
		}
	}
	if landlockABI() > 0 {
		if err := restrict(s); err != nil {
			return fmt.Errorf("landlock: %w", err)
		}
	}
	if err := filterCalls(s); err != nil {
		return fmt.Errorf("seccomp: %w", err)
	}
	// last: the limits on memory and processes count for this program as well
	if err := setLimits(s.Limits); err != nil {
		return err
	}
	return unix.Exec(path, args[2:], os.Environ())
}

// dropRights gives away what a job has no use for, for good: root, where there is a user
// to become, and every capability, also those that a program could bring back.
func dropRights(user, group int) error {
	for c := 0; c <= unix.CAP_LAST_CAP; c++ {
		// without CAP_SETPCAP there is nothing to drop them with, and nothing that would bring them back
		_ = unix.Prctl(unix.PR_CAPBSET_DROP, uintptr(c), 0, 0, 0)
	}
	if user != 0 {
		if err := errors.Join(syscall.Setgroups([]int{group}), syscall.Setresgid(user, user, user), syscall.Setresuid(user,
			user, user)); err != nil {
			return fmt.Errorf("user %d: %w", user, err)
		}
	}
	none := [2]unix.CapUserData{}
	if err := unix.Capset(&unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}, &none[0]); err != nil {
		return fmt.Errorf("capabilities: %w", err)
	}
	if user != 0 && syscall.Setuid(0) == nil {
		return errors.New("root could be taken back")
	}
	return nil
}

// restrict sets the landlock rules: read and run the system and the named
// folders, write only the writable ones, no TCP, no signals or abstract sockets to outside.
func restrict(s stage2) error {
	read := append([]string{"/usr", "/bin", "/lib", "/lib32", "/lib64", "/libx32", "/sbin", "/etc", "/proc", "/dev"},
		s.Read...)
	write := s.Write
	if !s.NoTemp {
		write = append([]string{"/tmp"}, write...)
	}
	rules := []landlock.Rule{landlock.RODirs(existing(read)...).IgnoreIfMissing(),
		landlock.RWDirs(existing(write)...).WithRefer().IgnoreIfMissing()}
	for _, f := range []string{"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty"} {
		rules = append(rules, landlock.RWFiles(f).IgnoreIfMissing())
	}
	config := landlock.V6.BestEffort()
	if !s.Offline && s.Port == 0 {
		return config.RestrictPaths(rules...)
	}
	if s.Port != 0 { // names may be asked for by TCP, too
		rules = append(rules, landlock.ConnectTCP(s.Port), landlock.ConnectTCP(53))
	}
	return config.Restrict(rules...)
}

func existing(paths []string) []string {
	var out []string
	for _, p := range paths {
		if st, err := os.Stat(p); err == nil && st.IsDir() {
			out = append(out, p)
		}
	}
	return out
}

// landlockABI asks the kernel; 0 if it has none.
func landlockABI() int {
	const versionFlag = 1
	r, _, e := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, versionFlag)
	if e != 0 {
		return 0
	}
	return int(r)
}

func setLimits(l Limits) error {
	set := func(what int, n uint64) error {
		if n == 0 && what != unix.RLIMIT_CORE {
			return nil
		}
		var old unix.Rlimit
		if err := unix.Getrlimit(what, &old); err == nil && old.Max < n {
			n = old.Max
		}
		if err := unix.Setrlimit(what, &unix.Rlimit{Cur: n, Max: n}); err != nil {
			return fmt.Errorf("rlimit %d: %w", what, err)
		}
		return nil
	}
	return errors.Join(set(unix.RLIMIT_CORE, 0), set(unix.RLIMIT_CPU, uint64(l.CPU.Seconds())), set(unix.RLIMIT_FSIZE,
		uint64(l.File)),
		// data and not address space: programs with large reservations (Go, sanitizers) run too
		set(unix.RLIMIT_DATA, uint64(l.Memory)), set(unix.RLIMIT_NOFILE, uint64(l.Files)), set(unix.RLIMIT_NPROC,
			uint64(l.Procs)))
}

// loadFilter gives a seccomp program to the kernel, for all threads.
func loadFilter(raw []unix.SockFilter) error {
	prog := unix.SockFprog{Len: uint16(len(raw)), Filter: &raw[0]}
	const setModeFilter, tsync = 1, 1
	_, _, e := unix.Syscall(unix.SYS_SECCOMP, setModeFilter, tsync, uintptr(unsafe.Pointer(&prog)))
	if e != 0 {
		return e
	}
	return nil
}

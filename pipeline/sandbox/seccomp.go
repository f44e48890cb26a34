package sandbox

import (
	"math"
	"slices"
	"strings"

	seccomp "github.com/elastic/go-seccomp-bpf"
	"github.com/elastic/go-seccomp-bpf/arch"
	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"
)

// allowed returns the system calls that builds and analyses may make. All others fail as if the kernel did not have
// them, also those that later kernels bring: programs then do without. Left out are
//
//   - calls upon other processes (ptrace, process_vm_readv, pidfd_getfd, kcmp, move_pages);
//   - large surfaces of the kernel (bpf, perf_event_open, userfaultfd, io_uring_setup, fanotify_init);
//   - namespaces and mounts (unshare, setns, mount, open_tree_attr, statmount; clone3: libc falls back to clone, whose
//     flags can be looked at);
//   - what is the machine's (keyctl, reboot, init_module, settimeofday, quotactl, personality, iopl);
//   - what holds memory outside of any process, where limits of processes do not count it: files without a name
//     (memfd_create), shared memory and queues (shmget, msgget, mq_open; vmsplice).
func allowed() []string {
	return strings.Fields(`
accept accept4 access alarm arch_prctl bind brk cachestat capget capset chdir chmod chown clock_getres
clock_gettime clock_nanosleep clone close close_range connect copy_file_range creat dup dup2 dup3 epoll_create
epoll_create1 epoll_ctl epoll_pwait epoll_pwait2 epoll_wait eventfd eventfd2 execve execveat exit exit_group
faccessat faccessat2 fadvise64 fallocate fchdir fchmod fchmodat fchmodat2 fchown fchownat fcntl fdatasync
fgetxattr flistxattr flock fork fremovexattr fsetxattr fstat fstatat fstatfs fsync ftruncate futex
futex_requeue futex_wait futex_waitv futex_wake futimesat get_mempolicy get_robust_list getcpu getcwd getdents
getdents64 getegid geteuid getgid getgroups getitimer getpeername getpgid getpgrp getpid getppid getpriority
getrandom getresgid getresuid getrlimit getrusage getsid getsockname getsockopt gettid gettimeofday getuid
getxattr getxattrat inotify_add_watch inotify_init inotify_init1 inotify_rm_watch io_cancel io_destroy
io_getevents io_pgetevents io_setup io_submit ioctl ioprio_get ioprio_set kill landlock_add_rule
landlock_create_ruleset landlock_restrict_self lchown lgetxattr link linkat listen listxattr listxattrat
llistxattr lremovexattr lseek lsetxattr lstat madvise map_shadow_stack mbind membarrier mincore mkdir mkdirat
mknod mknodat mlock mlock2 mlockall mmap mprotect mremap mseal msync munlock munlockall munmap nanosleep
newfstatat open openat openat2 pause pidfd_open pidfd_send_signal pipe pipe2 pkey_alloc pkey_free
pkey_mprotect poll ppoll prctl pread64 preadv preadv2 prlimit64 pselect6 pwrite64 pwritev pwritev2 read
readahead readlink readlinkat readv recvfrom recvmmsg recvmsg remap_file_pages removexattr removexattrat
rename renameat renameat2 restart_syscall rmdir rseq rt_sigaction rt_sigpending rt_sigprocmask rt_sigqueueinfo
rt_sigreturn rt_sigsuspend rt_sigtimedwait rt_tgsigqueueinfo sched_get_priority_max sched_get_priority_min
sched_getaffinity sched_getattr sched_getparam sched_getscheduler sched_rr_get_interval sched_setaffinity
sched_setattr sched_setparam sched_setscheduler sched_yield seccomp select semctl semget semop semtimedop
sendfile sendmmsg sendmsg sendto set_mempolicy set_robust_list set_tid_address setfsgid setfsuid setgid
setgroups setitimer setpgid setpriority setregid setresgid setresuid setreuid setrlimit setsid setsockopt
setuid setxattr setxattrat shutdown sigaltstack signalfd signalfd4 socket socketpair splice stat statfs statx
symlink symlinkat sync sync_file_range sync_file_range2 syncfs sysinfo tee tgkill time timer_create
timer_delete timer_getoverrun timer_gettime timer_settime timerfd_create timerfd_gettime timerfd_settime times
tkill truncate umask uname unlink unlinkat utime utimensat utimes vfork wait4 waitid write writev`)
}

// conditions returns the allowed calls that depend on an argument: no user namespace, no larger buffers of sockets, no
// sockets but local ones, or none of these either. The kernel takes the lower half of these arguments; the upper half
// has to be empty, because the comparison is of the whole.
func conditions(s stage2) []seccomp.NameWithConditions {
	without := func(name string, argument uint32, values ...uint64) seccomp.NameWithConditions {
		c := seccomp.ArgumentConditions{{Argument: argument, Operation: seccomp.LessOrEqual, Value: math.MaxUint32}}
		for _, v := range values {
			c = append(c, seccomp.Condition{Argument: argument, Operation: seccomp.NotEqual, Value: v})
		}
		return seccomp.NameWithConditions{Name: name, Conditions: c}
	}
	var families, pairs []uint64
	if s.NoSockets {
		families, pairs = append(families, unix.AF_UNIX), append(pairs, unix.AF_UNIX)
	}
	if s.Offline {
		families = append(families, unix.AF_INET, unix.AF_INET6, unix.AF_PACKET, unix.AF_NETLINK, unix.AF_VSOCK, unix.AF_ALG)
	}
	return []seccomp.NameWithConditions{
		{Name: "clone", Conditions: seccomp.ArgumentConditions{{Argument: 0, Operation: seccomp.BitsNotSet,
			Value: unix.CLONE_NEWUSER}}},
		without("socket", 0, families...), without("socketpair", 0, pairs...),
		without("setsockopt", 1, unix.SOL_SOCKET),
		without("setsockopt", 2, unix.SO_SNDBUF, unix.SO_SNDBUFFORCE, unix.SO_RCVBUF, unix.SO_RCVBUFFORCE)}
}

// filterCalls installs the filter: all but the allowed calls fail with ENOSYS.
func filterCalls(s stage2) error {
	info, err := arch.GetInfo("")
	if err != nil {
		return err
	}
	limited := conditions(s)
	always := slices.DeleteFunc(allowed(), func(name string) bool {
		_, known := info.SyscallNames[name]
		return !known || slices.ContainsFunc(limited, func(l seccomp.NameWithConditions) bool { return l.Name == name })
	})
	// The library compares what comes behind a condition that fails with an argument instead of the number: conditions
	// come last, and only in groups that allow.
	const other = seccomp.ActionTrap // stands for ENOSYS, which the library takes in groups alone
	policy := seccomp.Policy{DefaultAction: other, Syscalls: []seccomp.SyscallGroup{
		{Names: always, Action: seccomp.ActionAllow}, {NamesWithCondtions: limited, Action: seccomp.ActionAllow}}}
	body, err := policy.Assemble()
	if err != nil {
		return err
	}
	for i, in := range body {
		if r, ok := in.(bpf.RetConstant); ok && r.Val == uint32(other) {
			body[i] = bpf.RetConstant{Val: uint32(seccomp.ActionErrno) | uint32(unix.ENOSYS)}
		}
	}
	// The library lets other ABIs of the machine pass to the default action, which
	// would tell them that the kernel has no such call: refuse them first.
	const archOffset = 4
	program := append([]bpf.Instruction{
		bpf.LoadAbsolute{Off: archOffset, Size: 4},
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: uint32(info.ID), SkipTrue: 1},
		bpf.RetConstant{Val: uint32(seccomp.ActionErrno) | uint32(unix.EPERM)},
	}, body...)
	raw, err := bpf.Assemble(program)
	if err != nil {
		return err
	}
	filter := make([]unix.SockFilter, len(raw))
	for i, r := range raw {
		filter[i] = unix.SockFilter{Code: r.Op, Jt: r.Jt, Jf: r.Jf, K: r.K}
	}
	return loadFilter(filter)
}

package sandbox

import (
	"slices"

	seccomp "github.com/elastic/go-seccomp-bpf"
	"github.com/elastic/go-seccomp-bpf/arch"
	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"
)

// refused returns the system calls that no build or analysis needs.
func refused() []string {
	return []string{
		"ptrace", "process_vm_readv", "process_vm_writev", "pidfd_getfd", "kcmp", // other processes
		// large kernel surfaces
		"bpf", "perf_event_open", "userfaultfd", "io_uring_setup", "io_uring_enter", "io_uring_register",
		// namespaces
		"unshare", "setns", "mount", "umount2", "pivot_root", "chroot", "move_mount", "open_tree", "fsopen", "fsmount",
		"fsconfig", "fspick", "mount_setattr",
		// of the machine
		"keyctl", "add_key", "request_key", "open_by_handle_at", "name_to_handle_at", "quotactl", "swapon", "swapoff",
		"acct", "syslog",
		"reboot", "kexec_load", "kexec_file_load", "init_module", "finit_module", "delete_module", "settimeofday",
		"clock_settime", "adjtimex", "clock_adjtime",
		"iopl", "ioperm", "personality", "vmsplice", "lookup_dcookie", "nfsservctl", "sethostname", "setdomainname",
	}
}

// holders returns the system calls that hold memory outside of any process, where the
// limits of processes do not count it: files without a name, System V's and POSIX's
// shared memory and queues.
func holders() []string {
	return []string{"memfd_create", "memfd_secret", "shmget", "shmat", "shmctl", "msgget", "msgsnd", "msgrcv", "msgctl",
		"mq_open", "mq_timedsend"}
}

// filterCalls installs the filter: refused calls fail with EPERM, those that hold memory
// with ENOSYS, and so does clone3: libc falls back to clone, whose flags can be looked at.
func filterCalls(s stage2) error {
	info, err := arch.GetInfo("")
	if err != nil {
		return err
	}
	known := func(list []string) []string {
		return slices.DeleteFunc(list, func(n string) bool { _, ok := info.SyscallNames[n]; return !ok })
	}
	eperm := seccomp.ActionErrno | seccomp.Action(unix.EPERM)
	deny := []seccomp.NameWithConditions{{Name: "clone", Conditions: seccomp.ArgumentConditions{{Argument: 0,
		Operation: seccomp.BitsSet, Value: unix.CLONE_NEWUSER}}}}
	for _, option := range []uint64{unix.SO_SNDBUF, unix.SO_SNDBUFFORCE, unix.SO_RCVBUF, unix.SO_RCVBUFFORCE} {
		deny = append(deny, seccomp.NameWithConditions{Name: "setsockopt", Conditions: seccomp.ArgumentConditions{
			{Argument: 1, Operation: seccomp.Equal, Value: unix.SOL_SOCKET},
			{Argument: 2, Operation: seccomp.Equal, Value: option}}})
	}
	if s.NoSockets {
		for _, call := range []string{"socket", "socketpair"} {
			deny = append(deny, seccomp.NameWithConditions{Name: call, Conditions: seccomp.ArgumentConditions{
				{Argument: 0, Operation: seccomp.Equal, Value: unix.AF_UNIX}}})
		}
	}
	if s.Offline {
		for _, family := range []uint64{unix.AF_INET, unix.AF_INET6, unix.AF_PACKET, unix.AF_NETLINK, unix.AF_VSOCK,
			unix.AF_ALG} {
			deny = append(deny, seccomp.NameWithConditions{Name: "socket",
				Conditions: seccomp.ArgumentConditions{{Argument: 0, Operation: seccomp.Equal, Value: family}}})
		}
	}
	policy := seccomp.Policy{DefaultAction: seccomp.ActionAllow, Syscalls: []seccomp.SyscallGroup{
		{Names: known(refused()), Action: eperm}, {NamesWithCondtions: deny, Action: eperm},
		// as if the kernel did not have them: programs then do without
		{Names: known(append(holders(), "clone3")), Action: seccomp.ActionErrno | seccomp.Action(unix.ENOSYS)},
	}}
	body, err := policy.Assemble()
	if err != nil {
		return err
	}
	// The library lets other ABIs of the machine pass to the default action, which
	// here would be a way around the filter: refuse them first.
	const archOffset = 4
	program := append([]bpf.Instruction{
		bpf.LoadAbsolute{Off: archOffset, Size: 4},
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: uint32(info.ID), SkipTrue: 1},
		bpf.RetConstant{Val: uint32(eperm)},
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

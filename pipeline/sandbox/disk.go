package sandbox

import (
	"bytes"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// How often the file systems are asked, and after how many times the folders are gone
// through although there was no sign of growth.
const (
	diskPause  = 300 * time.Millisecond
	closerLook = 30
)

// diskWatch holds what a tree writes to its folders to the limits where the folders are
// not a file system of their own, which would do it by itself.
type diskWatch struct {
	w      *watcher
	before treeSize // of the folders
	low    treeSize // of the file systems: the least that was in use
}

// watchDisk sends the limit that the tree is over. What the file systems count costs
// nothing to ask; the folders are gone through when more than the limit was added.
func (w *watcher) watchDisk(full chan<- string, stop <-chan struct{}) {
	if w.limits.Disk <= 0 && w.limits.Inodes <= 0 && w.limits.Depth <= 0 || len(w.write) == 0 {
		return
	}
	d := &diskWatch{w: w, before: w.before, low: fileSystems(w.write)}
	tick := time.NewTicker(diskPause)
	defer tick.Stop()
	for n := 1; ; n++ {
		select {
		case <-stop:
			return
		case <-tick.C:
		}
		now := fileSystems(w.write)
		d.low.bytes, d.low.files = min(d.low.bytes, now.bytes), min(d.low.files, now.files)
		if d.exceeded(treeSize{bytes: now.bytes - d.low.bytes, files: now.files - d.low.files}) == "" && n%closerLook != 0 {
			continue
		}
		use := d.use()
		if limit := d.exceeded(treeSize{use.bytes - d.before.bytes, use.files - d.before.files, use.deep}); limit != "" {
			full <- limit
			return
		}
	}
}

func (d *diskWatch) exceeded(growth treeSize) string {
	l := d.w.limits
	switch {
	case growth.deep:
		return nestedFolders
	case l.Disk > 0 && growth.bytes > l.Disk:
		return "disk"
	case l.Inodes > 0 && growth.files > l.Inodes:
		return "files"
	}
	return ""
}

// use returns what the folders hold, and what processes of the tree hold that has no
// name there any more.
func (d *diskWatch) use() treeSize {
	limit := int64(0)
	if d.w.limits.Inodes > 0 {
		limit = d.before.files + d.w.limits.Inodes
	}
	n := diskUse(d.w.write, limit, d.w.limits.Depth)
	seen := map[[2]uint64]bool{}
	for _, pid := range treeOf(d.w.pid, d.w.user).pids {
		names, _ := filepath.Glob(procFile(pid, "fd") + "/*")
		for _, name := range names {
			n.bytes += unlinked(name, seen)
		}
		n.bytes += unlinkedMappings(pid, seen)
	}
	return n
}

// unlinked returns the space of an open regular file without a name, once.
func unlinked(name string, seen map[[2]uint64]bool) int64 {
	var st unix.Stat_t
	if unix.Stat(name, &st) != nil || st.Mode&unix.S_IFMT != unix.S_IFREG || st.Nlink != 0 {
		return 0
	}
	id := [2]uint64{st.Dev, st.Ino}
	if seen[id] {
		return 0
	}
	seen[id] = true
	return st.Blocks * 512
}

// unlinkedMappings returns the space of files that a process only has mapped, and that
// have no name any more.
func unlinkedMappings(pid int, seen map[[2]uint64]bool) int64 {
	text, err := os.ReadFile(procFile(pid, "maps"))
	if err != nil || !bytes.Contains(text, []byte("(deleted)")) {
		return 0
	}
	var n int64
	for line := range bytes.Lines(text) {
		if !bytes.HasSuffix(bytes.TrimSpace(line), []byte("(deleted)")) {
			continue
		}
		span, _, _ := bytes.Cut(line, []byte(" "))
		n += unlinked(filepath.Join(procFile(pid, "map_files"), string(span)), seen)
	}
	return n
}

// fileSystems returns what is in use on the file systems of the folders, each once.
func fileSystems(dirs []string) treeSize {
	var n treeSize
	seen := map[uint64]bool{}
	for _, dir := range dirs {
		var st unix.Statfs_t
		info, err := os.Stat(dir)
		if err != nil || unix.Statfs(dir, &st) != nil {
			continue
		}
		if sys, ok := info.Sys().(*syscall.Stat_t); ok && !seen[sys.Dev] {
			seen[sys.Dev] = true
			n.bytes += int64(st.Blocks-st.Bfree) * st.Bsize
			n.files += int64(st.Files - st.Ffree)
		}
	}
	return n
}

// tempFiles returns how many files there are in the /tmp of a tree, which the kernel
// keeps in memory.
func tempFiles(pids []int) int64 {
	own, err := os.Readlink("/proc/self/ns/mnt")
	if err != nil {
		return 0
	}
	for _, p := range pids {
		var st unix.Statfs_t
		ns, err := os.Readlink(procFile(p, "ns/mnt"))
		if err == nil && ns != own && unix.Statfs(procFile(p, "root/tmp"), &st) == nil && st.Type == unix.TMPFS_MAGIC {
			return int64(st.Files - st.Ffree)
		}
	}
	return 0
}

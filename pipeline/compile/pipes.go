package compile

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// pipeError says that a program waits for a named pipe, which has no end that it would come to.
type pipeError struct{ path string }

func (e *pipeError) Error() string {
	return "waits for the pipe " + e.path + ", to which nothing writes"
}

// How long a program runs before it is looked at, and how often then.
const (
	pipesAfter = time.Second
	pipesEvery = 300 * time.Millisecond
)

// endAtPipes returns a context that ends with a *pipeError when a program that this process started, and whose
// arguments name file, waits for a named pipe to be opened by somebody else. Nothing is noticed where /proc does not tell.
func endAtPipes(ctx context.Context, file string) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	go func() {
		seen := ""
		for wait := pipesAfter; ; wait = pipesEvery {
			select {
			case <-ctx.Done():
				return
			case <-time.After(wait):
			}
			path := waitsForPipe(file)
			if path != "" && path == seen {
				cancel(&pipeError{path})
				return
			}
			seen = path
		}
	}()
	return ctx, func() { cancel(nil) }
}

// pipeOf returns the pipe that a run with this context waited for.
func pipeOf(ctx context.Context) (*pipeError, bool) {
	var e *pipeError
	return e, errors.As(context.Cause(ctx), &e)
}

// waitsForPipe returns the named pipe that a program below this process with file in its arguments is opening.
func waitsForPipe(file string) string {
	for _, pid := range descendants(os.Getpid()) {
		args, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "cmdline"))
		if err != nil || !slices.ContainsFunc(bytes.Split(args, []byte{0}),
			func(a []byte) bool { return filepath.Base(string(a)) == filepath.Base(file) }) {
			continue
		}
		path := opening(pid)
		if st, err := os.Stat(path); path != "" && err == nil && st.Mode()&fs.ModeNamedPipe != 0 {
			return path
		}
	}
	return ""
}

// descendants lists the processes below pid.
func descendants(pid int) []int {
	list, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		return nil
	}
	children := map[int][]int{}
	for _, file := range list {
		text, err := os.ReadFile(file)
		if err != nil {
			continue // it ended
		}
		// the name may have anything in it
		_, rest, _ := bytes.Cut(text[bytes.LastIndexByte(text, ')')+1:], []byte(" "))
		f := strings.Fields(string(rest))
		child, err1 := strconv.Atoi(filepath.Base(filepath.Dir(file)))
		if len(f) < 2 || err1 != nil {
			continue
		}
		if parent, err := strconv.Atoi(f[1]); err == nil {
			children[parent] = append(children[parent], child)
		}
	}
	var out []int
	for todo := children[pid]; len(todo) > 0; todo = todo[1:] {
		out = append(out, todo[0])
		todo = append(todo, children[todo[0]]...)
	}
	return out
}

// opening returns the path with which a process is in the system call openat, "" if it is in none.
func opening(pid int) string {
	dir := filepath.Join("/proc", strconv.Itoa(pid))
	text, err := os.ReadFile(filepath.Join(dir, "syscall")) // number, arguments in hexadecimal
	f := strings.Fields(string(text))
	if err != nil || len(f) < 3 || f[0] != strconv.Itoa(syscall.SYS_OPENAT) {
		return ""
	}
	at, err := strconv.ParseInt(f[2], 0, 64)
	if err != nil {
		return ""
	}
	mem, err := os.Open(filepath.Join(dir, "mem"))
	if err != nil {
		return ""
	}
	defer mem.Close()
	buf := make([]byte, 4096)
	n, _ := mem.ReadAt(buf, at)
	path, _, ended := strings.Cut(string(buf[:n]), "\x00")
	if !ended {
		return ""
	}
	if !filepath.IsAbs(path) {
		cwd, err := os.Readlink(filepath.Join(dir, "cwd"))
		if err != nil {
			return ""
		}
		path = filepath.Join(cwd, path)
	}
	return path
}

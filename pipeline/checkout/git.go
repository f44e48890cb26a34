package checkout

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// hardened returns the only configuration that git sees.
func (c *Cache) hardened() [][2]string {
	local := "never"
	if c.Local {
		local = "always"
	}
	return [][2]string{
		{"core.hooksPath", "/dev/null"}, {"core.attributesFile", "/dev/null"}, {"core.excludesFile", "/dev/null"},
		{"core.fsmonitor", "false"},
		{"core.protectHFS", "true"}, {"core.protectNTFS", "true"}, {"core.quotePath", "false"}, {"core.pager", "cat"},
		{"core.askPass", "/bin/false"},
		{"credential.helper", ""}, {"submodule.recurse", "false"}, {"diff.external", ""}, {"diff.renameLimit", "2000"},
		// what is larger is never held in memory as a whole, nor compared line by line
		{"core.bigFileThreshold", "4m"}, {"core.packedGitLimit", "256m"}, {"core.packedGitWindowSize", "16m"},
		{"core.deltaBaseCacheLimit", "64m"}, {"pack.threads", "1"},
		{"gc.auto", "0"}, {"safe.directory", "*"},
		{"protocol.allow", "never"}, {"protocol.https.allow", "always"}, {"protocol.http.allow", "always"},
		{"protocol.file.allow", local},
		{"http.followRedirects", "false"}, {"http.lowSpeedLimit", "1000"}, {"http.lowSpeedTime", "60"},
		{"fetch.unpackLimit", "1"}, {"fetch.fsckObjects", "true"}, {"fetch.fsck.zeroPaddedFilemode", "ignore"},
		{"fetch.fsck.badTimezone", "ignore"},
		{"fetch.fsck.missingSpaceBeforeDate", "ignore"}, {"fetch.fsck.missingEmail", "ignore"}, {"fetch.fsck.badEmail",
			"ignore"}, {"fetch.fsck.gitmodulesUrl", "ignore"},
	}
}

// git runs a command on the mirror; remote lends it the token.
func (m *Mirror) git(ctx context.Context, remote *Remote, args ...string) ([]byte, error) {
	return m.gitEnv(ctx, nil, nil, remote, args...)
}

// gitEnv runs a command on the mirror with more in its environment, and folders that it
// may write to.
func (m *Mirror) gitEnv(ctx context.Context, env, write []string, remote *Remote, args ...string) ([]byte, error) {
	limits := m.cache.Limits
	timed, cancel := context.WithTimeout(ctx, limits.Time)
	defer cancel()
	ctx = timed
	config := m.cache.hardened()
	if remote != nil && remote.Token != "" {
		basic := base64.StdEncoding.EncodeToString([]byte("x-access-token:" + remote.Token))
		config = append(config, [2]string{"http." + remote.URL + ".extraheader", "Authorization: Basic " + basic})
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	var out, complaint capped
	out.limit, complaint.limit = 256<<20, 16<<10
	if args[0] == "ls-tree" { // a tree without an end is known by then
		out.limit = 48 << 20
	}
	out.full = stop // what is past the limit is not waited for
	c := Command{Argv: append([]string{"git"}, args...), Dir: m.dir, Read: []string{m.dir}, Stdout: &out,
		Stderr: &complaint}
	c.Env = append([]string{"PATH=" + os.Getenv("PATH"), "HOME=/nonexistent", "LC_ALL=C", "GIT_CONFIG_NOSYSTEM=1",
		"GIT_CONFIG_GLOBAL=/dev/null", "GIT_ATTR_NOSYSTEM=1",
		"GIT_TERMINAL_PROMPT=0", "GIT_OPTIONAL_LOCKS=0", "GIT_NO_REPLACE_OBJECTS=1", "GIT_LFS_SKIP_SMUDGE=1",
		"GIT_DIR=" + m.dir, "GIT_CONFIG_COUNT=" + strconv.Itoa(len(config))}, env...)
	for i, kv := range config {
		c.Env = append(c.Env, fmt.Sprintf("GIT_CONFIG_KEY_%d=%s", i, kv[0]), fmt.Sprintf("GIT_CONFIG_VALUE_%d=%s",
			i, kv[1]))
	}
	if remote != nil {
		c.Network, c.Port, c.Write = true, portOf(remote.URL), []string{m.dir}
	}
	c.Write = append(c.Write, write...)
	var tooBig chan bool
	if remote != nil {
		tooBig = m.watch(ctx, stop)
	}
	end, err := m.cache.runner(remote).Git(ctx, c)
	cause := timed.Err()
	stop()
	switch {
	case tooBig != nil && <-tooBig:
		return nil, &Error{true, fmt.Errorf("the repository is over the limit of %d bytes", limits.Bytes)}
	case out.cut:
		return nil, &Error{true, fmt.Errorf("git %s: more than %d bytes of output", args[0], out.limit)}
	case end.Killed != "":
		return nil, &Error{true, fmt.Errorf("git %s reached the limit on %s of what a repository may cost", args[0],
			end.Killed)}
	case err == nil && end.Code == 0:
		return out.buf.Bytes(), nil
	case errors.Is(cause, context.Canceled):
		return nil, cause
	case errors.Is(cause, context.DeadlineExceeded):
		return nil, &Error{false, fmt.Errorf("git %s: no end after %s", args[0], limits.Time)}
	case err == nil:
		err = exitStatus(end.Code)
	}
	said := strings.TrimSpace(complaint.buf.String())
	if strings.Contains(said, "fsck error") {
		return nil, &Error{true, refused(said)}
	}
	said = strings.ReplaceAll(said, m.cache.Dir+"/", "")
	return nil, &Error{false, fmt.Errorf("git %s: %w: %s", args[0], err, said)}
}

// exitStatus is that of a git that ran to its end and said no.
type exitStatus int

func (e exitStatus) Error() string { return fmt.Sprintf("exit status %d", int(e)) }

// runner returns what git runs in. A repository on this disk is that of whoever runs
// firmproof, and is not reached from a sandbox.
func (c *Cache) runner(remote *Remote) Runner {
	if c.Run == nil || remote != nil && !strings.Contains(remote.URL, "://") {
		return direct{}
	}
	return c.Run
}

// portOf returns the port of a remote.
func portOf(remote string) uint16 {
	u, err := url.Parse(remote)
	if err != nil {
		return 0
	}
	if n, err := strconv.ParseUint(u.Port(), 10, 16); err == nil {
		return uint16(n)
	}
	if u.Scheme == "http" {
		return 80
	}
	return 443
}

// refused says which object git does not accept, and what to do.
func refused(said string) error {
	for _, line := range strings.Split(said, "\n") {
		if what, ok := strings.CutPrefix(line, "error: object "); ok {
			said = "object " + what
			break
		}
	}
	return fmt.Errorf("git refuses what these commits bring, as damaged or harmful: %s. Write the commits anew "+
		"without it (`git fsck` shows where it is) and push again", said)
}

// watch cancels a fetch that makes the mirror grow over the limit. The channel
// says so after ctx ends.
func (m *Mirror) watch(ctx context.Context, cancel context.CancelFunc) chan bool {
	start := treeSize(m.dir)
	result := make(chan bool, 1)
	go func() {
		for {
			select {
			case <-ctx.Done():
				result <- false
				return
			case <-time.After(300 * time.Millisecond):
			}
			if treeSize(m.dir)-start > m.cache.Limits.Bytes {
				cancel()
				result <- true
				return
			}
		}
	}()
	return result
}

func treeSize(dir string) int64 {
	var n int64
	_ = filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() { // files come and go during a fetch
			if i, err := d.Info(); err == nil {
				n += i.Size()
			}
		}
		return nil
	})
	return n
}

// capped keeps the first limit bytes. The buffer is not embedded: io.Copy would
// use its ReadFrom, which knows no limit.
type capped struct {
	buf   bytes.Buffer
	limit int
	cut   bool
	full  func() // called when there is more; may be nil
}

// Write implements io.Writer.
func (c *capped) Write(p []byte) (int, error) {
	n := len(p)
	if room := c.limit - c.buf.Len(); len(p) > room {
		p, c.cut = p[:room], true
		if c.full != nil {
			c.full()
		}
	}
	c.buf.Write(p)
	return n, nil
}

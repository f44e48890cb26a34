// Package checkout brings commits of other people's repositories onto this
// machine and says which lines they changed. It trusts nothing in them: git runs
// with a configuration of ours only (no hooks, filters, submodules, helpers or
// redirects), a deadline and a size limit, and the token is handed over in the
// environment of the one command that needs it, so that it is in no file and no
// argument list.
package checkout

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// ErrGone says that the commit is not in the repository any more: a force-push
// or a deleted branch. The run that wanted it is superseded.
var ErrGone = errors.New("checkout: commit is gone")

// Error is a failure of git or of a limit. Theirs is true when the repository is
// to blame (too large, not a tree that can be written), false for the network or this machine.
type Error struct {
	Theirs bool
	Err    error
}

func (e *Error) Error() string { return "checkout: " + e.Err.Error() }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Limits bound what a repository may cost.
type Limits struct {
	Time  time.Duration // of one git command
	Bytes int64         // growth of the mirror by one fetch, and size of one exported tree
	Files int           // of one exported tree
	Blob  int64         // size of one file of a tree
}

// What a file's name in a tree may have: the tree is laid out below a folder that has a name, too, and PATH_MAX is
// 4096.
const (
	maxName  = 2_000
	maxDepth = 100 // folders
)

// DefaultLimits suit firmware repositories.
func DefaultLimits() Limits {
	return Limits{Time: 5 * time.Minute, Bytes: 2 << 30, Files: 200_000, Blob: 256 << 20}
}

// Cache keeps a bare mirror of each repository below Dir.
type Cache struct {
	Dir    string
	Limits Limits
	Local  bool   // allow file:// remotes and paths; for use without a server
	Run    Runner // what git runs in; nil: git runs as it is
}

// Remote is where a repository is fetched from.
type Remote struct {
	URL   string
	Token string // of an installation; empty for public repositories
}

// Want names commits: each SHA is expected behind its ref.
type Want struct {
	Ref string // refs/pull/7/head, refs/heads/main
	SHA string // full; empty takes what the ref points at
}

// Mirror is a fetched repository.
type Mirror struct {
	dir   string
	cache *Cache
}

var (
	shaPattern = regexp.MustCompile(`^[0-9a-f]{40}([0-9a-f]{24})?$`)
	refPattern = regexp.MustCompile(`^refs/[A-Za-z0-9][^\s~^:?*\[\\]*$`)
	keyPattern = regexp.MustCompile(`^[A-Za-z0-9._-]+$`)
)

// Fetch brings the wanted commits into the mirror called key (a stable, unique
// name of the repository) and returns their full SHAs in order. A commit that
// is neither behind its ref nor served by itself is ErrGone.
func (c *Cache) Fetch(ctx context.Context, key string, remote Remote, wants ...Want) (*Mirror, []string, error) {
	if !keyPattern.MatchString(key) || strings.HasPrefix(key, ".") {
		return nil, nil, fmt.Errorf("checkout: bad mirror name %q", key)
	}
	for _, w := range wants {
		if !refPattern.MatchString(w.Ref) || strings.Contains(w.Ref, "..") || w.SHA != "" &&
			!shaPattern.MatchString(w.SHA) {
			return nil, nil, &Error{true, fmt.Errorf("bad ref %q or commit %q", w.Ref, w.SHA)}
		}
	}
	m := &Mirror{filepath.Join(c.Dir, key+".git"), c}
	unlock, err := m.lock(ctx)
	if err != nil {
		return nil, nil, err
	}
	defer unlock()
	if now := time.Now(); os.Chtimes(m.dir+".lock", now, now) != nil { // Tidy looks at it
		return nil, nil, &Error{false, fmt.Errorf("mirror %s: its use cannot be noted", key)}
	}
	if err := m.ready(ctx); err != nil {
		return nil, nil, err
	}
	shas := make([]string, len(wants))
	for i, w := range wants {
		if shas[i], err = m.want(ctx, remote, w); err != nil {
			return nil, nil, err
		}
	}
	return m, shas, nil
}

// Existing returns the mirror called key if it is here, else nil. Nothing is fetched into it.
func (c *Cache) Existing(key string) *Mirror {
	m := &Mirror{filepath.Join(c.Dir, key+".git"), c}
	if st, err := os.Stat(m.dir); !keyPattern.MatchString(key) || strings.HasPrefix(key, ".") || err != nil ||
		!st.IsDir() {
		return nil
	}
	return m
}

// ready makes the mirror if there is none, whole or not at all, and removes locks
// that a killed git left behind: whoever holds ours is alone.
func (m *Mirror) ready(ctx context.Context) error {
	if _, err := os.Stat(m.dir); errors.Is(err, os.ErrNotExist) {
		fresh := &Mirror{m.dir + ".new", m.cache}
		if err := os.RemoveAll(fresh.dir); err != nil {
			return &Error{false, err}
		}
		if err := os.Mkdir(fresh.dir, 0o755); err != nil {
			return &Error{false, err}
		}
		if _, err := fresh.gitEnv(ctx, nil, []string{fresh.dir}, nil, "init", "--quiet", "--bare", "--template=",
			"--shared=0644", fresh.dir); err != nil {
			return err
		}
		if err := os.Rename(fresh.dir, m.dir); err != nil {
			return &Error{false, err}
		}
		return nil
	}
	err := filepath.WalkDir(m.dir, func(path string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case e.IsDir() && len(e.Name()) == 2 && filepath.Base(filepath.Dir(path)) == "objects":
			return filepath.SkipDir
		case !e.IsDir() && strings.HasSuffix(path, ".lock"):
			return os.Remove(path)
		}
		return nil
	})
	if err != nil {
		return &Error{false, err}
	}
	return nil
}

// want makes one commit present.
func (m *Mirror) want(ctx context.Context, remote Remote, w Want) (string, error) {
	if w.SHA != "" && m.has(ctx, w.SHA) {
		return w.SHA, nil
	}
	local := "refs/firmproof/" + strings.TrimPrefix(w.Ref, "refs/")
	if err := m.fetch(ctx, remote, "+"+w.Ref+":"+local); err != nil && (w.SHA == "" || !isMissing(err)) {
		if isMissing(err) {
			return "", fmt.Errorf("%w: %s", ErrGone, w.Ref)
		}
		return "", err
	}
	if w.SHA == "" {
		out, err := m.git(ctx, nil, "rev-parse", "--verify", "--end-of-options", local+"^{commit}")
		return strings.TrimSpace(string(out)), err
	}
	if m.has(ctx, w.SHA) {
		return w.SHA, nil
	}
	if err := m.fetch(ctx, remote, "+"+w.SHA+":refs/firmproof/commits/"+w.SHA); err != nil {
		if isMissing(err) {
			return "", fmt.Errorf("%w: %s", ErrGone, w.SHA)
		}
		return "", err
	}
	return w.SHA, nil
}

func isMissing(err error) bool {
	s := err.Error()
	return strings.Contains(s, "couldn't find remote ref") || strings.Contains(s, "not our ref") ||
		strings.Contains(s, "unadvertised object")
}

func (m *Mirror) has(ctx context.Context, sha string) bool {
	_, err := m.git(ctx, nil, "cat-file", "-e", sha+"^{commit}")
	return err == nil
}

func (m *Mirror) fetch(ctx context.Context, remote Remote, spec string) error {
	_, err := m.git(ctx, &remote, "fetch", "--quiet", "--no-tags", "--no-recurse-submodules", "--no-write-fetch-head",
		"--no-auto-maintenance", "--", remote.URL, spec)
	return err
}

// lock takes the mirror for this process and goroutine.
func (m *Mirror) lock(ctx context.Context) (func(), error) {
	// git runs as another user, who passes through; no sandbox shows it more than its own mirror
	if err := errors.Join(os.MkdirAll(m.cache.Dir, 0o711), os.Chmod(m.cache.Dir, 0o711)); err != nil {
		return nil, &Error{false, err}
	}
	f, err := os.OpenFile(m.dir+".lock", os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, &Error{false, err}
	}
	for {
		err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		if err == nil {
			return func() { _ = f.Close() }, nil // closing releases the lock
		}
		if !errors.Is(err, unix.EWOULDBLOCK) {
			return nil, errors.Join(&Error{false, err}, f.Close())
		}
		select {
		case <-ctx.Done():
			return nil, errors.Join(ctx.Err(), f.Close())
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// File reads a regular file of a commit, at most limit bytes; os.ErrNotExist if
// there is none, an *Error if it is anything else. It never follows a symbolic link.
func (m *Mirror) File(ctx context.Context, sha, path string, limit int64) ([]byte, error) {
	out, err := m.git(ctx, nil, "ls-tree", "-z", "-l", "--full-tree", sha, "--", ":(literal)"+path)
	if err != nil {
		return nil, err
	}
	meta, _, _ := bytes.Cut(out, []byte{'\t'})
	f := strings.Fields(string(meta))
	switch {
	case len(f) < 4:
		return nil, fmt.Errorf("%s: %w", path, os.ErrNotExist)
	case f[0] != "100644" && f[0] != "100755":
		return nil, &Error{true, fmt.Errorf("%s is not a regular file", path)}
	}
	if n, err := strconv.ParseInt(f[3], 10, 64); err != nil || n > limit {
		return nil, &Error{true, fmt.Errorf("%s has %s bytes, at most %d are read", path, f[3], limit)}
	}
	return m.git(ctx, nil, "cat-file", "blob", f[2])
}

// Export writes the tree of a commit into the empty folder dir.
func (m *Mirror) Export(ctx context.Context, sha, dir string) error {
	if err := m.measure(ctx, sha); err != nil {
		return err
	}
	scratch, err := os.MkdirTemp(m.cache.Dir, "index-*")
	if err != nil {
		return &Error{false, err}
	}
	defer func() { _ = os.RemoveAll(scratch) }()
	if err := os.Chmod(scratch, 0o711); err != nil {
		return &Error{false, err}
	}
	env := []string{"GIT_INDEX_FILE=" + filepath.Join(scratch, "index")}
	if _, err := m.gitEnv(ctx, env, []string{scratch}, nil, "read-tree", sha); err != nil {
		return err
	}
	_, err = m.gitEnv(ctx, append(env, "GIT_WORK_TREE="+dir), []string{scratch, dir}, nil, "checkout-index", "--all",
		"--force", "--quiet")
	return err
}

// measure refuses trees over the limits before anything is written or compared.
func (m *Mirror) measure(ctx context.Context, sha string) error {
	out, err := m.git(ctx, nil, "ls-tree", "-r", "-z", "-l", "--full-tree", sha)
	if err != nil {
		return err
	}
	limits := m.cache.Limits
	files, total := 0, int64(0)
	for _, entry := range bytes.Split(out, []byte{0}) {
		meta, _, ok := bytes.Cut(entry, []byte{'\t'})
		if f := strings.Fields(string(meta)); ok && len(f) == 4 && f[3] != "-" {
			n, err := strconv.ParseInt(f[3], 10, 64)
			if err != nil {
				return &Error{false, err}
			}
			files, total = files+1, total+n
			_, name, _ := bytes.Cut(entry, []byte{'\t'})
			if len(name) > maxName || bytes.Count(name, []byte{'/'}) > maxDepth {
				return &Error{true, fmt.Errorf("%q...: a name in the tree is longer than %d bytes or has more than %d "+
					"folders", strings.ToValidUTF8(string(name[:min(len(name), 100)]), "?"), maxName, maxDepth)}
			}
			if limits.Blob > 0 && n > limits.Blob {
				return &Error{true, fmt.Errorf("%q has %d bytes, more than the limit of %d for one file",
					strings.ToValidUTF8(string(name), "?"), n, limits.Blob)}
			}
		}
	}
	if files > limits.Files || total > limits.Bytes {
		return &Error{true, fmt.Errorf("tree of %d files and %d bytes is over the limit of %d files and %d bytes",
			files, total, limits.Files, limits.Bytes)}
	}
	return nil
}

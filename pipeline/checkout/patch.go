package checkout

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Patched makes a commit of a unified diff on top of head, in the mirror alone, and returns its SHA: the same wherever
// and whenever it is made. A patch that does not apply is an *Error of theirs.
func (m *Mirror) Patched(ctx context.Context, head string, patch []byte) (string, error) {
	if !shaPattern.MatchString(head) {
		return "", &Error{true, fmt.Errorf("bad commit %q", head)}
	}
	unlock, err := m.lock(ctx) // packs and loose objects are nobody else's meanwhile
	if err != nil {
		return "", err
	}
	defer unlock()
	scratch, err := os.MkdirTemp(m.cache.Dir, "index-*")
	if err != nil {
		return "", &Error{false, err}
	}
	defer func() { _ = os.RemoveAll(scratch) }()
	file := filepath.Join(scratch, "patch")
	if err := errors.Join(os.Chmod(scratch, 0o711), os.WriteFile(file, patch, 0o644)); err != nil {
		return "", &Error{false, err}
	}
	env := []string{"GIT_INDEX_FILE=" + filepath.Join(scratch, "index")}
	for _, who := range []string{"AUTHOR", "COMMITTER"} {
		env = append(env, "GIT_"+who+"_NAME=firmproof", "GIT_"+who+"_EMAIL=firmproof@localhost", "GIT_"+who+"_DATE=@1 +0000")
	}
	git := func(args ...string) (string, error) {
		out, err := m.gitEnv(ctx, env, []string{scratch, m.dir}, nil, args...)
		return strings.TrimSpace(string(out)), err
	}
	if _, err := git("read-tree", head); err != nil {
		return "", err
	}
	var no exitStatus
	if _, err := git("apply", "--cached", "--check", file); errors.As(err, &no) { // nothing is written yet: it is the patch
		return "", &Error{true, fmt.Errorf("the patch does not apply to %s: %s", head[:10], complaint(err))}
	} else if err != nil {
		return "", err
	}
	if _, err := git("apply", "--cached", "--whitespace=nowarn", file); err != nil {
		return "", err
	}
	tree, err := git("write-tree")
	if err != nil {
		return "", err
	}
	return git("commit-tree", "-p", head, "-m", "a patch that nobody pushed", tree)
}

// complaint returns the first lines of what git said that it did not like.
func complaint(err error) string {
	var out []string
	for _, line := range strings.Split(err.Error(), "\n") {
		if i := strings.Index(line, "error: "); i >= 0 && len(out) < 3 {
			out = append(out, line[i+len("error: "):])
		}
	}
	return strings.Join(out, "; ")
}

package fakegithub

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sort"
	"strconv"
	"strings"
)

// emptyTree is the name of git's empty tree.
const emptyTree = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"

const zeroSHA = "0000000000000000000000000000000000000000"

// gitEnvironment keeps the machine's and the user's git configuration out.
func gitEnvironment() []string {
	return []string{
		"PATH=" + os.Getenv("PATH"), "HOME=/nonexistent", "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null",
		"GIT_TERMINAL_PROMPT=0", "LC_ALL=C",
		"GIT_CONFIG_COUNT=2", "GIT_CONFIG_KEY_0=safe.directory", "GIT_CONFIG_VALUE_0=*",
		"GIT_CONFIG_KEY_1=core.hooksPath", "GIT_CONFIG_VALUE_1=/dev/null",
	}
}

// gitInput runs git in a bare repository and answers its output.
func (s *Server) gitInput(dir string, input []byte, env []string, args ...string) (string, error) {
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	cmd.Env = append(append([]string{}, s.gitEnv...), env...)
	cmd.Stdin = bytes.NewReader(input)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("git %s: %w: %s", args[0], err, strings.TrimSpace(stderr.String()))
	}
	return string(out), nil
}

func (s *Server) git(dir string, args ...string) (string, error) {
	return s.gitInput(dir, nil, nil, args...)
}

// revision answers the commit that a branch, tag, ref or SHA names.
func (s *Server) revision(r *repo, name string) (string, bool) {
	for _, candidate := range []string{"refs/heads/" + name, "refs/tags/" + name, "refs/" + name, name} {
		if strings.HasPrefix(candidate, "-") {
			continue
		}
		if out, err := s.git(r.dir, "rev-parse", "--verify", "--quiet", candidate+"^{commit}"); err == nil {
			return strings.TrimSpace(out), true
		}
	}
	return "", false
}

// refs answers name -> SHA of the refs below a prefix.
func (s *Server) refs(r *repo, prefix string) (names []string, sha map[string]string) {
	out, err := s.git(r.dir, "for-each-ref", "--format=%(refname) %(objectname)", prefix)
	sha = map[string]string{}
	if err != nil {
		return nil, sha
	}
	for _, line := range strings.Split(strings.TrimSpace(out), "\n") {
		if name, id, ok := strings.Cut(line, " "); ok {
			names = append(names, name)
			sha[name] = id
		}
	}
	sort.Strings(names)
	return names, sha
}

func identity(login, date string) []string {
	mail := login + "@users.noreply.example.com"
	return []string{
		"GIT_AUTHOR_NAME=" + login, "GIT_AUTHOR_EMAIL=" + mail, "GIT_AUTHOR_DATE=" + date,
		"GIT_COMMITTER_NAME=" + login, "GIT_COMMITTER_EMAIL=" + mail, "GIT_COMMITTER_DATE=" + date,
	}
}

// initBare makes a bare repository that serves any commit a ref reaches.
func (s *Server) initBare(dir, branch string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	_, err := s.git(dir, "init", "--quiet", "--bare", "--initial-branch="+branch, ".")
	return err
}

// commitFolder commits a plain folder as the first commit of a branch. Nothing
// is ignored but the folder's own .git.
func (s *Server) commitFolder(r *repo, folder, login string) error {
	scratch, err := os.MkdirTemp(s.opts.Dir, "index-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(scratch)
	env := append(identity(login, s.gitDate()), "GIT_DIR="+r.dir, "GIT_WORK_TREE="+folder,
		"GIT_INDEX_FILE="+filepath.Join(scratch, "index"))
	if _, err := s.gitInput(folder, nil, env, "-c", "core.autocrlf=false", "add", "--all", "--force", "."); err != nil {
		return err
	}
	tree, err := s.gitInput(folder, nil, env, "write-tree")
	if err != nil {
		return err
	}
	return s.commitTree(r, env, "refs/heads/"+r.defaultBranch, strings.TrimSpace(tree), "", "Import")
}

func (s *Server) gitDate() string { return strconv.FormatInt(s.opts.Now().Unix(), 10) + " +0000" }

func (s *Server) commitTree(r *repo, env []string, ref, tree, parent, message string) error {
	args := []string{"commit-tree", tree, "-m", message}
	if parent != "" {
		args = append(args, "-p", parent)
	}
	commit, err := s.gitInput(r.dir, nil, env, args...)
	if err != nil {
		return err
	}
	_, err = s.git(r.dir, "update-ref", ref, strings.TrimSpace(commit))
	return err
}

// commitFiles puts a commit on a branch that sets files (nil text deletes) on
// top of the branch, or of from where the branch is new.
func (s *Server) commitFiles(r *repo, branch, from string, files map[string]*string, login, message string) (before,
	after string, err error) {
	before, exists := s.revision(r, "refs/heads/"+branch)
	parent := before
	if !exists {
		before = zeroSHA
		if parent, exists = s.revision(r, from); !exists {
			parent = ""
		}
	}
	scratch, err := os.MkdirTemp(s.opts.Dir, "index-")
	if err != nil {
		return "", "", err
	}
	defer os.RemoveAll(scratch)
	env := append(identity(login, s.gitDate()), "GIT_INDEX_FILE="+filepath.Join(scratch, "index"))
	base := parent
	if base == "" {
		base = emptyTree
	}
	if _, err := s.gitInput(r.dir, nil, env, "read-tree", base); err != nil && parent != "" {
		return "", "", err
	}
	info, err := s.indexInfo(r, files)
	if err != nil {
		return "", "", err
	}
	if _, err := s.gitInput(r.dir, []byte(info), env, "update-index", "-z", "--index-info"); err != nil {
		return "", "", err
	}
	tree, err := s.gitInput(r.dir, nil, env, "write-tree")
	if err != nil {
		return "", "", err
	}
	if err := s.commitTree(r, env, "refs/heads/"+branch, strings.TrimSpace(tree), parent, message); err != nil {
		return "", "", err
	}
	after, _ = s.revision(r, "refs/heads/"+branch)
	return before, after, nil
}

// indexInfo stores the files' contents and answers git's index lines for them.
func (s *Server) indexInfo(r *repo, files map[string]*string) (string, error) {
	paths := make([]string, 0, len(files))
	for p := range files {
		paths = append(paths, p)
	}
	sort.Strings(paths)
	var info strings.Builder
	for _, p := range paths {
		if !filepath.IsLocal(p) {
			return "", errors.New("path " + strconv.Quote(p) + " leaves the repository")
		}
		if files[p] == nil {
			fmt.Fprintf(&info, "0 %s\t%s\x00", zeroSHA, p)
			continue
		}
		blob, err := s.gitInput(r.dir, []byte(*files[p]), nil, "hash-object", "-w", "--stdin")
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&info, "100644 %s\t%s\x00", strings.TrimSpace(blob), p)
	}
	return info.String(), nil
}

// keepPullRefs moves refs/pull/N/head and, where the merge is clean,
// refs/pull/N/merge of the base repository.
func (s *Server) keepPullRefs(base *repo, p *pull) error {
	prefix := fmt.Sprintf("refs/pull/%d/", p.number)
	if p.fromFork(base) {
		if _, err := s.git(base.dir, "fetch", "--quiet", p.headRepo.dir, "+refs/heads/"+p.headRef+":"+prefix+
			"head"); err != nil {
			return err
		}
	} else if _, err := s.git(base.dir, "update-ref", prefix+"head", p.headSHA); err != nil {
		return err
	}
	tree, err := s.git(base.dir, "merge-tree", "--write-tree", p.baseSHA, p.headSHA)
	p.mergeable = err == nil
	if err != nil {
		_, err = s.git(base.dir, "update-ref", "-d", prefix+"merge")
		return err
	}
	env := identity("web-flow", s.gitDate())
	commit, err := s.gitInput(base.dir, nil, env, "commit-tree", strings.TrimSpace(tree), "-p", p.baseSHA, "-p",
		p.headSHA,
		"-m", fmt.Sprintf("Merge %s into %s", p.headSHA, p.baseSHA))
	if err != nil {
		return err
	}
	p.mergeSHA = strings.TrimSpace(commit)
	_, err = s.git(base.dir, "update-ref", prefix+"merge", p.mergeSHA)
	return err
}

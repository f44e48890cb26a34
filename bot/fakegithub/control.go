package fakegithub

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// controlCall is one call below /_fake/: it decodes its body, acts with the
// lock held and answers an object.
type controlCall func(*Server, []byte) (obj, error)

// missing is an error about something that is not there: 404.
type missing struct{ what string }

func (m missing) Error() string { return m.what + " not found" }

func controlCalls() map[string]controlCall {
	return map[string]controlCall{
		"POST /_fake/repos":        (*Server).controlRepo,
		"POST /_fake/sarif":        (*Server).controlSARIF,
		"POST /_fake/visibility":   (*Server).controlVisibility,
		"POST /_fake/rename":       (*Server).controlRename,
		"POST /_fake/delete":       (*Server).controlDelete,
		"POST /_fake/push":         (*Server).controlPush,
		"POST /_fake/pulls":        (*Server).controlPull,
		"POST /_fake/close":        (*Server).controlClose,
		"POST /_fake/reopen":       (*Server).controlReopen,
		"POST /_fake/merge":        (*Server).controlMerge,
		"POST /_fake/ready":        (*Server).controlReady,
		"POST /_fake/retarget":     (*Server).controlRetarget,
		"POST /_fake/merge_group":  (*Server).controlMergeGroup,
		"POST /_fake/comments":     (*Server).controlComment,
		"POST /_fake/edit":         (*Server).controlEdit,
		"POST /_fake/users":        (*Server).controlUser,
		"POST /_fake/rerequest":    (*Server).controlRerequest,
		"POST /_fake/action":       (*Server).controlAction,
		"POST /_fake/redeliver":    (*Server).controlRedeliver,
		"POST /_fake/faults":       (*Server).controlFaults,
		"DELETE /_fake/faults":     (*Server).controlNoFaults,
		"POST /_fake/installation": (*Server).controlInstallation,
		"POST /_fake/ping":         (*Server).controlPing,
		"POST /_fake/expire":       (*Server).controlExpire,
		"GET /_fake/state":         (*Server).controlState,
	}
}

func (s *Server) serveControl(w http.ResponseWriter, r *http.Request) {
	run, known := s.control[r.Method+" "+r.URL.Path]
	if !known {
		writeReply(w, failure(http.StatusNotFound, "no control call "+r.Method+" "+r.URL.Path))
		return
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		writeReply(w, failure(http.StatusBadRequest, err.Error()))
		return
	}
	s.mu.Lock()
	answer, err := run(s, body)
	rep := ok(answer)
	var gone missing
	switch {
	case errors.As(err, &gone):
		rep = failure(http.StatusNotFound, err.Error())
	case err != nil:
		rep = failure(http.StatusUnprocessableEntity, err.Error())
	}
	rep.raw, rep.body = finish(&rep), nil
	s.mu.Unlock()
	writeReply(w, rep)
}

func parse(body []byte, v any) error {
	if len(body) == 0 {
		return nil
	}
	if err := json.Unmarshal(body, v); err != nil {
		return fmt.Errorf("body: %w", err)
	}
	return nil
}

func (s *Server) repoNamed(full string) (*repo, error) {
	owner, name, _ := strings.Cut(full, "/")
	if r := s.findRepo(owner, name); r != nil {
		return r, nil
	}
	return nil, missing{"repository " + full}
}

func repoName() *regexp.Regexp {
	return regexp.MustCompile(`^[A-Za-z0-9][\w.-]*/[A-Za-z0-9_.][\w.-]*$`)
}

// controlRepo makes a repository: {"name":"o/r","path":"DIR","branch":"main","public":false,"install":false}.
// DIR is a plain folder, which becomes the first commit, or a repository, which
// is cloned; without it the repository is empty. Delivers
// installation_repositories added where it is to be installed now; else the App was there before whoever listens.
func (s *Server) controlRepo(body []byte) (obj, error) {
	var q struct {
		Name, Path, Branch string
		Public, Install    bool
	}
	if err := parse(body, &q); err != nil {
		return nil, err
	}
	if !repoName().MatchString(q.Name) || strings.HasSuffix(q.Name, ".git") {
		return nil, fmt.Errorf("name %q: want OWNER/NAME", q.Name)
	}
	if _, err := s.repoNamed(q.Name); err == nil {
		return nil, fmt.Errorf("repository %s exists", q.Name)
	}
	if q.Path != "" {
		abs, err := filepath.Abs(q.Path)
		if err != nil {
			return nil, err
		}
		q.Path = abs
	}
	r, err := s.makeRepo(q.Name, q.Path, q.Branch)
	if err != nil {
		return nil, err
	}
	r.installed, r.public = true, q.Public
	if q.Install {
		s.emit("installation_repositories", "added", nil, obj{
			"installation": s.renderInstallation(), "repository_selection": "selected",
			"repositories_added":   []obj{repoStub(r)},
			"repositories_removed": []obj{}, "requester": nil, "sender": s.renderUser(s.inst.account),
		})
	}
	return obj{"id": r.id, "full_name": r.fullName(), "default_branch": r.defaultBranch, "clone_url": s.url + "/" +
		r.fullName() + ".git"}, nil
}

func (s *Server) makeRepo(full, path, branch string) (*repo, error) {
	owner, name, _ := strings.Cut(full, "/")
	if branch == "" {
		branch = "main"
	}
	r := &repo{
		id: s.newID(), owner: owner, name: name, dir: filepath.Join(s.opts.Dir, "repos", owner, name+".git"),
		defaultBranch: branch,
		created:       s.now(), pushed: s.now(), permissions: map[string]string{},
	}
	var err error
	switch {
	case path == "":
		err = s.initBare(r.dir, branch)
	case isBare(path):
		err = s.cloneBare(r, path)
	default:
		if err = s.initBare(r.dir, branch); err == nil {
			err = s.commitFolder(r, path, owner)
		}
	}
	if err == nil {
		_, err = s.git(r.dir, "config", "uploadpack.allowAnySHA1InWant", "true")
	}
	if err == nil {
		_, err = s.git(r.dir, "config", "http.receivepack", "true")
	}
	if err != nil {
		_ = os.RemoveAll(r.dir)
		return nil, err
	}
	s.repos = append(s.repos, r)
	return r, nil
}

func isBare(path string) bool {
	for _, name := range []string{"HEAD", "objects", "refs"} {
		if _, err := os.Stat(filepath.Join(path, name)); err != nil {
			return false
		}
	}
	return true
}

func (s *Server) cloneBare(r *repo, path string) error {
	if err := os.MkdirAll(filepath.Dir(r.dir), 0o700); err != nil {
		return err
	}
	if _, err := s.git(filepath.Dir(r.dir), "clone", "--quiet", "--bare", "--no-hardlinks", path, r.dir); err != nil {
		return err
	}
	head, err := s.git(r.dir, "symbolic-ref", "--short", "HEAD")
	if err == nil {
		r.defaultBranch = strings.TrimSpace(head)
	}
	return err
}

// controlPush commits files: {"repo","branch","files":{path:text or null},
// "from","user","message","fork":"login"}. With fork the commit goes to that
// user's fork. A branch that only an open pull request from a fork has as its
// head is taken from there.
func (s *Server) controlPush(body []byte) (obj, error) {
	var q struct {
		Repo, Branch, From, User, Message, Fork string
		Files                                   map[string]*string
	}
	if err := parse(body, &q); err != nil {
		return nil, err
	}
	r, err := s.repoNamed(q.Repo)
	if err != nil {
		return nil, err
	}
	if q.Branch == "" || strings.HasPrefix(q.Branch, "-") {
		return nil, fmt.Errorf("branch %q: want a name", q.Branch)
	}
	if q.Fork != "" {
		if r, err = s.forkOf(r, q.Fork); err != nil {
			return nil, err
		}
	} else {
		r = s.pushTarget(r, q.Branch)
	}
	login := orElse(q.User, orElse(q.Fork, r.owner))
	before, after, err := s.commitFiles(r, q.Branch, orElse(q.From, r.defaultBranch), q.Files, login,
		orElse(q.Message, "Update "+q.Branch))
	if err != nil {
		return nil, err
	}
	if err := s.moved(r, q.Branch, before, after, login); err != nil {
		return nil, err
	}
	return obj{"repo": r.fullName(), "branch": q.Branch, "before": before, "sha": after}, nil
}

func orElse(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

// pushTarget is the repository in which a branch lives.
func (s *Server) pushTarget(r *repo, branch string) *repo {
	if _, here := s.revision(r, "refs/heads/"+branch); here {
		return r
	}
	for _, p := range r.pulls {
		if p.state == "open" && p.fromFork(r) && p.headRef == branch {
			return p.headRepo
		}
	}
	return r
}

// forkOf answers somebody's fork of a repository, made on first use. The App
// is not installed there.
func (s *Server) forkOf(r *repo, login string) (*repo, error) {
	for _, f := range s.repos {
		if f.parent == r && equalFold(f.owner, login) {
			return f, nil
		}
	}
	f, err := s.makeRepo(login+"/"+r.name, r.dir, "")
	if err != nil {
		return nil, err
	}
	f.fork, f.parent = true, r
	return f, nil
}

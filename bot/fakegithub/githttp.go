package fakegithub

import (
	"net/http"
	"net/http/cgi"
	"os/exec"
	"regexp"
	"strings"
)

// gitPath matches OWNER/NAME(.git)/SERVICE of git's smart protocol.
func gitPath() *regexp.Regexp {
	return regexp.MustCompile(`^/([^/]+)/([^/]+?)(?:\.git)?(/info/refs|/git-upload-pack|/git-receive-pack)$`)
}

func isGitPath(path string) bool { return gitPath().MatchString(path) }

// serveGit serves git over HTTP. Basic x-access-token:TOKEN reads, and writes
// with contents:write; a user with write permission may push with any password.
func (s *Server) serveGit(w http.ResponseWriter, r *http.Request) {
	m := gitPath().FindStringSubmatch(r.URL.Path)
	push := m[3] == "/git-receive-pack" || r.URL.Query().Get("service") == "git-receive-pack"
	s.mu.Lock()
	repository := s.findRepo(m[1], m[2])
	login, status := s.gitAccess(r, repository, push)
	s.mu.Unlock()
	if status != http.StatusOK {
		if status == http.StatusUnauthorized {
			w.Header().Set("WWW-Authenticate", `Basic realm="GitHub"`)
		}
		http.Error(w, http.StatusText(status), status)
		return
	}
	if m[3] == "/git-receive-pack" {
		s.receive(w, r, repository, m[3], login)
		return
	}
	s.gitBackend(repository, m[3]).ServeHTTP(w, r)
}

// gitAccess decides who asks and whether they may.
func (s *Server) gitAccess(r *http.Request, repository *repo, push bool) (login string, status int) {
	name, password, hasBasic := r.BasicAuth()
	if !hasBasic {
		return "", http.StatusUnauthorized
	}
	if name != "x-access-token" {
		if repository == nil || password == "" {
			return "", http.StatusNotFound
		}
		switch s.permissionOf(repository, name) {
		case "admin", "maintain", "write":
			return name, http.StatusOK
		case "read", "triage":
			if !push {
				return name, http.StatusOK
			}
			return "", http.StatusForbidden
		}
		return "", http.StatusUnauthorized
	}
	t := s.liveToken(password)
	level := "read"
	if push {
		level = "write"
	}
	switch {
	case t == nil:
		return "", http.StatusUnauthorized
	case s.inst.suspended:
		return "", http.StatusForbidden
	case repository == nil || !t.covers(repository):
		return "", http.StatusNotFound
	case !grants(t.permissions, "contents", level):
		s.note("request", r, http.StatusForbidden, "permission contents:"+level+" is missing")
		return "", http.StatusForbidden
	}
	return s.botLogin(), http.StatusOK
}

// gitBackend is git's own server for one repository.
func (s *Server) gitBackend(repository *repo, service string) http.Handler {
	git, err := exec.LookPath("git")
	if err != nil {
		return http.NotFoundHandler()
	}
	h := &cgi.Handler{
		Path: git, Args: []string{"http-backend"}, Dir: repository.dir,
		Env: append(append([]string{}, s.gitEnv...), "GIT_PROJECT_ROOT="+repository.dir, "GIT_HTTP_EXPORT_ALL=1",
			"REMOTE_USER=git"),
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		clone := r.Clone(r.Context())
		clone.URL.Path = service
		clone.Header.Del("Authorization")
		if v := r.Header.Get("Git-Protocol"); v != "" {
			h.Env = append(h.Env, "GIT_PROTOCOL="+v)
		}
		// The program path has no prefix: the service is all of the path.
		h.Root = "/"
		h.ServeHTTP(w, clone)
	})
}

// receive takes a push and tells the world which branches moved.
func (s *Server) receive(w http.ResponseWriter, r *http.Request, repository *repo, service, login string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, before := s.refs(repository, "refs/heads")
	s.gitBackend(repository, service).ServeHTTP(w, r)
	names, after := s.refs(repository, "refs/heads")
	for name := range before {
		if after[name] == "" {
			_ = s.moved(repository, strings.TrimPrefix(name, "refs/heads/"), before[name], zeroSHA, login)
		}
	}
	for _, name := range names {
		was := before[name]
		if was == after[name] {
			continue
		}
		if was == "" {
			was = zeroSHA
		}
		if err := s.moved(repository, strings.TrimPrefix(name, "refs/heads/"), was, after[name], login); err != nil {
			s.opts.Log.Error("push", "error", err)
		}
	}
}

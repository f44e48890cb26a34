package fakegithub

import (
	"net/http"
	"net/url"
	"strconv"
)

// takeForm does what a person asked for on a page and leads back to it. Forms
// of other sites are refused.
func (s *Server) takeForm(w http.ResponseWriter, r *http.Request, parts []string) {
	if o := r.Header.Get("Origin"); o != "" {
		if u, err := url.Parse(o); err != nil || u.Host != r.Host {
			http.Error(w, "form of another site", http.StatusForbidden)
			return
		}
	}
	if err := r.ParseForm(); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	s.mu.Lock()
	status, why := s.act(r.PostForm, parts)
	s.mu.Unlock()
	if why != "" {
		http.Error(w, why, status)
		return
	}
	back := "/" + parts[0] + "/" + parts[1] + "/" + parts[2] + "/" + parts[3]
	http.Redirect(w, r, back, http.StatusSeeOther)
}

// act is a form of OWNER/REPO/runs/ID or OWNER/REPO/pull/N.
func (s *Server) act(form url.Values, parts []string) (status int, why string) {
	repository := s.findRepo(parts[0], parts[1])
	n, err := strconv.Atoi(parts[3])
	if repository == nil || err != nil {
		return http.StatusNotFound, "no such page"
	}
	if parts[2] == "runs" {
		run := repository.runByID(n)
		switch {
		case run == nil:
			return http.StatusNotFound, "no such check run"
		case form.Get("rerequest") != "":
			s.rerequest(run, "")
			return http.StatusOK, ""
		}
		return s.press(run, form.Get("identifier"), "")
	}
	i := repository.issueByNumber(n)
	if i == nil {
		return http.StatusNotFound, "no such issue"
	}
	if rep, bad := badBody("IssueComment", form.Get("body"), false); bad {
		return rep.status, rep.violation
	}
	c := s.addComment(repository, i.number, orElse(form.Get("user"), i.user), form.Get("body"))
	s.commentEvent("created", repository, i, c, "")
	return http.StatusOK, ""
}

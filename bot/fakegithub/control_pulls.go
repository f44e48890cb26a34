package fakegithub

import (
	"fmt"
	"strings"
)

// controlPull opens a pull request: {"repo","head","base","title","body",
// "user","fork":false,"draft":false}. With fork the head lives in the user's fork; a branch
// of that name in the repository itself is moved there.
func (s *Server) controlPull(body []byte) (obj, error) {
	var q struct {
		Repo, Head, Base, Title, Body, User string
		Fork, Draft                         bool
	}
	if err := parse(body, &q); err != nil {
		return nil, err
	}
	r, err := s.repoNamed(q.Repo)
	if err != nil {
		return nil, err
	}
	if owner, branch, named := strings.Cut(q.Head, ":"); named {
		q.Head, q.Fork, q.User = branch, !equalFold(owner, r.owner), orElse(q.User, owner)
	}
	q.Base = orElse(q.Base, r.defaultBranch)
	q.User = orElse(q.User, "contributor")
	head := r
	if q.Fork {
		if head, err = s.headInFork(r, q.User, q.Head); err != nil {
			return nil, err
		}
	}
	headSHA, okHead := s.revision(head, "refs/heads/"+q.Head)
	baseSHA, okBase := s.revision(r, "refs/heads/"+q.Base)
	switch {
	case !okHead:
		return nil, missing{"branch " + q.Head + " of " + head.fullName()}
	case !okBase:
		return nil, missing{"branch " + q.Base + " of " + r.fullName()}
	case headSHA == baseSHA:
		return nil, fmt.Errorf("no commits between %s and %s", q.Base, q.Head)
	}
	p := &pull{
		issue: s.addIssue(r, q.User, orElse(q.Title, q.Head), q.Body), id: s.newID(), headRepo: head, headRef: q.Head,
		headSHA: headSHA,
		baseRef: q.Base, baseSHA: baseSHA, draft: q.Draft,
	}
	p.issue.pull = p
	if err := s.keepPullRefs(r, p); err != nil {
		return nil, err
	}
	r.pulls = append(r.pulls, p)
	s.pullEvent("opened", r, p, nil)
	return obj{"number": p.number, "head_sha": headSHA, "html_url": fmt.Sprintf("%s/%s/pull/%d", s.url, r.fullName(),
		p.number)}, nil
}

// headInFork brings a branch into the user's fork and takes it out of the
// repository itself.
func (s *Server) headInFork(r *repo, login, branch string) (*repo, error) {
	f, err := s.forkOf(r, login)
	if err != nil {
		return nil, err
	}
	if _, here := s.revision(r, "refs/heads/"+branch); !here || branch == r.defaultBranch {
		return f, nil
	}
	if _, err := s.git(f.dir, "fetch", "--quiet", r.dir, "+refs/heads/"+branch+":refs/heads/"+branch); err != nil {
		return nil, err
	}
	_, err = s.git(r.dir, "update-ref", "-d", "refs/heads/"+branch)
	return f, err
}

// pullRequest decodes {"repo","number","user"} and finds the pull request.
func (s *Server) pullRequest(body []byte, state string) (*repo, *pull, string, error) {
	var q struct {
		Repo, User string
		Number     int
	}
	if err := parse(body, &q); err != nil {
		return nil, nil, "", err
	}
	r, err := s.repoNamed(q.Repo)
	if err != nil {
		return nil, nil, "", err
	}
	p := r.pullByNumber(q.Number)
	if p == nil {
		return nil, nil, "", missing{fmt.Sprintf("pull request %d of %s", q.Number, q.Repo)}
	}
	if p.state != state {
		return nil, nil, "", fmt.Errorf("pull request %d is %s", p.number, p.state)
	}
	return r, p, orElse(q.User, p.user), nil
}

// controlClose closes a pull request: {"repo","number","user"}.
func (s *Server) controlClose(body []byte) (obj, error) {
	r, p, login, err := s.pullRequest(body, "open")
	if err != nil {
		return nil, err
	}
	s.closePull(r, p, login)
	return obj{"number": p.number, "state": p.state}, nil
}

func (s *Server) closePull(r *repo, p *pull, login string) {
	now := s.now()
	p.state, p.closed, p.updated = "closed", &now, now
	s.pullEvent("closed", r, p, obj{"sender": s.renderUser(login)})
}

// controlReopen opens a closed pull request again: {"repo","number","user"}.
func (s *Server) controlReopen(body []byte) (obj, error) {
	r, p, login, err := s.pullRequest(body, "closed")
	if err != nil {
		return nil, err
	}
	if p.merged != nil {
		return nil, fmt.Errorf("pull request %d is merged", p.number)
	}
	p.state, p.closed, p.updated = "open", nil, s.now()
	s.pullEvent("reopened", r, p, obj{"sender": s.renderUser(login)})
	return obj{"number": p.number, "state": p.state}, nil
}

// controlMerge merges a pull request: {"repo","number","user"}.
func (s *Server) controlMerge(body []byte) (obj, error) {
	r, p, login, err := s.pullRequest(body, "open")
	if err != nil {
		return nil, err
	}
	if !p.mergeable {
		return nil, fmt.Errorf("pull request %d is not mergeable", p.number)
	}
	before := p.baseSHA
	if _, err := s.git(r.dir, "update-ref", "refs/heads/"+p.baseRef, p.mergeSHA, before); err != nil {
		return nil, err
	}
	now := s.now()
	p.merged, p.mergedBy = &now, login
	s.closePull(r, p, login)
	if err := s.moved(r, p.baseRef, before, p.mergeSHA, login); err != nil {
		return nil, err
	}
	return obj{"number": p.number, "state": p.state, "sha": p.mergeSHA}, nil
}

// controlComment writes a comment: {"repo","number","user","body"}.
func (s *Server) controlComment(body []byte) (obj, error) {
	var q struct {
		Repo, User, Body string
		Number           int
	}
	if err := parse(body, &q); err != nil {
		return nil, err
	}
	r, err := s.repoNamed(q.Repo)
	if err != nil {
		return nil, err
	}
	i := r.issueByNumber(q.Number)
	if i == nil {
		return nil, missing{fmt.Sprintf("issue %d of %s", q.Number, q.Repo)}
	}
	if rep, bad := badBody("IssueComment", q.Body, false); bad {
		return nil, fmt.Errorf("%s", rep.violation)
	}
	c := s.addComment(r, i.number, orElse(q.User, i.user), q.Body)
	s.commentEvent("created", r, i, c, "")
	return obj{"id": c.id}, nil
}

// controlEdit edits a comment: {"comment":ID,"body"}.
func (s *Server) controlEdit(body []byte) (obj, error) {
	var q struct {
		Comment int
		Body    string
	}
	if err := parse(body, &q); err != nil {
		return nil, err
	}
	for _, r := range s.repos {
		if c := r.commentByID(q.Comment); c != nil {
			old := c.body
			c.body, c.updated = q.Body, s.now()
			s.commentEvent("edited", r, r.issueByNumber(c.number), c, old)
			return obj{"id": c.id}, nil
		}
	}
	return nil, missing{fmt.Sprintf("comment %d", q.Comment)}
}

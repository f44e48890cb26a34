package fakegithub

import "fmt"

// controlReady takes a draft out of its state: {"repo","number","user"}.
func (s *Server) controlReady(body []byte) (obj, error) {
	r, p, login, err := s.pullRequest(body, "open")
	if err != nil {
		return nil, err
	}
	if !p.draft {
		return nil, fmt.Errorf("pull request %d is no draft", p.number)
	}
	p.draft, p.updated = false, s.now()
	s.pullEvent("ready_for_review", r, p, obj{"sender": s.renderUser(login)})
	return obj{"number": p.number}, nil
}

// controlRetarget gives a pull request another base branch: {"repo","number","base","user"}.
func (s *Server) controlRetarget(body []byte) (obj, error) {
	r, p, login, err := s.pullRequest(body, "open")
	if err != nil {
		return nil, err
	}
	var q struct{ Base string }
	if err := parse(body, &q); err != nil {
		return nil, err
	}
	sha, found := s.revision(r, "refs/heads/"+q.Base)
	if !found {
		return nil, missing{"branch " + q.Base + " of " + r.fullName()}
	}
	changes := obj{"base": obj{"ref": obj{"from": p.baseRef}, "sha": obj{"from": p.baseSHA}}}
	p.baseRef, p.baseSHA, p.updated = q.Base, sha, s.now()
	if err := s.keepPullRefs(r, p); err != nil {
		return nil, err
	}
	s.pullEvent("edited", r, p, obj{"changes": changes, "sender": s.renderUser(login)})
	return obj{"number": p.number, "base": q.Base}, nil
}

// controlMergeGroup puts a pull request alone into the merge queue:
// {"repo","number","user"}. Its merge commit goes to a branch of the queue, and
// the checks of that are asked for.
func (s *Server) controlMergeGroup(body []byte) (obj, error) {
	r, p, login, err := s.pullRequest(body, "open")
	if err != nil {
		return nil, err
	}
	if !p.mergeable {
		return nil, fmt.Errorf("pull request %d is not mergeable", p.number)
	}
	branch := fmt.Sprintf("gh-readonly-queue/%s/pr-%d-%s", p.baseRef, p.number, p.baseSHA)
	if _, err := s.git(r.dir, "update-ref", "refs/heads/"+branch, p.mergeSHA); err != nil {
		return nil, err
	}
	if err := s.moved(r, branch, zeroSHA, p.mergeSHA, login); err != nil {
		return nil, err
	}
	g, _ := s.commit(r, p.mergeSHA)
	c := s.pushCommit(r, g)
	s.emit("merge_group", "checks_requested", r, obj{"sender": s.renderUser(login), "merge_group": obj{
		"head_sha": p.mergeSHA, "head_ref": "refs/heads/" + branch, "base_sha": p.baseSHA, "base_ref": "refs/heads/" +
			p.baseRef,
		"head_commit": obj{"id": c["id"], "tree_id": c["tree_id"], "message": c["message"], "timestamp": c["timestamp"],
			"author": c["author"], "committer": c["committer"]},
	}})
	return obj{"sha": p.mergeSHA, "branch": branch}, nil
}

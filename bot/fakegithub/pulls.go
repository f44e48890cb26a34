package fakegithub

import (
	"fmt"
	"strings"
)

func (s *Server) renderPullEnd(r *repo, ref, sha string) obj {
	return obj{
		"label": r.owner + ":" + ref, "ref": ref, "sha": sha, "user": s.renderUser(r.owner), "repo": s.renderRepo(r),
	}
}

// renderPull holds the fields of pull-request-simple.
func (s *Server) renderPull(base *repo, p *pull) obj {
	api := s.url + "/repos/" + base.fullName()
	url := fmt.Sprintf("%s/pulls/%d", api, p.number)
	html := fmt.Sprintf("%s/%s/pull/%d", s.url, base.fullName(), p.number)
	issueURL := fmt.Sprintf("%s/issues/%d", api, p.number)
	href := func(u string) obj { return obj{"href": u} }
	var mergeSHA any
	if p.mergeSHA != "" {
		mergeSHA = p.mergeSHA
	}
	return obj{
		"id": p.id, "node_id": nodeID("PullRequest", p.id), "number": p.number, "url": url, "html_url": html,
		"diff_url": html + ".diff", "patch_url": html + ".patch",
		"issue_url": issueURL, "commits_url": url + "/commits", "review_comments_url": url + "/comments",
		"review_comment_url": api + "/pulls/comments{/number}",
		"comments_url":       issueURL + "/comments", "statuses_url": api + "/statuses/" + p.headSHA, "state": p.state,
		"locked": false, "title": p.title, "body": p.body,
		"user": s.renderUser(p.user), "labels": each(p.labels, func(l string) obj { return s.renderLabel(base, l) }),
		"milestone": nil, "active_lock_reason": nil,
		"created_at": stamp(p.created), "updated_at": stamp(p.updated), "closed_at": stampOrNil(p.closed),
		"merged_at": stampOrNil(p.merged), "merge_commit_sha": mergeSHA,
		"assignee": nil, "assignees": []obj{}, "requested_reviewers": []obj{}, "requested_teams": []obj{},
		"draft": p.draft,
		"head":  s.renderPullEnd(p.headRepo, p.headRef, p.headSHA), "base": s.renderPullEnd(base, p.baseRef, p.baseSHA),
		"author_association": s.association(base, p.user), "auto_merge": nil,
		"_links": obj{
			"self": href(url), "html": href(html), "issue": href(issueURL), "comments": href(issueURL + "/comments"),
			"review_comments": href(url + "/comments"),
			"review_comment":  href(api + "/pulls/comments{/number}"), "commits": href(url + "/commits"),
			"statuses": href(api + "/statuses/" + p.headSHA),
		},
	}
}

// renderFullPull adds what only a single pull request and its webhooks have.
func (s *Server) renderFullPull(base *repo, p *pull) obj {
	o := s.renderPull(base, p)
	added, deleted := 0, 0
	files := s.pullChanges(base, p)
	for _, f := range files {
		added, deleted = added+f.added, deleted+f.deleted
	}
	comments := 0
	for _, c := range base.comments {
		if c.number == p.number {
			comments++
		}
	}
	state := "clean"
	if !p.mergeable {
		state = "dirty"
	}
	o["merged"], o["mergeable"], o["rebaseable"], o["mergeable_state"] = p.merged != nil, p.mergeable, p.mergeable,
		state
	o["merged_by"] = nil
	if p.merged != nil {
		o["merged_by"] = s.renderUser(p.mergedBy)
	}
	o["comments"], o["review_comments"], o["maintainer_can_modify"] = comments, 0, p.fromFork(base)
	o["commits"], o["additions"], o["deletions"], o["changed_files"] = len(s.pullCommits(base, p)), added, deleted,
		len(files)
	return o
}

// renderPullStub is pull-request-minimal, as check runs carry it.
func (s *Server) renderPullStub(base *repo, p *pull) obj {
	end := func(r *repo, ref, sha string) obj {
		return obj{"ref": ref, "sha": sha, "repo": obj{"id": r.id, "name": r.name, "url": s.url + "/repos/" +
			r.fullName()}}
	}
	return obj{
		"id": p.id, "number": p.number, "url": fmt.Sprintf("%s/repos/%s/pulls/%d", s.url, base.fullName(), p.number),
		"head": end(p.headRepo, p.headRef, p.headSHA), "base": end(base, p.baseRef, p.baseSHA),
	}
}

// pullsOf are the open pull requests of a head commit, as the Checks API shows
// them: those from forks are not (OpenAPI, note of checks/create).
func (s *Server) pullsOf(r *repo, sha string) []obj {
	out := []obj{}
	for _, p := range r.pulls {
		if p.state == "open" && p.headSHA == sha && !p.fromFork(r) {
			out = append(out, s.renderPullStub(r, p))
		}
	}
	return out
}

func (s *Server) pullChanges(r *repo, p *pull) []fileChange {
	base := s.mergeBase(r, p.baseSHA, p.headSHA)
	if base == "" {
		base = emptyTree
	}
	return s.changes(r, base, p.headSHA)
}

// pullCommits are the commits that the pull request brings, oldest first.
func (s *Server) pullCommits(r *repo, p *pull) []gitCommit {
	return s.commits(r, 250, "--reverse", p.baseSHA+".."+p.headSHA)
}

// text answers a comparison as the diff or the patch that Accept asks for.
func (c *call) text(base, head string) (reply, bool) {
	accept := c.r.Header.Get("Accept")
	var args []string
	switch {
	case strings.Contains(accept, ".diff"):
		args = []string{"diff", "-M", base + "..." + head}
	case strings.Contains(accept, ".patch"):
		args = []string{"format-patch", "--stdout", base + ".." + head}
	default:
		return reply{}, false
	}
	out, err := c.s.git(c.repo.dir, args...)
	if err != nil {
		return notFound(), true
	}
	return reply{status: 200, raw: []byte(out), rawType: "text/plain; charset=utf-8"}, true
}

func (c *call) getPull() reply {
	p := c.repo.pullByNumber(c.number("pull_number"))
	if p == nil {
		return notFound()
	}
	if rep, asked := c.text(p.baseSHA, p.headSHA); asked {
		return rep
	}
	return ok(c.s.renderFullPull(c.repo, p))
}

func (c *call) listPulls() reply {
	state := c.query.Get("state")
	if state == "" {
		state = "open"
	}
	var list []*pull
	for i := len(c.repo.pulls) - 1; i >= 0; i-- { // newest first
		p := c.repo.pulls[i]
		head := c.query.Get("head")
		if state != "all" && p.state != state || c.query.Get("base") != "" && p.baseRef != c.query.Get("base") ||
			head != "" && head != p.headRepo.owner+":"+p.headRef {
			continue
		}
		list = append(list, p)
	}
	return ok(each(page(c, list), func(p *pull) obj { return c.s.renderPull(c.repo, p) }))
}

// listPullFiles answers at most 3,000 files, GitHub's limit.
func (c *call) listPullFiles() reply {
	p := c.repo.pullByNumber(c.number("pull_number"))
	if p == nil {
		return notFound()
	}
	files := c.s.pullChanges(c.repo, p)
	files = files[:min(len(files), 3000)]
	return ok(each(page(c, files), func(f fileChange) obj { return c.s.renderChange(c.repo, p.headSHA, f) }))
}

func (c *call) listPullCommits() reply {
	p := c.repo.pullByNumber(c.number("pull_number"))
	if p == nil {
		return notFound()
	}
	return ok(each(page(c, c.s.pullCommits(c.repo, p)), func(g gitCommit) obj { return c.s.renderCommit(c.repo, g) }))
}

func (c *call) listCommitPulls() reply {
	var list []*pull
	for _, p := range c.repo.pulls {
		for _, g := range c.s.pullCommits(c.repo, p) {
			if g.sha == c.param("commit_sha") {
				list = append(list, p)
			}
		}
	}
	return ok(each(page(c, list), func(p *pull) obj { return c.s.renderPull(c.repo, p) }))
}

// compare answers BASE...HEAD.
func (c *call) compare() reply {
	baseName, headName, found := strings.Cut(c.param("basehead"), "...")
	base, okBase := c.s.revision(c.repo, baseName)
	head, okHead := c.s.revision(c.repo, headName)
	if !found || !okBase || !okHead {
		return notFound()
	}
	fork := c.s.mergeBase(c.repo, base, head)
	if fork == "" {
		return failure(404, "No common ancestor between "+baseName+" and "+headName+".")
	}
	if rep, asked := c.text(base, head); asked {
		return rep
	}
	ahead := c.s.commits(c.repo, 0, "--reverse", fork+".."+head)
	behind := c.s.commits(c.repo, 0, fork+".."+base)
	status := "identical"
	switch {
	case len(ahead) > 0 && len(behind) > 0:
		status = "diverged"
	case len(ahead) > 0:
		status = "ahead"
	case len(behind) > 0:
		status = "behind"
	}
	baseCommit, _ := c.s.commit(c.repo, base)
	forkCommit, _ := c.s.commit(c.repo, fork)
	files := c.s.changes(c.repo, fork, head)
	html := c.s.url + "/" + c.repo.fullName() + "/compare/" + c.param("basehead")
	return ok(obj{
		"url": c.s.url + "/repos/" + c.repo.fullName() + "/compare/" + c.param("basehead"), "html_url": html,
		"permalink_url": html,
		"diff_url":      html + ".diff", "patch_url": html + ".patch", "base_commit": c.s.renderCommit(c.repo,
			baseCommit),
		"merge_base_commit": c.s.renderCommit(c.repo, forkCommit), "status": status, "ahead_by": len(ahead),
		"behind_by":     len(behind),
		"total_commits": len(ahead), "commits": each(page(c, ahead),
			func(g gitCommit) obj { return c.s.renderCommit(c.repo, g) }),
		"files": each(files[:min(len(files), 300)], func(f fileChange) obj {
			return c.s.renderChange(c.repo, head,
				f)
		}),
	})
}

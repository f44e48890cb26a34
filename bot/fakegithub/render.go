package fakegithub

import (
	"encoding/base64"
	"fmt"
	"strings"
)

func nodeID(kind string, id int) string {
	return base64.StdEncoding.EncodeToString([]byte(fmt.Sprintf("%02d:%s%d", len(kind), kind, id)))
}

// renderUser is a simple-user.
func (s *Server) renderUser(login string) obj {
	u := s.userNamed(login)
	api := s.url + "/users/" + u.login
	kind := "User"
	if u.bot {
		kind = "Bot"
	}
	o := obj{
		"login": u.login, "id": u.id, "node_id": nodeID("User", u.id), "avatar_url": s.url + "/avatars/" + u.login,
		"gravatar_id": "", "url": api, "html_url": s.url + "/" + u.login, "type": kind, "site_admin": false,
		"following_url": api + "/following{/other_user}", "gists_url": api + "/gists{/gist_id}",
		"starred_url": api + "/starred{/owner}{/repo}",
		"events_url":  api + "/events{/privacy}",
	}
	for _, name := range []string{"followers", "subscriptions", "repos", "received_events"} {
		o[name+"_url"] = api + "/" + name
	}
	o["organizations_url"] = api + "/orgs"
	return o
}

// renderRepo holds the fields of full-repository and of its lesser forms.
func (s *Server) renderRepo(r *repo) obj {
	api := s.url + "/repos/" + r.fullName()
	html := s.url + "/" + r.fullName()
	open := 0
	for _, i := range r.issues {
		if i.state == "open" {
			open++
		}
	}
	o := obj{
		"id": r.id, "node_id": nodeID("Repository", r.id), "name": r.name, "full_name": r.fullName(),
		"owner":   s.renderUser(r.owner),
		"private": !r.public, "visibility": visibility(r), "html_url": html, "description": nil, "fork": r.fork,
		"url":            api,
		"default_branch": r.defaultBranch,
		"clone_url":      html + ".git", "git_url": strings.Replace(html, "http://", "git://", 1) + ".git",
		"ssh_url": "git@localhost:" + r.fullName() + ".git", "svn_url": html,
		"homepage": nil, "language": "C", "license": nil, "mirror_url": nil, "archived": false, "disabled": false,
		"size":  1,
		"forks": 0, "forks_count": 0, "open_issues": open, "open_issues_count": open, "stargazers_count": 0,
		"watchers": 0, "watchers_count": 0,
		"network_count": 0, "subscribers_count": 0, "has_issues": true, "has_projects": false, "has_wiki": false,
		"has_pages":       false,
		"has_discussions": false, "has_downloads": false, "allow_forking": true, "is_template": false,
		"web_commit_signoff_required": false, "topics": []string{},
		"created_at": stamp(r.created), "updated_at": stamp(r.pushed), "pushed_at": stamp(r.pushed),
	}
	for name, suffix := range map[string]string{
		"archive": "/{archive_format}{/ref}", "assignees": "/assignees{/user}", "blobs": "/git/blobs{/sha}",
		"branches":      "/branches{/branch}",
		"collaborators": "/collaborators{/collaborator}", "comments": "/comments{/number}",
		"commits": "/commits{/sha}", "compare": "/compare/{base}...{head}",
		"contents": "/contents/{+path}", "contributors": "/contributors", "deployments": "/deployments",
		"downloads": "/downloads", "events": "/events",
		"forks": "/forks", "git_commits": "/git/commits{/sha}", "git_refs": "/git/refs{/sha}",
		"git_tags": "/git/tags{/sha}", "hooks": "/hooks",
		"issue_comment": "/issues/comments{/number}", "issue_events": "/issues/events{/number}",
		"issues": "/issues{/number}", "keys": "/keys{/key_id}",
		"labels": "/labels{/name}", "languages": "/languages", "merges": "/merges",
		"milestones": "/milestones{/number}", "notifications": "/notifications{?since,all,participating}",
		"pulls": "/pulls{/number}", "releases": "/releases{/id}", "stargazers": "/stargazers",
		"statuses": "/statuses/{sha}", "subscribers": "/subscribers",
		"subscription": "/subscription", "tags": "/tags", "teams": "/teams", "trees": "/git/trees{/sha}",
	} {
		o[name+"_url"] = api + suffix
	}
	return o
}

func visibility(r *repo) string {
	if r.public {
		return "public"
	}
	return "private"
}

// renderApp is the integration.
func (s *Server) renderApp() obj {
	return obj{
		"id": s.app.appID, "slug": s.opts.AppSlug, "node_id": nodeID("Integration", s.app.appID),
		"client_id": s.app.clientID,
		"owner":     s.renderUser(s.inst.account), "name": s.appName, "description": "", "external_url": s.url,
		"html_url":   s.url + "/apps/" + s.opts.AppSlug,
		"created_at": stamp(s.created), "updated_at": stamp(s.created), "permissions": s.opts.Permissions,
		"events": appEvents(),
	}
}

// appEvents returns what the App is subscribed to, sorted.
func appEvents() []string {
	return []string{"check_run", "check_suite", "issue_comment", "pull_request", "push", "repository"}
}

// botLogin is the login under which the App writes.
func (s *Server) botLogin() string { return s.opts.AppSlug + "[bot]" }

func (s *Server) renderInstallation() obj {
	api := s.url + "/app/installations/" + fmt.Sprint(s.inst.id)
	account := s.renderUser(s.inst.account)
	o := obj{
		"id": s.inst.id, "account": account, "app_id": s.app.appID, "app_slug": s.opts.AppSlug,
		"client_id": s.app.clientID, "target_id": account["id"],
		"target_type": "Organization", "single_file_name": nil, "has_multiple_single_files": false,
		"single_file_paths":    []string{},
		"repository_selection": "selected", "access_tokens_url": api + "/access_tokens", "repositories_url": s.url +
			"/installation/repositories",
		"html_url": s.url + "/settings/installations/" + fmt.Sprint(s.inst.id), "events": appEvents(),
		"permissions": s.opts.Permissions,
		"created_at":  stamp(s.inst.created), "updated_at": stamp(s.inst.updated), "suspended_by": nil,
		"suspended_at": nil,
	}
	if s.inst.suspended {
		o["suspended_by"], o["suspended_at"] = account, stamp(s.inst.updated)
	}
	return o
}

func (c gitCommit) person(author bool) obj {
	if author {
		return obj{"name": c.author, "email": c.email, "date": c.authored}
	}
	return obj{"name": c.committer, "email": c.mail, "date": c.committed}
}

func unverified() obj {
	return obj{"verified": false, "reason": "unsigned", "signature": nil, "payload": nil, "verified_at": nil}
}

// renderCommit is a commit of the repository's history.
func (s *Server) renderCommit(r *repo, c gitCommit) obj {
	api := s.url + "/repos/" + r.fullName()
	html := s.url + "/" + r.fullName() + "/commit/"
	parents := each(c.parents, func(p string) obj {
		return obj{"sha": p, "url": api + "/commits/" + p, "html_url": html + p}
	})
	return obj{
		"sha": c.sha, "node_id": nodeID("Commit", len(c.sha)), "url": api + "/commits/" + c.sha,
		"html_url":     html + c.sha,
		"comments_url": api + "/commits/" + c.sha + "/comments", "author": s.renderUser(c.author),
		"committer": s.renderUser(c.committer), "parents": parents,
		"commit": obj{
			"url": api + "/git/commits/" + c.sha, "author": c.person(true), "committer": c.person(false),
			"message": c.message, "comment_count": 0,
			"tree": obj{"sha": c.tree, "url": api + "/git/trees/" + c.tree}, "verification": unverified(),
		},
	}
}

// renderChange is a diff-entry.
func (s *Server) renderChange(r *repo, head string, c fileChange) obj {
	html := s.url + "/" + r.fullName()
	o := obj{
		"sha": c.sha, "filename": c.path, "status": c.status, "additions": c.added, "deletions": c.deleted,
		"changes":  c.added + c.deleted,
		"blob_url": html + "/blob/" + head + "/" + c.path, "raw_url": html + "/raw/" + head + "/" + c.path,
		"contents_url": s.url + "/repos/" + r.fullName() + "/contents/" + c.path + "?ref=" + head,
	}
	if c.patch != "" {
		o["patch"] = c.patch
	}
	if c.previous != "" {
		o["previous_filename"] = c.previous
	}
	return o
}

// reactionSums is GitHub's reaction-rollup.
func reactionSums(url string, list []*reaction) obj {
	o := obj{"url": url, "total_count": len(list)}
	for _, content := range []string{"+1", "-1", "laugh", "confused", "heart", "hooray", "eyes", "rocket"} {
		n := 0
		for _, r := range list {
			if r.content == content {
				n++
			}
		}
		o[content] = n
	}
	return o
}

func (s *Server) renderReaction(r *reaction) obj {
	return obj{"id": r.id, "node_id": nodeID("Reaction", r.id), "user": s.renderUser(r.user), "content": r.content,
		"created_at": stamp(r.created)}
}

// association is how GitHub calls somebody's relation to a repository.
func (s *Server) association(r *repo, login string) string {
	switch s.permissionOf(r, login) {
	case "admin", "maintain":
		return "OWNER"
	case "write", "triage":
		return "COLLABORATOR"
	}
	return "NONE"
}

func (s *Server) renderComment(c *comment) obj {
	api := s.url + "/repos/" + c.repo.fullName() + "/issues"
	url := fmt.Sprintf("%s/comments/%d", api, c.id)
	return obj{
		"id": c.id, "node_id": nodeID("IssueComment", c.id), "url": url,
		"html_url":  fmt.Sprintf("%s/%s/issues/%d#issuecomment-%d", s.url, c.repo.fullName(), c.number, c.id),
		"issue_url": fmt.Sprintf("%s/%d", api, c.number), "user": s.renderUser(c.user), "body": c.body,
		"author_association": s.association(c.repo, c.user),
		"created_at":         stamp(c.created), "updated_at": stamp(c.updated), "performed_via_github_app": nil,
		"reactions": reactionSums(url+"/reactions", c.reactions),
	}
}

func (s *Server) renderIssue(r *repo, i *issue) obj {
	api := s.url + "/repos/" + r.fullName()
	url := fmt.Sprintf("%s/issues/%d", api, i.number)
	kind := "issues"
	comments := 0
	for _, c := range r.comments {
		if c.number == i.number {
			comments++
		}
	}
	if i.pull != nil {
		kind = "pull"
	}
	html := fmt.Sprintf("%s/%s/%s/%d", s.url, r.fullName(), kind, i.number)
	o := obj{
		"id": i.id, "node_id": nodeID("Issue", i.id), "number": i.number, "title": i.title, "body": i.body,
		"state": i.state, "state_reason": i.stateReason,
		"user": s.renderUser(i.user), "labels": each(i.labels, func(l string) obj { return s.renderLabel(r, l) }),
		"assignee": nil, "assignees": []obj{}, "milestone": nil,
		"locked": false, "active_lock_reason": nil, "comments": comments, "author_association": s.association(r,
			i.user), "repository_url": api, "url": url, "html_url": html,
		"labels_url": url + "/labels{/name}", "comments_url": url + "/comments", "events_url": url + "/events",
		"timeline_url":             url + "/timeline",
		"performed_via_github_app": nil, "created_at": stamp(i.created), "updated_at": stamp(i.updated),
		"closed_at": stampOrNil(i.closed), "closed_by": nil,
		"reactions": reactionSums(url+"/reactions", i.reactions),
	}
	if i.pull != nil {
		pulls := fmt.Sprintf("%s/pulls/%d", api, i.number)
		o["pull_request"] = obj{"url": pulls, "html_url": html, "diff_url": html + ".diff",
			"patch_url": html + ".patch", "merged_at": stampOrNil(i.pull.merged)}
		o["draft"] = i.pull.draft
	}
	return o
}

func (s *Server) renderLabel(r *repo, name string) obj {
	id := 0
	for _, b := range []byte(name) {
		id = id*31 + int(b)
	}
	id = id&0xffffff + 1
	return obj{
		"id": id, "node_id": nodeID("Label", id), "url": s.url + "/repos/" + r.fullName() + "/labels/" + name,
		"name": name, "color": "ededed",
		"default": false, "description": nil,
	}
}

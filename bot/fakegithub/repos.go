package fakegithub

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"net/url"
	"path"
	"regexp"
	"strings"
)

func (c *call) getRepo() reply {
	o := c.s.renderRepo(c.repo)
	o["permissions"] = obj{"admin": false, "maintain": false, "push": false, "triage": false, "pull": true}
	return ok(o)
}

func (c *call) getUser() reply {
	for _, u := range c.s.users {
		if equalFold(u.login, c.param("username")) {
			return ok(c.s.renderPublicUser(u.login))
		}
	}
	return notFound()
}

// getViewer answers who a token of the web flow belongs to.
func (c *call) getViewer() reply { return ok(c.s.renderPublicUser(c.user)) }

// renderPublicUser is a public-user.
func (s *Server) renderPublicUser(login string) obj {
	o := s.renderUser(login)
	for _, field := range []string{"name", "company", "blog", "location", "email", "hireable", "bio"} {
		o[field] = nil
	}
	for _, field := range []string{"public_repos", "public_gists", "followers", "following"} {
		o[field] = 0
	}
	o["created_at"], o["updated_at"], o["user_view_type"] = stamp(s.created), stamp(s.created), "public"
	return o
}

// getPermission answers in the four words of the old model, with the finer
// role beside (maintain is write, triage is read).
func (c *call) getPermission() reply {
	role := c.s.permissionOf(c.repo, c.param("username"))
	coarse := map[string]string{"admin": "admin", "maintain": "write", "write": "write", "triage": "read",
		"read": "read"}[role]
	if coarse == "" {
		coarse, role = "none", "none"
	}
	u := c.s.renderUser(c.param("username"))
	u["role_name"] = role
	u["permissions"] = obj{
		"admin": role == "admin", "maintain": role == "admin" || role == "maintain", "push": coarse == "admin" ||
			coarse == "write",
		"triage": role != "read" && role != "none", "pull": role != "none",
	}
	return ok(obj{"permission": coarse, "role_name": role, "user": u})
}

func (c *call) branchStub(ref, sha string) obj {
	name := strings.TrimPrefix(ref, "refs/heads/")
	return obj{"name": name, "protected": false, "commit": obj{"sha": sha, "url": c.s.url + "/repos/" +
		c.repo.fullName() + "/commits/" + sha}}
}

func (c *call) listBranches() reply {
	names, sha := c.s.refs(c.repo, "refs/heads")
	return ok(each(page(c, names), func(n string) obj { return c.branchStub(n, sha[n]) }))
}

func (c *call) getBranch() reply {
	_, sha := c.s.refs(c.repo, "refs/heads")
	ref := "refs/heads/" + c.param("branch")
	if sha[ref] == "" {
		return failure(http.StatusNotFound, "Branch not found")
	}
	o := c.branchStub(ref, sha[ref])
	g, _ := c.s.commit(c.repo, sha[ref])
	api := c.s.url + "/repos/" + c.repo.fullName() + "/branches/" + c.param("branch")
	o["commit"] = c.s.renderCommit(c.repo, g)
	o["_links"] = obj{"self": api, "html": c.s.url + "/" + c.repo.fullName() + "/tree/" + c.param("branch")}
	o["protection"] = obj{"enabled": false, "required_status_checks": obj{"enforcement_level": "off",
		"contexts": []string{}, "checks": []obj{}}}
	o["protection_url"] = api + "/protection"
	return ok(o)
}

func (c *call) getCommit() reply {
	sha, found := c.s.revision(c.repo, c.param("ref"))
	if !found {
		return withoutCommit(c.param("ref"))
	}
	g, _ := c.s.commit(c.repo, sha)
	o := c.s.renderCommit(c.repo, g)
	parent := emptyTree
	if len(g.parents) > 0 {
		parent = g.parents[0]
	}
	files := c.s.changes(c.repo, parent, sha)
	added, deleted := 0, 0
	for _, f := range files {
		added, deleted = added+f.added, deleted+f.deleted
	}
	o["stats"] = obj{"additions": added, "deletions": deleted, "total": added + deleted}
	o["files"] = each(page(c, files), func(f fileChange) obj { return c.s.renderChange(c.repo, sha, f) })
	return ok(o)
}

func withoutCommit(ref string) reply { return failure(422, "No commit found for SHA: "+ref) }

func (c *call) renderRef(name, sha string) obj {
	api := c.s.url + "/repos/" + c.repo.fullName() + "/git/"
	return obj{"ref": name, "node_id": nodeID("Ref", len(name)), "url": api + name, "object": obj{"type": "commit",
		"sha": sha, "url": api + "commits/" + sha}}
}

func (c *call) getRef() reply {
	_, sha := c.s.refs(c.repo, "refs")
	name := "refs/" + c.param("ref")
	if sha[name] == "" {
		return notFound()
	}
	return ok(c.renderRef(name, sha[name]))
}

func (c *call) listRefs() reply {
	names, sha := c.s.refs(c.repo, "refs")
	list := []obj{}
	for _, n := range names {
		if strings.HasPrefix(n, "refs/"+c.param("ref")) {
			list = append(list, c.renderRef(n, sha[n]))
		}
	}
	return ok(list)
}

func (c *call) getGitCommit() reply {
	sha := c.param("commit_sha")
	g, found := gitCommit{}, false
	if fullSHA().MatchString(sha) {
		g, found = c.s.commit(c.repo, sha)
	}
	if !found {
		return notFound()
	}
	full := c.s.renderCommit(c.repo, g)
	inner := full["commit"].(obj)
	return ok(obj{
		"sha": g.sha, "node_id": full["node_id"], "url": inner["url"], "html_url": full["html_url"],
		"author": inner["author"], "committer": inner["committer"],
		"message": g.message, "tree": inner["tree"], "parents": full["parents"], "verification": inner["verification"],
	})
}

func fullSHA() *regexp.Regexp { return regexp.MustCompile(`^[0-9a-f]{40}$`) }

// getContents answers a file, a directory's list, a symbolic link or a
// submodule.
func (c *call) getContents() reply {
	ref := c.query.Get("ref")
	if ref == "" {
		ref = c.repo.defaultBranch
	}
	sha, found := c.s.revision(c.repo, ref)
	if !found {
		return failure(http.StatusNotFound, "No commit found for the ref "+ref)
	}
	name := strings.Trim(c.param("path"), "/")
	if name == "" {
		return c.directory(sha, "", ref)
	}
	entries := c.s.list(c.repo, sha, name)
	if len(entries) != 1 || entries[0].path != name {
		return notFound()
	}
	e := entries[0]
	if e.kind == "tree" {
		return c.directory(sha, name+"/", ref)
	}
	o := c.contentStub(e, ref)
	if e.kind == "commit" {
		o["submodule_git_url"] = ""
		return ok(o)
	}
	blob, err := c.s.git(c.repo.dir, "cat-file", "blob", e.sha)
	if err != nil {
		return notFound()
	}
	if strings.Contains(c.r.Header.Get("Accept"), "raw") {
		return reply{status: http.StatusOK, raw: []byte(blob),
			rawType: "application/vnd.github.raw+json; charset=utf-8"}
	}
	if e.mode == "120000" {
		o["target"] = blob
		return ok(o)
	}
	o["encoding"], o["content"] = "base64", wrap(base64.StdEncoding.EncodeToString([]byte(blob)))
	return ok(o)
}

// wrap cuts base64 into lines of 60, as GitHub sends it.
func wrap(s string) string {
	var b strings.Builder
	for len(s) > 60 {
		b.WriteString(s[:60] + "\n")
		s = s[60:]
	}
	if s != "" {
		b.WriteString(s + "\n")
	}
	return b.String()
}

func (c *call) directory(sha, prefix, ref string) reply {
	return ok(each(c.s.list(c.repo, sha, prefix), func(e treeEntry) obj { return c.contentStub(e, ref) }))
}

func (c *call) contentStub(e treeEntry, ref string) obj {
	kind := map[string]string{"tree": "dir", "commit": "submodule", "blob": "file"}[e.kind]
	if e.mode == "120000" {
		kind = "symlink"
	}
	api := c.s.url + "/repos/" + c.repo.fullName()
	escaped := (&url.URL{Path: e.path}).EscapedPath()
	self := fmt.Sprintf("%s/contents/%s?ref=%s", api, escaped, url.QueryEscape(ref))
	html := fmt.Sprintf("%s/%s/blob/%s/%s", c.s.url, c.repo.fullName(), url.PathEscape(ref), escaped)
	gitURL := api + "/git/" + e.kind + "s/" + e.sha
	o := obj{
		"type": kind, "name": path.Base(e.path), "path": e.path, "sha": e.sha, "size": e.size, "url": self,
		"html_url": html, "git_url": gitURL,
		"download_url": nil, "_links": obj{"self": self, "git": gitURL, "html": html},
	}
	if e.kind == "blob" {
		o["download_url"] = strings.Replace(html, "/blob/", "/raw/", 1)
	}
	return o
}

package fakegithub

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"sort"
	"strconv"
	"time"
)

func (c *call) getApp() reply {
	o := c.s.renderApp()
	o["installations_count"] = 1
	return ok(o)
}

func (c *call) getHookConfig() reply {
	return ok(obj{"url": c.s.opts.DeliverTo, "content_type": "json", "secret": "********", "insecure_ssl": "0"})
}

func (c *call) listInstallations() reply {
	if c.s.inst.deleted {
		return ok([]obj{})
	}
	o := c.s.renderInstallation()
	// The document wants the list's account to be a user and an enterprise at
	// once (allOf, where the single installation has anyOf).
	account := o["account"].(obj)
	account["name"], account["slug"] = account["login"], account["login"]
	account["created_at"], account["updated_at"] = stamp(c.s.created), stamp(c.s.created)
	return ok([]obj{o})
}

func (c *call) getInstallation() reply {
	if c.number("installation_id") != c.s.inst.id || c.s.inst.deleted {
		return notFound()
	}
	return ok(c.s.renderInstallation())
}

func (c *call) getRepoInstallation() reply {
	if !c.repo.installed || c.s.inst.deleted {
		return notFound()
	}
	return ok(c.s.renderInstallation())
}

// createToken makes an installation access token of one hour, narrowed as
// asked.
func (c *call) createToken() reply {
	if c.number("installation_id") != c.s.inst.id || c.s.inst.deleted {
		return notFound()
	}
	if c.s.inst.suspended {
		return failure(http.StatusForbidden, "This installation has been suspended")
	}
	var q struct {
		Repositories  []string          `json:"repositories"`
		RepositoryIDs []int             `json:"repository_ids"`
		Permissions   map[string]string `json:"permissions"`
	}
	c.decode(&q)
	if len(q.RepositoryIDs) > 500 || len(q.Repositories) > 500 {
		return invalid("Installation", "repositories", "at most 500 repositories can be named")
	}
	t := &token{value: newToken(c.s.app.appID), expires: c.s.now().Add(time.Hour), permissions: c.s.opts.Permissions}
	if q.Permissions != nil {
		for name, level := range q.Permissions {
			if !grants(c.s.opts.Permissions, name, level) {
				return withViolation(failure(422, "The permissions requested are not granted to this installation."),
					"permission "+name+":"+level+" is not granted")
			}
		}
		t.permissions = map[string]string{"metadata": "read"}
		for name, level := range q.Permissions {
			t.permissions[name] = level
		}
	}
	body := obj{"token": t.value, "expires_at": stamp(t.expires), "permissions": t.permissions,
		"repository_selection": "selected"}
	if len(q.RepositoryIDs)+len(q.Repositories) > 0 {
		repos, missing := c.s.selectRepos(q.RepositoryIDs, q.Repositories)
		if missing != "" {
			refused := failure(422,
				"There is at least one repository that does not exist or is not accessible to the parent installation.")
			if c.s.tookOut(missing) { // the request may have been on its way then
				return refused
			}
			return withViolation(refused, "repository "+missing+" is not in the installation")
		}
		t.repos = map[int]bool{}
		for _, r := range repos {
			t.repos[r.id] = true
		}
		body["repositories"] = each(repos, c.s.renderRepo)
	}
	c.s.tokens[t.value] = t
	return created(body)
}

// tookOut reports whether the repository with an id or a name was in the installation.
func (s *Server) tookOut(named string) bool {
	return slices.ContainsFunc(s.repos, func(r *repo) bool {
		return r.removed && (strconv.Itoa(r.id) == named || equalFold(r.name, named))
	})
}

// selectRepos finds the named repositories of the installation, or names one
// that is not there.
func (s *Server) selectRepos(ids []int, names []string) (repos []*repo, missing string) {
	pick := func(match func(*repo) bool) bool {
		for _, r := range s.repos {
			if r.installed && match(r) {
				repos = append(repos, r)
				return true
			}
		}
		return false
	}
	for _, id := range ids {
		if !pick(func(r *repo) bool { return r.id == id }) {
			return nil, strconv.Itoa(id)
		}
	}
	for _, name := range names {
		if !pick(func(r *repo) bool { return equalFold(r.name, name) }) {
			return nil, name
		}
	}
	return repos, ""
}

func (c *call) listInstallationRepos() reply {
	var list []*repo
	for _, r := range c.s.repos {
		if c.token.covers(r) {
			list = append(list, r)
		}
	}
	return ok(obj{"total_count": len(list), "repository_selection": "selected", "repositories": each(page(c, list),
		c.s.renderRepo)})
}

func (c *call) revokeToken() reply {
	delete(c.s.tokens, c.token.value)
	return noContent()
}

func (c *call) getRateLimit() reply {
	win := c.s.windowOf(c.token)
	limit := c.s.opts.RateLimit
	core := obj{"limit": limit, "remaining": max(limit-win.used, 0), "used": win.used, "reset": win.reset.Unix()}
	return ok(obj{"resources": obj{"core": core, "search": core}, "rate": core})
}

// convertManifest ends the manifest flow. There is one App here, so its
// credentials are what every manifest converts to.
func (c *call) convertManifest() reply {
	made, known := c.s.codes[c.param("code")]
	if !known || c.s.now().Sub(made) > time.Hour {
		return notFound()
	}
	delete(c.s.codes, c.param("code"))
	o := c.s.renderApp()
	o["client_secret"], o["webhook_secret"], o["pem"] = c.s.app.clientSecret, c.s.app.secret, string(c.s.app.pem())
	return created(o)
}

func renderDelivery(s *Server, v delivery) obj {
	o := obj{
		"id": v.id, "guid": v.guid, "delivered_at": stamp(v.at), "redelivery": v.redelivery,
		"duration": v.duration.Seconds(), "status": v.status,
		"status_code": v.code, "event": v.event, "action": nilIfEmpty(v.action), "installation_id": s.inst.id,
		"repository_id": nil, "throttled_at": nil,
	}
	if v.repoID != 0 {
		o["repository_id"] = v.repoID
	}
	return o
}

// listDeliveries answers the attempts that ended, newest first. The cursor is
// the number of the last attempt shown.
func (c *call) listDeliveries() reply {
	size := queryInt(c.query, "per_page", 30)
	if size < 1 || size > 100 {
		size = 100
	}
	cursor := queryInt(c.query, "cursor", 0)
	all := c.s.sender.snapshot()
	sort.Slice(all, func(i, j int) bool { return all[i].id > all[j].id })
	list := []obj{}
	last := 0
	for _, v := range all {
		if !v.done || cursor != 0 && v.id >= cursor {
			continue
		}
		if len(list) == size {
			q := c.r.URL.Query()
			q.Set("cursor", strconv.Itoa(last))
			c.header.Set("Link", fmt.Sprintf(`<%s%s?%s>; rel="next"`, c.s.url, c.r.URL.EscapedPath(), q.Encode()))
			break
		}
		list = append(list, renderDelivery(c.s, v))
		last = v.id
	}
	return ok(list)
}

func flatten(h http.Header) obj {
	o := obj{}
	for k := range h {
		o[k] = h.Get(k)
	}
	return o
}

func (c *call) getDelivery() reply {
	for _, v := range c.s.sender.snapshot() {
		if v.id == c.number("delivery_id") {
			o := renderDelivery(c.s, v)
			o["url"] = c.s.opts.DeliverTo
			o["request"] = obj{"headers": flatten(v.sent), "payload": json.RawMessage(v.payload)}
			o["response"] = obj{"headers": flatten(v.got), "payload": v.answer}
			return ok(o)
		}
	}
	return notFound()
}

func (c *call) redeliver() reply {
	v := c.s.sender.find(c.param("delivery_id"))
	if v == nil {
		return notFound()
	}
	c.s.sender.again(v, c.s.newID())
	return accepted(obj{})
}

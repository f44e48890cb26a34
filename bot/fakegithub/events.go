package fakegithub

import (
	"encoding/json"
	"fmt"
	"net/http"
)

// emit delivers an event; the lock is held. The payload is held to GitHub's
// schema of the event and its action. An App whose installation is gone or
// suspended hears only of that.
func (s *Server) emit(event, action string, r *repo, payload obj) {
	if (s.inst.deleted || s.inst.suspended) && event != "installation" && event != "ping" || r != nil && !r.installed {
		return
	}
	v := &delivery{id: s.newID(), guid: newGUID(), event: event, action: action}
	if action != "" {
		payload["action"] = action
	}
	if r != nil {
		v.repoID = r.id
		payload["repository"] = s.renderRepo(r)
	}
	if event != "installation" && event != "installation_repositories" && event != "ping" {
		payload["installation"] = obj{"id": s.inst.id, "node_id": nodeID("Installation", s.inst.id)}
	}
	raw, err := json.Marshal(payload)
	if err == nil {
		err = s.spec.CheckEvent(event, action, raw)
	}
	if err != nil {
		s.violations = append(s.violations, Violation{
			Kind: "fakegithub bug", Method: "WEBHOOK", Path: event + "." + action, Message: "own payload: " +
				err.Error(), At: s.opts.Now().UTC(),
		})
	}
	v.payload = raw
	s.sender.add(v)
}

func (s *Server) pullEvent(action string, r *repo, p *pull, extra obj) {
	payload := obj{"number": p.number, "pull_request": s.renderFullPull(r, p), "sender": s.renderUser(p.user)}
	for k, v := range extra {
		payload[k] = v
	}
	s.emit("pull_request", action, r, payload)
}

func (s *Server) commentEvent(action string, r *repo, i *issue, c *comment, old string) {
	payload := obj{"issue": s.renderIssue(r, i), "comment": s.renderComment(c), "sender": s.renderUser(c.user)}
	if action == "edited" {
		payload["changes"] = obj{"body": obj{"from": old}}
	}
	s.emit("issue_comment", action, r, payload)
}

// webhookRun is a check run as events carry it: its suite in full.
func (s *Server) webhookRun(run *checkRun) obj {
	o := s.renderRun(run)
	su := s.renderSuite(run.repo, run.suite)
	delete(su, "repository")
	delete(su, "head_commit")
	delete(su, "latest_check_runs_count")
	delete(su, "check_runs_url")
	o["check_suite"] = su
	return o
}

// runEvent delivers an event of a check run; user is who pressed a button, by default the owner.
func (s *Server) runEvent(action string, run *checkRun, requested obj, user string) {
	sender := s.botLogin()
	if action == "rerequested" || action == "requested_action" {
		sender = orElse(user, run.repo.owner)
	}
	payload := obj{"check_run": s.webhookRun(run), "sender": s.renderUser(sender)}
	if requested != nil {
		payload["requested_action"] = requested
	}
	s.emit("check_run", action, run.repo, payload)
}

// repositoryEvent tells what became of a repository: deleted, privatized or publicized.
func (s *Server) repositoryEvent(action string, r *repo) {
	s.emit("repository", action, r, obj{"sender": s.renderUser(r.owner)})
}

func (s *Server) suiteEvent(action string, r *repo, su *suite, user string) {
	o := s.renderSuite(r, su)
	delete(o, "repository")
	s.emit("check_suite", action, r, obj{"check_suite": o, "sender": s.renderUser(orElse(user, r.owner))})
}

func (s *Server) installationEvent(action string) {
	payload := obj{"installation": s.renderInstallation(), "sender": s.renderUser(s.inst.account)}
	if action == "created" || action == "deleted" {
		payload["repositories"] = s.repoStubs()
	}
	s.emit("installation", action, nil, payload)
}

func (s *Server) repoStubs() []obj {
	list := []obj{}
	for _, r := range s.repos {
		if r.installed {
			list = append(list, repoStub(r))
		}
	}
	return list
}

func repoStub(r *repo) obj {
	return obj{"id": r.id, "node_id": nodeID("Repository", r.id), "name": r.name, "full_name": r.fullName(),
		"private": !r.public}
}

func (s *Server) pingEvent() {
	s.emit("ping", "", nil, obj{
		"zen": "Keep it logically awesome.", "hook_id": 9000001, "hook": obj{
			"type": "App", "id": 9000001, "name": "web", "active": true, "events": appEvents(), "app_id": s.app.appID,
			"created_at": stamp(s.created),
			"updated_at": stamp(s.created), "config": obj{"content_type": "json", "insecure_ssl": "0",
				"secret": "********", "url": s.opts.DeliverTo},
		},
	})
}

// moved follows a branch that changed: webhooks, the App's suite, pull
// requests and their refs. before or after is zeroSHA for a new or a deleted
// branch.
func (s *Server) moved(r *repo, branch, before, after, login string) error {
	r.pushed = s.now()
	s.pushEvent(r, branch, before, after, login)
	if after == zeroSHA {
		return nil
	}
	if r.installed {
		s.suiteEvent("requested", r, s.suiteFor(r, after, branch, before), "")
	}
	for _, base := range s.repos {
		for _, p := range base.pulls {
			if p.state != "open" {
				continue
			}
			if base == r && p.baseRef == branch {
				p.baseSHA = after
				if err := s.keepPullRefs(base, p); err != nil {
					return err
				}
			}
			if p.headRepo != r || p.headRef != branch || p.headSHA == after {
				continue
			}
			old := p.headSHA
			p.headSHA, p.updated = after, s.now()
			if err := s.keepPullRefs(base, p); err != nil {
				return err
			}
			s.pullEvent("synchronize", base, p, obj{"before": old, "after": after, "sender": s.renderUser(login)})
		}
	}
	return nil
}

func (s *Server) pushEvent(r *repo, branch, before, after, login string) {
	created, deleted := before == zeroSHA, after == zeroSHA
	html := s.url + "/" + r.fullName()
	payload := obj{
		"ref": "refs/heads/" + branch, "before": before, "after": after, "created": created, "deleted": deleted,
		"forced": false, "base_ref": nil,
		"compare": html + "/compare/" + before[:12] + "..." + after[:12], "commits": []obj{}, "head_commit": nil,
		"pusher": obj{"name": login, "email": login + "@users.noreply.example.com"}, "sender": s.renderUser(login),
	}
	if !deleted {
		span := []string{after}
		if !created {
			span = []string{before + ".." + after}
			payload["forced"] = s.mergeBase(r, before, after) != before
		}
		limit := 20
		if created {
			limit = 1
		}
		list := s.commits(r, limit, append([]string{"--reverse"}, span...)...)
		payload["commits"] = each(list, func(g gitCommit) obj { return s.pushCommit(r, g) })
		if g, found := s.commit(r, after); found {
			payload["head_commit"] = s.pushCommit(r, g)
		}
	}
	s.emit("push", "", r, payload)
}

func (s *Server) pushCommit(r *repo, g gitCommit) obj {
	parent := emptyTree
	if len(g.parents) > 0 {
		parent = g.parents[0]
	}
	sets := map[string][]string{"added": {}, "removed": {}, "modified": {}}
	for _, f := range s.changes(r, parent, g.sha) {
		switch f.status {
		case "added", "removed":
			sets[f.status] = append(sets[f.status], f.path)
		case "renamed":
			sets["removed"] = append(sets["removed"], f.previous)
			sets["added"] = append(sets["added"], f.path)
		default:
			sets["modified"] = append(sets["modified"], f.path)
		}
	}
	person := func(name, mail string) obj { return obj{"name": name, "email": mail, "username": name} }
	return obj{
		"id": g.sha, "tree_id": g.tree, "distinct": true, "message": g.message, "timestamp": g.committed,
		"url":    s.url + "/" + r.fullName() + "/commit/" + g.sha,
		"author": person(g.author, g.email), "committer": person(g.committer, g.mail),
		"added": sets["added"], "removed": sets["removed"], "modified": sets["modified"],
	}
}

// rerequest is the button: on a run the suite goes back to queued and the run
// itself is left alone (OpenAPI, checks/rerequest-run).
func (s *Server) rerequest(run *checkRun, user string) {
	run.suite.reset, run.suite.updated = true, s.now()
	s.runEvent("rerequested", run, nil, user)
}

// press is a requested-action button; only those that the run shows exist.
func (s *Server) press(run *checkRun, identifier, user string) (int, string) {
	for _, a := range run.actions {
		if a.Identifier == identifier {
			s.runEvent("requested_action", run, obj{"identifier": identifier}, user)
			return http.StatusOK, ""
		}
	}
	return http.StatusUnprocessableEntity, fmt.Sprintf("check run %d has no action %q", run.id, identifier)
}

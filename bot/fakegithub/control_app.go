package fakegithub

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"
)

// controlUser sets what somebody may do: {"login","permission","repo"};
// without a repository, everywhere.
func (s *Server) controlUser(body []byte) (obj, error) {
	var q struct{ Login, Permission, Repo string }
	if err := parse(body, &q); err != nil {
		return nil, err
	}
	switch q.Permission {
	case "admin", "maintain", "write", "triage", "read", "none":
	default:
		return nil, fmt.Errorf("permission %q: want admin, maintain, write, triage, read or none", q.Permission)
	}
	if q.Login == "" {
		return nil, errors.New("login is missing")
	}
	u := s.userNamed(q.Login)
	if q.Repo == "" {
		u.permission = q.Permission
	} else {
		r, err := s.repoNamed(q.Repo)
		if err != nil {
			return nil, err
		}
		r.permissions[q.Login] = q.Permission
	}
	return obj{"login": u.login, "id": u.id}, nil
}

// runNamed finds a check run in any repository.
func (s *Server) runNamed(id int) (*checkRun, error) {
	for _, r := range s.repos {
		if run := r.runByID(id); run != nil {
			return run, nil
		}
	}
	return nil, missing{fmt.Sprintf("check run %d", id)}
}

// controlRerequest presses Re-run: {"check_run":ID} or {"check_suite":ID}, and "user", by
// default the owner.
func (s *Server) controlRerequest(body []byte) (obj, error) {
	var q struct {
		CheckRun   int `json:"check_run"`
		CheckSuite int `json:"check_suite"`
		User       string
	}
	if err := parse(body, &q); err != nil {
		return nil, err
	}
	if q.CheckSuite != 0 {
		for _, r := range s.repos {
			if su := r.suiteByID(q.CheckSuite); su != nil {
				su.reset, su.updated = true, s.now()
				s.suiteEvent("rerequested", r, su, q.User)
				return obj{"check_suite": su.id}, nil
			}
		}
		return nil, missing{fmt.Sprintf("check suite %d", q.CheckSuite)}
	}
	run, err := s.runNamed(q.CheckRun)
	if err != nil {
		return nil, err
	}
	s.rerequest(run, q.User)
	return obj{"check_run": run.id}, nil
}

// controlAction presses a button of a run: {"check_run":ID,"identifier","user"}; the user is
// the owner by default.
func (s *Server) controlAction(body []byte) (obj, error) {
	var q struct {
		CheckRun   int `json:"check_run"`
		Identifier string
		User       string
	}
	if err := parse(body, &q); err != nil {
		return nil, err
	}
	run, err := s.runNamed(q.CheckRun)
	if err != nil {
		return nil, err
	}
	if _, why := s.press(run, q.Identifier, q.User); why != "" {
		return nil, errors.New(why)
	}
	return obj{"check_run": run.id}, nil
}

// controlRedeliver sends a delivery again under its GUID: {"delivery":GUID}.
func (s *Server) controlRedeliver(body []byte) (obj, error) {
	var q struct{ Delivery any }
	if err := parse(body, &q); err != nil {
		return nil, err
	}
	name := fmt.Sprint(q.Delivery)
	if n, isNumber := q.Delivery.(float64); isNumber {
		name = fmt.Sprint(int(n))
	}
	v := s.sender.find(name)
	if v == nil {
		return nil, missing{"delivery " + name}
	}
	id := s.newID()
	s.sender.again(v, id)
	return obj{"id": id, "guid": v.guid}, nil
}

// controlFaults adds faults: one object or a list, see fault.
func (s *Server) controlFaults(body []byte) (obj, error) {
	var list []*fault
	if err := json.Unmarshal(body, &list); err != nil {
		one := &fault{}
		if err := parse(body, one); err != nil {
			return nil, err
		}
		list = []*fault{one}
	}
	for _, f := range list {
		if err := f.prepare(); err != nil {
			return nil, err
		}
	}
	s.faults = append(s.faults, list...)
	return obj{"faults": len(s.faults)}, nil
}

// controlNoFaults removes all faults.
func (s *Server) controlNoFaults([]byte) (obj, error) {
	s.faults = nil
	return obj{}, nil
}

// controlInstallation changes the installation: {"action":"created|deleted|
// suspend|unsuspend"}, or {"action":"removed","repo"} takes a repository out.
func (s *Server) controlInstallation(body []byte) (obj, error) {
	var q struct{ Action, Repo string }
	if err := parse(body, &q); err != nil {
		return nil, err
	}
	s.inst.updated = s.now()
	switch q.Action {
	case "created":
		s.inst.deleted = false
	case "deleted":
		s.inst.deleted = true
		s.tokens = map[string]*token{}
	case "suspend":
		s.inst.suspended = true
	case "unsuspend":
		s.inst.suspended = false
	case "removed":
		r, err := s.repoNamed(q.Repo)
		if err != nil {
			return nil, err
		}
		r.installed, r.removed = false, true
		s.emit("installation_repositories", "removed", nil, obj{
			"installation": s.renderInstallation(), "repository_selection": "selected", "repositories_added": []obj{},
			"repositories_removed": []obj{repoStub(r)}, "requester": nil, "sender": s.renderUser(s.inst.account),
		})
		return obj{}, nil
	default:
		return nil, fmt.Errorf("action %q: want created, deleted, suspend, unsuspend or removed", q.Action)
	}
	s.installationEvent(q.Action)
	return obj{}, nil
}

// controlVisibility makes a repository public or private: {"repo","public"}.
func (s *Server) controlVisibility(body []byte) (obj, error) {
	var q struct {
		Repo   string
		Public bool
	}
	if err := parse(body, &q); err != nil {
		return nil, err
	}
	r, err := s.repoNamed(q.Repo)
	if err != nil {
		return nil, err
	}
	r.public = q.Public
	s.repositoryEvent(map[bool]string{true: "publicized", false: "privatized"}[q.Public], r)
	return obj{}, nil
}

// controlSARIF has code scanning refuse the next upload after it took it: {"repo","refuse"}.
func (s *Server) controlSARIF(body []byte) (obj, error) {
	var q struct{ Repo, Refuse string }
	if err := parse(body, &q); err != nil {
		return nil, err
	}
	r, err := s.repoNamed(q.Repo)
	if err != nil {
		return nil, err
	}
	r.refusal = q.Refuse
	return obj{}, nil
}

// controlRename gives a repository another name below its owner: {"repo","name"}, or another owner: {"repo","owner"}. The
// events that follow have it; the one about the change itself is not sent, as if it was lost.
func (s *Server) controlRename(body []byte) (obj, error) {
	var q struct{ Repo, Name, Owner string }
	if err := parse(body, &q); err != nil {
		return nil, err
	}
	r, err := s.repoNamed(q.Repo)
	if err != nil {
		return nil, err
	}
	r.owner, r.name = orElse(q.Owner, r.owner), orElse(q.Name, r.name)
	return obj{}, nil
}

// controlDelete deletes a repository: {"repo"}.
func (s *Server) controlDelete(body []byte) (obj, error) {
	var q struct{ Repo string }
	if err := parse(body, &q); err != nil {
		return nil, err
	}
	r, err := s.repoNamed(q.Repo)
	if err != nil {
		return nil, err
	}
	s.repos = slices.DeleteFunc(s.repos, func(x *repo) bool { return x == r })
	s.repositoryEvent("deleted", r)
	return obj{}, nil
}

// controlPing delivers a ping.
func (s *Server) controlPing([]byte) (obj, error) {
	s.pingEvent()
	return obj{}, nil
}

// controlExpire ends all installation tokens at once.
func (s *Server) controlExpire([]byte) (obj, error) {
	n := len(s.tokens)
	s.tokens = map[string]*token{}
	return obj{"expired": n}, nil
}

// controlState answers everything there is, for scripts.
func (s *Server) controlState([]byte) (obj, error) {
	runs, comments, reactions, sarifs, issues, pulls, suites := []obj{}, []obj{}, []obj{}, []obj{}, []obj{}, []obj{},
		[]obj{}
	for _, r := range s.repos {
		mark := func(o obj) obj { o["repository"] = r.fullName(); return o }
		for _, run := range r.runs {
			o := mark(s.renderRun(run))
			o["annotations"] = each(run.annotations, func(a annotation) obj { return s.renderAnnotation(run, a) })
			o["actions"] = append([]action{}, run.actions...)
			o["updated_at"] = stamp(run.lastModified)
			runs = append(runs, o)
		}
		for _, su := range r.suites {
			status, conclusion := s.suiteStatus(r, su)
			suites = append(suites, mark(obj{"id": su.id, "head_sha": su.headSHA, "status": status,
				"conclusion": conclusion}))
		}
		for _, c := range r.comments {
			comments = append(comments, mark(s.renderComment(c)))
			comments[len(comments)-1]["number"] = c.number
			for _, re := range c.reactions {
				o := mark(s.renderReaction(re))
				o["comment"] = c.id
				reactions = append(reactions, o)
			}
		}
		for _, i := range r.issues {
			for _, re := range i.reactions {
				o := mark(s.renderReaction(re))
				o["issue"] = i.number
				reactions = append(reactions, o)
			}
			if i.pull != nil {
				pulls = append(pulls, mark(s.renderPull(r, i.pull)))
			} else {
				issues = append(issues, mark(s.renderIssue(r, i)))
			}
		}
		for _, up := range r.sarifs {
			sarifs = append(sarifs, mark(obj{
				"id": up.id, "commit_sha": up.commitSHA, "ref": up.ref, "status": up.status, "errors": up.errors,
				"results":    up.results,
				"created_at": stamp(up.created), "sarif": up.document,
			}))
		}
	}
	violations := append([]Violation{}, s.violations...)
	return obj{
		"check_runs": runs, "check_suites": suites, "comments": comments, "reactions": reactions,
		"deliveries": s.deliveryState(),
		"sarif":      sarifs, "issues": issues, "pulls": pulls, "violations": violations,
		"faults": each(s.faults, func(f *fault) obj {
			return obj{"match": f.Match, "kind": f.Kind, "left": f.left,
				"struck": f.struck}
		}),
	}, nil
}

// deliveryState lists all attempts, oldest first; the status of one under way
// is 0 and done false.
func (s *Server) deliveryState() []obj {
	return each(s.sender.snapshot(), func(v delivery) obj {
		return obj{
			"id": v.id, "guid": v.guid, "event": v.event, "action": v.action, "status": v.code, "result": v.status,
			"done":       v.done,
			"redelivery": v.redelivery, "delivered_at": v.at.Format(time.RFC3339Nano),
			"duration_ms": v.duration.Milliseconds(), "error": v.failureMsg,
			"answer": v.answer,
		}
	})
}

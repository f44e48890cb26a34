package fakegithub

import "fmt"

func textOrNil(s *string) any {
	if s == nil {
		return nil
	}
	return *s
}

func nilIfEmpty(s string) any {
	if s == "" {
		return nil
	}
	return s
}

func (s *Server) renderRun(run *checkRun) obj {
	url := fmt.Sprintf("%s/repos/%s/check-runs/%d", s.url, run.repo.fullName(), run.id)
	return obj{
		"id": run.id, "node_id": nodeID("CheckRun", run.id), "head_sha": run.headSHA, "name": run.name,
		"external_id": run.externalID, "url": url,
		"html_url": fmt.Sprintf("%s/%s/runs/%d", s.url, run.repo.fullName(), run.id), "details_url": run.detailsURL,
		"status":     run.status,
		"conclusion": nilIfEmpty(run.conclusion), "started_at": stampOrNil(run.started),
		"completed_at": stampOrNil(run.completed),
		"output": obj{
			"title": textOrNil(run.title), "summary": textOrNil(run.summary), "text": textOrNil(run.text),
			"annotations_count": len(run.annotations), "annotations_url": url + "/annotations",
		},
		"check_suite": obj{"id": run.suite.id}, "app": s.renderApp(), "pull_requests": s.pullsOf(run.repo, run.headSHA),
	}
}

func (s *Server) renderAnnotation(run *checkRun, a annotation) obj {
	return obj{
		"path": a.Path, "blob_href": s.url + "/" + run.repo.fullName() + "/blob/" + run.headSHA + "/" + a.Path,
		"start_line": a.StartLine, "end_line": a.EndLine,
		"start_column": a.StartColumn, "end_column": a.EndColumn, "annotation_level": a.Level, "message": a.Message,
		"title":       nilIfEmpty(a.Title),
		"raw_details": nilIfEmpty(a.RawDetails),
	}
}

func (s *Server) renderSuite(r *repo, su *suite) obj {
	status, conclusion := s.suiteStatus(r, su)
	url := fmt.Sprintf("%s/repos/%s/check-suites/%d", s.url, r.fullName(), su.id)
	o := obj{
		"id": su.id, "node_id": nodeID("CheckSuite", su.id), "head_branch": nilIfEmpty(su.headBranch),
		"head_sha": su.headSHA, "status": status,
		"conclusion": conclusion, "url": url, "before": nilIfEmpty(su.before), "after": su.headSHA,
		"created_at": stamp(su.created), "updated_at": stamp(su.updated),
		"app": s.renderApp(), "repository": s.renderRepo(r), "latest_check_runs_count": len(r.suiteRuns(su)),
		"check_runs_url": url + "/check-runs",
		"pull_requests":  s.pullsOf(r, su.headSHA), "rerequestable": true, "runs_rerequestable": true,
	}
	g, _ := s.commit(r, su.headSHA)
	o["head_commit"] = obj{
		"id": g.sha, "tree_id": g.tree, "message": g.message, "timestamp": g.committed,
		"author": obj{"name": g.author, "email": g.email}, "committer": obj{"name": g.committer, "email": g.mail},
	}
	return o
}

func (c *call) getRun() reply {
	if run := c.repo.runByID(c.number("check_run_id")); run != nil {
		return ok(c.s.renderRun(run))
	}
	return notFound()
}

func (c *call) listAnnotations() reply {
	run := c.repo.runByID(c.number("check_run_id"))
	if run == nil {
		return notFound()
	}
	return ok(each(page(c, run.annotations), func(a annotation) obj { return c.s.renderAnnotation(run, a) }))
}

// runList applies the filters of both list calls; filter=latest keeps the
// newest run of a name.
func (c *call) runList(all []*checkRun) reply {
	latest := map[string]*checkRun{}
	for _, run := range all {
		latest[run.name] = run
	}
	list := []*checkRun{}
	for i := len(all) - 1; i >= 0; i-- {
		run := all[i]
		if name := c.query.Get("check_name"); name != "" && run.name != name {
			continue
		}
		if status := c.query.Get("status"); status != "" && run.status != status {
			continue
		}
		if c.query.Get("filter") != "all" && latest[run.name] != run {
			continue
		}
		list = append(list, run)
	}
	if app := queryInt(c.query, "app_id", c.s.app.appID); app != c.s.app.appID {
		list = nil
	}
	return ok(obj{"total_count": len(list), "check_runs": each(page(c, list), c.s.renderRun)})
}

func (c *call) listRefRuns() reply {
	sha, found := c.s.revision(c.repo, c.param("ref"))
	if !found {
		return failure(422, "No commit found for SHA: "+c.param("ref"))
	}
	var list []*checkRun
	for _, run := range c.repo.runs {
		if run.headSHA == sha {
			list = append(list, run)
		}
	}
	return c.runList(list)
}

func (c *call) listRefSuites() reply {
	sha, found := c.s.revision(c.repo, c.param("ref"))
	if !found {
		return failure(422, "No commit found for SHA: "+c.param("ref"))
	}
	var list []*suite
	for _, su := range c.repo.suites {
		if su.headSHA == sha {
			list = append(list, su)
		}
	}
	return ok(obj{"total_count": len(list), "check_suites": each(page(c, list),
		func(su *suite) obj { return c.s.renderSuite(c.repo, su) })})
}

func (c *call) getSuite() reply {
	if su := c.repo.suiteByID(c.number("check_suite_id")); su != nil {
		return ok(c.s.renderSuite(c.repo, su))
	}
	return notFound()
}

func (c *call) listSuiteRuns() reply {
	su := c.repo.suiteByID(c.number("check_suite_id"))
	if su == nil {
		return notFound()
	}
	return c.runList(c.repo.suiteRuns(su))
}

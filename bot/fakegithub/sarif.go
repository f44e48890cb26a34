package fakegithub

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"regexp"
)

// GitHub's limits on an upload (docs: SARIF support for code scanning).
const (
	maxSARIFBytes   = 10 << 20
	maxSARIFRuns    = 20
	maxSARIFResults = 25_000
	maxSARIFRules   = 25_000
	maxSARIFFlow    = 10_000
	maxSARIFPlaces  = 1_000
	maxSARIFTags    = 20
)

// sarifLog is the part of SARIF 2.1.0 that the limits are about.
type sarifLog struct {
	Version string `json:"version"`
	Runs    []struct {
		Tool struct {
			Driver struct {
				Name  string `json:"name"`
				Rules []struct {
					Properties struct {
						Tags []string `json:"tags"`
					} `json:"properties"`
				} `json:"rules"`
			} `json:"driver"`
		} `json:"tool"`
		Results []struct {
			Message   *json.RawMessage  `json:"message"`
			Locations []json.RawMessage `json:"locations"`
			CodeFlows []struct {
				ThreadFlows []struct {
					Locations []json.RawMessage `json:"locations"`
				} `json:"threadFlows"`
			} `json:"codeFlows"`
		} `json:"results"`
	} `json:"runs"`
}

// broken lists the limits that a log breaks.
func (l sarifLog) broken() []string {
	var out []string
	add := func(bad bool, format string, args ...any) {
		if bad {
			out = append(out, fmt.Sprintf(format, args...))
		}
	}
	add(l.Version != "2.1.0", "version %q is not 2.1.0", l.Version)
	add(len(l.Runs) > maxSARIFRuns, "%d runs (maximum is %d)", len(l.Runs), maxSARIFRuns)
	for _, run := range l.Runs {
		add(run.Tool.Driver.Name == "", "tool.driver.name is missing")
		add(len(run.Results) > maxSARIFResults, "%d results (maximum is %d)", len(run.Results), maxSARIFResults)
		add(len(run.Tool.Driver.Rules) > maxSARIFRules, "%d rules (maximum is %d)", len(run.Tool.Driver.Rules),
			maxSARIFRules)
		for _, rule := range run.Tool.Driver.Rules {
			add(len(rule.Properties.Tags) > maxSARIFTags, "%d tags on a rule (maximum is %d)",
				len(rule.Properties.Tags), maxSARIFTags)
		}
		for _, res := range run.Results {
			add(res.Message == nil, "a result without message")
			add(len(res.Locations) == 0, "a result without location")
			add(len(res.Locations) > maxSARIFPlaces, "%d locations (maximum is %d)", len(res.Locations), maxSARIFPlaces)
			for _, flow := range res.CodeFlows {
				for _, t := range flow.ThreadFlows {
					add(len(t.Locations) > maxSARIFFlow, "%d thread flow locations (maximum is %d)", len(t.Locations),
						maxSARIFFlow)
				}
			}
		}
	}
	return out
}

func (c *call) uploadSARIF() reply {
	var q struct {
		CommitSHA string `json:"commit_sha"`
		Ref       string `json:"ref"`
		SARIF     string `json:"sarif"`
	}
	c.decode(&q)
	if !sarifRef().MatchString(q.Ref) {
		return invalid("Sarif", "ref",
			"ref must be refs/heads/NAME, refs/tags/NAME, refs/pull/N/head or refs/pull/N/merge")
	}
	if sha, found := c.s.revision(c.repo, q.CommitSHA); !found || sha != q.CommitSHA {
		return invalid("Sarif", "commit_sha", "commit not found")
	}
	packed, err := base64.StdEncoding.DecodeString(q.SARIF)
	if err != nil {
		return withViolation(failure(http.StatusBadRequest, "sarif is not base64"), "sarif is not base64")
	}
	if len(packed) > maxSARIFBytes {
		return withViolation(failure(http.StatusRequestEntityTooLarge, "sarif is too large"), "sarif over 10 MB")
	}
	document, err := gunzip(packed)
	if err != nil {
		return withViolation(failure(http.StatusBadRequest, "sarif is not gzip"), "sarif is not gzip")
	}
	up := &sarif{id: newGUID(), commitSHA: q.CommitSHA, ref: q.Ref, status: "complete", created: c.s.now()}
	var log sarifLog
	if err := json.Unmarshal(document, &log); err != nil {
		up.errors = []string{"not SARIF: " + err.Error()}
	} else {
		up.document, up.errors = document, log.broken()
		for _, run := range log.Runs {
			up.results += len(run.Results)
		}
	}
	if why := c.repo.refusal; why != "" {
		up.status, up.errors, c.repo.refusal = "failed", []string{why}, ""
		c.repo.sarifs = append(c.repo.sarifs, up)
		return accepted(obj{"id": up.id})
	}
	c.repo.sarifs = append(c.repo.sarifs, up)
	rep := accepted(obj{"id": up.id, "url": c.s.url + "/repos/" + c.repo.fullName() + "/code-scanning/sarifs/" + up.id})
	if len(up.errors) > 0 {
		up.status = "failed"
		rep.violation = "sarif: " + up.errors[0]
	}
	return rep
}

func sarifRef() *regexp.Regexp {
	return regexp.MustCompile(`^refs/(heads/.+|tags/.+|pull/[0-9]+/(head|merge))$`)
}

func gunzip(packed []byte) ([]byte, error) {
	zr, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(io.LimitReader(zr, 512<<20))
}

func (c *call) getSARIF() reply {
	for _, up := range c.repo.sarifs {
		if up.id == c.param("sarif_id") {
			if !up.asked { // GitHub takes an upload before it reads it
				up.asked = true
				return ok(obj{"processing_status": "pending"})
			}
			o := obj{"processing_status": up.status, "analyses_url": c.s.url + "/repos/" + c.repo.fullName() +
				"/code-scanning/analyses?sarif_id=" + up.id}
			if len(up.errors) > 0 {
				o["errors"] = up.errors
			}
			return ok(o)
		}
	}
	return notFound()
}

package bot

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/google/go-github/v60/github"

	"github.com/firmproof/firmproof/pipeline/queue"
	"github.com/firmproof/firmproof/pipeline/store"
	"github.com/firmproof/firmproof/reports"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// Limits of an upload to code scanning (GitHub, SARIF support for code scanning).
const (
	maxSARIF        = 10 << 20 // compressed
	maxSARIFResults = 25_000
	noSARIF         = "none"
	askedSARIF      = "asked:"   // GitHub has it, the id follows, and has not said what became of it
	refusedSARIF    = "refused:" // its reasons follow
	sarifPause      = 2 * time.Second
	sarifWait       = 10 * time.Minute // GitHub says by then what became of an upload
)

// upload gives the findings of a finished aggregate to code scanning, once. It
// is one upload for all targets, because GitHub replaces the last one of a
// category. Where code scanning is not to be had, that is kept in mind.
func (s *Server) upload(ctx context.Context, gh *github.Client, v *view) error {
	r := &v.run
	if !r.Aggregate() || r.State != store.Done || r.SARIF != "" || r.Trigger == "merge_group" ||
		r.Conclusion == "cancelled" {
		return nil
	}
	text, err := combinedSARIF(v)
	if err != nil || text == "" {
		return errors.Join(err, s.keepSARIF(ctx, r.ID, noSARIF))
	}
	owner, name, _ := strings.Cut(v.repo.FullName, "/")
	id, _, err := gh.CodeScanning.UploadSarif(ctx, owner, name, &github.SarifAnalysis{CommitSHA: &r.HeadSHA,
		Ref: &r.Ref, Sarif: &text, ToolName: github.String("firmproof")})
	switch {
	case err == nil:
		return s.keepSARIF(ctx, r.ID, askedSARIF+id.GetID())
	case gone(err): // no permission, no Advanced Security, or not wanted
		s.log.Info("code scanning is not available", "repository", v.repo.FullName, "err", err)
		return s.keepSARIF(ctx, r.ID, noSARIF)
	}
	return fmt.Errorf("sarif: %w", err)
}

// processed asks what became of an upload, which GitHub takes before it reads it. Where it was refused, the check says so.
func (s *Server) processed(ctx context.Context, v *view) error {
	r := &v.run
	id, asked := strings.CutPrefix(r.SARIF, askedSARIF)
	if !asked {
		return nil
	}
	owner, name, _ := strings.Cut(v.repo.FullName, "/")
	gh := s.app.installation(r.Installation, r.Repo)
	req, err := gh.NewRequest(http.MethodGet, fmt.Sprintf("repos/%s/%s/code-scanning/sarifs/%s", owner, name, id), nil)
	if err != nil {
		return err
	}
	var got struct {
		Status string   `json:"processing_status"`
		Errors []string `json:"errors"`
	}
	_, err = gh.Do(ctx, req, &got)
	switch late := time.Since(r.Finished) > sarifWait; {
	case err == nil && got.Status == "failed":
		why := strings.Join(got.Errors, "; ")
		s.log.Warn("code scanning refuses what was uploaded", "run", r.ID, "repository", v.repo.FullName, "err", why)
		return s.store.Write(ctx, func(tx store.Tx) error {
			return errors.Join(tx.SetSARIF(ctx, r.ID, refusedSARIF+s.redact.text(why)), tx.TouchRun(ctx, r.ID))
		})
	case err == nil && got.Status == "complete", late && (err == nil || gone(err)):
		return s.keepSARIF(ctx, r.ID, id)
	case err == nil || gone(err): // it may not be found yet
		return &queue.Snooze{After: max(sarifPause, time.Since(r.Finished)/2)}
	}
	return err
}

func (s *Server) keepSARIF(ctx context.Context, run, id string) error {
	return s.store.Write(ctx, func(tx store.Tx) error { return tx.SetSARIF(ctx, run, id) })
}

// combinedSARIF is the log of all targets as GitHub wants it, or "" if there is nothing to say.
func combinedSARIF(v *view) (string, error) {
	all := verdict.Report{Version: 1, Tool: verdict.Tool{Name: "firmproof"}}
	violations := 0
	for _, m := range v.family {
		if m.report == nil {
			continue
		}
		if m.report.Tool.Name != "" {
			all.Tool = m.report.Tool
		}
		for _, r := range m.report.Results {
			kept := r
			kept.Claims = nil
			for j := range r.Claims {
				c := r.Claims[j]
				if c.Status != verdict.Violated || c.Pos.File == "" ||
					m.context.States[reports.Key(&r, &c)] == reports.Accepted || violations >= maxSARIFResults {
					continue
				}
				violations++
				kept.Claims = append(kept.Claims, c)
			}
			all.Results = append(all.Results, kept)
		}
	}
	if len(all.Results) == 0 {
		return "", nil
	}
	text, err := reports.SARIF(&all)
	if err != nil {
		return "", err
	}
	var z bytes.Buffer
	w := gzip.NewWriter(&z)
	_, err = w.Write(text)
	if err = errors.Join(err, w.Close()); err != nil {
		return "", err
	}
	if z.Len() > maxSARIF {
		return "", nil
	}
	return base64.StdEncoding.EncodeToString(z.Bytes()), nil
}

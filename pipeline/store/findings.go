package store

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"io"
)

// maxBlob caps what a stored document may unpack to.
const maxBlob = 256 << 20

func pack(b []byte) []byte {
	var z bytes.Buffer
	w := gzip.NewWriter(&z)
	_, _ = w.Write(b) // into memory: cannot fail
	_ = w.Close()
	return z.Bytes()
}

func unpack(b []byte) ([]byte, error) {
	r, err := gzip.NewReader(bytes.NewReader(b))
	if err != nil {
		return nil, fmt.Errorf("store: document: %w", err)
	}
	out, err := io.ReadAll(io.LimitReader(r, maxBlob))
	if err != nil {
		return nil, fmt.Errorf("store: document: %w", err)
	}
	return out, nil
}

// Document is a text that is kept here or, under its name, in the blob store.
type Document struct {
	Name string
	Body []byte // if Name is empty
}

// Documents finds documents by name.
type Documents interface {
	Get(ctx context.Context, name string) ([]byte, error)
}

// PutReport keeps the report of a run (verdict JSON) with the lines that its
// change touched (JSON), compressed. A second report of the same run replaces the first.
func (t Tx) PutReport(ctx context.Context, run string, report Document, changed any) error {
	text, err := json.Marshal(changed)
	if err != nil {
		return err
	}
	body := []byte{}
	if report.Name == "" {
		body = pack(report.Body)
	}
	_, err = t.exec(ctx, `INSERT INTO reports (run_id, body, doc, changed, created_at) VALUES (?, ?, ?, ?, ?)
		ON CONFLICT (run_id) DO UPDATE SET body = excluded.body, doc = excluded.doc, changed = excluded.changed`, run, body, report.Name, string(text), t.ms())
	return err
}

// Report reads the report of a run, and its changed lines into changed unless that is nil.
func (t Tx) Report(ctx context.Context, run string, changed any) ([]byte, error) {
	var body []byte
	var doc, text string
	if err := t.one(ctx, []any{&body, &doc, &text}, `SELECT body, doc, changed FROM reports WHERE run_id = ?`,
		run); err != nil {
		return nil, err
	}
	if changed != nil {
		if err := json.Unmarshal([]byte(text), changed); err != nil {
			return nil, fmt.Errorf("store: changed lines of %s: %w", run, err)
		}
	}
	if doc == "" {
		return unpack(body)
	}
	if t.docs == nil {
		return nil, fmt.Errorf("store: report of %s: no store of artifacts is open", run)
	}
	return t.docs.Get(ctx, doc)
}

// HasReport reports whether a run has a report.
func (t Tx) HasReport(ctx context.Context, run string) (bool, error) {
	var n int
	err := t.one(ctx, []any{&n}, `SELECT COUNT(*) FROM reports WHERE run_id = ?`, run)
	return n > 0, err
}

// ReportContext reads what is kept beside the report of a run into `into`.
func (t Tx) ReportContext(ctx context.Context, run string, into any) error {
	var text string
	if err := t.one(ctx, []any{&text}, `SELECT changed FROM reports WHERE run_id = ?`, run); err != nil {
		return err
	}
	return json.Unmarshal([]byte(text), into)
}

// Finding is one claim of a run that is not fine.
type Finding struct {
	Run         string
	Fingerprint string
	Claim       string
	Rule        string
	Target      string
	Entry       string
	File        string
	Line        int
	Message     string
	Status      string // verdict.Status
	State       string // introduced, preexisting, fixed, suppressed, or "" when there is no baseline
}

// PutFinding keeps f; its trace is in the report of its run.
func (t Tx) PutFinding(ctx context.Context, f Finding) error {
	_, err := t.exec(ctx, `INSERT INTO findings (run_id, fingerprint, claim, rule, target, entry, file, line, message, status, state) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (run_id, fingerprint) DO NOTHING`, f.Run, f.Fingerprint, f.Claim, f.Rule, f.Target, f.Entry, f.File, f.Line, f.Message, f.Status, f.State)
	return err
}

// DropFindings forgets what an earlier try of the run found.
func (t Tx) DropFindings(ctx context.Context, run string) error {
	for _, table := range []string{"findings", "reports", "pieces"} {
		if _, err := t.exec(ctx, `DELETE FROM `+table+` WHERE run_id = ?`, run); err != nil {
			return err
		}
	}
	return nil
}

// Findings lists what a run found, by file and line.
func (t Tx) Findings(ctx context.Context, run string) ([]Finding, error) {
	return t.findings(ctx, `WHERE run_id = ? ORDER BY file, line, claim, entry`, run)
}

func (t Tx) findings(ctx context.Context, where string, args ...any) ([]Finding, error) {
	var out []Finding
	err := t.each(ctx, func(r rows) error {
		var f Finding
		err := r.Scan(&f.Run, &f.Fingerprint, &f.Claim, &f.Rule, &f.Target, &f.Entry, &f.File, &f.Line, &f.Message,
			&f.Status, &f.State)
		out = append(out, f)
		return err
	}, `SELECT run_id, fingerprint, claim, rule, target, entry, file, line, message, status, state FROM findings `+where, args...)
	return out, err
}

// RunsWith tells the runs of a repository that found a violation with this fingerprint.
func (t Tx) RunsWith(ctx context.Context, repo int64, fingerprint string) (map[string]bool, error) {
	list, err := t.strings(ctx,
		`SELECT run_id FROM findings WHERE fingerprint = ? AND status = 'violated' AND run_id IN (SELECT id FROM runs WHERE repo_id = ?)`,
		fingerprint, repo)
	out := map[string]bool{}
	for _, id := range list {
		out[id] = true
	}
	return out, err
}

// Baseline returns what is known of a branch on a target: the fingerprints of its
// violations with their claims. The second result is false before the first
// complete run.
func (t Tx) Baseline(ctx context.Context, repo int64, branch, target string) (map[string]string, string,
	error) {
	var sha string
	err := t.one(ctx, []any{&sha}, `SELECT sha FROM baseline_heads WHERE repo_id = ? AND branch = ? AND target = ?`,
		repo, branch, target)
	if err == ErrNotFound {
		return nil, "", nil
	}
	if err != nil {
		return nil, "", err
	}
	out := map[string]string{}
	err = t.each(ctx, func(r rows) error {
		var fp, claim string
		err := r.Scan(&fp, &claim)
		out[fp] = claim
		return err
	}, `SELECT fingerprint, claim FROM baselines WHERE repo_id = ? AND branch = ? AND target = ?`, repo, branch, target)
	return out, sha, err
}

// SetBaseline replaces the baseline of (repo, branch, target) by the violations
// `found` of a run at sha. Fingerprints in keep stay even when absent from found:
// an unknown answer is no proof that a finding is fixed.
func (t Tx) SetBaseline(ctx context.Context, repo int64, branch, target, sha, run string, found,
	keep map[string]string) error {
	old, _, err := t.Baseline(ctx, repo, branch, target)
	if err != nil {
		return err
	}
	for fp := range old {
		if _, ok := found[fp]; ok {
			continue
		}
		if _, ok := keep[fp]; ok {
			continue
		}
		if _, err := t.exec(ctx,
			`DELETE FROM baselines WHERE repo_id = ? AND branch = ? AND target = ? AND fingerprint = ?`, repo, branch,
			target, fp); err != nil {
			return err
		}
	}
	for fp, claim := range found {
		if _, err := t.exec(ctx, `INSERT INTO baselines (repo_id, branch, target, fingerprint, claim, first_sha, first_seen, last_seen) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
			ON CONFLICT (repo_id, branch, target, fingerprint) DO UPDATE SET last_seen = excluded.last_seen`, repo, branch, target, fp, claim, sha, t.ms(), t.ms()); err != nil {
			return err
		}
	}
	_, err = t.exec(ctx, `INSERT INTO baseline_heads (repo_id, branch, target, sha, run_id, seen_at) VALUES (?, ?, ?, ?, ?, ?)
		ON CONFLICT (repo_id, branch, target) DO UPDATE SET sha = excluded.sha, run_id = excluded.run_id, seen_at = excluded.seen_at`, repo, branch, target, sha, run, t.ms())
	return err
}

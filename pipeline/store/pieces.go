package store

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"
)

// Piece is a part of a report that is read by itself.
type Piece struct {
	Kind PieceKind
	Name string // of what, within the kind
	Body []byte // packed
}

// PieceKind says what a piece holds.
type PieceKind string

// The kinds.
const (
	RunPiece     PieceKind = "run"     // what the page of the run shows
	ClaimPiece   PieceKind = "claim"   // by fingerprint: a finding with its steps
	SourcesPiece PieceKind = "sources" // files that the steps go through
)

// NewPiece packs value, as JSON.
func NewPiece(kind PieceKind, name string, value any) (Piece, error) {
	text, err := json.Marshal(value)
	return Piece{kind, name, pack(text)}, err
}

// PutPieces keeps the pieces of a run's report.
func (t Tx) PutPieces(ctx context.Context, run string, list []Piece) error {
	for _, p := range list {
		if _, err := t.exec(ctx, `INSERT INTO pieces (run_id, kind, name, body) VALUES (?, ?, ?, ?)
			ON CONFLICT (run_id, kind, name) DO UPDATE SET body = excluded.body`, run, string(p.Kind), p.Name,
			p.Body); err != nil {
			return err
		}
	}
	return nil
}

// Piece reads a piece into `into`; ErrNotFound if there is none.
func (t Tx) Piece(ctx context.Context, run string, kind PieceKind, name string, into any) error {
	var body []byte
	if err := t.one(ctx, []any{&body}, `SELECT body FROM pieces WHERE run_id = ? AND kind = ? AND name = ?`, run,
		string(kind), name); err != nil {
		return err
	}
	text, err := unpack(body)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(text, into); err != nil {
		return fmt.Errorf("store: %s of %s: %w", kind, run, err)
	}
	return nil
}

// Pieces hands the pieces of a kind of a run, as JSON, to f, at most n of them.
func (t Tx) Pieces(ctx context.Context, run string, kind PieceKind, n int, f func(text []byte) error) error {
	return t.each(ctx, func(r rows) error {
		var body []byte
		if err := r.Scan(&body); err != nil {
			return err
		}
		text, err := unpack(body)
		if err != nil {
			return err
		}
		return f(text)
	}, `SELECT body FROM pieces WHERE run_id = ? AND kind = ? ORDER BY name LIMIT ?`, run, string(kind), n)
}

// Site is a place with findings of one check and status.
type Site struct {
	File, Rule, Status string
	Line               int
}

// hasWord is the condition that a finding, in the table that `of` names, has a word in its file, message, check or claim.
func hasWord(word, of string) (where string, args []any) {
	if word == "" {
		return "", nil
	}
	return ` AND LOWER(` + of + `file || ' ' || ` + of + `message || ' ' || ` + of + `rule || ' ' || ` + of + `claim) LIKE ? ESCAPE '!'`,
		[]any{"%" + strings.NewReplacer("!", "!!", "%", "!%", "_", "!_").Replace(strings.ToLower(word)) + "%"}
}

// Sites lists places of findings of runs: violated ones first, then by file and line, at most limit from the offset-th
// on. A word, if it is not empty, is in the file, the message, the check or the claim of a finding there.
func (t Tx) Sites(ctx context.Context, runs []string, word string, offset, limit int) ([]Site, error) {
	if len(runs) == 0 {
		return nil, nil
	}
	with, more := hasWord(word, "")
	where, args := `WHERE run_id IN (`+marks(len(runs))+`)`+with, append(anys(runs), more...)
	var out []Site
	err := t.each(ctx, func(r rows) error {
		var s Site
		err := r.Scan(&s.File, &s.Line, &s.Rule, &s.Status)
		out = append(out, s)
		return err
	}, `SELECT file, line, rule, status FROM findings `+where+` GROUP BY file, line, rule, status ORDER BY CASE WHEN status = 'violated' THEN 0 ELSE 1 END, file, line, rule LIMIT ? OFFSET ?`,
		append(args, limit, offset)...)
	return out, err
}

// NewestWith returns the run of a repository that says most of a finding: the newest with it of a branch, or else of
// any; ErrNotFound if there is none.
func (t Tx) NewestWith(ctx context.Context, repo int64, ref, fingerprint string) (string, error) {
	var id string
	err := t.one(ctx, []any{&id}, `SELECT id FROM runs WHERE repo_id = ? AND run_trigger NOT IN ('bisect', 'test') AND state = 'done' AND id IN (SELECT run_id FROM findings WHERE fingerprint = ?)
		ORDER BY CASE WHEN ref = ? AND pull = 0 THEN 0 ELSE 1 END, created_at DESC, id DESC LIMIT 1`, repo, fingerprint, ref)
	return id, err
}

// KnownSince returns since when a branch is known to have a finding on a target; zero if it is not.
func (t Tx) KnownSince(ctx context.Context, repo int64, branch, target, fingerprint string) (time.Time, error) {
	var since int64
	err := t.one(ctx, []any{&since}, `SELECT first_seen FROM baselines WHERE repo_id = ? AND branch = ? AND target = ? AND fingerprint = ?`,
		repo, branch, target, fingerprint)
	if err == ErrNotFound {
		return time.Time{}, nil
	}
	return fromMS(since), err
}

// OldestOpen returns since when the branch has the violation in some of its runs that it has had longest, and that nobody
// accepted; zero if there is none, or it is not known.
func (t Tx) OldestOpen(ctx context.Context, repo int64, branch string, runs []string) (time.Time, error) {
	if len(runs) == 0 {
		return time.Time{}, nil
	}
	var since int64
	err := t.one(ctx, []any{&since}, `SELECT COALESCE(MIN(b.first_seen), 0) FROM findings f JOIN baselines b
		ON b.repo_id = ? AND b.branch = ? AND b.target = f.target AND b.fingerprint = f.fingerprint
		WHERE f.run_id IN (`+marks(len(runs))+`) AND f.status = 'violated' AND f.state <> 'suppressed'`,
		append([]any{repo, branch}, anys(runs)...)...)
	return fromMS(since), err
}

// FindingsAt lists the findings of runs at a place, at most limit.
func (t Tx) FindingsAt(ctx context.Context, runs []string, s Site, limit int) ([]Finding, error) {
	args := append(anys(runs), s.File, s.Line, s.Rule, s.Status, limit)
	return t.findings(ctx, `WHERE run_id IN (`+marks(len(runs))+`) AND file = ? AND line = ? AND rule = ? AND status = ? ORDER BY claim, entry, target LIMIT ?`,
		args...)
}

// Finding reads a finding of a run; ErrNotFound if it has none of this fingerprint.
func (t Tx) Finding(ctx context.Context, run, fingerprint string) (Finding, error) {
	list, err := t.findings(ctx, `WHERE run_id = ? AND fingerprint = ?`, run, fingerprint)
	if err == nil && len(list) == 0 {
		err = ErrNotFound
	}
	if err != nil {
		return Finding{}, err
	}
	return list[0], nil
}

func marks(n int) string { return strings.TrimSuffix(strings.Repeat("?, ", n), ", ") }

func anys(list []string) []any {
	var out []any
	for _, s := range list {
		out = append(out, s)
	}
	return out
}

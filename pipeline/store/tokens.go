package store

import (
	"context"
	"time"
)

// TokenUse is what a token is good for.
type TokenUse string

// The uses of tokens.
const (
	TokenReads TokenUse = "read"  // the interface for programs
	TokenBadge TokenUse = "badge" // the badge alone: such a token stands in addresses
)

// Token lets programs read about one repository. What it is itself is known by its digest alone.
type Token struct {
	ID    string // its name on pages
	Repo  int64
	Use   TokenUse
	Note  string // what it is for, in words of who made it
	By    string
	Since time.Time
	Until time.Time
	Used  time.Time // about: within an hour; zero: never
}

// usedWithin is how exactly Token.Used is known.
const usedWithin = time.Hour

// AddToken keeps a token under its digest.
func (t Tx) AddToken(ctx context.Context, digest string, k Token) error {
	_, err := t.exec(ctx, `INSERT INTO tokens (digest, id, repo_id, token_use, note, author, created_at, expires_at, used_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, 0)`,
		digest, k.ID, k.Repo, string(k.Use), k.Note, k.By, t.ms(), toMS(k.Until))
	return err
}

// TokenOf finds a token that is still good; ErrNotFound if there is none.
func (t Tx) TokenOf(ctx context.Context, digest string) (Token, error) {
	list, err := t.tokens(ctx, `WHERE digest = ? AND expires_at > ?`, digest, t.ms())
	if err == nil && len(list) == 0 {
		err = ErrNotFound
	}
	if err != nil {
		return Token{}, err
	}
	return list[0], nil
}

// Stale reports whether the use of a token is to be noted (UseToken).
func (t Tx) Stale(k *Token) bool { return t.now.Sub(k.Used) > usedWithin }

// UseToken notes that a token is used now.
func (t Tx) UseToken(ctx context.Context, digest string) error {
	_, err := t.exec(ctx, `UPDATE tokens SET used_at = ? WHERE digest = ?`, t.ms(), digest)
	return err
}

// Tokens lists the tokens of a repository that are still good, oldest first.
func (t Tx) Tokens(ctx context.Context, repo int64) ([]Token, error) {
	return t.tokens(ctx, `WHERE repo_id = ? AND expires_at > ? ORDER BY created_at, id`, repo, t.ms())
}

// DropToken ends a token; false if the repository has none of this ID.
func (t Tx) DropToken(ctx context.Context, repo int64, id string) (bool, error) {
	n, err := t.exec(ctx, `DELETE FROM tokens WHERE repo_id = ? AND id = ?`, repo, id)
	return n > 0, err
}

func (t Tx) tokens(ctx context.Context, where string, args ...any) ([]Token, error) {
	var out []Token
	err := t.each(ctx, func(r rows) error {
		var k Token
		var since, until, used int64
		err := r.Scan(&k.ID, &k.Repo, &k.Use, &k.Note, &k.By, &since, &until, &used)
		k.Since, k.Until, k.Used = fromMS(since), fromMS(until), fromMS(used)
		out = append(out, k)
		return err
	}, `SELECT id, repo_id, token_use, note, author, created_at, expires_at, used_at FROM tokens `+where, args...)
	return out, err
}

// Package store keeps what the service knows: deliveries, repositories, pull
// requests, runs, findings, baselines. It is the truth; the job queue is only
// transport and may be rebuilt from here (see Requeue*).
//
// One set of hand-written portable SQL serves two databases: SQLite (default,
// one file, one process) and PostgreSQL (several replicas). Statements are
// written with `?`; times are milliseconds, flags 0 or 1, documents JSON text.
package store

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"time"
)

// ErrNotFound says that the row asked for does not exist.
var ErrNotFound = errors.New("store: not found")

// Store is an open database with its schema up to date.
type Store struct {
	backend
	docs Documents // may be nil
}

// Attach says where documents are that are not in the database.
func (s *Store) Attach(d Documents) { s.docs = d }

// backend is one kind of database.
type backend interface {
	begin(ctx context.Context, write bool) (conn, error)
	migrate(ctx context.Context) error
	ping(ctx context.Context) error
	// now is the time that all processes of the database agree on
	now(ctx context.Context, c conn) (time.Time, error)
	close() error
}

// conn is one open transaction. Its methods are all that the queries need.
type conn interface {
	exec(ctx context.Context, query string, args ...any) (int64, error)
	query(ctx context.Context, query string, args ...any) (rows, error)
	commit(ctx context.Context) error
	rollback(ctx context.Context) error
	// lazy runs a statement, and says that the commit need not have reached the disk when it returns: what it says may be lost
	// in a crash
	lazy(ctx context.Context, query string) error
	raw() any // *sql.Tx or pgx.Tx: what the queue's driver wants
}

type rows interface {
	Next() bool
	Scan(dest ...any) error
	Err() error
	close()
}

// Open opens dsn ("sqlite:PATH" or "postgres://...") and migrates it.
func Open(ctx context.Context, dsn string) (*Store, error) {
	var b backend
	var err error
	switch {
	case strings.HasPrefix(dsn, "sqlite:"):
		b, err = openSQLite(strings.TrimPrefix(dsn, "sqlite:"))
	case strings.HasPrefix(dsn, "postgres://"), strings.HasPrefix(dsn, "postgresql://"):
		b, err = openPostgres(ctx, dsn)
	default:
		return nil, fmt.Errorf("store: database %q: want sqlite:PATH or postgres://USER@HOST/NAME", dsn)
	}
	if err != nil {
		return nil, err
	}
	if err := b.migrate(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("store: %w", err), b.close())
	}
	return &Store{backend: b}, nil
}

// Close releases the database.
func (s *Store) Close() error { return s.close() }

// Ping reports whether the database answers and can be written.
func (s *Store) Ping(ctx context.Context) error {
	if err := s.ping(ctx); err != nil {
		return err
	}
	return s.Write(ctx, func(tx Tx) error {
		_, err := tx.exec(ctx, `INSERT INTO locks (name, owner, until) VALUES ('ping', '', ?)
			ON CONFLICT (name) DO UPDATE SET until = excluded.until`, tx.ms())
		return err
	})
}

// Tx is one transaction; its methods are the queries.
type Tx struct {
	conn
	now  time.Time
	docs Documents
}

// Raw is the driver's own transaction: *sql.Tx or pgx.Tx.
func (t Tx) Raw() any { return t.raw() }

// Write runs fn in a transaction that may change data. An error of fn rolls it back.
// fn must not start another transaction: SQLite has one writer.
func (s *Store) Write(ctx context.Context, fn func(Tx) error) error { return s.run(ctx, true, fn) }

// Read runs fn in a transaction that only looks.
func (s *Store) Read(ctx context.Context, fn func(Tx) error) error { return s.run(ctx, false, fn) }

func (s *Store) run(ctx context.Context, write bool, fn func(Tx) error) error {
	c, err := s.begin(ctx, write)
	if err != nil {
		return fmt.Errorf("store: begin: %w", err)
	}
	done := false
	defer func() {
		if !done {
			_ = c.rollback(context.WithoutCancel(ctx)) // fn panicked or failed: its error is the one to report
		}
	}()
	now, err := s.now(ctx, c)
	if err != nil {
		return fmt.Errorf("store: begin: %w", err)
	}
	if err := fn(Tx{c, now, s.docs}); err != nil {
		return err
	}
	if err := c.commit(ctx); err != nil {
		return fmt.Errorf("store: commit: %w", err)
	}
	done = true
	return nil
}

// one scans the single row of a query into dest; no row is ErrNotFound.
func (t Tx) one(ctx context.Context, dest []any, query string, args ...any) error {
	r, err := t.query(ctx, query, args...)
	if err != nil {
		return err
	}
	defer r.close()
	if !r.Next() {
		if err := r.Err(); err != nil {
			return err
		}
		return ErrNotFound
	}
	return r.Scan(dest...)
}

// each calls scan for every row of a query.
func (t Tx) each(ctx context.Context, scan func(rows) error, query string, args ...any) error {
	r, err := t.query(ctx, query, args...)
	if err != nil {
		return err
	}
	defer r.close()
	for r.Next() {
		if err := scan(r); err != nil {
			return err
		}
	}
	return r.Err()
}

// Now returns when the transaction began, by the database's clock: leases and deadlines of different machines are
// compared by nothing else.
func (t Tx) Now() time.Time { return t.now }

func (t Tx) ms() int64 { return t.now.UnixMilli() }

// toMS is t in the database's form; the zero time is 0.
func toMS(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMilli()
}

// fromMS is the inverse of toMS.
func fromMS(ms int64) time.Time {
	if ms == 0 {
		return time.Time{}
	}
	return time.UnixMilli(ms).UTC()
}

func flag(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

// NewID makes an identifier that sorts by time: 12 hex digits of milliseconds, 16 random ones.
func NewID() string {
	var r [8]byte
	_, _ = rand.Read(r[:]) // never fails: crypto/rand.Read
	return fmt.Sprintf("%012x%s", time.Now().UnixMilli(), hex.EncodeToString(r[:]))
}

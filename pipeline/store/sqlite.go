package store

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"time"

	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/database"
	"github.com/riverqueue/river/riverdriver/riversqlite"
	"github.com/riverqueue/river/rivermigrate"
	_ "modernc.org/sqlite" // the database/sql driver "sqlite"
)

//go:embed migrations
var migrations embed.FS

// sqliteDB has one writing connection (River and we share it: SQLite has one
// writer anyway, and queueing in Go is fairer than busy waiting) and some reading ones.
type sqliteDB struct {
	write, read *sql.DB
	path        string
}

func openSQLite(path string) (*sqliteDB, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, fmt.Errorf("store: %w", err)
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("store: %w", err)
	}
	if err := f.Close(); err != nil {
		return nil, fmt.Errorf("store: %w", err)
	}
	open := func(n int, extra string) (*sql.DB, error) {
		u := url.URL{Scheme: "file", Opaque: (&url.URL{Path: path}).EscapedPath(),
			RawQuery: "_pragma=journal_mode(WAL)&_pragma=busy_timeout(10000)&_pragma=synchronous(NORMAL)" + extra}
		db, err := sql.Open("sqlite", u.String())
		if err != nil {
			return nil, fmt.Errorf("store: %w", err)
		}
		db.SetMaxOpenConns(n)
		db.SetMaxIdleConns(n)
		return db, nil
	}
	w, err := open(1, "&_txlock=immediate")
	if err != nil {
		return nil, err
	}
	r, err := open(4, "&_pragma=query_only(1)")
	if err != nil {
		return nil, errors.Join(err, w.Close())
	}
	return &sqliteDB{w, r, path}, nil
}

func (d *sqliteDB) begin(ctx context.Context, write bool) (conn, error) {
	db := d.read
	if write {
		db = d.write
	}
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return nil, err
	}
	return sqlConn{tx}, nil
}

// sound is nil if the file is a database without damage.
func (d *sqliteDB) sound(ctx context.Context) error {
	var said string
	err := d.read.QueryRowContext(ctx, `PRAGMA quick_check(1)`).Scan(&said)
	if err == nil && said != "ok" {
		err = errors.New(said)
	}
	if err != nil {
		return fmt.Errorf("%s is damaged or no SQLite database (%w): move it away with its -wal and -shm, and restore a backup with `firmproof restore`", d.path, err)
	}
	return nil
}

func (d *sqliteDB) migrate(ctx context.Context) error {
	if err := d.sound(ctx); err != nil {
		return err
	}
	if err := gooseUp(ctx, goose.DialectSQLite3, d.write, "migrations/sqlite"); err != nil {
		return err
	}
	m, err := rivermigrate.New(riversqlite.New(d.write), nil)
	if err != nil {
		return err
	}
	_, err = m.Migrate(ctx, rivermigrate.DirectionUp, nil)
	return err
}

func gooseUp(ctx context.Context, dialect database.Dialect, db *sql.DB, dir string) error {
	sub, err := fs.Sub(migrations, dir)
	if err != nil {
		return err
	}
	p, err := goose.NewProvider(dialect, db, sub)
	if err != nil {
		return err
	}
	current, known, err := p.GetVersions(ctx)
	if err != nil {
		return err
	}
	if current > known {
		return fmt.Errorf("the database has schema %d, this version of firmproof knows up to %d: start the version that made it, or a newer one, or restore a backup from before", current, known)
	}
	_, err = p.Up(ctx)
	return err
}

// now is this machine's clock: an SQLite database has one process.
func (d *sqliteDB) now(context.Context, conn) (time.Time, error) { return time.Now(), nil }

func (d *sqliteDB) ping(ctx context.Context) error { return d.write.PingContext(ctx) }

func (d *sqliteDB) close() error { return errors.Join(d.write.Close(), d.read.Close()) }

type sqlConn struct{ tx *sql.Tx }

func (c sqlConn) exec(ctx context.Context, q string, args ...any) (int64, error) {
	r, err := c.tx.ExecContext(ctx, q, args...)
	if err != nil {
		return 0, err
	}
	return r.RowsAffected()
}

func (c sqlConn) query(ctx context.Context, q string, args ...any) (rows, error) {
	r, err := c.tx.QueryContext(ctx, q, args...)
	if err != nil {
		return nil, err
	}
	return sqlRows{r}, nil
}

func (c sqlConn) commit(context.Context) error   { return c.tx.Commit() }
func (c sqlConn) rollback(context.Context) error { return c.tx.Rollback() }
func (c sqlConn) raw() any                       { return c.tx }
func (c sqlConn) lazy(ctx context.Context, query string) error { // WAL with synchronous = NORMAL is
	_, err := c.exec(ctx, query)
	return err
}

type sqlRows struct{ *sql.Rows }

func (r sqlRows) close() { _ = r.Rows.Close() }

// SQLite is the writing pool if this store is SQLite, else nil.
func (s *Store) SQLite() *sql.DB {
	if d, ok := s.backend.(*sqliteDB); ok {
		return d.write
	}
	return nil
}

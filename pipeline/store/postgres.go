package store

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivermigrate"
)

type postgresDB struct{ pool *pgxpool.Pool }

func openPostgres(ctx context.Context, dsn string) (*postgresDB, error) {
	pool, err := pgxpool.New(ctx, dsn)
	if err != nil {
		return nil, fmt.Errorf("store: %w", err)
	}
	return &postgresDB{pool}, nil
}

func (d *postgresDB) begin(ctx context.Context, write bool) (conn, error) {
	opts := pgx.TxOptions{AccessMode: pgx.ReadWrite}
	if !write { // as in SQLite: one state, however many queries look at it
		opts = pgx.TxOptions{AccessMode: pgx.ReadOnly, IsoLevel: pgx.RepeatableRead}
	}
	tx, err := d.pool.BeginTx(ctx, opts)
	if err != nil {
		return nil, err
	}
	return pgConn{tx}, nil
}

// migrationLock serialises replicas that start together.
const migrationLock = 0x6669726d // "firm"

func (d *postgresDB) migrate(ctx context.Context) error {
	c, err := d.pool.Acquire(ctx)
	if err != nil {
		return err
	}
	defer c.Release()
	if _, err := c.Exec(ctx, "SELECT pg_advisory_lock($1)", migrationLock); err != nil {
		return err
	}
	defer func() {
		// the session's end frees it too
		_, _ = c.Exec(context.WithoutCancel(ctx), "SELECT pg_advisory_unlock($1)", migrationLock)
	}()
	db := stdlib.OpenDBFromPool(d.pool)
	err = gooseUp(ctx, goose.DialectPostgres, db, "migrations/postgres")
	if err = errors.Join(err, db.Close()); err != nil {
		return err
	}
	m, err := rivermigrate.New(riverpgxv5.New(d.pool), nil)
	if err != nil {
		return err
	}
	_, err = m.Migrate(ctx, rivermigrate.DirectionUp, nil)
	return err
}

func (d *postgresDB) now(ctx context.Context, c conn) (time.Time, error) {
	var micro int64
	err := Tx{conn: c}.one(ctx, []any{&micro}, `SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint`)
	return time.UnixMicro(micro), err
}

func (d *postgresDB) ping(ctx context.Context) error { return d.pool.Ping(ctx) }

func (d *postgresDB) close() error {
	d.pool.Close()
	return nil
}

type pgConn struct{ tx pgx.Tx }

func (c pgConn) exec(ctx context.Context, q string, args ...any) (int64, error) {
	t, err := c.tx.Exec(ctx, rebind(q), args...)
	return t.RowsAffected(), err
}

func (c pgConn) query(ctx context.Context, q string, args ...any) (rows, error) {
	r, err := c.tx.Query(ctx, rebind(q), args...)
	if err != nil {
		return nil, err
	}
	return pgRows{r}, nil
}

func (c pgConn) commit(ctx context.Context) error   { return c.tx.Commit(ctx) }
func (c pgConn) rollback(ctx context.Context) error { return c.tx.Rollback(ctx) }
func (c pgConn) lazy(ctx context.Context, query string) error {
	both := &pgx.Batch{}
	both.Queue("SET LOCAL synchronous_commit = off")
	both.Queue(query)
	return c.tx.SendBatch(ctx, both).Close()
}
func (c pgConn) raw() any { return c.tx }

type pgRows struct{ pgx.Rows }

func (r pgRows) close() { r.Rows.Close() }

// Postgres is the pool if this store is PostgreSQL, else nil.
func (s *Store) Postgres() *pgxpool.Pool {
	if d, ok := s.backend.(*postgresDB); ok {
		return d.pool
	}
	return nil
}

// rebind turns `?` into `$1`, `$2`, ... Our statements hold no `?` in literals.
func rebind(q string) string {
	var b strings.Builder
	n := 0
	for i := 0; i < len(q); i++ {
		if q[i] != '?' {
			b.WriteByte(q[i])
			continue
		}
		n++
		b.WriteByte('$')
		b.WriteString(strconv.Itoa(n))
	}
	return b.String()
}

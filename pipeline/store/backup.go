package store

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// A backup is JSON lines: a header, then a row of one of our tables each, as an
// object of its columns; binary columns are in base64. It has no trace of the kind
// of database, so that it moves a service from SQLite to PostgreSQL as well. The
// queue is not part of it: notices are made anew from the rows.

// backupHeader is the first line.
type backupHeader struct {
	Firmproof string `json:"firmproof"` // "backup"
	Schema    int64  `json:"schema"`    // version of our migrations
}

// backupRow is every other line.
type backupRow struct {
	Table string         `json:"t"`
	Row   map[string]any `json:"r"`
}

// ErrNotEmpty says that a database holds something already.
var ErrNotEmpty = errors.New("store: the database is not empty")

// column is one of a table; kind is "int", "text" or "bytes".
type column struct {
	name, kind string
	nullable   bool
}

// tables lists our tables with their columns, by name; what the queue and the
// migrations own is left out.
func (t Tx) tables(ctx context.Context) (names []string, columns map[string][]column, err error) {
	q := `SELECT m.name, p.name, p.type, 1 - p."notnull" FROM sqlite_master m JOIN pragma_table_info(m.name) p WHERE m.type = 'table' ORDER BY m.name, p.cid`
	if _, ok := t.conn.(pgConn); ok {
		q = `SELECT table_name::text, column_name::text, data_type::text, (is_nullable = 'YES')::int::bigint FROM information_schema.columns WHERE table_schema = current_schema() ORDER BY table_name, ordinal_position`
	}
	columns = map[string][]column{}
	err = t.each(ctx, func(r rows) error {
		var table, name, kind string
		var nullable int64
		if err := r.Scan(&table, &name, &kind, &nullable); err != nil {
			return err
		}
		if strings.HasPrefix(table, "river_") || strings.HasPrefix(table, "goose_") || strings.HasPrefix(table,
			"sqlite_") || table == "locks" {
			return nil
		}
		c := column{name, map[string]string{"integer": "int", "bigint": "int", "text": "text", "blob": "bytes",
			"bytea": "bytes"}[strings.ToLower(kind)], nullable != 0}
		if c.kind == "" {
			return fmt.Errorf("store: backup: column %s of %s is of type %s", name, table, kind)
		}
		if columns[table] == nil {
			names = append(names, table)
		}
		columns[table] = append(columns[table], c)
		return nil
	}, q)
	return names, columns, err
}

func (t Tx) schema(ctx context.Context) (int64, error) {
	var v int64
	err := t.one(ctx, []any{&v}, `SELECT MAX(version_id) FROM goose_db_version`)
	return v, err
}

// Backup writes every row, as of one moment, while the service may go on.
func (s *Store) Backup(ctx context.Context, w io.Writer) error {
	out := json.NewEncoder(w)
	out.SetEscapeHTML(false)
	return s.Read(ctx, func(tx Tx) error {
		v, err := tx.schema(ctx)
		if err != nil {
			return err
		}
		if err := out.Encode(backupHeader{"backup", v}); err != nil {
			return err
		}
		names, columns, err := tx.tables(ctx)
		if err != nil {
			return err
		}
		for _, name := range names {
			if err := tx.backupTable(ctx, out, name, columns[name]); err != nil {
				return fmt.Errorf("store: backup of %s: %w", name, err)
			}
		}
		return nil
	})
}

func (t Tx) backupTable(ctx context.Context, out *json.Encoder, table string, columns []column) error {
	var names []string
	dest := make([]any, len(columns))
	for i, c := range columns {
		names = append(names, c.name)
		switch c.kind {
		case "int":
			dest[i] = new(int64)
		case "text":
			dest[i] = new(string)
		default:
			dest[i] = new([]byte)
		}
	}
	return t.each(ctx, func(r rows) error {
		if err := r.Scan(dest...); err != nil {
			return err
		}
		row := map[string]any{}
		for i, c := range columns {
			row[c.name] = dest[i]
		}
		return out.Encode(backupRow{table, row})
	}, `SELECT `+strings.Join(names, ", ")+` FROM `+table)
}

// Restore fills an empty database from a backup of the same schema, whole or not at all.
func (s *Store) Restore(ctx context.Context, r io.Reader) error {
	in := json.NewDecoder(bufio.NewReader(r))
	in.UseNumber()
	var h backupHeader
	if err := in.Decode(&h); err != nil || h.Firmproof != "backup" {
		return errors.Join(errors.New("store: this is no backup"), err)
	}
	return s.Write(ctx, func(tx Tx) error {
		v, err := tx.schema(ctx)
		if err != nil {
			return err
		}
		if v != h.Schema {
			return fmt.Errorf("store: the backup has schema %d, this version of firmproof has %d: restore it with the version that made it, then upgrade", h.Schema, v)
		}
		names, columns, err := tx.tables(ctx)
		if err != nil {
			return err
		}
		for _, name := range names {
			var n int
			if err := tx.one(ctx, []any{&n}, `SELECT COUNT(*) FROM `+name); err != nil {
				return err
			}
			if n > 0 {
				return fmt.Errorf("%w: %s has %d rows", ErrNotEmpty, name, n)
			}
		}
		for line := 2; ; line++ {
			var row backupRow
			if err := in.Decode(&row); err == io.EOF {
				return nil
			} else if err != nil {
				return fmt.Errorf("store: backup, line %d: %w", line, err)
			}
			if err := tx.restoreRow(ctx, row, columns[row.Table]); err != nil {
				return fmt.Errorf("store: backup, line %d: %s: %w", line, row.Table, err)
			}
		}
	})
}

func (t Tx) restoreRow(ctx context.Context, row backupRow, columns []column) error {
	if columns == nil || len(row.Row) != len(columns) {
		return errors.New("the table is another one here")
	}
	var names, marks []string
	var args []any
	for _, c := range columns {
		v, ok := row.Row[c.name]
		if !ok {
			return fmt.Errorf("no column %s", c.name)
		}
		arg, err := restored(c, v)
		if err != nil {
			return fmt.Errorf("%s: %w", c.name, err)
		}
		names, marks, args = append(names, c.name), append(marks, "?"), append(args, arg)
	}
	_, err := t.exec(ctx, `INSERT INTO `+row.Table+` (`+strings.Join(names, ", ")+`) VALUES (`+strings.Join(marks,
		", ")+`)`, args...)
	return err
}

// restored is the value of a column from its JSON.
func restored(c column, v any) (any, error) {
	switch x := v.(type) {
	case json.Number:
		if c.kind == "int" {
			return x.Int64()
		}
	case string:
		switch c.kind {
		case "text":
			return x, nil
		case "bytes":
			var b []byte
			err := json.Unmarshal([]byte(`"`+x+`"`), &b)
			return b, err
		}
	case nil: // a driver may give an empty value as none
		if c.kind == "bytes" && c.nullable {
			return nil, nil
		}
		if c.kind == "bytes" {
			return []byte{}, nil
		}
	}
	return nil, fmt.Errorf("%v is no %s", v, c.kind)
}

package db

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"slices"
	"time"

	"zombiezen.com/go/sqlite/sqlitex"

	"trails/db/disk"
	"trails/db/stmt"
	"trails/db/wordindex"
	"trails/fault"
	"trails/migrations"
)

// migrate brings the tables at path to [disk.Format]. All pending migrations run in one transaction under the write
// lock, so that only one process migrates.
func migrate(ctx context.Context, path string, wait time.Duration) error {
	raw, err := stmt.Open(path)
	if err != nil {
		return err
	}
	c := &conn{Conn: raw}
	defer c.Close()
	defer c.InterruptBy(ctx)()
	if err := stmt.Retry(ctx, wait, func() error { return c.Exec("BEGIN IMMEDIATE", nil) }); err != nil {
		return err
	}
	if err := c.migrate(path); err != nil {
		return errors.Join(err, c.End("ROLLBACK"))
	}
	return c.End("COMMIT")
}

// migrate runs the pending migrations within a transaction, and fills what they add to a file that has content.
func (c *conn) migrate(path string) error {
	format, err := c.Int64("PRAGMA user_version")
	if err != nil {
		return err
	}
	from := int(format)
	if from > disk.Format {
		return disk.Newer(path, from)
	}
	err = c.runMigrations(from, disk.Format)
	if err == nil && from > 0 && from < firstSums {
		err = c.addSums()
	}
	if err == nil && from >= firstSums && from < firstArtifactSums {
		err = c.addSumsOf(artifactSums)
	}
	if err == nil && from > 0 && from < firstWords {
		err = c.indexAll()
	}
	if err == nil && from < disk.FirstSeals {
		epoch := newEpoch()
		err = c.Exec(putSeal, nil, epoch, newSeal(epoch, nil, false), nil, mainLine)
	}
	return err
}

// migrated is the table of the migrations that ran, and createMigrated makes it. Both are as goose has them, a library
// that ran the migrations of earlier versions, and so is the first row, of a migration 0.
const (
	migrated       = "goose_db_version"
	createMigrated = `CREATE TABLE ` + migrated + ` (
		id INTEGER PRIMARY KEY AUTOINCREMENT,
		version_id INTEGER NOT NULL,
		is_applied INTEGER NOT NULL,
		tstamp TIMESTAMP DEFAULT (datetime('now'))
	)`
)

// runMigrations runs the SQL files that lead from one format to another, and notes them in the table [migrated].
func (c *conn) runMigrations(from, to int) error {
	files, err := fs.Glob(migrations.FS, "*.sql")
	if err != nil {
		return err
	}
	const note = "INSERT INTO " + migrated + " (version_id, is_applied) VALUES (?, 1)"
	if from == 0 {
		if err := c.Once(createMigrated); err != nil {
			return err
		}
		if err := c.Exec(note, nil, 0); err != nil {
			return err
		}
	}
	for i, name := range files[from:to] {
		text, err := fs.ReadFile(migrations.FS, name)
		if err != nil {
			return err
		}
		if err := sqlitex.ExecuteScript(c.Conn.Conn, string(text), nil); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if err := c.Exec(note, nil, from+i+1); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

// firstSums is the first format whose rows have digests.
const firstSums = 3

// firstArtifactSums is the first format whose artifacts have digests.
const firstArtifactSums = 9

// sumBatch is the number of rows whose digests are computed together.
const sumBatch = 1000

// addSums computes the digest of every row, which SQLite cannot do.
func (c *conn) addSums() error {
	for _, table := range summedTables {
		if err := c.addSumsOf(table); err != nil {
			return err
		}
	}
	rows, err := c.rows(metaRows)
	if err != nil {
		return err
	}
	return c.Exec("INSERT INTO meta (key, value) VALUES ('sum', ?)", nil, metaSum(slices.Concat(rows...)...))
}

func (c *conn) addSumsOf(table summedTable) error {
	var last []byte
	for seq, more := int64(math.MinInt64), true; more; {
		batch, err := c.rows(table.rows, seq, sumBatch)
		if err != nil {
			return err
		}
		for _, row := range batch {
			seq, last = row[0].(int64), table.sum(last, row[:len(row)-1]...)
			if err := c.Exec("UPDATE "+table.name+" SET "+table.column+" = ? WHERE seq = ?", nil, last, seq); err != nil {
				return err
			}
		}
		more = len(batch) == sumBatch
	}
	return nil
}

// rows returns the rows of a query.
func (c *conn) rows(text string, args ...any) (list [][]any, err error) {
	err = c.Exec(text, func(s *stmt.Stmt) error {
		list = append(list, s.Values(s.ColumnCount()))
		return nil
	}, args...)
	return list, err
}

// firstWords is the first format with an index of words.
const firstWords = 5

// indexAll fills the index of words.
func (c *conn) indexAll() error {
	last, err := c.ID("SELECT max(id) FROM terms")
	if err != nil {
		return err
	}
	return wordindex.Add(c.Conn, 0, last)
}

// checkFormat checks, within a transaction, that the tables still have the format of this build. Another process may
// have migrated the file since it was opened.
func (c *conn) checkFormat(path string) error {
	format, err := c.Int64("PRAGMA user_version")
	if err != nil || format == disk.Format {
		return err
	}
	return fault.New(fault.Unusable, "another trails has migrated %s to format %d, and this one knows format %d; restart it with that version", fault.Path(path), format, disk.Format)
}

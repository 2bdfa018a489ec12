package db

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/pressly/goose/v3"
	_ "modernc.org/sqlite" // the database/sql driver that goose uses

	"trails/db/disk"
	"trails/db/inline"
	"trails/db/pager"
	"trails/db/stmt"
	"trails/db/wordindex"
	"trails/fault"
	"trails/migrations"
	"trails/text/fulltext"
)

// migrate brings the tables at path to [disk.Format]. All pending migrations run in one transaction under the write
// lock, so that only one process migrates.
func migrate(ctx context.Context, path string, wait time.Duration) error {
	handle, err := sql.Open("sqlite", pager.URI(path, "_pragma=busy_timeout(0)"))
	if err != nil {
		return err
	}
	defer handle.Close()
	provider, err := goose.NewProvider(goose.DialectSQLite3, handle, migrations.FS,
		goose.WithSessionLocker(&migrationLock{wait: wait}), goose.WithDisableGlobalRegistry(true))
	if err != nil {
		return err
	}
	_, err = provider.Up(ctx)
	return err
}

// migrationLock is the write transaction around all statements of goose.
type migrationLock struct {
	wait time.Duration
	from int // the format before the migration
}

// SessionLock begins the transaction.
func (l *migrationLock) SessionLock(ctx context.Context, c *sql.Conn) error {
	err := stmt.Retry(ctx, l.wait, func() error {
		_, err := c.ExecContext(ctx, "BEGIN IMMEDIATE")
		return err
	})
	if err != nil {
		return err
	}
	return c.QueryRowContext(ctx, "PRAGMA user_version").Scan(&l.from)
}

// SessionUnlock commits if the migration reached the last format, and rolls back otherwise.
func (l *migrationLock) SessionUnlock(ctx context.Context, c *sql.Conn) error {
	var version int
	err := c.QueryRowContext(ctx, "PRAGMA user_version").Scan(&version)
	if err == nil && version == disk.Format && l.from > 0 && l.from < firstSums {
		err = addSums(ctx, c)
	}
	if err == nil && version == disk.Format && l.from >= firstSums && l.from < firstArtifactSums {
		err = addSumsOf(ctx, c, artifactSums)
	}
	if err == nil && version == disk.Format && l.from > 0 && l.from < firstWords {
		err = indexAll(ctx, c)
	}
	if err == nil && version == disk.Format && l.from < disk.FirstSeals {
		epoch := newEpoch()
		_, err = c.ExecContext(ctx, putSeal, epoch, newSeal(epoch, nil, false), nil, mainLine)
	}
	if err == nil && version == disk.Format {
		_, err = c.ExecContext(ctx, "COMMIT")
		return err
	}
	if _, rollback := c.ExecContext(context.WithoutCancel(ctx), "ROLLBACK"); rollback != nil {
		return rollback
	}
	return fmt.Errorf("stopped at format %d of %d: %w", version, disk.Format, err)
}

// firstSums is the first format whose rows have digests.
const firstSums = 3

// firstArtifactSums is the first format whose artifacts have digests.
const firstArtifactSums = 9

// sumBatch is the number of rows whose digests are computed together.
const sumBatch = 1000

// addSums computes the digest of every row, which SQLite cannot do.
func addSums(ctx context.Context, c *sql.Conn) error {
	for _, table := range summedTables {
		if err := addSumsOf(ctx, c, table); err != nil {
			return err
		}
	}
	rows, err := queryRows(ctx, c, metaRows)
	if err != nil {
		return err
	}
	_, err = c.ExecContext(ctx, "INSERT INTO meta (key, value) VALUES ('sum', ?)", metaSum(slices.Concat(rows...)...))
	return err
}

func addSumsOf(ctx context.Context, c *sql.Conn, table summedTable) error {
	var last []byte
	for seq, more := int64(math.MinInt64), true; more; {
		batch, err := queryRows(ctx, c, table.rows, seq, sumBatch)
		if err != nil {
			return err
		}
		for _, row := range batch {
			seq, last = row[0].(int64), table.sum(last, row[:len(row)-1]...)
			if _, err := c.ExecContext(ctx, "UPDATE "+table.name+" SET "+table.column+" = ? WHERE seq = ?", last, seq); err != nil {
				return err
			}
		}
		more = len(batch) == sumBatch
	}
	return nil
}

// firstWords is the first format with an index of words.
const firstWords = 5

// longBatch is the number of long texts that are read together.
const longBatch = 16

// indexAll fills the index of words, in the order of places.
func indexAll(ctx context.Context, c *sql.Conn) (err error) {
	insert, err := c.PrepareContext(ctx, wordindex.InsertWords)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, insert.Close()) }()
	var entry fulltext.Entry
	shortest, size := int64(-1), sumBatch
	for _, longest := range wordindex.TextLengths {
		if longest > fulltext.ShortText {
			size = longBatch
		}
		for id, more := int64(0), true; more; {
			batch, err := queryRows(ctx, c, `SELECT id, substr(value, 1, ?) FROM terms
				WHERE id > ? AND kind IN (3, 5) AND octet_length(value) > ? AND octet_length(value) <= ? ORDER BY id LIMIT ? + 0`, fulltext.MaxText, id, shortest, longest, size)
			if err != nil {
				return err
			}
			for _, row := range batch {
				id = row[0].(int64)
				text := row[1].(string)
				if _, err := insert.ExecContext(ctx, int64(wordindex.PlaceOf(inline.TermID(id), text)), entry.Of(text)); err != nil {
					return err
				}
			}
			more = len(batch) == size
		}
		shortest = longest
	}
	_, err = c.ExecContext(ctx, "UPDATE words_until SET term = (SELECT coalesce(max(id), 0) FROM terms)")
	return err
}

// queryRows returns the rows of a query with values as a [conn] binds them.
func queryRows(ctx context.Context, c *sql.Conn, text string, args ...any) (list [][]any, err error) {
	rows, err := c.QueryContext(ctx, text, args...)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	columns, err := rows.Columns()
	if err != nil {
		return nil, err
	}
	for rows.Next() {
		row, into := make([]any, len(columns)), make([]any, len(columns))
		for i := range row {
			into[i] = &row[i]
		}
		if err := rows.Scan(into...); err != nil {
			return nil, err
		}
		for i, value := range row {
			// The driver returns nil bytes for an empty blob, and nil for NULL.
			if b, ok := value.([]byte); ok && b == nil {
				row[i] = []byte{}
			}
		}
		list = append(list, row)
	}
	return list, rows.Err()
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

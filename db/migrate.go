package db

import (
	"context"
	"database/sql"
	"fmt"
	"net/url"
	"time"

	"github.com/pressly/goose/v3"
	_ "modernc.org/sqlite" // the database/sql driver that goose runs on

	"trails/migrations"
)

// migrate brings the tables at path to [Format]. All pending files run in one
// transaction under the write lock, so that two processes cannot both migrate.
func migrate(ctx context.Context, path string, wait time.Duration) error {
	dsn := url.URL{Scheme: "file", OmitHost: true, Path: path, RawQuery: "_pragma=busy_timeout(0)"}
	handle, err := sql.Open("sqlite", dsn.String())
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

// migrationLock is the write transaction around all of goose's statements.
type migrationLock struct{ wait time.Duration }

// SessionLock begins the transaction.
func (l *migrationLock) SessionLock(ctx context.Context, c *sql.Conn) error {
	return retry(ctx, l.wait, func() error {
		_, err := c.ExecContext(ctx, "BEGIN IMMEDIATE")
		return err
	})
}

// SessionUnlock keeps the migration when it reached the end, and only then.
func (l *migrationLock) SessionUnlock(ctx context.Context, c *sql.Conn) error {
	var version int
	err := c.QueryRowContext(ctx, "PRAGMA user_version").Scan(&version)
	if err == nil && version == Format {
		_, err = c.ExecContext(ctx, "COMMIT")
		return err
	}
	if _, rollback := c.ExecContext(context.WithoutCancel(ctx), "ROLLBACK"); rollback != nil {
		return rollback
	}
	return fmt.Errorf("stopped at format %d of %d: %w", version, Format, err)
}

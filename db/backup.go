package db

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"zombiezen.com/go/sqlite"

	"trails/db/disk"
	"trails/db/stmt"
	"trails/fault"
)

// backupPages is the number of pages copied between two checks of ctx: 4 MB.
const backupPages = 1024

// BackupOptions say what a backup contains. The zero value copies everything.
type BackupOptions struct {
	// WithoutArtifacts leaves artifacts out, and all unused pages, which may still contain bytes of artifacts.
	WithoutArtifacts bool
	// Progress, when set, is called with the pages copied and the total.
	Progress func(done, total int64)
}

// Backup copies one state of the file to dest, while others read and write. dest must not exist (the fault Conflict),
// and appears only when it is complete.
func (f *File) Backup(ctx context.Context, dest string, o BackupOptions) error {
	r, err := f.Read(ctx, View{})
	if err != nil {
		return err
	}
	defer r.Close()
	return r.backup(ctx, dest, o)
}

func (r *Reader) backup(ctx context.Context, dest string, o BackupOptions) error {
	r.Outlast()
	if o.Progress == nil {
		o.Progress = func(int64, int64) {}
	}
	dest, err := filepath.Abs(dest)
	if err != nil {
		return err
	}
	return buildBeside(dest, func(temp string) error {
		if err := r.copyTo(ctx, temp, o.Progress); err != nil {
			return asFault(ctx, dest, "backup", err)
		}
		// The write-ahead log of the original does not belong to the copy.
		err := withConn(temp, sqlite.OpenReadWrite, func(c *conn) error {
			if o.WithoutArtifacts {
				if err := c.forgetArtifacts(ctx); err != nil {
					return err
				}
			}
			return c.seal(nil)
		})
		if err != nil {
			return asFault(ctx, dest, "backup", err)
		}
		file, err := os.Open(temp) // as opening the copy will do
		if err != nil {
			return err
		}
		defer file.Close()
		format, err := disk.CheckHeader(file, temp)
		if err == nil && format != disk.Format {
			err = fault.New(fault.Unusable, "the copy has format %d", format)
		}
		return err
	})
}

// forgetArtifacts empties the tables of artifacts and overwrites their pages.
func (c *conn) forgetArtifacts(ctx context.Context) error {
	defer c.InterruptBy(ctx)()
	return c.Apply([]string{"DELETE FROM artifacts", "DELETE FROM artifact_contents", "DELETE FROM artifact_chunks", "VACUUM"})
}

// copyTo copies page by page within the reader's transaction. Otherwise a commit of another process would restart the
// copy.
func (r *Reader) copyTo(ctx context.Context, temp string, progress func(done, total int64)) (err error) {
	to, err := sqlite.OpenConn(temp, sqlite.OpenReadWrite|sqlite.OpenCreate)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, to.Close()) }()
	return copyPages(ctx, to, r.conn.Conn.Conn, progress)
}

// copyPages copies a whole database into another one, which nobody else has open.
func copyPages(ctx context.Context, to, from *sqlite.Conn, progress func(done, total int64)) error {
	backup, err := sqlite.NewBackup(to, "main", from, "main")
	if err != nil {
		return err
	}
	defer backup.Close()
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		more, err := backup.Step(backupPages)
		if err != nil && !stmt.Busy(err) {
			return err
		}
		total := int64(backup.PageCount())
		progress(total-int64(backup.Remaining()), total)
		if !more {
			return nil
		}
	}
}

package db

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"zombiezen.com/go/sqlite"

	"trails/db/disk"
	"trails/fault"
)

// CompactOptions say how a file is made smaller.
type CompactOptions struct {
	// DryRun finds out how small the file would be, and changes nothing.
	DryRun bool
	// Activity, when set, is recorded in the file.
	Activity *Activity
	// Progress, when set, is called during each phase: "copy", "rewrite", "verify", "restore".
	Progress func(phase string, done, total int64)
}

// Compacted is how large a file was and is, in bytes, without its log.
type Compacted struct {
	Before, After int64
	// Waits reports that others still read the old state, so that the file becomes small when they have ended.
	Waits bool
}

const (
	// compactTries is how often a file is copied while others may write to it. They wait for the copy after that.
	compactTries = 2
	// compactVerify is how long the smaller file is checked.
	compactVerify = 2 * time.Second
	// compactWait is how long the end waits for those who read the old state.
	compactWait = 2 * time.Second
)

// errMoved is the end of a try because others wrote to the file after it was copied.
var errMoved = errors.New("the file was written to")

// Compact rewrites the file at path without the pages that nothing uses, while other processes read and write it. A copy is
// made beside the file, rewritten and checked, and its content put into the file in one transaction, as a restore does: others
// see the old state or the new one, which holds the same, and so does a crash leave it. What others write meanwhile is not
// lost: the file is copied again, the last time while they wait to write. The disk needs room for three times the content, one
// of them for the log. A file that would not become smaller is left as it is.
func Compact(ctx context.Context, path string, o CompactOptions) (done Compacted, err error) {
	if o.Progress == nil {
		o.Progress = func(string, int64, int64) {}
	}
	path, err = filepath.Abs(path)
	if err != nil {
		return done, fmt.Errorf("compact: %w", err)
	}
	f, err := Open(ctx, path, Options{Synchronous: "full"})
	if err != nil {
		return done, err
	}
	done, err = f.compact(ctx, o)
	return done, errors.Join(asFault(ctx, path, "compact", err), f.Close())
}

func (f *File) compact(ctx context.Context, o CompactOptions) (done Compacted, err error) {
	dir, err := os.MkdirTemp(filepath.Dir(f.path), ".trails-new-")
	if err != nil {
		return done, fault.New(fault.Unusable, "%s cannot be compacted; make its directory writable", fault.Path(f.path)).Because(err)
	}
	defer os.RemoveAll(dir)
	watch, err := f.connect(ctx, writing)
	if err != nil {
		return done, err
	}
	defer func() { err = errors.Join(err, watch.Close()) }()
	temp, tries := filepath.Join(dir, "file.db"), 0
	for err = errMoved; errors.Is(err, errMoved); {
		tries++
		done, err = f.compactOnce(ctx, temp, watch, tries == compactTries, o)
	}
	return done, err
}

// compactOnce copies the file, and puts the copy in its place. If others wrote to the file meanwhile, it ends with errMoved
// or, the last time, copies it again, now that they wait.
func (f *File) compactOnce(ctx context.Context, temp string, watch *conn, last bool, o CompactOptions) (done Compacted, err error) {
	version, err := watch.Int64("PRAGMA data_version")
	if err != nil {
		return done, err
	}
	if done, err = f.copyCompact(ctx, temp, o); err != nil || o.DryRun || done.After >= done.Before {
		return done, err
	}
	from, err := sqlite.OpenConn(temp, sqlite.OpenReadWrite)
	if err != nil {
		return done, err
	}
	defer func() { err = errors.Join(err, from.Close()) }()
	err = f.overwrite(ctx, from, o.Progress, func() error {
		now, err := watch.Int64("PRAGMA data_version")
		switch {
		case err != nil || now == version:
			return err
		case !last:
			return errMoved
		}
		again := temp + ".last"
		if done, err = f.copyCompact(ctx, again, o); err != nil {
			return err
		}
		return replaceContent(ctx, temp, again)
	})
	if err == nil {
		done.Waits = watch.copyLog()
	}
	return done, err
}

// replaceContent gives the database at path the content of another one, which nobody has open. Who has it open and reads
// nothing sees that.
func replaceContent(ctx context.Context, path, by string) error {
	from, err := disk.OpenImmutable(by)
	if err != nil {
		return err
	}
	defer func() { _ = from.Close() }() // it was only read
	return withConn(path, sqlite.OpenReadWrite, func(c *conn) error {
		return copyPages(ctx, c.Conn.Conn, from, func(int64, int64) {})
	})
}

// copyCompact copies the file to temp, makes it small, checks it, and gives it a new epoch.
func (f *File) copyCompact(ctx context.Context, temp string, o CompactOptions) (done Compacted, err error) {
	r, err := f.Read(ctx, View{})
	if err != nil {
		return done, err
	}
	r.Outlast()
	err = errors.Join(r.copyTo(ctx, temp, func(n, total int64) { o.Progress("copy", n, total) }), r.Close())
	if err != nil {
		return done, err
	}
	o.Progress("rewrite", 0, 1)
	err = withConn(temp, sqlite.OpenReadWrite, func(c *conn) (err error) {
		defer c.InterruptBy(ctx)()
		if done.Before, err = c.size(); err == nil {
			err = c.Apply([]string{"VACUUM"})
		}
		if err == nil {
			done.After, err = c.size()
		}
		return err
	})
	o.Progress("rewrite", 1, 1)
	if err != nil {
		return done, err
	}
	copied, err := Open(ctx, temp, Options{Synchronous: "full"})
	if err != nil {
		return done, err
	}
	report, err := copied.Verify(ctx, VerifyOptions{Sample: compactVerify, Progress: func(p VerifyProgress) { o.Progress("verify", p.Done, p.Total) }})
	if err == nil && !report.OK() {
		err = fault.New(fault.Unusable, "%s is damaged and was left as it is: %s; verify says more", fault.Path(f.path), report.Problems[0])
	}
	if err == nil {
		_, err = copied.renew(ctx, o.Activity)
	}
	return done, errors.Join(err, copied.Close())
}

// size returns how many bytes the database has.
func (c *conn) size() (int64, error) {
	return c.Int64("SELECT page_count * page_size FROM pragma_page_count, pragma_page_size")
}

// copyLog copies the log into the file, which gets its size then, and reports that others keep it from that.
func (c *conn) copyLog() (waits bool) {
	c.SetBusyTimeout(compactWait)
	busy, err := c.Int64("PRAGMA wal_checkpoint(TRUNCATE)")
	return err != nil || busy != 0
}

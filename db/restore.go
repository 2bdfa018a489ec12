package db

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"zombiezen.com/go/sqlite"

	"trails/db/disk"
	"trails/db/history"
	"trails/db/stmt"
	"trails/fault"
)

// RestoreOptions say how a backup is restored. The zero value verifies the backup, and does not save the replaced
// state.
type RestoreOptions struct {
	// Save is the path for a backup of the replaced state; "" makes none.
	Save string
	// Unverified skips the verification of the backup.
	Unverified bool
	// Confirm, when set, is called before anything is changed; an error stops the restore.
	Confirm func(Restored) error
	// Activity, when set, is recorded in the restored file.
	Activity *Activity
	// Progress, when set, is called during each phase: "copy", "verify", "save", "restore".
	Progress func(phase string, done, total int64)
}

// Restored is the result of a restore, or what it is about to do.
type Restored struct {
	// Before is the replaced head, the zero Commit if there was no file.
	Before, After history.Commit
}

// Restore replaces the content of the file at path by a backup, while other processes read and write the file. It is
// one transaction: others see the old state or the new one, and so does a crash leave it. Caches of the old state
// become invalid. The backup is not changed, and may have an older format. A backup of another file is the fault
// Conflict, a damaged one Unusable. A missing file is created.
func Restore(ctx context.Context, path, backup string, o RestoreOptions) (Restored, error) {
	if o.Progress == nil {
		o.Progress = func(string, int64, int64) {}
	}
	if o.Confirm == nil {
		o.Confirm = func(Restored) error { return nil }
	}
	path, err := filepath.Abs(path)
	if err != nil {
		return Restored{}, fmt.Errorf("restore: %w", err)
	}
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		var done Restored
		err := buildBeside(path, func(temp string) (err error) {
			if done.After, err = prepareBackup(ctx, backup, temp, nil, o); err != nil {
				return err
			}
			return o.Confirm(done)
		})
		return done, err
	}
	f, err := Open(ctx, path, Options{Synchronous: "full"})
	if err != nil {
		if fault.Is(err, fault.Unusable) {
			return Restored{}, fault.New(fault.Unusable, "%v; to put a backup in its place all the same, move it and its -wal file away and restore again", err)
		}
		return Restored{}, err
	}
	done, err := f.restore(ctx, backup, o)
	return done, errors.Join(err, f.Close())
}

func (f *File) restore(ctx context.Context, backup string, o RestoreOptions) (done Restored, err error) {
	r, err := f.Read(ctx, View{})
	if err != nil {
		return done, err
	}
	done.Before = r.Head()
	r.Close()
	dir, err := os.MkdirTemp(filepath.Dir(f.path), ".trails-new-")
	if err != nil {
		return done, fault.New(fault.Unusable, "%s cannot be restored; make its directory writable", fault.Path(f.path)).Because(err)
	}
	defer os.RemoveAll(dir)
	temp := filepath.Join(dir, "file.db")
	if done.After, err = prepareBackup(ctx, backup, temp, f, o); err != nil {
		return done, err
	}
	if err := o.Confirm(done); err != nil {
		return done, err
	}
	from, err := disk.OpenImmutable(temp)
	if err != nil {
		return done, err
	}
	defer func() { _ = from.Close() }() // it was only read
	err = f.overwrite(ctx, from, o.Progress, func() error {
		done.Before, err = f.save(ctx, o)
		return err
	})
	return done, asFault(ctx, f.path, "restore", err)
}

// prepareBackup copies the backup to temp, in the current format, verified, and with a new epoch. of is the file to
// be replaced, or nil.
func prepareBackup(ctx context.Context, backup, temp string, of *File, o RestoreOptions) (head history.Commit, err error) {
	if err := copyBackup(ctx, backup, temp, o); err != nil {
		return head, err
	}
	unusable := func(err error) error {
		return fault.New(fault.Unusable, "%s cannot be restored, and nothing was changed: %v", fault.Path(backup), err)
	}
	f, err := Open(ctx, temp, Options{Synchronous: "full"})
	if err != nil {
		return head, unusable(err)
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	if of != nil && (f.meta.Base != of.meta.Base || !f.meta.Created.Equal(of.meta.Created)) {
		return head, fault.New(fault.Conflict, "%s is a backup of another file than %s, of one with the base %s made on %s; move %[2]s away to put it there all the same",
			fault.Path(backup), fault.Path(of.path), f.meta.Base, f.meta.Created.Format("2006-01-02 15:04:05"))
	}
	if !o.Unverified {
		report, err := f.Verify(ctx, VerifyOptions{Progress: func(p VerifyProgress) { o.Progress("verify", p.Done, p.Total) }})
		if err != nil {
			return head, err
		}
		if !report.OK() {
			return head, unusable(errors.New(report.Problems[0]))
		}
	}
	return f.renew(ctx, o.Activity)
}

// renew gives a file that is about to take the place of another one a new epoch, with the activity that does it.
func (f *File) renew(ctx context.Context, a *Activity) (head history.Commit, err error) {
	w, err := f.Write(ctx)
	if err != nil {
		return head, err
	}
	defer w.Close()
	if a != nil {
		if err := w.AddActivity(ctx, *a); err != nil {
			return head, err
		}
	}
	if err := w.conn.seal(newEpoch()); err != nil {
		return head, w.fail(ctx, "new epoch", err)
	}
	return w.Head(), w.Keep(ctx)
}

// copyBackup copies a backup, including its log, to temp. It leaves nothing beside the backup.
func copyBackup(ctx context.Context, backup, temp string, o RestoreOptions) error {
	path, err := filepath.EvalSymlinks(backup)
	if errors.Is(err, fs.ErrNotExist) {
		return fault.New(fault.Missing, "no file %s; give the path of a backup", fault.Path(backup))
	}
	if err == nil {
		path, err = filepath.Abs(path)
	}
	if err != nil {
		return fault.New(fault.Unusable, "%s cannot be read", fault.Path(backup)).Because(err)
	}
	from, err := disk.OpenBackup(ctx, path)
	if err != nil {
		return asFault(ctx, path, "restore", err)
	}
	defer func() { _ = from.Close() }() // it was only read
	to, err := sqlite.OpenConn(temp, sqlite.OpenReadWrite|sqlite.OpenCreate)
	if err != nil {
		return asFault(ctx, temp, "restore", err)
	}
	err = copyPages(ctx, to, from, func(done, total int64) { o.Progress("copy", done, total) })
	return asFault(ctx, path, "restore", errors.Join(err, to.Close()))
}

// overwrite replaces the content of the file by that of another one, in one transaction. It calls locked when nobody else
// can write any more: what is read then is what will be replaced, and an error keeps it.
func (f *File) overwrite(ctx context.Context, from *sqlite.Conn, progress func(phase string, done, total int64), locked func() error) (err error) {
	if err := f.write.Acquire(ctx, 1); err != nil {
		return err
	}
	defer f.write.Release(1)
	to, err := f.connect(ctx, writing)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, to.Close()) }()
	backup, err := sqlite.NewBackup(to.Conn.Conn, "main", from, "main")
	if err != nil {
		return err
	}
	defer backup.Close() // rolled back before its end
	// The first step takes the lock for writing and keeps it.
	if err := stmt.Retry(ctx, f.opts.LockWait, func() error { _, err := backup.Step(0); return err }); err != nil {
		return err
	}
	if err := locked(); err != nil {
		return err
	}
	for more := true; more; {
		if err := errors.Join(ctx.Err(), f.place.Writable()); err != nil {
			return err
		}
		if more, err = backup.Step(backupPages); err != nil {
			return err
		}
		total := int64(backup.PageCount())
		progress("restore", total-int64(backup.Remaining()), total)
	}
	if err := f.place.Here(); err != nil {
		return err
	}
	to.leaveLog() // as long as the file
	return nil
}

// save makes a backup of the state that is about to be replaced, and returns its head.
func (f *File) save(ctx context.Context, o RestoreOptions) (head history.Commit, err error) {
	r, err := f.Read(ctx, View{})
	if err != nil {
		return head, err
	}
	defer r.Close()
	if o.Save == "" {
		return r.Head(), nil
	}
	return r.Head(), r.backup(ctx, o.Save, BackupOptions{Progress: func(done, total int64) { o.Progress("save", done, total) }})
}

package db

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"

	"zombiezen.com/go/sqlite"

	"trails/fault"
)

// RestoreOptions say how a backup is restored. The zero value checks the backup and keeps
// nothing of what it replaces.
type RestoreOptions struct {
	// Save is where the replaced state is kept, as [File.Backup] would; "" keeps nothing.
	Save string
	// Unverified leaves out the check of all that the backup holds.
	Unverified bool
	// Confirm, when set, is asked before anything is changed; an error stops the restore.
	Confirm func(Restored) error
	// Activity, when set, is recorded in the restored file.
	Activity *Activity
	// Progress, when set, hears how far each phase is: "copy", "verify", "save", "restore".
	Progress func(phase string, done, total int64)
}

// Restored says what a restore does, or did.
type Restored struct {
	// Before is the head that is replaced, the zero Commit when there was no file.
	Before, After Commit
}

// Restore puts the content of a backup in the place of the file at path, while other
// processes read and write it: in one transaction, so that they see the old state or the
// new one, and a kill leaves one of them. What they remember of the old state they forget.
// The backup is not changed, and may be of an older format; it must be one of the same
// file, the fault Conflict otherwise, and sound, the fault Unusable otherwise. A file that
// does not exist is made.
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
	done.Before, err = f.overwrite(ctx, temp, o)
	return done, asFault(ctx, f.path, "restore", err)
}

// prepareBackup makes at temp what is to be the file: the backup in the format of today,
// checked, and in an epoch of its own. of is the file that it is to replace, or nil.
func prepareBackup(ctx context.Context, backup, temp string, of *File, o RestoreOptions) (head Commit, err error) {
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
	w, err := f.Write(ctx)
	if err != nil {
		return head, err
	}
	defer w.Close()
	if o.Activity != nil {
		if err := w.AddActivity(ctx, *o.Activity); err != nil {
			return head, err
		}
	}
	if err := w.conn.seal(newEpoch()); err != nil {
		return head, w.fail(ctx, "restore", err)
	}
	return w.Head(), w.Keep(ctx)
}

// copyBackup copies a backup to temp with what its log holds. It leaves nothing beside it.
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
	from, err := openBackup(ctx, path)
	if err != nil {
		return err
	}
	defer func() { _ = from.Close() }() // only read
	to, err := sqlite.OpenConn(temp, sqlite.OpenReadWrite|sqlite.OpenCreate)
	if err != nil {
		return asFault(ctx, temp, "restore", err)
	}
	err = copyPages(ctx, to, from, func(done, total int64) { o.Progress("copy", done, total) })
	return asFault(ctx, path, "restore", errors.Join(err, to.Close()))
}

// openBackup opens a backup for reading. One that nobody uses and that has no log is read
// as it is, so that it may lie where nothing can be written.
func openBackup(ctx context.Context, path string) (*sqlite.Conn, error) {
	inodes.Lock()
	defer inodes.Unlock()
	info, err := os.Stat(path)
	for _, n := range inodes.open {
		if err == nil && os.SameFile(info, n.info) {
			return nil, fault.New(fault.InvalidArguments, "%s is open itself, and no backup; give the path of a copy of it", fault.Path(path))
		}
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, fault.New(fault.Unusable, "%s cannot be read", fault.Path(path)).Because(err)
	}
	defer file.Close()
	format, err := checkHeader(file, path)
	if err != nil {
		return nil, err
	}
	if err := checkLog(ctx, file, path, format); err != nil {
		return nil, err
	}
	held, err := isHeld(file, sharedFirst, sharedSize)
	if err != nil {
		return nil, fault.New(fault.Unusable, "%s cannot be looked at", fault.Path(path)).Because(err)
	}
	if held || hasLog(path) {
		c, err := sqlite.OpenConn(path, sqlite.OpenReadWrite)
		return c, asFault(ctx, path, "restore", err)
	}
	c, err := openImmutable(path)
	return c, asFault(ctx, path, "restore", err)
}

// openImmutable opens a file that does not change, without its log and without locks.
func openImmutable(path string) (*sqlite.Conn, error) {
	name := url.URL{Scheme: "file", OmitHost: true, Path: path, RawQuery: "immutable=1"}
	return sqlite.OpenConn(name.String(), sqlite.OpenReadOnly|sqlite.OpenURI)
}

// overwrite puts the content of the file at temp in the place of this one's, in one
// transaction, and returns the head that it replaced.
func (f *File) overwrite(ctx context.Context, temp string, o RestoreOptions) (before Commit, err error) {
	if err := f.write.Acquire(ctx, 1); err != nil {
		return before, err
	}
	defer f.write.Release(1)
	from, err := openImmutable(temp)
	if err != nil {
		return before, err
	}
	defer func() { _ = from.Close() }() // only read
	to, err := f.connect(ctx, writing)
	if err != nil {
		return before, err
	}
	defer func() { err = errors.Join(err, to.close()) }()
	backup, err := sqlite.NewBackup(to.Conn, "main", from, "main")
	if err != nil {
		return before, err
	}
	defer backup.Close() // before its end it is undone
	// The first step takes the lock for writing and keeps it: what is saved now is what
	// is replaced.
	if err := retry(ctx, f.opts.LockWait, func() error { _, err := backup.Step(0); return err }); err != nil {
		return before, err
	}
	if before, err = f.save(ctx, o); err != nil {
		return before, err
	}
	for more := true; more; {
		if err := errors.Join(ctx.Err(), f.writable()); err != nil {
			return before, err
		}
		if more, err = backup.Step(backupPages); err != nil {
			return before, err
		}
		total := int64(backup.PageCount())
		o.Progress("restore", total-int64(backup.Remaining()), total)
	}
	if err := f.inPlace(); err != nil {
		return before, err
	}
	to.leaveLog() // it is as long as the file
	return before, nil
}

// save keeps the state that is about to be replaced, and returns its head.
func (f *File) save(ctx context.Context, o RestoreOptions) (head Commit, err error) {
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

package db

import (
	"context"
	"errors"
	"os"

	"trails/kg/fault"
)

// Ready reports why the file cannot be read and written now, nil when it can. Another
// writer at work, here or in another process, is a sign of health. It changes nothing.
func (f *File) Ready(ctx context.Context) error {
	if f.isClosed() {
		return errClosed
	}
	if info, err := os.Stat(f.path); err != nil || !os.SameFile(info, f.inode.info) {
		return fault.New(fault.Unusable, "%s was moved, deleted or replaced while it was open", f.path)
	}
	r, err := f.Read(ctx)
	if err != nil {
		return err
	}
	if err := r.Close(); err != nil {
		return err
	}
	select {
	case f.write <- struct{}{}:
	default:
		return nil
	}
	defer func() { <-f.write }()
	return asFault(ctx, f.path, "ready", f.tryWrite(ctx))
}

// tryWrite takes the lock for writing and gives it back; the caller holds the token.
func (f *File) tryWrite(ctx context.Context) error {
	if err := f.openWriter(ctx); err != nil {
		return err
	}
	err := f.lock(ctx, 0)
	if err != nil && isBusy(err) {
		return nil
	}
	if ended := f.writer.end("ROLLBACK"); ended != nil {
		err = errors.Join(err, ended, f.writer.close())
		f.writer = nil
	}
	return err
}

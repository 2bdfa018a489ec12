package db

import (
	"context"
	"errors"
	"fmt"

	"zombiezen.com/go/sqlite"

	"trails/db/stmt"
	"trails/fault"
)

// unusable says what a primary result code of SQLite means for the owner of the file. Other codes are bugs of trails
// and stay Internal.
var unusable = map[sqlite.ResultCode]string{
	sqlite.ResultFull:     "the disk is full; free some space and try again, nothing was changed",
	sqlite.ResultIOErr:    "the disk reported an error; check the disk and its free space, nothing was changed",
	sqlite.ResultReadOnly: "the file is read-only; make the file and its directory writable",
	sqlite.ResultPerm:     "access is not permitted; make the file and its directory writable",
	sqlite.ResultCantOpen: "the file or its -wal and -shm files cannot be opened; make the file and its directory writable",
	sqlite.ResultCorrupt:  "the file is damaged; restore it from a backup",
	sqlite.ResultNotADB:   "the file is damaged: it does not begin as a trails file does; restore it from a backup",
	sqlite.ResultTooBig:   "a value is larger than a file stores",
	sqlite.ResultNoMem:    "out of memory",
}

// asFault converts an error of SQLite into a fault that the caller can act on, by its result code only. Other errors
// pass through, wrapped with op; faults pass unchanged.
func asFault(ctx context.Context, path, op string, err error) error {
	var already *fault.Error
	if err == nil || errors.As(err, &already) {
		return err
	}
	code := stmt.ResultCode(err)
	if code == sqlite.ResultInterrupt && ctx.Err() != nil {
		err, code = ctx.Err(), sqlite.ResultError
	}
	if errors.Is(err, context.Canceled) && errors.Is(context.Cause(ctx), errGivesWay) {
		return gaveWayFault()
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return fault.New(fault.TimedOut, "%s: out of time", op).Because(err)
	}
	if stmt.Busy(err) {
		return fault.New(fault.TimedOut, "another process is writing to %s; try again", fault.Path(path)).Because(err)
	}
	var damage stmt.Damage
	if errors.As(err, &damage) {
		return fault.New(fault.Unusable, "%s: the file is damaged: %s; run trails verify, then restore it from a backup", fault.Path(path), damage.What).Because(err)
	}
	if text, ok := unusable[code]; ok {
		return fault.New(fault.Unusable, "%s: %s", fault.Path(path), text).Because(err)
	}
	return fmt.Errorf("%s: %w", op, err)
}

package disk

import (
	"context"
	"net/url"
	"os"

	"zombiezen.com/go/sqlite"

	"trails/fault"
)

// OpenBackup opens a backup for reading. A backup that is not in use and has no log is opened as immutable, so that
// its directory need not be writable.
func OpenBackup(ctx context.Context, path string) (*sqlite.Conn, error) {
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
	format, err := CheckHeader(file, path)
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
	if held || HasLog(path) {
		return sqlite.OpenConn(path, sqlite.OpenReadWrite)
	}
	return OpenImmutable(path)
}

// OpenImmutable opens a file that does not change, without log and locks.
func OpenImmutable(path string) (*sqlite.Conn, error) {
	name := url.URL{Scheme: "file", OmitHost: true, Path: path, RawQuery: "immutable=1"}
	return sqlite.OpenConn(name.String(), sqlite.OpenReadOnly|sqlite.OpenURI)
}

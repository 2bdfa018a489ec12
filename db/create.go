package db

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"zombiezen.com/go/sqlite"

	"trails/db/disk"
	"trails/db/stmt"
	"trails/fault"
)

// CreateOptions are the properties of a new file.
type CreateOptions struct {
	// Base is the beginning of entity IRIs; it never changes.
	Base string
	// Name is the graph's name.
	Name string
	// Now is the creation time; zero means the current time.
	Now time.Time
	// Fill, when set, writes the initial content. If it fails, no file is made.
	Fill func(context.Context, *File) error
}

// Create makes a new trails file at path. An existing path is the fault Conflict. The file is built under another
// name and then linked, so that path never holds a part of it.
func Create(ctx context.Context, path string, opts CreateOptions) error {
	path, err := filepath.Abs(path)
	if err != nil {
		return fmt.Errorf("create: %w", err)
	}
	return buildBeside(path, func(temp string) error {
		err := prepareEmpty(temp)
		if err == nil {
			err = migrate(ctx, temp, time.Second)
		}
		if err == nil {
			err = writeMeta(temp, opts)
		}
		if err != nil || opts.Fill == nil {
			return asFault(ctx, path, "create", err)
		}
		f, err := Open(ctx, temp, Options{Synchronous: "full"})
		if err != nil {
			return err
		}
		return errors.Join(opts.Fill(ctx, f), f.Close())
	})
}

// buildBeside makes a file under a temporary name in path's directory and links
// it to path, which must not exist.
func buildBeside(path string, build func(temp string) error) error {
	if _, err := os.Lstat(path); err == nil {
		return existsFault(path)
	}
	if disk.HasLog(path) {
		return fault.New(fault.Conflict, "%s-wal exists, the log of a file that was here before; put that file back, move the log away, or give another path", fault.Path(path))
	}
	dir, err := os.MkdirTemp(filepath.Dir(path), ".trails-new-")
	if err != nil {
		return fault.New(fault.Unusable, "%s cannot be made; give a directory that exists and is writable", fault.Path(path)).Because(err)
	}
	defer os.RemoveAll(dir)
	temp := filepath.Join(dir, "file.db")
	if err := build(temp); err != nil {
		return err
	}
	if err := syncPath(temp); err != nil {
		return fault.New(fault.Unusable, "%s cannot be made", fault.Path(path)).Because(err)
	}
	if err := linkNew(temp, path); err != nil {
		return err
	}
	return syncPath(filepath.Dir(path))
}

func existsFault(path string) error {
	return fault.New(fault.Conflict, "%s exists already and is left as it is; give another path", fault.Path(path))
}

// linkNew gives temp its final name without replacing a file. On a file system without hard links it renames to a
// free name.
func linkNew(temp, path string) error {
	err := os.Link(temp, path)
	if errors.Is(err, fs.ErrExist) {
		return existsFault(path)
	}
	if err == nil {
		// The file must end with one name; nobody opens it while it has two.
		return os.Remove(temp)
	}
	if _, stat := os.Lstat(path); stat == nil {
		return existsFault(path)
	}
	if err := os.Rename(temp, path); err != nil {
		return fault.New(fault.Unusable, "%s cannot be made", fault.Path(path)).Because(err)
	}
	return nil
}

// syncPath makes a file, or the names in a directory, durable.
func syncPath(path string) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	return file.Sync()
}

// prepareEmpty sets what must be set before the first table exists.
func prepareEmpty(path string) error {
	return withConn(path, sqlite.OpenReadWrite|sqlite.OpenCreate, func(c *conn) error {
		return c.Apply([]string{
			fmt.Sprintf("PRAGMA page_size = %d", disk.PageSize),
			fmt.Sprintf("PRAGMA application_id = %d", disk.ApplicationID),
			"PRAGMA journal_mode = WAL",
		})
	})
}

func writeMeta(path string, opts CreateOptions) error {
	if opts.Now.IsZero() {
		opts.Now = time.Now()
	}
	rows := [][2]string{ // in the order of their keys
		{"base", opts.Base},
		{"created", opts.Now.UTC().Format(time.RFC3339Nano)},
		{"name", opts.Name},
	}
	var covered []any
	for _, r := range rows {
		covered = append(covered, r[0], r[1])
	}
	rows = append(rows, [2]string{"sum", metaSum(covered...)})
	return withConn(path, sqlite.OpenReadWrite, func(c *conn) error {
		for _, r := range rows {
			if err := c.Exec("INSERT INTO meta (key, value) VALUES (?, ?)", nil, r[0], r[1]); err != nil {
				return err
			}
		}
		return nil
	})
}

// withConn calls do with a connection of its own, and closes it, which empties the log.
func withConn(path string, flags sqlite.OpenFlags, do func(*conn) error) error {
	raw, err := sqlite.OpenConn(path, flags)
	if err != nil {
		return err
	}
	c := &conn{Conn: stmt.Of(raw)}
	err = do(c)
	return errors.Join(err, c.Close())
}

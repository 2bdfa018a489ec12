package hosts

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"trails/fault"
)

// What stands beside a configuration: while it is being written, and from then on.
const (
	newExt    = ".trails-new"
	backupExt = ".trails-backup"
)

// patience is how long a process waits for another one that writes the same configuration.
const patience = 5 * time.Second

// attempts bounds how often an edit is made anew because the host itself wrote its configuration meanwhile.
const attempts = 5

// installed returns a fault if there is neither a configuration nor a sign of the host.
func (h Host) installed(at Place) error {
	switch {
	case exists(at.Path) || exists(at.dir):
		return nil
	case !at.usual:
		return fault.New(fault.NotFound, "there is no directory %s", fault.Path(at.dir))
	}
	return fault.New(fault.NotFound, "%s seems not to be installed: there is no %s; start it once, or say with --config where its configuration is", h.Title, fault.Path(at.dir))
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// sameFile reports whether two paths lead to one file. Paths of files that are gone are compared as texts.
func sameFile(a, b string) bool {
	if filepath.Clean(a) == filepath.Clean(b) {
		return true
	}
	x, err := os.Stat(a)
	if err != nil {
		return false
	}
	y, err := os.Stat(b)
	return err == nil && os.SameFile(x, y)
}

// update replaces the text of a configuration by what edit makes of it, nil for none, and returns the path of the backup, ""
// where nothing changes. A file that nobody may write is left as it is. The text of a configuration that is not there is empty. A link is followed, and stays. The new text is on disk
// under another name before it takes the old one's place, and that name keeps out other processes of trails. If the host
// writes its configuration meanwhile, edit is called again with the new text.
func update(at Place, dry bool, edit func(path string, text []byte) ([]byte, error)) (backup string, err error) {
	path, err := followed(at.Path)
	if err != nil {
		return "", err
	}
	text, mode, err := read(path, at.Shared)
	if err != nil {
		return "", err
	}
	edited, err := edit(path, text)
	if err != nil || dry || bytes.Equal(edited, text) {
		return "", err
	}
	unwritable := func(err error) error {
		return fault.New(fault.Unusable, "%s cannot be written, and was left as it is", fault.Path(path)).Because(err)
	}
	if mode&0o222 == 0 {
		return "", fault.New(fault.Unusable, "%s is read-only (mode %04o), and was left as it is; make it writable, or write what --print shows by hand", fault.Path(path), mode)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return "", unwritable(err)
	}
	tmp, err := claim(path, mode)
	if err != nil {
		return "", err
	}
	done := false
	defer func() {
		if !done {
			err = errors.Join(err, tmp.Close(), os.Remove(tmp.Name()))
		}
	}()
	for range attempts {
		text, mode, err = read(path, at.Shared)
		if err != nil {
			return "", err
		}
		if edited, err = edit(path, text); err != nil || bytes.Equal(edited, text) {
			return "", err
		}
		if err := errors.Join(tmp.Truncate(0), tmp.Chmod(mode)); err != nil {
			return "", unwritable(err)
		}
		if _, err := tmp.WriteAt(edited, 0); err != nil {
			return "", unwritable(err)
		}
		if err := tmp.Sync(); err != nil {
			return "", unwritable(err)
		}
		if exists(path) {
			backup = path + backupExt
			if err := keep(backup, text, mode); err != nil {
				return "", unwritable(err)
			}
		}
		if now, _, err := read(path, at.Shared); err != nil || !bytes.Equal(now, text) {
			continue
		}
		if edited == nil {
			if err := os.Remove(path); err != nil {
				return "", unwritable(err)
			}
			return backup, nil
		}
		done = true
		if err = tmp.Close(); err == nil {
			err = os.Rename(tmp.Name(), path)
		}
		if err != nil {
			return "", errors.Join(unwritable(err), os.Remove(tmp.Name()))
		}
		return backup, nil
	}
	return "", fault.New(fault.Busy, "%s was written by another program each time; nothing was changed: close the host, and try again", fault.Path(path))
}

// followed resolves links. The last element of a path need not exist, but a link must lead to something.
func followed(path string) (string, error) {
	real, err := filepath.EvalSymlinks(path)
	switch {
	case err == nil:
		return real, nil
	case !errors.Is(err, fs.ErrNotExist):
		return "", fault.New(fault.Unusable, "%s cannot be read", fault.Path(path)).Because(err)
	case exists(path):
		return "", fault.New(fault.Unusable, "%s is a link to something that is not there; remove the link, or make what it leads to", fault.Path(path))
	}
	return path, nil
}

// read returns the text of a configuration and the mode of its file, or those of a new one.
func read(path string, shared bool) ([]byte, fs.FileMode, error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist) && shared:
		return nil, 0o644, nil
	case errors.Is(err, fs.ErrNotExist):
		return nil, 0o600, nil // people put secrets there
	case err == nil && !info.Mode().IsRegular():
		return nil, 0, fault.New(fault.Unusable, "%s is no file", fault.Path(path))
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, 0, fault.New(fault.Unusable, "%s cannot be read", fault.Path(path)).Because(err)
	}
	return text, info.Mode().Perm(), nil
}

// claim makes the file that becomes the configuration. It waits while another process has made it.
func claim(path string, mode fs.FileMode) (*os.File, error) {
	name := path + newExt
	for began := time.Now(); ; time.Sleep(20 * time.Millisecond) {
		f, err := os.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, mode)
		switch {
		case err == nil:
			return f, nil
		case !errors.Is(err, fs.ErrExist):
			return nil, fault.New(fault.Unusable, "%s cannot be written, and was left as it is", fault.Path(path)).Because(err)
		case time.Since(began) > patience:
			return nil, fault.New(fault.Busy, "another trails writes %s, or one was killed while it did; if none runs, remove %s", fault.Path(path), fault.Path(name))
		}
	}
}

// keep writes the backup, which only those can read who can read the configuration.
func keep(path string, text []byte, mode fs.FileMode) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, mode)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	return errors.Join(f.Chmod(mode), err, f.Close())
}

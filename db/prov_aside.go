package db

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"trails/fault"
)

// A process that ends while another one is writing cannot record its last activities in the file. It leaves them as a
// file in the directory FILE-activities. The next process that records something takes these files over and removes
// them. Each is written under another name and then renamed, so that it is complete or absent. Its first line is an
// [asideHead], each further line an activity, both as JSON.
const (
	asideSuffix = "-activities"
	// asideExt ends the name of a waiting file, badExt of a refused one, halfExt of one that is being written.
	asideExt = ".ndjson"
	badExt   = ".refused"
	halfExt  = ".part"
)

// Bounds on the files that wait; bytes, except for the numbers of files.
const (
	asideFile  = 16 << 20 // one file
	asideAll   = 64 << 20 // all waiting files
	asideFiles = 1000     // number of waiting files
	asideOnce  = 100      // files that one transaction takes over
	asideText  = 64 << 10 // one text of an activity
	// halfLife is the age from which a file under its temporary name counts as abandoned.
	halfLife = time.Hour
)

// asideHead says which graph the activities of a file belong to, and the hash of the lines after it.
type asideHead struct {
	Form    int    `json:"trails_activities"` // 1
	Base    string `json:"base"`
	Created string `json:"created"` // time at which the graph was created
	SHA256  string `json:"sha256"`
}

func (f *File) asideHead(body []byte) asideHead {
	sum := sha256.Sum256(body)
	return asideHead{Form: 1, Base: f.meta.Base, Created: f.meta.Created.Format(time.RFC3339Nano), SHA256: hex.EncodeToString(sum[:])}
}

func (f *File) asideDir() string { return f.path + asideSuffix }

// SetAside writes activities that made no commit to a file, for the next [File.Record] of any process.
func (f *File) SetAside(ctx context.Context, batch []Activity) error {
	if len(batch) == 0 {
		return nil
	}
	var body bytes.Buffer
	for _, a := range batch {
		line, err := json.Marshal(a)
		if err != nil {
			return fmt.Errorf("set activities aside: %w", err)
		}
		body.Write(append(line, '\n'))
	}
	head, err := json.Marshal(f.asideHead(body.Bytes()))
	if err != nil {
		return fmt.Errorf("set activities aside: %w", err)
	}
	text := append(append(head, '\n'), body.Bytes()...)
	if len(text) > asideFile {
		return fault.New(fault.TooLarge, "%d activities are more than one file takes", len(batch))
	}
	if err := f.roomAside(len(text)); err != nil {
		return err
	}
	// The process that takes over the last file removes the directory, perhaps just now.
	for {
		err := f.writeAside(text)
		if !errors.Is(err, fs.ErrNotExist) || ctx.Err() != nil {
			return err
		}
	}
}

// roomAside refuses files beyond the bounds.
func (f *File) roomAside(size int) error {
	total, files := int64(size), 1
	entries, err := os.ReadDir(f.asideDir())
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fault.New(fault.Unusable, "%s cannot be read", fault.Path(f.asideDir())).Because(err)
	}
	for _, e := range entries {
		if info, err := e.Info(); err == nil {
			total, files = total+info.Size(), files+1
		}
	}
	if total > asideAll || files > asideFiles {
		return fault.New(fault.TooLarge, "%s is full: it has %d files that no process has taken in yet", fault.Path(f.asideDir()), files-1)
	}
	return nil
}

func (f *File) writeAside(text []byte) (err error) {
	dir := f.asideDir()
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return fault.New(fault.Unusable, "%s cannot be made", fault.Path(dir)).Because(err)
	}
	name := filepath.Join(dir, time.Now().UTC().Format("20060102T150405.000000-")+rand.Text())
	file, err := os.OpenFile(name+halfExt, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return fmt.Errorf("set activities aside: %w", err)
	}
	defer func() {
		if err != nil {
			_ = os.Remove(name + halfExt)
		}
	}()
	_, err = file.Write(text)
	if err = errors.Join(err, file.Close()); err != nil {
		return fmt.Errorf("set activities aside: %w", err)
	}
	if err = os.Rename(name+halfExt, name+asideExt); err != nil {
		return fmt.Errorf("set activities aside: %w", err)
	}
	return nil
}

// hasAside reports that there may be waiting files.
func (f *File) hasAside() bool {
	_, err := os.Lstat(f.asideDir())
	return err == nil
}

// taken is the activities of waiting files, and the files.
type taken struct {
	dir        string
	files      []string
	activities []Activity
}

// takeAside reads the waiting files. The caller holds the write lock, so no other process does the same. A damaged
// file or one of another graph is renamed, so that it is read only once. A file that this process may not read is
// left to others.
func (f *File) takeAside() taken {
	t := taken{dir: f.asideDir()}
	if info, err := os.Lstat(t.dir); err != nil || !info.IsDir() {
		return taken{}
	}
	entries, err := os.ReadDir(t.dir)
	if err != nil {
		return taken{} // owned by another user
	}
	for _, e := range entries {
		name := filepath.Join(t.dir, e.Name())
		switch filepath.Ext(name) {
		case halfExt:
			if info, err := e.Info(); err == nil && time.Since(info.ModTime()) > halfLife {
				t.files = append(t.files, name)
			}
			continue
		case asideExt:
		default:
			continue
		}
		if len(t.files) == asideOnce {
			break
		}
		list, err := f.readAside(name)
		switch {
		case err == nil:
			t.activities, t.files = append(t.activities, list...), append(t.files, name)
		case errors.Is(err, errNotAside):
			_ = os.Rename(name, strings.TrimSuffix(name, asideExt)+badExt) // otherwise it would be read again next time
		}
	}
	return t
}

// forget removes the files that were taken over. If one cannot be removed, its activities are recognized by their ids
// next time.
func (t taken) forget() {
	for _, name := range t.files {
		_ = os.Remove(name)
	}
	if t.dir != "" {
		_ = os.Remove(t.dir) // fails while the directory is not empty
	}
}

// errNotAside means that a file does not hold activities of this graph, or not those that were written.
var errNotAside = errors.New("these are no activities that were set aside")

// readAside reads one file and checks all of it: the disk may have damaged it.
func (f *File) readAside(name string) ([]Activity, error) {
	before, err := os.Lstat(name)
	if err != nil {
		return nil, err
	}
	if !before.Mode().IsRegular() || before.Size() > asideFile {
		return nil, errNotAside
	}
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }() // it was only read
	if info, err := file.Stat(); err != nil || !os.SameFile(before, info) {
		return nil, errNotAside
	}
	text, err := io.ReadAll(io.LimitReader(file, asideFile+1))
	if err != nil {
		return nil, err
	}
	line, body, _ := bytes.Cut(text, []byte("\n"))
	var head asideHead
	if json.Unmarshal(line, &head) != nil || head != f.asideHead(body) {
		return nil, errNotAside
	}
	var list []Activity
	in := json.NewDecoder(bytes.NewReader(body))
	in.DisallowUnknownFields()
	for in.More() {
		var a Activity
		if in.Decode(&a) != nil || !a.mayBeSetAside() {
			return nil, errNotAside
		}
		list = append(list, a)
	}
	return list, nil
}

// mayBeSetAside reports that a is one call without a commit.
func (a Activity) mayBeSetAside() bool {
	switch a.Outcome {
	case outcomeOK, "invalid", "denied", "failed":
	default:
		return false
	}
	for _, text := range append([]string{a.ID, a.Capability, a.Version, a.Agent, a.Via, a.Error, a.TraceID, string(a.Inputs)}, append(a.Used, a.Generated...)...) {
		if len(text) > asideText {
			return false
		}
	}
	return a.ID != "" && a.Seq == 0 && a.CommitSeq == 0
}

// Aside returns the number of waiting and of refused files.
func (f *File) Aside() (waiting, refused int, err error) {
	entries, err := os.ReadDir(f.asideDir())
	if errors.Is(err, fs.ErrNotExist) {
		return 0, 0, nil
	}
	for _, e := range entries {
		switch filepath.Ext(e.Name()) {
		case asideExt:
			waiting++
		case badExt:
			refused++
		}
	}
	return waiting, refused, err
}

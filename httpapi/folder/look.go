package folder

import (
	"context"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

// ending is that of the names of graphs.
const ending = ".trails"

// maxFiles bounds the graphs of a folder.
const maxFiles = 1000

// ids are the names that stand in an address as they are, and name nothing else there.
var ids = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`)

// stamp tells whether a file changed: the file itself and its write-ahead log.
type stamp struct {
	info    fs.FileInfo
	log     time.Time
	logSize int64
}

func stampOf(path string) (s stamp, is bool) {
	info, err := os.Lstat(path)
	if err != nil {
		return s, false
	}
	s.info = info
	if log, err := os.Lstat(path + "-wal"); err == nil {
		s.log, s.logSize = log.ModTime(), log.Size()
	}
	return s, true
}

func (s stamp) sameFile(o stamp) bool { return os.SameFile(s.info, o.info) }

func (s stamp) same(o stamp) bool {
	return s.sameFile(o) && s.info.Size() == o.info.Size() && s.info.ModTime().Equal(o.info.ModTime()) && s.log.Equal(o.log) && s.logSize == o.logSize
}

// look finds files that have come, gone or changed. It is called by one goroutine at a time.
func (f *Folder) look(ctx context.Context) {
	found, left, err := f.files()
	if err != nil { // it may come back, as a disk does
		f.mu.Lock()
		told := f.trouble == ""
		f.trouble = err.Error()
		f.mu.Unlock()
		if told {
			f.opts.Log.Warn("the folder cannot be read; its graphs stay as they were", "problem", err.Error())
		}
		return
	}
	f.mu.Lock()
	f.trouble = ""
	for file, reason := range left {
		if f.left[file] != reason {
			f.tell(slog.LevelWarn, "a file is not served", "file", file, "reason", reason)
		}
	}
	f.left = left
	var check, ended []*member
	for id, m := range f.members {
		now, there := found[id]
		switch {
		case !there || now.file != m.file || !now.stamp.sameFile(m.stamp):
			delete(f.members, id)
			m.gone = true
			m.graph.Gone()
			if m.opened != nil || m.users > 0 {
				f.leaving[m] = true
				ended = append(ended, m)
			}
			f.opts.Log.Info("a graph is not served any more: its file is not there, or is another one", "graph", id, "file", m.file)
		case m.opened == nil && (!now.stamp.same(m.stamp) || m.reason != "" && time.Since(m.refused) >= f.opts.Retry):
			m.stamp = now.stamp
			check = append(check, m)
		}
	}
	for m := range f.leaving {
		for id, now := range found {
			switch {
			case id == m.id: // no file is opened while another is by its name
				f.left[now.file] = "another file took the place of one that is in use; it is served when the calls under way have ended"
			case now.stamp.sameFile(m.stamp): // nor by two names at once
				f.left[now.file] = "it is in use as " + m.file + ", its name before; it is served when the calls under way have ended"
			default:
				continue
			}
			delete(found, id)
		}
	}
	for id, now := range found {
		if f.members[id] == nil {
			m := &member{id: id, file: now.file, stamp: now.stamp, graph: f.opts.New(id, filepath.Join(f.dir, now.file)), turn: make(chan struct{}, 1)}
			f.members[id] = m
			check = append(check, m)
		}
	}
	f.mu.Unlock()
	for _, m := range ended {
		f.closeLater(m)
	}
	slices.SortFunc(check, func(a, b *member) int { return strings.Compare(a.id, b.id) })
	for _, m := range check {
		f.check(ctx, m)
	}
}

// check finds out whether a file can be served, unless it was opened meanwhile.
func (f *Folder) check(ctx context.Context, m *member) {
	if ctx.Err() != nil {
		return
	}
	m.turn <- struct{}{}
	defer func() { <-m.turn }()
	f.mu.Lock()
	opened := m.opened != nil
	f.mu.Unlock()
	if opened {
		return
	}
	err := m.graph.Check(ctx)
	f.mu.Lock()
	defer f.mu.Unlock()
	if stamp, is := stampOf(f.path(m)); is && stamp.sameFile(m.stamp) {
		m.stamp = stamp // opening may have migrated it, and put its log away
	}
	switch was := m.reason; {
	case ctx.Err() != nil:
	case err != nil:
		f.leaveOut(m, err)
	case was != "":
		m.reason = ""
		f.opts.Log.Info("a file is served now", "graph", m.id, "file", m.file)
	default:
		f.tell(slog.LevelInfo, "a file is served", "graph", m.id, "file", m.file)
	}
}

// candidate is a file that may be a graph.
type candidate struct {
	file  string
	stamp stamp
}

// files returns the files that may be graphs, by id, and why the others are none, by name. Files with other endings are
// not looked at.
func (f *Folder) files() (found map[string]candidate, left map[string]string, err error) {
	entries, err := os.ReadDir(f.dir)
	if err != nil {
		return nil, nil, err
	}
	found, left = map[string]candidate{}, map[string]string{}
	byFold := map[string][]string{} // names of files whose ids differ in case at most
	bySize := map[int64][]candidate{}
	for _, e := range entries {
		name := e.Name()
		id, is := cutEnding(name)
		if !is {
			continue
		}
		path := filepath.Join(f.dir, name)
		stamp, there := stampOf(path)
		switch {
		case !there: // it has gone meanwhile
			continue
		case stamp.info.Mode()&fs.ModeSymlink != 0:
			left[name] = "it is a symbolic link, which could lead out of the folder or to a graph that has another name already; put the file itself there"
		case !stamp.info.Mode().IsRegular():
			left[name] = "it is not a regular file"
		case !ids.MatchString(id):
			left[name] = "its name cannot stand in an address: before " + ending + " take at most 64 of A-Z, a-z, 0-9, dots, dashes and underscores, and begin with a letter or digit"
		case len(found) == maxFiles:
			left[name] = fmt.Sprintf("there are more than %d graphs in the folder; serve some of them from another", maxFiles)
		default:
			alike := bySize[stamp.info.Size()]
			if at := slices.IndexFunc(alike, func(c candidate) bool { return c.stamp.sameFile(stamp) }); at >= 0 {
				left[name] = "it is the same file as " + alike[at].file + ", by a second name, and a file is open by one name alone; remove one of them"
				continue
			}
			bySize[stamp.info.Size()] = append(alike, candidate{name, stamp})
			fold := strings.ToLower(id)
			byFold[fold] = append(byFold[fold], name)
			found[id] = candidate{name, stamp}
		}
	}
	for _, names := range byFold {
		if len(names) < 2 {
			continue
		}
		for _, name := range names {
			id, _ := cutEnding(name)
			delete(found, id)
			left[name] = "several files have this id, or differ in upper and lower case alone: " + strings.Join(names, ", ") + "; rename all but one"
		}
	}
	return found, left, nil
}

// cutEnding returns the id in a file's name; is reports whether the name is that of a graph.
func cutEnding(name string) (id string, is bool) {
	at := len(name) - len(ending)
	if at < 0 || !strings.EqualFold(name[at:], ending) {
		return "", false
	}
	return name[:at], true
}

// Package folder keeps the graphs of a folder: each file whose name ends in .trails is one, by the rest of its name. It
// watches which files there are, opens one for its first request, and closes it when nobody has used it for a while. What a
// file is, and how it is opened, is behind [Graph]. Addresses and callers belong to package httpapi.
//
// Read [Folder] first.
package folder

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"trails/fault"
	"trails/httpapi"
)

// Graph is one file of a folder, as long as it is there. Its methods are called by one goroutine at a time, except for
// Admits, which is safe for concurrent use.
type Graph interface {
	// Check opens the file and closes it again. Its error is why the file is not served.
	Check(ctx context.Context) error
	// Open opens the file. The context is that of the process.
	Open(ctx context.Context) (Opened, error)
	// Admits reports whether the graph knows the sender of a request, without opening the file.
	Admits(r *http.Request) bool
	// Gone is called once, when the file is not there any more, and before there is another graph by its id. The file may
	// be open still. It must not wait.
	Gone()
}

// Opened is an open file.
type Opened interface {
	http.Handler
	// Busy reports whether somebody uses the graph between requests, as an MCP session does.
	Busy() bool
	// Stop ends the streams that would last; it may wait for calls, and be called again.
	Stop()
	// Close closes the file, after the last request.
	Close() error
}

// Options are the settings of a [Folder]. Zero numbers are the defaults.
type Options struct {
	// New returns the graph of a file, without opening it.
	New func(id, path string) Graph
	// Open is how many files are open at once. Default 64.
	Open int
	// Idle is how long a file stays open that nobody uses. Default 5 minutes.
	Idle time.Duration
	// Look is how often the folder is looked at. Default 2 seconds.
	Look time.Duration
	// Retry is how long a file that cannot be served is left alone that does not change: the cause may be elsewhere, such as
	// its permissions or another process. Default 30 seconds.
	Retry time.Duration
	// Log hears what is served and what is not, and why; nil discards it.
	Log *slog.Logger
}

// Folder are the graphs of a folder. It is safe for concurrent use.
type Folder struct {
	dir  string
	opts Options
	ctx  context.Context // of the process, for files: a request that opens one does not close it

	mu      sync.Mutex
	members map[string]*member // by id
	left    map[string]string  // reasons, by the names of files that are no graph
	trouble string             // why the folder cannot be read
	leaving map[*member]bool   // those in use whose file is away, until they are closed
	open    int                // files that are open, are being opened, or are being closed
	stopped bool
	began   bool // the folder was looked at; the caller of Begin says what was found then
	work    sync.WaitGroup
}

// member is a graph of the folder. Its fields are of the folder's mu.
type member struct {
	id, file string
	graph    Graph
	stamp    stamp     // of the file when it was looked at last
	reason   string    // why it is not served; "" if it is, or if that is not known yet
	refused  time.Time // when that was found out last
	users    int
	used     time.Time // when the last user left
	gone     bool      // the file is away; close it after the last user
	// turn is held while the file is checked, opened or closed: it has one element then.
	turn   chan struct{}
	opened Opened // nil while it is closed
}

// New returns the graphs of a directory, which is looked at when [Folder.Run] begins. Without one it is the fault Missing.
func New(dir string, o Options) (*Folder, error) {
	o.Open, o.Idle, o.Look = cmp.Or(o.Open, 64), cmp.Or(o.Idle, 5*time.Minute), cmp.Or(o.Look, 2*time.Second)
	o.Retry = cmp.Or(o.Retry, 30*time.Second)
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return nil, fault.New(fault.Missing, "there is no folder %s", fault.Path(dir))
	case err != nil:
		return nil, fault.New(fault.Unusable, "the folder %s cannot be read", fault.Path(dir)).Because(err)
	case !info.IsDir():
		return nil, fault.New(fault.InvalidArguments, "%s is a file, not a folder: trails serve %s serves it alone", fault.Path(dir), fault.Path(dir))
	}
	real, err := filepath.EvalSymlinks(dir)
	if err == nil {
		real, err = filepath.Abs(real)
	}
	if err != nil {
		return nil, fault.New(fault.Unusable, "the folder %s cannot be read", fault.Path(dir)).Because(err)
	}
	return &Folder{dir: real, opts: o, members: map[string]*member{}, left: map[string]string{}, leaving: map[*member]bool{}}, nil
}

// Begin looks at the folder and checks its files, one after another; [Folder.List] and [Folder.LeftOut] have what it found.
// Then it looks again from time to time, until ctx ends; [Folder.Close] waits for that.
func (f *Folder) Begin(ctx context.Context) {
	f.ctx = ctx
	f.look(ctx)
	f.began = true
	f.work.Go(func() {
		ticks := time.NewTicker(f.opts.Look)
		defer ticks.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-ticks.C:
			}
			f.look(ctx)
			f.closeIdle()
		}
	})
}

// Use opens a graph, see [httpapi.Graphs].
func (f *Folder) Use(ctx context.Context, id string) (http.Handler, func(), error) {
	f.mu.Lock()
	m := f.members[id]
	if f.stopped {
		f.mu.Unlock()
		return nil, nil, fault.New(fault.Busy, "the process is stopping")
	}
	if m == nil {
		f.mu.Unlock()
		return nil, nil, fault.New(fault.NotFound, "there is no graph %q here; GET /graphs lists those that you may use", id)
	}
	m.users++ // it is not closed meanwhile
	opened, reason := m.opened, m.reason
	f.mu.Unlock()
	done := func() { f.leave(m) }
	var err error
	switch {
	case opened != nil:
	case reason != "":
		err = unserved(id, reason)
	default:
		opened, err = f.opened(ctx, m)
	}
	if err != nil {
		done()
		return nil, nil, err
	}
	return opened, done, nil
}

func unserved(id, reason string) error {
	return fault.New(fault.Unusable, "the graph %s is not served: %s", id, reason)
}

// leave ends a use.
func (f *Folder) leave(m *member) {
	f.mu.Lock()
	m.users--
	m.used = time.Now()
	ends := m.gone && m.users == 0
	f.mu.Unlock()
	if ends {
		f.closeLater(m)
	}
}

// opened opens a member for a user that is counted. Others who come meanwhile wait for the same.
func (f *Folder) opened(ctx context.Context, m *member) (Opened, error) {
	select {
	case m.turn <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	defer func() { <-m.turn }()
	f.mu.Lock()
	opened, reason, gone := m.opened, m.reason, m.gone
	f.mu.Unlock()
	switch {
	case opened != nil:
		return opened, nil
	case gone:
		return nil, fault.New(fault.NotFound, "there is no graph %q here any more", m.id)
	case reason != "":
		return nil, unserved(m.id, reason)
	}
	if err := f.takePlace(ctx); err != nil {
		return nil, err
	}
	opened, err := m.graph.Open(f.ctx)
	f.mu.Lock()
	defer f.mu.Unlock()
	if err != nil {
		f.open--
		f.leaveOut(m, err)
		return nil, unserved(m.id, m.reason)
	}
	m.opened = opened
	f.opts.Log.Debug("a graph was opened", "graph", m.id)
	return opened, nil
}

// leaveOut notes why a member is not served, until it is tried again. The lock must be held.
func (f *Folder) leaveOut(m *member, why error) {
	told, before := fault.Of(why), m.reason
	if m.reason = told.Message; told.Kind == fault.Internal {
		m.reason = "it cannot be opened; the log says why"
	}
	m.refused = time.Now()
	if m.reason != before {
		f.tell(slog.LevelWarn, "a file is not served, and is tried again when it changes, and from time to time", "file", m.file, "reason", told.Whole())
	}
}

// tell logs what the folder has. What [Folder.Begin] finds is for its caller to say.
func (f *Folder) tell(level slog.Level, message string, attrs ...any) {
	if !f.began {
		level = slog.LevelDebug
	}
	f.opts.Log.Log(f.ctx, level, message, attrs...)
}

// placeWait is how long a request waits for another graph to be closed.
const placeWait = 5 * time.Second

// takePlace makes room for one more open file: it closes the one that was not in use for the longest time.
func (f *Folder) takePlace(ctx context.Context) error {
	until := time.Now().Add(placeWait)
	for {
		f.mu.Lock()
		if f.open < f.opts.Open {
			f.open++
			f.mu.Unlock()
			return nil
		}
		var oldest *member
		for _, m := range f.members {
			if m.opened != nil && m.users == 0 && !m.opened.Busy() && (oldest == nil || m.used.Before(oldest.used)) {
				oldest = m
			}
		}
		f.mu.Unlock()
		if oldest != nil && f.closeUnused(oldest) {
			continue
		}
		if time.Now().After(until) {
			return fault.New(fault.Busy, "%d graphs are in use, and no more are opened at once; try again later", f.opts.Open)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// closeIdle closes what nobody has used for a while.
func (f *Folder) closeIdle() {
	f.mu.Lock()
	var idle []*member
	for _, m := range f.members {
		if m.opened != nil && m.users == 0 && time.Since(m.used) >= f.opts.Idle && !m.opened.Busy() {
			idle = append(idle, m)
		}
	}
	f.mu.Unlock()
	for _, m := range idle {
		f.closeUnused(m)
	}
}

// closeUnused closes a member, and reports whether it did; not one that is in use, or that others open, check or close.
func (f *Folder) closeUnused(m *member) bool {
	select {
	case m.turn <- struct{}{}:
	default:
		return false
	}
	defer func() { <-m.turn }()
	f.mu.Lock()
	opened := m.opened
	if opened == nil || m.users > 0 {
		if opened == nil {
			delete(f.leaving, m)
		}
		f.mu.Unlock()
		return false
	}
	m.opened = nil // who comes now waits for the turn, and opens it again
	f.mu.Unlock()
	opened.Stop()
	err := opened.Close()
	f.mu.Lock()
	f.open--
	delete(f.leaving, m)
	if stamp, is := stampOf(f.path(m)); is && !m.gone {
		m.stamp = stamp // what was written is no reason for another check
	}
	f.mu.Unlock()
	if err != nil {
		f.opts.Log.Warn("a graph was not closed well", "graph", m.id, "problem", fault.Whole(err))
		return true
	}
	f.opts.Log.Debug("a graph was closed", "graph", m.id)
	return true
}

// closeLater ends the streams of a member whose file is away, and closes it, if its last user has left.
func (f *Folder) closeLater(m *member) {
	f.work.Go(func() {
		m.turn <- struct{}{} // after who opens it now
		f.mu.Lock()
		opened := m.opened
		f.mu.Unlock()
		<-m.turn
		if opened != nil {
			opened.Stop()
		}
		f.closeUnused(m)
	})
}

func (f *Folder) path(m *member) string { return filepath.Join(f.dir, m.file) }

// List returns the graphs that the sender of a request may use, see [httpapi.Graphs].
func (f *Folder) List(r *http.Request) (graphs []httpapi.ServedGraph, others bool) {
	for _, m := range f.sorted() {
		f.mu.Lock()
		served, open := m.reason == "", m.opened != nil
		f.mu.Unlock()
		if !served {
			continue
		}
		if !m.graph.Admits(r) {
			others = true
			continue
		}
		graphs = append(graphs, httpapi.ServedGraph{ID: m.id, File: m.file, Open: open})
	}
	return graphs, others
}

// IDs returns the ids of the graphs that are served.
func (f *Folder) IDs() (ids []string) {
	for _, m := range f.sorted() {
		f.mu.Lock()
		if m.reason == "" {
			ids = append(ids, m.id)
		}
		f.mu.Unlock()
	}
	return ids
}

// sorted returns the members by their ids.
func (f *Folder) sorted() []*member {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.SortedFunc(maps.Values(f.members), func(a, b *member) int { return strings.Compare(a.id, b.id) })
}

// LeftOut returns the files that are not served, see [httpapi.Graphs].
func (f *Folder) LeftOut() []httpapi.LeftOut {
	f.mu.Lock()
	defer f.mu.Unlock()
	var out []httpapi.LeftOut
	for file, reason := range f.left {
		out = append(out, httpapi.LeftOut{File: file, Reason: reason})
	}
	for _, m := range f.members {
		if m.reason != "" {
			out = append(out, httpapi.LeftOut{File: m.file, Reason: m.reason})
		}
	}
	if f.trouble != "" {
		out = append(out, httpapi.LeftOut{File: f.dir, Reason: f.trouble})
	}
	slices.SortFunc(out, func(a, b httpapi.LeftOut) int { return strings.Compare(a.File, b.File) })
	return out
}

// Stop ends the streams of all open graphs; calls may go on.
func (f *Folder) Stop() {
	f.mu.Lock()
	f.stopped = true
	var all sync.WaitGroup
	for _, m := range f.members {
		if m.opened != nil {
			all.Go(m.opened.Stop)
		}
	}
	f.mu.Unlock()
	all.Wait()
}

// Close closes all graphs, after the end of all requests and of the context of [Folder.Begin].
func (f *Folder) Close() error {
	f.work.Wait()
	var errs []error
	for _, m := range slices.AppendSeq(f.sorted(), maps.Keys(f.leaving)) {
		if m.opened != nil {
			errs = append(errs, m.opened.Close())
		}
	}
	return errors.Join(errs...)
}

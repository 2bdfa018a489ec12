package admin

import (
	"container/list"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"

	"trails/builtin/view"
	"trails/fault"
	"trails/invoke"
)

// Bounds of what was sent for imports and is not imported yet.
const (
	mostStaged      = 64        // of all callers
	mostStagedBytes = 1 << 30   // together, on disk
	mostUpload      = 500 << 20 // of one, which the script of the page sends in pieces
	mostForm        = 30 << 20  // of one form; a request has at most 32 MiB
	stagedFor       = 2 * time.Hour
)

// staging keeps what was sent for imports between the pages of each. The oldest goes when there is too much.
type staging struct {
	mu    sync.Mutex
	all   map[string]*list.Element
	order *list.List // of *staged, the newest first
	bytes int64
	most  int64 // bytes of one
}

// staged is what one caller sent. Its data is in a file without a name, which the system removes with the process.
type staged struct {
	key, principal, name string
	data                 *os.File
	size                 atomic.Int64 // grows while pieces arrive
	adding               sync.Mutex   // held while a piece arrives
	until                time.Time
	asked                importChoices // that came with it
	planned              *plannedImport
	done                 *importData // the last page of an import of it, nil before that
	rejects              string      // csv or ndjson, if these are rows that an import left out; else ""
}

// plannedImport is the last plan for what was sent, and what it is for.
type plannedImport struct {
	branch string
	asked  importChoices
	plan   *view.ImportPlan
}

func newStaging() *staging {
	return &staging{all: map[string]*list.Element{}, order: list.New(), most: mostUpload}
}

// keep stores what a caller sent under a new key, which nobody can guess.
func (s *staging) keep(principal, name string, in io.Reader) (*staged, error) {
	f, err := os.CreateTemp("", "trails-upload-")
	if err != nil {
		return nil, fmt.Errorf("keep what was sent: %w", err)
	}
	_ = os.Remove(f.Name()) // where an open file cannot be removed, drop does it
	n, err := io.Copy(f, in)
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	e := &staged{key: uuid.NewString(), principal: principal, name: name, data: f, until: time.Now().Add(stagedFor)}
	e.size.Store(n)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.all[e.key] = s.order.PushFront(e)
	s.grow(n)
	return e, nil
}

// add appends a piece to what a caller sent. When it becomes too large, or breaks off, all of it is forgotten. Nobody else waits
// while a piece arrives.
func (s *staging) add(principal, key string, in io.Reader) (*staged, error) {
	e, err := s.find(principal, key)
	if err != nil {
		return nil, err
	}
	e.adding.Lock()
	defer e.adding.Unlock()
	had := e.size.Load()
	n, err := io.Copy(io.NewOffsetWriter(e.data, had), io.LimitReader(in, s.most-had+1))
	s.mu.Lock()
	defer s.mu.Unlock()
	at, known := s.all[key]
	if !known { // it was dropped meanwhile
		return nil, errGone
	}
	if err == nil && had+n > s.most {
		err = fault.New(fault.TooLarge, "the file is larger than %d MiB; trails import FILE DATA on the command line takes any size", mostUpload>>20)
	}
	if err != nil {
		s.drop(at)
		return nil, err
	}
	e.size.Store(had + n)
	s.order.MoveToFront(at)
	s.grow(n)
	return e, nil
}

// grow counts bytes of the newest, and drops the oldest while there is too much; the caller has the lock.
func (s *staging) grow(n int64) {
	s.bytes += n
	for s.order.Len() > 1 && (s.order.Len() > mostStaged || s.bytes > mostStagedBytes || time.Now().After(s.order.Back().Value.(*staged).until)) {
		s.drop(s.order.Back())
	}
}

// drop forgets one; the caller has the lock.
func (s *staging) drop(at *list.Element) {
	e := at.Value.(*staged)
	s.order.Remove(at)
	delete(s.all, e.key)
	s.bytes -= e.size.Load()
	_ = e.data.Close()           // only read
	_ = os.Remove(e.data.Name()) // gone already, but for systems that keep names of open files
}

var errGone = fault.New(fault.Missing, "what was sent is kept for two hours, if later files leave room, and is gone; choose the file again, and what you decided about it stays")

// find returns what the caller sent under a key.
func (s *staging) find(principal, key string) (*staged, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	at, known := s.all[key]
	if !known || at.Value.(*staged).principal != principal {
		return nil, errGone
	}
	return at.Value.(*staged), nil
}

// forget drops what the caller sent under a key, and returns its name.
func (s *staging) forget(principal, key string) (name string, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	at, known := s.all[key]
	if !known || at.Value.(*staged).principal != principal {
		return "", errGone
	}
	s.drop(at)
	return at.Value.(*staged).name, nil
}

// plan keeps the plan for what was sent.
func (s *staging) plan(e *staged, p *plannedImport) {
	s.mu.Lock()
	defer s.mu.Unlock()
	e.planned = p
}

// plannedAs returns the plan for what was sent, nil if the last one was made for other decisions or another branch.
func (s *staging) plannedAs(e *staged, branch string, asked importChoices) *view.ImportPlan {
	s.mu.Lock()
	defer s.mu.Unlock()
	if e.planned == nil || e.planned.branch != branch || !e.planned.asked.same(asked) {
		return nil
	}
	return e.planned.plan
}

// input reads the data from its beginning, also beside other readers.
func (e *staged) input() invoke.Input {
	n := e.size.Load()
	return invoke.Input{Name: e.name, Source: e.name, Reader: io.NewSectionReader(e.data, 0, n), Size: n}
}

// finish keeps the result of an import.
func (s *staging) finish(e *staged, done *importData) {
	s.mu.Lock()
	defer s.mu.Unlock()
	e.done = done
}

// finished returns the result of the import of a form, nil if it was not sent before.
func (s *staging) finished(e *staged, once string) *importData {
	s.mu.Lock()
	defer s.mu.Unlock()
	if e.done == nil || e.done.Once != once {
		return nil
	}
	return e.done
}

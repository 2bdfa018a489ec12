// Package versioning assigns version numbers to the capabilities of a program, and stores each new version of a
// descriptor in the file, with its time, its author and the program. See
// docs/decisions/0052-descriptors-in-the-file.md.
//
// Read [Store.Assign] first.
package versioning

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"trails/fault"
	"trails/kg"
)

// Store numbers and stores the versions of the capabilities of one engine. It is safe for concurrent use.
type Store struct {
	graph   *kg.Graph
	log     *slog.Logger
	program string
	// moved is called when the file has assigned other versions than Assign returned.
	moved func()

	mu      sync.Mutex
	waiting [][]kg.Offered
	writing chan struct{} // closed when nothing is waiting; nil if nobody is writing
	// closing is cancelled at the beginning of Close, ctx, which is used for writing, at its end.
	closing, ctx context.Context
	close, stop  context.CancelFunc
}

// New returns a Store for a program on g. moved is called after something was stored under another version than
// Assign had returned.
func New(g *kg.Graph, log *slog.Logger, program string, moved func()) *Store {
	l := &Store{graph: g, log: log, program: program, moved: moved}
	l.closing, l.close = context.WithCancel(context.Background())
	l.ctx, l.stop = context.WithCancel(context.Background())
	return l
}

// Assign assigns versions to the offered capabilities under the snapshot, and returns those that the file does not
// know. own says for each whether the program always has it; the author of the others is that of the schema.
func (l *Store) Assign(ctx context.Context, s *kg.Snapshot, all []kg.Offered, own []bool) (unknown []kg.Offered, err error) {
	places, err := s.Number(ctx, all)
	if err != nil || len(places) == 0 {
		return nil, err
	}
	author := ""
	if seq := s.Head().SchemaSeq; seq > 0 {
		c, err := s.CommitBySeq(ctx, seq)
		if err != nil {
			return nil, err
		}
		author = c.Author
	}
	at := time.Now()
	for _, i := range places {
		o := all[i]
		o.At, o.Program, o.Head = at, l.program, s.Head().Seq
		if !own[i] {
			o.Agent = author
		}
		unknown = append(unknown, o)
	}
	return unknown, nil
}

// retryAfter is how long to wait while somebody else is writing.
const retryAfter = time.Second

// Save stores unknown versions soon, without waiting. If that fails, they are unknown to the next program, too, which
// will number them the same way.
func (l *Store) Save(unknown []kg.Offered) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(unknown) == 0 || l.closing.Err() != nil {
		return
	}
	l.waiting = append(l.waiting, unknown)
	if l.writing == nil {
		l.writing = make(chan struct{})
		go l.write(l.writing)
	}
}

// next takes the oldest waiting versions, and ends the writing if there are none.
func (l *Store) next(done chan struct{}) []kg.Offered {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.waiting) == 0 {
		l.writing = nil
		close(done)
		return nil
	}
	first := l.waiting[0]
	l.waiting = l.waiting[1:]
	return first
}

func (l *Store) write(done chan struct{}) {
	for list := l.next(done); list != nil; list = l.next(done) {
		for l.try(list) {
			select {
			case <-time.After(retryAfter):
				continue
			case <-l.closing.Done():
			}
			break
		}
	}
}

// try writes once, and reports whether a failure can be retried.
func (l *Store) try(list []kg.Offered) (again bool) {
	var moved bool
	err := fault.Guard(func() (err error) {
		moved, err = l.graph.RecordCapabilities(l.ctx, list)
		return err
	})
	if moved {
		l.moved()
	}
	switch {
	case err == nil || l.ctx.Err() != nil:
		return false
	case fault.Is(err, fault.TimedOut):
		return true
	}
	l.log.Warn("versions of capabilities were not recorded", "capabilities", len(list), "error", err)
	return false
}

// Close writes the waiting versions, unless somebody else is writing or ctx ends.
func (l *Store) Close(ctx context.Context) {
	l.close()
	defer l.stop()
	l.mu.Lock()
	writing := l.writing
	l.mu.Unlock()
	if writing == nil {
		return
	}
	defer context.AfterFunc(ctx, l.stop)()
	<-writing
}

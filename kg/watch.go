package kg

import (
	"context"
	"time"
)

// Moved tells a watcher that the branch has a new head.
type Moved struct {
	Head Commit
	// Schema reports that the schema is another one than at the last report.
	Schema bool
}

// watchInterval is how often another process's writes are looked for.
const watchInterval = 200 * time.Millisecond

// Watch reports heads that are newer than the one at the call, made by this process
// or another one, until ctx ends; then the channel is closed. Reports that are not
// taken are folded into one.
func (g *Graph) Watch(ctx context.Context) <-chan Moved {
	w := watching{graph: g, out: make(chan Moved, 1)}
	w.last, _ = w.read(ctx) // what is there now is no news
	go w.run(ctx)
	return w.out
}

// watching is one watcher's view of the branch.
type watching struct {
	graph   *Graph
	out     chan Moved
	version int64 // of the file when last was read; 0 before
	last    Commit
}

func (w *watching) run(ctx context.Context) {
	defer close(w.out)
	tick := time.NewTicker(watchInterval)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			w.look(ctx)
		}
	}
}

func (w *watching) look(ctx context.Context) {
	if head, changed := w.read(ctx); changed {
		tell(w.out, w.last, head)
		w.last = head
	}
}

// read returns the head when the file has changed. What cannot be read now is looked
// at again the next time. The version is read first: a write that comes between is
// seen twice, not missed.
func (w *watching) read(ctx context.Context) (head Commit, changed bool) {
	version, err := w.graph.file.DataVersion(ctx)
	if err != nil || version == w.version {
		return Commit{}, false
	}
	if head, err = w.graph.head(ctx); err != nil {
		return Commit{}, false
	}
	w.version = version
	return head, true
}

// head reads where the branch is.
func (g *Graph) head(ctx context.Context) (Commit, error) {
	r, err := g.file.Read(ctx)
	if err != nil {
		return Commit{}, err
	}
	defer r.Close()
	return r.Head(), nil
}

// tell reports a head that moved, folded with a report that nobody took yet.
func tell(out chan Moved, last, head Commit) {
	if head.ID == last.ID {
		return
	}
	news := Moved{Head: head, Schema: head.SchemaSeq != last.SchemaSeq}
	select {
	case old := <-out:
		news.Schema = news.Schema || old.Schema
	default:
	}
	out <- news
}

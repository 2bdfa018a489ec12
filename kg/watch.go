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

// Watch reports new heads, made by this process or another one, until ctx ends;
// then the channel is closed. Reports that are not taken are folded into one.
func (g *Graph) Watch(ctx context.Context) <-chan Moved {
	out := make(chan Moved, 1)
	go g.watch(ctx, out)
	return out
}

func (g *Graph) watch(ctx context.Context, out chan Moved) {
	defer close(out)
	tick := time.NewTicker(watchInterval)
	defer tick.Stop()
	version, _ := g.file.DataVersion(ctx)
	last, err := g.head(ctx)
	for ; ; <-tick.C {
		if ctx.Err() != nil {
			return
		}
		now, readErr := g.file.DataVersion(ctx)
		if readErr != nil || err == nil && now == version {
			continue
		}
		var head Commit
		if head, err = g.head(ctx); err == nil {
			tell(out, last, head)
			last, version = head, now
		}
	}
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

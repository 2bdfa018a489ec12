package session

import (
	"context"
	"errors"
	"strconv"
	"time"

	"trails/httpapi/sse"
)

var (
	// errLost means that events are gone that the reader has not had.
	errLost = errors.New("events are gone")
	// errDisplaced means that the client reads the stream over another connection.
	errDisplaced = errors.New("another connection reads on")
)

// follower is one connection that reads a stream of a session.
type follower struct {
	*session
	stream *stream
	reader *reader
	out    *sse.Writer
	// named means that events have IDs, to resume after them.
	named bool
}

// run writes events until the stream is done, the session is over, or the client
// does not read any more. News wait in the mailbox until the reader is ready for
// them, so one that does not read makes nothing grow.
func (f *follower) run(ctx context.Context) error {
	beat := time.NewTicker(f.Options.KeepAlive)
	defer beat.Stop()
	var news [][]byte
	for {
		done, err := f.write(news...)
		if err != nil || done {
			return err
		}
		news = nil
		select {
		case <-f.reader.more:
		case <-f.news():
			news = messages(f.box.take(), nil)
		case <-beat.C:
			err = f.out.Beat()
		case <-f.reader.gone:
			return errDisplaced
		case <-ctx.Done():
			return ctx.Err()
		case <-f.over:
			_, err = f.write()
			return err
		}
		if err != nil {
			return err
		}
	}
}

// write writes the events since the last one written, and after them the news.
func (f *follower) write(news ...[]byte) (done bool, err error) {
	events, lost, done := f.stream.next(f.reader, news...)
	if lost && !f.isCommon() {
		return false, errLost
	}
	if lost {
		f.hub.resync(f.box) // the client is told that it may have missed some
	}
	for i, e := range events {
		id := f.name(e.number)
		if done && i == len(events)-1 {
			id = "" // nothing comes after the answer
		}
		if err := f.out.Add("message", id, e.data); err != nil {
			return false, err
		}
	}
	if err := f.out.Flush(); err != nil || len(events) == 0 {
		return done, err
	}
	f.advance(events[len(events)-1].number)
	return done, nil
}

func (f *follower) advance(last int) {
	f.stream.read(f.reader, last)
	if !f.named {
		f.stream.forget(last) // nobody can resume after it
	}
}

// isCommon reports that the stream is the one that belongs to no request.
func (f *follower) isCommon() bool { return f.stream.name == "" }

// news rings when the mailbox has something for this reader.
func (f *follower) news() <-chan struct{} {
	if !f.isCommon() {
		return nil
	}
	return f.box.bell
}

func (f *follower) name(number int) string {
	if !f.named {
		return ""
	}
	return f.stream.name + "_" + strconv.Itoa(number)
}

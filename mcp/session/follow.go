package session

import (
	"context"
	"errors"
	"strconv"
	"time"

	"trails/httpapi/sse"
)

var (
	// errLost means that unread events were dropped.
	errLost = errors.New("events are gone")
	// errDisplaced means that the client now reads the stream over another connection.
	errDisplaced = errors.New("another connection reads on")
)

// follower is one connection that reads a stream of a session.
type follower struct {
	*session
	stream *stream
	reader *reader
	out    *sse.Writer
	// named means that events have ids, so that the client can resume.
	named bool
}

// run writes events until the stream is complete, the session ends, or the client disconnects. News wait in the
// mailbox until the client can receive them, so a slow client does not make memory grow.
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

// write writes the unread events, followed by the news.
func (f *follower) write(news ...[]byte) (done bool, err error) {
	events, lost, done := f.stream.next(f.reader, news...)
	if lost && !f.isCommon() {
		return false, errLost
	}
	if lost {
		f.hub.resync(f.box) // the notification says that some may have been missed
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

// isCommon reports whether this is the stream for messages without a request.
func (f *follower) isCommon() bool { return f.stream.name == "" }

// news signals that the mailbox has something for this reader.
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

package session

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"pgregory.net/rapid"
)

func requestID(t *rapid.T, n int) jsonrpc.ID {
	id, err := jsonrpc.MakeID(float64(n))
	if err != nil {
		t.Fatal(err)
	}
	return id
}

// reading is a reader, and what it has had.
type reading struct {
	stream *stream
	reader *reader
	at     int
}

// Whatever is said and read, what nobody is about to read stays within the bounds,
// a reader has each event once and in order, or is told that some are gone.
func TestAHistoryStaysWithinItsBoundsAndLosesNothingSilently(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := &eventStore{max: 6000, maxPerSession: 2500}
		shelves := []*sessionEvents{h.openSession(), h.openSession(), h.openSession()}
		var readings []*reading
		requests := 0
		shelfOf := func() *sessionEvents { return shelves[rapid.IntRange(0, 2).Draw(t, "session")] }
		text := func() []byte { return []byte(strings.Repeat("x", rapid.IntRange(0, 900).Draw(t, "size"))) }
		t.Repeat(map[string]func(*rapid.T){
			"say": func(*rapid.T) { shelfOf().add(noRequest, text()) },
			"ask and answer": func(t *rapid.T) {
				requests++
				s, id := shelfOf(), requestID(t, requests)
				st := s.open(fmt.Sprint(requests), id)
				if rapid.Bool().Draw(t, "read") {
					r := st.attach(0)
					readings = append(readings, &reading{stream: st, reader: r})
				}
				s.add(id, text())
				s.answer(id, text())
				s.add(id, text()) // too late
			},
			"attach": func(t *rapid.T) {
				st, _ := shelfOf().find("")
				at := rapid.IntRange(0, st.last()).Draw(t, "at")
				readings = slices.DeleteFunc(readings, func(r *reading) bool { return r.stream == st }) // it gives way
				readings = append(readings, &reading{stream: st, reader: st.attach(at), at: at})
			},
			"read": func(t *rapid.T) {
				if len(readings) > 0 {
					rapid.SampledFrom(readings).Draw(t, "reader").read(t)
				}
			},
			"detach": func(t *rapid.T) {
				if len(readings) == 0 {
					return
				}
				i := rapid.IntRange(0, len(readings)-1).Draw(t, "reader")
				readings[i].stream.detach(readings[i].reader)
				readings = append(readings[:i], readings[i+1:]...)
			},
			"": func(t *rapid.T) { checkHistory(t, h, shelves) },
		})
		for _, s := range shelves {
			s.clear()
		}
		if h.size != 0 || h.events.Len() != 0 {
			t.Errorf("%d bytes in %d events are left", h.size, h.events.Len())
		}
	})
}

// A stream keeps all that its reader has still to read. When another one takes over further on, what lies between
// is nobody's, and counts as the rest does.
func TestWhatALaterReaderDoesNotAskForIsWithinTheBounds(t *testing.T) {
	h := &eventStore{max: 6000, maxPerSession: 2500}
	s := h.openSession()
	st, _ := s.find("")
	st.attach(0)
	for range 20 {
		s.add(noRequest, make([]byte, 900))
	}
	if s.size < 20*900 {
		t.Fatalf("%d bytes wait for a reader who has read none of 20 events", s.size)
	}
	st.attach(st.last())
	if s.size > s.maxPerSession {
		t.Errorf("%d bytes lie in a session of %d", s.size, s.maxPerSession)
	}
}

func (r *reading) read(t *rapid.T) {
	t.Helper()
	first, before := r.stream.first, r.at
	events, lost, _ := r.stream.next(r.reader)
	if lost != (before < first-1) {
		t.Fatalf("after %d of events from %d on: lost is %t", before, first, lost)
	}
	if lost {
		r.at = first - 1
	}
	for _, e := range events {
		if r.at++; e.number != r.at {
			t.Fatalf("event %d comes where %d is due", e.number, r.at)
		}
	}
	r.stream.read(r.reader, r.at)
}

func checkHistory(t *rapid.T, h *eventStore, shelves []*sessionEvents) {
	t.Helper()
	free, all, events := 0, 0, 0
	for _, s := range shelves {
		size, mine := 0, 0
		for at := s.events.Front(); at != nil; at = at.Next() {
			e := at.Value.(*event)
			size += e.cost()
			if !e.isAwaited() {
				mine += e.cost()
			}
			events++
		}
		if size != s.size {
			t.Errorf("a session counts %d bytes of %d", s.size, size)
		}
		if largest := 900 + eventOverhead; mine > s.maxPerSession+largest {
			t.Errorf("%d bytes lie in a session of %d", mine, s.maxPerSession)
		}
		free, all = free+mine, all+size
	}
	if all != h.size || events != h.events.Len() {
		t.Errorf("%d bytes in %d events are counted as %d in %d", all, events, h.size, h.events.Len())
	}
	if largest := 900 + eventOverhead; free > h.max+largest {
		t.Errorf("%d bytes lie in a history of %d", free, h.max)
	}
}

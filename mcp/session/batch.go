package session

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"trails/httpapi/sse"
	"trails/text/jsontext"
)

const (
	// batching is the only protocol version in which several messages may be sent as an array, and must be answered
	// so.
	batching = "2025-03-26"
	// maxBatch is how many they may be.
	maxBatch = 100
)

func isBatch(text []byte) bool {
	return bytes.HasPrefix(bytes.TrimLeft(text, " \t\r\n"), []byte("["))
}

// split returns the messages of a batch as they came.
func split(text []byte) (members []json.RawMessage, bad *jsonrpc.Error) {
	if jsontext.TooDeep(text, maxDepth+1) {
		return nil, invalid(fmt.Sprintf("the message nests deeper than %d levels", maxDepth))
	}
	switch err := json.Unmarshal(text, &members); {
	case err != nil:
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeParseError, Message: "Parse error"}
	case len(members) == 0:
		return nil, invalid("the batch is empty")
	case len(members) > maxBatch:
		return nil, invalid(fmt.Sprintf("a batch has at most %d messages", maxBatch))
	}
	return members, nil
}

// parseMember is parse for a message of a batch, with the ids of the requests before it. The handshake cannot be in a batch:
// before it nobody knows whether batches are allowed. Of two requests with one id nobody could tell the answers apart: the
// second is refused, with no id.
func parseMember(text []byte, ids map[jsonrpc.ID]bool) (Message, *jsonrpc.Error) {
	m, bad := parse(text)
	switch {
	case bad != nil:
	case m.Method == "initialize":
		bad = invalid("initialize comes by itself, not in a batch")
	case m.isCall() && ids[m.id]:
		bad = invalid(fmt.Sprintf("a request before it in the batch has the id %s, too; this one was not taken", m.idText))
		m.idText = nullID
	case m.isCall():
		ids[m.id] = true
	}
	return m, bad
}

// joined is the answer to a batch.
func joined(answers []json.RawMessage) []byte {
	out := []byte{'['}
	for i, one := range answers {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(out, one...)
	}
	return append(out, ']')
}

// serveBatch answers the messages of a batch one after another, as if each had been sent by itself, with one answer.
// A batch of notifications has no answer.
func serveBatch(w http.ResponseWriter, r *http.Request, body []byte, serve func(http.ResponseWriter, *http.Request, Message)) {
	members, bad := split(body)
	if bad != nil {
		refuseHTTP(w, http.StatusBadRequest, nullID, bad)
		return
	}
	var answers []json.RawMessage
	ids := map[jsonrpc.ID]bool{}
	for _, member := range members {
		if r.Context().Err() != nil {
			return // the client has closed the connection
		}
		m, bad := parseMember(member, ids)
		if bad != nil {
			answers = append(answers, Failure(m.idText, bad))
			continue
		}
		out := &memberAnswer{header: http.Header{}}
		serve(out, r.Clone(r.Context()), m)
		answers = append(answers, out.answers()...)
	}
	if len(answers) == 0 {
		w.WriteHeader(http.StatusAccepted)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(joined(answers)) // the connection may be closed
}

// memberAnswer collects the answer to one message of a batch.
type memberAnswer struct {
	header http.Header
	text   bytes.Buffer
}

func (w *memberAnswer) Header() http.Header              { return w.header }
func (w *memberAnswer) WriteHeader(int)                  {}
func (w *memberAnswer) Write(p []byte) (int, error)      { return w.text.Write(p) }
func (w *memberAnswer) Flush()                           {}
func (w *memberAnswer) SetReadDeadline(time.Time) error  { return nil }
func (w *memberAnswer) SetWriteDeadline(time.Time) error { return nil }

// answers returns its answers: one JSON text or, of a stream of events, the last event; notifications before it have
// no place in a batch.
func (w *memberAnswer) answers() (list []json.RawMessage) {
	if !strings.HasPrefix(w.header.Get("Content-Type"), sse.MediaType) {
		if text := bytes.TrimSpace(w.text.Bytes()); json.Valid(text) {
			list = append(list, text)
		}
		return list
	}
	for line := range bytes.Lines(w.text.Bytes()) {
		data, ok := bytes.CutPrefix(line, []byte("data: "))
		if m, bad := parse(bytes.TrimSpace(data)); ok && bad == nil && m.response {
			list = append(list, bytes.TrimSpace(data))
		}
	}
	return list
}

// lineBatch collects the answers to a batch on stdio, which are sent together after the last one.
type lineBatch struct {
	mu      sync.Mutex
	open    int // number of missing answers, plus one while the batch is read
	answers []json.RawMessage
}

func (b *lineBatch) expect() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.open++
}

// add adds an answer, nil for one that will not come. It returns all answers after the last one.
func (b *lineBatch) add(text []byte) []json.RawMessage {
	b.mu.Lock()
	defer b.mu.Unlock()
	if text != nil {
		b.answers = append(b.answers, text)
	}
	if b.open--; b.open > 0 {
		return nil
	}
	return b.answers
}

// acceptBatch is acceptMessage for a line with several messages.
func (c *lineConn) acceptBatch(line []byte) bool {
	members, bad := split(line)
	if bad != nil {
		return c.send(Failure(nullID, bad)) == nil
	}
	b, ids := &lineBatch{open: 1}, map[jsonrpc.ID]bool{}
	for _, member := range members {
		m, bad := parseMember(member, ids)
		if !c.acceptMessage(m, bad, b) {
			return false
		}
	}
	return c.reply(nil, b) == nil
}

// reply writes an answer, or adds it to its batch; nil is none.
func (c *lineConn) reply(text []byte, b *lineBatch) error {
	if b == nil {
		if text == nil {
			return nil
		}
		return c.send(text)
	}
	if all := b.add(text); len(all) > 0 {
		return c.send(joined(all))
	}
	return nil
}

// batchOf returns and forgets the batch of a request, nil if it has none.
func (c *lineConn) batchOf(id jsonrpc.ID) *lineBatch {
	c.batchMu.Lock()
	defer c.batchMu.Unlock()
	b := c.batches[id]
	delete(c.batches, id)
	return b
}

func (c *lineConn) keepBatch(id jsonrpc.ID, b *lineBatch) {
	c.batchMu.Lock()
	defer c.batchMu.Unlock()
	c.batches[id] = b
}

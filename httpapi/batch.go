package httpapi

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"

	"trails/fault"
	"trails/text/jsontext"
)

// maxBatch is the most calls that one request may carry.
const maxBatch = 100

// batch is the body of POST /invoke.
type batch struct {
	calls       []batchCall
	stopOnError bool
}

type batchCall struct {
	capability string
	arguments  json.RawMessage
	key        string
}

// outcome is how one call of a batch ended: with a result, or as a problem.
type outcome struct {
	Status  int             `json:"status"`
	Result  json.RawMessage `json:"result,omitempty"`
	Problem map[string]any  `json:"problem,omitempty"`
}

// invokeBatch answers POST /invoke: calls in order, each in its own transaction, so that a failed call does not undo
// earlier ones. The answer has one result for each call that was made. Its own status is 200, which says that they were made,
// as in the batches of JSON-RPC and GraphQL; each result has the status that its call has by itself.
func (s *server) invokeBatch(w http.ResponseWriter, r *http.Request) error {
	b, err := readBatch(r)
	if err != nil {
		return err
	}
	results := []outcome{}
	for _, c := range b.calls {
		o, failed := s.outcome(r, c)
		results = append(results, o)
		if r.Context().Err() != nil || b.stopOnError && failed {
			break
		}
	}
	body, err := jsontext.Marshal(map[string]any{"results": results})
	if err != nil {
		return fmt.Errorf("encode batch: %w", err)
	}
	return writeJSON(w, body)
}

// outcome makes a call, and reports whether it failed: it was refused, or the tool of another server said that it failed.
func (s *server) outcome(r *http.Request, b batchCall) (o outcome, failed bool) {
	c := s.call(r, b.capability, b.arguments)
	c.IdempotencyKey = b.key
	res, err := s.engine.Call(r.Context(), c)
	if err != nil {
		f := s.faultOf(r, err)
		return outcome{Status: verdicts[f.Kind].status, Problem: problem(f, traceIn(f, r))}, true
	}
	return outcome{Status: http.StatusOK, Result: res.Structured}, res.Failed
}

// readBatch parses the whole body before the first call: all errors of its structure are reported at once, before
// anything happens.
func readBatch(r *http.Request) (batch, error) {
	if _, err := parameters(r); err != nil {
		return batch{}, err
	}
	for name, instead := range map[string]string{"If-Match": "if_commit among its arguments", "Idempotency-Key": "an idempotency_key of its own"} {
		if r.Header.Get(name) != "" {
			return batch{}, fault.New(fault.InvalidArguments, "%s is for one call; in a batch each call takes %s", name, instead)
		}
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return batch{}, fault.New(fault.Malformed, "the body cannot be read").Because(err)
	}
	if body, err = argumentsIn(body); err != nil {
		return batch{}, err
	}
	if !isObject(body) {
		return batch{}, fault.New(fault.InvalidArguments, `the body must be a JSON object, such as {"calls":[{"capability":"health","arguments":{}}]}`)
	}
	var shape shape
	b := shape.batch(body)
	if len(shape.wrong) > 0 {
		return batch{}, fault.Arguments(shape.wrong...)
	}
	return b, nil
}

// shape collects the errors of a body.
type shape struct{ wrong []fault.FieldError }

func (s *shape) add(field string, code fault.Code, message string, constraint any) {
	s.wrong = append(s.wrong, fault.FieldError{Field: field, Code: code, Message: field + " " + message, Constraint: constraint})
}

func (s *shape) batch(body json.RawMessage) (b batch) {
	members := s.members("", body, "calls", "stop_on_error")
	if text, given := members["stop_on_error"]; given {
		s.decode("stop_on_error", text, &b.stopOnError, "must be true or false", "boolean")
	}
	text, given := members["calls"]
	if !given {
		s.add("calls", fault.Required, "is required", true)
		return b
	}
	var calls []json.RawMessage
	switch s.decode("calls", text, &calls, "must be an array of calls", "array"); {
	case len(calls) > maxBatch:
		s.add("calls", fault.MaxCount, "has more than "+strconv.Itoa(maxBatch)+" entries", maxBatch)
		return b
	case len(calls) == 0 && len(s.wrong) == 0:
		s.add("calls", fault.MinCount, "is empty", 1)
	}
	for i, text := range calls {
		b.calls = append(b.calls, s.call(fmt.Sprintf("calls[%d]", i), text))
	}
	return b
}

func (s *shape) call(field string, text json.RawMessage) (c batchCall) {
	if !isObject(text) {
		s.add(field, fault.Datatype, "must be an object", "object")
		return c
	}
	members := s.members(field+".", text, "capability", "arguments", "idempotency_key")
	name, given := members["capability"]
	if given {
		s.decode(field+".capability", name, &c.capability, "must be text", "string")
	}
	if !given || string(name) == `""` {
		s.add(field+".capability", fault.Required, "is required", true)
	}
	if key, given := members["idempotency_key"]; given {
		s.decode(field+".idempotency_key", key, &c.key, "must be text", "string")
	}
	c.arguments = members["arguments"]
	if c.arguments != nil && !isObject(c.arguments) {
		s.add(field+".arguments", fault.Datatype, "must be an object", "object")
	}
	return c
}

// members parses an object, and reports unknown members.
func (s *shape) members(prefix string, text json.RawMessage, allowed ...string) map[string]json.RawMessage {
	var members map[string]json.RawMessage
	if json.Unmarshal(text, &members) != nil {
		return nil
	}
	for name := range members {
		if !slices.Contains(allowed, name) {
			s.add(prefix+name, fault.Closed, "is not known here", allowed)
		}
	}
	return members
}

// decode decodes one member; null is an error.
func (s *shape) decode(field string, text json.RawMessage, into any, message, constraint string) {
	if string(text) == "null" || json.Unmarshal(text, into) != nil {
		s.add(field, fault.Datatype, message, constraint)
	}
}

func isObject(text json.RawMessage) bool { return bytes.HasPrefix(text, []byte("{")) }

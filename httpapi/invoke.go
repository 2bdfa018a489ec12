package httpapi

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"

	"trails/fault"
	"trails/invoke"
)

// CommitHeader names the commit that a write made.
const CommitHeader = "Trails-Commit"

// invoke answers POST /invoke/{capability}: the same call as MCP's tools/call.
func (s *server) invoke(w http.ResponseWriter, r *http.Request) error {
	capability, err := segment(r, "capability")
	if err != nil {
		return err
	}
	args, err := arguments(r)
	if err != nil {
		return err
	}
	if args, err = s.onCommit(r, args); err != nil {
		return err
	}
	return s.run(w, r, s.call(r, capability, args))
}

// ask answers GET /invoke/{capability}: a call that reads, which a cache may keep.
func (s *server) ask(w http.ResponseWriter, r *http.Request) error {
	capability, err := segment(r, "capability")
	if err != nil {
		return err
	}
	query, err := parameters(r, "arguments")
	if err != nil {
		return err
	}
	args, err := argumentsIn([]byte(query.Get("arguments")))
	if err != nil {
		return err
	}
	c := s.call(r, capability, args)
	c.Reads = true
	return s.run(w, r, c)
}

// run makes the call and answers with its structured content, or 304 if the caller has it.
func (s *server) run(w http.ResponseWriter, r *http.Request, c invoke.Call) error {
	if !isRead(r) && len(r.Header.Values("If-None-Match")) > 0 { // RFC 9110, section 13.1.2: 304 is for GET and HEAD
		return fault.New(fault.InvalidArguments, "If-None-Match is for GET, by which a read is /invoke/{capability}?arguments={…}")
	}
	res, err := s.engine.Call(r.Context(), c)
	if err != nil {
		return err
	}
	return s.whole(w, r, res, res.Tag())
}

// whole answers with the structured content of a result. A tag is for a read; of a write the tag is its commit.
func (s *server) whole(w http.ResponseWriter, r *http.Request, res invoke.Result, tag string) error {
	w.Header().Set("Content-Type", "application/json")
	if res.Written != nil {
		nameCommit(w.Header(), res)
		tag = ""
	}
	if tag != "" {
		tag = entityTag(tag, "")
	}
	return s.reply(w, r, tag, line(res.Structured))
}

// WarningHeader has the warnings of a call whose answer has no place for them in the body.
const WarningHeader = "Trails-Warning"

// nameWarnings sets WarningHeader.
func nameWarnings(h http.Header, warnings []string) {
	for _, warning := range warnings {
		text := strconv.QuoteToASCII(warning)
		h.Add(WarningHeader, text[1:len(text)-1])
	}
}

// nameCommit sets CommitHeader, if the call made a commit.
func nameCommit(h http.Header, res invoke.Result) {
	if res.Written != nil && res.Written.Commit != nil {
		h.Set(CommitHeader, *res.Written.Commit)
		h.Set("ETag", strconv.Quote(*res.Written.Commit))
	}
}

// arguments reads the call's arguments from the body and ?dry_run=.
func arguments(r *http.Request) (json.RawMessage, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, fault.New(fault.Malformed, "the body cannot be read").Because(err)
	}
	args, err := argumentsIn(body)
	if err != nil {
		return nil, err
	}
	query, err := parameters(r, "dry_run")
	if err != nil || !query.Has("dry_run") {
		return args, err
	}
	dry, err := strconv.ParseBool(query.Get("dry_run"))
	if err != nil {
		return nil, badParameter("dry_run", fault.Datatype, query.Get("dry_run"), "dry_run must be true or false")
	}
	return withMember(args, "dry_run", dry)
}

// onCommit makes If-Match the call's if_commit, so that a graph that has changed answers 412; a call that does not
// write refuses the argument.
func (s *server) onCommit(r *http.Request, args json.RawMessage) (json.RawMessage, error) {
	commit, err := s.ifMatch(r)
	if err != nil || commit == "" {
		return args, err
	}
	var given struct {
		IfCommit *string `json:"if_commit"`
	}
	if json.Unmarshal(args, &given) == nil && given.IfCommit != nil && *given.IfCommit != commit {
		return nil, badParameter("if_commit", fault.HasValue, *given.IfCommit, "if_commit and If-Match name different commits")
	}
	return withMember(args, "if_commit", commit)
}

// argumentsIn checks that body is one JSON value and nothing more; empty means {}. That it is an
// object is for the call to say, which knows one that it takes.
func argumentsIn(body []byte) (json.RawMessage, error) {
	body = bytes.TrimSpace(body)
	if len(body) == 0 {
		return json.RawMessage("{}"), nil
	}
	var raw json.RawMessage
	if err := json.Unmarshal(body, &raw); err != nil {
		return nil, malformedJSON(err)
	}
	return raw, nil
}

func malformedJSON(err error) error {
	f := fault.New(fault.Malformed, "the body is not JSON: %s", err)
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) {
		return f.With("offset", syntax.Offset)
	}
	return f
}

// withMember adds a member to the arguments. What is no object stays, for the call refuses it; a
// text, in which a call finds the object, cannot take the member.
func withMember(args json.RawMessage, name string, value any) (json.RawMessage, error) {
	if args[0] == '"' {
		return nil, fault.New(fault.InvalidArguments, "the arguments must be a JSON object, not the text of one")
	}
	if args[0] != '{' {
		return args, nil
	}
	members := map[string]json.RawMessage{}
	if err := json.Unmarshal(args, &members); err != nil {
		return nil, malformedJSON(err)
	}
	text, err := json.Marshal(value)
	if err != nil {
		return nil, err
	}
	members[name] = text
	return json.Marshal(members)
}

// parameters parses the query strictly, so that a misspelt dry_run does not write.
func parameters(r *http.Request, allowed ...string) (url.Values, error) {
	query, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return nil, fault.New(fault.Malformed, "the query does not parse: %s", err)
	}
	return query, only(query, allowed...)
}

// only refuses parameters of other names, and those that are given more than once.
func only(given url.Values, allowed ...string) error {
	var wrong []fault.FieldError
	for name, values := range given {
		switch {
		case !slices.Contains(allowed, name):
			wrong = append(wrong, fault.FieldError{Field: name, Code: fault.Closed, Message: "unknown parameter " + strconv.Quote(name), Value: values[0], Constraint: allowed})
		case len(values) > 1:
			wrong = append(wrong, fault.FieldError{Field: name, Code: fault.MaxCount, Message: name + " must be given once", Value: values, Constraint: 1})
		}
	}
	if len(wrong) > 0 {
		return fault.Arguments(wrong...)
	}
	return nil
}

func badParameter(name string, code fault.Code, value any, message string) error {
	return fault.Arguments(fault.FieldError{Field: name, Code: code, Message: message, Value: value})
}

func writeJSON(w http.ResponseWriter, body []byte) error {
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(line(body)) // the connection may be closed
	return nil
}

// line returns a copy of text that ends in a newline.
func line(text []byte) []byte { return append(text[:len(text):len(text)], '\n') }

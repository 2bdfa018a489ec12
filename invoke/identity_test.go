package invoke_test

import (
	"encoding/json"
	"strings"
	"testing"

	"trails/auth/cedar"
	"trails/auth/policy"
	"trails/e2e/testrun"
	"trails/fault"
	"trails/invoke"
	"trails/invoke/invoketest"
	"trails/kg/load"
)

const retried = `
types:
  Note:
    iri: preserve
    properties:
      title: {type: string, required: true}
      status: {type: string, default: draft}
      rank: {type: integer}
      weight: {type: decimal}
      tag: {type: string, many: true}
`

// again makes a call under one key, and the call that follows with the same key.
func again(t *testing.T, first, second invoke.Call) (a, b map[string]any, err error) {
	t.Helper()
	e := invoketest.New(t, retried, invoke.Config{})
	e.Govern(t, cedar.Starter)
	e.Must(t, "note.create", `{"id": "x", "title": "X"}`)
	decode := func(c invoke.Call) (out map[string]any, err error) {
		if c.Principal.ID == "" {
			c.Principal = invoketest.Ana
		}
		c.IdempotencyKey, c.Via = "k", "test"
		res, err := e.Call(t.Context(), c)
		if err == nil {
			err = json.Unmarshal(res.Structured, &out)
		}
		return out, err
	}
	if a, err = decode(first); err != nil {
		t.Fatal(err)
	}
	b, err = decode(second)
	return a, b, err
}

func askedFor(capability, args string) invoke.Call {
	return invoke.Call{Capability: capability, Args: json.RawMessage(args)}
}

// What is asked for decides whether a call is a retry, not how it is written.
func TestARetryIsTheSameCallHoweverItIsWritten(t *testing.T) {
	testrun.Alone(t)
	const note = `{"id": "n", "title": "N", "rank": 10, "weight": 1.5, "tag": ["a", "b"]}`
	for name, c := range map[string][2]invoke.Call{
		"by the tool's name":      {askedFor("note.create", note), askedFor("note_create", note)},
		"members in other order":  {askedFor("note.create", note), askedFor("note.create", `{"tag":["a","b"],"weight":1.5,"rank":10,"title":"N","id":"n"}`)},
		"other white space":       {askedFor("note.create", note), askedFor("note.create", strings.ReplaceAll(note, " ", "\n\t"))},
		"another escape":          {askedFor("note.create", note), askedFor("note.create", strings.ReplaceAll(note, `"N"`, `"\u004e"`))},
		"equal numbers":           {askedFor("note.create", note), askedFor("note.create", `{"id": "n", "title": "N", "rank": 10, "weight": 150e-2, "tag": ["a", "b"]}`)},
		"a number as text":        {askedFor("note.create", note), askedFor("note.create", strings.Replace(note, "10", `"10"`, 1))},
		"defaults that are given": {askedFor("note.create", note), askedFor("note.create", strings.Replace(note, "{", `{"status": "draft", "dry_run": false, "branch": "main", `, 1))},
		"defaults of a load": {askedFor("load", `{"data": "<urn:a> <urn:b> 1 ."}`),
			askedFor("load", `{"data": "<urn:a> <urn:b> 1 .", "mode": "merge", "format": "auto", "keep_going": false, "one_graph": false}`)},
		"bounds of an update": {askedFor("mutate", `{"update": "INSERT DATA {<urn:a> <urn:b> 1}", "timeout_ms": 600000}`),
			askedFor("mutate", `{"update": "INSERT DATA {<urn:a> <urn:b> 1}"}`)},
		"data as a stream": {askedFor("load", `{"data": "<urn:a> <urn:b> 1 ."}`), {Capability: "load",
			Inputs: []load.Input{{Name: "data", Reader: strings.NewReader("<urn:a> <urn:b> 1 .")}}}},
		"another program of the caller": {askedFor("note.create", note), {Capability: "note.create", Args: json.RawMessage(note),
			Principal: policy.Local("ana", "another program")}},
		"another door of the owner": {askedFor("note.create", note), {Capability: "note.create", Args: json.RawMessage(note),
			Principal: policy.Principal{ID: "anonymous", Owner: invoketest.Ana.ID, Scopes: policy.AllScopes()}}},
	} {
		t.Run(name, func(t *testing.T) {
			a, b, err := again(t, c[0], c[1])
			if err != nil {
				t.Fatal(err)
			}
			if b["replayed"] != true || b["commit"] != a["commit"] || a["commit"] == nil {
				t.Errorf("first %v\nthen  %v", a, b)
			}
		})
	}
}

func TestAnotherCallUnderAUsedKeyIsRefused(t *testing.T) {
	const note = `{"id": "n", "title": "N", "rank": 10, "weight": 1.5, "tag": ["a", "b"]}`
	for name, second := range map[string]invoke.Call{
		"another value":      askedFor("note.create", strings.Replace(note, `"N"`, `"M"`, 1)),
		"another number":     askedFor("note.create", strings.Replace(note, "1.5", "1.50000000000000000000000001", 1)),
		"another sign":       askedFor("note.create", strings.Replace(note, "1.5", "-1.5", 1)),
		"a number as text":   askedFor("note.create", strings.Replace(note, "10", `"11"`, 1)),
		"another order":      askedFor("note.create", strings.Replace(note, `"a", "b"`, `"b", "a"`, 1)),
		"what is no default": askedFor("note.create", strings.Replace(note, "{", `{"status": "final", `, 1)),
		"another capability": askedFor("note.update", strings.Replace(note, `"n"`, `"x"`, 1)),
		"another message":    askedFor("note.create", strings.Replace(note, "{", `{"message": "why", `, 1)),
	} {
		t.Run(name, func(t *testing.T) {
			if _, b, err := again(t, askedFor("note.create", note), second); err == nil {
				t.Errorf("answered %v", b)
			} else if !fault.Is(err, fault.Precondition) && !fault.Is(err, fault.InvalidData) {
				t.Error(err)
			}
		})
	}
	_, _, err := again(t, askedFor("load", `{"data": "<urn:a> <urn:b> 1 ."}`), askedFor("load", `{"data": "<urn:a> <urn:b> 2 ."}`))
	if !fault.Is(err, fault.Precondition) {
		t.Errorf("other data: %v", err)
	}
}

// A key of somebody else is another key.
func TestKeysBelongToTheirOwner(t *testing.T) {
	for name, who := range map[string]policy.Principal{
		"another user":                  policy.Local("bo", ""),
		"a token":                       {ID: "token", Owner: "token", Scopes: policy.AllScopes(), Authenticated: true},
		"a caller of another's process": {ID: invoketest.Ana.ID, Owner: "local:bo", Scopes: policy.AllScopes()},
	} {
		t.Run(name, func(t *testing.T) {
			_, b, err := again(t, askedFor("note.update", `{"id": "x", "rank": 1}`),
				invoke.Call{Capability: "note.update", Args: json.RawMessage(`{"id": "x", "rank": 2}`), Principal: who})
			if err != nil || b["replayed"] == true {
				t.Errorf("%v, %v", b, err)
			}
		})
	}
}

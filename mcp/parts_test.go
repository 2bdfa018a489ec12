package mcp_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"trails/invoke"
	"trails/mcp"
)

const (
	aCommit       = "ababababab01"
	anotherCommit = "cdcdcdcdcd02"
)

// manifold is an engine whose every call answers in parts.
type manifold struct{ *fake }

func (manifold) Call(context.Context, invoke.Call) (invoke.Result, error) {
	return invoke.Result{Structured: json.RawMessage(`{"warnings":["no type is called Notte"],"commit":"` + aCommit + `","parent":"` + anotherCommit + `"}`),
		Written: &invoke.Written{Commit: new(string(aCommit))}, Head: anotherCommit, Parts: invoke.Parts{
			Content: []invoke.Content{
				{Text: "A chart of it:"},
				{MIME: "image/png", Data: []byte("png")},
				{URI: "trails://kg/Note/1", MIME: "text/turtle", Text: "<urn:a> a <urn:b> ."},
				{URI: "trails://kg/Note/2", MIME: "application/pdf", Data: []byte("pdf")},
				{URI: "trails://kg/Note/3", Name: "Note/3", MIME: "application/ld+json"},
			},
		}}, nil
}

func TestAResultHasItsParts(t *testing.T) {
	h := mcp.New(manifold{&fake{}}, mcp.Options{}).Handler()
	call := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{}}}`
	got := post(t, h, call, "MCP-Protocol-Version: 2025-06-18")
	want := `{"jsonrpc":"2.0","id":1,"result":{"content":[` +
		`{"type":"text","text":"warnings: no type is called Notte\ncommit: ababababab01\nparent: cdcdcdcdcd02"},` +
		`{"type":"text","text":"A chart of it:"},` +
		`{"type":"image","data":"cG5n","mimeType":"image/png"},` +
		`{"type":"resource","resource":{"uri":"trails://kg/Note/1","mimeType":"text/turtle","text":"<urn:a> a <urn:b> ."}},` +
		`{"type":"resource","resource":{"uri":"trails://kg/Note/2","mimeType":"application/pdf","blob":"cGRm"}},` +
		`{"type":"resource_link","uri":"trails://kg/Note/3","name":"Note/3","mimeType":"application/ld+json","annotations":{"audience":["user"]}}],` +
		`"structuredContent":{"warnings":["no type is called Notte"],"commit":"` + aCommit + `","parent":"` + anotherCommit + `"}}}`
	if diff := cmp.Diff(want, got.Body.String()); diff != "" {
		t.Error(diff)
	}
	if old := post(t, h, call, "MCP-Protocol-Version: 2025-03-26").Body.String(); strings.Contains(old, "resource_link") || !strings.Contains(old, "image/png") {
		t.Errorf("a version without links got %s", old)
	}
}

package project_test

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/pb33f/libopenapi"

	"trails/capability/project"
	"trails/capability/project/projecttest"
)

const openAPIDir = "../../testdata/openapi"

var routes = []project.Route{
	{Methods: "GET", Path: "/admin", Says: "pages for people"},
	{Methods: "GET", Path: "/kg/{Type}/{id}", Query: "branch=&at=", Says: "one entity", Answers: []string{"application/ld+json", "text/turtle"}},
	{Methods: "GET", Path: "/queries/{name}", Query: "{param}=value", Says: "the answer to a stored query", Answers: []string{"application/json"}},
	{Methods: "POST", Path: "/queries/{name}", Says: "the same", Answers: []string{"application/json"}, Takes: []string{"application/json"}},
}

func TestOperationsAreTheirGoldenFiles(t *testing.T) {
	texts := map[string][]byte{}
	for _, d := range kinds(t) {
		text, err := project.Operations(project.Process{Token: true}).Encode(d)
		if err != nil {
			t.Fatal(err)
		}
		texts[d.ID] = text
	}
	projecttest.Golden(t, openAPIDir, texts)
}

// The document is one by the standard's own schema, and another implementation reads every
// operation and resolves every reference.
func TestOpenAPIIsReadByOthers(t *testing.T) {
	for _, token := range []bool{true, false} {
		l := listing(t)
		l.Process.Token = token
		text, err := l.OpenAPI(routes)
		if err != nil {
			t.Fatal(err)
		}
		projecttest.CheckOpenAPI(t, text)
		doc, err := libopenapi.NewDocument(text)
		if err != nil {
			t.Fatal(err)
		}
		model, err := doc.BuildV3Model()
		if err != nil {
			t.Fatal(err)
		}
		ids := map[string]bool{}
		for _, path := range model.Model.Paths.PathItems.FromOldest() {
			for _, o := range path.GetOperations().FromOldest() {
				if ids[o.OperationId] || o.OperationId == "" {
					t.Errorf("two operations are called %q", o.OperationId)
				}
				ids[o.OperationId] = true
				if o.Responses.Codes.GetOrZero("4XX") == nil || len(o.Tags) != 1 || (len(o.Security) > 0) != token {
					t.Errorf("%s has no problem response, no tag or the wrong security", o.OperationId)
				}
				if o.RequestBody == nil {
					continue
				}
				if media := o.RequestBody.Content.GetOrZero("application/json"); media.Schema != nil && media.Schema.Schema() == nil {
					t.Errorf("the input of %s cannot be read", o.OperationId)
				}
			}
		}
		if want := len(l.Descriptors) + 3; len(ids) != want || !ids["getKgTypeId"] || !ids["sample_create"] {
			t.Errorf("%d operations, want %d: %v", len(ids), want, ids)
		}
	}
}

// What MCP and OpenAPI both show of an input is the same bytes.
func TestInputsAreTheSameBytesInToolsAndOperations(t *testing.T) {
	for _, d := range kinds(t) {
		text, err := project.Operations(project.Process{}).Encode(d)
		if err != nil {
			t.Fatal(err)
		}
		var o struct {
			OperationID string `json:"operationId"`
			Summary     string
			Description string
			RequestBody struct {
				Content map[string]struct{ Schema json.RawMessage }
			}
		}
		if err := json.Unmarshal(text, &o); err != nil {
			t.Fatal(err)
		}
		tool := project.MCPTool(d, project.Process{})
		if !bytes.Equal(o.RequestBody.Content["application/json"].Schema, tool.InputSchema) || o.Description != tool.Description || o.Summary != tool.Title || o.OperationID != tool.Name {
			t.Errorf("%s: %s\n%s", d.ID, text, tool.InputSchema)
		}
	}
}

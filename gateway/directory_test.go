package gateway_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"trails/gateway"
)

func offeredTool(name, schema string) gateway.Offered {
	return gateway.Offered{Kind: gateway.Tool, Definition: gateway.Definition{Name: name, Description: "Does " + name, InputSchema: json.RawMessage(schema)}}
}

func offeredResource(name, uri string) gateway.Offered {
	return gateway.Offered{Kind: gateway.Resource, URI: uri, Definition: gateway.Definition{Name: name}}
}

func TestADirectoryHasWhatServersOffer(t *testing.T) {
	const path = `{"type":"object","properties":{"path":{"type":"string"}},"required":["path"]}`
	d := gateway.NewDirectory(nil, []gateway.Listing{
		{Server: gateway.Server{Name: "files"}, Offered: []gateway.Offered{
			offeredTool("read", path), offeredTool("read", path), offeredTool("odd", `{"type":"strange"}`), offeredTool("not a name", ""), offeredTool(strings.Repeat("x9_", 42), ""),
			offeredResource("Read me", "file:///a"), offeredResource("Read me", "file:///a"), offeredResource("Read me", "file:///b"),
			{Kind: gateway.Prompt, Definition: gateway.Definition{Name: "read", InputSchema: json.RawMessage(path)}},
		}},
		{Server: gateway.Server{Name: "more", Namespace: "files"}, Offered: []gateway.Offered{offeredTool("files.read", path), offeredTool("read", path), offeredResource("Read me", "file:///a")}},
		{Server: gateway.Server{Name: "hub"}, Offered: []gateway.Offered{offeredTool("read", path)}},
	})
	for kind, want := range map[gateway.Kind]string{
		gateway.Tool:     "files:odd files:read files:read hub:read",
		gateway.Resource: "resource::files:Read_me resource::files:Read_me resource::files:Read_me",
		gateway.Prompt:   "prompt::files:read",
	} {
		var got []gateway.Card
		for _, namespace := range []string{"/files", "/hub"} {
			cards, _ := browse(d.Catalog(kind), "", namespace)
			for _, card := range cards {
				if card.Kind != gateway.Internal {
					got = append(got, card)
					continue
				}
				below, err := browse(d.Catalog(kind), "", card.ID)
				if err != nil {
					t.Fatal(err)
				}
				got = append(got, below...)
			}
		}
		if idsOf(got) != want {
			t.Errorf("of kind %s there are %s, want %s", kind, idsOf(got), want)
		}
		for _, card := range got {
			entry, err := d.Find(kind, card.ID)
			if err != nil || entry.Item.ID != card.ID || entry.Offered.Kind != kind {
				t.Errorf("%s: %+v (%v)", card.ID, entry, err)
			}
		}
	}
	var problems []string
	for _, p := range d.Problems() {
		problems = append(problems, fmt.Sprintf("%s %.60s", p.Path, p.Message))
	}
	want := []string{
		`files the tool "read" of the server files is left out: "read" of t`,
		`files the tool "not a name" of the server files is left out: "not `,
		`files the tool "x9_x9_x9_x9_x9_x9_x9_x9_x9_x9_x9_x9_x9_x9_x9_x9_x9`,
		`files the resource "Read me" of the server files is left out: "Rea`,
		`more the tool "read" of the server more is left out: "read" of th`,
	}
	if strings.Join(problems, "\n") != strings.Join(want, "\n") {
		t.Errorf("%s\nwant\n%s", strings.Join(problems, "\n"), strings.Join(want, "\n"))
	}
}

func TestWhatIsNotThereIsNamed(t *testing.T) {
	d := gateway.NewDirectory(nil, []gateway.Listing{{Server: gateway.Server{Name: "hub"}, Offered: []gateway.Offered{offeredTool("read", `{"properties":{"a":{}}}`)}}})
	id, _ := gateway.ToolID(gateway.Signature{Server: "hub", Name: "read", InputSchema: json.RawMessage(`{"properties":{"a":{}}}`)})
	for _, c := range []struct {
		kind gateway.Kind
		id   string
		code gateway.Code
		said string
	}{
		{gateway.Tool, "hub:read#00000000", gateway.HydrateFailed, "; there is " + id.String()},
		{gateway.Tool, "hub:reed#" + id.Hash, gateway.HydrateFailed, "; did you mean \"" + id.String()},
		{gateway.Tool, "nothing at all", gateway.HydrateFailed, `no tool has the id "nothing at all"; browse for it`},
		{gateway.Resource, id.String(), gateway.ResourceNotFound, "no resource has the id"},
		{gateway.Prompt, "prompt::hub:read#00000000", gateway.PromptNotFound, "no prompt has the id"},
	} {
		_, err := d.Find(c.kind, c.id)
		var failed *gateway.Error
		if !errors.As(err, &failed) || failed.Code != c.code || failed.Path != c.id || !strings.Contains(failed.Message, c.said) {
			t.Errorf("%s: %v, want %s", c.id, err, c.said)
		}
	}
}

func TestASchemaIsMadeOnce(t *testing.T) {
	d := gateway.NewDirectory(nil, []gateway.Listing{{Server: gateway.Server{Name: "hub"}, Offered: []gateway.Offered{offeredTool("read", `{"required":["a"]}`), offeredTool("odd", `{"type":"strange"}`)}}})
	id := func(name, schema string) string {
		id, err := gateway.ToolID(gateway.Signature{Server: "hub", Name: name, InputSchema: json.RawMessage(schema)})
		if err != nil {
			t.Fatal(err)
		}
		return id.String()
	}
	one, err := d.Schema(gateway.Tool, id("read", `{"required":["a"]}`))
	if err != nil {
		t.Fatal(err)
	}
	if same, _ := d.Schema(gateway.Tool, id("read", `{"required":["a"]}`)); same != one {
		t.Error("it is made again")
	}
	if one.Check(map[string]any{}) == nil {
		t.Error("it takes anything")
	}
	for name, code := range map[string]gateway.Code{id("odd", ""): gateway.SchemaInvalid, "hub:none#00000000": gateway.HydrateFailed} {
		_, err := d.Schema(gateway.Tool, name)
		var failed *gateway.Error
		if !errors.As(err, &failed) || failed.Code != code {
			t.Errorf("%s: %v, want %s", name, err, code)
		}
	}
}

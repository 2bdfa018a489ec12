package gateway_test

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"trails/fault"
	"trails/gateway"
	"trails/gateway/gatewaytest"
)

func TestIDsAreThoseOfTheVectors(t *testing.T) {
	var vectors struct {
		Tools []struct {
			Upstream    string          `json:"upstream"`
			InputSchema json.RawMessage `json:"inputSchema"`
			ID          string          `json:"tool_id"`
		} `json:"tools"`
		Primitives []struct {
			Kind            gateway.Kind
			URI, Name, Hash string
			Hash8           string
			Args            []string
		} `json:"primitives"`
	}
	gatewaytest.Read(t, "tool_ids.json", &vectors)
	if len(vectors.Tools) < 29 || len(vectors.Primitives) < 6 {
		t.Fatalf("only %d tools and %d primitives", len(vectors.Tools), len(vectors.Primitives))
	}
	for _, v := range vectors.Tools {
		id, err := gateway.ToolID(gateway.Signature{Name: v.Upstream, InputSchema: v.InputSchema})
		if err != nil || id.String() != v.ID {
			t.Errorf("%s is %s (%v), want %s", v.Upstream, id, err, v.ID)
		}
	}
	for _, v := range vectors.Primitives {
		id := gateway.ResourceID("fs", "x", v.URI)
		if v.Kind == gateway.Prompt {
			var err error
			if id, err = gateway.PromptID("gh", v.Name, v.Args); err != nil {
				t.Error(err)
			}
		}
		if id.Hash != v.Hash8 {
			t.Errorf("%v has the hash %s", v, id.Hash)
		}
	}
}

func TestIDsFollowFromWhatAServerSays(t *testing.T) {
	for _, c := range []struct {
		signature gateway.Signature
		want      string
	}{
		{gateway.Signature{Name: "github.create_issue", Version: "1.4.0"}, "github:create_issue@1.4.0"},
		{gateway.Signature{Name: "weather.get", Version: "2024-05"}, "weather:get@2024-05"},
		{gateway.Signature{Name: "GitHub.list"}, "github:list#"},
		{gateway.Signature{Name: "a_b"}, "mcp:a_b#"},
		{gateway.Signature{Name: "a", Version: "1.0+build 7"}, "mcp:a#"},
		{gateway.Signature{Server: "Files", Name: "read_text_file"}, "files:read_text_file#"},
		{gateway.Signature{Server: "github", Name: "github.create_issue"}, "github:create_issue#"},
		{gateway.Signature{Server: "hub", Name: "github.create_issue"}, "hub:github.create_issue#"},
		{gateway.Signature{Name: "x", InputSchema: json.RawMessage(`{"properties":[],"required":"no"}`)}, "mcp:x#"},
	} {
		id, err := gateway.ToolID(c.signature)
		if err != nil || !strings.HasPrefix(id.String(), c.want) {
			t.Errorf("%+v is %s (%v), want %s", c.signature, id, err, c.want)
		}
	}
	for _, name := range []string{"", "a b", "2fa", "a/b/c", "città", "x:y", "a.", strings.Repeat("n", 129), "a.b\n"} {
		if id, err := gateway.ToolID(gateway.Signature{Name: name}); !fault.Is(err, fault.Malformed) {
			t.Errorf("%q is %s (%v), want an error", name, id, err)
		}
	}
	same, _ := gateway.ToolID(gateway.Signature{Server: "hub", Name: "create"})
	other, _ := gateway.ToolID(gateway.Signature{Server: "hub", Name: "hub.create"})
	if same.Hash == other.Hash {
		t.Error("tools of other names in their servers have one hash")
	}
}

func TestTextsOutsideTheGrammarAreNoIDs(t *testing.T) {
	for _, text := range []string{
		"", "a", "a:", ":b", "A:b", "a:b#", "a:b#ABCDEF01", "a:b#0123456", "a:b#012345678", "a:b@", "a:b#01234567@1", "tool::a:b",
		"resource:a:b", "resource::resource::a:b", "a:b~2", "a:b#01234567~2", "a:b ", "a:b\n", "1a:b", "a:1b", "a:" + strings.Repeat("b", 129),
	} {
		if id, err := gateway.ParseID(text); !fault.Is(err, fault.Malformed) {
			t.Errorf("%q is %v (%v)", text, id, err)
		}
	}
}

// ids draws an id of the grammar.
func ids() *rapid.Generator[gateway.ID] {
	return rapid.Custom(func(t *rapid.T) gateway.ID {
		optional := func(pattern, name string) string {
			return rapid.OneOf(rapid.Just(""), rapid.StringMatching(pattern)).Draw(t, name)
		}
		return gateway.ID{
			Kind:      rapid.SampledFrom([]gateway.Kind{gateway.Tool, gateway.Resource, gateway.Prompt}).Draw(t, "kind"),
			Namespace: rapid.StringMatching(`[a-z][a-z0-9_-]{0,63}`).Draw(t, "namespace"),
			Name:      rapid.StringMatching(`[A-Za-z_][A-Za-z0-9_.-]{0,127}`).Draw(t, "name"),
			Version:   optional(`[A-Za-z0-9._-]{1,32}`, "version"),
			Hash:      optional(`[0-9a-f]{8}`, "hash"),
		}
	})
}

func TestIDsAreReadAsTheyAreWritten(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		id := ids().Draw(t, "id")
		if got, err := gateway.ParseID(id.String()); err != nil || got != id {
			t.Fatalf("%s is read as %+v (%v), want %+v", id, got, err, id)
		}
		if len(id.String()) > len("resource::")+240 {
			t.Fatalf("%s has %d characters", id, len(id.String()))
		}
	})
}

// Whatever a server says, what it gets is an error or an id; a resource always gets one.
func TestAnyNameIsAnErrorOrAnID(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(rapid.String(), rapid.StringMatching(`[a-z_./2é]{0,12}`))
		signature := gateway.Signature{Server: text.Draw(t, "server"), Name: text.Draw(t, "name"), Version: text.Draw(t, "version"), InputSchema: json.RawMessage(text.Draw(t, "schema"))}
		made := []gateway.ID{gateway.ResourceID(signature.Server, signature.Name, signature.Version)}
		if id, err := gateway.ToolID(signature); err == nil {
			made = append(made, id)
		}
		if id, err := gateway.PromptID(signature.Server, signature.Name, nil); err == nil {
			made = append(made, id)
		}
		for _, id := range made {
			if got, err := gateway.ParseID(id.String()); err != nil || got != id {
				t.Fatalf("%s is read as %+v (%v)", id, got, err)
			}
			if id.Version == "" && !regexp.MustCompile(`^[0-9a-f]{8}$`).MatchString(id.Hash) {
				t.Fatalf("%s has neither a version nor a hash", id)
			}
		}
	})
}

func FuzzParseID(f *testing.F) {
	for _, seed := range []string{"a:b", "resource::a:b.c@1#01234567", "prompt::mcp:x#00000000", "a::b"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if id, err := gateway.ParseID(text); err == nil && id.String() != text {
			t.Errorf("%q is written as %s", text, id)
		}
	})
}

package project_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"image/png"
	"regexp"
	"strings"
	"testing"

	"trails/capability/project"
)

// cardShown is what clients read of a card (SEP-2127, schema v1).
type cardShown struct {
	Schema      string `json:"$schema"`
	Name        string
	Version     string
	Title       string
	Description string
	Remotes     []struct {
		Type, URL string
		Headers   []struct {
			Name, Value          string
			IsRequired, IsSecret bool
			Variables            map[string]any
		}
		SupportedProtocolVersions []string
	}
}

var (
	cardName  = regexp.MustCompile(`^[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+$`)
	entryName = regexp.MustCompile(`^urn:air:[a-zA-Z0-9.-]+:[a-zA-Z0-9._-]+:(mcp|catalog)$`)
)

func TestTheIconIsAPictureOfItsSize(t *testing.T) {
	text, isData := strings.CutPrefix(project.Icon(), "data:image/png;base64,")
	data, err := base64.StdEncoding.DecodeString(text)
	if !isData || err != nil {
		t.Fatal(project.Icon(), err)
	}
	drawn, err := png.DecodeConfig(bytes.NewReader(data))
	if size := fmt.Sprintf("%dx%d", drawn.Width, drawn.Height); err != nil || size != project.IconSize || len(data) > 1000 {
		t.Errorf("%s in %d bytes, %v", size, len(data), err)
	}
}

func TestACardNamesTheServerByItsAddress(t *testing.T) {
	for base, want := range map[string][2]string{
		"https://example.org":               {"org.example/trails", "urn:air:example.org:trails:mcp"},
		"https://kg.example.org/graphs/ops": {"org.example.kg/ops", "urn:air:kg.example.org:ops:mcp"},
		"https://example.org/graphs/a%20b":  {"org.example/a-b", "urn:air:example.org:a-b:mcp"},
		"http://127.0.0.1:8757":             {"127.0.0.1/trails", "urn:air:127.0.0.1:trails:mcp"},
		"http://[::1]:8757/graphs/ops":      {"--1/ops", "urn:air:--1:ops:mcp"},
	} {
		card := project.Card{Base: base, Version: "1.2.3", Revisions: []string{"2026-07-28"}}
		var shown cardShown
		if err := json.Unmarshal(card.Document(), &shown); err != nil {
			t.Fatal(err)
		}
		entry := card.Entry()
		if shown.Name != want[0] || entry.ID != want[1] || !cardName.MatchString(shown.Name) || !entryName.MatchString(entry.ID) {
			t.Errorf("%s: %s and %s, want %s", base, shown.Name, entry.ID, want)
		}
		if entry.URL != base+"/mcp/server-card" || entry.Type != "application/mcp-server-card+json" || shown.Remotes[0].URL != base+"/mcp" {
			t.Errorf("%s: %+v, %+v", base, entry, shown)
		}
		if n := len(shown.Description); n < 1 || n > 100 || shown.Title == "" || shown.Version != "1.2.3" || !strings.HasSuffix(shown.Schema, "/schemas/v1/server-card.schema.json") {
			t.Errorf("%s: %+v", base, shown)
		}
	}
}

func TestACardSaysWhenATokenIsNeeded(t *testing.T) {
	for _, needed := range []bool{false, true} {
		var shown cardShown
		if err := json.Unmarshal(project.Card{Base: "https://example.org", Token: needed}.Document(), &shown); err != nil {
			t.Fatal(err)
		}
		headers := shown.Remotes[0].Headers
		if (len(headers) == 1) != needed {
			t.Fatalf("needed %t: %+v", needed, headers)
		}
		if needed && (headers[0].Name != "Authorization" || headers[0].Value != "Bearer {token}" || !headers[0].IsSecret || !headers[0].IsRequired || headers[0].Variables["token"] == nil) {
			t.Errorf("%+v", headers[0])
		}
	}
}

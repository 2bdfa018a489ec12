package admin

import (
	"encoding/json"
	"net/http"
	"net/url"

	"trails/fault"
	"trails/text/tokens"
)

type toolData struct {
	ID          string          `json:"tool_id"`
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Input       json.RawMessage `json:"inputSchema"`
	Output      json.RawMessage `json:"outputSchema"`
	// Schemas are the two as indented JSON.
	Schemas []toolSchema `json:"-"`
}

type toolSchema struct {
	Title, Text string
	Cut         bool // Text is not all of it
}

// tool answers the page of one tool: what arguments it takes, and the way to call it.
func (s *site) tool(w http.ResponseWriter, r *http.Request) error {
	if err := queryOf(r).err(); err != nil {
		return err
	}
	var data toolData
	if err := s.asker(w, r).ask("tool_hydrate", map[string]any{"tool_id": r.PathValue("id")}, &data); err != nil {
		return err
	}
	for _, schema := range []struct {
		title string
		text  json.RawMessage
	}{{"Arguments", data.Input}, {"Result", data.Output}} {
		if len(schema.text) > 0 {
			text, cut := indentedJSON(schema.text, jsonShown)
			data.Schemas = append(data.Schemas, toolSchema{schema.title, text, cut})
		}
	}
	data.Description = firstRunes(data.Description, textShown)
	return s.respond(w, r, http.StatusOK, page{
		Title: data.ID, Nav: "gateway", Crumbs: []link{{"Gateway", gatewayURL}}, Main: data.main,
	})
}

type artifactData struct {
	Handle   string
	Selector string
	Text     string          `json:"text"`
	Left     string          `json:"left"`
	Next     json.RawMessage `json:"next"`
	Tokens   int             `json:"-"`
	Problem  string          `json:"-"`
}

// firstSelector shows how a text begins.
const firstSelector = `{"type":"head"}`

// artifact answers a part of a kept result, as an agent reads it.
func (s *site) artifact(w http.ResponseWriter, r *http.Request) error {
	q := queryOf(r, "selector")
	if err := q.err(); err != nil {
		return err
	}
	data, code := artifactData{Handle: r.PathValue("handle"), Selector: firstOf(q.Get("selector"), firstSelector)}, http.StatusOK
	var selector map[string]any
	err := json.Unmarshal([]byte(data.Selector), &selector)
	if err != nil || selector == nil {
		err = fault.Argument("selector", fault.Datatype, data.Selector, "the selector is no JSON object")
	} else {
		err = s.asker(w, r).ask("tool_view", map[string]any{"handle": data.Handle, "selector": selector}, &data)
	}
	if err != nil {
		if fault.Is(err, fault.Internal) {
			return err
		}
		data.Problem, code = fault.Of(err).Message, status(err)
	}
	data.Tokens = tokens.Count(data.Text)
	return s.respond(w, r, code, page{
		Title: "Kept result", Nav: "gateway", Crumbs: []link{{"Gateway", gatewayURL}}, Main: data.main,
	})
}

// At is this artifact by another selector.
func (d artifactData) At(selector string) string {
	return withQuery(artifactURL(d.Handle), url.Values{"selector": {selector}})
}

// NextHref reads on, "" when this was all.
func (d artifactData) NextHref() string {
	if len(d.Next) == 0 || string(d.Next) == "null" {
		return ""
	}
	return d.At(string(d.Next))
}

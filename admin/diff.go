package admin

import (
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"trails/builtin/view"
	"trails/schema"
)

const diffURL = "/admin/diff"

// diffShown is how many properties the page of a difference shows at once.
const diffShown = 200

// diffData is the page of a difference.
type diffData struct {
	Asked       url.Values
	Branches    []string // all of them
	From, To    string   // the commits that are compared, "" for the empty graph
	Definitions []string
	Clashes     []mergeClash // that a merge would have, the first of ClashCount
	ClashCount  int
	Warnings    []string
	Nodes       []view.NodeChange
	Text        string // of the form that replays it, "" for a table
	Pager       *pager
}

// diffForms are the ways to show a difference.
var diffForms = []struct{ Form, Text string }{{"table", "Table"}, {"update", "SPARQL update"}, {"patch", "RDF Patch"}}

// diff answers what differs between two branches or commits.
func (s *site) diff(w http.ResponseWriter, r *http.Request) error {
	q := queryOf(r, "from", "to", "node", "type", "form", "offset")
	offset, form := q.number("offset", 0, 0, maxOffset), q.word("form", "table", "update", "patch")
	if err := q.err(); err != nil {
		return err
	}
	a := s.asker(w, r)
	args := map[string]any{"form": form, "limit": diffShown, "offset": offset}
	data := diffData{Asked: url.Values{}}
	for _, name := range []string{"from", "to", "node", "type", "form"} {
		if value := strings.TrimSpace(q.Get(name)); value != "" {
			args[name] = value
			data.Asked.Set(name, value)
		}
	}
	if form != "table" {
		delete(args, "type")
	}
	var answer struct {
		From, To    *string
		Definitions []string
		Clashes     []mergeClash
		ClashCount  int `json:"clash_count"`
		Warnings    []string
		Rows        [][6]json.RawMessage
		Text        string
		More        bool
	}
	if err := a.ask("diff", args, &answer); err != nil {
		return err
	}
	data.From, data.To = textOf(answer.From), textOf(answer.To)
	data.Definitions, data.Nodes, data.Text = answer.Definitions, differences(answer.Rows), answer.Text
	if err := a.describe(data.Nodes, stateNamed(data.To), stateNamed(data.From)); err != nil {
		return err
	}
	data.Clashes, data.ClashCount = answer.Clashes, answer.ClashCount
	if len(data.Clashes) == 0 { // otherwise they say how many clashes there are
		data.Warnings = answer.Warnings
	}
	if offset > 0 || answer.More {
		data.Pager = pagerAt("From the "+count(offset+1)+". on", offset, diffShown, offset+diffShown, answer.More, func(offset int) string {
			asked := url.Values{"offset": {strconv.Itoa(offset)}}
			for name, values := range data.Asked {
				asked[name] = values
			}
			return withQuery(diffURL, asked)
		})
	}
	return s.respond(w, r, http.StatusOK, page{
		Title: "Differences", Nav: "branches", Main: data.main, Crumbs: []link{{"Branches", branchesURL}},
	})
}

// textOf is a text that may be null.
func textOf(text *string) string {
	if text == nil {
		return ""
	}
	return *text
}

// stateNamed are the arguments of a call that reads this commit; those of the empty graph name none.
func stateNamed(commit string) map[string]any {
	if commit == "" {
		return map[string]any{}
	}
	return map[string]any{"at": commit}
}

// differences puts the rows of a difference together by their nodes, which stand in a row.
func differences(rows [][6]json.RawMessage) []view.NodeChange {
	var out []view.NodeChange
	for _, row := range rows {
		var texts [3]string
		for i := range texts {
			_ = json.Unmarshal(row[i], &texts[i]) // the first three are texts
		}
		graph := strings.Join(cellTexts(row[5]), "")
		if n := len(out); n == 0 || out[n-1].Node.IRI != texts[1] || out[n-1].Graph != graph {
			out = append(out, view.NodeChange{What: texts[0], Node: nodeNamed(texts[1]), Graph: graph})
		}
		last := &out[len(out)-1]
		last.Changes = append(last.Changes, view.PropertyChange{Property: texts[2], Old: cellsOf(row[3]), New: cellsOf(row[4])})
	}
	return out
}

// cellsOf are the values of a row as cells: none for null, several for a list.
func cellsOf(values json.RawMessage) (out []view.Cell) {
	for _, v := range listed(values) {
		var tagged map[string]string
		if json.Unmarshal(v, &tagged) == nil && tagged[schema.LangTag] != "" {
			out = append(out, view.Cell{Text: tagged[schema.LangText], Lang: tagged[schema.LangTag]})
			continue
		}
		out = append(out, view.Cell{Text: plainText(v)})
	}
	return out
}

// cellTexts are the values of a row as texts.
func cellTexts(values json.RawMessage) []string {
	list := listed(values)
	out := make([]string, len(list))
	for i, v := range list {
		out[i] = plainText(v)
	}
	return out
}

// listed are the values of a row: none for null, several for a list.
func listed(values json.RawMessage) []json.RawMessage {
	var list []json.RawMessage
	if json.Unmarshal(values, &list) != nil {
		list = []json.RawMessage{values}
	}
	return slices.DeleteFunc(list, func(v json.RawMessage) bool { return len(v) == 0 || string(v) == "null" })
}

// plainText is a value as text: a text without its quotes, another one as JSON has it.
func plainText(v json.RawMessage) string {
	var text string
	if json.Unmarshal(v, &text) != nil {
		return string(v)
	}
	return text
}

// nodeOf splits the name of a node of the schema, Type/id.
func nodeOf(name string) (typeName, id string, ok bool) {
	typeName, id, ok = strings.Cut(name, "/")
	return typeName, id, ok && id != "" && !strings.Contains(typeName, ":")
}

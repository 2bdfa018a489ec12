package builtin_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"trails/e2e/testrun"
	"trails/fault"
	"trails/invoke"
	"trails/invoke/invoketest"
)

// shortened is what an answer says of members that were taken from it after its handler had named the next page.
var shortened = regexp.MustCompile(`has \d+ of \d+ (members|characters)`)

// Who follows the pages of an answer has all of it, however little room each page has: no page lacks what the next one does
// not begin with.
func TestPagesLeaveNothingOut(t *testing.T) {
	testrun.Alone(t)
	e := invoketest.New(t, `types: {Note: {label: title, properties: {title: {type: string, required: true}, text: {type: string}, kind: {type: string, one_of: [a, b]}, about: {class: Note, many: true}}}}`, invoke.Config{})
	var nodes, links strings.Builder
	for i := range 120 {
		text := strings.Repeat(`says "so"; `, i*7%9) + strings.Repeat("x", i%13)
		fmt.Fprintf(&nodes, `{"type":"Note","id":"n%d","data":{"title":"note %d","text":%q,"kind":"%c"}}`+"\n", i, i, text, 'a'+i%2)
		fmt.Fprintf(&links, `{"edge":"about","from":"Note/n%d","to":"Note/n0"}`+"\n", i)
	}
	for _, data := range []string{nodes.String(), links.String()} {
		args, err := json.Marshal(map[string]any{"data": data, "message": strings.Repeat("why ", len(data)%9)})
		if err != nil {
			t.Fatal(err)
		}
		e.Must(t, "load", string(args))
	}
	for i := range 40 {
		e.Must(t, "note.update", fmt.Sprintf(`{"id":"n1","title":"title %d","message":%q}`, i, strings.Repeat("because ", i%7)))
	}
	type arguments = map[string]any
	cursor := func(argument string) func(arguments, map[string]any, int) bool {
		return func(args arguments, answer map[string]any, _ int) bool {
			next, more := answer["next"]
			args[argument] = next
			return more
		}
	}
	offset := func(args arguments, answer map[string]any, seen int) bool {
		args["offset"] = seen
		return answer["more"] == true
	}
	solutions := func(args arguments, answer map[string]any, seen int) bool {
		query, _, _ := strings.Cut(args["query"].(string), " OFFSET ")
		args["query"] = fmt.Sprintf("%s OFFSET %d", query, seen)
		return answer["cut"] != nil
	}
	feed := func(args arguments, answer map[string]any, _ int) bool {
		delete(args, "start")
		args["cursor"] = answer["cursor"]
		return answer["more"] == true
	}
	const select_ = "SELECT ?x ?t { ?x a :Note ; :text ?t } ORDER BY ?x"
	for _, c := range []struct {
		capability string
		args       arguments
		next       func(args arguments, answer map[string]any, seen int) bool // nil where an answer has no next page
	}{
		{"list", arguments{"type": "Note", "limit": 100}, cursor("cursor")},
		{"list", arguments{"type": "Note", "limit": 100, "facets": true, "select": []string{"title", "text", "kind"}}, cursor("cursor")},
		{"search", arguments{"text": "note so", "limit": 100}, cursor("cursor")},
		{"search", arguments{"text": "note", "limit": 100, "explain": true}, cursor("cursor")},
		{"history", arguments{"limit": 50}, cursor("cursor")},
		{"history", arguments{"id": "Note/n1", "limit": 50}, cursor("cursor")},
		{"commits_list", arguments{"limit": 50}, cursor("before")},
		{"commits_list", arguments{"limit": 50, "whole": true}, cursor("before")},
		{"commits_get", arguments{"id": "head~40"}, offset},
		{"commits_get", arguments{"id": "head~41", "quads": true}, offset},
		{"diff", arguments{"from": "head~42", "to": "head"}, offset},
		{"diff", arguments{"from": "head~42", "to": "head", "form": "update"}, offset},
		{"diff", arguments{"from": "head~42", "to": "head", "form": "patch"}, offset},
		{"changes", arguments{"start": "beginning"}, feed},
		{"changes", arguments{"start": "beginning", "quads": true}, feed},
		{"query", arguments{"query": select_, "limit": 1000}, solutions},
		{"query", arguments{"query": select_, "limit": 1000, "format": "sparql-json"}, solutions},
		{"query", arguments{"query": select_, "limit": 1000, "format": "csv"}, solutions},
		{"query", arguments{"query": select_, "limit": 1000, "format": "tsv"}, solutions},
		{"query", arguments{"query": select_, "limit": 1000, "format": "xml"}, nil},
		{"query", arguments{"query": "CONSTRUCT WHERE { ?x a :Note ; :text ?t ; :kind ?k }", "format": "turtle"}, nil},
		{"query", arguments{"query": "CONSTRUCT WHERE { ?x a :Note ; :text ?t ; :kind ?k }", "format": "ntriples"}, nil},
		{"query", arguments{"query": "CONSTRUCT WHERE { ?x a :Note ; :text ?t ; :kind ?k }", "format": "jsonld"}, nil},
		{"query", arguments{"query": "CONSTRUCT WHERE { ?x a :Note ; :text ?t ; :kind ?k }", "format": "rdfxml"}, nil},
	} {
		read := func(room int) (all []string, pages int) {
			args := arguments{"max_chars": room}
			for name, value := range c.args {
				args[name] = value
			}
			for more := true; more; pages++ {
				text, err := json.Marshal(args)
				if err != nil {
					t.Fatal(err)
				}
				answer := e.Must(t, c.capability, string(text))
				if cut, _ := answer["cut"].(string); shortened.MatchString(cut) {
					t.Fatalf("%s %s: %s", c.capability, text, cut)
				}
				rows := rowsOf(t, answer)
				if all = append(all, rows...); len(rows) == 0 && pages > 0 {
					t.Fatalf("%s %s: a page of nothing", c.capability, text)
				}
				more = c.next != nil && c.next(args, answer, len(all))
			}
			return all, pages
		}
		whole, _ := read(200_000)
		for room := 2000; room < 2200; room += 17 {
			all, pages := read(room)
			if diff := cmp.Diff(whole, all); c.next != nil && (diff != "" || pages == 1) {
				t.Errorf("%s %v, %d characters, %d pages:\n%s", c.capability, c.args, room, pages, diff)
			}
		}
	}
}

// rowsOf are the rows of an answer, each as text: of a table, of commits, or lines of a text.
func rowsOf(t *testing.T, answer map[string]any) (all []string) {
	t.Helper()
	list, _ := answer["rows"].([]any)
	commits, _ := answer["commits"].([]any)
	for _, c := range commits {
		changes, _ := c.(map[string]any)["changes"].([]any)
		list = append(list, changes...)
	}
	for _, row := range list {
		if origin, same := answer["origin"]; same {
			row = append(row.([]any), origin) // said once for all rows of a page
		}
		text, err := json.Marshal(row)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, string(text))
	}
	if text, is := answer["text"].(string); is {
		for line := range strings.Lines(text) {
			if statement.MatchString(line) {
				all = append(all, line)
			}
		}
	}
	return all
}

// statement matches a line of a text that is one row or one statement: not its head, its end or a brace.
var statement = regexp.MustCompile(`^(  <|[AD] |https?:|urn:|<urn:|<http)`)

// A cursor whose commit is no longer the head is refused with two ways on, and both work: the rest of the commit that it is
// of, and the first page of the head.
func TestACursorGoesOnInItsCommit(t *testing.T) {
	e := invoketest.New(t, `types: {Note: {label: title, properties: {title: {type: string, required: true}}}}`, invoke.Config{})
	for i := range 5 {
		e.Must(t, "note.create", fmt.Sprintf(`{"id":"n%d","title":"note %d"}`, i, i))
	}
	way := regexp.MustCompile(`give at "(\w+)" with it, and no branch, to go on in that commit, or leave it out to begin again$`)
	for _, c := range []struct{ capability, args string }{{"list", `{"type":"Note","limit":3}`}, {"search", `{"text":"note","limit":3}`}} {
		page := e.Must(t, c.capability, c.args)
		all := rowsOf(t, page)
		e.Must(t, "note.create", fmt.Sprintf(`{"id":"%s","title":"note of later"}`, c.capability))
		args := fmt.Sprintf(`%s,"cursor":%q`, strings.TrimSuffix(c.args, "}"), page["next"])
		f := e.Refused(t, invoke.Call{Capability: c.capability, Args: json.RawMessage(args + "}"), Principal: invoketest.Ana}, fault.InvalidArguments)
		said := way.FindStringSubmatch(f.Fields[0].Message)
		if said == nil {
			t.Fatalf("%s: %s", c.capability, f.Fields[0].Message)
		}
		rest := rowsOf(t, e.Must(t, c.capability, fmt.Sprintf(`%s,"at":%q}`, args, said[1])))
		seen := map[string]bool{}
		for _, row := range append(all, rest...) {
			seen[row] = true
		}
		if want := map[string]int{"list": 5, "search": 6}[c.capability]; len(seen) != want || len(all)+len(rest) != want {
			t.Errorf("%s: %d rows and then %d, want %d", c.capability, len(all), len(rest), want)
		}
		e.Must(t, c.capability, c.args)
		for _, other := range []string{"main.3", "0123456789ab.3"} {
			f := e.Refused(t, invoke.Call{Capability: c.capability, Args: json.RawMessage(fmt.Sprintf(`%s,"cursor":%q}`, strings.TrimSuffix(c.args, "}"), other)), Principal: invoketest.Ana}, fault.InvalidArguments)
			if strings.Contains(f.Fields[0].Message, "give at") {
				t.Errorf("%s: a cursor of no commit: %s", c.capability, f.Fields[0].Message)
			}
		}
	}
}

package builtin

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"trails/capability"
	"trails/fault"
	"trails/invoke"
	"trails/jsontext"
	"trails/kg"
	"trails/schema"
	"trails/view"
)

// Bounds of a search.
const (
	searchText  = 2_000 // characters
	searchLimit = 10
	searchMost  = 100
)

var searchBuiltin = invoke.Capability{
	Descriptor: capability.Descriptor{
		ID: "search", Description: "Find nodes by words of their labels, texts and ids, best first. \"Phrases\" in quotes; the last word may be a beginning; misspelt words are corrected.",
		InputShape: capability.Shape{Fields: []capability.Field{
			{Name: "text", Type: capability.String, Required: true, Brief: true, MaxLength: new(searchText)},
			{Name: "type", Type: capability.String, Description: "With its subtypes."},
			{Name: "limit", Type: capability.Integer, Brief: true, MinValue: 1, MaxValue: searchMost, Default: searchLimit},
			cursorField, capability.ReadBranch(),
		}},
		OutputShape: capability.Shape{Fields: []capability.Field{
			{Name: "matching", Type: capability.String, OneOf: []any{string(kg.MatchedCorrected), string(kg.MatchedAny)},
				Description: "Absent where each hit has all words: corrected when words were taken for others, any when hits have some of the words."},
			{Name: "did_you_mean", Type: capability.String, Description: "What was searched instead."},
			{Name: "columns", Type: capability.String, Many: true, Required: true},
			{Name: "rows", Type: capability.Any, Required: true, Description: "A list for each hit: node, label, the property whose text fits, and a part of that text."},
			nextField,
		}},
		CostEstimate: capability.CostGraph, Reasoning: capability.ReasoningSubclasses, PolicyRequired: capability.Requirement{Action: "read"}, Idempotent: true,
	},
	Handle: search,
}

// cursorField and nextField page through an answer.
var (
	cursorField = capability.Field{Name: "cursor", Type: capability.String, Description: "next of the last page."}
	nextField   = capability.Field{Name: "next", Type: capability.String, Description: "The cursor of the next page; absent at the end."}
)

// offsetOf reads the cursor: the commit that the first page was of, and how much of the
// answer has been seen. On another commit pages would repeat or skip what they have.
func offsetOf(r *invoke.Request) (int, error) {
	given := r.Args.Text(cursorField.Name)
	if given == "" {
		return 0, nil
	}
	head, seen, _ := strings.Cut(given, ".")
	offset, err := strconv.Atoi(seen)
	switch {
	case err != nil || offset < 0 || head == "":
		return 0, fault.Argument(cursorField.Name, fault.Pattern, given, "cursor is no next of ours; leave it out for the first page")
	case head != shortHead(r):
		return 0, fault.Argument(cursorField.Name, fault.HasValue, given,
			fmt.Sprintf("cursor is of commit %s, and the head is %s now; leave it out to begin again", head, shortHead(r)))
	}
	return offset, nil
}

func nextCursor(r *invoke.Request, offset int) string {
	return fmt.Sprintf("%s.%d", shortHead(r), offset)
}

func shortHead(r *invoke.Request) string {
	if id := view.CommitID(r.Snapshot.Head()); id != nil {
		return *id
	}
	return "none"
}

// rowsAnswer is an answer of rows that can be cut between any two.
type rowsAnswer struct {
	Columns []string `json:"columns"`
	Rows    [][]any  `json:"rows"`
	Next    string   `json:"next,omitempty"`
}

// add adds a row unless the answer would be longer than room, of which it takes its part.
// The first row is always added.
func (a *rowsAnswer) add(room *int, row []any) (bool, error) {
	text, err := jsontext.Marshal(row)
	if err != nil {
		return false, fmt.Errorf("encode row: %w", err)
	}
	if *room -= utf8.RuneCount(text) + 1; *room < 0 && len(a.Rows) > 0 {
		return false, nil
	}
	a.Rows = append(a.Rows, row)
	return true, nil
}

func search(ctx context.Context, r *invoke.Request) (any, error) {
	offset, err := offsetOf(r)
	if err != nil {
		return nil, err
	}
	asked := kg.Search{Text: r.Args.Text("text"), Limit: r.Args.Integer("limit", searchLimit), Offset: offset}
	if r.Args.Has("type") {
		t, err := view.KnownType(r, "type")
		if err != nil {
			return nil, err
		}
		asked.Types = []*schema.Type{t}
	}
	found, err := r.Snapshot.Search(ctx, asked)
	if err != nil {
		return nil, err
	}
	out := struct {
		Matching kg.Matching `json:"matching,omitempty"`
		Instead  string      `json:"did_you_mean,omitempty"`
		rowsAnswer
	}{rowsAnswer: rowsAnswer{Columns: []string{"node", "label", "property", "text"}, Rows: [][]any{}}}
	if found.Matching != kg.MatchedAll && len(found.Hits) > 0 {
		out.Matching = found.Matching
	}
	var instead []string
	for _, c := range found.Corrections {
		instead = append(instead, c.Word+" → "+c.Instead)
	}
	out.Instead = strings.Join(instead, ", ")
	room := r.Room()
	for i, hit := range found.Hits {
		added, err := out.add(&room, []any{r.Snapshot.Name(hit.Term), hit.Label, hit.PropertyName, found.Snippet(hit)})
		if err != nil {
			return nil, err
		}
		if !added {
			out.Next = nextCursor(r, offset+i)
			r.Parts.Cut = fmt.Sprintf("%d of %d hits are shown; go on with cursor %q", i, len(found.Hits), out.Next)
			return out, nil
		}
	}
	if found.More {
		out.Next = nextCursor(r, offset+len(found.Hits))
	}
	if len(found.Hits) == 0 {
		r.Warn("nothing has any of these words; try others, or list a type")
	}
	return out, nil
}

package gateway_test

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"pgregory.net/rapid"

	"trails/fault"
	"trails/gateway"
	"trails/text/tokens"
)

func TestDescriptionsAreCutAtSentences(t *testing.T) {
	for _, c := range []struct {
		text   string
		budget int
		want   string
	}{
		{"Open an issue.", 10, "Open an issue."},
		{"Open an issue. Give it a title and a body.", 5, "Open an issue."},
		{"Open an issue! Really? Yes, with a title and a body", 6, "Open an issue! Really?"},
		{"See github.com for what an issue is, and open one", 5, "See github.com for…"},
		{"one two three four five six", 3, "one two…"},
		{"one two three", 1, "…"},
		{"one", 0, ""},
		{"", 5, ""},
	} {
		if got := gateway.Truncate(c.text, c.budget); got != c.want {
			t.Errorf("%q in %d tokens is %q, want %q", c.text, c.budget, got, c.want)
		}
	}
}

// Whatever text it is, what is left of it has no more tokens than it may, and is the text,
// whole sentences of it, or its beginning and ….
func TestTruncatedTextsKeepTheirBudget(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOf(rapid.OneOf(rapid.String(), rapid.StringMatching(`[a-z]{1,9}[.!?]? `))).Draw(t, "parts"), "")
		budget := rapid.IntRange(1, 70).Draw(t, "budget")
		got := gateway.Truncate(text, budget)
		begin, cut := strings.CutSuffix(got, "…")
		switch {
		case tokens.Count(got) > budget:
			t.Fatalf("%q has %d tokens, more than %d", got, tokens.Count(got), budget)
		case tokens.Count(text) <= budget && got != text:
			t.Fatalf("%q fits, and became %q", text, got)
		case got != text && !strings.HasPrefix(text, got) && (!cut || !strings.HasPrefix(text, begin)):
			t.Fatalf("%q is no beginning of %q", got, text)
		case got != gateway.Truncate(text, budget):
			t.Fatalf("%q is cut in two ways", text)
		}
	})
}

// things draws what a server may say of a tool.
func things() *rapid.Generator[gateway.Item] {
	return rapid.Custom(func(t *rapid.T) gateway.Item {
		id := ids().Filter(func(id gateway.ID) bool { return tokens.Count(id.String()) < 20 }).Draw(t, "id")
		return gateway.Item{
			ID: id.String(), Kind: id.Kind, Namespace: id.Namespace,
			Name:        rapid.OneOf(rapid.Just(id.Name), rapid.StringN(0, 12, 20)).Draw(t, "name"),
			Description: strings.Repeat(rapid.String().Draw(t, "description"), rapid.IntRange(0, 40).Draw(t, "times")),
			Tags:        rapid.SliceOfN(rapid.OneOf(rapid.SampledFrom([]string{"mcp", "destructive", "read-only", "zz"}), rapid.StringN(0, 4, 8)), 0, 9).Draw(t, "tags"),
			HasSchema:   rapid.Bool().Draw(t, "schema"), SideEffects: rapid.Bool().Draw(t, "effects"),
			CostHint: rapid.Float64Range(-1, 2).Draw(t, "cost"),
		}
	})
}

func TestCardsKeepTheirBounds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		item := things().Draw(t, "item")
		card, err := gateway.NewCard(item)
		if fault.Is(err, fault.TooLarge) {
			return
		} else if err != nil {
			t.Fatal(err)
		}
		text := card.String()
		switch {
		case tokens.Count(text) > 80:
			t.Fatalf("%q has %d tokens", text, tokens.Count(text))
		case tokens.Count(text) > 60 && tokens.Count(strings.Replace(text, ": "+card.Description, "", 1)) < 60:
			t.Fatalf("%q has %d tokens, and its description could be shorter", text, tokens.Count(text))
		case strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) }):
			t.Fatalf("%q has what cannot be seen", text)
		case utf8.RuneCountInString(card.Name) > 64 || len(card.Tags) > 5 || !slices.IsSorted(card.Tags) || len(slices.Compact(slices.Clone(card.Tags))) < len(card.Tags):
			t.Fatalf("%+v", card)
		}
		for _, safe := range []string{"destructive", "read-only"} {
			if slices.Contains(item.Tags, safe) != slices.Contains(card.Tags, safe) {
				t.Fatalf("of %q the card has %q", item.Tags, card.Tags)
			}
		}
		if slices.Contains(item.Tags, "destructive") != (card.Safety == gateway.Destructive) {
			t.Fatalf("%q is %q", item.Tags, card.Safety)
		}
		if again, _ := gateway.NewCard(item); !reflect.DeepEqual(again, card) {
			t.Fatalf("%v and %v are of one item", card, again)
		}
	})
}

func TestACardSaysWhatItMay(t *testing.T) {
	card, err := gateway.NewCard(gateway.Item{
		ID: "github:delete_repo#01234567", Kind: gateway.Tool, Namespace: "github", Name: "github.delete_repo",
		Description: "Delete a repository.\n\nIt is gone\u200b for ever.", Tags: []string{"mcp", "a", "b", "c", "read-only", "d", "destructive", "a"},
		HasSchema: true, SideEffects: true, CostHint: 0.25, Parameters: []string{"secret_parameter"}, Examples: []string{"secret example"},
	})
	if err != nil {
		t.Fatal(err)
	}
	want := "github:delete_repo#01234567 github.delete_repo: Delete a repository. It is gone for ever. [a, b, c, destructive, read-only, side effects, cost 0.25]"
	if got := card.String(); got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	text, err := json.Marshal(card)
	if err != nil {
		t.Fatal(err)
	}
	var members map[string]any
	if err := json.Unmarshal(text, &members); err != nil {
		t.Fatal(err)
	}
	permitted := []string{"cost_hint", "description", "has_schema", "id", "kind", "name", "namespace", "safety", "score", "side_effects", "tags"}
	for name := range members {
		if !slices.Contains(permitted, name) {
			t.Errorf("a card may have no %s", name)
		}
	}
}

func TestACardThatIsTooLargeIsAnError(t *testing.T) {
	item := gateway.Item{ID: "a:" + strings.Repeat("xq7_", 31) + "#01234567", Kind: gateway.Tool, Namespace: "a", Name: strings.Repeat("w.q", 30), Description: "Short."}
	if card, err := gateway.NewCard(item); !fault.Is(err, fault.TooLarge) {
		t.Errorf("%s (%v)", card, err)
	}
	if d := gateway.NewDirectory([]gateway.Item{item}, nil); d.Catalog(gateway.Tool).Len() != 0 || len(d.Problems()) != 1 {
		t.Errorf("a catalog has it: %v", d.Problems())
	}
}

package gateway

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"trails/fault"
	"trails/text/quote"
	"trails/text/tokens"
)

// Safety is the effect of a tool according to its server. It is only a hint, and permits nothing.
type Safety string

// The kinds of safety; "" when the server says nothing.
const (
	ReadOnly    Safety = "read_only"
	Destructive Safety = "destructive"
)

// Tags for the same; a card always keeps them.
const (
	readOnlyTag    = "read-only"
	destructiveTag = "destructive"
)

// Card is the short description of a tool that an agent sees before it chooses one. It has no schema, which is
// requested for the chosen tool.
type Card struct {
	CostHint    float64  `json:"cost_hint"`
	Description string   `json:"description"` // one line
	HasSchema   bool     `json:"has_schema"`
	ID          string   `json:"id"`
	Kind        Kind     `json:"kind"`
	Name        string   `json:"name"` // at most 64 characters
	Namespace   string   `json:"namespace"`
	Safety      Safety   `json:"safety"`
	Score       *float64 `json:"score,omitempty"` // nil without a search
	SideEffects bool     `json:"side_effects"`
	Tags        []string `json:"tags"` // at most five of 24 characters, sorted
}

// The bounds of a card. Its description is cut so that the card has at most usualTokens, or mostTokens if it already
// has usualTokens without a description. A card with more than mostTokens without its description is refused.
const (
	usualTokens = 60
	mostTokens  = 80
	mostName    = 64
	mostTags    = 5
	mostTag     = 24
)

// NewCard makes the card of an item. One that is too large is fault.TooLarge: only the description can be cut.
func NewCard(item Item) (Card, error) {
	if err := item.fits(); err != nil {
		return Card{}, err
	}
	c := item.bare()
	least := tokens.Count(c.String())
	description, limit := quote.Line(item.Description, maxDescription), usualTokens
	if least >= usualTokens {
		limit = mostTokens
	}
	for budget := limit - least; ; budget-- {
		// Tokens may differ at the end of the description.
		c.Description = Truncate(description, budget)
		if budget < 1 || tokens.Count(c.String()) <= limit {
			return c, nil
		}
	}
}

// fits returns an error if no card can be made of an item. A token is at least a byte, so the tokens of most items
// need not be counted.
func (item Item) fits() error {
	text := item.bare().String()
	if len(text) <= mostTokens {
		return nil
	}
	if n := tokens.Count(text); n > mostTokens {
		return fault.New(fault.TooLarge, "the card of %s has %d tokens without its description, and a card has at most %d; its id or its name is too long", quote.Text(item.ID, 80), n, mostTokens)
	}
	return nil
}

// bare is the card of an item without its description.
func (item Item) bare() Card {
	c := Card{
		CostHint: max(item.CostHint, 0), HasSchema: item.HasSchema, ID: item.ID, Kind: item.Kind,
		Name: short(item.Name, mostName), Namespace: item.Namespace, SideEffects: item.SideEffects,
	}
	var safe, others []string
	for _, tag := range item.Tags {
		switch tag = short(tag, mostTag); tag {
		case "":
		case destructiveTag:
			c.Safety = Destructive
			safe = append(safe, tag)
		case readOnlyTag:
			if c.Safety == "" {
				c.Safety = ReadOnly
			}
			safe = append(safe, tag)
		default:
			others = append(others, tag)
		}
	}
	sorted := func(tags []string) []string { return slices.Compact(slices.Sorted(slices.Values(tags))) }
	safe, others = sorted(safe), sorted(others)
	c.Tags = append(safe, others[:min(len(others), mostTags-len(safe))]...)
	slices.Sort(c.Tags)
	if c.Tags == nil {
		c.Tags = []string{}
	}
	return c
}

// short is a text in one line of at most most characters.
func short(text string, most int) string {
	line := quote.Line(text, most)
	if utf8.RuneCountInString(line) > most {
		line = quote.Line(text, most-1)
	}
	return line
}

// String is the card as text for a model, in one line, without the score.
func (c Card) String() string {
	var b strings.Builder
	b.WriteString(c.ID)
	if !strings.Contains(c.ID, c.Name) {
		b.WriteString(" " + c.Name)
	}
	if c.Description != "" {
		b.WriteString(": " + c.Description)
	}
	notes := slices.Clone(c.Tags)
	if c.Kind != Tool {
		notes = append(notes, string(c.Kind))
	}
	if !c.HasSchema && c.Kind == Tool {
		notes = append(notes, "no schema")
	}
	if c.SideEffects {
		notes = append(notes, "side effects")
	}
	if c.CostHint > 0 {
		notes = append(notes, "cost "+strconv.FormatFloat(c.CostHint, 'g', 4, 64))
	}
	if len(notes) > 0 {
		b.WriteString(" [" + strings.Join(notes, ", ") + "]")
	}
	return b.String()
}

// Truncate returns a text of at most budget tokens: the whole text, the sentences that fit or, if none fits, its
// beginning and …. A budget below 1 gives "".
func Truncate(text string, budget int) string {
	if budget < 1 {
		return ""
	}
	begin := tokens.Begin(text, budget)
	if begin == text {
		return text
	}
	for end := len(begin); end > 0; end-- {
		if !strings.ContainsRune(".!?", rune(begin[end-1])) || end < len(text) && text[end] != ' ' {
			continue
		}
		// Sentences may be tokenized differently by themselves.
		if tokens.Count(text[:end]) <= budget {
			return text[:end]
		}
	}
	for n := budget - 1; n > 0; n-- {
		if cut := tokens.Begin(text, n) + "…"; tokens.Count(cut) <= budget {
			return cut
		}
	}
	return "…"
}

package gateway

import (
	"math"
	"slices"
	"strings"
	"sync"

	"trails/gateway/rank"
)

// Catalog is what can be browsed: the tools, resources or prompts of a [Directory]. It is immutable and safe for
// concurrent use; after changes another one replaces it.
type Catalog struct {
	items []Item
	index *rank.Index
	root  func() *node // made when a path is first browsed
}

// catalogOf makes a catalog of items with distinct ids that fit on cards.
func catalogOf(items []Item) *Catalog {
	c := &Catalog{items: items, root: sync.OnceValue(func() *node { return tree(items) })}
	documents := make([]rank.Document, len(items))
	for i, item := range items {
		documents[i] = rank.Document{
			ID: item.ID, Group: item.Namespace, Name: item.Name, Description: item.Description,
			Tags: item.Tags, Parameters: item.Parameters, Examples: item.Examples, Types: item.Types,
		}
	}
	c.index = rank.New(documents)
	return c
}

// Len is how many items the catalog has.
func (c *Catalog) Len() int { return len(c.items) }

// At returns an item by index.
func (c *Catalog) At(i int) Item { return c.items[i] }

// Texts returns for each item the text that is used for ranking.
func (c *Catalog) Texts() []string {
	texts := make([]string, len(c.items))
	for i, item := range c.items {
		parts := []string{item.Name, item.Description}
		for _, about := range [][]string{append([]string{item.Namespace}, item.Tags...), item.Types, item.Parameters, item.Examples} {
			parts = append(parts, strings.Join(about, ", "))
		}
		texts[i] = strings.Join(slices.DeleteFunc(parts, func(part string) bool { return part == "" }), "\n")
	}
	return texts
}

// The number of cards in the answer to a query.
const (
	usualCards = 10
	mostCards  = 50
)

// Browsing is what an agent asks a catalog: a query in words, or a path, and not both.
type Browsing struct {
	Query *string `json:"query,omitempty"`
	Path  *string `json:"path,omitempty"`
	// Most is the number of cards for a query: 1 to 50, 10 if it is nil.
	Most *int `json:"top_k,omitempty"`
	// Near, when set, has for each item the similarity of its meaning to the query, see [rank.Index.Fuse].
	Near []float64 `json:"-"`
}

// Browse returns cards: for a query the best first, for a path sorted by id. Its error is an [*Error].
func (c *Catalog) Browse(b Browsing) ([]Card, error) {
	if (b.Query == nil) == (b.Path == nil) {
		return nil, Fail(ArgsInvalid, "", "give either query or path")
	}
	most := usualCards
	if b.Most != nil {
		most = *b.Most
	}
	if most < 1 || most > mostCards {
		return nil, Fail(ArgsInvalid, "", "top_k is %d, and may be 1 to %d", most, mostCards)
	}
	if b.Path != nil {
		return c.children(*b.Path)
	}
	if strings.TrimSpace(*b.Query) == "" {
		return nil, Fail(ArgsInvalid, "", "query is empty; say in words what is to be done, or give path \"/\"")
	}
	var hits []rank.Hit
	if b.Near != nil {
		hits = c.index.Fuse(*b.Query, b.Near, most)
	} else {
		hits = c.index.Search(*b.Query, most)
	}
	cards := []Card{}
	for _, hit := range hits {
		card, err := NewCard(c.items[hit.Document])
		if err != nil {
			return nil, err
		}
		score := math.Round(hit.Score*1000) / 1000 // what has more digits costs tokens
		card.Score = &score
		cards = append(cards, card)
	}
	return cards, nil
}

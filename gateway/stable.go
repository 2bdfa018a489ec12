package gateway

import (
	"slices"
	"strings"
)

// breakpoint is the id of the card between those that were shown before and the new ones.
const breakpoint = "__cache_breakpoint__"

// Stable orders the cards of one session so that what a model has read before stays as it
// was and comes first, which lets a cache of prompts know it again. Which card is the nearest
// is told by its score then, not by its place. The zero Stable has shown nothing yet. It
// serves one goroutine at a time, and is for one catalog: another one begins anew.
type Stable struct {
	shown map[string]*Card // nil for one that is known by its id only
}

// Order returns cards in the order in which they are shown: those that were shown before, as
// they were, a mark, and the new ones, each by their ids. Without one of both there is no mark.
func (s *Stable) Order(cards []Card) []Card {
	var before, fresh []Card
	for _, card := range cards {
		shown, known := s.shown[card.ID]
		if shown != nil {
			card = *shown
		}
		if known {
			before = append(before, card)
		} else {
			fresh = append(fresh, card)
		}
		s.keep(card.ID, &card)
	}
	byID := func(a, b Card) int { return strings.Compare(a.ID, b.ID) }
	slices.SortFunc(before, byID)
	slices.SortFunc(fresh, byID)
	if len(before) > 0 && len(fresh) > 0 {
		before = append(before, Card{ID: breakpoint, Kind: Internal, Name: breakpoint, Tags: []string{}})
	}
	return append(before, fresh...)
}

// Hydrated counts a tool as shown, because its schema was. A tool that is not there must not
// be counted.
func (s *Stable) Hydrated(id string) {
	if _, known := s.shown[id]; !known {
		s.keep(id, nil)
	}
}

func (s *Stable) keep(id string, card *Card) {
	if s.shown == nil {
		s.shown = map[string]*Card{}
	}
	s.shown[id] = card
}

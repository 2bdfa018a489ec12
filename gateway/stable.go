package gateway

import "sort"

// breakpoint is the id of the card between cards shown before and new ones.
const breakpoint = "__cache_breakpoint__"

// Stable orders the cards of one session such that cards shown before come first and unchanged, so that a prompt
// cache can reuse them. Ranking is then only visible in the score. The zero Stable has shown nothing. It must be used
// by one goroutine at a time, for one catalog; for another one it starts again.
type Stable struct {
	shown map[string]*Card // nil if only the id is known
}

// Order returns cards in display order: those shown before, unchanged, a separator, and the new ones, each sorted by
// id. Without one of the two groups there is no separator.
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
	for _, cards := range [][]Card{before, fresh} {
		sort.SliceStable(cards, func(i, j int) bool { return cards[i].ID < cards[j].ID })
	}
	if len(before) > 0 && len(fresh) > 0 {
		before = append(before, Card{ID: breakpoint, Kind: Internal, Name: breakpoint, Tags: []string{}})
	}
	return append(before, fresh...)
}

// Hydrated counts a tool as shown, because its schema was shown. The tool must exist.
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

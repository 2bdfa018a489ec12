package gateway

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"sort"
	"strings"

	"trails/fault"
	"trails/text/fulltext"
)

// A path leads from / to a namespace, to a cluster of related things, and to a single one:
// /github/issues/create_issue. A last segment * means everything there, as does a path without it.
var (
	pathGrammar = regexp.MustCompile(`^/$|^(?:/(?:[a-z0-9][a-z0-9_-]{0,63}|\*))+$`)
	rootGrammar = regexp.MustCompile(`^/(?:$|[a-z*])`)
)

// segments parses a path. Its error is an [*Error].
func segments(path string) ([]string, error) {
	if !pathGrammar.MatchString(path) || !rootGrammar.MatchString(path) {
		return nil, Fail(PathInvalid, path, "no path: / leads to the namespaces, /github/issues/create_issue to one thing; a segment has small letters, digits, _ and -")
	}
	list := strings.Split(path, "/")[1:]
	if last := len(list) - 1; list[last] == "*" || list[last] == "" {
		list = list[:last]
	}
	return list, nil
}

// node is a node of the tree of paths.
type node struct {
	item     *Item // of a leaf
	name     string
	size     int // number of items below
	children []*node
}

// mostChildren is how many children a namespace or cluster shows; more are divided into parts by name.
const mostChildren = 50

// tree arranges items by namespaces and clusters.
func tree(items []Item) *node {
	namespaces := map[string][]*node{}
	for i := range items {
		namespaces[items[i].Namespace] = append(namespaces[items[i].Namespace], &node{item: &items[i], name: leafName(&items[i]), size: 1})
	}
	var all []*node
	for name, leaves := range namespaces {
		slices.SortStableFunc(leaves, func(a, b *node) int { return strings.Compare(a.item.ID, b.item.ID) })
		all = append(all, within(name, clustered(leaves)))
	}
	return within("", all)
}

// within makes a parent node of others, whose names are made distinct.
func within(name string, children []*node) *node {
	slices.SortStableFunc(children, func(a, b *node) int { return strings.Compare(a.name, b.name) })
	n := &node{name: name, children: distinct(children)}
	for _, child := range children {
		n.size += child.size
	}
	if name == "" {
		return n // the number of servers is limited by whoever registers them
	}
	for len(n.children) > mostChildren {
		var parts []*node
		for part := range slices.Chunk(n.children, mostChildren) {
			from, to := part[0].name, part[len(part)-1].name
			p := &node{name: from[:min(len(from), mostCluster/2)] + "--" + to[:min(len(to), mostCluster/2)], children: slices.Clone(part)}
			for _, child := range part {
				p.size += child.size
			}
			parts = append(parts, p)
		}
		n.children = distinct(parts)
	}
	return n
}

// mostSegment is the maximum length of a segment, mostCluster that of a generated one, so that the card of a cluster
// has room for its path.
const (
	mostSegment = 64
	mostCluster = 24
)

// distinct sets the names of nodes in paths. The first node with a name keeps it, others get a number.
func distinct(nodes []*node) []*node {
	taken := map[string]int{} // with the last number given to it
	for _, n := range nodes {
		first := segment(n.name)
		n.name = first
		for taken[n.name] > 0 {
			taken[first]++
			behind := fmt.Sprintf("-%d", taken[first])
			n.name = first[:min(len(first), mostSegment-len(behind))] + behind
		}
		taken[n.name] = 1
	}
	return nodes
}

// segment converts a name to a path segment.
func segment(name string) string {
	out := make([]byte, 0, len(name))
	for i := range len(name) {
		switch b := name[i]; {
		case b >= 'A' && b <= 'Z':
			out = append(out, b+'a'-'A')
		case b >= 'a' && b <= 'z', b >= '0' && b <= '9', b == '_' && len(out) > 0, b == '-' && len(out) > 0:
			out = append(out, b)
		case len(out) > 0 && out[len(out)-1] != '-':
			out = append(out, '-')
		}
	}
	if len(out) == 0 {
		return "x"
	}
	return string(out[:min(len(out), mostSegment)])
}

// leafName is what an item is called in its namespace: the name of its id.
func leafName(item *Item) string {
	if id, err := ParseID(strings.SplitN(item.ID, "~", 2)[0]); err == nil {
		return id.Name
	}
	return item.Name
}

// clustered groups the leaves of a namespace into clusters: by the part of the name before a dot, otherwise by the
// most frequent word other than the first, which mostly is the verb. Clusters with one member are dissolved, as is a
// single cluster.
func clustered(leaves []*node) []*node {
	words := make([][]string, len(leaves)) // for each leaf the possible names of its cluster
	having := map[string]int{}             // by stem
	named := map[string]string{}           // by stem, the shortest word
	for i, leaf := range leaves {
		if before, rest, dotted := strings.Cut(leaf.name, "."); dotted && rest != "" {
			words[i] = []string{before}
		} else {
			for w := range fulltext.Sequence(leaf.name) {
				words[i] = append(words[i], w.Text)
			}
			words[i] = words[i][min(len(words[i]), 1):]
		}
		seen := map[string]bool{}
		for _, word := range words[i] {
			stem := fulltext.Stem(word)
			if !seen[stem] && !fulltext.IsCommon(word) {
				seen[stem] = true
				having[stem]++
			}
			if shortest, known := named[stem]; !known || len(word) < len(shortest) || len(word) == len(shortest) && word < shortest {
				named[stem] = word
			}
		}
	}
	clusters := map[string][]*node{}
	var alone []*node
	for i, leaf := range leaves {
		best := ""
		for _, word := range words[i] {
			if stem := fulltext.Stem(word); having[stem] > having[best] {
				best = stem
			}
		}
		if having[best] < 2 {
			alone = append(alone, leaf)
		} else {
			clusters[best] = append(clusters[best], leaf)
		}
	}
	children := alone
	for stem, of := range clusters {
		switch {
		case len(of) == len(leaves):
			return leaves
		case len(of) == 1:
			children = append(children, of...)
		default:
			children = append(children, within(named[stem][:min(len(named[stem]), mostCluster)], of))
		}
	}
	return children
}

// children returns the cards below a path, sorted by id; for a leaf its own card.
func (c *Catalog) children(path string) ([]Card, error) {
	list, err := segments(path)
	if err != nil {
		return nil, err
	}
	at, here := c.root(), ""
	for _, name := range list {
		i := slices.IndexFunc(at.children, func(n *node) bool { return n.name == name })
		if i < 0 {
			var names []string
			for _, child := range at.children {
				names = append(names, child.name)
			}
			return nil, Fail(PathNotFound, path, "nothing at %s/%s; browse %s%s", here, name, cmp.Or(here, "/"), fault.DidYouMean(name, names))
		}
		at, here = at.children[i], here+"/"+name
	}
	if at.item != nil {
		card, err := NewCard(*at.item)
		return []Card{card}, err
	}
	cards := make([]Card, 0, len(at.children))
	for _, child := range at.children {
		card, err := child.card(here)
		if err != nil {
			return nil, err
		}
		cards = append(cards, card)
	}
	sort.SliceStable(cards, func(i, j int) bool { return cards[i].ID < cards[j].ID })
	return cards, nil
}

// card is the card of a leaf, or a description of what is below, with the path as its id.
func (n *node) card(above string) (Card, error) {
	if n.item != nil {
		return NewCard(*n.item)
	}
	names := make([]string, len(n.children))
	for i, child := range n.children {
		names[i] = child.name
	}
	path := above + "/" + n.name
	return NewCard(Item{ID: path, Kind: Internal, Namespace: strings.SplitN(path, "/", 3)[1], Name: n.name, Description: fmt.Sprintf("%d: %s", n.size, strings.Join(names, ", "))})
}

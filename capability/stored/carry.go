package stored

import (
	"context"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"trails/fault"
	"trails/rdf"
	"trails/schema"
	"trails/sparql"
	"trails/sparql/lint"
)

// Carried is a stored query that a change of the schema affects.
type Carried struct {
	ID string
	// Was is its text, and Text its text under the new schema, with renamed types and properties.
	Was, Text string
	// Renamed counts the names that are new in it.
	Renamed int
	// Broken are the errors under the new schema that it did not have before, each with its place in Was as Source.
	Broken []fault.FieldError
}

// Carry returns the stored queries that a change of the schema, from head, affects, by id: those in which it renames
// something, and those that it breaks. A query that was invalid before stays unchanged.
func Carry(ctx context.Context, kept []Kept, head *schema.Schema, change schema.Patched) ([]Carried, error) {
	if len(kept) == 0 || len(change.Steps(head)) == 0 {
		return nil, nil
	}
	c, err := newCarrying(head, change)
	if err != nil {
		return nil, err
	}
	var all []Carried
	for _, k := range kept {
		if k.Err != nil {
			continue
		}
		one, err := c.query(ctx, k)
		if err != nil {
			return nil, err
		}
		if one.Text != one.Was || len(one.Broken) > 0 {
			all = append(all, one)
		}
	}
	return all, nil
}

// carrying is one change of the schema.
type carrying struct {
	head           *schema.Schema
	renamed, after Checker               // renamed is the head with the new names
	becomes        map[rdf.IRI][]rdf.IRI // the new name of a type or a property; several where types disagree
	types          map[string]string     // new names of types by the old ones
	knew, knows    map[rdf.IRI]bool      // the types and properties of renamed and of after
}

func newCarrying(head *schema.Schema, change schema.Patched) (*carrying, error) {
	renamed, err := NewChecker(change.Renamed)
	if err != nil {
		return nil, err
	}
	after, err := NewChecker(change.Schema)
	c := &carrying{
		head: head, renamed: renamed, after: after,
		becomes: map[rdf.IRI][]rdf.IRI{}, types: map[string]string{}, knew: declared(change.Renamed), knows: declared(change.Schema),
	}
	note := func(was, is rdf.IRI) {
		if !slices.Contains(c.becomes[was], is) {
			c.becomes[was] = append(c.becomes[was], is)
		}
	}
	for i, t := range head.Types {
		now := change.Renamed.Types[i]
		if t.Name != now.Name {
			c.types[t.Name] = now.Name
		}
		note(t.IRI, now.IRI)
		for j, p := range t.Properties {
			note(p.IRI, now.Properties[j].IRI)
		}
	}
	return c, err
}

// declared are the IRIs of the types and properties of a schema.
func declared(s *schema.Schema) map[rdf.IRI]bool {
	all := map[rdf.IRI]bool{}
	for _, t := range s.Types {
		all[t.IRI] = true
		for _, p := range t.Properties {
			all[p.IRI] = true
		}
	}
	return all
}

func (c *carrying) query(ctx context.Context, k Kept) (Carried, error) {
	out := Carried{ID: k.ID, Was: k.Text, Text: k.Text}
	report := func(place, format string, args ...any) {
		out.Broken = append(out.Broken, fault.FieldError{
			Field: "queries." + k.ID, Code: fault.Shape, Source: strings.TrimSuffix(k.ID+", "+place, ", "),
			Message: fault.New(fault.InvalidData, format, args...).Message,
		})
	}
	was := namesIn(k.Text, c.head)
	targets, unclear, err := c.targets(ctx, k, was)
	if err != nil {
		return out, err
	}
	for _, i := range unclear {
		report(placeAt(k.Text, was[i].Start), "%s means %s of one type and %s of another; write which one is meant",
			k.Text[was[i].Start:was[i].End], c.renamed.Schema.Short(c.becomes[was[i].IRI][0]), c.renamed.Schema.Short(c.becomes[was[i].IRI][1]))
	}
	if out.Text, out.Renamed, err = c.text(k.Text, targets, c.after.Schema); err != nil {
		return out, err
	}
	now, err := Parse(out.Text, k.ID, c.after.Schema)
	if err != nil {
		fields := fault.Of(err).Fields
		for _, f := range fields {
			report(f.Source, "%s", f.Message)
		}
		if len(fields) == 0 {
			report("", "%s", fault.Of(err).Message)
		}
		return out, nil
	}
	gone := map[rdf.IRI]bool{}
	for i, iri := range targets {
		if c.knew[iri] && !c.knows[iri] && !gone[iri] {
			gone[iri] = true
			report(placeAt(k.Text, was[i].Start), "the new schema has no %s", k.Text[was[i].Start:was[i].End])
		}
	}
	misfits, err := c.misfits(ctx, now, k, targets)
	if err != nil {
		return out, err
	}
	for _, w := range misfits {
		if !gone[w.About] {
			place := ""
			if i := slices.Index(targets, w.About); i >= 0 {
				place = placeAt(k.Text, was[i].Start)
			}
			report(place, "%s", w.Text)
		}
	}
	refused, err := c.refused(ctx, now, k, targets)
	for _, f := range refused {
		if len(gone) == 0 {
			report(f.Source, "%s", f.Message)
		}
	}
	return out, err
}

// maxUnclear bounds the ambiguous names of one text that are resolved.
const maxUnclear = 50

// targets returns the new name of each name of a text. If types of the head share a property that has several new
// names, it is the one with which the text can match; unclear are the places where several can.
func (c *carrying) targets(ctx context.Context, k Kept, names []sparql.Name) (targets []rdf.IRI, unclear []int, err error) {
	targets = make([]rdf.IRI, len(names))
	var open []int
	for i, n := range names {
		targets[i] = n.IRI
		switch all := c.becomes[n.IRI]; {
		case len(all) == 1:
			targets[i] = all[0]
		case len(all) > 1 && len(open) < maxUnclear:
			targets[i] = all[0]
			open = append(open, i)
		case len(all) > 1:
			unclear = append(unclear, i)
		}
	}
	for _, i := range open {
		fewest, best, ties := -1, targets[i], 0
		for _, candidate := range c.becomes[names[i].IRI] {
			targets[i] = candidate
			n, err := c.count(ctx, k, targets)
			if err != nil {
				return nil, nil, err
			}
			switch {
			case fewest < 0 || n < fewest:
				fewest, best, ties = n, candidate, 0
			case n == fewest:
				ties++
			}
		}
		if targets[i] = best; ties > 0 {
			targets[i], unclear = names[i].IRI, append(unclear, i)
		}
	}
	slices.Sort(unclear)
	return targets, unclear, nil
}

// count counts the errors of a text under the schema with the new names.
func (c *carrying) count(ctx context.Context, k Kept, targets []rdf.IRI) (int, error) {
	q, err := c.before(k, targets)
	if q == nil {
		return 0, err
	}
	misfits, err := c.renamed.misfits(ctx, q)
	return len(misfits), err
}

// misfits returns the errors of a text under the new schema that it did not have before.
func (c *carrying) misfits(ctx context.Context, now *Query, k Kept, targets []rdf.IRI) ([]lint.Warning, error) {
	all, err := c.after.misfits(ctx, now)
	if err != nil || len(all) == 0 {
		return nil, err
	}
	before, err := c.before(k, targets)
	if before == nil {
		return all, err
	}
	known, err := c.renamed.misfits(ctx, before)
	return slices.DeleteFunc(all, func(w lint.Warning) bool {
		return slices.ContainsFunc(known, func(k lint.Warning) bool { return k.Text == w.Text || k.About == w.About && w.About != "" })
	}), err
}

// refused is [carrying.misfits] for what an update can never write.
func (c *carrying) refused(ctx context.Context, now *Query, k Kept, targets []rdf.IRI) ([]fault.FieldError, error) {
	all, err := c.after.Refused(ctx, now)
	if err != nil || len(all) == 0 {
		return nil, err
	}
	before, err := c.before(k, targets)
	if before == nil {
		return all, err
	}
	known, err := c.renamed.Refused(ctx, before)
	return slices.DeleteFunc(all, func(f fault.FieldError) bool {
		return slices.ContainsFunc(known, func(k fault.FieldError) bool { return k.Source == f.Source && k.Code == f.Code })
	}), err
}

// before returns a text with its new names, read under the schema of the head; nil if that fails.
func (c *carrying) before(k Kept, targets []rdf.IRI) (*Query, error) {
	text, _, err := c.text(k.Text, targets, c.renamed.Schema)
	if err != nil {
		return nil, err
	}
	q, err := Parse(text, k.ID, c.renamed.Schema)
	if err != nil {
		return nil, nil //nolint:nilerr,nilnil // the new schema says what is wrong with it
	}
	return q, nil
}

// text returns a text of the head with its names replaced, for a schema that knows the new ones.
func (c *carrying) text(text string, targets []rdf.IRI, to *schema.Schema) (string, int, error) {
	text, types, err := renameTypes(text, c.types)
	if err != nil {
		return "", 0, err
	}
	at := -1
	text, names, err := sparql.Rename(text, options(c.head), options(to), func(sparql.Name) rdf.IRI { at++; return targets[at] })
	return text, types + names, err
}

// viewedType is the type of a view that is a list, and what follows it.
func viewedType(view string) (name, rest string, ok bool) {
	path, isList := strings.CutPrefix(view, "types/")
	if !isList {
		return "", "", false
	}
	end := strings.IndexByte(path+"?", '?')
	name, err := url.PathUnescape(path[:end])
	return name, path[end:], err == nil
}

// renameTypes renames the types in the front matter's parameters, and the type of its view.
func renameTypes(text string, names map[string]string) (string, int, error) {
	h, err := parseHeader(text)
	if err != nil || h.root == nil || len(names) == 0 {
		return text, 0, err
	}
	lines := strings.SplitAfter(text, "\n")
	renamed := 0
	var visit func(n *yaml.Node, typed bool)
	visit = func(n *yaml.Node, typed bool) {
		if n.Kind == yaml.ScalarNode && typed {
			class := n.Value
			if item, ok := within("list", class); ok {
				class = item
			}
			if item, ok := within("ref", class); ok {
				class = item
			}
			class, _, _ = strings.Cut(class, "/") // a default says Type/id
			if now := names[class]; now != "" {
				line := lines[n.Line-1]
				at := startOf(line, n.Column)
				lines[n.Line-1] = line[:at] + strings.Replace(line[at:], class, now, 1)
				renamed++
			}
		}
		for i := len(n.Content) - 1; i > 0 && n.Kind == yaml.MappingNode; i -= 2 { // from right to left, so that columns stay valid
			key := n.Content[i-1].Value
			visit(n.Content[i], typed || key == "type" || key == "class" || key == "default")
		}
		for i := len(n.Content) - 1; i >= 0 && n.Kind == yaml.SequenceNode; i-- {
			visit(n.Content[i], typed)
		}
	}
	if view := h.member("view"); view != nil {
		if name, rest, is := viewedType(view.Value); is && names[name] != "" {
			line := lines[view.Line-1]
			at := startOf(line, view.Column)
			lines[view.Line-1] = line[:at] + strings.Replace(line[at:], "types/"+url.PathEscape(name)+rest, "types/"+url.PathEscape(names[name])+rest, 1)
			renamed++
		}
	}
	for i := 0; i+1 < len(h.root.Content); i += 2 {
		if h.root.Content[i].Value != "params" || h.root.Content[i+1].Kind != yaml.MappingNode {
			continue
		}
		params := h.root.Content[i+1].Content
		for j := len(params) - 1; j > 0; j -= 2 {
			visit(params[j], params[j].Kind == yaml.ScalarNode)
		}
	}
	return strings.Join(lines, ""), renamed, nil
}

// startOf is the byte of a line of comment at which a column of its YAML is.
func startOf(line string, column int) int {
	at := strings.Index(line, "#+") + len("#+")
	if strings.HasPrefix(line[at:], " ") {
		at++
	}
	for range column - 1 {
		_, size := utf8.DecodeRuneInString(line[at:])
		at += size
	}
	return at
}

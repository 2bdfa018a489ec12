package browse

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strconv"

	"trails/auth/policy"
	"trails/db"
	"trails/rdf"
	"trails/schema"
)

// Counts for people stop where they would take long: beyond CountLimit a page says "more than".
const (
	CountLimit = 10_000
	facetLimit = 1_000 // of each value of a facet
)

// TableQuery asks for a page of the instances of a type, and of its subtypes.
type TableQuery struct {
	Type *schema.Type
	// Where keeps the nodes that fit every condition.
	Where []Condition
	// Origin, unless it is nil, keeps the nodes of which every statement in the default graph is of this class.
	Origin *policy.Origin
	// Search selects the nodes whose label has all its words, the last one as a beginning, ignoring case and accents;
	// see db.Reader.Search for its limits.
	Search string
	// Sort is what to sort by, the first key first; nil is the order of the file.
	Sort          []SortKey
	Limit, Offset int
	Columns       []Path
	// Each bounds the values that a cell shows.
	Each   int
	Facets bool // of the properties with a fixed set of values
	Wide   bool // with Facets, those of references and dates as well
	// Brief leaves out the total, and takes the type of a node from its IRI.
	Brief bool
}

// SortKey sorts by the values that a path leads to. A reference is sorted by the labels of its targets. What has no
// value comes last, also if Descending.
type SortKey struct {
	Path       Path
	Descending bool
}

// TablePage is a page of a table.
type TablePage struct {
	Rows []TableRow
	// Total counts the nodes on all pages; TotalMore means that there are more, or
	// may be.
	Total     int
	TotalMore bool
	Facets    []Facet
}

// TableRow is a node with a cell for each column.
type TableRow struct {
	Node  Described
	Cells []TableCell
}

// TableCell is some of the values of one property, and the number of those left out.
type TableCell struct {
	Values []rdf.Term
	More   int
}

// Facet is a property with some of its values: all of a fixed set, the nodes that most nodes refer to, or the years or
// months of dates.
type Facet struct {
	Property *schema.Property
	Values   []FacetValue
	// By is what the values stand for.
	By FacetBy
	// Left counts the values that are left out.
	Left int
	// Counted, unless it is 0, is the number of statements that are counted; there are more.
	Counted int
}

// FacetBy is what the values of a facet stand for.
type FacetBy string

// The kinds of facets. Values of years and months are texts such as 2026 and 2026-01.
const (
	ByValue     FacetBy = "value"
	ByReference FacetBy = "reference"
	ByYear      FacetBy = "year"
	ByMonth     FacetBy = "month"
)

// Bounds of the facets of references and dates.
const (
	wideFacets    = 6     // of each page
	facetTargets  = 8     // nodes that are referred to
	facetDates    = 5_000 // different dates
	facetBars     = 60    // years or months
	facetByMonths = 24    // months, up to which dates are not counted by year
)

// FacetValue is one value with the number of nodes that have it, ignoring other conditions on its property; More
// means that there are or may be more.
type FacetValue struct {
	Value rdf.Term
	Count int
	More  bool
}

// Table returns a page. Its cost depends on the number of its rows, not on the size of the graph, except for a
// search, for sorting by a text or a path, and for conditions that few nodes meet and no index supports, such as
// OpContains.
func (s *Reader) Table(ctx context.Context, q TableQuery) (TablePage, error) {
	sel, err := s.selection(ctx, q)
	if err != nil {
		return TablePage{}, err
	}
	nodes, err := s.tableNodes(ctx, sel, q)
	if err != nil {
		return TablePage{}, err
	}
	if q.Facets && len(sel.Where) > 0 {
		sel.Held = &db.Held{}
	}
	// The last page tells the total.
	page := TablePage{Total: q.Offset + len(nodes), TotalMore: sel.Among != nil && sel.Among.More}
	if !q.Brief && (len(nodes) == q.Limit || len(nodes) == 0 && q.Offset > 0) {
		if page.Total, page.TotalMore, err = s.source.CountSelected(ctx, sel, CountLimit); err != nil {
			return page, err
		}
	}
	of := s.schema.Concrete(q.Type)
	if !q.Brief {
		of = s.onlyClass(sel)
	}
	if page.Rows, err = s.rows(ctx, nodes, of, q); err != nil {
		return page, err
	}
	if q.Facets {
		none := page.Total == 0 && !page.TotalMore
		page.Facets, err = s.facets(ctx, q, sel, none)
	}
	return page, err
}

// from is the condition on where statements come from, if there is one.
func (q TableQuery) from() []db.Condition {
	if q.Origin == nil {
		return nil
	}
	return []db.Condition{{Test: db.FromOthers, Operands: []rdf.Term{rdf.IRI(q.Origin.IRI())}, None: true}}
}

func (s *Reader) selection(ctx context.Context, q TableQuery) (db.Selection, error) {
	sel := db.Selection{Classes: s.classesOf(q.Type), Where: q.from()}
	for _, c := range q.Where {
		sel.Where = append(sel.Where, c.stored()...)
	}
	if q.Search == "" {
		return sel, nil
	}
	search := s.labelSearch(q.Search, sel.Classes)
	search.Words = true
	found, err := s.source.Search(ctx, sel, search)
	sel.Among = found
	return sel, err
}

// classesOf are the classes of the instances of types, each once.
func (s *Reader) classesOf(types ...*schema.Type) (classes []rdf.IRI) {
	for _, t := range types {
		for _, own := range s.schema.Concrete(t) {
			if !slices.Contains(classes, own.IRI) {
				classes = append(classes, own.IRI)
			}
		}
	}
	return classes
}

// labelSearch searches the labels of the instances of classes, and the ids of those without a label.
func (s *Reader) labelSearch(prefix string, classes []rdf.IRI) db.Search {
	return s.beginning(prefix, classes, func(t *schema.Type) string { return cmp.Or(s.schema.LabelOf(t), s.idProperty(t)) })
}

// beginning searches one property of each class, and ids where there is none.
func (s *Reader) beginning(prefix string, classes []rdf.IRI, of func(*schema.Type) string) db.Search {
	search := db.Search{Prefix: prefix, Text: map[rdf.IRI]db.SearchedText{}, Name: s.idOf}
	for _, class := range classes {
		t := s.schema.TypeByIRI(class)
		if p := s.schema.Property(t, of(t)); p != nil {
			search.Text[class] = db.SearchedText{Property: p.IRI, Strings: p.IsPlainOrLang()}
		}
	}
	return search
}

// idProperty names the property that a type's ids are made of, "" when there is none alone.
func (s *Reader) idProperty(t *schema.Type) string {
	if key := s.schema.KeyOf(t); s.schema.MintOf(t) == schema.MintKey && len(key) == 1 {
		return key[0]
	}
	return ""
}

// idOf is a node's local id, or its IRI.
func (s *Reader) idOf(node rdf.Term) string {
	if iri, ok := node.(rdf.IRI); ok {
		if _, local, ours := s.schema.Local(iri); ours {
			return local
		}
	}
	return nodeText(node)
}

func (s *Reader) tableNodes(ctx context.Context, sel db.Selection, q TableQuery) ([]rdf.Term, error) {
	if q.Sort == nil {
		return s.source.Select(ctx, sel, q.Limit, q.Offset)
	}
	orders := make([]db.Order, len(q.Sort))
	for i, key := range q.Sort {
		p := key.Path.Last()
		by := &orders[i]
		*by = db.Order{
			Via: key.Path.predicates()[:len(key.Path)-1], Property: p.IRI, Descending: key.Descending,
			Datatype: schema.Datatypes[p.Datatype].IRI,
		}
		if by.Datatype == "" {
			by.Label = s.labelOfAll(s.schema.Type(p.Class))
			by.Text = func(node rdf.Term) (string, error) {
				d, err := s.Describe(ctx, node)
				return d.Label, err
			}
		}
	}
	return s.source.SelectSorted(ctx, sel, orders, q.Limit, q.Offset)
}

// labelOfAll is the property with the labels of all instances of a type, "" if there is none or there are several.
func (s *Reader) labelOfAll(t *schema.Type) rdf.IRI {
	var label rdf.IRI
	for i, own := range s.schema.Concrete(t) {
		p := s.schema.Property(own, s.schema.LabelOf(own))
		if p == nil || i > 0 && p.IRI != label {
			return ""
		}
		label = p.IRI
	}
	return label
}

// rows are those of nodes of some types, see describeInstances.
func (s *Reader) rows(ctx context.Context, nodes []rdf.Term, of []*schema.Type, q TableQuery) ([]TableRow, error) {
	described, err := s.describeInstances(ctx, nodes, of)
	if err != nil {
		return nil, err
	}
	rows := make([]TableRow, len(nodes))
	for i, d := range described {
		rows[i] = TableRow{Node: d, Cells: make([]TableCell, len(q.Columns))}
	}
	var linked []rdf.Term
	var own []rdf.IRI
	for _, path := range q.Columns {
		if len(path) == 1 {
			own = append(own, path.Last().IRI)
		}
	}
	values, err := s.source.EachOf(ctx, nodes, own, q.Each+1)
	if err != nil {
		return nil, err
	}
	for column, path := range q.Columns {
		if len(path) > 1 {
			for i, node := range nodes {
				values, n, err := s.source.Reached(ctx, node, path.predicates(), q.Each, CountLimit)
				if err != nil {
					return nil, err
				}
				if rows[i].Cells[column] = (TableCell{values, n - len(values)}); path.Last().Class != "" {
					linked = append(linked, values...)
				}
			}
			continue
		}
		p := path.Last()
		for i, node := range nodes {
			cell := &rows[i].Cells[column]
			cell.Values = values[p.IRI][node]
			if p.Class != "" {
				linked = append(linked, cell.Values...)
			}
			if len(cell.Values) <= q.Each {
				continue
			}
			n, err := s.source.CountValues(ctx, node, p.IRI, CountLimit)
			if err != nil {
				return nil, err
			}
			cell.Values, cell.More = cell.Values[:q.Each], n-q.Each
		}
	}
	_, err = s.DescribeAll(ctx, linked) // a page shows their labels
	return rows, err
}

// facets counts nothing if no node is selected, except for the properties whose own conditions are ignored.
func (s *Reader) facets(ctx context.Context, q TableQuery, sel db.Selection, none bool) ([]Facet, error) {
	var facets []Facet
	wide := 0
	for _, p := range s.schema.PropertiesOf(q.Type) {
		values := facetValues(p)
		if len(values) == 0 {
			if q.Wide && wide < wideFacets {
				f, err := s.wideFacet(ctx, q, sel, p)
				if err != nil {
					return nil, err
				}
				if f != nil {
					facets = append(facets, *f)
					wide++
				}
			}
			continue
		}
		others := q.besides(sel, p) // so that its facet shows the alternatives
		counts := make([]db.ValueCount, len(values))
		if !none || len(others.Where) < len(sel.Where) {
			var err error
			if counts, err = s.source.CountValuesAmong(ctx, others, p.IRI, values, facetLimit); err != nil {
				return nil, err
			}
		}
		f := Facet{Property: p, By: ByValue}
		for i, n := range counts {
			f.Values = append(f.Values, FacetValue{values[i], n.Count, n.More})
		}
		facets = append(facets, f)
	}
	return facets, nil
}

// besides returns a selection of q without the conditions on a property itself.
func (q TableQuery) besides(sel db.Selection, p *schema.Property) db.Selection {
	all := len(sel.Where)
	sel.Where = q.from()
	for _, c := range q.Where {
		if len(c.Path) > 1 || c.Path[0].IRI != p.IRI {
			sel.Where = append(sel.Where, c.stored()...)
		}
	}
	if len(sel.Where) < all {
		sel.Held = nil // these are other subjects
	}
	return sel
}

// wideFacet counts the nodes that a property refers to, or its dates by year or month; it is nil when there is nothing to
// choose from. The counts of references ignore the conditions on the property, as those of values do. Those of dates do
// not: a year is chosen first, and then a month of it.
func (s *Reader) wideFacet(ctx context.Context, q TableQuery, sel db.Selection, p *schema.Property) (*Facet, error) {
	datatype := schema.Datatypes[p.Datatype].IRI
	f, most := &Facet{Property: p, By: ByReference}, facetTargets
	switch {
	case datatype == rdf.XSDDate || datatype == rdf.XSDDateTime:
		f.By, most = ByYear, facetDates
	case p.Class == "":
		return nil, nil
	default:
		sel = q.besides(sel, p)
	}
	found, err := s.source.ObjectsAmong(ctx, sel, p.IRI, most)
	if err != nil {
		return nil, err
	}
	f.Left, f.Counted = found.Left, found.Counted
	if f.By == ByReference {
		nodes := make([]rdf.Term, len(found.Most))
		for i, c := range found.Most {
			nodes[i] = c.Object
			f.Values = append(f.Values, FacetValue{c.Object, int(c.Count), found.Counted > 0})
		}
		_, err = s.DescribeAll(ctx, nodes) // a page shows their labels
	} else {
		f.period(found.Most)
	}
	if len(f.Values) < 2 {
		return nil, err
	}
	return f, err
}

// period counts dates by month if there are few months, else by year.
func (f *Facet) period(dates []db.ObjectCount) {
	for f.By = ByMonth; ; f.By = ByYear {
		digits, first := len("2006-01"), ""
		if f.By == ByYear {
			digits = len("2006")
		}
		counts := map[string]int{}
		for _, c := range dates {
			if text := rdf.Lexical(c.Object); len(text) > len("2006-01") && text[len("2006")] == '-' && text[0] != '-' {
				counts[text[:digits]] += int(c.Count)
			} else {
				f.Left++
			}
		}
		periods := slices.Sorted(maps.Keys(counts))
		if len(periods) > 0 {
			first = periods[0]
		}
		if f.By == ByMonth && (len(periods) == 0 || months(first, periods[len(periods)-1]) > facetByMonths) {
			f.Left = 0
			continue
		}
		for _, text := range periods[max(0, len(periods)-facetBars):] {
			f.Values = append(f.Values, FacetValue{rdf.String(text), counts[text], f.Counted > 0})
		}
		f.Left += max(0, len(periods)-facetBars)
		return
	}
}

// months counts the months from one to another, both written as 2006-01.
func months(first, last string) int {
	number := func(text string) int {
		year, _ := strconv.Atoi(text[:4])
		month, _ := strconv.Atoi(text[5:])
		return year*12 + month
	}
	return number(last) - number(first) + 1
}

// facetValues are all values that a property can have, when they are few.
func facetValues(p *schema.Property) []rdf.Term {
	if schema.Datatypes[p.Datatype].IRI == rdf.XSDBoolean {
		return []rdf.Term{rdf.Literal("true", rdf.XSDBoolean), rdf.Literal("false", rdf.XSDBoolean)}
	}
	return p.OneOf
}

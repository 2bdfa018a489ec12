package view

import (
	"context"
	"encoding/json"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"trails/fault"
	"trails/invoke"
	"trails/kg/browse"
	"trails/rdf"
	"trails/schema"
	"trails/text/jsontext"
	"trails/text/outline"
)

// Bounds of a list.
const (
	defaultLimit = 100
	maxLimit     = 1000
)

// itemView is one line of a list.
type itemView struct {
	IRI   string `json:"iri"`
	Label string `json:"label"`
}

func kgTypes(ctx context.Context, r *invoke.Request) (any, error) {
	type typeView struct {
		Name        string `json:"name"`
		IRI         string `json:"iri"`
		URI         string `json:"uri"`
		Description string `json:"description,omitempty"`
		Abstract    bool   `json:"abstract,omitempty"`
		Count       int64  `json:"count"`
		Own         *int64 `json:"own,omitempty"` // without those of subtypes, if there are subtypes
	}
	counts, err := r.Snapshot.TypeCounts(ctx)
	if err != nil {
		return nil, err
	}
	out := struct {
		Types []typeView `json:"types"`
	}{Types: []typeView{}}
	for _, c := range counts {
		one := typeView{c.Type.Name, string(c.Type.IRI), invoke.Address(c.Type.Name, ""), c.Type.Description, c.Type.Abstract, c.Count, nil}
		if len(r.Snapshot.Schema().Subtypes(c.Type)) > 1 {
			one.Own = &c.Own
		}
		out.Types = append(out.Types, one)
	}
	return out, nil
}

// readList answers trails://kg/<Type>{?where,limit,offset}.
func readList(ctx context.Context, r *invoke.Request, t *schema.Type, rawQuery string) (invoke.Document, error) {
	q, err := addressQuery(r, t, rawQuery)
	if err != nil {
		return invoke.Document{}, err
	}
	page := &invoke.Page{Offset: q.Offset, Limit: q.Limit}
	q.Limit++ // one more shows whether there are more
	table, err := Listed(ctx, r, q)
	if err != nil {
		return invoke.Document{}, err
	}
	rows := table.Rows
	if page.More = len(rows) > page.Limit; page.More {
		rows = rows[:page.Limit]
	}
	form, err := form(r, withGraphForms(formJSON, formJSONLD)...)
	if err != nil {
		return invoke.Document{}, err
	}
	of := func(n int) (invoke.Document, error) { return listLines(ctx, r, rows[:n]) }
	if form != formJSON {
		nodes, err := nodesOf(ctx, r, rows)
		if err != nil {
			return invoke.Document{}, err
		}
		of = func(n int) (invoke.Document, error) { return listDocument(r, form, t, rows[:n], nodes[:n]) }
	}
	d, kept, err := fitting(r, len(rows), of)
	if d.Page = page; kept < len(rows) {
		page.Limit, page.More = kept, true
	}
	if page.More && isBounded(r) {
		r.Parts.AlsoCut("%d shown, from offset %d, and there are more; go on with %s", kept, page.Offset, nextPage(r, t, rawQuery, page))
	}
	return d, err
}

// listLines is a page of nodes as {iri, label}.
func listLines(ctx context.Context, r *invoke.Request, rows []browse.TableRow) (invoke.Document, error) {
	s := r.Snapshot.Schema()
	out := make([]itemView, len(rows))
	for i, row := range rows {
		out[i] = itemView{rdf.Lexical(row.Node.Term), row.Node.Label}
		if row.Node.Cut {
			label := s.Property(row.Node.Type, s.LabelOf(row.Node.Type))
			whole, err := r.Snapshot.PropertyPage(ctx, row.Node.Term, label, 1, 0)
			if err != nil {
				return invoke.Document{}, err
			}
			out[i].Label = rdf.Lexical(whole.Values[0])
		}
		if isBounded(r) {
			out[i].Label = outline.Shorten(out[i].Label, textList)
		}
	}
	body, err := jsontext.Marshal(out)
	return invoke.Document{MIME: mimeJSON, Body: body}, err
}

// nextPage is the address of the page after this one.
func nextPage(r *invoke.Request, t *schema.Type, rawQuery string, page *invoke.Page) string {
	params, _ := url.ParseQuery(rawQuery) // it was read before
	params.Set("limit", strconv.Itoa(page.Limit))
	params.Set("offset", strconv.Itoa(page.Offset+page.Limit))
	if r.At() != "" {
		params.Set("at", r.At())
	}
	if r.Ref.Branch != "" {
		params.Set("branch", r.Ref.Branch)
	}
	return outline.Shorten(invoke.Address(t.Name, "")+"?"+params.Encode(), invoke.CutRoom/2)
}

// badFilter is the fault for an invalid part of the query.
func badFilter(field, reason, format string, args ...any) *fault.Error {
	return fault.New(fault.InvalidArguments, format, args...).With("field", field).With("reason", reason)
}

// listParams are the parameters of a list's address, each allowed once.
var listParams = []string{"where", "limit", "offset"}

func addressQuery(r *invoke.Request, t *schema.Type, raw string) (browse.TableQuery, error) {
	q := browse.TableQuery{Type: t, Brief: true}
	params, err := url.ParseQuery(raw)
	if err != nil {
		return q, badFilter("", "malformed", "the query of the address cannot be read: escape its special characters")
	}
	for name, values := range params {
		if !slices.Contains(listParams, name) {
			return q, badFilter(name, "unknown_parameter", "there is no parameter %q; there are %s", name, strings.Join(listParams, ", "))
		}
		if len(values) > 1 {
			return q, badFilter(name, "repeated", "%s can be given once", name)
		}
	}
	if q.Limit, err = boundedParam(params, "limit", defaultLimit, 1, maxLimit); err != nil {
		return q, err
	}
	if q.Offset, err = boundedParam(params, "offset", 0, 0, 1<<31); err != nil {
		return q, err
	}
	if params.Has("where") {
		err = where(r, &q, params.Get("where"))
	}
	return q, err
}

func noFilter(raw string) error {
	if raw == "" {
		return nil
	}
	params, err := url.ParseQuery(raw)
	if err != nil {
		return badFilter("", "malformed", "the query of the address cannot be read")
	}
	for name := range params {
		return badFilter(name, "unknown_parameter", "one instance takes no parameter %q", name)
	}
	return nil
}

func boundedParam(params url.Values, name string, otherwise, low, high int) (int, error) {
	if !params.Has(name) {
		return otherwise, nil
	}
	n, err := strconv.Atoi(params.Get(name))
	if err != nil || n < low || n > high {
		return 0, badFilter(name, "out_of_range", "%s must be a whole number from %d to %d", name, low, high)
	}
	return n, nil
}

// where reads the one clause field=value. The value is bound as a term of the
// field's datatype, never spliced into anything.
func where(r *invoke.Request, q *browse.TableQuery, clause string) error {
	field, value, ok := strings.Cut(clause, "=")
	if !ok {
		return badFilter(clause, "malformed", "where takes one clause property=value")
	}
	if strings.ContainsAny(field, "<>!.") || strings.HasPrefix(value, "=") {
		return badFilter(field, "unsupported_operator", "where knows equality on one property only")
	}
	if i := strings.IndexFunc(value, unsafeInFilter); i >= 0 {
		return badFilter(field, "illegal_character", "a filter value has no quotes, backslashes or control characters")
	}
	p := r.Snapshot.Schema().Property(q.Type, field)
	if p == nil {
		message, _ := r.Snapshot.Schema().NoProperty(q.Type, field)
		return badFilter(field, "unknown_field", "%s", message)
	}
	for _, m := range secondClause.FindAllStringSubmatch(value, -1) {
		if r.Snapshot.Schema().Property(q.Type, m[1]) != nil {
			return badFilter(field, "unsupported_operator", "where takes one clause property=value, and %q begins another; the tool list takes several conditions", strings.TrimSpace(m[0]))
		}
	}
	term, wrong := r.Snapshot.Schema().Term(p, filterValue(p, value))
	if wrong != nil {
		return badFilter(field, "type_mismatch", "%s", wrong.Message).With("expected_datatype", datatypeName(r, p))
	}
	q.Where = []browse.Condition{{Path: browse.Path{p}, Op: browse.OpIs, Values: []rdf.Term{term}}}
	return nil
}

// secondClause matches the beginning of a second condition behind a value.
var secondClause = regexp.MustCompile(`(?i)(?:\s+(?:and|or)\s+|\s*(?:&&?|\|\|?|[,;])\s*)([a-z_][a-z0-9_]*)\s*(?:=|!=|<|>)`)

// unsafeInFilter reports whether a character is forbidden in a filter of an address.
func unsafeInFilter(c rune) bool { return c == '"' || c == '\\' || c < ' ' || c == 0x7f || c == 0xfffd }

// filterValue converts a bare word to the JSON value of its property.
func filterValue(p *schema.Property, word string) any {
	switch schema.Datatypes[p.Datatype].JSON {
	case schema.JSONObject:
		return p.WordValue(word)
	case schema.JSONBoolean:
		if word == "true" || word == "false" {
			return word == "true"
		}
	case schema.JSONInteger, schema.JSONNumber:
		if json.Valid([]byte(word)) {
			return json.Number(word)
		}
	case schema.JSONString, schema.JSONArray: // a word is text already
	}
	return word
}

func datatypeName(r *invoke.Request, p *schema.Property) string {
	if p.Class != "" {
		return p.Class
	}
	iri := string(schema.Datatypes[p.Datatype].IRI)
	if name, ok := strings.CutPrefix(iri, rdf.XSDNS); ok {
		return "xsd:" + name
	}
	if iri == "" {
		return "iri"
	}
	return iri
}

// readInstance answers trails://kg/<Type>/<id>.
func readInstance(ctx context.Context, r *invoke.Request, t *schema.Type, id string) (invoke.Document, error) {
	s := r.Snapshot.Schema()
	for _, own := range s.Concrete(t) {
		iri, err := s.ResolveID(own, id)
		if err != nil {
			continue
		}
		quads, err := r.Snapshot.Node(ctx, iri)
		if err != nil {
			return invoke.Document{}, err
		}
		if !slices.ContainsFunc(s.TypesOf(quads), func(found *schema.Type) bool { return found == own }) {
			continue
		}
		r.Uses(string(iri))
		return instanceDocument(r, own, iri, quads)
	}
	return invoke.Document{}, invoke.ErrNoResource
}

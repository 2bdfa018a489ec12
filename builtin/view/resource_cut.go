package view

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"net/url"
	"slices"
	"sort"
	"strconv"
	"strings"
	"unicode/utf8"

	"trails/capability"
	"trails/invoke"
	"trails/rdf"
	"trails/schema"
	"trails/text/jsontext"
	"trails/text/outline"
)

// aroundDocument is the size of the call's own members around the body.
const aroundDocument = 200

// mostLeftOut is how many properties a document names of which it leaves values out.
const mostLeftOut = 3

// takeMaxChars moves max_chars from an address to the arguments.
func takeMaxChars(r *invoke.Request, address string) (string, error) {
	name := capability.MaxChars().Name
	rest, values := invoke.CutParameter(address, name)
	if values == nil {
		return rest, nil
	}
	n, err := boundedParam(url.Values{name: values}, name, 0, capability.LeastChars, capability.MostChars)
	if err != nil {
		return "", err
	}
	r.Args[name] = json.Number(strconv.Itoa(n))
	return rest, nil
}

// isBounded reports that the document is for a model, and so has a size limit.
func isBounded(r *invoke.Request) bool { return r.Room() != math.MaxInt }

// documentSize is the size of a document in an answer, in characters.
func documentSize(d invoke.Document) int {
	if isJSON(d.MIME) {
		return utf8.RuneCount(d.Body)
	}
	packed, err := pack(d.MIME, d.Body)
	if err != nil {
		return math.MaxInt
	}
	return utf8.RuneCount(packed)
}

func isJSON(mime string) bool { return mime == mimeJSON || mime == mimeJSONLD }

func fits(r *invoke.Request, d invoke.Document) bool {
	return !isBounded(r) || documentSize(d) <= r.Room()-aroundDocument
}

// fitting makes a document of as many of n things as fit, at least one, and returns their number.
func fitting(r *invoke.Request, n int, of func(n int) (invoke.Document, error)) (d invoke.Document, kept int, err error) {
	for kept = n; ; {
		if d, err = of(kept); err != nil || kept <= 1 || fits(r, d) {
			return d, kept, err
		}
		kept = min(kept-1, max(1, int(float64(kept)*float64(r.Room())/float64(documentSize(d)))))
	}
}

// fittingValues makes a document of as many statements as fit: values are left out completely, never shortened, so
// that every statement is true.
func fittingValues(r *invoke.Request, address string, quads []rdf.Quad, of func([]rdf.Quad) (invoke.Document, error)) (invoke.Document, error) {
	d, err := of(quads)
	if err != nil || fits(r, d) {
		return d, err
	}
	size, kept := documentSize(d), quads
	for share := r.Room(); err == nil && len(kept) > 0 && !fits(r, d); share = share * 4 / 5 {
		kept = fewerValues(quads, share)
		d, err = of(kept)
	}
	r.Parts.Cut = leftOut(r.Snapshot.Schema(), quads, kept) + "; " + wayToAll(address, size, "query has the values, a page at a time: SELECT ?value {<node> :property ?value} LIMIT 100")
	return d, err
}

// group is the values of a property of a node.
type group struct{ subject, predicate rdf.Term }

// fewerValues keeps values of up to room characters: the first of each property, then the second of each, and so on.
func fewerValues(quads []rdf.Quad, room int) []rdf.Quad {
	type ranked struct{ at, rank, size int }
	seen := map[group]int{}
	order := make([]ranked, len(quads))
	for i, q := range quads {
		g := group{q.Subject, q.Predicate}
		order[i] = ranked{i, seen[g], 2 + utf8.RuneCountInString(rdf.Lexical(q.Object))}
		if seen[g]++; seen[g] == 1 {
			order[i].size += utf8.RuneCountInString(rdf.Lexical(q.Predicate))
		}
	}
	sort.SliceStable(order, func(i, j int) bool { return order[i].rank < order[j].rank })
	keep := make([]bool, len(quads))
	for _, one := range order {
		if one.size <= room {
			keep[one.at], room = true, room-one.size
		}
	}
	var kept []rdf.Quad
	for i, q := range quads {
		if keep[i] {
			kept = append(kept, q)
		}
	}
	return kept
}

// leftOut names the properties with missing values.
func leftOut(s *schema.Schema, all, kept []rdf.Quad) string {
	total, shown, longest := map[group]int{}, map[group]int{}, map[group]int{}
	var order []group
	for _, q := range all {
		g := group{q.Subject, q.Predicate}
		if total[g]++; total[g] == 1 {
			order = append(order, g)
		}
		longest[g] = max(longest[g], utf8.RuneCountInString(rdf.Lexical(q.Object)))
	}
	for _, q := range kept {
		shown[group{q.Subject, q.Predicate}]++
	}
	var notes []string
	for _, g := range order {
		if shown[g] == total[g] {
			continue
		}
		predicate, _ := g.predicate.(rdf.IRI)
		name := s.Short(predicate)
		if iri, ok := g.subject.(rdf.IRI); ok {
			local, _, _ := s.Local(iri)
			if t := s.Type(local); t != nil && s.PropertyByIRI(t, predicate) != nil {
				name = s.PropertyByIRI(t, predicate).Name
			}
		}
		one := fmt.Sprintf("%s has %d of %d values", outline.Shorten(name, leftOutName), shown[g], total[g])
		if longest[g] > textList {
			one += fmt.Sprintf(" (the longest of %d characters)", longest[g])
		}
		notes = append(notes, one)
	}
	if more := len(notes) - mostLeftOut; more > 0 {
		notes = append(notes[:mostLeftOut], fmt.Sprintf("and %d more properties have not all", more))
	}
	return strings.Join(notes, ", ")
}

// leftOutName is the most characters of a property's name.
const leftOutName = 60

// wayToAll says how to get a complete document of size characters; otherwise is the advice if no answer can be that
// long.
func wayToAll(address string, size int, otherwise string) string {
	if size+2*invoke.CutRoom > capability.MostChars {
		return otherwise
	}
	path, raw, _ := strings.Cut(address, "?")
	params, _ := url.ParseQuery(raw)
	params.Set(capability.MaxChars().Name, strconv.Itoa(size+2*invoke.CutRoom))
	return fmt.Sprintf("read %s?%s for all of it", outline.Shorten(path, invoke.CutRoom/2), params.Encode())
}

// withCut shortens a document that its resource did not, and first says what is missing, with the warnings: in JSON
// as the members "cut" and "warnings" of the object, or of the first one of the list; in Turtle as comments.
func withCut(r *invoke.Request, address string, d invoke.Document) (invoke.Document, error) {
	if isBounded(r) && isJSON(d.MIME) {
		var err error
		d.Body, err = r.Shorten(d.Body, r.Room()-aroundDocument, func(size int) string { return wayToAll(address, size, "no answer has all of it") })
		if err != nil {
			return d, err
		}
	}
	if r.Parts.Cut == "" && len(r.Parts.Warnings) == 0 || !isBounded(r) {
		return d, nil
	}
	if !isJSON(d.MIME) {
		var comments []byte
		for _, warning := range r.Parts.Warnings {
			comments = fmt.Appendf(comments, "# warning: %s\n", strings.Join(strings.Fields(warning), " "))
		}
		if r.Parts.Cut != "" {
			comments = fmt.Appendf(comments, "# cut: %s\n", strings.Join(strings.Fields(r.Parts.Cut), " "))
		}
		d.Body = slices.Concat(comments, d.Body)
		return d, nil
	}
	told := map[string]any{}
	if r.Parts.Cut != "" {
		told[ownMember(r.Snapshot.Schema(), "cut")] = r.Parts.Cut
	}
	if len(r.Parts.Warnings) > 0 {
		told[ownMember(r.Snapshot.Schema(), "warnings")] = r.Parts.Warnings
	}
	first, err := jsontext.Marshal(told)
	if err != nil {
		return d, fmt.Errorf("say what is cut of %s: %w", address, err)
	}
	if list, isList := bytes.CutPrefix(d.Body, []byte("[")); isList {
		if !bytes.HasPrefix(list, []byte("]")) {
			first = append(first, ',')
		}
		d.Body = slices.Concat([]byte("["), first, list)
	} else {
		d.Body = jsontext.Joined(first, d.Body)
	}
	return d, nil
}

// ownMember is the name of a member about the document. JSON-LD ignores members that its context does not define, so
// it cannot be a name of the schema.
func ownMember(s *schema.Schema, name string) string {
	taken := s.Prefixes[name] != ""
	for _, t := range s.Types {
		taken = taken || s.Property(t, name) != nil
	}
	if taken {
		return "#" + name
	}
	return name
}

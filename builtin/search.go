package builtin

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"trails/auth/policy"
	"trails/builtin/view"
	"trails/capability"
	"trails/fault"
	"trails/gateway"
	"trails/gateway/embed"
	"trails/gateway/meaning"
	"trails/gateway/servers"
	"trails/invoke"
	"trails/kg"
	"trails/kg/browse"
	"trails/schema"
	"trails/text/jsontext"
)

// searched is what a search asks for.
type searched struct {
	Text    string `json:"text" is:"brief" max:"2000"`
	Type    string `json:"type,omitempty" doc:"With its subtypes."`
	Limit   int    `json:"limit" is:"brief" min:"1" max:"100" default:"10"`
	Cursor  string `json:"cursor,omitempty" is:"brief" doc:"next of the last page."`
	Explain bool   `json:"explain" is:"rare,brief" default:"false" doc:"Say in a further column why each hit stands where it does."`
}

// hits are what it finds.
type hits struct {
	Matching browse.Matching `json:"matching,omitempty" oneof:"corrected,any,meaning" doc:"Absent where hits have all words: corrected when words were taken for others, any when all hits have some of the words, meaning when hits by words and by meaning are mixed, of which some have none."`
	Partial  int             `json:"partial,omitempty" doc:"So many of the hits, the last ones, have some of the words; absent where none does, or all as matching says."`
	Instead  string          `json:"did_you_mean,omitempty" doc:"What was searched instead."`
	rowsAnswer
}

var hitCells = capability.CellsOf("node:string", "label:string", "property:string", "text:string")

// searcher is the search of a process that may reach an endpoint of embeddings.
type searcher struct{ embedder *embed.Embedder }

func (s searcher) capability() invoke.Capability {
	return invoke.Define(searchDescriptor, s.search)
}

var searchDescriptor = capability.Descriptor{
	ID: "search", Description: "Find nodes by words of labels, texts, ids, ranked. \"Phrases\" quoted; last word may be a prefix.",
	OutputShape:  rowsOf("A list for each hit: node, label, the property whose text fits, and a part of that text; with explain, why it stands there.", hitCells),
	CostEstimate: capability.CostGraph, Reasoning: capability.ReasoningSubclasses, PolicyRequired: capability.Requirement{Action: policy.Read}, Idempotent: true,
}

// byWords reaches no endpoint.
var byWords searcher

// own are the capabilities that search, in the place of those of the same id by words.
func (s searcher) own(list []invoke.Capability) []invoke.Capability {
	list = slices.Clone(list)
	for _, c := range []invoke.Capability{s.capability(), s.queries(), s.updates()} {
		list[slices.IndexFunc(list, func(other invoke.Capability) bool { return other.ID == c.ID })] = c
	}
	return list
}

// offsetOf reads the cursor: the commit of the first page, and the number of results seen. On another commit pages
// could repeat or skip results, so it is refused; the commit of the first page can still be read.
func offsetOf(ctx context.Context, r *invoke.Request, given string) (int, error) {
	if given == "" {
		return 0, nil
	}
	head, seen, _ := strings.Cut(given, ".")
	offset, err := strconv.Atoi(seen)
	switch {
	case err != nil || offset < 0 || head == "":
		return 0, fault.Argument("cursor", fault.Pattern, given, "cursor is not the next of an earlier answer; leave it out for the first page")
	case head != shortHead(r):
		way := ""
		if c, err := r.Snapshot.FindState(ctx, head); err == nil && c.ID.String() == head {
			way = fmt.Sprintf("give at %q with it, and no branch, to go on in that commit, or ", head)
		}
		return 0, fault.Argument("cursor", fault.HasValue, given,
			fmt.Sprintf("cursor is of commit %s, and the head is %s now; %sleave it out to begin again", head, shortHead(r), way))
	}
	return offset, nil
}

func nextCursor(r *invoke.Request, offset int) string {
	return fmt.Sprintf("%s.%d", shortHead(r), offset)
}

func shortHead(r *invoke.Request) string {
	if id := view.CommitID(r.Snapshot.Head()); id != nil {
		return *id
	}
	return "none"
}

// table is an answer of rows that can be cut between any two.
type table struct {
	Columns []string `json:"columns"`
	Rows    [][]any  `json:"rows" type:"any"`
}

// tableOf returns a table with these columns and no rows.
func tableOf(cells []capability.Cell) table {
	t := table{Rows: [][]any{}}
	for _, c := range cells {
		t.Columns = append(t.Columns, c.Name)
	}
	return t
}

// oneOrigin is the class of sources that all rows are of.
type oneOrigin struct {
	Origin string `json:"origin,omitempty" doc:"The class of sources that all of them are of; where they differ, each has its own."`
}

// sameOrigin takes the classes of sources out of a table whose last cells they are if all rows are of one.
func (a *table) sameOrigin() (of oneOrigin) {
	last := len(a.Columns) - 1
	for i, row := range a.Rows {
		if i > 0 && row[last] != a.Rows[0][last] {
			return of
		}
	}
	a.Columns = a.Columns[:last]
	for i, row := range a.Rows {
		of.Origin, _ = row[last].(string)
		a.Rows[i] = row[:last]
	}
	return of
}

// rowsAnswer is a page of a table.
type rowsAnswer struct {
	table
	Next string `json:"next,omitempty" doc:"The cursor of the next page; absent at the end."`
}

// rowsOf describes the rows of an answer, and the first of their cells.
func rowsOf(description string, cells []capability.Cell, more ...capability.Field) capability.Shape {
	return capability.Shape{Fields: append(more, capability.Field{Name: "rows", Description: description, Cells: cells})}
}

// add adds a row unless the answer would exceed room, from which its size is subtracted. The first row is always
// added.
func (a *table) add(room *int, row []any) (bool, error) {
	text, err := jsontext.Marshal(row)
	if err != nil {
		return false, fmt.Errorf("encode row: %w", err)
	}
	if *room -= utf8.RuneCount(text) + 1; *room < 0 && len(a.Rows) > 0 {
		return false, nil
	}
	a.Rows = append(a.Rows, row)
	return true, nil
}

// fill adds a row for each of a list, and says so if not all of them fit.
func fill[T any](r *invoke.Request, to *table, what string, list iter.Seq[T], row func(T) []any) error {
	room := r.RoomBeside(to)
	for one := range list {
		added, err := to.add(&room, row(one))
		if err != nil {
			return err
		}
		if !added {
			r.Parts.Cut = "not all " + what + " are shown; more fit with max_chars"
			break
		}
	}
	return nil
}

// vector is that of a text, or nil, and why there is none: for the reason that nobody asked for vectors, "".
func (s searcher) vector(ctx context.Context, snap *kg.Snapshot, text string, warn func(format string, args ...any)) (vector []float32, why string, err error) {
	settings, err := servers.Settings(snap)
	by := settings.Embeddings
	if err != nil || by == (gateway.Embeddings{}) || !snap.Embeds() {
		return nil, "", nil // who asks for the settings is told what is wrong with them
	}
	if !snap.SearchesMeaning() {
		return nil, "meaning is searched in main as it is now", nil
	}
	state, err := snap.Vectors(ctx)
	if err != nil {
		return nil, "", err
	}
	if state.VectorModel != meaning.ModelOf(by) || state.Length == 0 {
		return nil, "there are no vectors yet, which a served graph makes by itself, and trails embed FILE at once" + because(state.Problem), nil
	}
	vector, err = s.embedder.Vector(ctx, by, text)
	switch {
	case ctx.Err() != nil:
		return nil, "", ctx.Err()
	case err != nil:
		return nil, fault.Of(err).Message, nil
	case len(vector) != state.Length:
		return nil, fmt.Sprintf("the endpoint answered with %d numbers, and the vectors have %d; trails embed FILE --anew makes them again", len(vector), state.Length), nil
	case state.Pending > 0:
		warn("%d texts have no vector yet, and are found by words alone%s", state.Pending, because(state.Problem))
	case state.Seq < snap.Head().Seq:
		warn("texts of the newest commits may have no vector yet, and are found by words alone%s", because(state.Problem))
	}
	return vector, "", nil
}

// meaning makes the vectors of the texts that a query or an update searches. Each warning is given once.
func (s searcher) meaning(r *invoke.Request) kg.Meaning {
	warn := func(format string, args ...any) {
		if text := fmt.Sprintf(format, args...); !slices.Contains(r.Parts.Warnings, text) {
			r.Warn("%s", text)
		}
	}
	return func(ctx context.Context, snap *kg.Snapshot, text string, alone bool) ([]float32, error) {
		vector, why, err := s.vector(ctx, snap, text, warn)
		switch {
		case err != nil || vector != nil:
		case alone && why == "":
			why = "the graph has no property with embed: true, or its gateway no endpoint of embeddings"
			fallthrough
		case alone:
			err = fault.New(fault.Precondition, "nodes cannot be found by meaning alone: %s. Without trails:meaning words find them", why)
		case why != "":
			warn("nodes are found by words alone: %s", why)
		}
		return vector, err
	}
}

// because is the end of a sentence about a problem.
func because(problem string) string {
	if problem == "" {
		return ""
	}
	return " (" + problem + ")"
}

func (s searcher) search(ctx context.Context, r *invoke.Request, in searched) (*hits, error) {
	offset, err := offsetOf(ctx, r, in.Cursor)
	if err != nil {
		return nil, err
	}
	asked := browse.Search{Text: in.Text, Limit: in.Limit, Offset: offset, Explain: in.Explain}
	if r.Args.Has("type") {
		t, err := view.KnownType(r, in.Type)
		if err != nil {
			return nil, err
		}
		asked.Types = []*schema.Type{t}
	}
	var why string
	if asked.Vector, why, err = s.vector(ctx, r.Snapshot, in.Text, r.Warn); err != nil {
		return nil, err
	}
	if why != "" {
		r.Warn("nodes are found by words alone: %s", why)
	}
	found, err := r.Snapshot.Search(ctx, asked)
	if err != nil {
		return nil, err
	}
	for _, told := range found.Left {
		r.Warn("%s", told)
	}
	if told := found.ToldRefused(); told != "" {
		r.Warn("%s", told)
	}
	out := &hits{rowsAnswer: rowsAnswer{table: tableOf(hitCells)}}
	if in.Explain {
		out.Columns = append(out.Columns, "why")
	}
	if found.Matching != browse.MatchedAll && len(found.Hits) > 0 {
		out.Matching = found.Matching
	}
	var instead []string
	for _, c := range found.Corrections {
		instead = append(instead, c.Word+" → "+c.Instead)
	}
	out.Instead = strings.Join(instead, ", ")
	room := r.RoomBeside(out)
	for i, hit := range found.Hits {
		row := []any{r.Snapshot.Name(hit.Term), hit.Label, hit.PropertyName, found.Snippet(hit)}
		if in.Explain {
			row = append(row, hit.Why.String())
		}
		added, err := out.add(&room, row)
		if err != nil {
			return nil, err
		}
		if added && hit.Partial && found.Matching != browse.MatchedAny && found.Matching != browse.MatchedMeaning {
			out.Partial++
		}
		if !added {
			out.Next = nextCursor(r, offset+i)
			r.Parts.Cut = fmt.Sprintf("%d of %d hits are shown; go on with cursor %q", i, len(found.Hits), out.Next)
			return out, nil
		}
	}
	switch seen := offset + len(found.Hits); {
	case found.More:
		out.Next = nextCursor(r, seen)
	case found.Bounded:
		r.Warn("a search ends after %s here, and there may be more with these words: add words, or narrow it by type", fault.Counted(seen, "node"))
	case seen == 0:
		r.Warn("%s", found.ToldNothing())
	case len(found.Hits) == 0:
		r.Warn("the hits ended before this page")
	}
	return out, nil
}

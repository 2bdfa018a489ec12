package db

import (
	"context"
	"slices"
	"strings"
	"unicode/utf8"

	"trails/db/inline"
	"trails/rdf"
)

// Bounds of a search: how many subjects or texts it reads, and how many it finds.
const (
	searchReads = 200_000
	searchFinds = 10_000
)

// Search is a search for subjects by how a text of theirs begins, whatever its case.
type Search struct {
	Prefix string
	// Text names for each class the property that is searched; a class without one
	// is searched by Name.
	Text map[rdf.IRI]rdf.IRI
	// Name says what a subject is called that has no text; nil means that it is not found.
	Name func(rdf.Term) string
}

// Found are subjects that a search found, in the order of their ids.
type Found struct {
	ids []int64
	// More reports that the search stopped before it had read everything.
	More bool
}

// Len is how many were found.
func (f *Found) Len() int { return len(f.ids) }

func (f *Found) page(limit, offset int) []int64 {
	offset = min(offset, len(f.ids))
	return f.ids[offset:min(len(f.ids), offset+limit)]
}

// Search finds selected subjects, 10,000 at most. The first search reads all texts of
// a property, and keeps them; see textStore. Where they are not kept it reads up to
// 200,000.
func (r *Reader) Search(ctx context.Context, sel Selection, search Search) (*Found, error) {
	if err := r.ready(ctx); err != nil {
		return nil, r.fail(ctx, "search", err)
	}
	s := searching{Reader: r, ctx: ctx, Search: search, found: map[int64]bool{}}
	s.Prefix = strings.ToLower(s.Prefix)
	for _, classes := range search.together(sel.Classes) {
		one := sel
		one.Classes = classes
		if err := s.classes(one); err != nil {
			return nil, r.fail(ctx, "search", err)
		}
	}
	out := &Found{More: s.more, ids: make([]int64, 0, len(s.found))}
	for id := range s.found {
		out.ids = append(out.ids, id)
	}
	slices.Sort(out.ids)
	return out, nil
}

// together groups classes by the property that is searched.
func (s Search) together(classes []rdf.IRI) [][]rdf.IRI {
	var groups [][]rdf.IRI
	for _, class := range classes {
		i := slices.IndexFunc(groups, func(g []rdf.IRI) bool { return s.Text[g[0]] == s.Text[class] })
		if i < 0 {
			groups = append(groups, []rdf.IRI{class})
			continue
		}
		groups[i] = append(groups[i], class)
	}
	return groups
}

type searching struct {
	*Reader
	Search
	ctx   context.Context
	found map[int64]bool
	reads int
	more  bool
}

// classes searches the instances of classes with one text: few of them are read one by one, of many
// the texts of all subjects are.
func (s *searching) classes(sel Selection) error {
	pairs, ok, err := s.selectionPairs(s.ctx, sel)
	if err != nil || !ok {
		return err
	}
	text, named := s.Text[sel.Classes[0]]
	if !named {
		return s.names(pairs)
	}
	p, ok, err := s.dict.lookup(text)
	if err != nil || !ok {
		return err
	}
	sql, args := subjectQuery(pairs)
	few, err := s.conn.int64("SELECT count(*) FROM ("+sql+" LIMIT ? + 0)", append(slices.Clone(args), fewSelected+1)...)
	if err != nil {
		return err
	}
	if few <= fewSelected {
		return s.texts(ofEach(pairs, p))
	}
	return s.ofMany(pairs, p)
}

// ofMany looks at the texts of a property that are kept, or reads them.
func (s *searching) ofMany(pairs []idPair, p int64) error {
	rows, kept, err := s.sortedTexts(s.ctx, keyOf(p, rdf.XSDString))
	if err != nil {
		return err
	}
	if !kept {
		return s.texts(ofText(pairs, p))
	}
	rows = beginning(rows, s.Prefix)
	if len(rows) > textTries {
		rows, s.more = rows[:textTries], true
	}
	for chunk := range slices.Chunk(rows, textChunk) {
		ids, err := s.among(s.ctx, pairs, subjectsOf(chunk))
		if err != nil {
			return err
		}
		for _, id := range ids {
			if !s.find(id) {
				return nil
			}
		}
	}
	return nil
}

func subjectsOf(rows []textRow) []int64 {
	ids := make([]int64, len(rows))
	for i, row := range rows {
		ids[i] = row.s
	}
	return ids
}

// textColumns are the subject, and as much of its text as may be compared.
const textColumns = "SELECT v.s, v.o, substr(t.value, 1, ?)"

// ofEach reads the text of each selected subject.
func ofEach(pairs []idPair, p int64) (sql string, args []any) {
	sql, args = subjectQuery(pairs)
	sql = textColumns + " FROM (" + sql + ") c CROSS JOIN live v NOT INDEXED LEFT JOIN terms t ON t.id = v.o WHERE v.s = c.s AND v.p = ? AND v.g = 0"
	return sql, append(args, p)
}

// ofText reads all texts of the property, and keeps those of selected subjects.
func ofText(pairs []idPair, p int64) (sql string, args []any) {
	sql = textColumns + " FROM live v INDEXED BY live_pos LEFT JOIN terms t ON t.id = v.o WHERE v.p = ? AND v.g = 0 AND (v.o < 0 OR t.value LIKE ? ESCAPE '\\')"
	args = []any{p, nil}
	for _, pair := range pairs {
		sql += " AND EXISTS (SELECT 1 FROM live b NOT INDEXED WHERE b.s = v.s AND b.p = ? AND b.o" + oneOf(pair.objects) + " AND b.g = 0)"
		args = append(args, pair.args()...)
	}
	return sql, args
}

// texts runs a statement of textColumns.
func (s *searching) texts(sql string, args []any) error {
	if len(args) > 1 && args[1] == nil {
		args[1] = likePrefix(s.Prefix)
	}
	args = append([]any{2 * utf8.RuneCountInString(s.Prefix)}, args...)
	st, err := s.conn.take(sql)
	if err != nil {
		return err
	}
	defer st.release()
	for i, arg := range args {
		st.bind(i+1, arg)
	}
	return s.steps(s.ctx, st, func() (bool, error) {
		text := st.ColumnText(2)
		if o := st.ColumnInt64(1); o < 0 {
			text = rdf.Lexical(inline.Term(o))
		}
		return s.see(st.ColumnInt64(0), text), nil
	})
}

// likePrefix is a pattern that every text with this prefix fits: LIKE knows the case
// of ASCII letters only, so the pattern ends before the first other character.
func likePrefix(prefix string) string {
	var b strings.Builder
	for i := range len(prefix) {
		c := prefix[i]
		if c >= utf8.RuneSelf || c == 0 {
			break
		}
		if c == '%' || c == '_' || c == '\\' {
			b.WriteByte('\\')
		}
		b.WriteByte(c)
	}
	return b.String() + "%"
}

// see compares one text; false when the search has to stop.
func (s *searching) see(subject int64, text string) bool {
	if s.reads++; s.reads > searchReads {
		s.more = true
		return false
	}
	return !strings.HasPrefix(strings.ToLower(text), s.Prefix) || s.find(subject)
}

// find notes a subject; false when there are too many.
func (s *searching) find(subject int64) bool {
	if len(s.found) == searchFinds && !s.found[subject] {
		s.more = true
		return false
	}
	s.found[subject] = true
	return true
}

// names compares what the subjects themselves are called.
func (s *searching) names(pairs []idPair) error {
	if s.Name == nil {
		return nil
	}
	sql, args := namesQuery(pairs)
	st, err := s.conn.take(sql)
	if err != nil {
		return err
	}
	defer st.release()
	for i, arg := range args {
		st.bind(i+1, arg)
	}
	return s.steps(s.ctx, st, func() (bool, error) {
		t, err := s.dict.joined(st.ColumnInt64(0), st, 1)
		if err != nil {
			return false, err
		}
		return s.see(st.ColumnInt64(0), s.Name(t)), nil
	})
}

// namesQuery reads the selected subjects themselves.
func namesQuery(pairs []idPair) (sql string, args []any) {
	sql, args = subjectQuery(pairs)
	return "SELECT c.s, t.kind, t.value, t.datatype, t.lang FROM (" + sql + ") c CROSS JOIN terms t WHERE t.id = c.s", args
}

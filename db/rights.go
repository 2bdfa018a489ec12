package db

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"zombiezen.com/go/sqlite"

	"trails/db/dictionary"
	"trails/db/history"
	"trails/db/inline"
	"trails/db/leaf"
	"trails/db/pager"
	"trails/db/scan"
	"trails/db/stmt"
	"trails/rdf"
)

// Rights say what the reader of a view may not see: a view with them is that of a file without it. No statement names
// anything of it, and no commit that changed nothing else is in the history. Nil hides nothing, and so does the zero
// value; both are safe for concurrent use.
type Rights struct {
	// Graphs are named graphs, with all their statements.
	Graphs []rdf.IRI
	// Predicates are properties, with their statements and their property shapes.
	Predicates []rdf.IRI
	// Types are classes, with their shapes and with all nodes that have them, or had them once, on the branch of the view
	// or on those that it comes from. So a node is hidden in commits in which its type was another one, too.
	Types []rdf.IRI
	// Nodes are single nodes.
	Nodes []rdf.Term
	// Branches are branches by their names, which are not there for the reader; main always is. If OnlyBranches is true, they
	// are those that are there, and no others.
	Branches     []string
	OnlyBranches bool
}

// name reports whether the rights name a term that stands in a position of a statement.
func (r *Rights) name(t rdf.Term, position int) bool {
	iri, is := t.(rdf.IRI)
	if is && slices.Contains(r.Predicates, iri) {
		return true
	}
	return position != posP && (is && (slices.Contains(r.Graphs, iri) || slices.Contains(r.Types, iri)) || slices.Contains(r.Nodes, t))
}

// And hides what either of two rights hides.
func (r *Rights) And(other *Rights) *Rights {
	switch {
	case r.hidesNothing():
		return other
	case other.hidesNothing():
		return r
	}
	both := &Rights{
		Graphs: union(r.Graphs, other.Graphs), Predicates: union(r.Predicates, other.Predicates), Types: union(r.Types, other.Types),
		Nodes: slices.Clone(r.Nodes),
	}
	both.Branches, both.OnlyBranches = r.andBranches(other)
	for _, n := range other.Nodes {
		if !slices.Contains(both.Nodes, n) {
			both.Nodes = append(both.Nodes, n)
		}
	}
	return both
}

// andBranches are the branches of [Rights.And].
func (r *Rights) andBranches(other *Rights) (names []string, only bool) {
	switch {
	case r.OnlyBranches:
		return slices.DeleteFunc(slices.Clone(r.Branches), other.hidesBranch), true
	case other.OnlyBranches:
		return slices.DeleteFunc(slices.Clone(other.Branches), r.hidesBranch), true
	}
	return union(r.Branches, other.Branches), false
}

func union[T cmp.Ordered](a, b []T) []T {
	both := slices.Concat(a, b)
	slices.Sort(both)
	return slices.Compact(both)
}

// hidesNothing reports whether everything may be seen.
func (r *Rights) hidesNothing() bool {
	return r == nil || len(r.Graphs)+len(r.Predicates)+len(r.Types)+len(r.Nodes)+len(r.Branches) == 0 && !r.OnlyBranches
}

// Key identifies what the rights hide: those with equal keys hide the same. It is "" if they hide nothing.
func (r *Rights) Key() string {
	if r.hidesNothing() {
		return ""
	}
	parts := [5][]string{4: slices.Clone(r.Branches)}
	for i, list := range [][]rdf.IRI{r.Graphs, r.Predicates, r.Types} {
		for _, iri := range list {
			parts[i] = append(parts[i], string(iri))
		}
	}
	for _, node := range r.Nodes {
		parts[3] = append(parts[3], fmt.Sprintf("%T %[1]v", node))
	}
	for _, list := range parts {
		slices.Sort(list)
	}
	return fmt.Sprintf("%q %v", parts, r.OnlyBranches)
}

// hidesBranch reports whether a branch is not there for the reader; nil hides none.
func (r *Rights) hidesBranch(name string) bool {
	return r != nil && name != Main && name != "" && slices.Contains(r.Branches, name) != r.OnlyBranches
}

// restrictedTables are the tables of a connection for a reader who may not see everything, in the place of
// [pastTables]. Provenance and the versions of capabilities may name what is hidden, and so there are none.
var restrictedTables = []string{
	leaf.ViewOfPresent,
	`CREATE TEMP VIEW changes AS SELECT 1 AS line, c.seq, c.s, c.p, c.o, c.g, c.op
		FROM t_lines l CROSS JOIN main.changes c ON c.line = l.line WHERE c.seq <= l.until AND NOT t_hides(c.s, c.p, c.o, c.g)`,
	leaf.ViewOfRetired + " AND NOT t_hides(h.s, h.p, h.o, h.g)",
	`CREATE TEMP VIEW commits AS SELECT c.seq, c.id, t_parent(c.seq) AS parent, NULL AS parent2, c.line, c.ts, c.author, c.message,
		t_schema_version(c.seq) AS schema_version, t_schema_seq(c.seq) AS schema_seq, c.flags, t_added(c.seq) AS added,
		t_removed(c.seq) AS removed, 0 AS quads
		FROM main.commits c WHERE c.seq <= t_at() AND t_sees(c.line, c.seq) AND t_shows(c.seq)`,
	"CREATE TEMP VIEW prov AS SELECT * FROM main.prov WHERE 0",
	"CREATE TEMP VIEW descriptors AS SELECT * FROM main.descriptors WHERE 0",
}

// sight is what the reader of a connection may see: its [Rights], with what was decided of nodes and commits.
type sight struct {
	*decided
	conn   *conn
	rights *Rights
	key    string // of the rights

	head      history.Seq  // the newest commit of main
	lines     []scan.Bound // the branches that count
	hides     scan.Hidden
	stretches stretchesOf    // what the cursors of the reader found
	keeps     *keptStretches // for the next readers of the same state; nil if they do not have them from others
	// texts are hidden if no statement of the default graph that the reader may see has them; nil if none was looked up.
	texts *scan.Nodes

	pages *pager.Pages // pinned while a decision is made
	terms *dictionary.Reader
}

// over returns what the same reader sees as one of all of these branches.
func (s *sight) over(r *Reader, branches []scan.Bound) (*sight, error) {
	d, err := r.decidedFor(s.key, branches, s.newest, func() (hiddenTerms, error) { return s.hidden, nil })
	if err != nil {
		return nil, err
	}
	return newSight(s.conn, s.rights, s.key, s.head, branches, d), nil
}

func newSight(c *conn, rights *Rights, key string, head history.Seq, branches []scan.Bound, d *decided) *sight {
	s := &sight{conn: c, rights: rights, key: key, head: head, lines: branches, decided: d}
	s.hides = scan.Hidden{Predicates: d.hidden.predicates, Nodes: &d.nodes, Decide: s.decideNode}
	return s
}

// restrict gives the connection the rights of its reader. Its chain must be that of the view.
func (r *Reader) restrict(rights *Rights) error {
	// What is kept by rights is kept by the newest schema, too: it may say of a node of an earlier one that it is hidden.
	var schema, newest, head history.Seq
	err := r.conn.Exec(`SELECT max(c.schema_seq), (SELECT max(seq) FROM main.commits), max(l.head) FILTER (WHERE l.line = ?)
		FROM lines l JOIN main.commits c ON c.seq = l.head`, func(row *stmt.Stmt) error {
		schema, newest, head = row.Seq(0), row.Seq(1), row.Seq(2)
		return nil
	}, mainLine)
	if err != nil {
		return err
	}
	key, branches := rights.Key(), r.conn.chain[1:]
	d, err := r.decidedFor(key, branches, newest, func() (hiddenTerms, error) { return r.hiddenTerms(rights) })
	if err != nil {
		return err
	}
	r.caches = r.caches.ofView(d.facts)
	r.caches.plans = d.plans
	s := newSight(r.conn, rights, key, head, branches, d)
	if len(branches) == 0 && history.Seq(r.conn.chain[0].Until) == head {
		s.keeps, s.stretches, s.texts = &d.shared, d.shared.copied(), &d.sharedTexts
	}
	r.rights, r.conn.sight = fmt.Sprint(key, schema), s
	return nil
}

// newestShown returns the newest commit that the reader may see something of; the zero Commit if there is none.
func (r *Reader) newestShown() (history.Commit, error) {
	s := r.conn.sight
	if s.keeps != nil {
		if known := s.newestShown.Load(); known != nil {
			return *known, nil
		}
	}
	list, err := r.commits(newestOf, 0)
	if err != nil {
		return history.Commit{}, err
	}
	found := append(list, history.Commit{})[0]
	if s.keeps != nil {
		s.newestShown.Store(&found)
	}
	return found, nil
}

// hiddenTerms looks up the terms that rights name.
func (r *Reader) hiddenTerms(rights *Rights) (h hiddenTerms, err error) {
	lookUp := func(t rdf.Term) inline.TermID {
		id, known, failed := r.dict.Lookup(t)
		if err = errors.Join(err, failed); !known {
			return 0
		}
		return id
	}
	idsOf := func(list []rdf.IRI) map[int64]bool {
		ids := map[int64]bool{}
		for _, iri := range list {
			ids[int64(lookUp(iri))] = true
		}
		delete(ids, 0) // of those that the file does not know
		return ids
	}
	h.graphs, h.predicates, h.types = idsOf(rights.Graphs), idsOf(rights.Predicates), idsOf(rights.Types)
	h.nodes = map[int64]bool{}
	for _, node := range rights.Nodes {
		h.nodes[int64(lookUp(node))] = true
	}
	delete(h.nodes, 0)
	h.rdfType, h.rdfFirst, h.rdfRest = lookUp(rdf.Type), lookUp(rdf.First), lookUp(rdf.Rest)
	h.shProperty, h.shPath, h.schemaGraph = lookUp(rdf.IRI(rdf.SHNS+"property")), lookUp(rdf.IRI(rdf.SHNS+"path")), lookUp(rdf.SchemaGraph)
	return h, err
}

// Restrict gives the author of a transaction rights, before its first change: [Writer.Seen] is what it may see then.
func (w *Writer) Restrict(ctx context.Context, rights *Rights) error {
	if err := w.usable(ctx); err != nil || rights.hidesNothing() {
		return err
	}
	// It is not one of the readers for which others wait, since they may wait for the Writer.
	seen, err := w.file.read(ctx, View{Branch: w.branch, Rights: rights})
	if err == nil {
		seen.Outlast()
		w.seen = seen
	}
	return err
}

// Seen is the state before the changes as the author sees it: that of the Writer itself, with the changes so far, unless
// the author has rights, and as it was at the beginning if so.
func (w *Writer) Seen() *Reader {
	if w.seen != nil {
		return w.seen
	}
	return w.Reader
}

// Restricted reports whether the author of the transaction may see a part of the graph only.
func (w *Writer) Restricted() bool { return w.seen != nil }

// Hides reports whether the reader may not see a statement, whether it is there or not.
func (r *Reader) Hides(ctx context.Context, q rdf.Quad) (bool, error) {
	if err := r.ready(ctx); err != nil || r.conn.sight == nil {
		return false, r.fail(ctx, "rights", err)
	}
	var ids quadIDs
	for i, t := range [...]rdf.Term{q.Subject, q.Predicate, q.Object, q.Label} {
		if t == nil {
			continue
		}
		if r.conn.sight.rights.name(t, i) {
			return true, nil
		}
		id, known, err := r.dict.Lookup(t)
		if err != nil {
			return false, r.fail(ctx, "rights", err)
		}
		if known { // a term that is new hangs on nothing
			ids[i] = id
		}
	}
	hidden, err := r.conn.sight.hidesStatement(ids)
	return hidden, r.fail(ctx, "rights", err)
}

// hidesStatement reports whether a statement may not be seen.
func (s *sight) hidesStatement(quad quadIDs) (hidden bool, err error) {
	if s.hidden.predicates[int64(quad[posP])] {
		return true, nil
	}
	for _, position := range [...]int{posS, posO, posG} {
		if hidden, err = s.hides.Node(int64(quad[position])); err != nil || hidden {
			return hidden, err
		}
	}
	return false, nil
}

// decideNode decides whether a node is hidden.
func (s *sight) decideNode(id int64) (hidden bool, err error) {
	if s.pages, err = s.conn.Pages(); err != nil {
		return false, err
	}
	defer func() {
		s.pages.Release()
		s.pages, s.terms = nil, nil
	}()
	if s.terms, err = dictionary.NewReader(s.pages); err != nil {
		return false, err
	}
	if hidden, err = s.decide(inline.TermID(id)); err != nil {
		return false, unreadable(err)
	}
	s.nodes.Keep(id, hidden)
	return hidden, nil
}

// decide finds out whether a node is hidden: it is one of the hidden nodes, or has a hidden type, or is the shape of a
// hidden property. What hangs on a hidden node is hidden with it: its blank nodes, the property shapes of a type, and the
// whole of a list of which it is a member.
func (s *sight) decide(id inline.TermID) (bool, error) {
	var looked []inline.TermID
	for nodes, seen := []inline.TermID{id}, map[inline.TermID]bool{id: true}; len(nodes) > 0; {
		node := nodes[len(nodes)-1]
		nodes = nodes[:len(nodes)-1]
		if hidden, known := s.nodes.IsHidden(int64(node)); known {
			if hidden {
				return true, nil
			}
			continue
		}
		looked = append(looked, node)
		kind, err := s.kindOf(node)
		if err != nil {
			return false, err
		}
		if kind > dictionary.KindBNode { // a literal has no type, and hangs on nothing
			if s.hidden.nodes[int64(node)] {
				return true, nil
			}
			continue
		}
		if hidden, err := s.hidesItself(node); err != nil || hidden {
			return hidden, err
		}
		hidden, err := s.eachHolder(node, kind, func(holder inline.TermID) {
			if !seen[holder] {
				seen[holder] = true
				nodes = append(nodes, holder)
			}
		})
		if err != nil || hidden {
			return hidden, err
		}
	}
	for _, node := range looked { // all that they hang on is among these
		s.nodes.Keep(int64(node), false)
	}
	return false, nil
}

// kindOf returns the kind of a node in the dictionary, 0 if it is too long for a page.
func (s *sight) kindOf(node inline.TermID) (kind int64, err error) {
	whole, err := s.terms.Read(int64(node))
	if err != nil || !whole {
		return 0, err
	}
	return s.terms.Row.Kind(), nil
}

// hidesItself reports whether a node is hidden whatever it hangs on.
func (s *sight) hidesItself(node inline.TermID) (hidden bool, err error) {
	if h, id := &s.hidden, int64(node); h.nodes[id] || h.types[id] || h.predicates[id] || h.graphs[id] {
		return true, nil
	}
	for _, by := range []struct {
		predicate inline.TermID
		hides     map[int64]bool
	}{{s.hidden.rdfType, s.hidden.types}, {s.hidden.shPath, s.hidden.predicates}} {
		if by.predicate == 0 || len(by.hides) == 0 {
			continue
		}
		err := s.ever(leaf.SPO, []int64{int64(node), int64(by.predicate)}, func(columns [4]int64) (bool, error) {
			hidden = by.hides[columns[2]]
			return !hidden, nil
		})
		if err != nil || hidden {
			return hidden, err
		}
	}
	return false, nil
}

// eachHolder calls f with the nodes that a node hangs on: those that a blank node is a value of, the shape that a property
// shape is of, the graphs that say so, and the members of a list. It reports whether a blank node is a value of a hidden property.
func (s *sight) eachHolder(node inline.TermID, kind int64, f func(inline.TermID)) (hidden bool, err error) {
	if s.hidden.shProperty != 0 {
		const subject = 2
		err := s.ever(leaf.POS, []int64{int64(s.hidden.shProperty), int64(node)}, func(columns [4]int64) (bool, error) {
			f(inline.TermID(columns[subject]))
			return true, nil
		})
		if err != nil {
			return false, err
		}
	}
	if kind != dictionary.KindBNode {
		return false, nil
	}
	for _, link := range [...]inline.TermID{s.hidden.rdfFirst, s.hidden.rdfRest} {
		const object = 2
		if link == 0 {
			continue
		}
		err := s.ever(leaf.SPO, []int64{int64(node), int64(link)}, func(columns [4]int64) (bool, error) {
			f(inline.TermID(columns[object]))
			return true, nil
		})
		if err != nil {
			return false, err
		}
	}
	const subject, predicate, graph = 1, 2, 3
	err = s.ever(leaf.OSP, []int64{int64(node)}, func(columns [4]int64) (bool, error) {
		hidden = s.hidden.predicates[columns[predicate]]
		f(inline.TermID(columns[subject]))
		if columns[graph] != defaultGraph {
			f(inline.TermID(columns[graph]))
		}
		return !hidden, nil
	})
	return hidden, err
}

// ever reads what the lines of the view have or had in the order of an index, whatever is hidden.
func (s *sight) ever(order leaf.Order, prefix []int64, f func([4]int64) (more bool, err error)) error {
	rows, err := leafOf(s.pages, order, append(s.conn.chain[:1:1], s.lines...), nil)
	if err != nil {
		return err
	}
	return rows.Ever(prefix, f)
}

// shownCommit is what a reader may see of a commit: how many statements it added and removed. ofSchema reports that it
// changed the schema.
type shownCommit struct {
	shown, ofSchema bool
	added, removed  int64
}

// shownSchema is the last commit that changed what a reader sees of the schema, and how many there are up to it.
type shownSchema struct {
	seq     history.Seq
	version int64
}

const (
	changesSeen = "SELECT sum(op = 43), sum(op = 45), sum(g = ?2) FROM changes WHERE line = ?3 AND seq = ?1"
	// The newest commit before one, and its schema.
	commitsBefore = "SELECT seq, coalesce(schema_seq, 0) FROM main.commits WHERE seq < ? AND t_sees(line, seq) ORDER BY seq DESC"
)

// commit returns what may be seen of a commit. It reads its changes; for a bulk commit, all statements.
func (s *sight) commit(seq history.Seq) (shownCommit, error) {
	return s.decided.commit(seq, func() (c shownCommit, err error) {
		all, err := s.conn.numbered(seq)
		if err != nil {
			return c, err
		}
		sql := changesSeen
		if all.Bulk {
			sql = leaf.BulkSeen
		}
		err = s.conn.Exec(sql, func(row *stmt.Stmt) error {
			c.added, c.removed = row.ColumnInt64(0), row.ColumnInt64(1)
			c.ofSchema = all.SchemaSeq == seq && row.ColumnInt64(2) > 0
			return nil
		}, seq, s.hidden.schemaGraph, mainLine)
		c.shown = c.added+c.removed > 0 || all.Added+all.Removed == 0
		return c, err
	})
}

// before returns the newest commit of the view with a number less than one that is shown, 0 if there is none.
func (s *sight) before(seq history.Seq) (found history.Seq, err error) {
	rows, err := s.conn.Take(commitsBefore)
	if err != nil {
		return 0, err
	}
	defer rows.Release()
	rows.Bind(1, seq)
	for {
		more, err := rows.Step()
		if err != nil || !more {
			return 0, err
		}
		if c, err := s.commit(rows.Seq(0)); err != nil || c.shown {
			return rows.Seq(0), err
		}
	}
}

// seenFrom returns the first commit of a query, as the reader sees the history of a line up to a commit of it; the zero
// Commit if there is none.
func (r *Reader) seenFrom(line int64, until history.Seq, where string, args ...any) (c history.Commit, err error) {
	chain, was, sees := []scan.Bound(nil), r.conn.chain, r.conn.sight
	if chain, err = r.conn.chainOf(line, until); err != nil {
		return c, err
	}
	there, err := sees.over(r, chain[1:])
	if err != nil {
		return c, err
	}
	r.conn.chain, r.conn.sight = chain, there
	defer func() { r.conn.chain, r.conn.sight = was, sees }()
	list, err := r.commits(where, args...)
	return append(list, c)[0], err
}

// parent returns the id of the commit before one, for its reader.
func (s *sight) parent(seq history.Seq) (sqlite.Value, error) {
	before, err := s.before(seq)
	if err != nil || before == 0 {
		return sqlite.Value{}, err
	}
	c, err := s.conn.numbered(before)
	return sqlite.BlobValue(c.ID[:]), err
}

// schema returns the last commit up to one that changed what its reader may see of the schema, and how many there are. It
// goes from one commit of the schema to the one before it, whatever lies between.
func (s *sight) schema(seq history.Seq) (last shownSchema, err error) {
	var anew []history.Seq // those that are not known, the newest first
	for at := seq + 1; ; {
		var before history.Seq
		err := s.conn.Exec(commitsBefore+" LIMIT 1", func(row *stmt.Stmt) error {
			before = row.Seq(1)
			return nil
		}, at)
		if err != nil {
			return last, err
		}
		known := false
		if last, known = s.decided.schema(before); known || before == 0 {
			break
		}
		at, anew = before, append(anew, before)
	}
	for _, at := range slices.Backward(anew) {
		c, err := s.commit(at)
		if err != nil {
			return last, err
		}
		if c.ofSchema {
			last = shownSchema{at, last.version + 1}
		}
		s.rememberSchema(at, last)
	}
	return last, nil
}

// restrictFunctions makes the functions of [restrictedTables].
func (c *conn) restrictFunctions() error {
	one := func(of func(s *sight, seq history.Seq) (sqlite.Value, error)) *sqlite.FunctionImpl {
		return &sqlite.FunctionImpl{NArgs: 1, Scalar: func(_ sqlite.Context, args []sqlite.Value) (sqlite.Value, error) {
			return of(c.sight, history.Seq(args[0].Int64()))
		}}
	}
	number := func(of func(shownCommit) int64) *sqlite.FunctionImpl {
		return one(func(s *sight, seq history.Seq) (sqlite.Value, error) {
			shown, err := s.commit(seq)
			return sqlite.IntegerValue(of(shown)), err
		})
	}
	return c.functions(map[string]*sqlite.FunctionImpl{
		"t_hides": {NArgs: 4, Scalar: func(_ sqlite.Context, of []sqlite.Value) (sqlite.Value, error) {
			hidden, err := c.sight.hidesStatement(quadIDs{idOf(of[posS]), idOf(of[posP]), idOf(of[posO]), idOf(of[posG])})
			return truth(hidden), err
		}},
		"t_shows": one(func(s *sight, seq history.Seq) (sqlite.Value, error) {
			shown, err := s.commit(seq)
			return truth(shown.shown), err
		}),
		"t_added":   number(func(c shownCommit) int64 { return c.added }),
		"t_removed": number(func(c shownCommit) int64 { return c.removed }),
		"t_parent":  one((*sight).parent),
		"t_schema_seq": one(func(s *sight, seq history.Seq) (sqlite.Value, error) {
			last, err := s.schema(seq)
			return sqlite.IntegerValue(int64(last.seq)), err
		}),
		"t_schema_version": one(func(s *sight, seq history.Seq) (sqlite.Value, error) {
			last, err := s.schema(seq)
			return sqlite.IntegerValue(last.version), err
		}),
	})
}

// functions makes functions of SQL.
func (c *conn) functions(list map[string]*sqlite.FunctionImpl) error {
	for name, f := range list {
		if err := c.CreateFunction(name, f); err != nil {
			return err
		}
	}
	return nil
}

// truth is a truth value of SQL.
func truth(is bool) sqlite.Value {
	if is {
		return sqlite.IntegerValue(1)
	}
	return sqlite.IntegerValue(0)
}

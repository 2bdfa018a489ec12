package db_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"trails/db"
	"trails/db/history"
	"trails/e2e/testrun"
	"trails/fault"
	"trails/rdf"
	"trails/sparql/sparqltest"
	"trails/text/fulltext"
)

// hiding says what rights hide of the statements that the branches of a view have or had, straight from the meaning of [db.Rights].
func hiding(rights db.Rights, ever []rdf.Quad) func(rdf.Quad) bool {
	hidden := map[rdf.Term]bool{}
	for _, list := range [][]rdf.IRI{rights.Graphs, rights.Predicates, rights.Types} {
		for _, iri := range list {
			hidden[iri] = true
		}
	}
	for _, node := range rights.Nodes {
		hidden[node] = true
	}
	for before := -1; before < len(hidden); {
		before = len(hidden)
		for _, q := range ever {
			iri, _ := q.Object.(rdf.IRI)
			predicate, _ := q.Predicate.(rdf.IRI)
			_, blank := q.Object.(rdf.BNode)
			switch {
			case predicate == rdf.Type && slices.Contains(rights.Types, iri), predicate == rdf.SHNS+"path" && slices.Contains(rights.Predicates, iri):
				hidden[q.Subject] = true
			}
			if _, cell := q.Subject.(rdf.BNode); cell && hidden[q.Object] && (predicate == rdf.First || predicate == rdf.Rest) {
				hidden[q.Subject] = true
			}
			switch {
			case blank && (slices.Contains(rights.Predicates, predicate) || q.Label != nil && hidden[q.Label]), hidden[q.Subject] && (blank || predicate == rdf.SHNS+"property"):
				hidden[q.Object] = true
			}
		}
	}
	return func(q rdf.Quad) bool {
		predicate, _ := q.Predicate.(rdf.IRI)
		return slices.Contains(rights.Predicates, predicate) || hidden[q.Subject] || hidden[q.Object] || q.Label != nil && hidden[q.Label]
	}
}

// typedData are statements with types, shapes and texts among them.
func typedData(t *rapid.T) []rdf.Quad {
	quads := sparqltest.Data(t)
	name := func(of string) rdf.IRI { return rdf.IRI(sparqltest.NS + of) }
	names := []string{"a", "b", "c", "d"}
	for range rapid.IntRange(0, 8).Draw(t, "more") {
		subject := rdf.Term(name(rapid.SampledFrom(names).Draw(t, "subject")))
		if rapid.IntRange(0, 5).Draw(t, "blank") == 0 {
			subject = rdf.BNode("x")
		}
		q := rdf.Quad{Subject: subject, Predicate: rdf.Type, Object: name(rapid.SampledFrom([]string{"T1", "T2", "T3"}).Draw(t, "type"))}
		switch rapid.IntRange(0, 5).Draw(t, "kind") {
		case 0:
			q.Predicate, q.Object = rdf.IRI(rdf.SHNS+"property"), name(rapid.SampledFrom(names).Draw(t, "shape"))
		case 1:
			q.Predicate, q.Object = rdf.IRI(rdf.SHNS+"path"), name(rapid.SampledFrom([]string{"p", "q", "v"}).Draw(t, "path"))
		case 2:
			q.Subject, q.Predicate = rdf.BNode("x"), rdf.First
			q.Object = name(rapid.SampledFrom(names).Draw(t, "member"))
			if rapid.Bool().Draw(t, "rest") {
				q.Predicate, q.Object = rdf.Rest, rdf.BNode("y")
			}
		case 3:
			q.Predicate, q.Object = name("text"), rdf.String(rapid.SampledFrom([]string{"secret plans", "public plans", "plans of secrets"}).Draw(t, "text"))
		}
		switch rapid.IntRange(0, 7).Draw(t, "graph") {
		case 0:
			q.Label = name("g1")
		case 1:
			q.Label = rdf.SchemaGraph
		}
		quads = append(quads, q)
	}
	return quads
}

// someRights draws what is hidden.
func someRights(t *rapid.T) *db.Rights {
	var r db.Rights
	of := func(in int, names ...string) (list []rdf.IRI) {
		for _, name := range names {
			if rapid.IntRange(1, in).Draw(t, "hide "+name) == 1 {
				list = append(list, rdf.IRI(sparqltest.NS+name))
			}
		}
		return list
	}
	r.Graphs, r.Predicates, r.Types = of(4, "g1", "g2"), of(6, "p", "q", "v", "n"), of(2, "T1", "T2", "unknown")
	for _, iri := range of(8, "a", "b", "g3", "nobody") {
		r.Nodes = append(r.Nodes, iri)
	}
	return &r
}

// A reader with rights reads of any branch and commit what there is in a file that never had anything else: statements,
// solutions, history, counts, texts.
func TestAViewWithRightsIsAFileOfWhatMayBeSeen(t *testing.T) {
	testrun.Alone(t)
	checkFiles(t, func(ctx context.Context, t *rapid.T, f *db.File) {
		stories := drawStories(ctx, t, f, typedData, 7)
		f = drawScans(ctx, t, f)
		defer f.Close()
		for i := range 2 {
			branch := rapid.SampledFrom(stories.branches()).Draw(t, "branch")
			story, view := stories[branch], db.View{Branch: branch, Rights: someRights(t)}
			if len(story) > 0 && rapid.Bool().Draw(t, "at a commit") {
				story = story[:rapid.IntRange(1, len(story)).Draw(t, "at")]
				view = db.View{At: story[len(story)-1].commit.ID, Rights: view.Rights}
			}
			twin, err := fileOf(ctx, fmt.Sprint(f.Path(), "-", i), nil)
			if err != nil {
				t.Fatal(err)
			}
			lines := story.lines()
			if view.At.IsZero() {
				lines[branch] = true
			}
			compareTwins(ctx, t, f, twin, story, stories.ever(lines), view)
			compareBranches(ctx, t, f, stories, view)
			twin.Close()
		}
	})
}

// What was decided for earlier readers holds for later ones, whatever was written between: after each step, everything that
// readers of all branches see is what follows from the rights, and a reader from before the step sees what it saw.
func TestWhatWasDecidedFollowsTheCommits(t *testing.T) {
	testrun.Alone(t)
	checkFiles(t, func(ctx context.Context, t *rapid.T, f *db.File) {
		rights := []*db.Rights{someRights(t), someRights(t)}
		read := func(on string, of *db.Rights) *db.Reader {
			r, err := f.Read(ctx, db.View{Branch: on, Rights: of})
			if err != nil {
				t.Fatal(err)
			}
			return r
		}
		seen := func(r *db.Reader) []string {
			quads, err := everyQuad(r.Match(ctx, rdf.Quad{}))
			if err != nil {
				t.Fatal(err)
			}
			return ordered(quads)
		}
		early := read(db.Main, rights[0]) // and reads late
		var earlySees []string
		drawStoriesAnd(ctx, t, f, typedData, 12, func(all stories) {
			if rapid.Bool().Draw(t, "unread") { // so that not all is decided when the next step comes
				return
			}
			late := read(db.Main, rights[0])
			main := all[db.Main]
			lateSees := ordered(slices.DeleteFunc(main.state(), hiding(*rights[0], all.ever(map[string]bool{db.Main: true}))))
			inTurn := []struct {
				r    *db.Reader
				sees []string
			}{{early, earlySees}, {late, lateSees}}
			if rapid.Bool().Draw(t, "late first") {
				slices.Reverse(inTurn)
			}
			for _, one := range inTurn {
				if got := seen(one.r); !slices.Equal(got, one.sees) {
					t.Fatalf("beside a reader from the other side of the step one sees %q, want %q", got, one.sees)
				}
			}
			late.Close()
			early.Close()
			early, earlySees = read(db.Main, rights[0]), lateSees
			for on, story := range all {
				for _, of := range rights {
					if rapid.IntRange(0, 3).Draw(t, "skip") == 0 {
						continue
					}
					lines := story.lines()
					lines[on] = true
					want := ordered(slices.DeleteFunc(story.state(), hiding(*of, all.ever(lines))))
					r := read(on, of)
					got := seen(r)
					r.Close()
					if !slices.Equal(got, want) {
						t.Fatalf("%s without %+v: %s", on, *of, cmp.Diff(want, got))
					}
				}
			}
		})
		early.Close()
	})
}

// compareBranches compares what a reader with rights is told of branches, and of the commits of any, with what may be seen
// on each.
func compareBranches(ctx context.Context, t *rapid.T, f *db.File, stories stories, view db.View) {
	t.Helper()
	r, err := f.Read(ctx, view)
	if fault.Is(err, fault.Missing) {
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	listed, err := r.Branches(ctx)
	if err != nil || len(listed) != len(stories) {
		t.Fatalf("%d branches of %d are listed: %v", len(listed), len(stories), err)
	}
	for _, b := range listed {
		story := stories[b.Name]
		lines := story.lines()
		lines[b.Name] = true
		seen := []history.CommitID{{}}
		for i, c := range story {
			if shows(c, hiding(*view.Rights, stories.ever(lines))) {
				seen = append(seen, c.commit.ID)
			}
			at := shows(c, hiding(*view.Rights, stories.ever(story[:i+1].lines())))
			found, err := r.CommitOfFile(ctx, c.commit.ID.Whole())
			if at != (err == nil && found.ID == c.commit.ID) || err != nil && !fault.Is(err, fault.Missing) {
				t.Errorf("commit %d of %s may be seen: %v, but %v was found: %v", i, b.Name, at, found.ID, err)
			}
			if c.commit.ID == b.Fork.ID && !at {
				t.Errorf("%s was made from commit %d of it, which may not be seen", b.Name, i)
			}
		}
		if last := seen[len(seen)-1]; b.Head.ID != last {
			t.Errorf("%s is said to be at %v, and what may be seen of it ends with %v", b.Name, b.Head.ID, last)
		}
		for back := range seen {
			c, err := r.CommitOfBranch(ctx, b.Name, int64(back))
			if want := seen[len(seen)-1-back]; c.ID != want || fault.Is(err, fault.Missing) != want.IsZero() {
				t.Errorf("commit %d before the head of %s is %v, want %v: %v", back, b.Name, c.ID, want, err)
			}
		}
	}
}

// shows reports whether something of a commit may be seen.
func shows(c told, hides func(rdf.Quad) bool) bool {
	return slices.ContainsFunc(slices.Concat(c.add, c.remove), func(q rdf.Quad) bool { return !hides(q) })
}

// compareTwins writes what may be seen of a story to another file, and compares all reads of both.
func compareTwins(ctx context.Context, t *rapid.T, f, twin *db.File, story story, ever []rdf.Quad, view db.View) {
	t.Helper()
	hides := hiding(*view.Rights, ever)
	var shown, visible []history.Commit
	var left []rdf.Quad
	for _, c := range story {
		add, remove := slices.DeleteFunc(slices.Clone(c.add), hides), slices.DeleteFunc(slices.Clone(c.remove), hides)
		if len(add)+len(remove) == 0 {
			continue
		}
		made, err := tryWrite(ctx, twin, add, remove)
		if err != nil {
			t.Fatal(err)
		}
		shown, visible = append(shown, c.commit), append(visible, made)
		left = slices.DeleteFunc(append(left, add...), func(q rdf.Quad) bool { return slices.Contains(remove, q) })
	}
	r, err := f.Read(ctx, view)
	if last := len(story) - 1; !view.At.IsZero() && (len(shown) == 0 || shown[len(shown)-1].ID != story[last].commit.ID) {
		if !fault.Is(err, fault.Missing) || !strings.Contains(err.Error(), "no commit "+view.At.String()) {
			t.Fatalf("a commit of which nothing may be seen is read: %v", err)
		}
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	want, err := twin.Read(ctx, db.View{})
	if err != nil {
		t.Fatal(err)
	}
	defer want.Close()
	answersAsTheOracle(t, r, left)
	if diff := cmp.Diff(allOf(ctx, t, want, visible, ever), allOf(ctx, t, r, shown, ever)); diff != "" {
		t.Fatalf("the file of what may be seen, and the view with\n%+v:\n%s", *view.Rights, diff)
	}
}

// allOf is what all reads of a reader tell. Commits are named by their place in a list.
func allOf(ctx context.Context, t *rapid.T, r *db.Reader, commits []history.Commit, ever []rdf.Quad) (out []string) {
	t.Helper()
	place := func(seq history.Seq) int {
		if seq == 0 {
			return 0
		}
		return 1 + slices.IndexFunc(commits, func(c history.Commit) bool { return c.Seq == seq })
	}
	tell := func(what string, err error, values ...any) {
		t.Helper()
		if err != nil && !fault.Is(err, fault.Missing) {
			t.Fatalf("%s: %v", what, err)
		}
		out = append(out, what+": "+strings.ReplaceAll(fmt.Sprintln(values...), "\n", " "))
	}
	all, err := everyQuad(r.Match(ctx, rdf.Quad{}))
	tell("statements", err, lines(all))
	quads, err := r.Quads(ctx)
	tell("quads", err, quads)
	n, err := r.CommitCount(ctx)
	tell("commits", err, n, place(r.Head().Seq))
	listed, err := r.Commits(ctx, 0, 100)
	for _, c := range listed {
		parent := slices.IndexFunc(commits, func(other history.Commit) bool { return other.ID == c.Parent })
		tell("commit", err, place(c.Seq), parent, c.Author, c.Message, c.Added, c.Removed, c.SchemaVersion, place(c.SchemaSeq))
		before, err := r.CommitBack(ctx, c.Seq, 1)
		tell("commit before", err, place(before.Seq))
	}
	var subjects []rdf.Term
	for _, q := range ever {
		if !slices.Contains(subjects, q.Subject) {
			subjects = append(subjects, q.Subject)
		}
	}
	for i, c := range commits {
		numbered, err := r.CommitBySeq(ctx, c.Seq)
		tell("commit by its number", err, i, numbered.Message, numbered.Added, numbered.Removed, numbered.SchemaVersion)
		var changes []string
		for change, err := range r.Changes(ctx, c.Seq, db.Place{}) {
			if err != nil {
				t.Fatal(err)
			}
			changes = append(changes, fmt.Sprint(string(rune(change.Op)), place(change.Seq), change.Quad))
		}
		tell("changes", nil, i, ordered(changes))
		types, err := r.ChangedTypes(ctx, c.Seq)
		tell("changed types", err, i, ordered(types))
		changed, err := r.ChangedSubjects(ctx, c, 100, 0)
		tell("changed subjects", err, i, ordered(changed))
		for _, s := range subjects {
			of, err := r.ChangesOf(ctx, c, s, 100)
			for i := range of {
				of[i].Seq = history.Seq(place(of[i].Seq))
			}
			tell("changes of a subject", err, i, s, ordered(of))
			existed, err := r.Existed(ctx, s, c.Seq)
			tell("existed", err, i, s, existed)
			referred, err := r.ReferredBesides(ctx, s, c.Seq)
			tell("referred", err, i, s, referred)
			said, err := r.SaidBesides(ctx, s, c.Seq)
			tell("said", err, i, s, said)
		}
	}
	if len(commits) > 0 {
		first, last := commits[0].Seq, commits[len(commits)-1].Seq
		touched, err := r.Touched(ctx, first, last, 1000)
		tell("touched", err, ordered(touched))
		types, err := r.TouchedTypes(ctx, first, last)
		tell("touched types", err, ordered(types))
	}
	for _, s := range subjects {
		of, err := r.SubjectCommits(ctx, s, 0, 100)
		for i := range of {
			of[i] = history.Seq(place(of[i]))
		}
		tell("commits of a subject", err, s, of)
		last, err := r.LastChange(ctx, s)
		tell("last change", err, s, place(last))
		all, err := r.Said(ctx, s, 100, 0)
		for i := range all {
			all[i].Seq = history.Seq(place(all[i].Seq))
		}
		tell("statements of a subject", err, s, ordered(all))
	}
	predicates := map[rdf.IRI]bool{}
	for _, q := range ever {
		predicate := q.Predicate.(rdf.IRI)
		predicates[predicate] = true
		q.Label = nil
		added, err := r.Added(ctx, q)
		tell("added", err, q, place(added))
		removed, err := r.Removed(ctx, q)
		tell("removed", err, q, place(removed))
	}
	for _, p := range sortedIRIs(predicates) {
		counts, err := r.CountByObject(ctx, p)
		tell("objects", err, p, ordered(counts))
		shared, whole, err := r.Shared(ctx, p, 100)
		tell("shared", err, p, ordered(shared), whole)
		tell("datatype", nil, p, r.Datatype(ctx, p))
	}
	for _, word := range []string{"secret", "plans", "plnas", "sekret"} {
		means, err := r.Spelling(ctx, word)
		tell("spelling", err, word, means)
		query, err := fulltext.Parse(word)
		if err != nil {
			t.Fatal(err)
		}
		var hits []string
		more, err := searchTexts(ctx, r, query, db.MatchAll, func(list []db.TextHit) (bool, error) {
			for _, h := range list {
				hits = append(hits, fmt.Sprint(h.Subject, h.Property, h.Text, h.Shared)) // scores depend on the size of the dictionary
			}
			return true, nil
		})
		tell("search", err, word, ordered(hits), more)
	}
	return out
}

func everyQuad(seq iter.Seq2[rdf.Quad, error]) ([]rdf.Quad, error) {
	quads, _, err := rdf.Collect(seq, math.MaxInt, math.MaxInt)
	return quads, err
}

// ordered sorts values by their texts: their order in a file is that of its ids.
func ordered[T any](list []T) []string {
	texts := make([]string, len(list))
	for i, one := range list {
		texts[i] = fmt.Sprint(one)
	}
	sort.Strings(texts)
	return texts
}

func sortedIRIs(m map[rdf.IRI]bool) (list []rdf.IRI) {
	for iri := range m {
		list = append(list, iri)
	}
	slices.Sort(list)
	return list
}

// What may not be seen does not make a word common.
func TestWordsAreWeighedByTheTextsThatMayBeSeen(t *testing.T) {
	ctx := t.Context()
	name := func(of string, i int) rdf.IRI { return rdf.IRI(fmt.Sprint(sparqltest.NS, of, i)) }
	var quads []rdf.Quad
	say := func(i int, text string) {
		quads = append(quads, rdf.Quad{Subject: name("n", i), Predicate: name("text", 0), Object: rdf.String(text)})
	}
	const hidden, all = 3000, 5200
	for i := range all {
		class, text := 0, "alpha of many"
		switch {
		case i >= hidden+200:
			class, text = 1, "neither of both"
		case i >= hidden:
			class, text = 1, "beta of some"
		}
		quads = append(quads, rdf.Quad{Subject: name("n", i), Predicate: rdf.Type, Object: name("T", class)})
		say(i, fmt.Sprint(text, " ", i))
	}
	say(all, "alpha")
	say(all+1, "beta")
	f, err := fileOf(ctx, filepath.Join(t.TempDir(), "a.db"), quads)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	query, err := fulltext.Parse("alpha beta")
	if err != nil {
		t.Fatal(err)
	}
	first := func(rights *db.Rights) (words string) {
		r, err := f.Read(ctx, db.View{Rights: rights})
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		scores := map[string]float64{}
		_, err = searchTexts(ctx, r, query, db.MatchAny, func(list []db.TextHit) (bool, error) {
			for _, h := range list {
				for _, one := range h.Score.Terms {
					scores[rdf.Lexical(h.Text)] += one
				}
			}
			return true, nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if scores["alpha"] > scores["beta"] {
			return "alpha"
		}
		return "beta"
	}
	if all, seen := first(nil), first(&db.Rights{Types: []rdf.IRI{name("T", 0)}}); all != "beta" || seen != "alpha" {
		t.Errorf("the rarer word is %s, and %s of what may be seen; want beta and alpha", all, seen)
	}
}

// A commit that made the file has no change log: what may be seen of it is counted in the tables.
func TestRightsOverACommitWithoutAChangeLog(t *testing.T) {
	ctx := t.Context()
	name := func(of string, i int) rdf.IRI { return rdf.IRI(fmt.Sprint(sparqltest.NS, of, i)) }
	var quads []rdf.Quad
	for i := range 6000 {
		quads = append(quads,
			rdf.Quad{Subject: name("n", i), Predicate: rdf.Type, Object: name("T", i%3)},
			rdf.Quad{Subject: name("n", i), Predicate: name("next", 0), Object: name("n", (i+1)%6000)})
	}
	f, err := fileOf(ctx, filepath.Join(t.TempDir(), "a.db"), quads)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for types, want := range map[int]int64{1: 2000*2 + 2000, 2: 2000, 3: 0} {
		rights := &db.Rights{}
		for i := range types {
			rights.Types = append(rights.Types, name("T", i))
		}
		r, err := f.Read(ctx, db.View{Rights: rights})
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		if !r.Head().Bulk && want > 0 || r.Head().Added != want {
			t.Errorf("without %d types the commit added %d, want %d", types, r.Head().Added, want)
		}
		quads, err := r.Quads(ctx)
		list, errChanges := 0, error(nil)
		if want > 0 {
			for _, err := range r.Changes(ctx, r.Head().Seq, db.Place{}) {
				list, errChanges = list+1, err
			}
		}
		if err != nil || errChanges != nil || quads != want || int64(list) != want {
			t.Errorf("without %d types there are %d statements and %d changes, want %d: %v, %v", types, quads, list, want, err, errChanges)
		}
	}
}

// Where most of what a query reads is hidden, in long stretches that it comes to again and again, the answer is that of a
// file without it: of the newest commit, of an earlier one and of a branch, by scans and by SQL.
func TestStretchesOfHiddenStatements(t *testing.T) {
	random := rand.New(rand.NewPCG(21, 22))
	quads := scanGraph(random, 250)
	for _, q := range slices.Clone(quads) {
		if q.Predicate == iri("kind") {
			quads = append(quads, rdf.Quad{Subject: q.Subject, Predicate: rdf.Type, Object: q.Object})
			if q.Object == iri("K0") {
				quads = append(quads, rdf.Quad{Subject: q.Subject, Predicate: iri("owed"), Object: iri("n1")})
			}
		}
	}
	var first, branched []rdf.Quad
	for _, q := range quads {
		if random.IntN(5) == 0 {
			branched = append(branched, q)
		} else {
			first = append(first, q)
		}
	}
	removed := first[len(first)/2:][:200]
	rights := &db.Rights{Types: []rdf.IRI{iri("K0"), iri("K1")}}
	texts := append([]string{
		`SELECT ?a { ?a a <urn:test:K2> . ?x <urn:test:owed> ?y }`,
		`SELECT ?a ?x { ?a a <urn:test:K2> OPTIONAL { ?x <urn:test:owed> ?y . ?y <urn:test:size> ?n } }`,
		`SELECT ?a { ?a a <urn:test:K2> FILTER NOT EXISTS { ?x <urn:test:owed> ?y . ?a <urn:test:one> ?y } }`,
		`SELECT ?a { ?a a <urn:test:K2> FILTER EXISTS { ?x <urn:test:kind> ?k . ?a <urn:test:many> ?x } }`,
		`SELECT ?a { ?a a <urn:test:K2> MINUS { ?x <urn:test:owed> ?y . ?a <urn:test:many> ?y } }`,
		`SELECT ?a ?x { { ?a <urn:test:one> ?x } UNION { ?x <urn:test:owed> ?a } UNION { ?x <urn:test:kind> ?a } }`,
		`SELECT ?a ?x { ?a <urn:test:one> ?b . ?x a ?k . ?x <urn:test:many> ?b } ORDER BY DESC(?x) ?a`,
		`SELECT ?s { ?x a <urn:test:K2> ; <urn:test:size> ?s } ORDER BY DESC(?s) LIMIT 9`,
	}, pastAnswers...)
	for _, scans := range []db.Scans{db.ScansNever, db.ScansChosen, db.ScansAlways} {
		dir := t.TempDir()
		f, err := fileWith(t.Context(), filepath.Join(dir, "a.db"), nil, db.Options{Scans: scans})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { f.Close() })
		early := write(t, f, first, nil)
		w, err := f.Write(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(w.AddBranch(t.Context(), "b", early), w.Keep(t.Context())); err != nil {
			t.Fatal(err)
		}
		if _, err := writeOn(t.Context(), f, "b", nil, branched, removed); err != nil {
			t.Fatal(err)
		}
		write(t, f, nil, removed)
		left := slices.DeleteFunc(slices.Clone(first), func(q rdf.Quad) bool { return slices.Contains(removed, q) })
		for i, c := range []struct {
			view        db.View
			quads, ever []rdf.Quad
		}{{db.View{}, left, first}, {db.View{At: early.ID}, first, first}, {db.View{Branch: "b"}, slices.Concat(left, branched), quads}} {
			c.view.Rights = rights
			hides := hiding(*rights, c.ever)
			twin, err := fileWith(t.Context(), filepath.Join(dir, fmt.Sprint(i, ".db")), slices.DeleteFunc(slices.Clone(c.quads), hides), db.Options{Scans: scans})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { twin.Close() })
			want := read(t, twin)
			r, err := f.Read(t.Context(), c.view)
			if err != nil {
				t.Fatal(err)
			}
			for range 2 { // what the first round found is known in the second one
				if diff := cmp.Diff(rowsOf(t, want, texts), rowsOf(t, r, texts)); diff != "" {
					t.Errorf("view %d, scans %v: %s", i, scans, diff)
				}
			}
			r.Close()
		}
	}
}

package kg

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"trails/auth/policy"
	"trails/db"
	"trails/fault"
	"trails/kg/change"
	"trails/rdf"
)

const placesSchema = `
base: "urn:m:"
types:
  Place:
    iri: preserve
    properties:
      name: {type: string}
      near: {class: Place, many: true}
`

const places = "urn:m:Place/"

// placesGraph has a hub, and so many places that are near it and that it is near to.
func placesGraph(t *testing.T, around int) *Session {
	t.Helper()
	path := filepath.Join(t.TempDir(), "places.db")
	if err := Create(t.Context(), path, CreateOptions{Base: "urn:m:", Schema: []byte(placesSchema)}); err != nil {
		t.Fatal(err)
	}
	g, err := Open(t.Context(), path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { g.Close() })
	s := g.Session(policy.Principal{ID: "test"})
	edits := []change.Edit{placeEdit(change.Assert, "hub", rdf.Type, rdf.IRI("urn:m:Place")), placeEdit(change.Assert, "hub", rdf.IRI("urn:m:name"), rdf.Literal("Hub", ""))}
	for i := range around {
		name := fmt.Sprint("p", i)
		edits = append(edits,
			placeEdit(change.Assert, name, rdf.Type, rdf.IRI("urn:m:Place")),
			placeEdit(change.Assert, name, rdf.IRI("urn:m:near"), rdf.IRI(places+"hub")),
			placeEdit(change.Assert, "hub", rdf.IRI("urn:m:near"), rdf.IRI(places+name)))
	}
	if _, err := s.Commit(t.Context(), ChangeSet{Edits: edits}); err != nil {
		t.Fatal(err)
	}
	return s
}

func placeEdit(op change.Op, place string, p rdf.IRI, o rdf.Term) change.Edit {
	q := rdf.Quad{Subject: rdf.IRI(places + place), Object: o}
	if p != "" {
		q.Predicate = p
	}
	return change.Edit{Op: op, Quad: q}
}

// with sets a bound for one test.
func with[T any](t *testing.T, bound *T, value T) {
	t.Helper()
	before := *bound
	*bound = value
	t.Cleanup(func() { *bound = before })
}

// A change of a hub holds what the change is about, and not all that is said of it.
func TestAChangeOfAHubHoldsWhatItIsAbout(t *testing.T) {
	s := placesGraph(t, 200)
	with(t, &hub, 50)
	name := rdf.IRI("urn:m:name")
	count := func() (n int) {
		t.Helper()
		r, err := s.graph.file.Read(t.Context(), db.View{})
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		for _, err := range r.Match(t.Context(), rdf.Quad{Subject: rdf.IRI(places + "hub")}) {
			if err != nil {
				t.Fatal(err)
			}
			n++
		}
		return n
	}
	if got := count(); got != 202 {
		t.Fatalf("%d statements", got)
	}
	for _, c := range []struct {
		what  string
		edits []change.Edit
		left  int
	}{
		{"another name", []change.Edit{placeEdit(change.Clear, "hub", name, nil), placeEdit(change.Assert, "hub", name, rdf.Literal("Center", ""))}, 202},
		{"the same again", []change.Edit{placeEdit(change.Assert, "hub", name, rdf.Literal("Center", ""))}, 202},
		{"one less", []change.Edit{placeEdit(change.Retract, "hub", rdf.IRI("urn:m:near"), rdf.IRI(places+"p7"))}, 201},
		{"a default that is not needed", []change.Edit{placeEdit(change.Default, "hub", name, rdf.Literal("Nothing", ""))}, 201},
		{"all neighbours but one", []change.Edit{placeEdit(change.Clear, "hub", rdf.IRI("urn:m:near"), nil), placeEdit(change.Assert, "hub", rdf.IRI("urn:m:near"), rdf.IRI(places+"p9"))}, 3},
	} {
		if _, err := s.Commit(t.Context(), ChangeSet{Edits: c.edits}); err != nil {
			t.Errorf("%s: %v", c.what, err)
		}
		if got := count(); got != c.left {
			t.Errorf("%s: %d statements are left, want %d", c.what, got, c.left)
		}
	}
	_, err := s.Commit(t.Context(), ChangeSet{Edits: []change.Edit{placeEdit(change.Fresh, "hub", "", nil), placeEdit(change.Assert, "hub", name, rdf.Literal("Hub", ""))}})
	if err == nil {
		t.Error("the hub was made though it is there")
	}
}

// What stands against an undo is found at a hub, too, of which not all is held.
func TestWhatStandsAgainstAnUndoIsFoundAtAHub(t *testing.T) {
	s := placesGraph(t, 200)
	with(t, &hub, 50)
	made, name := s.graph.file.LatestHead(t.Context(), nil).ID, rdf.IRI("urn:m:name")
	do := func(edits ...change.Edit) CommitID {
		t.Helper()
		r, err := s.Commit(t.Context(), ChangeSet{Edits: edits})
		if err != nil {
			t.Fatal(err)
		}
		return r.After.ID
	}
	none := do(placeEdit(change.Clear, "hub", name, nil))
	center := do(placeEdit(change.Assert, "hub", name, rdf.Literal("Center", "")))
	for what, c := range map[string]struct {
		commit CommitID
		said   string
	}{
		"another value":  {none, "Place/hub: name has another value now (commit " + center.String() + ")"},
		"all of the hub": {made, "Place/hub: name has another value now"},
	} {
		_, err := s.Undo(t.Context(), Undo{Commit: c.commit})
		if !fault.Is(err, fault.Conflict) || !strings.Contains(err.Error(), c.said) {
			t.Errorf("%s: %v", what, err)
		}
	}
	for _, commit := range []CommitID{center, none} {
		if _, err := s.Undo(t.Context(), Undo{Commit: commit}); err != nil {
			t.Error(err)
		}
	}
}

// What cannot be done within the memory is refused with what to do, and changes nothing.
func TestStatementsThatTakeTooMuchMemoryAreRefused(t *testing.T) {
	s := placesGraph(t, 200)
	with(t, &hub, 50)
	with(t, &heldBytes, 100*500)
	for what, edits := range map[string][]change.Edit{
		"all neighbours go at once":    {placeEdit(change.Clear, "hub", rdf.IRI("urn:m:near"), nil)},
		"validation reads all of them": {placeEdit(change.Assert, "hub", rdf.IRI("urn:m:name"), rdf.Literal("Other", ""))},
	} {
		before := s.graph.file.LatestHead(t.Context(), nil)
		_, err := s.Commit(t.Context(), ChangeSet{Edits: edits})
		if !fault.Is(err, fault.TooLarge) || !strings.Contains(err.Error(), "<"+places+"hub> has too many statements") {
			t.Errorf("%s: %v", what, err)
		}
		if after := s.graph.file.LatestHead(t.Context(), nil); after.ID != before.ID {
			t.Errorf("%s: the head moved", what)
		}
	}
}

// A check of those who refer to what lost its type remembers few of them, and still
// reports each error once.
func TestACheckRemembersFewNodes(t *testing.T) {
	s := placesGraph(t, 300)
	var want string
	for _, most := range []int{maxSeen, 10} {
		with(t, &maxSeen, most)
		_, err := s.Commit(t.Context(), ChangeSet{Edits: []change.Edit{placeEdit(change.Erase, "hub", "", nil)}})
		if !fault.Is(err, fault.InvalidData) {
			t.Fatalf("%d: %v", most, err)
		}
		seen := map[string]bool{}
		for _, f := range fault.Of(err).Fields {
			if seen[f.Node] {
				t.Errorf("%d: %s is reported twice", most, f.Node)
			}
			seen[f.Node] = true
		}
		if got := fmt.Sprint(len(seen), fault.Of(err).Message); want == "" {
			want = got
		} else if got != want {
			t.Errorf("with %d nodes remembered %s, without a bound %s", most, got, want)
		}
	}
}

// However many subjects lose a type, those who refer to each are checked.
func TestAllThatLostATypeAreLookedAt(t *testing.T) {
	if testing.Short() {
		t.Skip("2,500 places, and one goroutine")
	}
	const many = 2500 // more than are held at a time
	s := placesGraph(t, many)
	lose := func(names ...string) error {
		var edits []change.Edit
		for _, name := range names {
			edits = append(edits, placeEdit(change.Erase, name, "", nil))
		}
		_, err := s.Commit(context.Background(), ChangeSet{Edits: edits})
		return err
	}
	var all []string
	for i := range many {
		all = append(all, fmt.Sprint("p", i))
	}
	err := lose(all...)
	if !fault.Is(err, fault.InvalidData) {
		t.Fatalf("the hub refers to places that are gone: %v", err)
	}
	if err := lose(append(all, "hub")...); err != nil {
		t.Errorf("nobody refers to them any more: %v", err)
	}
}

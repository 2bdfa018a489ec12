package db_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"trails/db"
	"trails/rdf"
	"trails/text/fulltext"
)

// searchTexts passes the texts that a search finds to take.
func searchTexts(ctx context.Context, r *db.Reader, query fulltext.Query, matching db.Matching, take func([]db.TextHit) (bool, error)) (bool, error) {
	texts, err := r.FindTexts(ctx, db.TextSearch{Query: query})
	if err != nil {
		return false, err
	}
	return texts.Texts(matching, take)
}

// A process keeps the words of the texts that are not in the index yet. Each snapshot has those
// that it sees, while texts come, go into the index, and are undone, their ids given to others.
func TestASnapshotFindsTheTextsThatAreNotInTheIndexYet(t *testing.T) {
	f := create(t)
	write(t, f, []rdf.Quad{q("a", "name", rdf.String("the first of all"))}, nil)
	finds := func(r *db.Reader, text string) string {
		t.Helper()
		query, err := fulltext.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		var found []string
		_, err = searchTexts(t.Context(), r, query, db.MatchAll, func(hits []db.TextHit) (bool, error) {
			for _, h := range hits {
				found = append(found, strings.TrimPrefix(string(h.Subject.(rdf.IRI)), "urn:test:"))
			}
			return true, nil
		})
		if err != nil {
			t.Fatal(err)
		}
		slices.Sort(found)
		return strings.Join(found, " ")
	}
	is := func(got, want string) {
		t.Helper()
		if got != want {
			t.Errorf("found %q, want %q", got, want)
		}
	}
	another := open(t, f.Path()) // as another process would
	long := strings.Repeat("filling ", 8_000)
	type snapshot struct {
		*db.Reader
		all string
	}
	var before []snapshot
	names := []string{"a"}
	for i := range 8 {
		name := fmt.Sprint("n", i)
		f, another = another, f
		w, err := f.Write(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Add(t.Context(), q("gone", "name", rdf.String(fmt.Sprintf("first undone%d", i)))); err != nil {
			t.Fatal(err)
		}
		is(finds(w.Reader, fmt.Sprintf("undone%d", i)), "gone")
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		// The long texts bring what came before into the index with each third one.
		write(t, f, []rdf.Quad{q(name, "name", rdf.String(fmt.Sprintf("FirstWord kept%d", i))), q(name, "text", rdf.String(fmt.Sprint(long, i)))}, nil)
		names = append(names, name)
		r := read(t, f)
		before = append(before, snapshot{r, strings.Join(names, " ")})
		for _, s := range before {
			is(finds(s.Reader, "first"), s.all)
		}
		is(finds(r, fmt.Sprintf(`"word kept%d"`, i)), name)
		is(finds(r, "undone"), "")
		is(finds(before[0].Reader, "firstword kept"), "n0")
	}
}

package rank_test

import (
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"trails/gateway/gatewaytest"
	"trails/gateway/rank"
	"trails/text/fulltext"
)

type labelled struct {
	Query    string
	Expected []string
}

func catalog(t testing.TB, size int) []rank.Document {
	var items []struct {
		ID, Namespace, Name, Description string
		Tags, Examples                   []string
		Schema                           struct{ Properties map[string]json.RawMessage } `json:"args_schema"`
	}
	gatewaytest.Read(t, fmt.Sprintf("catalog_%d.json", size), &items)
	var documents []rank.Document
	for _, item := range items {
		d := rank.Document{ID: item.ID, Group: item.Namespace, Name: item.Name, Description: item.Description, Tags: item.Tags, Examples: item.Examples}
		for name := range item.Schema.Properties {
			d.Parameters = append(d.Parameters, name)
		}
		slices.Sort(d.Parameters)
		documents = append(documents, d)
	}
	return documents
}

// lines are those of a table in testdata, by columns.
func lines(t testing.TB, name string) (rows [][]string) {
	t.Helper()
	text, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		rows = append(rows, strings.Split(strings.TrimRight(line, "\n"), "\t"))
	}
	return rows
}

// own are queries of ours: queries.tsv for the namespaces that the labelled ones leave out,
// spoken.tsv for all, most of them without the words of the tool.
func own(t testing.TB, name string) (queries []labelled) {
	t.Helper()
	for _, row := range lines(t, name) {
		queries = append(queries, labelled{row[1], row[:1]})
	}
	return queries
}

// quality is how well an index answers: the mean share of what is expected among the first
// five, and the mean of one over the place of the first that is.
func quality(x *rank.Index, documents []rank.Document, queries []labelled, missed func(labelled, []string)) (recall, reciprocal float64, asked int) {
	known := map[string]bool{}
	for _, d := range documents {
		known[d.ID] = true
	}
	for _, q := range queries {
		expected := slices.DeleteFunc(slices.Clone(q.Expected), func(id string) bool { return !known[id] })
		if len(expected) == 0 {
			continue
		}
		asked++
		found, first := 0, 0
		var got []string
		for i, hit := range x.Search(q.Query, 10) {
			id := documents[hit.Document].ID
			if i < 5 {
				got = append(got, id)
			}
			if !slices.Contains(expected, id) {
				continue
			}
			if i < 5 {
				found++
			}
			if first == 0 {
				first = i + 1
			}
		}
		recall += float64(found) / float64(len(expected))
		if first > 0 {
			reciprocal += 1 / float64(first)
		}
		if found < len(expected) && missed != nil {
			missed(q, got)
		}
	}
	return recall / float64(asked), reciprocal / float64(asked), asked
}

// Plain BM25 finds 0.832, 0.793, 0.788, 0.623 and 0.618 of what is expected; each half of the
// queries has to find what all of them must. Queries for tools that a catalog does not have are
// not asked of it: of the 100 labelled ones that of 50 tools has the tools of 80, so that who
// counts all of them finds 0.76 there and 0.93 in the others.
func TestToolsAreFound(t *testing.T) {
	var gold []labelled
	gatewaytest.Read(t, "routing_gold.json", &gold)
	var halves [2][]labelled
	for i, q := range gold {
		halves[i%2] = append(halves[i%2], q)
	}
	for _, c := range []struct {
		size  int
		least float64
	}{{50, 0.85}, {83, 0.82}, {100, 0.82}, {500, 0.80}, {1000, 0.80}} {
		documents := catalog(t, c.size)
		x := rank.New(documents)
		for i, queries := range [][]labelled{gold, halves[0], halves[1], own(t, "queries.tsv"), own(t, "spoken.tsv")} {
			set := []string{"all labelled queries", "one half", "the other half", "our own", "spoken ones"}[i]
			recall, reciprocal, asked := quality(x, documents, queries, func(q labelled, got []string) {
				if c.size == 1000 && (i == 0 || i == 3) {
					t.Logf("%s: %q are not all in %q", q.Query, q.Expected, got)
				}
			})
			t.Logf("of %4d tools, %s: recall@5 %.3f, MRR %.3f (%d queries)", c.size, set, recall, reciprocal, asked)
			if recall < c.least {
				t.Errorf("of %d tools, %s find %.3f among the first five, at least %.2f", c.size, set, recall, c.least)
			}
		}
	}
}

// What is found among many tools is found among few of them, too.
func TestFewToolsAreFoundAsManyAre(t *testing.T) {
	few := catalog(t, 50)
	known := map[string]bool{}
	for _, d := range few {
		known[d.ID] = true
	}
	var queries []labelled
	gatewaytest.Read(t, "routing_gold.json", &queries)
	queries = slices.DeleteFunc(slices.Concat(queries, own(t, "queries.tsv"), own(t, "spoken.tsv")), func(q labelled) bool {
		return slices.ContainsFunc(q.Expected, func(id string) bool { return !known[id] })
	})
	least := 0.0
	for _, size := range []int{1000, 83, 50} {
		documents := catalog(t, size)
		recall, reciprocal, asked := quality(rank.New(documents), documents, queries, nil)
		t.Logf("of %4d tools: recall@5 %.3f, MRR %.3f (%d queries)", size, recall, reciprocal, asked)
		if recall < least {
			t.Errorf("of %d tools %.3f are found, of more %.3f", size, recall, least)
		}
		least = recall
	}
}

// servers are tools as servers in use have them: of files, repositories, browsers, mail, maps and
// of this program.
func servers(t testing.TB) (documents []rank.Document) {
	for _, row := range lines(t, "servers.tsv") {
		group, name, _ := strings.Cut(row[0], ":")
		d := rank.Document{ID: row[0], Group: group, Name: name, Description: row[1], Parameters: strings.Split(row[2], ","), Tags: []string{"mcp"}}
		if row[3] != "" {
			d.Tags = append(d.Tags, row[3])
		}
		documents = append(documents, d)
	}
	return documents
}

func TestToolsOfServersAreFound(t *testing.T) {
	documents := servers(t)
	x := rank.New(documents)
	recall, reciprocal, asked := quality(x, documents, own(t, "servers_queries.tsv"), func(q labelled, got []string) {
		t.Logf("%s: %q is not in %q", q.Query, q.Expected, got)
	})
	t.Logf("recall@5 %.3f, MRR %.3f (%d queries)", recall, reciprocal, asked)
	if recall < 0.82 {
		t.Errorf("%.3f are found among the first five", recall)
	}
	for request, want := range map[string]string{
		"read file": "fs:read_text_file", "read a text file": "fs:read_text_file", "write file": "fs:write_file", "create issue": "github:create_issue", "run sparql": "trails:query",
	} {
		if got := named(x.Search(request, 2), documents); !slices.Contains(strings.Fields(got), want) {
			t.Errorf("%q finds %s first, want %s", request, got, want)
		}
	}
}

// A tag is one term: its words are no words of the text, and all of them together find it.
func TestTagsAreNoWordsOfTheText(t *testing.T) {
	words := []string{"read", "only", "high", "risk", "beta", "needs", "review"}
	rapid.Check(t, func(t *rapid.T) {
		of := rapid.SliceOfNDistinct(rapid.SampledFrom(words), 2, 3, rapid.ID).Draw(t, "tag")
		x := rank.New([]rank.Document{{ID: "a:one", Name: "one", Tags: []string{strings.Join(of, rapid.SampledFrom([]string{"-", "_", " "}).Draw(t, "sign"))}}})
		for _, word := range of {
			if hits := x.Search(word+" tools", 5); len(hits) > 0 {
				t.Fatalf("%q finds a tool with the tag %q", word, of)
			}
		}
		for _, request := range []string{strings.Join(of, "-"), "list " + strings.Join(of, "_") + " tools", strings.Join(of, " ")} {
			if hits := x.Search(request, 5); len(hits) != 1 {
				t.Fatalf("%q does not find a tool with the tag %q", request, of)
			}
		}
	})
	x := rank.New([]rank.Document{{ID: "a:one", Name: "one", Tags: []string{"billing"}}})
	if hits := x.Search("billing", 5); len(hits) != 1 {
		t.Error("a tag of one word is not found by it")
	}
}

func named(hits []rank.Hit, documents []rank.Document) string {
	var names []string
	for _, hit := range hits {
		names = append(names, documents[hit.Document].ID)
	}
	return strings.Join(names, " ")
}

func TestWordsOfToolsAreFound(t *testing.T) {
	documents := []rank.Document{
		{ID: "gh:getPullRequest", Group: "gh", Name: "getPullRequest"},
		{ID: "gh:issues", Group: "gh", Name: "issues", Description: "Tickets of a repository", Parameters: []string{"assigneeLogin"}},
		{ID: "kg:a", Group: "kg", Name: "create", Types: []string{"Technique"}},
		{ID: "kg:b", Group: "kg", Name: "create", Types: []string{"AttackGroup"}},
		{ID: "wx:get", Group: "wx", Name: "get", Examples: []string{"will it rain tomorrow in Città di Castello"}},
		{ID: "wx:b", Group: "wx", Name: "same", Tags: []string{"equal"}},
		{ID: "wx:a", Group: "wx", Name: "same", Tags: []string{"equal"}},
	}
	x := rank.New(documents)
	for request, want := range map[string]string{
		"pull requests": "gh:getPullRequest wx:get", "the getpullrequest tool": "gh:getPullRequest", "assignee": "gh:issues", "TICKETS": "gh:issues",
		"add a technique": "kg:a kg:b", "tickets of my gitrepository": "gh:issues", "add an attack group": "kg:b kg:a", "raining citta": "wx:get", "equal": "wx:a wx:b",
		"": "", "the of and": "", "zzz ¿?": "",
	} {
		if got := named(x.Search(request, 5), documents); got != want {
			t.Errorf("%q finds %q, want %q", request, got, want)
		}
	}
	if got := x.Search("equal", 0); len(got) != 0 {
		t.Errorf("none are asked for, and %v are found", got)
	}
	if got := rank.New(nil).Search("anything", 5); len(got) != 0 {
		t.Errorf("among none %v are found", got)
	}
}

// What is one tool in several versions stands in one place, and the version that is asked for
// stands for all.
func TestVersionsOfOneToolAreOne(t *testing.T) {
	documents := []rank.Document{
		{ID: "a:export_v2", Group: "a", Name: "export_v2", Description: "Export the log (variant 2)"},
		{ID: "a:export", Group: "a", Name: "export", Description: "Export the log"},
		{ID: "a:export_v3", Group: "a", Name: "export_v3", Description: "Export the log (variant 3)"},
		{ID: "a:export_4", Group: "a", Name: "export_4", Description: "Something else about export"},
		{ID: "b:export", Group: "b", Name: "export", Description: "Export the log"},
		{ID: "b:sha256", Group: "b", Name: "sha256", Description: "Digest of a file"},
		{ID: "b:sha512", Group: "b", Name: "sha512", Description: "Digest of a file"},
	}
	x := rank.New(documents)
	for request, want := range map[string]string{
		"export": "a:export b:export a:export_4", "export v3": "a:export_v3 b:export a:export_4", "digest": "b:sha256 b:sha512",
	} {
		hits := x.Search(request, 5)
		if got := named(hits, documents); got != want {
			t.Errorf("%q finds %q, want %q", request, got, want)
		}
		if request == "export" && !slices.Equal(hits[0].Alike, []int{0, 2}) {
			t.Errorf("like the first hit are %v", hits[0].Alike)
		}
	}
}

// Whatever is asked, hits are ordered by score and then by id, none comes twice, a shorter
// list begins a longer one, and the same is found again.
func TestHitsAreOrdered(t *testing.T) {
	documents := catalog(t, 500)
	x := rank.New(documents)
	var vocabulary []string
	for _, d := range documents {
		vocabulary = append(vocabulary, strings.Fields(d.Description)...)
	}
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SliceOfN(rapid.OneOf(rapid.SampledFrom(vocabulary), rapid.String()), 0, 8).Draw(t, "words")
		request := strings.Join(words, " ")
		hits := x.Search(request, 40)
		seen := map[int]bool{}
		for i, hit := range hits {
			if i > 0 {
				before := hits[i-1]
				if before.Score < hit.Score || before.Score == hit.Score && documents[before.Document].ID >= documents[hit.Document].ID {
					t.Fatalf("%v stands behind %v", hit, before)
				}
			}
			if seen[hit.Document] || hit.Score <= 0 {
				t.Fatalf("%v comes twice, or has nothing of what was asked", hit)
			}
			seen[hit.Document] = true
			for _, other := range hit.Alike {
				if seen[other] {
					t.Fatalf("%v is like %v, and is found by itself", other, hit)
				}
				seen[other] = true
			}
		}
		if fewer := x.Search(request, 3); !reflect.DeepEqual(fewer, hits[:min(3, len(hits))]) {
			t.Fatalf("%v are no beginning of %v", fewer, hits)
		}
	})
}

// Each word of the thesaurus is one that the index has a use for, and no two of a line have
// one stem.
func TestTheThesaurusSaysSomething(t *testing.T) {
	text, err := os.ReadFile("thesaurus.txt")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		stems := map[string]bool{}
		for _, word := range strings.Fields(line) {
			if fulltext.IsCommon(word) || stems[fulltext.Stem(word)] {
				t.Errorf("%s: %s says nothing, or is there already", strings.TrimSpace(line), word)
			}
			stems[fulltext.Stem(word)] = true
		}
		if len(stems) < 2 {
			t.Errorf("%s: a meaning has two words or more", strings.TrimSpace(line))
		}
	}
}

// many are so many tools of servers of ten tools and more, no two of them alike.
func many(t testing.TB, n int) []rank.Document {
	var documents []rank.Document
	known := catalog(t, 83)
	for i := range n {
		d := known[i%len(known)]
		server := fmt.Sprintf("%s%c%c", d.Group, 'a'+i/83%26, 'a'+i/83/26%26)
		d.ID, d.Group = strings.Replace(d.ID, d.Group, server, 1), server
		d.Parameters = []string{"page_size", "cursor", "fields", server}
		documents = append(documents, d)
	}
	return documents
}

func BenchmarkNew10000(b *testing.B) {
	documents := many(b, 10_000)
	b.ReportAllocs()
	for b.Loop() {
		rank.New(documents)
	}
}

func BenchmarkSearch(b *testing.B) {
	for _, size := range []int{1_000, 10_000} {
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			x := rank.New(many(b, size))
			b.ReportAllocs()
			for b.Loop() {
				x.Search("show me all payments received from a customer this month", 10)
			}
		})
	}
}

package artifact_test

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"trails/gateway/artifact"
)

// wrapped is the envelope of a text that is kept, and the artifact.
func wrapped(t testing.TB, text, mediaType string) (artifact.Envelope, artifact.Artifact) {
	t.Helper()
	e, kept := artifact.Wrap(artifact.Source{ToolID: "a:b", Tool: "b"}, []artifact.Part{{Kind: "text", MediaType: mediaType, Data: []byte(text)}})
	if len(kept) != 1 {
		t.Fatalf("%d are kept of %.40q", len(kept), text)
	}
	return e, kept[0]
}

// viewsOf are the types of the views that an envelope suggests, each of which shows something.
func viewsOf(t testing.TB, text, mediaType string) string {
	t.Helper()
	e, a := wrapped(t, text, mediaType)
	var types []string
	for _, s := range e.Views {
		v, err := a.View(s)
		if err != nil || v.Text == "" {
			t.Errorf("%.40q: the view %+v shows %q (%v)", text, s, v.Text, err)
		}
		said, err := json.Marshal(s)
		var head struct{ Type string }
		if err != nil || json.Unmarshal(said, &head) != nil {
			t.Fatal(err)
		}
		types = append(types, head.Type)
	}
	return strings.Join(types, " ")
}

func repeated(n int, line func(i int) string) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(line(i) + "\n")
	}
	return b.String()
}

func TestArtifactsAreWhatTheyAre(t *testing.T) {
	const text, table = "lines grep head", "rows"
	word := func(i int) string {
		return []string{"storage", "network", "quota", "replica", "ledger", "index", "worker"}[i*i%7]
	}
	for name, c := range map[string]struct{ of, want string }{
		"a log with milliseconds": {repeated(200, func(i int) string {
			return fmt.Sprintf("2026-11-20 10:%02d:%02d,%03d INFO %s is ready", i/60, i%60, i*7%1000, word(i))
		}), text},
		"a log with as many commas in each line":  {repeated(200, func(i int) string { return fmt.Sprintf("INFO, %s started, port %d", word(i), 8000+i) }), text},
		"a log that begins with three even lines": {"started, ok\nlistening, ok\nready, ok\n" + repeated(200, func(i int) string { return "request " + strings.Repeat(word(i)+", ", i%5) }), text},
		"a log with a level first":                {repeated(200, func(i int) string { return fmt.Sprintf("WARN  %s answered late, again", word(i)) }), text},
		"a log of names and values":               {repeated(200, func(i int) string { return fmt.Sprintf("level=info, msg=%s, took=%d", word(i), i) }), text},
		"a log of syslog": {repeated(200, func(i int) string {
			return fmt.Sprintf("Nov 20 10:00:%02d host app[%d]: %s, done", i%60, i, word(i))
		}), text},
		"a log with bars":                            {repeated(200, func(i int) string { return fmt.Sprintf("2026-11-20 10:00:%02d | INFO | %s", i%60, word(i)) }), text},
		"prose with a comma in each line":            {repeated(200, func(i int) string { return fmt.Sprintf("Then came the %s of the house, and nobody spoke.", word(i)) }), text},
		"prose in three lines":                       {"Dear all, thanks\nWe met, as planned\nIt went, well", text},
		"prose with two commas":                      {"Well, yes, perhaps\nHe came, saw, and left\nNo, never, she said", text},
		"names in lines":                             {"Smith; Anna\nJones; Bo\nBrown; Cy", "lines head"},
		"a table with spaces and numbers":            {"name, size\n" + repeated(200, func(i int) string { return fmt.Sprintf("%s, %d", word(i), i) }), table},
		"a table with bars and spaces":               {"name | city\n" + repeated(200, func(i int) string { return fmt.Sprintf("%s%d | %s", word(i), i, word(i+1)) }), table},
		"prose with quotations":                      {repeated(200, func(i int) string { return fmt.Sprintf("He said \"no, %s\", and left", word(i)) }), text},
		"a list of numbers":                          {repeated(200, func(i int) string { return fmt.Sprintf("%d,%d,%d", i, i*2, i*3) }), "lines head"},
		"code":                                       {repeated(200, func(i int) string { return fmt.Sprintf("call(%d, %q, nil)", i, word(i)) }), text},
		"a Markdown table":                           {"| name | size |\n|---|---|\n" + repeated(200, func(i int) string { return fmt.Sprintf("| %s | %d |", word(i), i) }), text},
		"a table":                                    {"name,size\n" + repeated(200, func(i int) string { return fmt.Sprintf("%s,%d", word(i), i) }), table},
		"a table of texts":                           {"first name,last name\n" + repeated(200, func(i int) string { return fmt.Sprintf("%s%d,%s%d", word(i), i, word(i+1), i) }), table},
		"a table with commas and line ends in cells": {"name,about\n" + repeated(200, func(i int) string { return fmt.Sprintf("%s,\"one, two\nand %d\"", word(i), i) }), table},
		"a table with years":                         {"country,2019,2020\n" + repeated(200, func(i int) string { return fmt.Sprintf("%s%d,%d,%d", word(i), i, i, i) }), table},
		"a table with tabs":                          {"name\tsize\n" + repeated(200, func(i int) string { return fmt.Sprintf("%s\" of\t%d", word(i), i) }), table},
		"a table with semicolons":                    {"name;price\n" + repeated(200, func(i int) string { return fmt.Sprintf("%s;%d,5", word(i), i) }), table},
		"a table with bars":                          {"name|price\n" + repeated(200, func(i int) string { return fmt.Sprintf("%s|%d", word(i), i) }), table},
		"a long table":                               {"name,size\n" + repeated(20_000, func(i int) string { return fmt.Sprintf("%s,%d", word(i), i) }), table},
		"a table that ends as prose":                 {"name,size\n" + repeated(4_000, func(i int) string { return fmt.Sprintf("%s,%d", word(i), i) }) + repeated(20_000, func(i int) string { return "and so on " + word(i) }), text},
		"a table with a last line":                   {"name,size\n" + repeated(200, func(i int) string { return fmt.Sprintf("%s,%d", word(i), i) }) + "(200 rows)\n", table},
		"one short line":                             {strings.Repeat("word ", 1_000), ""},
		"one long line":                              {strings.Repeat("word ", 5_000), "head"},
		"numbers in lines":                           {repeated(200, func(i int) string { return fmt.Sprint(i, " ", i) }), "lines head"},
	} {
		if got := viewsOf(t, c.of, ""); got != c.want {
			e, _ := wrapped(t, c.of, "")
			t.Errorf("%s suggests %q, want %q; its shape is %q", name, got, c.want, e.Shape)
		}
	}
	if got := viewsOf(t, "INFO, a\nINFO, b\nINFO, c\n", "text/csv"); got != table {
		t.Errorf("what says that it is a table suggests %q", got)
	}
	if e, _ := wrapped(t, repeated(300, func(i int) string { return fmt.Sprintf("step %d failed", i) }), ""); !slices.ContainsFunc(e.Views, func(s artifact.Selector) bool {
		g, is := s.(*artifact.Grep)
		return is && strings.Contains(g.Pattern, "fail")
	}) {
		t.Errorf("a log with failures suggests %v", e.Views)
	}
}

// Whatever its cells have, a table that is written as CSV is one, and its lines joined otherwise are
// none.
func TestTablesAreKnownByTheirWholeText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		comma := rapid.SampledFrom([]rune{',', ';', '\t', '|'}).Draw(t, "comma")
		columns := rapid.SliceOfNDistinct(rapid.StringMatching(`[a-z]{3,9}( [a-z]{2,6})?`), 2, 6, rapid.ID).Draw(t, "columns")
		cell := rapid.OneOf(rapid.StringMatching(`[A-Z][A-Za-z ,;'"|.:=]{0,30}`), rapid.StringMatching(`[0-9]{1,6}(\.[0-9]{1,2})?`)).
			Filter(func(cell string) bool { // what stands beneath again is no name
				return !slices.ContainsFunc(columns, func(name string) bool { return strings.EqualFold(name, strings.TrimSpace(cell)) })
			})
		n := rapid.IntRange(30, 120).Draw(t, "rows")
		var b strings.Builder
		w := csv.NewWriter(&b)
		w.Comma = comma
		_ = w.Write(columns) // to a builder
		for range n {
			row := rapid.SliceOfN(cell, len(columns), len(columns)).Draw(t, "row")
			_ = w.Write(row)
		}
		w.Flush()
		e, kept := artifact.Wrap(artifact.Source{ToolID: "a:b"}, []artifact.Part{{Kind: "text", Data: []byte(b.String())}})
		if want := fmt.Sprintf("table of %d rows with the columns %s", n, strings.Join(columns, ", ")); e.Shape != want {
			t.Fatalf("the shape is %q, want %q\n%s", e.Shape, want, b.String())
		}
		if v, err := kept[0].View(&artifact.Rows{Limit: 1, Columns: columns[1:]}); err != nil || !strings.HasPrefix(v.Text, columns[1]) {
			t.Fatalf("%q (%v)", v.Text, err)
		}
	})
}

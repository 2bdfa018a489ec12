package outline_test

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"trails/text/outline"
)

func TestTextIsATableOrLines(t *testing.T) {
	for name, c := range map[string]struct{ json, text string }{
		"members are lines": {
			`{"id":"ada","commit":null,"added":3,"labels":["a","b; c",""]}`,
			"id: ada\ncommit: null\nadded: 3\nlabels: a; \"b; c\"; \"\"",
		},
		"columns and rows are a table": {
			`{"cut":"go on with cursor 2","columns":["id","name","of"],"rows":[["Person/ada","Ada | Lovelace",null],["Person/b",1,["x","y"]]]}`,
			"cut: go on with cursor 2\nid | name | of\nPerson/ada | \"Ada | Lovelace\" |\nPerson/b | 1 | x; y",
		},
		"rows that do not fit their columns are no table": {
			`{"columns":["a"],"rows":[[1,2]]}`, "columns: a\nrows:\n- 1; 2",
		},
		"objects without depth are a table": {
			`{"commits":[{"id":"1","why":"a"},{"id":"2","who":"me"}]}`,
			"commits:\n  id | why | who\n  1 | a |\n  2 |  | me",
		},
		"depth is indented": {
			`{"steps":[{"text":"add","breaks":[{"field":"x","message":"two\nlines"}]}],"types":{"Person":3,"Note":5},"none":[]}`,
			"steps:\n- text: add\n  breaks:\n    field | message\n    x | \"two\\nlines\"\ntypes: {Person: 3, Note: 5}\nnone: none",
		},
		"a text of lines follows its name": {
			`{"text":"a\nb\n","in":{"yaml":"c\nd"}}`, "text:\na\nb\nin:\n  yaml:\n  c\n  d",
		},
		"what is no object is one line": {`["a",1]`, "a; 1"},
	} {
		t.Run(name, func(t *testing.T) {
			v, err := outline.Parse([]byte(c.json))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.text, v.Text()); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

func TestFitSaysWhatItLeftOut(t *testing.T) {
	long := strings.Repeat("x", 5000)
	for name, c := range map[string]struct {
		value any
		limit int
		cut   []string
		keeps string
	}{
		"what fits stays":               {map[string]any{"a": long}, 6000, nil, long},
		"a text loses its end":          {map[string]any{"a": long, "b": "short"}, 1000, []string{"a has 979 of 5000 characters"}, `"b":"short"`},
		"a list loses its last members": {map[string]any{"list": []string{long[:400], long[:400], long[:400]}}, 1000, []string{"list has 2 of 3 members"}, long[:400]},
		"the first member is shortened": {map[string]any{"list": []map[string]string{{"t": long}, {"t": "b"}}}, 1000,
			[]string{"list[0].t has 979 of 5000 characters", "list has 1 of 2 members"}, `"t":"x`},
	} {
		t.Run(name, func(t *testing.T) {
			source, err := json.Marshal(c.value)
			if err != nil {
				t.Fatal(err)
			}
			v, err := outline.Parse(source)
			if err != nil {
				t.Fatal(err)
			}
			cut := v.Fit(c.limit)
			if diff := cmp.Diff(c.cut, cut); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
			if got := v.JSON(); !strings.Contains(got, c.keeps) || utf8.RuneCountInString(got) > c.limit+100 {
				t.Errorf("got %d characters: %.200s", len(got), got)
			}
		})
	}
}

// Whatever the value, Fit comes near the limit, leaves JSON, and says so only if it cut.
func TestFitKeepsJSON(t *testing.T) {
	var value func(depth int) *rapid.Generator[any]
	value = func(depth int) *rapid.Generator[any] {
		return rapid.Custom(func(t *rapid.T) any {
			kind := rapid.IntRange(0, 4).Draw(t, "kind")
			if depth == 0 {
				kind %= 3
			}
			switch kind {
			case 0:
				return rapid.StringN(0, 3000, -1).Draw(t, "text")
			case 1:
				return rapid.Int32().Draw(t, "number")
			case 2:
				return nil
			case 3:
				return rapid.SliceOfN(value(depth-1), 0, 30).Draw(t, "list")
			}
			return rapid.MapOfN(rapid.StringMatching("[a-z]{1,8}"), value(depth-1), 0, 12).Draw(t, "object")
		})
	}
	rapid.Check(t, func(t *rapid.T) {
		source, err := json.Marshal(value(3).Draw(t, "value"))
		if err != nil {
			t.Fatal(err)
		}
		v, err := outline.Parse(source)
		if err != nil {
			t.Fatal(err)
		}
		whole := v.JSON()
		limit := rapid.IntRange(1000, 20_000).Draw(t, "limit")
		cut := v.Fit(limit)
		short := v.JSON()
		if !json.Valid([]byte(short)) {
			t.Fatalf("no JSON: %s", short)
		}
		if (len(cut) > 0) != (short != whole) {
			t.Fatalf("cut says %q of %s", cut, short)
		}
		if n := utf8.RuneCountInString(short); n > 2*limit {
			t.Fatalf("%d characters, limit %d", n, limit)
		}
		if !utf8.ValidString(v.Text()) {
			t.Fatal("the text is no UTF-8")
		}
	})
}

func TestParseRefusesWhatIsNoJSON(t *testing.T) {
	for _, source := range []string{``, `{`, `{"a"`, `[1,`, `{"a":}`} {
		if _, err := outline.Parse([]byte(source)); err == nil {
			t.Errorf("%s was read", source)
		}
	}
}

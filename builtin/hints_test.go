package builtin_test

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path/filepath"
	"regexp"
	"regexp/syntax"
	"slices"
	"strconv"
	"strings"
	"testing"

	"trails/e2e/testrun"
	"trails/fault"
	"trails/invoke"
	"trails/invoke/invoketest"
	"trails/rdf"
	"trails/schema"
	"trails/text/jsontext"
)

// strict has a property for each constraint; of every datatype there is one more, see strictSchema.
const strict = `
types:
  Team: {iri: preserve, properties: {name: {type: string}}}
  Animal: {iri: preserve, abstract: true}
  Dog: {iri: preserve, extends: [Animal]}
  Cat: {iri: preserve, extends: [Animal]}
  Thing:
    iri: preserve
    unique: [[first, second]]
    properties:
      need: {type: string, required: true}
      two: {type: string, many: true, min_count: 2}
      few: {type: string, many: true, max_count: 2}
      one: {type: string}
      short: {type: string, max_length: 3}
      single: {type: string, max_length: 1}
      long: {type: string, min_length: 5}
      code: {type: string, pattern: "^T[0-9]{4}(-[a-z]+)?$"}
      state: {type: string, one_of: [open, closed]}
      level: {type: integer, one_of: [1, 2, 3], many: true}
      least: {type: integer, min_value: 10}
      most: {type: decimal, max_value: 10.5}
      since: {type: date, min_value: "2020-01-01"}
      core: {type: string, many: true, has_value: "core"}
      flag: {type: boolean, has_value: true}
      serial: {type: string, unique: true}
      first: {type: string}
      second: {type: string}
      title: {type: lang_string, languages: [en, de], unique_lang: true, many: true}
      vec: {type: vector, dim: 3}
      team: {class: Team}
      teams: {class: Team, many: true}
      pet: {class: Animal}
      see: {type: iri}
`

// strictSchema is strict with a property, and one of many values, of every datatype.
func strictSchema() string {
	var b strings.Builder
	b.WriteString(strict)
	for _, word := range slices.Sorted(maps.Keys(schema.Datatypes)) {
		fmt.Fprintf(&b, "      of_%s: {type: %s}\n      many_%s: {type: %s, many: true}\n", word, word, word, word)
	}
	return b.String()
}

// mistake is a value that a property may not have: as JSON, as Turtle, or as both.
type mistake struct{ property, json, turtle string }

// mistakes has at least one for each constraint and for each way to say that one is broken.
func mistakes() []mistake {
	all := []mistake{
		{"need", `null`, ``},
		{"two", `["a"]`, `"a"`},
		{"few", `["a", "b", "c"]`, `"a", "b", "c"`},
		{"one", `["a", "b"]`, `"a", "b"`},
		{"short", `"four"`, `"four"`},
		{"single", `"two"`, `"two"`},
		{"long", `"four"`, `"four"`},
		{"code", `"1059"`, `"1059"`},
		{"state", `"opne"`, `"opne"`},
		{"state", `"Open"`, `"Open"`},
		{"level", `[1, 7]`, `1, 7`},
		{"least", `9`, `9`},
		{"most", `11`, `11.0`},
		{"since", `"2019-12-31"`, `"2019-12-31"^^xsd:date`},
		{"core", `["a"]`, `"a"`},
		{"flag", `false`, `false`},
		{"serial", `"taken"`, `"taken"`},
		{"first", `"taken"`, `"taken"`},
		{"title", `{"value": "x", "lang": "fr"}`, `"x"@fr`},
		{"title", `"x"`, `"x"`},
		{"title", `"x@en"`, ``},
		{"title", `{"en": "x", "de": "y"}`, ``},
		{"title", `[{"value": "x", "lang": "en"}, {"value": "y", "lang": "en"}]`, `"x"@en, "y"@en`},
		{"title", `{"value": "x", "lang": "no language"}`, ``},
		{"vec", `[1, 2]`, `"[1,2]"^^trails:vector`},
		{"vec", `[1, "a", 3]`, `"[1,\"a\",3]"^^trails:vector`},
		{"vec", `"1,2,3"`, `"1,2,3"^^trails:vector`},
		{"team", `"Team/none"`, `<urn:trails:example:Team/none>`},
		{"team", `"Dog/rex"`, `<urn:trails:example:Dog/rex>`},
		{"team", `"Taem/red"`, `"Team/red"`},
		{"team", `"a b"`, `[]`},
		{"team", `7`, `7`},
		{"teams", `["Team/red", "Dog/rex"]`, `<urn:trails:example:Team/red>, <urn:trails:example:Dog/rex>`},
		{"pet", `"rex"`, ``},
		{"pet", `"Team/red"`, `<urn:trails:example:Team/red>`},
		{"see", `"a b"`, `"x"`},
		{"see", `"Team"`, `[]`},
		{"see", `7`, `7`},
		{"onee", `"a"`, `"a"`},
		{"stat", `"open"`, `"open"`},
	}
	for _, word := range slices.Sorted(maps.Keys(schema.Datatypes)) {
		bad := []mistake{{json: `"?? \n"`, turtle: `"?? \n"`}, {json: `true`, turtle: `true`}, {json: `12.5`, turtle: `12.5`}, {json: `{"a": "b c"}`, turtle: `<urn:x>`}}
		if iri := schema.Datatypes[word].IRI; iri != "" && iri != rdf.RDFLangString {
			bad = append(bad, mistake{turtle: `"?? \n"^^<` + string(iri) + `>`})
		}
		for _, m := range bad {
			for _, property := range []string{"of_" + word, "many_" + word} {
				all = append(all, mistake{property, m.json, m.turtle})
			}
		}
	}
	return append(all, mistake{"zzz", `"open"`, `"open"`})
}

// door is a way to write a Thing: by its tool, as a record, as statements.
type door struct {
	name  string
	write func(t *testing.T, e *invoketest.Engine, node *thing) error
}

var doors = []door{
	{"tool", func(t *testing.T, e *invoketest.Engine, node *thing) error {
		args := maps.Clone(node.values)
		args["id"] = "x"
		return call(t, e, "thing.create", args)
	}},
	{"record", func(t *testing.T, e *invoketest.Engine, node *thing) error {
		data := map[string]any{"type": "Thing", "id": "x", "data": node.values}
		return call(t, e, "load", map[string]any{"format": "ndjson", "data": string(jsonOf(data))})
	}},
	{"statements", func(t *testing.T, e *invoketest.Engine, node *thing) error {
		text := "@prefix : <urn:trails:example:> . @prefix xsd: <" + rdf.XSDNS + "> . @prefix trails: <" + rdf.TrailsNS + "> .\n<urn:trails:example:Thing/x> a :Thing"
		for name, v := range node.values {
			terms := node.turtle
			if name != node.raw {
				terms = node.terms(name, v)
			}
			if terms != "" {
				text += " ; :" + name + " " + terms
			}
		}
		return call(t, e, "load", map[string]any{"format": "turtle", "data": text + " ."})
	}},
}

func jsonOf(v any) []byte {
	text, err := jsontext.Marshal(v)
	if err != nil {
		panic(err)
	}
	return text
}

// call tries a write.
func call(t *testing.T, e *invoketest.Engine, capability string, args map[string]any) error {
	t.Helper()
	args["dry_run"] = true
	_, err := e.Do(t, capability, string(jsonOf(args)))
	return err
}

// thing is a node that is written, and written again as the refusals say.
type thing struct {
	s      *schema.Schema
	values map[string]any // as JSON
	raw    string         // the property that is Turtle as the case has it
	turtle string
}

func (n *thing) terms(name string, v any) string {
	p := n.s.Property(n.s.Type("Thing"), name)
	terms, fields := n.s.Values(p, v)
	if p.Datatype == "vector" && len(fields) > 0 { // of another length: the validator is to say so
		return strconv.Quote(string(jsonOf(v))) + "^^trails:vector"
	}
	var texts []string
	for _, t := range terms {
		texts = append(texts, string(rdf.AppendTerm(nil, t)))
	}
	if len(fields) > 0 {
		texts = append(texts, fmt.Sprintf("no value: %v", fields))
	}
	return strings.Join(texts, ", ")
}

// follow does what one error of a field says: by its code and its constraint where these say all,
// and else by its message.
func (n *thing) follow(f fault.FieldError) error {
	name, _, _ := strings.Cut(f.Field, "[")
	name, _, together := strings.Cut(name, ",")
	t := n.s.Type("Thing")
	p := n.s.Property(t, name)
	if p == nil {
		if f.Code != fault.Closed {
			return fmt.Errorf("%s is no property", name)
		}
		name = strings.TrimPrefix(name, ":")
		m := meantName.FindStringSubmatch(f.Message)
		if m == nil {
			m = []string{"", fault.Nearest(name, namesOf(f.Constraint))}
		}
		v := n.values[name]
		if delete(n.values, name); m[1] != "" {
			n.values[m[1]] = v
		}
		if n.raw == name {
			n.raw = m[1]
		}
		return nil
	}
	given, isList := n.values[name].([]any)
	if !isList || p.Datatype == "vector" && (len(given) == 0 || !isArray(given[0])) {
		given = []any{n.values[name]}
	}
	if name == n.raw || len(given) == 1 && given[0] == nil {
		given = nil
	}
	put := func(v any) { // in the place of the wrong value
		if i := slices.IndexFunc(given, func(one any) bool { return jsontext.Equal(one, f.Value) }); i >= 0 && len(given) > 1 {
			given[i] = v
			return
		}
		given = []any{v}
	}
	number, _ := strconv.Atoi(fmt.Sprint(f.Constraint))
	switch f.Code {
	case fault.Required:
		given = []any{n.sample(p)}
	case fault.MinCount:
		for i := len(given); i < number; i++ {
			given = append(given, fmt.Sprint("more ", i))
		}
	case fault.MaxCount:
		if len(given) == 0 {
			given = []any{n.sample(p)}
		}
		given = given[:min(number, len(given))]
	case fault.MinLength:
		put(strings.Repeat("x", number))
	case fault.MaxLength:
		put(strings.Repeat("x", number))
	case fault.Pattern:
		put(matching(fmt.Sprint(f.Constraint)))
	case fault.OneOf:
		put(listOf(f.Constraint)[0])
	case fault.MinValue, fault.MaxValue:
		put(f.Constraint)
	case fault.HasValue:
		if given = append(given, f.Constraint); !p.Many() {
			given = []any{f.Constraint}
		}
	case fault.Unique:
		put("free")
		if together {
			n.raw = ""
		}
	case fault.Languages:
		put(schema.LangJSON("x", fmt.Sprint(listOf(f.Constraint)[0])))
	case fault.UniqueLang:
		given = []any{schema.LangJSON("x", "en")}
	case fault.Class, fault.NodeKind:
		put(n.reference(f))
	case fault.Datatype:
		v, err := n.literal(p, f)
		if err != nil {
			return err
		}
		if list, isList := v.([]any); isList && p.Datatype != "vector" {
			given = list
		} else {
			put(v)
		}
	default:
		return fmt.Errorf("nobody can follow the code %s", f.Code)
	}
	if name == n.raw {
		n.raw, n.turtle = "", ""
	}
	if n.values[name] = any(given); !p.Many() && len(given) == 1 {
		n.values[name] = given[0]
	}
	return nil
}

// namesOf are the names that an error lists.
func namesOf(v any) []string {
	names, _ := v.([]string)
	return names
}

func isArray(v any) bool { _, ok := v.([]any); return ok }

func listOf(v any) []any {
	var list []any
	if err := json.Unmarshal(jsonOf(v), &list); err != nil || len(list) == 0 {
		return []any{fmt.Sprintf("no list: %v", v)}
	}
	return list
}

// sample is a value as describe shows it.
func (n *thing) sample(p *schema.Property) any {
	return parsed(schema.Datatypes[p.Datatype].Example)
}

func parsed(text string) any {
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return "not JSON: " + text
	}
	return v
}

var (
	shows     = regexp.MustCompile(`(?:; give one such as|; give an array of numbers such as|write it as|must be written as|; write .* as) (.+)$`)
	typed     = regexp.MustCompile(`; write (\S+/\S+) with one of (\w+)`)
	meantName = regexp.MustCompile(`did you mean :?(\w+)\?`)
	opens     = regexp.MustCompile(`say open: true on (\w+)`)
	meantType = regexp.MustCompile(`there is no type "(\w+)"; did you mean (\w+)\?`)
	refers    = regexp.MustCompile(`must refer to an? (\w+)`)
	nodesOf   = map[string]string{"Team": "Team/red", "Animal": "Dog/rex", "Dog": "Dog/rex", "Cat": "Cat/tom"}
)

// reference is what an error of a reference says to refer to.
func (n *thing) reference(f fault.FieldError) any {
	if m := typed.FindStringSubmatch(f.Message); m != nil {
		return strings.Replace(m[1], "Type", m[2], 1)
	}
	if m := meantType.FindStringSubmatch(f.Message); m != nil {
		return strings.Replace(fmt.Sprint(f.Value), m[1], m[2], 1)
	}
	if m := refers.FindStringSubmatch(f.Message); m != nil {
		return nodesOf[m[1]]
	}
	if node := nodesOf[fmt.Sprint(f.Constraint)]; node != "" {
		return node
	}
	return "https://example.org/a" // an IRI
}

// literal is what an error of a datatype says to write.
func (n *thing) literal(p *schema.Property, f fault.FieldError) (any, error) {
	if m := shows.FindStringSubmatch(f.Message); m != nil {
		return parsed(m[1]), nil
	}
	if size, err := strconv.Atoi(fmt.Sprint(f.Constraint)); err == nil { // numbers of a vector
		return slices.Repeat([]any{json.Number("1")}, size), nil
	}
	for word, d := range schema.Datatypes {
		if p.Datatype == word && (fmt.Sprint(f.Constraint) == word || d.IRI != "" && strings.HasSuffix(string(d.IRI), "#"+fmt.Sprint(f.Constraint))) {
			return parsed(d.Example), nil
		}
	}
	return nil, fmt.Errorf("%q shows no value", f.Message)
}

// matching is a text that a pattern matches.
func matching(pattern string) string {
	re, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return err.Error()
	}
	var of func(re *syntax.Regexp) string
	of = func(re *syntax.Regexp) string {
		switch re.Op { //nolint:exhaustive // the others are of no pattern of these, or match nothing
		case syntax.OpLiteral:
			return string(re.Rune)
		case syntax.OpCharClass:
			return string(re.Rune[0])
		case syntax.OpConcat, syntax.OpCapture, syntax.OpPlus:
			text := ""
			for _, sub := range re.Sub {
				text += of(sub)
			}
			return text
		case syntax.OpRepeat:
			return strings.Repeat(of(re.Sub[0]), re.Min)
		}
		return ""
	}
	return of(re)
}

// TestARefusalOfAValueThatIsFollowedIsAccepted writes every mistake by every door, does what the
// errors of the fields say, and writes again, until the write is accepted. A sentence about a value
// that no case follows fails the test, too.
func TestARefusalOfAValueThatIsFollowedIsAccepted(t *testing.T) {
	testrun.Alone(t)
	e := invoketest.New(t, strictSchema(), invoke.Config{})
	e.Must(t, "load", `{"format": "ndjson", "data": "{\"type\":\"Team\",\"id\":\"red\",\"data\":{}}\n{\"type\":\"Dog\",\"id\":\"rex\",\"data\":{}}\n{\"type\":\"Cat\",\"id\":\"tom\",\"data\":{}}"}`)
	e.Must(t, "thing.create", `{"id": "y", "need": "n", "two": ["a", "b"], "core": ["core"], "flag": true, "serial": "taken", "first": "taken", "second": "2"}`)
	s, err := schema.ParseYAML([]byte(strictSchema()), "urn:trails:example:")
	if err != nil {
		t.Fatal(err)
	}
	var told []string
	for _, m := range mistakes() {
		for _, d := range doors {
			node := &thing{s: s, values: map[string]any{"need": "n", "two": []any{"a", "b"}, "core": []any{"core"}, "flag": true, "second": "2"}}
			switch {
			case d.name == "statements" && m.turtle == "" || d.name != "statements" && m.json == "":
				continue
			case d.name == "statements":
				node.values[m.property], node.raw, node.turtle = nil, m.property, m.turtle
			case m.json == `null`:
				delete(node.values, m.property)
			default:
				node.values[m.property] = parsed(m.json)
			}
			for round := 0; ; round++ {
				err := d.write(t, e, node)
				if err == nil {
					break
				}
				fields := fault.Of(err).Fields
				if len(fields) == 0 || round == 5 {
					t.Errorf("%s of %s as %s: refused in round %d: %v", m.json+m.turtle, m.property, d.name, round, err)
					break
				}
				var failed error
				for _, f := range fields {
					told = append(told, f.Message)
					if m := opens.FindStringSubmatch(f.Message); m != nil && !meantName.MatchString(f.Message) {
						e.Must(t, "schema_apply", fmt.Sprintf(`{"patch": "- alter_type: {%s: {open: true}}"}`, m[1]))
						continue
					}
					if failed = node.follow(f); failed != nil {
						t.Errorf("%s of %s as %s: %v: %+v", m.json+m.turtle, m.property, d.name, failed, f)
						break
					}
				}
				if failed != nil {
					break
				}
			}
		}
	}
	for _, text := range sentences(t) {
		if !slices.ContainsFunc(told, text.MatchString) {
			t.Errorf("no case follows %s", text)
		}
	}
}

// sentences are those of the validator and of the schema about values, as patterns.
func sentences(t *testing.T) (all []*regexp.Regexp) {
	t.Helper()
	files, err := filepath.Glob("../validate/constraint_*.go")
	if err != nil || len(files) == 0 {
		t.Fatal(err)
	}
	verb := regexp.MustCompile(`%[a-z]`)
	for _, file := range files {
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(parsed, func(n ast.Node) bool {
			c, isCall := n.(*ast.CallExpr)
			if !isCall {
				return true
			}
			if f, isMethod := c.Fun.(*ast.SelectorExpr); !isMethod || f.Sel.Name != "report" {
				return true
			}
			format, err := strconv.Unquote(c.Args[3].(*ast.BasicLit).Value)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, regexp.MustCompile(verb.ReplaceAllString(regexp.QuoteMeta(format), ".*")+"$"))
			return true
		})
	}
	return all
}

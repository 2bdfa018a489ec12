package mcp_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"trails/auth"
	"trails/auth/policy"
	"trails/capability"
	"trails/e2e/testrun"
	"trails/invoke"
	"trails/invoke/invoketest"
	"trails/kg"
)

// crowdedTypes is how many types the graph of the walk has. It has a node to which all others
// refer, one with 50,000 values of a property, a text of a megabyte, and labels of 10,000
// characters.
const crowdedTypes = 60

func crowdedSchema() string {
	var b strings.Builder
	b.WriteString("types:\n")
	for i := range crowdedTypes {
		fmt.Fprintf(&b, `  T%02d:
    description: %s
    label: label
    properties:
      label: {type: string, required: true, description: %s}
      body: {type: string}
      num: {type: integer, min_value: 0}
      day: {type: date}
      kind: {type: string, one_of: [%s]}
      tags: {type: string, many: true}
      flag: {type: boolean}
      ref: {class: T00}
      refs: {class: T02, many: true}
`, i, strings.Repeat("What this type is for. ", 20+i%2*300), strings.Repeat("What people read. ", 30), strings.Join(words("kind", 40), ", "))
	}
	return b.String()
}

func words(word string, n int) []string {
	list := make([]string, n)
	for i := range list {
		list[i] = fmt.Sprintf("%s%d", word, i)
	}
	return list
}

// crowdedData writes the nodes as NDJSON, with ten statements a node.
func crowdedData(w io.Writer, statements int) error {
	out := bufio.NewWriterSize(w, 1<<20)
	node := func(of, id string, data map[string]any) {
		text, _ := json.Marshal(map[string]any{"type": of, "id": id, "data": data})
		_, _ = out.Write(append(text, '\n')) // Flush has the error
	}
	huge := strings.Repeat("long words of a text ", 50_000)
	node("T00", "hub", map[string]any{"label": "The hub", "tags": words("value", statements/20)})
	node("T00", "long", map[string]any{"label": huge[:10_000], "body": huge})
	refs := []string{}
	for i := range 300 {
		id := fmt.Sprintf("long%d", i)
		refs = append(refs, "T02/"+id)
		node("T02", id, map[string]any{"label": fmt.Sprintf("%d %s", i, huge[:10_000]), "body": huge[:20_000], "ref": "T00/hub"})
	}
	node("T03", "out", map[string]any{"label": "It refers to many", "refs": refs})
	for i := range (statements - statements/20) / 10 {
		_, _ = fmt.Fprintf(out, `{"type":"T%02d","id":"n%d","data":{"label":"Node number %d","body":"A few words about number %d, which is one of many.","num":%d,"day":"20%02d-01-02","kind":"kind%d","tags":["a%d","b"],"flag":true,"ref":"T00/hub"}}`+"\n",
			i%crowdedTypes, i, i, i, i, i%90+10, i%40, i%7)
	}
	return out.Flush()
}

// asked are calls of every tool that ask for as much as they can. Those of the typed ones
// go by their last word.
var asked = map[string][]string{
	"health": {`{}`}, "snapshot": {`{}`}, "trails_meta_ping": {`{}`},
	"schema_get": {`{}`, `{"format":"json"}`, `{"format":"yaml"}`, `{"format":"turtle"}`, `{"type":"T01"}`, `{"type":"T01","format":"json"}`, `{"type":"Nothing"}`},
	"describe":   {`{"type":"T01","input_schema":true}`, `{"type":"Nothing"}`},
	"search":     {`{"text":"long words","limit":100}`, `{"text":"node number","limit":100}`, `{"text":"\"few words\" about","type":"T04"}`, `{"text":"` + strings.Repeat("wrod ", 300) + `"}`},
	"get": {`{"ids":["T00/hub"]}`, `{"ids":["T00/hub"],"depth":2}`, `{"ids":["T00/long"]}`, `{"ids":["T03/out"],"depth":2}`,
		`{"ids":["` + strings.Join(words("T02/long", 50), `","`) + `"],"depth":2}`, `{"ids":["` + strings.Join(words("no such node ", 50), `","`) + `"]}`,
		`{"ids":["` + strings.Repeat("x", 100_000) + `"]}`},
	"list": {`{"type":"T02","limit":1000}`, `{"type":"T04","limit":1000}`, `{"type":"T03","select":["label","refs","refs.label","body"]}`, `{"type":"T02","select":["label","body","ref.label"],"limit":1000}`,
		`{"type":"T04","where":[{"property":"nothing","op":"=","value":1}]}`},
	"history": {`{"limit":200}`, `{"id":"T00/hub","limit":200}`, `{"id":"T00/long"}`, `{"type":"T02","limit":200}`, `{"actor":"nobody"}`},
	"query": {`{"query":"SELECT * {?s ?p ?o}","limit":10000}`, `{"query":"SELECT ?b {:T00\\/long :body ?b}"}`, `{"query":"SELECT ?l ?b {?s a :T02; :label ?l; :body ?b}","limit":10000}`,
		`{"query":"SELECT ?l {?s a :T02; :label ?l}","format":"sparql-json"}`, `{"query":"SELECT ?l {?s a :T02; :label ?l}","format":"csv"}`, `{"query":"SELECT ?l {?s a :T02; :label ?l}","format":"xml"}`,
		`{"query":"CONSTRUCT {?s ?p ?o} {?s ?p ?o}","limit":10000}`, `{"query":"CONSTRUCT {?s ?p ?o} {?s ?p ?o}","limit":10000,"format":"jsonld"}`, `{"query":"CONSTRUCT {?s ?p ?o} {?s ?p ?o}","limit":10000,"format":"ntriples"}`,
		`{"query":"DESCRIBE <T00/hub>"}`, `{"query":"SELECT ` + strings.Join(words("?v", 500), " ") + ` {}","explain":true}`, `{"query":"SELECT nonsense ` + strings.Repeat("x", 100_000) + `"}`},
	"mutate":          {`{"update":"DELETE {?s ?p ?o} WHERE {?s a :T05; ?p ?o}","dry_run":true,"allow_mass_change":true}`, `{"update":"DELETE WHERE {?s ?p ?o}","timeout_ms":1000}`, `{"update":"INSERT DATA {<urn:a> <urn:b> \"` + strings.Repeat("y", 100_000) + `\"}"}`},
	"load":            {`{"data":` + quotedLines(20_000) + `,"dry_run":true}`, `{"data":` + quotedLines(200) + `,"type":"T01"}`, `{"data":"{\"type\":\"T01\",\"data\":{\"label\":\"` + strings.Repeat("z", 50_000) + `\"}}","dry_run":true}`},
	"paths":           {`{"from":"T00/hub","to":"T03/out","limit":100}`, `{"from":"T02/long1","to":"T02/long2","limit":100}`, `{"from":"` + strings.Repeat("x", 8000) + `","to":"T00/hub"}`},
	"commits_list":    {`{"limit":1000}`, `{"limit":1000,"whole":true}`},
	"commits_find":    {`{"limit":1000,"whole":true,"type":"T02","days":366}`, `{"author":"` + strings.Repeat("x", 400) + `","when":"` + strings.Repeat("y", 100) + `"}`},
	"changes":         {`{}`, `{"limit":1000,"quads":true}`, `{"limit":1000,"start":"after:head~45","quads":true}`, `{"start":"` + strings.Repeat("x", 10_000) + `"}`, `{"cursor":"` + strings.Repeat("x", 100_000) + `"}`, `{"cursor":"main@` + strings.Repeat("x", 100_000) + `"}`},
	"branches_rename": {`{"name":"` + strings.Repeat("x", 10_000) + `","to":"y"}`}, "branches_reset": {`{"name":"` + strings.Repeat("x", 10_000) + `","to":"head"}`}, "branches_protect": {`{"name":"` + strings.Repeat("x", 10_000) + `"}`},
	"tags_list": {`{}`}, "tags_create": {`{"name":"` + strings.Repeat("x", 10_000) + `"}`, `{"name":"v1","commit":"` + strings.Repeat("x", 10_000) + `"}`}, "tags_delete": {`{"name":"` + strings.Repeat("x", 10_000) + `"}`},
	"trails_meta_budget_set": {`{"actor":"` + strings.Repeat("x", 10_000) + `","calls":1}`, `{"capability":"` + strings.Repeat("x", 10_000) + `","calls":1}`}, "trails_meta_budget_list": {`{}`}, "trails_meta_budget_remove": {`{"actor":"` + strings.Repeat("x", 10_000) + `"}`},
	"trails_meta_token_create": {`{"name":"ci","groups":["` + strings.Repeat("x", 10_000) + `"]}`, `{"name":"ci","expires":"` + strings.Repeat("x", 10_000) + `"}`}, "trails_meta_token_list": {`{}`}, "trails_meta_grant_list": {`{}`}, "trails_meta_grant_end": {`{"name":"` + strings.Repeat("x", 10_000) + `"}`}, "trails_meta_token_revoke": {`{"name":"` + strings.Repeat("x", 10_000) + `"}`},
	"trails_meta_policy_show": {`{}`}, "trails_meta_policy_apply": {`{"policies":` + quoted(strings.Repeat("forbid (principal, action, resource in Type::\"T0\");\n", 1999)+allMay) + `,"dry_run":true}`, `{"policies":` + quoted(strings.Repeat("permit (principal, action, resource);\n", 1500)) + `}`},
	"trails_meta_policy_plan":    {`{"policies":` + quoted(policiesOfNothing(1500)) + `}`, `{"policies":` + quoted(strings.Repeat("@id(\"x\") permit (principal, action, resource in Nothing::\"T0\");\n", 1500)) + `}`, `{"policies":` + quoted(strings.Repeat("(", 100_000)) + `}`},
	"trails_meta_policy_explain": {`{"as":"token:ci"}`, `{"as":"anonymous","action":"read","on":"Type::\"T01\""}`, `{"as":"` + strings.Repeat("x", 200) + `","call":"` + strings.Repeat("x", 200) + `","groups":["` + strings.Join(words("group", 5000), `","`) + `"]}`, `{"as":"anonymous","groups":["` + strings.Join(words("group", 5000), `","`) + `"]}`},
	"trails_meta_policy_test":    {`{"cases":` + quoted(strings.Repeat("- {as: anonymous, call: T01.create, expect: denied, by: nobody}\n", 5000)) + `}`, `{"cases":` + quoted(strings.Repeat("- {as: "+strings.Repeat("x", 100)+", action: change, on: 'Type::\"T01\"', branch: main, expect: allowed}\n", 5000)) + `}`, `{"cases":"- {as: x, actin: ` + strings.Repeat("x", 10_000) + `}"}`},
	"gc":                         {`{"grace":"0d"}`, `{"grace":"` + strings.Repeat("x", 10_000) + `"}`},
	"requests_list":              {`{"all":true}`}, "refusals_list": {`{"all":true,"limit":1000}`, `{"actor":"` + strings.Repeat("x", 10_000) + `"}`, `{"before":"` + strings.Repeat("x", 10_000) + `"}`}, "requests_decide": {`{"request":1,"decision":"decline","reason":"` + strings.Repeat("x", 10_000) + `"}`, `{"request":99,"decision":"approve"}`},
	"branches_list": {`{}`}, "branches_create": {`{"name":"a/draft"}`, `{"name":"` + strings.Repeat("x", 10_000) + `"}`}, "branches_delete": {`{"name":"` + strings.Repeat("x", 10_000) + `"}`}, "branches_merge": {`{"source":"main","dry_run":true}`, `{"source":"` + strings.Repeat("x", 10_000) + `"}`, `{"source":"main","resolutions":["` + strings.Repeat("x", 10_000) + `=ours"]}`},
	"cherry_pick": {`{"commit":"head","dry_run":true}`, `{"commit":"` + strings.Repeat("x", 10_000) + `"}`},
	"blame":       {`{"id":"T00/hub","limit":10000}`, `{"id":"T00/long"}`, `{"id":"T00/nobody"}`},
	"diff":        {`{"from":"FIRST","limit":10000}`, `{"from":"FIRST","to":"head","form":"patch"}`, `{"from":"FIRST","to":"head","form":"update"}`, `{"from":"` + strings.Repeat("x", 10_000) + `"}`},
	"commits_get": {`{"id":"head","limit":10000}`, `{"id":"FIRST","limit":10000}`, `{"id":"none"}`},
	"undo":        {`{"commit":"head","dry_run":true}`, `{"commit":"FIRST..head","dry_run":true}`, `{"commit":"head","nodes":["` + strings.Repeat("x", 10_000) + `"]}`},
	"undo_by":     {`{"by":"nobody"}`, `{"by":"` + strings.Repeat("x", 10_000) + `"}`},
	"schema_apply": {`{"schema":` + quoted(strings.ReplaceAll(crowdedSchema(), "min_value: 0", "max_value: 3")) + `,"plan":true}`, `{"schema":"types:\n  ` + strings.Repeat("Wrong", 2000) + `"}`,
		`{"patch":` + quoted(stepsOfAll("drop_property: T%02d.body")) + `,"plan":true}`, `{"patch":"- drop_property: T07.body"}`, `{"patch":` + quoted(stepsOfAll("alter_property: {T%02d.label: {max_length: 2}}")) + `,"plan":true}`,
		`{"patch":` + quoted(stepsOfAll("rename_type: {T%02d: "+strings.Repeat("Long", 200)+"%[1]d}")) + `,"plan":true}`, `{"patch":` + quoted(strings.Repeat("- drop_type: Nothing\n", 2000)) + `}`},
	"trails_meta_schema_plan":    {`{"schema":` + quoted(strings.ReplaceAll(crowdedSchema(), "body: {type: string}", "body: {type: string, max_length: 5}")) + `}`},
	"trails_meta_schema_apply":   {`{"schema":` + quoted(strings.ReplaceAll(crowdedSchema(), "      body: {type: string}\n", "")) + `}`},
	"stored_query_list":          {`{}`},
	"stored_query_run":           {`{"name":"q7","params":{"node":"hub"},"limit":10000}`, `{"name":"none"}`, `{"name":"q7","params":{` + strings.Join(members("wrong", 900), ",") + `}}`},
	"trails_meta_query_add":      {`{"queries":[` + strings.Join(slices.Repeat([]string{`{"text":"SELECT ?x {"}`}, 2000), ",") + `]}`, `{"queries":[{"text":"#+ id: wrong\nSELECT ` + strings.Join(words("?v", 2000), " ") + ` {}"}]}`},
	"trails_meta_query_remove":   {`{"names":["q1"]}`, `{"names":["` + strings.Join(words("none", 2000), `","`) + `"]}`},
	"trails_meta_migrate_status": {`{}`, `{"migrations":[` + manyMigrations("steps: []", 2000) + `]}`, `{"migrations":[` + manyMigrations("steps: [x]", 900) + `]}`},
	"trails_meta_migrate_plan": {`{"migrations":[` + aMigration(1, "steps:\n"+stepsOfAll("drop_property: T%02d.num")) + `]}`, `{"migrations":[` + aMigration(1, "steps:\n"+stepsOfAll("alter_property: {T%02d.label: {max_length: 2}}")) + `]}`,
		`{"migrations":[` + aMigration(1, "steps:\n"+stepsOfAll("rename_type: {T%02d: "+strings.Repeat("Long", 200)+"%[1]d}")) + `]}`, `{"migrations":[` + aMigration(1, "steps:\n- drop_property: T02.ref\n") + `]}`,
		`{"migrations":[` + aMigration(1, "steps:\n"+strings.Repeat("- drop_type: Nothing\n", 900)) + `]}`},
	"trails_meta_migrate_apply":    {`{"migrations":[` + aMigration(1, "steps:\n"+stepsOfAll("drop_property: T%02d.flag")) + `],"dry_run":true}`, `{"migrations":[` + manyMigrations("steps: [x]", 900) + `]}`},
	"trails_meta_migrate_rollback": {`{}`, `{"number":3}`},
	"create":                       {`{"type":"T01","data":{"label":"` + strings.Repeat("w", 50_000) + `"},"dry_run":true}`, `{"type":"T01","data":{` + strings.Join(members("wrong", 900), ",") + `}}`},
	"update":                       {`{"type":"T00","id":"hub","set":{"tags":["one"]},"allow_mass_change":true,"dry_run":true}`, `{"type":"T00","id":"hub","set":{"tags":["one"]}}`, `{"type":"T00","id":"long","set":{"body":"short"},"dry_run":true}`},
	"delete":                       {`{"type":"T00","id":"hub"}`, `{"type":"T00","id":"long","dry_run":true}`, `{"type":"T00","id":"hub","detach":true,"allow_mass_change":true,"dry_run":true}`, `{"type":"T02","id":"long1"}`},
	"link":                         {`{"from":"T03/out","property":"refs","to":"T02/long2"}`, `{"from":"T03/out","property":"nothing","to":"T02/long2"}`},
	"unlink":                       {`{"from":"T03/out","property":"refs","to":"T02/long3"}`},

	"*_create": {`{"label":"` + strings.Repeat("w", 5_000) + `","dry_run":true}`, `{"tags":[` + strings.Join(slices.Repeat([]string{"1"}, 500), ",") + `],"num":-1,"kind":"none","day":"never"}`},
	"*_update": {`{"id":"long","body":"short","dry_run":true}`, `{"id":"hub","add":{"tags":["another"]},"dry_run":true}`},
	"*_delete": {`{"id":"hub","dry_run":true}`, `{"id":"long","dry_run":true}`},
}

// promptsAsked are the arguments of every prompt.
var promptsAsked = map[string][]map[string]any{
	"explore": {nil},
	"write":   {{"type": "T00"}, {"type": "T01"}},
	"review":  {nil, {"agent": "ana"}},
	"recover": {{"error": strings.Repeat("-32602 validation failed required pattern one_of ", 80)}},
}

func quoted(text string) string {
	out, _ := json.Marshal(text)
	return string(out)
}

// aMigration is a migration as the tools take it.
func aMigration(number int, text string) string {
	return fmt.Sprintf(`{"name":"%04d_%s.yaml","text":%s}`, number, strings.Repeat("long", 20), quoted(text))
}

// manyMigrations are so many of one text.
func manyMigrations(text string, n int) string {
	var all []string
	for i := range n {
		all = append(all, aMigration(i+1, text))
	}
	return strings.Join(all, ",")
}

func members(name string, n int) []string {
	list := words(name, n)
	for i := range list {
		list[i] = quoted(list[i]) + `:"` + strings.Repeat("v", 200) + `"`
	}
	return list
}

// allMay are policies under which everybody may do everything.
const allMay = `permit (principal, action, resource);`

// policiesOfNothing are n policies that name types which there are not.
func policiesOfNothing(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "@id(\"p%[1]d\") permit (principal, action, resource in Type::\"Nothing%[1]d\");\n", i)
	}
	return b.String() + allMay
}

// stepsOfAll is a patch that does one thing to each type.
func stepsOfAll(step string) string {
	var b strings.Builder
	for i := range crowdedTypes {
		fmt.Fprintf(&b, "- "+step+"\n", i)
	}
	return b.String()
}

func quotedLines(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `{"type":"T%02d","data":{"label":5,"kind":"nothing"}}`+"\n", i%crowdedTypes)
	}
	return quoted(b.String())
}

// TestNoAnswerIsLongerThanItsLimit walks what the registry has on a graph of 60 types and
// 250,000 statements: every tool, every resource with its templates, every prompt. One
// that has no calls here fails the test, and so does one that names a commit in a way of its own.
func TestNoAnswerIsLongerThanItsLimit(t *testing.T) {
	testrun.Alone(t)
	statements := 250_000
	if testing.Short() {
		statements = 50_000
	}
	e := openSchema(t, crowdedSchema())
	read, write := io.Pipe()
	go func() { write.CloseWithError(crowdedData(write, statements)) }()
	me := policy.Local("ana", "")
	began := time.Now()
	loaded, err := e.Call(t.Context(), invoke.Call{Capability: "load", Principal: me, Via: "go", Args: json.RawMessage(`{"format":"ndjson"}`), Inputs: []invoke.Input{{Name: "data.ndjson", Reader: read}}})
	if err != nil {
		t.Fatal(err)
	}
	loading := time.Since(began)
	t.Logf("%d statements loaded in %v", loaded.Written.Added, loading.Round(time.Millisecond))
	for i := range 40 {
		args, _ := json.Marshal(map[string]any{"type": "T05", "data": map[string]any{"label": fmt.Sprintf("Later %d", i)}, "message": strings.Repeat("why ", 900)})
		if _, err := e.Call(t.Context(), invoke.Call{Capability: "create", Principal: me, Via: "go", Args: args}); err != nil {
			t.Fatal(err)
		}
	}
	var stored []map[string]string
	for i := range 500 {
		stored = append(stored, map[string]string{"text": fmt.Sprintf("#+ id: q%d\n#+ description: %s\n#+ params: {node: ref(T00)}\nSELECT ?l ?b { ?s :ref ?node ; :label ?l ; :body ?b }", i, strings.Repeat("what it asks ", 70))})
	}
	args, _ := json.Marshal(map[string]any{"queries": stored})
	if _, err := e.Call(t.Context(), invoke.Call{Capability: "trails.meta.query.add", Principal: me, Via: "go", Args: args}); err != nil {
		t.Fatal(err)
	}
	w := &walk{conversation: converse(t, e, optionsOf(auth.Options{Scopes: policy.AllScopes()})), t: t, graph: e.Graph(), first: *loaded.Written.Commit, slow: max(time.Minute, 4*loading)}
	w.tools()
	w.resources()
	w.prompts()
	if w.links == 0 {
		t.Error("no answer has links to what was cut from it")
	}
	w.t.Logf("%d links followed", w.links)
}

// walk asks for everything, and looks at how long the answers are.
type walk struct {
	*conversation
	t     *testing.T
	graph *kg.Graph
	first string // the commit of the load
	// arguments are the tools whose listed schemas have an argument, by its name; listed are all that are listed.
	arguments map[string]map[string]bool
	listed    map[string]bool
	links     int // that were followed
	// slow is what no answer takes: it goes with the load, which took its time on the same machine.
	slow time.Duration
}

func (w *walk) call(what, method string, limit int, params map[string]any) answer {
	w.t.Helper()
	began := time.Now()
	a := w.ask(method, params)
	took := time.Since(began)
	said := string(a.Result)
	if a.Error != nil {
		said = a.Error.Message + string(a.Error.Data)
	}
	invoketest.CommitsAreTold(w.t, w.graph, said)
	if took > w.slow {
		w.t.Errorf("%.150s took %v", what, took)
	}
	if took > time.Second {
		w.t.Logf("%.150s took %v", what, took.Round(time.Millisecond))
	}
	if a.Error == nil {
		return a
	}
	if n := utf8.RuneCountInString(a.Error.Message); n > 2_100 {
		w.t.Errorf("%.150s: the message has %d characters: %.300s", what, n, a.Error.Message)
	}
	if n := utf8.RuneCount(a.Error.Data); n > limit {
		w.t.Errorf("%.150s: the data of the error has %d characters: %.300s", what, n, a.Error.Data)
	}
	return a
}

func (w *walk) tools() {
	var list struct {
		Tools []struct {
			Name        string
			InputSchema struct{ Properties map[string]any }
		}
	}
	w.list("tools", &list)
	w.arguments = map[string]map[string]bool{}
	for _, tool := range list.Tools {
		for name := range tool.InputSchema.Properties {
			if w.arguments[name] == nil {
				w.arguments[name] = map[string]bool{}
			}
			w.arguments[name][tool.Name] = true
		}
	}
	w.listed = map[string]bool{}
	for _, tool := range list.Tools {
		w.listed[tool.Name] = true
		calls, known := asked[tool.Name]
		if _, op, typed := strings.Cut(tool.Name, "_"); !known && typed {
			calls = asked["*_"+op]
		}
		if calls == nil {
			w.t.Errorf("there is no call of %s to try", tool.Name)
		}
		for _, args := range calls {
			args = strings.ReplaceAll(args, "FIRST", w.first)
			w.tool(tool.Name, args, capability.DefaultChars)
			w.tool(tool.Name, strings.Replace(`{"max_chars":2000,`+args[1:], ",}", "}", 1), 2_000)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(asked)) { // what is called by name, and listed nowhere
		for _, args := range asked[name] {
			if w.listed[name] || strings.HasPrefix(name, "*") {
				continue
			}
			args = strings.ReplaceAll(args, "FIRST", w.first)
			w.tool(name, args, capability.DefaultChars)
			w.tool(name, strings.Replace(`{"max_chars":2000,`+args[1:], ",}", "}", 1), 2_000)
		}
	}
}

func (w *walk) tool(name, args string, limit int) {
	what := fmt.Sprintf("%s %.100s", name, args)
	a := w.call(what, "tools/call", capability.DefaultChars, map[string]any{"name": name, "arguments": json.RawMessage(args)})
	if a.Error != nil {
		w.advises(what, name, args, a.Error.Message)
		return
	}
	var res struct {
		Content    []struct{ Text, Type, URI string }
		Structured json.RawMessage `json:"structuredContent"`
	}
	if err := json.Unmarshal(a.Result, &res); err != nil {
		w.t.Fatal(err)
	}
	var said struct {
		Cut, Message string
		Warnings     []string
	}
	if err := json.Unmarshal(res.Structured, &said); err != nil {
		w.t.Fatal(err)
	}
	w.advises(what, name, args, said.Cut+" "+said.Message+" "+strings.Join(said.Warnings, " "))
	text := ""
	for i, c := range res.Content {
		if text += c.Text; c.Type != "resource_link" {
			continue
		}
		w.links++
		if a := w.ask("resources/read", map[string]any{"uri": c.URI}); a.Error != nil {
			w.t.Errorf("%s: the link %s cannot be read: %s", what, c.URI, a.Error.Message)
		}
		if i > 3 || len(c.URI) > 400 {
			w.t.Errorf("%s: link %d is %s", what, i, c.URI)
		}
	}
	if n := utf8.RuneCountInString(text); n > limit {
		w.t.Errorf("%s: the text has %d characters: %.200s", what, n, text)
	}
	if n := utf8.RuneCount(res.Structured); n > limit {
		w.t.Errorf("%s: the structured content has %d characters: %.200s", what, n, res.Structured)
	}
	if len(text) > 500 && strings.Contains(string(res.Structured), quoted(text)) {
		w.t.Errorf("%s: the structured content has the text in quotes", what)
	}
}

// argumentNames are words that name arguments and nothing else.
var argumentNames = regexp.MustCompile(`\b[a-z]+(?:_[a-z]+)+\b`)

// advises holds what an answer says against the schema of the tool: a host that validates
// arguments can send those that it has. What the call itself gave may be refused by its name. Hosts know no schema of a
// tool that is listed nowhere.
func (w *walk) advises(what, tool, args, text string) {
	w.t.Helper()
	if !w.listed[tool] {
		return
	}
	for _, name := range argumentNames.FindAllString(text, -1) {
		if tools := w.arguments[name]; tools != nil && !tools[tool] && !strings.Contains(args, quoted(name)) {
			w.t.Errorf("%s names %s, which its schema has not: %.300s", what, name, text)
		}
	}
}

func (w *walk) resources() {
	var list struct {
		Resources []struct{ URI, URITemplate string }
	}
	w.list("resources", &list)
	asked := []string{}
	for _, one := range list.Resources {
		asked = append(asked, one.URI)
		if one.URITemplate == "" {
			continue
		}
		if !strings.HasSuffix(one.URITemplate, "{?where,limit,offset}") || !strings.HasPrefix(one.URI, "trails://kg/T") {
			w.t.Errorf("there is no address of %s to try", one.URITemplate)
		}
		asked = append(asked, one.URI+"?limit=1000", one.URI+"?limit=1000&offset=50&where=flag=true&max_chars=2000", one.URI+"/none")
		for _, id := range []string{"hub", "long", "long0", "out"} {
			asked = append(asked, one.URI+"/"+id, one.URI+"/"+id+"?max_chars=2000")
		}
	}
	for _, uri := range asked {
		limit := capability.DefaultChars
		if strings.Contains(uri, "max_chars=2000") {
			limit = 2_000
		}
		a := w.call(uri, "resources/read", limit, map[string]any{"uri": uri})
		var res struct{ Contents []struct{ Text string } }
		if a.Error == nil {
			if err := json.Unmarshal(a.Result, &res); err != nil {
				w.t.Fatal(err)
			}
		}
		for _, c := range res.Contents {
			if n := utf8.RuneCountInString(c.Text); n > limit || !json.Valid([]byte(c.Text)) && !strings.HasPrefix(uri, "skill://") {
				w.t.Errorf("%s has %d characters, or is no JSON: %.300s", uri, n, c.Text)
			}
		}
	}
}

func (w *walk) prompts() {
	var list struct{ Prompts []struct{ Name string } }
	w.list("prompts", &list)
	for _, p := range list.Prompts {
		calls, known := promptsAsked[p.Name]
		if !known {
			w.t.Errorf("there are no arguments of the prompt %s to try", p.Name)
		}
		for _, args := range calls {
			params := map[string]any{"name": p.Name}
			if args != nil {
				params["arguments"] = args
			}
			a := w.call("prompt "+p.Name, "prompts/get", capability.DefaultChars, params)
			if n := utf8.RuneCount(a.Result); n > capability.DefaultChars+1_000 || a.Error != nil {
				w.t.Errorf("%s %v has %d characters: %v %.300s", p.Name, args, n, a.Error, a.Result)
			}
		}
	}
}

// list reads a list, which has one page.
func (w *walk) list(what string, into any) {
	w.t.Helper()
	if a := w.ask(what+"/list", map[string]any{}); a.Error != nil || json.Unmarshal(a.Result, into) != nil {
		w.t.Fatalf("%s/list: %v", what, a.Error)
	}
}

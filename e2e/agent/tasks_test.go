package agent_test

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"trails/auth/policy"
	"trails/builtin/surface"
	"trails/e2e/testrun"
	"trails/text/tokens"
)

// task is one request of a person to an agent.
type task struct {
	name string
	// calls and chars are the earlier cost: the number of calls, and characters in both directions, without
	// tools to search, get and undo, and with every answer as JSON twice.
	calls, chars int
	do           func(*agent, *truth)
}

// most returns the maximum number of calls of a task.
func (k task) most() int { return max(1, min(6, k.calls/2)) }

var tasks = []task{
	{"the techniques of a group in one tactic, with their mitigations", 5, 51_000, techniquesOfAGroup},
	{"everything about a name of unknown type", 7, 14_000, aNameOfUnknownType},
	{"the most used techniques without mitigation", 1, 2_000, techniquesWithoutMitigation},
	{"the software that two groups share", 1, 1_000, sharedSoftware},
	{"a text search with misspelt words", 6, 15_000, misspeltSearch},
	{"record a node after three mistakes", 10, 5_000, recordANode},
	{"change a node, and take it back", 8, 70_000, changeAndUndo},
	{"delete a node that others refer to", 7, 10_000, deleteReferredTo},
	{"a new type, and back", 12, 79_000, newTypeAndBack},
	{"an audit of the session", 2, 65_000, auditTheSession},
	{"change 25 nodes after a preview, and take it back", 13, 21_000, changeManyNodes},
	{"a question whose answer is everything", 1, 156_000, everything},
}

var ana = policy.Local("ana", "")

// Limits of calls and tokens.
const (
	mostTokens  = 6_000  // of a task
	mostOverall = 12_000 // of all tasks, without instructions and tools
	mostCalls   = 26     // of all tasks
)

func TestTwelveTasks(t *testing.T) {
	testrun.Alone(t)
	data := readTruth(t)
	makeFile(t)
	for i, v := range views {
		if testing.Short() && i != 1 {
			continue
		}
		t.Run(v.name, func(t *testing.T) {
			file := os.Getenv("TRAILS_AGENT_TABLE")
			if file == "" {
				t.Parallel() // tables come in order
			}
			table, total, calls := "", 0, 0
			for n, k := range tasks {
				t.Run(k.name, func(t *testing.T) {
					a := newAgent(t, v)
					k.do(a, data)
					total += a.sent + a.received
					calls += a.calls
					table += fmt.Sprintf("| %d. %s | %d | %d | %s | %d | %d |\n", n+1, k.name, k.calls, a.calls, grouped(k.chars), a.sent, a.received)
					if a.calls > k.most() {
						t.Errorf("%d calls, at most %d", a.calls, k.most())
					}
					if a.sent+a.received > mostTokens {
						t.Errorf("%d tokens, at most %d", a.sent+a.received, mostTokens)
					}
				})
			}
			if total > mostOverall || calls > mostCalls {
				t.Errorf("all tasks take %d tokens and %d calls, at most %d and %d", total, calls, mostOverall, mostCalls)
			}
			if file != "" {
				writeTable(t, file, v, table, total)
			}
		})
	}
}

// writeTable appends the table of docs/benchmarks.md to a file.
func writeTable(t *testing.T, file string, v view, table string, total int) {
	a := newAgent(t, v)
	e, end := openEngine(t, freshCopy(t))
	tools, err := e.Tools(t.Context(), ana)
	if err != nil {
		t.Fatal(err)
	}
	read := ""
	for _, d := range tools.Listed {
		read += surface.Shown(d)
	}
	if err := end(); err != nil {
		t.Fatal(err)
	}
	appendTo(t, file, fmt.Sprintf("\n%s\n\n| task | calls before | calls | characters before | tokens sent | tokens received |\n|---|--:|--:|--:|--:|--:|\n%s"+
		"All tasks: %d tokens. Once a session: instructions %d, list of tools %d.\n", v.name, table, total, tokens.Count(a.instructions), tokens.Count(read)))
}

// appendTo appends a text to a file, which it makes if there is none.
func appendTo(t *testing.T, file, text string) {
	t.Helper()
	out, err := os.OpenFile(file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		t.Fatal(err)
	}
	_, err = out.WriteString(text)
	if err := errors.Join(err, out.Close()); err != nil {
		t.Fatal(err)
	}
}

func grouped(n int) string { return fmt.Sprintf("%d,%03d", n/1000, n%1000) }

func techniquesOfAGroup(a *agent, data *truth) {
	// The instructions name the links that lead from groups to tactics and mitigations.
	got := map[string][]string{}
	for _, row := range a.call("query", `{"query":"SELECT ?t ?name (GROUP_CONCAT(?mitigation; separator=\" + \") AS ?by) {?g a :Group; :name \"APT29\"; :uses ?t. ?t :name ?name; :tactic/:name \"Credential Access\" OPTIONAL {?m :mitigates ?t; :name ?mitigation}} GROUP BY ?t ?name"}`).table("t", "name", "by") {
		by := strings.Split(row[2], " + ")
		slices.Sort(by)
		got[row[0]+" "+row[1]] = by
	}
	want := map[string][]string{}
	tactic := data.named(a, "Credential Access")
	for _, t := range data.from(data.named(a, "APT29"), "uses") {
		if !slices.Contains(data.from(t, "tactic"), tactic) {
			continue
		}
		by := data.namesOf(data.to(t, "mitigates"))
		if len(by) == 0 {
			by = []string{""}
		}
		want[t+" "+data.names[t]] = by
	}
	same(a, want, got)
}

func aNameOfUnknownType(a *agent, data *truth) {
	// The instructions say that get reads by label, and two nodes have this one.
	got := a.call("get", `{"ids":["Carbanak"]}`)
	var ids []string
	for i, node := range got.members("node") {
		if got.members("label")[i] == "Carbanak" {
			ids = append(ids, node)
		}
	}
	var want []string
	for node, name := range data.names {
		if name == "Carbanak" {
			want = append(want, node)
			got.says(data.lists[[2]string{node, "url"}]...).says(data.lists[[2]string{node, "alias"}]...)
		}
	}
	slices.Sort(ids)
	slices.Sort(want)
	same(a, want, ids)
	software := data.namedAs(a, "Carbanak", "Malware")
	totals := got.members("total")
	if users := fmt.Sprint(len(data.to(software, "uses"))); !slices.Contains(totals, users) {
		a.Errorf("%s users of %s are not counted: %v", users, software, totals)
	}
	for _, used := range data.from(software, "uses") {
		got.says(used, data.names[used])
	}
}

func techniquesWithoutMitigation(a *agent, data *truth) {
	rows := a.call("query", `{"query":"SELECT ?t ?name (COUNT(?by) AS ?n) {?by :uses ?t. ?t a :Technique; :name ?name FILTER NOT EXISTS {?m :mitigates ?t}} GROUP BY ?t ?name ORDER BY DESC(?n) ?t LIMIT 10"}`).table("t", "name", "n")
	var want [][]string
	for node, kind := range data.types {
		if kind == "Technique" && len(data.to(node, "mitigates")) == 0 {
			want = append(want, []string{node, data.names[node], fmt.Sprint(len(data.to(node, "uses")))})
		}
	}
	slices.SortFunc(want, func(x, y []string) int {
		n, _ := strconv.Atoi(x[2])
		m, _ := strconv.Atoi(y[2])
		if n != m {
			return m - n
		}
		return strings.Compare(x[0], y[0])
	})
	same(a, want[:10], rows)
}

func sharedSoftware(a *agent, data *truth) {
	// The instructions say that SPARQL matches no abstract type, and of what Software is.
	rows := a.call("query", `{"query":"SELECT ?s ?name {?a :name \"APT28\"; :uses ?s. ?b :name \"APT29\"; :uses ?s. ?s a ?type; :name ?name VALUES ?type {:Malware :Tool}} ORDER BY ?s"}`).table("s", "name")
	var want [][]string
	for _, s := range data.from(data.named(a, "APT28"), "uses") {
		if slices.Contains(data.from(data.named(a, "APT29"), "uses"), s) && data.types[s] != "Technique" {
			want = append(want, []string{s, data.names[s]})
		}
	}
	slices.SortFunc(want, func(x, y []string) int { return strings.Compare(x[0], y[0]) })
	same(a, want, rows)
}

func misspeltSearch(a *agent, data *truth) {
	hits := a.call("search", `{"text":"dump credentialls from LSASS memroy","limit":5}`)
	hits.says("credentialls", "credentials", "memroy", "memory") // what was searched instead
	found := ""
	for _, row := range hits.table("node", "label", "property", "text") {
		if strings.HasPrefix(row[0], "Technique/") && strings.Contains(row[1], "LSASS") {
			found = row[0]
		}
	}
	want := data.named(a, "LSASS Memory")
	same(a, want, found)
	a.call("get", `{"ids":["`+found+`"],"properties":["tactic","platform"]}`).
		says(data.namesOf(data.from(want, "tactic"))...).says(data.lists[[2]string{want, "platform"}]...)
}

func recordANode(a *agent, _ *truth) {
	rules := a.call("describe", `{"type":"Mitigation"}`)
	for _, row := range rules.table("property", "rules", "description") {
		if row[0] == "attackId" && !strings.Contains(row[1], `^M\\d{4}$`) {
			a.Errorf("the pattern of attackId is %s", row[1])
		}
	}
	const node = `{"type":"Mitigation","data":{"attackId":%q,"name":"Trail Review","description":"Review regularly what the trails of a knowledge graph say about who changed which statement, and why.","created":%q,"modified":"2026-11-21T09:00:00Z","version":"1.0","url":"https://attack.mitre.org/mitigations/M1999","stixId":"course-of-action--00000000-0000-4000-8000-000000001999","mitigates":[%q]},"message":"a mitigation that was missing"}`
	a.call("create", fmt.Sprintf(node, "M19", "yesterday", "Technique/T9999")).
		says("attackId must match", `"yesterday" is not a valid datetime`, "Technique/T9999")
	made := a.call("create", fmt.Sprintf(node, "M1999", "2026-11-21T09:00:00Z", "Technique/T1565"))
	same(a, "M1999", made.member("id"))
	if commit := made.member("commit"); len(commit) < 12 {
		a.Errorf("the commit is %q", commit)
	}
}

func changeAndUndo(a *agent, data *truth) {
	want := data.from(data.named(a, "APT29"), "uses")
	// An update takes a label. A list that is set is replaced, and the rehearsal says what would go.
	wrong := a.call("update", `{"type":"Group","id":"APT29","set":{"uses":["Technique/T1595.001"]},"dry_run":true}`)
	same(a, fmt.Sprint(len(want)), wrong.member("removed"))
	done := a.call("update", `{"type":"Group","id":"APT29","add":{"uses":["Technique/T1595.001"]},"message":"it scans, too"}`)
	same(a, []string{"1", "0"}, []string{done.member("added"), done.member("removed")})
	undone := a.call("undo", `{"commit":"`+done.member("commit")+`"}`)
	same(a, []string{"0", "1"}, []string{undone.member("added"), undone.member("removed")})
	undone.says(data.named(a, "APT29"))
}

func deleteReferredTo(a *agent, data *truth) {
	tool := data.named(a, "PsExec")
	users := data.to(tool, "uses")
	node := a.call("search", `{"text":"PsExec","type":"Tool","limit":1}`).table("node", "label", "property", "text")[0][0]
	same(a, tool, node)
	refused := a.call("delete", `{"type":"Tool","id":"`+node+`"}`)
	for _, kind := range []string{"Group", "Campaign"} {
		n := 0
		for _, user := range users {
			if data.types[user] == kind {
				n++
			}
		}
		refused.says(fmt.Sprintf("by %d of %s by uses", n, kind), "detach: true")
	}
	gone := a.call("delete", `{"type":"Tool","id":"`+node+`","detach":true,"message":"no tool of adversaries"}`)
	same(a, fmt.Sprint(data.statements(tool)+len(users)), gone.member("removed"))
}

func newTypeAndBack(a *agent, _ *truth) {
	const add = `"patch":"- add_type: {Sighting: {label: title, properties: {title: {type: string, required: true}, seen: date, of: {class: Technique, many: true}}}}"`
	a.call("schema_apply", `{`+add+`,"plan":true}`).says("Sighting", "safe")
	added := a.call("schema_apply", `{`+add+`,"message":"what was seen"}`).member("commit")
	made := a.call("create", `{"type":"Sighting","data":{"title":"Memory of LSASS was read","seen":"2026-11-21","of":["Technique/T1003.001"]}}`)
	a.call("delete", `{"type":"Sighting","id":"`+made.member("id")+`"}`).member("commit")
	// The answer says which definitions went, so that nobody has to ask for the type.
	dropped := a.call("undo", `{"commit":"`+added+`"}`)
	same(a, []string{"4", "0"}, []string{dropped.member("node_count"), dropped.member("added")})
	dropped.says("Sighting.of", "Sighting.seen", "Sighting.title")
	a.after("describe", `{"type":"Sighting"}`).says("there is no type", "Sighting")
}

func auditTheSession(a *agent, _ *truth) {
	// What the session did before is no part of the task.
	node := a.call("create", `{"type":"Mitigation","data":{"attackId":"M1999","name":"Trail Review","description":"Review regularly what the trails of a knowledge graph say about who changed which statement, and why.","created":"2026-11-21T09:00:00Z","modified":"2026-11-21T09:00:00Z","version":"1.0","url":"https://attack.mitre.org/mitigations/M1999","stixId":"course-of-action--00000000-0000-4000-8000-000000001999","mitigates":["Technique/T1565"]},"message":"was missing"}`)
	renamed := a.call("update", `{"type":"Mitigation","id":"M1999","set":{"name":"Review of Trails"},"message":"a better name"}`)
	undone := a.call("undo", `{"commit":"`+renamed.member("commit")+`"}`)
	a.calls, a.sent, a.received = 0, 0, 0

	rows := a.call("history", `{}`).table("commit", "time", "who", "what", "origin")
	if len(rows) != 5 { // the file's own two are before them
		a.Fatalf("%d commits: %v", len(rows), rows)
	}
	for i, c := range []struct {
		of    answer
		words []string
	}{
		{undone, []string{"Mitigation/M1999", "Review of Trails", "Trail Review"}},
		{renamed, []string{"a better name", "Mitigation/M1999", "Trail Review", "Review of Trails"}},
		{node, []string{"was missing", "Mitigation/M1999"}},
	} {
		if !strings.HasPrefix(c.of.member("commit"), rows[i][0]) || !strings.HasPrefix(rows[i][2], "local:ana") {
			a.Errorf("row %d is %v, and the commit %s", i, rows[i], c.of.member("commit"))
		}
		for _, word := range c.words {
			if !strings.Contains(rows[i][3], word) {
				a.Errorf("row %d does not say %q: %s", i, word, rows[i][3])
			}
		}
	}
}

func changeManyNodes(a *agent, data *truth) {
	const raise = `"update":"DELETE {?t :version \"2.1\"} INSERT {?t :version \"2.2\"} WHERE {?t a :Technique; :version \"2.1\"}"`
	const count = `{"query":"SELECT ?version (COUNT(?t) AS ?n) {?t a :Technique; :version ?version VALUES ?version {\"2.1\" \"2.2\"}} GROUP BY ?version ORDER BY ?version"}`
	old := data.withValue("Technique", "version", "2.1")
	later := len(data.withValue("Technique", "version", "2.2"))
	preview := a.call("mutate", `{`+raise+`,"dry_run":true}`)
	same(a, []string{fmt.Sprint(len(old)), fmt.Sprint(2 * len(old))}, []string{preview.member("nodes"), preview.member("total")})
	var nodes []string
	for _, row := range preview.table("op", "node", "property", "value") {
		if row[0] == "+" {
			nodes = append(nodes, row[1])
		}
	}
	slices.Sort(nodes)
	same(a, old, nodes)
	done := a.call("mutate", `{`+raise+`,"message":"a new edition"}`)
	same(a, []string{fmt.Sprint(len(old)), fmt.Sprint(len(old))}, []string{done.member("added"), done.member("removed")})
	same(a, [][]string{{"2.2", fmt.Sprint(later + len(old))}}, a.after("query", count).table("version", "n"))
	undone := a.call("undo", `{"commit":"`+done.member("commit")+`"}`)
	same(a, []string{fmt.Sprint(len(old)), fmt.Sprint(len(old)), fmt.Sprint(len(old))}, []string{undone.member("node_count"), undone.member("added"), undone.member("removed")})
	same(a, [][]string{{"2.1", fmt.Sprint(len(old))}, {"2.2", fmt.Sprint(later)}}, a.after("query", count).table("version", "n"))
}

func everything(a *agent, data *truth) {
	got := a.call("query", `{"query":"SELECT ?t ?name ?description {?t a :Technique; :name ?name; :description ?description}"}`)
	cut := got.begins("cut")
	shown := len(got.table("t", "name", "description"))
	if !strings.Contains(cut, fmt.Sprintf("the first %d rows are shown", shown)) || !strings.Contains(cut, fmt.Sprintf("OFFSET %d", shown)) {
		a.Errorf("%d rows are shown, and the answer says %q", shown, cut)
	}
	if all := len(data.withType("Technique")); shown >= all {
		a.Errorf("all %d are shown", all)
	}
}

// An agent works on a draft, shows what it changed, and merges it.
func TestADraftIsCheap(t *testing.T) {
	testrun.Alone(t)
	const mostCalls, mostTokens = 6, 3_000
	data := readTruth(t)
	makeFile(t)
	for _, v := range views {
		t.Run(v.name, func(t *testing.T) {
			a := newAgent(t, v)
			group := data.named(a, "APT29")
			draft := a.call("branches_create", `{"draft":true}`).member("branch")
			same(a, "draft/agent-1", draft)
			a.call("update", `{"id":"`+group+`","add":{"uses":["Technique/T1595.001"]},"branch":"`+draft+`","message":"it scans, too"}`)
			a.call("update", `{"id":"Technique/T1003.001","set":{"name":"Memory of LSASS"},"branch":"`+draft+`","message":"a plainer name"}`)
			a.call("diff", `{"branch":"`+draft+`"}`).says(group, "Technique/T1595.001", "Technique/T1003.001", data.names["Technique/T1003.001"], "Memory of LSASS")
			merged := a.call("branches_merge", `{"source":"`+draft+`"}`)
			same(a, []string{"merged", "2", "2", "1"}, []string{merged.member("outcome"), merged.member("node_count"), merged.member("added"), merged.member("removed")})
			if a.calls > mostCalls || a.sent+a.received > mostTokens {
				t.Errorf("%d calls and %d tokens, at most %d and %d", a.calls, a.sent+a.received, mostCalls, mostTokens)
			}
			t.Logf("%d calls, %d tokens", a.calls, a.sent+a.received)
		})
	}
}

// same fails the test unless the findings of an agent equal the data.
func same[T any](t testing.TB, want, got T) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-data +agent)\n%s", diff)
	}
}

// Each of three mistakes that once led to a wrong answer without a warning is now reported.
func TestNothingFailsSilently(t *testing.T) {
	testrun.Alone(t)
	data := readTruth(t)
	makeFile(t)
	for _, v := range views {
		t.Run(v.name, func(t *testing.T) {
			t.Run("a misspelt predicate", func(t *testing.T) {
				a := newAgent(t, v)
				for tool, args := range map[string]string{
					"query":  `{"query":"SELECT ?t {?g :name \"APT29\"; :usess ?t}"}`,
					"mutate": `{"update":"DELETE {?g :usess ?t} WHERE {?g :name \"APT29\"; :usess ?t}"}`,
				} {
					got := a.call(tool, args)
					got.begins("warnings")
					got.says(":usess", ":uses")
				}
			})
			t.Run("a list that is replaced by one value", func(t *testing.T) {
				a := newAgent(t, v)
				group := data.named(a, "APT29")
				before := data.from(group, "uses")
				got := a.call("update", `{"type":"Group","id":"`+group+`","set":{"uses":["Technique/T1595.001"]}}`)
				same(a, []string{fmt.Sprint(len(before)), fmt.Sprint(len(before))}, []string{got.member("removed"), got.member("total")})
				for _, row := range got.table("op", "node", "property", "value") {
					if row[0] != "-" || !slices.Contains(before, row[3]) {
						a.Errorf("%v is no link that went", row)
					}
				}
			})
			t.Run("a cut answer", func(t *testing.T) { everything(newAgent(t, v), data) })
		})
	}
}

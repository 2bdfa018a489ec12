package kg_test

import (
	"fmt"
	"io"
	"strings"
	"testing"

	"trails/auth/policy"
	"trails/e2e/testrun"
	"trails/fault"
	"trails/kg"
	"trails/kg/load"
	"trails/rdf"
	"trails/schema/infer"
)

// byPlan plans the import of sources, and imports them as planned.
func byPlan(t *testing.T, g *kg.Graph, asked kg.ImportAsked, rejects bool, sources ...kg.Source) (*kg.ImportPlan, kg.Loaded, error) {
	t.Helper()
	return byPlanOf(t, g.Session(ana), asked, rejects, sources...)
}

// byPlanOf is byPlan for a caller.
func byPlanOf(t *testing.T, s *kg.Session, asked kg.ImportAsked, rejects bool, sources ...kg.Source) (*kg.ImportPlan, kg.Loaded, error) {
	t.Helper()
	plan, err := s.PlanImport(t.Context(), sources, asked)
	if err != nil {
		return nil, kg.Loaded{}, err
	}
	if len(plan.Blocked) > 0 {
		return plan, kg.Loaded{}, fault.Invalid(plan.Blocked)
	}
	l, end, err := plan.Load(sources)
	if err != nil {
		t.Fatal(err)
	}
	defer end()
	l.Rejects, l.Mode = rejects, asked.Mode
	done, err := s.Load(t.Context(), l)
	return plan, done, err
}

// rooms is a table, of a type that no graph of these tests has.
const rooms = "Code,Name,Opened,Heated\nR-1,Hall,13/4/2023,yes\nR-2,Attic,2/4/2023,no\n"

func TestAnImportIsOneCommitThatIsTakenBackWhole(t *testing.T) {
	for name, schema := range map[string]string{"of a graph without commits": "", "of one with a schema": "types: {Note: {properties: {title: string}}}"} {
		t.Run(name, func(t *testing.T) {
			g := newGraph(t, schema)
			before := head(t, g)
			plan, done, err := byPlan(t, g, kg.ImportAsked{}, false, source("rooms.csv", rooms))
			if err != nil || len(plan.Added) != 1 || done.Records != 2 || done.After.Parent != before.ID {
				t.Fatalf("%+v, %+v, %v", plan, done, err)
			}
			if got := head(t, g); got.ID != done.After.ID {
				t.Errorf("the head is %s, and the import made %s", got.ID, done.After.ID)
			}
			undone, err := g.Session(ana).UndoSchema(t.Context(), kg.Undo{Commit: done.After.ID})
			if err != nil || undone.After.Quads != before.Quads {
				t.Errorf("undo: %d statements are left of %d: %v", undone.After.Quads, before.Quads, err)
			}
		})
	}
}

func TestTheDecisionsOfAnImportHoldForItsColumns(t *testing.T) {
	g := newGraph(t, "")
	asked := kg.ImportAsked{Rows: 1, Kinds: map[string]string{"Name": "date"}, Options: load.Options{
		Type: "Room", Map: map[string]string{"Heated": "", "Opened": "since"},
	}}
	plan, err := g.Session(ana).PlanImport(t.Context(), []kg.Source{source("rooms.csv", rooms)}, asked)
	if err != nil {
		t.Fatal(err)
	}
	var columns []string
	for _, c := range plan.Tables[0].Columns {
		columns = append(columns, c.Name+"="+c.Property+":"+c.Kind)
	}
	if got, want := strings.Join(columns, " "), "Code=code:string Name=name:date Opened=since:date Heated=:"; got != want {
		t.Errorf("columns %s, want %s", got, want)
	}
	if plan.LeftOut != 2 || len(plan.Bad) != 2 || plan.Bad[1].Source != "rooms.csv:3:5" || plan.Records != 0 {
		t.Errorf("no name is a date: %d are left out, %v", plan.LeftOut, plan.Bad)
	}
	asked.Kinds["Name"] = "colour"
	if _, err := g.Session(ana).PlanImport(t.Context(), []kg.Source{source("rooms.csv", rooms)}, asked); !fault.Is(err, fault.InvalidArguments) || !strings.Contains(err.Error(), "colour") {
		t.Errorf("a kind that there is not: %v", err)
	}
}

// TestAPropertyThatIsThereDecidesWhichValuesAreBad holds that values which no type fits are loaded as the property of the type
// that is there, or told, and never passed over.
func TestAPropertyThatIsThereDecidesWhichValuesAreBad(t *testing.T) {
	for name, text := range map[string]string{
		"records.ndjson": `{"type":"Person","id":"ana","data":{"name":"Ana","age":7}}` + "\n" + `{"type":"Person","id":"bo","data":{"name":"Bo","age":"old"}}` + "\n",
		"array.json":     `[{"id":"ana","name":"Ana","age":7},{"id":"bo","name":"Bo","age":"old"}]`,
	} {
		t.Run(name, func(t *testing.T) {
			g := newGraph(t, "types: {Person: {iri: preserve, properties: {name: {type: string}, age: {type: integer}}}}")
			plan, _, err := byPlan(t, g, kg.ImportAsked{}, true, source(name, text))
			if err != nil {
				t.Fatal(err)
			}
			if plan.Records != 1 || plan.LeftOut != 1 || len(plan.Bad) != 1 || plan.Bad[0].Field != "age" {
				t.Errorf("%d fit and %d do not: %v", plan.Records, plan.LeftOut, plan.Bad)
			}
			if out := export(t, g, load.NQuads); !strings.Contains(out, `"7"`) {
				t.Errorf("the good value is lost: %s", out)
			}
			plan, _, err = byPlan(t, g, kg.ImportAsked{Options: load.Options{Map: map[string]string{"age": ""}}}, true, source(name, text))
			if err != nil || plan.Records != 2 {
				t.Errorf("what the caller passes over: %d, %v", plan.Records, err)
			}
		})
	}
}

// TestTheFormatOfCellsThatIsSaidHolds holds that it does where most cells are bad, too.
func TestTheFormatOfCellsThatIsSaidHolds(t *testing.T) {
	g := newGraph(t, "types: {Visit: {properties: {on: {type: date}, cost: {type: decimal}}}}")
	asked := kg.ImportAsked{Options: load.Options{Type: "Visit", Conventions: infer.Conventions{Dates: "dmy", Decimal: ","}}}
	plan, err := g.Session(ana).PlanImport(t.Context(), []kg.Source{source("visits.csv", "on,cost\n31/12/2023,\"1.234,5\"\nsoon,much\nnever,\"n,o\"\n")}, asked)
	if err != nil || plan.Records != 1 || plan.LeftOut != 2 {
		t.Errorf("%d fit and %d do not: %v, %v", plan.Records, plan.LeftOut, plan.Bad, err)
	}
}

func TestAnImportRefusesAPatchThatTakesAway(t *testing.T) {
	g := newGraph(t, "types: {Note: {properties: {title: string}}}")
	before := head(t, g)
	for _, patch := range []string{"- drop_type: Note", "- drop_property: Note.title", "- alter_property: {Note.title: {type: integer}}", "- rename_type: {Note: Memo}"} {
		_, err := g.Session(ana).Load(t.Context(), kg.Load{Patch: []byte(patch), Options: load.Options{Type: "Note", Inputs: []load.Input{{Name: "x.csv", Reader: strings.NewReader("title\nx\n")}}}})
		if err == nil || head(t, g).ID != before.ID {
			t.Errorf("%s: %v", patch, err)
		}
	}
	_, err := g.Session(ana).For(policy.Change).Load(t.Context(), kg.Load{Patch: []byte("- add_type: {Room: {properties: {title: string}}}"), Options: load.Options{Type: "Room", Inputs: []load.Input{{Name: "x.csv", Reader: strings.NewReader("title\nx\n")}}}})
	if err == nil || head(t, g).ID != before.ID {
		t.Errorf("a session that may not change the schema: %v", err)
	}
}

func TestABadRowOfAnImportIsLeftOutOrKeepsAllOut(t *testing.T) {
	g := newGraph(t, "")
	before := head(t, g)
	table := "Code,Size\n" + strings.Repeat("x", 3) + ",big\n"
	for _, code := range []string{"a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k"} {
		table += code + ",1\n"
	}
	_, _, err := byPlan(t, g, kg.ImportAsked{}, false, source("room.csv", table))
	if !fault.Is(err, fault.InvalidData) || head(t, g).ID != before.ID {
		t.Errorf("a bad row: %v, and the head moved: %t", err, head(t, g).ID != before.ID)
	}
	plan, done, err := byPlan(t, g, kg.ImportAsked{}, true, source("room.csv", table))
	if err != nil || plan.LeftOut != 1 || done.Records != 11 || done.LeftOut.Count != 1 {
		t.Errorf("%+v, %+v, %v", plan, done, err)
	}
}

func TestAMendedCellIsWhatIsImported(t *testing.T) {
	g := newGraph(t, "")
	mended := source("rooms.csv", rooms)
	mended.Cells = map[int]map[string]string{3: {"Opened": "3/4/2023", "Heated": "yes"}}
	_, done, err := byPlan(t, g, kg.ImportAsked{}, false, mended)
	if err != nil || done.Records != 2 {
		t.Fatalf("%+v, %v", done, err)
	}
	if text := export(t, g, "nquads"); !strings.Contains(text, `"2023-04-03"`) || strings.Contains(text, `"2023-04-02"`) || strings.Contains(text, `"false"`) {
		t.Errorf("the cells of the file are in the graph:\n%s", text)
	}
}

func TestRDFIsImportedAsItIs(t *testing.T) {
	g := newGraph(t, "")
	plan, done, err := byPlan(t, g, kg.ImportAsked{}, false, source("a.ttl", "<urn:a> <urn:b> 1, 2 ."))
	if err != nil || !plan.RDF || plan.Records != 2 || done.Records != 2 || plan.Patch != nil {
		t.Errorf("%+v, %+v, %v", plan, done, err)
	}
	if _, _, err := byPlan(t, g, kg.ImportAsked{}, false, source("a.ttl", "<urn:a> <urn:b> 1 ."), source("rooms.csv", rooms)); !fault.Is(err, fault.InvalidArguments) {
		t.Errorf("RDF and a table: %v", err)
	}
}

// teams is a schema of teams, and of people who have an address.
const teams = `
types:
  Team: {label: name, iri: preserve, properties: {name: {type: string, required: true}}}
  Person:
    label: name
    properties:
      email: {type: string}
      name: {type: string}
      team: {class: Team}
`

// newTeams has two teams of the same name, and two people of another.
func newTeams(t *testing.T) *kg.Graph {
	t.Helper()
	g := newGraph(t, teams)
	_, _, err := byPlan(t, g, kg.ImportAsked{Options: load.Options{Type: "Team"}}, false, source("team.csv", "id,name\nr,Red\nb1,Blue\nb2,Blue\n"))
	if err == nil {
		_, _, err = byPlan(t, g, kg.ImportAsked{Options: load.Options{Type: "Person"}}, false, source("person.csv", "email,name,team\na@x,Ana,r\nb@x,Bo,Red\n"))
	}
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func TestRowsFindTheirNodesByAColumn(t *testing.T) {
	testrun.Alone(t)
	const table = "email,name\na@x,Ana\nb@x,Bob\nc@x,Cy\n"
	for mode, want := range map[load.Mode]kg.Met{load.Merge: {New: 1, Changed: 1, Equal: 1}, load.Skip: {New: 1, Equal: 2}, load.Append: {New: 1}} {
		t.Run(string(mode), func(t *testing.T) {
			g := newTeams(t)
			plan, done, err := byPlan(t, g, kg.ImportAsked{By: "email", Options: load.Options{Mode: mode}}, mode == load.Append, source("more.csv", table))
			if err != nil || plan.Met != want {
				t.Fatalf("%+v, want %+v: %v", plan.Met, want, err)
			}
			if mode != load.Append && plan.Met != done.Met {
				t.Errorf("planned %+v, done %+v", plan.Met, done.Met)
			}
			text := export(t, g, "nquads")
			if changed := strings.Contains(text, `"Bob"`); changed != (mode == load.Merge) || !strings.Contains(text, `"Cy"`) {
				t.Errorf("Bob: %t, Cy: %t", changed, strings.Contains(text, `"Cy"`))
			}
		})
	}
	g := newTeams(t)
	plan, _, err := byPlan(t, g, kg.ImportAsked{By: "email"}, true, source("more.csv", "email,name\nn@x,Ann\nn@x,Ben\n"))
	if err != nil || plan.LeftOut != 1 || !strings.Contains(plan.Bad[0].Message, "line 2 has the value") {
		t.Errorf("two rows of one address: %+v, %v", plan, err)
	}
	if _, _, err := byPlan(t, g, kg.ImportAsked{By: "mail"}, false, source("more.csv", table)); !fault.Is(err, fault.InvalidData) || !strings.Contains(err.Error(), "mail") {
		t.Errorf("by a column that there is not: %v", err)
	}
	if _, _, err := byPlan(t, g, kg.ImportAsked{By: "Code"}, false, source("rooms.csv", rooms)); !fault.Is(err, fault.InvalidArguments) {
		t.Errorf("by a column of a new type: %v", err)
	}
}

func TestReferencesOfAnImportAreIdsOrLabels(t *testing.T) {
	g := newTeams(t)
	if text := export(t, g, "nquads"); strings.Count(text, "Team/r> .") != 2 {
		t.Fatalf("both people are of the red team, by its id and its name:\n%s", text)
	}
	plan, _, err := byPlan(t, g, kg.ImportAsked{}, true, source("person.csv", "email,name,team\nc@x,Cy,Blue\nd@x,Di,Redd\ne@x,Ed,b1\nf@x,Flo,Red\ng@x,Gus,Red\nh@x,Hal,Red\n"))
	if err != nil || plan.LeftOut != 2 || plan.Records != 4 {
		t.Fatalf("%+v, %v", plan, err)
	}
	if got := plan.Bad[0].Message; !strings.Contains(got, "Team/b1, Team/b2") {
		t.Errorf("two teams have the name: %s", got)
	}
	if got := plan.Bad[1].Message; !strings.HasSuffix(got, `did you mean "Red"?`) {
		t.Errorf("no team has it: %s", got)
	}
}

func TestReferencesOfAnImportAreLabelsOfItsOwnRows(t *testing.T) {
	testrun.Alone(t)
	const staff = "types: {Person: {label: name, properties: {name: {type: string, required: true}, age: {type: integer}, manager: {class: Person}, friends: {class: Person, many: true}}}}"
	for _, c := range []struct{ name, table, wrong string }{
		{"before, after and in a circle", "name,manager\nAna,Cy\nBo,Ana\nCy,Bo\nDi,Di\n", ""},
		{"a name of two rows", "name,manager\nAna,\nAna,\nBo,Ana\n", "2 Person have the name"},
		{"a name of no row", "name,manager\nAna,\nBo,Annabel\n", "Annabel"},
		{"a row that does not fit", "name,manager,age\nAna,,x\nBo,Ana,\nCy,Bo,\nDi,,\n", "age"},
		{"a wrong cell beside it", "name,manager,age\nAna,,1\nBo,Ana,y\nCy,Ana,3\n", "age"},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := newGraph(t, staff)
			plan, done, err := byPlan(t, g, kg.ImportAsked{Options: load.Options{Type: "Person"}}, c.wrong != "", source("person.csv", c.table))
			if err != nil {
				t.Fatal(err)
			}
			if c.wrong == "" {
				if plan.LeftOut != 0 || done.Met.New != 4 {
					t.Fatalf("%+v, %+v", plan, done)
				}
				for _, manages := range []string{"Ana>Cy", "Bo>Ana", "Cy>Bo", "Di>Di"} {
					who, manager, _ := strings.Cut(manages, ">")
					if text := export(t, g, "nquads"); !strings.Contains(text, named(text, who)+" <urn:trails:t:manager> "+named(text, manager)+" .") {
						t.Errorf("%s is not in\n%s", manages, text)
					}
				}
				return
			}
			if plan.LeftOut == 0 || !strings.Contains(fmt.Sprint(plan.Bad), c.wrong) {
				t.Errorf("left out %d: %v, want %q", plan.LeftOut, plan.Bad, c.wrong)
			}
		})
	}
	g := newGraph(t, "")
	plan, done, err := byPlan(t, g, kg.ImportAsked{Kinds: map[string]string{"Manager": "Person"}, Options: load.Options{Type: "Person"}}, false, source("person.csv", "Name,Manager\nAna,Bo\nBo,\n"))
	if err != nil || done.Met.New != 2 || plan.LeftOut != 0 {
		t.Errorf("of a new type: %+v, %+v, %v", plan, done, err)
	}
}

func TestAnImportTellsNothingOfWhatIsHidden(t *testing.T) {
	g := newGraph(t, `
types:
  Person: {label: name, properties: {name: {type: string}, email: {type: string}, manager: {class: Person}}}
  Boss: {extends: Person}
  Agent: {}
`)
	data := "<urn:max> a <%[1]sBoss> ; <%[1]sname> \"Max\" . <urn:zed> a <%[1]sPerson>, <%[1]sAgent> ; <%[1]sname> \"Zed\" ; <%[1]semail> \"z@x\" . <urn:ann> a <%[1]sPerson> ; <%[1]sname> \"Ann\" ; <%[1]semail> \"a@x\" ."
	if _, _, err := byPlan(t, g, kg.ImportAsked{}, false, source("a.ttl", fmt.Sprintf(data, g.Base()))); err != nil {
		t.Fatal(err)
	}
	const table = "name,email,manager\nX,z@x,Max\nY,a@x,Ann\nZ,b@x,\n"
	asked := kg.ImportAsked{By: "email", Options: load.Options{Type: "Person"}}
	if plan, err := g.Session(ana).PlanImport(t.Context(), []kg.Source{source("person.csv", table)}, asked); err != nil || plan.LeftOut != 0 || plan.Met != (kg.Met{New: 1, Changed: 2}) {
		t.Fatalf("seeing all: %+v, %v", plan, err)
	}
	hidden := &kg.Rights{Types: []rdf.IRI{rdf.IRI(g.Base() + "Boss"), rdf.IRI(g.Base() + "Agent")}}
	plan, err := g.Session(ana).Seeing(hidden).PlanImport(t.Context(), []kg.Source{source("person.csv", table)}, asked)
	if err != nil || plan.LeftOut != 1 || plan.Met != (kg.Met{New: 1, Changed: 1}) {
		t.Fatalf("a row that refers to a hidden node fits, or one is counted: %+v, %v", plan, err)
	}
	if told := fmt.Sprintf("%+v", plan); strings.Contains(told, "urn:max") || strings.Contains(told, "urn:zed") || strings.Contains(told, "Boss") {
		t.Errorf("the plan tells of hidden nodes: %s", told)
	}
}

func TestTwoImportsOfTheSameRowsAtOnce(t *testing.T) {
	for name, c := range map[string]struct {
		unique string
		people int
		wrong  bool
	}{"nothing is unique": {"", 2, false}, "a unique property refuses the second": {", unique: true", 1, true}} {
		t.Run(name, func(t *testing.T) {
			g := newGraph(t, "types: {Person: {label: name, properties: {name: {type: string}, email: {type: string"+c.unique+"}}}}")
			asked := kg.ImportAsked{By: "email", Options: load.Options{Type: "Person"}}
			sources := []kg.Source{source("person.csv", "name,email\nAna,a@x\n")}
			var read []*kg.ReadyLoad
			var sets []kg.ChangeSet
			for range 2 { // both are read before one is written
				plan, err := g.Session(ana).PlanImport(t.Context(), sources, asked)
				if err != nil {
					t.Fatal(err)
				}
				l, end, err := plan.Load(sources)
				if err != nil {
					t.Fatal(err)
				}
				defer end()
				ready, err := g.Session(ana).ReadLoad(t.Context(), l)
				if err != nil {
					t.Fatal(err)
				}
				defer ready.Close()
				read, sets = append(read, ready), append(sets, l.Set)
			}
			if _, err := read[0].Commit(t.Context(), sets[0]); err != nil {
				t.Fatal(err)
			}
			if _, err := read[1].Commit(t.Context(), sets[1]); fault.Is(err, fault.InvalidData) != c.wrong || !c.wrong && err != nil {
				t.Errorf("the second: %v", err)
			}
			if n := strings.Count(export(t, g, "nquads"), `"a@x"`); n != c.people {
				t.Errorf("%d people have the address, want %d", n, c.people)
			}
			plan, _, err := byPlan(t, g, asked, c.people == 2, sources...)
			if known := err == nil && plan.Met.Equal == 1 && plan.LeftOut == 0; known == (c.people == 2) {
				t.Errorf("a third one afterwards: %+v, %v", plan, err)
			}
		})
	}
}

// named is the node of an export that has a name.
func named(export, name string) string {
	for line := range strings.Lines(export) {
		if subject, rest, _ := strings.Cut(line, " "); strings.HasSuffix(strings.TrimSpace(rest), `name> "`+name+`" .`) {
			return subject
		}
	}
	return "nobody"
}

func TestAColumnThatIsToBeTextKeepsItsCellsWhole(t *testing.T) {
	for name, c := range map[string]struct {
		kinds map[string]string
		want  []string
	}{
		"as it is found":  {nil, []string{"calm", "warm"}},
		"decided as text": {map[string]string{"Notes": "string"}, []string{"calm; warm"}},
	} {
		t.Run(name, func(t *testing.T) {
			g := newGraph(t, "")
			plan, _, err := byPlan(t, g, kg.ImportAsked{Kinds: c.kinds, Options: load.Options{Type: "Room"}}, false, source("rooms.csv", "Code,Notes\nR-1,calm; warm\nR-2,calm\n"))
			if err != nil || plan.Tables[0].Columns[1].Many != (len(c.want) > 1) {
				t.Fatalf("%+v, %v", plan, err)
			}
			text := export(t, g, load.NQuads)
			for _, want := range c.want {
				if !strings.Contains(text, fmt.Sprintf("notes> %q", want)) {
					t.Errorf("no note is %q in\n%s", want, text)
				}
			}
		})
	}
}

// TestAPlanOfAnImportTellsHowFarItIs hears the reading of the data, each time from its beginning.
func TestAPlanOfAnImportTellsHowFarItIs(t *testing.T) {
	var table strings.Builder
	table.WriteString("Code,Name\n")
	for i := range 2000 {
		fmt.Fprintf(&table, "R-%d,Room %d\n", i, i)
	}
	heard, begun := map[string]int64{}, 0
	asked := kg.ImportAsked{Progress: func(p kg.Progress) {
		if p.Phase == "plan" && p.Done <= heard["plan"] { // from the beginning again
			begun++
		}
		heard[p.Phase] = p.Done
		if p.Phase == "plan" && p.Unit != "bytes" || p.Phase == "read" {
			t.Errorf("heard %+v", p)
		}
	}}
	if _, err := newGraph(t, "").Session(ana).PlanImport(t.Context(), []kg.Source{source("rooms.csv", table.String())}, asked); err != nil {
		t.Fatal(err)
	}
	if heard["plan"] < int64(table.Len())/2 || begun == 0 {
		t.Errorf("heard %v of %d bytes, begun %d times more", heard, table.Len(), begun)
	}
}

// TestAPlanOfAnImportReadsItsDataTwice counts the bytes that a plan reads: those of all rows for the proposal, and those of
// the load that tries it.
func TestAPlanOfAnImportReadsItsDataTwice(t *testing.T) {
	var rows strings.Builder
	long := strings.Repeat("of the old wing ", 8)
	for i := range 3_000 {
		fmt.Fprintf(&rows, "R-%d,Room %d %s\n", i, i, long)
	}
	for name, c := range map[string]struct {
		schema, more string
	}{
		"a new type":                        {"", ""},
		"a type that is there":              {"types: {Rooms: {iri: preserve, properties: {code: string, name: string}}}", ""},
		"a new type with a row that is bad": {"", "R-1,Room again,too many\n"},
		"an id that two rows have":          {"", "R-1,Room again\n"},
	} {
		t.Run(name, func(t *testing.T) {
			table, read := "Code,Name\n"+rows.String()+c.more, 0
			counted := kg.Source{Name: "rooms.csv", Open: func() (io.ReadCloser, error) {
				return io.NopCloser(&countedReader{strings.NewReader(table), &read}), nil
			}}
			plan, err := newGraph(t, c.schema).Session(ana).PlanImport(t.Context(), []kg.Source{counted}, kg.ImportAsked{})
			if err != nil || plan.Records+plan.LeftOut != int64(strings.Count(table, "\n")-1) {
				t.Fatalf("%+v, %v", plan, err)
			}
			if read > 2*len(table)+(256<<10) { // what a reader holds is read once more, to tell what it is
				t.Errorf("it reads %d bytes of %d, want all of them twice", read, len(table))
			}
		})
	}
}

// countedReader counts what is read.
type countedReader struct {
	io.Reader
	n *int
}

func (c *countedReader) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	*c.n += n
	return n, err
}

// TestTablesThatReferToEachOtherKeepTheirReferences imports two tables of new types together.
func TestTablesThatReferToEachOtherKeepTheirReferences(t *testing.T) {
	var teams, people strings.Builder
	teams.WriteString("id,Lead\n")
	people.WriteString("id,Team\n")
	for i := range 20 {
		fmt.Fprintf(&teams, "T-%d,P-%d\n", i, i)
		fmt.Fprintf(&people, "P-%d,T-%d\n", i, i)
	}
	g := newGraph(t, "")
	plan, done, err := byPlan(t, g, kg.ImportAsked{}, false, source("team.csv", teams.String()), source("person.csv", people.String()))
	if err != nil || done.Records != 40 || len(plan.Added) != 2 {
		t.Fatalf("%+v, %+v, %v", plan, done, err)
	}
	for i, class := range []string{"Person", "Team"} {
		if c := plan.Tables[i].Columns[1]; c.Kind != class {
			t.Errorf("%s of %s is %s", c.Name, plan.Tables[i].Name, c.Kind)
		}
	}
}

// TestRowsOfATypeThatIsAddedAreCheckedOnce counts the nodes that a load checks, and holds that instances which were there before
// are checked as well.
func TestRowsOfATypeThatIsAddedAreCheckedOnce(t *testing.T) {
	g := newGraph(t, "types: {Note: {iri: preserve, properties: {title: string}}}")
	read := func(patch, typeName, table string) (checked int64, err error) {
		l := kg.Load{Options: load.Options{Type: typeName, Inputs: []load.Input{{Name: "in.csv", Reader: strings.NewReader(table)}}}}
		l.Progress = func(p kg.Progress) {
			if p.Phase == "validate" {
				checked = p.Done
			}
		}
		if patch != "" {
			l.Patch = []byte(patch)
		}
		_, err = g.Session(ana).Load(t.Context(), l)
		return checked, err
	}
	var table strings.Builder
	table.WriteString("name\n")
	for i := range 5000 {
		fmt.Fprintf(&table, "Room %d\n", i)
	}
	const addType = "- add_type: {Room: {properties: {name: {type: string, required: true}}}}"
	if checked, err := read(addType, "Room", table.String()); err != nil || checked == 0 || checked > 5001 {
		t.Errorf("of 5,000 rooms at least %d were checked: %v", checked, err)
	}
	if _, err := read("", "Note", "id,title\na,A\n"); err != nil {
		t.Fatal(err)
	}
	const addSize = "- add_property: {Note.size: {type: integer, required: true}}"
	if _, err := read(addSize, "Note", "id,title,size\nb,B,1\n"); !fault.Is(err, fault.InvalidData) || !strings.Contains(err.Error(), "Note/a") {
		t.Errorf("a note without a size is kept: %v", err)
	}
	if _, err := read(addSize, "Note", "id,title,size\na,A,2\nb,B,1\n"); err != nil {
		t.Error(err)
	}
}

// TestRowsThatReferToABadRowAreToldApart holds that a row which is right but for a reference to one that is left out says so,
// whether the reference is an id, a label, or a label of a row whose id is made, and however long the chain is.
func TestRowsThatReferToABadRowAreToldApart(t *testing.T) {
	people := ""
	for i := range 30 {
		people += fmt.Sprintf("%d,P%d,%d,\n", 100+i, 100+i, i)
	}
	for name, c := range map[string]struct {
		text           string
		left, followed int64
		follows        string // the places that rows refer to
	}{
		"by ids":               {"id,name,age,boss\n1,Ana,old,\n2,Bo,31,1\n3,Cy,32,2\n4,Di,33,9\n" + people, 4, 2, "t.csv:2 t.csv:3"},
		"by labels":            {"id,name,age,boss\n1,Ana,old,\n2,Bo,31,Ana\n3,Cy,32,Bo\n4,Di,33,Nobody\n" + people, 4, 2, "t.csv:2 t.csv:3"},
		"a row of other cells": {"id,name,age,boss\n1,Ana,30,,,7\n2,Bo,31,1\n" + people, 2, 1, "t.csv:2"},
		"two mistakes":         {"id,name,age,boss\n1,Ana,old,\n2,Bo,old,1\n" + people, 2, 0, ""},
	} {
		t.Run(name, func(t *testing.T) {
			g := newGraph(t, "types: {Person: {iri: preserve, label: name, properties: {name: string, age: integer, boss: {class: Person}}}}")
			asked := kg.ImportAsked{Options: load.Options{Type: "Person"}}
			plan, done, err := byPlan(t, g, asked, true, source("t.csv", c.text))
			if err != nil {
				t.Fatal(err)
			}
			var follows []string
			for _, f := range plan.Bad {
				if f.Follows != "" {
					follows = append(follows, f.Follows)
				}
			}
			if got := strings.Join(follows, " "); plan.LeftOut != c.left || plan.Following != c.followed || got != c.follows {
				t.Errorf("%d are left out, %d of them for %q: %v", plan.LeftOut, plan.Following, got, plan.Bad)
			}
			if done.LeftOut.Following != c.followed {
				t.Errorf("the import tells %s", done.LeftOut.String())
			}
		})
	}
}

package kg_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"trails/auth/cedar"
	"trails/auth/policy"
	"trails/fault"
	"trails/kg"
	"trails/rdf"
)

const firm = `
types:
  Person: {key: code, iri: key, properties: {code: {type: string, required: true}, name: string, boss: {class: Person}}}
  Manager: {extends: [Person], properties: {bonus: integer}}
  Salary: {key: code, iri: key, properties: {code: {type: string, required: true}, of: {class: Person}, amount: integer}}
`

const firmPolicies = `
@id("read") permit (principal, action in Action::"reads", resource in Graph::"t");
@id("payroll") forbid (principal, action, resource in Type::"Salary") unless { principal in Group::"hr" };
@id("hr") permit (principal in Group::"hr", action == Action::"change", resource in Type::"Salary");
@id("bot") permit (principal == Actor::"token:bot", action == Action::"change", resource in Type::"Person") unless { context.branch == Branch::"kept" };
@id("managers") forbid (principal == Actor::"token:bot", action == Action::"change", resource in Type::"Manager");
@id("drafts") permit (principal == Actor::"token:bot", action in [Action::"branch_create", Action::"branch_merge"], resource);
@id("secret") forbid (principal, action == Action::"read", resource == Branch::"secret") unless { principal in Group::"hr" };
@id("ada") permit (principal == Actor::"token:ada", action, resource);
`

var (
	bot = policy.Principal{ID: "token:bot", Scopes: policy.AllScopes(), Authenticated: true}
	eve = policy.Principal{ID: "token:eve", Scopes: policy.AllScopes(), Groups: []string{"hr"}, Authenticated: true}
	ada = policy.Principal{ID: "token:ada", Scopes: policy.AllScopes(), Groups: []string{"hr"}, Authenticated: true}
)

// governed is a firm with people, a manager, salaries, and policies.
func governed(t *testing.T, policies string) *kg.Graph {
	t.Helper()
	g := open(t, newFile(t, firm))
	update(t, g, `INSERT DATA { :Person\/a a :Person ; :code "a" . :Person\/c a :Person ; :code "c" . :Person\/m a :Manager ; :code "m" . :Salary\/s a :Salary ; :code "s" ; :of :Person\/a ; :amount 5 . <urn:free> <urn:p> 1 }`)
	govern(t, g.Session(ana), policies)
	return g
}

func govern(t *testing.T, s *kg.Session, policies string) kg.Result {
	t.Helper()
	done, err := s.ChangePolicies(t.Context(), kg.PolicyChange{Text: policies})
	if err != nil {
		t.Fatal(err)
	}
	return done
}

// What somebody may not read is not in its view, which is the one that the rights of a view make; who has the file sees all.
func TestPoliciesDecideWhatIsSeen(t *testing.T) {
	g := governed(t, firmPolicies)
	hidden := &kg.Rights{Types: []rdf.IRI{rdf.IRI(g.Base() + "Salary")}, Nodes: []rdf.Term{rdf.IRI(rdf.TrailsNS + "policies")}, Branches: []string{"secret"}}
	for _, p := range []policy.Principal{bot, policy.Anonymous("", policy.Scopes{}), {ID: "oidc:x", Groups: []string{"it"}}} {
		if diff := cmp.Diff(allOf(t, g.Session(ana).Seeing(hidden)), allOf(t, g.Session(p))); diff != "" {
			t.Errorf("%s (-the view of the rights +that of the policies):\n%s", p.ID, diff)
		}
	}
	all := allOf(t, g.Session(ana))
	for _, p := range []policy.Principal{eve, ada, {}, {ID: "somebody", Owns: true}} {
		if diff := cmp.Diff(all, allOf(t, g.Session(p))); diff != "" {
			t.Errorf("%s (-all +seen):\n%s", p.ID, diff)
		}
	}
	if seen := allOf(t, g.Session(bot)); len(seen) >= len(all) || strings.Contains(strings.Join(seen, "\n"), "alary") {
		t.Errorf("the bot sees %d of %d statements:\n%s", len(seen), len(all), strings.Join(seen, "\n"))
	}
	govern(t, g.Session(ana), "")
	if diff := cmp.Diff(allOf(t, g.Session(ana)), allOf(t, g.Session(bot))); diff != "" {
		t.Errorf("without policies (-all +seen):\n%s", diff)
	}
}

func updateBy(t *testing.T, s *kg.Session, text string) (kg.Result, error) {
	t.Helper()
	return s.Update(t.Context(), parseUpdate(t, text), kg.ChangeSet{}, kg.UpdateOptions{})
}

func try(t *testing.T, s *kg.Session, text string) error {
	t.Helper()
	_, err := updateBy(t, s, text)
	return err
}

// Changes are held against the policies node by node, by the types that a node has before and after.
func TestPoliciesDecideWhatIsChanged(t *testing.T) {
	for text, want := range map[string]string{
		`INSERT DATA { :Person\/a :name "A" }`:                                        "",
		`INSERT DATA { :Person\/b a :Person ; :code "b" }`:                            "",
		`DELETE DATA { :Person\/c a :Person ; :code "c" }`:                            "",
		`INSERT DATA { :Person\/m :name "M" }`:                                        `token:bot may not change Type::"Manager": it is forbidden by managers`,
		`INSERT DATA { :Person\/a a :Manager }`:                                       "forbidden by managers",
		`DELETE { ?m a :Manager } INSERT { ?m a :Person } WHERE { ?m a :Manager }`:    "forbidden by managers",
		`DELETE WHERE { ?m ?p ?o }`:                                                   "token:bot may not change",
		`INSERT DATA { <urn:free> <urn:p> 2 }`:                                        `token:bot may not change Branch::"main": no policy permits it`,
		`INSERT DATA { GRAPH <urn:g> { :Person\/m <urn:p> 1 } }`:                      "forbidden by managers",
		`INSERT DATA { :Salary\/t a :Salary ; :code "t" }`:                            ":Salary is no type of the schema",
		`INSERT DATA { :Salary\/s :amount 6 }`:                                        ":amount is no property of the schema",
		`INSERT DATA { :Person\/a :name "A" } ; INSERT DATA { :Person\/m :name "M" }`: "you may see a part of the graph only",
	} {
		g := governed(t, firmPolicies)
		before := allOf(t, g.Session(ana))
		err := try(t, g.Session(bot), text)
		if (want == "") != (err == nil) || err != nil && !strings.Contains(fault.Of(err).Error(), want) {
			t.Errorf("%s: %v, not %q", text, err, want)
		}
		if changed := !slices.Equal(before, allOf(t, g.Session(ana))); changed != (want == "") {
			t.Errorf("%s: changed %t", text, changed)
		}
	}
	g := governed(t, firmPolicies)
	for s, want := range map[*kg.Session]string{
		g.Session(eve): "no policy permits it", g.Session(policy.Anonymous("", policy.AllScopes())): "no policy permits it", g.Session(ada): "", g.Session(ana): "",
	} {
		if err := try(t, s, `INSERT DATA { :Person\/m <urn:by> "`+s.Principal().ID+`" }`); (want == "") != (err == nil) || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, not %q", s.Principal().ID, err, want)
		}
	}
	if err := try(t, g.Session(eve), `DELETE { ?s :amount 5 } INSERT { ?s :amount 6 } WHERE { ?s :amount 5 }`); err != nil {
		t.Errorf("hr changes salaries: %v", err)
	}
	verify(t, g)
}

// A node with more statements than are held in memory is asked for its types all the same.
func TestPoliciesHoldForHubs(t *testing.T) {
	g := governed(t, firmPolicies)
	var many strings.Builder
	for i := range 10_001 {
		fmt.Fprintf(&many, "%d, ", i)
	}
	update(t, g, `INSERT DATA { :Person\/m <urn:p> `+many.String()+`-1 }`)
	if err := try(t, g.Session(bot), `INSERT DATA { :Person\/m <urn:p> -2 }`); err == nil || !strings.Contains(err.Error(), "managers") {
		t.Errorf("got %v", err)
	}
}

// Policies of main decide, on every branch and at every commit; those of a branch decide nothing, and who may not administer
// sets none anywhere, by no way.
func TestPoliciesOfMainDecide(t *testing.T) {
	g := governed(t, "")
	first := head(t, g)
	govern(t, g.Session(ana), firmPolicies)
	_, err := g.Session(ana).MakeBranch(t.Context(), kg.NewBranch{Name: "draft"})
	if err != nil {
		t.Fatal(err)
	}
	const loose = `permit (principal, action, resource);`
	set := kg.PolicyChange{Text: loose}
	for _, s := range []*kg.Session{g.Session(bot), g.Session(bot).On("draft"), g.Session(eve).On("draft")} {
		if _, err := s.ChangePolicies(t.Context(), set); !fault.Is(err, fault.Denied) {
			t.Errorf("%s sets policies: %v", s.Principal().ID, err)
		}
	}
	govern(t, g.Session(ana).On("draft"), loose)
	if err := try(t, g.Session(bot).On("draft"), `INSERT DATA { :Person\/m :name "M" }`); !fault.Is(err, fault.Denied) {
		t.Errorf("policies of the draft decide: %v", err)
	}
	if _, err := g.Session(bot).Merge(t.Context(), kg.Merge{Source: "draft"}); !fault.Is(err, fault.Denied) {
		t.Errorf("policies are merged by who may not administer: %v", err)
	}
	err = g.Session(bot).On("draft").View(t.Context(), func(snap *kg.Snapshot) error {
		if snap.Schema().Type("Salary") != nil {
			t.Error("the draft shows what is hidden")
		}
		then, err := snap.At(t.Context(), first)
		if err != nil {
			return err
		}
		defer then.Close()
		if then.Schema().Type("Salary") != nil || then.Schema().Type("Person") == nil {
			t.Error("the past shows what is hidden")
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := g.Session(ana).Merge(t.Context(), kg.Merge{Source: "draft"}); err != nil {
		t.Fatal(err)
	}
	if err := try(t, g.Session(bot), `INSERT DATA { :Person\/m :name "M" }`); err != nil {
		t.Errorf("merged policies: %v", err)
	}
}

// A branch that somebody may not read is not there, by any name, and nor are its commits.
func TestPoliciesHideBranches(t *testing.T) {
	for name, policies := range map[string]string{
		"one":        firmPolicies,
		"all others": strings.Replace(firmPolicies, `resource == Branch::"secret") unless {`, `resource is Branch) unless { resource in [Branch::"main", Branch::"open"] || `, 1),
	} {
		t.Run(name, func(t *testing.T) {
			g := governed(t, policies)
			var secret kg.Commit
			for _, branch := range []string{"secret", "open"} {
				b, err := g.Session(ana).MakeBranch(t.Context(), kg.NewBranch{Name: branch})
				if err != nil {
					t.Fatal(err)
				}
				done, err := updateBy(t, g.Session(ana).On(branch), `INSERT DATA { <urn:free> <urn:p> "`+branch+`" }`)
				if err != nil {
					t.Fatal(err)
				}
				if b.Name == "secret" {
					secret = done.After
				}
			}
			for p, want := range map[string][]string{"token:bot": {"main", "open"}, "token:eve": {"main", "open", "secret"}} {
				s := g.Session(bot)
				if p == "token:eve" {
					s = g.Session(eve)
				}
				err := s.View(t.Context(), func(snap *kg.Snapshot) error {
					list, err := snap.Branches(t.Context())
					var names []string
					for _, b := range list {
						names = append(names, b.Name)
					}
					slices.Sort(names)
					if !slices.Equal(names, want) {
						t.Errorf("%s sees %v", p, names)
					}
					_, byName := snap.FindState(t.Context(), "secret")
					_, byID := snap.FindState(t.Context(), secret.ID.Whole())
					if hidden := p == "token:bot"; (byName != nil) != hidden || (byID != nil) != hidden {
						t.Errorf("%s finds it: %v, %v", p, byName, byID)
					}
					return err
				})
				if err != nil {
					t.Fatal(err)
				}
				none, other := s.On("secret").View(t.Context(), func(*kg.Snapshot) error { return nil }), s.On("nothing").View(t.Context(), func(*kg.Snapshot) error { return nil })
				if p == "token:bot" && (none == nil || strings.ReplaceAll(none.Error(), "secret", "nothing") != other.Error()) {
					t.Errorf("%s: %v, and of a branch that is not there %v", p, none, other)
				}
			}
		})
	}
}

// What another process sets counts from the next read and write on, also for types that only a branch or a later schema has.
func TestPoliciesCountAtOnce(t *testing.T) {
	g := governed(t, firmPolicies)
	other := open(t, g.Path())
	session := g.Session(bot)
	sees := func(s *kg.Session, name string) (seen bool) {
		t.Helper()
		if err := s.View(t.Context(), func(snap *kg.Snapshot) error { seen = snap.Schema().Type(name) != nil; return nil }); err != nil {
			t.Fatal(err)
		}
		return seen
	}
	if sees(session, "Salary") || !sees(session, "Person") {
		t.Fatal("at the beginning")
	}
	govern(t, other.Session(ana), `permit (principal, action in Action::"reads", resource); permit (principal, action, resource in Type::"Person");
		forbid (principal, action == Action::"read", resource is Type) unless { resource in [Type::"Person"] };`)
	if sees(session, "Salary") || !sees(session, "Person") || !sees(session, "Manager") {
		t.Error("an allow-list of types")
	}
	if err := try(t, session, `INSERT DATA { :Person\/m :name "M" }`); err != nil {
		t.Errorf("the new policies permit it: %v", err)
	}
	if _, err := other.Session(ana).MakeBranch(t.Context(), kg.NewBranch{Name: "draft"}); err != nil {
		t.Fatal(err)
	}
	patch := func(s *kg.Session, text string) {
		t.Helper()
		if _, _, err := s.ApplySchema(t.Context(), kg.SchemaChange{Patch: []byte(text)}); err != nil {
			t.Fatal(err)
		}
	}
	patch(other.Session(ana).On("draft"), "- add_type: {Later: {properties: {name: string}}}")
	patch(other.Session(ana), "- add_type: {Other: {properties: {name: string}}}")
	if sees(session.On("draft"), "Later") || sees(session, "Other") || !sees(session.On("draft"), "Person") || !sees(other.Session(ana).On("draft"), "Later") {
		t.Error("types that came later")
	}
	govern(t, other.Session(ana), "")
	if !sees(session, "Salary") || !sees(session.On("draft"), "Later") {
		t.Error("without policies")
	}
}

// A type that policies name keeps its name until they name the other one, too.
func TestATypeThatPoliciesNameKeepsItsName(t *testing.T) {
	g := governed(t, firmPolicies)
	rename := func() error {
		_, _, err := g.Session(ana).ApplySchema(t.Context(), kg.SchemaChange{Patch: []byte("- rename_type: {Salary: Pay}"), AllowDataLoss: true})
		return err
	}
	if err := rename(); !fault.Is(err, fault.Conflict) || !strings.Contains(err.Error(), "policies name the type Salary") {
		t.Errorf("got %v", err)
	}
	govern(t, g.Session(ana), strings.ReplaceAll(firmPolicies, "payroll", "pay")+`forbid (principal, action, resource in Type::"Pay") unless { principal in Group::"hr" };`)
	if err := rename(); err == nil {
		t.Error("the old name is named still")
	}
	govern(t, g.Session(ana), strings.ReplaceAll(firmPolicies, `Type::"Salary"`, `Type::"Pay"`))
	if err := rename(); err != nil {
		t.Fatal(err)
	}
	if seen := strings.Join(allOf(t, g.Session(bot)), "\n"); strings.Contains(seen, "Pay") {
		t.Errorf("the renamed type is seen:\n%s", seen)
	}
}

// Policies that this program cannot read let nobody do anything whom they bind.
func TestPoliciesThatCannotBeReadPermitNothing(t *testing.T) {
	g := governed(t, firmPolicies)
	edit := func(records []rdf.Quad) (add, remove []rdf.Quad, err error) {
		for _, q := range records {
			if q.Predicate == rdf.IRI(rdf.TrailsNS+"policyText") {
				remove = append(remove, q)
				q.Object = rdf.Literal("permit by a later language", rdf.XSDString)
				add = append(add, q)
			}
		}
		return add, remove, nil
	}
	if _, err := g.Session(ana).EditRecords(t.Context(), edit, kg.ChangeSet{}); err != nil {
		t.Fatal(err)
	}
	if err := try(t, g.Session(ada), `INSERT DATA { :Person\/m :name "M" }`); !fault.Is(err, fault.Denied) {
		t.Errorf("got %v", err)
	}
	if seen := strings.Join(allOf(t, g.Session(ada)), "\n"); strings.Contains(seen, "Person") {
		t.Errorf("seen:\n%s", seen)
	}
	govern(t, g.Session(ana), firmPolicies)
	if err := try(t, g.Session(ada), `INSERT DATA { :Person\/m :name "M" }`); err != nil {
		t.Errorf("with policies that can be read: %v", err)
	}
}

// Somebody who watches is told no more when policies let it see something else.
func TestAWatcherEndsWithItsPolicies(t *testing.T) {
	g := governed(t, firmPolicies)
	mine, owners := g.Session(bot).Watch(t.Context()), g.Session(ana).Watch(t.Context())
	govern(t, g.Session(ana), firmPolicies+`permit (principal, action == Action::"export", resource);`)
	for {
		select {
		case _, more := <-mine:
			if more {
				continue
			}
		case <-time.After(10 * time.Second):
			t.Error("it watches still")
		}
		break
	}
	if _, more := <-owners; !more {
		t.Error("who has the file is told no more")
	}
	mine = g.Session(bot).Watch(t.Context())
	if _, _, err := g.Session(ana).ApplySchema(t.Context(), kg.SchemaChange{Patch: []byte("- add_type: {Later: {properties: {name: string}}}")}); err != nil {
		t.Fatal(err)
	}
	if moved, more := <-mine; !more || !moved.Schema {
		t.Errorf("of a new schema that hides no more it is told %+v, and more %t", moved, more)
	}
}

// A bundle brings policies where its taker may administer, and commits to branches for which it may take them.
func TestPoliciesHoldForBundles(t *testing.T) {
	g := governed(t, firmPolicies+`permit (principal in Group::"hr", action == Action::"bundle_apply", resource) unless { context.branch == Branch::"kept" };`)
	other := open(t, fileOf(t, g))
	update(t, other, `INSERT DATA { :Person\/b a :Person ; :code "b" }`)
	data := bundleOf(t, other, kg.Main, head(t, g))
	govern(t, other.Session(ana), `permit (principal, action, resource);`)
	policies := bundleOf(t, other, kg.Main, head(t, g))
	take := func(p policy.Principal, text, into string) error {
		_, err := g.Session(p).Apply(t.Context(), kg.Arrival{Bundle: strings.NewReader(text), Into: into})
		return err
	}
	if err := take(eve, policies, ""); !fault.Is(err, fault.Denied) || !strings.Contains(err.Error(), "administer") {
		t.Errorf("policies are brought by who may not administer: %v", err)
	}
	if err := take(eve, data, "kept"); !fault.Is(err, fault.Denied) || !strings.Contains(err.Error(), `Branch::"kept"`) {
		t.Errorf("commits are taken into a branch for which they may not be: %v", err)
	}
	if err := take(bot, data, ""); !fault.Is(err, fault.Denied) {
		t.Errorf("who sees a part takes commits: %v", err)
	}
	for _, text := range []string{data, policies} {
		who := eve
		if text == policies {
			who = ada
		}
		if err := take(who, text, ""); err != nil {
			t.Errorf("%s: %v", who.ID, err)
		}
	}
	if err := try(t, g.Session(bot), `INSERT DATA { :Person\/m <urn:by> "bot" }`); err != nil {
		t.Errorf("the policies of the bundle: %v", err)
	}
}

// Without policies whoever shows a token reads all and changes nothing, and is told what lets it; who shows none, and who has
// the file, are not bound.
func TestWithoutPoliciesTokensRead(t *testing.T) {
	g := governed(t, "")
	nobody := policy.Anonymous("", policy.AllScopes())
	keeper := policy.Principal{ID: "oidc:a", Scopes: policy.AllScopes(), Authenticated: true}
	if _, err := g.Session(ana).MakeBranch(t.Context(), kg.NewBranch{Name: "draft"}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(allOf(t, g.Session(ana)), allOf(t, g.Session(bot))); diff != "" {
		t.Errorf("a token reads (-all +seen):\n%s", diff)
	}
	round := 0
	writes := map[string]func(*kg.Session) error{
		"a change": func(s *kg.Session) error {
			return try(t, s, fmt.Sprintf(`INSERT DATA { <urn:free> <urn:in> %d }`, round))
		},
		"a change of a draft": func(s *kg.Session) error {
			return try(t, s.On("draft"), fmt.Sprintf(`INSERT DATA { :Person\/a <urn:in> %d }`, round))
		},
		"the schema": func(s *kg.Session) error {
			_, _, err := s.ApplySchema(t.Context(), kg.SchemaChange{Patch: []byte("- add_type: {New" + s.Principal().ID[:4] + ": {properties: {name: string}}}")})
			return err
		},
		"a branch": func(s *kg.Session) error {
			_, err := s.MakeBranch(t.Context(), kg.NewBranch{Name: "of-" + s.Principal().ID[:4]})
			return err
		},
		"a merge": func(s *kg.Session) error {
			_, err := s.Merge(t.Context(), kg.Merge{Source: "draft", Set: kg.ChangeSet{DryRun: true}})
			return err
		},
		"a token": func(s *kg.Session) error {
			_, _, err := s.IssueToken(t.Context(), kg.NewToken{Name: "of-" + s.Principal().ID[:4]}, false, kg.Activity{})
			return err
		},
		"policies": func(s *kg.Session) error {
			_, err := s.ChangePolicies(t.Context(), kg.PolicyChange{Text: cedar.Starter, Set: kg.ChangeSet{DryRun: true}})
			return err
		},
	}
	for _, held := range []struct {
		policies string
		p        policy.Principal
		may      bool
	}{{"", keeper, false}, {"", nobody, true}, {cedar.Starter, keeper, true}, {"", ana, true}, {"", keeper, false}} {
		govern(t, g.Session(ana), held.policies)
		round++
		for name, write := range writes {
			if err := write(g.Session(held.p)); held.may != (err == nil) || err != nil && (!fault.Is(err, fault.Denied) || !strings.HasSuffix(fault.Of(err).Message, kg.ReadOnly)) {
				t.Errorf("%s by %s under %q: %v", name, held.p.ID, held.policies, err)
			}
		}
	}
	err := g.Session(ana).View(t.Context(), func(s *kg.Snapshot) error {
		for _, a := range cedar.Actions {
			for p, may := range map[string]bool{"oidc:a": !a.Writes(), "anonymous": true} {
				who := nobody
				if p == keeper.ID {
					who = keeper
				}
				if got := s.As(who, nil).Decides(a, cedar.BranchKind, kg.Main, kg.Branch{}); got.Allowed != may {
					t.Errorf("%s by %s: %+v", a, p, got)
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// fileOf is a copy of the file of a graph.
func fileOf(t *testing.T, g *kg.Graph) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "t.db")
	if err := g.Backup(t.Context(), path, kg.BackupOptions{}); err != nil {
		t.Fatal(err)
	}
	return path
}

package builtin_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"trails/builtin"
	"trails/e2e/testrun"
	"trails/fault"
	"trails/gateway"
	"trails/gateway/upstream"
	"trails/invoke"
	"trails/invoke/invoketest"
)

const (
	withStatus    = "types:\n  Note:\n    iri: preserve\n    properties:\n      title: {type: string, required: true}\n      about: {class: Note, many: true}\n      status: {type: string}\n"
	withoutStatus = "types:\n  Note:\n    iri: preserve\n    properties:\n      title: {type: string, required: true}\n      about: {class: Note, many: true}\n"
)

// asked is a person who answers the same to everything.
type asked struct {
	yes       bool
	err       error
	meanwhile func()
	questions []string
	patience  time.Duration
}

func (a *asked) answer(ctx context.Context, q invoke.Question) (bool, error) {
	a.questions = append(a.questions, q.Message)
	if deadline, ok := ctx.Deadline(); ok {
		a.patience = time.Until(deadline)
	}
	if a.meanwhile != nil {
		a.meanwhile()
	}
	return a.yes, a.err
}

// losing are the calls that would lose something of the graph of [notes].
var losing = map[string]struct{ capability, args, question string }{
	"a schema": {"schema_apply", `{"schema": %s, "message": "less"}`,
		`The new schema removes 2 statements from the graph "example" at commit HEAD: drop property Note.status (2 statements). The history keeps them. Go on?`},
	"a schema, as meta call": {"trails.meta.schema.apply", `{"schema": %s}`,
		`The new schema removes 2 statements from the graph "example" at commit HEAD: drop property Note.status (2 statements). The history keeps them. Go on?`},
	"an overwrite": {"load", `{"data": "{\"type\":\"Note\",\"id\":\"c\",\"data\":{\"title\":\"C\"}}", "mode": "overwrite"}`,
		`Overwriting replaces all nodes of the types in the data. In the graph "example" at commit HEAD that removes 2 nodes: 2 of Note. The history keeps them. Go on?`},
	"a replacement": {"load", `{"data": "<urn:a> <urn:b> <urn:c> .", "mode": "replace", "graph": "urn:g"}`,
		`Replacing puts the data in the place of 2 statements of the graph <urn:g>, in the graph "example" at commit HEAD. The history keeps what goes. Go on?`},
	"a deletion": {"note.delete", `{"id": "a"}`,
		`Delete Note/a with its 3 statements from the graph "example" at commit HEAD? The history keeps them.`},
}

// notes is a graph with two notes that have a status.
func notes(t *testing.T) *invoketest.Engine {
	t.Helper()
	pool := upstream.Open(upstream.Config{Trusts: func(gateway.Server) bool { return true }})
	t.Cleanup(pool.Close)
	e := invoketest.New(t, withStatus, invoke.Config{Providers: builtin.Options{Upstreams: pool}.Providers()})
	e.Must(t, "trails.meta.query.add", `{"queries": [{"name": "notes", "text": "SELECT ?title { ?note a :Note ; :title ?title }"},
		{"name": "finish", "text": "#+ params: {note: {type: ref(Note), default: Note/a}}\nDELETE { ?note :title ?was } INSERT { ?note :title \"done\" } WHERE { ?note :title ?was }"}]}`)
	e.Must(t, "note_create", `{"id": "a", "title": "A", "status": "open"}`)
	e.Must(t, "note_create", `{"id": "b", "title": "B", "status": "done"}`)
	e.Must(t, "load", `{"data": "<urn:a> <urn:b> 1, 2 .", "graph": "urn:g"}`)
	return e
}

func losingCall(t *testing.T, name string, extra map[string]any) invoke.Call {
	t.Helper()
	c := losing[name]
	schema, err := json.Marshal(withoutStatus)
	if err != nil {
		t.Fatal(err)
	}
	var args map[string]any
	if err := json.Unmarshal([]byte(strings.Replace(c.args, "%s", string(schema), 1)), &args); err != nil {
		t.Fatal(err)
	}
	for k, v := range extra {
		args[k] = v
	}
	text, err := json.Marshal(args)
	if err != nil {
		t.Fatal(err)
	}
	return invoke.Call{Capability: c.capability, Args: text, Principal: invoketest.Ana, Via: "test"}
}

func head(t *testing.T, e *invoketest.Engine) string {
	t.Helper()
	commit, _ := e.Must(t, "snapshot", "{}")["head"].(map[string]any) // health does not wait for it
	id, _ := commit["id"].(string)
	return id
}

func TestAYesLetsALossThroughThatAQuestionNamed(t *testing.T) {
	testrun.Alone(t)
	for name, want := range losing {
		t.Run(name, func(t *testing.T) {
			e, person := notes(t), &asked{yes: true}
			before := head(t, e)
			c := losingCall(t, name, nil)
			c.Ask = person.answer
			if _, err := e.Call(t.Context(), c); err != nil {
				t.Fatal(err)
			}
			if len(person.questions) != 1 || strings.Replace(person.questions[0], before, "HEAD", 1) != want.question {
				t.Errorf("asked %q\n want %q", person.questions, want.question)
			}
			if person.patience <= 4*time.Minute || person.patience > 5*time.Minute {
				t.Errorf("the person has %s to answer", person.patience)
			}
			if head(t, e) == before {
				t.Error("nothing was changed")
			}
		})
	}
}

func TestWithoutAYesNothingIsLost(t *testing.T) {
	testrun.Alone(t)
	for name := range losing {
		for _, person := range []*asked{{}, {err: errors.New("the client answered nonsense")}, {yes: true, err: context.DeadlineExceeded}} {
			t.Run(name, func(t *testing.T) {
				e := notes(t)
				before := head(t, e)
				c := losingCall(t, name, nil)
				c.Ask = person.answer
				f := e.Refused(t, c, fault.Conflict)
				if len(person.questions) != 1 || head(t, e) != before {
					t.Errorf("asked %q, head %s, before %s", person.questions, head(t, e), before)
				}
				if !strings.Contains(f.Message, "was not confirmed, and nothing was changed") || f.Details["removes"] == nil {
					t.Errorf("refused with %q, %v", f.Message, f.Details)
				}
			})
		}
	}
}

// Whoever is asked may take minutes: others read and write meanwhile, and then the
// answer is about a graph that is no more.
func TestAYesIsForTheHeadThatWasAskedAbout(t *testing.T) {
	for name := range losing {
		t.Run(name, func(t *testing.T) {
			e, person := notes(t), &asked{yes: true}
			person.meanwhile = func() { e.Must(t, "note_create", `{"id": "x", "title": "X", "status": "open"}`) }
			c := losingCall(t, name, nil)
			c.Ask = person.answer
			e.Refused(t, c, fault.Precondition)
			if got := e.Must(t, "snapshot", "{}")["types"]; got.(map[string]any)["Note"] != 3.0 {
				t.Errorf("after it there are %v", got)
			}
		})
	}
}

func TestACallThatIsCancelledWhileSomebodyIsAskedChangesNothing(t *testing.T) {
	for name := range losing {
		t.Run(name, func(t *testing.T) {
			e, person := notes(t), &asked{yes: true}
			before := head(t, e)
			ctx, cancel := context.WithCancel(t.Context())
			person.meanwhile = cancel
			c := losingCall(t, name, nil)
			c.Ask = person.answer
			if _, err := e.Call(ctx, c); !fault.Is(err, fault.TimedOut) {
				t.Errorf("got %v", err)
			}
			if head(t, e) != before {
				t.Error("something was changed")
			}
		})
	}
}

func TestNobodyIsAskedAboutWhatLosesNothing(t *testing.T) {
	testrun.Alone(t)
	for name := range losing {
		for what, extra := range map[string]map[string]any{
			"a dry run":                  {"dry_run": true},
			"what is allowed":            {"allow_data_loss": true},
			"a plan":                     {"plan": true},
			"another head":               {"if_commit": strings.Repeat("f", 64)},
			"a merge":                    {"mode": "merge"},
			"nothing that is there":      {"data": "", "graph": "urn:none"},
			"the schema that is there":   {"schema": withStatus},
			"a schema that has mistakes": {"schema": "types: ["},
		} {
			t.Run(name+", "+what, func(t *testing.T) {
				e, person := notes(t), &asked{yes: true}
				c := losingCall(t, name, nil)
				for argument := range extra {
					if known := shape(t, e, c.Capability); !known[argument] {
						t.Skip("no such argument")
					}
				}
				c = losingCall(t, name, extra)
				c.Ask = person.answer
				_, _ = e.Call(t.Context(), c) // refused or not, nobody is asked
				if len(person.questions) > 0 {
					t.Errorf("asked %q", person.questions)
				}
			})
		}
	}
}

// shape names the arguments of a capability.
func shape(t *testing.T, e *invoketest.Engine, id string) map[string]bool {
	t.Helper()
	tools, err := e.Tools(t.Context(), invoketest.Ana)
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]bool{}
	for _, d := range tools.Descriptors {
		for _, f := range d.InputShape.Fields {
			if d.ID == id {
				known[f.Name] = true
			}
		}
	}
	return known
}

// A repeated call answers with the first one's commit; nothing is left to ask about.
func TestARepeatedCallAsksOnce(t *testing.T) {
	for name := range losing {
		t.Run(name, func(t *testing.T) {
			e, person := notes(t), &asked{yes: true}
			c := losingCall(t, name, nil)
			c.Ask, c.IdempotencyKey = person.answer, "once"
			for range 2 {
				if _, err := e.Call(t.Context(), c); err != nil {
					t.Fatal(err)
				}
			}
			if len(person.questions) != 1 {
				t.Errorf("asked %q", person.questions)
			}
		})
	}
}

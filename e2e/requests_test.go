package e2e_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"trails/e2e/testrun"
)

// dropRank takes the ranks of all notes away, which a person has to allow.
const dropRank = "- drop_property: Note.rank"

// asking is one way to make a call, and returns what a caller reads of the answer or of the refusal.
type asking func(t *testing.T, name string, args map[string]any) string

// Three processes have one file open. What an agent asks for through any door, another process decides, and the agent
// hears of it through the door that it asked through.
func TestACallIsAskedForThroughEveryDoorAndDecidedInAnotherProcess(t *testing.T) {
	testrun.Alone(t)
	t.Parallel()
	file := notesFile(t)
	pipe, site := openStdio(t, file), openWeb(t, file)
	overMCP := func(d door) asking {
		return func(t *testing.T, name string, args map[string]any) string {
			t.Helper()
			got, err := d.call("tools/call", map[string]any{"name": name, "arguments": args})
			if err != nil {
				return err.Error()
			}
			return string(got)
		}
	}
	doors := map[string]asking{"stdio": overMCP(pipe), "stateless HTTP": overMCP(site), "/invoke": func(t *testing.T, name string, args map[string]any) string {
		t.Helper()
		body, err := json.Marshal(args)
		if err != nil {
			t.Fatal(err)
		}
		_, got, err := site.post("/invoke/"+name, body, nil)
		if err != nil {
			t.Fatal(err)
		}
		return string(got)
	}}
	number := 0
	for name, ask := range doors {
		for _, decision := range []string{"approve", "decline"} {
			number++
			must(t, "load", file, write(t, "a.ndjson", noteLine(fmt.Sprintf("n%d", number))))
			if said := ask(t, "schema_apply", map[string]any{"patch": dropRank}); !strings.Contains(said, "give ask: true") || !strings.Contains(said, "trails request") {
				t.Errorf("%s: refused with %s", name, said)
			}
			args := map[string]any{"patch": dropRank, "ask": true, "message": fmt.Sprintf("try %d", number)}
			for range 2 {
				if said := ask(t, "schema_apply", args); !strings.Contains(said, fmt.Sprintf("request %d waits", number)) || !strings.Contains(said, fmt.Sprintf("trails request approve FILE %d", number)) {
					t.Fatalf("%s: asked for, it answers %s", name, said)
				}
			}
			if said := ask(t, "requests_decide", map[string]any{"request": number, "decision": "approve"}); !strings.Contains(said, "requires builder") && !strings.Contains(said, "Authentication failed") {
				t.Errorf("%s: an agent decides: %s", name, said)
			}
			must(t, "request", decision, file, fmt.Sprint(number), "--reason", "because")
			want := map[string]string{"approve": `done`, "decline": "declined"}[decision]
			if said := ask(t, "requests_list", map[string]any{"request": number}); !strings.Contains(said, want) || !strings.Contains(said, "because") {
				t.Errorf("%s: after %s the agent hears %s", name, decision, said)
			}
			if said := ask(t, "schema_apply", args); !strings.Contains(said, want) || !strings.Contains(said, "because") {
				t.Errorf("%s: asked again after %s, it answers %s", name, decision, said)
			}
			if decision == "approve" {
				must(t, "undo", file, "head")
			}
		}
	}
	must(t, "verify", file)
}

// An approval that is killed has been made, and then its request is done, or it waits on.
func TestAnApprovalThatIsKilledIsMadeOrWaits(t *testing.T) {
	testrun.Alone(t)
	t.Parallel()
	random := testrun.Random(t)
	file := notesFile(t)
	made := 0
	for round := 1; round <= 8; round++ {
		code := fmt.Sprintf("k%d", round)
		must(t, "load", file, write(t, "a.ndjson", noteLine(code)))
		must(t, "delete", file, "Note/"+code, "--ask")
		cmd := command(t, "request", "approve", file, fmt.Sprint(round))
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Duration(random.IntN(300)) * time.Millisecond)
		_ = cmd.Process.Kill() // it may have ended
		_ = cmd.Wait()
		state, gone := must(t, "request", "show", file, fmt.Sprint(round)), notes(t, file)[code] == 0
		if done := strings.Contains(state, "done"); done != gone || !done && !strings.Contains(state, "pending") {
			t.Errorf("round %d: the note is gone: %t, and the request is %s", round, gone, state)
		}
		if gone {
			made++
		}
		must(t, "verify", file)
	}
	t.Logf("%d of 8 approvals were made before they were killed", made)
}

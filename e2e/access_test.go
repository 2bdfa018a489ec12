package e2e_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"trails/e2e/testrun"
)

// retry sends one write under an idempotency key and returns the id of the commit in the answer.
type retry func(t *testing.T, key string) string

// through returns the ways to write to a file: over HTTP, over stdio, and by the command line.
func through(t *testing.T, file string, w *web, s *stdio) map[string]retry {
	commit := func(t *testing.T, text []byte) string {
		t.Helper()
		var out struct {
			Commit            string
			StructuredContent struct{ Commit string }
			Results           []struct{ Result struct{ Commit string } }
		}
		if err := json.Unmarshal(text, &out); err != nil {
			t.Fatalf("%v: %s", err, text)
		}
		if len(out.Results) == 1 {
			return out.Results[0].Result.Commit
		}
		if out.StructuredContent.Commit != "" {
			return out.StructuredContent.Commit
		}
		if out.Commit == "" {
			t.Fatalf("no commit in %s", text)
		}
		return out.Commit
	}
	rpc := func(d door) retry {
		return func(t *testing.T, key string) string {
			res, err := d.call("tools/call", map[string]any{"name": "note_create", "arguments": note(key), "_meta": map[string]any{"trails/idempotencyKey": key}})
			if err != nil {
				t.Fatal(err)
			}
			return commit(t, res)
		}
	}
	post := func(path string, body func(key string) any, header func(key string) http.Header) retry {
		return func(t *testing.T, key string) string {
			text, err := json.Marshal(body(key))
			if err != nil {
				t.Fatal(err)
			}
			status, answer, err := w.post(path, text, header(key))
			if err != nil || status != http.StatusOK {
				t.Fatalf("%d %v %s", status, err, answer)
			}
			return commit(t, answer)
		}
	}
	return map[string]retry{
		"/mcp":  rpc(w),
		"stdio": rpc(s),
		"/invoke": post("/invoke/note.create", func(key string) any { return note(key) },
			func(key string) http.Header {
				return http.Header{"Idempotency-Key": {key}, "User-Agent": {"another/1"}}
			}),
		"a batch": post("/invoke", func(key string) any {
			return map[string]any{"calls": []any{map[string]any{"capability": "note_create", "arguments": note(key), "idempotency_key": key}}}
		}, func(string) http.Header { return http.Header{} }),
		"the command line": func(t *testing.T, key string) string {
			n := note(key)
			n["dry_run"] = false
			text, _ := json.Marshal(n)
			return commit(t, []byte(must(t, "invoke", file, "note.create", "--json", string(text), "--idempotency-key", key, "-o", "json")))
		},
	}
}

// A write that is repeated over another transport is the same write. Without a token the caller is the user who
// owns the processes; with a token it is whoever shows it.
func TestARetryThroughAnotherDoorIsTheSameCall(t *testing.T) {
	testrun.Alone(t)
	for name, env := range map[string][]string{"without a token": nil, "with a token": {"TRAILS_MCP_TOKEN=s3cret"}} {
		t.Run(name, func(t *testing.T) {
			file := notesFile(t)
			if env != nil {
				file = writableFile(t)
			}
			w := openWeb(t, file, env...)
			s := openStdio(t, file, env...)
			doors := through(t, file, w, s)
			if env != nil {
				delete(doors, "the command line") // which shows no token: that is the user
			}
			n := 0
			for first, begin := range doors {
				n++
				key := fmt.Sprintf("key-%d", n)
				made := begin(t, key)
				for second, again := range doors {
					if got := again(t, key); got != made {
						t.Errorf("first through %s: commit %s; again through %s: commit %s", first, made, second, got)
					}
				}
			}
			wantNotes(t, file, keys(n))
		})
	}
}

func keys(n int) []string {
	all := make([]string, n)
	for i := range all {
		all[i] = fmt.Sprintf("key-%d", i+1)
	}
	return all
}

// A schema change that loses data needs the scope builder over every transport, which callers over HTTP have only with
// a token. The command line on the file itself always has it.
func TestASchemaThatLosesDataNeedsBuilder(t *testing.T) {
	testrun.Alone(t)
	less := strings.Replace(notesSchema, "      rank: {type: integer, required: true, min_value: 0}\n", "", 1)
	args := map[string]any{"schema": less, "allow_data_loss": true}
	text, _ := json.Marshal(args)
	for name, c := range map[string]struct {
		env         []string
		http, stdio int // codes of MCP
		status      int
	}{
		"no token":                           {nil, -32001, -32004, http.StatusUnauthorized},
		"no token, all scopes":               {[]string{"TRAILS_MCP_SCOPES=runtime,builder,dev"}, -32001, 0, http.StatusUnauthorized},
		"no token, all scopes in production": {[]string{"TRAILS_MCP_SCOPES=runtime,builder,dev", "TRAILS_ENV=production"}, -32001, -32001, http.StatusUnauthorized},
		"a token":                            {[]string{"TRAILS_MCP_TOKEN=s3cret"}, -32004, -32004, http.StatusForbidden},
		"a token and its scope":              {[]string{"TRAILS_MCP_TOKEN=s3cret", "TRAILS_MCP_SCOPES=runtime,builder"}, 0, 0, http.StatusOK},
	} {
		t.Run(name, func(t *testing.T) {
			file := notesFile(t)
			if slices.Contains(c.env, "TRAILS_MCP_TOKEN=s3cret") {
				file = writableFile(t)
			}
			must(t, "load", file, write(t, "one.ndjson", noteLine("one")))
			w, s := openWeb(t, file, c.env...), openStdio(t, file, c.env...)
			before := must(t, "export", file)
			for d, code := range map[door]int{w: c.http, s: c.stdio} {
				_, err := tool(d, "schema_apply", map[string]any{"schema": less, "allow_data_loss": true, "dry_run": true})
				var refused *rpcError
				if errors.As(err, &refused); code == 0 && err != nil || code != 0 && (refused == nil || refused.Code != code) {
					t.Errorf("%T: %v", d, err)
				}
			}
			status, answer, err := w.post("/invoke/schema_apply", text, nil)
			if err != nil || status != c.status {
				t.Errorf("/invoke: %d %s %v", status, answer, err)
			}
			if after := must(t, "export", file); (after == before) != (c.http != 0) {
				t.Errorf("changed is %t", after != before)
			}
			if c.http != 0 {
				must(t, "schema", "apply", file, write(t, "less.yaml", less), "--allow-data-loss")
			}
		})
	}
}

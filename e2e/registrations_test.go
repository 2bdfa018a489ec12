package e2e_test

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"sync/atomic"
	"testing"
	"time"
)

// generations returns a schema with two types, or three if n is odd. The capabilities of each type show the
// number n, as a value that they allow.
func generations(n int) string {
	text := "types:\n"
	for i := range 2 + n%2 {
		text += fmt.Sprintf("  Kind%d:\n    properties:\n      name: {type: string, required: true, one_of: [generation-%d]}\n", i, n)
	}
	return text
}

var generation = regexp.MustCompile(`generation-\d+`)

// A process changes, adds and removes capabilities, while a client reads every list that two servers make of
// them: tools over MCP and HTTP, the server card, OpenAPI, the manifest, the Thing Description. No answer mixes
// two generations. Answers with the same tag have the same generation, and soon after the last change all have
// the last one. A change is visible at the next call, and the session is notified. TRAILS_REGISTRATIONS is the
// number of changes, 20 by default.
func TestAClientReadsWhileAnotherProcessRegisters(t *testing.T) {
	t.Parallel()
	times := 20
	if n, err := strconv.Atoi(os.Getenv("TRAILS_REGISTRATIONS")); err == nil {
		times = n
	}
	file := filepath.Join(t.TempDir(), "kinds.trails")
	must(t, "init", file, "--schema", write(t, "kinds.yaml", generations(0)))
	web, session, writer := openWeb(t, file), openStdio(t, file), openStdio(t, file, "TRAILS_MCP_SCOPES=runtime,builder")
	apply := func(n int) error {
		a, err := tool(writer, "schema_apply", map[string]any{"schema": generations(n), "allow_data_loss": true})
		if err == nil && a.IsError {
			err = fmt.Errorf("generation %d: %s", n, a.Structured)
		}
		return err
	}
	one := func(what string, text []byte) (found string) {
		for _, g := range generation.FindAllString(string(text), -1) {
			if found != "" && g != found {
				t.Fatalf("%s has %s and %s", what, found, g)
			}
			found = g
		}
		return found
	}
	listed := func(d door) string {
		t.Helper()
		list, err := d.call("tools/list", map[string]any{})
		if err != nil {
			t.Fatal(err)
		}
		return one("tools/list", list)
	}
	get := func(path, tag string) (*http.Response, string) {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, web.base+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		if tag != "" {
			r.Header.Set("If-Match", tag)
		}
		res, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		text, err := io.ReadAll(res.Body)
		if err != nil {
			t.Fatal(err)
		}
		return res, one(path, text)
	}

	seen, together, parted := map[string]bool{}, 0, 0
	look := func() {
		seen[listed(web)], seen[listed(session)] = true, true
		first, of := get("/.well-known/wot", "")
		for _, path := range []string{"/openapi.json", "/.well-known/capabilities", "/kinds/card"} {
			res, other := get(path, first.Header.Get("ETag"))
			switch {
			case res.StatusCode == http.StatusPreconditionFailed:
				parted++
			case res.StatusCode != http.StatusOK || other != of:
				t.Fatalf("%s: %d %s beside %s", path, res.StatusCode, other, of)
			default:
				together++
			}
		}
	}
	settle := func() {
		t.Helper()
		deadline := time.Now().Add(patience)
		for was := -1; was != parted; {
			if time.Now().After(deadline) {
				t.Fatal("while nothing is registered, the documents get other tags")
			}
			was = parted
			look()
		}
	}
	settle()
	var over atomic.Bool
	done := make(chan error, 1)
	go func() {
		defer over.Store(true)
		for n := range times {
			if err := apply(n + 1); err != nil {
				done <- err
				return
			}
		}
		done <- nil
	}()
	for !over.Load() {
		look()
	}
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	settle()
	if len(seen) < 2 || seen[""] {
		t.Errorf("generations listed: %v", seen)
	}
	t.Logf("of %d generations %d were listed, %d documents had one tag, %d were refused", times, len(seen), together, parted)

	for n := times + 1; n <= times+3; n++ {
		told := session.changed.Load()
		if err := apply(n); err != nil {
			t.Fatal(err)
		}
		name := fmt.Sprintf("generation-%d", n)
		for _, d := range []door{web, session} {
			if a, err := tool(d, "kind0_create", map[string]any{"name": name, "dry_run": true}); err != nil || a.IsError {
				t.Errorf("the next call does not know %s: %v %s", name, err, a.Structured)
			}
			if got := listed(d); got != name {
				t.Errorf("the tools are of %s, want %s", got, name)
			}
			_, err := tool(d, "kind2_create", map[string]any{"name": name, "dry_run": true})
			if there := n%2 == 1; there != (err == nil) {
				t.Errorf("a type that is there (%v) is called: %v", there, err)
			}
		}
		for deadline := time.Now().Add(patience); session.changed.Load() == told; time.Sleep(5 * time.Millisecond) {
			if time.Now().After(deadline) {
				t.Fatalf("%s: the session is not told that its tools changed", name)
			}
		}
	}
	stopAll(t, []door{web, session, writer})
}

// Command tour shows the first minute with trails. It builds the binary, creates a file with the embedded
// example, and works on it as an agent would, over MCP: it looks things up, gets errors that say what to do,
// corrects itself, and reads back the commit and its provenance. It prints each step.
//
// Run it from the root of the module: go run ./example/tour
package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"trails/example"
)

func main() {
	binary := flag.String("trails", "", "the binary to use; empty builds it from ./cmd/trails")
	dir := flag.String("dir", "", "where the file goes; empty makes a temporary directory")
	flag.Parse()
	if err := tour(*binary, *dir); err != nil {
		fmt.Fprintln(os.Stderr, "tour:", err)
		os.Exit(1)
	}
}

// walk is one run of the tour: the binary, the file, and the commands so far.
type walk struct {
	binary, dir, file string
}

func tour(binary, dir string) error {
	w, err := prepare(binary, dir)
	if err != nil {
		return err
	}
	for _, step := range []func() error{w.create, w.author, w.history} {
		if err := step(); err != nil {
			return err
		}
	}
	say("The file stays: go on with")
	fmt.Printf("  %s serve %s\n", w.binary, w.file)
	return nil
}

// prepare creates a directory for the file, and builds the binary if none is given.
func prepare(binary, dir string) (*walk, error) {
	if dir == "" {
		var err error
		if dir, err = os.MkdirTemp("", "trails-tour-"); err != nil {
			return nil, err
		}
	}
	w := &walk{binary: binary, dir: dir, file: filepath.Join(dir, "example.db")}
	if w.binary == "" {
		say("Build the binary (the first time takes a minute or two)")
		w.binary = filepath.Join(dir, "trails")
		if err := w.show("go", "build", "-o", w.binary, "./cmd/trails"); err != nil {
			return nil, err
		}
	}
	err := errors.Join(
		os.WriteFile(w.path("schema.yaml"), example.Schema, 0o644),
		os.WriteFile(w.path("data.ndjson"), example.Data, 0o644))
	return w, err
}

func (w *walk) path(name string) string { return filepath.Join(w.dir, name) }

// create creates the file and loads the validated example in one commit.
func (w *walk) create() error {
	say("Make a file with a schema, and load the example into it")
	if err := w.show(w.binary, "init", w.file, "--schema", w.path("schema.yaml")); err != nil {
		return err
	}
	return w.show(w.binary, "load", w.file, w.path("data.ndjson"))
}

// author plays the agent, over MCP.
func (w *walk) author() error {
	c, err := start(w.binary, w.file)
	if err != nil {
		return err
	}
	return errors.Join(w.converse(c), c.close())
}

func (w *walk) converse(c *client) error {
	say("An agent connects over MCP and looks around")
	uri := "trails://kg/Requirement?where=status=proposed"
	text, err := c.read(uri)
	if err != nil {
		return err
	}
	quote("resources/read "+uri, indent(text))

	say("It writes a requirement, with two mistakes, and is told of both at once")
	draft := map[string]any{"code": "R-13", "title": "Pages show a graph to people", "status": "proposed", "priority": 9}
	if err := w.refused(c, draft); err != nil {
		return err
	}

	say("It corrects them, and gets a commit")
	draft["code"], draft["priority"] = "R-013", 4
	result, err := c.tool("requirement_create", draft)
	if err != nil {
		return err
	}
	quote("requirement_create "+compact(draft), indent(string(result)))

	say("It reads back who did what")
	text, err = c.read("trails://prov/latest")
	if err != nil {
		return err
	}
	activity, err := about(text, "requirement.create", "ok")
	if err != nil {
		return err
	}
	quote("resources/read trails://prov/latest", indent(activity))
	return nil
}

// about returns the last activity in a provenance document for a capability and outcome.
func about(text, capability, outcome string) (string, error) {
	var document struct {
		Graph []json.RawMessage `json:"@graph"`
	}
	if err := json.Unmarshal([]byte(text), &document); err != nil {
		return "", fmt.Errorf("trails://prov/latest: %w", err)
	}
	for _, activity := range document.Graph {
		var a struct{ Capability, Outcome string }
		if json.Unmarshal(activity, &a) == nil && a.Capability == capability && a.Outcome == outcome {
			return string(activity), nil
		}
	}
	return "", fmt.Errorf("trails://prov/latest knows no %s that was %s", capability, outcome)
}

// refused makes a call that must be refused.
func (w *walk) refused(c *client, draft map[string]any) error {
	result, err := c.tool("requirement_create", draft)
	var refusal *rpcError
	switch {
	case err == nil:
		return fmt.Errorf("requirement_create %s was accepted: %s", compact(draft), result)
	case !errors.As(err, &refusal):
		return err
	}
	lines := []string{refusal.Error()}
	for _, f := range refusal.Data.Fields {
		lines = append(lines, fmt.Sprintf("%s (%s): %s", f.Field, f.Code, f.Message))
	}
	quote("requirement_create "+compact(draft), strings.Join(lines, "\n"))
	return nil
}

// history shows the commits and recomputes their hashes.
func (w *walk) history() error {
	say("The history, and a check of every commit's hash")
	if err := w.show(w.binary, "log", w.file); err != nil {
		return err
	}
	return w.show(w.binary, "verify", w.file)
}

// show prints a command as a person would type it, and runs it.
func (w *walk) show(name string, args ...string) error {
	fmt.Printf("  $ %s %s\n", name, strings.Join(args, " "))
	cmd := exec.Command(name, args...)
	out, err := cmd.CombinedOutput()
	fmt.Print(shift(string(out)))
	if err != nil {
		return fmt.Errorf("%s %s: %w", filepath.Base(name), args[0], err)
	}
	return nil
}

func say(what string) { fmt.Printf("\n# %s\n", what) }

func quote(asked, answered string) { fmt.Printf("  > %s\n%s", asked, shift(answered)) }

// shift indents every line by four columns.
func shift(text string) string {
	text = strings.TrimRight(text, "\n")
	if text == "" {
		return ""
	}
	return "    " + strings.ReplaceAll(text, "\n", "\n    ") + "\n"
}

// indent formats JSON; other text is returned unchanged.
func indent(text string) string {
	var v any
	if json.Unmarshal([]byte(text), &v) != nil {
		return text
	}
	out, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return text
	}
	return string(out)
}

func compact(v any) string {
	out, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return string(out)
}
